/*
 * record_log.c - the commit records of all versions
 *
 * Why:    `log`, conflict checks and backfills want the record of every
 *         version at once, without opening every metadata file.
 * How:    the newest record is a property of the metadata, so it appears with
 *         the version itself and needs no file and no sync of its own. The
 *         next commit, under the lock, moves it to the end of one log file
 *         and says in its own metadata how much of that file is valid. So a
 *         version and its log switch in one step, and what a failed commit
 *         appended lies behind the valid length and is cut by the next.
 *
 *         property	value
 *         rowmerge.commit	the record of the newest version of ours
 *         rowmerge.commit-log	"commits.jsonl:BYTES", the valid length of
 *			metadata/.rowmerge/log/commits.jsonl, which has one
 *			record a line, ascending, of all versions of ours
 *			before that one
 *
 * Cost:   one unsynced append of about 250 bytes a commit; reading is one
 *         read. Every SYNC_INTERVAL versions the file is synced.
 * Limits: a crash of the machine may lose lines that were not synced yet.
 *         They are found again in the metadata files of those versions, which
 *         are synced; these are looked at only if a line is missing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "table/catalog/catalog_file.h"

#define LOG_NAME "commits.jsonl"
#define LOG_BYTES_LIMIT ((size_t)1 << 30)
#define SYNC_INTERVAL 16

bool catalog_is_own_property(const char *key)
{
	return !strcmp(key, COMMIT_PROPERTY) ||
	       !strcmp(key, COMMIT_LOG_PROPERTY);
}

/* "NAME:BYTES" of the property; name points into arena, NULL = no log. */
static int log_place(const struct table_metadata *metadata,
		     struct arena *arena, char **name, uint64_t *length,
		     struct error *err)
{
	const char *value = metadata_property(metadata, COMMIT_LOG_PROPERTY);
	const char *colon = value ? strrchr(value, ':') : NULL;
	char *end;

	*name = NULL;
	*length = 0;
	if (!value)
		return 0;
	if (colon && colon != value && value[0] != '.' &&
	    !memchr(value, '/', (size_t)(colon - value)) &&
	    colon[1] >= '0' && colon[1] <= '9') {
		*length = strtoull(colon + 1, &end, 10);
		if (!*end && *length < LOG_BYTES_LIMIT)
			*name = arena_strndup(arena, value,
					      (size_t)(colon - value));
		else
			colon = NULL;
	} else {
		colon = NULL;
	}
	if (!colon)
		return error_set(err, ERROR_CORRUPT, "property "
				 COMMIT_LOG_PROPERTY " = '%s' names no log",
				 value);
	return *name ? 0 : error_set(err, ERROR_NO_MEMORY, "commit log");
}

static char *log_path(struct arena *arena, const char *directory,
		      const char *name)
{
	return arena_printf(arena, "%s/" LOG_DIRECTORY "/%s", directory,
			    name);
}

int commit_log_advance(const char *directory,
		       const struct catalog_table *base,
		       struct table_metadata *next,
		       const struct commit_record *record,
		       struct arena *arena, struct commit_log_step *out,
		       struct error *err)
{
	struct text text = TEXT_INIT;
	const char *newest = NULL;
	char *name = NULL;
	int rc = 0;

	if (base) {
		newest = metadata_property(base->metadata, COMMIT_PROPERTY);
		rc = log_place(base->metadata, arena, &name, &out->offset,
			       err);
	}
	if (rc)
		return rc;
	out->path = log_path(arena, directory, name ? name : LOG_NAME);
	out->sync = record->version % SYNC_INTERVAL == 0;
	if (!out->path)
		return error_set(err, ERROR_NO_MEMORY, "commit log");
	if (newest) {
		text_add_str(&out->line, newest);
		text_add_char(&out->line, '\n');
	}
	rc = commit_record_format(record, &text, err);
	if (!rc)
		rc = metadata_set_property(next, COMMIT_PROPERTY, text.data,
					   err);
	text_reset(&text);
	text_addf(&text, "%s:%" PRIu64, name ? name : LOG_NAME,
		  out->offset + out->line.length);
	if (!rc && (text.failed || out->line.failed))
		rc = error_set(err, ERROR_NO_MEMORY, "commit log");
	if (!rc)
		rc = metadata_set_property(next, COMMIT_LOG_PROPERTY,
					   text.data, err);
	text_release(&text);
	return rc;
}

struct record_list {
	struct commit_record *records;
	size_t count;
	size_t capacity;
	bool damaged;		/* a line is no record */
};

static int add_record(struct record_list *list,
		      const struct commit_record *record, struct error *err)
{
	if (!mem_grow((void **)&list->records, &list->capacity, list->count,
		      sizeof(*list->records)))
		return error_set(err, ERROR_NO_MEMORY, "commit log");
	list->records[list->count++] = *record;
	return 0;
}

/* Lines of the log up to its valid length; bad ones are only noted. */
static int read_lines(char *data, size_t length, int64_t version,
		      struct arena *arena, struct record_list *list,
		      struct error *err)
{
	char *line = data, *end = data + length;

	while (line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));
		struct commit_record record;
		int rc;

		if (!stop)
			stop = end;
		*stop = '\0';
		rc = commit_record_parse(line, (size_t)(stop - line), arena,
					 &record, err);
		if (rc == ERROR_NO_MEMORY)
			return rc;
		if (rc || (list->count &&
			   record.version <=
			   list->records[list->count - 1].version))
			list->damaged = true;
		else if (record.version <= version)
			rc = add_record(list, &record, err);
		if (rc == ERROR_NO_MEMORY)
			return rc;
		line = stop + 1;
	}
	return 0;
}

static int read_file(const struct catalog_table *table, struct arena *arena,
		     struct record_list *list, struct error *err)
{
	struct text bytes = TEXT_INIT;
	uint64_t length;
	char *name, *path;
	int rc;

	rc = log_place(table->metadata, arena, &name, &length, err);
	if (rc || !name)
		return rc;
	path = log_path(arena, table->directory, name);
	if (!path)
		return error_set(err, ERROR_NO_MEMORY, "commit log");
	if (!path_exists(path)) {
		list->damaged = length > 0;
		return 0;
	}
	rc = input_file_read_all(path, LOG_BYTES_LIMIT, &bytes, err);
	if (!rc && bytes.length < length) {
		list->damaged = true;
		length = bytes.length;
	}
	if (!rc && length)
		rc = read_lines(bytes.data, (size_t)length, table->version,
				arena, list, err);
	text_release(&bytes);
	return rc;
}

/* The record that the metadata carries; none if it is not to be had. */
static int read_property(const struct table_metadata *metadata,
			 struct arena *arena, struct commit_record *out,
			 bool *found, struct error *err)
{
	const char *value = metadata_property(metadata, COMMIT_PROPERTY);
	char *copy;
	int rc;

	*found = false;
	if (!value)
		return 0;
	copy = arena_strdup(arena, value);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "commit log");
	rc = commit_record_parse(copy, strlen(copy), arena, out, err);
	*found = rc == 0;
	return rc == ERROR_NO_MEMORY ? rc : 0;
}

static bool has_record(const struct record_list *list, size_t count,
		       int64_t version)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->records[middle].version < version)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && list->records[low].version == version;
}

static int compare_versions(const void *a, const void *b)
{
	const struct commit_record *x = a, *y = b;

	return (x->version > y->version) - (x->version < y->version);
}

/* Lines are missing: look into the metadata files of those versions. */
static int recover(const struct catalog_table *table, struct arena *arena,
		   struct record_list *list, struct error *err)
{
	size_t known = list->count;
	int rc = 0;

	for (int64_t v = 1; !rc && v < table->version; v++) {
		struct table_metadata *metadata;
		struct commit_record record;
		bool found;
		char *path;

		if (has_record(list, known, v))
			continue;
		rc = version_find(table->directory, v, arena, &path, err);
		if (rc || !path || metadata_file_load(path, &metadata, NULL))
			continue;
		rc = read_property(metadata, arena, &record, &found, err);
		table_metadata_free(metadata);
		if (!rc && found && record.version == v)
			rc = add_record(list, &record, err);
	}
	if (list->count)
		qsort(list->records, list->count, sizeof(*list->records),
		      compare_versions);
	return rc;
}

int commit_log_read(const struct catalog_table *table, struct arena *arena,
		    struct commit_record **out, size_t *count_out,
		    struct error *err)
{
	struct record_list list = { NULL, 0, 0, false };
	struct commit_record newest;
	bool found = false;
	int rc;

	*out = NULL;
	*count_out = 0;
	rc = read_file(table, arena, &list, err);
	if (!rc && list.damaged)
		rc = recover(table, arena, &list, err);
	if (!rc)
		rc = read_property(table->metadata, arena, &newest, &found,
				   err);
	if (!rc && found && newest.version <= table->version &&
	    !has_record(&list, list.count, newest.version))
		rc = add_record(&list, &newest, err);
	if (!rc) {
		*out = arena_copy(arena, list.records,
				  list.count * sizeof(*list.records));
		*count_out = list.count;
		if (!*out)
			rc = error_set(err, ERROR_NO_MEMORY, "commit log");
	}
	mem_free(list.records);
	return rc;
}
