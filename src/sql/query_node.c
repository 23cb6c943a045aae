/*
 * query_node.c - nodes of a bound query
 *
 * Schemas of nodes live in the statement's arena: their own arena is empty,
 * nobody releases them.
 */
#include "sql/bind_level.h"

const struct relation *query_relation(const struct query_node *node)
{
	while (node->kind == QUERY_SHARED)
		node = node->inputs[0];
	return node->kind == QUERY_SCAN ? node->relation : NULL;
}

int query_node_new(struct binder *binder, enum query_kind kind,
		   size_t column_count, struct query_node **out)
{
	struct query_node *node = binder_alloc(binder, 1, sizeof(*node));

	*out = NULL;
	if (!node)
		return ERROR_NO_MEMORY;
	node->kind = kind;
	node->limit = UINT64_MAX;
	node->schema = binder_alloc(binder, 1, sizeof(*node->schema));
	if (!node->schema)
		return ERROR_NO_MEMORY;
	node->schema->columns = binder_alloc(binder, column_count + 1,
					     sizeof(*node->schema->columns));
	if (!node->schema->columns)
		return ERROR_NO_MEMORY;
	node->schema->column_count = column_count;
	node->schema->capacity = column_count;
	*out = node;
	return 0;
}

int query_input(struct binder *binder, struct query_node *node,
		struct query_node *input)
{
	node->inputs = binder_alloc(binder, 1, sizeof(*node->inputs));
	if (!node->inputs)
		return ERROR_NO_MEMORY;
	node->inputs[0] = input;
	node->input_count = 1;
	return 0;
}

static void copy_columns(struct query_node *to, size_t at,
			 const struct schema *from)
{
	for (size_t i = 0; i < from->column_count; i++) {
		to->schema->columns[at + i].name = from->columns[i].name;
		to->schema->columns[at + i].type = from->columns[i].type;
	}
}

int column_expr(struct binder *binder, const struct query_node *node,
		size_t column, struct expr **out)
{
	*out = expr_column(binder->arena, column,
			   node->schema->columns[column].type);
	return *out ? 0 : binder_no_memory(binder);
}

int project_set(struct binder *binder, struct query_node *node, size_t i,
		const char *name, struct expr *expr)
{
	if (!name)
		name = arena_printf(binder->arena, "_col%zu", i);
	if (!name)
		return binder_no_memory(binder);
	node->exprs[i] = expr;
	node->schema->columns[i].name = (char *)(uintptr_t)name;
	node->schema->columns[i].type = expr->type;
	return 0;
}

int project_new(struct binder *binder, struct query_node *input, size_t more,
		struct query_node **out)
{
	size_t count = input->schema->column_count;
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_PROJECT, count + more, &node);

	if (!rc)
		rc = query_input(binder, node, input);
	if (rc)
		return rc;
	node->exprs = binder_alloc(binder, count + more + 1,
				   sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	copy_columns(node, 0, input->schema);
	for (size_t i = 0; i < count && !rc; i++)
		rc = column_expr(binder, input, i, &node->exprs[i]);
	*out = node;
	return rc;
}

int query_pick(struct binder *binder, struct query_node *input,
	       const size_t *columns, size_t count, struct query_node **out)
{
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_PROJECT, count, &node);

	if (!rc)
		rc = query_input(binder, node, input);
	if (rc)
		return rc;
	node->exprs = binder_alloc(binder, count + 1, sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		node->schema->columns[i].name =
			input->schema->columns[columns[i]].name;
		node->schema->columns[i].type =
			input->schema->columns[columns[i]].type;
		rc = column_expr(binder, input, columns[i], &node->exprs[i]);
	}
	*out = node;
	return rc;
}

int number_rows(struct binder *binder, struct query_node *input, size_t equal,
		struct query_node **out)
{
	size_t count = input->schema->column_count;
	struct query_window *window = binder_alloc(binder, 1, sizeof(*window));
	int rc = project_new(binder, input, 1, out);

	if (rc || !window)
		return rc ? rc : ERROR_NO_MEMORY;
	window->calls = binder_alloc(binder, 1, sizeof(*window->calls));
	window->partition = binder_alloc(binder, equal + 1,
					 sizeof(*window->partition));
	if (!window->calls || !window->partition)
		return ERROR_NO_MEMORY;
	window->call_count = 1;
	window->calls[0].function = WINDOW_ROW_NUMBER;
	window->calls[0].aggregate.type = type_of(TYPE_BIGINT);
	window->calls[0].unit = FRAME_RANGE;
	window->calls[0].end = FRAME_CURRENT_ROW;
	window->partition_count = equal;
	for (size_t i = 0; i < equal && !rc; i++)
		rc = column_expr(binder, input, i, &window->partition[i]);
	(*out)->kind = QUERY_WINDOW;
	(*out)->exprs = NULL;
	(*out)->window = window;
	(*out)->schema->columns[count].name = (char *)"_number";
	(*out)->schema->columns[count].type = type_of(TYPE_BIGINT);
	return rc;
}

int filter_new(struct binder *binder, struct expr *condition,
	       struct query_node **input)
{
	struct query_node *filter;
	int rc = query_node_new(binder, QUERY_FILTER, 0, &filter);

	if (!rc)
		rc = query_input(binder, filter, *input);
	if (rc)
		return rc;
	filter->schema = (*input)->schema;
	filter->condition = condition;
	*input = filter;
	return 0;
}

/* Keys and residual over the combined columns become those of a join. */
static int set_join(struct binder *binder, struct query_node *node,
		    const struct equi_split *split)
{
	struct query_join *join = node->join;
	size_t left = node->inputs[0]->schema->column_count;
	int rc = 0;

	join->residual = split->residual;
	join->key_count = split->key_count;
	join->keys = binder_alloc(binder, split->key_count + 1,
				  sizeof(*join->keys));
	if (!join->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < split->key_count && !rc; i++) {
		join->keys[i] = split->keys[i];
		rc = expr_shift(binder, split->keys[i].right, left,
				-(ptrdiff_t)left, &join->keys[i].right);
	}
	return rc;
}

int join_new(struct binder *binder, enum join_kind kind,
	     struct query_node *left, struct query_node *right,
	     const struct equi_split *split, struct query_node **out)
{
	bool has_right = kind != JOIN_SEMI && kind != JOIN_ANTI &&
			 kind != JOIN_MARK;
	size_t left_count = left->schema->column_count;
	bool has_state = kind == JOIN_MARK || kind == JOIN_SINGLE;
	size_t right_count = has_right ? right->schema->column_count : 0;
	size_t state = left_count + right_count;
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_JOIN, state + has_state, &node);

	if (rc)
		return rc;
	node->inputs = binder_alloc(binder, 2, sizeof(*node->inputs));
	node->join = binder_alloc(binder, 1, sizeof(*node->join));
	if (!node->inputs || !node->join)
		return ERROR_NO_MEMORY;
	node->inputs[0] = left;
	node->inputs[1] = right;
	node->input_count = 2;
	node->join->kind = kind;
	copy_columns(node, 0, left->schema);
	if (has_right)
		copy_columns(node, left_count, right->schema);
	if (has_state) {
		node->schema->columns[state].name = (char *)"_mark";
		node->schema->columns[state].type =
			type_of(kind == JOIN_MARK ? TYPE_BOOLEAN
						  : TYPE_INTEGER);
	}
	*out = node;
	return set_join(binder, node, split);
}

void join_wait(struct query_node *join)
{
	struct schema *schema = join->schema;
	size_t state = schema->column_count;

	join->join->waits = true;
	if (join->join->kind != JOIN_MARK)
		return;
	/* query_node_new() has room for it */
	schema->columns[state].name = (char *)"_state";
	schema->columns[state].type = type_of(TYPE_INTEGER);
	schema->column_count++;
}

/* A node that may get several parents. */
struct shared_node {
	struct query_node *node;
	size_t use_count;
};

int query_share(struct binder *binder, struct query_node *node,
		struct query_node **out)
{
	struct shared_node *shared = binder_alloc(binder, 1, sizeof(*shared));
	int rc = query_node_new(binder, QUERY_SHARED, 0, out);

	if (!rc && !shared)
		rc = ERROR_NO_MEMORY;
	if (!rc)
		rc = query_input(binder, *out, node);
	if (rc)
		return rc;
	(*out)->schema = node->schema;
	shared->node = *out;
	if (!ast_list_add(&binder->shared, binder->arena, shared))
		return binder_no_memory(binder);
	return 0;
}

void query_use(struct binder *binder, const struct query_node *node)
{
	for (size_t i = binder->shared.count; i-- > 0;) {
		struct shared_node *shared = binder->shared.items[i];

		if (shared->node == node) {
			shared->use_count++;
			return;
		}
	}
}

void query_unshare(struct binder *binder)
{
	for (size_t i = 0; i < binder->shared.count; i++) {
		struct shared_node *shared = binder->shared.items[i];

		if (shared->use_count <= 1 &&
		    shared->node->inputs[0]->kind != QUERY_SHARED)
			*shared->node = *shared->node->inputs[0];
	}
}

int query_rename(struct binder *binder, const char *const *names,
		 size_t count, const struct sql_place *place,
		 struct bound_query *query)
{
	struct query_node *node;
	int rc;

	if (!count)
		return 0;
	if (count != query->node->schema->column_count)
		return sql_error(binder->err, ERROR_ARITY, place,
				 "%zu column names for a query of %zu columns",
				 count, query->node->schema->column_count);
	rc = project_new(binder, query->node, 0, &node);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		node->schema->columns[i].name = (char *)(uintptr_t)names[i];
	query->node = node;
	return 0;
}

int query_coerce(struct binder *binder, const struct type *types,
		 const struct sql_place *place, struct bound_query *query)
{
	const struct schema *schema = query->node->schema;
	struct query_node *node;
	bool is_same = true;
	int rc;

	for (size_t i = 0; i < schema->column_count; i++)
		if (!type_equal(&schema->columns[i].type, &types[i]))
			is_same = false;
	if (is_same)
		return 0;
	rc = project_new(binder, query->node, 0, &node);
	for (size_t i = 0; i < schema->column_count && !rc; i++) {
		struct bound_value value = { 0 };

		value.expr = node->exprs[i];
		value.origins = query->origins[i];
		value.place = *place;
		if (type_equal(&schema->columns[i].type, &types[i]))
			continue;
		rc = value_coerce(binder, &value, &types[i], false);
		node->exprs[i] = value.expr;
		node->schema->columns[i].type = types[i];
		query->origins[i] = value.origins;
	}
	if (!rc)
		query->node = node;
	return rc;
}
