/*
 * set_operation.c - UNION ALL and LIMIT
 *
 * How:    a stream of a union drains its share of each input in turn, so that
 *         all streams work on one input at a time. A union of unions is one
 *         union of all their inputs. LIMIT needs one order of
 *         rows, so only one of its streams has any.
 */
#include "query/query_op.h"

/* Units of the n-th input of a union come after those of the ones before. */
#define UNION_UNIT_SHIFT 40

struct union_stream {
	struct batch_stream base;
	struct query_source *source;
	struct batch_stream *input;
	size_t next_input;
	struct batch out;
};

static void union_stream_free(struct batch_stream *stream)
{
	struct union_stream *self = (struct union_stream *)stream;

	batch_stream_free(self->input);
	batch_release(&self->out);
	mem_free(self);
}

static int union_stream_next(struct batch_stream *stream, struct batch **out,
			     struct error *err)
{
	struct union_stream *self = (struct union_stream *)stream;
	struct query_source *source = self->source;

	*out = NULL;
	for (;;) {
		struct batch *batch = NULL;
		int rc;

		if (!self->input && self->next_input == source->input_count)
			return 0;
		if (!self->input) {
			struct batch_source *input =
				source->inputs[self->next_input++];

			rc = input->stream_new(input, &self->input, err);
			if (rc)
				return rc;
		}
		rc = batch_stream_next(self->input, &batch, err);
		if (rc)
			return rc;
		if (!batch) {
			batch_stream_free(self->input);
			self->input = NULL;
			continue;
		}
		batch_reset(&self->out);
		query_batch_place(&self->out, batch);
		self->out.unit |= (uint64_t)(self->next_input - 1)
				  << UNION_UNIT_SHIFT;
		for (size_t i = 0; i < self->out.column_count; i++)
			vector_reference(&self->out.columns[i],
					 &batch->columns[i]);
		*out = &self->out;
		return 0;
	}
}

static int union_stream_new(struct batch_source *source,
			    struct batch_stream **out, struct error *err)
{
	struct query_source *self = (struct query_source *)source;
	struct union_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "UNION ALL");
	stream->base.next = union_stream_next;
	stream->base.free = union_stream_free;
	stream->source = self;
	rc = batch_init(&stream->out, self->node->schema, err);
	if (rc) {
		union_stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

struct limit_source {
	struct query_source query;
	bool is_taken;		/* atomic */
};

struct limit_stream {
	struct batch_stream base;
	struct batch_stream *input;	/* NULL: another stream has the rows */
	uint64_t skip;
	uint64_t left;
	struct batch out;
	uint32_t *rows;
};

static void limit_stream_free(struct batch_stream *stream)
{
	struct limit_stream *self = (struct limit_stream *)stream;

	batch_stream_free(self->input);
	batch_release(&self->out);
	mem_free(self->rows);
	mem_free(self);
}

/* Rows first .. first + count - 1 of a batch. */
static int cut_batch(struct limit_stream *self, const struct batch *batch,
		     size_t first, size_t count, struct error *err)
{
	batch_reset(&self->out);
	query_batch_place(&self->out, batch);
	self->out.row_count = count;
	self->out.first_row = batch->first_row + first;
	if (batch->lines)
		self->out.lines = batch->lines + first;
	for (size_t i = 0; i < count; i++)
		self->rows[i] = (uint32_t)(first + i);
	for (size_t i = 0; i < self->out.column_count; i++) {
		int rc;

		if (!batch->columns[i].data)
			continue;
		rc = vector_gather(&self->out.columns[i], &batch->columns[i],
				   self->rows, count, NULL, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int limit_stream_next(struct batch_stream *stream, struct batch **out,
			     struct error *err)
{
	struct limit_stream *self = (struct limit_stream *)stream;

	*out = NULL;
	while (self->input && self->left) {
		struct batch *batch;
		size_t first, count;
		int rc = batch_stream_next(self->input, &batch, err);

		if (rc || !batch)
			return rc;
		if (self->skip >= batch->row_count) {
			self->skip -= batch->row_count;
			continue;
		}
		first = (size_t)self->skip;
		count = batch->row_count - first;
		self->skip = 0;
		if (count > self->left)
			count = (size_t)self->left;
		self->left -= count;
		*out = batch;
		if (count == batch->row_count)
			return 0;
		*out = NULL;
		rc = cut_batch(self, batch, first, count, err);
		if (!rc)
			*out = &self->out;
		return rc;
	}
	return 0;
}

static int limit_stream_new(struct batch_source *source,
			    struct batch_stream **out, struct error *err)
{
	struct limit_source *self = (struct limit_source *)source;
	struct limit_stream *stream = mem_zalloc(sizeof(*stream));
	struct batch_source *input = self->query.inputs[0];
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "LIMIT");
	stream->base.next = limit_stream_next;
	stream->base.free = limit_stream_free;
	stream->skip = self->query.node->offset;
	stream->left = self->query.node->limit;
	stream->rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	rc = batch_init(&stream->out, self->query.node->schema, err);
	if (!rc && !stream->rows)
		rc = error_set(err, ERROR_NO_MEMORY, "LIMIT");
	if (!rc && !__atomic_exchange_n(&self->is_taken, true,
					__ATOMIC_RELAXED))
		rc = input->stream_new(input, &stream->input, err);
	if (rc) {
		limit_stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static size_t limit_parallelism(const struct batch_source *source)
{
	(void)source;
	return 1;
}

static void set_source_free(struct batch_source *source)
{
	query_source_release((struct query_source *)source);
	mem_free(source);
}

int union_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source **inputs, size_t input_count,
		     struct error *err)
{
	struct query_source *self = mem_zalloc(sizeof(*self));
	struct batch_source **list;
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "UNION ALL");
	rc = query_source_init(self, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	list = mem_realloc_array(self->inputs, input_count + 1,
				 sizeof(*list));
	if (!list) {
		query_source_release(self);
		mem_free(self);
		return error_set(err, ERROR_NO_MEMORY, "UNION ALL");
	}
	self->base.stream_new = union_stream_new;
	self->base.free = set_source_free;
	memcpy(list, inputs, input_count * sizeof(*list));
	self->inputs = list;
	self->input_count = input_count;
	*out = &self->base;
	return 0;
}

int limit_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source *input, struct error *err)
{
	struct limit_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "LIMIT");
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	self->query.base.stream_new = limit_stream_new;
	self->query.base.parallelism = limit_parallelism;
	self->query.base.free = set_source_free;
	self->query.inputs[0] = input;
	self->query.input_count = 1;
	*out = &self->query.base;
	return 0;
}
