#include <stdio.h>
#include "unit/check_main.h"
#include "unit/column_float_tables.h"

static const char *double_text(char out[VALUE_TEXT_BYTES], double value)
{
	out[format_double(out, value)] = '\0';
	return out;
}

static const char *real_text(char out[VALUE_TEXT_BYTES], float value)
{
	out[format_real(out, value)] = '\0';
	return out;
}

START_TEST(doubles_print_the_digits_that_python_prints)
{
	char out[VALUE_TEXT_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(shortest_doubles); i++) {
		double value;

		memcpy(&value, &shortest_doubles[i].bits, sizeof(value));
		ck_assert_str_eq(double_text(out, value),
				 shortest_doubles[i].text);
	}
}
END_TEST

START_TEST(reals_print_the_fewest_digits)
{
	char out[VALUE_TEXT_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(shortest_reals); i++) {
		float value;

		memcpy(&value, &shortest_reals[i].bits, sizeof(value));
		ck_assert_str_eq(real_text(out, value),
				 shortest_reals[i].text);
	}
}
END_TEST

START_TEST(values_that_are_no_number_have_names)
{
	char out[VALUE_TEXT_BYTES];

	ck_assert_str_eq(double_text(out, 0.0), "0.0");
	ck_assert_str_eq(double_text(out, -0.0), "-0.0");
	ck_assert_str_eq(double_text(out, 0.0 / 0.0), "NaN");
	ck_assert_str_eq(double_text(out, 1.0 / 0.0), "Infinity");
	ck_assert_str_eq(double_text(out, -1.0 / 0.0), "-Infinity");
	ck_assert_str_eq(real_text(out, 0.0f), "0.0");
	ck_assert_str_eq(real_text(out, -0.0f), "-0.0");
	ck_assert_str_eq(real_text(out, 0.0f / 0.0f), "NaN");
	ck_assert_str_eq(real_text(out, -1.0f / 0.0f), "-Infinity");
}
END_TEST

/* A fixed sequence of words (splitmix64). */
static uint64_t next_word(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Significant digits of a text. */
static int digit_count(const char *text)
{
	int count = 0, zeroes = 0;

	for (; *text && *text != 'E'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		if (*text != '0') {
			count += zeroes + 1;
			zeroes = 0;
		} else if (count) {
			zeroes++;
		}
	}
	return count;
}

/* The C library is the judge: what %.*e needs to come back. */
START_TEST(random_doubles_come_back_and_no_shorter_text_does)
{
	uint64_t state = 1;

	for (int i = 0; i < 30000; i++) {
		uint64_t bits = next_word(&state);
		char out[VALUE_TEXT_BYTES], shorter[64];
		double value;
		int count;

		if (i & 1)	/* of everyday size */
			bits = (bits & ~(UINT64_C(0x7ff) << 52)) |
			       (1023 - 40 + bits % 90) << 52;
		memcpy(&value, &bits, sizeof(value));
		if (value - value != 0)
			continue;
		double_text(out, value);
		ck_assert_msg(strtod(out, NULL) == value, "%s", out);
		count = digit_count(out);
		ck_assert_int_le(count, 17);
		if (count < 2)
			continue;
		snprintf(shorter, sizeof(shorter), "%.*e", count - 2, value);
		ck_assert_msg(strtod(shorter, NULL) != value, "%s and %s",
			      out, shorter);
	}
}
END_TEST

START_TEST(random_reals_come_back_and_no_shorter_text_does)
{
	uint64_t state = 2;

	for (int i = 0; i < 30000; i++) {
		uint32_t bits = (uint32_t)next_word(&state);
		char out[VALUE_TEXT_BYTES], shorter[64];
		float value;
		int count;

		memcpy(&value, &bits, sizeof(value));
		if (value - value != 0)
			continue;
		real_text(out, value);
		ck_assert_msg(strtof(out, NULL) == value, "%s", out);
		count = digit_count(out);
		ck_assert_int_le(count, 9);
		if (count < 2)
			continue;
		snprintf(shorter, sizeof(shorter), "%.*e", count - 2,
			 (double)value);
		ck_assert_msg(strtof(shorter, NULL) != value, "%s and %s",
			      out, shorter);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shortest_decimal");
	TCase *tc = tcase_create("shortest_decimal");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, doubles_print_the_digits_that_python_prints);
	tcase_add_test(tc, reals_print_the_fewest_digits);
	tcase_add_test(tc, values_that_are_no_number_have_names);
	tcase_add_test(tc, random_doubles_come_back_and_no_shorter_text_does);
	tcase_add_test(tc, random_reals_come_back_and_no_shorter_text_does);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
