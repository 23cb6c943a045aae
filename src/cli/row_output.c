/*
 * row_output.c - rows of a source to standard output, in the source's order
 *
 * Why:    formatting is most of an export's work and is shared out among
 *         threads; their output must not mix.
 * How:    a worker formats the unit (chunk, row group) that it has. It may
 *         write while no other worker can still hold an earlier unit; until
 *         then its text waits in memory, at most one unit a worker.
 */
#include <pthread.h>
#include "cli/report.h"
#include "cli/statement.h"

#define FLUSH_BYTES ((size_t)512 << 10)
#define WAIT_BYTES ((size_t)8 << 20)

struct output_run {
	struct cli *cli;
	struct batch_source *source;
	const struct row_output_options *options;
	const struct schema *schema;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t *unit;		/* per worker: the one it has had last */
	bool *active;		/* has started, may have rows to come */
	size_t worker_count;
	uint64_t left;		/* rows until the limit */
	bool failed;		/* atomic */
};

/* Can some other worker still have rows before unit? Under the lock. */
static bool must_wait(const struct output_run *run, size_t worker,
		      uint64_t unit)
{
	for (size_t w = 0; w < run->worker_count; w++)
		if (w != worker && run->active[w] && run->unit[w] < unit)
			return true;
	return false;
}

static void set_unit(struct output_run *run, size_t worker, uint64_t unit,
		     bool active)
{
	pthread_mutex_lock(&run->lock);
	run->unit[worker] = unit;
	run->active[worker] = active;
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
}

/* Write what is formatted. Waits for earlier units if must, or if the text
 * has become large. */
static int flush(struct output_run *run, size_t worker, struct text *text,
		 bool must, struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&run->lock);
	while (!run->failed && must_wait(run, worker, run->unit[worker])) {
		if (!must && text->length < WAIT_BYTES) {
			pthread_mutex_unlock(&run->lock);
			return 0;
		}
		pthread_cond_wait(&run->moved, &run->lock);
	}
	if (!run->failed && text->length)
		rc = print_text(text->data, text->length, err);
	pthread_mutex_unlock(&run->lock);
	text_reset(text);
	return rc;
}

static int format_batch(struct output_run *run, const struct batch *batch,
			const struct vector **columns, struct text *text,
			struct error *err)
{
	struct selection rows = selection_all(batch->row_count);

	if (run->options->limit != UINT64_MAX) {
		if (rows.count > run->left)
			rows.count = (size_t)run->left;
		run->left -= rows.count;
	}
	for (size_t i = 0; i < batch->column_count; i++)
		columns[i] = &batch->columns[i];
	if (run->options->format == ROW_FORMAT_JSONL)
		return jsonl_format_batch(run->schema, columns,
					  batch->column_count, &rows, text,
					  err);
	return csv_format_batch(columns, batch->column_count, &rows, text,
				err);
}

static int output_work(void *context, size_t index, struct error *err)
{
	struct output_run *run = context;
	struct batch_stream *stream = NULL;
	struct text text = TEXT_INIT;
	const struct vector **columns;
	struct batch *batch;
	int rc;

	/* units are handed out in ascending order: one who starts late has
	 * only later ones */
	set_unit(run, index, 0, true);
	columns = mem_zalloc_array(run->schema->column_count + 1,
				   sizeof(*columns));
	rc = columns ? run->source->stream_new(run->source, &stream, err)
		     : error_set(err, ERROR_NO_MEMORY, "output");
	while (!rc && run->left &&
	       !__atomic_load_n(&run->failed, __ATOMIC_RELAXED)) {
		rc = interrupt_check(err);
		if (!rc)
			rc = batch_stream_next(stream, &batch, err);
		if (rc || !batch)
			break;
		if (text.length && batch->unit != run->unit[index])
			rc = flush(run, index, &text, true, err);
		if (!rc && batch->unit != run->unit[index])
			set_unit(run, index, batch->unit, true);
		if (!rc)
			rc = format_batch(run, batch, columns, &text, err);
		if (!rc && text.length >= FLUSH_BYTES)
			rc = flush(run, index, &text, false, err);
	}
	if (!rc)
		rc = flush(run, index, &text, true, err);
	if (rc) {
		pthread_mutex_lock(&run->lock);
		__atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
		pthread_mutex_unlock(&run->lock);
	}
	set_unit(run, index, run->unit[index], false);
	batch_stream_free(stream);
	text_release(&text);
	mem_free(columns);
	return rc;
}

int row_output(struct cli *cli, struct batch_source *source,
	       const struct row_output_options *options, struct error *err)
{
	struct output_run run = {
		.cli = cli, .source = source, .options = options,
		.schema = source->schema(source), .left = options->limit,
	};
	size_t threads = source->parallelism(source);
	struct text header = TEXT_INIT;
	int rc = 0;

	if (options->format == ROW_FORMAT_PARQUET)
		return parquet_output(source, options->limit, err);
	if (threads > options->thread_count)
		threads = options->thread_count;
	if (threads == 0 || options->limit != UINT64_MAX)
		threads = 1;
	if (options->has_header && options->format == ROW_FORMAT_CSV) {
		if (!csv_format_header(run.schema, &header))
			rc = error_set(err, ERROR_NO_MEMORY, "output");
		else
			rc = print_text(header.data, header.length, err);
		text_release(&header);
	}
	if (rc)
		return rc;
	run.worker_count = threads;
	run.unit = mem_zalloc_array(threads, sizeof(*run.unit));
	run.active = mem_zalloc_array(threads, sizeof(*run.active));
	if (!run.unit || !run.active)
		rc = error_set(err, ERROR_NO_MEMORY, "output");
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.moved, NULL);
	if (!rc)
		rc = thread_run(threads, output_work, &run, err);
	pthread_cond_destroy(&run.moved);
	pthread_mutex_destroy(&run.lock);
	mem_free(run.unit);
	mem_free(run.active);
	return rc;
}
