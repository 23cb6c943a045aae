#include "unit/column_samples.h"

static struct error err;

/* IS NOT DISTINCT FROM of two values, told by the order of literals. */
static bool same_by_order(const struct literal *a, const struct literal *b)
{
	if (a->is_null || b->is_null)
		return a->is_null == b->is_null;
	return literal_compare(a, b) == 0;
}

/* Half of the rows of b are those of a, the others its neighbours'. */
static uint32_t partner(uint32_t row)
{
	return row % 2 ? row : row + 1;
}

static void compare_with_indexes(struct type type, uint32_t a_step,
				 uint32_t b_step, bool indexed)
{
	enum { ROWS = 333 };
	struct vector a, b;
	uint32_t a_index[ROWS], b_index[ROWS];
	uint64_t equal[BITMAP_WORDS(ROWS)], identical[BITMAP_WORDS(ROWS)];

	sample_vector(&a, type, ROWS + 1, a_step);
	sample_vector(&b, type, ROWS + 1, b_step);
	for (uint32_t i = 0; i < ROWS; i++) {
		a_index[i] = (i * 31) % ROWS;
		b_index[i] = partner(a_index[i]);
	}
	memset(equal, 0xff, sizeof(equal));
	for (uint32_t i = 64; i < ROWS; i += 3) {
		/* not looked at: the index may be anything */
		bits_clear(equal, i);
		a_index[i] = UINT32_MAX;
	}
	memcpy(identical, equal, sizeof(equal));
	vector_and_same(&a, indexed ? a_index : NULL, &b,
			indexed ? b_index : NULL, ROWS, equal);
	vector_and_identical(&a, indexed ? a_index : NULL, &b,
			     indexed ? b_index : NULL, ROWS, identical);
	for (uint32_t i = 0; i < ROWS; i++) {
		bool wanted = false;

		if (i < 64 || (i - 64) % 3 != 0) {
			struct literal x = sample_row(type, indexed ?
				a_index[i] : i, a_step);
			struct literal y = sample_row(type, indexed ?
				b_index[i] : i, b_step);

			wanted = same_by_order(&x, &y);
		}
		ck_assert(bits_get(equal, i) == wanted);
		ck_assert(bits_get(identical, i) == wanted);
	}
	/* bits past the last row are free and stay as they were */
	ck_assert(bits_get(equal, ROWS));
	vector_release(&a);
	vector_release(&b);
}

START_TEST(rows_stay_equal_where_values_are_not_distinct)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t steps = 0; steps < 16; steps++)
			for (int indexed = 0; indexed <= 1; indexed++)
				compare_with_indexes(sample_type(t), steps % 4,
						     steps / 4, indexed);
}
END_TEST

static void put_doubles(struct vector *vector, const double *values,
			size_t count)
{
	struct literal value = literal_null(type_of(TYPE_DOUBLE));

	vector_init(vector, value.type);
	value.is_null = false;
	for (size_t i = 0; i < count; i++) {
		value.value.real64 = values[i];
		ck_ok(vector_append(vector, &value, &err));
	}
}

START_TEST(zeroes_of_either_sign_are_the_same_but_not_identical)
{
	const double left[] = { 0.0, -0.0, 0.0 / 0.0, 1.0, 0.0 / 0.0 };
	const double right[] = { -0.0, -0.0, 0.0 / 0.0, 2.0, 1.0 };
	uint64_t equal = ~UINT64_C(0);
	struct vector a, b;

	put_doubles(&a, left, 5);
	put_doubles(&b, right, 5);
	vector_and_same(&a, NULL, &b, NULL, 5, &equal);
	ck_assert_uint_eq(equal & 31, 7);
	equal = ~UINT64_C(0);
	vector_and_identical(&a, NULL, &b, NULL, 5, &equal);
	ck_assert_uint_eq(equal & 31, 6);
	/* a whole word of rows takes another way */
	ck_assert_int_eq(vector_compare_values(&a, 0, &b, 0), 0);
	ck_assert_int_gt(vector_compare_values(&a, 2, &b, 3), 0);
	vector_release(&a);
	vector_release(&b);
}
END_TEST

START_TEST(values_are_ordered_as_literals_are)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++) {
		struct type type = sample_type(t);
		struct vector v;

		sample_vector(&v, type, 60, 0);
		for (uint32_t i = 0; i < 60; i++)
			for (uint32_t j = 0; j < 60; j++) {
				struct literal a = sample_value(type, i);
				struct literal b = sample_value(type, j);
				int got = vector_compare_values(&v, i, &v, j);
				int wanted = literal_compare(&a, &b);

				ck_assert((got > 0) == (wanted > 0));
				ck_assert((got < 0) == (wanted < 0));
			}
		vector_release(&v);
	}
}
END_TEST

START_TEST(the_least_and_the_greatest_skip_nulls)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t count = 1; count <= 200; count += 33)
			for (uint32_t step = 0; step <= 3; step++) {
				struct type type = sample_type(t);
				struct literal min, max, low, high, value;
				struct vector v;
				bool any = false;

				low = high = literal_null(type);
				sample_vector(&v, type, count, step);
				for (uint32_t i = 0; i < count; i++) {
					value = sample_row(type, i, step);
					if (value.is_null)
						continue;
					if (!any || literal_compare(&value,
								    &low) < 0)
						low = value;
					if (!any || literal_compare(&value,
								    &high) > 0)
						high = value;
					any = true;
				}
				vector_min_max(&v, &min, &max, NULL);
				ck_literal(min, low);
				ck_literal(max, high);
				vector_release(&v);
			}
}
END_TEST

START_TEST(not_a_number_is_counted_and_left_out)
{
	const double nan = 0.0 / 0.0;
	const double values[] = { nan, 3.0, nan, -2.0, nan };
	struct literal min, max;
	struct vector v;
	size_t nan_count;

	put_doubles(&v, values, 5);
	vector_min_max(&v, &min, &max, &nan_count);
	ck_assert(min.value.real64 == -2.0 && !min.is_null);
	ck_assert(max.value.real64 == 3.0 && !max.is_null);
	ck_assert_uint_eq(nan_count, 3);
	v.count = 1;
	vector_min_max(&v, &min, &max, &nan_count);
	ck_assert(min.is_null && max.is_null);
	ck_assert_uint_eq(nan_count, 1);
	v.count = 0;
	vector_min_max(&v, &min, &max, &nan_count);
	ck_assert(min.is_null && max.is_null);
	ck_assert_uint_eq(nan_count, 0);
	vector_release(&v);
}
END_TEST

START_TEST(a_column_of_nulls_has_no_least_value)
{
	struct literal null = literal_null(type_of(TYPE_VARCHAR)), min, max;
	struct vector v;

	vector_init(&v, null.type);
	ck_ok(vector_fill(&v, &null, 130, &err));
	vector_min_max(&v, &min, &max, NULL);
	ck_assert(min.is_null && max.is_null);
	vector_release(&v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector_compare");
	TCase *tc = tcase_create("vector_compare");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_stay_equal_where_values_are_not_distinct);
	tcase_add_test(tc,
		       zeroes_of_either_sign_are_the_same_but_not_identical);
	tcase_add_test(tc, values_are_ordered_as_literals_are);
	tcase_add_test(tc, the_least_and_the_greatest_skip_nulls);
	tcase_add_test(tc, not_a_number_is_counted_and_left_out);
	tcase_add_test(tc, a_column_of_nulls_has_no_least_value);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
