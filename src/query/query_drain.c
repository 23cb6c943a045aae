/*
 * query_drain.c - an input is read to its end before the first row is given
 *
 * How:    workers each pull a stream of the input; the first to fail stops
 *         the others. Whoever of several streams needs the result first does
 *         the work, the others wait for it and get the same answer.
 */
#include "query/query_op.h"

void query_once_init(struct query_once *once)
{
	memset(once, 0, sizeof(*once));
	pthread_mutex_init(&once->lock, NULL);
}

void query_once_release(struct query_once *once)
{
	pthread_mutex_destroy(&once->lock);
}

int query_once_run(struct query_once *once,
		   int (*work)(void *context, struct error *err),
		   void *context, struct error *err)
{
	pthread_mutex_lock(&once->lock);
	if (!once->is_done) {
		error_init(&once->err);
		once->rc = work(context, &once->err);
		once->is_done = true;
	}
	pthread_mutex_unlock(&once->lock);
	if (once->rc && err)
		*err = once->err;
	return once->rc;
}

uint64_t row_counter_add(struct row_counter *counter,
			 const struct batch *batch)
{
	uint64_t first;

	if (!counter->has_unit || counter->unit != batch->unit) {
		counter->has_unit = true;
		counter->unit = batch->unit;
		counter->next = 0;
	}
	first = counter->next;
	counter->next += batch->row_count;
	return first;
}

size_t query_thread_count(const struct query_options *options,
			  const struct batch_source *input)
{
	size_t most = input->parallelism(input);
	size_t count = options->thread_count ? options->thread_count : 1;

	return count < most ? count : most;
}

const char *query_spill_directory(const struct query_options *options)
{
	return options->spill_directory ? options->spill_directory : "/tmp";
}

static int pull(struct drain *drain, struct batch_stream *stream, void *state,
		struct error *err)
{
	struct row_counter counter = { 0 };
	int rc = 0;

	while (!rc && !__atomic_load_n(&drain->has_failed, __ATOMIC_RELAXED)) {
		struct drained_rows rows;
		struct batch *batch;

		rc = interrupt_check(err);
		if (!rc)
			rc = batch_stream_next(stream, &batch, err);
		if (rc || !batch)
			break;
		if (!batch->row_count)
			continue;
		rows.batch = batch;
		rows.unit = batch->unit;
		rows.position = row_counter_add(&counter, batch);
		rc = drain->take(state, &rows, err);
	}
	return rc;
}

static int work(void *context, size_t worker, struct error *err)
{
	struct drain *drain = context;
	struct batch_stream *stream = NULL;
	void *state = NULL;
	int rc = drain->worker_new(drain->context, worker, &state, err);

	if (!rc)
		rc = drain->input->stream_new(drain->input, &stream, err);
	if (!rc)
		rc = pull(drain, stream, state, err);
	if (!rc && drain->worker_end &&
	    !__atomic_load_n(&drain->has_failed, __ATOMIC_RELAXED))
		rc = drain->worker_end(state, err);
	if (rc)
		__atomic_store_n(&drain->has_failed, true, __ATOMIC_RELAXED);
	batch_stream_free(stream);
	drain->worker_free(state);
	return rc;
}

int query_drain(struct drain *drain, struct error *err)
{
	drain->has_failed = false;
	return thread_run(drain->thread_count, work, drain, err);
}
