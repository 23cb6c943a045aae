/*
 * path.c - names of files
 *
 * Why:    tables record URIs, people type relative paths and globs.
 * How:    text operations on paths; results live in the caller's arena.
 * Cost:   copies.
 * Limits: only local files; URIs are raw text without percent encoding.
 */
#include "io/path.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include "io/directory.h"

char *path_join(struct arena *arena, const char *directory, const char *name)
{
	size_t length = strlen(directory);
	const char *slash = length && directory[length - 1] == '/' ? "" : "/";

	if (length == 0 || name[0] == '/')
		return arena_strdup(arena, name);
	return arena_printf(arena, "%s%s%s", directory, slash, name);
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Length of path without slashes at its end; the root keeps its own. */
static size_t trimmed_length(const char *path, size_t length)
{
	while (length > 1 && path[length - 1] == '/')
		length--;
	return length;
}

char *path_dirname(struct arena *arena, const char *path)
{
	size_t length = trimmed_length(path, strlen(path));

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length == 0)
		return arena_strdup(arena, ".");
	return arena_strndup(arena, path, trimmed_length(path, length));
}

int path_real(struct arena *arena, const char *path, char **out,
	      struct error *err)
{
	char resolved[PATH_MAX];
	size_t length = trimmed_length(path, strlen(path));
	char *trimmed, *parent;
	int errnum;

	*out = NULL;
	if (realpath(path, resolved)) {
		*out = arena_strdup(arena, resolved);
		goto done;
	}
	errnum = errno;
	if (errnum != ENOENT || length == 0)
		goto fail;
	trimmed = arena_strndup(arena, path, length);
	parent = trimmed ? path_dirname(arena, trimmed) : NULL;
	if (!parent)
		goto done;
	/* a dangling link is there, and leads to nothing */
	if (path_exists(trimmed) || !realpath(parent, resolved))
		goto fail;
	*out = path_join(arena, resolved, path_basename(trimmed));
done:
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "path '%s'", path);
	return 0;
fail:
	return error_set_errno(err, errnum, "cannot resolve '%s'", path);
}

char *path_to_uri(struct arena *arena, const char *absolute_path)
{
	return arena_printf(arena, "file://%s", absolute_path);
}

/* Length of "scheme" in "scheme:...", 0 if there is none (RFC 3986). */
static size_t scheme_length(const char *uri)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] = "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789+-.";
	size_t length = strspn(uri, letters) ? strspn(uri, others) : 0;

	return uri[length] == ':' ? length : 0;
}

int path_from_uri(struct arena *arena, const char *uri, char **out,
		  struct error *err)
{
	static const char host[] = "//localhost/";
	const char *rest = uri;
	size_t scheme = scheme_length(uri);

	*out = NULL;
	if (scheme) {
		rest += scheme + 1;
		if (scheme != 4 || strncasecmp(uri, "file", 4) != 0)
			return error_set(err, ERROR_UNSUPPORTED,
					 "'%s' is not a local file", uri);
		if (strncmp(rest, host, sizeof(host) - 1) == 0)
			rest += sizeof(host) - 2;
		else if (strncmp(rest, "///", 3) == 0)
			rest += 2;
		else if (rest[0] != '/' || rest[1] == '/')
			return error_set(err, ERROR_UNSUPPORTED,
					 "'%s' is not a local file", uri);
	}
	*out = arena_strdup(arena, rest);
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "path '%s'", uri);
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Copy paths into arena, sorted bytewise; NULL if out of memory. */
static char **copy_paths(struct arena *arena, char *const *paths,
			 size_t count)
{
	char **copy = arena_zalloc_array(arena, count, sizeof(*copy));

	if (!copy)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		copy[i] = arena_strdup(arena, paths[i]);
		if (!copy[i])
			return NULL;
	}
	qsort(copy, count, sizeof(*copy), compare_paths);
	return copy;
}

int path_glob(struct arena *arena, const char *pattern, char ***paths_out,
	      size_t *count_out, struct error *err)
{
	char *itself[1] = { (char *)pattern };
	char *const *paths = itself;
	size_t count = 1;
	glob_t found;
	int answer;

	*paths_out = NULL;
	*count_out = 0;
	memset(&found, 0, sizeof(found));
	answer = glob(pattern, GLOB_NOSORT | GLOB_ERR, NULL, &found);
	if (answer == 0 && found.gl_pathc > 0) {
		paths = found.gl_pathv;
		count = found.gl_pathc;
	} else if (answer == GLOB_NOSPACE) {
		globfree(&found);
		return error_set(err, ERROR_NO_MEMORY, "glob '%s'", pattern);
	} else if (!path_exists(pattern)) {
		globfree(&found);
		if (answer == GLOB_ABORTED)
			return error_set(err, ERROR_IO,
					 "cannot read a directory of '%s'",
					 pattern);
		return error_set_errno(err, ENOENT, "no file '%s'", pattern);
	}
	*paths_out = copy_paths(arena, paths, count);
	globfree(&found);
	if (!*paths_out)
		return error_set(err, ERROR_NO_MEMORY, "glob '%s'", pattern);
	*count_out = count;
	return 0;
}
