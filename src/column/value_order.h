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

/* Eight bytes as a number that is ordered as they are. */
static inline uint64_t order_head(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static inline int order_bytes(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = 0;

	if (length >= 8) {
		uint64_t head_a = order_head(a.data);
		uint64_t head_b = order_head(b.data);

		if (head_a != head_b)
			return head_a < head_b ? -1 : 1;
	}
	if (length)
		order = memcmp(a.data, b.data, length);
	return order ? order : (a.length > b.length) - (a.length < b.length);
}
#endif
