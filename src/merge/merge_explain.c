/*
 * merge_explain.c - a bound MERGE in words
 *
 * Why:    before a run: which keys join, what prunes the target, what each
 *         clause does and which columns it reads.
 */
#include "merge/merge_state.h"

static const char *match_name(enum merge_match match)
{
	switch (match) {
	case WHEN_MATCHED:
		return "MATCHED";
	case WHEN_NOT_MATCHED:
		return "NOT MATCHED";
	case WHEN_NOT_MATCHED_BY_SOURCE:
		break;
	}
	return "NOT MATCHED BY SOURCE";
}

static const char *column_name(const struct merge_plan *plan, size_t column)
{
	if (column < plan->target_column_count)
		return plan->target->ops->schema(plan->target)
			->columns[column].name;
	return plan->source->schema
		->columns[column - plan->target_column_count].name;
}

/* The columns an expression reads: "t.id, s.price". */
static void add_columns(const struct merge_plan *plan,
			const struct expr *expr, struct text *out)
{
	size_t count = plan->target_column_count + plan->source_column_count;
	bool *used = mem_zalloc_array(count + 1, sizeof(bool));
	const char *separator = "";

	if (!used)
		return;
	expr_mark_columns(expr, used);
	for (size_t i = 0; i < count; i++) {
		if (!used[i])
			continue;
		text_addf(out, "%s%s.%s", separator,
			  i < plan->target_column_count ? "target" : "source",
			  column_name(plan, i));
		separator = ", ";
	}
	if (!*separator)
		text_add_str(out, "no column");
	mem_free(used);
}

static void add_condition(const struct merge_plan *plan, const char *title,
			  const struct expr *condition, struct text *out)
{
	if (!condition)
		return;
	text_addf(out, "  %s: a condition on ", title);
	add_columns(plan, condition, out);
	text_add_char(out, '\n');
}

static void add_join(const struct merge_plan *plan, struct text *out)
{
	if (plan->on_is_false) {
		text_add_str(out, "join: none, nothing can match\n");
		return;
	}
	text_addf(out, "join: %s\n", plan->key_count
			? "hash join, the source's rows in the table"
			: "nested loop, no pair of columns is equated");
	for (size_t k = 0; k < plan->key_count; k++) {
		text_add_str(out, "  key: ");
		add_columns(plan, plan->keys[k].target, out);
		text_add_str(out, plan->keys[k].null_safe
				? " is not distinct from " : " = ");
		add_columns(plan, plan->keys[k].source, out);
		text_add_char(out, '\n');
	}
	add_condition(plan, "target", plan->target_only, out);
	add_condition(plan, "source", plan->source_only, out);
	add_condition(plan, "pairs", plan->residual, out);
}

static void add_clause(const struct merge_plan *plan, size_t i,
		       struct text *out)
{
	const struct merge_clause *clause = &plan->clauses[i];
	const char *separator = " ";

	text_addf(out, "case %zu: WHEN %s", i, match_name(
		  clause->is_by_source ? WHEN_NOT_MATCHED_BY_SOURCE
				       : clause->match));
	if (!expr_is_true(clause->condition)) {
		text_add_str(out, " and a condition on ");
		add_columns(plan, clause->condition, out);
	}
	switch (clause->operation) {
	case OPERATION_DELETE:
		text_add_str(out, ": DELETE\n");
		return;
	case OPERATION_NONE:
		text_add_str(out, ": DO NOTHING\n");
		return;
	case OPERATION_INSERT:
		text_add_str(out, ": INSERT\n");
		return;
	case OPERATION_UPDATE:
		break;
	}
	text_add_str(out, ": UPDATE");
	for (size_t c = 0; c < plan->target_column_count; c++) {
		if (!clause->values[c])
			continue;
		text_addf(out, "%s%s", separator, column_name(plan, c));
		separator = ", ";
	}
	text_add_char(out, '\n');
}

static void add_bound(const char *sign, const struct literal *value,
		      struct text *out)
{
	text_addf(out, " %s ", sign);
	format_literal_sql(value, out);
}

/* What target conditions alone say; keys are known only with the source. */
static int add_pruning(const struct merge_plan *plan, struct text *out,
		       struct error *err)
{
	const struct expr *condition = plan->target_only;
	struct column_range *ranges;
	struct arena arena;
	size_t count = 0;
	bool never = false, by_source = false;
	int rc = 0;

	for (size_t i = 0; i < plan->clause_count; i++)
		by_source |= plan->clauses[i].match ==
			     WHEN_NOT_MATCHED_BY_SOURCE;
	if (by_source)
		condition = !plan->source && plan->clause_count == 1
				    ? plan->clauses[0].condition : NULL;
	arena_init(&arena, 0);
	if (condition)
		rc = stat_bounds(condition, plan->target_column_count, &arena,
				 &ranges, &count, &never, err);
	if (rc) {
		arena_release(&arena);
		return rc;
	}
	if (never)
		text_add_str(out, "prune: everything, the condition is never "
			     "true\n");
	for (size_t i = 0; i < count; i++) {
		text_addf(out, "prune: by %s",
			  column_name(plan, ranges[i].column));
		if (ranges[i].has_min)
			add_bound(">=", &ranges[i].min, out);
		if (ranges[i].has_max)
			add_bound("<=", &ranges[i].max, out);
		text_add_char(out, '\n');
	}
	for (size_t k = 0; k < plan->key_count && !by_source; k++)
		if (plan->keys[k].target->kind == EXPR_COLUMN)
			text_addf(out, "prune: by %s, the source's range and "
				  "values\n", column_name(plan,
					plan->keys[k].target->column));
	if (by_source && !condition)
		text_add_str(out, "prune: nothing, BY SOURCE looks at every "
			     "row\n");
	arena_release(&arena);
	return 0;
}

/* What the target says of changing columns in place. */
static int add_update_cost(const struct merge_plan *plan, struct text *out,
			   struct error *err)
{
	bool *updated;
	int rc = 0;

	if (!plan->target->ops->explain_update)
		return 0;
	updated = mem_zalloc_array(plan->target_column_count + 1,
				   sizeof(bool));
	if (!updated)
		return error_set(err, ERROR_NO_MEMORY, "explain");
	if (update_mark_columns(plan, updated))
		rc = plan->target->ops->explain_update(plan->target, updated,
						       out, err);
	mem_free(updated);
	return rc;
}

int merge_explain(const struct merge_plan *plan,
		  const struct merge_options *options, struct text *out,
		  struct error *err)
{
	enum row_change_paradigm paradigm;
	int rc;

	rc = target_row_change_paradigm(plan->target, plan->statement,
					&paradigm, err);
	if (rc)
		return rc;
	if (options->has_paradigm)
		paradigm = options->paradigm;
	text_addf(out, "target: %s, %s\n", plan->target_name,
		  paradigm == DELETE_ROW_AND_INSERT_ROW ? "merge-on-read"
							: "copy-on-write");
	add_join(plan, out);
	rc = add_pruning(plan, out, err);
	for (size_t i = 0; !rc && i < plan->clause_count; i++)
		add_clause(plan, i, out);
	if (!rc && options->is_verbose &&
	    paradigm == CHANGE_ONLY_UPDATED_COLUMNS)
		rc = add_update_cost(plan, out, err);
	if (!rc && out->failed)
		rc = error_set(err, ERROR_NO_MEMORY, "explain");
	return rc;
}
