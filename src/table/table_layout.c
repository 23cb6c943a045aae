/*
 * table_layout.c - columns, spec and order of a table that is made
 *
 * Why:    PARTITIONED BY and the sort order name columns, whose ids are given
 *         only when the table is made, or made anew.
 * How:    the columns are numbered first, then the terms are looked up.
 */
#include "table/table_state.h"

int32_t table_number_columns(struct column_def *columns, size_t count,
			     int32_t last)
{
	for (size_t i = 0; i < count; i++)
		columns[i].field_id = ++last;
	for (size_t i = 0; i < count; i++)
		last = table_number_columns(columns[i].type.fields,
					    columns[i].type.field_count,
					    last);
	return last;
}

/* The id of the column that the options mean by 1 + its ordinal. */
static int32_t real_source(const struct schema *schema, int32_t source_id)
{
	if (source_id < 1 || (size_t)source_id > schema->column_count)
		return 0;
	return schema->columns[source_id - 1].field_id;
}

static int no_column(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "a partition or sort field without a column");
}

static int renumber_spec(const struct partition_spec *from,
			 const struct schema *schema, struct arena *arena,
			 struct partition_spec *out, struct error *err)
{
	*out = *from;
	out->fields = arena_copy(arena, from->fields, from->field_count *
				 sizeof(*out->fields));
	if (!out->fields)
		return error_set(err, ERROR_NO_MEMORY, "partition spec");
	for (size_t i = 0; i < out->field_count; i++) {
		struct partition_field *field = &out->fields[i];

		field->source_id = real_source(schema, field->source_id);
		if (!field->source_id)
			return no_column(err);
	}
	return 0;
}

static int renumber_order(const struct sort_order *from,
			  const struct schema *schema, struct arena *arena,
			  struct sort_order *out, struct error *err)
{
	*out = *from;
	out->fields = arena_copy(arena, from->fields, from->field_count *
				 sizeof(*out->fields));
	if (!out->fields)
		return error_set(err, ERROR_NO_MEMORY, "sort order");
	for (size_t i = 0; i < out->field_count; i++) {
		struct sort_field *field = &out->fields[i];

		field->source_id = real_source(schema, field->source_id);
		if (!field->source_id)
			return no_column(err);
	}
	return 0;
}

int table_prepare_layout(const struct table_create_options *options,
			 const struct schema *schema, struct arena *arena,
			 struct partition_spec *spec, struct sort_order *order,
			 struct error *err)
{
	int rc;

	memset(order, 0, sizeof(*order));
	if (options->spec)
		rc = renumber_spec(options->spec, schema, arena, spec, err);
	else
		rc = partition_spec_from_terms(schema,
					       options->partition_terms,
					       options->partition_term_count,
					       arena, spec, err);
	if (rc)
		return rc;
	if (options->sort_order)
		return renumber_order(options->sort_order, schema, arena,
				      order, err);
	return sort_order_from_terms(schema, options->sort_terms,
				     options->sort_term_count, arena, order,
				     err);
}
