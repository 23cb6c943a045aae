/*
 * Rows that are kept: every type and value comes back, from any chunk, with
 * its place; marks; several writers; failing allocations.
 */
#include "unit/join_sample.h"

static struct row_store *store;
static struct row_store_writer *writer;
static struct batch batch;
static const struct vector *columns[16];
static uint64_t lines[BATCH_ROW_COUNT];

static void setup(void)
{
	error_init(&err);
	store = NULL;
	writer = NULL;
	sample_state = 7;
	memset(&batch, 0, sizeof(batch));
}

static void teardown(void)
{
	mem_fail_at(-1);
	row_store_writer_free(writer);
	row_store_free(store);
	batch_release(&batch);
}

static void new_store(const struct type *types, size_t count)
{
	ck_ok(row_store_new(&store, types, NULL, count, &err));
	ck_ok(row_store_writer_new(&writer, store, &err));
	ck_ok(batch_init_types(&batch, types, count, &err));
	for (size_t i = 0; i < count; i++)
		columns[i] = &batch.columns[i];
}

/* A batch of row_count rows of BIGINT first .. first + row_count - 1. */
static void fill_numbers(uint64_t first, size_t row_count)
{
	batch_reset(&batch);
	for (size_t i = 0; i < row_count; i++)
		sample_append(&batch.columns[0], first + i + 5);
	batch.row_count = row_count;
	batch.first_row = first;
}

static void append_all(void)
{
	struct selection all = selection_all(batch.row_count);

	ck_ok(row_store_append(writer, columns, &batch, &all, NULL, &err));
}

START_TEST(values_of_every_type_come_back_from_every_chunk)
{
	size_t type_count, rows = 0;
	const struct type *types = sample_types(&type_count);
	uint64_t *numbers = calloc(150000 * type_count, sizeof(*numbers));
	uint32_t *ids = calloc(150000, sizeof(*ids));
	struct vector got;

	new_store(types, type_count);
	while (rows < 140000) {
		batch_reset(&batch);
		batch.row_count = 1 + sample_random(BATCH_ROW_COUNT);
		for (size_t i = 0; i < batch.row_count; i++)
			for (size_t c = 0; c < type_count; c++) {
				uint64_t n = sample_number(40);

				numbers[(rows + i) * type_count + c] = n;
				sample_append(&batch.columns[c], n);
			}
		batch.first_row = rows;
		append_all();
		rows += batch.row_count;
	}
	ck_assert_uint_eq(row_store_row_count(store), rows);
	ck_assert_uint_eq(row_store_chunk_count(store), 3);
	for (size_t i = 0; i < 3000; i++) {
		uint64_t row = sample_random(rows);

		ids[i] = (uint32_t)row;	/* chunks are full, no holes */
	}
	for (size_t c = 0; c < type_count; c++) {
		vector_init(&got, types[c]);
		ck_ok(row_store_gather(store, c, ids, 3000, &got, &err));
		ck_assert_uint_eq(got.count, 3000);
		for (size_t i = 0; i < 3000; i++) {
			uint64_t n = numbers[ids[i] * type_count + c];
			struct literal a = vector_get(&got, i), b;

			ck_assert_int_eq(a.is_null, n == SAMPLE_NULL);
			if (a.is_null)
				continue;
			b = sample_value(types[c], n);
			ck_assert_int_eq(literal_compare(&a, &b), 0);
		}
		vector_release(&got);
	}
	for (size_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(row_store_place(store, ids[i]).line, ids[i]);
	free(numbers);
	free(ids);
}
END_TEST

START_TEST(only_selected_rows_are_appended)
{
	const struct type type = type_of(TYPE_BIGINT);
	const uint32_t picked[] = { 1, 4, 6 };
	const uint8_t joinable[] = { 1, 1, 1, 1, 0, 1, 1, 1 };
	struct selection rows = { picked, 3 };

	new_store(&type, 1);
	fill_numbers(100, 8);
	ck_ok(row_store_append(writer, columns, &batch, &rows, joinable,
			       &err));
	ck_assert_uint_eq(row_store_row_count(store), 3);
	ck_assert_int_eq(vector_i64(&row_store_chunk(store, 0)->columns[0])[1],
			 104);
	ck_assert_uint_eq(row_store_chunk(store, 0)->joinable[0], 1);
	ck_assert_uint_eq(row_store_chunk(store, 0)->joinable[1], 0);
	ck_assert_uint_eq(row_store_place(store, 2).line, 106);
}
END_TEST

START_TEST(a_batch_over_the_end_of_a_chunk_goes_on_in_the_next)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct vector got;
	uint32_t ids[2] = { STORE_CHUNK_ROWS - 1, STORE_CHUNK_ROWS };

	new_store(&type, 1);
	for (size_t i = 0; i < STORE_CHUNK_ROWS + 3000; i += 3000) {
		fill_numbers(i, 3000);
		append_all();
	}
	vector_init(&got, type);
	ck_ok(row_store_gather(store, 0, ids, 2, &got, &err));
	ck_assert_int_eq(vector_i64(&got)[0], STORE_CHUNK_ROWS - 1);
	ck_assert_int_eq(vector_i64(&got)[1], STORE_CHUNK_ROWS);
	vector_release(&got);
}
END_TEST

START_TEST(each_row_knows_its_input_and_line)
{
	const struct type type = type_of(TYPE_BIGINT);
	char name[] = "one.csv";
	struct row_place place;

	new_store(&type, 1);
	fill_numbers(0, 2);
	lines[0] = 2;
	lines[1] = 3;
	batch.origin = name;
	batch.lines = lines;
	batch.unit = 9;
	append_all();
	/* another name at the same address */
	memcpy(name, "two", 3);
	batch.unit = 4;
	append_all();
	batch.origin = NULL;
	batch.lines = NULL;
	batch.first_row = 70;
	append_all();
	place = row_store_place(store, 1);
	ck_assert_str_eq(place.origin, "one.csv");
	ck_assert(place.is_line);
	ck_assert_uint_eq(place.line, 3);
	place = row_store_place(store, 2);
	ck_assert_str_eq(place.origin, "two.csv");
	ck_assert_uint_eq(place.unit, 4);
	place = row_store_place(store, 5);
	ck_assert_ptr_null(place.origin);
	ck_assert(!place.is_line);
	ck_assert_uint_eq(place.line, 71);
}
END_TEST

START_TEST(places_have_the_order_of_the_input)
{
	/* z came in before a */
	const struct row_place first = { "z", true, 90, 0 };
	const struct row_place later = { "z", true, 91, 0 };
	const struct row_place other = { "a", true, 3, 5 };

	ck_assert_int_lt(row_place_compare(&first, &later), 0);
	ck_assert_int_lt(row_place_compare(&later, &other), 0);
	ck_assert_int_gt(row_place_compare(&other, &first), 0);
	ck_assert_int_eq(row_place_compare(&other, &other), 0);
}
END_TEST

START_TEST(a_column_that_is_not_stored_has_no_data)
{
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	const bool stored[] = { true, false };
	struct selection all;

	ck_ok(row_store_new(&store, types, stored, 2, &err));
	ck_ok(row_store_writer_new(&writer, store, &err));
	ck_ok(batch_init_types(&batch, types, 2, &err));
	columns[0] = &batch.columns[0];
	columns[1] = &batch.columns[1];
	fill_numbers(0, 10);
	all = selection_all(10);
	ck_ok(row_store_append(writer, columns, &batch, &all, NULL, &err));
	ck_assert_ptr_null(row_store_chunk(store, 0)->columns[1].data);
	ck_assert_uint_lt(row_store_bytes(store), 10 * 30);
}
END_TEST

START_TEST(a_slice_is_a_window_of_values_and_nulls)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct vector slice;

	new_store(&type, 1);
	batch_reset(&batch);
	for (size_t i = 0; i < 200; i++)
		sample_append(&batch.columns[0], i % 3 ? i : SAMPLE_NULL);
	batch.row_count = 200;
	append_all();
	vector_init(&slice, type);
	row_store_slice(row_store_chunk(store, 0), 0, 64, 100, &slice);
	ck_assert_uint_eq(slice.count, 100);
	for (size_t i = 0; i < 100; i++) {
		ck_assert_int_eq(vector_is_null(&slice, i), (64 + i) % 3 == 0);
		if ((64 + i) % 3)
			ck_assert_int_eq(vector_i64(&slice)[i],
					 (int64_t)(64 + i) - 5);
	}
	vector_release(&slice);
}
END_TEST

START_TEST(marks_add_up)
{
	const struct type type = type_of(TYPE_BIGINT);
	const uint32_t a[] = { 1, 2, 3 }, b[] = { 3, 4 };

	new_store(&type, 1);
	fill_numbers(0, 10);
	append_all();
	row_store_mark(store, a, 3, STORE_MARK_MATCHED);
	row_store_mark(store, b, 2, STORE_MARK_TAKEN);
	row_store_mark(store, b, 2, STORE_MARK_TAKEN);
	ck_assert_uint_eq(row_store_marked_count(store, STORE_MARK_MATCHED),
			  3);
	ck_assert_uint_eq(row_store_marked_count(store, STORE_MARK_TAKEN), 2);
	ck_assert_uint_eq(row_store_marked_count(
		store, STORE_MARK_MATCHED | STORE_MARK_TAKEN), 1);
}
END_TEST

static int write_rows(void *context, size_t index, struct error *e)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct row_store_writer *mine = NULL;
	const struct vector *list[1];
	struct batch own;
	int rc = batch_init_types(&own, &type, 1, e);

	(void)context;
	list[0] = &own.columns[0];
	if (!rc)
		rc = row_store_writer_new(&mine, store, e);
	for (int round = 0; !rc && round < 50; round++) {
		struct selection all = selection_all(1000);

		batch_reset(&own);
		rc = vector_reserve(&own.columns[0], 1000, e);
		for (size_t i = 0; !rc && i < 1000; i++)
			vector_i64(&own.columns[0])[i] = (int64_t)i;
		own.columns[0].count = own.row_count = 1000;
		own.origin = index & 1 ? "odd" : "even";
		own.first_row = index * 50000 + (size_t)round * 1000;
		if (!rc)
			rc = row_store_append(mine, list, &own, &all, NULL, e);
	}
	row_store_writer_free(mine);
	batch_release(&own);
	return rc;
}

START_TEST(several_threads_fill_one_store)
{
	const struct type type = type_of(TYPE_BIGINT);
	uint64_t lines_sum = 0;

	new_store(&type, 1);
	ck_ok(thread_run(4, write_rows, NULL, &err));
	ck_assert_uint_eq(row_store_row_count(store), 200000);
	for (size_t c = 0; c < row_store_chunk_count(store); c++)
		for (size_t i = 0; i < row_store_chunk(store, c)->row_count;
		     i++) {
			struct row_place place = row_store_place(store,
				(uint32_t)(c << STORE_CHUNK_BITS | i));

			lines_sum += place.line;
			ck_assert_str_eq(place.origin,
					 place.line / 50000 & 1 ? "odd"
								: "even");
		}
	ck_assert_uint_eq(lines_sum, UINT64_C(199999) * 200000 / 2);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	const struct type types[] = { type_of(TYPE_VARCHAR),
				      type_of(TYPE_BIGINT) };
	struct selection all = selection_all(3000);
	bool failed = true;

	ck_ok(batch_init_types(&batch, types, 2, &err));
	for (size_t i = 0; i < 3000; i++) {
		sample_append(&batch.columns[0], i);
		sample_append(&batch.columns[1], i % 2 ? i : SAMPLE_NULL);
	}
	batch.row_count = 3000;
	batch.origin = "x.csv";
	columns[0] = &batch.columns[0];
	columns[1] = &batch.columns[1];
	for (long n = 0; failed; n = next_fault(n)) {
		int rc;

		mem_fail_at(n);
		rc = row_store_new(&store, types, NULL, 2, &err);
		if (!rc)
			rc = row_store_writer_new(&writer, store, &err);
		if (!rc)
			rc = row_store_append(writer, columns, &batch, &all,
					      NULL, &err);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_int_lt(n, 200);
		mem_fail_at(-1);
		row_store_writer_free(writer);
		row_store_free(store);
		writer = NULL;
		store = NULL;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_store");
	TCase *tc = tcase_create("row_store");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, values_of_every_type_come_back_from_every_chunk);
	tcase_add_test(tc, only_selected_rows_are_appended);
	tcase_add_test(tc, a_batch_over_the_end_of_a_chunk_goes_on_in_the_next);
	tcase_add_test(tc, each_row_knows_its_input_and_line);
	tcase_add_test(tc, places_have_the_order_of_the_input);
	tcase_add_test(tc, a_column_that_is_not_stored_has_no_data);
	tcase_add_test(tc, a_slice_is_a_window_of_values_and_nulls);
	tcase_add_test(tc, marks_add_up);
	tcase_add_test(tc, several_threads_fill_one_store);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
