/*
 * parse_select.c - SELECT ... FROM ... WHERE ... GROUP BY ... QUALIFY
 *
 * ORDER BY and LIMIT belong to the whole query: parse_query.c.
 */
#include "sql/parser.h"

struct ast_query *ast_query_new(struct sql_parser *parser,
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

static int parse_windows(struct sql_parser *parser, struct ast_query *query)
{
	struct ast_list windows = { NULL, 0, 0 };

	do {
		struct ast_named_window *window =
			parser_new(parser, sizeof(*window));
		int rc;

		if (!window)
			return ERROR_NO_MEMORY;
		window->place = parser_place(parser, 0);
		rc = parse_name(parser, "a window's name", &window->name);
		if (!rc)
			rc = parser_expect(parser, "AS");
		if (!rc)
			rc = parse_window(parser, &window->window);
		if (!rc)
			rc = parser_add(parser, &windows, window);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	query->windows = (struct ast_named_window **)windows.items;
	query->window_count = windows.count;
	return 0;
}

static int parse_clauses(struct sql_parser *parser, struct ast_query *query)
{
	int rc = 0;

	if (parser_accept(parser, "FROM"))
		rc = parse_from(parser, &query->from);
	if (!rc && parser_accept(parser, "WHERE"))
		rc = parse_expr(parser, &query->where);
	if (!rc && parser_accept(parser, "GROUP BY"))
		rc = parse_groups(parser, query);
	if (!rc && parser_accept(parser, "HAVING"))
		rc = parse_expr(parser, &query->having);
	if (!rc && parser_accept(parser, "WINDOW"))
		rc = parse_windows(parser, query);
	if (!rc && parser_accept(parser, "QUALIFY"))
		rc = parse_expr(parser, &query->qualify);
	if (!rc && !query->windows && parser_accept(parser, "WINDOW"))
		rc = parse_windows(parser, query);
	return rc;
}

int parse_select(struct sql_parser *parser, struct ast_query **out)
{
	struct ast_query *query = ast_query_new(parser, AST_SELECT);
	struct ast_list items = { NULL, 0, 0 };
	int rc;

	*out = NULL;
	if (!query)
		return ERROR_NO_MEMORY;
	parser->next++;
	query->distinct = parser_accept(parser, "DISTINCT");
	if (query->distinct && parser_is(parser, "ON") &&
	    parser_peek(parser, 1).kind == '(')
		return parser_unsupported(parser, 0, "DISTINCT ON");
	if (!query->distinct)
		parser_accept(parser, "ALL");
	do {
		rc = parse_item(parser, &items);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	query->items = (struct ast_item **)items.items;
	query->item_count = items.count;
	rc = parse_clauses(parser, query);
	if (!rc)
		*out = query;
	return rc;
}
