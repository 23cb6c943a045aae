/* Time zones against the C library's, and damaged files. */
#include "unit/check_main.h"
#include "column/column.h"
#include <stdio.h>
#include <time.h>

static struct error err;
static struct time_zone *zone;

static void setup(void)
{
	error_init(&err);
	zone = NULL;
}

static void teardown(void)
{
	time_zone_free(zone);
}

static struct byte_view name_of(const char *name)
{
	return byte_view(name, strlen(name));
}

static const char *const names[] = {
	"Europe/Berlin", "America/New_York", "America/Sao_Paulo",
	"Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia",
	"Europe/Dublin", "Africa/Casablanca", "America/Scoresbysund",
	"Antarctica/Troll", "Asia/Gaza", "America/Nuuk", "UTC",
	"Pacific/Chatham", "Africa/Monrovia", "Etc/GMT+5",
};

/* Every five days and some from 1900 to 2200, and around each change. */
START_TEST(offsets_are_those_of_the_c_library)
{
	const char *name = names[_i];
	int32_t last = 0;

	ck_ok(time_zone_new(&zone, name_of(name), &err));
	ck_assert_str_eq(time_zone_name(zone), name);
	setenv("TZ", name, 1);
	tzset();
	for (int64_t t = INT64_C(-2208988800); t < INT64_C(7258118400);
	     t += 434567) {
		int64_t low = t - 434567, high = t;
		time_t at = (time_t)t;
		struct tm tm;

		ck_assert_ptr_nonnull(localtime_r(&at, &tm));
		ck_assert_msg(time_zone_offset(zone, t) == tm.tm_gmtoff,
			      "%s at %lld: %d, not %ld", name, (long long)t,
			      (int)time_zone_offset(zone, t), tm.tm_gmtoff);
		if (tm.tm_gmtoff == last) {
			continue;
		}
		last = (int32_t)tm.tm_gmtoff;
		while (high - low > 1) {	/* the second of the change */
			int64_t middle = low + (high - low) / 2;

			at = (time_t)middle;
			localtime_r(&at, &tm);
			ck_assert_int_eq(time_zone_offset(zone, middle),
					 tm.tm_gmtoff);
			if (tm.tm_gmtoff == last)
				high = middle;
			else
				low = middle;
		}
	}
}
END_TEST

/* Local to instant and back gives the same, but for skipped times. */
START_TEST(local_times_are_found_again)
{
	ck_ok(time_zone_new(&zone, name_of(names[_i]), &err));
	for (int64_t t = 0; t < INT64_C(4102444800); t += 12345) {
		int64_t local = t + time_zone_offset(zone, t);
		int64_t back = local - time_zone_local_offset(zone, local);

		/* the earlier of two */
		ck_assert_int_le(back, t);
		ck_assert_int_eq(back + time_zone_offset(zone, back), local);
	}
}
END_TEST

START_TEST(names_that_are_none_are_refused)
{
	static const char *const bad[] = {
		"", "Berlin", "Europe", "Europe/", "/etc/passwd", "..",
		"../zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin",
		"tzdata.zi", "zone.tab", "+1", "+25:00", "+14:01", "+01:60",
		"+1:00", "+0100x", "01:00", "Europe/Berlin ",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int rc = time_zone_new(&zone, name_of(bad[i]), &err);

		ck_assert_msg(rc == ERROR_BAD_ARGUMENT, "%s: %d", bad[i], rc);
		ck_assert_ptr_null(zone);
	}
	ck_assert_int_eq(time_zone_new(&zone, byte_view("UTC\0x", 5), &err),
			 ERROR_BAD_ARGUMENT);
}
END_TEST

START_TEST(fixed_offsets_need_no_file)
{
	static const struct {
		const char *name;
		int32_t offset;
	} rows[] = {
		{ "UTC", 0 }, { "Z", 0 }, { "GMT", 0 }, { "+01", 3600 },
		{ "-05:30", -19800 }, { "+0545", 20700 }, { "+14:00", 50400 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_ok(time_zone_new(&zone, name_of(rows[i].name), &err));
		ck_assert_int_eq(time_zone_offset(zone, 0), rows[i].offset);
		ck_assert_int_eq(time_zone_local_offset(zone, INT32_MAX),
				 rows[i].offset);
		time_zone_free(zone);
		zone = NULL;
	}
}
END_TEST

static size_t load_berlin(uint8_t *data, size_t limit)
{
	FILE *file = fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
	size_t length;

	ck_assert_ptr_nonnull(file);
	length = fread(data, 1, limit, file);
	fclose(file);
	return length;
}

/* Cut anywhere it is refused; with any byte changed it is refused or gives
 * some offsets, but never reads past its end. */
START_TEST(damaged_files_do_no_harm)
{
	static uint8_t data[8192];
	size_t length = load_berlin(data, sizeof(data));

	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *copy = mem_alloc(cut + 1);

		memcpy(copy, data, cut);
		ck_assert_int_eq(time_zone_from_file(&zone,
				 byte_view(copy, cut), &err), ERROR_CORRUPT);
		ck_assert_ptr_null(zone);
		mem_free(copy);
	}
	for (size_t i = 0; i < length; i++) {
		uint8_t *copy = mem_alloc(length);

		memcpy(copy, data, length);
		copy[i] ^= (uint8_t)(1u << i % 8);
		if (!time_zone_from_file(&zone, byte_view(copy, length),
					 &err)) {
			for (int64_t t = -9000000000000; t < 9000000000000;
			     t += 300000000000)
				time_zone_local_offset(zone, t);
			time_zone_free(zone);
			zone = NULL;
		}
		mem_free(copy);
	}
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	int rc = ERROR_NO_MEMORY;

	for (long n = 0; rc; n++) {
		ck_assert_int_lt(n, 20);
		mem_fail_at(n);
		rc = time_zone_new(&zone, name_of("Europe/Berlin"), &err);
		mem_fail_at(-1);
		ck_assert(!rc == !!zone);
		ck_assert(!rc || rc == ERROR_NO_MEMORY);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("time_zone");
	TCase *tc = tcase_create("time_zone");
	const int count = sizeof(names) / sizeof(names[0]);

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, offsets_are_those_of_the_c_library, 0, count);
	tcase_add_loop_test(tc, local_times_are_found_again, 0, count);
	tcase_add_test(tc, names_that_are_none_are_refused);
	tcase_add_test(tc, fixed_offsets_need_no_file);
	tcase_add_test(tc, damaged_files_do_no_harm);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
