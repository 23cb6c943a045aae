#include "unit/check_main.h"
#include "unit/column_decimal_tables.h"

static const int128_t int128_max = (int128_t)(~(uint128_t)0 >> 1);

START_TEST(quotients_are_exact_and_round_a_half_away_from_zero)
{
	for (size_t i = 0; i < ARRAY_COUNT(quotients); i++) {
		const struct quotient_row *row = &quotients[i];
		int128_t out = 0;

		ck_assert_msg(decimal_div(wide_of(row->a), row->a_scale,
					  wide_of(row->b), row->b_scale,
					  row->scale, &out) == row->fits,
			      "%s / %s", row->a, row->b);
		ck_assert_msg(!row->fits || out == wide_of(row->quotient),
			      "%s / %s", row->a, row->b);
	}
}
END_TEST

START_TEST(the_rest_of_a_division_has_the_sign_of_the_dividend)
{
	for (size_t i = 0; i < ARRAY_COUNT(quotients); i++) {
		const struct quotient_row *row = &quotients[i];
		int128_t out = 0;

		ck_assert(decimal_mod(wide_of(row->a), row->a_scale,
				      wide_of(row->b), row->b_scale, &out));
		ck_assert_msg(out == wide_of(row->rest), "%s %% %s", row->a,
			      row->b);
	}
}
END_TEST

START_TEST(halves_of_small_quotients_go_away_from_zero)
{
	int128_t out;

	ck_assert(decimal_div(1, 0, 2, 0, 0, &out) && out == 1);
	ck_assert(decimal_div(-1, 0, 2, 0, 0, &out) && out == -1);
	ck_assert(decimal_div(1, 0, -3, 0, 0, &out) && out == 0);
	ck_assert(decimal_div(5, 0, -3, 0, 0, &out) && out == -2);
	ck_assert(decimal_div(1, 0, 3, 0, 5, &out) && out == 33333);
	ck_assert(decimal_div(2, 0, 3, 0, 5, &out) && out == 66667);
	ck_assert(!decimal_div(decimal_power10(37), 0, 1, 1, 0, &out));
}
END_TEST

START_TEST(a_scale_is_changed_by_rounding_a_half_away_from_zero)
{
	static const struct {
		int64_t value, result;
		unsigned from, to;
	} rows[] = {
		{ 15, 2, 1, 0 }, { -15, -2, 1, 0 }, { 14, 1, 1, 0 },
		{ -14, -1, 1, 0 }, { 149, 1, 2, 0 }, { 150, 2, 2, 0 },
		{ 5, 1, 1, 0 }, { 4, 0, 1, 0 }, { 7, 700, 0, 2 },
		{ -7, -700, 0, 2 }, { 12345, 12345, 3, 3 },
		{ INT64_MAX, 1, 19, 0 }, { INT64_MIN, -1, 19, 0 },
		{ INT64_MAX, 9, 18, 0 }, { INT64_MIN, -9, 18, 0 },
		{ INT64_MAX, 0, 20, 0 },
	};
	int128_t out, most = decimal_power10(38) - 1;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		ck_assert(decimal_rescale(rows[i].value, rows[i].from,
					  rows[i].to, &out));
		ck_assert_msg(out == rows[i].result, "row %zu", i);
	}
	ck_assert(decimal_rescale(most, 38, 0, &out) && out == 1);
	ck_assert(decimal_rescale(-most, 38, 0, &out) && out == -1);
	ck_assert(decimal_rescale(most / 2, 38, 0, &out) && out == 0);
	ck_assert(!decimal_rescale(most, 0, 1, &out));
	ck_assert(!decimal_rescale(decimal_power10(20), 0, 18, &out));
	ck_assert(decimal_rescale(decimal_power10(20) - 1, 0, 18, &out));
}
END_TEST

START_TEST(arithmetic_that_leaves_128_bits_is_refused)
{
	int128_t out;

	ck_assert(decimal_add(int128_max, 0, &out) && out == int128_max);
	ck_assert(!decimal_add(int128_max, 1, &out));
	ck_assert(!decimal_sub(-int128_max - 1, 1, &out));
	ck_assert(decimal_sub(3, 5, &out) && out == -2);
	ck_assert(!decimal_mul(int128_max, 2, &out));
	ck_assert(decimal_mul(decimal_power10(19), -decimal_power10(19),
			      &out) && out == -decimal_power10(38));
}
END_TEST

START_TEST(precision_bounds_the_number_of_digits)
{
	int128_t power = 1;

	for (unsigned n = 0; n <= 38; n++) {
		ck_assert(decimal_power10(n) == power);
		ck_assert(decimal_fits(power - 1, n));
		ck_assert(decimal_fits(1 - power, n));
		ck_assert(!decimal_fits(power, n));
		ck_assert(!decimal_fits(-power, n));
		if (n < 38)
			power *= 10;
	}
	ck_assert(!decimal_fits(-int128_max - 1, 38));
}
END_TEST

START_TEST(a_decimal_becomes_the_nearest_double)
{
	for (size_t i = 0; i < ARRAY_COUNT(decimals_as_doubles); i++) {
		const struct decimal_double_row *row = &decimals_as_doubles[i];
		double value = decimal_to_double(wide_of(row->unscaled),
						 row->scale);
		uint64_t bits;

		memcpy(&bits, &value, sizeof(bits));
		ck_assert_msg(bits == row->bits, "%s, scale %u",
			      row->unscaled, row->scale);
	}
}
END_TEST

START_TEST(a_double_becomes_a_decimal_by_its_shortest_text)
{
	int128_t out;

	for (size_t i = 0; i < ARRAY_COUNT(doubles_as_decimals); i++) {
		const struct double_decimal_row *row = &doubles_as_decimals[i];
		double value;

		memcpy(&value, &row->bits, sizeof(value));
		ck_assert_msg(decimal_from_double(value, row->precision,
						  row->scale, &out) ==
			      row->fits, "%.17g", value);
		ck_assert_msg(!row->fits || out == wide_of(row->unscaled),
			      "%.17g", value);
	}
	/* 1.005 is under 1.005 in binary, its text is not */
	ck_assert(decimal_from_double(1.005, 5, 2, &out) && out == 101);
	ck_assert(!decimal_from_double(1.0 / 0.0, 38, 0, &out));
	ck_assert(!decimal_from_double(0.0 / 0.0, 38, 0, &out));
}
END_TEST

START_TEST(bytes_are_the_fewest_that_keep_the_sign)
{
	static const struct {
		int64_t value;
		size_t length;
		uint8_t bytes[9];
	} rows[] = {
		{ 0, 1, { 0 } }, { -1, 1, { 0xff } }, { 127, 1, { 0x7f } },
		{ 128, 2, { 0, 0x80 } }, { -128, 1, { 0x80 } },
		{ -129, 2, { 0xff, 0x7f } }, { 14200, 2, { 0x37, 0x78 } },
		{ INT64_MIN, 8, { 0x80 } },
	};
	uint8_t out[16];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		ck_assert_uint_eq(decimal_to_bytes(rows[i].value, out),
				  rows[i].length);
		ck_assert_mem_eq(out, rows[i].bytes, rows[i].length);
		ck_assert(decimal_from_bytes(out, rows[i].length) ==
			  rows[i].value);
	}
	ck_assert_uint_eq(decimal_to_bytes(int128_max, out), 16);
	ck_assert(decimal_from_bytes(out, 16) == int128_max);
	ck_assert_uint_eq(decimal_to_bytes(-int128_max - 1, out), 16);
	ck_assert(decimal_from_bytes(out, 16) == -int128_max - 1);
	ck_assert(decimal_from_bytes(out, 0) == 0);
}
END_TEST

START_TEST(each_length_of_bytes_reads_back)
{
	uint8_t out[16];

	for (unsigned bit = 0; bit < 127; bit++) {
		int128_t power = (int128_t)1 << bit;
		const int128_t values[] = { power, power - 1, -power,
					    -power - 1 };

		for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
			size_t length = decimal_to_bytes(values[i], out);
			/* bits without the sign, and one for it */
			size_t bits = values[i] == power ? bit + 2
				    : values[i] == -power - 1 ? bit + 2
				    : bit + 1;

			ck_assert_uint_eq(length, (bits + 7) / 8);
			ck_assert(decimal_from_bytes(out, length) ==
				  values[i]);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decimal128");
	TCase *tc = tcase_create("decimal128");

	tcase_add_test(tc, quotients_are_exact_and_round_a_half_away_from_zero);
	tcase_add_test(tc, the_rest_of_a_division_has_the_sign_of_the_dividend);
	tcase_add_test(tc, halves_of_small_quotients_go_away_from_zero);
	tcase_add_test(tc, a_scale_is_changed_by_rounding_a_half_away_from_zero);
	tcase_add_test(tc, arithmetic_that_leaves_128_bits_is_refused);
	tcase_add_test(tc, precision_bounds_the_number_of_digits);
	tcase_add_test(tc, a_decimal_becomes_the_nearest_double);
	tcase_add_test(tc, a_double_becomes_a_decimal_by_its_shortest_text);
	tcase_add_test(tc, bytes_are_the_fewest_that_keep_the_sign);
	tcase_add_test(tc, each_length_of_bytes_reads_back);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
