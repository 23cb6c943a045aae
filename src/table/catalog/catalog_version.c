/*
 * catalog_version.c - which metadata file is the newest
 *
 * Why:    a directory has no server that knows its current version.
 * How:    as iceberg-java: the hint says where to look, then N + 1, N + 2, ...
 *         are probed until one is missing, so a hint that lags behind is
 *         harmless. Without a usable hint the directory is listed. Files of
 *         another catalog (NNNNN-*.metadata.json) count only if there is no
 *         vN file.
 * Cost:   with a hint four system calls and three failing ones; a listing
 *         else.
 * Limits: a gap in the numbers hides what lies above it, as in Java.
 */
#include <inttypes.h>
#include "table/catalog/catalog_file.h"

#define HINT_BYTES_LIMIT 4096

static const char *const spellings[SPELLING_COUNT] = {
	".metadata.json", ".gz.metadata.json", ".metadata.json.gz",
};

char *version_path(struct arena *arena, const char *directory,
		   int64_t version, enum version_spelling spelling)
{
	return arena_printf(arena, "%s/" METADATA_DIRECTORY "/v%" PRId64 "%s",
			    directory, version, spellings[spelling]);
}

int version_find(const char *directory, int64_t version, struct arena *arena,
		 char **out, struct error *err)
{
	*out = NULL;
	for (int i = 0; i < SPELLING_COUNT; i++) {
		char *path = version_path(arena, directory, version,
					  (enum version_spelling)i);

		if (!path)
			return error_set(err, ERROR_NO_MEMORY, "open table");
		if (path_exists(path)) {
			*out = path;
			return 0;
		}
	}
	return 0;
}

int64_t version_digits(const char *text, const char **rest)
{
	int64_t version = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		version = version * 10 + (*p - '0');
		if (version > VERSION_LIMIT)
			return -1;
	}
	*rest = p;
	return p == text ? -1 : version;
}

static bool is_metadata_suffix(const char *text)
{
	for (int i = 0; i < SPELLING_COUNT; i++)
		if (!strcmp(text, spellings[i]))
			return true;
	return false;
}

int64_t version_of_name(const char *name)
{
	const char *rest;
	int64_t version;

	if (name[0] != 'v')
		return -1;
	version = version_digits(name + 1, &rest);
	return version >= 0 && is_metadata_suffix(rest) ? version : -1;
}

int64_t foreign_version_of_name(const char *name)
{
	const char *rest;
	int64_t version = version_digits(name, &rest);

	if (version < 0 || *rest != '-')
		return -1;
	for (int i = 0; i < SPELLING_COUNT; i++)
		if (text_ends_with(rest, spellings[i]))
			return version;
	return -1;
}

/* Of several foreign files with one number the one updated last: the others
 * are what failed commits left. */
static int choose_foreign(const char *directory, char **names, size_t count,
			  int64_t version, struct arena *arena, char **out,
			  struct error *err)
{
	int64_t newest_ms = INT64_MIN;

	*out = NULL;
	for (size_t i = 0; i < count; i++) {
		struct table_metadata *metadata;
		char *path;
		int rc;

		if (foreign_version_of_name(names[i]) != version)
			continue;
		path = path_join(arena, directory, names[i]);
		if (!path)
			return error_set(err, ERROR_NO_MEMORY, "open table");
		rc = metadata_file_load(path, &metadata, err);
		if (rc == ERROR_CORRUPT && *out)
			continue;
		if (rc)
			return rc;
		if (metadata->last_updated_ms >= newest_ms) {
			newest_ms = metadata->last_updated_ms;
			*out = path;
		}
		table_metadata_free(metadata);
	}
	return 0;
}

/* The newest version by its name among all files of metadata/. */
static int list_versions(const char *directory, struct arena *arena,
			 struct version_found *out, struct error *err)
{
	int64_t newest = -1, foreign = -1;
	char *metadata, **names;
	size_t count, same = 0;
	int rc;

	metadata = path_join(arena, directory, METADATA_DIRECTORY);
	if (!metadata)
		return error_set(err, ERROR_NO_MEMORY, "open table");
	if (!path_is_directory(metadata))
		return 0;
	rc = directory_list(metadata, arena, &names, &count, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		int64_t version = version_of_name(names[i]);
		int64_t other = foreign_version_of_name(names[i]);

		if (version > newest) {
			newest = version;
			out->path = path_join(arena, metadata, names[i]);
		}
		if (other > foreign) {
			foreign = other;
			same = 0;
		}
		if (other >= 0 && other == foreign)
			same++;
	}
	out->version = newest >= 0 ? newest : foreign;
	out->is_foreign = newest < 0;
	if (newest >= 0)
		return out->path ? 0 : error_set(err, ERROR_NO_MEMORY,
						 "open table");
	if (foreign < 0)
		return 0;
	if (same > 1)
		return choose_foreign(metadata, names, count, foreign, arena,
				      &out->path, err);
	for (size_t i = 0; i < count && !out->path; i++)
		if (foreign_version_of_name(names[i]) == foreign)
			out->path = path_join(arena, metadata, names[i]);
	return out->path ? 0 : error_set(err, ERROR_NO_MEMORY, "open table");
}

/* A hint that is a file name, as PyIceberg reads it. */
static int named_by_hint(const char *directory, const char *hint,
			 struct arena *arena, struct version_found *out,
			 struct error *err)
{
	const char *suffix = text_ends_with(hint, ".metadata.json")
				     ? "" : ".metadata.json";
	char *path;

	if (!*hint || strchr(hint, '/') || hint[0] == '.')
		return 0;
	path = arena_printf(arena, "%s/" METADATA_DIRECTORY "/%s%s",
			    directory, hint, suffix);
	if (!path)
		return error_set(err, ERROR_NO_MEMORY, "open table");
	if (!path_exists(path))
		return 0;
	out->path = path;
	out->version = version_of_name(path_basename(path));
	out->is_foreign = out->version < 0;
	if (out->is_foreign)
		out->version = foreign_version_of_name(path_basename(path));
	if (out->version < 0)
		out->version = 0;
	return 0;
}

/* What the hint leads to; out->path stays NULL if it is of no use. */
static int follow_hint(const char *directory, struct arena *arena,
		       struct version_found *out, struct error *err)
{
	struct text hint = TEXT_INIT;
	const char *rest;
	char *path;
	int rc;

	path = path_join(arena, directory, METADATA_DIRECTORY "/" HINT_NAME);
	if (!path)
		return error_set(err, ERROR_NO_MEMORY, "open table");
	if (input_file_read_all(path, HINT_BYTES_LIMIT, &hint, NULL) ||
	    !hint.length) {
		text_release(&hint);
		return 0;
	}
	hint.data[strcspn(hint.data, "\r\n")] = '\0';
	while (hint.data[0] && hint.data[strlen(hint.data) - 1] == ' ')
		hint.data[strlen(hint.data) - 1] = '\0';
	out->version = version_digits(hint.data, &rest);
	if (out->version >= 0 && !*rest)
		rc = version_find(directory, out->version, arena, &out->path,
				  err);
	else
		rc = named_by_hint(directory, hint.data, arena, out, err);
	text_release(&hint);
	return rc;
}

int version_newest(const char *directory, struct arena *arena,
		   struct version_found *out, struct error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = follow_hint(directory, arena, out, err);
	if (!rc && !out->path)
		rc = list_versions(directory, arena, out, err);
	if (rc || !out->path || out->is_foreign)
		return rc;
	for (;;) {
		char *path;

		rc = version_find(directory, out->version + 1, arena, &path,
				  err);
		if (rc || !path)
			return rc;
		out->path = path;
		out->version++;
	}
}
