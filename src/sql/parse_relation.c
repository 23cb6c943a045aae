/*
 * parse_relation.c - what stands behind FROM and USING
 *
 * A table name, a quoted path, read_csv(...) and its like, or a query in
 * parentheses; then an alias with column names; joins of these. A comma is a
 * CROSS JOIN of what stands on its two sides.
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

/* What may stand behind a relation, none of it supported. */
static int check_suffix(const struct sql_parser *parser)
{
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
		rc = parse_from(parser, relation);
	}
	return rc ? rc : parser_expect_kind(parser, ')', ")");
}

static int parse_single(struct sql_parser *parser,
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
		rc = check_suffix(parser);
	if (!rc)
		rc = parse_relation_alias(parser, relation);
	if (!rc)
		rc = check_suffix(parser);
	if (!rc)
		*out = relation;
	return rc;
}

/* LEFT [OUTER] and its like in front of JOIN; not at one: false. */
static bool accept_join(struct sql_parser *parser,
			struct ast_relation *join)
{
	static const struct {
		const char *words;
		enum join_kind kind;
	} kinds[] = {
		{ "JOIN", JOIN_INNER },
		{ "INNER JOIN", JOIN_INNER },
		{ "LEFT JOIN", JOIN_LEFT },
		{ "LEFT OUTER JOIN", JOIN_LEFT },
		{ "RIGHT JOIN", JOIN_RIGHT },
		{ "RIGHT OUTER JOIN", JOIN_RIGHT },
		{ "FULL JOIN", JOIN_FULL },
		{ "FULL OUTER JOIN", JOIN_FULL },
	};

	join->place = parser_place(parser, 0);
	join->is_natural = parser_accept(parser, "NATURAL");
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (!parser_accept(parser, kinds[i].words))
			continue;
		join->join = kinds[i].kind;
		return true;
	}
	return false;
}

/* ON or USING behind the right side. */
static int parse_join_condition(struct sql_parser *parser,
				struct ast_relation *join)
{
	if (join->is_natural)
		return 0;
	if (parser_accept(parser, "ON"))
		return parse_expr(parser, &join->on);
	if (parser_accept(parser, "USING"))
		return parse_column_names(parser, &join->using_columns,
					  &join->using_count);
	return parser_expected(parser, "ON or USING");
}

static int join_new(struct sql_parser *parser, struct ast_relation *left,
		    struct ast_relation **out)
{
	*out = parser_new(parser, sizeof(**out));
	if (!*out)
		return ERROR_NO_MEMORY;
	(*out)->kind = AST_RELATION_JOIN;
	(*out)->place = parser_place(parser, 0);
	(*out)->left = left;
	(*out)->join = JOIN_INNER;
	return 0;
}

static int parse_relation_nested(struct sql_parser *parser,
				 struct ast_relation **out);

/* a JOIN b JOIN c ON x ON y: the right side has joins of its own. */
static int parse_join(struct sql_parser *parser, struct ast_relation *left,
		      struct ast_relation **out)
{
	struct ast_relation *join;
	int rc = join_new(parser, left, &join);

	if (rc)
		return rc;
	if (parser_accept(parser, "CROSS JOIN")) {
		rc = parse_single(parser, &join->right);
	} else if (accept_join(parser, join)) {
		rc = parser_enter(parser);
		if (rc)
			return rc;
		rc = join->is_natural ? parse_single(parser, &join->right)
				      : parse_relation_nested(parser,
							      &join->right);
		parser_leave(parser);
		if (!rc)
			rc = parse_join_condition(parser, join);
	} else {
		rc = parser_expected(parser, "JOIN");
	}
	if (!rc)
		*out = join;
	return rc;
}

static bool at_join(const struct sql_parser *parser)
{
	return parser_is(parser, "JOIN") || parser_is(parser, "CROSS") ||
	       parser_is(parser, "INNER") || parser_is(parser, "LEFT") ||
	       parser_is(parser, "RIGHT") || parser_is(parser, "FULL") ||
	       parser_is(parser, "NATURAL");
}

/*
 * The right side of a join: joins behind it are its own as long as as many
 * conditions follow, which only reading on can tell: try it, and step back
 * to the relation alone when no condition is left over.
 */
static int parse_relation_nested(struct sql_parser *parser,
				 struct ast_relation **out)
{
	struct ast_relation *relation;
	size_t start;
	int rc = parse_single(parser, &relation);

	if (rc)
		return rc;
	*out = relation;
	start = parser->next;
	while (at_join(parser)) {
		rc = parse_join(parser, relation, &relation);
		if (rc)
			break;
		if (parser_is(parser, "ON") || parser_is(parser, "USING")) {
			*out = relation;
			start = parser->next;
			break;
		}
	}
	parser->next = start;
	return rc == ERROR_NO_MEMORY ? rc : 0;
}

static int parse_joined(struct sql_parser *parser, struct ast_relation **out)
{
	int rc = parse_single(parser, out);
	size_t depth = 0;

	while (!rc && at_join(parser)) {
		if (++depth > SQL_DEPTH_LIMIT / 2)
			return parser_unsupported(parser, 0, "a join of so "
						  "many tables");
		rc = parse_join(parser, *out, out);
	}
	return rc;
}

int parse_relation(struct sql_parser *parser, struct ast_relation **out)
{
	int rc = parser_enter(parser);

	*out = NULL;
	if (rc)
		return rc;
	rc = parse_joined(parser, out);
	parser_leave(parser);
	if (rc)
		*out = NULL;
	return rc;
}

int parse_from(struct sql_parser *parser, struct ast_relation **out)
{
	struct ast_relation *left, *join;
	size_t count = 0;
	int rc = parse_relation(parser, &left);

	*out = NULL;
	while (!rc && parser_is_kind(parser, ',')) {
		if (++count > SQL_DEPTH_LIMIT / 2)
			return parser_unsupported(parser, 0, "a list of so "
						  "many tables");
		rc = join_new(parser, left, &join);
		parser->next++;
		if (!rc)
			rc = parse_relation(parser, &join->right);
		left = join;
	}
	if (!rc)
		*out = left;
	return rc;
}
