#ifndef SOURCE_JSON_COLUMNS_H
#define SOURCE_JSON_COLUMNS_H
#include "source/csv_convert.h"

/*
 * The quick way from JSON Lines to columns that are neither nested nor
 * binary. It gives the same as the exact one (json_rows.c), or leaves the
 * rows to that. For one thread.
 */
struct json_columns;

/* *out NULL with 0: what is wanted has no quick way. What the conversion says
 * is kept. Errors: ERROR_NO_MEMORY. */
int json_columns_new(struct json_columns **out,
		     const struct csv_conversion *what, struct error *err);
void json_columns_free(struct json_columns *self);
/*
 * Fill the wanted columns of batch (reset by the caller) and row_count; text
 * points into the chunk or the batch's heap. *done_out false: some row is
 * wrong, and nothing in the batch is to be used. Errors: ERROR_NO_MEMORY.
 */
int json_columns_convert(struct json_columns *self,
			 const struct csv_rows *rows, struct batch *batch,
			 bool *done_out, struct error *err);

/* The column that a member is for, tried first at expected; SIZE_MAX = none. */
size_t json_column_find(const struct schema *schema, const char *key,
			size_t expected);
/* Line of row i of rows, without its end. */
struct byte_view json_row_text(const struct csv_rows *rows, size_t i);
#endif
