#ifndef IO_DIRECTORY_H
#define IO_DIRECTORY_H
#include <stdbool.h>
#include <stddef.h>
#include "util/util.h"

/* Make path and its missing parents (0777 & ~umask). Existing is fine. */
int directory_make(const char *path, struct error *err);
/* fsync the directory itself: names made in it survive a crash. */
int directory_sync(const char *path, struct error *err);
/* Names in path but "." and "..", sorted bytewise, as an array of strings in
 * arena. Errors: ERROR_IO. */
int directory_list(const char *path, struct arena *arena, char ***names_out,
		   size_t *count_out, struct error *err);
/* Call visit for each name in path, "." and ".." too, in no order. */
int directory_visit(const char *path,
		    void (*visit)(void *context, const char *name),
		    void *context, struct error *err);
/* Remove path and all below it. A missing path is fine. Depth limit 32. */
int directory_remove_tree(const char *path, struct error *err);
/* Remove a directory if nothing is in it; a missing one is fine, too. */
int directory_remove_empty(const char *path, struct error *err);
bool path_exists(const char *path);
bool path_is_directory(const char *path);
/* Remove a file; a missing one is fine. */
int path_remove(const char *path, struct error *err);
/*
 * Sync many files and directories at once, side by side: the waiting overlaps.
 * Thousands are synced by one call for all of their file system.
 * work, if not NULL, runs on the calling thread meanwhile; when it fails, its
 * error is returned and some paths may not be synced.
 */
int files_sync(char *const *paths, size_t count,
	       int (*work)(void *context, struct error *err), void *context,
	       struct error *err);
#endif
