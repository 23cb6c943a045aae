#ifndef IO_FILE_FAULT_H
#define IO_FILE_FAULT_H

/*
 * Called before each write, sync, create, link and rename of this room:
 * counts it, and returns the errno that it has to fail with, or 0.
 */
int file_fault_check(void);
#endif
