/*
 * query_values.c - VALUES: rows of constant expressions
 *
 * How:    each expression is computed once, when its batch is asked for, by
 *         the one stream that has rows; further streams are empty.
 */
#include "query/query_op.h"

struct values_source {
	struct query_source query;
	bool is_taken;		/* atomic: a stream has the rows */
};

struct values_stream {
	struct batch_stream base;
	struct values_source *source;
	struct batch out;
	size_t next_row;
	bool is_empty;
};

static void values_stream_free(struct batch_stream *stream)
{
	struct values_stream *self = (struct values_stream *)stream;

	batch_release(&self->out);
	mem_free(self);
}

static int fill_row(struct values_stream *self, size_t row, struct error *err)
{
	const struct query_source *query = &self->source->query;
	const struct query_node *node = query->node;
	size_t count = self->out.column_count;

	for (size_t i = 0; i < count; i++) {
		const struct expr *expr = node->exprs[row * count + i];
		struct literal value = expr->literal;
		int rc = 0;

		if (!query->wanted[i])
			continue;
		if (expr->kind != EXPR_LITERAL)
			rc = expr_evaluate(expr, &query->options->context,
					   &self->out.heap, &value, err);
		if (!rc)
			rc = vector_append(&self->out.columns[i], &value, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int values_stream_next(struct batch_stream *stream,
			      struct batch **out, struct error *err)
{
	struct values_stream *self = (struct values_stream *)stream;
	size_t rows = self->source->query.node->row_count;
	size_t first = self->next_row;

	*out = NULL;
	if (self->is_empty || first >= rows)
		return 0;
	batch_reset(&self->out);
	while (self->next_row < rows &&
	       self->next_row - first < BATCH_ROW_COUNT) {
		int rc = fill_row(self, self->next_row, err);

		if (rc)
			return rc;
		self->next_row++;
	}
	self->out.row_count = self->next_row - first;
	self->out.first_row = first;
	*out = &self->out;
	return 0;
}

static int values_stream_new(struct batch_source *source,
			     struct batch_stream **out, struct error *err)
{
	struct values_source *self = (struct values_source *)source;
	struct values_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "VALUES");
	stream->base.next = values_stream_next;
	stream->base.free = values_stream_free;
	stream->source = self;
	rc = batch_init(&stream->out, self->query.node->schema, err);
	if (rc) {
		values_stream_free(&stream->base);
		return rc;
	}
	stream->is_empty = __atomic_exchange_n(&self->is_taken, true,
					       __ATOMIC_RELAXED);
	*out = &stream->base;
	return 0;
}

static void values_source_free(struct batch_source *source)
{
	query_source_release(&((struct values_source *)source)->query);
	mem_free(source);
}

int values_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err)
{
	struct values_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "VALUES");
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	self->query.base.stream_new = values_stream_new;
	self->query.base.free = values_source_free;
	*out = &self->query.base;
	return 0;
}
