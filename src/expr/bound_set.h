#ifndef EXPR_BOUND_SET_H
#define EXPR_BOUND_SET_H
#include "expr/stat_bounds.h"

/*
 * What is known of the columns of the rows that pass: one bound per column,
 * ascending; a column that is missing may be anything. For this room only;
 * everything lives in an arena and is read-only once made.
 */
struct bound {
	size_t column;
	struct type type;
	bool has_min;
	bool has_max;
	struct literal min;
	struct literal max;
	bool null_matches;
	bool nan_matches;
	/* One of these, ascending and distinct; none at all = only NULL or
	 * NaN passes. */
	bool has_values;
	const struct literal *values;
	size_t value_count;
};

struct bound_set {
	bool never;		/* no row passes */
	bool failed;		/* out of memory */
	struct bound *bounds;
	size_t count;
};

/* Both hold. */
struct bound_set bound_set_and(struct bound_set a, struct bound_set b,
			       struct arena *arena);
/* One of the two holds. */
struct bound_set bound_set_or(struct bound_set a, struct bound_set b,
			      struct arena *arena);
/* One bound, made consistent: values within min and max and the reverse;
 * never when nothing passes. */
struct bound_set bound_set_of(struct bound bound, struct arena *arena);
#endif
