/*
 * default_value.c - DEFAULTs of columns
 *
 * Why:    version 3 has a place for them in the schema: what old rows have
 *         (given once, when the column is added) and what new rows get.
 *         Version 2 has none: there the second is a property that names the
 *         field id, which we alone honour.
 * How:    a value is cast to its column's type as text by the rules of input,
 *         where an assignment would: numbers to wider ones, text to anything.
 * Limits: no defaults of ROW, ARRAY and MAP; few engines read those.
 */
#include <stdio.h>
#include "table/evolve/evolve_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "column default");
}

static bool is_assignable(const struct type *from, const struct type *to)
{
	if (from->id == to->id || from->id == TYPE_VARCHAR)
		return true;
	switch (to->id) {
	case TYPE_INTEGER:
	case TYPE_BIGINT:
		return from->id == TYPE_INTEGER || from->id == TYPE_BIGINT;
	case TYPE_DECIMAL:
		return from->id == TYPE_INTEGER || from->id == TYPE_BIGINT;
	case TYPE_REAL:
	case TYPE_DOUBLE:
		return type_is_numeric(from);
	case TYPE_TIMESTAMP:
		return from->id == TYPE_DATE;
	case TYPE_FIXED:
		return from->id == TYPE_VARBINARY;
	default:
		return false;
	}
}

static int cast(const struct literal *from, const struct column_def *column,
		struct arena *arena, struct literal *out, struct error *err)
{
	char name[TYPE_NAME_BYTES];
	struct text text = TEXT_INIT;
	char *copy;
	int rc;

	if (!format_literal(from, &text)) {
		text_release(&text);
		return no_memory(err);
	}
	copy = arena_strndup(arena, text.data ? text.data : "", text.length);
	rc = copy ? parse_value(copy, text.length, &column->type, arena, out)
		  : ERROR_NO_MEMORY;
	text_release(&text);
	if (rc == ERROR_NO_MEMORY)
		return no_memory(err);
	if (rc)
		return error_set(err, ERROR_TYPE_MISMATCH, "the DEFAULT of "
				 "column '%s' is not a value of %s",
				 column->name,
				 type_name(&column->type, name));
	return 0;
}

int default_cast(const struct literal *from, const struct column_def *column,
		 struct arena *arena, struct literal **out,
		 struct error *err)
{
	char was[TYPE_NAME_BYTES], is[TYPE_NAME_BYTES];

	*out = NULL;
	if (type_is_nested(&column->type))
		return error_set(err, ERROR_UNSUPPORTED, "column '%s' is %s; "
				 "a DEFAULT is for single values",
				 column->name, type_name(&column->type, is));
	if (!is_assignable(&from->type, &column->type))
		return error_set(err, ERROR_TYPE_MISMATCH, "the DEFAULT of "
				 "column '%s' is %s, not %s", column->name,
				 type_name(&from->type, was),
				 type_name(&column->type, is));
	*out = arena_zalloc(arena, sizeof(**out));
	if (!*out)
		return no_memory(err);
	if (type_equal(&from->type, &column->type))
		return literal_copy(*out, from, arena, err);
	return cast(from, column, arena, *out, err);
}

static void property_key(const struct column_def *column,
			 char key[DEFAULT_PROPERTY_BYTES])
{
	snprintf(key, DEFAULT_PROPERTY_BYTES, DEFAULT_PROPERTY "%d",
		 (int)column->field_id);
}

int default_set_property(struct evolution *e, const struct column_def *column,
			 const struct literal *value)
{
	char key[DEFAULT_PROPERTY_BYTES];
	struct text text = TEXT_INIT;
	int rc;

	property_key(column, key);
	if (!value)
		return metadata_set_property(e->m, key, NULL, e->err);
	rc = format_literal(value, &text)
		     ? metadata_set_property(e->m, key, text.length
					     ? text.data : "", e->err)
		     : no_memory(e->err);
	text_release(&text);
	return rc;
}

/* Version 2: only for columns at the top. */
static int set_in_property(struct evolution *e,
			   const struct column_place *place,
			   const struct literal *value)
{
	if (!place->parent)
		return default_set_property(e, place->column, value);
	error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "a DEFAULT of the field "
		  "'%s' needs format version 3", place->column->name);
	return error_hint(e->err, "upgrade the table to format version 3");
}

int evolve_default(struct evolution *e, const struct table_change *change)
{
	const struct literal *value = change->default_value;
	struct column_place place;
	struct literal *kept = NULL;
	int rc;

	rc = column_find(&e->schema, &change->path, &place, e->err);
	if (!rc && !place.column)
		rc = error_set(e->err, ERROR_BAD_ARGUMENT,
			       "a change of no column");
	if (rc)
		return rc;
	if (place.parent && place.parent->type.id != TYPE_ROW)
		return error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "'%s' is "
				 "part of the type of '%s' and has no DEFAULT",
				 place.column->name, place.parent->name);
	if (change->kind == TABLE_SET_DEFAULT && value && !value->is_null)
		rc = default_cast(value, place.column, &e->schema.arena,
				  &kept, e->err);
	if (rc)
		return rc;
	if (e->m->format_version < 3)
		return set_in_property(e, &place, kept);
	place.column->write_default = kept;
	/* one that came as a property, before an upgrade by others */
	return default_set_property(e, place.column, NULL);
}

/* Exact: all of these have an equal value in the wider type. */
static struct literal *widened(struct evolution *e, const struct literal *old,
			       const struct type *to)
{
	struct literal *out;

	if (!old)
		return NULL;
	out = arena_zalloc(&e->schema.arena, sizeof(*out));
	if (!out)
		return NULL;
	*out = *old;
	out->type = *to;
	if (old->is_null)
		return out;
	if (to->id == TYPE_BIGINT)
		out->value.int64 = old->value.int32;
	else if (to->id == TYPE_DOUBLE)
		out->value.real64 = old->value.real;
	return out;
}

static int widen_property(struct evolution *e,
			  const struct column_def *column,
			  const struct type *to)
{
	char key[DEFAULT_PROPERTY_BYTES];
	struct literal value, *wide;
	const char *text;

	property_key(column, key);
	text = metadata_property(e->m, key);
	if (!text || parse_value(text, strlen(text), &column->type,
				 &e->schema.arena, &value))
		return 0;
	wide = widened(e, &value, to);
	return wide ? default_set_property(e, column, wide)
		    : no_memory(e->err);
}

int default_widen(struct evolution *e, struct column_def *column,
		  const struct type *to)
{
	struct literal *initial = widened(e, column->initial_default, to);
	struct literal *write = widened(e, column->write_default, to);

	if ((column->initial_default && !initial) ||
	    (column->write_default && !write))
		return no_memory(e->err);
	column->initial_default = initial;
	column->write_default = write;
	return widen_property(e, column, to);
}

int defaults_upgrade(struct evolution *e)
{
	for (size_t i = 0; i < e->schema.column_count; i++) {
		struct column_def *column = &e->schema.columns[i];
		struct arena *arena = &e->schema.arena;
		char key[DEFAULT_PROPERTY_BYTES];
		struct literal value;
		const char *text;
		char *copy;
		int rc;

		property_key(column, key);
		text = metadata_property(e->m, key);
		if (!text || column->write_default)
			continue;
		copy = arena_strdup(arena, text);
		if (!copy)
			return no_memory(e->err);
		if (parse_value(copy, strlen(copy), &column->type, arena,
				&value))
			continue;
		column->write_default = arena_copy(arena, &value,
						   sizeof(value));
		if (!column->write_default)
			return no_memory(e->err);
		rc = metadata_set_property(e->m, key, NULL, e->err);
		if (rc)
			return rc;
	}
	return 0;
}
