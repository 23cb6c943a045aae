/*
 * table_scan.c - what a scan reads: files, row groups, tasks
 *
 * Why:    streams share out the row groups that are left after pruning, and a
 *         unit of work must be the same for any number of streams.
 * How:    files are pruned by partition and column bounds at once. Where few
 *         are left their footers are read here and row groups are pruned too;
 *         where there are many each file is opened by the first stream that
 *         takes a task of it, and its tasks come from the split offsets of
 *         the manifest. Tasks are numbered in file order and taken by an
 *         atomic counter. A file is closed after its last task.
 * Limits: a file without split offsets that is not opened here is one task.
 */
#include <inttypes.h>
#include "table/scan/scan_state.h"

/* Up to so many files are opened when the scan is planned. */
#define OPEN_LIMIT 16

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "scan of a table");
}

/* The list of a range with its bytes, in the scan's arena. */
static int copy_values(struct table_scan *scan, struct column_range *out,
		       struct error *err)
{
	const struct vector *from = out->values;
	struct vector *copy = arena_zalloc(&scan->arena, sizeof(*copy));
	size_t width = type_width(&from->type);

	if (!copy)
		return no_memory(err);
	vector_init(copy, from->type);
	copy->data = arena_copy(&scan->arena, from->data,
				out->value_count * width);
	if (!copy->data)
		return no_memory(err);
	copy->count = out->value_count;
	for (size_t i = 0; type_is_bytes(&copy->type) && i < copy->count;
	     i++) {
		struct byte_view *view = &vector_bytes(copy)[i];
		uint8_t *bytes = arena_alloc_bytes(&scan->arena,
						   view->length);

		if (!bytes)
			return no_memory(err);
		if (view->length)
			memcpy(bytes, view->data, view->length);
		view->data = bytes;
	}
	out->values = copy;
	return 0;
}

static int copy_range(struct table_scan *scan, struct column_range *out,
		      const struct column_range *range, struct error *err)
{
	int rc = 0;

	*out = *range;
	if (range->has_min)
		rc = literal_copy(&out->min, &range->min, &scan->arena, err);
	if (!rc && range->has_max)
		rc = literal_copy(&out->max, &range->max, &scan->arena, err);
	if (!rc && range->values)
		rc = copy_values(scan, out, err);
	return rc;
}

static int copy_request(struct table_scan *scan,
			const struct target_scan_request *request,
			struct error *err)
{
	int rc = 0;

	scan->columns = arena_copy(&scan->arena, request->columns,
				   request->column_count * sizeof(size_t));
	scan->ranges = arena_zalloc_array(&scan->arena,
					  request->range_count + 1,
					  sizeof(*scan->ranges));
	if (!scan->columns || !scan->ranges)
		return no_memory(err);
	scan->column_count = request->column_count;
	for (size_t i = 0; i < scan->column_count; i++)
		if (scan->columns[i] >= scan->schema->column_count)
			return error_set(err, ERROR_INTERNAL,
					 "scan of column %zu",
					 scan->columns[i]);
	for (size_t i = 0; !rc && i < request->range_count; i++) {
		if (request->ranges[i].column >= scan->schema->column_count)
			continue;
		rc = copy_range(scan, &scan->ranges[scan->range_count++],
				&request->ranges[i], err);
	}
	return rc;
}

/* Read the manifests that matter; the others are ruled out by a range. */
static int choose_manifests(struct table_scan *scan, struct error *err)
{
	struct snapshot_files *files = scan->files;
	bool *wanted = arena_zalloc_array(&scan->arena,
					  files->manifest_count + 1,
					  sizeof(*wanted));
	int rc = 0;

	scan->manifest_ranges = arena_zalloc_array(
		&scan->arena, files->manifest_count + 1, sizeof(uint16_t));
	if (!wanted || !scan->manifest_ranges)
		return no_memory(err);
	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		size_t range;

		scan->manifest_ranges[m] = RANGE_NONE;
		wanted[m] = !files->manifests[m].is_deletes;
		if (!wanted[m])
			continue;
		rc = manifest_filter(scan, m, &wanted[m], &range, err);
		if (!rc && !wanted[m])
			scan->manifest_ranges[m] = (uint16_t)(
				range < RANGE_NONE ? range : RANGE_NONE - 1);
	}
	if (!rc)
		rc = snapshot_files_read(files, scan->range_count ? wanted
								  : NULL,
					 err);
	return rc;
}

static int make_lists(struct table_scan *scan, size_t only, struct error *err)
{
	const struct snapshot_files *files = scan->files;
	size_t count = only != SIZE_MAX;

	for (size_t i = 0; only == SIZE_MAX && i < files->file_count; i++)
		count += scan->manifest_ranges[files->files[i].manifest] ==
			 RANGE_NONE;
	scan->scan_files = arena_zalloc_array(&scan->arena, count + 1,
					      sizeof(*scan->scan_files));
	scan->reasons = arena_zalloc_array(&scan->arena,
					   files->file_count + 1, 1);
	scan->reason_ranges = arena_zalloc_array(&scan->arena,
						 files->file_count + 1,
						 sizeof(uint16_t));
	return scan->scan_files && scan->reasons && scan->reason_ranges
		       ? 0 : no_memory(err);
}

/* Is the file of any use, and if not why? */
static int judge_file(struct table_scan *scan, size_t index,
		      enum prune_reason *reason, struct error *err)
{
	const struct snapshot_file *file = &scan->files->files[index];
	size_t range;
	int rc = 0;

	range = scan->manifest_ranges ? scan->manifest_ranges[file->manifest]
				      : RANGE_NONE;
	*reason = PRUNE_PARTITION;
	if (range == RANGE_NONE)
		rc = file_filter(scan, file, reason, &range, err);
	scan->reasons[index] = (uint8_t)*reason;
	scan->reason_ranges[index] = (uint16_t)range;
	return rc;
}

static int choose_files(struct table_scan *scan, size_t only,
			struct error *err)
{
	struct snapshot_files *files = scan->files;
	int rc = 0;

	if (only == SIZE_MAX)
		rc = choose_manifests(scan, err);
	if (!rc)
		rc = make_lists(scan, only, err);
	for (size_t i = 0; !rc && i < files->file_count; i++) {
		struct scan_file *file = &scan->scan_files[scan->file_count];
		const struct manifest_entry *entry = files->files[i].entry;
		enum prune_reason reason;

		if (only != SIZE_MAX && i != only)
			continue;
		if (entry && entry->file.record_count == 0)
			continue;
		rc = judge_file(scan, i, &reason, err);
		if (rc)
			break;
		if (reason != PRUNE_NOT) {
			scan->files_pruned++;
			continue;
		}
		if (pthread_mutex_init(&file->lock, NULL))
			return no_memory(err);
		file->file = &files->files[i];
		file->index = i;
		scan->file_count++;
	}
	return rc;
}

static int add_task(struct table_scan *scan, struct scan_task added,
		    struct error *err)
{
	if (!mem_grow((void **)&scan->tasks, &scan->task_capacity,
		      scan->task_count, sizeof(*scan->tasks)))
		return no_memory(err);
	scan->tasks[scan->task_count++] = added;
	scan->scan_files[added.file].tasks_left++;
	return 0;
}

/* One task per row group that may match; the footer is at hand then. */
static int plan_open_file(struct table_scan *scan, size_t index,
			  struct error *err)
{
	struct scan_file *file = &scan->scan_files[index];
	size_t groups;
	int rc;

	rc = scan_file_open(scan, file, false, err);
	if (rc)
		return rc;
	groups = parquet_row_group_count(file->reader);
	for (size_t g = 0; !rc && g < groups; g++) {
		bool may_match = true;

		rc = group_filter(scan, file, g, &may_match, err);
		if (!rc && may_match) {
			struct scan_task task = { index, g, g + 1, true };

			rc = add_task(scan, task, err);
		} else if (!rc) {
			scan->groups_pruned++;
		}
	}
	if (!rc && !file->tasks_left)
		scan_file_close(file);
	return rc;
}

/* Tasks by what the manifest says of row groups; the last takes the rest. */
static int plan_closed_file(struct table_scan *scan, size_t index,
			    struct error *err)
{
	const struct data_file *file =
		&scan->scan_files[index].file->entry->file;
	size_t count = file->split_count;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		if (file->split_offsets[i] < 0 ||
		    file->split_offsets[i] >= file->file_size ||
		    (i && file->split_offsets[i] <=
			  file->split_offsets[i - 1])) {
			count = 0;
			break;
		}
	if (!count)
		count = 1;
	for (size_t i = 0; !rc && i < count; i++) {
		struct scan_task task = { index, i, i + 1, false };

		if (i + 1 == count)
			task.group_limit = SIZE_MAX;
		rc = add_task(scan, task, err);
	}
	return rc;
}

static int plan_tasks(struct table_scan *scan, struct error *err)
{
	bool open = scan->file_count <= OPEN_LIMIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < scan->file_count; i++) {
		rc = open ? plan_open_file(scan, i, err)
			  : plan_closed_file(scan, i, err);
	}
	return rc;
}

int table_scan_new(struct table_scan **out, struct snapshot_files *files,
		   const struct target_scan_request *request,
		   bool want_lineage, size_t only_file, struct error *err)
{
	struct table_scan *scan = mem_zalloc(sizeof(*scan));
	int rc;

	*out = NULL;
	if (!scan)
		return no_memory(err);
	arena_init(&scan->arena, 0);
	scan->files = files;
	scan->schema = files->schema;
	scan->want_lineage = want_lineage;
	rc = copy_request(scan, request, err);
	if (!rc)
		rc = name_map_parse(files->metadata, &scan->arena,
				    &scan->names, err);
	if (!rc)
		rc = choose_files(scan, only_file, err);
	if (!rc)
		rc = plan_tasks(scan, err);
	if (rc) {
		table_scan_free(scan);
		return rc;
	}
	*out = scan;
	return 0;
}

void table_scan_free(struct table_scan *scan)
{
	if (!scan)
		return;
	for (size_t i = 0; i < scan->file_count; i++) {
		scan_file_close(&scan->scan_files[i]);
		pthread_mutex_destroy(&scan->scan_files[i].lock);
	}
	mem_free(scan->tasks);
	arena_release(&scan->arena);
	mem_free(scan);
}

/* The file is what its manifest says; the lock is held. */
static int open_reader(struct table_scan *scan, struct scan_file *file,
		       struct error *err)
{
	const struct data_file *data = &file->file->entry->file;
	int rc;

	rc = scan_open_parquet(scan->files, data, &file->reader, err);
	if (rc)
		return rc;
	if (parquet_row_count(file->reader) == (uint64_t)data->record_count)
		return 0;
	rc = error_set(err, ERROR_CORRUPT, "file '%s' has %" PRIu64 " rows, "
		       "its manifest says %" PRId64,
		       parquet_reader_path(file->reader),
		       parquet_row_count(file->reader), data->record_count);
	parquet_reader_free(file->reader);
	file->reader = NULL;
	return rc;
}

int scan_file_open(struct table_scan *scan, struct scan_file *file,
		   bool with_deletes, struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&file->lock);
	if (!file->reader)
		rc = open_reader(scan, file, err);
	if (!rc && with_deletes && !file->counted) {
		file->counted = true;
		scan->files_scanned++;
	}
	if (!rc && with_deletes && !file->deletes_loaded) {
		rc = snapshot_file_deletes(scan->files, file->file,
					   &file->deletes, err);
		file->deletes_loaded = rc == 0;
	}
	pthread_mutex_unlock(&file->lock);
	return rc;
}

void scan_file_close(struct scan_file *file)
{
	parquet_reader_free(file->reader);
	roaring64_free(file->deletes);
	file->reader = NULL;
	file->deletes = NULL;
	file->deletes_loaded = false;
}

void scan_file_done(struct scan_file *file)
{
	pthread_mutex_lock(&file->lock);
	if (--file->tasks_left == 0)
		scan_file_close(file);
	pthread_mutex_unlock(&file->lock);
}

size_t table_scan_parallelism(const struct table_scan *scan)
{
	return scan->task_count ? scan->task_count : 1;
}

void table_scan_stats(const struct table_scan *scan,
		      struct target_scan_stats *out)
{
	out->files_scanned = scan->files_scanned;
	out->files_pruned = scan->files_pruned;
	out->row_groups_scanned = scan->groups_scanned;
	out->row_groups_pruned = scan->groups_pruned;
	out->pages_pruned = scan->pages_pruned;
	out->rows_scanned = scan->rows_scanned;
	out->bytes_read = scan->bytes_read;
}
