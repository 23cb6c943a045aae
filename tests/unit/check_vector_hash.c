#include "unit/column_samples.h"

#define ROWS 1000

static struct error err;

START_TEST(equal_values_have_equal_hashes_and_others_hardly_ever)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++) {
		struct type type = sample_type(t);
		struct selection all = selection_all(ROWS);
		uint64_t hashes[ROWS];
		struct vector v;

		sample_vector(&v, type, ROWS, 4);
		vector_hash(&v, &all, true, hashes);
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < i; j += 7) {
				struct literal a = sample_row(type, i, 4);
				struct literal b = sample_row(type, j, 4);

				ck_assert((hashes[i] == hashes[j]) ==
					  same_literal(&a, &b));
			}
		vector_release(&v);
	}
}
END_TEST

START_TEST(a_selection_hashes_the_rows_it_names)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t step = 0; step <= 3; step += 3) {
			uint64_t all_hashes[ROWS], hashes[ROWS];
			struct selection all = selection_all(ROWS);
			uint32_t rows[ROWS / 3];
			struct selection some = { rows, ROWS / 3 };
			struct vector v;

			sample_vector(&v, sample_type(t), ROWS, step);
			for (uint32_t i = 0; i < some.count; i++)
				rows[i] = 3 * i + 2;
			vector_hash(&v, &all, true, all_hashes);
			vector_hash(&v, &some, true, hashes);
			for (size_t i = 0; i < some.count; i++)
				ck_assert(hashes[i] == all_hashes[rows[i]]);
			vector_release(&v);
		}
}
END_TEST

START_TEST(zeroes_and_every_nan_hash_alike)
{
	static const enum type_id ids[] = { TYPE_REAL, TYPE_DOUBLE };

	for (size_t t = 0; t < 2; t++) {
		struct selection all = selection_all(4);
		uint64_t hashes[4];
		struct vector v;

		vector_init(&v, type_of(ids[t]));
		ck_ok(vector_reserve(&v, 4, &err));
		v.count = 4;
		if (ids[t] == TYPE_REAL) {
			const uint32_t bits[] = { 0, 0x80000000, 0x7fc00000,
						  0xffc12345 };

			memcpy(v.data, bits, sizeof(bits));
		} else {
			const uint64_t bits[] = { 0, UINT64_C(1) << 63,
				UINT64_C(0x7ff8000000000000),
				UINT64_C(0xfff8000000012345) };

			memcpy(v.data, bits, sizeof(bits));
		}
		vector_hash(&v, &all, true, hashes);
		ck_assert(hashes[0] == hashes[1]);
		ck_assert(hashes[2] == hashes[3]);
		ck_assert(hashes[0] != hashes[2]);
		vector_release(&v);
	}
}
END_TEST

START_TEST(further_columns_are_combined_in_order)
{
	struct selection all = selection_all(ROWS);
	uint64_t one[ROWS], ab[ROWS], ba[ROWS];
	struct vector a, b;
	size_t different = 0;

	sample_vector(&a, type_of(TYPE_BIGINT), ROWS, 5);
	sample_vector(&b, type_of(TYPE_VARCHAR), ROWS, 3);
	vector_hash(&a, &all, true, one);
	vector_hash(&a, &all, true, ab);
	vector_hash(&b, &all, false, ab);
	vector_hash(&b, &all, true, ba);
	vector_hash(&a, &all, false, ba);
	for (size_t i = 0; i < ROWS; i++) {
		ck_assert(ab[i] != one[i]);
		different += ab[i] != ba[i];
	}
	/* where both are NULL the order cannot be told */
	ck_assert_uint_ge(different, ROWS - ROWS / 15 - 1);
	vector_release(&a);
	vector_release(&b);
}
END_TEST

START_TEST(dense_keys_spread_over_low_and_high_bits)
{
	struct selection all = selection_all(4096);
	static uint64_t hashes[4096];
	unsigned low[64] = { 0 }, high[64] = { 0 };
	struct vector v;

	vector_init(&v, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&v, 4096, &err));
	v.count = 4096;
	for (int64_t i = 0; i < 4096; i++)
		vector_i64(&v)[i] = i * 64;
	vector_hash(&v, &all, true, hashes);
	for (size_t i = 0; i < 4096; i++) {
		low[hashes[i] & 63]++;
		high[hashes[i] >> 58]++;
	}
	for (size_t i = 0; i < 64; i++) {
		/* 64 are expected; 8 standard deviations */
		ck_assert_uint_lt(low[i], 128);
		ck_assert_uint_lt(high[i], 128);
	}
	vector_release(&v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector_hash");
	TCase *tc = tcase_create("vector_hash");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc,
		equal_values_have_equal_hashes_and_others_hardly_ever);
	tcase_add_test(tc, a_selection_hashes_the_rows_it_names);
	tcase_add_test(tc, zeroes_and_every_nan_hash_alike);
	tcase_add_test(tc, further_columns_are_combined_in_order);
	tcase_add_test(tc, dense_keys_spread_over_low_and_high_bits);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
