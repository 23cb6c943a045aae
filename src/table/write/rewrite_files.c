/*
 * rewrite_files.c - the rows of files that stay, into new files
 *
 * Why:    copy-on-write replaces files that lose rows; folding replaces small
 *         files by one.
 * How:    a scan of each file, its row groups shared out to threads, without
 *         the rows deleted before (the scan does that) and by this statement.
 *         In format version 3 every row takes its _row_id along and the
 *         number of the commit that last changed it: the scan knows the one,
 *         the other is read beside it where the file has it, and is the
 *         file's own number where not.
 *         Values that the statement updates are laid over the old ones.
 * Cost:   decoding and encoding the rows that stay.
 */
#include <assert.h>
#include "table/write/write_state.h"

#define FEW_ROWS 32768

struct rewrite_work {
	struct write_context *context;
	const struct snapshot_file *file;
	size_t index;
	struct table_scan *scan;
	struct roaring64 *removed;	/* by this statement; NULL = none */
	uint64_t unit_base;
};

/* Where _last_updated_sequence_number of a file comes from. */
struct updated_column {
	struct parquet_reader *reader;	/* NULL = from the entry */
	long leaf;
	struct chunk_reader *chunk;
	size_t group;
	struct vector values;
};

struct rewrite_worker {
	struct rewrite_work *work;
	struct row_sink sink;
	struct updated_column updated;
	struct update_set set;		/* new values for rows of the batch */
	struct vector *patched;		/* per update slot */
	uint32_t *rows;			/* of the batch that stay */
	uint32_t *places;
	const struct vector **columns;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "rewrite of a file");
}

static int updated_open(struct updated_column *updated,
			const struct rewrite_work *work, struct error *err)
{
	const struct snapshot_files *files = work->context->options.files;
	struct input_file *input;
	struct arena arena;
	char *path;
	int rc;

	memset(updated, 0, sizeof(*updated));
	vector_init(&updated->values, type_of(TYPE_BIGINT));
	if (!work->context->has_lineage)
		return 0;
	arena_init(&arena, 0);
	rc = files->resolver.resolve(files->resolver.context,
				     work->file->entry->file.path, &arena,
				     &path, err);
	if (!rc)
		rc = input_file_open(&input, path, err);
	arena_release(&arena);
	if (rc)
		return rc;
	rc = parquet_reader_open(&updated->reader, input, err);
	if (rc) {
		input_file_close(input);
		return rc;
	}
	updated->leaf = parquet_find_field_id(updated->reader,
					      FIELD_LAST_UPDATED);
	if (updated->leaf < 0) {
		parquet_reader_free(updated->reader);
		updated->reader = NULL;
	}
	return 0;
}

static void updated_close(struct updated_column *updated)
{
	chunk_reader_free(updated->chunk);
	vector_release(&updated->values);
	parquet_reader_free(updated->reader);
	memset(updated, 0, sizeof(*updated));
}

/* Stored values for positions, all in one row group, ascending. */
static int updated_read(struct rewrite_worker *worker,
			const struct target_batch *batch, struct error *err)
{
	struct updated_column *updated = &worker->updated;
	const struct type type = type_of(TYPE_BIGINT);
	uint64_t file_first = worker->work->file->first_row;
	uint64_t position = batch->row_ids[0] - file_first, first;
	size_t groups = parquet_row_group_count(updated->reader);
	size_t group = updated->group, count = batch->batch.row_count;
	int rc = 0;

	if (!updated->chunk ||
	    position < parquet_row_group_first(updated->reader, group))
		group = 0;
	while (group + 1 < groups &&
	       position >= parquet_row_group_first(updated->reader,
						   group + 1))
		group++;
	if (!updated->chunk || group != updated->group) {
		chunk_reader_free(updated->chunk);
		updated->chunk = NULL;
		rc = chunk_reader_open(&updated->chunk, updated->reader,
				       group, (size_t)updated->leaf, &type,
				       err);
		updated->group = group;
	}
	if (rc)
		return rc;
	first = position - parquet_row_group_first(updated->reader, group);
	for (size_t i = 0; i < count; i++)
		worker->places[i] = (uint32_t)(batch->row_ids[i] -
					       batch->row_ids[0]);
	return chunk_reader_gather(updated->chunk, first, worker->places,
				   count, &updated->values, err);
}

/* Fill the sink's lineage columns for the rows of a batch. */
static int take_lineage(struct rewrite_worker *worker,
			const struct target_batch *batch, struct error *err)
{
	const struct manifest_entry *entry = worker->work->file->entry;
	struct literal null = literal_null(type_of(TYPE_BIGINT));
	struct vector *ids = &worker->sink.lineage[0];
	struct vector *updated = &worker->sink.lineage[1];
	const struct vector *stored = &worker->updated.values;
	size_t count = batch->batch.row_count;
	bool has_stored = worker->updated.reader != NULL;
	int rc = 0;

	if (has_stored)
		rc = updated_read(worker, batch, err);
	if (!rc)
		rc = vector_fill(ids, &null, count, err);
	if (!rc)
		rc = vector_fill(updated, &null, count, err);
	for (size_t i = 0; !rc && i < count; i++) {
		if (batch->lineage_ids[i] == INT64_MIN)
			continue;
		vector_i64(ids)[i] = batch->lineage_ids[i];
		bits_set(ids->validity, i);
		vector_i64(updated)[i] =
			has_stored && !vector_is_null(stored, i)
				? vector_i64(stored)[i]
				: entry->sequence_number;
		bits_set(updated->validity, i);
	}
	if (!rc) {	/* what the statement changes gets its number */
		struct update_target target = {
			batch->row_ids, worker->work->file->first_row, 0, count
		};

		update_set_clear(&worker->set, &target, updated->validity);
	}
	return rc;
}

/* The batch's columns, with new values over the old where there are any. */
static int overlay_columns(struct rewrite_worker *worker,
			   const struct target_batch *batch, struct error *err)
{
	const struct rewrite_work *work = worker->work;
	const struct write_context *context = work->context;
	const struct update_columns *slots = &context->update_columns;
	uint64_t base = work->file->first_row;
	struct update_target target = { batch->row_ids, base, 0,
					batch->batch.row_count };
	int rc;

	for (size_t i = 0; i < context->columns->column_count; i++)
		worker->columns[i] = &batch->batch.columns[i];
	if (!context->keeps_places)
		return 0;
	rc = update_set_load(&worker->set, &context->updates, slots,
			     work->index, batch->row_ids[0] - base,
			     batch->row_ids[target.count - 1] - base + 1, err);
	for (size_t k = 0; !rc && worker->set.count && k < slots->count;
	     k++) {
		struct vector *patched = &worker->patched[k];
		size_t hits;

		vector_reference(patched, worker->columns[slots->columns[k]]);
		rc = update_set_apply(&worker->set, k, &target, patched,
				      &hits, err);
		if (hits)
			worker->columns[slots->columns[k]] = patched;
	}
	return rc;
}

/* Rows of a batch lie within one batch of positions in the file. */
static struct selection select_rows(struct rewrite_worker *worker,
				    const struct target_batch *batch)
{
	struct rewrite_work *work = worker->work;
	struct selection out = selection_all(batch->batch.row_count);
	uint64_t first = batch->row_ids[0];
	uint64_t keep[BITMAP_WORDS(BATCH_ROW_COUNT)] = { 0 };
	size_t span, n = 0;

	if (!work->removed)
		return out;
	span = (size_t)(batch->row_ids[out.count - 1] - first) + 1;
	assert(span <= BATCH_ROW_COUNT);
	bits_set_range(keep, 0, span);
	roaring64_clear_bits(work->removed, first - work->file->first_row,
			     span, keep);
	if (bits_count(keep, span) == span)
		return out;
	for (size_t i = 0; i < out.count; i++) {
		worker->rows[n] = (uint32_t)i;
		n += bits_get(keep, (size_t)(batch->row_ids[i] - first));
	}
	out.rows = worker->rows;
	out.count = n;
	return out;
}

static int move_batch(struct rewrite_worker *worker,
		      const struct target_batch *batch, struct error *err)
{
	struct write_context *context = worker->work->context;
	struct selection rows = select_rows(worker, batch);
	int rc;

	if (!rows.count)
		return 0;
	rc = overlay_columns(worker, batch, err);
	if (!rc && context->has_lineage)
		rc = take_lineage(worker, batch, err);
	if (rc)
		return rc;
	atomic_fetch_add(&context->moved_rows, rows.count);
	return row_sink_add(&worker->sink, worker->columns, &rows,
			    worker->work->unit_base + batch->batch.unit,
			    context->has_lineage, err);
}

static int move_rows(void *argument, size_t index, struct error *err)
{
	struct rewrite_worker *worker =
		&((struct rewrite_worker *)argument)[index];
	struct table_stream *stream = NULL;
	struct target_batch *batch;
	int rc;

	rc = updated_open(&worker->updated, worker->work, err);
	if (!rc)
		rc = table_stream_new(&stream, worker->work->scan, err);
	while (!rc) {
		rc = table_stream_next(stream, &batch, err);
		if (rc || !batch)
			break;
		rc = move_batch(worker, batch, err);
	}
	table_stream_free(stream);
	updated_close(&worker->updated);
	return rc;
}

static int worker_init(struct rewrite_worker *worker,
		       struct write_context *context, bool is_ordered,
		       struct error *err)
{
	int lane = context->has_lineage ? LANE_LINEAGE : LANE_PLAIN;
	const struct update_columns *slots = &context->update_columns;
	int rc = row_sink_init(&worker->sink, context,
			       is_ordered ? lane : -1, err);

	update_set_init(&worker->set);
	worker->patched = mem_zalloc_array(slots->count + 1,
					   sizeof(*worker->patched));
	for (size_t k = 0; worker->patched && k < slots->count; k++)
		vector_init(&worker->patched[k],
			    context->columns->columns[slots->columns[k]].type);
	worker->rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	worker->places = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	worker->columns = mem_alloc_array(context->columns->column_count + 1,
					  sizeof(*worker->columns));
	if (!rc && (!worker->rows || !worker->places || !worker->columns ||
		    !worker->patched))
		rc = no_memory(err);
	return rc;
}

static void worker_release(struct rewrite_worker *worker,
			   const struct write_context *context)
{
	row_sink_release(&worker->sink);
	update_set_release(&worker->set);
	for (size_t k = 0;
	     worker->patched && k < context->update_columns.count; k++)
		vector_release(&worker->patched[k]);
	mem_free(worker->patched);
	mem_free(worker->rows);
	mem_free(worker->places);
	mem_free(worker->columns);
}

/* Does a row of the file stay? */
static bool is_emptied(const struct rewrite_work *work)
{
	return work->removed &&
	       roaring64_cardinality(work->removed) >=
		       (uint64_t)work->file->entry->file.record_count;
}

static int rewrite_file(struct rewrite_work *work,
			struct rewrite_worker *workers, size_t worker_count,
			struct fragments *out, struct error *err)
{
	struct write_context *context = work->context;
	struct target_scan_request request = { 0 };
	size_t count = context->columns->column_count, parallel;
	size_t *columns = mem_alloc_array(count + 1, sizeof(*columns));
	int rc;

	if (!columns)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		columns[i] = i;
	request.columns = columns;
	request.column_count = count;
	rc = table_scan_new(&work->scan, context->options.files, &request,
			    context->has_lineage, work->index, err);
	mem_free(columns);
	if (rc)
		return rc;
	parallel = table_scan_parallelism(work->scan);
	if (parallel > worker_count)
		parallel = worker_count;
	rc = thread_run(parallel, move_rows, workers, err);
	table_scan_free(work->scan);
	work->scan = NULL;
	return rc ? rc : remove_data_file(work->file, out, err);
}

static int rewrite_each(struct write_context *context, const size_t *indexes,
			size_t count, struct rewrite_worker *workers,
			size_t worker_count, struct fragments *out,
			struct error *err)
{
	struct rewrite_work work = { .context = context };
	int rc = 0;

	for (size_t i = 0; i < worker_count; i++)
		workers[i].work = &work;
	for (size_t i = 0; !rc && i < count; i++) {
		work.index = indexes[i];
		work.file = &context->options.files->files[indexes[i]];
		work.unit_base = (uint64_t)i << 32;
		rc = delete_map_set(&context->deletes, indexes[i],
				    &work.removed, err);
		if (rc)
			break;
		if (is_emptied(&work))
			rc = remove_data_file(work.file, out, err);
		else
			rc = rewrite_file(&work, workers, worker_count, out,
					  err);
		delete_map_drop(&context->deletes, indexes[i]);
		update_map_drop(&context->updates, indexes[i]);
	}
	for (size_t i = 0; !rc && i < worker_count; i++)
		rc = row_sink_finish(&workers[i].sink, err);
	return rc;
}

/* Few rows are not worth threads: one worker keeps their order anyway. */
static bool are_few(const struct write_context *context,
		    const size_t *indexes, size_t count)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < count && rows <= FEW_ROWS; i++)
		rows += (uint64_t)context->options.files->files[indexes[i]]
				.entry->file.record_count;
	return rows <= FEW_ROWS;
}

int rewrite_files(struct write_context *context, const size_t *indexes,
		  size_t count, struct fragments *out, struct error *err)
{
	size_t worker_count = context->options.thread_count;
	bool few = are_few(context, indexes, count);
	struct rewrite_worker *workers;
	int rc = 0;

	if (!count)
		return 0;
	if (!worker_count || few)
		worker_count = 1;
	workers = mem_zalloc_array(worker_count, sizeof(*workers));
	if (!workers)
		return no_memory(err);
	for (size_t i = 0; !rc && i < worker_count; i++)
		rc = worker_init(&workers[i], context, !few, err);
	if (!rc)
		rc = rewrite_each(context, indexes, count, workers,
				  worker_count, out, err);
	for (size_t i = 0; i < worker_count; i++)
		worker_release(&workers[i], context);
	mem_free(workers);
	return rc;
}
