/*
 * merge_worker.c - what one thread of a MERGE owns
 *
 * Why:    expressions have registers, streams have buffers; none is shared.
 * How:    every worker compiles the plan's expressions for itself; its sink
 *         is opened with its first page, so that a statement that changes
 *         nothing opens none.
 */
#include "merge/merge_state.h"

static int compile(struct expr_program **out, const struct expr *expr,
		   struct merge_state *state, struct error *err)
{
	*out = NULL;
	if (!expr)
		return 0;
	return expr_program_new(out, expr, &state->options->context, err);
}

static int compile_clause(struct merge_worker *worker, size_t i,
			  struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_clause *clause = &state->plan->clauses[i];
	struct clause_programs *programs = &worker->clauses[i];
	int rc = 0;

	programs->values = mem_zalloc_array(state->target_count + 1,
					    sizeof(*programs->values));
	if (!programs->values)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	if (!expr_is_true(clause->condition))
		rc = compile(&programs->condition, clause->condition, state,
			     err);
	for (size_t c = 0; !rc && clause->values && c < state->target_count;
	     c++)
		rc = compile(&programs->values[c], clause->values[c], state,
			     err);
	return rc;
}

static int compile_all(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->clause_count; i++)
		rc = compile_clause(worker, i, err);
	for (size_t k = 0; !rc && k < plan->key_count; k++) {
		rc = compile(&worker->key_target[k], plan->keys[k].target,
			     state, err);
		if (!rc)
			rc = compile(&worker->key_source[k],
				     plan->keys[k].source, state, err);
	}
	if (!rc)
		rc = compile(&worker->target_only, plan->target_only, state,
			     err);
	if (!rc)
		rc = compile(&worker->source_only, plan->source_only, state,
			     err);
	if (!rc)
		rc = compile(&worker->residual, plan->residual, state, err);
	return rc;
}

static int allocate_lists(struct merge_worker *worker, struct error *err)
{
	uint32_t **lists[] = { &worker->list_a, &worker->list_b,
			       &worker->list_c, &worker->action_target,
			       &worker->action_source };
	struct selection_buffer *buffers[] = { &worker->in, &worker->rest,
					       &worker->spare };
	size_t clause_count = worker->state->plan->clause_count;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
		*lists[i] = mem_alloc_array(BATCH_ROW_COUNT + 1,
					    sizeof(uint32_t));
		if (!*lists[i])
			return error_set(err, ERROR_NO_MEMORY, "merge");
	}
	for (size_t i = 0; !rc && i < ARRAY_COUNT(buffers); i++)
		rc = selection_buffer_init(buffers[i], BATCH_ROW_COUNT, err);
	for (size_t i = 0; !rc && i < clause_count; i++)
		rc = selection_buffer_init(&worker->taken[i], BATCH_ROW_COUNT,
					   err);
	return rc;
}

static int allocate(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);
	size_t t = state->target_count, n = plan->clause_count;

	worker->clauses = mem_zalloc_array(n + 1, sizeof(*worker->clauses));
	worker->clause_rows = mem_zalloc_array(n + 1, sizeof(uint64_t));
	worker->taken = mem_zalloc_array(n + 1, sizeof(*worker->taken));
	worker->key_target = mem_zalloc_array(plan->key_count + 1,
					      sizeof(*worker->key_target));
	worker->key_source = mem_zalloc_array(plan->key_count + 1,
					      sizeof(*worker->key_source));
	worker->key_vectors = mem_zalloc_array(
		plan->key_count + plan->identifier_count + 1,
		sizeof(*worker->key_vectors));
	worker->key_made = mem_zalloc_array(plan->key_count + 1,
					    sizeof(*worker->key_made));
	worker->clause_of = mem_alloc_array(BATCH_ROW_COUNT, sizeof(int32_t));
	worker->matched = mem_zalloc_array(BITMAP_WORDS(BATCH_ROW_COUNT), 8);
	worker->row_ids = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	worker->lineage_ids = mem_alloc_array(BATCH_ROW_COUNT,
					      sizeof(int64_t));
	worker->scratch = mem_zalloc_array(t + 1, sizeof(*worker->scratch));
	worker->compact = mem_zalloc_array(t + 1, sizeof(*worker->compact));
	worker->values = mem_zalloc_array(t + 1, sizeof(*worker->values));
	if (!worker->clauses || !worker->clause_rows || !worker->taken ||
	    !worker->key_target || !worker->key_source ||
	    !worker->key_vectors || !worker->key_made ||
	    !worker->clause_of || !worker->matched || !worker->row_ids ||
	    !worker->lineage_ids || !worker->scratch || !worker->compact ||
	    !worker->values)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < t; i++) {
		vector_init(&worker->scratch[i], schema->columns[i].type);
		vector_init(&worker->compact[i], schema->columns[i].type);
	}
	if (state->options->changed) {
		worker->before = mem_zalloc_array(t + 1,
						  sizeof(*worker->before));
		for (size_t i = 0; i < ARRAY_COUNT(worker->shown); i++) {
			worker->shown[i] = mem_zalloc_array(
				t + 1, sizeof(*worker->shown[i]));
			if (!worker->before || !worker->shown[i])
				return error_set(err, ERROR_NO_MEMORY,
						 "merge");
		}
	}
	for (size_t i = 0; worker->before && i < t; i++)
		vector_init(&worker->before[i], schema->columns[i].type);
	for (size_t k = 0; k < plan->key_count; k++)
		vector_init(&worker->key_made[k], plan->keys[k].source->type);
	return allocate_lists(worker, err);
}

int merge_worker_init(struct merge_worker *worker, struct merge_state *state,
		      size_t index, struct error *err)
{
	int rc;

	memset(worker, 0, sizeof(*worker));
	worker->state = state;
	worker->index = index;
	rc = allocate(worker, err);
	if (!rc)
		rc = compile_all(worker, err);
	if (!rc)
		rc = row_view_init(&worker->pairs, state, err);
	if (!rc)
		rc = row_view_init(&worker->action, state, err);
	if (!rc)
		rc = join_probe_new(&worker->probe, err);
	if (!rc)
		rc = row_change_builder_new(&worker->builder,
					    state->paradigm, err);
	if (!rc)
		rc = match_guard_new(&worker->guard,
				     state->plan->clause_count,
				     state->options->duplicate_match_by_case,
				     err);
	if (!rc && state->key_guard)
		rc = key_guard_writer_new(&worker->keys, state->key_guard,
					  err);
	return rc;
}

static void release_programs(struct merge_worker *worker)
{
	const struct merge_plan *plan = worker->state->plan;

	for (size_t i = 0; worker->clauses && i < plan->clause_count; i++) {
		struct clause_programs *programs = &worker->clauses[i];

		expr_program_free(programs->condition);
		for (size_t c = 0; programs->values &&
				   c < worker->state->target_count; c++)
			expr_program_free(programs->values[c]);
		mem_free(programs->values);
	}
	for (size_t k = 0; k < plan->key_count; k++) {
		if (worker->key_target)
			expr_program_free(worker->key_target[k]);
		if (worker->key_source)
			expr_program_free(worker->key_source[k]);
	}
	expr_program_free(worker->target_only);
	expr_program_free(worker->source_only);
	expr_program_free(worker->residual);
}

void merge_worker_release(struct merge_worker *worker)
{
	struct merge_state *state = worker->state;

	if (!state)
		return;
	if (worker->stream)
		state->ops->stream_free(worker->stream);
	if (worker->sink)
		state->ops->sink_free(worker->sink);
	release_programs(worker);
	row_view_release(&worker->pairs, state);
	row_view_release(&worker->action, state);
	join_probe_free(worker->probe);
	row_change_builder_free(worker->builder);
	match_guard_free(worker->guard);
	selection_buffer_release(&worker->in);
	selection_buffer_release(&worker->rest);
	selection_buffer_release(&worker->spare);
	for (size_t i = 0; worker->taken && i < state->plan->clause_count; i++)
		selection_buffer_release(&worker->taken[i]);
	for (size_t i = 0; worker->scratch && i < state->target_count; i++)
		vector_release(&worker->scratch[i]);
	for (size_t i = 0; worker->compact && i < state->target_count; i++)
		vector_release(&worker->compact[i]);
	for (size_t i = 0; worker->before && i < state->target_count; i++)
		vector_release(&worker->before[i]);
	mem_free(worker->before);
	mem_free(worker->shown[0]);
	mem_free(worker->shown[1]);
	for (size_t k = 0; worker->key_made && k < state->plan->key_count; k++)
		vector_release(&worker->key_made[k]);
	mem_free(worker->key_made);
	mem_free(worker->clauses);
	mem_free(worker->clause_rows);
	mem_free(worker->taken);
	mem_free(worker->key_target);
	mem_free(worker->key_source);
	mem_free(worker->key_vectors);
	mem_free(worker->clause_of);
	mem_free(worker->matched);
	mem_free(worker->row_ids);
	mem_free(worker->lineage_ids);
	mem_free(worker->scratch);
	mem_free(worker->compact);
	mem_free(worker->values);
	mem_free(worker->list_a);
	mem_free(worker->list_b);
	mem_free(worker->list_c);
	mem_free(worker->action_target);
	mem_free(worker->action_source);
	memset(worker, 0, sizeof(*worker));
}

int merge_worker_sink(struct merge_worker *worker, struct error *err)
{
	struct merge_state *state = worker->state;

	if (worker->sink)
		return 0;
	return state->ops->sink_new(state->handle, &worker->sink, err);
}
