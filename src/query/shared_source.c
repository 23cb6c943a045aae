/*
 * shared_source.c - a query that is read once and has several readers
 *
 * Why:    a WITH query that is named twice gives the same rows both times,
 *         and is run once.
 * How:    its batches are copied into blocks, in memory until that is full,
 *         then in a temporary file, and put in the order of the input's
 *         units. Streams of a reader share its blocks out among them.
 * Cost:   a copy of every value.
 */
#include <stdlib.h>
#include "query/query_op.h"
#include "query/row_pile.h"

/* Some rows of one unit and one origin; on disk where pile is empty. */
struct shared_block {
	uint64_t unit;
	uint64_t position;
	uint64_t first_row;
	uint16_t origin;
	bool is_on_disk;
	struct pile pile;	/* of at most one chunk */
	struct run run;		/* of at most one block */
};

struct shared_rows {
	const struct query_node *node;
	const struct query_options *options;
	struct batch_source *input;
	struct type *types;	/* the input's columns, then the line */
	bool *stored;
	struct row_shape shape;
	struct shared_block **blocks;
	size_t block_count;
	size_t block_capacity;
	size_t bytes;		/* in memory; atomic */
	struct origin_list origins;
	struct run_file file;
	struct query_once once;
	pthread_mutex_t lock;	/* blocks */
	size_t holders;		/* atomic */
};

struct shared_source {
	struct query_source query;
	struct shared_rows *rows;
	size_t next_block;	/* atomic */
};

struct shared_stream {
	struct batch_stream base;
	struct shared_source *source;
	size_t at;		/* blocks of the unit it is at */
	size_t end;
	struct vector *columns;	/* of a block on disk */
	struct text bytes;
	struct batch out;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "a shared query");
}

static void block_free(struct shared_block *block)
{
	if (!block)
		return;
	pile_release(&block->pile);
	run_release(&block->run);
	mem_free(block);
}

void shared_rows_free(struct shared_rows *rows)
{
	if (!rows || __atomic_sub_fetch(&rows->holders, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < rows->block_count; i++)
		block_free(rows->blocks[i]);
	mem_free(rows->blocks);
	batch_source_free(rows->input);
	origin_list_release(&rows->origins);
	run_file_release(&rows->file);
	query_once_release(&rows->once);
	pthread_mutex_destroy(&rows->lock);
	mem_free(rows->types);
	mem_free(rows->stored);
	mem_free(rows);
}

int shared_rows_new(struct shared_rows **out, const struct query_node *node,
		    const bool *wanted, const struct query_options *options,
		    struct batch_source *input, struct error *err)
{
	struct shared_rows *rows = mem_zalloc(sizeof(*rows));
	size_t count = node->schema->column_count;

	*out = NULL;
	if (!rows)
		return no_memory(err);
	rows->holders = 1;
	rows->node = node;
	rows->options = options;
	origin_list_init(&rows->origins);
	run_file_init(&rows->file, query_spill_directory(options));
	query_once_init(&rows->once);
	pthread_mutex_init(&rows->lock, NULL);
	rows->types = mem_alloc_array(count + 1, sizeof(*rows->types));
	rows->stored = mem_alloc_array(count + 1, sizeof(bool));
	if (!rows->types || !rows->stored) {
		shared_rows_free(rows);
		return no_memory(err);
	}
	for (size_t i = 0; i < count; i++) {
		rows->types[i] = node->schema->columns[i].type;
		rows->stored[i] = !wanted || wanted[i];
	}
	rows->types[count] = type_of(TYPE_BIGINT);
	rows->stored[count] = true;
	rows->shape.types = rows->types;
	rows->shape.stored = rows->stored;
	rows->shape.column_count = count + 1;
	rows->input = input;
	*out = rows;
	return 0;
}

/* One worker's scratch. */
struct shared_worker {
	struct shared_rows *rows;
	const struct vector **columns;
	struct vector lines;
};

static void worker_free(void *state)
{
	struct shared_worker *self = state;

	if (!self)
		return;
	mem_free(self->columns);
	vector_release(&self->lines);
	mem_free(self);
}

static int worker_new(void *context, size_t worker, void **state,
		      struct error *err)
{
	struct shared_rows *rows = context;
	struct shared_worker *self = mem_zalloc(sizeof(*self));

	*state = self;
	if (!self)
		return no_memory(err);
	self->rows = rows;
	vector_init(&self->lines, type_of(TYPE_BIGINT));
	self->columns = mem_zalloc_array(rows->shape.column_count,
					 sizeof(*self->columns));
	return self->columns ? 0 : no_memory(err);
}

static int make_lines(struct shared_worker *self, const struct batch *batch,
		      struct row_origin *origin, struct error *err)
{
	int rc;

	*origin = row_origin_of(batch);
	vector_reset(&self->lines);
	rc = vector_reserve(&self->lines, batch->row_count, err);
	if (rc)
		return rc;
	self->lines.count = batch->row_count;
	for (size_t i = 0; i < batch->row_count; i++)
		vector_i64(&self->lines)[i] =
			(int64_t)row_origin_line(origin, i);
	return 0;
}

/* In memory, or on disk where that is full. */
static int fill_block(struct shared_rows *rows, struct shared_block *block,
		      const struct vector *const *columns, size_t count,
		      struct error *err)
{
	struct selection all = selection_all(count);
	size_t limit = rows->options->memory_bytes;
	int rc;

	pile_init(&block->pile, &rows->shape);
	rc = pile_append(&block->pile, columns, &all, err);
	if (rc)
		return rc;
	if (!limit || __atomic_add_fetch(&rows->bytes, block->pile.bytes,
					 __ATOMIC_RELAXED) <= limit)
		return 0;
	__atomic_sub_fetch(&rows->bytes, block->pile.bytes, __ATOMIC_RELAXED);
	rc = run_write(&block->run, &rows->file, &rows->shape,
		       block->pile.chunks[0]->columns, count, err);
	pile_release(&block->pile);
	block->is_on_disk = true;
	return rc;
}

static int worker_take(void *state, const struct drained_rows *drained,
		       struct error *err)
{
	struct shared_worker *self = state;
	struct shared_rows *rows = self->rows;
	const struct batch *batch = drained->batch;
	struct shared_block *block = mem_zalloc(sizeof(*block));
	struct row_origin origin;
	int rc;

	if (!block)
		return no_memory(err);
	rc = make_lines(self, batch, &origin, err);
	if (!rc)
		rc = origin_list_find(&rows->origins, &origin, &block->origin,
				      err);
	for (size_t i = 0; i < batch->column_count; i++)
		self->columns[i] = &batch->columns[i];
	self->columns[batch->column_count] = &self->lines;
	block->unit = drained->unit;
	block->position = drained->position;
	block->first_row = batch->first_row;
	if (!rc)
		rc = fill_block(rows, block, self->columns, batch->row_count,
				err);
	if (!rc) {
		pthread_mutex_lock(&rows->lock);
		if (mem_grow((void **)&rows->blocks, &rows->block_capacity,
			     rows->block_count, sizeof(*rows->blocks)))
			rows->blocks[rows->block_count++] = block;
		else
			rc = no_memory(err);
		pthread_mutex_unlock(&rows->lock);
	}
	if (rc)
		block_free(block);
	return rc;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct shared_block *x = *(struct shared_block *const *)a;
	const struct shared_block *y = *(struct shared_block *const *)b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

static int read_input(void *context, struct error *err)
{
	struct shared_rows *rows = context;
	struct drain drain = {
		.input = rows->input,
		.thread_count = query_thread_count(rows->options, rows->input),
		.context = rows,
		.worker_new = worker_new,
		.take = worker_take,
		.worker_free = worker_free,
	};
	int rc = query_drain(&drain, err);

	if (rc)
		return rc;
	if (rows->block_count)
		qsort(rows->blocks, rows->block_count, sizeof(*rows->blocks),
		      compare_blocks);
	if (rows->file.end)
		log_note(rows->options->log, "a query that is used several "
			 "times does not fit --memory: %llu bytes on disk",
			 (unsigned long long)rows->file.end);
	return 0;
}

static void shared_stream_free(struct batch_stream *stream)
{
	struct shared_stream *self = (struct shared_stream *)stream;
	size_t count = self->source->rows->shape.column_count;

	for (size_t i = 0; self->columns && i < count; i++)
		vector_release(&self->columns[i]);
	mem_free(self->columns);
	text_release(&self->bytes);
	batch_release(&self->out);
	mem_free(self);
}

static int give_block(struct shared_stream *self, size_t number,
		      struct error *err)
{
	struct shared_rows *rows = self->source->rows;
	const struct shared_block *block = rows->blocks[number];
	const struct vector *columns = self->columns;
	struct origin origin = origin_list_get(&rows->origins, block->origin);
	struct batch *out = &self->out;
	int rc = 0;

	if (block->is_on_disk)
		rc = run_read(&block->run.blocks[0], &rows->file, &rows->shape,
			      self->columns, &self->bytes, err);
	else
		columns = block->pile.chunks[0]->columns;
	if (rc)
		return rc;
	batch_reset(out);
	for (size_t i = 0; i < out->column_count; i++)
		if (self->source->query.wanted[i])
			vector_reference(&out->columns[i], &columns[i]);
	out->row_count = columns[out->column_count].count;
	out->origin = origin.name;
	out->lines = origin.has_lines
		? (const uint64_t *)vector_i64(&columns[out->column_count])
		: NULL;
	out->first_row = block->first_row;
	out->unit = block->unit;
	return 0;
}

/* Take the blocks of the next unit. */
static void take_unit(struct shared_stream *self)
{
	struct shared_rows *rows = self->source->rows;
	size_t *next = &self->source->next_block;
	size_t at = __atomic_load_n(next, __ATOMIC_RELAXED), end;

	do {
		for (end = at; end < rows->block_count &&
			       rows->blocks[end]->unit ==
				       rows->blocks[at]->unit;)
			end++;
	} while (!__atomic_compare_exchange_n(next, &at, end, false,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	self->at = at;
	self->end = end;
}

static int shared_stream_next(struct batch_stream *stream, struct batch **out,
			      struct error *err)
{
	struct shared_stream *self = (struct shared_stream *)stream;
	struct shared_rows *rows = self->source->rows;
	int rc = query_once_run(&rows->once, read_input, rows, err);

	*out = NULL;
	if (!rc)
		rc = interrupt_check(err);
	if (rc)
		return rc;
	if (self->at == self->end)
		take_unit(self);
	if (self->at == self->end)
		return 0;
	rc = give_block(self, self->at++, err);
	if (!rc)
		*out = &self->out;
	return rc;
}

static int shared_stream_new(struct batch_source *source,
			     struct batch_stream **out, struct error *err)
{
	struct shared_source *self = (struct shared_source *)source;
	struct shared_stream *stream = mem_zalloc(sizeof(*stream));
	size_t count = self->rows->shape.column_count;
	int rc;

	*out = NULL;
	if (!stream)
		return no_memory(err);
	stream->base.next = shared_stream_next;
	stream->base.free = shared_stream_free;
	stream->source = self;
	rc = batch_init(&stream->out, self->query.node->schema, err);
	stream->columns = mem_zalloc_array(count, sizeof(struct vector));
	if (!rc && !stream->columns)
		rc = no_memory(err);
	if (rc) {
		shared_stream_free(&stream->base);
		return rc;
	}
	for (size_t i = 0; i < count; i++)
		vector_init(&stream->columns[i], self->rows->types[i]);
	*out = &stream->base;
	return 0;
}

static size_t shared_parallelism(const struct batch_source *source)
{
	const struct shared_source *self =
		(const struct shared_source *)source;

	return self->rows->input->parallelism(self->rows->input);
}

static void shared_source_free(struct batch_source *source)
{
	struct shared_source *self = (struct shared_source *)source;

	shared_rows_free(self->rows);
	query_source_release(&self->query);
	mem_free(self);
}

int shared_source_new(struct batch_source **out, const struct query_node *node,
		      const bool *wanted, const struct query_options *options,
		      struct shared_rows *rows, struct error *err)
{
	struct shared_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return no_memory(err);
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	self->query.base.stream_new = shared_stream_new;
	self->query.base.parallelism = shared_parallelism;
	self->query.base.free = shared_source_free;
	__atomic_add_fetch(&rows->holders, 1, __ATOMIC_RELAXED);
	self->rows = rows;
	*out = &self->query.base;
	return 0;
}
