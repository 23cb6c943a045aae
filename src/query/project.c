/*
 * project.c - expressions over the input's rows
 *
 * How:    one program per wanted output column; results are borrowed, so a
 *         column that is passed on costs nothing.
 */
#include "query/query_op.h"

struct project_stream {
	struct batch_stream base;
	struct query_source *source;
	struct batch_stream *input;
	struct expr_program **programs;	/* NULL = not wanted */
	struct batch out;
	const struct vector **columns;
};

static void project_stream_free(struct batch_stream *stream)
{
	struct project_stream *self = (struct project_stream *)stream;

	batch_stream_free(self->input);
	for (size_t i = 0; self->programs && i < self->out.column_count; i++)
		expr_program_free(self->programs[i]);
	mem_free(self->programs);
	mem_free(self->columns);
	batch_release(&self->out);
	mem_free(self);
}

static int project_stream_next(struct batch_stream *stream,
			       struct batch **out, struct error *err)
{
	struct project_stream *self = (struct project_stream *)stream;
	struct selection all;
	struct batch *batch;
	int rc;

	*out = NULL;
	rc = batch_stream_next(self->input, &batch, err);
	if (rc || !batch)
		return rc;
	batch_reset(&self->out);
	query_batch_place(&self->out, batch);
	for (size_t i = 0; i < batch->column_count; i++)
		self->columns[i] = &batch->columns[i];
	all = selection_all(batch->row_count);
	for (size_t i = 0; i < self->out.column_count; i++) {
		const struct vector *result;
		size_t failed;

		if (!self->programs[i])
			continue;
		rc = expr_program_run(self->programs[i], self->columns,
				      batch->row_count, &all, &result,
				      &failed, err);
		if (rc)
			return query_blame(batch, failed, err);
		vector_reference(&self->out.columns[i], result);
	}
	*out = &self->out;
	return 0;
}

static int project_stream_new(struct batch_source *source,
			      struct batch_stream **out, struct error *err)
{
	struct query_source *self = (struct query_source *)source;
	const struct query_node *node = self->node;
	struct project_stream *stream = mem_zalloc(sizeof(*stream));
	size_t count = node->schema->column_count;
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "project");
	stream->base.next = project_stream_next;
	stream->base.free = project_stream_free;
	stream->source = self;
	rc = batch_init(&stream->out, node->schema, err);
	stream->programs = mem_zalloc_array(count + 1,
					    sizeof(*stream->programs));
	stream->columns = mem_zalloc_array(
		node->inputs[0]->schema->column_count + 1,
		sizeof(*stream->columns));
	if (!rc && (!stream->programs || !stream->columns))
		rc = error_set(err, ERROR_NO_MEMORY, "project");
	for (size_t i = 0; !rc && i < count; i++)
		if (self->wanted[i])
			rc = expr_program_new(&stream->programs[i],
					      node->exprs[i],
					      &self->options->context, err);
	if (!rc)
		rc = self->inputs[0]->stream_new(self->inputs[0],
						 &stream->input, err);
	if (rc) {
		project_stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static void project_source_free(struct batch_source *source)
{
	query_source_release((struct query_source *)source);
	mem_free(source);
}

int project_source_new(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       const struct query_options *options,
		       struct batch_source *input, struct error *err)
{
	struct query_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "project");
	rc = query_source_init(self, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	self->base.stream_new = project_stream_new;
	self->base.free = project_source_free;
	self->inputs[0] = input;
	self->input_count = 1;
	*out = &self->base;
	return 0;
}
