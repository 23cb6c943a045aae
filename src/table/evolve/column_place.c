/*
 * column_place.c - columns at any depth: found, put in, taken out
 *
 * Why:    a statement says a.b.element.c; whoever changes it needs to know
 *         what it lies in: a map's key may not change what the others may.
 * How:    down the path, by exact name, else by the only one that differs in
 *         case alone. Arrays and maps are entered by element, key and value.
 *         A list of columns grows by being copied in the schema's arena.
 */
#include <stdio.h>
#include "table/evolve/evolve_state.h"

const char *path_text(const struct column_path *path,
		      char buffer[PATH_TEXT_BYTES])
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < path->count && used < PATH_TEXT_BYTES; i++) {
		int length = snprintf(buffer + used, PATH_TEXT_BYTES - used,
				      i ? ".%s" : "%s", path->parts[i]);

		if (length < 0)
			break;
		used += (size_t)length;
	}
	return buffer;
}

long column_find_name(const struct column_def *columns, size_t count,
		      const char *name)
{
	long found = -1;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(columns[i].name, name))
			return (long)i;
	for (size_t i = 0; i < count; i++) {
		if (!text_equal_nocase(columns[i].name, name))
			continue;
		if (found >= 0)
			return -2;
		found = (long)i;
	}
	return found;
}

struct column_def *siblings_of(const struct schema *schema,
			       const struct column_def *parent,
			       size_t *count_out)
{
	*count_out = parent ? parent->type.field_count
			    : schema->column_count;
	return parent ? parent->type.fields : schema->columns;
}

static int not_found(const struct column_path *path, long found,
		     struct error *err)
{
	char text[PATH_TEXT_BYTES];

	if (found == -2)
		return error_set(err, ERROR_AMBIGUOUS_COLUMN, "several "
				 "columns are '%s' but for their case",
				 path_text(path, text));
	return error_set(err, ERROR_UNKNOWN_COLUMN, "there is no column '%s'",
			 path_text(path, text));
}

/* What a step into a column of an outer one means for what is below. */
static void note_outer(const struct column_def *outer, size_t index,
		       struct column_place *out)
{
	if (outer->type.id == TYPE_MAP && !index)
		out->in_key = true;
	if (outer->type.id != TYPE_ROW)
		out->in_collection = true;
	else if (!outer->required)
		out->in_optional = true;
}

int column_find(const struct schema *schema, const struct column_path *path,
		struct column_place *out, struct error *err)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < path->count; i++) {
		struct column_def *columns;
		size_t count;
		long found;

		out->parent = out->column;
		columns = siblings_of(schema, out->parent, &count);
		found = column_find_name(columns, count, path->parts[i]);
		if (found < 0)
			return not_found(path, found, err);
		if (out->parent)
			note_outer(out->parent, (size_t)found, out);
		out->column = &columns[found];
		out->index = (size_t)found;
	}
	return 0;
}

int columns_insert(struct schema *schema, struct column_def *parent,
		   size_t index, const struct column_def *column,
		   struct error *err)
{
	struct column_def *old, *columns;
	size_t count;

	old = siblings_of(schema, parent, &count);
	columns = arena_zalloc_array(&schema->arena, count + 1,
				     sizeof(*columns));
	if (!columns)
		return error_set(err, ERROR_NO_MEMORY, "new column");
	if (index)
		memcpy(columns, old, index * sizeof(*columns));
	columns[index] = *column;
	if (count > index)
		memcpy(columns + index + 1, old + index,
		       (count - index) * sizeof(*columns));
	if (parent) {
		parent->type.fields = columns;
		parent->type.field_count = count + 1;
		return 0;
	}
	schema->columns = columns;
	schema->column_count = schema->capacity = count + 1;
	return 0;
}

void columns_remove(struct schema *schema, struct column_def *parent,
		    size_t index)
{
	size_t count;
	struct column_def *columns = siblings_of(schema, parent, &count);

	memmove(columns + index, columns + index + 1,
		(count - index - 1) * sizeof(*columns));
	if (parent)
		parent->type.field_count--;
	else
		schema->column_count--;
}

static const struct column_def *find_id(const struct column_def *columns,
					size_t count, int32_t field_id)
{
	for (size_t i = 0; i < count; i++) {
		const struct type *type = &columns[i].type;
		const struct column_def *found;

		if (columns[i].field_id == field_id)
			return &columns[i];
		found = find_id(type->fields, type->field_count, field_id);
		if (found)
			return found;
	}
	return NULL;
}

const struct column_def *column_by_id(const struct schema *schema,
				      int32_t field_id)
{
	return find_id(schema->columns, schema->column_count, field_id);
}

static bool add_name(const struct column_def *columns, size_t count,
		     int32_t field_id, struct text *out)
{
	size_t length = out->length;

	for (size_t i = 0; i < count; i++) {
		const struct type *type = &columns[i].type;

		if (length)
			text_add_char(out, '.');
		text_add_str(out, columns[i].name);
		if (columns[i].field_id == field_id ||
		    add_name(type->fields, type->field_count, field_id, out))
			return true;
		out->length = length;
		if (out->data)
			out->data[length] = '\0';
	}
	return false;
}

bool column_full_name(const struct schema *schema, int32_t field_id,
		      struct text *out)
{
	text_reset(out);
	return add_name(schema->columns, schema->column_count, field_id,
			out) && !out->failed;
}
