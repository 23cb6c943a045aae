#ifndef SOURCE_BYTE_COPY_H
#define SOURCE_BYTE_COPY_H
#include "util/util.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define BYTE_COPY_SSE2 1
#include <emmintrin.h>
#else
#define BYTE_COPY_SSE2 0
#endif

/*
 * Copy text and say whether a byte in it needs quoting or escaping, in one
 * pass: what was just stored is not loaded again, which would stall. The
 * special bytes are constants where this is inlined. Nothing is read or
 * written past the text.
 */
struct special_bytes {
	uint8_t bytes[4];
	uint8_t below;		/* and all less than this; 0 = none */
};

#if BYTE_COPY_SSE2
static inline __attribute__((always_inline)) __m128i
special_in(__m128i v, const struct special_bytes *special)
{
	__m128i hit = _mm_setzero_si128();

	for (unsigned i = 0; i < 4; i++)
		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v,
				_mm_set1_epi8((char)special->bytes[i])));
	/* v < below, unsigned: v <= below - 1 */
	if (special->below)
		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_min_epu8(v,
				_mm_set1_epi8((char)(special->below - 1)))));
	return hit;
}

/* Fewer than 16 bytes in a register, some twice, and to their new place. */
static inline __m128i copy_short(char *to, const uint8_t *from, size_t length)
{
	if (length >= 8) {
		__m128i a = _mm_loadl_epi64((const __m128i *)from);
		__m128i b = _mm_loadl_epi64((const __m128i *)(from + length -
							      8));

		_mm_storel_epi64((__m128i *)to, a);
		_mm_storel_epi64((__m128i *)(to + length - 8), b);
		return _mm_unpacklo_epi64(a, b);
	}
	if (length >= 4) {
		uint32_t a, b;

		memcpy(&a, from, 4);
		memcpy(&b, from + length - 4, 4);
		memcpy(to, &a, 4);
		memcpy(to + length - 4, &b, 4);
		return _mm_set_epi32((int)a, (int)b, (int)a, (int)b);
	}
	to[0] = (char)from[0];
	to[length / 2] = (char)from[length / 2];
	to[length - 1] = (char)from[length - 1];
	return _mm_set1_epi32((int)((uint32_t)from[0] * 0x01000001u |
				    (uint32_t)from[length / 2] << 8 |
				    (uint32_t)from[length - 1] << 16));
}

static inline __attribute__((always_inline)) bool
copy_finding(char *to, const uint8_t *from, size_t length,
	     const struct special_bytes *special)
{
	__m128i hit = _mm_setzero_si128();

	if (length == 0)
		return false;
	if (length < 16)
		return _mm_movemask_epi8(special_in(copy_short(to, from,
				length), special)) != 0;
	for (size_t i = 0;; i += 16) {
		__m128i v;

		if (i + 16 > length)
			i = length - 16;
		v = _mm_loadu_si128((const __m128i *)(from + i));
		_mm_storeu_si128((__m128i *)(to + i), v);
		hit = _mm_or_si128(hit, special_in(v, special));
		if (i + 16 == length)
			break;
	}
	return _mm_movemask_epi8(hit) != 0;
}
#else
static inline bool copy_finding(char *to, const uint8_t *from, size_t length,
				const struct special_bytes *special)
{
	unsigned hit = 0;

	for (size_t i = 0; i < length; i++) {
		uint8_t c = from[i];

		to[i] = (char)c;
		hit |= c == special->bytes[0] || c == special->bytes[1] ||
		       c == special->bytes[2] || c == special->bytes[3] ||
		       c < special->below;
	}
	return hit != 0;
}
#endif
#endif
