/*
 * write_context.c - what the writers of one statement share
 *
 * Why:    until its commit a statement must leave nothing behind when it
 *         fails, whichever thread fails where.
 * How:    every file is made here, its name carries the statement's uuid, and
 *         its path is remembered before it exists; unless the commit took
 *         them over, all are removed at the end.
 */
#include "table/write/write_state.h"

#define DEFAULT_GROUP_ROWS 131072
#define DEFAULT_GROUP_BYTES ((size_t)128 << 20)
#define LARGEST_GROUP_ROWS ((size_t)1 << 22)
#define DEFAULT_FILE_BYTES ((size_t)256 << 20)
/* What an open partition takes besides its rows, and bounds of their number
 * where the table does not say. */
#define DEFAULT_MEMORY_BYTES ((size_t)256 << 20)
#define OPEN_FILE_BYTES ((size_t)1 << 20)
#define OPEN_COLUMN_BYTES ((size_t)128 << 10)
#define LEAST_SORT_BYTES ((size_t)4 << 20)
#define LEAST_OPEN 8
#define MOST_OPEN 256
/* Updates that wait in memory: with no budget told, and at least. */
#define UPDATE_BYTES ((size_t)64 << 20)
#define UPDATE_BYTES_MIN ((size_t)1 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "writers");
}

/* What the default spec, which new files are of, makes of rows. */
static int take_spec(struct write_context *context, struct error *err)
{
	const struct table_metadata *metadata = context->options.metadata;
	const struct partition_spec *spec =
		metadata_spec(metadata, metadata->default_spec_id);
	int rc;

	if (!spec)
		return error_set(err, ERROR_CORRUPT, "the table has no "
				 "partition spec %d",
				 (int)metadata->default_spec_id);
	context->spec = spec;
	context->sources = arena_zalloc_array(&context->arena,
					      spec->field_count + 1,
					      sizeof(*context->sources));
	if (!context->sources)
		return no_memory(err);
	rc = metadata_partition_types(metadata, spec, &context->arena,
				      &context->partition_types, err);
	for (size_t i = 0; !rc && i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];

		if (field->transform.kind == TRANSFORM_VOID)
			continue;
		context->is_partitioned = true;
		rc = field_place_find(context->columns, field->source_id,
				      &context->arena, &context->sources[i],
				      err);
		if (!rc && context->sources[i].column == SIZE_MAX)
			rc = error_set(err, ERROR_UNSUPPORTED, "partition "
				       "field '%s' is of a column that the "
				       "table has no longer", field->name);
	}
	if (rc || context->is_partitioned)
		return rc;
	return write_context_partition(context, NULL, 0, 0, &context->whole,
				       err);
}

/* Partitions that are written at once, each with an encoder. */
static void choose_open_limit(struct write_context *context)
{
	size_t memory = context->options.memory_bytes;
	size_t each = OPEN_FILE_BYTES +
		      context->columns->column_count * OPEN_COLUMN_BYTES;
	size_t limit;

	if (!memory)
		memory = DEFAULT_MEMORY_BYTES;
	context->pool_limit = memory / 2;
	limit = context->pool_limit / each;
	if (limit < LEAST_OPEN)
		limit = LEAST_OPEN;
	if (limit > MOST_OPEN)
		limit = MOST_OPEN;
	context->open_limit = property_size(
		context->options.metadata,
		"rowmerge.write.max-open-partitions", limit);
	if (context->sort.order)
		context->open_limit = 0;
	context->sort_bytes = memory / 4;
	if (context->options.thread_count)
		context->sort_bytes /= context->options.thread_count;
	if (context->sort_bytes < LEAST_SORT_BYTES)
		context->sort_bytes = LEAST_SORT_BYTES;
	context->spill_directory = context->options.spill_directory
					   ? context->options.spill_directory
					   : context->options.directory;
}

static void choose_sizes(struct write_context *context)
{
	const struct table_metadata *metadata = context->options.metadata;
	size_t bytes = property_size(
		metadata, "write.parquet.row-group-size-bytes", 0);
	size_t share = context->options.memory_bytes;

	context->group_rows = bytes ? LARGEST_GROUP_ROWS
				    : DEFAULT_GROUP_ROWS;
	context->group_bytes = bytes ? bytes : DEFAULT_GROUP_BYTES;
	if (share && context->options.thread_count)
		share /= context->options.thread_count;
	if (share && context->group_bytes > share)
		context->group_bytes = share;
	context->file_bytes = property_size(
		metadata, "write.target-file-size-bytes",
		DEFAULT_FILE_BYTES);
}

/* Where updates change columns in place: which, and how much may wait. */
static int plan_updates(struct write_context *context, struct error *err)
{
	const bool *updated = context->options.updated_columns;
	struct update_columns *slots = &context->update_columns;
	size_t count = context->columns->column_count;
	size_t threads = context->options.thread_count;
	const char *how = metadata_property(context->options.metadata,
					    "rowmerge.write.update.columns");

	context->options.updated_columns = NULL;
	context->keeps_places = updated && context->options.paradigm ==
					  CHANGE_ONLY_UPDATED_COLUMNS;
	if (!context->keeps_places)
		return 0;
	context->rewrites_whole = how && text_equal_nocase(how, "all");
	context->update_bytes = context->options.memory_bytes / 4;
	if (threads)
		context->update_bytes /= threads;
	if (!context->options.memory_bytes)
		context->update_bytes = UPDATE_BYTES;
	if (context->update_bytes < UPDATE_BYTES_MIN)
		context->update_bytes = UPDATE_BYTES_MIN;
	slots->schema = context->columns;
	slots->columns = arena_zalloc_array(&context->arena, count + 1,
					    sizeof(*slots->columns));
	if (!slots->columns)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		if (updated[i])
			slots->columns[slots->count++] = i;
	return 0;
}

int write_context_new(struct write_context **out,
		      const struct write_options *options, struct error *err)
{
	struct write_context *context = mem_zalloc(sizeof(*context));
	int rc = 0;

	*out = NULL;
	if (!context)
		return no_memory(err);
	if (pthread_mutex_init(&context->lock, NULL)) {
		mem_free(context);
		return no_memory(err);
	}
	context->options = *options;
	arena_init(&context->arena, 0);
	uuid_format(&options->uuid, context->uuid);
	context->columns = metadata_current_schema(options->metadata);
	context->has_lineage = options->metadata->format_version >= 3;
	context->data_directory = path_join(&context->arena,
					    options->directory, "data");
	if (!context->data_directory)
		rc = no_memory(err);
	else if (!context->columns)
		rc = error_set(err, ERROR_CORRUPT,
			       "the table has no current schema");
	if (!rc) {
		choose_sizes(context);
		rc = sort_plan_init(context, err);
	}
	if (!rc) {
		choose_open_limit(context);
		rc = take_spec(context, err);
	}
	if (!rc)
		rc = plan_updates(context, err);
	if (rc) {
		write_context_free(context);
		return rc;
	}
	*out = context;
	return 0;
}

void write_context_keep(struct write_context *context)
{
	context->kept = true;
}

void write_context_free(struct write_context *context)
{
	if (!context)
		return;
	while (context->sorted) {
		struct sort_buffer *buffer = context->sorted;

		context->sorted = buffer->next;
		sort_buffer_free(buffer);
	}
	for (size_t p = 0; p < context->partition_count; p++)
		for (size_t i = 0; i < LANE_COUNT; i++)
			rolling_file_free(context->partitions[p]->lanes[i]);
	mem_free(context->partitions);
	mem_free(context->partition_slots);
	for (size_t i = 0; i < LANE_COUNT; i++)
		if (context->layout_ready[i])
			file_layout_release(&context->layouts[i]);
	if (!context->kept)
		write_context_remove_files(context);
	for (size_t i = 0; i < context->path_count; i++)
		mem_free(context->paths[i]);
	mem_free(context->paths);
	if (context->delete_layout_ready)
		file_layout_release(&context->delete_layout);
	delete_map_release(&context->deletes);
	update_map_release(&context->updates);
	for (size_t i = 0; context->replaced &&
			   i < context->options.files->file_count; i++)
		mem_free(context->replaced[i]);
	mem_free(context->replaced);
	pthread_mutex_destroy(&context->lock);
	arena_release(&context->arena);
	mem_free(context);
}

/* The lock is held. */
static int make_layout(struct write_context *context, int lane,
		       struct error *err)
{
	struct file_layout *layout = &context->layouts[lane];
	int rc;

	if (context->layout_ready[lane])
		return 0;
	rc = data_layout_init(layout, context->options.metadata,
			      context->columns, lane == LANE_LINEAGE,
			      &context->arena, err);
	if (!rc)
		rc = sort_plan_describe(&context->sort, &context->arena,
					&layout->parquet, err);
	context->layout_ready[lane] = rc == 0;
	return rc;
}

int write_context_layout(struct write_context *context, int lane,
			 struct error *err)
{
	int rc;

	pthread_mutex_lock(&context->lock);
	rc = make_layout(context, lane, err);
	pthread_mutex_unlock(&context->lock);
	return rc;
}

int write_context_lane(struct write_context *context,
		       struct partition *partition, int lane,
		       struct rolling_file **out, struct error *err)
{
	int rc;

	*out = NULL;
	pthread_mutex_lock(&context->lock);
	rc = make_layout(context, lane, err);
	if (!rc && !partition->lanes[lane])
		rc = rolling_file_new(&partition->lanes[lane], context,
				      partition, lane, err);
	if (!rc)
		*out = partition->lanes[lane];
	pthread_mutex_unlock(&context->lock);
	return rc;
}

/* The file with the largest idle encoder; NULL = none is idle. */
static struct rolling_file *fullest_file(struct write_context *context)
{
	struct rolling_file *best = NULL;
	size_t most = 0;

	for (size_t p = 0; ; p++) {
		struct rolling_file *files[LANE_COUNT] = { NULL };
		bool is_end;

		/* a file's lock is taken before the context's, never after */
		pthread_mutex_lock(&context->lock);
		is_end = p >= context->partition_count;
		if (!is_end)
			memcpy(files, context->partitions[p]->lanes,
			       sizeof(files));
		pthread_mutex_unlock(&context->lock);
		if (is_end)
			return best;
		for (size_t i = 0; i < LANE_COUNT; i++) {
			size_t bytes = files[i]
				? rolling_file_idle_bytes(files[i]) : 0;

			if (bytes <= most)
				continue;
			most = bytes;
			best = files[i];
		}
	}
}

int write_context_relieve(struct write_context *context, struct error *err)
{
	struct rolling_file *file;

	if (atomic_load(&context->pool_bytes) <= (int64_t)context->pool_limit)
		return 0;
	file = fullest_file(context);
	return file ? rolling_file_relieve(file, err) : 0;
}

void write_context_count(struct write_context *context, uint64_t bytes)
{
	pthread_mutex_lock(&context->lock);
	context->bytes += bytes;
	pthread_mutex_unlock(&context->lock);
}

uint64_t write_context_bytes(const struct write_context *context)
{
	return context->bytes;
}

void write_context_count_kept(struct write_context *context, uint64_t copied,
			      uint64_t fresh)
{
	pthread_mutex_lock(&context->lock);
	context->copied_bytes += copied;
	context->fresh_bytes += fresh;
	pthread_mutex_unlock(&context->lock);
}

void write_context_count_lane(struct write_context *context, uint64_t rows,
			      uint64_t bytes)
{
	pthread_mutex_lock(&context->lock);
	context->lane_rows += rows;
	context->lane_bytes += bytes;
	pthread_mutex_unlock(&context->lock);
}

uint64_t write_context_copied_bytes(const struct write_context *context)
{
	return context->copied_bytes;
}

uint64_t write_context_reencoded_bytes(const struct write_context *context)
{
	double share = 0;

	if (context->lane_rows)
		share = (double)context->moved_rows /
			(double)context->lane_rows;
	return context->fresh_bytes +
	       (uint64_t)(share * (double)context->lane_bytes);
}

bool write_context_keeps_places(const struct write_context *context)
{
	return context->keeps_places;
}

int write_context_seal(struct write_context *context, struct error *err)
{
	const struct snapshot_files *files = context->options.files;

	return update_map_seal(&context->updates,
			       files ? files->file_count : 0, err);
}

/* Indexes of the files whose rows are removed or updated. */
static int touched_files(struct write_context *context, size_t **out,
			 size_t *count_out, struct error *err)
{
	size_t count = context->options.files
			       ? context->options.files->file_count : 0;

	*count_out = 0;
	*out = mem_alloc_array(count + 1, sizeof(**out));
	if (!*out)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		if (write_context_touches(context, i))
			(*out)[(*count_out)++] = i;
	return 0;
}

struct finish_work {
	struct write_context *context;
	atomic_size_t next;
	atomic_bool failed;
};

/* The last row groups of some partitions, and their files' ends. */
static int finish_some(void *argument, size_t worker, struct error *err)
{
	struct finish_work *work = argument;
	struct write_context *context = work->context;
	int rc = 0;

	(void)worker;
	while (!rc && !atomic_load(&work->failed)) {
		size_t p = atomic_fetch_add(&work->next, 1);

		if (p >= context->partition_count)
			return 0;
		rc = interrupt_check(err);
		for (size_t i = 0; !rc && i < LANE_COUNT; i++)
			if (context->partitions[p]->lanes[i])
				rc = rolling_file_close(
					context->partitions[p]->lanes[i],
					err);
	}
	if (rc)
		atomic_store(&work->failed, true);
	return rc;
}

static int finish_lanes(struct write_context *context, struct fragments *out,
			struct error *err)
{
	size_t threads = context->options.thread_count;
	struct finish_work work = { .context = context };
	int rc;

	if (!threads || context->partition_count < 2)
		threads = 1;
	rc = thread_run(threads, finish_some, &work, err);
	if (!rc)
		rc = sort_merge(context, out, err);
	for (size_t p = 0; !rc && p < context->partition_count; p++)
		for (size_t i = 0; !rc && i < LANE_COUNT; i++)
			if (context->partitions[p]->lanes[i])
				rc = rolling_file_take(
					context->partitions[p]->lanes[i], out,
					err);
	return rc;
}

int write_context_finish(struct write_context *context,
			 struct fragments *out, struct error *err)
{
	size_t *touched = NULL, count;
	int rc = write_context_seal(context, err);

	if (!rc && context->options.paradigm == CHANGE_ONLY_UPDATED_COLUMNS) {
		rc = touched_files(context, &touched, &count, err);
		if (!rc)
			rc = patch_files(context, touched, &count, out, err);
		if (!rc)
			rc = rewrite_files(context, touched, count, out, err);
		mem_free(touched);
	}
	/* copy-on-write: of files that kept their places */
	if (!rc)
		rc = write_deletes(context, out, err);
	return rc ? rc : finish_lanes(context, out, err);
}

bool write_context_touches(const struct write_context *context, size_t file)
{
	return (context->deletes.lists && context->deletes.lists[file]) ||
	       update_map_has(&context->updates, file);
}

int write_context_fold(struct write_context *context,
		       const size_t *file_indexes, size_t count,
		       struct fragments *out, struct error *err)
{
	int rc = write_context_seal(context, err);

	return rc ? rc : rewrite_files(context, file_indexes, count, out, err);
}
