#ifndef COLUMN_DIGIT_SCAN_H
#define COLUMN_DIGIT_SCAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "column/power_table.h"

/*
 * For this room only: decimal digits eight at a time. A word holds eight
 * characters, the first one in the lowest byte. Nothing reads past length.
 */
#define SCAN_ZEROES UINT64_C(0x3030303030303030)
#define SCAN_HIGH_BITS UINT64_C(0x8080808080808080)

static inline uint64_t scan_load8(const char *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static inline uint64_t scan_load4(const char *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap32(word);
#endif
	return word;
}

/* The last characters of a word, '0' in front; length 1..8. */
static inline uint64_t scan_load_right(const char *data, size_t length)
{
	unsigned free_bits = 8 * (8 - (unsigned)length);
	uint64_t word;

	if (length == 8)
		return scan_load8(data);
	if (length >= 4) {
		word = scan_load4(data) |
		       scan_load4(data + length - 4) << (8 * (length - 4));
	} else {
		word = (uint64_t)(uint8_t)data[0];
		word |= (uint64_t)(uint8_t)data[length / 2]
			<< (8 * (length / 2));
		word |= (uint64_t)(uint8_t)data[length - 1]
			<< (8 * (length - 1));
	}
	return word << free_bits | SCAN_ZEROES >> (8 * length);
}

/* Characters xor '0': each byte is its digit, or over 9 for anything else. */
static inline bool scan_all_digits(uint64_t digits)
{
	return (((digits + UINT64_C(0x7676767676767676)) | digits) &
		SCAN_HIGH_BITS) == 0;
}

/* Eight digits (bytes 0..9) to their number. */
static inline uint32_t scan_value8(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	digits = (((digits & UINT64_C(0x000000ff000000ff)) *
		   UINT64_C(0x000f424000000064)) +
		  (((digits >> 16) & UINT64_C(0x000000ff000000ff)) *
		   UINT64_C(0x0000271000000001))) >> 32;
	return (uint32_t)digits;
}

/* Digits only, length 0..19 (0 gives 0); false on any other character. */
static inline bool scan_digits(const char *data, size_t length,
			       uint64_t *out)
{
	uint64_t value = 0, head, word, bad;
	size_t head_length = length & 7;

	if (length == 0) {
		*out = 0;
		return true;
	}
	if (head_length == 0)
		head_length = 8;
	head = scan_load_right(data, head_length) ^ SCAN_ZEROES;
	bad = (head + UINT64_C(0x7676767676767676)) | head;
	value = scan_value8(head);
	for (size_t at = head_length; at < length; at += 8) {
		word = scan_load8(data + at) ^ SCAN_ZEROES;
		bad |= (word + UINT64_C(0x7676767676767676)) | word;
		value = value * 100000000 + scan_value8(word);
	}
	*out = value;
	return (bad & SCAN_HIGH_BITS) == 0;
}

/* The lowest byte of word that is c has its top bit set; 0 = none. */
static inline uint64_t scan_find(uint64_t word, char c)
{
	word ^= (SCAN_ZEROES / '0') * (uint8_t)c;
	return (word - SCAN_ZEROES / '0') & ~word & SCAN_HIGH_BITS;
}

/* scan_number() of up to 8 characters: the point is squeezed out. */
static inline bool scan_number8(const char *data, size_t length,
				uint64_t *digits, unsigned *fraction)
{
	uint64_t word = scan_load_right(data, length);
	uint64_t point = scan_find(word, '.');

	*fraction = 0;
	if (point) {
		/* bits up to and with the point's byte */
		uint64_t upto = point ^ (point - 1);

		*fraction = (unsigned)__builtin_clzll(point) / 8;
		if (length == 1)
			return false;
		word = (word & ~upto) | ((word & upto >> 8) << 8) | '0';
	}
	word ^= SCAN_ZEROES;
	*digits = scan_value8(word);
	return scan_all_digits(word);
}

/*
 * Digits with at most one point, up to 19 digits and nothing else: the number
 * without the point and how many digits stood behind it. False for any other
 * text.
 */
static inline bool scan_number(const char *data, size_t length,
			       uint64_t *digits, unsigned *fraction)
{
	uint64_t high, low, point;
	size_t whole;

	if (length - 1 < 8)
		return scan_number8(data, length, digits, fraction);
	if (length - 1 >= 20)
		return false;
	point = scan_find(scan_load8(data), '.');
	whole = 8;
	if (point)
		whole = (size_t)__builtin_ctzll(point) / 8;
	else
		while (whole < length && data[whole] != '.')
			whole++;
	*fraction = 0;
	if (whole == length)
		return length <= 19 && scan_digits(data, length, digits);
	*fraction = (unsigned)(length - whole - 1);
	if (!scan_digits(data, whole, &high) ||
	    !scan_digits(data + whole + 1, *fraction, &low))
		return false;
	*digits = high * power10_table[*fraction] + low;
	return true;
}

/*
 * A number as text, found to be well-formed: sign, digits with at most one
 * point among them, exponent. Its value is the digits without the point times
 * 10^exponent.
 */
struct number_text {
	const char *digits;	/* from the first digit that is not 0 */
	const char *end;	/* after the last digit that is not 0 */
	size_t digit_count;	/* between them, without the point; 0 = zero */
	int64_t exponent;	/* saturated at +-NUMBER_EXPONENT_LIMIT */
	bool negative;
	bool has_point;
	bool has_exponent;
};

/* Beyond any length of text and any precision. */
#define NUMBER_EXPONENT_LIMIT (INT64_C(1) << 52)

/* False if it is no number. */
bool number_scan(const char *data, size_t length, struct number_text *out);
/* The first count digits (<= 19 / <= 38) after *at, which moves past them. */
uint64_t number_take19(const char **at, size_t count);
#endif
