#ifndef COLUMN_VALUE_ORDER_H
#define COLUMN_VALUE_ORDER_H
#include "column/type.h"

/*
 * The order of two values, for this room only: <0, 0, >0. Bytes as unsigned,
 * -0.0 equals 0.0, NaN equals NaN and is the greatest.
 */
static inline int order_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static inline int order_i128(int128_t a, int128_t b)
{
	return (a > b) - (a < b);
}

static inline int order_f64(double a, double b)
{
	if (a != a || b != b)
		return (a != a) - (b != b);
	return (a > b) - (a < b);
}

static inline int order_bytes(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = length ? memcmp(a.data, b.data, length) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}
#endif
