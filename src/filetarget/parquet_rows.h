#ifndef FILETARGET_PARQUET_ROWS_H
#define FILETARGET_PARQUET_ROWS_H
#include "parquet/parquet.h"

/*
 * The rows of a Parquet file with all its columns, as batches; streams share
 * out the row groups. unit is the row group, first_row the row number.
 */
int parquet_rows_new(struct batch_source **out,
		     const struct parquet_reader *reader,
		     const struct schema *schema, struct error *err);
#endif
