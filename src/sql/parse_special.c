/*
 * parse_special.c - expressions that have a grammar of their own
 *
 * CASE, CAST, and the functions whose arguments are separated by words. The
 * latter become plain calls: EXTRACT(YEAR FROM d) is extract_year(d).
 */
#include <stdio.h>
#include "sql/parser.h"

static int parse_case(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_list args = { NULL, 0, 0 };
	struct ast_expr *expr;
	bool has_operand = false, has_else = false;
	int rc = 0;

	parser->next++;
	if (!parser_is(parser, "WHEN")) {
		has_operand = true;
		rc = parse_expr(parser, &expr);
		if (!rc)
			rc = parser_add(parser, &args, expr);
		if (!rc && !parser_is(parser, "WHEN"))
			rc = parser_expected(parser, "WHEN");
	}
	while (!rc && parser_accept(parser, "WHEN")) {
		rc = parse_expr(parser, &expr);
		if (!rc)
			rc = parser_add(parser, &args, expr);
		if (!rc)
			rc = parser_expect(parser, "THEN");
		if (!rc)
			rc = parse_expr(parser, &expr);
		if (!rc)
			rc = parser_add(parser, &args, expr);
	}
	if (!rc && parser_accept(parser, "ELSE")) {
		has_else = true;
		rc = parse_expr(parser, &expr);
		if (!rc)
			rc = parser_add(parser, &args, expr);
	}
	if (!rc)
		rc = parser_accept(parser, "END") ? 0 :
		     parser_expected(parser, has_else ? "END" :
				     "WHEN, ELSE or END");
	if (!rc)
		rc = ast_expr_new(parser, AST_CASE, &place, &args, out);
	if (rc)
		return rc;
	(*out)->has_operand = has_operand;
	(*out)->has_else = has_else;
	return 0;
}

static int parse_cast(struct sql_parser *parser, enum ast_kind kind,
		      struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0), type_place;
	struct ast_list args = { NULL, 0, 0 };
	struct ast_expr *value;
	struct type type;
	uint32_t length;
	int rc;

	parser->next += 2;	/* CAST ( */
	rc = parse_expr(parser, &value);
	if (!rc)
		rc = parser_expect(parser, "AS");
	type_place = parser_place(parser, 0);
	if (!rc)
		rc = parse_type(parser, &type, &length);
	if (rc)
		return rc;
	if (length) {
		sql_error(parser->err, ERROR_UNSUPPORTED, &type_place,
			  "CAST to VARCHAR(%u) is not supported", length);
		return error_hint(parser->err, "cut the text with "
				  "substring(value, 1, %u)", length);
	}
	rc = parser_expect_kind(parser, ')', ")");
	if (!rc)
		rc = parser_add(parser, &args, value);
	if (!rc)
		rc = ast_expr_new(parser, kind, &place, &args, out);
	if (!rc)
		(*out)->type = type;
	return rc;
}

static int check_extract_field(const struct sql_parser *parser)
{
	static const char *const fields[] = {
		"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAY_OF_MONTH",
		"DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY", "YEAR_OF_WEEK",
		"YOW", "HOUR", "MINUTE", "SECOND",
	};

	for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
		if (parser_is(parser, fields[i]))
			return 0;
	if (parser_is(parser, "TIMEZONE_HOUR") ||
	    parser_is(parser, "TIMEZONE_MINUTE"))
		return parser_unsupported(parser, 0, "EXTRACT of a time zone");
	return parser_expected(parser, "YEAR, QUARTER, MONTH, WEEK, DAY, "
			       "DAY_OF_WEEK, DAY_OF_YEAR, YEAR_OF_WEEK, HOUR, "
			       "MINUTE or SECOND");
}

static int parse_extract(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { NULL, NULL, NULL };
	const char *field;
	char *name;
	int rc;

	parser->next += 2;	/* EXTRACT ( */
	rc = check_extract_field(parser);
	if (!rc)
		rc = parse_name(parser, "a field", &field);
	if (!rc)
		rc = parser_expect(parser, "FROM");
	if (!rc)
		rc = parse_expr(parser, &args[0]);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (rc)
		return rc;
	name = arena_printf(parser->arena, "extract_%s", field);
	if (!name)
		return parser_no_memory(parser);
	for (char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	return ast_call_new(parser, name, &place, args, out);
}

/* LEFT(x, n), RIGHT(x, n): reserved words of joins, else plain calls. */
static int parse_left_right(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { NULL, NULL, NULL };
	const char *name = parser_is(parser, "LEFT") ? "left" : "right";
	int rc;

	parser->next += 2;	/* LEFT ( */
	rc = parse_expr(parser, &args[0]);
	if (!rc)
		rc = parser_expect_kind(parser, ',', ",");
	if (!rc)
		rc = parse_expr(parser, &args[1]);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	return rc ? rc : ast_call_new(parser, name, &place, args, out);
}

int parse_at_zone(struct sql_parser *parser, struct ast_expr **out)
{
	if (parser_is_all(parser, "AT LOCAL"))
		return parser_unsupported(parser, 0, "AT LOCAL");
	while (parser_is_all(parser, "AT TIME ZONE")) {
		struct sql_place place = parser_place(parser, 0);
		struct ast_expr *args[3] = { *out, NULL, NULL };
		int rc;

		parser->next += 3;
		rc = parse_constant(parser, &args[1]);
		if (!rc)
			rc = ast_call_new(parser, "at_timezone", &place,
					  args, out);
		if (rc)
			return rc;
	}
	return 0;
}

/* SUBSTRING(x FROM a [FOR b]), also with commas. */
static int parse_substring(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { NULL, NULL, NULL };
	int rc;

	parser->next += 2;
	rc = parse_expr(parser, &args[0]);
	if (!rc && !parser_accept(parser, "FROM"))
		rc = parser_expect_kind(parser, ',', "FROM or ,");
	if (!rc)
		rc = parse_expr(parser, &args[1]);
	if (!rc && (parser_accept(parser, "FOR") ||
		    parser_accept_kind(parser, ',')))
		rc = parse_expr(parser, &args[2]);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (!rc)
		rc = ast_call_new(parser, "substring", &place, args, out);
	return rc;
}

/* TRIM([BOTH | LEADING | TRAILING] [c] FROM x) or TRIM(x [, c]). */
static int parse_trim(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { NULL, NULL, NULL }, *first = NULL;
	const char *name = "trim";
	bool has_side = true;
	int rc = 0;

	parser->next += 2;
	if (parser_accept(parser, "LEADING"))
		name = "ltrim";
	else if (parser_accept(parser, "TRAILING"))
		name = "rtrim";
	else
		has_side = parser_accept(parser, "BOTH");
	if (!parser_is(parser, "FROM"))
		rc = parse_expr(parser, &first);
	if (rc)
		return rc;
	if (parser_accept(parser, "FROM")) {
		args[1] = first;
		rc = parse_expr(parser, &args[0]);
	} else {
		args[0] = first;
		if (!has_side && parser_accept_kind(parser, ','))
			rc = parse_expr(parser, &args[1]);
	}
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (!rc)
		rc = ast_call_new(parser, name, &place, args, out);
	return rc;
}

/* POSITION(a IN b): the parts are values, or IN would be a predicate. */
static int parse_position(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *args[3] = { NULL, NULL, NULL };
	int rc;

	parser->next += 2;
	rc = parse_operand(parser, &args[0]);
	if (!rc)
		rc = parser_expect(parser, "IN");
	if (!rc)
		rc = parse_operand(parser, &args[1]);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (!rc)
		rc = ast_call_new(parser, "position", &place, args, out);
	return rc;
}

/* current_timestamp and its like, (6) and () may follow. */
static int parse_now(struct sql_parser *parser, const char *name,
		     struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *const args[3] = { NULL, NULL, NULL };

	parser->next++;
	if (parser_is_kind(parser, '(')) {
		struct sql_token token = parser_peek(parser, 1);
		bool is_six = token.kind == TOKEN_INTEGER &&
			token.length == 1 &&
			parser->script->text[token.start] == '6';

		if (token.kind == TOKEN_INTEGER && !is_six)
			return parser_unsupported(parser, 1,
				"a time precision other than 6");
		parser->next += is_six ? 2 : 1;
		if (!parser_accept_kind(parser, ')'))
			return parser_expected(parser, ")");
	}
	return ast_call_new(parser, name, &place, args, out);
}

/* Words that begin an expression which is not taken, with or without "(". */
static const struct {
	const char *words;
	uint16_t next_kind;	/* 0 = any */
	const char *what;
} unsupported_starts[] = {
	{ "NORMALIZE", '(', "NORMALIZE" },
	{ "UNNEST", '(', "UNNEST" },
	{ "CURRENT_TIME", 0, "CURRENT_TIME" },
	{ "LOCALTIME", 0, "LOCALTIME" },
	{ "CURRENT_USER", 0, "CURRENT_USER" },
	{ "CURRENT_ROLE", 0, "CURRENT_ROLE" },
	{ "CURRENT_CATALOG", 0, "CURRENT_CATALOG" },
	{ "CURRENT_SCHEMA", 0, "CURRENT_SCHEMA" },
	{ "CURRENT_PATH", 0, "CURRENT_PATH" },
};

static int check_unsupported(const struct sql_parser *parser)
{
	uint16_t kind = parser_peek(parser, 1).kind;

	for (size_t i = 0; i < ARRAY_COUNT(unsupported_starts); i++)
		if (parser_is(parser, unsupported_starts[i].words) &&
		    (!unsupported_starts[i].next_kind ||
		     unsupported_starts[i].next_kind == kind))
			return parser_unsupported(parser, 0,
						  unsupported_starts[i].what);
	return 0;
}

static int parse_exists(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);

	parser->next++;
	if (!parser_at_query(parser, 1)) {
		parser->next++;
		return parser_expected(parser, "a query after EXISTS (");
	}
	return parse_subquery(parser, AST_EXISTS, &place, NULL, out);
}

/* GROUPING (expr, ...): the word is reserved, and no name of a function. */
static int parse_grouping(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_list args = { NULL, 0, 0 };
	int rc;

	parser->next += 2;
	rc = parse_expr_list(parser, &args);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	if (!rc)
		rc = ast_expr_new(parser, AST_CALL, &place, &args, out);
	if (!rc)
		(*out)->text = "grouping";
	return rc;
}

int parse_special(struct sql_parser *parser, struct ast_expr **out)
{
	int rc;

	*out = NULL;
	if (parser_peek(parser, 0).kind != TOKEN_WORD)
		return 0;
	rc = check_unsupported(parser);
	if (rc)
		return rc;
	if (parser_is(parser, "CASE"))
		return parse_case(parser, out);
	if (parser_at_interval(parser))
		return parse_interval(parser, out);
	if (parser_is(parser, "CURRENT_DATE"))
		return parse_now(parser, "current_date", out);
	if (parser_is(parser, "CURRENT_TIMESTAMP"))
		return parse_now(parser, "current_timestamp", out);
	if (parser_is(parser, "LOCALTIMESTAMP"))
		return parse_now(parser, "localtimestamp", out);
	if (parser_is(parser, "ARRAY") && parser_peek(parser, 1).kind == '[')
		return parse_array(parser, out);
	if (parser_peek(parser, 1).kind != '(')
		return 0;
	if (parser_is(parser, "EXISTS"))
		return parse_exists(parser, out);
	if (parser_is(parser, "ROW"))
		return parse_row_constructor(parser, out);
	if (parser_is(parser, "CAST"))
		return parse_cast(parser, AST_CAST, out);
	if (parser_is(parser, "TRY_CAST"))
		return parse_cast(parser, AST_TRY_CAST, out);
	if (parser_is(parser, "EXTRACT"))
		return parse_extract(parser, out);
	if (parser_is(parser, "LEFT") || parser_is(parser, "RIGHT"))
		return parse_left_right(parser, out);
	if (parser_is(parser, "SUBSTRING"))
		return parse_substring(parser, out);
	if (parser_is(parser, "TRIM"))
		return parse_trim(parser, out);
	if (parser_is(parser, "GROUPING"))
		return parse_grouping(parser, out);
	if (parser_is(parser, "POSITION"))
		return parse_position(parser, out);
	return 0;
}
