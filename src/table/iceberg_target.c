/*
 * iceberg_target.c - a table as the target that the engine merges into
 *
 * Why:    the engine knows targets by plan/target_ops.h alone.
 * How:    a handle pins the base version and holds the writers; scans and
 *         sinks pass through to table/scan and table/write; finish makes the
 *         fragments of all writers one version through table/commit. Until
 *         that has happened every file made carries the handle's uuid and is
 *         removed with the handle.
 */
#include <inttypes.h>
#include "table/commit/commit.h"
#include "table/fold.h"
#include "table/target_layout.h"
#include "table/table_state.h"
#include "table/target_evolve.h"
#include "table/write/write.h"

#define DEFAULT_WAIT_MS 10000
/* So many small files are folded at once (fold.h). */
#define FOLD_COUNT 4
#define BLIND_FOLD_COUNT 16
/* A commit into more partitions, with smaller files, warns. */
#define MANY_PARTITIONS 1000
#define SMALL_FILE_BYTES ((uint64_t)1 << 20)

struct iceberg_target {
	struct target target;		/* first: callers hold this */
	struct table *table;
	struct iceberg_target_options options;
	struct write_layout layout;	/* of new rows */
	size_t *layout_columns;
	struct target_evolution evolution;
};

struct merge_handle {
	struct iceberg_target *target;
	struct merge_begin_options begin;
	struct snapshot_files *files;
	struct write_context *context;
	struct catalog_pin *pin;
	struct uuid uuid;
};

/* The engine's names for what table/scan and table/write made. */
static struct target_scan *as_scan(struct table_scan *scan)
{
	return (struct target_scan *)scan;
}

static struct table_scan *of_scan(const struct target_scan *scan)
{
	return (struct table_scan *)scan;
}

static struct table_stream *of_stream(struct target_stream *stream)
{
	return (struct table_stream *)stream;
}

static struct change_writer *of_sink(struct merge_sink *sink)
{
	return (struct change_writer *)sink;
}

static struct iceberg_target *of_target(const struct target *target)
{
	return (struct iceberg_target *)target;
}

static const struct catalog_table *base_of(const struct iceberg_target *target)
{
	return table_catalog(target->table);
}

static const char *target_op_name(const struct target *target)
{
	return base_of(of_target(target))->directory;
}

static const struct schema *target_op_schema(const struct target *target)
{
	return table_schema(of_target(target)->table);
}

static int64_t target_op_next_version(const struct target *target)
{
	return base_of(of_target(target))->version + 1;
}

/* Asked for by many threads: made when the target is. */
static int take_layout(struct iceberg_target *self, struct error *err)
{
	size_t *columns;
	int rc = target_layout(base_of(self)->metadata, &columns,
			       &self->layout, err);

	mem_free(self->layout_columns);
	self->layout_columns = columns;
	return rc;
}

static int target_op_evolve(struct target *target,
			    const struct table_change *changes, size_t count,
			    struct error *err)
{
	struct iceberg_target *self = of_target(target);
	int rc = target_evolution_take(&self->evolution, self->table, changes,
				       count, err);

	return rc ? rc : take_layout(self, err);
}

static int target_op_row_id(struct target *target, struct row_id_column *out,
			    struct error *err)
{
	out->name = "_row";
	out->has_lineage =
		base_of(of_target(target))->metadata->format_version >= 3;
	return 0;
}

static int target_op_paradigm(struct target *target,
			      enum statement_kind statement,
			      enum row_change_paradigm *out,
			      struct error *err)
{
	static const char *const keys[] = {
		[STATEMENT_MERGE] = "write.merge.mode",
		[STATEMENT_UPDATE] = "write.update.mode",
		[STATEMENT_DELETE] = "write.delete.mode",
		[STATEMENT_INSERT] = "write.merge.mode",
	};
	const char *mode = metadata_property(
		base_of(of_target(target))->metadata, keys[statement]);

	/* Iceberg's default for a table that does not say */
	*out = mode && text_equal_nocase(mode, "merge-on-read")
		       ? DELETE_ROW_AND_INSERT_ROW
		       : CHANGE_ONLY_UPDATED_COLUMNS;
	return 0;
}

static int target_op_layout(struct target *target, struct write_layout *out,
			    struct error *err)
{
	*out = of_target(target)->layout;
	return 0;
}

/* May this version be written to at all? */
static int check_writable(const struct iceberg_target *target,
			  struct error *err)
{
	const struct catalog_table *base = base_of(target);
	int rc = catalog_check_writable(base, err);

	if (rc)
		return rc;
	if (base->metadata->format_version < 2) {
		error_set(err, ERROR_UNSUPPORTED, "the table in '%s' is of "
			  "format version 1, which is only read",
			  base->directory);
		return error_hint(err, "upgrade it to version 2 first");
	}
	return 0;
}

static void handle_free(struct merge_handle *handle)
{
	write_context_free(handle->context);
	catalog_pin_free(handle->pin);
	mem_free(handle);
}

static int target_op_begin(struct target *target,
			   const struct merge_begin_options *options,
			   struct merge_handle **out, struct error *err)
{
	struct iceberg_target *self = of_target(target);
	const struct catalog_table *base = base_of(self);
	struct write_options write = { 0 };
	struct merge_handle *handle;
	int rc;

	*out = NULL;
	rc = check_writable(self, err);
	if (rc)
		return rc;
	handle = mem_zalloc(sizeof(*handle));
	if (!handle)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	handle->target = self;
	handle->begin = *options;
	rc = uuid_random(&handle->uuid, err);
	if (!rc)
		rc = catalog_pin_take(&handle->pin, base, &handle->uuid, err);
	if (!rc)
		rc = table_files_open(self->table, &handle->files, err);
	write.directory = base->directory;
	write.metadata = base->metadata;
	write.files = handle->files;
	write.uuid = handle->uuid;
	write.paradigm = options->paradigm;
	write.updated_columns = options->updated_columns;
	write.is_blind = !options->reads_target;
	write.thread_count = options->thread_count;
	write.memory_bytes = options->memory_bytes;
	write.spill_directory = options->spill_directory;
	write.unsorted = options->unsorted;
	write.log = options->log;
	if (!rc)
		rc = write_context_new(&handle->context, &write, err);
	if (rc) {
		handle_free(handle);
		return rc;
	}
	*out = handle;
	return 0;
}

static struct target *handle_op_target(const struct merge_handle *handle)
{
	return &handle->target->target;
}

static uint64_t handle_op_row_limit(const struct merge_handle *handle)
{
	/* who asks before a scan asks of the whole table; the scan will meet
	 * the same failure */
	if (!handle->files->is_numbered)
		snapshot_files_read(handle->files, NULL, NULL);
	return handle->files->row_id_limit;
}

static int handle_op_row_count(const struct merge_handle *handle,
			       uint64_t *out, struct error *err)
{
	/* where that fails, what is counted is less, and guards stricter */
	snapshot_files_read(handle->files, NULL, NULL);
	*out = snapshot_live_rows(handle->files);
	return 0;
}

static int handle_op_describe(const struct merge_handle *handle,
			      uint64_t row_id, const char **file_out,
			      uint64_t *position_out)
{
	const struct snapshot_file *file =
		snapshot_files_find(handle->files, row_id);

	if (!file)
		return ERROR_INTERNAL;
	*file_out = file->entry->file.path;
	*position_out = row_id - file->first_row;
	return 0;
}

static int handle_op_scan(struct merge_handle *handle,
			  const struct target_scan_request *request,
			  struct target_scan **out, struct error *err)
{
	bool lineage =
		base_of(handle->target)->metadata->format_version >= 3;
	struct table_scan *scan;
	int rc;

	rc = table_scan_new(&scan, handle->files, request, lineage, SIZE_MAX,
			    err);
	*out = as_scan(scan);
	return rc;
}

static size_t scan_op_parallelism(const struct target_scan *scan)
{
	return table_scan_parallelism(of_scan(scan));
}

static int scan_op_stream(struct target_scan *scan,
			  struct target_stream **out, struct error *err)
{
	struct table_stream *stream;
	int rc = table_stream_new(&stream, of_scan(scan), err);

	*out = (struct target_stream *)stream;
	return rc;
}

static int stream_op_next(struct target_stream *stream,
			  struct target_batch **out, struct error *err)
{
	return table_stream_next(of_stream(stream), out, err);
}

static int stream_op_fetch(struct target_stream *stream, size_t column,
			   const struct selection *rows, struct vector *out,
			   struct error *err)
{
	return table_stream_fetch(of_stream(stream), column, rows, out, err);
}

static void stream_op_free(struct target_stream *stream)
{
	table_stream_free(of_stream(stream));
}

static void scan_op_stats(const struct target_scan *scan,
			  struct target_scan_stats *out)
{
	table_scan_stats(of_scan(scan), out);
}

static int scan_op_explain(struct target_scan *scan, struct text *out,
			   struct error *err)
{
	return table_scan_explain(of_scan(scan), out, err);
}

static void scan_op_free(struct target_scan *scan)
{
	table_scan_free(of_scan(scan));
}

static int handle_op_sink(struct merge_handle *handle,
			  struct merge_sink **out, struct error *err)
{
	struct change_writer *writer;
	int rc = change_writer_new(&writer, handle->context, err);

	*out = (struct merge_sink *)writer;
	return rc;
}

static int sink_op_store(struct merge_sink *sink,
			 const struct change_page *page, struct error *err)
{
	return change_writer_store(of_sink(sink), page, err);
}

static int sink_op_finish(struct merge_sink *sink, struct fragments *out,
			  struct error *err)
{
	return change_writer_finish(of_sink(sink), out, err);
}

static void sink_op_free(struct merge_sink *sink)
{
	change_writer_free(of_sink(sink));
}

static const char *operation_name(const struct merge_handle *handle)
{
	static const char *const names[] = {
		[STATEMENT_MERGE] = "merge",
		[STATEMENT_UPDATE] = "update",
		[STATEMENT_DELETE] = "delete",
		[STATEMENT_INSERT] = "insert",
	};

	if (handle->target->table->staged_as)
		return handle->target->table->staged_as;
	return names[handle->begin.statement];
}

/* Files and rows of a dry run; nothing becomes visible. */
static int count_files(const struct fragments *fragments,
		       struct merge_outcome *out, struct error *err)
{
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	for (size_t i = 0; !rc && i < fragments->count; i++) {
		struct fragment fragment;

		rc = fragment_parse(fragments->items[i], &arena, &fragment,
				    err);
		if (fragment.kind == FRAGMENT_ADD_DATA ||
		    fragment.kind == FRAGMENT_ADD_DELETES)
			out->files_added++;
		else
			out->files_removed++;
	}
	arena_release(&arena);
	return rc;
}

static void fill_fold_options(const struct merge_handle *handle,
			      const struct merge_finish_options *finish,
			      struct fold_options *out)
{
	memset(out, 0, sizeof(*out));
	out->metadata = base_of(handle->target)->metadata;
	out->files = handle->files;
	out->context = handle->context;
	out->own_rows = finish->rows_inserted;
	out->is_partitioned = handle->target->layout.column_count > 0;
	out->least_count = handle->begin.reads_target ? FOLD_COUNT
						      : BLIND_FOLD_COUNT;
	/* rows that keep their places are no company for others */
	if (!write_context_keeps_places(handle->context))
		out->own_rows += finish->rows_updated;
}

/*
 * Small files of earlier commits come along with rows that are written. A
 * blind insert must not depend on files that others may change, so there they
 * are optional, in a file of their own, and it takes more of them.
 */
static int fold_small_files(struct merge_handle *handle,
			    const struct merge_finish_options *finish,
			    struct fragments *out, struct error *err)
{
	struct fold_options options;
	size_t *chosen, count;
	int rc;

	fill_fold_options(handle, finish, &options);
	rc = fold_choose(&options, &chosen, &count, err);
	if (!rc && count) {
		log_note(handle->begin.log, "%zu small files of earlier "
			 "versions are folded into this one", count);
		rc = write_context_fold(handle->context, chosen, count, out,
					err);
	}
	mem_free(chosen);
	return rc;
}

/* Many partitions of next to nothing make every later scan slow. */
static void warn_of_partitions(const struct merge_handle *handle)
{
	const struct write_context *context = handle->context;
	size_t partitions = write_context_partition_count(context);
	size_t files = write_context_file_count(context);
	uint64_t bytes = write_context_bytes(context);

	if (partitions <= MANY_PARTITIONS || !files ||
	    bytes / files >= SMALL_FILE_BYTES)
		return;
	log_warn(handle->begin.log, "rows go to %zu partitions, in files of "
		 "%" PRIu64 " KiB on average; bucket(N, column) or "
		 "truncate(W, column) in place of the column makes fewer and "
		 "larger ones", partitions, (bytes / files + 1023) / 1024);
}

/* All files of the statement; optional ones apart. */
static int finish_files(struct merge_handle *handle,
			const struct merge_finish_options *options,
			struct fragments *all, struct fragments *optional,
			struct error *err)
{
	bool is_blind = !handle->begin.reads_target;
	struct fold_options fold;
	int rc;

	fill_fold_options(handle, options, &fold);
	rc = fold_read(&fold, err);
	if (!rc)
		rc = write_context_seal(handle->context, err);
	if (!rc && !is_blind)
		rc = fold_small_files(handle, options, all, err);
	if (!rc)
		rc = write_context_finish(handle->context, all, err);
	if (!rc && is_blind && all->count)
		rc = fold_small_files(handle, options, optional, err);
	if (!rc && optional->count)
		rc = write_context_finish(handle->context, optional, err);
	return rc;
}

static int evolve_head(void *context, struct catalog_table *head,
		       struct error *err)
{
	const struct iceberg_target *target = context;

	return target_evolution_again(&target->evolution,
				      base_of(target)->metadata, head, err);
}

static int commit_all(struct merge_handle *handle,
		      const struct fragments *fragments,
		      const struct fragments *optional,
		      const struct merge_finish_options *options,
		      struct merge_outcome *out, struct error *err)
{
	const struct iceberg_target_options *own = &handle->target->options;
	struct commit_options commit = {
		.operation = operation_name(handle),
		.uuid = handle->uuid,
		.now_us = handle->begin.now_us,
		.wait_ms = own->wait_ms < 0 ? DEFAULT_WAIT_MS : own->wait_ms,
		.retry_limit = own->retry_limit,
		.is_blind = !handle->begin.reads_target,
		.counts = *options,
		.summary = own->summary,
		.summary_count = own->summary_count,
		.log = handle->begin.log,
		.optional = optional,
		.context = handle->context,
		.read_metadata = target_evolution_read(
			&handle->target->evolution),
		.evolve_context = handle->target,
	};
	int rc;

	if (commit.read_metadata)
		commit.evolve = evolve_head;
	rc = commit_fragments(base_of(handle->target), handle->files,
				  fragments, &commit, out, err);

	if (out->version_after != out->version_before)
		write_context_keep(handle->context);
	if (rc)
		return rc;
	if (out->attempts > 1)	/* what stays behind vacuum takes away */
		write_context_discard(handle->context, optional, NULL);
	return 0;
}

/* No row changed: the new columns are a version of their own. */
static int commit_changes(struct merge_handle *handle,
			  struct merge_outcome *out, struct error *err)
{
	const struct target_evolution *evolution = &handle->target->evolution;
	uint64_t start = clock_monotonic_ns();
	int64_t version;
	int rc;

	rc = table_alter(base_of(handle->target)->directory,
			 evolution->changes, evolution->count,
			 handle->begin.now_us, &version, err);
	if (version)
		out->version_after = version;
	out->attempts = 1;
	out->commit_seconds = (double)(clock_monotonic_ns() - start) / 1e9;
	return rc;
}

/* The fragments that the sinks handed out. */
static int copy_fragments(const struct fragments *from, struct fragments *out,
			  struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->count; i++) {
		char *copy = mem_strdup(from->items[i]);

		rc = copy ? fragments_add(out, copy, err)
			  : error_set(err, ERROR_NO_MEMORY, "merge");
		if (rc)
			mem_free(copy);
	}
	return rc;
}

static int handle_op_finish(struct merge_handle *handle,
			    const struct fragments *fragments,
			    const struct merge_finish_options *options,
			    struct merge_outcome *out, struct error *err)
{
	struct fragments all = { 0 }, optional = { 0 };
	int rc;

	memset(out, 0, sizeof(*out));
	out->version_before = base_of(handle->target)->version;
	out->version_after = out->version_before;
	out->changes_schema = handle->target->evolution.count > 0;
	rc = copy_fragments(fragments, &all, err);
	if (!rc)
		rc = finish_files(handle, options, &all, &optional, err);
	if (!rc)
		warn_of_partitions(handle);
	if (!rc && options->dry_run) {
		rc = count_files(&optional, out, err);
		if (!rc)
			rc = count_files(&all, out, err);
	} else if (!rc && all.count) {
		rc = commit_all(handle, &all, &optional, options, out, err);
	} else if (!rc && handle->target->evolution.count) {
		rc = commit_changes(handle, out, err);
	}
	out->bytes_written = write_context_bytes(handle->context);
	out->bytes_copied = write_context_copied_bytes(handle->context);
	out->bytes_reencoded =
		write_context_reencoded_bytes(handle->context);
	fragments_release(&all);
	fragments_release(&optional);
	handle_free(handle);
	return rc;
}

static void target_op_free(struct target *target)
{
	struct iceberg_target *self = of_target(target);

	table_free(self->table);
	target_evolution_release(&self->evolution);
	mem_free(self->layout_columns);
	mem_free(self);
}

static int target_op_explain_update(struct target *target,
				    const bool *updated_columns,
				    struct text *out, struct error *err)
{
	return table_explain_update(of_target(target)->table, updated_columns,
				    out, err);
}

static const struct target_ops iceberg_ops = {
	.name = target_op_name,
	.schema = target_op_schema,
	.next_version = target_op_next_version,
	.evolve = target_op_evolve,
	.merge_row_id_column = target_op_row_id,
	.row_change_paradigm = target_op_paradigm,
	.explain_update = target_op_explain_update,
	.insert_layout = target_op_layout,
	.merge_begin = target_op_begin,
	.handle_target = handle_op_target,
	.row_id_limit = handle_op_row_limit,
	.row_count = handle_op_row_count,
	.describe_row = handle_op_describe,
	.scan_new = handle_op_scan,
	.scan_parallelism = scan_op_parallelism,
	.stream_new = scan_op_stream,
	.stream_next = stream_op_next,
	.stream_fetch = stream_op_fetch,
	.stream_free = stream_op_free,
	.scan_stats = scan_op_stats,
	.scan_explain = scan_op_explain,
	.scan_free = scan_op_free,
	.sink_new = handle_op_sink,
	.sink_store = sink_op_store,
	.sink_finish = sink_op_finish,
	.sink_free = sink_op_free,
	.merge_finish = handle_op_finish,
	.merge_abort = handle_free,
	.free = target_op_free,
};

int iceberg_target_new(struct target **out, struct table *table,
		       const struct iceberg_target_options *options,
		       struct error *err)
{
	struct iceberg_target *target = mem_zalloc(sizeof(*target));
	int rc;

	*out = NULL;
	if (!target)
		return error_set(err, ERROR_NO_MEMORY, "target");
	target->target.ops = &iceberg_ops;
	target->table = table;
	if (options)
		target->options = *options;
	else
		target->options.wait_ms = -1;
	rc = take_layout(target, err);
	if (rc) {
		mem_free(target);
		return rc;
	}
	*out = &target->target;
	return 0;
}
