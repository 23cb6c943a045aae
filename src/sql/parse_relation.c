/*
 * parse_relation.c - what stands behind FROM and USING
 *
 * A table name, a quoted path, read_csv(...) and its like, or a query in
 * parentheses; then an alias with column names. Joins are told apart from
 * wrong text, so that the message says what is missing.
 */
#include "sql/parser.h"

static int parse_option(struct sql_parser *parser, struct ast_list *options)
{
	struct ast_option *option = parser_new(parser, sizeof(*option));
	struct ast_expr *value;
	int rc;

	if (!option)
		return ERROR_NO_MEMORY;
	option->place = parser_place(parser, 0);
	if (parser_accept(parser, "NULL")) {
		option->name = "null";	/* the only one that is reserved */
		rc = 0;
	} else {
		rc = parse_name(parser, "an option such as delimiter => ';'",
				&option->name);
	}
	if (!rc)
		rc = parser_expect_kind(parser, TOKEN_ARROW, "=>");
	if (!rc)
		rc = parse_constant(parser, &value);
	if (rc)
		return rc;
	option->value = value;
	return parser_add(parser, options, option);
}

static int parse_function(struct sql_parser *parser,
			  struct ast_relation *relation)
{
	struct ast_list options = { NULL, 0, 0 };
	struct ast_expr *path;
	const char *name;
	char *function;
	int rc = parse_name(parser, "a function", &name);

	if (rc)
		return rc;
	function = arena_strdup(parser->arena, name);
	if (!function)
		return parser_no_memory(parser);
	for (char *c = function; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	if (strcmp(function, "read_csv") && strcmp(function, "read_jsonl") &&
	    strcmp(function, "read_parquet")) {
		sql_error(parser->err, ERROR_UNSUPPORTED, &relation->place,
			  "%s(...) as a table is not supported", function);
		return error_hint(parser->err, "there are read_csv, "
				  "read_jsonl and read_parquet");
	}
	parser->next++;		/* ( */
	rc = parse_constant(parser, &path);
	while (!rc && parser_accept_kind(parser, ','))
		rc = parse_option(parser, &options);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	relation->kind = AST_RELATION_FUNCTION;
	relation->function = function;
	relation->path = path;
	relation->options = (struct ast_option **)options.items;
	relation->option_count = options.count;
	return rc;
}

static int check_unsupported(const struct sql_parser *parser)
{
	static const char *const starts[] = { "UNNEST", "LATERAL",
					      "JSON_TABLE", "TABLE" };

	for (size_t i = 0; i < ARRAY_COUNT(starts); i++)
		if (parser_is(parser, starts[i]) &&
		    parser_peek(parser, 1).kind == '(')
			return parser_unsupported(parser, 0, starts[i]);
	return 0;
}

/* A join after a relation: refused by its name. */
static int check_join(const struct sql_parser *parser)
{
	static const char *const joins[] = {
		"JOIN", "INNER JOIN", "LEFT", "RIGHT", "FULL", "CROSS JOIN",
		"NATURAL",
	};

	for (size_t i = 0; i < ARRAY_COUNT(joins); i++)
		if (parser_is_all(parser, joins[i]))
			return parser_unsupported(parser, 0, "JOIN");
	if (parser_is(parser, "TABLESAMPLE"))
		return parser_unsupported(parser, 0, "TABLESAMPLE");
	if (parser_is_all(parser, "MATCH_RECOGNIZE") &&
	    parser_peek(parser, 1).kind == '(')
		return parser_unsupported(parser, 0, "MATCH_RECOGNIZE");
	if (parser_is_all(parser, "FOR VERSION") ||
	    parser_is_all(parser, "FOR TIMESTAMP"))
		return parser_unsupported(parser, 0, "FOR VERSION AS OF");
	return 0;
}

static int parse_relation_alias(struct sql_parser *parser,
				struct ast_relation *relation)
{
	int rc;

	if (relation->alias)	/* of an inner pair of parentheses */
		return 0;
	rc = parse_alias(parser, &relation->alias);
	if (rc || !relation->alias || !parser_is_kind(parser, '('))
		return rc;
	relation->columns_place = parser_place(parser, 0);
	return parse_name_list(parser, &relation->columns,
			       &relation->column_count);
}

static int parse_parenthesis(struct sql_parser *parser,
			     struct ast_relation **relation)
{
	int rc;

	/* ((SELECT ...) UNION ...) and ((SELECT ...)) are queries, (t) and
	 * ((t)) are relations */
	size_t ahead = 1;

	while (parser_peek(parser, ahead).kind == '(')
		ahead++;
	if (parser_at_query(parser, ahead)) {
		parser->next++;
		(*relation)->kind = AST_RELATION_QUERY;
		rc = parse_query(parser, &(*relation)->query);
	} else {
		parser->next++;
		rc = parse_relation(parser, relation);
		if (!rc && parser_is_kind(parser, ','))
			rc = parser_unsupported(parser, 0, "a list of tables "
						"in FROM");
	}
	return rc ? rc : parser_expect_kind(parser, ')', ")");
}

static int parse_relation_body(struct sql_parser *parser,
			       struct ast_relation **out)
{
	struct ast_relation *relation = parser_new(parser, sizeof(*relation));
	int rc;

	if (!relation)
		return ERROR_NO_MEMORY;
	relation->place = parser_place(parser, 0);
	rc = check_unsupported(parser);
	if (rc)
		return rc;
	if (parser_is_kind(parser, '(')) {
		rc = parse_parenthesis(parser, &relation);
	} else if (parser_is_kind(parser, TOKEN_STRING) ||
		   parser_is_kind(parser, TOKEN_UNICODE_STRING) ||
		   parser_is_kind(parser, TOKEN_PARAMETER)) {
		struct ast_expr *path;

		relation->kind = AST_RELATION_PATH;
		rc = parse_constant(parser, &path);
		relation->path = path;
	} else if (parser_is_name(parser, 0) &&
		   parser_peek(parser, 1).kind == '(') {
		rc = parse_function(parser, relation);
	} else {
		relation->kind = AST_RELATION_NAME;
		rc = parse_dotted_name(parser, "a table, a file or a query",
				       &relation->name);
	}
	if (!rc)
		rc = check_join(parser);
	if (!rc)
		rc = parse_relation_alias(parser, relation);
	if (!rc)
		rc = check_join(parser);
	if (!rc)
		*out = relation;
	return rc;
}

int parse_relation(struct sql_parser *parser, struct ast_relation **out)
{
	int rc = parser_enter(parser);

	*out = NULL;
	if (rc)
		return rc;
	rc = parse_relation_body(parser, out);
	parser_leave(parser);
	return rc;
}
