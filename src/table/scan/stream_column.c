/*
 * stream_column.c - the values of one column for the rows of a span
 *
 * Why:    a column is a chunk of the file, a constant, or NULL, and is wanted
 *         for all rows of a span, for those not deleted, or for a few.
 * How:    where the column is in the file is found once per file, its chunk is
 *         opened once per row group. A column that the batch already has is
 *         taken from there, so that its chunk does not move under the batch.
 */
#include "table/scan/stream_state.h"

#define FIELD_ROW_ID INT32_C(2147483540)

void stream_column_close(struct stream_column *column,
			 struct table_scan *scan)
{
	if (column->chunk)
		scan->bytes_read += chunk_reader_bytes_read(column->chunk);
	if (column->nested)
		scan->bytes_read += nested_reader_bytes_read(column->nested);
	chunk_reader_free(column->chunk);
	nested_reader_free(column->nested);
	column->chunk = NULL;
	column->nested = NULL;
}

void stream_column_release(struct stream_column *column,
			   struct table_scan *scan)
{
	stream_column_close(column, scan);
	if (column->has_fetched)
		vector_release(&column->fetched);
	column->has_fetched = false;
	arena_release(&column->arena);
}

/* Where the column is in the file at hand. */
static int find_source(struct table_stream *stream,
		       struct stream_column *column,
		       const struct column_def *def, struct error *err)
{
	struct source_request request = {
		stream->scan->files, &stream->scan->names,
		stream->file->reader, &stream->file->file->entry->file,
		&column->arena
	};
	int rc;

	arena_reset(&column->arena);
	rc = column_source_find(&request, def, &column->source, err);
	column->resolved = !rc;
	return rc;
}

/* Have the column's place in the file, and its chunks if it has any. */
static int open_column(struct table_stream *stream,
		       struct stream_column *column,
		       const struct column_def *def, struct error *err)
{
	const struct parquet_reader *reader = stream->file->reader;
	int rc = 0;

	if (column->chunk || column->nested)
		return 0;
	if (!column->resolved)
		rc = find_source(stream, column, def, err);
	if (!rc && column->source.is_leaf)
		rc = chunk_reader_open(&column->chunk, reader, stream->current,
				       column->source.leaf, &def->type, err);
	else if (!rc && column->source.is_nested)
		rc = nested_reader_open(&column->nested, reader,
					stream->current,
					&column->source.nested, err);
	if (rc == ERROR_UNSUPPORTED)
		error_field(err, def->name);
	return rc;
}

static int fill_constant(const struct stream_column *column, size_t count,
			 struct vector *out, struct error *err)
{
	if (!type_equal(&out->type, &column->source.constant.type))
		vector_set_type(out, column->source.constant.type);
	vector_reset(out);
	return vector_fill(out, &column->source.constant, count, err);
}

/* Rows of the span, count from its first on. */
static int read_rows(struct table_stream *stream,
		     struct stream_column *column, size_t count,
		     struct vector *out, struct error *err)
{
	if (column->chunk)
		return chunk_reader_read(column->chunk, stream->span_first,
					 count, out, err);
	if (column->nested)
		return nested_reader_read(column->nested, stream->span_first,
					  count, out, err);
	return fill_constant(column, count, out, err);
}

/* Some rows of the span. */
static int pick_rows(struct table_stream *stream,
		     struct stream_column *column,
		     const struct selection *rows, struct vector *out,
		     struct error *err)
{
	if (column->chunk)
		return chunk_reader_gather(column->chunk, stream->span_first,
					   rows->rows, rows->count, out, err);
	if (column->nested)
		return nested_reader_gather(column->nested, stream->span_first,
					    rows->rows, rows->count, out, err);
	return fill_constant(column, rows->count, out, err);
}

int stream_column_read_span(struct table_stream *stream,
			    struct stream_column *column,
			    const struct column_def *def,
			    struct vector *out, struct error *err)
{
	int rc = open_column(stream, column, def, err);

	return rc ? rc
		  : read_rows(stream, column, stream->span_rows, out, err);
}

int stream_column_read(struct table_stream *stream,
		       struct stream_column *column,
		       const struct column_def *def, struct vector *out,
		       struct error *err)
{
	struct selection kept = { stream->kept, stream->kept_count };
	int rc;

	if (!stream->is_compact)
		return stream_column_read_span(stream, column, def, out, err);
	rc = open_column(stream, column, def, err);
	return rc ? rc : pick_rows(stream, column, &kept, out, err);
}

int stream_lineage_read(struct table_stream *stream, struct error *err)
{
	static char name[] = "_row_id";
	const struct column_def def = {
		.name = name,
		.type = { .id = TYPE_BIGINT },
		.field_id = FIELD_ROW_ID,
	};
	struct vector *values = &stream->lineage_values;
	int64_t first = stream->file->file->entry->file.first_row_id;
	size_t count = stream->kept_count;
	bool stored;
	int rc;

	rc = stream_column_read(stream, &stream->lineage, &def, values, err);
	if (rc)
		return rc;
	stored = stream->lineage.source.is_leaf;
	if (first >= 0)
		first -= (int64_t)stream->file->file->first_row;
	for (size_t i = 0; i < count; i++) {
		if (stored && !vector_is_null(values, i))
			stream->lineage_ids[i] = vector_i64(values)[i];
		else if (stream->file->file->entry->file.first_row_id < 0)
			stream->lineage_ids[i] = INT64_MIN;
		else
			stream->lineage_ids[i] =
				first + (int64_t)stream->row_ids[i];
	}
	stream->out.lineage_ids = stream->lineage_ids;
	return 0;
}

/* Is the column part of every batch? */
static bool is_in_batch(const struct table_stream *stream, size_t column)
{
	const struct table_scan *scan = stream->scan;

	for (size_t i = 0; i < scan->column_count; i++)
		if (scan->columns[i] == column)
			return true;
	return false;
}

static int fetch_from_batch(struct table_stream *stream, size_t ordinal,
			    const struct selection *rows, struct vector *out,
			    struct error *err)
{
	const struct vector *values = &stream->out.batch.columns[ordinal];
	struct stream_column *column = &stream->columns[ordinal];
	int rc;

	if (!rows->rows && rows->count == values->count) {
		vector_reference(out, values);
		return 0;
	}
	if (!column->has_fetched) {
		vector_init(&column->fetched, values->type);
		column->has_fetched = true;
	}
	for (size_t i = 0; !rows->rows && i < rows->count; i++)
		stream->picked[i] = (uint32_t)i;
	rc = vector_gather(&column->fetched, values,
			   rows->rows ? rows->rows : stream->picked,
			   rows->count, NULL, err);
	if (!rc)
		vector_reference(out, &column->fetched);
	return rc;
}

int table_stream_fetch(struct table_stream *stream, size_t column,
		       const struct selection *rows, struct vector *out,
		       struct error *err)
{
	const struct column_def *def = &stream->scan->schema->columns[column];
	struct stream_column *source = &stream->columns[column];
	struct selection wanted = *rows;
	int rc;

	if (is_in_batch(stream, column))
		return fetch_from_batch(stream, column, rows, out, err);
	rc = open_column(stream, source, def, err);
	if (rc)
		return rc;
	if (stream->is_compact) {
		for (size_t i = 0; i < rows->count; i++)
			stream->picked[i] =
				stream->kept[selection_row(rows, i)];
		wanted.rows = stream->picked;
	}
	return wanted.rows ? pick_rows(stream, source, &wanted, out, err)
			   : read_rows(stream, source, rows->count, out, err);
}
