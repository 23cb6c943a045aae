/*
 * late_value.c - what a subquery computes last is computed behind the join
 *
 * Why:    (SELECT 10 / u.y FROM u WHERE u.k = t.k) must fail only where the
 *         row of u is one that somebody asks for.
 * How:    its last projection gives, instead of values that can fail, the
 *         columns that they read; the values are computed over the row that
 *         the join has found, where they are asked for. What they read of the
 *         query around is there too, and need not be joined in for it.
 * Limits: not through LIMIT, DISTINCT and set operations, which look at the
 *         values; nor inside aggregates and conditions.
 */
#include "sql/bind_subquery.h"

int expr_over_values(struct binder *binder, const struct expr *expr,
		     struct expr *const *values, struct expr **out)
{
	struct expr *copy;
	int rc = 0;

	if (expr->kind == EXPR_COLUMN && !place_kind(expr->column)) {
		*out = values[expr->column];
		return 0;
	}
	copy = expr_copy_node(binder->arena, expr);
	*out = copy;
	if (!copy)
		return binder_no_memory(binder);
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = expr_over_values(binder, expr->args[i], values,
				      &copy->args[i]);
	return rc;
}

size_t expr_column_uses(const struct expr *expr)
{
	size_t count = expr && expr->kind == EXPR_COLUMN;

	for (size_t i = 0; expr && i < expr->arg_count; i++)
		count += expr_column_uses(expr->args[i]);
	return count;
}

int project_carry(struct binder *binder, struct query_node *node,
		  struct expr *expr, struct expr **out)
{
	size_t count = node->schema->column_count, i = 0;

	while (i < count && !expr_equal(node->exprs[i], expr))
		i++;
	if (i == count) {
		int rc;

		node->schema->column_count++;
		rc = project_set(binder, node, i, NULL, expr);
		if (rc)
			return rc;
	}
	return column_expr(binder, node, i, out);
}

int project_carry_columns(struct binder *binder, struct query_node *node,
			  const struct expr *expr, struct expr **out)
{
	struct expr *copy;
	int rc = 0;

	if (expr->kind == EXPR_COLUMN && !place_kind(expr->column)) {
		copy = expr_column(binder->arena, expr->column, expr->type);
		return copy ? project_carry(binder, node, copy, out)
			    : binder_no_memory(binder);
	}
	copy = expr_copy_node(binder->arena, expr);
	*out = copy;
	if (!copy)
		return binder_no_memory(binder);
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = project_carry_columns(binder, node, expr->args[i],
					   &copy->args[i]);
	return rc;
}

static bool is_late(const struct expr *expr, const struct outer_list *outer)
{
	return expr_can_fail(expr) || expr_depends(expr, outer);
}

/* The columns of the node as they are. */
static int keep_values(struct binder *binder, struct query_node *node,
		       struct late_values *out)
{
	int rc = 0;

	out->node = node;
	for (size_t i = 0; i < node->schema->column_count && !rc; i++)
		rc = column_expr(binder, node, i, &out->values[i]);
	return rc;
}

int late_values_of(struct binder *binder, struct query_node *node,
		   const struct outer_list *outer, struct late_values *out)
{
	size_t count = node->schema->column_count, most = count;
	bool any = false;
	int rc;

	out->values = binder_alloc(binder, count + 1, sizeof(*out->values));
	if (!out->values)
		return ERROR_NO_MEMORY;
	out->node = NULL;
	if (node->kind == QUERY_VALUES && node->row_count == 1) {
		memcpy(out->values, node->exprs,
		       count * sizeof(*out->values));
		return 0;
	}
	for (size_t i = 0; node->kind == QUERY_PROJECT && i < count; i++) {
		any = any || is_late(node->exprs[i], outer);
		most += expr_column_uses(node->exprs[i]);
	}
	if (!any)
		return keep_values(binder, node, out);
	rc = query_node_new(binder, QUERY_PROJECT, most, &out->node);
	if (!rc)
		rc = query_input(binder, out->node, node->inputs[0]);
	if (rc)
		return rc;
	out->node->schema->column_count = 0;
	out->node->exprs = binder_alloc(binder, most + 1,
					sizeof(*out->node->exprs));
	if (!out->node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		struct expr *expr = node->exprs[i];

		rc = is_late(expr, outer) ?
			project_carry_columns(binder, out->node, expr,
					      &out->values[i]) :
			project_carry(binder, out->node, expr,
				      &out->values[i]);
	}
	return rc;
}

bool gives_one_row(const struct query_node *node)
{
	while (node->kind == QUERY_PROJECT)
		node = node->inputs[0];
	return (node->kind == QUERY_AGGREGATE &&
		!node->aggregate->group_count) ||
	       (node->kind == QUERY_VALUES && node->row_count == 1);
}

bool gives_several_rows(const struct query_node *node)
{
	while (node->kind == QUERY_PROJECT)
		node = node->inputs[0];
	return !gives_one_row(node) &&
	       !((node->kind == QUERY_LIMIT || node->kind == QUERY_SORT) &&
		 node->limit <= 1);
}
