/*
 * bitmap.c - bits in 64-bit words
 *
 * Why:    validity of columns, selections and row marks are all bit sets.
 * How:    whole words where possible, masks at the two ends. A copy whose
 *         ends differ in phase joins two source words per target word.
 * Cost:   a word operation per 64 bits.
 * Limits: sizes are known at birth; a bitmap never grows.
 */
#include "util/bitmap.h"

#include <string.h>
#include "util/mem.h"

#define ALL_ONES UINT64_MAX

/* Ones in the low count bits; count < 64. */
static uint64_t low_mask(size_t count)
{
	return (UINT64_C(1) << count) - 1;
}

size_t bits_count(const uint64_t *words, size_t bit_count)
{
	size_t whole = bit_count / 64;
	size_t ones = 0;

	for (size_t i = 0; i < whole; i++)
		ones += (size_t)__builtin_popcountll(words[i]);
	if (bit_count % 64)
		ones += (size_t)__builtin_popcountll(words[whole] &
						     low_mask(bit_count % 64));
	return ones;
}

/* Make the bits first .. first + count - 1 all equal to the bits of value. */
static void fill_range(uint64_t *words, size_t first, size_t count,
		       uint64_t value)
{
	size_t word = first / 64, last, end = first + count;
	uint64_t head = ALL_ONES << (first % 64);
	uint64_t tail;

	if (count == 0)
		return;
	last = (end - 1) / 64;
	tail = ALL_ONES >> (63 - (end - 1) % 64);
	if (word == last) {
		head &= tail;
		words[word] = (words[word] & ~head) | (value & head);
		return;
	}
	words[word] = (words[word] & ~head) | (value & head);
	for (word++; word < last; word++)
		words[word] = value;
	words[last] = (words[last] & ~tail) | (value & tail);
}

void bits_set_range(uint64_t *words, size_t first, size_t count)
{
	fill_range(words, first, count, ALL_ONES);
}

void bits_clear_range(uint64_t *words, size_t first, size_t count)
{
	fill_range(words, first, count, 0);
}

/* count (1 .. 64) bits of words at first; no word past the last is read. */
static uint64_t read_bits(const uint64_t *words, size_t first, size_t count)
{
	size_t shift = first % 64;
	uint64_t bits = words[first / 64] >> shift;

	if (shift + count > 64)
		bits |= words[first / 64 + 1] << (64 - shift);
	return count < 64 ? bits & low_mask(count) : bits;
}

void bits_copy(uint64_t *dst, size_t dst_first, const uint64_t *src,
	       size_t src_first, size_t count)
{
	size_t phase = dst_first % 64;
	size_t step;
	uint64_t mask;

	if (phase && count) {
		step = count < 64 - phase ? count : 64 - phase;
		mask = low_mask(step) << phase;
		dst[dst_first / 64] = (dst[dst_first / 64] & ~mask) |
			(read_bits(src, src_first, step) << phase);
		dst_first += step;
		src_first += step;
		count -= step;
	}
	if (src_first % 64 == 0) {
		step = count / 64;
		if (step)
			memcpy(dst + dst_first / 64, src + src_first / 64,
			       step * sizeof(*dst));
		dst_first += step * 64;
		src_first += step * 64;
		count -= step * 64;
	}
	for (; count >= 64; count -= 64) {
		dst[dst_first / 64] = read_bits(src, src_first, 64);
		dst_first += 64;
		src_first += 64;
	}
	if (count) {
		mask = low_mask(count);
		dst[dst_first / 64] = (dst[dst_first / 64] & ~mask) |
			read_bits(src, src_first, count);
	}
}
