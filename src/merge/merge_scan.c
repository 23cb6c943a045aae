/*
 * merge_scan.c - the target side of the right join
 *
 * Why:    every live target row that can matter is looked at once: does a
 *         source row match it, and if none does, is there a BY SOURCE clause?
 * How:    workers share out the target's row groups. A batch has the key and
 *         condition columns; the probe gives pairs; the rest of ON and the
 *         MATCHED clauses run over pairs, then each clause over its own rows.
 * Cost:   columns other than keys are read for matched rows only.
 */
#include "merge/merge_state.h"

/* Target rows for which one more thread pays. */
#define THREAD_ROWS 262144
/* Pairs of a refused statement that a worker still counts. */
#define REFUSED_PAIRS_MAX 33554432

/* Rows of the batch that the target-only part of ON lets match. */
static int select_target(struct merge_worker *worker, struct selection *out,
			 struct error *err)
{
	struct merge_state *state = worker->state;
	struct batch *batch = &worker->batch->batch;
	struct row_view *view = &worker->pairs;
	size_t failed;
	int rc;

	row_view_reset(view, state, batch->row_count);
	for (size_t i = 0; i < state->target_count; i++)
		view->columns[i] = &batch->columns[i];
	*out = selection_all(batch->row_count);
	if (!worker->target_only)
		return 0;
	rc = expr_program_filter(worker->target_only, view->columns,
				 batch->row_count, out, &worker->in, NULL,
				 &failed, err);
	*out = selection_of(&worker->in);
	return rc;
}

static int start_probe(struct merge_worker *worker,
		       const struct selection *rows, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	struct batch *batch = &worker->batch->batch;

	if (!state->table)
		return join_probe_loop(worker->probe, state->store, rows, err);
	for (size_t k = 0; k < plan->key_count; k++) {
		size_t failed;
		int rc;

		rc = expr_program_run(worker->key_target[k],
				      worker->pairs.columns, batch->row_count,
				      rows, &worker->key_vectors[k], &failed,
				      err);
		if (rc)
			return rc;
	}
	return join_probe_keys(worker->probe, state->table,
			       worker->key_vectors, rows, err);
}

/* Leave only the pairs that the residual part of ON is true for. */
static int apply_residual(struct merge_worker *worker,
			  struct join_pairs *pairs, struct error *err)
{
	struct merge_state *state = worker->state;
	struct selection all = selection_all(pairs->count);
	size_t failed, n;
	int rc;

	if (!worker->residual)
		return 0;
	rc = row_view_need(&worker->pairs, worker, state->plan->residual, err);
	if (rc)
		return rc;
	rc = expr_program_filter(worker->residual, worker->pairs.columns,
				 pairs->count, &all, &worker->spare, NULL,
				 &failed, err);
	if (rc)
		return row_view_blame(&worker->pairs, worker, failed, err);
	n = worker->spare.count;
	if (n == pairs->count)
		return 0;
	for (size_t i = 0; i < n; i++) {
		pairs->target[i] = pairs->target[worker->spare.rows[i]];
		pairs->source[i] = pairs->source[worker->spare.rows[i]];
	}
	pairs->count = n;
	row_view_reset(&worker->pairs, state, n);
	worker->pairs.target_rows = pairs->target;
	worker->pairs.source_rows = pairs->source;
	return 0;
}

/* "id = 5 AND region = 'x'" of a target row, for a message; NULL = none. */
static char *describe_key(struct merge_worker *worker, uint32_t row)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);
	struct text text = TEXT_INIT;

	for (size_t k = 0; state->table && k < plan->key_count; k++) {
		const struct expr *key = plan->keys[k].target;
		struct literal value = vector_get(worker->key_vectors[k], row);

		text_add_str(&text, k ? " AND " : "");
		text_add_str(&text, key->kind == EXPR_COLUMN
					    ? schema->columns[key->column].name
					    : "the key of ON");
		text_add_str(&text, " = ");
		format_literal_sql(&value, &text);
	}
	return text_detach(&text);
}

static void note_collision(struct merge_worker *worker, uint32_t row,
			   struct match_collision *collision)
{
	struct merge_state *state = worker->state;
	struct collision_list *list = match_guard_collisions(worker->guard);
	char *key = NULL;

	collision->first_place = row_store_place(state->store,
						 collision->first_source);
	collision->second_place = row_store_place(state->store,
						  collision->second_source);
	if (list->total == 0)
		worker->collision_row = worker->batch->row_ids[0];
	if (!collision_list_has(list, collision->row_id))
		key = describe_key(worker, row);
	collision_list_add(list, collision, key);
}

/*
 * Pairs in their order through the guard; a second change of a target row is
 * remembered for the message and not applied.
 */
static void guard_pairs(struct merge_worker *worker,
			const struct join_pairs *pairs)
{
	const struct merge_plan *plan = worker->state->plan;

	for (size_t i = 0; i < pairs->count; i++)
		worker->clause_of[i] = -1;
	for (size_t c = 0; c < plan->clause_count; c++) {
		if (plan->clauses[c].match != WHEN_MATCHED ||
		    plan->clauses[c].operation == OPERATION_NONE)
			continue;
		for (size_t i = 0; i < worker->taken[c].count; i++)
			worker->clause_of[worker->taken[c].rows[i]] =
				(int32_t)c;
	}
	for (size_t i = 0; i < pairs->count; i++) {
		struct match_collision collision;
		uint32_t row = pairs->target[i];

		if (worker->clause_of[i] < 0 ||
		    match_guard_mark(worker->guard,
				     worker->batch->row_ids[row],
				     pairs->source[i],
				     (uint32_t)worker->clause_of[i],
				     &collision))
			continue;
		note_collision(worker, row, &collision);
	}
}

/* Each clause over the pairs that it took. */
static int act_on_pairs(struct merge_worker *worker,
			const struct join_pairs *pairs, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	int rc = 0;

	if (match_guard_collisions(worker->guard)->total)
		return 0;	/* refused: only counted from here on */
	for (size_t c = 0; !rc && c < plan->clause_count; c++) {
		const struct selection_buffer *taken = &worker->taken[c];
		struct row_view *action = &worker->action;

		if (taken->count == 0 ||
		    plan->clauses[c].match != WHEN_MATCHED)
			continue;
		for (size_t i = 0; i < taken->count; i++) {
			worker->action_target[i] =
				pairs->target[taken->rows[i]];
			worker->action_source[i] =
				pairs->source[taken->rows[i]];
		}
		row_view_reset(action, state, taken->count);
		action->target_rows = worker->action_target;
		action->source_rows = worker->action_source;
		row_store_mark(state->store, worker->action_source,
			       taken->count, STORE_MARK_TAKEN);
		rc = merge_action(worker, c, err);
	}
	return rc;
}

/* For BY SOURCE: which rows of the batch, or of the target, had a match. */
static void remember_matched(struct merge_worker *worker,
			     const struct join_pairs *pairs)
{
	uint64_t *all = worker->state->matched_rows;

	for (size_t i = 0; i < pairs->count; i++) {
		uint64_t row_id = worker->batch->row_ids[pairs->target[i]];

		if (all)
			__atomic_fetch_or(&all[row_id >> 6],
					  UINT64_C(1) << (row_id & 63),
					  __ATOMIC_RELAXED);
		else
			bits_set(worker->matched, pairs->target[i]);
	}
}

static int take_pairs(struct merge_worker *worker, struct join_pairs *pairs,
		      struct error *err)
{
	struct merge_state *state = worker->state;
	struct selection all, rest;
	int rc;

	row_view_reset(&worker->pairs, state, pairs->count);
	worker->pairs.target_rows = pairs->target;
	worker->pairs.source_rows = pairs->source;
	rc = apply_residual(worker, pairs, err);
	if (rc || pairs->count == 0)
		return rc;
	row_store_mark(state->store, pairs->source, pairs->count,
		       STORE_MARK_MATCHED);
	if (state->has_match[WHEN_NOT_MATCHED_BY_SOURCE])
		remember_matched(worker, pairs);
	if (!state->has_match[WHEN_MATCHED] && !state->is_explain)
		return 0;
	all = selection_all(pairs->count);
	rc = case_select(worker, &worker->pairs, WHEN_MATCHED, &all, err);
	if (rc)
		return rc;
	rest = selection_of(&worker->rest);
	rc = merge_show_untaken(worker, &worker->pairs, &rest, true, err);
	if (rc)
		return rc;
	guard_pairs(worker, pairs);
	return act_on_pairs(worker, pairs, err);
}

/* NOT MATCHED BY SOURCE over the batch's rows without a pair. */
static int take_unmatched(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	struct batch *batch = &worker->batch->batch;
	struct row_view *view = &worker->pairs;
	struct selection rows;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < batch->row_count; i++) {
		bool matched = state->matched_rows
			? bits_get(state->matched_rows,
				   worker->batch->row_ids[i])
			: bits_get(worker->matched, i);

		worker->in.rows[n] = (uint32_t)i;
		n += !matched;
	}
	worker->in.count = n;
	if (n == 0)
		return 0;
	rows = selection_of(&worker->in);
	row_view_reset(view, state, batch->row_count);
	for (size_t i = 0; i < state->target_count; i++)
		if (batch->columns[i].data)
			view->columns[i] = &batch->columns[i];
	rc = case_select(worker, view, WHEN_NOT_MATCHED_BY_SOURCE, &rows, err);
	for (size_t c = 0; !rc && c < plan->clause_count; c++) {
		const struct selection_buffer *taken = &worker->taken[c];
		struct row_view *action = &worker->action;

		if (taken->count == 0)
			continue;
		memcpy(worker->action_target, taken->rows,
		       taken->count * sizeof(uint32_t));
		row_view_reset(action, state, taken->count);
		action->target_rows = worker->action_target;
		rc = merge_action(worker, c, err);
	}
	return rc;
}

/*
 * A key that many rows of both sides have: what is refused anyway need not be
 * counted to the end, which would take the product of both.
 */
static bool has_refused_enough(struct merge_worker *worker, size_t pairs)
{
	struct collision_list *list = match_guard_collisions(worker->guard);

	if (list->total == 0)
		return false;
	worker->refused_pairs += pairs;
	list->is_cut |= worker->refused_pairs > REFUSED_PAIRS_MAX;
	return list->is_cut;
}

static int take_batch(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;
	struct batch *batch = &worker->batch->batch;
	struct selection rows;
	int rc = 0;

	worker->unit = state->first_unit + batch->unit;
	if (state->has_match[WHEN_NOT_MATCHED_BY_SOURCE])
		bits_clear_range(worker->matched, 0, batch->row_count);
	if (row_store_chunk_count(state->store) && !state->plan->on_is_false) {
		rc = select_target(worker, &rows, err);
		if (!rc)
			rc = start_probe(worker, &rows, err);
		while (!rc) {
			struct join_pairs pairs =
				join_probe_next(worker->probe);

			if (pairs.count == 0)
				break;
			rc = interrupt_check(err);
			if (!rc)
				rc = take_pairs(worker, &pairs, err);
			if (!rc && has_refused_enough(worker, pairs.count))
				return 0;
		}
	}
	if (!rc && state->has_match[WHEN_NOT_MATCHED_BY_SOURCE] &&
	    (!state->matched_rows || state->is_last_pass))
		rc = take_unmatched(worker, err);
	return rc;
}

static int scan_batches(struct merge_worker *worker,
			struct row_place *place, struct error *err)
{
	struct merge_state *state = worker->state;
	int rc = state->ops->stream_new(state->scan, &worker->stream, err);

	while (!rc) {
		uint64_t rows;

		rc = interrupt_check(err);
		if (!rc)
			rc = state->ops->stream_next(worker->stream,
						     &worker->batch, err);
		if (rc || !worker->batch)
			break;
		place->line = worker->batch->row_ids[0];
		if (merge_failure_is_before(&state->failure, place))
			break;
		rc = take_batch(worker, err);
		rows = __atomic_add_fetch(&state->rows_scanned,
					  worker->batch->batch.row_count,
					  __ATOMIC_RELAXED);
		log_progress(state->options->log, "merge", rows,
			     state->ops->row_id_limit(state->handle), "rows");
		if (!rc && has_refused_enough(worker, 0))
			break;
	}
	return rc;
}

static int scan_work(void *context, size_t index, struct error *err)
{
	struct merge_state *state = context;
	struct merge_worker *worker = &state->workers[index];
	struct row_place place = { 0 };
	int rc = scan_batches(worker, &place, err);

	if (rc)
		merge_failure_add(&state->failure, &place, err);
	if (worker->stream)
		state->ops->stream_free(worker->stream);
	worker->stream = NULL;
	worker->batch = NULL;
	return rc;
}

int merge_scan_target(struct merge_state *state, struct error *err)
{
	size_t n = state->ops->scan_parallelism(state->scan);
	uint64_t rows = state->ops->row_id_limit(state->handle);
	int rc;

	if (n > state->worker_count)
		n = state->worker_count;
	/* a thread costs more than scanning the keys of a small target */
	if (n > 1 + rows / THREAD_ROWS)
		n = (size_t)(1 + rows / THREAD_ROWS);
	rc = thread_run(n ? n : 1, scan_work, state, err);
	return merge_failure_tell(&state->failure, rc, err);
}
