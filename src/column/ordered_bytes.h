#ifndef COLUMN_ORDERED_BYTES_H
#define COLUMN_ORDERED_BYTES_H
#include "util/util.h"

/*
 * Values as bytes that memcmp() orders as the values are ordered, for sort
 * keys in memory and in our spill files.
 */

/* width bytes, big-endian with the sign bit turned. */
static inline void ordered_put_whole(uint8_t *out, uint64_t value,
				     size_t width)
{
	value ^= UINT64_C(1) << (width * 8 - 1);
	for (size_t i = width; i-- > 0; value >>= 8)
		out[i] = (uint8_t)value;
}

/* Floating point of width bytes: all bits of a negative number turned, else
 * the sign. */
static inline void ordered_put_float(uint8_t *out, uint64_t bits, size_t width)
{
	uint64_t sign = UINT64_C(1) << (width * 8 - 1);

	if (bits & sign)
		bits = ~bits ^ sign;	/* the sign is turned back */
	ordered_put_whole(out, bits, width);
}

/* 16 bytes. */
static inline void ordered_put_i128(uint8_t *out, __int128 value)
{
	uint64_t low = (uint64_t)value;

	ordered_put_whole(out, (uint64_t)((unsigned __int128)value >> 64), 8);
	for (size_t i = 16; i-- > 8; low >>= 8)
		out[i] = (uint8_t)low;
}

/*
 * Bytes with 0 as 0 255 and 0 0 behind, so that a beginning comes before what
 * it is the beginning of. Returns their number: ordered_bytes_length().
 */
size_t ordered_put_bytes(uint8_t *out, struct byte_view view);
size_t ordered_bytes_length(struct byte_view view);
#endif
