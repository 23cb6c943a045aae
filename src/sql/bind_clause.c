/*
 * bind_clause.c - what a WHEN clause writes
 *
 * Every clause ends with one expression per table column: NULL keeps the old
 * value of an UPDATE; an INSERT has all of them, columns that nobody named
 * get their DEFAULT or NULL (a NOT NULL column then fails when a row is
 * written, not before).
 */
#include "sql/binder.h"

const struct schema *plan_schema(const struct merge_plan *plan)
{
	return plan->target->ops->schema(plan->target);
}

struct expr *default_expr(struct binder *binder,
			  const struct column_def *column)
{
	if (column->write_default)
		return expr_literal(binder->arena, column->write_default);
	return null_expr(binder, &column->type);
}

int fill_defaults(struct binder *binder, const struct merge_plan *plan,
		  struct merge_clause *clause)
{
	const struct schema *schema = plan_schema(plan);

	for (size_t i = 0; i < schema->column_count; i++) {
		if (clause->values[i])
			continue;
		clause->values[i] = default_expr(binder, &schema->columns[i]);
		if (!clause->values[i])
			return binder_no_memory(binder);
		clause->values[i]->line = clause->line;
		clause->values[i]->position = clause->position;
	}
	return 0;
}

/* A column of the table by name. */
int find_target_column(struct binder *binder, const struct merge_plan *plan,
		       const char *name, const struct sql_place *place,
		       size_t *out)
{
	const struct schema *schema = plan_schema(plan);
	struct name_guess guess;
	int rc;

	*out = find_column(schema, name);
	if (*out == COLUMN_SEVERAL)
		return sql_error(binder->err, ERROR_AMBIGUOUS_COLUMN, place,
				 "several columns of %s are called %s",
				 plan->target_name, name);
	if (*out != COLUMN_NONE)
		return 0;
	name_guess_init(&guess, name);
	for (size_t i = 0; i < schema->column_count; i++)
		name_guess_offer(&guess, schema->columns[i].name);
	rc = sql_error(binder->err, ERROR_UNKNOWN_COLUMN, place,
		       "table %s has no column %s", plan->target_name, name);
	error_field(binder->err, name);
	name_guess_hint(&guess, binder->err, NULL);
	return rc;
}

static int assigned_twice(struct binder *binder, const char *name,
			  const struct sql_place *place)
{
	int rc = sql_error(binder->err, ERROR_DUPLICATE_ASSIGNMENT, place,
			   "column %s gets two values", name);

	error_field(binder->err, name);
	return rc;
}

int bind_insert_columns(struct binder *binder, const struct merge_plan *plan,
			struct ast_column_name *const *names, size_t count,
			size_t **out, size_t *count_out)
{
	size_t column_count = plan->target_column_count;
	bool *seen = binder_alloc(binder, column_count + 1, sizeof(*seen));

	*count_out = count ? count : column_count;
	*out = binder_alloc(binder, *count_out + 1, sizeof(**out));
	if (!*out || !seen)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < *count_out; i++) {
		int rc;

		if (!count) {
			(*out)[i] = i;
			continue;
		}
		rc = find_target_column(binder, plan, names[i]->name,
					&names[i]->place, &(*out)[i]);
		if (!rc && seen[(*out)[i]])
			rc = assigned_twice(binder, names[i]->name,
					    &names[i]->place);
		if (rc)
			return rc;
		seen[(*out)[i]] = true;
	}
	return 0;
}

/* The source's column that the table's column i is called like. */
static int bind_starred(struct binder *binder, const struct name_scope *source,
			const struct merge_plan *plan, size_t i,
			const struct ast_when *ast, struct expr **out)
{
	const struct column_def *column = &plan_schema(plan)->columns[i];
	struct ast_expr name = { .kind = AST_NAME,
				 .place = ast->action_place };
	const char *part = column->name;
	struct bound_value value;
	struct expr *old = NULL;
	int rc;

	*out = NULL;
	name.name.parts = &part;
	name.name.count = 1;
	name.name.place = ast->action_place;
	rc = bind_value(binder, source, &name, &value);
	if (!rc && ast->operation == OPERATION_UPDATE) {
		old = expr_column(binder->arena, i, column->type);
		if (!old)
			return binder_no_memory(binder);
	}
	if (!rc)
		rc = value_by_name(binder, &value, &column->type, old);
	if (!rc)
		rc = value_assign(binder, &value, &column->type,
				  column->name);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (!rc)
		*out = value.expr;
	return rc;
}

/* SET * and INSERT *: each table column from the source's of its name. */
static int bind_star(struct binder *binder, const struct name_scope *scope,
		     const struct merge_plan *plan, const struct ast_when *ast,
		     struct merge_clause *out)
{
	const struct schema *schema = plan_schema(plan);
	struct name_scope source = *scope;

	source.sources = scope->sources + 1;
	source.source_count = scope->source_count - 1;
	for (size_t i = 0; i < schema->column_count; i++) {
		int rc = bind_starred(binder, &source, plan, i, ast,
				      &out->values[i]);

		/* kept by an UPDATE, its default for an INSERT */
		if (rc == ERROR_UNKNOWN_COLUMN && binder->evolves)
			continue;
		if (rc == ERROR_UNKNOWN_COLUMN)
			return sql_error(binder->err, rc, &ast->action_place,
					 "the source has no column %s, which "
					 "* needs", schema->columns[i].name);
		if (rc)
			return rc;
	}
	return 0;
}

static int bind_insert_row(struct binder *binder,
			   const struct name_scope *scope,
			   const struct merge_plan *plan,
			   const struct ast_when *ast,
			   struct merge_clause *out)
{
	const struct schema *schema = plan_schema(plan);
	size_t *columns, count;
	int rc = bind_insert_columns(binder, plan, ast->columns,
				     ast->column_count, &columns, &count);

	if (rc)
		return rc;
	if (count != ast->row->count) {
		rc = sql_error(binder->err, ERROR_ARITY, &ast->row->place,
			       "%zu values for %zu columns", ast->row->count,
			       count);
		if (!ast->column_count)
			error_hint(binder->err, "without a column list there "
				   "must be a value for every column of %s",
				   plan->target_name);
		return rc;
	}
	for (size_t i = 0; i < count && !rc; i++)
		rc = bind_assigned(binder, scope, ast->row->values[i],
				   &schema->columns[columns[i]],
				   &out->values[columns[i]]);
	return rc;
}

static void set_visibility(struct name_scope *scope, enum merge_match match)
{
	scope->sources[0].hidden = match == WHEN_NOT_MATCHED ?
		"in WHEN NOT MATCHED only the source's columns exist" : NULL;
	for (size_t i = 1; i < scope->source_count; i++)
		scope->sources[i].hidden =
			match == WHEN_NOT_MATCHED_BY_SOURCE ?
			"in WHEN NOT MATCHED BY SOURCE only the target's "
			"columns exist" : NULL;
}

int bind_clause(struct binder *binder, struct name_scope *scope,
		const struct merge_plan *plan, const struct ast_when *ast,
		struct merge_clause *out)
{
	int rc;

	out->match = ast->match;
	out->operation = ast->operation;
	out->line = ast->place.line;
	out->position = ast->place.position;
	out->values = binder_alloc(binder, plan->target_column_count + 1,
				   sizeof(*out->values));
	if (!out->values)
		return ERROR_NO_MEMORY;
	set_visibility(scope, ast->match);
	rc = bind_condition(binder, scope, ast->condition,
			    "the condition of WHEN", &out->condition);
	if (rc)
		return rc;
	if (ast->is_star) {
		rc = bind_star(binder, scope, plan, ast, out);
		if (rc || ast->operation != OPERATION_INSERT)
			return rc;
		return fill_defaults(binder, plan, out);
	}
	if (ast->operation == OPERATION_UPDATE)
		return bind_assignments(binder, scope, plan, ast->assignments,
					ast->assignment_count, out);
	if (ast->operation != OPERATION_INSERT)
		return 0;
	rc = bind_insert_row(binder, scope, plan, ast, out);
	return rc ? rc : fill_defaults(binder, plan, out);
}
