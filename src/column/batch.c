/*
 * batch.c - rows as columns
 *
 * Why:    work is done a few thousand rows at a time: large enough that the
 *         cost of a call does not count, small enough to stay in the cache.
 * How:    one vector per column and one arena for the bytes of its values;
 *         both keep their memory from one filling to the next.
 */
#include "column/batch.h"

static int init_columns(struct batch *batch, size_t column_count,
			struct error *err)
{
	memset(batch, 0, sizeof(*batch));
	arena_init(&batch->heap, 0);
	batch->columns = mem_zalloc_array(column_count ? column_count : 1,
					  sizeof(*batch->columns));
	if (!batch->columns)
		return error_set(err, ERROR_NO_MEMORY, "batch of %zu columns",
				 column_count);
	batch->column_count = column_count;
	return 0;
}

int batch_init(struct batch *batch, const struct schema *schema,
	       struct error *err)
{
	int rc = init_columns(batch, schema->column_count, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < schema->column_count; i++)
		vector_init(&batch->columns[i], schema->columns[i].type);
	return 0;
}

int batch_init_types(struct batch *batch, const struct type *types,
		     size_t column_count, struct error *err)
{
	int rc = init_columns(batch, column_count, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < column_count; i++)
		vector_init(&batch->columns[i], types[i]);
	return 0;
}

void batch_release(struct batch *batch)
{
	for (size_t i = 0; i < batch->column_count; i++)
		vector_release(&batch->columns[i]);
	mem_free(batch->columns);
	arena_release(&batch->heap);
	memset(batch, 0, sizeof(*batch));
}

void batch_reset(struct batch *batch)
{
	for (size_t i = 0; i < batch->column_count; i++)
		vector_reset(&batch->columns[i]);
	arena_reset(&batch->heap);
	batch->row_count = 0;
	batch->lines = NULL;
	batch->first_row = 0;
	batch->unit = 0;
}
