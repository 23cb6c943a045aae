#include "unit/column_samples.h"

#define SOURCE_ROWS 500

static struct error err;

/* A fixed, jumping sequence of rows; some are GATHER_NULL when asked. */
static void make_index(uint32_t *index, size_t count, bool holes)
{
	for (size_t i = 0; i < count; i++) {
		index[i] = (uint32_t)(i * 7919 + 13) % SOURCE_ROWS;
		if (holes && i % 5 == 2)
			index[i] = GATHER_NULL;
	}
}

static struct literal wanted_row(struct type type, uint32_t index,
				 uint32_t null_step)
{
	if (index == GATHER_NULL)
		return literal_null(type);
	return sample_row(type, index, null_step);
}

/* For each type, nulls or none, holes or none: exactly the rows asked for. */
static void gather_all(struct arena *heap)
{
	static uint32_t index[700];

	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t step = 0; step <= 4; step += 2)
			for (int holes = 0; holes <= 1; holes++) {
				struct type type = sample_type(t);
				struct vector src, dst;

				make_index(index, 700, holes);
				sample_vector(&src, type, SOURCE_ROWS, step);
				vector_init(&dst, type);
				ck_ok(vector_gather(&dst, &src, index, 700,
						    heap, &err));
				ck_assert_uint_eq(dst.count, 700);
				ck_assert(vector_has_nulls(&dst) ==
					  (step || holes));
				for (size_t i = 0; i < 700; i++)
					ck_literal(vector_get(&dst, i),
						wanted_row(type, index[i],
							   step));
				vector_release(&dst);
				vector_release(&src);
			}
}

START_TEST(gathered_rows_are_the_rows_asked_for)
{
	gather_all(NULL);
}
END_TEST

START_TEST(bytes_are_shared_without_a_heap_and_copied_with_one)
{
	const uint32_t index[] = { 3, 1, GATHER_NULL, 3 };
	struct arena heap = { 0 };
	struct vector src, dst;

	gather_all(&heap);
	sample_vector(&src, type_of(TYPE_VARCHAR), 10, 0);
	vector_init(&dst, src.type);
	ck_ok(vector_gather(&dst, &src, index, 4, NULL, &err));
	ck_assert_ptr_eq(vector_bytes(&dst)[0].data,
			 vector_bytes(&src)[3].data);
	ck_ok(vector_gather(&dst, &src, index, 4, &heap, &err));
	for (size_t i = 0; i < 4; i++) {
		if (i == 2 || vector_bytes(&dst)[i].length == 0)
			continue;
		ck_assert_ptr_ne(vector_bytes(&dst)[i].data,
				 vector_bytes(&src)[index[i]].data);
		ck_assert(byte_view_equal(vector_bytes(&dst)[i],
					  vector_bytes(&src)[index[i]]));
	}
	vector_release(&dst);
	vector_release(&src);
	arena_release(&heap);
}
END_TEST

START_TEST(every_length_of_text_is_copied_whole)
{
	static char letters[100];
	struct arena heap = { 0 };
	struct vector src, dst;

	for (size_t i = 0; i < sizeof(letters); i++)
		letters[i] = (char)(' ' + i % 90);
	vector_init(&src, type_of(TYPE_VARCHAR));
	vector_init(&dst, src.type);
	for (size_t i = 0; i < 50; i++) {
		struct literal value = literal_null(src.type);

		value.is_null = false;
		value.value.bytes = byte_view(letters + i, i);
		ck_ok(vector_append(&src, &value, &err));
	}
	ck_ok(vector_gather(&dst, &src, NULL, 50, &heap, &err));
	for (size_t i = 0; i < 50; i++)
		ck_assert(byte_view_equal(vector_bytes(&dst)[i],
					  vector_bytes(&src)[i]));
	ck_assert_uint_eq(heap.total_bytes, 49 * 50 / 2);
	vector_release(&dst);
	vector_release(&src);
	arena_release(&heap);
}
END_TEST

START_TEST(a_result_without_nulls_has_no_bitmap)
{
	const uint32_t valid_rows[] = { 1, 2, 4, 5, 7 };
	struct vector src, dst;

	sample_vector(&src, type_of(TYPE_BIGINT), 9, 3);
	vector_init(&dst, src.type);
	ck_ok(vector_gather(&dst, &src, valid_rows, 5, NULL, &err));
	ck_assert(!vector_has_nulls(&dst));
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(only_holes_need_no_source_rows)
{
	const uint32_t holes[] = { GATHER_NULL, GATHER_NULL };
	struct vector src, dst;

	vector_init(&src, type_of(TYPE_VARCHAR));
	vector_init(&dst, src.type);
	ck_ok(vector_gather(&dst, &src, holes, 2, NULL, &err));
	ck_assert_uint_eq(vector_null_count(&dst), 2);
	ck_ok(vector_gather(&dst, &src, holes, 0, NULL, &err));
	ck_assert_uint_eq(dst.count, 0);
	vector_release(&dst);
	vector_release(&src);
}
END_TEST

START_TEST(selections_are_appended_one_behind_the_other)
{
	static const uint32_t counts[] = { 1, 63, 0, 64, 65, 200 };

	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t mix = 0; mix < 8; mix++) {
			struct type type = sample_type(t);
			struct vector src[2], dst;
			struct arena heap = { 0 };
			struct literal wanted[800];
			size_t total = 0;

			sample_vector(&src[0], type, SOURCE_ROWS, 0);
			sample_vector(&src[1], type, SOURCE_ROWS, 3);
			vector_init(&dst, type);
			for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
				uint32_t nulls = mix >> i % 2 & 1;
				uint32_t rows[200];
				struct selection picked = { NULL, counts[i] };

				if (mix & 4)
					picked.rows = rows;
				for (uint32_t k = 0; k < counts[i]; k++) {
					rows[k] = 2 * k + 1;
					wanted[total++] = sample_row(type,
						mix & 4 ? rows[k] : k,
						nulls ? 3 : 0);
				}
				ck_ok(vector_append_selected(&dst,
					&src[nulls], &picked,
					mix & 1 ? &heap : NULL, &err));
			}
			ck_assert_uint_eq(dst.count, total);
			for (size_t i = 0; i < total; i++)
				ck_literal(vector_get(&dst, i), wanted[i]);
			vector_release(&dst);
			vector_release(&src[0]);
			vector_release(&src[1]);
			arena_release(&heap);
		}
}
END_TEST

START_TEST(scattered_branches_make_one_vector)
{
	for (size_t t = 0; t < SAMPLE_TYPE_COUNT; t++)
		for (uint32_t step = 0; step <= 3; step += 3) {
			struct type type = sample_type(t);
			struct vector plain, nulls, dst;
			uint32_t odd[50];
			struct selection odd_rows = { odd, 50 };
			struct selection all = selection_all(100);

			for (uint32_t i = 0; i < 50; i++)
				odd[i] = 2 * i + 1;
			sample_vector(&plain, type, 100, 0);
			sample_vector(&nulls, type, 100, 3);
			vector_init(&dst, type);
			ck_ok(vector_scatter(&dst, step ? &nulls : &plain,
					     &all, 100, &err));
			ck_ok(vector_scatter(&dst, step ? &plain : &nulls,
					     &odd_rows, 100, &err));
			ck_assert_uint_eq(dst.count, 100);
			for (uint32_t i = 0; i < 100; i++) {
				bool from_nulls = (i % 2 == 1) == (step == 0);

				ck_literal(vector_get(&dst, i),
					   sample_row(type, i,
						      from_nulls ? 3 : 0));
			}
			vector_release(&dst);
			vector_release(&plain);
			vector_release(&nulls);
		}
}
END_TEST

START_TEST(each_failed_allocation_of_a_gather_leaves_no_rows)
{
	uint32_t index[300];
	struct vector src, dst;
	long fail_at = 0;
	int rc;

	make_index(index, 300, true);
	sample_vector(&src, type_of(TYPE_VARCHAR), SOURCE_ROWS, 2);
	do {
		struct arena heap = { 0 };

		vector_init(&dst, src.type);
		mem_fail_at(fail_at++);
		rc = vector_gather(&dst, &src, index, 300, &heap, &err);
		mem_fail_at(-1);
		ck_assert_uint_eq(dst.count, rc ? 0 : 300);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		vector_release(&dst);
		arena_release(&heap);
	} while (rc);
	ck_assert_int_gt(fail_at, 3);
	vector_release(&src);
}
END_TEST

START_TEST(each_failed_allocation_of_an_append_keeps_the_old_rows)
{
	struct selection all = selection_all(100);
	struct vector src, dst;
	long fail_at = 0;
	int rc;

	sample_vector(&src, type_of(TYPE_VARCHAR), 100, 2);
	do {
		struct arena heap = { 0 };

		sample_vector(&dst, src.type, 60, 0);
		mem_fail_at(fail_at++);
		rc = vector_append_selected(&dst, &src, &all, &heap, &err);
		mem_fail_at(-1);
		ck_assert_uint_eq(dst.count, rc ? 60 : 160);
		for (uint32_t i = 0; i < 60; i++)
			ck_literal(vector_get(&dst, i),
				   sample_row(src.type, i, 0));
		vector_release(&dst);
		arena_release(&heap);
	} while (rc);
	ck_assert_int_gt(fail_at, 3);
	vector_release(&src);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector_gather");
	TCase *tc = tcase_create("vector_gather");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, gathered_rows_are_the_rows_asked_for);
	tcase_add_test(tc,
		       bytes_are_shared_without_a_heap_and_copied_with_one);
	tcase_add_test(tc, every_length_of_text_is_copied_whole);
	tcase_add_test(tc, a_result_without_nulls_has_no_bitmap);
	tcase_add_test(tc, only_holes_need_no_source_rows);
	tcase_add_test(tc, selections_are_appended_one_behind_the_other);
	tcase_add_test(tc, scattered_branches_make_one_vector);
	tcase_add_test(tc, each_failed_allocation_of_a_gather_leaves_no_rows);
	tcase_add_test(tc,
		       each_failed_allocation_of_an_append_keeps_the_old_rows);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
