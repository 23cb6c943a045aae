#ifndef QUERY_PLAN_SHAPE_H
#define QUERY_PLAN_SHAPE_H
#include "query/query_op.h"

/* Plans deeper than this are refused. */
#define QUERY_DEPTH_LIMIT 500

/* A node that several may read. */
struct plan_shared {
	const struct query_node *node;
	bool *wanted;			/* by any of its readers */
	struct shared_rows *rows;	/* once it is built; held */
};

/* What is to be known of a plan before it is built. */
struct plan_shape {
	struct plan_shared *shared;
	size_t shared_count;
	size_t shared_capacity;
	size_t keeper_count;	/* operators that keep rows */
};

/* wanted: of the root; NULL = all. Errors: ERROR_UNSUPPORTED (too deep). */
int plan_shape_init(struct plan_shape *shape, const struct query_node *root,
		    const bool *wanted, struct error *err);
void plan_shape_release(struct plan_shape *shape);
struct plan_shared *plan_find_shared(const struct plan_shape *shape,
				     const struct query_node *node);
/*
 * The window below a filter, with nothing but projections between, of which
 * no row but the first of each partition can pass: what row_number() = 1
 * says. NULL = there is none, or its other rows count.
 */
int plan_first_rows(const struct query_node *filter,
		    const struct query_node **out, struct error *err);
/* Columns of an input that a node needs, for the wanted ones of its own; the
 * caller frees them. */
int plan_input_columns(const struct query_node *node, size_t input,
		       const bool *wanted, bool **out, struct error *err);
#endif
