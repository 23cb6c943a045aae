#include <stdio.h>
#include "unit/check_main.h"
#include "unit/column_decimal_tables.h"

static struct error err;

#define DAY US_PER_DAY
#define MINUTE (60 * US_PER_SECOND)

START_TEST(timestamps_are_what_python_counts)
{
	struct time_zone *zone;

	ck_ok(time_zone_new(&zone, byte_view("-03:30", 6), &err));
	for (size_t i = 0; i < ARRAY_COUNT(timestamps); i++) {
		const struct timestamp_row *row = &timestamps[i];
		size_t length = strlen(row->text);
		char text[40];
		int64_t us = 99;
		int32_t days = 99;

		memcpy(text, row->text, length + 1);
		ck_assert_msg(parse_timestamp(text, length, &us) == 0, "%s",
			      text);
		ck_assert_int_eq(us, row->us);
		ck_assert_int_eq(parse_date(text, 10, &days), 0);
		ck_assert_int_eq(days, row->days);
		text[10] = 'T';
		ck_assert_int_eq(parse_timestamp(text, length, &us), 0);
		ck_assert_int_eq(us, row->us);
		memcpy(text + length, "+01:30", 7);
		ck_assert_int_eq(parse_timestamp_tz(text, length + 6, zone, &us),
				 0);
		ck_assert_int_eq(us, row->us - 90 * MINUTE);
		ck_assert_int_eq(parse_timestamp_tz(text, length, zone, &us),
				 0);
		ck_assert_int_eq(us, row->us + 210 * MINUTE);
		ck_assert_int_eq(parse_timestamp_tz(text, length, NULL, &us),
				 0);
		ck_assert_int_eq(us, row->us);
		ck_assert_int_eq(parse_timestamp(text, length + 6, &us),
				 ERROR_CAST);
		ck_assert_int_eq(parse_time(text + 11, length - 11, &us), 0);
		ck_assert_int_eq(us, floor_mod(row->us, DAY));
	}
	time_zone_free(zone);
}
END_TEST

START_TEST(a_time_without_an_offset_is_one_of_the_zone)
{
	/* Java's java.time: the first of two, later by what is skipped */
	static const struct {
		const char *local;
		const char *instant;
	} rows[] = {
		{ "2024-01-15 12:00", "2024-01-15 11:00+00" },
		{ "2024-07-15 12:00", "2024-07-15 10:00+00" },
		{ "2024-03-31 01:59:59", "2024-03-31 00:59:59Z" },
		{ "2024-03-31 02:30", "2024-03-31 01:30Z" },
		{ "2024-03-31 03:00", "2024-03-31 01:00Z" },
		{ "2024-10-27 02:30", "2024-10-27 00:30Z" },
		{ "2024-10-27 03:00", "2024-10-27 02:00Z" },
		{ "2024-07-15 12:00+00", "2024-07-15 12:00Z" },
		{ "2024-07-15 12:00 UTC", "2024-07-15 12:00Z" },
	};
	const struct type type = type_of(TYPE_TIMESTAMP_TZ);
	struct literal value;
	struct time_zone *zone;
	struct arena arena;

	arena_init(&arena, 0);
	ck_ok(time_zone_new(&zone, byte_view("Europe/Berlin", 13), &err));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *text = rows[i].local;
		int64_t wanted;

		ck_assert_int_eq(parse_timestamp_tz(rows[i].instant,
				strlen(rows[i].instant), NULL, &wanted), 0);
		ck_assert_int_eq(parse_value_in(text, strlen(text), &type,
						zone, &arena, &value), 0);
		ck_assert_msg(value.value.int64 == wanted, "%s", text);
	}
	time_zone_free(zone);
	arena_release(&arena);
}
END_TEST

START_TEST(short_and_long_forms_of_a_timestamp_are_read)
{
	static const struct {
		const char *text;
		int rc;
		int64_t us;
	} rows[] = {
		{ "1970-01-01", 0, 0 }, { "1970-01-02", 0, DAY },
		{ "1970-01-01 00:01", 0, MINUTE },
		{ "1970-01-01T00:00:01", 0, 1000000 },
		{ "1970-01-01 00:00:00.5", 0, 500000 },
		{ "1970-01-01 00:00:00.05", 0, 50000 },
		{ "1970-01-01 00:00:00.123", 0, 123000 },
		{ "1970-01-01 00:00:00.1234", 0, 123400 },
		{ "1970-01-01 00:00:00.12345", 0, 123450 },
		{ "1970-01-01 00:00:00.123456", 0, 123456 },
		{ "1970-01-01 00:00:00.1234560", 0, 123456 },
		{ "1970-01-01 00:00:00.12345600", 0, 123456 },
		{ "1970-01-01 00:00:00.123456000000", 0, 123456 },
		{ "1970-01-01 00:00:00.1234567", ERROR_CAST, 0 },
		{ "1970-01-01 00:00:00.12345601", ERROR_CAST, 0 },
		{ "1970-01-01 00:00:00.1234560000001", ERROR_CAST, 0 },
		{ "1970-01-01 00:00:00.", ERROR_CAST, 0 },
		{ "1970-01-01 00:00:00,5", ERROR_CAST, 0 },
		{ "1970-01-01 24:00:00", ERROR_CAST, 0 },
		{ "1970-01-01 23:60:00", ERROR_CAST, 0 },
		{ "1970-01-01 23:59:60", ERROR_CAST, 0 },
		{ "1970-01-01 23:59:59", 0, DAY - 1000000 },
		{ "1970-01-01 1:00:00", ERROR_CAST, 0 },
		{ "1970-01-01 01:00:0", ERROR_CAST, 0 },
		{ "1970-01-01 01:0", ERROR_CAST, 0 },
		{ "1970-01-01 01", ERROR_CAST, 0 },
		{ "1970-01-01 ", ERROR_CAST, 0 },
		{ "1970-01-01T", ERROR_CAST, 0 },
		{ "1970-01-01  01:00:00", ERROR_CAST, 0 },
		{ "1970-01-01-01:00:00", ERROR_CAST, 0 },
		{ "1970-01-01 01:00:00Z", ERROR_CAST, 0 },
		{ "1970-01-01 01:00:00 UTC", ERROR_CAST, 0 },
		{ "1970-01-01 01-00-00", ERROR_CAST, 0 },
		{ " 1970-01-01", ERROR_CAST, 0 },
		{ "", ERROR_CAST, 0 },
		{ "1970-02-29 00:00:00", ERROR_CAST, 0 },
		{ "294247-01-10 04:00:54.775807", 0, INT64_MAX },
		{ "+294247-01-10 04:00:54.775807", 0, INT64_MAX },
		{ "294247-01-10 04:00:54.775808", ERROR_OVERFLOW, 0 },
		{ "-290308-12-21 19:59:05.224192", 0, INT64_MIN },
		{ "-290308-12-21 19:59:05.224191", ERROR_OVERFLOW, 0 },
		{ "-290308-12-20", ERROR_OVERFLOW, 0 },
		{ "999999-01-01", ERROR_OVERFLOW, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t us = 99;

		ck_assert_msg(parse_timestamp(rows[i].text,
					      strlen(rows[i].text), &us) ==
			      rows[i].rc, "'%s'", rows[i].text);
		ck_assert_msg(us == rows[i].us, "'%s'", rows[i].text);
	}
}
END_TEST

START_TEST(each_spelling_of_an_offset_becomes_utc)
{
	static const struct {
		const char *text;
		int rc;
		int64_t minutes;	/* behind 12:00 as written */
	} rows[] = {
		{ "Z", 0, 0 }, { "z", 0, 0 }, { " Z", 0, 0 }, { " UTC", 0, 0 },
		{ "+00:00", 0, 0 }, { "-00:00", 0, 0 }, { "+02", 0, 120 },
		{ "+02:30", 0, 150 }, { "-0330", 0, -210 }, { " +01", 0, 60 },
		{ " -01:15", 0, -75 }, { "+18:00", 0, 1080 },
		{ "+18:01", ERROR_CAST, 0 }, { "+02:60", ERROR_CAST, 0 },
		{ "+2", ERROR_CAST, 0 }, { "+02:", ERROR_CAST, 0 },
		{ "+02:3", ERROR_CAST, 0 }, { "+023", ERROR_CAST, 0 },
		{ "+02:30:00", ERROR_CAST, 0 }, { "+", ERROR_CAST, 0 },
		{ " ", ERROR_CAST, 0 }, { "UTC", ERROR_CAST, 0 },
		{ " Europe/Paris", ERROR_CAST, 0 }, { "Z ", ERROR_CAST, 0 },
		{ "ZZ", ERROR_CAST, 0 }, { "  UTC", ERROR_CAST, 0 },
	};
	static const char *const clocks[] = { "12:00", "12:00:00",
					      "12:00:00.000",
					      "12:00:00.0000000000" };

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (size_t j = 0; j < ARRAY_COUNT(clocks); j++) {
			char text[80];
			int64_t us = 99, wanted = 0;

			snprintf(text, sizeof(text), "1970-01-01 %s%s",
				 clocks[j], rows[i].text);
			ck_assert_msg(parse_timestamp_tz(text, strlen(text),
							 NULL, &us) ==
				      rows[i].rc, "'%s'", text);
			if (!rows[i].rc)
				wanted = DAY / 2 - rows[i].minutes * MINUTE;
			ck_assert_msg(us == wanted, "'%s'", text);
		}
}
END_TEST

START_TEST(an_offset_past_the_last_instant_is_an_overflow)
{
	static const char text[] = "294247-01-10 04:00:54.775807-01:00";
	int64_t us;

	ck_assert_int_eq(parse_timestamp_tz(text, sizeof(text) - 1, NULL,
					    &us),
			 ERROR_OVERFLOW);
	ck_assert_int_eq(us, 0);
}
END_TEST

START_TEST(a_date_is_a_day_of_the_calendar)
{
	static const struct {
		const char *text;
		int rc;
		int32_t days;
	} rows[] = {
		{ "1970-01-01", 0, 0 }, { "2024-02-29", 0, 19782 },
		{ "2023-02-29", ERROR_CAST, 0 },
		{ "1900-02-29", ERROR_CAST, 0 },
		{ "2000-02-29", 0, 11016 }, { "0001-01-01", 0, -719162 },
		{ "9999-12-31", 0, 2932896 }, { "10000-01-01", 0, 2932897 },
		{ "+10000-01-01", 0, 2932897 }, { "+1970-01-01", 0, 0 },
		{ "0000-01-01", 0, -719528 }, { "-0001-12-31", 0, -719529 },
		{ "2024-00-10", ERROR_CAST, 0 },
		{ "2024-13-10", ERROR_CAST, 0 },
		{ "2024-04-31", ERROR_CAST, 0 },
		{ "2024-04-00", ERROR_CAST, 0 },
		{ "2024-1-10", ERROR_CAST, 0 }, { "2024-01-1", ERROR_CAST, 0 },
		{ "24-01-10", ERROR_CAST, 0 }, { "2024/01/10", ERROR_CAST, 0 },
		{ "20240110", ERROR_CAST, 0 }, { "", ERROR_CAST, 0 },
		{ "2024-01-10 ", ERROR_CAST, 0 },
		{ "2024-01-10T00:00:00", ERROR_CAST, 0 },
		{ "2024-01-010", ERROR_CAST, 0 }, { "-", ERROR_CAST, 0 },
		{ "294248-01-01", ERROR_OVERFLOW, 0 },
		{ "99999999999999999999-01-01", ERROR_OVERFLOW, 0 },
		{ "2024-0:-10", ERROR_CAST, 0 },
		{ "2024-01-1/", ERROR_CAST, 0 },
		{ "\xb2" "024-01-10", ERROR_CAST, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int32_t days = 99;

		ck_assert_msg(parse_date(rows[i].text, strlen(rows[i].text),
					 &days) == rows[i].rc, "'%s'",
			      rows[i].text);
		ck_assert_msg(days == rows[i].days, "'%s'", rows[i].text);
	}
}
END_TEST

START_TEST(any_changed_character_of_a_date_is_read_right_or_refused)
{
	const char good[] = "2024-06-15";

	for (size_t at = 0; at < 10; at++)
		for (int c = 1; c < 256; c++) {
			char text[11];
			int32_t days;
			int year, month, day, used = 0;
			bool right;

			memcpy(text, good, sizeof(text));
			text[at] = (char)c;
			right = strspn(text, "0123456789-") == 10 &&
				sscanf(text, "%4d-%2d-%2d%n", &year, &month,
				       &day, &used) == 3 && used == 10 &&
				text[0] != '-' && text[5] != '-' &&
				text[8] != '-' && month >= 1 &&
				month <= 12 && day >= 1 &&
				day <= (month == 2 ? 28 : 30);
			ck_assert_msg((parse_date(text, 10, &days) == 0) ==
				      right, "%s", text);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("value_parse_time");
	TCase *tc = tcase_create("value_parse_time");

	tcase_add_test(tc, timestamps_are_what_python_counts);
	tcase_add_test(tc, a_time_without_an_offset_is_one_of_the_zone);
	tcase_add_test(tc, short_and_long_forms_of_a_timestamp_are_read);
	tcase_add_test(tc, each_spelling_of_an_offset_becomes_utc);
	tcase_add_test(tc, an_offset_past_the_last_instant_is_an_overflow);
	tcase_add_test(tc, a_date_is_a_day_of_the_calendar);
	tcase_add_test(tc,
		any_changed_character_of_a_date_is_read_right_or_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
