/* check_transform_vector.c - vectors are transformed as single values are */
#include "unit/check_main.h"
#include "unit/column_samples.h"
#include "iceberg/iceberg.h"

#define ROWS 997

static struct error err;
static struct arena arena;
static struct vector in, out;
static uint32_t picked[ROWS];

static void set_up(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	vector_init(&in, type_of(TYPE_BIGINT));
	vector_init(&out, type_of(TYPE_BIGINT));
}

static void tear_down(void)
{
	mem_fail_at(-1);
	vector_release(&in);
	vector_release(&out);
	arena_release(&arena);
}

static const char *const names[] = { "identity", "bucket[1]", "bucket[16]",
	"bucket[2147483647]", "truncate[1]", "truncate[3]", "truncate[1000]",
	"year", "month", "day", "hour", "void" };

static const struct type types[] = {
	{ .id = TYPE_BOOLEAN }, { .id = TYPE_INTEGER }, { .id = TYPE_BIGINT },
	{ .id = TYPE_REAL }, { .id = TYPE_DOUBLE },
	{ .id = TYPE_DECIMAL, .precision = 9, .scale = 2 },
	{ .id = TYPE_DECIMAL, .precision = 38, .scale = 5 },
	{ .id = TYPE_DATE }, { .id = TYPE_TIME }, { .id = TYPE_TIMESTAMP },
	{ .id = TYPE_TIMESTAMP_TZ }, { .id = TYPE_VARCHAR },
	{ .id = TYPE_VARBINARY }, { .id = TYPE_FIXED, .length = 4 },
	{ .id = TYPE_UUID },
};

/* Texts with letters of one to four bytes, before and after the cut. */
static struct literal text_value(uint32_t n)
{
	static const char *const letters[] = { "a", "\xc3\xa9",
		"\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	struct literal value = literal_null(type_of(TYPE_VARCHAR));
	struct text text = TEXT_INIT;

	for (uint32_t i = 0; i < n % 7; i++)
		text_add_str(&text, letters[(n / 7 + i) % 4]);
	value.is_null = false;
	value.value.bytes = byte_view(
		arena_strndup(&arena, text.data ? text.data : "",
			      text.length), text.length);
	text_release(&text);
	return value;
}

static void fill(const struct type *type, bool with_nulls)
{
	vector_set_type(&in, *type);
	for (uint32_t i = 0; i < ROWS; i++) {
		struct literal value =
			type->id == TYPE_VARCHAR ? text_value(i)
						 : sample_value(*type, i);

		if (value.is_null || (with_nulls && i % 5 == 3))
			value = literal_null(*type);
		ck_ok(vector_append(&in, &value, &err));
	}
}

static void check_rows(const struct transform *transform,
		       const struct selection *rows)
{
	bool refused = false;
	int rc = transform_apply_vector(transform, &in, rows, &out, &err);

	for (size_t i = 0; i < rows->count; i++) {
		size_t row = selection_row(rows, i);
		struct literal value = literal_null(in.type), one, got;
		int expected;

		if (!vector_is_null(&in, row))
			value = vector_get(&in, row);
		expected = transform_apply(transform, &value, &arena, &one,
					   &err);
		if (expected) {
			ck_assert_int_eq(rc, expected);
			refused = true;
			continue;
		}
		if (rc)
			continue;
		ck_assert(type_equal(&out.type, &one.type));
		ck_assert_int_eq(vector_is_null(&out, i), one.is_null);
		if (one.is_null)
			continue;
		got = vector_get(&out, i);
		ck_assert_int_eq(literal_compare(&got, &one), 0);
	}
	/* only what some value was refused for refuses the vector */
	if (rc && rc != ERROR_UNSUPPORTED)
		ck_assert(refused);
	if (!rc)
		ck_assert_uint_eq(out.count, rows->count);
}

#define CASES (ARRAY_COUNT(names) * ARRAY_COUNT(types) * 2)
START_TEST(vectors_give_what_single_values_give)
{
	const struct type *type = &types[(size_t)_i / 2 % ARRAY_COUNT(types)];
	struct selection some = { picked, 0 }, all = selection_all(ROWS);
	struct transform transform;

	ck_ok(transform_parse(&transform,
			      names[(size_t)_i / 2 / ARRAY_COUNT(types)],
			      &arena, &err));
	fill(type, _i & 1);
	for (uint32_t i = 1; i < ROWS; i += 1 + i % 3)
		picked[some.count++] = i;
	check_rows(&transform, &all);
	check_rows(&transform, &some);
	some.count = 0;
	check_rows(&transform, &some);
}
END_TEST

START_TEST(a_column_without_values_is_null_in_every_row)
{
	struct selection rows = selection_all(70);
	struct transform transform;

	ck_ok(transform_parse(&transform, names[_i], &arena, &err));
	ck_ok(transform_apply_vector(&transform, &in, &rows, &out, &err));
	ck_assert_uint_eq(out.count, 70);
	ck_assert_uint_eq(vector_null_count(&out), 70);
}
END_TEST

START_TEST(a_null_beyond_the_range_is_no_overflow)
{
	struct type type = type_of(TYPE_BIGINT);
	struct literal low = literal_null(type);
	struct selection rows = selection_all(2);
	struct transform transform;

	low.is_null = false;
	low.value.int64 = INT64_MIN;
	ck_ok(transform_parse(&transform, "truncate[1000]", &arena, &err));
	ck_ok(vector_append(&in, &low, &err));
	low.value.int64 = 5;
	ck_ok(vector_append(&in, &low, &err));
	ck_assert_int_eq(transform_apply_vector(&transform, &in, &rows, &out,
						&err), ERROR_OVERFLOW);
	ck_ok(vector_set_null(&in, 0, &err));
	ck_ok(transform_apply_vector(&transform, &in, &rows, &out, &err));
	ck_assert(vector_is_null(&out, 0));
	ck_assert_int_eq(vector_i64(&out)[1], 0);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct selection rows = selection_all(ROWS);
	struct transform transform;

	ck_ok(transform_parse(&transform, "bucket[7]", &arena, &err));
	fill(&types[2], true);
	mem_fail_at(_i);
	ck_assert_int_eq(transform_apply_vector(&transform, &in, &rows, &out,
						&err), ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transform_vector");
	TCase *tc = tcase_create("transform_vector");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, vectors_give_what_single_values_give, 0,
			    CASES);
	tcase_add_loop_test(tc, a_column_without_values_is_null_in_every_row,
			    0, ARRAY_COUNT(names));
	tcase_add_test(tc, a_null_beyond_the_range_is_no_overflow);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
