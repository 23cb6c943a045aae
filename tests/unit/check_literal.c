#include "unit/check_main.h"
#include "column/column.h"

static struct error err;

static struct literal varchar(const char *text)
{
	struct literal value = literal_null(type_of(TYPE_VARCHAR));

	value.is_null = false;
	value.value.bytes = byte_view(text, strlen(text));
	return value;
}

static struct literal double_value(double number)
{
	struct literal value = literal_null(type_of(TYPE_DOUBLE));

	value.is_null = false;
	value.value.real64 = number;
	return value;
}

START_TEST(a_copy_owns_its_bytes)
{
	struct arena arena = { 0 };
	char text[] = "abc";
	struct literal value = varchar(text), copy;

	ck_ok(literal_copy(&copy, &value, &arena, &err));
	text[0] = 'x';
	ck_assert_uint_eq(copy.value.bytes.length, 3);
	ck_assert_mem_eq(copy.value.bytes.data, "abc", 3);
	arena_release(&arena);
}
END_TEST

START_TEST(empty_text_is_copied_as_empty_and_not_as_null)
{
	struct arena arena = { 0 };
	struct literal value = varchar(""), copy;

	ck_ok(literal_copy(&copy, &value, &arena, &err));
	ck_assert(!copy.is_null);
	ck_assert_uint_eq(copy.value.bytes.length, 0);
	ck_assert_ptr_nonnull(copy.value.bytes.data);
	arena_release(&arena);
}
END_TEST

START_TEST(a_copy_that_finds_no_memory_is_null)
{
	struct arena arena = { 0 };
	struct literal value = varchar("abc"), copy;

	mem_fail_at(0);
	ck_assert_int_eq(literal_copy(&copy, &value, &arena, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert(copy.is_null);
}
END_TEST

START_TEST(text_is_ordered_by_unsigned_bytes)
{
	static const char *const ascending[] = {
		"", "a", "a\x01", "aaaaaaa", "aaaaaaaa", "aaaaaaaaa",
		"aaaaaaaab", "aaaaaaab", "aaaaaaaba", "aaaaaaa\xff\x01", "ab",
		"abaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b", "b\x7f" "aaaaaaa",
		"b\xc3\xa4" "aaaaaaa", "\x7f", "\xc3\xa4", "\xff",
		"\xff" "aaaaaaa",
	};

	for (size_t i = 0; i < ARRAY_COUNT(ascending); i++)
		for (size_t j = 0; j < ARRAY_COUNT(ascending); j++) {
			struct literal a = varchar(ascending[i]);
			struct literal b = varchar(ascending[j]);
			int order = literal_compare(&a, &b);

			ck_assert((order > 0) == (i > j));
			ck_assert((order < 0) == (i < j));
		}
}
END_TEST

START_TEST(not_a_number_is_the_greatest_and_zeroes_are_equal)
{
	const double ascending[] = { -1.0 / 0.0, -1.5, 0.0, 1e-300, 2.0,
				     1.0 / 0.0, 0.0 / 0.0 };
	struct literal plus = double_value(0.0), minus = double_value(-0.0);

	ck_assert_int_eq(literal_compare(&plus, &minus), 0);
	for (size_t i = 0; i < ARRAY_COUNT(ascending); i++)
		for (size_t j = 0; j < ARRAY_COUNT(ascending); j++) {
			struct literal a = double_value(ascending[i]);
			struct literal b = double_value(ascending[j]);
			int order = literal_compare(&a, &b);

			ck_assert((order > 0) == (i > j));
			ck_assert((order < 0) == (i < j));
		}
}
END_TEST

START_TEST(whole_numbers_of_each_width_are_ordered_by_value)
{
	static const int64_t values[] = { -128, -1, 0, 1, 127 };
	const struct type types[] = {
		type_of(TYPE_TINYINT), type_of(TYPE_INTEGER),
		type_of(TYPE_BIGINT), type_of(TYPE_DATE),
		type_of(TYPE_TIMESTAMP), type_decimal(10, 2),
		type_decimal(38, 2),
	};

	for (size_t t = 0; t < ARRAY_COUNT(types); t++)
		for (size_t i = 0; i + 1 < ARRAY_COUNT(values); i++) {
			struct literal a = literal_null(types[t]);
			struct literal b = literal_null(types[t]);

			if (types[t].id == TYPE_DECIMAL) {
				a.value.decimal = values[i];
				b.value.decimal = values[i + 1];
			} else if (type_width(&types[t]) == 8) {
				a.value.int64 = values[i];
				b.value.int64 = values[i + 1];
			} else {
				a.value.int32 = (int32_t)values[i];
				b.value.int32 = (int32_t)values[i + 1];
			}
			ck_assert_int_lt(literal_compare(&a, &b), 0);
			ck_assert_int_gt(literal_compare(&b, &a), 0);
			ck_assert_int_eq(literal_compare(&a, &a), 0);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("literal");
	TCase *tc = tcase_create("literal");

	tcase_add_test(tc, a_copy_owns_its_bytes);
	tcase_add_test(tc, empty_text_is_copied_as_empty_and_not_as_null);
	tcase_add_test(tc, a_copy_that_finds_no_memory_is_null);
	tcase_add_test(tc, text_is_ordered_by_unsigned_bytes);
	tcase_add_test(tc,
		       not_a_number_is_the_greatest_and_zeroes_are_equal);
	tcase_add_test(tc,
		       whole_numbers_of_each_width_are_ordered_by_value);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
