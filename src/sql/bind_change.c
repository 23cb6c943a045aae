/*
 * bind_change.c - UPDATE, DELETE and INSERT as forms of MERGE
 *
 * UPDATE and DELETE are a MERGE without source whose only clause is WHEN NOT
 * MATCHED BY SOURCE; INSERT is one with ON FALSE and WHEN NOT MATCHED.
 */
#include "sql/bind_subquery.h"

static int clause_new(struct binder *binder, struct merge_plan *plan,
		      enum row_operation operation,
		      const struct sql_place *place,
		      struct merge_clause **out)
{
	struct merge_clause *clause = binder_alloc(binder, 1, sizeof(*clause));

	*out = NULL;
	if (!clause)
		return ERROR_NO_MEMORY;
	clause->values = binder_alloc(binder, plan->target_column_count + 1,
				      sizeof(*clause->values));
	if (!clause->values)
		return ERROR_NO_MEMORY;
	clause->match = operation == OPERATION_INSERT ?
		WHEN_NOT_MATCHED : WHEN_NOT_MATCHED_BY_SOURCE;
	clause->operation = operation;
	clause->line = place->line;
	clause->position = place->position;
	plan->clauses = clause;
	plan->clause_count = 1;
	plan->on_is_false = true;
	*out = clause;
	return 0;
}

/* Room to mark the used columns in, combined ordinals. */
static int finish(struct binder *binder, struct merge_plan *plan)
{
	plan->source_used = binder_alloc(binder, plan->target_column_count +
					 plan->source_column_count + 1,
					 sizeof(*plan->source_used));
	if (!plan->source_used)
		return ERROR_NO_MEMORY;
	mark_source_used(plan);
	plan->source_reads_target = reads_target(binder);
	binder->statement->merge = plan;
	return 0;
}

static int finish_lookups(struct binder *binder,
			  const struct ast_statement *ast,
			  struct bind_level *level, struct merge_plan *plan)
{
	struct expr *on = NULL;
	int rc = bind_lookups(binder, ast, level, plan, &on);

	if (!rc)
		rc = bind_on(binder, plan, on);
	return rc ? rc : finish(binder, plan);
}

static int target_scope(struct binder *binder, struct name_scope *scope,
			const struct ast_statement *ast,
			const struct merge_plan *plan)
{
	memset(scope, 0, sizeof(*scope));
	scope->sources = binder_alloc(binder, 1, sizeof(*scope->sources));
	if (!scope->sources)
		return ERROR_NO_MEMORY;
	scope->source_count = 1;
	scope->sources[0].alias = ast->alias;
	scope->sources[0].table = &ast->table;
	scope->sources[0].what = "table";
	scope->sources[0].schema = plan_schema(plan);
	scope->sources[0].origins = binder->target_origins;
	return 0;
}

int bind_update(struct binder *binder, const struct ast_statement *ast)
{
	struct bind_level level = { .where = "WHERE", .clause = 1 };
	struct merge_clause *clause;
	struct name_scope scope;
	struct merge_plan *plan;
	int rc = bind_target(binder, ast, &plan);

	if (!rc)
		rc = clause_new(binder, plan, OPERATION_UPDATE, &ast->place,
				&clause);
	if (rc)
		return rc;
	plan->statement = STATEMENT_UPDATE;
	rc = target_scope(binder, &scope, ast, plan);
	scope.level = &level;
	if (!rc)
		rc = bind_condition(binder, &scope, ast->where,
				    "the condition of WHERE",
				    &clause->condition);
	level.where = "SET";
	if (!rc)
		rc = bind_assignments(binder, &scope, plan, ast->assignments,
				      ast->assignment_count, clause);
	return rc ? rc : finish_lookups(binder, ast, &level, plan);
}

int bind_delete(struct binder *binder, const struct ast_statement *ast)
{
	struct bind_level level = { .where = "WHERE", .clause = 1 };
	struct merge_clause *clause;
	struct name_scope scope;
	struct merge_plan *plan;
	int rc = bind_target(binder, ast, &plan);

	if (!rc)
		rc = clause_new(binder, plan, OPERATION_DELETE, &ast->place,
				&clause);
	if (rc)
		return rc;
	plan->statement = STATEMENT_DELETE;
	rc = target_scope(binder, &scope, ast, plan);
	scope.level = &level;
	if (!rc)
		rc = bind_condition(binder, &scope, ast->where,
				    "the condition of WHERE",
				    &clause->condition);
	return rc ? rc : finish_lookups(binder, ast, &level, plan);
}

static int wrong_count(struct binder *binder, const struct merge_plan *plan,
		       const struct ast_statement *ast,
		       const struct sql_place *place, size_t values)
{
	int rc = sql_error(binder->err, ERROR_ARITY, place,
			   "%zu values for %zu columns", values,
			   ast->column_count ? ast->column_count
					     : plan->target_column_count);

	if (!ast->column_count)
		error_hint(binder->err, "without a column list there must be "
			   "a value for every column of %s",
			   plan->target_name);
	return rc;
}

/* INSERT ... VALUES: each value takes its column's type, DEFAULT may stand
 * for one. */
static int bind_value_rows(struct binder *binder,
			   const struct merge_plan *plan,
			   const struct ast_statement *ast,
			   const size_t *columns, struct query_node **out)
{
	struct bind_level level = { .where = "VALUES" };
	struct name_scope scope = { .level = &level };
	struct query_node *node = *out;
	const struct ast_query *query = ast->query;
	const struct schema *schema = plan_schema(plan);
	size_t count = node->schema->column_count;

	node->row_count = query->row_count;
	node->exprs = binder_alloc(binder, count * query->row_count + 1,
				   sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t r = 0; r < query->row_count; r++) {
		const struct ast_row *row = query->rows[r];

		if (row->count != count)
			return wrong_count(binder, plan, ast, &row->place,
					   row->count);
		for (size_t i = 0; i < count; i++) {
			int rc = bind_assigned(binder, &scope, row->values[i],
					&schema->columns[columns[i]],
					&node->exprs[r * count + i]);

			if (rc)
				return rc;
		}
	}
	for (size_t i = 0; i < count; i++) {
		node->schema->columns[i].name =
			schema->columns[columns[i]].name;
		node->schema->columns[i].type =
			schema->columns[columns[i]].type;
	}
	return rows_with_subqueries(binder, &level, out);
}

static int bind_insert_source(struct binder *binder,
			      const struct merge_plan *plan,
			      const struct ast_statement *ast,
			      const size_t *columns, struct bound_query *out)
{
	const struct ast_query *query = ast->query;
	size_t count = ast->column_count ? ast->column_count
					 : plan->target_column_count;
	int rc;

	if (query->kind != AST_VALUES || query->cte_count || query->limit ||
	    query->offset || query->order_count || ast->evolves) {
		rc = bind_query(binder, query, out);
		if (!rc && !ast->evolves &&
		    out->node->schema->column_count != count)
			rc = wrong_count(binder, plan, ast, &query->place,
					 out->node->schema->column_count);
		return rc;
	}
	rc = query_node_new(binder, QUERY_VALUES, count, &out->node);
	if (rc)
		return rc;
	out->origins = binder_alloc(binder, count + 1, sizeof(*out->origins));
	if (!out->origins)
		return ERROR_NO_MEMORY;
	return bind_value_rows(binder, plan, ast, columns, &out->node);
}

/* Column i of the source becomes the value of its table column. */
static int assign_source(struct binder *binder, struct merge_plan *plan,
			 const struct ast_statement *ast,
			 const struct bound_query *source,
			 const size_t *columns)
{
	const struct schema *schema = source->node->schema;
	struct merge_clause *clause = &plan->clauses[0];

	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *def =
			&plan_schema(plan)->columns[columns[i]];
		struct bound_value value = { 0 };
		int rc;

		value.place = ast->query->kind == AST_SELECT &&
			i < ast->query->item_count &&
			ast->query->item_count == schema->column_count ?
			ast->query->items[i]->place : ast->query->place;
		value.origins = source->origins[i];
		value.expr = expr_column(binder->arena,
					 plan->target_column_count + i,
					 schema->columns[i].type);
		if (!value.expr)
			return binder_no_memory(binder);
		rc = binder->evolves ? value_by_name(binder, &value,
						     &def->type, NULL) : 0;
		if (!rc)
			rc = value_assign(binder, &value, &def->type,
					  def->name);
		if (rc)
			return rc;
		clause->values[columns[i]] = value.expr;
	}
	return fill_defaults(binder, plan, clause);
}

/* The query is bound first: it may bring columns. */
static int bind_evolved_source(struct binder *binder, struct merge_plan *plan,
			       const struct ast_statement *ast,
			       struct bound_query *source,
			       struct merge_clause **clause)
{
	size_t count;
	int rc = bind_insert_source(binder, plan, ast, NULL, source);

	if (!rc)
		rc = evolve_for_insert(binder, ast, source, plan);
	if (!rc)
		rc = clause_new(binder, plan, OPERATION_INSERT, &ast->place,
				clause);
	if (rc)
		return rc;
	count = ast->column_count ? ast->column_count
				  : plan->target_column_count;
	if (source->node->schema->column_count != count)
		return wrong_count(binder, plan, ast, &ast->query->place,
				   source->node->schema->column_count);
	return 0;
}

int bind_insert(struct binder *binder, const struct ast_statement *ast)
{
	struct merge_clause *clause;
	struct bound_query source = { NULL, NULL };
	struct merge_plan *plan;
	size_t *columns, count;
	int rc = bind_target(binder, ast, &plan);

	if (!rc)
		rc = clause_new(binder, plan, OPERATION_INSERT, &ast->place,
				&clause);
	if (!rc && ast->evolves)
		rc = bind_evolved_source(binder, plan, ast, &source, &clause);
	if (!rc)
		rc = bind_insert_columns(binder, plan, ast->columns,
					 ast->column_count, &columns, &count);
	if (!rc && !ast->evolves)
		rc = bind_insert_source(binder, plan, ast, columns, &source);
	if (rc)
		return rc;
	plan->statement = STATEMENT_INSERT;
	plan->source = source.node;
	plan->source_column_count = source.node->schema->column_count;
	rc = assign_source(binder, plan, ast, &source, columns);
	return rc ? rc : finish(binder, plan);
}
