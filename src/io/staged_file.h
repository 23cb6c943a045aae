#ifndef IO_STAGED_FILE_H
#define IO_STAGED_FILE_H
#include "io/file.h"

/*
 * A file that is written beside the one that it will replace, under a name
 * that tells it apart: ".NAME.rowmerge-PID-N.tmp" while it is written, the
 * last part given by the caller once it is complete. A lock is held on it
 * until then. What killed runs have left of the first kind is removed when the
 * next one is made for NAME; complete ones stay: the commit that they belong
 * to may have happened.
 */
struct staged_file;

/*
 * Make one for path; *out_file is for its bytes. Errors: ERROR_IO,
 * ERROR_NO_SPACE, ERROR_NO_MEMORY; nothing is left then.
 */
int staged_file_new(struct staged_file **out, struct output_file **out_file,
		    const char *path, struct error *err);
/* Where it is. */
const char *staged_file_path(const struct staged_file *staged);
/*
 * Its bytes are written and synced: give it the complete name, which ends with
 * suffix ("" or ".csv"). Errors: ERROR_IO; then it is as it was.
 */
int staged_file_complete(struct staged_file *staged, const char *suffix,
			 struct error *err);
/* The file stays where it is. */
void staged_file_free(struct staged_file *staged);
#endif
