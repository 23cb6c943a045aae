/* check_uuid.c - random identifiers, their text, and the clocks */
#include "unit/check_main.h"

#include <string.h>
#include <time.h>

static struct error err;

static const char sample[] = "f79c3e09-677c-4bbd-a479-3f349cb785e7";

START_TEST(text_and_bytes_are_big_endian)
{
	static const uint8_t bytes[16] = {
		0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd,
		0xa4, 0x79, 0x3f, 0x34, 0x9c, 0xb7, 0x85, 0xe7,
	};
	char text[UUID_TEXT_BYTES];
	struct uuid uuid;

	ck_assert(uuid_parse(&uuid, sample, 36));
	ck_assert_mem_eq(uuid.bytes, bytes, 16);
	uuid_format(&uuid, text);
	ck_assert_str_eq(text, sample);
	ck_assert(uuid_parse(&uuid, "F79C3E09-677C-4BBD-A479-3F349CB785E7",
			     36));
	ck_assert_mem_eq(uuid.bytes, bytes, 16);
}
END_TEST

START_TEST(anything_else_is_no_uuid_and_changes_nothing)
{
	struct uuid uuid, before;
	char text[UUID_TEXT_BYTES];

	memset(&uuid, 7, sizeof(uuid));
	before = uuid;
	ck_assert(!uuid_parse(&uuid, sample, 35));
	ck_assert(!uuid_parse(&uuid, "f79c3e09677c4bbda4793f349cb785e7", 32));
	ck_assert(!uuid_parse(&uuid, "", 0));
	for (size_t i = 0; i < 36; i++) {
		memcpy(text, sample, sizeof(text));
		text[i] = text[i] == '-' ? '0' : 'g';
		ck_assert(!uuid_parse(&uuid, text, 36));
	}
	ck_assert_mem_eq(&uuid, &before, sizeof(uuid));
}
END_TEST

START_TEST(random_uuids_are_version_4_and_differ)
{
	struct uuid a, b;

	for (int i = 0; i < 100; i++) {
		ck_ok(uuid_random(&a, &err));
		ck_ok(uuid_random(&b, &err));
		ck_assert_int_eq(a.bytes[6] >> 4, 4);
		ck_assert_int_eq(a.bytes[8] >> 6, 2);
		ck_assert_mem_ne(&a, &b, sizeof(a));
	}
}
END_TEST

START_TEST(random_ids_are_positive_and_exact_as_doubles)
{
	int64_t id, last = 0, seen = 0;

	for (int i = 0; i < 1000; i++) {
		ck_ok(uuid_random_id(&id, &err));
		ck_assert_int_gt(id, 0);
		ck_assert_int_lt(id, INT64_C(1) << 53);
		ck_assert_int_ne(id, last);
		seen |= id;
		last = id;
	}
	ck_assert_int_eq(seen, (INT64_C(1) << 53) - 1);
}
END_TEST

START_TEST(the_wall_clock_counts_microseconds_since_1970)
{
	int64_t us = clock_now_us();

	ck_assert_int_le(us / 1000000 - (int64_t)time(NULL), 1);
	ck_assert_int_ge(us / 1000000 - (int64_t)time(NULL), -1);
}
END_TEST

START_TEST(the_monotonic_clock_counts_nanoseconds)
{
	struct timespec nap = { 0, 5000000 };
	uint64_t before = clock_monotonic_ns(), took;

	nanosleep(&nap, NULL);
	took = clock_monotonic_ns() - before;
	ck_assert_uint_ge(took, 5000000);
	ck_assert_uint_lt(took, UINT64_C(3000000000));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("uuid");
	TCase *tc = tcase_create("uuid");

	tcase_add_test(tc, text_and_bytes_are_big_endian);
	tcase_add_test(tc, anything_else_is_no_uuid_and_changes_nothing);
	tcase_add_test(tc, random_uuids_are_version_4_and_differ);
	tcase_add_test(tc, random_ids_are_positive_and_exact_as_doubles);
	tcase_add_test(tc, the_wall_clock_counts_microseconds_since_1970);
	tcase_add_test(tc, the_monotonic_clock_counts_nanoseconds);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
