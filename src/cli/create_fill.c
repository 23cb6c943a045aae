/*
 * create_fill.c - the rows of CREATE TABLE ... AS SELECT
 *
 * How:    the table is staged and becomes the target of an INSERT of the query,
 *         whose commit publishes both.
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

/* Rows and table as one version; without rows the table alone. */
static int fill(struct cli *cli, const struct merge_plan *plan,
		const struct table_create_options *options,
		const char *directory, struct error *err)
{
	struct merge_result result;
	int64_t version;
	int rc = statement_merge(cli, plan, &result, err);

	if (rc)
		return rc;
	if (result.outcome.version_after == result.outcome.version_before) {
		rc = table_create(directory, options, &version, err);
		result.outcome.version_after = version;
	}
	if (!rc)
		rc = summary_merge(cli, plan, &result, err);
	merge_result_release(&result);
	return rc;
}

int create_fill(struct cli *cli, const struct sql_create *create,
		const struct table_create_options *options,
		const char *directory, struct error *err)
{
	struct iceberg_target_options own = {
		.wait_ms = cli->wait_ms,
		.retry_limit = cli->retry_limit,
	};
	bool existed = path_exists(directory);
	bool is_new = !catalog_is_table(directory);
	struct target *target = NULL;
	struct merge_plan plan;
	struct table *table;
	int rc;

	rc = table_stage(&table, directory, options, err);
	if (!rc) {
		rc = iceberg_target_new(&target, table, &own, err);
		if (rc)
			table_free(table);
	}
	if (!rc)
		rc = plan_insert(&plan, target, create, &cli->arena, err);
	if (!rc)
		rc = fill(cli, &plan, options, directory, err);
	target_free(target);
	if (rc && !existed)
		table_stage_undo(directory);
	if (rc == ERROR_PROTOCOL_CHANGED && is_new)
		rc = error_set(err, ERROR_TABLE_EXISTS,
			       "another process has made a table in '%s'",
			       directory);
	return rc;
}
