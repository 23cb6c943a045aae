/*
 * join_part.c - right rows ready to be probed
 *
 * How:    a table by all keys, its chains in the order of the input. For IN
 *         that can be unknown also the rows whose compared key is NULL, and
 *         tables by the keys that correlate.
 */
#include "query/join_state.h"

void join_part_free(struct join_part *part)
{
	if (!part)
		return;
	join_table_free(part->table);
	join_table_free(part->null_table);
	join_table_free(part->group_table);
	row_store_free(part->null_store);
	row_store_free(part->store);
	mem_free(part);
}

/* Rows of a chunk whose compared key is NULL. */
static int add_null_rows(struct join_source *source, struct join_part *part,
			 size_t c, struct row_store_writer *writer,
			 const struct vector **columns, struct error *err)
{
	const struct join_side *side = &source->right;
	struct store_chunk *chunk = row_store_chunk(part->store, c);
	const struct vector *key =
		&chunk->columns[side->key_columns[source->join->key_count -
						  1]];
	struct row_origin origin = { 0 };
	struct selection_buffer rows;
	int rc = interrupt_check(err);

	if (rc || !vector_has_nulls(key))
		return rc;
	rc = selection_buffer_init(&rows, chunk->row_count, err);
	if (rc)
		return rc;
	origin.lines = chunk->lines;
	for (size_t i = 0; i < chunk->row_count; i++)
		if (vector_is_null(key, i))
			rows.rows[rows.count++] = (uint32_t)i;
	for (size_t i = 0; i < side->column_count; i++)
		columns[i] = &chunk->columns[i];
	if (rows.count) {
		struct selection some = selection_of(&rows);

		rc = row_store_append_from(writer, columns, &origin, &some,
					   NULL, err);
	}
	selection_buffer_release(&rows);
	return rc;
}

static int keep_null_rows(struct join_source *source, struct join_part *part,
			  struct error *err)
{
	const struct join_side *side = &source->right;
	struct row_store_writer *writer = NULL;
	const struct vector **columns;
	int rc = row_store_new(&part->null_store, side->types, side->stored,
			       side->column_count, err);

	columns = mem_zalloc_array(side->column_count + 1, sizeof(*columns));
	if (!rc && !columns)
		rc = error_set(err, ERROR_NO_MEMORY, "join");
	if (!rc)
		rc = row_store_writer_new(&writer, part->null_store, err);
	for (size_t c = 0; !rc && c < row_store_chunk_count(part->store); c++)
		rc = add_null_rows(source, part, c, writer, columns, err);
	row_store_writer_free(writer);
	mem_free(columns);
	return rc;
}

static int make_tables(struct join_source *source, struct join_part *part,
		       struct error *err)
{
	const struct query_join *join = source->join;
	const struct join_side *side = &source->right;
	struct join_table_options options = {
		side->key_columns, source->null_safe, join->key_count
	};
	int rc = 0;

	if (join->key_count)
		rc = join_table_new(&part->table, part->store, &options, err);
	if (!rc && part->table)
		join_table_order(part->table, side->column_count - 2,
				 side->column_count - 1);
	if (rc || !join->null_aware || !join->key_count)
		return rc;
	rc = keep_null_rows(source, part, err);
	options.key_count--;
	if (rc || !options.key_count)
		return rc;
	rc = join_table_new(&part->null_table, part->null_store, &options,
			    err);
	if (!rc)
		rc = join_table_new(&part->group_table, part->store, &options,
				    err);
	return rc;
}

int join_part_new(struct join_part **out, struct join_source *source,
		  struct row_store *store, struct error *err)
{
	struct join_part *part = mem_zalloc(sizeof(*part));
	int rc;

	*out = NULL;
	if (!part)
		return error_set(err, ERROR_NO_MEMORY, "join");
	part->store = store;
	part->row_count = row_store_row_count(store);
	rc = make_tables(source, part, err);
	if (rc) {
		part->store = NULL;
		join_part_free(part);
		return rc;
	}
	*out = part;
	return 0;
}
