/*
 * check_utf8.c - well-formed text against the arithmetic of RFC 3629
 *
 * The judge below decodes by the bit patterns of the RFC and then looks at
 * the number: shortest form, no surrogate, at most U+10FFFF. The code under
 * test never computes the number, it compares bytes with ranges.
 */
#include "unit/check_main.h"

#include <string.h>
#include "codec/codec.h"

/* Length of the character at p, 0 if it is not well formed. */
static size_t judge(const uint8_t *p, size_t left, uint32_t *code_point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = 0;

	while (bytes < 8 && p[0] >> (7 - bytes) & 1)
		bytes++;
	if (bytes == 0) {
		*code_point = p[0];
		return 1;
	}
	if (bytes == 1 || bytes > 4 || bytes > left)
		return 0;
	*code_point = p[0] & (0xffu >> (bytes + 1));
	for (size_t i = 1; i < bytes; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code_point = *code_point * 64 + p[i] % 64;
	}
	if (*code_point < smallest[bytes] || *code_point > 0x10ffff ||
	    *code_point / 0x800 == 0x1b)
		return 0;
	return bytes;
}

static size_t judge_prefix(const uint8_t *p, size_t length)
{
	size_t i = 0, step;
	uint32_t code_point;

	while (i < length) {
		step = judge(p + i, length - i, &code_point);
		if (!step)
			break;
		i += step;
	}
	return i;
}

/*
 * With ASCII around it a piece is as valid as it is alone. It stands across
 * the middle of the text, at one of several places in a vector block.
 */
static void expect_judged_inside(const uint8_t *p, size_t length, bool valid)
{
	static uint8_t around[64];
	size_t at = 28 + (size_t)(p[0] + p[length - 1]) % 5;

	memset(around, 'x', sizeof(around));
	memcpy(around + at, p, length);
	if (utf8_is_valid(around, sizeof(around)) != valid)
		ck_abort_msg("%02x .. %02x of %zu at %zu", p[0],
			     p[length - 1], length, at);
}

/* Both functions agree with the judge. */
static void expect_judged(const uint8_t *p, size_t length)
{
	size_t prefix = judge_prefix(p, length);

	if (utf8_valid_prefix(p, length) != prefix ||
	    utf8_is_valid(p, length) != (prefix == length))
		ck_abort_msg("%02x %02x %02x %02x of %zu: %zu, not %zu",
			     p[0], length > 1 ? p[1] : 0,
			     length > 2 ? p[2] : 0, length > 3 ? p[3] : 0,
			     length, utf8_valid_prefix(p, length), prefix);
	if (length <= 4)
		expect_judged_inside(p, length, prefix == length);
}

START_TEST(every_text_of_up_to_three_bytes_is_judged_rightly)
{
	uint8_t p[3];

	p[0] = (uint8_t)_i;
	expect_judged(p, 1);
	for (int b = 0; b < 256; b++) {
		p[1] = (uint8_t)b;
		expect_judged(p, 2);
		for (int c = 0; c < 256; c++) {
			p[2] = (uint8_t)c;
			expect_judged(p, 3);
		}
	}
}
END_TEST

START_TEST(four_bytes_are_judged_rightly_at_every_edge)
{
	static const uint8_t edges[] = {
		0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff,
	};
	uint8_t p[4];

	p[0] = (uint8_t)_i;
	for (int b = 0; b < 256; b++)
		for (size_t c = 0; c < ARRAY_COUNT(edges); c++)
			for (size_t d = 0; d < ARRAY_COUNT(edges); d++) {
				p[1] = (uint8_t)b;
				p[2] = edges[c];
				p[3] = edges[d];
				expect_judged(p, 4);
			}
}
END_TEST

/* A good or bad piece at each place of a text that spans vector blocks. */
START_TEST(a_piece_is_judged_rightly_wherever_it_stands)
{
	static const char *const pieces[] = {
		"\xc3\xa4", "\xea\xb0\x80", "\xf0\x9f\x98\x80", "\x80",
		"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xed\x9f\xbf",
		"\xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xf0\x8f\xbf\xbf",
		"\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\xe2\x82", "\xc3",
		"\xf0\x9f\x98", "\xef\xbf\xbf", "\xc2\x80\x80",
	};
	uint8_t p[80];
	size_t bytes;

	for (size_t k = 0; k < ARRAY_COUNT(pieces); k++) {
		bytes = strlen(pieces[k]);
		for (size_t at = 0; at + bytes <= sizeof(p); at++)
			for (size_t end = at + bytes; end <= sizeof(p);
			     end += 9) {
				memset(p, 'x', sizeof(p));
				memcpy(p + at, pieces[k], bytes);
				expect_judged(p, end);
				if (at >= 3)
					memcpy(p + at - 3, "\xea\xb0\x81", 3);
				expect_judged(p, end);
			}
	}
}
END_TEST

START_TEST(long_random_texts_are_judged_rightly)
{
	uint32_t state = 12345 + (uint32_t)_i;
	uint8_t p[400];
	size_t length = 0;

	while (length + 4 <= sizeof(p)) {
		state = state * 1664525 + 1013904223;
		length += utf8_encode((state >> 8) % 0x1100 *
				      (1 + (state >> 4) % 200), p + length);
	}
	expect_judged(p, length);
	for (size_t i = 0; i < length; i++) {
		state = state * 1664525 + 1013904223;
		p[i] ^= (uint8_t)(1u << (state >> 29));
		expect_judged(p, length);
		p[i] ^= (uint8_t)(1u << (state >> 29));
	}
}
END_TEST

START_TEST(every_code_point_survives_encoding_and_decoding)
{
	uint32_t judged = 0;
	uint8_t p[4];
	size_t bytes, used;

	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		bytes = utf8_encode(c, p);
		if (judge(p, bytes, &judged) != bytes || judged != c ||
		    utf8_decode(p, bytes, &used) != c || used != bytes)
			ck_abort_msg("U+%04X", (unsigned)c);
	}
	ck_assert_uint_eq(utf8_encode(0xd800, p), 3);
	ck_assert_mem_eq(p, "\xef\xbf\xbd", 3);
	ck_assert_uint_eq(utf8_encode(0x110000, p), 3);
	ck_assert_mem_eq(p, "\xef\xbf\xbd", 3);
}
END_TEST

START_TEST(a_malformed_byte_decodes_to_the_replacement_character)
{
	size_t used;

	ck_assert_uint_eq(utf8_decode((const uint8_t *)"\x80", 1, &used),
			  0xfffd);
	ck_assert_uint_eq(used, 1);
	ck_assert_uint_eq(utf8_decode((const uint8_t *)"\xea\xb0", 2, &used),
			  0xfffd);
	ck_assert_uint_eq(used, 1);
}
END_TEST

START_TEST(characters_are_counted_and_cut_whole)
{
	static const char text[] = "a\xc3\xa4\xea\xb0\x80\xf0\x9f\x98\x80z";
	static const size_t ends[] = { 0, 1, 3, 6, 10, 11, 11, 11 };

	ck_assert_uint_eq(utf8_length(text, 11), 5);
	ck_assert_uint_eq(utf8_length("", 0), 0);
	for (size_t count = 0; count < ARRAY_COUNT(ends); count++)
		ck_assert_uint_eq(utf8_prefix_bytes(text, 11, count),
				  ends[count]);
}
END_TEST

START_TEST(characters_of_long_texts_are_counted)
{
	uint32_t state = 5, code_point;
	uint8_t p[300];
	size_t length = 0, count, step;

	while (length + 4 <= sizeof(p)) {
		state = state * 1664525 + 1013904223;
		length += utf8_encode(state >> (12 + state % 20), p + length);
	}
	for (size_t end = 0; end <= length; end++) {
		count = 0;
		for (size_t i = 0; i < end; i += step, count++)
			step = judge(p + i, length - i, &code_point);
		ck_assert_uint_eq(utf8_length(p, end), count);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("utf8");
	TCase *tc = tcase_create("utf8");

	tcase_add_loop_test(tc,
		every_text_of_up_to_three_bytes_is_judged_rightly, 0, 256);
	tcase_add_loop_test(tc, four_bytes_are_judged_rightly_at_every_edge,
			    0xe0, 256);
	tcase_add_test(tc, a_piece_is_judged_rightly_wherever_it_stands);
	tcase_add_loop_test(tc, long_random_texts_are_judged_rightly, 0, 20);
	tcase_add_test(tc, every_code_point_survives_encoding_and_decoding);
	tcase_add_test(tc,
		a_malformed_byte_decodes_to_the_replacement_character);
	tcase_add_test(tc, characters_are_counted_and_cut_whole);
	tcase_add_test(tc, characters_of_long_texts_are_counted);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
