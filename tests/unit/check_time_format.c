/* Patterns: what is written is read again. */
#include "unit/check_main.h"
#include "expr/time_format.h"

static struct time_format format;
static char text[TIME_ITEM_LIMIT * TIME_ITEM_BYTES + TIME_PATTERN_BYTES];

static struct byte_view bytes(const char *pattern)
{
	return byte_view(pattern, strlen(pattern));
}

static const struct {
	enum time_style style;
	const char *pattern;
	int64_t step_us;	/* what the pattern keeps */
} patterns[] = {
	{ TIME_STYLE_MYSQL, "%Y-%m-%d %H:%i:%s.%f", 1 },
	{ TIME_STYLE_MYSQL, "%W %M %e %Y %r", US_PER_SECOND },
	{ TIME_STYLE_MYSQL, "%Y%j%T", US_PER_SECOND },
	{ TIME_STYLE_MYSQL, "%a %x %v", 0 },
	{ TIME_STYLE_JODA, "yyyyMMddHHmmssSSSSSS", 1 },
	{ TIME_STYLE_JODA, "EEEE, d MMMM yyyy 'at' h:mm:ss a", US_PER_SECOND },
	{ TIME_STYLE_JODA, "x'W'ww-e kk:mm", US_PER_SECOND * 60 },
	{ TIME_STYLE_JODA, "D/y K 'o''clock' a", US_PER_SECOND * 3600 },
};

START_TEST(what_is_written_is_read_again)
{
	enum time_style style = patterns[_i].style;
	int64_t step = patterns[_i].step_us;
	struct byte_view pattern = bytes(patterns[_i].pattern);

	ck_assert_ptr_null(time_format_compile(&format, pattern, style));
	/* 1000 .. 3000; odd steps */
	for (int64_t day = -354285; day < 376200; day += 23) {
		struct time_parts parts = { .day = day }, back;
		size_t length;

		parts.us = floor_mod(day * INT64_C(7919999999), US_PER_DAY);
		if (step)
			parts.us -= parts.us % step;
		length = time_format_write(&format, &parts, text);
		ck_assert_msg(time_format_read(&format, byte_view(text, length),
					       &back), "%.*s", (int)length,
			      text);
		ck_assert_msg(back.day == day, "%.*s", (int)length, text);
		ck_assert_int_eq(back.us, step ? parts.us : 0);
	}
}
END_TEST

START_TEST(wrong_patterns_are_refused)
{
	static const struct {
		enum time_style style;
		const char *pattern;
	} rows[] = {
		{ TIME_STYLE_MYSQL, "%" }, { TIME_STYLE_MYSQL, "%Y%" },
		{ TIME_STYLE_MYSQL, "%D" }, { TIME_STYLE_MYSQL, "%w" },
		{ TIME_STYLE_JODA, "'" }, { TIME_STYLE_JODA, "'a''" },
		{ TIME_STYLE_JODA, "G" }, { TIME_STYLE_JODA, "yyyy j" },
		{ TIME_STYLE_JODA, "yyyyyyyyyyyyyyyyyyyyyyyyyyyy" },
	};
	char many[600];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(time_format_compile(&format,
				bytes(rows[i].pattern), rows[i].style) != NULL,
			      "%s", rows[i].pattern);
	for (size_t i = 0; i < 299; i++)
		memcpy(many + 2 * i, "%d", 3);
	ck_assert_ptr_nonnull(time_format_compile(&format, bytes(many),
						  TIME_STYLE_MYSQL));
	many[2 * TIME_ITEM_LIMIT] = '\0';
	ck_assert_ptr_null(time_format_compile(&format, bytes(many),
					       TIME_STYLE_MYSQL));
	memcpy(many + 2 * TIME_ITEM_LIMIT, "%d", 3);
	ck_assert_ptr_nonnull(time_format_compile(&format, bytes(many),
						  TIME_STYLE_MYSQL));
}
END_TEST

/* The longest text that any pattern can write fits what the header says. */
START_TEST(the_room_for_a_text_suffices)
{
	struct time_parts parts = { .day = -100000000, .us = US_PER_DAY - 1,
		.zone = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaa" };
	char pattern[TIME_PATTERN_BYTES + 1];
	size_t length;

	for (size_t i = 0; i < TIME_ITEM_LIMIT / 2; i++)
		memcpy(pattern + 5 * i, "ZZZ -", 6);
	ck_assert_ptr_null(time_format_compile(&format, bytes(pattern),
					       TIME_STYLE_JODA));
	length = time_format_write(&format, &parts, text);
	ck_assert_uint_lt(length, sizeof(text));
}
END_TEST

START_TEST(weeks_are_those_of_iso)
{
	int64_t year, day;

	for (int64_t d = -800000; d < 1000000; d += 5) {
		int64_t week = week_of_year(d, &year);

		ck_assert(week_to_day(year, week, day_of_week(d), &day));
		ck_assert_int_eq(day, d);
	}
	ck_assert(week_to_day(2020, 53, 5, &day));
	ck_assert_int_eq(day, 18628);	/* 2021-01-01 */
	ck_assert(!week_to_day(2021, 53, 1, &day));
	ck_assert(!week_to_day(2021, 0, 1, &day));
	ck_assert(!week_to_day(2021, 1, 8, &day));
}
END_TEST

START_TEST(iso_texts_are_read_to_their_end)
{
	static const char *const bad[] = {
		"", "2020-", "2020-1", "2020-01-", "2020-01-1", "20200101",
		"2020-W", "2020-W54", "2020-W10-8", "2020-000", "2020-367",
		"2021-366", "2020-01-01T", "2020-01-01T24", "2020-01-01T1",
		"2020-01-01T10:60", "2020-01-01T10:00:60", "2020-01-01T10:0",
		"2020-01-01T10:00:00.", "2020-01-01T10+", "2020-01-01T10+1",
		"2020-01-01T10+19", "2020-01-01T10+01:", "2020-01-01T10Zx",
		"x", "-", "2020-01-01T10:00:00 Z", "9999999-01-01",
	};
	struct time_parts parts;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!time_read_iso(bytes(bad[i]), true, &parts),
			      "%s", bad[i]);
	ck_assert(time_read_iso(bytes("-0044-03-15T12:00:00,5-01:30"), true,
				&parts));
	ck_assert_int_eq(parts.us, 12 * 3600 * US_PER_SECOND + 500000);
	ck_assert_int_eq(parts.offset, -5400);
	ck_assert(!time_read_iso(bytes("2020-01-01T10"), false, &parts));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("time_format");
	TCase *tc = tcase_create("time_format");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, what_is_written_is_read_again, 0,
			    sizeof(patterns) / sizeof(patterns[0]));
	tcase_add_test(tc, wrong_patterns_are_refused);
	tcase_add_test(tc, the_room_for_a_text_suffices);
	tcase_add_test(tc, weeks_are_those_of_iso);
	tcase_add_test(tc, iso_texts_are_read_to_their_end);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
