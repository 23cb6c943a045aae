/*
 * metadata_expire.c - snapshots taken out of table metadata
 *
 * Why:    a snapshot is referred to from its log and from statistics, which
 *         are among the members that we only carry (`extra`).
 * How:    the log stays contiguous: what is older than the last entry of a
 *         removed snapshot goes too (iceberg.md 4.1). The statistics lists are
 *         rebuilt item by item, the items as they stood.
 */
#include <inttypes.h>
#include "iceberg/metadata_json.h"

struct removal {
	const int64_t *ids;
	size_t count;
};

static bool is_removed(const struct removal *removal, int64_t id)
{
	for (size_t i = 0; i < removal->count; i++)
		if (removal->ids[i] == id)
			return true;
	return false;
}

static int check_removal(const struct table_metadata *m,
			 const struct removal *removal, struct error *err)
{
	for (size_t i = 0; i < m->ref_count; i++)
		if (is_removed(removal, m->refs[i].snapshot_id))
			return error_set(err, ERROR_INTERNAL,
				"removing snapshot %" PRId64 " of ref \"%s\"",
				m->refs[i].snapshot_id, m->refs[i].name);
	if (is_removed(removal, m->current_snapshot_id))
		return error_set(err, ERROR_INTERNAL,
				 "removing the current snapshot");
	return 0;
}

/* The snapshot of one statistics entry; -1 if it names none. */
static int64_t entry_snapshot(struct byte_view entry)
{
	char *copy = mem_strndup((const char *)entry.data, entry.length);
	struct json_reader json;
	int64_t id = -1;
	const char *key;

	if (!copy)
		return -1;
	json_reader_init(&json, copy, entry.length);
	json_begin_object(&json);
	while ((key = json_next_key(&json)))
		if (!strcmp(key, "snapshot-id"))
			id = json_int64(&json);
		else
			json_skip(&json);
	mem_free(copy);
	return id;
}

static void filter_list(struct json_reader *json,
			const struct removal *removal, struct text *out)
{
	bool first = true;

	text_add_char(out, '[');
	json_begin_array(json);
	while (json_next_item(json)) {
		struct byte_view entry = json_raw(json);

		if (json->problem ||
		    is_removed(removal, entry_snapshot(entry)))
			continue;
		if (!first)
			text_add_char(out, ',');
		first = false;
		text_add(out, entry.data, entry.length);
	}
	text_add_char(out, ']');
}

/* The members of `extra`, without statistics of removed snapshots. */
static int filter_extra(const char *extra, const struct removal *removal,
			struct text *out, struct error *err)
{
	struct text whole = TEXT_INIT;
	struct json_reader json;
	const char *key;
	int rc;

	if (!text_addf(&whole, "{%s}", extra))
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	json_reader_init(&json, whole.data, whole.length);
	json_begin_object(&json);
	while ((key = json_next_key(&json))) {
		struct byte_view raw;
		bool is_list = json_peek(&json) == JSON_ARRAY;

		if (out->length)
			text_add_char(out, ',');
		add_json_string(out, key);
		text_add_char(out, ':');
		if (is_list && (!strcmp(key, "statistics") ||
				!strcmp(key, "partition-statistics"))) {
			filter_list(&json, removal, out);
			continue;
		}
		raw = json_raw(&json);
		text_add(out, raw.data, raw.length);
	}
	rc = json_finish(&json, "table metadata", err);
	text_release(&whole);
	if (!rc && out->failed)
		rc = error_set(err, ERROR_NO_MEMORY, "table metadata");
	return rc;
}

static void trim_log(struct table_metadata *m, const struct removal *removal)
{
	size_t from = 0;

	for (size_t i = 0; i < m->snapshot_log_count; i++)
		if (is_removed(removal, m->snapshot_log[i].snapshot_id))
			from = i + 1;
	m->snapshot_log += from;
	m->snapshot_log_count -= from;
}

int metadata_remove_snapshots(struct table_metadata *m, const int64_t *ids,
			      size_t count, struct error *err)
{
	const struct removal removal = { ids, count };
	struct text extra = TEXT_INIT;
	size_t kept = 0;
	char *copy = NULL;
	int rc;

	rc = check_removal(m, &removal, err);
	if (!rc && m->extra) {
		rc = filter_extra(m->extra, &removal, &extra, err);
		if (!rc) {
			copy = arena_strndup(&m->arena,
					     extra.data ? extra.data : "",
					     extra.length);
			if (!copy)
				rc = error_set(err, ERROR_NO_MEMORY,
					       "table metadata");
		}
		text_release(&extra);
	}
	if (rc)
		return rc;
	if (copy)
		m->extra = copy;
	for (size_t i = 0; i < m->snapshot_count; i++)
		if (!is_removed(&removal, m->snapshots[i].snapshot_id))
			m->snapshots[kept++] = m->snapshots[i];
	m->snapshot_count = kept;
	trim_log(m, &removal);
	return 0;
}
