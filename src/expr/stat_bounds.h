#ifndef EXPR_STAT_BOUNDS_H
#define EXPR_STAT_BOUNDS_H
#include "expr/expr_node.h"

/*
 * What a filter says of one column, for pruning. A row can pass the filter
 * only if its value lies in [min, max] (has_min/has_max; both inclusive) and,
 * where values is set, is one of them; NULL passes only if null_matches. All
 * literals are of the column's type. REAL and DOUBLE: NaN passes only if
 * nan_matches.
 */
struct column_range {
	size_t column;
	bool has_min;
	bool has_max;
	struct literal min;
	struct literal max;
	bool null_matches;
	bool nan_matches;
	/* Ascending, distinct, not null; NULL = no list. Borrowed. */
	const struct vector *values;
	size_t value_count;
};

/*
 * The ranges that follow from a condition being TRUE: AND intersects, OR of
 * ranges of one column unites, = < <= > >= BETWEEN IN IS [NOT] NULL between a
 * bare column and constants. Whatever is not understood says nothing. Only
 * columns < column_limit are reported, each at most once; lists live in
 * arena. A condition that can never be TRUE gives *never = true.
 */
int stat_bounds(const struct expr *condition, size_t column_limit,
		struct arena *arena, struct column_range **out,
		size_t *count_out, bool *never, struct error *err);

/* Statistics of a file, row group or page for one column. */
struct column_stats {
	bool has_min;
	bool has_max;
	struct literal min;
	struct literal max;
	int64_t null_count;	/* -1 unknown */
	int64_t value_count;	/* -1 unknown; nulls included */
	bool may_have_nan;
};
/* false only when no row with these statistics can pass. */
bool column_range_may_match(const struct column_range *range,
			    const struct column_stats *stats);
/* The entries of range->values within the statistics' bounds: first index and
 * count (all of them where there are no bounds). */
void column_range_values_in(const struct column_range *range,
			    const struct column_stats *stats, size_t *first,
			    size_t *count);
#endif
