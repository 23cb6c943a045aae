/*
 * scan_filter.c - rows of the input for which a condition is TRUE
 *
 * How:    the batch itself where all rows pass; else its columns, origin and
 *         lines gathered into a batch of our own. Bytes are shared. Rows of
 *         an input without a name and lines take their numbers along as
 *         lines, since they do not follow one another any more.
 */
#include "query/query_op.h"

struct filter_stream {
	struct batch_stream base;
	struct query_source *source;
	struct batch_stream *input;
	struct expr_program *condition;
	struct selection_buffer passed;
	struct batch out;
	uint64_t *lines;
	const struct vector **columns;
};

static void filter_stream_free(struct batch_stream *stream)
{
	struct filter_stream *self = (struct filter_stream *)stream;

	batch_stream_free(self->input);
	expr_program_free(self->condition);
	selection_buffer_release(&self->passed);
	batch_release(&self->out);
	mem_free(self->lines);
	mem_free(self->columns);
	mem_free(self);
}

/* The passed rows of a batch, densely. */
static int gather_batch(struct filter_stream *self, const struct batch *from,
			struct error *err)
{
	struct batch *out = &self->out;
	size_t count = self->passed.count;

	batch_reset(out);
	query_batch_place(out, from);
	out->row_count = count;
	out->lines = NULL;
	if (from->lines || !from->origin) {
		for (size_t i = 0; i < count; i++) {
			size_t row = self->passed.rows[i];

			self->lines[i] = from->lines ? from->lines[row]
						     : from->first_row + row;
		}
		out->lines = self->lines;
	}
	for (size_t i = 0; i < out->column_count; i++) {
		int rc;

		if (!self->source->wanted[i])
			continue;
		rc = vector_gather(&out->columns[i], &from->columns[i],
				   self->passed.rows, count, NULL, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int filter_stream_next(struct batch_stream *stream,
			      struct batch **out, struct error *err)
{
	struct filter_stream *self = (struct filter_stream *)stream;

	for (;;) {
		struct selection all;
		struct batch *batch;
		size_t failed;
		int rc;

		*out = NULL;
		rc = batch_stream_next(self->input, &batch, err);
		if (rc || !batch)
			return rc;
		for (size_t i = 0; i < batch->column_count; i++)
			self->columns[i] = &batch->columns[i];
		all = selection_all(batch->row_count);
		rc = expr_program_filter(self->condition, self->columns,
					 batch->row_count, &all, &self->passed,
					 NULL, &failed, err);
		if (rc)
			return query_blame(batch, failed, err);
		if (self->passed.count == 0)
			continue;
		*out = batch;
		if (self->passed.count == batch->row_count)
			return 0;
		*out = &self->out;
		rc = gather_batch(self, batch, err);
		if (rc)
			*out = NULL;
		return rc;
	}
}

static int filter_stream_new(struct batch_source *source,
			     struct batch_stream **out, struct error *err)
{
	struct query_source *self = (struct query_source *)source;
	struct filter_stream *stream = mem_zalloc(sizeof(*stream));
	size_t count = self->node->schema->column_count;
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "filter");
	stream->base.next = filter_stream_next;
	stream->base.free = filter_stream_free;
	stream->source = self;
	stream->lines = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	stream->columns = mem_zalloc_array(count + 1,
					   sizeof(*stream->columns));
	rc = batch_init(&stream->out, self->node->schema, err);
	if (!rc && (!stream->lines || !stream->columns))
		rc = error_set(err, ERROR_NO_MEMORY, "filter");
	if (!rc)
		rc = selection_buffer_init(&stream->passed, BATCH_ROW_COUNT,
					   err);
	if (!rc)
		rc = expr_program_new(&stream->condition,
				      self->node->condition,
				      &self->options->context, err);
	if (!rc)
		rc = self->inputs[0]->stream_new(self->inputs[0],
						 &stream->input, err);
	if (rc) {
		filter_stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static void filter_source_free(struct batch_source *source)
{
	query_source_release((struct query_source *)source);
	mem_free(source);
}

int filter_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options,
		      struct batch_source *input, struct error *err)
{
	struct query_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "filter");
	rc = query_source_init(self, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	self->base.stream_new = filter_stream_new;
	self->base.free = filter_source_free;
	self->inputs[0] = input;
	self->input_count = 1;
	*out = &self->base;
	return 0;
}
