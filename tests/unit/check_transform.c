#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct arena arena;
static struct transform transform;
static struct literal out;

static void set_up(void)
{
	error_init(&err);
	arena_init(&arena, 0);
}

static void tear_down(void)
{
	arena_release(&arena);
}

/* A value from its text, as the manual writes it. */
static struct literal value_of(struct type type, const char *text)
{
	struct literal value;

	ck_assert_int_eq(parse_value(text, strlen(text), &type, &arena,
				     &value), 0);
	return value;
}

static int apply(const char *name, const struct literal *value)
{
	ck_ok(transform_parse(&transform, name, &arena, &err));
	return transform_apply(&transform, value, &arena, &out, &err);
}

/* Appendix B of the Iceberg spec, recomputed in the reference. */
START_TEST(buckets_follow_the_hashes_of_the_spec)
{
	const struct {
		struct type type;
		const char *text;
		int32_t hash;
	} vectors[] = {
		{ type_of(TYPE_INTEGER), "34", 2017239379 },
		{ type_of(TYPE_BIGINT), "34", 2017239379 },
		{ type_decimal(9, 2), "14.20", -500754589 },
		{ type_decimal(38, 2), "14.20", -500754589 },
		{ type_of(TYPE_DATE), "2017-11-16", -653330422 },
		{ type_of(TYPE_TIME), "22:31:08", -662762989 },
		{ type_of(TYPE_TIMESTAMP), "2017-11-16 22:31:08",
		  -2047944441 },
		{ type_of(TYPE_TIMESTAMP), "2017-11-16 22:31:08.000001",
		  -1207196810 },
		{ type_of(TYPE_TIMESTAMP_TZ), "2017-11-16 14:31:08-08:00",
		  -2047944441 },
		{ type_of(TYPE_VARCHAR), "iceberg", 1210000089 },
		{ type_of(TYPE_UUID), "f79c3e09-677c-4bbd-a479-3f349cb785e7",
		  1488055340 },
		{ type_of(TYPE_VARBINARY), "00010203", -188683207 },
		{ type_of(TYPE_VARCHAR), "", 0 },
		{ type_of(TYPE_BIGINT), "-1", 1651860712 },
		{ type_of(TYPE_VARCHAR), "a", 1009084850 },
		{ type_of(TYPE_VARCHAR), "abc", -1277324294 },
		{ type_decimal(9, 0), "0", 1364076727 },
		{ type_decimal(9, 0), "-1", -43192051 },
		{ type_decimal(9, 0), "128", 1544076949 },
	};
	struct literal value = value_of(vectors[_i].type, vectors[_i].text);

	ck_ok(apply("bucket[2147483647]", &value));
	ck_assert_int_eq(out.type.id, TYPE_INTEGER);
	ck_assert_int_eq(out.value.int32,
			 (vectors[_i].hash & 0x7fffffff) % 2147483647);
	ck_ok(apply("bucket[16]", &value));
	ck_assert_int_eq(out.value.int32, (vectors[_i].hash & 0x7fffffff) % 16);
}
END_TEST

START_TEST(truncation_and_times_floor)
{
	const struct {
		const char *name;
		struct type type;
		const char *text;
		struct type result;
		const char *expected;
	} vectors[] = {
		{ "truncate[10]", type_of(TYPE_INTEGER), "1",
		  type_of(TYPE_INTEGER), "0" },
		{ "truncate[10]", type_of(TYPE_INTEGER), "-1",
		  type_of(TYPE_INTEGER), "-10" },
		{ "truncate[10]", type_of(TYPE_BIGINT), "-10",
		  type_of(TYPE_BIGINT), "-10" },
		{ "truncate[50]", type_decimal(9, 2), "10.65",
		  type_decimal(9, 2), "10.50" },
		{ "truncate[50]", type_decimal(9, 2), "-0.05",
		  type_decimal(9, 2), "-0.50" },
		{ "truncate[3]", type_of(TYPE_VARCHAR), "iceberg",
		  type_of(TYPE_VARCHAR), "ice" },
		{ "truncate[2]", type_of(TYPE_VARCHAR), "\xc3\xa4\xe2\x82\xacx",
		  type_of(TYPE_VARCHAR), "\xc3\xa4\xe2\x82\xac" },
		{ "truncate[2]", type_of(TYPE_VARBINARY), "010203",
		  type_of(TYPE_VARBINARY), "0102" },
		{ "year", type_of(TYPE_DATE), "2017-11-16",
		  type_of(TYPE_INTEGER), "47" },
		{ "month", type_of(TYPE_DATE), "2017-11-16",
		  type_of(TYPE_INTEGER), "574" },
		{ "day", type_of(TYPE_TIMESTAMP), "2017-11-16 22:31:08",
		  type_of(TYPE_DATE), "2017-11-16" },
		{ "hour", type_of(TYPE_TIMESTAMP), "2017-11-16 22:31:08",
		  type_of(TYPE_INTEGER), "419686" },
		{ "year", type_of(TYPE_DATE), "1969-12-31",
		  type_of(TYPE_INTEGER), "-1" },
		{ "month", type_of(TYPE_TIMESTAMP_TZ),
		  "1969-12-31 23:59:59.999999+00", type_of(TYPE_INTEGER),
		  "-1" },
		{ "day", type_of(TYPE_TIMESTAMP), "1969-12-31 23:59:59",
		  type_of(TYPE_DATE), "1969-12-31" },
		{ "hour", type_of(TYPE_TIMESTAMP), "1969-12-31 23:59:59",
		  type_of(TYPE_INTEGER), "-1" },
		{ "identity", type_of(TYPE_VARCHAR), "x",
		  type_of(TYPE_VARCHAR), "x" },
	};
	struct literal value = value_of(vectors[_i].type, vectors[_i].text);
	struct literal expected = value_of(vectors[_i].result,
					   vectors[_i].expected);

	ck_ok(apply(vectors[_i].name, &value));
	ck_assert(type_equal(&out.type, &vectors[_i].result));
	ck_assert(!out.is_null);
	ck_assert_int_eq(literal_compare(&out, &expected), 0);
}
END_TEST

START_TEST(null_gives_null_and_void_always_does)
{
	static const char *const names[] = { "identity", "bucket[4]",
					     "truncate[4]", "void" };
	struct literal null = literal_null(type_of(TYPE_BIGINT));
	struct literal seven = value_of(type_of(TYPE_BIGINT), "7");

	for (int i = 0; i < 4; i++) {
		ck_ok(apply(names[i], &null));
		ck_assert(out.is_null);
	}
	ck_ok(apply("void", &seven));
	ck_assert(out.is_null);
}
END_TEST

START_TEST(unknown_names_parse_but_do_not_apply)
{
	static const char *const names[] = { "zorder", "bucket[0]", "bucket[]",
		"bucket[x]", "bucket[99999999999]", "truncate[-1]", "bucket",
		"bucket[4]x", "" };
	struct literal value = value_of(type_of(TYPE_BIGINT), "7");

	ck_assert_int_eq(apply(names[_i], &value), ERROR_UNSUPPORTED);
	ck_assert_int_eq(transform.kind, TRANSFORM_UNKNOWN);
	ck_assert_str_eq(transform.text, names[_i]);
}
END_TEST

START_TEST(types_that_a_transform_lacks_are_refused)
{
	const struct {
		const char *name;
		struct type type;
		const char *text;
	} wrong[] = {
		{ "bucket[4]", type_of(TYPE_DOUBLE), "1" },
		{ "bucket[4]", type_of(TYPE_BOOLEAN), "true" },
		{ "truncate[4]", type_of(TYPE_DATE), "2020-01-01" },
		{ "hour", type_of(TYPE_DATE), "2020-01-01" },
		{ "year", type_of(TYPE_BIGINT), "1" },
		{ "day", type_of(TYPE_TIME), "10:00:00" },
	};
	struct literal value = value_of(wrong[_i].type, wrong[_i].text);

	ck_assert_int_eq(apply(wrong[_i].name, &value), ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(a_truncation_beyond_the_type_is_an_overflow)
{
	const struct {
		struct type type;
		const char *text;
	} low[] = {
		{ type_of(TYPE_INTEGER), "-2147483648" },
		{ type_of(TYPE_BIGINT), "-9223372036854775808" },
		{ type_decimal(2, 0), "-99" },
	};
	struct literal value = value_of(low[_i].type, low[_i].text);

	ck_assert_int_eq(apply("truncate[1000]", &value), ERROR_OVERFLOW);
	ck_assert_ptr_nonnull(strstr(err.text, "truncate[1000] of -"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transform");
	TCase *tc = tcase_create("transform");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, buckets_follow_the_hashes_of_the_spec, 0, 19);
	tcase_add_loop_test(tc, truncation_and_times_floor, 0, 17);
	tcase_add_test(tc, null_gives_null_and_void_always_does);
	tcase_add_loop_test(tc, unknown_names_parse_but_do_not_apply, 0, 9);
	tcase_add_loop_test(tc, types_that_a_transform_lacks_are_refused, 0, 6);
	tcase_add_loop_test(tc, a_truncation_beyond_the_type_is_an_overflow, 0,
			    3);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
