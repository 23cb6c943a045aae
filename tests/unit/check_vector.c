#include "unit/column_samples.h"

static struct error err;

START_TEST(appended_values_of_each_type_are_read_back)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t step = 0; step <= 3; step++) {
			struct type type = sample_type(t);
			struct vector vector;

			sample_vector(&vector, type, 1000, step);
			ck_assert_uint_eq(vector.count, 1000);
			ck_assert(vector_has_nulls(&vector) == (step > 0));
			ck_assert_uint_eq((uintptr_t)vector.data % 64, 0);
			for (uint32_t i = 0; i < 1000; i++)
				ck_literal(vector_get(&vector, i),
					   sample_row(type, i, step));
			ck_assert_uint_eq(vector_null_count(&vector),
					  step ? (1000 + step - 1) / step : 0);
			vector_release(&vector);
		}
}
END_TEST

START_TEST(a_column_of_nulls_only_grows_past_its_first_bitmap)
{
	struct literal null = literal_null(type_of(TYPE_UNKNOWN));
	struct vector vector;

	vector_init(&vector, type_of(TYPE_UNKNOWN));
	for (int i = 0; i < 500; i++)
		ck_ok(vector_append(&vector, &null, &err));
	ck_assert_uint_eq(vector_null_count(&vector), 500);
	vector_release(&vector);
}
END_TEST

START_TEST(growing_keeps_values_and_zeroes_the_rest)
{
	struct vector vector;

	sample_vector(&vector, type_of(TYPE_BIGINT), 70, 7);
	ck_ok(vector_reserve(&vector, 5000, &err));
	ck_assert_uint_ge(vector.capacity, 5000);
	for (uint32_t i = 0; i < 70; i++)
		ck_literal(vector_get(&vector, i),
			   sample_row(vector.type, i, 7));
	for (size_t i = vector.count; i < 5000; i++) {
		ck_assert_int_eq(vector_i64(&vector)[i], 0);
		/* the grown bitmap calls new rows valid */
		if (i >= 128)
			ck_assert(!vector_is_null(&vector, i));
	}
	vector_release(&vector);
}
END_TEST

START_TEST(a_reference_sees_the_original_and_keeps_its_own_memory)
{
	struct vector src, dst;
	void *own;

	sample_vector(&src, type_of(TYPE_DATE), 100, 5);
	sample_vector(&dst, type_of(TYPE_INTEGER), 200, 0);
	own = dst.owned_data;
	vector_reference(&dst, &src);
	ck_assert_int_eq(dst.type.id, TYPE_DATE);
	ck_assert_ptr_eq(dst.data, src.data);
	ck_assert_ptr_eq(dst.validity, src.validity);
	ck_assert_uint_eq(dst.count, 100);
	vector_reset(&dst);
	ck_assert_ptr_eq(dst.data, own);
	ck_assert_ptr_null(dst.validity);
	ck_assert_uint_eq(dst.count, 0);
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(writing_to_a_reference_leaves_the_original_alone)
{
	struct type type = type_of(TYPE_VARCHAR);
	struct literal other = sample_value(type, 999);
	struct vector src, dst;

	sample_vector(&src, type, 100, 3);
	vector_init(&dst, type);
	vector_reference(&dst, &src);
	ck_ok(vector_put(&dst, 3, &other, &err));
	ck_ok(vector_set_null(&dst, 4, &err));
	ck_ok(vector_append(&dst, &other, &err));
	ck_assert_uint_eq(src.count, 100);
	for (uint32_t i = 0; i < 100; i++) {
		ck_literal(vector_get(&src, i), sample_row(type, i, 3));
		if (i != 3 && i != 4)
			ck_literal(vector_get(&dst, i),
				   sample_row(type, i, 3));
	}
	ck_literal(vector_get(&dst, 3), other);
	ck_assert(vector_is_null(&dst, 4));
	ck_literal(vector_get(&dst, 100), other);
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(borrowed_data_may_have_nulls_of_its_own)
{
	struct vector src, dst;

	sample_vector(&src, type_of(TYPE_BIGINT), 1000, 0);
	vector_init(&dst, src.type);
	vector_reference(&dst, &src);
	ck_ok(vector_set_null(&dst, 900, &err));
	ck_assert_ptr_eq(dst.data, src.data);
	ck_assert_uint_eq(vector_null_count(&dst), 1);
	ck_assert(!vector_has_nulls(&src));
	/* now the data is taken over; the nulls stay and grow along */
	ck_ok(vector_reserve(&dst, 5000, &err));
	ck_assert_ptr_ne(dst.data, src.data);
	ck_assert(vector_is_null(&dst, 900));
	ck_assert_uint_ge(dst.validity_words, BITMAP_WORDS(5000));
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(rows_behind_the_last_one_are_valid_in_an_own_bitmap)
{
	struct vector src, dst;

	sample_vector(&src, type_of(TYPE_BIGINT), 70, 5);
	for (size_t i = 70; i < 128; i++)
		bits_clear(src.validity, i);
	vector_init(&dst, src.type);
	vector_reference(&dst, &src);
	ck_ok(vector_own_validity(&dst, &err));
	ck_ok(vector_reserve(&dst, 128, &err));
	dst.count = 128;
	ck_assert_uint_eq(vector_null_count(&dst), 14);
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(a_filled_vector_holds_the_literal_everywhere)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++) {
		struct type type = sample_type(t);
		struct literal value = sample_value(type, 77);
		struct literal null = literal_null(type);
		struct vector vector;

		vector_init(&vector, type);
		ck_ok(vector_fill(&vector, &value, 300, &err));
		ck_assert_uint_eq(vector.count, 300);
		ck_assert(!vector_has_nulls(&vector));
		for (size_t i = 0; i < 300; i++)
			ck_literal(vector_get(&vector, i), value);
		ck_ok(vector_fill(&vector, &null, 130, &err));
		ck_assert_uint_eq(vector_null_count(&vector), 130);
		ck_ok(vector_fill(&vector, &value, 10, &err));
		ck_assert(!vector_has_nulls(&vector));
		ck_ok(vector_fill(&vector, &value, 0, &err));
		ck_assert_uint_eq(vector.count, 0);
		vector_release(&vector);
	}
}
END_TEST

START_TEST(another_type_of_another_width_starts_afresh)
{
	struct vector vector;

	sample_vector(&vector, type_of(TYPE_INTEGER), 100, 2);
	vector_set_type(&vector, type_of(TYPE_DATE));
	ck_assert_ptr_nonnull(vector.owned_data);
	vector_set_type(&vector, type_of(TYPE_UUID));
	ck_assert_ptr_null(vector.owned_data);
	ck_assert_uint_eq(vector.capacity, 0);
	ck_assert_uint_eq(vector.count, 0);
	ck_ok(vector_reserve(&vector, 10, &err));
	vector_release(&vector);
}
END_TEST

START_TEST(a_size_that_cannot_be_is_refused)
{
	struct vector vector;

	vector_init(&vector, type_of(TYPE_VARCHAR));
	ck_assert_int_eq(vector_reserve(&vector, SIZE_MAX, &err),
			 ERROR_NO_MEMORY);
	ck_assert_int_eq(vector_reserve(&vector, SIZE_MAX / 16, &err),
			 ERROR_NO_MEMORY);
	ck_assert_ptr_null(vector.owned_data);
	vector_release(&vector);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_changes_nothing)
{
	struct literal value = sample_value(type_of(TYPE_BIGINT), 1);
	struct vector vector;
	long fail_at = 0;
	int rc;

	do {
		sample_vector(&vector, value.type, 64, 9);
		mem_fail_at(fail_at);
		rc = vector_append(&vector, &value, &err);
		mem_fail_at(-1);
		ck_assert_uint_eq(vector.count, rc ? 64 : 65);
		for (uint32_t i = 0; i < 64; i++)
			ck_literal(vector_get(&vector, i),
				   sample_row(value.type, i, 9));
		vector_release(&vector);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		fail_at++;
	} while (rc);
	ck_assert_int_gt(fail_at, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector");
	TCase *tc = tcase_create("vector");

	tcase_add_test(tc, appended_values_of_each_type_are_read_back);
	tcase_add_test(tc, a_column_of_nulls_only_grows_past_its_first_bitmap);
	tcase_add_test(tc, growing_keeps_values_and_zeroes_the_rest);
	tcase_add_test(tc,
		       a_reference_sees_the_original_and_keeps_its_own_memory);
	tcase_add_test(tc, writing_to_a_reference_leaves_the_original_alone);
	tcase_add_test(tc, borrowed_data_may_have_nulls_of_its_own);
	tcase_add_test(tc,
		       rows_behind_the_last_one_are_valid_in_an_own_bitmap);
	tcase_add_test(tc, a_filled_vector_holds_the_literal_everywhere);
	tcase_add_test(tc, another_type_of_another_width_starts_afresh);
	tcase_add_test(tc, a_size_that_cannot_be_is_refused);
	tcase_add_test(tc,
		       each_failed_allocation_is_reported_and_changes_nothing);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
