/*
 * stat_match.c - can a file, row group or page hold rows that pass?
 *
 * Why:    the other half of pruning: ranges against statistics.
 * How:    NULL, NaN and values are asked one after the other; a yes to any is
 *         a yes. Statistics of another type or with a NaN as bound say
 *         nothing.
 * Cost:   two comparisons, a binary search for lists.
 */
#include "expr/stat_bounds.h"

static bool is_usable(const struct literal *bound, const struct type *type)
{
	if (bound->is_null || !type_equal(&bound->type, type))
		return false;
	if (type->id == TYPE_REAL)
		return bound->value.real == bound->value.real;
	if (type->id == TYPE_DOUBLE)
		return bound->value.real64 == bound->value.real64;
	return true;
}

static const struct literal *lower(const struct column_stats *stats,
				   const struct type *type)
{
	return stats->has_min && is_usable(&stats->min, type) ? &stats->min
							      : NULL;
}

static const struct literal *upper(const struct column_stats *stats,
				   const struct type *type)
{
	return stats->has_max && is_usable(&stats->max, type) ? &stats->max
							      : NULL;
}

/* First index of a list whose value is not below (or, after, is above)
 * bound. */
static size_t list_position(const struct vector *values, size_t count,
			    const struct literal *bound, bool after)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct literal value = vector_get(values, middle);
		int order = literal_compare(&value, bound);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void column_range_values_in(const struct column_range *range,
			    const struct column_stats *stats, size_t *first,
			    size_t *count)
{
	const struct literal *min, *max;
	size_t end = range->value_count;

	*first = 0;
	*count = range->values ? end : 0;
	if (!*count)
		return;
	min = lower(stats, &range->values->type);
	max = upper(stats, &range->values->type);
	if (min)
		*first = list_position(range->values, end, min, false);
	if (max)
		end = list_position(range->values, end, max, true);
	*count = end > *first ? end - *first : 0;
}

bool column_range_may_match(const struct column_range *range,
			    const struct column_stats *stats)
{
	const struct literal *bound;
	size_t first, count;

	if (stats->value_count == 0)
		return false;
	if (range->null_matches && stats->null_count != 0)
		return true;
	if (range->nan_matches && stats->may_have_nan)
		return true;
	if (stats->value_count > 0 &&
	    stats->null_count == stats->value_count)
		return false;
	if (range->values) {
		column_range_values_in(range, stats, &first, &count);
		return count > 0;
	}
	bound = range->has_max ? lower(stats, &range->max.type) : NULL;
	if (bound && literal_compare(bound, &range->max) > 0)
		return false;
	bound = range->has_min ? upper(stats, &range->min.type) : NULL;
	return !(bound && literal_compare(bound, &range->min) < 0);
}
