/*
 * merge_source.c - the source's rows: into the store, or straight to inserts
 *
 * Why:    a source that is joined must be kept; one that can match nothing (a
 *         load, INSERT ... SELECT, ON FALSE) must not.
 * How:    workers share out the source's units. Storing also computes the key
 *         columns and which rows can match at all. What matched nothing is
 *         inserted window by window afterwards.
 */
#include "merge/merge_state.h"

#define WINDOW_ROWS BATCH_ROW_COUNT

struct source_run {
	struct merge_state *state;
	struct batch_source *source;
};

/* Columns of the combined row that a source batch fills. */
static void combine(struct merge_worker *worker, const struct batch *batch,
		    struct row_view *view)
{
	struct merge_state *state = worker->state;

	row_view_reset(view, state, batch->row_count);
	view->borrowed = batch->columns;
	view->origin = batch;
	for (size_t i = 0; i < state->source_count; i++)
		view->columns[state->target_count + i] = &batch->columns[i];
}

/* joinable[row] by the source-only part of ON; NULL when all are. */
static int find_joinable(struct merge_worker *worker,
			 const struct batch *batch, uint8_t *joinable,
			 const uint8_t **out, struct error *err)
{
	struct row_view *view = &worker->pairs;
	struct selection all = selection_all(batch->row_count);
	size_t failed;
	int rc;

	*out = NULL;
	if (worker->state->plan->on_is_false) {
		memset(joinable, 0, batch->row_count);
		worker->in.count = 0;
		*out = joinable;
		return 0;
	}
	if (!worker->source_only)
		return 0;
	rc = expr_program_filter(worker->source_only, view->columns,
				 batch->row_count, &all, &worker->in, NULL,
				 &failed, err);
	if (rc)
		return row_view_blame(view, worker, failed, err);
	memset(joinable, 0, batch->row_count);
	for (size_t i = 0; i < worker->in.count; i++)
		joinable[worker->in.rows[i]] = 1;
	*out = joinable;
	return 0;
}

/*
 * A computed key for the rows that can match; the others need none, may fail
 * in it, and get NULL.
 */
static int run_source_key(struct merge_worker *worker, size_t k,
			  size_t row_count, const uint8_t *joinable,
			  const struct vector **out, size_t *failed,
			  struct error *err)
{
	struct selection rows = selection_all(row_count);
	struct vector *made = &worker->key_made[k];
	int rc;

	if (joinable)
		rows = selection_of(&worker->in);
	rc = expr_program_run(worker->key_source[k], worker->pairs.columns,
			      row_count, &rows, out, failed, err);
	if (rc || !joinable)
		return rc;
	for (size_t i = 0; i < row_count; i++)
		worker->list_a[i] = joinable[i] ? (uint32_t)i : GATHER_NULL;
	rc = vector_gather(made, *out, worker->list_a, row_count, NULL, err);
	*out = made;
	return rc;
}

/* Rows that NULL in a key keeps from matching, of those that ON lets match. */
static void count_null_keys(struct merge_state *state,
			    const struct vector *const *columns,
			    size_t row_count, const uint8_t *joinable)
{
	const struct merge_plan *plan = state->plan;
	bool found = false;
	uint64_t rows = 0, unjoined = 0;

	for (size_t i = 0; joinable && i < row_count; i++)
		unjoined += !joinable[i];
	if (unjoined)
		__atomic_add_fetch(&state->unjoined_rows, unjoined,
				   __ATOMIC_RELAXED);
	for (size_t k = 0; k < plan->key_count; k++)
		found |= !plan->keys[k].null_safe &&
			 vector_has_nulls(columns[state->key_columns[k]]);
	if (!found || plan->on_is_false)
		return;
	for (size_t i = 0; i < row_count; i++) {
		bool is_null = false;

		for (size_t k = 0; k < plan->key_count; k++)
			is_null |= !plan->keys[k].null_safe &&
				   vector_is_null(
					columns[state->key_columns[k]], i);
		rows += is_null && (!joinable || joinable[i]);
	}
	__atomic_add_fetch(&state->null_key_rows, rows, __ATOMIC_RELAXED);
}

/* Where a thread's rows go: memory, or disk once that is full. */
struct load_writers {
	struct row_store_writer *store;
	struct spill_writer *spill;
};

static int store_batch(struct merge_worker *worker,
		       struct load_writers *writers,
		       const struct vector **columns, const struct batch *batch,
		       struct error *err)
{
	struct merge_state *state = worker->state;
	struct selection all = selection_all(batch->row_count);
	uint8_t flags[BATCH_ROW_COUNT];
	const uint8_t *joinable;
	int rc;

	combine(worker, batch, &worker->pairs);
	rc = find_joinable(worker, batch, flags, &joinable, err);
	for (size_t i = 0; i < state->source_count; i++)
		columns[i] = &batch->columns[i];
	for (size_t k = 0; !rc && k < state->plan->key_count; k++) {
		size_t failed;

		if (state->key_columns[k] < state->source_count)
			continue;
		rc = run_source_key(worker, k, batch->row_count, joinable,
				    &columns[state->key_columns[k]], &failed,
				    err);
		if (rc)
			row_view_blame(&worker->pairs, worker, failed, err);
	}
	if (rc)
		return rc;
	count_null_keys(state, columns, batch->row_count, joinable);
	if (!__atomic_load_n(&state->is_spilling, __ATOMIC_ACQUIRE))
		return row_store_append(writers->store, columns, batch, &all,
					joinable, err);
	if (!writers->spill)
		rc = spill_writer_new(&writers->spill, state->spill, err);
	if (!rc)
		rc = spill_append(writers->spill, columns, batch, joinable,
				  err);
	return rc;
}

/* Where a worker failed: at the row it blamed, else where the failure says,
 * else in the batch at hand or after it. */
static void fail_at(struct merge_worker *worker, struct row_place *place,
		    const struct error *err)
{
	if (worker->is_blamed) {
		*place = worker->blame;
	} else if (err->file[0] && err->line) {
		place->origin = err->file;
		place->is_line = true;
		place->line = err->line;
	}
	merge_failure_add(&worker->state->failure, place, err);
}

/* The next batch of the source; none when a failure came before it. */
static int next_batch(struct merge_state *state, struct batch_stream *stream,
		      struct row_place *place, struct batch **out,
		      struct error *err)
{
	int rc = interrupt_check(err);

	*out = NULL;
	if (!rc)
		rc = batch_stream_next(stream, out, err);
	if (rc || !*out)
		return rc;
	*place = merge_batch_place(*out);
	if (merge_failure_is_before(&state->failure, place))
		*out = NULL;
	return 0;
}

/* Rows of the user's source, and those that NULL in a key keeps apart. */
static void count_marked(struct merge_state *state, const struct batch *batch)
{
	const struct merge_plan *plan = state->plan;
	const struct vector *mark = &batch->columns[plan->source_mark - 1];
	bool found = false;
	uint64_t rows = 0;

	__atomic_add_fetch(&state->marked_rows, batch->row_count -
			   vector_null_count(mark), __ATOMIC_RELAXED);
	for (size_t k = 0; k < plan->mark_key_count; k++)
		found |= vector_has_nulls(&batch->columns[plan->mark_keys[k]]);
	for (size_t i = 0; found && i < batch->row_count; i++) {
		bool is_null = false;

		for (size_t k = 0; k < plan->mark_key_count; k++)
			is_null |= vector_is_null(
				&batch->columns[plan->mark_keys[k]], i);
		rows += is_null && !vector_is_null(mark, i);
	}
	__atomic_add_fetch(&state->null_mark_rows, rows, __ATOMIC_RELAXED);
}

static uint64_t add_rows_read(struct merge_state *state,
			      const struct batch *batch)
{
	if (state->plan->source_mark)
		count_marked(state, batch);
	return __atomic_add_fetch(&state->rows_read, batch->row_count,
				  __ATOMIC_RELAXED);
}

static int load_batches(struct merge_worker *worker,
			struct batch_stream *stream,
			struct load_writers *writers,
			const struct vector **columns, struct error *err)
{
	struct merge_state *state = worker->state;
	struct row_place place = { 0 };
	struct batch *batch;
	int rc;

	while (!(rc = next_batch(state, stream, &place, &batch, err)) &&
	       batch) {
		uint64_t rows = add_rows_read(state, batch);

		rc = store_batch(worker, writers, columns, batch, err);
		if (!rc)
			rc = merge_spill_check(state, err);
		if (rc)
			break;
		log_progress(state->options->log, "read source", rows, 0,
			     "rows");
	}
	if (!rc && writers->spill)
		rc = spill_writer_finish(writers->spill, err);
	if (rc)
		fail_at(worker, &place, err);
	return rc;
}

static int load_work(void *context, size_t index, struct error *err)
{
	struct source_run *run = context;
	struct merge_state *state = run->state;
	struct batch_stream *stream = NULL;
	struct load_writers writers = { NULL, NULL };
	const struct vector **columns;
	int rc = 0;

	columns = mem_zalloc_array(state->store_column_count + 1,
				   sizeof(*columns));
	if (!columns)
		rc = error_set(err, ERROR_NO_MEMORY, "merge");
	if (!rc)
		rc = row_store_writer_new(&writers.store, state->store, err);
	if (!rc)
		rc = run->source->stream_new(run->source, &stream, err);
	if (!rc)
		rc = load_batches(&state->workers[index], stream, &writers,
				  columns, err);
	batch_stream_free(stream);
	row_store_writer_free(writers.store);
	spill_writer_free(writers.spill);
	mem_free(columns);
	return rc;
}

static size_t source_threads(const struct merge_state *state,
			     struct batch_source *source)
{
	size_t n = source->parallelism(source);

	return n < state->worker_count ? n : state->worker_count;
}

int merge_source_load(struct merge_state *state, struct error *err)
{
	struct source_run run = { state, NULL };
	int rc;

	rc = row_store_new(&state->store, state->store_types, state->stored,
			   state->store_column_count, err);
	if (!rc && state->plan->source)
		rc = state->options->source_open(state->options->source_context,
						 state->plan, &run.source,
						 err);
	if (!rc && run.source)
		rc = merge_failure_tell(
			&state->failure,
			thread_run(source_threads(state, run.source),
				   load_work, &run, err), err);
	batch_source_free(run.source);
	if (!rc && state->spill)
		rc = merge_spill_finish(state, err);
	return rc;
}

/*
 * The NOT MATCHED clauses over rows of a view that borrows its columns: the
 * action view is made of the rows that each clause took.
 */
static int insert_rows(struct merge_worker *worker, struct row_view *view,
		       const struct selection *rows, struct error *err)
{
	struct merge_state *state = worker->state;
	int rc = case_select(worker, view, WHEN_NOT_MATCHED, rows, err);

	for (size_t c = 0; !rc && c < state->plan->clause_count; c++) {
		struct selection_buffer *taken = &worker->taken[c];
		struct row_view *action = &worker->action;

		if (taken->count == 0)
			continue;
		row_view_reset(action, state, taken->count);
		action->borrowed = view->borrowed;
		action->origin = view->origin;
		action->is_stored = view->is_stored;
		action->store_first = view->store_first;
		if (taken->count < view->count)
			action->picked = taken->rows;
		worker->taken_unstored += taken->count;
		rc = merge_action(worker, c, err);
	}
	if (!rc) {
		struct selection rest = selection_of(&worker->rest);

		merge_guard_untaken(worker, view);
		rc = merge_show_untaken(worker, view, &rest, false, err);
	}
	return rc;
}

static int stream_batches(struct merge_worker *worker,
			  struct batch_stream *stream, struct error *err)
{
	struct merge_state *state = worker->state;
	struct row_place place = { 0 };
	struct batch *batch;
	int rc;

	while (!(rc = next_batch(state, stream, &place, &batch, err)) &&
	       batch) {
		struct selection all = selection_all(batch->row_count);
		uint64_t rows = add_rows_read(state, batch);

		worker->unit = batch->unit;
		combine(worker, batch, &worker->pairs);
		rc = insert_rows(worker, &worker->pairs, &all, err);
		if (rc)
			break;
		log_progress(state->options->log, "insert", rows, 0, "rows");
	}
	if (rc)
		fail_at(worker, &place, err);
	return rc;
}

static int stream_work(void *context, size_t index, struct error *err)
{
	struct source_run *run = context;
	struct batch_stream *stream = NULL;
	int rc = run->source->stream_new(run->source, &stream, err);

	if (!rc)
		rc = stream_batches(&run->state->workers[index], stream, err);
	batch_stream_free(stream);
	return rc;
}

int merge_source_stream(struct merge_state *state, struct error *err)
{
	struct source_run run = { state, NULL };
	int rc;

	rc = state->options->source_open(state->options->source_context,
					 state->plan, &run.source, err);
	if (!rc)
		rc = merge_failure_tell(
			&state->failure,
			thread_run(source_threads(state, run.source),
				   stream_work, &run, err), err);
	batch_source_free(run.source);
	return rc;
}

struct insert_run {
	struct merge_state *state;
	size_t next_chunk;	/* atomic */
};

/* Rows of a chunk: count of them, skip behind first, a multiple of 64. */
struct row_range {
	size_t first;
	size_t skip;
	size_t count;
};

/* One window of a chunk: rows that matched nothing. */
static int insert_window(struct merge_worker *worker, size_t c,
			 const struct row_range *range, struct vector *window,
			 struct error *err)
{
	struct merge_state *state = worker->state;
	struct store_chunk *chunk = row_store_chunk(state->store, c);
	struct row_view *view = &worker->pairs;
	size_t end = range->skip + range->count, n = 0;
	struct selection rows;

	for (size_t i = range->skip; i < end; i++) {
		worker->in.rows[n] = (uint32_t)i;
		n += !(chunk->marks[range->first + i] &
		       (STORE_MARK_MATCHED | STORE_MARK_DROPPED));
	}
	if (n == 0)
		return 0;
	worker->in.count = n;
	rows = selection_of(&worker->in);
	row_view_reset(view, state, end);
	for (size_t i = 0; i < state->source_count; i++) {
		row_store_slice(chunk, i, range->first, end, &window[i]);
		view->columns[state->target_count + i] = &window[i];
	}
	view->borrowed = window;
	view->is_stored = true;
	view->store_first = (uint32_t)(c << STORE_CHUNK_BITS | range->first);
	return insert_rows(worker, view, &rows, err);
}

/*
 * Windows are cut as chunks are, and those differ with the number of threads.
 * So that the same row is told for any number, a window that failed is done
 * again row by row: the first row that fails is the one. What it writes goes
 * with the run.
 */
static int insert_narrowed(struct merge_worker *worker, size_t c, size_t first,
			   size_t count, struct vector *window,
			   struct error *err)
{
	struct error window_err = *err;

	for (size_t i = 0; i < count; i++) {
		struct row_range one = { first + i / 64 * 64, i % 64, 1 };
		int rc;

		error_init(err);
		worker->is_blamed = false;
		rc = insert_window(worker, c, &one, window, err);
		if (rc)
			return rc;
	}
	*err = window_err;
	return err->code;
}

/* All windows of a chunk, or those before a known failure. */
static int insert_chunk(struct merge_worker *worker, size_t c,
			struct vector *window, struct row_place *place,
			struct error *err)
{
	struct merge_state *state = worker->state;
	size_t rows = row_store_chunk(state->store, c)->row_count;
	int rc = 0;

	for (size_t i = 0; !rc && i < rows; i += WINDOW_ROWS) {
		struct row_range range = { i, 0, rows - i < WINDOW_ROWS
							 ? rows - i
							 : WINDOW_ROWS };

		*place = row_store_place(state->store,
					 (uint32_t)(c << STORE_CHUNK_BITS |
						    i));
		if (merge_failure_is_before(&state->failure, place))
			return 0;
		rc = interrupt_check(err);
		if (rc)
			return rc;
		rc = insert_window(worker, c, &range, window, err);
		if (rc && error_exit_status(rc) == 3)
			rc = insert_narrowed(worker, c, i, range.count,
					     window, err);
	}
	return rc;
}

static int insert_work(void *context, size_t index, struct error *err)
{
	struct insert_run *run = context;
	struct merge_state *state = run->state;
	struct merge_worker *worker = &state->workers[index];
	struct row_place place = { 0 };
	struct vector *window;
	int rc = 0;

	window = mem_zalloc_array(state->source_count + 1, sizeof(*window));
	if (!window)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < state->source_count; i++)
		vector_init(&window[i], state->store_types[i]);
	while (!rc) {
		size_t c = __atomic_fetch_add(&run->next_chunk, 1,
					      __ATOMIC_RELAXED);

		if (c >= row_store_chunk_count(state->store))
			break;
		worker->unit = state->first_unit + c;
		rc = insert_chunk(worker, c, window, &place, err);
	}
	if (rc)
		fail_at(worker, &place, err);
	for (size_t i = 0; i < state->source_count; i++)
		vector_release(&window[i]);
	mem_free(window);
	return rc;
}

int merge_insert_unmatched(struct merge_state *state, struct error *err)
{
	struct insert_run run = { state, 0 };
	size_t chunks = row_store_chunk_count(state->store);
	int rc;

	if (!state->has_match[WHEN_NOT_MATCHED] && !state->is_explain)
		return 0;
	rc = thread_run(chunks < state->worker_count ? (chunks ? chunks : 1)
						     : state->worker_count,
			insert_work, &run, err);
	return merge_failure_tell(&state->failure, rc, err);
}
