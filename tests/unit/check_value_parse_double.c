#include <math.h>
#include "unit/check_main.h"
#include "unit/column_float_tables.h"

START_TEST(doubles_are_the_nearest_as_python_reads_them)
{
	for (size_t i = 0; i < ARRAY_COUNT(read_doubles); i++) {
		const char *text = read_doubles[i].text;
		double value = 99;
		uint64_t bits;

		ck_assert_msg(parse_double(text, strlen(text), &value) == 0,
			      "%s", text);
		memcpy(&bits, &value, sizeof(bits));
		ck_assert_msg(bits == read_doubles[i].bits, "%s", text);
	}
}
END_TEST

START_TEST(reals_are_rounded_once_from_the_text)
{
	for (size_t i = 0; i < ARRAY_COUNT(read_reals); i++) {
		const char *text = read_reals[i].text;
		float value = 99;
		uint32_t bits;

		ck_assert_msg(parse_real(text, strlen(text), &value) == 0,
			      "%s", text);
		memcpy(&bits, &value, sizeof(bits));
		ck_assert_msg(bits == read_reals[i].bits, "%s", text);
	}
}
END_TEST

/* Each digit is needed: a tail of a thousand zeroes and a one decides. */
START_TEST(a_digit_far_behind_a_tie_still_counts)
{
	static const char tie[] = "9007199254740993.";
	char text[1100];
	double value;

	memset(text, '0', sizeof(text));
	memcpy(text, tie, sizeof(tie) - 1);
	ck_assert_int_eq(parse_double(text, sizeof(text), &value), 0);
	ck_assert(value == 9007199254740992.0);
	text[sizeof(text) - 1] = '1';
	ck_assert_int_eq(parse_double(text, sizeof(text), &value), 0);
	ck_assert(value == 9007199254740994.0);
}
END_TEST

START_TEST(names_are_read_in_any_case_and_with_a_sign)
{
	static const char *const infinite[] = { "Infinity", "inf", "+INF",
						"infinity", "INFINITY" };
	static const char *const nan_texts[] = { "NaN", "nan", "-NaN", "NAN" };
	double value;
	float real;

	for (size_t i = 0; i < ARRAY_COUNT(infinite); i++) {
		size_t length = strlen(infinite[i]);

		ck_assert_int_eq(parse_double(infinite[i], length, &value), 0);
		ck_assert(isinf(value) && value > 0);
		ck_assert_int_eq(parse_real(infinite[i], length, &real), 0);
		ck_assert(isinf(real) && real > 0);
	}
	ck_assert_int_eq(parse_double("-Infinity", 9, &value), 0);
	ck_assert(isinf(value) && value < 0);
	for (size_t i = 0; i < ARRAY_COUNT(nan_texts); i++) {
		size_t length = strlen(nan_texts[i]);

		ck_assert_int_eq(parse_double(nan_texts[i], length, &value),
				 0);
		ck_assert(isnan(value));
		ck_assert_int_eq(parse_real(nan_texts[i], length, &real), 0);
		ck_assert(isnan(real));
	}
}
END_TEST

START_TEST(what_is_no_number_or_too_great_is_refused)
{
	static const char *const bad[] = {
		"", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", " 1", "1 ",
		"0x10", "1f", "1d", "1,5", "infinit", "infinityy", "na", "--1",
		"1e5.0", "1e 5", "1_0", "\x30\x80", "nan(1)", "1..", "..1",
	};
	double value;
	float real;

	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		ck_assert_msg(parse_double(bad[i], strlen(bad[i]), &value) ==
			      ERROR_CAST, "'%s'", bad[i]);
		ck_assert_msg(parse_real(bad[i], strlen(bad[i]), &real) ==
			      ERROR_CAST, "'%s'", bad[i]);
	}
	ck_assert_int_eq(parse_double("1.8e308", 7, &value), ERROR_OVERFLOW);
	ck_assert_int_eq(parse_double("-1e99999", 8, &value), ERROR_OVERFLOW);
	ck_assert_int_eq(parse_real("3.5e38", 6, &real), ERROR_OVERFLOW);
	ck_assert_int_eq(parse_real("1e20000000000000000000", 22, &real),
			 ERROR_OVERFLOW);
	ck_assert_int_eq(parse_real("340282357000000000000000000000000000000",
				    39, &real), ERROR_OVERFLOW);
	ck_assert_int_eq(parse_double("1.7976931348623157e308", 22, &value),
			 0);
	ck_assert_int_eq(parse_real("3.4028235e38", 12, &real), 0);
}
END_TEST

START_TEST(a_negative_zero_keeps_its_sign)
{
	double value;
	float real;

	ck_assert_int_eq(parse_double("-0.0", 4, &value), 0);
	ck_assert(value == 0 && signbit(value));
	ck_assert_int_eq(parse_double("-1e-999", 7, &value), 0);
	ck_assert(value == 0 && signbit(value));
	ck_assert_int_eq(parse_real("-0", 2, &real), 0);
	ck_assert(real == 0 && signbit(real));
	ck_assert_int_eq(parse_double("0", 1, &value), 0);
	ck_assert(!signbit(value));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("value_parse_double");
	TCase *tc = tcase_create("value_parse_double");

	tcase_add_test(tc, doubles_are_the_nearest_as_python_reads_them);
	tcase_add_test(tc, reals_are_rounded_once_from_the_text);
	tcase_add_test(tc, a_digit_far_behind_a_tie_still_counts);
	tcase_add_test(tc, names_are_read_in_any_case_and_with_a_sign);
	tcase_add_test(tc, what_is_no_number_or_too_great_is_refused);
	tcase_add_test(tc, a_negative_zero_keeps_its_sign);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
