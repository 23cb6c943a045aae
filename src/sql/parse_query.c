/*
 * parse_query.c - SELECT, VALUES, UNION ALL, WITH, LIMIT
 *
 * query:   [WITH ...] terms [OFFSET n] [LIMIT n]
 * terms:   term (UNION ALL term)*		one flat list
 * term:    SELECT ... | VALUES ... | TABLE t | ( query )
 * What is not taken (GROUP BY, ORDER BY, ...) is refused by name where it
 * stands.
 */
#include "sql/parser.h"

#define CTE_LIMIT 1000

bool parser_at_query(const struct sql_parser *parser, size_t ahead)
{
	return parser_is_at(parser, ahead, "SELECT") ||
	       parser_is_at(parser, ahead, "VALUES") ||
	       parser_is_at(parser, ahead, "WITH") ||
	       (parser_is_at(parser, ahead, "TABLE") &&
		parser_is_name(parser, ahead + 1));
}

static struct ast_query *query_new(struct sql_parser *parser,
				   enum ast_query_kind kind)
{
	struct ast_query *query = parser_new(parser, sizeof(*query));

	if (query) {
		query->kind = kind;
		query->place = parser_place(parser, 0);
	}
	return query;
}

/* t.* ends in a star behind a name and a dot. */
static bool parser_at_qualified_star(const struct sql_parser *parser)
{
	size_t ahead = 0;

	while (parser_is_name(parser, ahead) &&
	       parser_peek(parser, ahead + 1).kind == '.')
		ahead += 2;
	return ahead && parser_peek(parser, ahead).kind == '*';
}

static int parse_item(struct sql_parser *parser, struct ast_list *items)
{
	struct ast_item *item = parser_new(parser, sizeof(*item));
	int rc = 0;

	if (!item)
		return ERROR_NO_MEMORY;
	item->place = parser_place(parser, 0);
	if (parser_accept_kind(parser, '*')) {
		item->is_star = true;
	} else if (parser_at_qualified_star(parser)) {
		item->is_star = true;
		rc = parse_dotted_name(parser, "a table", &item->qualifier);
		if (!rc)
			parser->next += 2;	/* . * */
	} else {
		rc = parse_expr(parser, &item->expr);
		if (!rc)
			rc = parse_alias(parser, &item->alias);
	}
	if (!rc && item->is_star &&
	    (parser_is(parser, "EXCEPT") || parser_is(parser, "EXCLUDE")) &&
	    parser_peek(parser, 1).kind == '(')
		return parser_unsupported(parser, 0, "* EXCEPT (...)");
	if (!rc && items->count >= SQL_COLUMN_LIMIT)
		return sql_error(parser->err, ERROR_UNSUPPORTED, &item->place,
				 "more than %d columns", SQL_COLUMN_LIMIT);
	return rc ? rc : parser_add(parser, items, item);
}

static int check_select_clauses(const struct sql_parser *parser)
{
	static const char *const clauses[] = { "GROUP BY", "HAVING", "QUALIFY",
					       "WINDOW" };

	for (size_t i = 0; i < ARRAY_COUNT(clauses); i++)
		if (parser_is_all(parser, clauses[i]))
			return parser_unsupported(parser, 0, clauses[i]);
	return 0;
}

static int parse_select(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_query *query = query_new(parser, AST_SELECT);
	struct ast_list items = { NULL, 0, 0 };
	int rc;

	if (!query)
		return ERROR_NO_MEMORY;
	parser->next++;
	if (parser_is(parser, "DISTINCT"))
		return parser_unsupported(parser, 0, "SELECT DISTINCT");
	parser_accept(parser, "ALL");
	do {
		rc = parse_item(parser, &items);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	query->items = (struct ast_item **)items.items;
	query->item_count = items.count;
	if (parser_accept(parser, "FROM")) {
		rc = parse_relation(parser, &query->from);
		if (!rc && parser_is_kind(parser, ','))
			rc = parser_unsupported(parser, 0, "a list of tables "
						"in FROM");
	}
	if (!rc && parser_accept(parser, "WHERE"))
		rc = parse_expr(parser, &query->where);
	if (!rc)
		rc = check_select_clauses(parser);
	if (!rc)
		*out = query;
	return rc;
}

int parse_row(struct sql_parser *parser, bool allows_default,
	      struct ast_row **out)
{
	struct ast_row *row = parser_new(parser, sizeof(*row));
	struct ast_list values = { NULL, 0, 0 };
	bool has_parenthesis;
	int rc;

	*out = NULL;
	if (!row)
		return ERROR_NO_MEMORY;
	row->place = parser_place(parser, 0);
	/* ROW is but a word here: VALUES ROW(1, 2) has two columns */
	if (parser_is(parser, "ROW") && parser_peek(parser, 1).kind == '(')
		parser->next++;
	has_parenthesis = parser_is_kind(parser, '(') &&
			  !parser_at_query(parser, 1);
	if (has_parenthesis)
		parser->next++;
	do {
		struct ast_expr *value;

		rc = allows_default ? parse_value_or_default(parser, &value)
				    : parse_expr(parser, &value);
		if (!rc && values.count >= SQL_COLUMN_LIMIT)
			rc = sql_error(parser->err, ERROR_UNSUPPORTED,
				       &row->place, "more than %d columns",
				       SQL_COLUMN_LIMIT);
		if (!rc)
			rc = parser_add(parser, &values, value);
		if (rc)
			return rc;
	} while (has_parenthesis && parser_accept_kind(parser, ','));
	if (has_parenthesis)
		rc = parser_expect_kind(parser, ')', ", or )");
	row->values = (struct ast_expr **)values.items;
	row->count = values.count;
	if (!rc)
		*out = row;
	return rc;
}

static int parse_values(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_query *query = query_new(parser, AST_VALUES);
	struct ast_list rows = { NULL, 0, 0 };

	if (!query)
		return ERROR_NO_MEMORY;
	parser->next++;
	do {
		struct ast_row *row;
		int rc = parse_row(parser, true, &row);

		if (!rc)
			rc = parser_add(parser, &rows, row);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	query->rows = (struct ast_row **)rows.items;
	query->row_count = rows.count;
	*out = query;
	return 0;
}

/* TABLE t is SELECT * FROM t. */
static int parse_table_term(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_query *query = query_new(parser, AST_SELECT);
	struct ast_item *item = parser_new(parser, sizeof(*item));
	struct ast_list items = { NULL, 0, 0 };
	int rc;

	if (!query || !item)
		return ERROR_NO_MEMORY;
	item->is_star = true;
	item->place = parser_place(parser, 0);
	parser->next++;
	query->from = parser_new(parser, sizeof(*query->from));
	if (!query->from)
		return ERROR_NO_MEMORY;
	query->from->place = parser_place(parser, 0);
	rc = parse_dotted_name(parser, "a table", &query->from->name);
	if (!rc)
		rc = parser_add(parser, &items, item);
	query->items = (struct ast_item **)items.items;
	query->item_count = items.count;
	if (!rc)
		*out = query;
	return rc;
}

static int parse_term(struct sql_parser *parser, struct ast_query **out)
{
	int rc;

	*out = NULL;
	if (parser_is(parser, "SELECT"))
		return parse_select(parser, out);
	if (parser_is(parser, "VALUES"))
		return parse_values(parser, out);
	if (parser_is(parser, "TABLE"))
		return parse_table_term(parser, out);
	rc = parser_expect_kind(parser, '(', "SELECT or VALUES");
	if (!rc)
		rc = parse_query(parser, out);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	return rc;
}

static int check_set_operation(const struct sql_parser *parser)
{
	if (parser_is(parser, "UNION")) {
		parser_unsupported(parser, 0, "UNION without ALL");
		return error_hint(parser->err, "write UNION ALL");
	}
	if (parser_is(parser, "INTERSECT"))
		return parser_unsupported(parser, 0, "INTERSECT");
	if (parser_is(parser, "EXCEPT"))
		return parser_unsupported(parser, 0, "EXCEPT");
	return 0;
}

static int parse_terms(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_list inputs = { NULL, 0, 0 };
	struct ast_query *query, *term;
	int rc = parse_term(parser, &term);

	if (!rc)
		rc = parser_add(parser, &inputs, term);
	while (!rc && parser_accept(parser, "UNION ALL")) {
		rc = parse_term(parser, &term);
		if (!rc)
			rc = parser_add(parser, &inputs, term);
	}
	if (!rc)
		rc = check_set_operation(parser);
	if (rc || inputs.count == 1) {
		*out = rc ? NULL : term;
		return rc;
	}
	query = query_new(parser, AST_UNION_ALL);
	if (!query)
		return ERROR_NO_MEMORY;
	query->place = ((struct ast_query *)inputs.items[0])->place;
	query->inputs = (struct ast_query **)inputs.items;
	query->input_count = inputs.count;
	*out = query;
	return 0;
}

static int parse_limits(struct sql_parser *parser, struct ast_query *query)
{
	int rc = 0;

	while (!rc) {
		if (!query->offset && parser_accept(parser, "OFFSET")) {
			rc = parse_constant(parser, &query->offset);
			if (!rc && !parser_accept(parser, "ROWS"))
				parser_accept(parser, "ROW");
		} else if (!query->limit && parser_accept(parser, "LIMIT")) {
			if (!parser_accept(parser, "ALL"))
				rc = parse_constant(parser, &query->limit);
		} else {
			break;
		}
	}
	if (!rc && parser_is(parser, "FETCH"))
		return parser_unsupported(parser, 0, "FETCH FIRST");
	return rc;
}

/* A query with a part of its own must not take that of an outer one. */
static int nest(struct sql_parser *parser, struct ast_query **query)
{
	struct ast_query *outer;

	if (!(*query)->cte_count && !(*query)->limit && !(*query)->offset)
		return 0;
	outer = parser_new(parser, sizeof(*outer));
	if (!outer)
		return ERROR_NO_MEMORY;
	outer->kind = AST_NESTED;
	outer->place = (*query)->place;
	outer->inputs = parser_new(parser, sizeof(*outer->inputs));
	if (!outer->inputs)
		return ERROR_NO_MEMORY;
	outer->inputs[0] = *query;
	outer->input_count = 1;
	*query = outer;
	return 0;
}

static int parse_query_body(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_query *query;
	struct ast_cte **ctes = NULL;
	size_t cte_count = 0;
	int rc = 0;

	if (parser_is(parser, "WITH"))
		rc = parse_with(parser, &ctes, &cte_count);
	if (!rc)
		rc = parse_terms(parser, &query);
	if (!rc && parser_is_all(parser, "ORDER BY"))
		rc = parser_unsupported(parser, 0, "ORDER BY");
	if (rc)
		return rc;
	if (cte_count || parser_is(parser, "LIMIT") ||
	    parser_is(parser, "OFFSET")) {
		rc = nest(parser, &query);
		if (rc)
			return rc;
		query->ctes = ctes;
		query->cte_count = cte_count;
	}
	rc = parse_limits(parser, query);
	if (!rc)
		*out = query;
	return rc;
}

int parse_query(struct sql_parser *parser, struct ast_query **out)
{
	int rc = parser_enter(parser);

	*out = NULL;
	if (rc)
		return rc;
	rc = parse_query_body(parser, out);
	parser_leave(parser);
	return rc;
}

static int parse_cte(struct sql_parser *parser, struct ast_list *ctes)
{
	struct ast_cte *cte = parser_new(parser, sizeof(*cte));
	int rc;

	if (!cte)
		return ERROR_NO_MEMORY;
	cte->place = parser_place(parser, 0);
	rc = parse_name(parser, "a name", &cte->name);
	if (!rc && parser_is_kind(parser, '('))
		rc = parse_name_list(parser, &cte->columns,
				     &cte->column_count);
	if (!rc)
		rc = parser_expect(parser, "AS");
	if (!rc)
		rc = parser_expect_kind(parser, '(', "( after AS");
	if (!rc)
		rc = parse_query(parser, &cte->query);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (rc)
		return rc;
	for (size_t i = 0; i < ctes->count; i++) {
		const struct ast_cte *other = ctes->items[i];

		if (text_equal_nocase(other->name, cte->name))
			return sql_error(parser->err, ERROR_SYNTAX,
					 &cte->place, "WITH defines %s twice",
					 cte->name);
	}
	return parser_add(parser, ctes, cte);
}

int parse_with(struct sql_parser *parser, struct ast_cte ***out,
	       size_t *count_out)
{
	struct ast_list ctes = { NULL, 0, 0 };
	int rc;

	*out = NULL;
	*count_out = 0;
	if (parser_is_at(parser, 1, "RECURSIVE"))
		return parser_unsupported(parser, 0, "WITH RECURSIVE");
	parser->next++;
	do {
		if (ctes.count >= CTE_LIMIT)
			return parser_unsupported(parser, 0, "a WITH of so "
						  "many queries");
		rc = parse_cte(parser, &ctes);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	*out = (struct ast_cte **)ctes.items;
	*count_out = ctes.count;
	return 0;
}
