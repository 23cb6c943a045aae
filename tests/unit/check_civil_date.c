#include <limits.h>
#include "unit/check_main.h"
#include "column/column.h"

/* The calendar, counted a day at a time by the rules of 1582 alone. */
static const unsigned lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
				    30, 31 };

static unsigned days_of_month(int year, unsigned month)
{
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return lengths[month - 1] + (month == 2 && leap);
}

START_TEST(each_day_of_ten_thousand_years_is_its_number_and_back)
{
	int32_t days = -719162;		/* 0001-01-01 */

	for (int year = 1; year <= 9999; year++)
		for (unsigned month = 1; month <= 12; month++)
			for (unsigned day = 1;
			     day <= days_of_month(year, month);
			     day++, days++) {
				struct civil_date date = civil_from_days(days);

				if (date.year != year || date.month != month ||
				    date.day != day || days !=
				    civil_to_days(year, month, day))
					ck_abort_msg("%d-%u-%u", year, month,
						     day);
			}
	ck_assert_int_eq(days, 2932897);	/* 10000-01-01 */
}
END_TEST

START_TEST(known_days_have_their_numbers)
{
	ck_assert_int_eq(civil_to_days(1970, 1, 1), 0);
	ck_assert_int_eq(civil_to_days(2000, 3, 1), 11017);
	ck_assert_int_eq(civil_to_days(1969, 12, 31), -1);
	ck_assert_int_eq(civil_to_days(0, 3, 1), -719468);
	/* the first and the last day that a timestamp can reach */
	ck_assert_int_eq(civil_to_days(294247, 1, 10), 106751991);
	ck_assert_int_eq(civil_to_days(-290308, 12, 21), -106751992);
}
END_TEST

START_TEST(far_eras_repeat_the_calendar_every_146097_days)
{
	for (int64_t era = -14000; era <= 14000; era += 350) {
		for (int32_t day = 0; day < 146097; day += 1461 + 7) {
			int64_t far = day + era * 146097;
			struct civil_date near = civil_from_days(day);
			struct civil_date date;

			if (far < INT32_MIN || far > INT32_MAX)
				continue;
			date = civil_from_days((int32_t)far);
			ck_assert_int_eq(date.year, near.year + 400 * era);
			ck_assert_uint_eq(date.month, near.month);
			ck_assert_uint_eq(date.day, near.day);
			ck_assert_int_eq(civil_to_days(date.year, date.month,
						       date.day), far);
		}
	}
}
END_TEST

START_TEST(only_days_of_the_calendar_are_valid)
{
	for (int year = -4; year <= 2100; year++)
		for (unsigned month = 0; month <= 14; month++)
			for (unsigned day = 0; day <= 33; day++) {
				bool valid = month >= 1 && month <= 12 &&
					day >= 1 &&
					day <= days_of_month(year, month);

				ck_assert_msg(civil_is_valid(year, month, day)
					      == valid, "%d-%u-%u", year,
					      month, day);
			}
	ck_assert(!civil_is_valid(2000, UINT_MAX, 1));
	ck_assert(!civil_is_valid(2000, 1, UINT_MAX));
}
END_TEST

START_TEST(division_goes_down_before_zero)
{
	static const int64_t values[] = { 0, 1, -1, 6, 7, 8, -6, -7, -8,
					  INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		int64_t down = floor_div(values[i], 7);
		int64_t rest = floor_mod(values[i], 7);

		ck_assert(rest >= 0 && rest < 7);
		ck_assert((int128_t)down * 7 + rest == values[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("civil_date");
	TCase *tc = tcase_create("civil_date");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc,
		       each_day_of_ten_thousand_years_is_its_number_and_back);
	tcase_add_test(tc, known_days_have_their_numbers);
	tcase_add_test(tc, far_eras_repeat_the_calendar_every_146097_days);
	tcase_add_test(tc, only_days_of_the_calendar_are_valid);
	tcase_add_test(tc, division_goes_down_before_zero);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
