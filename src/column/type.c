/*
 * type.c - SQL types: width, equality, name
 *
 * Why:    every room asks how wide a value is and what its type is called.
 * How:    a type is a plain value; nested types point to their fields, which
 *         are compared by name, nullability and type (not by field id, so
 *         that a query's ROW equals a table's).
 * Limits: deeper than TYPE_NESTING_LIMIT levels nothing is equal and names
 *         are cut; who builds types refuses such depth.
 */
#include "column/type.h"
#include "column/schema.h"
#include <stdio.h>

static const char *const simple_names[] = {
	[TYPE_UNKNOWN] = "UNKNOWN",
	[TYPE_BOOLEAN] = "BOOLEAN",
	[TYPE_TINYINT] = "TINYINT",
	[TYPE_INTEGER] = "INTEGER",
	[TYPE_BIGINT] = "BIGINT",
	[TYPE_REAL] = "REAL",
	[TYPE_DOUBLE] = "DOUBLE",
	[TYPE_DECIMAL] = "DECIMAL",
	[TYPE_DATE] = "DATE",
	[TYPE_TIME] = "TIME",
	[TYPE_TIMESTAMP] = "TIMESTAMP",
	[TYPE_TIMESTAMP_TZ] = "TIMESTAMP WITH TIME ZONE",
	[TYPE_VARCHAR] = "VARCHAR",
	[TYPE_VARBINARY] = "VARBINARY",
	[TYPE_FIXED] = "FIXED",
	[TYPE_UUID] = "UUID",
	[TYPE_ROW] = "ROW",
	[TYPE_ARRAY] = "ARRAY",
	[TYPE_MAP] = "MAP",
};

bool type_is_numeric(const struct type *type)
{
	switch (type->id) {
	case TYPE_TINYINT:
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_REAL:
	case TYPE_DOUBLE:
	case TYPE_DECIMAL:
		return true;
	default:
		return false;
	}
}

static bool equal_to_depth(const struct type *a, const struct type *b,
			   unsigned depth)
{
	if (a->id != b->id)
		return false;
	if (a->id == TYPE_DECIMAL)
		return a->precision == b->precision && a->scale == b->scale;
	if (a->id == TYPE_FIXED)
		return a->length == b->length;
	if (!type_is_nested(a))
		return true;
	if (a->field_count != b->field_count || depth >= TYPE_NESTING_LIMIT)
		return false;
	for (size_t i = 0; i < a->field_count; i++) {
		const struct column_def *fa = &a->fields[i];
		const struct column_def *fb = &b->fields[i];

		if (a->id == TYPE_ROW && strcmp(fa->name, fb->name) != 0)
			return false;
		if (fa->required != fb->required ||
		    !equal_to_depth(&fa->type, &fb->type, depth + 1))
			return false;
	}
	return true;
}

bool type_equal(const struct type *a, const struct type *b)
{
	return equal_to_depth(a, b, 0);
}

size_t type_width(const struct type *type)
{
	switch (type->id) {
	case TYPE_UNKNOWN:
	case TYPE_BOOLEAN:
	case TYPE_TINYINT:
		return 1;
	case TYPE_INTEGER:
	case TYPE_REAL:
	case TYPE_DATE:
		return 4;
	case TYPE_BIGINT:
	case TYPE_DOUBLE:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return 8;
	case TYPE_DECIMAL:
		return type_is_short_decimal(type) ? 8 : 16;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return sizeof(struct byte_view);
	case TYPE_UUID:
		return sizeof(struct uuid);
	default:
		return 0;
	}
}

/* The name of a type without fields; false if it does not fit. */
static bool format_simple(const struct type *type, char *out, size_t size)
{
	const char *name = "UNKNOWN";
	int length;

	if ((size_t)type->id < ARRAY_COUNT(simple_names))
		name = simple_names[type->id];
	if (type->id == TYPE_DECIMAL)
		length = snprintf(out, size, "%s(%u,%u)", name,
				  type->precision, type->scale);
	else if (type->id == TYPE_FIXED)
		length = snprintf(out, size, "%s(%u)", name, type->length);
	else
		length = snprintf(out, size, "%s", name);
	return length >= 0 && (size_t)length < size;
}

/* A field's name as SQL source: bare if it is a plain identifier. */
static bool format_field_name(const char *name, struct text *out)
{
	bool plain = (*name >= 'a' && *name <= 'z') ||
		     (*name >= 'A' && *name <= 'Z') || *name == '_';

	for (const char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		      (*c >= '0' && *c <= '9') || *c == '_'))
			plain = false;
	if (plain)
		return text_add_str(out, name);
	if (!text_add_char(out, '"'))
		return false;
	for (const char *c = name; *c; c++)
		if ((*c == '"' && !text_add_char(out, '"')) ||
		    !text_add_char(out, *c))
			return false;
	return text_add_char(out, '"');
}

static bool format_to_depth(const struct type *type, struct text *out,
			    unsigned depth)
{
	char simple[TYPE_NAME_BYTES];

	format_simple(type, simple, sizeof(simple));
	if (!text_add_str(out, simple))
		return false;
	if (!type_is_nested(type))
		return true;
	if (depth >= TYPE_NESTING_LIMIT)
		return text_add_str(out, "(...)");
	if (!text_add_char(out, '('))
		return false;
	for (size_t i = 0; i < type->field_count; i++) {
		const struct column_def *field = &type->fields[i];

		if (i > 0 && !text_add_str(out, ", "))
			return false;
		if (type->id == TYPE_ROW && *field->name &&
		    (!format_field_name(field->name, out) ||
		     !text_add_char(out, ' ')))
			return false;
		if (!format_to_depth(&field->type, out, depth + 1))
			return false;
	}
	return text_add_char(out, ')');
}

bool type_format(const struct type *type, struct text *out)
{
	return format_to_depth(type, out, 0);
}

const char *type_name(const struct type *type, char buffer[TYPE_NAME_BYTES])
{
	struct text text = TEXT_INIT;

	format_simple(type, buffer, TYPE_NAME_BYTES);
	if (!type_is_nested(type))
		return buffer;
	if (type_format(type, &text))
		snprintf(buffer, TYPE_NAME_BYTES, "%s", text.data);
	text_release(&text);
	return buffer;
}
