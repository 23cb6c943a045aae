/*
 * query_node.c - nodes of a bound query
 *
 * Schemas of nodes live in the statement's arena: their own arena is empty,
 * nobody releases them.
 */
#include "sql/binder.h"

const char *query_file(const struct query_node *node)
{
	return node->kind == QUERY_SCAN ? node->relation->file : NULL;
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

/* A projection of all columns of the query, still as they are. */
static int project_all(struct binder *binder, struct bound_query *query,
		       struct query_node **out)
{
	const struct schema *schema = query->node->schema;
	size_t count = schema->column_count;
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_PROJECT, count, &node);

	if (!rc)
		rc = query_input(binder, node, query->node);
	if (rc)
		return rc;
	node->exprs = binder_alloc(binder, count + 1, sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		node->schema->columns[i].name = schema->columns[i].name;
		node->schema->columns[i].type = schema->columns[i].type;
		node->exprs[i] = expr_column(binder->arena, i,
					     schema->columns[i].type);
		if (!node->exprs[i])
			return binder_no_memory(binder);
	}
	*out = node;
	return 0;
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
	rc = project_all(binder, query, &node);
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
	rc = project_all(binder, query, &node);
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
