/*
 * query_depends.c - does a query read values of the query around it?
 *
 * Shared nodes are looked at once: a chain of WITH queries that each name the
 * one before twice has few nodes and many paths.
 */
#include "sql/bind_subquery.h"

bool expr_depends(const struct expr *expr, const struct outer_list *outer)
{
	if (!expr)
		return false;
	if (expr->kind == EXPR_COLUMN) {
		if (place_kind(expr->column) != PLACE_OUTER)
			return false;
		for (size_t i = 0; i < outer->refs.count; i++) {
			const struct outer_ref *ref = outer->refs.items[i];

			if (ref->number == place_index(expr->column))
				return true;
		}
		return false;
	}
	for (size_t i = 0; i < expr->arg_count; i++)
		if (expr_depends(expr->args[i], outer))
			return true;
	return false;
}

static bool any_depends(struct expr *const *exprs, size_t count,
			const struct outer_list *outer)
{
	for (size_t i = 0; i < count; i++)
		if (expr_depends(exprs[i], outer))
			return true;
	return false;
}

static bool sort_depends(const struct sort_key *keys, size_t count,
			 const struct outer_list *outer)
{
	for (size_t i = 0; i < count; i++)
		if (expr_depends(keys[i].expr, outer))
			return true;
	return false;
}

static bool call_depends(const struct aggregate_call *call,
			 const struct outer_list *outer)
{
	return any_depends(call->args, call->arg_count, outer) ||
	       expr_depends(call->filter, outer) ||
	       sort_depends(call->order, call->order_count, outer);
}

/* Does the node itself, without its inputs? */
static bool node_depends(const struct query_node *node,
			 const struct outer_list *outer)
{
	const struct query_join *join = node->join;
	size_t rows = node->kind == QUERY_VALUES ? node->row_count : 1;
	bool found = expr_depends(node->condition, outer) ||
		sort_depends(node->sort, node->sort_count, outer);

	if (node->exprs)
		found = found || any_depends(node->exprs, rows *
			node->schema->column_count, outer);
	if (join)
		found = found || expr_depends(join->residual, outer);
	for (size_t i = 0; join && i < join->key_count; i++)
		found = found || expr_depends(join->keys[i].left, outer) ||
			expr_depends(join->keys[i].right, outer);
	if (node->aggregate) {
		found = found || any_depends(node->aggregate->groups,
			node->aggregate->group_count, outer);
		for (size_t i = 0; i < node->aggregate->call_count; i++)
			found = found || call_depends(
				&node->aggregate->calls[i], outer);
	}
	if (node->window) {
		const struct query_window *w = node->window;

		found = found || any_depends(w->partition, w->partition_count,
					     outer) ||
			sort_depends(w->order, w->order_count, outer);
		for (size_t i = 0; i < w->call_count; i++)
			found = found || call_depends(&w->calls[i].aggregate,
						      outer);
	}
	return found;
}

static bool any_can_fail(struct expr *const *exprs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (exprs[i] && expr_can_fail(exprs[i]))
			return true;
	return false;
}

static bool sort_can_fail(const struct sort_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (expr_can_fail(keys[i].expr))
			return true;
	return false;
}

static bool call_can_fail(const struct aggregate_call *call)
{
	return any_can_fail(call->args, call->arg_count) ||
	       any_can_fail(&call->filter, 1) ||
	       sort_can_fail(call->order, call->order_count) ||
	       !strncmp(aggregate_name(call->function), "sum", 3);
}

/* Can the node itself fail by a value, without its inputs? */
static bool node_can_fail(const struct query_node *node)
{
	const struct query_join *join = node->join;
	size_t rows = node->kind == QUERY_VALUES ? node->row_count : 1;

	if (any_can_fail(&node->condition, 1) ||
	    sort_can_fail(node->sort, node->sort_count) ||
	    (node->exprs && any_can_fail(node->exprs, rows *
					 node->schema->column_count)) ||
	    (join && any_can_fail(&join->residual, 1)) || node->window)
		return true;
	for (size_t i = 0; join && i < join->key_count; i++)
		if (expr_can_fail(join->keys[i].left) ||
		    expr_can_fail(join->keys[i].right))
			return true;
	if (!node->aggregate)
		return false;
	for (size_t i = 0; i < node->aggregate->call_count; i++)
		if (call_can_fail(&node->aggregate->calls[i]))
			return true;
	return any_can_fail(node->aggregate->groups,
			    node->aggregate->group_count);
}

/* seen: shared nodes that cannot. */
static int find_failure(struct binder *binder, const struct query_node *node,
			struct ast_list *seen, bool *out)
{
	int rc = 0;

	*out = node_can_fail(node);
	for (size_t i = 0; node->kind == QUERY_SHARED && i < seen->count; i++)
		if (seen->items[i] == node)
			return 0;
	for (size_t i = 0; i < node->input_count && !rc && !*out; i++)
		rc = find_failure(binder, node->inputs[i], seen, out);
	if (!rc && !*out && node->kind == QUERY_SHARED &&
	    !ast_list_add(seen, binder->arena, (void *)(uintptr_t)node))
		rc = binder_no_memory(binder);
	return rc;
}

int query_can_fail(struct binder *binder, const struct query_node *node,
		   bool *out)
{
	struct ast_list seen = { NULL, 0, 0 };

	return find_failure(binder, node, &seen, out);
}

/* seen: shared nodes that do not. */
static int find_dependence(struct binder *binder,
			   const struct query_node *node,
			   const struct outer_list *outer,
			   struct ast_list *seen, bool *out)
{
	int rc = 0;

	*out = node_depends(node, outer);
	if (*out)
		return 0;
	if (node->kind == QUERY_SHARED)
		for (size_t i = 0; i < seen->count; i++)
			if (seen->items[i] == node)
				return 0;
	for (size_t i = 0; i < node->input_count && !rc && !*out; i++)
		rc = find_dependence(binder, node->inputs[i], outer, seen,
				     out);
	if (!rc && !*out && node->kind == QUERY_SHARED &&
	    !ast_list_add(seen, binder->arena, (void *)(uintptr_t)node))
		rc = binder_no_memory(binder);
	return rc;
}

int query_depends(struct binder *binder, const struct query_node *node,
		  const struct outer_list *outer, bool *out)
{
	struct ast_list seen = { NULL, 0, 0 };

	*out = false;
	if (!outer->refs.count)
		return 0;
	return find_dependence(binder, node, outer, &seen, out);
}
