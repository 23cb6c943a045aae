#ifndef QUERY_QUERY_OP_H
#define QUERY_QUERY_OP_H
#include "query/query.h"

/*
 * The inside of the room: every node of a plan becomes a batch_source over
 * the sources of its inputs. Each constructor takes the inputs on success.
 */
struct query_source {
	struct batch_source base;
	const struct query_node *node;
	const struct query_options *options;
	bool *wanted;			/* per output column */
	struct batch_source **inputs;
	size_t input_count;
};

int query_source_init(struct query_source *source,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err);
void query_source_release(struct query_source *source);
const struct schema *query_source_schema(const struct batch_source *source);
/* The parallelism of the first input / of the widest one. */
size_t query_source_parallelism(const struct batch_source *source);

int filter_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options,
		      struct batch_source *input, struct error *err);
int project_source_new(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       const struct query_options *options,
		       struct batch_source *input, struct error *err);
int values_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err);
int union_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source **inputs, size_t input_count,
		     struct error *err);
int limit_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source *input, struct error *err);

/* Say which row of a batch a failure is about. Returns err->code. */
int query_blame(const struct batch *batch, size_t row, struct error *err);
/* Where a batch comes from: copied from one to the other, rows unchanged. */
void query_batch_place(struct batch *out, const struct batch *from);
#endif
