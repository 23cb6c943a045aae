/*
 * merge_changes.c - what was and what is, for a feed of changes
 *
 * Why:    who follows a table wants the rows of a run as they were and as they
 *         are, which no page has: a page of deletes has no values, one of
 *         updates only those that differ.
 * How:    the columns that are missing are fetched for the changed rows, old
 *         and new values of a column that is kept are one vector.
 * Cost:   nothing where nobody asks; else a read of all columns of changed
 *         rows.
 */
#include "merge/merge_state.h"

static int tell(struct merge_worker *worker, size_t count, bool has_old,
		bool has_new, struct error *err)
{
	const struct merge_options *options = worker->state->options;
	struct merge_changed_rows rows = {
		.worker = worker->index,
		.row_count = count,
		.old_values = has_old ? worker->shown[0] : NULL,
		.new_values = has_new ? worker->shown[1] : NULL,
	};

	return options->changed(options->changed_context, &rows, err);
}

int merge_tell_inserted(struct merge_worker *worker, struct error *err)
{
	if (!worker->state->options->changed)
		return 0;
	for (size_t i = 0; i < worker->state->target_count; i++)
		worker->shown[1][i] = worker->values[i];
	return tell(worker, worker->action.count, false, true, err);
}

int merge_tell_deleted(struct merge_worker *worker, struct error *err)
{
	if (!worker->state->options->changed)
		return 0;
	for (size_t i = 0; i < worker->state->target_count; i++) {
		int rc = merge_fetch_old(worker, i, NULL, worker->action.count,
					 &worker->before[i], err);

		if (rc)
			return rc;
		worker->shown[0][i] = &worker->before[i];
	}
	return tell(worker, worker->action.count, true, false, err);
}

int merge_tell_updated(struct merge_worker *worker, size_t clause,
		       const uint32_t *changed, size_t count,
		       struct error *err)
{
	const struct merge_state *state = worker->state;
	const struct merge_clause *when = &state->plan->clauses[clause];

	if (!state->options->changed)
		return 0;
	for (size_t i = 0; i < state->target_count; i++) {
		const struct vector *value = worker->values[i];
		int rc;

		/* fetched for the page already; once more would take it away */
		if (!when->values[i] && value->data) {
			worker->shown[0][i] = worker->shown[1][i] = value;
			continue;
		}
		rc = merge_fetch_old(worker, i, changed, count,
				     &worker->before[i], err);
		if (rc)
			return rc;
		worker->shown[0][i] = &worker->before[i];
		worker->shown[1][i] = value->data ? value
						  : &worker->before[i];
	}
	return tell(worker, count, true, true, err);
}
