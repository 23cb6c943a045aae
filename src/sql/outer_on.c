/*
 * outer_on.c - an outer join whose ON has subqueries
 *
 * Why:    a subquery of ON may read both sides; it is then a value of a pair
 *         of rows, and no row of either side has it.
 * How:    subqueries that read the right side alone, or nothing, are joined
 *         to it. For others the pairs are made first, by the conditions
 *         without subqueries; the subqueries are joined to them, and what ON
 *         refuses is left out. A row that keeps no pair is found by its
 *         number: the numbered side is joined to its pairs by LEFT JOIN, and
 *         the pairs to the other numbered side by FULL JOIN.
 * Cost:   each kept side and the pairs are read once, their rows are
 *         numbered, and there are one or two joins by number more.
 */
#include "sql/bind_subquery.h"

struct pairs {
	struct binder *binder;
	struct outer_on *on;
	size_t left_count;
	size_t right_count;
	bool keeps_left;
	bool keeps_right;
	struct query_node *left;	/* numbered where it is kept */
	struct query_node *right;
	struct query_node *pairs;
};

static bool is_open(const struct subquery *subquery)
{
	return !subquery->clause && !subquery->results;
}

/* Nothing of it is a column before `first` or another subquery's. */
static bool reads_from(const struct subquery *subquery, size_t first)
{
	for (size_t i = 0; i < subquery->outer->refs.count; i++) {
		const struct outer_ref *ref = subquery->outer->refs.items[i];

		if (!expr_within(ref->expr, first, SIZE_MAX) ||
		    expr_has_place(ref->expr, PLACE_SUBQUERY))
			return false;
	}
	for (size_t i = 0; i < subquery->value_count; i++)
		if (!expr_within(subquery->values[i], first, SIZE_MAX) ||
		    expr_has_place(subquery->values[i], PLACE_SUBQUERY))
			return false;
	return true;
}

/* What it takes from around moves. */
static int move_inputs(struct binder *binder, struct subquery *subquery,
		       size_t from, ptrdiff_t by)
{
	int rc = 0;

	for (size_t i = 0; i < subquery->outer->refs.count && !rc; i++) {
		struct outer_ref *ref = subquery->outer->refs.items[i];

		rc = expr_shift(binder, ref->expr, from, by, &ref->expr);
	}
	for (size_t i = 0; i < subquery->value_count && !rc; i++)
		rc = expr_shift(binder, subquery->values[i], from, by,
				&subquery->values[i]);
	return rc;
}

static int attach(struct settle *settle, struct subquery *subquery)
{
	return attach_subquery(settle, subquery,
			       subquery->kind == SUBQUERY_SCALAR ?
			       JOIN_SINGLE : JOIN_MARK);
}

/* Those that the right side alone decides become columns of it. */
static int join_to_right(struct pairs *p, struct settle *settle)
{
	struct outer_on *on = p->on;
	const struct ast_list *all = &on->level->subqueries;
	int rc = 0;

	settle->input = &on->right;
	for (size_t i = 0; i < all->count && !rc; i++) {
		struct subquery *subquery = all->items[i];

		if (!is_open(subquery) ||
		    !reads_from(subquery, p->left_count))
			continue;
		rc = move_inputs(p->binder, subquery, p->left_count,
				 -(ptrdiff_t)p->left_count);
		if (!rc)
			rc = attach(settle, subquery);
		for (size_t k = 0; k < subquery->column_count && !rc; k++)
			rc = expr_shift(p->binder, subquery->results[k], 0,
					(ptrdiff_t)p->left_count,
					&subquery->results[k]);
	}
	return rc;
}

/* The side twice: for the pairs, and for the rows without one. */
static int keep_side(struct pairs *p, struct query_node **side)
{
	struct query_node *numbered;
	int rc = number_rows(p->binder, *side, 0, &numbered);

	if (!rc)
		rc = query_share(p->binder, numbered, side);
	if (rc)
		return rc;
	query_use(p->binder, *side);
	query_use(p->binder, *side);
	return 0;
}

/* ON and its open subqueries read the numbered left side. */
static int make_room(struct pairs *p)
{
	const struct ast_list *all = &p->on->level->subqueries;
	int rc = 0;

	for (size_t i = 0; i < all->count && !rc; i++)
		if (is_open(all->items[i]))
			rc = move_inputs(p->binder, all->items[i],
					 p->left_count, 1);
	return rc ? rc : expr_shift(p->binder, p->on->condition,
				    p->left_count, 1, &p->on->condition);
}

static int add_part(struct pairs *p, struct expr **slot, struct expr *part)
{
	*slot = expr_and(p->binder->arena, *slot, part);
	return *slot ? 0 : binder_no_memory(p->binder);
}

/* All pairs for which the parts of ON without open subqueries are true. */
static int make_pairs(struct pairs *p, struct expr **rest)
{
	struct expr *on = p->on->condition, *plain = NULL;
	struct equi_split split;
	int rc = 0;

	*rest = NULL;
	for (size_t i = 0; i < expr_part_count(on) && !rc; i++) {
		struct expr *part = expr_part(on, i);

		rc = add_part(p, expr_has_place(part, PLACE_SUBQUERY) ?
			      rest : &plain, part);
	}
	if (!rc)
		rc = equi_split(p->binder, plain,
				p->left->schema->column_count,
				SPLIT_KEEPS_LEFT | SPLIT_KEEPS_RIGHT, &split);
	return rc ? rc : join_new(p->binder, JOIN_INNER, p->left, p->right,
				  &split, &p->pairs);
}

/* *node LEFT or FULL JOIN other where two numbers are equal. */
static int join_by_number(struct pairs *p, enum join_kind kind,
			  struct query_node *other, const size_t number[2],
			  struct query_node **node)
{
	size_t count = (*node)->schema->column_count;
	struct join_key key = { 0 };
	struct equi_split split = { .keys = &key, .key_count = 1 };
	int rc = column_expr(p->binder, *node, number[0], &key.left);

	if (!rc)
		rc = column_expr(p->binder, other, number[1], &key.right);
	if (rc)
		return rc;
	key.right->column += count;
	return join_new(p->binder, kind, *node, other, &split, node);
}

/* The rows without a pair come back; columns: left's, then right's. */
static int add_unpaired(struct pairs *p, struct query_node **out)
{
	size_t left_count = p->left_count, right_count = p->right_count;
	size_t right_at = left_count + p->keeps_left;
	size_t left_at = 0, number[2];
	size_t *columns = binder_alloc(p->binder, left_count + right_count + 1,
				       sizeof(*columns));
	int rc = columns ? 0 : ERROR_NO_MEMORY;

	*out = p->pairs;
	if (!rc && p->keeps_left) {
		number[0] = number[1] = left_count;
		*out = p->left;
		rc = join_by_number(p, JOIN_LEFT, p->pairs, number, out);
		right_at += left_count + 1;
	}
	if (!rc && p->keeps_right) {
		number[0] = right_at + right_count;
		number[1] = right_count;
		right_at = (*out)->schema->column_count;
		rc = join_by_number(p, p->keeps_left ? JOIN_FULL : JOIN_RIGHT,
				    p->right, number, out);
	}
	for (size_t i = 0; i < left_count && !rc; i++)
		columns[i] = left_at + i;
	for (size_t i = 0; i < right_count && !rc; i++)
		columns[left_count + i] = right_at + i;
	return rc ? rc : query_pick(p->binder, *out, columns,
				    left_count + right_count, out);
}

static int join_pairs(struct pairs *p, struct settle *settle,
		      struct query_node **out)
{
	const struct ast_list *all = &p->on->level->subqueries;
	struct expr *rest;
	int rc = 0;

	p->left = p->on->left;
	p->right = p->on->right;
	p->right_count = p->right->schema->column_count;
	if (p->keeps_left)
		rc = keep_side(p, &p->left);
	if (!rc && p->keeps_left)
		rc = make_room(p);
	if (!rc && p->keeps_right)
		rc = keep_side(p, &p->right);
	if (!rc)
		rc = make_pairs(p, &rest);
	settle->input = &p->pairs;
	settle->named = rc ? NULL : p->pairs->schema;
	for (size_t i = 0; i < all->count && !rc; i++)
		if (is_open(all->items[i]))
			rc = attach(settle, all->items[i]);
	if (!rc)
		rc = settle_expr(settle, &rest);
	if (!rc)
		rc = filter_new(p->binder, rest, &p->pairs);
	return rc ? rc : add_unpaired(p, out);
}

int outer_on_settle(struct binder *binder, struct outer_on *on,
		    struct query_node **out)
{
	struct pairs p = {
		.binder = binder, .on = on,
		.left_count = on->left->schema->column_count,
		.keeps_left = on->kind == JOIN_LEFT || on->kind == JOIN_FULL,
		.keeps_right = on->kind == JOIN_RIGHT || on->kind == JOIN_FULL,
	};
	struct settle settle = { .binder = binder, .level = on->level,
				 .keeps_open = true,
				 .named = on->right->schema };
	int rc = join_to_right(&p, &settle);

	*out = NULL;
	if (!rc)
		rc = settle_expr(&settle, &on->condition);
	settle.keeps_open = false;
	if (rc || !expr_has_place(on->condition, PLACE_SUBQUERY))
		return rc;
	return join_pairs(&p, &settle, out);
}
