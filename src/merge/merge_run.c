/*
 * merge_run.c - a MERGE from its plan to one commit
 *
 * Why:    the order of things is the promise: everything is read as it was,
 *         checked, written, and only then visible; any failure before leaves
 *         the target as it was.
 * How:    begin, load the source, build the table, scan the target, insert
 *         what matched nothing, finish the sinks, check, commit. Workers run
 *         side by side inside a step; steps follow each other.
 */
#include "merge/merge_state.h"

void merge_result_release(struct merge_result *result)
{
	mem_free(result->clauses);
	memset(result, 0, sizeof(*result));
}

static double seconds_since(uint64_t *from)
{
	uint64_t now = clock_monotonic_ns();
	double seconds = (double)(now - *from) / 1e9;

	*from = now;
	return seconds;
}

static int choose_paradigm(struct merge_state *state, struct error *err)
{
	struct target *target = state->plan->target;
	int rc;

	rc = target_row_change_paradigm(target, state->plan->statement,
					&state->paradigm, err);
	if (!rc && state->options->has_paradigm)
		state->paradigm = state->options->paradigm;
	return rc;
}

/* Which source columns are stored, and where the keys are. */
static int plan_store(struct merge_state *state, struct error *err)
{
	const struct merge_plan *plan = state->plan;
	const struct schema *source =
		plan->source ? plan->source->schema : NULL;
	size_t s = plan->source_column_count, n = s;

	state->source_count = s;
	state->store_types = mem_zalloc_array(s + plan->key_count + 1,
					      sizeof(*state->store_types));
	state->stored = mem_zalloc_array(s + plan->key_count + 1,
					 sizeof(bool));
	state->key_columns = mem_zalloc_array(plan->key_count + 1,
					      sizeof(size_t));
	if (!state->store_types || !state->stored || !state->key_columns)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < s; i++) {
		state->store_types[i] = source->columns[i].type;
		state->stored[i] = !plan->source_used || plan->source_used[i];
	}
	for (size_t k = 0; k < plan->key_count; k++) {
		const struct expr *key = plan->keys[k].source;

		if (key->kind == EXPR_COLUMN) {
			state->key_columns[k] =
				key->column - state->target_count;
			continue;
		}
		state->key_columns[k] = n;
		state->store_types[n] = key->type;
		state->stored[n++] = true;
	}
	state->store_column_count = n;
	return 0;
}

static int new_key_guard(struct merge_state *state, struct error *err)
{
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);
	struct type *types;
	int rc;

	if (!plan->identifier_count || !state->has_match[WHEN_NOT_MATCHED])
		return 0;
	types = mem_alloc_array(plan->identifier_count, sizeof(*types));
	if (!types)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < plan->identifier_count; i++)
		types[i] = schema->columns[plan->identifier_columns[i]].type;
	rc = key_guard_new(&state->key_guard, types, plan->identifier_count,
			   err);
	mem_free(types);
	return rc;
}

/*
 * Which columns an UPDATE may change. Whole rows all the same where one row
 * may be updated twice (each gives an image) and where pages are shown.
 */
static int mark_updated(struct merge_state *state, struct error *err)
{
	const struct merge_plan *plan = state->plan;

	if (state->paradigm != CHANGE_ONLY_UPDATED_COLUMNS ||
	    state->options->duplicate_match_by_case || state->is_explain)
		return 0;
	state->updated_columns = mem_zalloc_array(state->target_count + 1,
						  sizeof(bool));
	if (!state->updated_columns)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	update_mark_columns(plan, state->updated_columns);
	return 0;
}

static int state_init(struct merge_state *state, const struct merge_plan *plan,
		      const struct merge_options *options, struct error *err)
{
	size_t count = options->thread_count ? options->thread_count : 1;
	int rc;

	memset(state, 0, sizeof(*state));
	pthread_mutex_init(&state->explain_lock, NULL);
	pthread_mutex_init(&state->spill_lock, NULL);
	merge_failure_init(&state->failure);
	state->clock = clock_monotonic_ns();
	state->plan = plan;
	state->options = options;
	state->ops = plan->target->ops;
	state->target_count = plan->target_column_count;
	state->is_explain = options->explain_out != NULL;
	state->explain_left = options->explain_rows;
	if (state->is_explain)
		count = 1;	/* pages in the order of the rows */
	for (size_t i = 0; i < plan->clause_count; i++)
		state->has_match[plan->clauses[i].match] = true;
	rc = target_merge_row_id_column(plan->target, &state->row_id_column,
					err);
	if (!rc)
		rc = choose_paradigm(state, err);
	if (!rc)
		rc = mark_updated(state, err);
	if (!rc)
		rc = plan_store(state, err);
	if (!rc)
		rc = new_key_guard(state, err);
	if (!rc)
		rc = merge_keep_init(state, err);
	if (!rc)
		rc = merge_guard_init(state, err);
	if (rc)
		return rc;
	state->compare_order = mem_alloc_array(state->target_count + 1,
					       2 * sizeof(size_t));
	state->workers = mem_zalloc_array(count, sizeof(*state->workers));
	if (!state->compare_order || !state->workers)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	state->compare_few = state->compare_order + state->target_count + 1;
	update_diff_order(state->ops->schema(plan->target), false,
			  state->compare_order);
	update_diff_order(state->ops->schema(plan->target), true,
			  state->compare_few);
	state->worker_count = count;
	for (size_t i = 0; !rc && i < count; i++)
		rc = merge_worker_init(&state->workers[i], state, i, err);
	return rc;
}

static void state_release(struct merge_state *state)
{
	for (size_t i = 0; state->workers && i < state->worker_count; i++)
		merge_worker_release(&state->workers[i]);
	mem_free(state->workers);
	if (state->scan)
		state->ops->scan_free(state->scan);
	join_table_free(state->table);
	row_store_free(state->store);
	key_guard_free(state->key_guard);
	mem_free(state->compare_order);
	mem_free(state->updated_columns);
	mem_free(state->key_columns);
	mem_free(state->flag_columns);
	mem_free(state->keep_columns);
	mem_free(state->keep_null_safe);
	mem_free(state->stored);
	mem_free(state->store_types);
	if (state->handle)
		state->ops->merge_abort(state->handle);
	spill_free(state->spill);
	mem_free(state->matched_rows);
	merge_failure_release(&state->failure);
	pthread_mutex_destroy(&state->spill_lock);
	pthread_mutex_destroy(&state->explain_lock);
}

static bool reads_target(const struct merge_state *state)
{
	return state->has_match[WHEN_NOT_MATCHED_BY_SOURCE] ||
	       !state->plan->on_is_false;
}

static int begin(struct merge_state *state, struct error *err)
{
	struct merge_begin_options options = {
		.statement = state->plan->statement,
		.paradigm = state->paradigm,
		.updated_columns = state->updated_columns,
		.reads_target = reads_target(state) ||
				state->plan->source_reads_target,
		.thread_count = state->worker_count,
		.memory_bytes = state->options->memory_bytes,
		.spill_directory = state->options->spill_directory,
		.unsorted = state->options->unsorted,
		.now_us = state->options->now_us,
		.log = state->options->log,
	};

	return target_merge_begin(state->plan->target, &options,
				  &state->handle, err);
}

/* Target columns that every batch of the scan must have. */
static void mark_scan_columns(const struct merge_state *state, bool *used)
{
	const struct merge_plan *plan = state->plan;

	for (size_t k = 0; state->table && k < plan->key_count; k++)
		expr_mark_columns(plan->keys[k].target, used);
	expr_mark_columns(plan->target_only, used);
	if (!state->table)
		expr_mark_columns(plan->residual, used);
	for (size_t i = 0; i < plan->clause_count; i++)
		if (plan->clauses[i].match == WHEN_NOT_MATCHED_BY_SOURCE)
			expr_mark_columns(plan->clauses[i].condition, used);
}

static void close_scan(struct merge_state *state)
{
	struct target_scan_stats *sum = &state->scan_stats, stats;

	if (!state->scan)
		return;
	state->ops->scan_stats(state->scan, &stats);
	sum->files_scanned += stats.files_scanned;
	sum->files_pruned += stats.files_pruned;
	sum->row_groups_scanned += stats.row_groups_scanned;
	sum->row_groups_pruned += stats.row_groups_pruned;
	sum->pages_pruned += stats.pages_pruned;
	sum->rows_scanned += stats.rows_scanned;
	sum->bytes_read += stats.bytes_read;
	state->ops->scan_free(state->scan);
	state->scan = NULL;
}

/* Of a source on disk the first part tells enough. */
static int explain_scan(struct merge_state *state, struct error *err)
{
	if (!state->ops->scan_explain || state->is_explained)
		return 0;
	state->is_explained = true;
	return state->ops->scan_explain(state->scan, state->options->scan_out,
					err);
}

/* Open the scan; none when no row of the target can matter. */
static int open_scan(struct merge_state *state, struct error *err)
{
	struct target_scan_request request = { 0 };
	struct column_range *ranges;
	struct arena arena;
	size_t *columns, n = 0;
	bool *used, never;
	int rc;

	arena_init(&arena, 0);
	used = arena_zalloc_array(&arena, state->target_count +
						  state->source_count + 1,
				  sizeof(bool));
	columns = arena_zalloc_array(&arena, state->target_count + 1,
				     sizeof(size_t));
	if (!used || !columns) {
		arena_release(&arena);
		return error_set(err, ERROR_NO_MEMORY, "merge");
	}
	mark_scan_columns(state, used);
	for (size_t i = 0; i < state->target_count; i++)
		if (used[i])
			columns[n++] = i;
	request.columns = columns;
	request.column_count = n;
	rc = merge_prune_ranges(state, &arena, &ranges, &request.range_count,
				&never, err);
	request.ranges = ranges;
	if (!rc && !never) {
		rc = state->ops->scan_new(state->handle, &request,
					  &state->scan, err);
		if (!rc && state->options->scan_out)
			rc = explain_scan(state, err);
		else if (!rc)
			rc = merge_scan_target(state, err);
		close_scan(state);
	} else if (!rc && state->options->scan_out) {
		text_add_str(state->options->scan_out,
			     "files: none, no row can match\n");
	}
	arena_release(&arena);
	return rc;
}

/*
 * Refused collisions of all workers, as one error. A failure (rc) in rows
 * before the first of them comes first.
 */
static int check_collisions(struct merge_state *state, int rc,
			    struct error *err)
{
	struct collision_list all = { 0 };
	uint64_t first = UINT64_MAX;

	for (size_t w = 0; w < state->worker_count; w++) {
		struct merge_worker *worker = &state->workers[w];
		struct collision_list *list =
			match_guard_collisions(worker->guard);

		if (list->total && worker->collision_row < first)
			first = worker->collision_row;
		collision_list_move(&all, list);
	}
	if (all.total && (!rc || (state->failure.is_set &&
				  state->failure.place.line > first)))
		rc = merge_collision_error(state, &all, err);
	collision_list_release(&all);
	return rc;
}

/* Every match of a clause with its sink: last row groups, fragments. */
struct finish_run {
	struct merge_state *state;
	struct fragments *fragments;	/* per worker */
	bool *finished;			/* per worker */
};

static int finish_work(void *context, size_t index, struct error *err)
{
	struct finish_run *run = context;
	struct merge_worker *worker = &run->state->workers[index];

	if (!worker->sink || run->finished[index])
		return 0;
	run->finished[index] = true;
	return run->state->ops->sink_finish(worker->sink,
					    &run->fragments[index], err);
}

static int finish_sinks(struct merge_state *state, struct fragments *out,
			struct error *err)
{
	struct finish_run run = { state, NULL, NULL };
	size_t sinks = 0, count = state->worker_count;
	int rc = 0;

	run.fragments = mem_zalloc_array(count, sizeof(*run.fragments));
	run.finished = mem_zalloc_array(count, sizeof(bool));
	if (!run.fragments || !run.finished)
		rc = error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t w = 0; w < count; w++)
		sinks += state->workers[w].sink != NULL;
	if (!rc && sinks > 1)
		rc = thread_run(count, finish_work, &run, err);
	/* one sink alone, and those whose thread could not be started */
	for (size_t w = 0; !rc && w < count; w++)
		rc = finish_work(&run, w, err);
	for (size_t w = 0; run.fragments && w < count; w++) {
		struct fragments *part = &run.fragments[w];

		for (size_t i = 0; !rc && i < part->count; i++) {
			rc = fragments_add(out, part->items[i], err);
			if (!rc)
				part->items[i] = NULL;
		}
		fragments_release(part);
	}
	mem_free(run.fragments);
	mem_free(run.finished);
	return rc;
}

static int check_keys(struct merge_state *state, struct error *err)
{
	struct key_guard_duplicate duplicate;
	int rc;

	if (!state->key_guard)
		return 0;
	rc = key_guard_check(state->key_guard, &duplicate, err);
	if (rc || !duplicate.found)
		return rc;
	return merge_duplicate_key_error(state, &duplicate, err);
}

static int source_is_read(const struct merge_state *state, struct error *err)
{
	const struct merge_options *options = state->options;

	if (!options->source_read)
		return 0;
	return options->source_read(options->source_read_context, state->plan,
				    state->rows_read, err);
}

static int build_table(struct merge_state *state, struct error *err)
{
	const struct merge_plan *plan = state->plan;
	struct join_table_options options = { 0 };
	bool *null_safe;
	int rc;

	if (!plan->key_count || plan->on_is_false ||
	    !row_store_chunk_count(state->store))
		return 0;
	null_safe = mem_zalloc_array(plan->key_count, sizeof(bool));
	if (!null_safe)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t k = 0; k < plan->key_count; k++)
		null_safe[k] = plan->keys[k].null_safe;
	options.key_columns = state->key_columns;
	options.null_safe = null_safe;
	options.key_count = plan->key_count;
	rc = join_table_new(&state->table, state->store, &options, err);
	mem_free(null_safe);
	return rc;
}

/* Units of a step lie below this, so that those of later steps follow. */
#define STEP_UNITS (UINT64_C(1) << 40)

/* Join what is in the store with the target, then insert the rest of it. */
static int run_pass(struct merge_state *state, struct error *err)
{
	int rc = merge_keep_rows(state, err);

	if (!rc)
		rc = build_table(state, err);
	state->seconds_join += seconds_since(&state->clock);
	if (!rc && reads_target(state) &&
	    (row_store_chunk_count(state->store) ||
	     state->has_match[WHEN_NOT_MATCHED_BY_SOURCE]))
		rc = open_scan(state, err);
	rc = check_collisions(state, rc, err);
	state->seconds_scan += seconds_since(&state->clock);
	state->first_unit += STEP_UNITS;
	if (!rc && !state->options->scan_out)
		rc = merge_insert_unmatched(state, err);
	state->first_unit += STEP_UNITS;
	if (!rc)
		merge_guard_store(state);
	if (!rc)
		state->taken_rows += row_store_marked_count(state->store,
							STORE_MARK_TAKEN);
	return rc;
}

static int run_joined(struct merge_state *state, struct error *err)
{
	int rc = merge_source_load(state, err);

	if (!rc)
		rc = source_is_read(state, err);
	if (!rc)
		rc = merge_guard_source(state, err);
	state->seconds_source = seconds_since(&state->clock);
	if (rc)
		return rc;
	if (state->spill)
		return merge_spill_passes(state, run_pass, err);
	return run_pass(state, err);
}

/* Nothing can match: rows are inserted as they are read. */
static int run_streamed(struct merge_state *state, struct error *err)
{
	int rc = merge_source_stream(state, err);

	return rc ? rc : source_is_read(state, err);
}

static void add_counts(const struct merge_state *state,
		       struct merge_result *result)
{
	uint64_t taken = 0;

	for (size_t w = 0; w < state->worker_count; w++) {
		const struct merge_worker *worker = &state->workers[w];

		result->rows_inserted += worker->inserted;
		result->rows_updated += worker->updated;
		result->rows_deleted += worker->deleted;
		result->rows_unchanged += worker->unchanged;
		taken += worker->taken_unstored;
		for (size_t c = 0; c < result->clause_count; c++)
			result->clauses[c].rows += worker->clause_rows[c];
	}
	taken += state->taken_rows + state->superseded_rows;
	result->rows_superseded = state->superseded_rows;
	result->rows_read = state->rows_read;
	result->rows_no_action = state->rows_read > taken &&
				 !state->plan->source_is_lookup
					 ? state->rows_read - taken : 0;
	result->scan = state->scan_stats;
	result->seconds_source = state->seconds_source;
	result->seconds_join = state->seconds_join;
	result->seconds_scan = state->seconds_scan;
	if (state->spill)
		result->spilled_bytes = spill_bytes(state->spill);
}

static int new_result(const struct merge_plan *plan,
		      struct merge_result *result, struct error *err)
{
	memset(result, 0, sizeof(*result));
	result->clauses = mem_zalloc_array(plan->clause_count + 1,
					   sizeof(*result->clauses));
	if (!result->clauses)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	result->clause_count = plan->clause_count;
	for (size_t i = 0; i < plan->clause_count; i++) {
		result->clauses[i].match =
			plan->clauses[i].is_by_source
				? WHEN_NOT_MATCHED_BY_SOURCE
				: plan->clauses[i].match;
		result->clauses[i].operation = plan->clauses[i].operation;
	}
	return 0;
}

/* The source has done its work: its memory is for the files that are written
 * again. */
static void drop_store(struct merge_state *state)
{
	join_table_free(state->table);
	state->table = NULL;
	row_store_free(state->store);
	state->store = NULL;
	if (state->spill)
		mem_trim();
}

/* Finish the sinks and commit; the handle is gone afterwards. */
static int commit(struct merge_state *state, struct merge_result *result,
		  struct error *err)
{
	struct fragments fragments = { 0 };
	struct merge_finish_options options = { 0 };
	int rc = finish_sinks(state, &fragments, err);

	if (!rc)
		rc = check_keys(state, err);
	if (!rc)
		rc = interrupt_check(err);
	add_counts(state, result);
	result->seconds_write = seconds_since(&state->clock);
	if (!rc)
		rc = merge_guard_deletes(state, result->rows_deleted, err);
	if (!rc && state->options->before_commit)
		rc = state->options->before_commit(
			state->options->changed_context, err);
	if (!rc) {
		options.rows_inserted = result->rows_inserted;
		options.rows_updated = result->rows_updated;
		options.rows_deleted = result->rows_deleted;
		options.dry_run = state->options->dry_run;
		/* sinks live on the handle, which is gone afterwards */
		for (size_t w = 0; w < state->worker_count; w++) {
			if (state->workers[w].sink)
				state->ops->sink_free(state->workers[w].sink);
			state->workers[w].sink = NULL;
		}
		drop_store(state);
		rc = state->ops->merge_finish(state->handle, &fragments,
					      &options, &result->outcome, err);
		state->handle = NULL;
	}
	result->seconds_commit = seconds_since(&state->clock);
	fragments_release(&fragments);
	return rc;
}

int merge_run(const struct merge_plan *plan,
	      const struct merge_options *options,
	      struct merge_result *result, struct error *err)
{
	uint64_t start = clock_monotonic_ns();
	struct merge_state state;
	int rc = new_result(plan, result, err);

	if (rc)
		return rc;
	rc = state_init(&state, plan, options, err);
	if (!rc)
		rc = begin(&state, err);
	if (!rc && plan->on_is_false && plan->source && !options->keep &&
	    !state.has_match[WHEN_NOT_MATCHED_BY_SOURCE])
		rc = options->scan_out ? 0 : run_streamed(&state, err);
	else if (!rc)
		rc = run_joined(&state, err);
	if (!rc && !options->scan_out)
		rc = commit(&state, result, err);
	if (!rc && !options->scan_out)
		merge_warn(&state);
	state_release(&state);
	result->seconds_total = seconds_since(&start);
	if (rc)
		merge_result_release(result);
	return rc;
}
