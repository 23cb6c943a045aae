/*
 * parse_expr.c - expressions
 *
 * Precedence as in Trino, loosest first: OR; AND; NOT; comparison, BETWEEN,
 * IN, LIKE, IS; ||; + -; * / %; sign. Comparisons do not chain. AND and OR
 * are flat lists; every other node counts towards the limit of nesting.
 */
#include "sql/parser.h"

int ast_expr_new(struct sql_parser *parser, enum ast_kind kind,
		 const struct sql_place *place, const struct ast_list *args,
		 struct ast_expr **out)
{
	struct ast_expr *expr = parser_new(parser, sizeof(*expr));

	*out = NULL;
	if (!expr)
		return ERROR_NO_MEMORY;
	expr->kind = kind;
	expr->place = *place;
	expr->depth = 1;
	if (args) {
		expr->args = (struct ast_expr **)args->items;
		expr->arg_count = args->count;
	}
	for (size_t i = 0; i < expr->arg_count; i++)
		if (expr->args[i]->depth >= expr->depth)
			expr->depth = expr->args[i]->depth + 1;
	if (expr->depth > SQL_DEPTH_LIMIT)
		return sql_error(parser->err, ERROR_SYNTAX, place,
				 "an expression nested deeper than %d levels",
				 SQL_DEPTH_LIMIT);
	if (expr->depth > parser->deepest)
		parser->deepest = expr->depth;
	*out = expr;
	return 0;
}

int ast_call_new(struct sql_parser *parser, const char *name,
		 const struct sql_place *place, struct ast_expr *const args[3],
		 struct ast_expr **out)
{
	struct ast_list list = { NULL, 0, 0 };
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; i < 3 && args[i] && !rc; i++)
		rc = parser_add(parser, &list, args[i]);
	if (!rc)
		rc = ast_expr_new(parser, AST_CALL, place, &list, out);
	if (!rc)
		(*out)->text = name;
	return rc;
}

static int binary_new(struct sql_parser *parser, const char *name,
		      const struct sql_place *place, struct ast_expr *left,
		      struct ast_expr *right, struct ast_expr **out)
{
	struct ast_expr *const args[3] = { left, right, NULL };

	if (left->kind == AST_INTERVAL ||
	    (right && right->kind == AST_INTERVAL))
		return interval_operation(parser, name, place, args, out);
	return ast_call_new(parser, name, place, args, out);
}

static int unary_new(struct sql_parser *parser, enum ast_kind kind,
		     const struct sql_place *place, struct ast_expr *arg,
		     struct ast_expr **out)
{
	struct ast_list list = { NULL, 0, 0 };
	int rc = parser_add(parser, &list, arg);

	*out = NULL;
	return rc ? rc : ast_expr_new(parser, kind, place, &list, out);
}

static int negated_if(struct sql_parser *parser, bool negated,
		      const struct sql_place *place, struct ast_expr **expr)
{
	if (!negated)
		return 0;
	return unary_new(parser, AST_NOT, place, *expr, expr);
}

int parse_expr_list(struct sql_parser *parser, struct ast_list *list)
{
	do {
		struct ast_expr *expr;
		int rc = parse_expr(parser, &expr);

		if (!rc)
			rc = parser_add(parser, list, expr);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	return 0;
}

static int parse_name_expr(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_name name;
	int rc = parse_dotted_name(parser, "an expression", &name);

	if (!rc)
		rc = ast_expr_new(parser, AST_NAME, &place, NULL, out);
	if (!rc)
		(*out)->name = name;
	return rc;
}

static int parse_parenthesis(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place;
	int rc;

	place = parser_place(parser, 0);
	if (parser_at_query(parser, 1))
		return parse_subquery(parser, AST_SUBQUERY, &place, NULL,
				      out);
	parser->next++;
	rc = parse_expr(parser, out);
	if (rc)
		return rc;
	if (parser_is_kind(parser, ','))
		return parse_row_rest(parser, *out, &place, out);
	return parser_expect_kind(parser, ')', ")");
}

static int parse_literal_expr(struct sql_parser *parser,
			      struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct literal literal = literal_null(type_of(TYPE_UNKNOWN));
	uint16_t kind = parser_peek(parser, 0).kind;
	struct type type = { 0 };
	int rc = 0;

	if (kind == TOKEN_INTEGER || kind == TOKEN_DECIMAL ||
	    kind == TOKEN_DOUBLE) {
		rc = parse_number(parser, false, &literal);
	} else if (kind == TOKEN_STRING || kind == TOKEN_UNICODE_STRING ||
		   kind == TOKEN_HEX_STRING) {
		rc = parse_text_literal(parser, &literal);
	} else if (parser_is(parser, "TRUE") || parser_is(parser, "FALSE")) {
		literal = literal_null(type_of(TYPE_BOOLEAN));
		literal.is_null = false;
		literal.value.boolean = parser_accept(parser, "TRUE");
		if (!literal.value.boolean)
			parser->next++;
	} else if (parser_typed_literal_tokens(parser)) {
		rc = parse_typed_literal(parser, &type, &literal);
	} else {
		parser->next++;		/* NULL */
	}
	if (!rc)
		rc = ast_expr_new(parser, AST_LITERAL, &place, NULL, out);
	if (!rc) {
		(*out)->literal = literal;
		(*out)->type = type;
	}
	return rc;
}

static bool is_literal(const struct sql_parser *parser)
{
	switch (parser_peek(parser, 0).kind) {
	case TOKEN_INTEGER:
	case TOKEN_DECIMAL:
	case TOKEN_DOUBLE:
	case TOKEN_STRING:
	case TOKEN_UNICODE_STRING:
	case TOKEN_HEX_STRING:
		return true;
	case TOKEN_WORD:
		return parser_is(parser, "NULL") || parser_is(parser, "TRUE") ||
		       parser_is(parser, "FALSE") ||
		       parser_typed_literal_tokens(parser);
	default:
		return false;
	}
}

static int parse_parameter(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct sql_token token = parser_peek(parser, 0);
	int rc = ast_expr_new(parser, AST_PARAMETER, &place, NULL, out);

	if (rc)
		return rc;
	(*out)->text = arena_strndup(parser->arena, parser->script->text +
				     token.start + 1, token.length - 1);
	if (!(*out)->text)
		return parser_no_memory(parser);
	parser->next++;
	return 0;
}

int parse_constant(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct literal literal;
	int rc;

	*out = NULL;
	if (parser_is_kind(parser, TOKEN_PARAMETER))
		return parse_parameter(parser, out);
	if (is_literal(parser))
		return parse_literal_expr(parser, out);
	if (!parser_accept_kind(parser, '-'))
		return parser_expected(parser, "a literal");
	if (!is_literal(parser) || parser_peek(parser, 0).kind == TOKEN_WORD)
		return parser_expected(parser, "a number");
	rc = parse_number(parser, true, &literal);
	if (!rc)
		rc = ast_expr_new(parser, AST_LITERAL, &place, NULL, out);
	if (!rc)
		(*out)->literal = literal;
	return rc;
}

static int parse_primary(struct sql_parser *parser, struct ast_expr **out)
{
	int rc;

	*out = NULL;
	if (parser_is_kind(parser, '('))
		rc = parse_parenthesis(parser, out);
	else if (parser_is_kind(parser, TOKEN_PARAMETER))
		rc = parse_parameter(parser, out);
	else if (is_literal(parser))
		rc = parse_literal_expr(parser, out);
	else
		rc = parse_special(parser, out);
	if (!rc && !*out) {
		if (!parser_is_name(parser, 0))
			return parser_expected(parser, "an expression");
		rc = parser_peek(parser, 1).kind == '(' ?
			parse_call(parser, out) : parse_name_expr(parser, out);
	}
	if (rc)
		return rc;
	rc = parse_access(parser, out);
	if (rc)
		return rc;
	if (parser_is_kind(parser, TOKEN_LAMBDA))
		return parser_unsupported(parser, 0, "a lambda (->)");
	return parse_at_zone(parser, out);
}

static int parse_sign(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct literal literal;
	struct ast_expr *arg;
	uint16_t kind;
	bool is_minus = parser_is_kind(parser, '-');
	int rc;

	if (!is_minus && !parser_is_kind(parser, '+'))
		return parse_primary(parser, out);
	parser->next++;
	kind = parser_peek(parser, 0).kind;
	if (is_minus && (kind == TOKEN_INTEGER || kind == TOKEN_DECIMAL ||
			 kind == TOKEN_DOUBLE)) {
		rc = parse_number(parser, true, &literal);
		if (!rc)
			rc = ast_expr_new(parser, AST_LITERAL, &place, NULL,
					  out);
		if (!rc)
			(*out)->literal = literal;
		return rc;
	}
	rc = parser_enter(parser);
	if (rc)
		return rc;
	rc = parse_sign(parser, &arg);
	parser_leave(parser);
	if (rc)
		return rc;
	if (!is_minus) {
		*out = arg;
		return 0;
	}
	return binary_new(parser, "negate", &place, arg, NULL, out);
}

/* Binary operators of values; 0 = the next token is none. */
static int operator_level(const struct sql_parser *parser, const char **name)
{
	switch (parser_peek(parser, 0).kind) {
	case TOKEN_CONCAT:
		*name = "||";
		return 1;
	case '+':
		*name = "+";
		return 2;
	case '-':
		*name = "-";
		return 2;
	case '*':
		*name = "*";
		return 3;
	case '/':
		*name = "/";
		return 3;
	case '%':
		*name = "%";
		return 3;
	default:
		return 0;
	}
}

/* Values joined by operators of this level or tighter ones. */
static int parse_operators(struct sql_parser *parser, int level,
			   struct ast_expr **out)
{
	const char *name;
	struct ast_expr *left, *right;
	int rc, found;

	*out = NULL;
	rc = parse_sign(parser, &left);
	while (!rc && (found = operator_level(parser, &name)) >= level) {
		struct sql_place place = parser_place(parser, 0);

		if (!found)
			break;
		parser->next++;
		rc = parse_operators(parser, found + 1, &right);
		if (!rc)
			rc = binary_new(parser, name, &place, left, right,
					&left);
	}
	if (!rc)
		*out = left;
	return rc;
}

int parse_operand(struct sql_parser *parser, struct ast_expr **out)
{
	return parse_operators(parser, 1, out);
}

static int parse_in(struct sql_parser *parser, struct ast_expr *value,
		    const struct sql_place *place, struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 };
	int rc;

	if (parser_is_kind(parser, '(') && parser_at_query(parser, 1))
		return parse_subquery(parser, AST_IN_QUERY, place, value, out);
	rc = parser_expect_kind(parser, '(', "( after IN");
	if (!rc)
		rc = parser_add(parser, &args, value);
	if (!rc)
		rc = parse_expr_list(parser, &args);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	if (!rc)
		rc = ast_expr_new(parser, AST_IN, place, &args, out);
	return rc;
}

static int parse_between(struct sql_parser *parser, struct ast_expr *value,
			 const struct sql_place *place, struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 };
	struct ast_expr *low, *high;
	int rc;

	if (parser_is(parser, "SYMMETRIC"))
		return parser_unsupported(parser, 0, "BETWEEN SYMMETRIC");
	rc = parse_operand(parser, &low);
	if (!rc)
		rc = parser_expect(parser, "AND");
	if (!rc)
		rc = parse_operand(parser, &high);
	if (!rc)
		rc = parser_add(parser, &args, value);
	if (!rc)
		rc = parser_add(parser, &args, low);
	if (!rc)
		rc = parser_add(parser, &args, high);
	if (!rc)
		rc = ast_expr_new(parser, AST_BETWEEN, place, &args, out);
	return rc;
}

static int parse_like(struct sql_parser *parser, struct ast_expr *value,
		      const struct sql_place *place, struct ast_expr **out)
{
	struct ast_expr *args[3] = { value, NULL, NULL };
	int rc = parse_operand(parser, &args[1]);

	if (!rc && parser_accept(parser, "ESCAPE"))
		rc = parse_operand(parser, &args[2]);
	if (!rc)
		rc = ast_call_new(parser, "like", place, args, out);
	return rc;
}

/* x IS TRUE is x IS NOT DISTINCT FROM TRUE. */
static int parse_is(struct sql_parser *parser, struct ast_expr *value,
		    const struct sql_place *place, struct ast_expr **out)
{
	bool negated = parser_accept(parser, "NOT");
	bool is_true = parser_is(parser, "TRUE");
	struct ast_expr *right;
	int rc;

	if (parser_accept(parser, "NULL") || parser_accept(parser, "UNKNOWN")) {
		rc = unary_new(parser, AST_IS_NULL, place, value, out);
		return rc ? rc : negated_if(parser, negated, place, out);
	}
	if (is_true || parser_is(parser, "FALSE")) {
		rc = parse_literal_expr(parser, &right);
		negated = !negated;
	} else {
		rc = parser_expect(parser, "DISTINCT FROM");
		if (rc)
			return parser_expected(parser, "NULL, TRUE, FALSE, "
					"UNKNOWN or DISTINCT FROM");
		rc = parse_operand(parser, &right);
	}
	if (!rc)
		rc = binary_new(parser, "is distinct from", place, value,
				right, out);
	return rc ? rc : negated_if(parser, negated, place, out);
}

static const char *comparison_name(const struct sql_parser *parser)
{
	switch (parser_peek(parser, 0).kind) {
	case '=':
		return "=";
	case TOKEN_NOT_EQUAL:
		return "<>";
	case '<':
		return "<";
	case '>':
		return ">";
	case TOKEN_LESS_EQUAL:
		return "<=";
	case TOKEN_GREATER_EQUAL:
		return ">=";
	default:
		return NULL;
	}
}

static int parse_comparison(struct sql_parser *parser, const char *name,
			    struct ast_expr *left, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *right;
	int rc;

	parser->next++;
	if ((parser_is(parser, "ANY") || parser_is(parser, "ALL") ||
	     parser_is(parser, "SOME")) &&
	    parser_peek(parser, 1).kind == '(' && parser_at_query(parser, 2)) {
		bool is_all = parser_is(parser, "ALL");

		parser->next++;
		rc = parse_subquery(parser, AST_QUANTIFIED, &place, left,
				    out);
		if (rc)
			return rc;
		(*out)->text = name;
		(*out)->is_all = is_all;
		return 0;
	}
	rc = parse_operand(parser, &right);
	if (rc)
		return rc;
	if (comparison_name(parser)) {
		rc = parser_expected(parser, "the end of the comparison");
		error_hint(parser->err, "comparisons do not chain: join them "
			   "with AND");
		return rc;
	}
	return binary_new(parser, name, &place, left, right, out);
}

/* value [NOT] BETWEEN, IN or LIKE; *expr stays the value when none is next. */
static int parse_listed_predicate(struct sql_parser *parser,
				  struct ast_expr **expr)
{
	struct sql_place place = parser_place(parser, 0);
	size_t start = parser->next;
	bool negated = parser_accept(parser, "NOT");
	int rc;

	if (parser_accept(parser, "BETWEEN")) {
		rc = parse_between(parser, *expr, &place, expr);
	} else if (parser_accept(parser, "IN")) {
		rc = parse_in(parser, *expr, &place, expr);
	} else if (parser_accept(parser, "LIKE")) {
		rc = parse_like(parser, *expr, &place, expr);
	} else {
		parser->next = start;
		return 0;
	}
	return rc ? rc : negated_if(parser, negated, &place, expr);
}

static int parse_predicate(struct sql_parser *parser, struct ast_expr **out)
{
	struct ast_expr *expr;
	const char *name;
	int rc;

	*out = NULL;
	rc = parse_operand(parser, &expr);
	if (rc)
		return rc;
	name = comparison_name(parser);
	if (name)
		rc = parse_comparison(parser, name, expr, &expr);
	else
		rc = parse_listed_predicate(parser, &expr);
	while (!rc && parser_is(parser, "IS")) {
		struct sql_place place = parser_place(parser, 0);

		parser->next++;
		rc = parse_is(parser, expr, &place, &expr);
	}
	if (!rc)
		*out = expr;
	return rc;
}

static int parse_not(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_expr *arg;
	int rc;

	*out = NULL;
	if (!parser_accept(parser, "NOT"))
		return parse_predicate(parser, out);
	rc = parser_enter(parser);
	if (rc)
		return rc;
	rc = parse_not(parser, &arg);
	parser_leave(parser);
	return rc ? rc : unary_new(parser, AST_NOT, &place, arg, out);
}

/* One OR or AND list; a single entry is itself. */
static int parse_logic(struct sql_parser *parser, bool is_or,
		       struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 };
	struct sql_place place = { NULL, 0, 0 };
	struct ast_expr *arg;
	int rc;

	*out = NULL;
	for (;;) {
		rc = is_or ? parse_logic(parser, false, &arg)
			   : parse_not(parser, &arg);
		if (!rc)
			rc = parser_add(parser, &args, arg);
		if (rc)
			return rc;
		if (!parser_is(parser, is_or ? "OR" : "AND"))
			break;
		if (args.count == 1)
			place = parser_place(parser, 0);
		parser->next++;
	}
	if (args.count > 1)
		return ast_expr_new(parser, is_or ? AST_OR : AST_AND, &place,
				    &args, out);
	*out = arg;
	return 0;
}

int parse_expr(struct sql_parser *parser, struct ast_expr **out)
{
	int rc = parser_enter(parser);

	*out = NULL;
	if (rc)
		return rc;
	rc = parse_logic(parser, true, out);
	parser_leave(parser);
	return rc;
}

int parse_value_or_default(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);

	if (!parser_is(parser, "DEFAULT") ||
	    parser_peek(parser, 1).kind == '.' ||
	    parser_peek(parser, 1).kind == '(')
		return parse_expr(parser, out);
	parser->next++;
	return ast_expr_new(parser, AST_DEFAULT, &place, NULL, out);
}
