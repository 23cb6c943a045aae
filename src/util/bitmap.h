#ifndef UTIL_BITMAP_H
#define UTIL_BITMAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/error.h"

/* Bits in 64-bit words, bit i in word i / 64. Bits past the count are free. */
#define BITMAP_WORDS(bit_count) (((bit_count) + 63) / 64)

static inline bool bits_get(const uint64_t *words, size_t i)
{
	return (words[i >> 6] >> (i & 63)) & 1;
}

static inline void bits_set(uint64_t *words, size_t i)
{
	words[i >> 6] |= UINT64_C(1) << (i & 63);
}

static inline void bits_clear(uint64_t *words, size_t i)
{
	words[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

static inline void bits_put(uint64_t *words, size_t i, bool value)
{
	uint64_t bit = UINT64_C(1) << (i & 63);

	words[i >> 6] = (words[i >> 6] & ~bit) | (value ? bit : 0);
}

/* Number of ones among the first bit_count bits. */
size_t bits_count(const uint64_t *words, size_t bit_count);
/* Set / clear the bits first .. first + count - 1. */
void bits_set_range(uint64_t *words, size_t first, size_t count);
void bits_clear_range(uint64_t *words, size_t first, size_t count);
/* Copy count bits from src at src_first to dst at dst_first; no overlap. */
void bits_copy(uint64_t *dst, size_t dst_first, const uint64_t *src,
	       size_t src_first, size_t count);
#endif
