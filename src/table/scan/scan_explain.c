/*
 * scan_explain.c - what a scan leaves out, in words
 *
 * Why:    who wonders why a statement is slow, or what it will cost, wants to
 *         see which condition rules out what, in files of each partition spec.
 * How:    the reasons that file_filter.c gave, counted per spec and column.
 *         Where few files are left, their row groups and pages are looked at
 *         as the streams will do it: Bloom filters and page indexes are read,
 *         rows are not.
 */
#include <inttypes.h>
#include "table/scan/scan_state.h"

/* Row groups that are looked into at the most. */
#define GROUP_LIMIT 64

static bool is_of_spec(const struct table_scan *scan, size_t file,
		       int32_t spec_id)
{
	const struct snapshot_files *files = scan->files;

	return files->manifests[files->files[file].manifest].spec_id ==
	       spec_id;
}

/* Files of a spec that one range ruled out for one reason. */
static void explain_range(const struct table_scan *scan, int32_t spec_id,
			  size_t range, enum prune_reason reason,
			  struct text *out)
{
	const char *column =
		scan->schema->columns[scan->ranges[range].column].name;
	size_t count = 0;

	for (size_t i = 0; i < scan->files->file_count; i++)
		count += scan->reasons[i] == reason &&
			 scan->reason_ranges[i] == range &&
			 is_of_spec(scan, i, spec_id);
	if (count)
		text_addf(out, ", %zu ruled out by %s of %s", count,
			  reason == PRUNE_PARTITION ? "partition" : "bounds",
			  column);
}

static void add_fields(const struct partition_spec *spec, struct text *out)
{
	text_addf(out, "  spec %d (", (int)spec->spec_id);
	if (!spec->field_count)
		text_add_str(out, "unpartitioned");
	for (size_t i = 0; i < spec->field_count; i++)
		text_addf(out, "%s%s", i ? ", " : "", spec->fields[i].name);
	text_add_str(out, "): ");
}

static size_t files_of_spec(const struct table_scan *scan, int32_t spec_id)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->files->file_count; i++)
		count += is_of_spec(scan, i, spec_id);
	return count;
}

static void explain_ranges(const struct table_scan *scan, int32_t spec_id,
			   struct text *out)
{
	for (size_t i = 0; i < scan->range_count; i++) {
		explain_range(scan, spec_id, i, PRUNE_PARTITION, out);
		explain_range(scan, spec_id, i, PRUNE_BOUNDS, out);
	}
	text_add_char(out, '\n');
}

/* One line, and one more a spec; an unpartitioned table has one spec. */
static void explain_files(const struct table_scan *scan, struct text *out)
{
	const struct table_metadata *metadata = scan->files->metadata;
	bool is_plain = true;
	int32_t last = metadata->default_spec_id;

	text_addf(out, "files: %zu of %zu to read", scan->file_count,
		  scan->files->file_count);
	for (size_t i = 0; i < metadata->spec_count; i++) {
		const struct partition_spec *spec = &metadata->specs[i];

		if (!files_of_spec(scan, spec->spec_id))
			continue;
		is_plain = is_plain && !spec->field_count;
		last = spec->spec_id;
	}
	if (is_plain) {
		explain_ranges(scan, last, out);
		return;
	}
	text_add_char(out, '\n');
	for (size_t i = 0; i < metadata->spec_count; i++) {
		const struct partition_spec *spec = &metadata->specs[i];
		size_t all = files_of_spec(scan, spec->spec_id), left = 0;

		if (!all)
			continue;
		for (size_t k = 0; k < scan->file_count; k++)
			left += is_of_spec(scan, scan->scan_files[k].index,
					   spec->spec_id);
		add_fields(spec, out);
		text_addf(out, "%zu of %zu files to read", left, all);
		explain_ranges(scan, spec->spec_id, out);
	}
}

/* Manifests of other partitions are not even opened. */
static void explain_manifests(const struct table_scan *scan, struct text *out)
{
	const struct snapshot_files *files = scan->files;
	size_t count = 0, left = 0;

	for (size_t m = 0; m < files->manifest_count; m++) {
		if (files->manifests[m].is_deletes)
			continue;
		count++;
		left += scan->manifest_ranges[m] == RANGE_NONE;
	}
	if (left < count)
		text_addf(out, "manifests: %zu of %zu to read\n", left,
			  count);
}

/* What the streams will find in a row group. */
static int look_into(struct table_scan *scan, struct scan_file *file,
		     size_t group, bool *kept, struct error *err)
{
	uint64_t rows = parquet_row_group_rows(file->reader, group);
	size_t spans = (size_t)((rows + BATCH_ROW_COUNT - 1) /
				BATCH_ROW_COUNT);
	uint64_t *bits;
	int rc;

	*kept = true;
	rc = value_filter(scan, file, group, kept, err);
	if (rc || !*kept || !spans)
		return rc;
	bits = mem_zalloc_array(BITMAP_WORDS(spans), sizeof(*bits));
	if (!bits)
		return error_set(err, ERROR_NO_MEMORY, "explain");
	bits_set_range(bits, 0, spans);
	rc = page_filter(scan, file, group, bits, spans, err);
	mem_free(bits);
	return rc;
}

static int look_into_groups(struct table_scan *scan, size_t *left,
			    struct error *err)
{
	int rc = 0;

	*left = scan->task_count;
	for (size_t i = 0; !rc && i < scan->task_count; i++) {
		const struct scan_task *task = &scan->tasks[i];
		bool kept = true;

		if (!task->planned || scan->task_count > GROUP_LIMIT)
			continue;
		rc = scan_file_open(scan, &scan->scan_files[task->file],
				    false, err);
		if (!rc)
			rc = look_into(scan, &scan->scan_files[task->file],
				       task->first_group, &kept, err);
		*left -= !kept;
	}
	return rc;
}

int table_scan_explain(struct table_scan *scan, struct text *out,
		       struct error *err)
{
	struct target_scan_stats stats;
	size_t left;
	int rc = look_into_groups(scan, &left, err);

	if (rc)
		return rc;
	table_scan_stats(scan, &stats);
	explain_manifests(scan, out);
	explain_files(scan, out);
	text_addf(out, "row groups: %zu to read", left);
	if (stats.row_groups_pruned)
		text_addf(out, ", %" PRIu64 " ruled out by statistics",
			  stats.row_groups_pruned);
	if (scan->groups_bloomed)
		text_addf(out, ", %" PRIu64 " by Bloom filters",
			  (uint64_t)scan->groups_bloomed);
	if (scan->groups_unlisted)
		text_addf(out, ", %" PRIu64 " by dictionaries",
			  (uint64_t)scan->groups_unlisted);
	if (stats.pages_pruned)
		text_addf(out, "\npages: %" PRIu64 " ruled out",
			  stats.pages_pruned);
	text_add_char(out, '\n');
	return out->failed ? error_set(err, ERROR_NO_MEMORY, "explain") : 0;
}
