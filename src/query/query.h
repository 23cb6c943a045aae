#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H
/*
 * query: runs a bound query as a source of batches: scan, values, filter,
 * projection, union, limit. Streams are parallel where the input is. It
 * knows no targets and changes nothing.
 */
#include "plan/plan.h"

struct query_options {
	struct expr_context context;
	size_t thread_count;
	size_t memory_bytes;
	const struct log_sink *log;
};

/*
 * Open a query. wanted (bool per output column, NULL = all) are the columns
 * that will be read; scans read no others than these need. Batches keep
 * origin, lines and first_row of a scan through filter and projection.
 * root, its relations and options live longer than the source.
 * The order of rows within a unit is the input's; QUERY_LIMIT makes the
 * source sequential.
 */
int query_source_new(struct batch_source **out, struct query_node *root,
		     const bool *wanted, const struct query_options *options,
		     struct error *err);
#endif
