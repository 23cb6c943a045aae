/*
 * update_cost.c - what changing columns in place costs at most, for explain
 *
 * How:    the manifests say how many bytes each column takes in each file. An
 *         UPDATE that reaches every row group encodes those of its columns
 *         again and copies the rest; most reach fewer.
 * Limits: files whose manifest does not say so count as encoded again.
 */
#include <inttypes.h>
#include "table/table_state.h"

/* Bytes of a column and of all that is inside it; -1 = not known. */
static int64_t column_bytes(const struct data_file *file, int32_t field_id,
			    const struct type *type)
{
	const struct column_metrics *metrics;
	int64_t bytes = 0;

	if (!type_is_nested(type)) {
		metrics = data_file_metrics(file, field_id);
		return metrics ? metrics->column_size : -1;
	}
	for (size_t i = 0; i < type->field_count; i++) {
		int64_t more = column_bytes(file, type->fields[i].field_id,
					    &type->fields[i].type);

		if (more < 0)
			return -1;
		bytes = count_add(bytes, more);
	}
	return bytes;
}

int table_explain_update(struct table *table, const bool *updated,
			 struct text *out, struct error *err)
{
	const struct schema *schema = table_schema(table);
	struct snapshot_files *files;
	int64_t again = 0, whole = 0;
	int rc = table_files(table, &files, err);

	if (rc || !files)
		return rc;
	for (size_t f = 0; f < files->file_count; f++) {
		const struct data_file *file = &files->files[f].entry->file;
		int64_t bytes = 0;

		for (size_t i = 0; bytes >= 0 && i < schema->column_count;
		     i++) {
			int64_t more = updated[i] ? column_bytes(
				file, schema->columns[i].field_id,
				&schema->columns[i].type) : 0;

			bytes = more < 0 ? -1 : count_add(bytes, more);
		}
		if (bytes < 0 || bytes > file->file_size)
			bytes = file->file_size;
		again = count_add(again, bytes);
		whole = count_add(whole, file->file_size);
	}
	text_addf(out, "cost: if every row group of the table's %zu files has "
		  "updates, about %" PRId64 " bytes are encoded again and %"
		  PRId64 " copied\n", files->file_count, again,
		  whole - again);
	return 0;
}
