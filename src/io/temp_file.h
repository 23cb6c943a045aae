#ifndef IO_TEMP_FILE_H
#define IO_TEMP_FILE_H
#include "util/util.h"

/*
 * A file without a name: it ends with the process however that ends. Written
 * and read at any offset; reads and writes of different threads may not
 * overlap.
 */
struct temporary_file;
/* In directory. Errors: ERROR_IO, ERROR_NO_SPACE. */
int temporary_file_new(struct temporary_file **out, const char *directory,
		       struct error *err);
void temporary_file_free(struct temporary_file *file);
int temporary_file_write(struct temporary_file *file, uint64_t offset,
			 const void *data, size_t length, struct error *err);
/* Exactly length bytes; past the end is ERROR_IO. */
int temporary_file_read(struct temporary_file *file, uint64_t offset,
			void *buffer, size_t length, struct error *err);
#endif
