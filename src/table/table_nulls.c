/*
 * table_nulls.c - has a column a NULL in any row of a table?
 *
 * Why:    SET NOT NULL is a promise about the rows that are there.
 * How:    the counts of the files' metrics say so mostly; rows that deletes
 *         take away are only fewer. Where a file has no count (others wrote
 *         it, or the column came after it) the column is read.
 * Limits: a field of a ROW, ARRAY or MAP is not read: without counts it is
 *         said to have NULLs. So it is when its ROW is NULL somewhere.
 */
#include "table/table_state.h"

/* Does every file say that it has values in the column and no NULL? */
static bool counts_say_none(const struct snapshot_files *files,
			    int32_t field_id)
{
	for (size_t i = 0; i < files->file_count; i++) {
		const struct data_file *file = &files->files[i].entry->file;
		const struct column_metrics *metrics =
			data_file_metrics(file, field_id);

		if (file->record_count == 0)
			continue;
		if (!metrics || metrics->null_count != 0 ||
		    metrics->value_count < 1)
			return false;
	}
	return true;
}

static int read_column(struct batch_source *source, size_t column, bool *out,
		       struct error *err)
{
	struct batch_stream *stream;
	struct batch *batch;
	int rc = source->stream_new(source, &stream, err);

	if (rc)
		return rc;
	do {
		rc = interrupt_check(err);
		if (!rc)
			rc = stream->next(stream, &batch, err);
		if (!rc && batch && batch->row_count &&
		    vector_null_count(&batch->columns[column]))
			*out = true;
	} while (!rc && batch && !*out);
	stream->free(stream);
	return rc;
}

static int scan_column(struct table *table, size_t column, bool *out,
		       struct error *err)
{
	size_t count = table->schema->column_count;
	struct batch_source *source = NULL;
	bool *wanted = mem_zalloc_array(count, sizeof(*wanted));
	int rc;

	if (!wanted)
		return error_set(err, ERROR_NO_MEMORY, "column check");
	wanted[column] = true;
	*out = false;
	rc = table_source_new(&source, table, wanted, NULL, 0, err);
	if (!rc)
		rc = read_column(source, column, out, err);
	if (source)
		source->free(source);
	mem_free(wanted);
	return rc;
}

int table_column_nulls(void *context, int32_t field_id, bool *out,
		       struct error *err)
{
	struct table *table = context;
	struct snapshot_files *files;
	long column;
	int rc;

	*out = false;
	if (!table->snapshot)
		return 0;
	rc = table_files(table, &files, err);
	if (rc || counts_say_none(files, field_id))
		return rc;
	*out = true;
	column = schema_find_id(table->schema, field_id);
	return column < 0 ? 0 : scan_column(table, (size_t)column, out, err);
}
