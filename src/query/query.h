#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H
/*
 * query: runs a bound query as a source of batches: scan, values, filter,
 * projection, joins, groups, windows, sorting, set operations, limit. Streams
 * are parallel where the input is. It knows no targets and changes nothing.
 */
#include "plan/plan.h"

struct query_options {
	struct expr_context context;
	size_t thread_count;
	size_t memory_bytes;	/* of all operators that keep rows; 0 = any */
	const char *spill_directory;	/* past it; NULL = /tmp */
	const struct log_sink *log;
};

/*
 * Open a query. wanted (bool per output column, NULL = all) are the columns
 * that will be read; scans read no others than these need. Batches keep
 * origin, lines and first_row of a scan through filter and projection.
 * root, its relations and options live longer than the source.
 * The order of rows within a unit is the input's; QUERY_LIMIT and what sorts
 * make the source sequential. The rows are the same for any number of
 * threads; those of QUERY_SORT and of windows also come in the same order.
 * Past memory_bytes, which operators that keep rows share, these go to disk.
 */
int query_source_new(struct batch_source **out, struct query_node *root,
		     const bool *wanted, const struct query_options *options,
		     struct error *err);
/* Does it join, group, sort or the like: is memory_bytes of any use to it? */
bool query_keeps_rows(const struct query_node *root);
#endif
