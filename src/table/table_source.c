/*
 * table_source.c - a table as an input of rows
 *
 * Why:    queries and merges read tables as they read files.
 * How:    a scan of the wanted columns; each stream of it is a batch stream.
 *         One with ranges has the snapshot's files for itself, unless all are
 *         known: reading more manifests is not for others to see.
 */
#include "table/table_state.h"

struct table_source {
	struct batch_source source;	/* first: callers hold this */
	struct table *table;
	struct snapshot_files *own_files;	/* NULL = the table's */
	struct table_scan *scan;
};

struct table_batches {
	struct batch_stream stream;	/* first */
	struct table_stream *rows;
};

static const struct schema *source_schema(const struct batch_source *source)
{
	return ((const struct table_source *)source)->table->schema;
}

static size_t source_parallelism(const struct batch_source *source)
{
	return table_scan_parallelism(
		((const struct table_source *)source)->scan);
}

static int batches_next(struct batch_stream *stream, struct batch **out,
			struct error *err)
{
	struct target_batch *batch;
	int rc;

	*out = NULL;
	rc = table_stream_next(((struct table_batches *)stream)->rows, &batch,
			       err);
	if (!rc && batch)
		*out = &batch->batch;
	return rc;
}

static void batches_free(struct batch_stream *stream)
{
	table_stream_free(((struct table_batches *)stream)->rows);
	mem_free(stream);
}

static int source_stream_new(struct batch_source *source,
			     struct batch_stream **out, struct error *err)
{
	struct table_source *self = (struct table_source *)source;
	struct table_batches *batches = mem_zalloc(sizeof(*batches));
	int rc;

	*out = NULL;
	if (!batches)
		return error_set(err, ERROR_NO_MEMORY, "rows of a table");
	batches->stream.next = batches_next;
	batches->stream.free = batches_free;
	rc = table_stream_new(&batches->rows, self->scan, err);
	if (rc) {
		mem_free(batches);
		return rc;
	}
	*out = &batches->stream;
	return 0;
}

static void source_free(struct batch_source *source)
{
	struct table_source *self = (struct table_source *)source;

	table_scan_free(self->scan);
	snapshot_files_free(self->own_files);
	mem_free(self);
}

static int find_files(struct table_source *source, struct table *table,
		      size_t range_count, struct snapshot_files **out,
		      struct error *err)
{
	int rc;

	if (!range_count || table->files)
		return table_files(table, out, err);
	rc = table_files_new(table, &source->own_files, err);
	*out = source->own_files;
	return rc;
}

int table_source_new(struct batch_source **out, struct table *table,
		     const bool *wanted, const struct column_range *ranges,
		     size_t range_count, struct error *err)
{
	struct target_scan_request request = { NULL, 0, ranges, range_count };
	struct table_source *source = mem_zalloc(sizeof(*source));
	size_t *columns = mem_alloc_array(table->schema->column_count + 1,
					  sizeof(*columns));
	struct snapshot_files *files;
	int rc = 0;

	*out = NULL;
	if (!source || !columns)
		rc = error_set(err, ERROR_NO_MEMORY, "rows of a table");
	for (size_t i = 0; !rc && i < table->schema->column_count; i++)
		if (!wanted || wanted[i])
			columns[request.column_count++] = i;
	request.columns = columns;
	if (!rc)
		rc = find_files(source, table, range_count, &files, err);
	if (!rc)
		rc = table_scan_new(&source->scan, files, &request, false,
				    SIZE_MAX, err);
	mem_free(columns);
	if (rc) {
		if (source)
			snapshot_files_free(source->own_files);
		mem_free(source);
		return rc;
	}
	source->table = table;
	source->source.schema = source_schema;
	source->source.parallelism = source_parallelism;
	source->source.stream_new = source_stream_new;
	source->source.free = source_free;
	*out = &source->source;
	return 0;
}
