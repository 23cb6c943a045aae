/*
 * parse_nested_type.c - ROW, ARRAY and MAP
 *
 * Why:    a column may hold a record, a list or a dictionary, at any depth.
 * How:    Trino's ROW(a INTEGER, b VARCHAR), ARRAY(T), T ARRAY and MAP(K, V),
 *         and what users of Spark and DuckDB write: STRUCT<a: INT>,
 *         ARRAY<T>, MAP<K, V>, STRUCT(a INT), T[]. A field of a ROW without
 *         a name has the empty one; only a CAST may leave names out.
 * Limits: TYPE_NESTING_LIMIT levels; no sizes of arrays.
 */
#include "sql/parser.h"

static bool is_row_word(const struct sql_parser *parser, size_t ahead)
{
	return parser_is_at(parser, ahead, "ROW") ||
	       parser_is_at(parser, ahead, "STRUCT");
}

bool parser_at_nested_type(const struct sql_parser *parser, size_t ahead)
{
	uint16_t next = parser_peek(parser, ahead + 1).kind;

	return (next == '(' || next == '<') &&
	       (is_row_word(parser, ahead) ||
		parser_is_at(parser, ahead, "ARRAY") ||
		parser_is_at(parser, ahead, "MAP"));
}

static int enter_type(struct sql_parser *parser, const struct sql_place *place)
{
	if (parser->type_depth < TYPE_NESTING_LIMIT) {
		parser->type_depth++;
		return 0;
	}
	return sql_error(parser->err, ERROR_UNSUPPORTED, place,
			 "a type nested deeper than %d levels",
			 TYPE_NESTING_LIMIT);
}

/* A type that is part of another, with NOT NULL and COMMENT. */
static int parse_part(struct sql_parser *parser, const char *name,
		      struct column_def *out, uint32_t *length)
{
	uint32_t own_length;
	int rc = parse_type(parser, &out->type, &own_length);

	out->name = (char *)(uintptr_t)name;
	if (rc)
		return rc;
	if (own_length)
		*length = own_length;
	if (parser_accept(parser, "NOT NULL"))
		out->required = true;
	if (parser_accept(parser, "COMMENT")) {
		struct byte_view doc;

		rc = parse_string(parser, &doc);
		if (!rc)
			out->doc = (char *)(uintptr_t)doc.data;
	}
	return rc;
}

/* "a:INT" is lexed as a name and a parameter: take its colon off. */
static bool accept_colon(struct sql_parser *parser)
{
	if (parser_is_kind(parser, TOKEN_PARAMETER)) {
		parser->glued_colon = parser->next + 1;
		return true;
	}
	return parser_accept_kind(parser, ':');
}

/* The name of a field, "" if there is none before its type. */
static int parse_field_name(struct sql_parser *parser, const char **out)
{
	uint16_t kind = parser_peek(parser, 0).kind;
	uint16_t next = parser_peek(parser, 1).kind;
	int rc;

	*out = "";
	if (kind != TOKEN_QUOTED_NAME && next != ':' &&
	    next != TOKEN_PARAMETER && !parser_at_type(parser, 1) &&
	    (parser_at_type(parser, 0) || next != TOKEN_WORD))
		return 0;
	rc = parse_name(parser, "the name of a field", out);
	if (!rc && !**out)
		rc = parser_expected(parser, "a field with a name");
	if (!rc)
		accept_colon(parser);
	return rc;
}

static int parse_fields(struct sql_parser *parser, struct type *out,
			uint32_t *length)
{
	struct ast_list list = { NULL, 0, 0 };

	do {
		struct column_def *field = parser_new(parser, sizeof(*field));
		struct sql_place place = parser_place(parser, 0);
		const char *name;
		int rc;

		if (!field)
			return ERROR_NO_MEMORY;
		if (list.count >= SQL_COLUMN_LIMIT)
			return sql_error(parser->err, ERROR_UNSUPPORTED,
					 &place, "more than %d fields",
					 SQL_COLUMN_LIMIT);
		rc = parse_field_name(parser, &name);
		if (!rc)
			rc = parse_part(parser, name, field, length);
		if (!rc)
			rc = parser_add(parser, &list, field);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	out->field_count = list.count;
	out->fields = parser_new(parser, list.count * sizeof(*out->fields));
	if (!out->fields)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < list.count; i++)
		out->fields[i] = *(struct column_def *)list.items[i];
	return 0;
}

/* ARRAY(T) has one part, MAP(K, V) two. */
static int parse_parts(struct sql_parser *parser, struct type *out,
		       uint32_t *length)
{
	size_t count = out->id == TYPE_ARRAY ? 1 : 2;
	int rc;

	out->fields = parser_new(parser, count * sizeof(*out->fields));
	if (!out->fields)
		return ERROR_NO_MEMORY;
	out->field_count = count;
	if (count == 1)
		return parse_part(parser, "element", &out->fields[0], length);
	rc = parse_part(parser, "key", &out->fields[0], length);
	if (!rc)
		rc = parser_expect_kind(parser, ',', ", after the type of the "
					"keys");
	if (!rc)
		rc = parse_part(parser, "value", &out->fields[1], length);
	out->fields[0].required = true;
	return rc;
}

int parse_nested_type(struct sql_parser *parser, struct type *out,
		      uint32_t *length)
{
	struct sql_place place = parser_place(parser, 0);
	bool is_angled = parser_peek(parser, 1).kind == '<';
	int rc = enter_type(parser, &place);

	*length = 0;
	*out = type_of(is_row_word(parser, 0) ? TYPE_ROW :
		       parser_is(parser, "ARRAY") ? TYPE_ARRAY : TYPE_MAP);
	if (rc)
		return rc;
	parser->next += 2;
	rc = out->id == TYPE_ROW ? parse_fields(parser, out, length)
				 : parse_parts(parser, out, length);
	parser->type_depth--;
	if (rc)
		return rc;
	return is_angled ? parser_expect_kind(parser, '>', ", or >")
			 : parser_expect_kind(parser, ')', ", or )");
}

/* Levels of a type, 0 for one that is not nested. */
static unsigned type_levels(const struct type *type)
{
	unsigned deepest = 0;

	if (!type_is_nested(type))
		return 0;
	for (size_t i = 0; i < type->field_count; i++) {
		unsigned levels = type_levels(&type->fields[i].type);

		if (levels > deepest)
			deepest = levels;
	}
	return deepest + 1;
}

int parse_array_suffix(struct sql_parser *parser, struct type *out)
{
	struct sql_place place = parser_place(parser, 0);
	unsigned levels = type_levels(out);

	for (;;) {
		struct column_def *element;

		if (parser_is_kind(parser, '[') &&
		    parser_peek(parser, 1).kind == ']')
			parser->next += 2;
		else if (!parser_accept(parser, "ARRAY"))
			break;
		if (parser->type_depth + ++levels > TYPE_NESTING_LIMIT)
			return sql_error(parser->err, ERROR_UNSUPPORTED,
					 &place, "a type nested deeper than "
					 "%d levels", TYPE_NESTING_LIMIT);
		element = parser_new(parser, sizeof(*element));
		if (!element)
			return ERROR_NO_MEMORY;
		element->name = (char *)(uintptr_t)"element";
		element->type = *out;
		*out = type_of(TYPE_ARRAY);
		out->fields = element;
		out->field_count = 1;
	}
	if (parser_is_kind(parser, '['))
		return parser_unsupported(parser, 0, "an ARRAY type with a "
					  "size");
	return 0;
}
