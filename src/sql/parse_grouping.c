/*
 * parse_grouping.c - GROUP BY with its sets of groups
 *
 * element: expr | () | ROLLUP (expr, ...) | CUBE (expr, ...) |
 *          GROUPING SETS (element, ...)
 *
 * Each element is a list of sets, of one set where it is an expression; what
 * stands between commas is multiplied. All is one set where no element says
 * more: then the query has none.
 */
#include "sql/parser.h"

/* A CUBE of so many expressions, and so many sets at all. */
#define GROUP_CUBE_LIMIT 12
#define GROUP_SET_LIMIT 4096

struct grouping {
	struct sql_parser *parser;
	struct ast_list groups;		/* struct ast_expr */
};

static int too_many(struct sql_parser *parser)
{
	struct sql_place place = parser_place(parser, 0);

	return sql_error(parser->err, ERROR_UNSUPPORTED, &place,
			 "more than %d sets of groups", GROUP_SET_LIMIT);
}

static int add_set(struct sql_parser *parser, struct ast_list *sets,
		   size_t count, struct ast_group_set **out)
{
	struct ast_group_set *set = parser_new(parser, sizeof(*set));

	*out = set;
	if (!set)
		return ERROR_NO_MEMORY;
	set->groups = parser_new(parser, (count + 1) * sizeof(*set->groups));
	if (!set->groups)
		return ERROR_NO_MEMORY;
	if (sets->count >= GROUP_SET_LIMIT)
		return too_many(parser);
	return parser_add(parser, sets, set);
}

static int parse_group(struct grouping *g)
{
	struct ast_expr *expr;
	int rc = parse_expr(g->parser, &expr);

	if (!rc && g->groups.count >= SQL_COLUMN_LIMIT)
		rc = sql_error(g->parser->err, ERROR_UNSUPPORTED,
			       &expr->place, "more than %d groups",
			       SQL_COLUMN_LIMIT);
	return rc ? rc : parser_add(g->parser, &g->groups, expr);
}

/* The expressions of ROLLUP and CUBE: *first .. groups.count - 1. */
static int parse_list(struct grouping *g, size_t *first)
{
	int rc;

	*first = g->groups.count;
	g->parser->next += 2;		/* the word and ( */
	do {
		rc = parse_group(g);
		if (rc)
			return rc;
	} while (parser_accept_kind(g->parser, ','));
	return parser_expect_kind(g->parser, ')', ", or )");
}

/* All of them, all but the last, and so on to none. */
static int parse_rollup(struct grouping *g, struct ast_list *sets)
{
	struct ast_group_set *set;
	size_t first;
	int rc = parse_list(g, &first);

	for (size_t n = g->groups.count - first + 1; n-- > 0 && !rc;) {
		rc = add_set(g->parser, sets, n, &set);
		for (size_t i = 0; i < n && !rc; i++)
			set->groups[set->count++] = first + i;
	}
	return rc;
}

/* Every choice of them. */
static int parse_cube(struct grouping *g, struct ast_list *sets)
{
	struct sql_place place = parser_place(g->parser, 0);
	struct ast_group_set *set;
	size_t first, count;
	int rc = parse_list(g, &first);

	count = g->groups.count - first;
	if (!rc && count > GROUP_CUBE_LIMIT)
		rc = sql_error(g->parser->err, ERROR_UNSUPPORTED, &place,
			       "CUBE of more than %d expressions",
			       GROUP_CUBE_LIMIT);
	for (size_t without = 0; !rc && without < (size_t)1 << count;
	     without++) {
		rc = add_set(g->parser, sets, count, &set);
		for (size_t i = 0; i < count && !rc; i++)
			if (!(without >> (count - 1 - i) & 1))
				set->groups[set->count++] = first + i;
	}
	return rc;
}

static int parse_element(struct grouping *g, struct ast_list *sets);

static int parse_sets(struct grouping *g, struct ast_list *sets)
{
	int rc = parser_enter(g->parser);

	if (rc)
		return rc;
	g->parser->next += 3;		/* GROUPING SETS ( */
	do
		rc = parse_element(g, sets);
	while (!rc && parser_accept_kind(g->parser, ','));
	if (!rc)
		rc = parser_expect_kind(g->parser, ')', ", or )");
	parser_leave(g->parser);
	return rc;
}

static bool at_word(const struct sql_parser *parser, const char *words)
{
	size_t count = strchr(words, ' ') ? 2 : 1;

	return parser_is_all(parser, words) &&
	       parser_peek(parser, count).kind == '(';
}

/* ALL and AUTO mean columns that are not named. */
static int check_words(const struct sql_parser *parser)
{
	static const char *const words[] = { "ALL", "AUTO" };
	uint16_t next = parser_peek(parser, 1).kind;

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (parser_is(parser, words[i]) && next != '.' && next != '(')
			return parser_unsupported(parser, 0, words[i]);
	return 0;
}

static int parse_element(struct grouping *g, struct ast_list *sets)
{
	struct sql_parser *parser = g->parser;
	struct ast_group_set *set;
	size_t first = g->groups.count;
	int rc = check_words(parser);

	if (rc)
		return rc;
	if (at_word(parser, "GROUPING SETS"))
		return parse_sets(g, sets);
	if (at_word(parser, "ROLLUP"))
		return parse_rollup(g, sets);
	if (at_word(parser, "CUBE"))
		return parse_cube(g, sets);
	if (parser_is_kind(parser, '(') &&
	    parser_peek(parser, 1).kind == ')') {
		parser->next += 2;
		return add_set(parser, sets, 0, &set);
	}
	rc = parse_group(g);
	if (!rc)
		rc = add_set(parser, sets, 1, &set);
	if (!rc)
		set->groups[set->count++] = first;
	return rc;
}

/* Each of *all with each of more. */
static int multiply(struct sql_parser *parser, struct ast_list *all,
		    const struct ast_list *more)
{
	struct ast_list product = { NULL, 0, 0 };
	int rc = 0;

	for (size_t i = 0; i < all->count && !rc; i++)
		for (size_t k = 0; k < more->count && !rc; k++) {
			const struct ast_group_set *a = all->items[i];
			const struct ast_group_set *b = more->items[k];
			struct ast_group_set *set;

			rc = add_set(parser, &product, a->count + b->count,
				     &set);
			if (rc)
				break;
			memcpy(set->groups, a->groups,
			       a->count * sizeof(*set->groups));
			memcpy(set->groups + a->count, b->groups,
			       b->count * sizeof(*set->groups));
			set->count = a->count + b->count;
		}
	*all = product;
	return rc;
}

/* The elements between commas: lists of sets. */
static int parse_elements(struct grouping *g, struct ast_list *elements,
			  bool *is_plain)
{
	int rc;

	do {
		struct ast_list *sets = parser_new(g->parser, sizeof(*sets));

		if (!sets)
			return ERROR_NO_MEMORY;
		rc = parse_element(g, sets);
		if (!rc)
			rc = parser_add(g->parser, elements, sets);
		*is_plain = *is_plain && sets->count == 1;
	} while (!rc && parser_accept_kind(g->parser, ','));
	return rc;
}

int parse_groups(struct sql_parser *parser, struct ast_query *query)
{
	struct grouping g = { .parser = parser };
	struct ast_list elements = { NULL, 0, 0 }, all = { NULL, 0, 0 };
	struct ast_group_set *set;
	bool is_plain = true;
	int rc;

	query->is_grouped = true;
	if (parser_is(parser, "DISTINCT"))
		return parser_unsupported(parser, 0, "GROUP BY DISTINCT");
	rc = parse_elements(&g, &elements, &is_plain);
	if (rc)
		return rc;
	query->groups = (struct ast_expr **)g.groups.items;
	query->group_count = g.groups.count;
	if (is_plain)		/* one set, of all there are */
		return 0;
	rc = add_set(parser, &all, 0, &set);
	for (size_t i = 0; i < elements.count && !rc; i++)
		rc = multiply(parser, &all, elements.items[i]);
	query->sets = (struct ast_group_set **)all.items;
	query->set_count = all.count;
	return rc;
}
