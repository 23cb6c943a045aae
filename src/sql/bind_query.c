/*
 * bind_query.c - VALUES, set operations, ORDER BY, LIMIT
 *
 * SELECT has a file of its own. Columns without a name are _col0, _col1 ...
 * as in Trino. VALUES with subqueries in them are SELECTs of one row each.
 */
#include "sql/bind_level.h"

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

int single_row_new(struct binder *binder, struct query_node **out)
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

/* Column c of all rows gets one type. values has room for one per row. */
static int bind_values_column(struct binder *binder,
			      const struct name_scope *scope,
			      const struct ast_query *ast, size_t c,
			      struct bound_value *values,
			      struct query_node *node)
{
	size_t columns = node->schema->column_count;
	struct type type;
	int rc = 0;

	for (size_t r = 0; r < ast->row_count && !rc; r++)
		rc = bind_value(binder, scope, ast->rows[r]->values[c],
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

int rows_with_subqueries(struct binder *binder, struct bind_level *level,
			 struct query_node **rows)
{
	size_t columns = (*rows)->schema->column_count;
	struct query_node *values = *rows, *input, *all;
	struct settle settle = { .binder = binder, .level = level,
				 .input = &input };
	int rc;

	if (!level->subqueries.count)
		return 0;
	rc = single_row_new(binder, &input);
	if (!rc)
		rc = settle_exprs(&settle, values->exprs,
				  columns * values->row_count);
	if (!rc)
		rc = query_node_new(binder, QUERY_UNION_ALL, 0, &all);
	if (!rc)
		rc = query_share(binder, input, &input);
	if (rc)
		return rc;
	all->schema = values->schema;
	all->inputs = binder_alloc(binder, values->row_count + 1,
				   sizeof(*all->inputs));
	if (!all->inputs)
		return ERROR_NO_MEMORY;
	all->input_count = values->row_count;
	for (size_t r = 0; r < values->row_count && !rc; r++) {
		struct query_node *row;

		rc = query_node_new(binder, QUERY_PROJECT, 0, &row);
		if (!rc)
			rc = query_input(binder, row, input);
		if (rc)
			return rc;
		query_use(binder, input);
		row->schema = values->schema;
		row->exprs = values->exprs + r * columns;
		all->inputs[r] = row;
	}
	*rows = values->row_count == 1 ? all->inputs[0] : all;
	return rc;
}

static int bind_values_query(struct binder *binder,
			     const struct ast_query *ast,
			     struct bound_query *out)
{
	size_t columns = ast->rows[0]->count;
	struct bind_level level = { .where = "VALUES" };
	struct name_scope scope = { .level = &level,
				    .outer = binder->around,
				    .refs = binder->refs };
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
		rc = bind_values_column(binder, &scope, ast, c, values, node);
	out->node = node;
	return rc ? rc : rows_with_subqueries(binder, &level, &out->node);
}

static const char *set_name_of(const struct ast_query *ast)
{
	switch (ast->kind) {
	case AST_EXCEPT:
		return ast->distinct ? "EXCEPT" : "EXCEPT ALL";
	case AST_INTERSECT:
		return ast->distinct ? "INTERSECT" : "INTERSECT ALL";
	default:
		return ast->distinct ? "UNION" : "UNION ALL";
	}
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
					 "%s of %zu and %zu columns",
					 set_name_of(ast),
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
				  "%s is %s here and %s before", column + 1,
				  set_name_of(ast), type_name(type, b),
				  type_name(out, a));
			error_hint(binder->err, "CAST one to the type of the "
				   "other");
			return ERROR_TYPE_MISMATCH;
		}
		*out = common;
	}
	return 0;
}

/* The inputs, one as the other, become inputs of one node. */
static int set_node(struct binder *binder, enum query_kind kind,
		    const struct bound_query *inputs, size_t input_count,
		    struct query_node **out)
{
	const struct schema *first = inputs[0].node->schema;
	struct query_node *node;
	int rc = query_node_new(binder, kind, first->column_count, &node);

	if (rc)
		return rc;
	node->inputs = binder_alloc(binder, input_count,
				    sizeof(*node->inputs));
	if (!node->inputs)
		return ERROR_NO_MEMORY;
	node->input_count = input_count;
	for (size_t i = 0; i < input_count; i++)
		node->inputs[i] = inputs[i].node;
	for (size_t c = 0; c < first->column_count; c++) {
		node->schema->columns[c].name = first->columns[c].name;
		node->schema->columns[c].type = first->columns[c].type;
	}
	*out = node;
	return 0;
}

/*
 * EXCEPT ALL and INTERSECT ALL: rows that are equal are told apart by numbers
 * from 1 on. Of m and n such rows, those above n remain, or those up to the
 * lesser of both.
 */
static int set_of_all(struct binder *binder, enum query_kind kind,
		      struct bound_query *inputs, struct query_node **out)
{
	size_t count = inputs[0].node->schema->column_count;
	size_t *columns = binder_alloc(binder, count + 1, sizeof(*columns));
	struct query_node *node;
	int rc = columns ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < 2 && !rc; i++)
		rc = number_rows(binder, inputs[i].node, count,
				 &inputs[i].node);
	if (!rc)
		rc = set_node(binder, kind, inputs, 2, &node);
	for (size_t c = 0; c < count && !rc; c++)
		columns[c] = c;
	return rc ? rc : query_pick(binder, node, columns, count, out);
}

static int join_inputs(struct binder *binder, const struct ast_query *ast,
		       struct bound_query *inputs, struct bound_query *out)
{
	enum query_kind kind = ast->kind == AST_EXCEPT ? QUERY_EXCEPT :
			       ast->kind == AST_INTERSECT ? QUERY_INTERSECT :
			       QUERY_UNION_ALL;
	int rc = kind == QUERY_UNION_ALL || ast->distinct ?
		set_node(binder, kind, inputs, ast->input_count, &out->node) :
		set_of_all(binder, kind, inputs, &out->node);

	return !rc && ast->kind == AST_UNION && ast->distinct ?
		distinct_new(binder, &out->node) : rc;
}

static int bind_union(struct binder *binder, const struct ast_query *ast,
		      struct bound_query *out)
{
	struct bound_query *inputs;
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
		rc = origins_new(binder, columns, out);
	for (size_t i = 0; i < ast->input_count; i++)
		for (size_t c = 0; c < columns && !rc; c++)
			rc = origin_concat(binder, inputs[i].origins[c],
					   &out->origins[c]);
	return rc ? rc : join_inputs(binder, ast, inputs, out);
}

int distinct_new(struct binder *binder, struct query_node **input)
{
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_DISTINCT, 0, &node);

	if (!rc)
		rc = query_input(binder, node, *input);
	if (rc)
		return rc;
	node->schema = (*input)->schema;
	*input = node;
	return 0;
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

int bind_sorted(struct binder *binder, const struct ast_query *ast,
		struct sort_key *keys, struct query_node **input)
{
	struct query_node *node;
	int rc;

	if (!ast->order_count && !ast->limit && !ast->offset)
		return 0;
	rc = query_node_new(binder, ast->order_count ? QUERY_SORT :
			    QUERY_LIMIT, 0, &node);
	if (!rc)
		rc = query_input(binder, node, *input);
	if (!rc && ast->limit)
		rc = bind_row_number(binder, ast->limit, &node->limit);
	if (!rc && ast->offset)
		rc = bind_row_number(binder, ast->offset, &node->offset);
	if (rc)
		return rc;
	node->schema = (*input)->schema;
	node->sort = keys;
	node->sort_count = ast->order_count;
	*input = node;
	return 0;
}

int ordinal_of(struct binder *binder, const struct ast_expr *ast,
	       size_t count, const char *what, size_t *out)
{
	int64_t value;

	*out = SIZE_MAX;
	if (ast->kind != AST_LITERAL || ast->literal.is_null ||
	    (ast->literal.type.id != TYPE_INTEGER &&
	     ast->literal.type.id != TYPE_BIGINT))
		return 0;
	value = ast->literal.type.id == TYPE_INTEGER ?
		ast->literal.value.int32 : ast->literal.value.int64;
	if (value < 1 || (uint64_t)value > count)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "%s %lld: there are %zu columns", what,
				 (long long)value, count);
	*out = (size_t)value - 1;
	return 0;
}

/* Does the order decide which rows there are? */
bool order_picks(const struct ast_query *ast)
{
	return ast->limit || ast->offset;
}

/* ORDER BY behind a set operation or VALUES: over its columns. */
static int bind_order(struct binder *binder, const struct ast_query *ast,
		      struct bound_query *query)
{
	struct scope_source source = { 0 };
	struct bind_level level = { .where = "ORDER BY of a set operation",
				    .is_shown_order = !order_picks(ast) };
	struct name_scope scope = { .sources = &source, .source_count = 1,
				    .outer = binder->around,
				    .refs = binder->refs, .level = &level };
	size_t count = query->node->schema->column_count;
	struct sort_key *keys;
	int rc;

	source.what = "query";
	source.schema = query->node->schema;
	source.origins = query->origins;
	rc = bind_sort(binder, &scope, ast->order, ast->order_count, &keys);
	for (size_t i = 0; i < ast->order_count && !rc; i++) {
		size_t ordinal;

		rc = ordinal_of(binder, ast->order[i]->expr, count,
				"ORDER BY", &ordinal);
		if (rc || ordinal == SIZE_MAX)
			continue;
		if (order_picks(ast))
			untyped_ordered(query->origins[ordinal]);
		rc = column_expr(binder, query->node, ordinal, &keys[i].expr);
	}
	if (!rc && level.subqueries.count)
		rc = sql_error(binder->err, ERROR_UNSUPPORTED,
			       &ast->order[0]->place, "a subquery in ORDER BY "
			       "of a set operation is not supported");
	return rc ? rc : bind_sorted(binder, ast, keys, &query->node);
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
	case AST_UNION:
	case AST_EXCEPT:
	case AST_INTERSECT:
		rc = bind_union(binder, ast, out);
		break;
	case AST_NESTED:
		rc = bind_query(binder, ast->inputs[0], out);
		break;
	}
	if (!rc && ast->kind != AST_SELECT)
		rc = bind_order(binder, ast, out);
	if (!rc)
		rc = check_unused_ctes(binder, outside);
	binder->ctes = outside;
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
