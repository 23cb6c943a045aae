#include "unit/column_samples.h"

static struct error err;

START_TEST(a_batch_has_a_vector_of_each_column_type)
{
	struct schema schema;
	struct batch batch;

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "a", type_of(TYPE_DATE), &err));
	ck_ok(schema_add_column(&schema, "b", type_decimal(30, 1), &err));
	ck_ok(batch_init(&batch, &schema, &err));
	ck_assert_uint_eq(batch.column_count, 2);
	ck_assert_int_eq(batch.columns[0].type.id, TYPE_DATE);
	ck_assert(type_equal(&batch.columns[1].type, &schema.columns[1].type));
	ck_assert_uint_eq(batch.row_count, 0);
	ck_assert_ptr_null(batch.columns[0].data);
	batch_release(&batch);
	schema_release(&schema);
}
END_TEST

START_TEST(a_batch_without_columns_may_have_rows)
{
	struct batch batch;

	ck_ok(batch_init_types(&batch, NULL, 0, &err));
	batch.row_count = 10;
	batch_reset(&batch);
	ck_assert_uint_eq(batch.row_count, 0);
	batch_release(&batch);
}
END_TEST

START_TEST(a_reset_batch_is_empty_and_keeps_its_memory)
{
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	struct literal value = sample_value(types[0], 5);
	const uint64_t lines[] = { 1 };
	struct batch batch;
	void *data;

	ck_ok(batch_init_types(&batch, types, 2, &err));
	ck_ok(vector_append(&batch.columns[0], &value, &err));
	ck_ok(vector_set_null(&batch.columns[0], 0, &err));
	ck_assert_ptr_nonnull(arena_alloc(&batch.heap, 100));
	batch.row_count = 1;
	batch.lines = lines;
	data = batch.columns[0].data;
	batch_reset(&batch);
	ck_assert_uint_eq(batch.row_count, 0);
	ck_assert_uint_eq(batch.columns[0].count, 0);
	ck_assert(!vector_has_nulls(&batch.columns[0]));
	ck_assert_ptr_eq(batch.columns[0].data, data);
	ck_assert_uint_eq(batch.heap.total_bytes, 0);
	ck_assert_ptr_null(batch.lines);
	mem_fail_at(0);
	ck_ok(vector_append(&batch.columns[0], &value, &err));
	mem_fail_at(-1);
	batch_release(&batch);
	ck_assert_uint_eq(batch.column_count, 0);
}
END_TEST

START_TEST(a_batch_that_finds_no_memory_has_no_columns)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct batch batch;

	mem_fail_at(0);
	ck_assert_int_eq(batch_init_types(&batch, &type, 1, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_ptr_null(batch.columns);
	batch_release(&batch);
}
END_TEST

START_TEST(a_split_sends_true_one_way_and_false_and_null_the_other)
{
	size_t yes_total = 0;

	for (uint32_t step = 0; step <= 3; step++)
		for (int named = 0; named <= 1; named++) {
			struct type type = type_of(TYPE_BOOLEAN);
			struct selection_buffer yes, no, again;
			uint32_t rows[300];
			struct selection in = { named ? rows : NULL, 300 };
			struct vector flag;
			size_t y = 0, n = 0;

			for (uint32_t i = 0; i < 300; i++)
				rows[i] = 2 * i;
			sample_vector(&flag, type, 600, step);
			ck_ok(selection_buffer_init(&yes, 300, &err));
			ck_ok(selection_buffer_init(&no, 300, &err));
			ck_ok(selection_buffer_init(&again, 300, &err));
			selection_split(&in, &flag, &yes, &no);
			for (size_t i = 0; i < 300; i++) {
				uint32_t row = named ? rows[i] : (uint32_t)i;
				struct literal v = sample_row(type, row, step);

				if (!v.is_null && v.value.boolean)
					ck_assert_uint_eq(yes.rows[y++], row);
				else
					ck_assert_uint_eq(no.rows[n++], row);
			}
			ck_assert_uint_eq(yes.count, y);
			ck_assert_uint_eq(no.count, n);
			yes_total += y;
			/* one side alone is the same */
			selection_split(&in, &flag, &again, NULL);
			ck_assert_uint_eq(again.count, y);
			ck_assert_mem_eq(again.rows, yes.rows, y * 4);
			selection_split(&in, &flag, NULL, &again);
			ck_assert_uint_eq(again.count, n);
			ck_assert_mem_eq(again.rows, no.rows, n * 4);
			selection_buffer_release(&yes);
			selection_buffer_release(&no);
			selection_buffer_release(&again);
			vector_release(&flag);
		}
	ck_assert(yes_total > 500 && yes_total < 8 * 300 - 500);
}
END_TEST

START_TEST(a_selection_may_shrink_in_place)
{
	struct selection_buffer rows;
	struct selection in;
	struct vector flag;
	size_t kept = 0;

	sample_vector(&flag, type_of(TYPE_BOOLEAN), 200, 0);
	ck_ok(selection_buffer_init(&rows, 200, &err));
	for (uint32_t i = 0; i < 200; i++)
		rows.rows[i] = i;
	rows.count = 200;
	in = selection_of(&rows);
	selection_split(&in, &flag, &rows, NULL);
	for (uint32_t i = 0; i < 200; i++)
		if (sample_value(flag.type, i).value.boolean)
			ck_assert_uint_eq(rows.rows[kept++], i);
	ck_assert_uint_eq(rows.count, kept);
	selection_buffer_release(&rows);
	vector_release(&flag);
}
END_TEST

START_TEST(a_selection_that_finds_no_memory_says_so)
{
	struct selection_buffer rows;

	mem_fail_at(0);
	ck_assert_int_eq(selection_buffer_init(&rows, 10, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_ptr_null(rows.rows);
	selection_buffer_release(&rows);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("batch");
	TCase *tc = tcase_create("batch");

	tcase_add_test(tc, a_batch_has_a_vector_of_each_column_type);
	tcase_add_test(tc, a_batch_without_columns_may_have_rows);
	tcase_add_test(tc, a_reset_batch_is_empty_and_keeps_its_memory);
	tcase_add_test(tc, a_batch_that_finds_no_memory_has_no_columns);
	tcase_add_test(tc,
		a_split_sends_true_one_way_and_false_and_null_the_other);
	tcase_add_test(tc, a_selection_may_shrink_in_place);
	tcase_add_test(tc, a_selection_that_finds_no_memory_says_so);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
