/*
 * commit_snapshot.c - manifest list, snapshot and next metadata
 *
 * Why:    other engines and `log` read what a commit did from the snapshot's
 *         summary; its totals must be there and exact.
 * How:    totals are counted from the live files where those were all read,
 *         else the summary of the version before is taken at its word, as
 *         others do; where it lacks one, all is read and counted, so that a
 *         table whose history lacks them gets them back. In format version 3 every
 *         data manifest without row numbers gets them here (iceberg.md 10).
 */
#include <inttypes.h>
#include "table/commit/commit_state.h"

#define SUMMARY_LIMIT 64

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "snapshot");
}

struct summary {
	struct key_value pairs[SUMMARY_LIMIT];
	size_t count;
	struct arena *arena;
	bool failed;
};

static void put_text(struct summary *summary, const char *key,
		     const char *value)
{
	struct key_value *pair = &summary->pairs[summary->count];

	if (summary->count == SUMMARY_LIMIT || !value) {
		summary->failed = true;
		return;
	}
	pair->key = (char *)key;
	pair->value = (char *)value;
	summary->count++;
}

static void put_total(struct summary *summary, const char *key,
		      int64_t value)
{
	put_text(summary, key, arena_printf(summary->arena, "%" PRId64,
					    value));
}

/* Increments of zero are left out. */
static void put_count(struct summary *summary, const char *key,
		      int64_t value)
{
	if (value)
		put_total(summary, key, value);
}

static const char *operation_of(const struct commit_attempt *attempt)
{
	const struct file_totals *added = &attempt->added;
	const struct file_totals *removed = &attempt->removed;
	bool loses = removed->data_files || removed->delete_files ||
		     added->delete_files;

	if (!loses)
		return "append";
	return added->data_files ? "overwrite" : "delete";
}

static void put_changes(struct summary *summary,
			const struct file_totals *added,
			const struct file_totals *removed)
{
	put_count(summary, "added-data-files", added->data_files);
	put_count(summary, "deleted-data-files", removed->data_files);
	put_count(summary, "added-delete-files", added->delete_files);
	put_count(summary, "removed-delete-files", removed->delete_files);
	put_count(summary, "added-position-delete-files",
		  added->position_delete_files);
	put_count(summary, "removed-position-delete-files",
		  removed->position_delete_files);
	put_count(summary, "removed-equality-delete-files",
		  removed->equality_delete_files);
	put_count(summary, "added-dvs", added->vectors);
	put_count(summary, "removed-dvs", removed->vectors);
	put_count(summary, "added-records", added->records);
	put_count(summary, "deleted-records", removed->records);
	put_count(summary, "added-files-size", added->bytes);
	put_count(summary, "removed-files-size", removed->bytes);
	put_count(summary, "added-position-deletes",
		  added->position_deletes);
	put_count(summary, "removed-position-deletes",
		  removed->position_deletes);
	put_count(summary, "removed-equality-deletes",
		  removed->equality_deletes);
}

static void count_totals(struct commit_attempt *attempt)
{
	const struct snapshot_files *files = attempt->files;

	memset(&attempt->before, 0, sizeof(attempt->before));
	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++)
			if (files->entries[m][i].status != ENTRY_DELETED)
				file_totals_add(&attempt->before,
						&files->entries[m][i].file);
}

/* A total that the summary says, and that is not less than what goes. */
static bool read_total(const struct snapshot *snapshot, const char *key,
		       int64_t removed, int64_t *out)
{
	const char *value = snapshot_summary(snapshot, key);

	return value && !parse_int64(value, strlen(value), out) &&
	       *out >= removed;
}

static bool read_totals(struct commit_attempt *attempt)
{
	const struct snapshot *snapshot =
		metadata_current_snapshot(attempt->head->metadata);
	const struct file_totals *removed = &attempt->removed;
	struct file_totals *out = &attempt->before;

	return snapshot &&
	       read_total(snapshot, "total-records", removed->records,
			  &out->records) &&
	       read_total(snapshot, "total-files-size", removed->bytes,
			  &out->bytes) &&
	       read_total(snapshot, "total-data-files", removed->data_files,
			  &out->data_files) &&
	       read_total(snapshot, "total-delete-files",
			  removed->delete_files, &out->delete_files) &&
	       read_total(snapshot, "total-position-deletes",
			  removed->position_deletes,
			  &out->position_deletes) &&
	       read_total(snapshot, "total-equality-deletes",
			  removed->equality_deletes,
			  &out->equality_deletes);
}

int attempt_totals(struct commit_attempt *attempt, struct error *err)
{
	int rc = 0;

	if (!snapshot_files_are_read(attempt->files)) {
		if (read_totals(attempt))
			return 0;
		rc = snapshot_files_read(attempt->files, NULL, err);
	}
	if (!rc)
		count_totals(attempt);
	return rc;
}

static void put_sum(struct summary *summary, const char *key,
		    int64_t before, int64_t added, int64_t removed)
{
	put_total(summary, key, count_add(before, added) - removed);
}

static void put_totals(struct summary *summary,
		       const struct file_totals *before,
		       const struct file_totals *added,
		       const struct file_totals *removed)
{
	put_sum(summary, "total-records", before->records, added->records,
		removed->records);
	put_sum(summary, "total-files-size", before->bytes, added->bytes,
		removed->bytes);
	put_sum(summary, "total-data-files", before->data_files,
		added->data_files, removed->data_files);
	put_sum(summary, "total-delete-files", before->delete_files,
		added->delete_files, removed->delete_files);
	put_sum(summary, "total-position-deletes", before->position_deletes,
		added->position_deletes, removed->position_deletes);
	put_sum(summary, "total-equality-deletes", before->equality_deletes,
		added->equality_deletes, removed->equality_deletes);
}

static int fill_summary(struct commit_attempt *attempt,
			struct summary *summary, struct error *err)
{
	const struct commit_options *options = attempt->options;

	put_text(summary, "operation", operation_of(attempt));
	put_changes(summary, &attempt->added, &attempt->removed);
	put_total(summary, "changed-partition-count", 1);
	put_totals(summary, &attempt->before, &attempt->added,
		   &attempt->removed);
	put_total(summary, "manifests-created", attempt->manifests_created);
	put_total(summary, "manifests-kept",
		  (int64_t)attempt->manifest_count -
			  attempt->manifests_created);
	put_total(summary, "manifests-replaced",
		  attempt->manifests_replaced);
	put_text(summary, "engine-name", "rowmerge");
	put_text(summary, "rowmerge.uuid", attempt->uuid);
	put_text(summary, "rowmerge.operation", options->operation);
	for (size_t i = 0; i < options->summary_count; i++)
		put_text(summary, options->summary[i].key,
			 options->summary[i].value);
	return summary->failed ? no_memory(err) : 0;
}

/* Row numbers for data manifests that have none; how many were given. */
static int number_rows(struct commit_attempt *attempt, int64_t first,
		       int64_t *given, struct error *err)
{
	int64_t next = first;

	for (size_t i = 0; i < attempt->manifest_count; i++) {
		struct manifest_file *manifest = &attempt->manifests[i];
		int64_t rows = count_add(manifest->added_rows,
					 manifest->existing_rows);

		if (manifest->is_deletes || manifest->first_row_id >= 0)
			continue;
		if (rows < 0 || rows > INT64_MAX - next)
			return error_set(err, ERROR_CORRUPT, "manifest '%s' "
					 "has %" PRId64 " rows",
					 manifest->path, rows);
		manifest->first_row_id = next;
		next += rows;
	}
	*given = next - first;
	return 0;
}

static int write_list(struct commit_attempt *attempt, int64_t first_row_id,
		      char **uri_out, struct error *err)
{
	const struct table_metadata *metadata = attempt->head->metadata;
	struct manifest_list_options options = {
		.format_version = metadata->format_version,
		.snapshot_id = attempt->snapshot_id,
		.parent_id = metadata->current_snapshot_id,
		.sequence_number = attempt->sequence_number,
		.first_row_id = first_row_id,
	};
	struct text bytes = TEXT_INIT;
	char *name = arena_printf(attempt->arena, "snap-%" PRId64 "-%u-%s.avro",
				  attempt->snapshot_id, attempt->number,
				  attempt->uuid);
	int rc = name ? 0 : no_memory(err);

	if (!rc)
		rc = manifest_list_format(attempt->manifests,
					  attempt->manifest_count, &options,
					  &bytes, err);
	if (!rc)
		rc = attempt_write(attempt, name, &bytes, uri_out, err);
	text_release(&bytes);
	return rc;
}

/* Not earlier than what is there: logs are read by time. */
static int64_t commit_time_ms(const struct commit_attempt *attempt)
{
	int64_t now = attempt->options->now_us / 1000;
	int64_t last = attempt->head->metadata->last_updated_ms;

	return now > last ? now : last;
}

int attempt_snapshot(struct commit_attempt *attempt,
		     struct table_metadata **next_out, struct error *err)
{
	const struct table_metadata *metadata = attempt->head->metadata;
	struct summary *summary;
	struct snapshot snapshot = {
		.snapshot_id = attempt->snapshot_id,
		.parent_id = metadata->current_snapshot_id,
		.sequence_number = attempt->sequence_number,
		.timestamp_ms = commit_time_ms(attempt),
		.schema_id = metadata->current_schema_id,
		.first_row_id = -1,
		.added_rows = -1,
	};
	int rc = 0;

	*next_out = NULL;
	summary = arena_zalloc(attempt->arena, sizeof(*summary));
	if (!summary)
		return no_memory(err);
	summary->arena = attempt->arena;
	if (metadata->format_version >= 3) {
		snapshot.first_row_id = metadata->next_row_id;
		rc = number_rows(attempt, snapshot.first_row_id,
				 &snapshot.added_rows, err);
	}
	if (!rc)
		rc = write_list(attempt, snapshot.first_row_id,
				&snapshot.manifest_list, err);
	if (!rc)
		rc = fill_summary(attempt, summary, err);
	if (rc)
		return rc;
	snapshot.summary = summary->pairs;
	snapshot.summary_count = summary->count;
	rc = table_metadata_copy(next_out, metadata, err);
	if (!rc)
		rc = metadata_add_snapshot(*next_out, &snapshot, err);
	if (rc) {
		table_metadata_free(*next_out);
		*next_out = NULL;
	}
	return rc;
}
