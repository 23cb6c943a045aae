#ifndef IO_IO_H
#define IO_IO_H
/*
 * io: files and directories. Reading by offset, writing by appending, the
 * few directory operations a commit needs, and names. It knows nothing of
 * formats. Every error names the path.
 */
#include "io/file.h"
#include "io/publish.h"
#include "io/file_rights.h"
#include "io/directory.h"
#include "io/path.h"
#include "io/temp_file.h"
#include "io/staged_file.h"
#endif
