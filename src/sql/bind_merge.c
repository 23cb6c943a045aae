/*
 * bind_merge.c - MERGE as a plan
 *
 * The target's columns come first, then the source's; ON and the clauses see
 * both, one, or the other. All clauses are bound and type-checked, also those
 * that can never act.
 */
#include "sql/bind_subquery.h"

static int resolve_target(struct binder *binder,
			  const struct ast_statement *ast)
{
	const struct sql_resolver *resolver = binder->options->resolver;
	int rc;

	if (binder->target)
		return 0;
	if (!resolver || !resolver->resolve_target)
		return sql_error(binder->err, ERROR_UNKNOWN_TABLE,
				 &ast->table.place, "no table can be written "
				 "here");
	if (ast->is_path && !resolver->resolve_file_target)
		return sql_error(binder->err, ERROR_NOT_SUPPORTED,
				 &ast->table.place, "no file can be written "
				 "here");
	rc = (ast->is_path ? resolver->resolve_file_target
			   : resolver->resolve_target)(
		resolver->context, ast->table_text, &binder->target,
		binder->err);
	if (rc && binder->err->line == 0 && !binder->err->file[0])
		error_at(binder->err, binder->file, ast->table.place.line,
			 ast->table.place.position);
	return rc;
}

static int set_identifier(struct binder *binder, struct merge_plan *plan)
{
	const struct schema *schema = plan_schema(plan);
	size_t *columns = binder_alloc(binder, schema->column_count + 1,
				       sizeof(*columns));

	if (!columns)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < schema->column_count; i++)
		if (schema->columns[i].is_identifier)
			columns[plan->identifier_count++] = i;
	plan->identifier_columns = columns;
	return 0;
}

/* Columns of a file that nothing types: of unknown type in this pass. */
static int open_untyped(struct binder *binder, struct relation *relation)
{
	struct bound_query query;
	int rc;

	if (!binder->untyped_target) {
		rc = bound_relation_new(binder, relation,
					&binder->untyped_target);
		if (rc)
			return rc;
	}
	binder->next_relation = 1;
	rc = bound_relation_scan(binder, binder->untyped_target, &query);
	binder->target_origins = query.origins;
	return rc;
}

int bind_target_schema(struct binder *binder, struct merge_plan *plan)
{
	const struct target_ops *ops = plan->target->ops;
	struct relation *untyped = ops->untyped_columns
					   ? ops->untyped_columns(plan->target)
					   : NULL;
	int rc = untyped ? open_untyped(binder, untyped) : 0;

	if (rc)
		return rc;
	binder->types = plan_schema(plan);
	plan->target_column_count = binder->types->column_count;
	plan->identifier_count = 0;
	return set_identifier(binder, plan);
}

int bind_target(struct binder *binder, const struct ast_statement *ast,
		struct merge_plan **out)
{
	struct merge_plan *plan = binder_alloc(binder, 1, sizeof(*plan));
	int rc;

	*out = NULL;
	if (!plan)
		return ERROR_NO_MEMORY;
	rc = resolve_target(binder, ast);
	if (rc)
		return rc;
	plan->target = binder->target;
	plan->target_name = ast->table_text;
	binder->evolves = ast->evolves;
	rc = bind_target_schema(binder, plan);
	if (!rc)
		*out = plan;
	return rc;
}

void mark_source_used(struct merge_plan *plan)
{
	size_t target = plan->target_column_count;
	bool *used = plan->source_used;

	for (size_t i = 0; i < plan->key_count; i++)
		expr_mark_columns(plan->keys[i].source, used);
	expr_mark_columns(plan->source_only, used);
	expr_mark_columns(plan->residual, used);
	for (size_t i = 0; i < plan->clause_count; i++) {
		const struct merge_clause *clause = &plan->clauses[i];

		expr_mark_columns(clause->condition, used);
		for (size_t c = 0; c < target; c++)
			expr_mark_columns(clause->values[c], used);
	}
	/* marked by combined ordinals, kept by the source's */
	plan->source_used = used + target;
	for (size_t k = 0; k < plan->mark_key_count; k++)
		plan->source_used[plan->mark_keys[k]] = true;
}

bool reads_target(const struct binder *binder)
{
	const struct target *target = binder->target;

	for (size_t i = 0; i < binder->owned.count; i++) {
		const struct relation *relation = binder->owned.items[i];

		if (relation->table &&
		    !strcmp(relation->table, target->ops->name(target)))
			return true;
	}
	return false;
}

static int bind_whens(struct binder *binder, struct name_scope *scope,
		      struct merge_plan *plan,
		      const struct ast_statement *ast)
{
	plan->clauses = binder_alloc(binder, ast->when_count,
				     sizeof(*plan->clauses));
	if (!plan->clauses)
		return ERROR_NO_MEMORY;
	plan->clause_count = ast->when_count;
	for (size_t i = 0; i < ast->when_count; i++) {
		int rc;

		scope->level->clause = (unsigned)i + 1;
		scope->level->where = "WHEN";
		rc = bind_clause(binder, scope, plan, ast->whens[i],
				     &plan->clauses[i]);

		if (rc)
			return rc;
	}
	return 0;
}

static int merge_scope(struct binder *binder, struct name_scope *scope,
		       const struct ast_statement *ast,
		       const struct merge_plan *plan,
		       const struct bound_from *from)
{
	size_t count = 1 + from->source_count;
	struct scope_source *sources;

	memset(scope, 0, sizeof(*scope));
	sources = binder_alloc(binder, count, sizeof(*sources));
	if (!sources)
		return ERROR_NO_MEMORY;
	scope->sources = sources;
	scope->source_count = count;
	sources[0].alias = ast->alias;
	sources[0].table = &ast->table;
	sources[0].what = "target";
	sources[0].schema = plan_schema(plan);
	sources[0].origins = binder->target_origins;
	for (size_t i = 1; i < count; i++) {
		struct scope_source *source = &sources[i];

		*source = from->sources[i - 1];
		source->what = "source";
		if (scope_source_move(binder, source,
				      plan->target_column_count))
			return ERROR_NO_MEMORY;
	}
	return 0;
}

int bind_merge(struct binder *binder, const struct ast_statement *ast)
{
	struct bind_level level = { .where = "ON" };
	struct name_scope scope;
	struct bound_from from;
	struct merge_plan *plan;
	struct expr *on;
	int rc = bind_target(binder, ast, &plan);

	if (!rc)
		rc = bind_from(binder, ast->source, &from);
	if (!rc && ast->evolves)
		rc = evolve_for_merge(binder, ast, &from.query, plan);
	if (!rc)
		rc = merge_scope(binder, &scope, ast, plan, &from);
	if (rc)
		return rc;
	scope.level = &level;
	plan->statement = STATEMENT_MERGE;
	plan->source = from.query.node;
	plan->source_column_count = plan->source->schema->column_count;
	rc = bind_condition(binder, &scope, ast->on, "the condition of ON",
			    &on);
	if (!rc)
		rc = bind_whens(binder, &scope, plan, ast);
	if (!rc)
		rc = bind_lookups(binder, ast, &level, plan, &on);
	if (!rc)
		rc = bind_on(binder, plan, on);
	if (rc)
		return rc;
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
