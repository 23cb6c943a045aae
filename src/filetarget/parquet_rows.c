/*
 * parquet_rows.c - the rows of a Parquet file as batches
 *
 * How:    a stream takes the next row group and reads all its columns side by
 *         side, a batch at a time.
 */
#include "filetarget/parquet_rows.h"

struct parquet_rows {
	struct batch_source base;	/* first */
	const struct parquet_reader *reader;
	const struct schema *schema;
	struct nested_source *nested;	/* per column; type unset: flat */
	struct arena arena;
	size_t next_group;		/* atomic */
};

struct row_stream {
	struct batch_stream base;	/* first */
	struct parquet_rows *rows;
	struct chunk_reader **chunks;	/* per column */
	struct nested_reader **nested;
	struct batch batch;
	size_t group;
	uint64_t at;			/* row of the group */
	uint64_t row_count;		/* of the group; 0 = none is open */
};

static const struct schema *rows_schema(const struct batch_source *source)
{
	return ((const struct parquet_rows *)source)->schema;
}

static size_t rows_parallelism(const struct batch_source *source)
{
	size_t groups = parquet_row_group_count(
		((const struct parquet_rows *)source)->reader);

	return groups ? groups : 1;
}

static void close_group(struct row_stream *stream)
{
	for (size_t i = 0; i < stream->rows->schema->column_count; i++) {
		chunk_reader_free(stream->chunks[i]);
		nested_reader_free(stream->nested[i]);
		stream->chunks[i] = NULL;
		stream->nested[i] = NULL;
	}
	stream->row_count = 0;
}

static int open_column(struct row_stream *stream, size_t column,
		       struct error *err)
{
	const struct parquet_rows *rows = stream->rows;
	const struct parquet_node *node =
		&parquet_root(rows->reader)->children[column];

	if (type_is_nested(&node->type))
		return nested_reader_open(&stream->nested[column],
					  rows->reader, stream->group,
					  &rows->nested[column], err);
	return chunk_reader_open(&stream->chunks[column], rows->reader,
				 stream->group, node->first_leaf, &node->type,
				 err);
}

static int open_group(struct row_stream *stream, struct error *err)
{
	struct parquet_rows *rows = stream->rows;
	int rc = 0;

	close_group(stream);
	stream->group = __atomic_fetch_add(&rows->next_group, 1,
					   __ATOMIC_RELAXED);
	if (stream->group >= parquet_row_group_count(rows->reader))
		return 0;
	stream->at = 0;
	for (size_t i = 0; !rc && i < rows->schema->column_count; i++)
		rc = open_column(stream, i, err);
	if (!rc)
		stream->row_count = parquet_row_group_rows(rows->reader,
							   stream->group);
	return rc;
}

static int read_rows(struct row_stream *stream, struct error *err)
{
	const struct parquet_rows *rows = stream->rows;
	uint64_t left = stream->row_count - stream->at;
	size_t count = left < BATCH_ROW_COUNT ? (size_t)left
					      : BATCH_ROW_COUNT;
	struct batch *batch = &stream->batch;
	int rc = 0;

	batch_reset(batch);
	for (size_t i = 0; !rc && i < rows->schema->column_count; i++)
		rc = stream->nested[i]
			? nested_reader_read(stream->nested[i], stream->at,
					     count, &batch->columns[i], err)
			: chunk_reader_read(stream->chunks[i], stream->at,
					    count, &batch->columns[i], err);
	batch->row_count = count;
	batch->first_row = parquet_row_group_first(rows->reader,
						   stream->group) + stream->at;
	batch->unit = stream->group;
	batch->origin = parquet_reader_path(rows->reader);
	stream->at += count;
	return rc;
}

static int stream_next(struct batch_stream *base, struct batch **out,
		       struct error *err)
{
	struct row_stream *stream = (struct row_stream *)base;
	size_t groups = parquet_row_group_count(stream->rows->reader);
	int rc = 0;

	*out = NULL;
	while (!rc && stream->at == stream->row_count) {
		rc = open_group(stream, err);
		if (rc || stream->group >= groups)
			return rc;
	}
	if (!rc)
		rc = read_rows(stream, err);
	if (!rc)
		*out = &stream->batch;
	return rc;
}

static void stream_free(struct batch_stream *base)
{
	struct row_stream *stream = (struct row_stream *)base;

	if (stream->chunks && stream->nested)
		close_group(stream);
	mem_free(stream->chunks);
	mem_free(stream->nested);
	batch_release(&stream->batch);
	mem_free(stream);
}

static int stream_new(struct batch_source *source, struct batch_stream **out,
		      struct error *err)
{
	struct parquet_rows *rows = (struct parquet_rows *)source;
	size_t count = rows->schema->column_count;
	struct row_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "Parquet rows");
	stream->base.next = stream_next;
	stream->base.free = stream_free;
	stream->rows = rows;
	stream->chunks = mem_zalloc_array(count + 1, sizeof(*stream->chunks));
	stream->nested = mem_zalloc_array(count + 1, sizeof(*stream->nested));
	rc = batch_init(&stream->batch, rows->schema, err);
	if (!rc && (!stream->chunks || !stream->nested))
		rc = error_set(err, ERROR_NO_MEMORY, "Parquet rows");
	if (rc) {
		stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static void rows_free(struct batch_source *source)
{
	struct parquet_rows *rows = (struct parquet_rows *)source;

	arena_release(&rows->arena);
	mem_free(rows);
}

int parquet_rows_new(struct batch_source **out,
		     const struct parquet_reader *reader,
		     const struct schema *schema, struct error *err)
{
	struct parquet_rows *rows = mem_zalloc(sizeof(*rows));
	const struct parquet_node *root = parquet_root(reader);
	int rc = 0;

	*out = NULL;
	if (!rows)
		return error_set(err, ERROR_NO_MEMORY, "Parquet rows");
	rows->base.schema = rows_schema;
	rows->base.parallelism = rows_parallelism;
	rows->base.stream_new = stream_new;
	rows->base.free = rows_free;
	rows->reader = reader;
	rows->schema = schema;
	arena_init(&rows->arena, 0);
	rows->nested = arena_zalloc_array(&rows->arena, root->child_count + 1,
					  sizeof(*rows->nested));
	if (!rows->nested)
		rc = error_set(err, ERROR_NO_MEMORY, "Parquet rows");
	for (size_t i = 0; !rc && i < root->child_count; i++)
		if (type_is_nested(&root->children[i].type))
			rc = nested_source_of_node(&rows->nested[i],
						   &root->children[i],
						   &rows->arena, err);
	if (rc) {
		rows_free(&rows->base);
		return rc;
	}
	*out = &rows->base;
	return 0;
}
