/*
 * parse_nested.c - values of ROW and ARRAY, and what is inside them
 *
 * ROW(1, 'x'), ROW(1 AS a), (a, b), ARRAY[1, 2]; value[2], value.field. The
 * fields of a name (t.r.a) are parts of it: only the binder knows where the
 * column ends.
 */
#include "sql/parser.h"

static int row_new(struct sql_parser *parser, const struct sql_place *place,
		   const struct ast_list *args, const struct ast_list *names,
		   struct ast_expr **out)
{
	int rc = ast_expr_new(parser, AST_ROW, place, args, out);

	if (rc)
		return rc;
	(*out)->name.parts = (const char **)names->items;
	(*out)->name.count = names->count;
	return 0;
}

static int add_field(struct sql_parser *parser, struct ast_expr *value,
		     struct ast_list *args, struct ast_list *names)
{
	const char *name = "";
	int rc = 0;

	if (parser_accept(parser, "AS"))
		rc = parse_name(parser, "the name of a field", &name);
	if (!rc)
		rc = parser_add(parser, args, value);
	if (!rc)
		rc = parser_add(parser, names, (void *)(uintptr_t)name);
	return rc;
}

int parse_row_rest(struct sql_parser *parser, struct ast_expr *first,
		   const struct sql_place *place, struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 }, names = { NULL, 0, 0 };
	int rc = add_field(parser, first, &args, &names);

	*out = NULL;
	while (!rc && parser_accept_kind(parser, ',')) {
		struct ast_expr *value;

		rc = parse_expr(parser, &value);
		if (!rc)
			rc = add_field(parser, value, &args, &names);
	}
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	return rc ? rc : row_new(parser, place, &args, &names, out);
}

int parse_row_constructor(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *first;
	int rc;

	*out = NULL;
	parser->next += 2;	/* ROW ( */
	rc = parse_expr(parser, &first);
	return rc ? rc : parse_row_rest(parser, first, &place, out);
}

int parse_array(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_list args = { NULL, 0, 0 };
	int rc = 0;

	*out = NULL;
	parser->next += 2;	/* ARRAY [ */
	if (!parser_is_kind(parser, ']'))
		rc = parse_expr_list(parser, &args);
	if (!rc)
		rc = parser_expect_kind(parser, ']', ", or ]");
	return rc ? rc : ast_expr_new(parser, AST_ARRAY, &place, &args, out);
}

static int parse_subscript(struct sql_parser *parser, struct ast_expr **value)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { *value, NULL, NULL };
	int rc;

	parser->next++;
	rc = parse_expr(parser, &args[1]);
	if (!rc && parser_is_kind(parser, ':'))
		return parser_unsupported(parser, 0, "a range of subscripts");
	if (!rc)
		rc = parser_expect_kind(parser, ']', "]");
	return rc ? rc : ast_call_new(parser, "[]", &place, args, value);
}

static int parse_field(struct sql_parser *parser, struct ast_expr **value)
{
	struct sql_place place = parser_place(parser, 1);
	struct ast_list args = { NULL, 0, 0 };
	const char *name;
	int rc;

	parser->next++;
	rc = parse_name(parser, "a field", &name);
	if (!rc)
		rc = parser_add(parser, &args, *value);
	if (!rc)
		rc = ast_expr_new(parser, AST_FIELD, &place, &args, value);
	if (!rc)
		(*value)->text = name;
	return rc;
}

int parse_access(struct sql_parser *parser, struct ast_expr **value)
{
	int rc = 0;

	while (!rc) {
		if (parser_is_kind(parser, '['))
			rc = parse_subscript(parser, value);
		else if (parser_at_part(parser))
			rc = parse_field(parser, value);
		else
			break;
	}
	if (rc)
		*value = NULL;
	return rc;
}
