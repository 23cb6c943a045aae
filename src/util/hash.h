#ifndef UTIL_HASH_H
#define UTIL_HASH_H
#include <stddef.h>
#include <stdint.h>

/* XXH64 of data (Parquet Bloom filters use seed 0), by the xxHash library. */
uint64_t hash_xxh64(const void *data, size_t length, uint64_t seed);
/* XXH3 64 bit: fastest, for hash tables only, never on disk. */
uint64_t hash_fast(const void *data, size_t length);
/* murmur3_x86_32 with seed 0: Iceberg's bucket transform (spec Appendix B). */
uint32_t hash_murmur3(const void *data, size_t length);

/* A good mixer of one word, for hash tables. */
static inline uint64_t hash_word(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

static inline uint64_t hash_combine(uint64_t seed, uint64_t hash)
{
	return hash_word(seed * UINT64_C(0x9e3779b97f4a7c15) + hash);
}
#endif
