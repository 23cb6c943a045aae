/*
 * hash.c - the three hashes of the program
 *
 * Why:    XXH64 and murmur3 are prescribed by file formats; XXH3 is the
 *         fastest for hash tables in memory.
 * How:    xxHash compiled into this file; murmur3_x86_32 as published: four
 *         bytes a round, little-endian, the tail of up to three bytes last.
 * Cost:   murmur3 takes about a nanosecond per four bytes.
 * Limits: none of them resists an attacker.
 */
#include "util/hash.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_xxh64(const void *data, size_t length, uint64_t seed)
{
	return XXH64(data, length, seed);
}

uint64_t hash_fast(const void *data, size_t length)
{
	return XXH3_64bits(data, length);
}

static uint32_t rotate_left(uint32_t x, int count)
{
	return (x << count) | (x >> (32 - count));
}

static uint32_t scramble(uint32_t k)
{
	return rotate_left(k * UINT32_C(0xcc9e2d51), 15) *
	       UINT32_C(0x1b873593);
}

uint32_t hash_murmur3(const void *data, size_t length)
{
	const uint8_t *p = data;
	uint32_t h = 0, k;

	for (size_t i = 0; i < length / 4; i++, p += 4) {
		k = (uint32_t)p[0] | (uint32_t)p[1] << 8 |
		    (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		h = rotate_left(h ^ scramble(k), 13) * 5 +
		    UINT32_C(0xe6546b64);
	}
	k = 0;
	for (size_t i = length % 4; i > 0; i--)
		k = k << 8 | p[i - 1];
	h ^= scramble(k);
	h ^= (uint32_t)length;
	h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
	h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
	return h ^ h >> 16;
}
