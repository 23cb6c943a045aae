/*
 * table_stream.c - the batches of a scan
 *
 * Why:    merges and queries want rows as columns, each with its number, and
 *         more columns only for the rows that turned out to matter.
 * How:    a stream takes tasks, and reads a row group in spans that begin at
 *         multiples of a batch, as pages of our own files do: then a column
 *         is a slice of a decoded page. Spans without deleted rows are given
 *         as they are; else only the rows that are left are gathered. Columns
 *         fetched later have readers of their own on the same row group.
 * Cost:   per row the decoding of the columns asked for and 8 bytes of number.
 * Limits: for one thread; what a batch points to is valid until the next one.
 */
#include "table/scan/stream_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "scan of a table");
}

static void close_columns(struct table_stream *stream)
{
	for (size_t i = 0; i < stream->scan->schema->column_count; i++)
		stream_column_close(&stream->columns[i], stream->scan);
	stream_column_close(&stream->lineage, stream->scan);
	stream_equality_close(stream);
}

/* Back from the current task, if any. */
static void leave_task(struct table_stream *stream)
{
	close_columns(stream);
	stream->in_group = false;
	if (stream->file)
		scan_file_done(stream->file);
	stream->file = NULL;
	for (size_t i = 0; i < stream->scan->schema->column_count; i++)
		stream->columns[i].resolved = false;
	stream->lineage.resolved = false;
}

/* The next task; stream->file stays NULL at the end. */
static int take_task(struct table_stream *stream, struct error *err)
{
	struct table_scan *scan = stream->scan;
	uint64_t n = scan->next_task++;
	const struct scan_task *task;
	size_t groups;
	int rc;

	if (n >= scan->task_count)
		return 0;
	task = &scan->tasks[n];
	stream->unit = n;
	stream->file = &scan->scan_files[task->file];
	rc = scan_file_open(scan, stream->file, true, err);
	if (rc)
		return rc;
	groups = parquet_row_group_count(stream->file->reader);
	stream->group = task->first_group;
	stream->group_limit = task->group_limit < groups ? task->group_limit
							 : groups;
	stream->planned = task->planned;
	return stream_equality_open(stream, err);
}

/* Which spans of the group are worth reading. */
static int choose_spans(struct table_stream *stream, struct error *err)
{
	size_t count = (size_t)((stream->group_rows + BATCH_ROW_COUNT - 1) /
				BATCH_ROW_COUNT);

	if (count > stream->span_capacity) {
		uint64_t *bigger = mem_realloc_array(
			stream->spans, BITMAP_WORDS(count), sizeof(uint64_t));

		if (!bigger)
			return no_memory(err);
		stream->spans = bigger;
		stream->span_capacity = BITMAP_WORDS(count) * 64;
	}
	stream->span_count = count;
	bits_set_range(stream->spans, 0, count);
	if (!stream->scan->range_count)
		return 0;
	return page_filter(stream->scan, stream->file, stream->current,
			   stream->spans, count, err);
}

/* Can the group hold a wanted row? */
static int ask_filters(struct table_stream *stream, bool *may_match,
		       struct error *err)
{
	struct table_scan *scan = stream->scan;
	int rc = 0;

	*may_match = true;
	if (!scan->range_count)
		return 0;
	if (!stream->planned)
		rc = group_filter(scan, stream->file, stream->current,
				  may_match, err);
	if (!rc && *may_match)
		rc = value_filter(scan, stream->file, stream->current,
				  may_match, err);
	return rc;
}

/* Enter the next row group of the task, if it may match. */
static int next_group(struct table_stream *stream, struct error *err)
{
	struct table_scan *scan = stream->scan;
	const struct parquet_reader *reader = stream->file->reader;
	bool may_match;
	int rc;

	close_columns(stream);
	stream->in_group = false;
	if (stream->group >= stream->group_limit) {
		leave_task(stream);
		return 0;
	}
	stream->current = stream->group++;
	rc = ask_filters(stream, &may_match, err);
	if (rc)
		return rc;
	if (!may_match) {
		scan->groups_pruned++;
		return 0;
	}
	scan->groups_scanned++;
	stream->group_rows = parquet_row_group_rows(reader, stream->current);
	stream->group_first = parquet_row_group_first(reader,
						      stream->current);
	stream->next_span = 0;
	stream->in_group = true;
	return choose_spans(stream, err);
}

/* The rows of the span that are not deleted by position. */
static void keep_live(struct table_stream *stream)
{
	size_t count = stream->span_rows;

	stream->is_compact = false;
	stream->kept_count = count;
	if (!stream->file->deletes)
		return;
	bits_set_range(stream->keep, 0, count);
	roaring64_clear_bits(stream->file->deletes,
			     stream->group_first + stream->span_first, count,
			     stream->keep);
	stream_keep_rows(stream, stream->keep);
}

void stream_keep_rows(struct table_stream *stream, const uint64_t *keep)
{
	size_t count = stream->kept_count, n = 0;

	if (bits_count(keep, count) == count)
		return;
	for (size_t word = 0; word * 64 < count; word++) {
		uint64_t bits = keep[word];

		if (count - word * 64 < 64)
			bits &= (UINT64_C(1) << (count - word * 64)) - 1;
		for (; bits; bits &= bits - 1) {
			size_t i = word * 64 + (size_t)__builtin_ctzll(bits);

			stream->kept[n++] = stream->is_compact
						    ? stream->kept[i]
						    : (uint32_t)i;
		}
	}
	stream->kept_count = n;
	stream->is_compact = true;
}

static void number_rows(struct table_stream *stream)
{
	uint64_t first = stream->file->file->first_row +
			 stream->group_first + stream->span_first;

	if (stream->is_compact)
		for (size_t i = 0; i < stream->kept_count; i++)
			stream->row_ids[i] = first + stream->kept[i];
	else
		for (size_t i = 0; i < stream->kept_count; i++)
			stream->row_ids[i] = first + i;
	stream->out.row_ids = stream->row_ids;
}

/* Read the span that was chosen; *any is false if no row of it is left. */
static int read_span(struct table_stream *stream, bool *any,
		     struct error *err)
{
	struct table_scan *scan = stream->scan;
	struct batch *batch = &stream->out.batch;
	int rc;

	keep_live(stream);
	rc = stream_equality_apply(stream, err);
	*any = stream->kept_count > 0;
	if (rc || !*any)
		return rc;
	for (size_t i = 0; !rc && i < scan->column_count; i++) {
		size_t c = scan->columns[i];

		rc = stream_column_read(stream, &stream->columns[c],
					&scan->schema->columns[c],
					&batch->columns[c], err);
	}
	if (rc)
		return rc;
	batch->row_count = stream->kept_count;
	batch->unit = stream->unit;
	number_rows(stream);
	batch->first_row = stream->row_ids[0];
	scan->rows_scanned += stream->kept_count;
	return scan->want_lineage ? stream_lineage_read(stream, err) : 0;
}

int table_stream_next(struct table_stream *stream, struct target_batch **out,
		      struct error *err)
{
	*out = NULL;
	for (;;) {
		bool any = false;
		int rc = interrupt_check(err);

		if (rc)
			return rc;
		if (!stream->file) {
			rc = take_task(stream, err);
			if (rc || !stream->file)
				return rc;
		}
		if (!stream->in_group ||
		    stream->next_span >= stream->span_count) {
			rc = next_group(stream, err);
			if (rc)
				return rc;
			continue;
		}
		stream->span_first = (uint64_t)stream->next_span *
				     BATCH_ROW_COUNT;
		stream->span_rows = BATCH_ROW_COUNT;
		if (stream->group_rows - stream->span_first <
		    BATCH_ROW_COUNT)
			stream->span_rows = (size_t)(stream->group_rows -
						     stream->span_first);
		if (!bits_get(stream->spans, stream->next_span++))
			continue;
		rc = read_span(stream, &any, err);
		if (rc)
			return rc;
		if (any) {
			*out = &stream->out;
			return 0;
		}
	}
}

int table_stream_new(struct table_stream **out, struct table_scan *scan,
		     struct error *err)
{
	size_t columns = scan->schema->column_count;
	struct table_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return no_memory(err);
	stream->scan = scan;
	stream->columns = mem_zalloc_array(columns + 1,
					   sizeof(*stream->columns));
	stream->kept = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	stream->picked = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	stream->row_ids = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	if (scan->want_lineage)
		stream->lineage_ids = mem_alloc_array(BATCH_ROW_COUNT,
						      sizeof(int64_t));
	vector_init(&stream->lineage_values, type_of(TYPE_BIGINT));
	rc = batch_init(&stream->out.batch, scan->schema, err);
	if (!rc && (!stream->columns || !stream->kept || !stream->picked ||
		    !stream->row_ids ||
		    (scan->want_lineage && !stream->lineage_ids)))
		rc = no_memory(err);
	if (rc) {
		table_stream_free(stream);
		return rc;
	}
	*out = stream;
	return 0;
}

void table_stream_free(struct table_stream *stream)
{
	if (!stream)
		return;
	if (stream->columns) {
		leave_task(stream);
		for (size_t i = 0; i < stream->scan->schema->column_count;
		     i++)
			stream_column_release(&stream->columns[i],
					      stream->scan);
	}
	stream_equality_release(stream);
	vector_release(&stream->lineage_values);
	batch_release(&stream->out.batch);
	mem_free(stream->columns);
	mem_free(stream->kept);
	mem_free(stream->picked);
	mem_free(stream->row_ids);
	mem_free(stream->lineage_ids);
	mem_free(stream->spans);
	mem_free(stream);
}
