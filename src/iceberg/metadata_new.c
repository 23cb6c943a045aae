/*
 * metadata_new.c - the metadata of a table that is being created
 *
 * Why:    CREATE TABLE needs a first document; ids are given here.
 * How:    the columns of a struct get their ids before what is nested in
 *         them, as iceberg-java does; so top-level columns are 1, 2, 3, ...
 */
#include "iceberg/metadata_json.h"

#define FIRST_PARTITION_ID 1000

static void assign_ids(struct column_def *columns, size_t count,
		       int32_t *last)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].field_id <= 0)
			columns[i].field_id = ++*last;
	for (size_t i = 0; i < count; i++)
		assign_ids(columns[i].type.fields, columns[i].type.field_count,
			   last);
}

static int add_schema(struct table_metadata *m, const struct schema *schema,
		      struct error *err)
{
	int rc;

	m->schemas = arena_zalloc(&m->arena, sizeof(*m->schemas));
	if (!m->schemas)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	rc = schema_copy(m->schemas, schema, err);
	if (rc)
		return rc;
	m->schema_count = 1;
	m->schemas->schema_id = 0;
	m->last_column_id = highest_field_id(m->schemas->columns,
					     m->schemas->column_count, 0);
	assign_ids(m->schemas->columns, m->schemas->column_count,
		   &m->last_column_id);
	return 0;
}

static bool copy_transform(struct table_metadata *m,
			   struct transform *transform)
{
	transform->text = arena_strdup(&m->arena, transform->text);
	return transform->text != NULL;
}

static bool add_spec(struct table_metadata *m,
		     const struct partition_spec *spec)
{
	size_t count = spec ? spec->field_count : 0;
	struct partition_field *fields;

	m->last_partition_id = FIRST_PARTITION_ID - 1;
	m->specs = arena_zalloc(&m->arena, sizeof(*m->specs));
	fields = arena_zalloc_array(&m->arena, count + 1, sizeof(*fields));
	if (!m->specs || !fields)
		return false;
	m->spec_count = 1;
	m->specs->fields = fields;
	m->specs->field_count = count;
	for (size_t i = 0; i < count; i++)
		if (spec->fields[i].field_id > m->last_partition_id)
			m->last_partition_id = spec->fields[i].field_id;
	for (size_t i = 0; i < count; i++) {
		fields[i] = spec->fields[i];
		fields[i].name = arena_strdup(&m->arena, fields[i].name);
		if (!fields[i].name ||
		    !copy_transform(m, &fields[i].transform))
			return false;
		if (fields[i].field_id <= 0)
			fields[i].field_id = ++m->last_partition_id;
	}
	return true;
}

/* Order 0 is the unsorted one; a table that is made with an order has that
 * one alone. */
static bool add_order(struct table_metadata *m,
		      const struct sort_order *order)
{
	size_t count = order ? order->field_count : 0;
	struct sort_field *fields;

	m->sort_orders = arena_zalloc_array(&m->arena, 2,
					    sizeof(*m->sort_orders));
	fields = arena_zalloc_array(&m->arena, count + 1, sizeof(*fields));
	if (!m->sort_orders || !fields)
		return false;
	m->sort_order_count = 1;
	if (!count)
		return true;
	m->sort_orders->order_id = 1;
	m->sort_orders->fields = fields;
	m->sort_orders->field_count = count;
	m->default_sort_order_id = 1;
	for (size_t i = 0; i < count; i++) {
		fields[i] = order->fields[i];
		if (!copy_transform(m, &fields[i].transform))
			return false;
	}
	return true;
}

static int add_identity(struct table_metadata *m, const char *location,
			struct error *err)
{
	char text[UUID_TEXT_BYTES];
	size_t length = strlen(location);
	struct uuid uuid;
	int rc;

	while (length > 1 && location[length - 1] == '/')
		length--;
	rc = uuid_random(&uuid, err);
	if (rc)
		return rc;
	uuid_format(&uuid, text);
	m->table_uuid = arena_strdup(&m->arena, text);
	m->location = arena_strndup(&m->arena, location, length);
	/* lists that we never fill, which readers expect to be there */
	m->extra = arena_strdup(&m->arena, "\"statistics\":[],"
				"\"partition-statistics\":[]");
	if (!m->table_uuid || !m->location || !m->extra)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	return 0;
}

int table_metadata_new(struct table_metadata **out,
		       const struct table_metadata_options *options,
		       struct error *err)
{
	struct table_metadata *m;
	int rc;

	*out = NULL;
	if (options->format_version != 2 && options->format_version != 3)
		return error_set(err, ERROR_UNSUPPORTED,
				 "creating tables of format version %d",
				 (int)options->format_version);
	m = mem_zalloc(sizeof(*m));
	if (!m)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	arena_init(&m->arena, 0);
	m->format_version = options->format_version;
	m->last_updated_ms = options->now_ms;
	m->current_snapshot_id = -1;
	m->next_row_id = m->format_version >= 3 ? 0 : -1;
	rc = add_identity(m, options->location, err);
	if (!rc)
		rc = add_schema(m, options->schema, err);
	if (!rc && (!add_spec(m, options->spec) ||
		    !add_order(m, options->sort_order)))
		rc = error_set(err, ERROR_NO_MEMORY, "table metadata");
	for (size_t i = 0; !rc && i < options->property_count; i++)
		rc = metadata_set_property(m, options->properties[i].key,
					   options->properties[i].value, err);
	if (rc) {
		table_metadata_free(m);
		return rc;
	}
	*out = m;
	return 0;
}
