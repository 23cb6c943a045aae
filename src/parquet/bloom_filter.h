#ifndef PARQUET_BLOOM_FILTER_H
#define PARQUET_BLOOM_FILTER_H
#include "util/util.h"

/* Split block Bloom filter: the bits. block_count blocks of 8 words. */
struct bloom_bits {
	uint32_t *words;
	size_t block_count;
};

/* Bytes for value_count distinct values at false positive rate fpp: a power
 * of two from 32 to byte_limit. */
size_t bloom_size(size_t value_count, double fpp, size_t byte_limit);
/* hash is the XXH64 of the value's PLAIN bytes. */
void bloom_insert(const struct bloom_bits *bits, uint64_t hash);
bool bloom_test(const struct bloom_bits *bits, uint64_t hash);
/* Append BloomFilterHeader and bits as they stand in the file. */
bool bloom_serialize(const struct bloom_bits *bits, struct text *out);
#endif
