/*
 * target_layout.c - which columns decide where a row goes
 *
 * Why:    the engine shows how a MERGE redistributes rows without knowing
 *         partition specs.
 * How:    sources are looked up by field id; one inside a struct stands for
 *         its whole column.
 */
#include "table/target_layout.h"

static bool holds_field(const struct column_def *column, int32_t field_id,
			int depth)
{
	if (column->field_id == field_id)
		return true;
	if (column->type.id != TYPE_ROW || depth > TYPE_NESTING_LIMIT)
		return false;
	for (size_t i = 0; i < column->type.field_count; i++)
		if (holds_field(&column->type.fields[i], field_id, depth + 1))
			return true;
	return false;
}

static void add_source(const struct schema *schema, int32_t field_id,
		       size_t *columns, struct write_layout *out)
{
	for (size_t i = 0; i < schema->column_count; i++) {
		if (!holds_field(&schema->columns[i], field_id, 0))
			continue;
		for (size_t k = 0; k < out->column_count; k++)
			if (columns[k] == i)
				return;
		columns[out->column_count++] = i;
		return;
	}
}

int target_layout(const struct table_metadata *metadata, size_t **columns,
		  struct write_layout *out, struct error *err)
{
	const struct schema *schema = metadata_current_schema(metadata);
	const struct partition_spec *spec =
		metadata_spec(metadata, metadata->default_spec_id);
	bool all_buckets = true;

	memset(out, 0, sizeof(*out));
	*columns = NULL;
	if (!spec || !schema)
		return 0;
	*columns = mem_alloc_array(schema->column_count + 1,
				   sizeof(**columns));
	if (!*columns)
		return error_set(err, ERROR_NO_MEMORY, "layout of a table");
	for (size_t i = 0; i < spec->field_count; i++) {
		enum transform_kind kind = spec->fields[i].transform.kind;

		if (kind == TRANSFORM_VOID)
			continue;
		all_buckets = all_buckets && kind == TRANSFORM_BUCKET;
		add_source(schema, spec->fields[i].source_id, *columns, out);
	}
	out->columns = *columns;
	out->function = all_buckets ? "bucket" : "partition";
	out->skips_deletes = true;
	return 0;
}
