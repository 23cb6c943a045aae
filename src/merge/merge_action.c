/*
 * merge_action.c - one WHEN clause applied to the rows it took
 *
 * Why:    the clause's values become a merge page, that becomes change pages,
 *         and those go to the sink.
 * How:    worker->action holds the rows densely. Values run over all of them;
 *         an UPDATE drops rows that it does not change; columns that it keeps
 *         are fetched only for the rows that are left, and not at all where
 *         the target changes columns in place.
 * Limits: one clause and one operation a page.
 */
#include "merge/merge_state.h"

/* A column that is NULL in every row of a page. */
static const struct vector absent_column;

static void clear_values(struct merge_worker *worker)
{
	for (size_t i = 0; i < worker->state->target_count; i++)
		worker->values[i] = &absent_column;
}

/* Run the value expressions of a clause; worker->values point to them. */
static int run_values(struct merge_worker *worker, size_t clause,
		      struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_clause *when = &state->plan->clauses[clause];
	struct row_view *view = &worker->action;
	struct selection all = selection_all(view->count);

	for (size_t i = 0; i < state->target_count; i++) {
		size_t failed;
		int rc;

		worker->values[i] = NULL;
		if (!when->values[i])
			continue;
		rc = row_view_need(view, worker, when->values[i], err);
		if (rc)
			return rc;
		rc = expr_program_run(worker->clauses[clause].values[i],
				      view->columns, view->count, &all,
				      &worker->values[i], &failed, err);
		if (rc)
			return row_view_blame(view, worker, failed, err);
	}
	return 0;
}

/* NOT NULL of the new values; kept ones are not null already. */
static int check_required(struct merge_worker *worker, size_t clause,
			  struct error *err)
{
	struct merge_state *state = worker->state;
	const struct schema *schema = state->ops->schema(state->plan->target);
	const struct merge_clause *when = &state->plan->clauses[clause];
	struct row_view *view = &worker->action;

	for (size_t i = 0; i < state->target_count; i++) {
		const struct vector *value = worker->values[i];

		if (!schema->columns[i].required || !value ||
		    !vector_has_nulls(value))
			continue;
		for (size_t row = 0; row < view->count; row++) {
			if (!vector_is_null(value, row))
				continue;
			error_set(err, ERROR_NOT_NULL,
				  "column %s is NOT NULL and WHEN clause %zu "
				  "gives NULL", schema->columns[i].name,
				  clause + 1);
			error_field(err, schema->columns[i].name);
			error_at(err, NULL, when->line, when->position);
			error_hint(err, "give a value, or leave such rows "
				   "out with AND ... IS NOT NULL");
			return row_view_blame(view, worker, row, err);
		}
	}
	return 0;
}

static int store_page(struct merge_worker *worker,
		      const struct merge_page *page, struct error *err)
{
	struct merge_state *state = worker->state;
	struct change_page change[CHANGE_PAGE_LIMIT];
	size_t count;
	int rc = 0;

	if (state->is_explain)
		rc = explain_merge_page(state, page, err);
	if (!rc)
		rc = row_change_build(worker->builder, page, change, &count,
				      err);
	for (size_t i = 0; !rc && i < count; i++) {
		if (state->is_explain) {
			rc = explain_change_page(state, &change[i], err);
			if (rc)
				break;
		}
		rc = merge_worker_sink(worker, err);
		if (!rc)
			rc = state->ops->sink_store(worker->sink, &change[i],
						    err);
	}
	return rc;
}

/* Row ids of the action's rows, only those of list (NULL = all). */
static void fill_row_ids(struct merge_worker *worker, const uint32_t *list,
			 size_t count, struct merge_page *page)
{
	const struct target_batch *batch = worker->batch;
	const struct row_view *view = &worker->action;

	if (!view->target_rows) {
		for (size_t i = 0; i < count; i++)
			worker->row_ids[i] = ROW_ID_NONE;
		page->row_id = worker->row_ids;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t row = view->target_rows[list ? list[i] : i];

		worker->row_ids[i] = batch->row_ids[row];
		if (batch->lineage_ids)
			worker->lineage_ids[i] = batch->lineage_ids[row];
	}
	page->row_id = worker->row_ids;
	if (batch->lineage_ids)
		page->lineage_id = worker->lineage_ids;
}

static void init_page(struct merge_worker *worker, size_t clause,
		      size_t count, struct merge_page *page)
{
	struct merge_state *state = worker->state;

	memset(page, 0, sizeof(*page));
	page->row_count = count;
	page->columns = worker->values;
	page->column_count = state->target_count;
	page->present = worker->action.target_rows != NULL;
	page->operation = state->plan->clauses[clause].operation;
	page->case_number = (int32_t)clause;
	page->is_distinct = 1;
	page->unit = worker->unit;
}

/* Columns that decide where a deleted row lies; all others are absent. */
static int fill_layout_columns(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;
	struct write_layout layout;
	int rc = target_update_layout(state->plan->target, &layout, err);

	clear_values(worker);
	if (layout.skips_deletes && !state->is_explain)
		return rc;
	for (size_t i = 0; !rc && i < layout.column_count; i++) {
		rc = row_view_need_column(&worker->action, worker,
					  layout.columns[i], err);
		worker->values[layout.columns[i]] =
			worker->action.columns[layout.columns[i]];
	}
	return rc;
}

static int act_delete(struct merge_worker *worker, size_t clause,
		      struct error *err)
{
	struct merge_page page;
	size_t count = worker->action.count;
	int rc = fill_layout_columns(worker, err);

	if (rc)
		return rc;
	rc = merge_tell_deleted(worker, err);
	if (rc)
		return rc;
	init_page(worker, clause, count, &page);
	fill_row_ids(worker, NULL, count, &page);
	worker->deleted += count;
	return store_page(worker, &page, err);
}

/* The columns of an update's page, for the changed rows (NULL = all). */
static int fill_update(struct merge_worker *worker, const uint32_t *changed,
		       size_t count, struct error *err)
{
	struct merge_state *state = worker->state;
	const bool *updated = state->updated_columns;

	for (size_t i = 0; i < state->target_count; i++) {
		const struct vector *value = worker->values[i];
		int rc;

		if (updated && (!value || !updated[i])) {
			worker->values[i] = &absent_column;
			continue;
		}
		if (!changed && value)
			continue;
		if (value)
			rc = vector_gather(&worker->compact[i], value, changed,
					   count, NULL, err);
		else
			rc = merge_fetch_kept(worker, i, changed, count, err);
		if (rc)
			return rc;
		worker->values[i] = &worker->compact[i];
	}
	return 0;
}

static int act_update(struct merge_worker *worker, size_t clause,
		      struct error *err)
{
	struct row_view *view = &worker->action;
	uint32_t *changed = worker->list_a;
	struct merge_page page;
	size_t count = view->count;
	bool all;
	int rc = run_values(worker, clause, err);

	if (!rc)
		rc = check_required(worker, clause, err);
	if (!rc)
		rc = update_diff(worker, clause, view->count, changed, &count,
				 err);
	if (rc)
		return rc;
	worker->unchanged += view->count - count;
	worker->updated += count;
	if (count == 0)
		return 0;
	all = count == view->count;
	init_page(worker, clause, count, &page);
	fill_row_ids(worker, all ? NULL : changed, count, &page);
	rc = fill_update(worker, all ? NULL : changed, count, err);
	if (!rc)
		rc = merge_tell_updated(worker, clause, all ? NULL : changed,
					count, err);
	return rc ? rc : store_page(worker, &page, err);
}

static int add_keys(struct merge_worker *worker, struct error *err)
{
	const struct merge_plan *plan = worker->state->plan;

	for (size_t i = 0; i < plan->identifier_count; i++)
		worker->key_vectors[i] =
			worker->values[plan->identifier_columns[i]];
	return key_guard_add(worker->keys, worker->key_vectors,
			     worker->action.count, worker->unit, err);
}

static int act_insert(struct merge_worker *worker, size_t clause,
		      struct error *err)
{
	struct merge_page page;
	size_t count = worker->action.count;
	int rc = run_values(worker, clause, err);

	if (!rc)
		rc = check_required(worker, clause, err);
	if (!rc && worker->keys)
		rc = add_keys(worker, err);
	if (!rc)
		rc = merge_tell_inserted(worker, err);
	if (rc)
		return rc;
	init_page(worker, clause, count, &page);
	fill_row_ids(worker, NULL, count, &page);
	worker->inserted += count;
	return store_page(worker, &page, err);
}

int merge_fetch_kept(struct merge_worker *worker, size_t column,
		     const uint32_t *changed, size_t count, struct error *err)
{
	return merge_fetch_old(worker, column, changed, count,
			       &worker->compact[column], err);
}

/* The old values of a column, for the changed rows (NULL = all). */
int merge_fetch_old(struct merge_worker *worker, size_t column,
		    const uint32_t *changed, size_t count, struct vector *out,
		    struct error *err)
{
	struct merge_state *state = worker->state;
	const struct vector *had = &worker->batch->batch.columns[column];
	const struct vector *made = worker->action.columns[column];
	struct selection rows;
	uint32_t *list = worker->list_b;

	if (made && !changed) {
		vector_reference(out, made);
		return 0;
	}
	if (made)
		return vector_gather(out, made, changed, count, NULL, err);
	for (size_t i = 0; i < count; i++)
		list[i] = worker->action.target_rows[changed ? changed[i] : i];
	if (had->data)
		return vector_gather(out, had, list, count, NULL, err);
	rows.rows = list;
	rows.count = count;
	return state->ops->stream_fetch(worker->stream, column, &rows, out,
					err);
}

int merge_action(struct merge_worker *worker, size_t clause,
		 struct error *err)
{
	const struct merge_plan *plan = worker->state->plan;

	worker->clause_rows[clause] += worker->action.count;
	switch (plan->clauses[clause].operation) {
	case OPERATION_INSERT:
		return act_insert(worker, clause, err);
	case OPERATION_DELETE:
		return act_delete(worker, clause, err);
	case OPERATION_UPDATE:
		return act_update(worker, clause, err);
	case OPERATION_NONE:
		break;
	}
	return 0;
}

/* Of rows that stay, the columns that decide where they lie. */
static int show_layout_columns(struct merge_worker *worker,
			       struct row_view *view,
			       const struct selection *rows, struct error *err)
{
	struct write_layout layout;
	int rc = target_update_layout(worker->state->plan->target, &layout,
				      err);

	for (size_t i = 0; !rc && i < rows->count; i++)
		worker->list_c[i] = (uint32_t)selection_row(rows, i);
	for (size_t i = 0; !rc && i < layout.column_count; i++) {
		size_t column = layout.columns[i];

		rc = row_view_need_column(view, worker, column, err);
		if (!rc)
			rc = vector_gather(&worker->compact[column],
					   view->columns[column],
					   worker->list_c, rows->count, NULL,
					   err);
		worker->values[column] = &worker->compact[column];
	}
	return rc;
}

int merge_show_untaken(struct merge_worker *worker, struct row_view *view,
		       const struct selection *rows, bool present,
		       struct error *err)
{
	struct merge_state *state = worker->state;
	struct merge_page page;
	int rc = 0;

	if (!state->is_explain || rows->count == 0)
		return 0;
	clear_values(worker);
	if (present)
		rc = show_layout_columns(worker, view, rows, err);
	if (rc)
		return rc;
	memset(&page, 0, sizeof(page));
	page.row_count = rows->count;
	page.columns = worker->values;
	page.column_count = state->target_count;
	page.present = present;
	page.operation = OPERATION_NONE;
	page.case_number = -1;
	page.is_distinct = 1;
	for (size_t i = 0; i < rows->count; i++) {
		size_t row = selection_row(rows, i);

		worker->row_ids[i] = present
			? worker->batch->row_ids[view->target_rows[row]]
			: ROW_ID_NONE;
	}
	page.row_id = worker->row_ids;
	return explain_merge_page(state, &page, err);
}
