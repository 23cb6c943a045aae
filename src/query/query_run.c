/*
 * query_run.c - a bound query as a source of batches
 *
 * Why:    the engine pulls rows; it does not care whether a file, a table or
 *         a query gives them.
 * How:    one batch_source per node, built from the leaves; each asks its
 *         inputs only for the columns that it or its readers need, and a
 *         filter over a scan tells the scan which ranges can pass.
 * Limits: plans are trees of at most QUERY_DEPTH_LIMIT nodes in depth.
 */
#include "query/query_op.h"

#define QUERY_DEPTH_LIMIT 500

int query_source_init(struct query_source *source,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err)
{
	size_t count = node->schema->column_count;

	source->node = node;
	source->options = options;
	source->base.schema = query_source_schema;
	source->base.parallelism = query_source_parallelism;
	source->wanted = mem_alloc_array(count + 1, sizeof(bool));
	source->inputs = mem_zalloc_array(node->input_count + 1,
					  sizeof(*source->inputs));
	if (!source->wanted || !source->inputs) {
		mem_free(source->wanted);
		mem_free(source->inputs);
		return error_set(err, ERROR_NO_MEMORY, "query");
	}
	for (size_t i = 0; i < count; i++)
		source->wanted[i] = !wanted || wanted[i];
	return 0;
}

void query_source_release(struct query_source *source)
{
	for (size_t i = 0; i < source->input_count; i++)
		batch_source_free(source->inputs[i]);
	mem_free(source->inputs);
	mem_free(source->wanted);
}

const struct schema *query_source_schema(const struct batch_source *source)
{
	return ((const struct query_source *)source)->node->schema;
}

size_t query_source_parallelism(const struct batch_source *source)
{
	const struct query_source *self = (const struct query_source *)source;
	size_t most = 1;

	for (size_t i = 0; i < self->input_count; i++) {
		size_t n = self->inputs[i]->parallelism(self->inputs[i]);

		most = n > most ? n : most;
	}
	return most;
}

int query_blame(const struct batch *batch, size_t row, struct error *err)
{
	if (row >= batch->row_count)
		return err->code;
	if (batch->origin && batch->lines)
		return error_prefix(err, "%s:%llu", batch->origin,
				    (unsigned long long)batch->lines[row]);
	return err->code;
}

void query_batch_place(struct batch *out, const struct batch *from)
{
	out->row_count = from->row_count;
	out->origin = from->origin;
	out->lines = from->lines;
	out->first_row = from->first_row;
	out->unit = from->unit;
}

static int build(struct batch_source **out, const struct query_node *node,
		 const bool *wanted, const struct query_options *options,
		 const struct expr *filter, size_t depth, struct error *err);

static int too_deep(struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED,
			 "a query nested deeper than %d", QUERY_DEPTH_LIMIT);
}

static int build_scan(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct expr *filter, struct error *err)
{
	struct column_range *ranges = NULL;
	struct arena arena;
	size_t count = 0;
	bool never = false;
	int rc = 0;

	arena_init(&arena, 0);
	if (filter)
		rc = stat_bounds(filter, node->schema->column_count, &arena,
				 &ranges, &count, &never, err);
	if (!rc)
		rc = node->relation->source_open(node->relation, wanted,
						 ranges, count, out, err);
	arena_release(&arena);
	return rc;
}

/* Columns of the input that a node needs; the caller frees them. */
static int input_columns(const struct query_node *node, const bool *wanted,
			 bool **out, struct error *err)
{
	size_t count = node->inputs[0]->schema->column_count;
	bool *used = mem_zalloc_array(count + 1, sizeof(bool));

	*out = used;
	if (!used)
		return error_set(err, ERROR_NO_MEMORY, "query");
	for (size_t i = 0; i < node->schema->column_count; i++) {
		if (wanted && !wanted[i])
			continue;
		if (node->kind == QUERY_PROJECT)
			expr_mark_columns(node->exprs[i], used);
		else
			used[i] = true;
	}
	if (node->kind == QUERY_FILTER)
		expr_mark_columns(node->condition, used);
	return 0;
}

static int build_unary(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       const struct query_options *options, size_t depth,
		       struct error *err)
{
	struct batch_source *input = NULL;
	bool *used;
	int rc = input_columns(node, wanted, &used, err);

	if (!rc)
		rc = build(&input, node->inputs[0], used, options,
			   node->kind == QUERY_FILTER ? node->condition : NULL,
			   depth + 1, err);
	mem_free(used);
	if (rc)
		return rc;
	if (node->kind == QUERY_PROJECT)
		rc = project_source_new(out, node, wanted, options, input,
					err);
	else if (node->kind == QUERY_FILTER)
		rc = filter_source_new(out, node, wanted, options, input, err);
	else
		rc = limit_source_new(out, node, wanted, options, input, err);
	if (rc)
		batch_source_free(input);
	return rc;
}

/* The inputs of a union, those of unions below it in their place. */
struct union_inputs {
	struct batch_source **sources;
	size_t count;
	size_t capacity;
	const bool *wanted;
	const struct query_options *options;
};

static int collect_inputs(struct union_inputs *inputs,
			  const struct query_node *node, size_t depth,
			  struct error *err)
{
	int rc = 0;

	if (depth > QUERY_DEPTH_LIMIT)
		return too_deep(err);
	for (size_t i = 0; !rc && i < node->input_count; i++) {
		const struct query_node *input = node->inputs[i];

		if (input->kind == QUERY_UNION_ALL) {
			rc = collect_inputs(inputs, input, depth + 1, err);
			continue;
		}
		if (!mem_grow((void **)&inputs->sources, &inputs->capacity,
			      inputs->count, sizeof(*inputs->sources)))
			return error_set(err, ERROR_NO_MEMORY, "query");
		rc = build(&inputs->sources[inputs->count], input,
			   inputs->wanted, inputs->options, NULL, depth + 1,
			   err);
		inputs->count += rc == 0;
	}
	return rc;
}

static int build_union(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       const struct query_options *options, size_t depth,
		       struct error *err)
{
	struct union_inputs inputs = { NULL, 0, 0, wanted, options };
	int rc = collect_inputs(&inputs, node, depth, err);

	if (!rc)
		rc = union_source_new(out, node, wanted, options,
				      inputs.sources, inputs.count, err);
	for (size_t i = 0; rc && i < inputs.count; i++)
		batch_source_free(inputs.sources[i]);
	mem_free(inputs.sources);
	return rc;
}

static int build(struct batch_source **out, const struct query_node *node,
		 const bool *wanted, const struct query_options *options,
		 const struct expr *filter, size_t depth, struct error *err)
{
	*out = NULL;
	if (depth > QUERY_DEPTH_LIMIT)
		return too_deep(err);
	switch (node->kind) {
	case QUERY_SCAN:
		return build_scan(out, node, wanted, filter, err);
	case QUERY_VALUES:
		return values_source_new(out, node, wanted, options, err);
	case QUERY_UNION_ALL:
		return build_union(out, node, wanted, options, depth, err);
	case QUERY_PROJECT:
	case QUERY_FILTER:
	case QUERY_LIMIT:
		return build_unary(out, node, wanted, options, depth, err);
	default:
		return error_set(err, ERROR_UNSUPPORTED, "this kind of query "
				 "is not run yet");
	}
}

int query_source_new(struct batch_source **out, struct query_node *root,
		     const bool *wanted, const struct query_options *options,
		     struct error *err)
{
	return build(out, root, wanted, options, NULL, 0, err);
}
