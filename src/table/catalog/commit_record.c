/*
 * commit_record.c - one commit record as a line of JSON
 *
 * Why:    histories, conflict checks and backfills must know what each version
 *         did, which Iceberg's metadata does not tell.
 * How:    one object, short member names of concurrency.md; what has its
 *         default is left out. Members that are not known are skipped, so a
 *         later rowmerge may add some.
 */
#include <inttypes.h>
#include <stdio.h>
#include "table/catalog/catalog_file.h"

static void add_string(struct text *out, const char *key, const char *value)
{
	text_addf(out, ",\"%s\":", key);
	text_add_json(out, value, strlen(value));
}

static void add_number(struct text *out, const char *key, int64_t value)
{
	text_addf(out, ",\"%s\":%" PRId64, key, value);
}

int commit_record_format(const struct commit_record *record,
			 struct text *out, struct error *err)
{
	text_addf(out, "{\"version\":%" PRId64, record->version);
	add_string(out, "uuid", record->uuid);
	add_string(out, "kind", record->kind ? record->kind : "meta");
	add_string(out, "op", record->operation ? record->operation : "");
	add_number(out, "base", record->base);
	add_number(out, "parent", record->parent);
	if (record->snapshot_id >= 0)
		add_number(out, "snapshot", record->snapshot_id);
	add_number(out, "schema", record->schema_id);
	add_number(out, "time", record->time_ms);
	if (record->is_blind)
		text_add_str(out, ",\"blind\":true");
	if (record->deletes_only)
		text_add_str(out, ",\"deletes-only\":true");
	if (record->read_scope)
		add_string(out, "read-scope", record->read_scope);
	if (record->rows_inserted)
		add_number(out, "inserted", (int64_t)record->rows_inserted);
	if (record->rows_updated)
		add_number(out, "updated", (int64_t)record->rows_updated);
	if (record->rows_deleted)
		add_number(out, "deleted", (int64_t)record->rows_deleted);
	if (!text_add_char(out, '}') || out->failed)
		return error_set(err, ERROR_NO_MEMORY, "commit record");
	return 0;
}

static const char *keep_string(struct json_reader *json, struct arena *arena,
			       bool *ok)
{
	char *copy = arena_strdup(arena, json_string(json));

	*ok = *ok && copy;
	return copy;
}

static uint64_t read_count(struct json_reader *json)
{
	int64_t count = json_int64(json);

	return count > 0 ? (uint64_t)count : 0;
}

static void read_member(struct json_reader *json, const char *key,
			struct commit_record *out, struct arena *arena,
			bool *ok)
{
	if (!strcmp(key, "version"))
		out->version = json_int64(json);
	else if (!strcmp(key, "uuid"))
		snprintf(out->uuid, sizeof(out->uuid), "%s",
			 json_string(json));
	else if (!strcmp(key, "kind"))
		out->kind = keep_string(json, arena, ok);
	else if (!strcmp(key, "op"))
		out->operation = keep_string(json, arena, ok);
	else if (!strcmp(key, "base"))
		out->base = json_int64(json);
	else if (!strcmp(key, "parent"))
		out->parent = json_int64(json);
	else if (!strcmp(key, "snapshot"))
		out->snapshot_id = json_int64(json);
	else if (!strcmp(key, "schema"))
		out->schema_id = json_int32(json);
	else if (!strcmp(key, "time"))
		out->time_ms = json_int64(json);
	else if (!strcmp(key, "blind"))
		out->is_blind = json_boolean(json);
	else if (!strcmp(key, "deletes-only"))
		out->deletes_only = json_boolean(json);
	else if (!strcmp(key, "read-scope"))
		out->read_scope = keep_string(json, arena, ok);
	else if (!strcmp(key, "inserted"))
		out->rows_inserted = read_count(json);
	else if (!strcmp(key, "updated"))
		out->rows_updated = read_count(json);
	else if (!strcmp(key, "deleted"))
		out->rows_deleted = read_count(json);
	else
		json_skip(json);
}

int commit_record_parse(char *text, size_t length, struct arena *arena,
			struct commit_record *out, struct error *err)
{
	struct json_reader json;
	const char *key;
	bool ok = true;
	int rc;

	memset(out, 0, sizeof(*out));
	out->snapshot_id = -1;
	out->schema_id = -1;
	out->kind = "meta";
	out->operation = "";
	json_reader_init(&json, text, length);
	json_begin_object(&json);
	while ((key = json_next_key(&json)))
		read_member(&json, key, out, arena, &ok);
	rc = json_finish(&json, "commit record", err);
	if (!rc && !ok)
		rc = error_set(err, ERROR_NO_MEMORY, "commit record");
	if (!rc && out->version <= 0)
		rc = error_set(err, ERROR_CORRUPT,
			       "a commit record without a version");
	return rc;
}
