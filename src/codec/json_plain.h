#ifndef CODEC_JSON_PLAIN_H
#define CODEC_JSON_PLAIN_H
#include "util/util.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * The run of characters in a JSON string that stand for themselves, many at a
 * time.
 */
#ifdef __SSE2__
/* First of quote, backslash and control character at or behind p, as far as
 * whole vectors go; *found false: none, and where to go on. */
static inline const char *json_plain_vectors(const char *p, const char *end,
					     bool *found)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);

	for (; end - p >= 16; p += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)p);
		__m128i hits = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
				     _mm_cmpeq_epi8(bytes, slash)),
			_mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
		int mask = _mm_movemask_epi8(hits);

		if (mask) {
			*found = true;
			return p + __builtin_ctz((unsigned)mask);
		}
	}
	*found = false;
	return p;
}

/*
 * A bit for each quote among the JSON_BLOCK characters at p. *is_plain: is
 * none of them a backslash or a control character?
 */
#define JSON_BLOCK 64
static inline uint64_t json_block_quotes(const char *p, bool *is_plain)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);
	__m128i others = _mm_setzero_si128();
	uint64_t quotes = 0;

	for (int i = 0; i < JSON_BLOCK; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(p + i));
		int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote));

		others = _mm_or_si128(others, _mm_or_si128(
			_mm_cmpeq_epi8(bytes, slash),
			_mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes)));
		quotes |= (uint64_t)(unsigned)mask << i;
	}
	*is_plain = _mm_movemask_epi8(others) == 0;
	return quotes;
}
#endif

#define JSON_ONES UINT64_C(0x0101010101010101)
#define JSON_HIGHS UINT64_C(0x8080808080808080)

/* First of quote, backslash and control character at or behind p, else end. */
static inline const char *json_plain_end(const char *p, const char *end)
{
#ifdef __SSE2__
	bool found;

	p = json_plain_vectors(p, end, &found);
	if (found)
		return p;
#endif
	while (end - p >= 8) {
		uint64_t word, quote, slash, hit;

		memcpy(&word, p, 8);
		quote = word ^ (JSON_ONES * '"');
		slash = word ^ (JSON_ONES * '\\');
		hit = ((quote - JSON_ONES) & ~quote) |
		      ((slash - JSON_ONES) & ~slash) |
		      ((word - JSON_ONES * 0x20) & ~word);
		hit &= JSON_HIGHS;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		/* the lowest hit is exact, borrows only reach upwards */
		if (hit)
			return p + (__builtin_ctzll(hit) >> 3);
#else
		if (hit)
			break;
#endif
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

#undef JSON_ONES
#undef JSON_HIGHS
#endif
