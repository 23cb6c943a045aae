/*
 * attach.c - a subquery becomes a join
 *
 * How:    a subquery that reads nothing from around is joined as it is. One
 *         whose only tie to it are conditions of WHERE is pulled up: they
 *         become keys of the join. Any other is computed once for all the
 *         distinct values that it reads (decorrelate.c), and joined by them.
 *         IN is a null-aware mark, EXISTS a mark, a scalar query a join that
 *         tells one match from several, which EXPR_SINGLE refuses where the
 *         value is asked for; conditions of WHERE are semi and anti joins.
 * Limits: the query around is read twice where the last way is taken.
 */
#include "sql/bind_subquery.h"

struct attach {
	struct settle *settle;
	struct binder *binder;
	struct subquery *subquery;
	enum join_kind kind;
	struct query_node *right;
	struct ast_list keys;		/* struct join_key, combined columns */
	struct expr *residual;
	struct expr **outer;		/* values over the left input */
	struct expr **empty;		/* see struct pulled */
	struct late_values late;	/* a scalar query */
	bool waits;			/* an error, for who asks */
	struct expr *check;		/* fails where a key does, else FALSE */
	size_t left_count;
};

static int add_key(struct attach *a, struct expr *left, size_t right,
		   bool null_safe)
{
	struct join_key *key = binder_alloc(a->binder, 1, sizeof(*key));
	int rc = key ? column_expr(a->binder, a->right, right, &key->right)
		     : ERROR_NO_MEMORY;

	if (rc)
		return rc;
	key->right->column += a->left_count;
	key->left = left;
	key->null_safe = null_safe;
	return ast_list_add(&a->keys, a->binder->arena, key) ? 0 :
		binder_no_memory(a->binder);
}

/* The key is NULL where it fails: who asks for the result finds out. */
static int try_key(struct attach *a, struct expr **left)
{
	struct sql_place *place = &a->subquery->place;
	struct bound_value value = { .expr = *left, .place = *place }, tried;
	struct expr *is_null, *check;
	int rc;

	if ((a->kind != JOIN_MARK && a->kind != JOIN_SINGLE) ||
	    !expr_can_fail(*left))
		return 0;
	rc = bind_call(a->binder, "try", place, &value, 1, &tried);
	if (!rc)
		rc = expr_node(a->binder, EXPR_IS_NULL, type_of(TYPE_BOOLEAN),
			       1, place, &is_null);
	if (!rc)
		rc = expr_node(a->binder, EXPR_IS_NULL, type_of(TYPE_BOOLEAN),
			       1, place, &check);
	if (rc)
		return rc;
	is_null->args[0] = *left;
	check->args[0] = is_null;
	*left = tried.expr;
	if (a->check) {
		rc = expr_node(a->binder, EXPR_OR, type_of(TYPE_BOOLEAN), 2,
			       place, &is_null);
		if (rc)
			return rc;
		is_null->args[0] = a->check;
		is_null->args[1] = check;
		check = is_null;
	}
	a->check = check;
	a->waits = true;
	return 0;
}

/* Keys of the values that IN compares. */
static int value_keys(struct attach *a)
{
	struct subquery *subquery = a->subquery;
	int rc = 0;

	for (size_t i = 0; i < subquery->value_count && !rc; i++) {
		rc = try_key(a, &subquery->values[i]);
		if (!rc)
			rc = add_key(a, subquery->values[i], i, false);
	}
	return rc;
}

/* The outer values of the subquery and the ones it is asked for, over *input
 * as it is now. */
static int settle_values(struct attach *a)
{
	const struct outer_list *outer = a->subquery->outer;
	int rc = settle_exprs(a->settle, a->subquery->values,
			      a->subquery->value_count);

	a->outer = binder_alloc(a->binder, outer->refs.count + 1,
				sizeof(*a->outer));
	if (!a->outer)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < outer->refs.count && !rc; i++) {
		const struct outer_ref *ref = outer->refs.items[i];

		a->outer[i] = ref->expr;
		rc = settle_expr(a->settle, &a->outer[i]);
	}
	return rc;
}

static int join_pulled(struct attach *a, const struct pulled *pulled)
{
	struct outer_change change = { a->outer, 0, a->left_count };
	const struct outer_list *outer = a->subquery->outer;
	int rc = 0;

	a->right = pulled->node;
	a->empty = pulled->empty;
	for (size_t i = 0; i < pulled->key_count && !rc; i++) {
		struct outer_change none = { a->outer, SIZE_MAX, 0 };
		struct expr *left;

		rc = expr_replace_outer(a->binder, pulled->keys[i].left, outer,
					&none, &left);
		if (!rc)
			rc = try_key(a, &left);
		if (!rc)
			rc = add_key(a, left, pulled->keys[i].right->column,
				     pulled->keys[i].null_safe);
	}
	if (!rc && pulled->residual)
		rc = expr_replace_outer(a->binder, pulled->residual, outer,
					&change, &a->residual);
	return rc;
}

/* The distinct outer values, as a query that several may read. */
static int domain_new(struct attach *a, struct query_node **out)
{
	size_t count = a->subquery->outer->refs.count;
	struct query_node *project, *distinct;
	int rc = query_node_new(a->binder, QUERY_PROJECT, count, &project);

	if (!rc)
		rc = query_input(a->binder, project, *a->settle->input);
	if (rc)
		return rc;
	project->exprs = binder_alloc(a->binder, count + 1,
				      sizeof(*project->exprs));
	if (!project->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++)
		rc = project_set(a->binder, project, i, NULL, a->outer[i]);
	if (!rc)
		rc = query_node_new(a->binder, QUERY_DISTINCT, 0, &distinct);
	if (!rc)
		rc = query_input(a->binder, distinct, project);
	if (rc)
		return rc;
	distinct->schema = project->schema;
	return query_share(a->binder, distinct, out);
}

static int join_domain(struct attach *a)
{
	const struct outer_list *outer = a->subquery->outer;
	size_t count = a->late.node->schema->column_count;
	struct query_node *shared, *domain;
	int rc = query_share(a->binder, *a->settle->input, &shared);

	if (rc)
		return rc;
	query_use(a->binder, shared);
	query_use(a->binder, shared);
	*a->settle->input = shared;
	rc = domain_new(a, &domain);
	if (!rc)
		rc = decorrelate(a->binder, a->late.node, outer, domain,
				 &a->right);
	for (size_t i = 0; i < outer->refs.count && !rc; i++)
		rc = add_key(a, a->outer[i], count + i, true);
	return rc;
}

static int make_join(struct attach *a, enum join_kind kind,
		     struct query_node **input)
{
	struct equi_split split = { .key_count = a->keys.count,
				    .residual = a->residual };

	split.keys = binder_alloc(a->binder, a->keys.count + 1,
				  sizeof(*split.keys));
	if (!split.keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < a->keys.count; i++)
		split.keys[i] = *(struct join_key *)a->keys.items[i];
	return join_new(a->binder, kind, *input, a->right, &split, input);
}

static int join_waiting(struct attach *a, enum join_kind kind)
{
	int rc = make_join(a, kind, a->settle->input);

	if (!rc && a->waits && (kind == JOIN_MARK || kind == JOIN_SINGLE))
		join_wait(*a->settle->input);
	return rc;
}

/* One row is enough where nothing but its presence is asked for. */
static int first_row(struct attach *a)
{
	struct query_node *limit;
	int rc = query_node_new(a->binder, QUERY_LIMIT, 0, &limit);

	if (!rc)
		rc = query_input(a->binder, limit, a->right);
	if (rc)
		return rc;
	limit->schema = a->right->schema;
	limit->limit = 1;
	a->right = limit;
	return 0;
}

/* Value i over the joined row, and what it is where there is no row; NULL =
 * NULL there. */
static int late_value(struct attach *a, size_t i, struct expr **value,
		      struct expr **none)
{
	struct outer_change change = { a->outer, 0, a->left_count };
	const struct outer_list *outer = a->subquery->outer;
	struct expr *late = a->late.values[i];
	int rc = expr_replace_outer(a->binder, late, outer, &change, value);

	*none = NULL;
	if (rc || !a->empty)
		return rc;
	rc = expr_over_values(a->binder, late, a->empty, none);
	change.from = SIZE_MAX;
	if (!rc)
		rc = expr_replace_outer(a->binder, *none, outer, &change,
					none);
	if (!rc)
		rc = binder_fold(a->binder, none);
	if (!rc && (*none)->kind == EXPR_LITERAL && (*none)->literal.is_null)
		*none = NULL;
	return rc;
}

/* The value where the join found it, and an error where it found several, or
 * something failed; state: a column of what was joined. */
static int guarded_value(struct attach *a, size_t state, struct expr *none,
			 struct expr **value)
{
	const struct query_node *joined = *a->settle->input;
	struct sql_place *place = &a->subquery->place;
	struct expr *single, *checked;
	int rc = expr_node(a->binder, EXPR_SINGLE, (*value)->type,
			   none ? 3 : 2, place, &single);

	if (!rc)
		rc = column_expr(a->binder, joined, state, &single->args[0]);
	if (rc)
		return rc;
	single->args[1] = *value;
	if (none)
		single->args[2] = none;
	*value = single;
	if (!a->check)
		return 0;
	rc = expr_node(a->binder, EXPR_CASE, type_of(TYPE_INTEGER), 3, place,
		       &checked);
	if (rc)
		return rc;
	checked->args[0] = a->check;
	checked->args[1] = checked->args[2] = single->args[0];
	single->args[0] = checked;
	return 0;
}

/* NULL of itself where the join found no row? */
static bool is_joined(const struct attach *a, const struct expr *value)
{
	return value->kind == EXPR_COLUMN && !place_kind(value->column) &&
	       value->column >= a->left_count;
}

static int scalar_results(struct attach *a)
{
	struct subquery *subquery = a->subquery;
	bool is_guarded = gives_several_rows(subquery->node) || a->waits;
	size_t state = (*a->settle->input)->schema->column_count - 1;
	bool is_found = gives_one_row(subquery->node) && !a->empty;
	int rc = 0;

	for (size_t i = 0; i < subquery->column_count && !rc; i++) {
		struct expr *none, **result = &subquery->results[i];
		bool is_plain;

		rc = late_value(a, i, result, &none);
		is_plain = is_found || (!rc && is_joined(a, *result));
		if (!rc && !none && !is_plain) {
			/* a third argument: it may be a column of the left */
			none = null_expr(a->binder, &(*result)->type);
			rc = none ? 0 : binder_no_memory(a->binder);
		}
		if (!rc && (is_guarded || none))
			rc = guarded_value(a, state, none, result);
	}
	return rc;
}

/* Could the rows be equal: is no pair of values known to differ? */
static int may_equal(struct attach *a, struct expr **out)
{
	struct binder *binder = a->binder;
	const struct subquery *subquery = a->subquery;
	int rc = 0;

	*out = a->residual;
	for (size_t i = 0; i < subquery->value_count && !rc; i++) {
		struct bound_value args[2] = { { 0 } }, equal;
		struct expr *either, *is_null;

		args[0].expr = subquery->values[i];
		rc = column_expr(binder, a->right, i, &args[1].expr);
		if (rc)
			return rc;
		args[1].expr->column += a->left_count;
		rc = bind_call(binder, "=", &subquery->place, args, 2, &equal);
		if (!rc)
			rc = expr_node(binder, EXPR_IS_NULL,
				       type_of(TYPE_BOOLEAN), 1,
				       &subquery->place, &is_null);
		if (!rc)
			rc = expr_node(binder, EXPR_OR, type_of(TYPE_BOOLEAN),
				       2, &subquery->place, &either);
		if (rc)
			return rc;
		is_null->args[0] = equal.expr;
		either->args[0] = equal.expr;
		either->args[1] = is_null;
		*out = expr_and(binder->arena, *out, either);
		if (!*out)
			return binder_no_memory(binder);
	}
	return 0;
}

/*
 * (a, b) IN: TRUE where a row is equal; unknown where one could be; else
 * FALSE. The second question has no keys but those of the outer values.
 */
static int mark_rows(struct attach *a)
{
	struct binder *binder = a->binder;
	struct subquery *subquery = a->subquery;
	struct type boolean = type_of(TYPE_BOOLEAN);
	struct query_node *shared, **input = a->settle->input;
	struct expr *residual = a->residual, *result, *may;
	size_t correlated = a->keys.count, at = a->left_count;
	size_t moved;
	int rc = query_share(binder, a->right, &shared);

	if (rc)
		return rc;
	query_use(binder, shared);
	query_use(binder, shared);
	a->right = shared;
	rc = value_keys(a);
	if (!rc)
		rc = join_waiting(a, JOIN_MARK);
	if (rc)
		return rc;
	moved = 1 + a->waits;
	a->left_count += moved;
	for (size_t i = 0; i < correlated; i++)
		((struct join_key *)a->keys.items[i])->right->column += moved;
	a->keys.count = correlated;
	a->residual = NULL;
	if (residual)
		rc = expr_shift(binder, residual, at, (ptrdiff_t)moved,
				&a->residual);
	if (!rc)
		rc = may_equal(a, &a->residual);
	if (!rc)
		rc = join_waiting(a, JOIN_MARK);
	if (!rc)
		rc = expr_node(binder, EXPR_CASE, boolean, 5,
			       &subquery->place, &result);
	if (rc)
		return rc;
	subquery->results[0] = result;
	rc = column_expr(binder, *input, at, &result->args[0]);
	if (!rc && a->waits)
		rc = guarded_value(a, at + 1, NULL, &result->args[0]);
	result->args[1] = result->args[0];
	if (!rc)
		rc = column_expr(binder, *input, at + moved, &may);
	if (!rc && a->waits)
		rc = guarded_value(a, at + moved + 1, NULL, &may);
	result->args[2] = may;
	result->args[3] = null_expr(binder, &boolean);
	result->args[4] = result->args[0];
	return !rc && !result->args[3] ? binder_no_memory(binder) : rc;
}

static int join_it(struct attach *a)
{
	struct subquery *subquery = a->subquery;
	struct query_node **input = a->settle->input;
	bool is_in = subquery->kind == SUBQUERY_IN;
	int rc = 0;

	if (is_in && a->kind == JOIN_MARK && subquery->value_count > 1)
		return mark_rows(a);
	if (is_in)
		rc = value_keys(a);
	if (!rc && subquery->kind == SUBQUERY_EXISTS && !a->keys.count &&
	    !a->residual)
		rc = first_row(a);
	if (!rc)
		rc = join_waiting(a, a->kind);
	if (rc)
		return rc;
	(*input)->join->null_aware = is_in && a->kind == JOIN_MARK;
	if (subquery->kind == SUBQUERY_SCALAR)
		return scalar_results(a);
	if (a->kind != JOIN_MARK)
		return 0;
	rc = column_expr(a->binder, *input, a->left_count,
			 &subquery->results[0]);
	return rc || !a->waits ? rc :
		guarded_value(a, a->left_count + 1, NULL,
			      &subquery->results[0]);
}

int attach_subquery(struct settle *settle, struct subquery *subquery,
		    enum join_kind kind)
{
	struct attach a = { .settle = settle, .binder = settle->binder,
			    .subquery = subquery, .kind = kind };
	struct pulled pulled;
	bool depends, is_pulled = false;
	int rc = settle_values(&a);

	a.late.node = subquery->node;
	if (!rc && subquery->kind == SUBQUERY_SCALAR)
		rc = late_values_of(a.binder, subquery->node, subquery->outer,
				    &a.late);
	if (!rc && a.late.node)
		rc = query_depends(a.binder, a.late.node, subquery->outer,
				   &depends);
	if (!rc && a.late.node)
		rc = query_can_fail(a.binder, a.late.node, &a.waits);
	subquery->results = binder_alloc(a.binder, subquery->column_count + 1,
					 sizeof(*subquery->results));
	if (!rc && !subquery->results)
		rc = ERROR_NO_MEMORY;
	if (rc)
		return rc;
	a.left_count = (*settle->input)->schema->column_count;
	if (!a.late.node)
		return scalar_results(&a);
	a.right = a.late.node;
	if (depends)
		rc = pull_up(a.binder, a.late.node, subquery->outer,
			     &pulled, &is_pulled);
	if (!rc && is_pulled)
		rc = join_pulled(&a, &pulled);
	else if (!rc && depends)
		rc = join_domain(&a);
	return rc ? rc : join_it(&a);
}
