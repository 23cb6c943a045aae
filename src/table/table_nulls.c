/*
 * table_nulls.c - has a column a NULL in any row of a table?
 *
 * Why:    SET NOT NULL is a promise about the rows that are there.
 * How:    the counts of the files' metrics say so mostly; rows that deletes
 *         take away are only fewer. Where a file has no count (others wrote
 *         it, or the column came after it) or counts a NULL that may be its
 *         ROW's, the column is read and unpacked down to the field.
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

/* Is the field of this id below the columns? *at is which it is in. */
static bool find_field(const struct column_def *columns, size_t count,
		       int32_t field_id, size_t *at)
{
	size_t below;

	for (*at = 0; *at < count; ++*at) {
		const struct type *type = &columns[*at].type;

		if (columns[*at].field_id == field_id ||
		    find_field(type->fields, type->field_count, field_id,
			       &below))
			return true;
	}
	return false;
}

static int field_nulls(const struct vector *vector, int32_t field_id,
		       bool *out, struct error *err);

/* A NULL in a ROW that is NULL itself is none. */
static int row_nulls(const struct vector *rows, size_t field,
		     const struct column_def *def, int32_t field_id,
		     bool *out, struct error *err)
{
	struct vector values;
	int rc;

	vector_init(&values, def->type);
	rc = nested_unpack_rows(rows, field, &values, err);
	if (!rc && def->field_id != field_id)
		rc = field_nulls(&values, field_id, out, err);
	else if (!rc)
		for (size_t i = 0; i < rows->count && !*out; i++)
			*out = vector_is_null(&values, i) &&
			       !vector_is_null(rows, i);
	vector_release(&values);
	return rc;
}

/* Elements, keys or values of lists. */
static int list_nulls(const struct vector *lists, size_t field,
		      const struct column_def *def, int32_t field_id,
		      bool *out, struct error *err)
{
	const struct type *type = &lists->type;
	struct vector parts[2];
	uint32_t *offsets = mem_alloc_array(lists->count + 1,
					    sizeof(*offsets));
	int rc;

	if (!offsets)
		return error_set(err, ERROR_NO_MEMORY, "column check");
	for (size_t i = 0; i < type->field_count; i++)
		vector_init(&parts[i], type->fields[i].type);
	rc = type->id == TYPE_MAP
		     ? nested_unpack_maps(lists, &parts[0], &parts[1],
					  offsets, err)
		     : nested_unpack_lists(lists, &parts[0], offsets, err);
	if (!rc && def->field_id != field_id)
		rc = field_nulls(&parts[field], field_id, out, err);
	else if (!rc)
		*out = vector_null_count(&parts[field]) != 0;
	for (size_t i = 0; i < type->field_count; i++)
		vector_release(&parts[i]);
	mem_free(offsets);
	return rc;
}

/* Has the field a NULL in these values of a nested type? */
static int field_nulls(const struct vector *vector, int32_t field_id,
		       bool *out, struct error *err)
{
	const struct type *type = &vector->type;
	size_t field;

	if (!find_field(type->fields, type->field_count, field_id, &field))
		return 0;
	if (type->id == TYPE_ROW)
		return row_nulls(vector, field, &type->fields[field],
				 field_id, out, err);
	return list_nulls(vector, field, &type->fields[field], field_id, out,
			  err);
}

static int read_column(struct batch_source *source,
		       const struct column_def *columns, size_t column,
		       int32_t field_id, bool *out, struct error *err)
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
		if (rc || !batch || !batch->row_count)
			continue;
		if (columns[column].field_id == field_id)
			*out = vector_null_count(&batch->columns[column]);
		else
			rc = field_nulls(&batch->columns[column], field_id,
					 out, err);
	} while (!rc && batch && !*out);
	stream->free(stream);
	return rc;
}

static int scan_column(struct table *table, size_t column, int32_t field_id,
		       bool *out, struct error *err)
{
	size_t count = table->schema->column_count;
	struct batch_source *source = NULL;
	bool *wanted = mem_zalloc_array(count, sizeof(*wanted));
	int rc;

	if (!wanted)
		return error_set(err, ERROR_NO_MEMORY, "column check");
	wanted[column] = true;
	rc = table_source_new(&source, table, wanted, NULL, 0, err);
	if (!rc)
		rc = read_column(source, table->schema->columns, column,
				 field_id, out, err);
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
	size_t column;
	int rc;

	*out = false;
	if (!table->snapshot)
		return 0;
	rc = table_files(table, &files, err);
	if (rc || counts_say_none(files, field_id))
		return rc;
	if (find_field(table->schema->columns, table->schema->column_count,
		       field_id, &column))
		return scan_column(table, column, field_id, out, err);
	*out = true;	/* whose values cannot be seen */
	return 0;
}
