/*
 * nested_format.c - packed values to text
 *
 * Why:    people and other programs read nested values as JSON; messages and
 *         explain show them as SQL.
 * How:    recursively, a value at a time.
 * Limits: JSON has no NaN and no infinities, they become strings; the key of
 *         a map is always a string, that of a nested key holds JSON again.
 */
#include "column/nested_layout.h"
#include "column/value_format.h"

#include <math.h>

static bool add_json_string(const struct literal *value, struct text *out)
{
	struct text text = TEXT_INIT;
	struct byte_view bytes = value->value.bytes;
	bool ok;

	if (value->type.id == TYPE_VARCHAR)
		return text_add_json(out, bytes.length
				     ? (const char *)bytes.data : "",
				     bytes.length);
	ok = format_literal(value, &text) &&
	     text_add_json(out, text.data ? text.data : "", text.length);
	text_release(&text);
	return ok;
}

static bool add_json(const struct literal *value, struct text *out)
{
	if (value->is_null)
		return text_add_str(out, "null");
	switch (value->type.id) {
	case TYPE_BOOLEAN:
	case TYPE_TINYINT:
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_DECIMAL:
		return format_literal(value, out);
	case TYPE_REAL:
		return isfinite(value->value.real)
			? format_literal(value, out)
			: add_json_string(value, out);
	case TYPE_DOUBLE:
		return isfinite(value->value.real64)
			? format_literal(value, out)
			: add_json_string(value, out);
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return nested_format_json(&value->type, value->value.bytes,
					  out);
	default:
		return add_json_string(value, out);
	}
}

bool nested_format_json(const struct type *type, struct byte_view packed,
			struct text *out)
{
	size_t count = nested_count(type, packed), at = 0;
	bool is_list = type->id == TYPE_ARRAY;

	if (!text_add_char(out, is_list ? '[' : '{'))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct literal value;
		bool ok = i == 0 || text_add_char(out, ',');

		if (type->id == TYPE_ROW) {
			const char *name = type->fields[i].name;

			ok = ok && text_add_json(out, name, strlen(name)) &&
			     text_add_char(out, ':');
		} else if (type->id == TYPE_MAP) {
			value = nested_key(type, packed, i);
			ok = ok && add_json_string(&value, out) &&
			     text_add_char(out, ':');
		}
		value = nested_walk(type, packed, i, &at);
		if (!ok || !add_json(&value, out))
			return false;
	}
	return text_add_char(out, is_list ? ']' : '}');
}

/* Values or keys, separated by commas. */
static bool add_sql_list(const struct type *type, struct byte_view packed,
			 bool keys, struct text *out)
{
	size_t count = nested_count(type, packed), at = 0;

	for (size_t i = 0; i < count; i++) {
		struct literal value = keys
			? nested_key(type, packed, i)
			: nested_walk(type, packed, i, &at);

		if ((i && !text_add_str(out, ", ")) ||
		    !format_literal_sql(&value, out))
			return false;
	}
	return true;
}

bool nested_format_sql(const struct type *type, struct byte_view packed,
		       struct text *out)
{
	switch (type->id) {
	case TYPE_ROW:
		return text_add_str(out, "ROW(") &&
		       add_sql_list(type, packed, false, out) &&
		       text_add_char(out, ')');
	case TYPE_ARRAY:
		return text_add_str(out, "ARRAY[") &&
		       add_sql_list(type, packed, false, out) &&
		       text_add_char(out, ']');
	default:
		return text_add_str(out, "MAP(ARRAY[") &&
		       add_sql_list(type, packed, true, out) &&
		       text_add_str(out, "], ARRAY[") &&
		       add_sql_list(type, packed, false, out) &&
		       text_add_str(out, "])");
	}
}
