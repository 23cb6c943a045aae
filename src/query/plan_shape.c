/*
 * plan_shape.c - which columns are needed where
 *
 * Why:    a scan reads the columns that somebody needs, and no others; memory
 *         is shared over the operators that keep rows.
 * How:    from the root down. A shared node is gone through again whenever a
 *         reader wants a column of it that none before has wanted.
 */
#include "query/plan_shape.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "query");
}

static void mark_sort_keys(const struct sort_key *keys, size_t count,
			   bool *used)
{
	for (size_t i = 0; i < count; i++)
		expr_mark_columns(keys[i].expr, used);
}

static void mark_call(const struct aggregate_call *call, bool *used)
{
	for (size_t i = 0; i < call->arg_count; i++)
		expr_mark_columns(call->args[i], used);
	expr_mark_columns(call->filter, used);
	mark_sort_keys(call->order, call->order_count, used);
}

static void mark_aggregate(const struct query_aggregate *aggregate,
			   bool *used)
{
	for (size_t i = 0; i < aggregate->group_count; i++)
		expr_mark_columns(aggregate->groups[i], used);
	for (size_t i = 0; i < aggregate->call_count; i++)
		mark_call(&aggregate->calls[i], used);
}

static void mark_window(const struct query_node *node, const bool *wanted,
			bool *used)
{
	const struct query_window *window = node->window;
	size_t own = node->inputs[0]->schema->column_count;

	for (size_t i = 0; i < own; i++)
		used[i] = !wanted || wanted[i];
	for (size_t i = 0; i < window->partition_count; i++)
		expr_mark_columns(window->partition[i], used);
	mark_sort_keys(window->order, window->order_count, used);
	for (size_t i = 0; i < window->call_count; i++)
		mark_call(&window->calls[i].aggregate, used);
}

/* left and right are marked in one array, of which the input gets its part. */
static int mark_join(const struct query_node *node, size_t input,
		     const bool *wanted, bool *used, struct error *err)
{
	const struct query_join *join = node->join;
	size_t left = node->inputs[0]->schema->column_count;
	size_t right = node->inputs[1]->schema->column_count;
	size_t outputs = node->schema->column_count;
	bool *both = mem_zalloc_array(left + right + 1, sizeof(bool));

	if (!both)
		return no_memory(err);
	if (join->kind == JOIN_MARK)
		outputs = left;
	for (size_t i = 0; i < outputs && i < left + right; i++)
		both[i] = !wanted || wanted[i];
	expr_mark_columns(join->residual, both);
	for (size_t i = 0; i < join->key_count; i++) {
		if (input == 0)
			expr_mark_columns(join->keys[i].left, both);
		else
			expr_mark_columns(join->keys[i].right, both + left);
	}
	memcpy(used, input == 0 ? both : both + left,
	       (input == 0 ? left : right) * sizeof(bool));
	mem_free(both);
	return 0;
}

int plan_input_columns(const struct query_node *node, size_t input,
		       const bool *wanted, bool **out, struct error *err)
{
	size_t count = node->inputs[input]->schema->column_count;
	bool *used = mem_zalloc_array(count + 1, sizeof(bool));
	int rc = 0;

	*out = used;
	if (!used)
		return no_memory(err);
	switch (node->kind) {
	case QUERY_PROJECT:
		for (size_t i = 0; i < node->schema->column_count; i++)
			if (!wanted || wanted[i])
				expr_mark_columns(node->exprs[i], used);
		break;
	case QUERY_AGGREGATE:
		mark_aggregate(node->aggregate, used);
		break;
	case QUERY_WINDOW:
		mark_window(node, wanted, used);
		break;
	case QUERY_JOIN:
		rc = mark_join(node, input, wanted, used, err);
		break;
	case QUERY_DISTINCT:
	case QUERY_EXCEPT:
	case QUERY_INTERSECT:
		memset(used, true, count * sizeof(bool));
		break;
	default:
		for (size_t i = 0; i < count; i++)
			used[i] = !wanted || wanted[i];
		expr_mark_columns(node->condition, used);
		mark_sort_keys(node->sort, node->sort_count, used);
		break;
	}
	if (rc) {
		mem_free(used);
		*out = NULL;
	}
	return rc;
}

/* The column of a projection's input that a column of it is; SIZE_MAX. */
static size_t column_below(const struct query_node *node, size_t column)
{
	const struct expr *expr = node->exprs[column];

	return expr->kind == EXPR_COLUMN ? expr->column : SIZE_MAX;
}

/* Is a column the number of a row in its partition? */
static bool is_row_number(const struct query_node *node, size_t column,
			  const struct query_node **out)
{
	while (node->kind == QUERY_PROJECT && column != SIZE_MAX) {
		column = column_below(node, column);
		node = node->inputs[0];
	}
	if (node->kind != QUERY_WINDOW || !node->window->partition_count ||
	    node->window->call_count != 1 ||
	    node->window->calls[0].function != WINDOW_ROW_NUMBER ||
	    column != node->inputs[0]->schema->column_count)
		return false;
	*out = node;
	return true;
}

int plan_first_rows(const struct query_node *filter,
		    const struct query_node **out, struct error *err)
{
	const struct query_node *input = filter->inputs[0];
	struct column_range *ranges;
	struct arena arena;
	size_t count;
	bool never;
	int rc;

	*out = NULL;
	if (input->kind != QUERY_WINDOW && input->kind != QUERY_PROJECT)
		return 0;
	arena_init(&arena, 0);
	rc = stat_bounds(filter->condition, input->schema->column_count,
			 &arena, &ranges, &count, &never, err);
	for (size_t i = 0; !rc && !*out && i < count; i++)
		if (ranges[i].has_max && !ranges[i].null_matches &&
		    ranges[i].max.type.id == TYPE_BIGINT &&
		    ranges[i].max.value.int64 <= 1)
			is_row_number(input, ranges[i].column, out);
	arena_release(&arena);
	return rc;
}

struct plan_shared *plan_find_shared(const struct plan_shape *shape,
				     const struct query_node *node)
{
	for (size_t i = 0; i < shape->shared_count; i++)
		if (shape->shared[i].node == node)
			return &shape->shared[i];
	return NULL;
}

/* Has an aggregation one group, of which a few numbers are known? */
static bool is_small(const struct query_aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->call_count; i++) {
		const struct aggregate_call *call = &aggregate->calls[i];

		if (call->distinct || call->order_count ||
		    aggregate_is_ordered(call->function))
			return false;
	}
	return !aggregate->group_count;
}

static bool keeps_rows(const struct query_node *node)
{
	switch (node->kind) {
	case QUERY_AGGREGATE:
		return !is_small(node->aggregate);
	case QUERY_JOIN:
	case QUERY_WINDOW:
	case QUERY_SORT:
	case QUERY_DISTINCT:
	case QUERY_EXCEPT:
	case QUERY_INTERSECT:
	case QUERY_SHARED:
		return true;
	default:
		return false;
	}
}

static int visit(struct plan_shape *shape, const struct query_node *node,
		 const bool *wanted, bool again, size_t depth,
		 struct error *err);

/* A reader of a shared node; below it only what is new is looked at. */
static int visit_shared(struct plan_shape *shape,
			const struct query_node *node, const bool *wanted,
			size_t depth, struct error *err)
{
	size_t count = node->schema->column_count;
	struct plan_shared *shared = plan_find_shared(shape, node);
	bool is_new = !shared, again = shared != NULL;

	if (is_new) {
		if (!mem_grow((void **)&shape->shared,
			      &shape->shared_capacity, shape->shared_count,
			      sizeof(*shape->shared)))
			return no_memory(err);
		shared = &shape->shared[shape->shared_count];
		shared->node = node;
		shared->rows = NULL;
		shared->wanted = mem_zalloc_array(count + 1, sizeof(bool));
		if (!shared->wanted)
			return no_memory(err);
		shape->shared_count++;
		shape->keeper_count++;
	}
	for (size_t i = 0; i < count; i++) {
		if ((wanted && !wanted[i]) || shared->wanted[i])
			continue;
		shared->wanted[i] = true;
		is_new = true;
	}
	/* the array may move below */
	return is_new ? visit(shape, node->inputs[0], shared->wanted, again,
			      depth + 1, err) : 0;
}

static int visit(struct plan_shape *shape, const struct query_node *node,
		 const bool *wanted, bool again, size_t depth,
		 struct error *err)
{
	int rc = 0;

	if (depth > QUERY_DEPTH_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a query nested deeper than %d",
				 QUERY_DEPTH_LIMIT);
	if (node->kind == QUERY_SHARED)
		return visit_shared(shape, node, wanted, depth, err);
	if (!again)
		shape->keeper_count += keeps_rows(node);
	for (size_t i = 0; !rc && i < node->input_count; i++) {
		bool *used;

		rc = plan_input_columns(node, i, wanted, &used, err);
		if (!rc)
			rc = visit(shape, node->inputs[i], used, again,
				   depth + 1, err);
		mem_free(used);
	}
	return rc;
}

int plan_shape_init(struct plan_shape *shape, const struct query_node *root,
		    const bool *wanted, struct error *err)
{
	memset(shape, 0, sizeof(*shape));
	return visit(shape, root, wanted, false, 0, err);
}

void plan_shape_release(struct plan_shape *shape)
{
	for (size_t i = 0; i < shape->shared_count; i++) {
		mem_free(shape->shared[i].wanted);
		shared_rows_free(shape->shared[i].rows);
	}
	mem_free(shape->shared);
}

bool query_keeps_rows(const struct query_node *root)
{
	bool keeps = keeps_rows(root);

	for (size_t i = 0; !keeps && i < root->input_count; i++)
		keeps = query_keeps_rows(root->inputs[i]);
	return keeps;
}
