/*
 * bind_query.c - SELECT, VALUES and UNION ALL become nodes of a plan
 *
 * SELECT is scan, filter, projection from the inside out; a projection that
 * would change nothing is left out. Columns without a name are _col0, _col1
 * ... as in Trino.
 */
#include <inttypes.h>
#include "sql/binder.h"

static int set_name(struct binder *binder, struct query_node *node, size_t i,
		    const char *name)
{
	if (name)
		node->schema->columns[i].name = (char *)(uintptr_t)name;
	else
		node->schema->columns[i].name =
			arena_printf(binder->arena, "_col%zu", i);
	return node->schema->columns[i].name ? 0 : binder_no_memory(binder);
}

static int origins_new(struct binder *binder, size_t count,
		       struct bound_query *out)
{
	out->origins = binder_alloc(binder, count + 1, sizeof(*out->origins));
	return out->origins ? 0 : ERROR_NO_MEMORY;
}

/* Column c of all rows gets one type. values has room for one per row. */
static int bind_values_column(struct binder *binder,
			      const struct ast_query *ast, size_t c,
			      struct bound_value *values,
			      struct query_node *node)
{
	size_t columns = node->schema->column_count;
	struct type type;
	int rc = 0;

	for (size_t r = 0; r < ast->row_count && !rc; r++)
		rc = bind_value(binder, NULL, ast->rows[r]->values[c],
				&values[r]);
	if (!rc)
		rc = values_unify(binder, values, ast->row_count,
				  "a column of VALUES", &type);
	for (size_t r = 0; r < ast->row_count && !rc; r++) {
		rc = binder_fold(binder, &values[r].expr);
		node->exprs[r * columns + c] = values[r].expr;
	}
	if (!rc)
		node->schema->columns[c].type = type;
	return rc ? rc : set_name(binder, node, c, NULL);
}

static int bind_values_query(struct binder *binder,
			     const struct ast_query *ast,
			     struct bound_query *out)
{
	size_t columns = ast->rows[0]->count;
	struct bound_value *values;
	struct query_node *node;
	int rc;

	for (size_t r = 1; r < ast->row_count; r++)
		if (ast->rows[r]->count != columns)
			return sql_error(binder->err, ERROR_ARITY,
					 &ast->rows[r]->place,
					 "a row of VALUES with %zu values "
					 "after one with %zu",
					 ast->rows[r]->count, columns);
	rc = query_node_new(binder, QUERY_VALUES, columns, &node);
	if (!rc)
		rc = origins_new(binder, columns, out);
	if (rc)
		return rc;
	node->row_count = ast->row_count;
	node->exprs = binder_alloc(binder, columns * ast->row_count,
				   sizeof(*node->exprs));
	values = binder_alloc(binder, ast->row_count, sizeof(*values));
	if (!node->exprs || !values)
		return ERROR_NO_MEMORY;
	for (size_t c = 0; c < columns && !rc; c++)
		rc = bind_values_column(binder, ast, c, values, node);
	out->node = node;
	return rc;
}

/* Before the items are bound: how many columns will there be? */
static int count_columns(struct binder *binder, const struct ast_query *ast,
			 const struct name_scope *scope, size_t *out)
{
	*out = 0;
	for (size_t i = 0; i < ast->item_count; i++) {
		const struct ast_item *item = ast->items[i];
		const struct scope_source *source = &scope->sources[0];

		if (!item->is_star) {
			(*out)++;
			continue;
		}
		if (!scope->source_count)
			return sql_error(binder->err, ERROR_SYNTAX,
					 &item->place, "SELECT * needs FROM");
		if (item->qualifier.count &&
		    !scope_source_matches(source, item->qualifier.parts,
					  item->qualifier.count))
			return sql_error(binder->err, ERROR_UNKNOWN_COLUMN,
					 &item->place, "there is no table or "
					 "alias %s here",
					 item->qualifier.parts
						[item->qualifier.count - 1]);
		*out += source->schema->column_count;
	}
	if (*out > SQL_COLUMN_LIMIT)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "more than %d columns", SQL_COLUMN_LIMIT);
	return 0;
}

static int bind_star(struct binder *binder, const struct name_scope *scope,
		     struct query_node *node, size_t *next,
		     struct bound_query *out)
{
	const struct scope_source *source = &scope->sources[0];

	for (size_t i = 0; i < source->schema->column_count; i++, (*next)++) {
		const struct column_def *column = &source->schema->columns[i];

		node->schema->columns[*next].name = column->name;
		node->schema->columns[*next].type = column->type;
		node->exprs[*next] = expr_column(binder->arena, i,
						 column->type);
		if (!node->exprs[*next])
			return binder_no_memory(binder);
		out->origins[*next] = source->origins[i];
	}
	return 0;
}

static int bind_item(struct binder *binder, const struct name_scope *scope,
		     const struct ast_item *item, struct query_node *node,
		     size_t next, struct bound_query *out)
{
	const char *name = item->alias;
	struct bound_value value;
	int rc = bind_value(binder, scope, item->expr, &value);

	if (!rc)
		rc = value_settle(binder, &value);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (rc)
		return rc;
	if (!name && item->expr->kind == AST_NAME)
		name = item->expr->name.parts[item->expr->name.count - 1];
	if (!name && item->expr->kind == AST_FIELD)
		name = item->expr->text;
	node->exprs[next] = value.expr;
	node->schema->columns[next].type = value.expr->type;
	out->origins[next] = value.origins;
	return set_name(binder, node, next, name);
}

/* SELECT without FROM runs over one row without columns; without WHERE it is
 * a row of VALUES. */
static int bind_single_row(struct binder *binder, struct query_node **out)
{
	int rc = query_node_new(binder, QUERY_VALUES, 1, out);

	if (rc)
		return rc;
	(*out)->row_count = 1;
	(*out)->exprs = binder_alloc(binder, 1, sizeof(*(*out)->exprs));
	if (!(*out)->exprs)
		return ERROR_NO_MEMORY;
	(*out)->schema->columns[0].type = type_of(TYPE_BOOLEAN);
	(*out)->exprs[0] = null_expr(binder,
				     &(*out)->schema->columns[0].type);
	return (*out)->exprs[0] ? set_name(binder, *out, 0, NULL)
				: binder_no_memory(binder);
}

static int bind_where(struct binder *binder, const struct name_scope *scope,
		      const struct ast_query *ast, struct query_node **input)
{
	struct query_node *filter;
	struct expr *condition;
	int rc = bind_condition(binder, scope, ast->where,
				"the condition of WHERE", &condition);

	if (rc || !condition)
		return rc;
	rc = query_node_new(binder, QUERY_FILTER, 0, &filter);
	if (!rc)
		rc = query_input(binder, filter, *input);
	if (rc)
		return rc;
	filter->schema = (*input)->schema;
	filter->condition = condition;
	*input = filter;
	return 0;
}

static int bind_items(struct binder *binder, const struct name_scope *scope,
		      const struct ast_query *ast, struct query_node *input,
		      struct bound_query *out)
{
	bool is_values = !ast->from && !ast->where;
	struct query_node *node;
	size_t count, next = 0;
	int rc = count_columns(binder, ast, scope, &count);

	if (!rc)
		rc = query_node_new(binder, is_values ? QUERY_VALUES :
				    QUERY_PROJECT, count, &node);
	if (!rc && !is_values)
		rc = query_input(binder, node, input);
	if (!rc)
		rc = origins_new(binder, count, out);
	if (rc)
		return rc;
	node->row_count = is_values ? 1 : 0;
	node->exprs = binder_alloc(binder, count + 1, sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->item_count && !rc; i++) {
		if (ast->items[i]->is_star)
			rc = bind_star(binder, scope, node, &next, out);
		else
			rc = bind_item(binder, scope, ast->items[i], node,
				       next++, out);
	}
	out->node = node;
	return rc;
}

static int bind_select(struct binder *binder, const struct ast_query *ast,
		       struct bound_query *out)
{
	struct name_scope scope = { 0 };
	struct query_node *input = NULL;
	struct bound_query from;
	int rc;

	if (ast->from) {
		rc = bind_relation(binder, ast->from, &from);
		if (rc)
			return rc;
		input = from.node;
		scope.source_count = 1;
		scope.sources[0].alias = ast->from->alias;
		scope.sources[0].table =
			ast->from->kind == AST_RELATION_NAME ?
			&ast->from->name : NULL;
		scope.sources[0].what = "table";
		scope.sources[0].file = query_file(input);
		scope.sources[0].schema = input->schema;
		scope.sources[0].origins = from.origins;
	} else if (ast->where) {
		rc = bind_single_row(binder, &input);
		if (rc)
			return rc;
	}
	rc = bind_where(binder, &scope, ast, &input);
	if (rc)
		return rc;
	if (ast->from && ast->item_count == 1 && ast->items[0]->is_star &&
	    !ast->items[0]->qualifier.count) {
		out->node = input;
		out->origins = from.origins;
		return 0;
	}
	return bind_items(binder, &scope, ast, input, out);
}

static int check_union_arity(struct binder *binder,
			     const struct ast_query *ast,
			     const struct bound_query *inputs)
{
	size_t columns = inputs[0].node->schema->column_count;

	for (size_t i = 1; i < ast->input_count; i++) {
		size_t count = inputs[i].node->schema->column_count;

		if (count != columns)
			return sql_error(binder->err, ERROR_ARITY,
					 &ast->inputs[i]->place,
					 "UNION ALL of %zu and %zu columns",
					 columns, count);
	}
	return 0;
}

static int union_type(struct binder *binder, const struct ast_query *ast,
		      const struct bound_query *inputs, size_t column,
		      struct type *out)
{
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	*out = type_of(TYPE_UNKNOWN);
	for (size_t i = 0; i < ast->input_count; i++) {
		const struct schema *schema = inputs[i].node->schema;
		const struct type *type = &schema->columns[column].type;
		struct type common;

		if (!type_unify(binder->arena, out, type, &common)) {
			sql_error(binder->err, ERROR_TYPE_MISMATCH,
				  &ast->inputs[i]->place, "column %zu of "
				  "UNION ALL is %s here and %s before",
				  column + 1, type_name(type, b),
				  type_name(out, a));
			error_hint(binder->err, "CAST one to the type of the "
				   "other");
			return ERROR_TYPE_MISMATCH;
		}
		*out = common;
	}
	return 0;
}

static int bind_union(struct binder *binder, const struct ast_query *ast,
		      struct bound_query *out)
{
	struct bound_query *inputs;
	struct query_node *node;
	struct type *types;
	size_t columns;
	int rc = 0;

	inputs = binder_alloc(binder, ast->input_count, sizeof(*inputs));
	if (!inputs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->input_count && !rc; i++)
		rc = bind_query(binder, ast->inputs[i], &inputs[i]);
	if (!rc)
		rc = check_union_arity(binder, ast, inputs);
	if (rc)
		return rc;
	columns = inputs[0].node->schema->column_count;
	types = binder_alloc(binder, columns + 1, sizeof(*types));
	if (!types)
		return ERROR_NO_MEMORY;
	for (size_t c = 0; c < columns && !rc; c++)
		rc = union_type(binder, ast, inputs, c, &types[c]);
	for (size_t i = 0; i < ast->input_count && !rc; i++)
		rc = query_coerce(binder, types, &ast->inputs[i]->place,
				  &inputs[i]);
	if (!rc)
		rc = query_node_new(binder, QUERY_UNION_ALL, columns, &node);
	if (!rc)
		rc = origins_new(binder, columns, out);
	if (rc)
		return rc;
	node->inputs = binder_alloc(binder, ast->input_count,
				    sizeof(*node->inputs));
	if (!node->inputs)
		return ERROR_NO_MEMORY;
	node->input_count = ast->input_count;
	for (size_t i = 0; i < ast->input_count; i++) {
		node->inputs[i] = inputs[i].node;
		for (size_t c = 0; c < columns && !rc; c++)
			rc = origin_concat(binder, inputs[i].origins[c],
					   &out->origins[c]);
	}
	for (size_t c = 0; c < columns; c++) {
		node->schema->columns[c].name =
			inputs[0].node->schema->columns[c].name;
		node->schema->columns[c].type = types[c];
	}
	out->node = node;
	return rc;
}

/* LIMIT and OFFSET: a whole number that is not negative. */
static int bind_row_number(struct binder *binder, const struct ast_expr *ast,
			   uint64_t *out)
{
	struct type bigint = type_of(TYPE_BIGINT);
	struct bound_value value;
	int rc = bind_value(binder, NULL, ast, &value);

	if (!rc && !value.parameter &&
	    value.expr->type.id != TYPE_INTEGER &&
	    value.expr->type.id != TYPE_BIGINT)
		rc = sql_error(binder->err, ERROR_TYPE_MISMATCH, &ast->place,
			       "expected a number of rows");
	if (!rc)
		rc = value_coerce(binder, &value, &bigint, false);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (rc)
		return rc;
	if (value.expr->kind != EXPR_LITERAL || value.expr->literal.is_null ||
	    value.expr->literal.value.int64 < 0)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a number of rows must not be negative");
	*out = (uint64_t)value.expr->literal.value.int64;
	return 0;
}

static int bind_limit(struct binder *binder, const struct ast_query *ast,
		      struct bound_query *query)
{
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_LIMIT, 0, &node);

	if (!rc)
		rc = query_input(binder, node, query->node);
	if (!rc && ast->limit)
		rc = bind_row_number(binder, ast->limit, &node->limit);
	if (!rc && ast->offset)
		rc = bind_row_number(binder, ast->offset, &node->offset);
	if (rc)
		return rc;
	node->schema = query->node->schema;
	query->node = node;
	return 0;
}

static int bind_query_body(struct binder *binder, const struct ast_query *ast,
			   struct bound_query *out)
{
	struct cte_scope *outside = binder->ctes;
	int rc = bind_ctes(binder, ast->ctes, ast->cte_count);

	if (rc)
		return rc;
	switch (ast->kind) {
	case AST_SELECT:
		rc = bind_select(binder, ast, out);
		break;
	case AST_VALUES:
		rc = bind_values_query(binder, ast, out);
		break;
	case AST_UNION_ALL:
		rc = bind_union(binder, ast, out);
		break;
	case AST_NESTED:
		rc = bind_query(binder, ast->inputs[0], out);
		break;
	}
	if (!rc)
		rc = check_unused_ctes(binder, outside);
	binder->ctes = outside;
	if (!rc && (ast->limit || ast->offset))
		rc = bind_limit(binder, ast, out);
	return rc;
}

int bind_query(struct binder *binder, const struct ast_query *ast,
	       struct bound_query *out)
{
	int rc = binder_enter(binder, &ast->place);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = binder_count(binder, &ast->place);
	if (rc)
		return rc;
	rc = bind_query_body(binder, ast, out);
	binder_leave(binder);
	return rc;
}
