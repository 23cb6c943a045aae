/*
 * parse_query.c - VALUES, set operations, WITH, ORDER BY, LIMIT
 *
 * query:   [WITH ...] terms [ORDER BY ...] [OFFSET n] [LIMIT n | FETCH ...]
 * terms:   both ((UNION | EXCEPT) [ALL] both)*	unions in a row: one flat list
 * both:    term (INTERSECT [ALL] term)*
 * term:    SELECT ... | VALUES ... | TABLE t | ( query )
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
	struct ast_query *query = ast_query_new(parser, AST_VALUES);
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
	struct ast_query *query = ast_query_new(parser, AST_SELECT);
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

static struct ast_query *set_operation_new(struct sql_parser *parser,
					   enum ast_query_kind kind,
					   const struct ast_list *inputs)
{
	struct ast_query *query = ast_query_new(parser, kind);

	if (!query)
		return NULL;
	query->place = ((struct ast_query *)inputs->items[0])->place;
	query->inputs = (struct ast_query **)inputs->items;
	query->input_count = inputs->count;
	return query;
}

/* [ALL | DISTINCT] */
static bool parse_distinct(struct sql_parser *parser)
{
	if (parser_accept(parser, "ALL"))
		return false;
	parser_accept(parser, "DISTINCT");
	return true;
}

/* term (INTERSECT term)* */
static int parse_intersection(struct sql_parser *parser,
			      struct ast_query **out)
{
	int rc = parse_term(parser, out);

	while (!rc && parser_accept(parser, "INTERSECT")) {
		struct ast_list inputs = { NULL, 0, 0 };
		bool distinct = parse_distinct(parser);
		struct ast_query *right;

		rc = parse_term(parser, &right);
		if (!rc)
			rc = parser_add(parser, &inputs, *out);
		if (!rc)
			rc = parser_add(parser, &inputs, right);
		if (rc)
			return rc;
		*out = set_operation_new(parser, AST_INTERSECT, &inputs);
		if (!*out)
			return ERROR_NO_MEMORY;
		(*out)->distinct = distinct;
	}
	return rc;
}

enum set_kind {
	SET_NONE,
	SET_UNION_ALL,
	SET_UNION,
	SET_EXCEPT_ALL,
	SET_EXCEPT,
};

static int parse_set_kind(struct sql_parser *parser, enum set_kind *out)
{
	int rc = 0;

	*out = SET_NONE;
	if (parser_accept(parser, "UNION")) {
		*out = parse_distinct(parser) ? SET_UNION : SET_UNION_ALL;
		if (parser_is_all(parser, "BY NAME"))
			rc = parser_unsupported(parser, 0, "BY NAME");
	} else if (parser_accept(parser, "EXCEPT")) {
		*out = parse_distinct(parser) ? SET_EXCEPT : SET_EXCEPT_ALL;
	}
	return rc;
}

/* From the left; operations of one kind in a row are one, but EXCEPT. */
static int parse_terms(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_list inputs = { NULL, 0, 0 };
	enum set_kind last = SET_NONE, kind;
	struct ast_query *right;
	bool is_union;
	int rc = parse_intersection(parser, out);

	while (!rc) {
		rc = parse_set_kind(parser, &kind);
		if (rc || kind == SET_NONE)
			break;
		rc = parse_intersection(parser, &right);
		if (rc)
			break;
		is_union = kind == SET_UNION || kind == SET_UNION_ALL;
		if (kind == last && is_union) {
			rc = parser_add(parser, &inputs, right);
			(*out)->inputs = (struct ast_query **)inputs.items;
			(*out)->input_count = inputs.count;
			continue;
		}
		memset(&inputs, 0, sizeof(inputs));
		rc = parser_add(parser, &inputs, *out);
		if (!rc)
			rc = parser_add(parser, &inputs, right);
		if (rc)
			break;
		*out = set_operation_new(parser, is_union ? AST_UNION :
					 AST_EXCEPT, &inputs);
		if (!*out)
			return ERROR_NO_MEMORY;
		(*out)->distinct = kind == SET_UNION || kind == SET_EXCEPT;
		last = kind;
	}
	if (rc)
		*out = NULL;
	return rc;
}

/* FETCH FIRST [n] ROWS ONLY */
static int parse_fetch(struct sql_parser *parser, struct ast_query *query)
{
	struct sql_place place = parser_place(parser, 0);
	int rc = 0;

	if (!parser_accept(parser, "FIRST"))
		rc = parser_expect(parser, "NEXT");
	if (rc)
		return rc;
	if (parser_is(parser, "ROW") || parser_is(parser, "ROWS")) {
		rc = ast_expr_new(parser, AST_LITERAL, &place, NULL,
				  &query->limit);
		if (rc)
			return rc;
		query->limit->literal = literal_null(type_of(TYPE_INTEGER));
		query->limit->literal.is_null = false;
		query->limit->literal.value.int32 = 1;
	} else {
		rc = parse_constant(parser, &query->limit);
	}
	if (!rc && !parser_accept(parser, "ROWS"))
		rc = parser_expect(parser, "ROW");
	if (!rc && parser_is_all(parser, "WITH TIES"))
		return parser_unsupported(parser, 0, "WITH TIES");
	return rc ? rc : parser_expect(parser, "ONLY");
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
		} else if (!query->limit && parser_accept(parser, "FETCH")) {
			rc = parse_fetch(parser, query);
		} else {
			break;
		}
	}
	return rc;
}

/* A query with a part of its own must not take that of an outer one. */
static int nest(struct sql_parser *parser, struct ast_query **query)
{
	struct ast_query *outer;

	if (!(*query)->cte_count && !(*query)->limit && !(*query)->offset &&
	    !(*query)->order_count)
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
	if (rc)
		return rc;
	if (cte_count || parser_is(parser, "LIMIT") ||
	    parser_is(parser, "OFFSET") || parser_is(parser, "FETCH") ||
	    parser_is_all(parser, "ORDER BY")) {
		rc = nest(parser, &query);
		if (rc)
			return rc;
		query->ctes = ctes;
		query->cte_count = cte_count;
	}
	if (parser_accept(parser, "ORDER BY"))
		rc = parse_sort_list(parser, &query->order,
				     &query->order_count);
	if (!rc)
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
