/*
 * query_run.c - a bound query as a source of batches
 *
 * Why:    the engine pulls rows; it does not care whether a file, a table or
 *         a query gives them.
 * How:    one batch_source per node, built from the leaves; each asks its
 *         inputs only for the columns that it or its readers need, and a
 *         filter over a scan tells the scan which ranges can pass. What all
 *         readers of a shared query need is found out before.
 * Limits: plans are trees of at most QUERY_DEPTH_LIMIT nodes in depth.
 */
#include "query/plan_shape.h"
#include "query/query_op.h"

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

size_t query_source_sequential(const struct batch_source *source)
{
	(void)source;
	return 1;
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

struct query_build {
	const struct query_options *options;
	const struct query_node *first_rows;	/* a window; or NULL */
	struct plan_shape shape;
};

static int build(struct batch_source **out, const struct query_node *node,
		 const bool *wanted, struct query_build *to,
		 const struct expr *filter, size_t depth, struct error *err);

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

/* The source of an input, with the columns that node needs of it. */
static int build_input(struct batch_source **out,
		       const struct query_node *node, size_t input,
		       const bool *wanted, struct query_build *to,
		       size_t depth, struct error *err)
{
	bool *used;
	int rc = plan_input_columns(node, input, wanted, &used, err);

	*out = NULL;
	if (!rc && node->kind == QUERY_FILTER)
		rc = plan_first_rows(node, &to->first_rows, err);
	if (!rc)
		rc = build(out, node->inputs[input], used, to,
			   node->kind == QUERY_FILTER ? node->condition : NULL,
			   depth + 1, err);
	mem_free(used);
	return rc;
}

static int build_unary(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       struct query_build *to, size_t depth,
		       struct error *err)
{
	const struct query_options *options = to->options;
	bool is_first = to->first_rows == node;
	struct batch_source *input;
	int rc;

	if (is_first)
		to->first_rows = NULL;
	rc = build_input(&input, node, 0, wanted, to, depth, err);
	if (rc)
		return rc;
	if (node->kind == QUERY_PROJECT)
		rc = project_source_new(out, node, wanted, options, input,
					err);
	else if (node->kind == QUERY_FILTER)
		rc = filter_source_new(out, node, wanted, options, input, err);
	else if (node->kind == QUERY_SORT)
		rc = sort_source_new(out, node, wanted, options, input, err);
	else if (node->kind == QUERY_WINDOW)
		rc = window_source_new(out, node, wanted, options, input, err);
	else
		rc = limit_source_new(out, node, wanted, options, input, err);
	if (!rc && is_first)
		window_source_first_rows(*out);
	if (rc)
		batch_source_free(input);
	return rc;
}

/* Joins, groups and set operations: one input or two. */
static int build_groups(struct batch_source **out,
			const struct query_node *node, const bool *wanted,
			struct query_build *to, size_t depth,
			struct error *err)
{
	struct batch_source *inputs[2] = { NULL, NULL };
	int rc = 0;

	for (size_t i = 0; !rc && i < node->input_count; i++)
		rc = build_input(&inputs[i], node, i, wanted, to, depth, err);
	if (!rc && node->kind == QUERY_JOIN)
		rc = join_source_new(out, node, wanted, to->options, inputs,
				     err);
	else if (!rc)
		rc = aggregate_source_new(out, node, wanted, to->options,
					  inputs, err);
	for (size_t i = 0; rc && i < 2; i++)
		batch_source_free(inputs[i]);
	return rc;
}

static int build_shared(struct batch_source **out,
			const struct query_node *node, const bool *wanted,
			struct query_build *to, size_t depth,
			struct error *err)
{
	struct plan_shared *shared = plan_find_shared(&to->shape, node);
	struct batch_source *input;
	int rc;

	if (!shared->rows) {
		rc = build(&input, node->inputs[0], shared->wanted, to, NULL,
			   depth + 1, err);
		if (rc)
			return rc;
		rc = shared_rows_new(&shared->rows, node, shared->wanted,
				     to->options, input, err);
		if (rc) {
			batch_source_free(input);
			return rc;
		}
	}
	return shared_source_new(out, node, wanted, to->options, shared->rows,
				 err);
}

/* The inputs of a union, those of unions below it in their place. */
struct union_inputs {
	struct batch_source **sources;
	size_t count;
	size_t capacity;
	const bool *wanted;
	struct query_build *to;
};

static int collect_inputs(struct union_inputs *inputs,
			  const struct query_node *node, size_t depth,
			  struct error *err)
{
	int rc = 0;

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
			   inputs->wanted, inputs->to, NULL, depth + 1, err);
		inputs->count += rc == 0;
	}
	return rc;
}

static int build_union(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       struct query_build *to, size_t depth,
		       struct error *err)
{
	struct union_inputs inputs = { NULL, 0, 0, wanted, to };
	int rc = collect_inputs(&inputs, node, depth, err);

	if (!rc)
		rc = union_source_new(out, node, wanted, to->options,
				      inputs.sources, inputs.count, err);
	for (size_t i = 0; rc && i < inputs.count; i++)
		batch_source_free(inputs.sources[i]);
	mem_free(inputs.sources);
	return rc;
}

static int build(struct batch_source **out, const struct query_node *node,
		 const bool *wanted, struct query_build *to,
		 const struct expr *filter, size_t depth, struct error *err)
{
	*out = NULL;
	switch (node->kind) {
	case QUERY_SCAN:
		return build_scan(out, node, wanted, filter, err);
	case QUERY_VALUES:
		return values_source_new(out, node, wanted, to->options, err);
	case QUERY_UNION_ALL:
		return build_union(out, node, wanted, to, depth, err);
	case QUERY_SHARED:
		return build_shared(out, node, wanted, to, depth, err);
	case QUERY_JOIN:
	case QUERY_AGGREGATE:
	case QUERY_DISTINCT:
	case QUERY_EXCEPT:
	case QUERY_INTERSECT:
		return build_groups(out, node, wanted, to, depth, err);
	default:
		return build_unary(out, node, wanted, to, depth, err);
	}
}

/* The source of a plan whose operators have a share of the memory each. */
struct root_source {
	struct batch_source base;
	struct query_options options;
	struct batch_source *inner;
};

static const struct schema *root_schema(const struct batch_source *source)
{
	const struct root_source *self = (const struct root_source *)source;

	return self->inner->schema(self->inner);
}

static size_t root_parallelism(const struct batch_source *source)
{
	const struct root_source *self = (const struct root_source *)source;

	return self->inner->parallelism(self->inner);
}

static int root_stream_new(struct batch_source *source,
			   struct batch_stream **out, struct error *err)
{
	struct root_source *self = (struct root_source *)source;

	return self->inner->stream_new(self->inner, out, err);
}

static void root_free(struct batch_source *source)
{
	batch_source_free(((struct root_source *)source)->inner);
	mem_free(source);
}

static int build_shares(struct batch_source **out, struct query_node *root,
			const bool *wanted, struct query_build *to,
			struct error *err)
{
	struct root_source *self = mem_zalloc(sizeof(*self));
	int rc;

	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "query");
	self->base.schema = root_schema;
	self->base.parallelism = root_parallelism;
	self->base.stream_new = root_stream_new;
	self->base.free = root_free;
	self->options = *to->options;
	if (self->options.memory_bytes) {
		self->options.memory_bytes /= to->shape.keeper_count;
		self->options.memory_bytes += !self->options.memory_bytes;
	}
	to->options = &self->options;
	rc = build(&self->inner, root, wanted, to, NULL, 0, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	*out = &self->base;
	return 0;
}

int query_source_new(struct batch_source **out, struct query_node *root,
		     const bool *wanted, const struct query_options *options,
		     struct error *err)
{
	struct query_build to = { .options = options };
	int rc = plan_shape_init(&to.shape, root, wanted, err);

	*out = NULL;
	if (!rc && to.shape.keeper_count)
		rc = build_shares(out, root, wanted, &to, err);
	else if (!rc)
		rc = build(out, root, wanted, &to, NULL, 0, err);
	plan_shape_release(&to.shape);
	return rc;
}
