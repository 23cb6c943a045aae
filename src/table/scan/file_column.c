/*
 * file_column.c - where a column is in a data file, for those who write it
 *
 * Why:    a file that is written again column by column keeps the positions
 *         of rows, deleted ones included; a scan would leave those out.
 */
#include "table/scan/scan_state.h"

int table_file_column(const struct snapshot_files *files,
		      const struct parquet_reader *reader,
		      const struct data_file *file,
		      const struct column_def *column, struct arena *arena,
		      struct file_column *out, struct error *err)
{
	const struct name_map no_names = { 0 };
	struct source_request request = { files, &no_names, reader, file,
					  arena };
	struct column_source source;
	int rc = column_source_find(&request, column, &source, err);

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	out->is_leaf = source.is_leaf;
	out->is_nested = source.is_nested;
	out->leaf = source.leaf;
	out->nested = source.nested;
	out->constant = source.constant;
	return 0;
}
