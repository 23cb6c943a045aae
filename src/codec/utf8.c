/*
 * utf8.c - Unicode text in bytes
 *
 * Why:    tables hold text that other engines must be able to read, so what
 *         comes in is checked once, all of it.
 * How:    characters are checked by their first two bytes against the ranges
 *         of the Unicode standard, table 3-7, which leave out overlong forms,
 *         surrogates and what lies above U+10FFFF; ASCII is skipped 16 bytes
 *         at a time. With AVX2, 32 bytes are checked at once by the method of
 *         Keiser and Lemire, "Validating UTF-8 in less than one instruction
 *         per byte" (2020): three table look-ups per pair of bytes.
 * Cost:   ASCII at memory speed, other text at some 10 GB/s with AVX2, else
 *         one or two nanoseconds a character.
 * Limits: knows code points, not what a reader sees as one character.
 */
#include "codec/utf8.h"

#include <string.h>
#include "util/cpu.h"
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define REPLACEMENT 0xfffd

#ifdef __SSE2__
/* A bit for each of the 16 bytes at p that is not ASCII. */
static inline unsigned not_ascii(const uint8_t *p)
{
	return (unsigned)_mm_movemask_epi8(_mm_loadu_si128(
			(const __m128i *)(const void *)p));
}
#endif

/* How many bytes at p are ASCII before the first that is not. */
static size_t ascii_run(const uint8_t *p, size_t length)
{
	size_t i = 0;
#ifdef __SSE2__
	unsigned others;

	for (; i + 16 <= length; i += 16) {
		others = not_ascii(p + i);
		if (others)
			return i + (size_t)__builtin_ctz(others);
	}
	if (length >= 16) {
		/* the last bytes once more, with those before them */
		others = not_ascii(p + length - 16) >> (16 - (length - i));
		return others ? i + (size_t)__builtin_ctz(others) : length;
	}
#endif
	while (i < length && p[i] < 0x80)
		i++;
	return i;
}

static inline bool is_tail(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Bytes of the well-formed character at p; 0 if it is none. left > 0. */
static inline size_t character_length(const uint8_t *p, size_t left)
{
	uint8_t first = p[0];

	if (first < 0x80)
		return 1;
	if (first < 0xe0)
		return first >= 0xc2 && left >= 2 && is_tail(p[1]) ? 2 : 0;
	if (first < 0xf0) {
		if (left < 3 || !is_tail(p[1]) || !is_tail(p[2]) ||
		    (first == 0xe0 && p[1] < 0xa0) ||
		    (first == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (first > 0xf4 || left < 4 || !is_tail(p[1]) || !is_tail(p[2]) ||
	    !is_tail(p[3]) || (first == 0xf0 && p[1] < 0x90) ||
	    (first == 0xf4 && p[1] > 0x8f))
		return 0;
	return 4;
}

size_t utf8_valid_prefix(const void *data, size_t length)
{
	const uint8_t *p = data;
	size_t i = 0, step;

	for (;;) {
		i += ascii_run(p + i, length - i);
		/* text that is not ASCII tends to stay so for a while */
		do {
			if (i == length)
				return length;
			step = character_length(p + i, length - i);
			if (step == 0)
				return i;
			i += step;
		} while (step > 1);
	}
}

#ifdef __x86_64__
/*
 * What may be wrong with two neighbouring bytes, a bit each. A mistake is one
 * that the high half of the first byte, its low half and the high half of
 * the second all allow. ENDS_EARLY: a lead byte without a tail. NO_LEAD: a
 * tail behind ASCII. TAILS: two tails, which is right only for the third and
 * fourth byte of a character and is settled by looking further back.
 */
#define ENDS_EARLY 0x01
#define NO_LEAD 0x02
#define OVERLONG_3 0x04		/* e0 80 - e0 9f */
#define ABOVE_10FFFF 0x08	/* f4 90 and up */
#define SURROGATE 0x10		/* ed a0 - ed bf */
#define OVERLONG_2 0x20		/* c0, c1 */
#define OVERLONG_4 0x40		/* f0 80 - f0 8f */
#define LEAD_F5 0x40		/* f5 80 - ff 8f share the bit */
#define TAILS 0x80
#define ANY_LOW (ENDS_EARLY | NO_LEAD | TAILS)
#define LOW_F5 (ANY_LOW | ABOVE_10FFFF | LEAD_F5)

/* One table of 16 bytes for each half of the register. */
#define TABLE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	_mm256_setr_epi8((char)(a), (char)(b), (char)(c), (char)(d), \
		(char)(e), (char)(f), (char)(g), (char)(h), (char)(i), \
		(char)(j), (char)(k), (char)(l), (char)(m), (char)(n), \
		(char)(o), (char)(p), (char)(a), (char)(b), (char)(c), \
		(char)(d), (char)(e), (char)(f), (char)(g), (char)(h), \
		(char)(i), (char)(j), (char)(k), (char)(l), (char)(m), \
		(char)(n), (char)(o), (char)(p))
#define AVX2 __attribute__((target("avx2")))

/* The bytes of v, each moved up by n, from the end of the block before. */
#define MOVED_UP(v, before, n) \
	_mm256_alignr_epi8(v, _mm256_permute2x128_si256(before, v, 0x21), \
			   16 - (n))

static inline AVX2 __m256i high_halves(__m256i v)
{
	return _mm256_and_si256(_mm256_srli_epi16(v, 4),
				_mm256_set1_epi8(15));
}

/* Nonzero bytes where 32 bytes of text, after those before, are wrong. */
static inline AVX2 __m256i mistakes(__m256i v, __m256i before)
{
	const __m256i first_high = TABLE(
		NO_LEAD, NO_LEAD, NO_LEAD, NO_LEAD,
		NO_LEAD, NO_LEAD, NO_LEAD, NO_LEAD,
		TAILS, TAILS, TAILS, TAILS,
		ENDS_EARLY | OVERLONG_2, ENDS_EARLY,
		ENDS_EARLY | OVERLONG_3 | SURROGATE,
		ENDS_EARLY | ABOVE_10FFFF | OVERLONG_4 | LEAD_F5);
	const __m256i first_low = TABLE(
		ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
		ANY_LOW | OVERLONG_2, ANY_LOW, ANY_LOW,
		ANY_LOW | ABOVE_10FFFF, LOW_F5, LOW_F5, LOW_F5,
		LOW_F5, LOW_F5, LOW_F5, LOW_F5,
		LOW_F5, LOW_F5 | SURROGATE, LOW_F5, LOW_F5);
	const __m256i second_high = TABLE(
		ENDS_EARLY, ENDS_EARLY, ENDS_EARLY, ENDS_EARLY,
		ENDS_EARLY, ENDS_EARLY, ENDS_EARLY, ENDS_EARLY,
		NO_LEAD | TAILS | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
		NO_LEAD | TAILS | OVERLONG_2 | OVERLONG_3 | ABOVE_10FFFF,
		NO_LEAD | TAILS | OVERLONG_2 | SURROGATE | ABOVE_10FFFF,
		NO_LEAD | TAILS | OVERLONG_2 | SURROGATE | ABOVE_10FFFF,
		ENDS_EARLY, ENDS_EARLY, ENDS_EARLY, ENDS_EARLY);
	__m256i one = MOVED_UP(v, before, 1);
	__m256i pairs, third, fourth;

	pairs = _mm256_and_si256(
		_mm256_shuffle_epi8(first_high, high_halves(one)),
		_mm256_shuffle_epi8(first_low,
			_mm256_and_si256(one, _mm256_set1_epi8(15))));
	pairs = _mm256_and_si256(pairs,
		_mm256_shuffle_epi8(second_high, high_halves(v)));
	/* the top bit is left where e0 and up, f0 and up came before */
	third = _mm256_subs_epu8(MOVED_UP(v, before, 2),
				 _mm256_set1_epi8(0xe0 - 0x80));
	fourth = _mm256_subs_epu8(MOVED_UP(v, before, 3),
				  _mm256_set1_epi8(0xf0 - 0x80));
	third = _mm256_and_si256(_mm256_or_si256(third, fourth),
				 _mm256_set1_epi8((char)TAILS));
	return _mm256_xor_si256(pairs, third);
}

/* Nonzero bytes if a character is open at the end of the block. */
static inline AVX2 __m256i open_at_end(__m256i v)
{
	const __m256i most = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, (char)0xef, (char)0xdf, (char)0xbf);

	return _mm256_subs_epu8(v, most);
}

static AVX2 bool is_valid_avx2(const uint8_t *p, size_t length)
{
	uint8_t last[32] = { 0 };
	__m256i before = _mm256_setzero_si256();
	__m256i wrong = before, v;
	size_t i = 0;

	for (; i + 32 <= length; i += 32) {
		v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
		if (_mm256_movemask_epi8(v))
			wrong = _mm256_or_si256(wrong, mistakes(v, before));
		else
			wrong = _mm256_or_si256(wrong, open_at_end(before));
		before = v;
		if (i % 4096 == 0 && !_mm256_testz_si256(wrong, wrong))
			return false;
	}
	/* zeroes behind the text show a character that is not complete */
	if (i < length)
		memcpy(last, p + i, length - i);
	v = _mm256_loadu_si256((const __m256i *)(const void *)last);
	wrong = _mm256_or_si256(wrong, mistakes(v, before));
	return _mm256_testz_si256(wrong, wrong);
}
#endif

bool utf8_is_valid(const void *data, size_t length)
{
#ifdef __x86_64__
	if (length >= 32 && cpu_has_avx2())
		return is_valid_avx2(data, length);
#endif
	return utf8_valid_prefix(data, length) == length;
}

size_t utf8_length(const void *data, size_t length)
{
	const uint8_t *p = data;
	size_t count = 0, i = 0;
#ifdef __SSE2__
	const __m128i last_tail = _mm_set1_epi8((char)0xbf);
	__m128i v;

	/* as signed numbers all but tails are greater than the last tail */
	for (; i + 16 <= length; i += 16) {
		v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		count += (size_t)__builtin_popcount((unsigned)
			_mm_movemask_epi8(_mm_cmpgt_epi8(v, last_tail)));
	}
#endif
	for (; i < length; i++)
		count += !is_tail(p[i]);
	return count;
}

size_t utf8_prefix_bytes(const void *data, size_t length, size_t count)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < length; i++) {
		if (is_tail(p[i]))
			continue;
		if (count-- == 0)
			return i;
	}
	return length;
}

uint32_t utf8_decode(const uint8_t *data, size_t length, size_t *used)
{
	static const uint8_t first_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t bytes = character_length(data, length);
	uint32_t code_point;

	if (bytes == 0) {
		*used = 1;
		return REPLACEMENT;
	}
	code_point = data[0] & first_mask[bytes];
	for (size_t i = 1; i < bytes; i++)
		code_point = code_point << 6 | (data[i] & 0x3f);
	*used = bytes;
	return code_point;
}

size_t utf8_encode(uint32_t code_point, uint8_t out[4])
{
	if (code_point < 0x80) {
		out[0] = (uint8_t)code_point;
		return 1;
	}
	if (code_point < 0x800) {
		out[0] = (uint8_t)(0xc0 | code_point >> 6);
		out[1] = (uint8_t)(0x80 | (code_point & 0x3f));
		return 2;
	}
	if (code_point > 0x10ffff || (code_point >= 0xd800 &&
				      code_point <= 0xdfff))
		code_point = REPLACEMENT;
	if (code_point < 0x10000) {
		out[0] = (uint8_t)(0xe0 | code_point >> 12);
		out[1] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (code_point & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | code_point >> 18);
	out[1] = (uint8_t)(0x80 | (code_point >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (code_point >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (code_point & 0x3f));
	return 4;
}
