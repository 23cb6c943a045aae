/*
 * parse_call.c - functions with DISTINCT, FILTER, OVER; subqueries
 *
 * call:    name ( [DISTINCT] args [ORDER BY ...] [IGNORE NULLS] )
 *          [WITHIN GROUP (ORDER BY ...)] [FILTER (WHERE ...)]
 *          [IGNORE NULLS] [OVER (...) | OVER name]
 * Which functions may have which of these is the binder's to know.
 */
#include "sql/parser.h"

char *parser_lower_name(struct sql_parser *parser, const char *name)
{
	char *text = arena_strdup(parser->arena, name);

	for (char *c = text; c && *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	if (!text)
		parser_no_memory(parser);
	return text;
}

int parse_subquery(struct sql_parser *parser, enum ast_kind kind,
		   const struct sql_place *place, struct ast_expr *value,
		   struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 };
	struct ast_query *query;
	uint32_t outside = parser->deepest, inside;
	int rc;

	*out = NULL;
	parser->next++;		/* ( */
	parser->deepest = 0;
	rc = parse_query(parser, &query);
	inside = parser->deepest;
	parser->deepest = outside;
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (!rc && value)
		rc = parser_add(parser, &args, value);
	if (!rc)
		rc = ast_expr_new(parser, kind, place, &args, out);
	if (rc)
		return rc;
	(*out)->query = query;
	if ((*out)->depth <= inside)
		(*out)->depth = inside + 1;
	if ((*out)->depth > SQL_DEPTH_LIMIT)
		return sql_error(parser->err, ERROR_SYNTAX, place,
				 "an expression nested deeper than %d levels",
				 SQL_DEPTH_LIMIT);
	if ((*out)->depth > parser->deepest)
		parser->deepest = (*out)->depth;
	return 0;
}

static int parse_sort(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_sort *sort = parser_new(parser, sizeof(*sort));
	int rc;

	if (!sort)
		return ERROR_NO_MEMORY;
	sort->place = parser_place(parser, 0);
	rc = parse_expr(parser, &sort->expr);
	if (rc)
		return rc;
	if (parser_accept(parser, "DESC"))
		sort->descending = true;
	else
		parser_accept(parser, "ASC");
	if (parser_accept(parser, "NULLS FIRST"))
		sort->nulls_first = true;
	else
		parser_accept(parser, "NULLS LAST");
	if (list->count >= SQL_COLUMN_LIMIT)
		return sql_error(parser->err, ERROR_UNSUPPORTED, &sort->place,
				 "more than %d columns in ORDER BY",
				 SQL_COLUMN_LIMIT);
	return parser_add(parser, list, sort);
}

int parse_sort_list(struct sql_parser *parser, struct ast_sort ***out,
		    size_t *count_out)
{
	struct ast_list list = { NULL, 0, 0 };

	*out = NULL;
	*count_out = 0;
	do {
		int rc = parse_sort(parser, &list);

		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	*out = (struct ast_sort **)list.items;
	*count_out = list.count;
	return 0;
}

static int parse_bound(struct sql_parser *parser, enum frame_bound *bound,
		       struct ast_expr **offset)
{
	int rc;

	if (parser_accept(parser, "UNBOUNDED PRECEDING")) {
		*bound = FRAME_UNBOUNDED_PRECEDING;
		return 0;
	}
	if (parser_accept(parser, "UNBOUNDED FOLLOWING")) {
		*bound = FRAME_UNBOUNDED_FOLLOWING;
		return 0;
	}
	if (parser_accept(parser, "CURRENT ROW")) {
		*bound = FRAME_CURRENT_ROW;
		return 0;
	}
	rc = parse_operand(parser, offset);
	if (rc)
		return rc;
	if (parser_accept(parser, "PRECEDING"))
		*bound = FRAME_PRECEDING;
	else if (parser_accept(parser, "FOLLOWING"))
		*bound = FRAME_FOLLOWING;
	else
		return parser_expected(parser, "PRECEDING or FOLLOWING");
	return 0;
}

/* What no frame can be, whatever the rows are. */
static int check_frame(const struct sql_parser *parser,
		       const struct ast_window *window)
{
	const char *wrong = NULL;

	if (window->start == FRAME_UNBOUNDED_FOLLOWING)
		wrong = "a frame cannot start with UNBOUNDED FOLLOWING";
	else if (window->end == FRAME_UNBOUNDED_PRECEDING)
		wrong = "a frame cannot end with UNBOUNDED PRECEDING";
	else if (window->start == FRAME_CURRENT_ROW &&
		 window->end == FRAME_PRECEDING)
		wrong = "a frame from CURRENT ROW cannot end before it";
	else if (window->start == FRAME_FOLLOWING &&
		 window->end < FRAME_FOLLOWING)
		wrong = "a frame from FOLLOWING cannot end before it";
	return wrong ? sql_error(parser->err, ERROR_SYNTAX,
				 &window->frame_place, "%s", wrong) : 0;
}

static int parse_frame(struct sql_parser *parser, struct ast_window *window)
{
	bool is_between;
	int rc;

	window->frame_place = parser_place(parser, 0);
	window->has_frame = true;
	if (parser_accept(parser, "ROWS"))
		window->unit = FRAME_ROWS;
	else if (parser_accept(parser, "GROUPS"))
		window->unit = FRAME_GROUPS;
	else
		parser->next++;		/* RANGE */
	is_between = parser_accept(parser, "BETWEEN");
	rc = parse_bound(parser, &window->start, &window->start_offset);
	if (!rc && is_between)
		rc = parser_expect(parser, "AND");
	if (!rc && is_between)
		rc = parse_bound(parser, &window->end, &window->end_offset);
	if (!rc && parser_is(parser, "EXCLUDE"))
		rc = parser_unsupported(parser, 0, "EXCLUDE");
	return rc ? rc : check_frame(parser, window);
}

static bool at_frame(const struct sql_parser *parser, size_t ahead)
{
	return parser_is_at(parser, ahead, "ROWS") ||
	       parser_is_at(parser, ahead, "RANGE") ||
	       parser_is_at(parser, ahead, "GROUPS");
}

int parse_window(struct sql_parser *parser, struct ast_window **out)
{
	struct ast_window *window = parser_new(parser, sizeof(*window));
	struct ast_list partition = { NULL, 0, 0 };
	int rc;

	*out = NULL;
	if (!window)
		return ERROR_NO_MEMORY;
	window->place = parser_place(parser, 0);
	window->unit = FRAME_RANGE;
	window->start = FRAME_UNBOUNDED_PRECEDING;
	window->end = FRAME_CURRENT_ROW;
	rc = parser_expect_kind(parser, '(', "(");
	if (!rc && parser_is_name(parser, 0) &&
	    !parser_is_all(parser, "PARTITION BY") &&
	    (!at_frame(parser, 0) || parser_peek(parser, 1).kind == ')'))
		rc = parse_name(parser, "a window's name", &window->base);
	if (!rc && parser_accept(parser, "PARTITION BY")) {
		rc = parse_expr_list(parser, &partition);
		window->partition = (struct ast_expr **)partition.items;
		window->partition_count = partition.count;
	}
	if (!rc && parser_accept(parser, "ORDER BY"))
		rc = parse_sort_list(parser, &window->order,
				     &window->order_count);
	if (!rc && at_frame(parser, 0))
		rc = parse_frame(parser, window);
	if (!rc)
		rc = parser_expect_kind(parser, ')', "PARTITION BY, ORDER BY, "
					"ROWS, RANGE, GROUPS or )");
	if (!rc)
		*out = window;
	return rc;
}

static int parse_over(struct sql_parser *parser, struct ast_call *call)
{
	int rc;

	parser->next++;
	if (parser_is_kind(parser, '('))
		return parse_window(parser, &call->over);
	call->over = parser_new(parser, sizeof(*call->over));
	if (!call->over)
		return ERROR_NO_MEMORY;
	call->over->place = parser_place(parser, 0);
	call->over->unit = FRAME_RANGE;
	call->over->start = FRAME_UNBOUNDED_PRECEDING;
	call->over->end = FRAME_CURRENT_ROW;
	rc = parse_name(parser, "a window", &call->over->base);
	return rc;
}

static bool accept_nulls(struct sql_parser *parser, struct ast_call *call)
{
	if (parser_accept(parser, "IGNORE NULLS"))
		call->ignore_nulls = true;
	else if (!parser_accept(parser, "RESPECT NULLS"))
		return false;
	return true;
}

/* The first word of call that there is decides where it stands. */
static int call_new(struct sql_parser *parser, struct ast_call **call)
{
	if (*call)
		return 0;
	*call = parser_new(parser, sizeof(**call));
	if (!*call)
		return ERROR_NO_MEMORY;
	(*call)->place = parser_place(parser, 0);
	return 0;
}

static int parse_within_group(struct sql_parser *parser,
			      struct ast_call *call)
{
	int rc;

	if (call->order_count)
		return parser_expected(parser, "the end of the call: it has "
				       "an ORDER BY already");
	parser->next += 2;
	call->is_within_group = true;
	rc = parser_expect_kind(parser, '(', "(");
	if (!rc)
		rc = parser_expect(parser, "ORDER BY");
	if (!rc)
		rc = parse_sort_list(parser, &call->order,
				     &call->order_count);
	return rc ? rc : parser_expect_kind(parser, ')', ", or )");
}

static int parse_filter(struct sql_parser *parser, struct ast_call *call)
{
	int rc;

	parser->next += 2;
	rc = parser_expect(parser, "WHERE");
	if (!rc)
		rc = parse_expr(parser, &call->filter);
	return rc ? rc : parser_expect_kind(parser, ')', ")");
}

static int parse_call_suffix(struct sql_parser *parser,
			     struct ast_call **call)
{
	int rc = 0;

	if (parser_is_all(parser, "WITHIN GROUP")) {
		rc = call_new(parser, call);
		if (!rc)
			rc = parse_within_group(parser, *call);
	}
	if (!rc && parser_is(parser, "FILTER") &&
	    parser_peek(parser, 1).kind == '(') {
		rc = call_new(parser, call);
		if (!rc)
			rc = parse_filter(parser, *call);
	}
	if (!rc && (parser_is_all(parser, "IGNORE NULLS") ||
		    parser_is_all(parser, "RESPECT NULLS"))) {
		rc = call_new(parser, call);
		if (!rc)
			accept_nulls(parser, *call);
		if (!rc && !parser_is(parser, "OVER"))
			rc = parser_expected(parser, "OVER");
	}
	if (!rc && parser_is(parser, "OVER") &&
	    (parser_peek(parser, 1).kind == '(' ||
	     parser_is_name(parser, 1))) {
		rc = call_new(parser, call);
		if (!rc)
			rc = parse_over(parser, *call);
	}
	return rc;
}

/* What stands between the parentheses. */
static int parse_arguments(struct sql_parser *parser, struct ast_list *args,
			   struct ast_call **call)
{
	int rc = 0;

	if (parser_is_kind(parser, '*') && parser_peek(parser, 1).kind == ')') {
		rc = call_new(parser, call);
		if (!rc)
			(*call)->is_star = true;
		parser->next++;
		return rc;
	}
	if (parser_is(parser, "DISTINCT")) {
		rc = call_new(parser, call);
		if (!rc)
			(*call)->distinct = true;
		parser->next++;
	} else if (parser_is(parser, "ALL") &&
		   parser_peek(parser, 1).kind != '.') {
		parser->next++;
	}
	if (!rc && !parser_is_kind(parser, ')'))
		rc = parse_expr_list(parser, args);
	if (!rc && parser_is_all(parser, "ORDER BY")) {
		rc = call_new(parser, call);
		parser->next += 2;
		if (!rc)
			rc = parse_sort_list(parser, &(*call)->order,
					     &(*call)->order_count);
	}
	if (!rc && (parser_is_all(parser, "IGNORE NULLS") ||
		    parser_is_all(parser, "RESPECT NULLS"))) {
		rc = call_new(parser, call);
		if (!rc)
			accept_nulls(parser, *call);
	}
	return rc;
}

int parse_call(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0);
	struct ast_list args = { NULL, 0, 0 };
	struct ast_call *call = NULL;
	const char *name;
	int rc = parse_name(parser, "a function", &name);

	*out = NULL;
	if (rc)
		return rc;
	parser->next++;		/* ( */
	rc = parse_arguments(parser, &args, &call);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	if (!rc)
		rc = parse_call_suffix(parser, &call);
	if (!rc)
		rc = ast_expr_new(parser, AST_CALL, &place, &args, out);
	if (rc)
		return rc;
	(*out)->text = parser_lower_name(parser, name);
	(*out)->call = call;
	return (*out)->text ? 0 : ERROR_NO_MEMORY;
}
