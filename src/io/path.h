#ifndef IO_PATH_H
#define IO_PATH_H
#include <stdbool.h>
#include <stddef.h>
#include "util/util.h"

/* Every returned string lives in arena; NULL = out of memory. */
/* An absolute name stands alone; an empty directory is the current one. */
char *path_join(struct arena *arena, const char *directory, const char *name);
/* What follows the last slash: "" for "a/". */
const char *path_basename(const char *path);
char *path_dirname(struct arena *arena, const char *path);
/* Absolute, symbolic links resolved; the last part may be missing. */
int path_real(struct arena *arena, const char *path, char **out,
	      struct error *err);
/* "file:///a/b" for "/a/b". Raw text, no percent encoding (iceberg.md 20). */
char *path_to_uri(struct arena *arena, const char *absolute_path);
/* "/a/b" for file:///a/b, file:/a/b, file://localhost/a/b and /a/b; any other
 * scheme is ERROR_UNSUPPORTED. A path without scheme stays as it is. */
int path_from_uri(struct arena *arena, const char *uri, char **out,
		  struct error *err);
/* Expand a glob (sorted); no match or no glob character gives the text
 * itself when it exists, else ERROR_IO. */
int path_glob(struct arena *arena, const char *pattern, char ***paths_out,
	      size_t *count_out, struct error *err);
#endif
