#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct arena arena;

static void set_up(void)
{
	error_init(&err);
	arena_init(&arena, 0);
}

static void tear_down(void)
{
	arena_release(&arena);
}

static struct literal value_of(struct type type, const char *text)
{
	struct literal value;

	ck_assert_int_eq(parse_value(text, strlen(text), &type, &arena,
				     &value), 0);
	return value;
}

START_TEST(values_have_the_bytes_of_the_spec_and_come_back)
{
	const struct {
		struct type type;
		const char *text;
		const char *bytes;
		size_t length;
	} vectors[] = {
		{ type_of(TYPE_BOOLEAN), "true", "\1", 1 },
		{ type_of(TYPE_INTEGER), "-2", "\xfe\xff\xff\xff", 4 },
		{ type_of(TYPE_BIGINT), "258", "\2\1\0\0\0\0\0\0", 8 },
		{ type_of(TYPE_DATE), "1970-01-02", "\1\0\0\0", 4 },
		{ type_of(TYPE_TIME), "00:00:00.000003",
		  "\3\0\0\0\0\0\0\0", 8 },
		{ type_of(TYPE_REAL), "1", "\0\0\x80\x3f", 4 },
		{ type_of(TYPE_DOUBLE), "1", "\0\0\0\0\0\0\xf0\x3f", 8 },
		{ type_of(TYPE_VARCHAR), "ice", "ice", 3 },
		{ type_of(TYPE_VARBINARY), "00ff", "\0\xff", 2 },
		{ type_of(TYPE_UUID), "f79c3e09-677c-4bbd-a479-3f349cb785e7",
		  "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7"
		  "\x85\xe7", 16 },
		{ type_decimal(9, 2), "0", "\0", 1 },
		{ type_decimal(9, 0), "-1", "\xff", 1 },
		{ type_decimal(9, 0), "128", "\0\x80", 2 },
		{ type_decimal(9, 0), "-128", "\x80", 1 },
		{ type_decimal(9, 2), "14.20", "\x05\x8c", 2 },
	};
	struct literal value = value_of(vectors[_i].type, vectors[_i].text);
	struct text bytes = TEXT_INIT;
	struct literal back;

	ck_ok(single_value_encode(&value, &bytes, &err));
	ck_assert_uint_eq(bytes.length, vectors[_i].length);
	ck_assert_mem_eq(bytes.data, vectors[_i].bytes, bytes.length);
	ck_ok(single_value_decode(&vectors[_i].type,
				  byte_view(bytes.data, bytes.length), &back,
				  &err));
	ck_assert_int_eq(literal_compare(&value, &back), 0);
	text_release(&bytes);
}
END_TEST

START_TEST(bounds_from_before_a_widening_are_read)
{
	struct type bigint = type_of(TYPE_BIGINT);
	struct type real64 = type_of(TYPE_DOUBLE);
	struct type timestamp = type_of(TYPE_TIMESTAMP);
	struct type decimal = type_decimal(18, 2);
	struct literal out;

	ck_ok(single_value_decode(&bigint, byte_view("\xfe\xff\xff\xff", 4),
				  &out, &err));
	ck_assert(out.value.int64 == -2);
	ck_ok(single_value_decode(&real64, byte_view("\0\0\x80\x3f", 4), &out,
				  &err));
	ck_assert(out.value.real64 == 1.0);
	ck_ok(single_value_decode(&timestamp, byte_view("\1\0\0\0", 4), &out,
				  &err));
	ck_assert(out.value.int64 == INT64_C(86400000000));
	ck_ok(single_value_decode(&decimal, byte_view("\0\0\0\x7b", 4), &out,
				  &err));
	ck_assert(out.value.decimal == 123);
}
END_TEST

START_TEST(bytes_that_do_not_fit_are_corrupt)
{
	struct type fixed = type_of(TYPE_FIXED);
	const struct {
		struct type type;
		const char *bytes;
		size_t length;
	} bad[] = {
		{ type_of(TYPE_BOOLEAN), "", 0 },
		{ type_of(TYPE_INTEGER), "abc", 3 },
		{ type_of(TYPE_INTEGER), "abcdefgh", 8 },
		{ type_of(TYPE_BIGINT), "abcde", 5 },
		{ type_of(TYPE_TIMESTAMP_TZ), "abcd", 4 },
		{ type_of(TYPE_UUID), "abcd", 4 },
		{ type_of(TYPE_VARCHAR), "\xff", 1 },
		{ type_decimal(2, 0), "\x7f\xff", 2 },
		{ type_decimal(9, 0), "", 0 },
		{ type_decimal(9, 0), "12345678901234567", 17 },
		{ type_of(TYPE_ROW), "a", 1 },
		{ type_of(TYPE_FIXED), "abc", 3 },
	};
	struct literal out;

	fixed.length = 4;
	ck_assert_int_eq(single_value_decode(_i == 11 ? &fixed : &bad[_i].type,
					     byte_view(bad[_i].bytes,
						       bad[_i].length),
					     &out, &err), ERROR_CORRUPT);
	ck_assert(out.is_null);
}
END_TEST

START_TEST(truncated_bounds_stay_bounds)
{
	const struct {
		const char *text;
		size_t width;
		const char *lower;
		const char *upper;	/* NULL = none */
	} vectors[] = {
		{ "abc", 3, "abc", "abc" },
		{ "abcd", 3, "abc", "abd" },
		{ "ab\x7fz", 3, "ab\x7f", "ab\xc2\x80" },
		{ "a\xed\x9f\xbfz", 2, "a\xed\x9f\xbf", "a\xee\x80\x80" },
		{ "a\xf4\x8f\xbf\xbfz", 2, "a\xf4\x8f\xbf\xbf", "b" },
		{ "\xf4\x8f\xbf\xbfz", 1, "\xf4\x8f\xbf\xbf", NULL },
		{ "\xef\xbf\xbfz", 1, "\xef\xbf\xbf", "\xf0\x90\x80\x80" },
	};
	struct literal value = value_of(type_of(TYPE_VARCHAR),
					vectors[_i].text);
	const char *upper = vectors[_i].upper;
	struct literal out;
	bool valid;

	ck_ok(bound_truncate(&value, false, vectors[_i].width, &arena, &out,
			     &valid, &err));
	ck_assert(valid);
	ck_assert(byte_view_equal(out.value.bytes,
				  byte_view(vectors[_i].lower,
					    strlen(vectors[_i].lower))));
	ck_ok(bound_truncate(&value, true, vectors[_i].width, &arena, &out,
			     &valid, &err));
	ck_assert_int_eq(valid, upper != NULL);
	if (upper) {
		ck_assert(byte_view_equal(out.value.bytes,
					  byte_view(upper, strlen(upper))));
		ck_assert_int_le(literal_compare(&value, &out), 0);
	}
}
END_TEST

START_TEST(binary_upper_bounds_carry_and_may_not_exist)
{
	struct literal value = value_of(type_of(TYPE_VARBINARY), "01ffff02");
	struct literal all = value_of(type_of(TYPE_VARBINARY), "ffffff");
	struct literal out;
	bool valid;

	ck_ok(bound_truncate(&value, true, 3, &arena, &out, &valid, &err));
	ck_assert(valid);
	ck_assert(byte_view_equal(out.value.bytes, byte_view("\2", 1)));
	ck_ok(bound_truncate(&all, true, 2, &arena, &out, &valid, &err));
	ck_assert(!valid);
	ck_assert(out.is_null);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single_value");
	TCase *tc = tcase_create("single_value");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, values_have_the_bytes_of_the_spec_and_come_back,
			    0, 15);
	tcase_add_test(tc, bounds_from_before_a_widening_are_read);
	tcase_add_loop_test(tc, bytes_that_do_not_fit_are_corrupt, 0, 12);
	tcase_add_loop_test(tc, truncated_bounds_stay_bounds, 0, 7);
	tcase_add_test(tc, binary_upper_bounds_carry_and_may_not_exist);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
