/*
 * create_fill.c - the rows of CREATE TABLE ... AS SELECT
 *
 * How:    the new empty table becomes the target of an INSERT of the query;
 *         if that fails a table that was not there before is removed again.
 */
#include "cli/create_fill.h"

/* INSERT of a query's columns into a target's, one to one. */
static int plan_insert(struct merge_plan *plan, struct target *target,
		       const struct sql_create *create, struct arena *arena,
		       struct error *err)
{
	const struct schema *schema = target->ops->schema(target);
	size_t count = schema->column_count;
	struct merge_clause *clause = arena_zalloc(arena, sizeof(*clause));
	struct expr **values = arena_zalloc_array(arena, count + 1,
						  sizeof(*values));
	size_t *keys = arena_zalloc_array(arena, count + 1, sizeof(*keys));

	if (!clause || !values || !keys)
		return error_set(err, ERROR_NO_MEMORY, "create");
	memset(plan, 0, sizeof(*plan));
	for (size_t i = 0; i < count; i++) {
		values[i] = expr_column(arena, count + i,
					schema->columns[i].type);
		if (!values[i])
			return error_set(err, ERROR_NO_MEMORY, "create");
		if (schema->columns[i].is_identifier)
			keys[plan->identifier_count++] = i;
	}
	clause->match = WHEN_NOT_MATCHED;
	clause->operation = OPERATION_INSERT;
	clause->values = values;
	plan->statement = STATEMENT_INSERT;
	plan->target = target;
	plan->target_name = create->name;
	plan->target_column_count = count;
	plan->source = create->query;
	plan->source_column_count = count;
	plan->on_is_false = true;
	plan->clauses = clause;
	plan->clause_count = 1;
	plan->identifier_columns = keys;
	return 0;
}

int create_fill(struct cli *cli, struct names *names,
		const struct sql_create *create, bool existed,
		const char *directory, struct error *err)
{
	struct sql_resolver *resolver = names_resolver(names);
	struct sql_statement statement;
	struct merge_plan plan;
	struct target *target;
	struct arena arena;
	struct error ignored;
	int rc;

	arena_init(&arena, 0);
	memset(&statement, 0, sizeof(statement));
	rc = resolver->resolve_target(resolver->context, create->name, &target,
				      err);
	if (!rc)
		rc = plan_insert(&plan, target, create, &arena, err);
	if (!rc) {
		statement.merge = &plan;
		rc = statement_run_merge(cli, &statement, err);
	}
	arena_release(&arena);
	error_init(&ignored);
	if (rc && !existed)
		catalog_drop(directory, &ignored);
	return rc;
}
