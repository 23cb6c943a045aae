/*
 * utf8.c - Unicode text in bytes
 *
 * Why:    tables hold text that other engines must be able to read, so what
 *         comes in is checked once, all of it.
 * How:    16 ASCII bytes are skipped at a time; other characters are checked
 *         by their first two bytes against the ranges of the Unicode
 *         standard, table 3-7, which leave out overlong forms, surrogates
 *         and what lies above U+10FFFF.
 * Cost:   ASCII at memory speed, else about a nanosecond a character.
 * Limits: knows code points, not what a reader sees as one character.
 */
#include "codec/utf8.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define REPLACEMENT 0xfffd

/* How many bytes at p are ASCII, counted in whole blocks only. */
static size_t ascii_blocks(const uint8_t *p, size_t length)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; i + 16 <= length; i += 16)
		if (_mm_movemask_epi8(_mm_loadu_si128(
				(const __m128i *)(const void *)(p + i))))
			break;
#else
	uint64_t word;

	for (; i + 8 <= length; i += 8) {
		memcpy(&word, p + i, 8);
		if (word & UINT64_C(0x8080808080808080))
			break;
	}
#endif
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

	while (i < length) {
		if (p[i] < 0x80) {
			step = ascii_blocks(p + i, length - i);
			i += step ? step : 1;
			continue;
		}
		step = character_length(p + i, length - i);
		if (step == 0)
			return i;
		i += step;
	}
	return length;
}

bool utf8_is_valid(const void *data, size_t length)
{
	return utf8_valid_prefix(data, length) == length;
}

size_t utf8_length(const void *data, size_t length)
{
	const uint8_t *p = data;
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
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
