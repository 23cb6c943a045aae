/*
 * schema.c - the columns of a table, a file or a query
 *
 * Why:    everybody passes column lists around; one owner per list keeps
 *         their names, nested types and defaults alive.
 * How:    all of it lies in the schema's arena and is freed at once. A
 *         definition is copied deeply, so that the original may go.
 * Limits: types nested deeper than TYPE_NESTING_LIMIT are ERROR_UNSUPPORTED.
 */
#include "column/schema.h"

void schema_init(struct schema *schema)
{
	memset(schema, 0, sizeof(*schema));
	arena_init(&schema->arena, 0);
}

void schema_release(struct schema *schema)
{
	arena_release(&schema->arena);
	schema_init(schema);
}

static int copy_literal(struct literal **out, const struct literal *literal,
			struct arena *arena, struct error *err)
{
	*out = NULL;
	if (!literal)
		return 0;
	*out = arena_zalloc(arena, sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "column default");
	return literal_copy(*out, literal, arena, err);
}

static int copy_text(char **out, const char *text, struct arena *arena,
		     struct error *err)
{
	*out = NULL;
	if (!text)
		return 0;
	*out = arena_strdup(arena, text);
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "column definition");
	return 0;
}

static int copy_def(struct column_def *out, const struct column_def *def,
		    struct arena *arena, unsigned depth, struct error *err);

static int copy_fields(struct type *type, struct arena *arena, unsigned depth,
		       struct error *err)
{
	const struct column_def *fields = type->fields;
	int rc;

	if (type->field_count == 0)
		return 0;
	if (depth >= TYPE_NESTING_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "type nested deeper than %d levels",
				 TYPE_NESTING_LIMIT);
	type->fields = arena_zalloc_array(arena, type->field_count,
					  sizeof(*type->fields));
	if (!type->fields)
		return error_set(err, ERROR_NO_MEMORY, "nested type");
	for (size_t i = 0; i < type->field_count; i++) {
		rc = copy_def(&type->fields[i], &fields[i], arena, depth + 1,
			      err);
		if (rc)
			return rc;
	}
	return 0;
}

static int copy_def(struct column_def *out, const struct column_def *def,
		    struct arena *arena, unsigned depth, struct error *err)
{
	int rc;

	*out = *def;
	rc = copy_text(&out->name, def->name, arena, err);
	if (!rc)
		rc = copy_text(&out->doc, def->doc, arena, err);
	if (!rc)
		rc = copy_fields(&out->type, arena, depth, err);
	if (!rc)
		rc = copy_literal(&out->initial_default, def->initial_default,
				  arena, err);
	if (!rc)
		rc = copy_literal(&out->write_default, def->write_default,
				  arena, err);
	return rc;
}

/* Room for one more column; the old array stays in the arena. */
static int grow_columns(struct schema *schema, struct error *err)
{
	size_t capacity = schema->capacity ? schema->capacity * 2 : 16;
	struct column_def *columns;

	if (schema->column_count < schema->capacity)
		return 0;
	columns = arena_zalloc_array(&schema->arena, capacity,
				     sizeof(*columns));
	if (!columns)
		return error_set(err, ERROR_NO_MEMORY, "schema");
	if (schema->column_count)
		memcpy(columns, schema->columns,
		       schema->column_count * sizeof(*columns));
	schema->columns = columns;
	schema->capacity = capacity;
	return 0;
}

int schema_add(struct schema *schema, const struct column_def *def,
	       struct error *err)
{
	struct column_def copy;
	int rc;

	rc = copy_def(&copy, def, &schema->arena, 0, err);
	if (!rc)
		rc = grow_columns(schema, err);
	if (rc)
		return rc;
	schema->columns[schema->column_count++] = copy;
	return 0;
}

int schema_add_column(struct schema *schema, const char *name,
		      struct type type, struct error *err)
{
	struct column_def def;

	memset(&def, 0, sizeof(def));
	def.name = (char *)name;
	def.type = type;
	return schema_add(schema, &def, err);
}

int schema_copy(struct schema *out, const struct schema *schema,
		struct error *err)
{
	int rc;

	schema_init(out);
	for (size_t i = 0; i < schema->column_count; i++) {
		rc = schema_add(out, &schema->columns[i], err);
		if (rc) {
			schema_release(out);
			return rc;
		}
	}
	out->schema_id = schema->schema_id;
	return 0;
}

long schema_find(const struct schema *schema, const char *name)
{
	long found = -1;

	for (size_t i = 0; i < schema->column_count; i++)
		if (strcmp(schema->columns[i].name, name) == 0)
			return (long)i;
	for (size_t i = 0; i < schema->column_count; i++) {
		if (!text_equal_nocase(schema->columns[i].name, name))
			continue;
		if (found >= 0)
			return -2;
		found = (long)i;
	}
	return found;
}

long schema_find_id(const struct schema *schema, int32_t field_id)
{
	for (size_t i = 0; i < schema->column_count; i++)
		if (schema->columns[i].field_id == field_id)
			return (long)i;
	return -1;
}
