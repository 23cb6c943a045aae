/*
 * table_history.c - what each version did
 *
 * Why:    `log` and whoever looks for a version want one line per version,
 *         of other engines' commits too.
 * How:    our versions are in the commit log. For each of the others its
 *         metadata file, if it is still there, is compared with the one
 *         before: which snapshot is current, and was it there already.
 * Cost:   one read for all of our versions, one parse per foreign one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "table/table_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "history of a table");
}

/* A whole number of the summary, -1 if there is none. */
static int64_t summary_number(const struct snapshot *snapshot,
			      const char *key)
{
	const char *value = snapshot_summary(snapshot, key);
	int64_t number;

	if (!value || parse_int64(value, strlen(value), &number) || number < 0)
		return -1;
	return number;
}

/* Live rows after the snapshot: unknown with equality deletes. */
static int64_t live_rows(const struct table_metadata *metadata,
			 int64_t snapshot_id)
{
	const struct snapshot *snapshot;
	int64_t rows, positions;

	if (snapshot_id < 0)
		return 0;
	snapshot = metadata_snapshot(metadata, snapshot_id);
	if (!snapshot || summary_number(snapshot, "total-equality-deletes") > 0)
		return -1;
	rows = summary_number(snapshot, "total-records");
	positions = summary_number(snapshot, "total-position-deletes");
	if (positions > 0)
		rows -= positions;
	return rows < 0 ? -1 : rows;
}

static void describe_ours(const struct table_metadata *metadata,
			  const struct commit_record *record,
			  struct table_version *out)
{
	out->version = record->version;
	out->parent = record->parent;
	out->time_ms = record->time_ms;
	out->snapshot_id = record->snapshot_id;
	out->operation = record->operation;
	out->is_ours = true;
	out->rows_inserted = (int64_t)record->rows_inserted;
	out->rows_updated = (int64_t)record->rows_updated;
	out->rows_deleted = (int64_t)record->rows_deleted;
	out->total_rows = live_rows(metadata, record->snapshot_id);
}

/* What another engine's snapshot says of its rows. */
static void describe_snapshot(const struct snapshot *snapshot,
			      struct table_version *out)
{
	const char *operation = snapshot_summary(snapshot, "operation");
	int64_t added = summary_number(snapshot, "added-records");

	out->operation = operation ? operation : "data";
	if (!strcmp(out->operation, "append")) {
		out->rows_inserted = added < 0 ? 0 : added;
		out->rows_updated = 0;
		out->rows_deleted = 0;
	} else if (!strcmp(out->operation, "replace")) {
		out->rows_inserted = 0;
		out->rows_updated = 0;
		out->rows_deleted = 0;
	}
}

/* The newest version before it that had the snapshot; 0 = none. */
static int64_t version_with(const struct table_version *versions,
			    size_t count, int64_t snapshot_id)
{
	for (size_t i = count; i-- > 0;)
		if (versions[i].snapshot_id == snapshot_id)
			return versions[i].version;
	return 0;
}

static void describe_foreign(const struct table_metadata *metadata,
			     const struct table_metadata *newest,
			     struct table_version *versions, size_t count)
{
	struct table_version *out = &versions[count];
	const struct table_version *before = count ? &versions[count - 1]
						   : NULL;
	const struct snapshot *snapshot;
	int64_t earlier;

	out->time_ms = metadata->last_updated_ms;
	out->snapshot_id = metadata->current_snapshot_id;
	out->parent = out->version - 1;
	out->rows_inserted = out->rows_updated = out->rows_deleted = -1;
	out->total_rows = live_rows(metadata, out->snapshot_id);
	out->operation = before ? "meta" : "create";
	snapshot = metadata_snapshot(newest, out->snapshot_id);
	if (out->snapshot_id < 0 || !snapshot ||
	    (before && before->snapshot_id == out->snapshot_id)) {
		out->rows_inserted = out->rows_updated = 0;
		out->rows_deleted = 0;
		return;
	}
	earlier = version_with(versions, count, out->snapshot_id);
	if (earlier) {
		out->operation = "restore";
		out->parent = earlier;
		return;
	}
	describe_snapshot(snapshot, out);
}

/* The version's own metadata, or NULL if it is gone. */
static int load_version(const struct catalog_table *catalog, int64_t version,
			struct catalog_table **out, struct error *err)
{
	int rc = catalog_open(out, catalog->directory, version, err);

	return rc == ERROR_NO_MEMORY ? rc : 0;
}

/* One version that the log does not know; *known false: nobody does. */
static int add_foreign(struct table *table, struct table_version *versions,
		       size_t count, bool *known, struct error *err)
{
	struct catalog_table *catalog = table->catalog;
	struct catalog_table *loaded = NULL;
	int rc;

	*known = true;
	if (versions[count].version == catalog->version && !catalog->is_past) {
		describe_foreign(catalog->metadata, catalog->metadata,
				 versions, count);
		return 0;
	}
	rc = load_version(catalog, versions[count].version, &loaded, err);
	*known = loaded != NULL;
	if (loaded)
		describe_foreign(loaded->metadata, catalog->metadata,
				 versions, count);
	catalog_table_free(loaded);
	return rc;
}

/* All versions, oldest first. */
static int collect(struct table *table, const struct commit_record *records,
		   size_t record_count, struct table_version *versions,
		   size_t *count, struct error *err)
{
	int64_t newest = table->catalog->version;
	size_t next = 0;
	int rc = 0;

	for (int64_t v = 1; !rc && v <= newest; v++) {
		struct table_version *out = &versions[*count];
		bool known = true;

		memset(out, 0, sizeof(*out));
		out->version = v;
		while (next < record_count && records[next].version < v)
			next++;
		if (next < record_count && records[next].version == v)
			describe_ours(table->catalog->metadata,
				      &records[next], out);
		else
			rc = add_foreign(table, versions, *count, &known,
					 err);
		*count += known;
	}
	return rc;
}

int table_history(struct table *table, struct arena *arena,
		  struct table_version **out, size_t *count_out,
		  struct error *err)
{
	size_t limit = (size_t)table->catalog->version;
	struct table_version *versions = NULL;
	struct commit_record *records;
	size_t record_count, count = 0;
	int rc;

	*out = NULL;
	*count_out = 0;
	rc = commit_log_read(table->catalog, arena, &records, &record_count,
			     err);
	if (!rc) {
		versions = arena_zalloc_array(arena, limit + 1,
					      sizeof(*versions));
		rc = versions ? collect(table, records, record_count,
					versions, &count, err)
			      : no_memory(err);
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		versions[i].operation = arena_strdup(arena,
						     versions[i].operation);
		if (!versions[i].operation)
			return no_memory(err);
	}
	for (size_t i = 0; i < count / 2; i++) {
		struct table_version swap = versions[i];

		versions[i] = versions[count - 1 - i];
		versions[count - 1 - i] = swap;
	}
	*out = versions;
	*count_out = count;
	return 0;
}
