#ifndef EXPR_EXACT_SUM_H
#define EXPR_EXACT_SUM_H
#include <math.h>
#include "column/column.h"

/*
 * Sums of doubles that are exact, whatever the order of what is added, and
 * rounded once when they are read. All bytes zero: the empty sum.
 *
 *	offset	size	meaning
 *	0	16	128 bits, two's complement, low word first
 *	16	2	place; 0 = nothing yet, or wide
 *	18	1	SUM_* marks
 *	20	4	number of the wide sum, from 1; 0 = none
 *
 * A sum is its 128 bits times 2^(place + SUM_LEAST_PLACE): a window of the
 * exponents that doubles have, laid where the first value is. What does not
 * fit makes the sum wide, which holds any.
 */
struct exact_sum {
	uint64_t low;
	uint64_t high;
	uint16_t place;
	uint8_t marks;
	uint32_t wide;
};

/* Wide sums of many, in one array. */
struct exact_wide;
struct exact_pool {
	struct exact_wide *wides;
	size_t count;
	size_t capacity;
};
void exact_pool_release(struct exact_pool *pool);
/* All wide sums are gone; the memory stays. */
void exact_pool_reset(struct exact_pool *pool);
size_t exact_pool_bytes(const struct exact_pool *pool);

#define SUM_LEAST_PLACE (-4096)
#define SUM_LARGEST_SHIFT 73	/* 53 bits of a value and a sign: 127 */

/* What exact_sum_add() leaves to be done. Errors: ERROR_NO_MEMORY. */
int exact_sum_add_slowly(struct exact_sum *sum, struct exact_pool *pool,
			 double value, struct error *err);

static inline int exact_sum_add(struct exact_sum *sum,
				struct exact_pool *pool, double value,
				struct error *err)
{
	uint64_t bits;
	unsigned exponent, shift;
	int128_t part, total;

	memcpy(&bits, &value, sizeof(bits));
	exponent = bits >> 52 & 2047;
	/* a subnormal has the exponent of the least normal: the slow way */
	shift = exponent - 1075 - SUM_LEAST_PLACE - sum->place;
	if (!exponent || shift > SUM_LARGEST_SHIFT)
		return exact_sum_add_slowly(sum, pool, value, err);
	part = (int128_t)((bits & ((UINT64_C(1) << 52) - 1)) |
			  UINT64_C(1) << 52) << shift;
	total = (int128_t)((uint128_t)sum->high << 64 | sum->low);
	if (__builtin_add_overflow(total, bits >> 63 ? -part : part, &total))
		return exact_sum_add_slowly(sum, pool, value, err);
	sum->low = (uint64_t)total;
	sum->high = (uint64_t)((uint128_t)total >> 64);
	return 0;
}

/* Add another sum, of another pool or the same. Errors: ERROR_NO_MEMORY. */
int exact_sum_combine(struct exact_sum *sum, struct exact_pool *pool,
		      const struct exact_sum *from,
		      const struct exact_pool *from_pool, struct error *err);
/* The nearest double, a tie to the even one; too large: Infinity. The sum of
 * no value and of zeros is 0.0. */
double exact_sum_value(const struct exact_sum *sum,
		       const struct exact_pool *pool);
#endif
