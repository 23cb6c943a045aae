/*
 * catalog_path.c - names of tables and paths of their files, on this machine
 *
 * Why:    SQL names match in any case, directories do not; and a table that
 *         was copied still records the paths of where it was.
 * How:    each part of a name is looked for as it is, else in a listing. A
 *         recorded path below the recorded location is the same path below
 *         the opened directory, wherever that is; all others stay.
 */
#include <errno.h>
#include <sys/stat.h>
#include "table/catalog/catalog_file.h"

static int check_part(const char *name, const char *part, size_t length,
		      struct error *err)
{
	if (length == 0 || part[0] == '_' || memchr(part, '/', length))
		return error_set(err, ERROR_USAGE,
				 "'%s' cannot be the name of a table", name);
	return 0;
}

/* The only name in directory that differs from part in case alone. */
static int find_nocase(const char *directory, const char *part,
		       struct arena *arena, char **out, struct error *err)
{
	char **names;
	size_t count;
	int rc;

	*out = NULL;
	if (!path_is_directory(directory))
		return 0;
	rc = directory_list(directory, arena, &names, &count, err);
	for (size_t i = 0; !rc && i < count; i++) {
		char *path;

		if (!text_equal_nocase(names[i], part))
			continue;
		path = path_join(arena, directory, names[i]);
		if (!path)
			return error_set(err, ERROR_NO_MEMORY, "find table");
		if (!path_is_directory(path))
			continue;
		if (*out)
			return error_set(err, ERROR_USAGE, "'%s' could be "
					 "'%s' or '%s'", part,
					 path_basename(*out), names[i]);
		*out = path;
	}
	return rc;
}

/* A table that may not be looked at is not a missing one. */
static int check_access(const char *directory, struct arena *arena,
			struct error *err)
{
	char *path = path_join(arena, directory, METADATA_DIRECTORY);
	struct stat info;

	if (!path)
		return error_set(err, ERROR_NO_MEMORY, "find table");
	if (stat(path, &info) == 0 || errno == ENOENT || errno == ENOTDIR ||
	    errno == ENAMETOOLONG)
		return 0;
	return error_set_errno(err, errno, "cannot look into '%s'", path);
}

int catalog_find(const char *warehouse, const char *name,
		 struct arena *arena, char **out, bool *found,
		 struct error *err)
{
	char *path = arena_strdup(arena, warehouse);
	const char *part = name;

	*out = NULL;
	*found = false;
	for (;;) {
		size_t length = strcspn(part, ".");
		char *word, *exact, *match = NULL;
		int rc = check_part(name, part, length, err);

		if (rc)
			return rc;
		word = arena_strndup(arena, part, length);
		exact = word && path ? path_join(arena, path, word) : NULL;
		if (!exact)
			return error_set(err, ERROR_NO_MEMORY, "find table");
		if (!path_is_directory(exact)) {
			rc = find_nocase(path, word, arena, &match, err);
			if (rc)
				return rc;
		}
		path = match ? match : exact;
		if (!part[length])
			break;
		part += length + 1;
	}
	*out = path;
	*found = catalog_is_table(path);
	return *found ? 0 : check_access(path, arena, err);
}

/* "./a" and "a" are one place. */
static const char *skip_dots(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	return path;
}

/* What follows prefix and a slash in text, else NULL. */
static const char *below(const char *text, const char *prefix)
{
	size_t length;

	text = skip_dots(text);
	prefix = skip_dots(prefix);
	length = strlen(prefix);
	while (length > 1 && prefix[length - 1] == '/')
		length--;
	if (strncmp(text, prefix, length) || text[length] != '/')
		return NULL;
	return text + length + 1;
}

int catalog_resolve_path(const struct catalog_table *table, const char *uri,
			 struct arena *arena, char **out, struct error *err)
{
	const char *location = table->metadata->location;
	const char *rest = location ? below(uri, location) : NULL;
	char *path, *base;
	int rc;

	*out = NULL;
	if (!rest) {
		/* the same place in another spelling of file: */
		rc = path_from_uri(arena, uri, &path, err);
		if (rc)
			return rc;
		if (location &&
		    path_from_uri(arena, location, &base, NULL) == 0)
			rest = below(path, base);
		if (!rest && path[0] != '/')
			return error_set(err, ERROR_UNSUPPORTED, "'%s' is a "
					 "relative path outside of the table",
					 uri);
		if (!rest) {
			*out = path;
			return 0;
		}
	}
	*out = path_join(arena, table->directory, rest);
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "path of '%s'", uri);
	return 0;
}
