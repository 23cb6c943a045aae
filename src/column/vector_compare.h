#ifndef COLUMN_VECTOR_COMPARE_H
#define COLUMN_VECTOR_COMPARE_H
#include "column/vector.h"
#include "column/selection.h"

/*
 * IS NOT DISTINCT FROM of two vectors of one type, row by row:
 * for i < count: equal bit i of `equal` is cleared when a[a_index[i]] and
 * b[b_index[i]] differ (NULL equals NULL, NaN equals NaN, -0.0 equals 0.0);
 * bits that are already 0 stay 0 and are not looked at. An index array may be
 * NULL (= i).
 */
void vector_and_same(const struct vector *a, const uint32_t *a_index,
		     const struct vector *b, const uint32_t *b_index,
		     size_t count, uint64_t *equal);
/*
 * The same, but "not changed by an update": bits must be identical, so that
 * -0.0 and 0.0 differ.
 */
void vector_and_identical(const struct vector *a, const uint32_t *a_index,
			  const struct vector *b, const uint32_t *b_index,
			  size_t count, uint64_t *equal);
/* Order of a[i] against b[j] as literal_compare; both not null. */
int vector_compare_values(const struct vector *a, size_t i,
			  const struct vector *b, size_t j);
/* Smallest and greatest non-null value (literal_compare order, NaN left out);
 * both null when there is none, and for nested types. nan_count may be NULL. */
void vector_min_max(const struct vector *vector, struct literal *min,
		    struct literal *max, size_t *nan_count);
#endif
