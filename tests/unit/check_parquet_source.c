/* check_parquet_source.c - row groups of several files, shared out */
#include "unit/csv_readback.h"

#define GROUP_ROWS 100
#define ROW_LIMIT 4000

static struct error err;
static struct memory_file files[2];
static const char *paths[2];
static struct parquet_input *input;
static struct batch_source *source;
static bool seen[ROW_LIMIT];

static void setup(void)
{
	error_init(&err);
	memset(seen, 0, sizeof(seen));
	files[0].descriptor = files[1].descriptor = -1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	batch_source_free(source);
	source = NULL;
	parquet_input_free(input);
	input = NULL;
	for (size_t i = 0; i < 2; i++)
		if (files[i].descriptor >= 0)
			memory_file_free(&files[i]);
}

/* Rows first .. end - 1: a number, and twice the number as the other. */
static void fill(struct vector *values, size_t first, size_t end)
{
	for (size_t c = 0; c < 2; c++) {
		vector_init(&values[c], type_of(TYPE_BIGINT));
		ck_assert_int_eq(vector_reserve(&values[c], end - first, &err),
				 0);
		values[c].count = end - first;
		for (size_t i = 0; i < end - first; i++)
			vector_i64(&values[c])[i] =
				(int64_t)((first + i) * (c + 1));
	}
}

/* A file of them, with the columns in the order of names. */
static struct text file_bytes(const char *const *names, const size_t *order,
			      size_t first, size_t end)
{
	struct text bytes = TEXT_INIT;
	struct parquet_options options;
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	struct output_file *file;
	struct schema schema;
	struct byte_view view;

	parquet_options_init(&options);
	schema_init(&schema);
	for (size_t c = 0; c < 2; c++)
		ck_assert_int_eq(schema_add_column(&schema, names[c],
					type_of(TYPE_BIGINT), &err), 0);
	ck_assert_int_eq(output_file_memory(&file, "sample", &err), 0);
	ck_assert_int_eq(parquet_encoder_new(&encoder, &schema, &options,
					     &err), 0);
	ck_assert_int_eq(parquet_writer_new(&writer, file, &schema, &options,
					    &err), 0);
	for (size_t at = first; at < end; at += GROUP_ROWS) {
		size_t stop = end - at < GROUP_ROWS ? end : at + GROUP_ROWS;
		struct selection all = selection_all(stop - at);
		struct encoded_row_group *group;
		const struct vector *columns[2];
		struct vector values[2];

		fill(values, at, stop);
		columns[0] = &values[order[0]];
		columns[1] = &values[order[1]];
		ck_assert_int_eq(parquet_encoder_add(encoder, columns, &all,
						     &err), 0);
		ck_assert_int_eq(parquet_encoder_finish(encoder, &group,
							&err), 0);
		ck_assert_int_eq(parquet_writer_append(writer, group, &err),
				 0);
		vector_release(&values[0]);
		vector_release(&values[1]);
	}
	ck_assert_int_eq(parquet_writer_finish(writer, &err), 0);
	view = output_file_memory_bytes(file);
	text_add(&bytes, (const char *)view.data, view.length);
	parquet_writer_free(writer);
	parquet_encoder_free(encoder);
	output_file_free(file);
	schema_release(&schema);
	return bytes;
}

/* 1050 rows in one file and 530 in another, whose columns are the other way
 * round and in other case. */
static void make_files(const char *second_name)
{
	static const char *const names[] = { "id", "twice" };
	const char *const others[] = { second_name, "ID" };
	static const size_t same[] = { 0, 1 }, turned[] = { 1, 0 };
	struct text bytes = file_bytes(names, same, 0, 1050);

	files[0] = memory_file_new(bytes.data, bytes.length);
	text_release(&bytes);
	bytes = file_bytes(others, turned, 1050, 1580);
	files[1] = memory_file_new(bytes.data, bytes.length);
	text_release(&bytes);
	paths[0] = files[0].path;
	paths[1] = files[1].path;
}

static int open_input(size_t count)
{
	return parquet_input_open(&input, paths, count, "/tmp", &err);
}

/* The rows of a batch have the values of their places. */
static size_t check_batch(const struct batch *batch, bool has_id)
{
	for (size_t i = 0; i < batch->row_count; i++) {
		uint64_t row = batch->first_row + i;

		ck_assert_uint_lt(row, ROW_LIMIT);
		ck_assert(!seen[row]);
		seen[row] = true;
		if (has_id)
			ck_assert_int_eq(vector_i64(&batch->columns[0])[i],
					 (int64_t)row);
		ck_assert_int_eq(vector_i64(&batch->columns[1])[i],
				 2 * (int64_t)row);
	}
	return batch->row_count;
}

/* All rows, from so many streams in turn. */
static int read_streams(size_t stream_count, bool has_id, size_t *rows_out)
{
	struct batch_stream *streams[4] = { NULL };
	size_t left = stream_count;
	int rc = 0;

	*rows_out = 0;
	for (size_t i = 0; i < stream_count && !rc; i++)
		rc = source->stream_new(source, &streams[i], &err);
	while (left && !rc) {
		left = stream_count;
		for (size_t i = 0; i < stream_count && !rc; i++) {
			struct batch *batch;

			rc = batch_stream_next(streams[i], &batch, &err);
			if (!rc && batch)
				*rows_out += check_batch(batch, has_id);
			left -= !rc && !batch;
		}
	}
	for (size_t i = 0; i < stream_count; i++)
		batch_stream_free(streams[i]);
	return rc;
}

START_TEST(each_row_comes_once_and_knows_its_place)
{
	size_t rows;

	make_files("TWICE");
	ck_assert_int_eq(open_input(2), 0);
	ck_assert_str_eq(parquet_input_schema(input)->columns[0].name, "id");
	/* the same input twice: a source may follow another */
	for (size_t round = 0; round < 2; round++) {
		memset(seen, 0, sizeof(seen));
		ck_assert_int_eq(parquet_source_new(&source, input, NULL, 3,
						    NULL, &err), 0);
		ck_assert_uint_eq(source->parallelism(source), 3);
		ck_assert_int_eq(read_streams(1 + (size_t)_i, true, &rows), 0);
		ck_assert_uint_eq(rows, 1580);
		batch_source_free(source);
		source = NULL;
	}
}
END_TEST

static bool is_odd_group(void *context, const struct parquet_reader *reader,
			 size_t group, const long *leaves)
{
	size_t *calls = context;

	(void)reader;
	++*calls;
	ck_assert_int_ge((int)leaves[0], 0);
	return group % 2;
}

START_TEST(rows_behind_groups_that_are_passed_over_keep_their_place)
{
	size_t rows, calls = 0;
	struct parquet_source_filter filter = { is_odd_group, &calls };

	make_files("twice");
	ck_assert_int_eq(open_input(2), 0);
	ck_assert_int_eq(parquet_source_new(&source, input, NULL, 1, &filter,
					    &err), 0);
	ck_assert_int_eq(read_streams(2, true, &rows), 0);
	/* groups 1, 3, .. 9 of 11, then 1, 3 and the short 5 of 6 */
	ck_assert_uint_eq(rows, 500 + 230);
	ck_assert_uint_eq(calls, 11 + 6);
	for (size_t row = 0; row < 1050; row++)
		ck_assert(seen[row] == (row / GROUP_ROWS % 2 == 1));
}
END_TEST

START_TEST(a_wanted_column_that_a_later_file_lacks_is_refused)
{
	static const bool first[] = { true, false }, second[] = { false, true };
	struct batch_stream *stream;
	struct batch *batch;
	size_t rows;
	int rc = 0;

	make_files("other");
	ck_assert_int_eq(open_input(2), 0);
	ck_assert_int_eq(parquet_source_new(&source, input, second, 1, NULL,
					    &err), 0);
	ck_assert_int_eq(read_streams(1, false, &rows), ERROR_UNKNOWN_COLUMN);
	ck_assert_uint_eq(rows, 1050);
	ck_assert_str_eq(err.field, "twice");
	ck_assert_str_eq(err.file, files[1].path);
	batch_source_free(source);
	source = NULL;
	ck_assert_int_eq(parquet_source_new(&source, input, first, 1, NULL,
					    &err), 0);
	ck_assert_int_eq(source->stream_new(source, &stream, &err), 0);
	for (rows = 0; !rc; rows += batch->row_count) {
		rc = batch_stream_next(stream, &batch, &err);
		if (rc || !batch)
			break;
	}
	batch_stream_free(stream);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(rows, 1580);
}
END_TEST

/* Bytes at the start of the first page, one after the other. */
START_TEST(a_damaged_page_is_an_error_with_its_file)
{
	static const char *const names[] = { "id", "twice" };
	static const size_t same[] = { 0, 1 };
	struct text bytes = file_bytes(names, same, 0, 150);
	size_t wrong = 0;

	for (size_t at = 4; at < 60; at++) {
		size_t rows;
		int rc;

		setup();
		bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
		files[0] = memory_file_new(bytes.data, bytes.length);
		bytes.data[at] = (char)(bytes.data[at] ^ 0x55);
		paths[0] = files[0].path;
		ck_assert_int_eq(open_input(1), 0);
		ck_assert_int_eq(parquet_source_new(&source, input, NULL, 1,
						    NULL, &err), 0);
		rc = read_streams(1, true, &rows);
		/* what is no part of any value may differ; an encoding
		 * that nobody knows is not supported */
		ck_assert_msg(rc == ERROR_CORRUPT || rc == ERROR_UNSUPPORTED ||
			      (rc == 0 && rows == 150), "byte %zu: %d: %s",
			      at, rc, err.text);
		if (rc)
			ck_assert_str_eq(err.file, files[0].path);
		wrong += rc != 0;
		teardown();
	}
	text_release(&bytes);
	setup();
	ck_assert_uint_gt(wrong, 28);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	int rc = -1;

	make_files("twice");
	for (long n = 0; rc; n++) {
		size_t rows = 0;

		memset(seen, 0, sizeof(seen));
		mem_fail_at(n);
		rc = open_input(2);
		if (!rc)
			rc = parquet_source_new(&source, input, NULL, 2, NULL,
						&err);
		if (!rc)
			rc = read_streams(2, true, &rows);
		mem_fail_at(-1);
		ck_assert_msg(rc == ERROR_NO_MEMORY ||
			      (rc == 0 && rows == 1580), "%d: %s", rc,
			      err.text);
		batch_source_free(source);
		source = NULL;
		parquet_input_free(input);
		input = NULL;
		ck_assert(n < 5000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_source");
	TCase *tc = tcase_create("parquet_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_row_comes_once_and_knows_its_place, 0, 4);
	tcase_add_test(tc,
		       rows_behind_groups_that_are_passed_over_keep_their_place);
	tcase_add_test(tc, a_wanted_column_that_a_later_file_lacks_is_refused);
	tcase_add_test(tc, a_damaged_page_is_an_error_with_its_file);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
