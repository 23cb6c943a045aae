/*
 * Rows on disk: all come back, each once, with values, place and joinable,
 * rows of one key in one partition.
 */
#include "unit/join_sample.h"

#define ROWS 9000

static struct spill *spill;
static struct spill_writer *writer;
static struct row_store *back;
static struct batch batch;
static struct type types[15];
static const struct vector *columns[15];
static size_t type_count;
static uint64_t numbers[ROWS][15];
static uint64_t lines[BATCH_ROW_COUNT];

static void setup(void)
{
	static const size_t keys[] = { 2, 0 };
	struct spill_options options = { .directory = "/tmp", .types = types,
					 .key_columns = keys,
					 .key_count = 2 };
	const struct type *all = sample_types(&type_count);

	error_init(&err);
	sample_state = 3;
	memcpy(types, all, type_count * sizeof(*all));
	options.column_count = type_count;
	ck_ok(spill_new(&spill, &options, &err));
	ck_ok(spill_writer_new(&writer, spill, &err));
	ck_ok(row_store_new(&back, types, NULL, type_count, &err));
	ck_ok(batch_init_types(&batch, types, type_count, &err));
	for (size_t i = 0; i < type_count; i++)
		columns[i] = &batch.columns[i];
}

static void teardown(void)
{
	mem_fail_at(-1);
	spill_writer_free(writer);
	spill_free(spill);
	row_store_free(back);
	batch_release(&batch);
}

/* Rows first .. first + count - 1, joinable if their number is even. */
static void fill_batch(size_t first, size_t count, uint8_t *joinable)
{
	batch_reset(&batch);
	for (size_t i = 0; i < count; i++) {
		joinable[i] = (first + i) % 2 == 0;
		lines[i] = 2 + first + i;
		for (size_t c = 0; c < type_count; c++) {
			numbers[first + i][c] = sample_number(60);
			sample_append(&batch.columns[c],
				      numbers[first + i][c]);
		}
	}
	batch.row_count = count;
	batch.origin = first % 2000 ? "b.csv" : "a.csv";
	batch.lines = lines;
}

static void check_row(struct store_chunk *chunk, size_t i, size_t n)
{
	for (size_t c = 0; c < type_count; c++) {
		struct literal got = vector_get(&chunk->columns[c], i), want;
		uint64_t number = numbers[n][c];

		ck_assert_int_eq(got.is_null, number == SAMPLE_NULL);
		if (got.is_null)
			continue;
		want = sample_value(types[c], number);
		ck_assert_int_eq(literal_compare(&got, &want), 0);
	}
	ck_assert_int_eq(chunk->joinable[i], n % 2 == 0);
}

static size_t key_class(uint64_t number)
{
	return number == SAMPLE_NULL ? 60 : number;
}

/* Read all partitions; every row once, a key in one partition only. */
static void check_back(bool has_lines)
{
	static uint8_t partition_of[61 * 61];
	static bool seen[ROWS];
	size_t total = 0;

	memset(partition_of, 0, sizeof(partition_of));
	memset(seen, 0, sizeof(seen));
	for (size_t p = 0; p < SPILL_PARTITIONS; p++) {
		row_store_free(back);
		ck_ok(row_store_new(&back, types, NULL, type_count, &err));
		ck_ok(spill_read(spill, p, back, &err));
		for (size_t c = 0; c < row_store_chunk_count(back); c++) {
			struct store_chunk *chunk = row_store_chunk(back, c);

			for (size_t i = 0; i < chunk->row_count; i++) {
				struct row_place place = row_store_place(back,
					(uint32_t)(c << STORE_CHUNK_BITS | i));
				size_t n = place.line - (has_lines ? 2 : 0);
				uint8_t *mine = &partition_of[
					key_class(numbers[n][2]) * 61 +
					key_class(numbers[n][0])];

				ck_assert_uint_lt(n, ROWS);
				ck_assert(!seen[n]);
				seen[n] = true;
				total++;
				check_row(chunk, i, n);
				ck_assert_int_eq(place.is_line, has_lines);
				ck_assert_str_eq(place.origin,
						 n / 1000 % 2 ? "b.csv"
							      : "a.csv");
				ck_assert(*mine == 0 || *mine == p + 1);
				*mine = (uint8_t)(p + 1);
			}
		}
	}
	ck_assert_uint_eq(total, ROWS);
}

START_TEST(rows_of_batches_come_back_once_and_whole)
{
	uint8_t joinable[1000];

	for (size_t i = 0; i < ROWS; i += 1000) {
		fill_batch(i, 1000, joinable);
		ck_ok(spill_append(writer, columns, &batch, joinable, &err));
	}
	ck_ok(spill_writer_finish(writer, &err));
	ck_assert_uint_gt(spill_bytes(spill), ROWS * 50);
	check_back(true);
}
END_TEST

START_TEST(rows_of_a_store_come_back_once_and_whole)
{
	struct row_store *store;
	struct row_store_writer *to;
	uint8_t joinable[1000];

	ck_ok(row_store_new(&store, types, NULL, type_count, &err));
	ck_ok(row_store_writer_new(&to, store, &err));
	for (size_t i = 0; i < ROWS; i += 1000) {
		struct selection all = selection_all(1000);

		fill_batch(i, 1000, joinable);
		batch.lines = NULL;	/* numbers of rows, no lines */
		batch.first_row = i;
		ck_ok(row_store_append(to, columns, &batch, &all, joinable,
				       &err));
	}
	ck_ok(spill_store(writer, store, &err));
	row_store_writer_free(to);
	row_store_free(store);
	ck_ok(spill_writer_finish(writer, &err));
	check_back(false);
}
END_TEST

START_TEST(wide_text_is_written_before_it_fills_memory)
{
	struct spill_options options = { .directory = "/tmp",
					 .types = &types[2],
					 .column_count = 1 };
	static char text[4096];
	struct spill *wide;
	struct spill_writer *to;
	const struct vector *column;
	struct vector values;
	struct batch rows = { .row_count = 1000 };

	vector_init(&values, types[2]);
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < 1000; i++) {
		struct literal value = literal_null(types[2]);

		value.is_null = false;
		value.value.bytes = byte_view(text, sizeof(text));
		ck_ok(vector_append(&values, &value, &err));
	}
	column = &values;
	ck_ok(spill_new(&wide, &options, &err));
	ck_ok(spill_writer_new(&to, wide, &err));
	ck_ok(spill_append(to, &column, &rows, NULL, &err));
	/* no key: all rows are in one partition; 4 MB have been written */
	ck_assert_uint_gt(spill_bytes(wide), 3000000);
	spill_writer_free(to);
	spill_free(wide);
	vector_release(&values);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_an_error)
{
	struct spill_options options = { .directory = "/nonexistent/folder",
					 .types = types, .column_count = 1 };
	struct spill *none;

	ck_assert_int_eq(spill_new(&none, &options, &err), ERROR_IO);
	ck_assert_ptr_null(none);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	static const size_t keys[] = { 0 };
	struct spill_options options = { .directory = "/tmp", .types = types,
					 .column_count = 3,
					 .key_columns = keys,
					 .key_count = 1 };
	uint8_t joinable[1000];
	bool failed = true;

	fill_batch(0, 1000, joinable);
	for (long n = 0; failed; n = next_fault(n + (n < 20 ? 0 : 36))) {
		struct spill *other = NULL;
		struct spill_writer *to = NULL;
		struct row_store *store = NULL;
		int rc;

		mem_fail_at(n);
		rc = spill_new(&other, &options, &err);
		if (!rc)
			rc = spill_writer_new(&to, other, &err);
		if (!rc)
			rc = spill_append(to, columns, &batch, joinable, &err);
		if (!rc)
			rc = spill_writer_finish(to, &err);
		if (!rc)
			rc = row_store_new(&store, types, NULL, 3, &err);
		for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++)
			rc = spill_read(other, p, store, &err);
		failed = rc != 0;
		mem_fail_at(-1);
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		row_store_free(store);
		spill_writer_free(to);
		spill_free(other);
		ck_assert_int_lt(n, 20000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("join_spill");
	TCase *tc = tcase_create("join_spill");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, rows_of_batches_come_back_once_and_whole);
	tcase_add_test(tc, rows_of_a_store_come_back_once_and_whole);
	tcase_add_test(tc, wide_text_is_written_before_it_fills_memory);
	tcase_add_test(tc, a_folder_that_is_not_there_is_an_error);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
