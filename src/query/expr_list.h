#ifndef QUERY_EXPR_LIST_H
#define QUERY_EXPR_LIST_H
#include "query/query.h"

/*
 * Expressions over the same batches. For one thread. Zeroes may be released.
 */
struct expr_list {
	struct expr_program **programs;
	size_t count;
	const struct vector **results;	/* of the last run, NULL before */
	const struct vector **columns;
	size_t column_count;
};

/* NULL expressions have no result. */
int expr_list_init(struct expr_list *list, struct expr *const *exprs,
		   size_t count, size_t column_count,
		   const struct query_options *options, struct error *err);
void expr_list_release(struct expr_list *list);
/* All rows of a batch; results are aligned with it, valid until the next. */
int expr_list_run(struct expr_list *list, const struct batch *batch,
		  struct error *err);
#endif
