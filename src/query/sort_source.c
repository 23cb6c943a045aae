/*
 * sort_source.c - ORDER BY, with LIMIT and OFFSET
 *
 * How:    all rows go through a sorter, which several threads fill; one stream
 *         reads it. Equal rows stay in the order of the input.
 * Cost:   see row_sorter.c.
 */
#include "query/expr_list.h"
#include "query/query_op.h"
#include "query/row_sorter.h"

struct sort_source {
	struct query_source query;
	struct row_sorter *sorter;
	struct query_once once;
	bool is_taken;		/* atomic */
};

struct sort_worker {
	struct sort_source *source;
	struct sorter_writer *writer;
	struct expr_list keys;
	const struct vector **columns;
};

struct sort_stream {
	struct batch_stream base;
	struct sort_source *source;
	struct sorter_reader *reader;
	struct batch out;
	bool is_empty;
};

static void worker_free(void *state)
{
	struct sort_worker *self = state;

	if (!self)
		return;
	sorter_writer_free(self->writer);
	expr_list_release(&self->keys);
	mem_free(self->columns);
	mem_free(self);
}

static int worker_new(void *context, size_t worker, void **state,
		      struct error *err)
{
	struct sort_source *source = context;
	const struct query_node *node = source->query.node;
	struct sort_worker *self = mem_zalloc(sizeof(*self));
	size_t count = node->schema->column_count;
	struct expr **exprs = mem_zalloc_array(node->sort_count + 1,
					       sizeof(*exprs));
	int rc = 0;

	*state = self;
	if (self)
		self->columns = mem_zalloc_array(count + 1,
						 sizeof(*self->columns));
	if (!self || !exprs || !self->columns)
		rc = error_set(err, ERROR_NO_MEMORY, "ORDER BY");
	for (size_t i = 0; !rc && i < node->sort_count; i++)
		exprs[i] = node->sort[i].expr;
	if (!rc)
		rc = expr_list_init(&self->keys, exprs, node->sort_count,
				    count, source->query.options, err);
	if (!rc)
		rc = sorter_writer_new(&self->writer, source->sorter, err);
	if (!rc)
		self->source = source;
	mem_free(exprs);
	return rc;
}

static int worker_take(void *state, const struct drained_rows *rows,
		       struct error *err)
{
	struct sort_worker *self = state;
	const struct batch *batch = rows->batch;
	struct sorter_rows add = {
		.columns = self->columns,
		.keys = self->keys.results,
		.batch = batch,
		.rows = selection_all(batch->row_count),
		.unit = rows->unit,
		.position = rows->position,
	};
	int rc = expr_list_run(&self->keys, batch, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < batch->column_count; i++)
		self->columns[i] = &batch->columns[i];
	return sorter_add(self->writer, &add, err);
}

static int worker_end(void *state, struct error *err)
{
	return sorter_writer_finish(((struct sort_worker *)state)->writer,
				    err);
}

static int sorter_of(struct sort_source *self, size_t writers,
		     struct error *err)
{
	const struct query_node *node = self->query.node;
	const struct schema *schema = node->schema;
	struct type *types = mem_alloc_array(schema->column_count + 1,
					     sizeof(*types));
	struct sort_column *keys = mem_alloc_array(node->sort_count + 1,
						   sizeof(*keys));
	struct sorter_options options = {
		.types = types,
		.stored = self->query.wanted,
		.column_count = schema->column_count,
		.keys = keys,
		.key_count = node->sort_count,
		.first_rows = node->limit > UINT64_MAX - node->offset
				      ? UINT64_MAX
				      : node->limit + node->offset,
		.memory_bytes = self->query.options->memory_bytes,
		.writer_count = writers,
		.directory = query_spill_directory(self->query.options),
	};
	int rc = types && keys ? 0
			       : error_set(err, ERROR_NO_MEMORY, "ORDER BY");

	for (size_t i = 0; !rc && i < schema->column_count; i++)
		types[i] = schema->columns[i].type;
	for (size_t i = 0; !rc && i < node->sort_count; i++) {
		keys[i].type = node->sort[i].expr->type;
		keys[i].descending = node->sort[i].descending;
		keys[i].nulls_first = node->sort[i].nulls_first;
	}
	if (!rc)
		rc = row_sorter_new(&self->sorter, &options, err);
	mem_free(types);
	mem_free(keys);
	return rc;
}

static int read_input(void *context, struct error *err)
{
	struct sort_source *self = context;
	struct drain drain = {
		.input = self->query.inputs[0],
		.thread_count = query_thread_count(self->query.options,
						   self->query.inputs[0]),
		.context = self,
		.worker_new = worker_new,
		.take = worker_take,
		.worker_end = worker_end,
		.worker_free = worker_free,
	};
	int rc = sorter_of(self, drain.thread_count, err);

	if (!rc)
		rc = query_drain(&drain, err);
	if (!rc && row_sorter_spilled(self->sorter))
		log_note(self->query.options->log,
			 "ORDER BY does not fit --memory: %llu bytes on disk",
			 (unsigned long long)row_sorter_spilled(self->sorter));
	return rc;
}

static void sort_stream_free(struct batch_stream *stream)
{
	struct sort_stream *self = (struct sort_stream *)stream;

	sorter_reader_free(self->reader);
	batch_release(&self->out);
	mem_free(self);
}

static int sort_stream_next(struct batch_stream *stream, struct batch **out,
			    struct error *err)
{
	struct sort_stream *self = (struct sort_stream *)stream;
	struct sort_source *source = self->source;
	struct batch *batch;
	int rc;

	*out = NULL;
	if (self->is_empty)
		return 0;
	rc = query_once_run(&source->once, read_input, source, err);
	if (!rc && !self->reader) {
		rc = sorter_reader_new(&self->reader, source->sorter, err);
		if (!rc)
			rc = sorter_skip(self->reader,
					 source->query.node->offset, err);
	}
	if (!rc)
		rc = interrupt_check(err);
	if (!rc)
		rc = sorter_next(self->reader, &batch, err);
	if (rc || !batch)
		return rc;
	batch_reset(&self->out);
	query_batch_place(&self->out, batch);
	self->out.unit = 0;
	for (size_t i = 0; i < self->out.column_count; i++)
		if (source->query.wanted[i])
			vector_reference(&self->out.columns[i],
					 &batch->columns[i]);
	*out = &self->out;
	return 0;
}

static int sort_stream_new(struct batch_source *source,
			   struct batch_stream **out, struct error *err)
{
	struct sort_source *self = (struct sort_source *)source;
	struct sort_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "ORDER BY");
	stream->base.next = sort_stream_next;
	stream->base.free = sort_stream_free;
	stream->source = self;
	rc = batch_init(&stream->out, self->query.node->schema, err);
	if (rc) {
		sort_stream_free(&stream->base);
		return rc;
	}
	stream->is_empty = __atomic_exchange_n(&self->is_taken, true,
					       __ATOMIC_RELAXED);
	*out = &stream->base;
	return 0;
}

static void sort_source_free(struct batch_source *source)
{
	struct sort_source *self = (struct sort_source *)source;

	row_sorter_free(self->sorter);
	query_once_release(&self->once);
	query_source_release(&self->query);
	mem_free(self);
}

int sort_source_new(struct batch_source **out,
		    const struct query_node *node, const bool *wanted,
		    const struct query_options *options,
		    struct batch_source *input, struct error *err)
{
	struct sort_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "ORDER BY");
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	query_once_init(&self->once);
	self->query.base.stream_new = sort_stream_new;
	self->query.base.parallelism = query_source_sequential;
	self->query.base.free = sort_source_free;
	self->query.inputs[0] = input;
	self->query.input_count = 1;
	*out = &self->query.base;
	return 0;
}
