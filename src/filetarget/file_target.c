/*
 * file_target.c - a plain file as the target that the engine merges into
 *
 * Why:    small things live in files, and the same statement should do.
 * How:    the file is locked as long as the target is open. A scan reads all
 *         of it; sinks note what changes; finish writes a new file beside it
 *         with the same owner, permissions and attributes, syncs that, and
 *         renames it over the old one. Other names of the old one (hard
 *         links) keep what they had, with a warning. A run without a change
 *         leaves the file alone.
 * Cost:   the file is read once for the scan and once for the copy. Changes
 *         are in memory: more of them than --memory holds are refused.
 * Limits: no versions, no history: what another program does to the file
 *         without the lock is only noticed before the rename.
 */
#include "filetarget/file_target.h"
#include <unistd.h>

#define DEFAULT_WAIT_MS 10000

struct target_scan {
	struct merge_handle *handle;
	struct batch_source *rows;
};

struct target_stream {
	struct target_scan *scan;
	struct batch_stream *rows;
	struct target_batch batch;
	uint64_t row_ids[BATCH_ROW_COUNT];
};

struct merge_sink {
	struct merge_handle *handle;
	struct file_changes changes;
};

static struct file_target *of_target(const struct target *target)
{
	return (struct file_target *)target;
}

static const char *target_name(const struct target *target)
{
	return of_target(target)->path;
}

static const struct schema *target_schema(const struct target *target)
{
	return &of_target(target)->columns.schema;
}

static struct relation *target_untyped(struct target *target)
{
	struct file_target *self = of_target(target);

	return self->columns.untyped ? &self->columns : NULL;
}

static int target_row_id(struct target *target, struct row_id_column *out,
			 struct error *err)
{
	out->name = "_row";
	out->has_lineage = false;
	return 0;
}

static int target_paradigm(struct target *target,
			   enum statement_kind statement,
			   enum row_change_paradigm *out, struct error *err)
{
	*out = CHANGE_ONLY_UPDATED_COLUMNS;
	return 0;
}

static int target_begin(struct target *target,
			const struct merge_begin_options *options,
			struct merge_handle **out, struct error *err)
{
	struct merge_handle *handle;

	*out = NULL;
	if (options->paradigm != CHANGE_ONLY_UPDATED_COLUMNS)
		return error_set(err, ERROR_NOT_SUPPORTED, "a file is only "
				 "written anew, not merged on read");
	handle = mem_zalloc(sizeof(*handle));
	if (!handle)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	handle->target = of_target(target);
	handle->begin = *options;
	pthread_mutex_init(&handle->lock, NULL);
	*out = handle;
	return 0;
}

static void handle_free(struct merge_handle *handle)
{
	file_changes_release(&handle->changes);
	pthread_mutex_destroy(&handle->lock);
	mem_free(handle);
}

static struct target *handle_target(const struct merge_handle *handle)
{
	return &handle->target->base;
}

static uint64_t handle_row_limit(const struct merge_handle *handle)
{
	return handle->target->format->row_limit(handle->target);
}

static int handle_row_count(const struct merge_handle *handle, uint64_t *out,
			    struct error *err)
{
	*out = handle->rows_scanned;
	return handle->is_scanned ? 0 :
		handle->target->format->row_count(handle->target, out, err);
}

static int handle_describe(const struct merge_handle *handle, uint64_t row_id,
			   const char **file_out, uint64_t *position_out)
{
	*file_out = handle->target->name;
	*position_out = row_id;
	return 0;
}

/* Has somebody written to the file who does not know the lock? */
static int check_unchanged(const struct file_target *target,
			   struct error *err)
{
	struct file_stamp now;
	int rc = file_stamp_of(target->path, &now, err);

	if (rc || file_stamp_equal(&now, &target->seen))
		return rc;
	error_set(err, ERROR_METADATA_CHANGED, "'%s' was written to by "
		  "another program while it was read", target->name);
	err->retryable = true;
	return error_hint(err, "run the statement again");
}

/* What went wrong may be the work of another program. */
static int blame_writer(const struct file_target *target, int rc,
			struct error *err)
{
	struct error change;
	int changed;

	if (!rc || rc == ERROR_INTERRUPTED || rc == ERROR_NO_MEMORY)
		return rc;
	error_init(&change);
	changed = check_unchanged(target, &change);
	if (changed != ERROR_METADATA_CHANGED)
		return rc;
	if (err)
		*err = change;
	return changed;
}

static int scan_new(struct merge_handle *handle,
		    const struct target_scan_request *request,
		    struct target_scan **out, struct error *err)
{
	struct file_target *target = handle->target;
	struct target_scan *scan = mem_zalloc(sizeof(*scan));
	int rc;

	*out = NULL;
	if (!scan)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	scan->handle = handle;
	rc = target->format->rows_open(target, &scan->rows, err);
	if (rc) {
		mem_free(scan);
		return blame_writer(target, rc, err);
	}
	handle->is_scanned = true;
	handle->rows_scanned = 0;
	*out = scan;
	return 0;
}

static size_t scan_parallelism(const struct target_scan *scan)
{
	return scan->rows->parallelism(scan->rows);
}

static int stream_new(struct target_scan *scan, struct target_stream **out,
		      struct error *err)
{
	struct target_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	stream->scan = scan;
	rc = scan->rows->stream_new(scan->rows, &stream->rows, err);
	if (rc) {
		mem_free(stream);
		return rc;
	}
	*out = stream;
	return 0;
}

static int stream_next(struct target_stream *stream, struct target_batch **out,
		       struct error *err)
{
	struct merge_handle *handle = stream->scan->handle;
	struct batch *rows;
	int rc;

	*out = NULL;
	do {
		rc = batch_stream_next(stream->rows, &rows, err);
	} while (!rc && rows && rows->row_count == 0);
	if (rc || !rows)
		return blame_writer(handle->target, rc, err);
	for (size_t i = 0; i < rows->row_count; i++)
		stream->row_ids[i] = rows->first_row + i;
	if (rows->first_row == 0 && rows->lines)
		handle->first_line = rows->lines[0];
	__atomic_add_fetch(&handle->rows_scanned, rows->row_count,
			   __ATOMIC_RELAXED);
	stream->batch.batch = *rows;	/* borrowed whole */
	stream->batch.row_ids = stream->row_ids;
	*out = &stream->batch;
	return 0;
}

static int stream_fetch(struct target_stream *stream, size_t column,
			const struct selection *rows, struct vector *out,
			struct error *err)
{
	const struct vector *from = &stream->batch.batch.columns[column];
	uint32_t list[BATCH_ROW_COUNT];

	for (size_t i = 0; i < rows->count; i++)
		list[i] = (uint32_t)selection_row(rows, i);
	return vector_gather(out, from, list, rows->count, NULL, err);
}

static void stream_free(struct target_stream *stream)
{
	batch_stream_free(stream->rows);
	mem_free(stream);
}

static void scan_stats(const struct target_scan *scan,
		       struct target_scan_stats *out)
{
	memset(out, 0, sizeof(*out));
	out->files_scanned = 1;
	out->rows_scanned = scan->handle->rows_scanned;
	out->bytes_read = scan->handle->target->seen.size;
}

static void scan_free(struct target_scan *scan)
{
	batch_source_free(scan->rows);
	mem_free(scan);
}

static int sink_new(struct merge_handle *handle, struct merge_sink **out,
		    struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	(*out)->handle = handle;
	return 0;
}

static int sink_store(struct merge_sink *sink, const struct change_page *page,
		      struct error *err)
{
	struct merge_handle *handle = sink->handle;
	struct file_target *target = handle->target;
	int rc = file_changes_add_deletes(&sink->changes, page, err);

	if (!rc)
		rc = target->format->add_page(target, &sink->changes, page,
					      err);
	if (rc || !handle->begin.memory_bytes ||
	    sink->changes.byte_count <= handle->begin.memory_bytes)
		return rc;
	error_set(err, ERROR_NO_MEMORY, "the changes of '%s' do not fit "
		  "--memory", target->name);
	return error_hint(err, "raise --memory, or keep the rows in a table");
}

static int sink_finish(struct merge_sink *sink, struct fragments *out,
		       struct error *err)
{
	struct merge_handle *handle = sink->handle;
	char *fragment;
	int rc;

	rc = handle->target->format->finish_changes(handle->target,
						    &sink->changes, err);
	if (rc || file_changes_are_none(&sink->changes))
		return rc;
	fragment = mem_strdup("{\"file\":\"rewritten\"}");
	rc = fragment ? fragments_add(out, fragment, err)
		      : error_set(err, ERROR_NO_MEMORY, "merge");
	if (rc) {
		mem_free(fragment);
		return rc;
	}
	pthread_mutex_lock(&handle->lock);
	rc = file_changes_move(&handle->changes, &sink->changes, err);
	pthread_mutex_unlock(&handle->lock);
	return rc;
}

static void sink_free(struct merge_sink *sink)
{
	file_changes_release(&sink->changes);
	mem_free(sink);
}

static void warn_of_rights(const struct merge_handle *handle,
			   const struct file_rights *rights)
{
	const char *name = handle->target->name;
	uint64_t others = rights->name_count - 1;

	if (rights->name_count > 1)
		log_warn(handle->begin.log, "'%s' has %llu other name%s (hard "
			 "links), which keep%s the file as it was", name,
			 (unsigned long long)others, others == 1 ? "" : "s",
			 others == 1 ? "s" : "");
	if (rights->is_partly)
		log_warn(handle->begin.log, "not all extended attributes of "
			 "'%s' could be kept", name);
}

/* The new file, complete and synced, under a temporary name. */
static int write_file(struct merge_handle *handle, const char *temporary,
		      struct merge_outcome *out, struct error *err)
{
	struct output_file *file;
	struct file_rights rights;
	int rc = output_file_create(&file, temporary, err);

	if (rc)
		return rc;
	rc = file_copy_rights(temporary, handle->target->path, &rights, err);
	if (!rc)
		warn_of_rights(handle, &rights);
	if (!rc)
		rc = handle->target->format->rewrite(handle, file, err);
	if (!rc)
		rc = interrupt_check(err);
	out->bytes_written = output_file_offset(file);
	if (!rc)
		rc = output_file_close(file, true, err);
	output_file_free(file);
	return rc;
}

/* New files that a killed run has left: the stem and a number. */
struct leftovers {
	const char *directory;
	const char *stem;
	struct arena *arena;
};

static void remove_leftover(void *context, const char *name)
{
	const struct leftovers *left = context;
	size_t length = strlen(left->stem);
	struct error ignored;
	char *path;

	if (strncmp(name, left->stem, length) != 0 || !name[length] ||
	    name[length + strspn(name + length, "0123456789")])
		return;
	path = path_join(left->arena, left->directory, name);
	if (path)
		path_remove(path, &ignored);
}

static int replace_file(struct merge_handle *handle, bool dry_run,
			struct merge_outcome *out, struct error *err)
{
	struct file_target *target = handle->target;
	struct arena arena;
	struct leftovers left = { .arena = &arena };
	struct error ignored;
	char *temporary = NULL;
	int rc;

	arena_init(&arena, 0);
	left.directory = path_dirname(&arena, target->path);
	left.stem = arena_printf(&arena, ".%s.rowmerge-",
				 path_basename(target->path));
	if (left.directory && left.stem)
		temporary = arena_printf(&arena, "%s/%s%ld", left.directory,
					 left.stem, (long)getpid());
	rc = temporary ? 0 : error_set(err, ERROR_NO_MEMORY, "merge");
	/* Who has the lock is the only one that writes: what others have left
	 * there was theirs when they were killed. */
	if (!rc)
		directory_visit(left.directory, remove_leftover, &left,
				&ignored);
	if (!rc) {
		rc = write_file(handle, temporary, out, err);
		rc = blame_writer(target, rc, err);
	}
	if (!rc && !dry_run)
		rc = check_unchanged(target, err);
	if (!rc && !dry_run) {
		rc = publish_move(temporary, target->path, err);
		if (!path_exists(temporary))
			out->version_after = out->version_before + 1;
	}
	if (temporary && (rc || dry_run))
		path_remove(temporary, &ignored);
	arena_release(&arena);
	return rc;
}

static int merge_finish(struct merge_handle *handle,
			const struct fragments *fragments,
			const struct merge_finish_options *options,
			struct merge_outcome *out, struct error *err)
{
	uint64_t start = clock_monotonic_ns();
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->has_no_versions = true;
	out->attempts = 1;
	if (!file_changes_are_none(&handle->changes)) {
		rc = file_changes_sort(&handle->changes, err);
		if (!rc)
			rc = replace_file(handle, options->dry_run, out, err);
		out->files_added = out->files_removed = !rc;
	}
	out->commit_seconds = (double)(clock_monotonic_ns() - start) / 1e9;
	handle_free(handle);
	return rc;
}

static void target_release(struct target *target)
{
	struct file_target *self = of_target(target);

	if (self->format)
		self->format->close(self);
	schema_release(&self->columns.schema);
	mem_free(self->columns.untyped);
	file_lock_free(self->lock);
	mem_free(self->name);
	mem_free(self->path);
	mem_free(self);
}

static const struct target_ops file_ops = {
	.name = target_name,
	.schema = target_schema,
	.untyped_columns = target_untyped,
	.merge_row_id_column = target_row_id,
	.row_change_paradigm = target_paradigm,
	.merge_begin = target_begin,
	.handle_target = handle_target,
	.row_id_limit = handle_row_limit,
	.row_count = handle_row_count,
	.describe_row = handle_describe,
	.scan_new = scan_new,
	.scan_parallelism = scan_parallelism,
	.stream_new = stream_new,
	.stream_next = stream_next,
	.stream_fetch = stream_fetch,
	.stream_free = stream_free,
	.scan_stats = scan_stats,
	.scan_free = scan_free,
	.sink_new = sink_new,
	.sink_store = sink_store,
	.sink_finish = sink_finish,
	.sink_free = sink_free,
	.merge_finish = merge_finish,
	.merge_abort = handle_free,
	.free = target_release,
};

static int find_format(const char *path, const struct file_format **out,
		       struct error *err)
{
	*out = NULL;
	if (text_ends_with(path, ".csv") || text_ends_with(path, ".tsv"))
		*out = &csv_format;
	else if (text_ends_with(path, ".parquet"))
		*out = &parquet_format;
	if (*out)
		return 0;
	error_set(err, ERROR_NOT_SUPPORTED, "'%s' cannot be merged into: of "
		  "files only .csv, .tsv and .parquet can", path);
	return error_hint(err, "load it into a table, or name a file of such "
			  "a kind");
}

/* Wait for other writers, then look at what is there. */
static int lock_file(struct file_target *target, struct error *err)
{
	int64_t wait_ms = target->options.wait_ms;
	int rc = file_lock_take(&target->lock, target->path, true,
				wait_ms < 0 ? DEFAULT_WAIT_MS : wait_ms, err);

	if (!rc && !target->lock) {
		error_set(err, ERROR_LOCKED, "'%s' is being written by another "
			  "run", target->name);
		err->retryable = true;
		return error_hint(err, "try again, or wait longer with "
				  "--wait");
	}
	return rc ? rc : file_stamp_of(target->path, &target->seen, err);
}

static int set_paths(struct file_target *target, const char *path,
		     struct error *err)
{
	struct arena arena;
	char *real;
	int rc;

	arena_init(&arena, 0);
	rc = path_real(&arena, path, &real, err);
	if (!rc) {
		target->name = mem_strdup(path);
		target->path = mem_strdup(real);
		if (!target->name || !target->path)
			rc = error_set(err, ERROR_NO_MEMORY, "target");
	}
	arena_release(&arena);
	return rc;
}

static int check_is_file(const char *path, struct error *err)
{
	if (!path_exists(path)) {
		error_set(err, ERROR_UNKNOWN_TABLE, "there is no file '%s'",
			  path);
		return error_hint(err, "a file that is merged into must be "
				  "there, with its header");
	}
	if (path_is_directory(path)) {
		error_set(err, ERROR_NOT_SUPPORTED, "'%s' is a directory", path);
		return error_hint(err, "name a table without quotes, relative "
				  "to the warehouse");
	}
	return 0;
}

int file_target_new(struct target **out, const char *path,
		    const struct file_target_options *options,
		    struct error *err)
{
	const struct file_format *format;
	struct file_target *target;
	int rc = find_format(path, &format, err);

	*out = NULL;
	if (!rc)
		rc = check_is_file(path, err);
	if (rc)
		return rc;
	target = mem_zalloc(sizeof(*target));
	if (!target)
		return error_set(err, ERROR_NO_MEMORY, "target");
	target->base.ops = &file_ops;
	target->options = *options;
	schema_init(&target->columns.schema);
	rc = set_paths(target, path, err);
	if (!rc) {
		target->columns.name = target->name;
		target->columns.file = target->name;
		target->columns.table = target->path;
		rc = lock_file(target, err);
	}
	if (!rc) {
		target->format = format;
		rc = format->open(target, err);
		target->options.types = NULL;	/* the caller's */
	}
	if (rc) {
		target_release(&target->base);
		return rc;
	}
	*out = &target->base;
	return 0;
}
