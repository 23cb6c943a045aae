/* check_csv_source.c - rows, lines, units and errors of whole inputs */
#include "unit/source_world.h"

static void setup(void)
{
	csv_options_init(&options);
	memset(&in, 0, sizeof(in));
	in.options = &options;
	in.thread_count = 1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	interrupt_reset();
	text_release(&in.rows);
}

START_TEST(a_bare_empty_field_is_null_and_quotes_make_it_text)
{
	read_text("a,b\n,\"\"\n\"\",\n x ,\"NULL\"\nNULL,\n");
	expect_rows("0@2|NULL|[]\n1@3|[]|NULL\n2@4|[ x ]|[NULL]\n"
		    "3@5|[NULL]|NULL\n");
	options.null_texts[options.null_text_count++] = "NULL";
	read_text("a,b\nNULL,\"NULL\"\nnull,\n\"\",NULL\r\n");
	expect_rows("0@2|NULL|[NULL]\n1@3|[null]|NULL\n2@4|[]|NULL\n");
}
END_TEST

START_TEST(line_breaks_in_quotes_are_data_and_count_as_lines)
{
	read_text("a,b\n\"x\ny\",1\n\"\r\",\"\r\n\n\"\r\nz,\"\"\"\"\n");
	expect_rows("0@2|[x[0a]y]|[1]\n1@4|[[0d]]|[[0d][0a][0a]]\n"
		    "2@7|[z]|[\"]\n");
}
END_TEST

START_TEST(empty_lines_are_skipped_but_not_in_a_one_column_file)
{
	read_text("\n\r\na,b\n\n1,2\r\n\r\n\n3,4\n\n");
	expect_rows("0@5|[1]|[2]\n1@8|[3]|[4]\n");
	read_text("a\n1\n\n\r\n2\n\n");
	expect_rows("0@2|[1]\n1@3|NULL\n2@4|NULL\n3@5|[2]\n4@6|NULL\n");
	options.has_header = false;
	read_text("\n\n");
	expect_rows("0@1|NULL\n1@2|NULL\n");
}
END_TEST

START_TEST(a_file_of_only_a_header_has_no_rows)
{
	read_text("a,b\n");
	expect_rows("");
	read_text("a,b");
	expect_rows("");
	read_text("a,b\n\n\n");
	expect_rows("");
}
END_TEST

START_TEST(a_trailing_delimiter_is_accepted_if_every_line_has_it)
{
	read_text("a,b,\n1,2,\n3,,\r\n");
	expect_rows("0@2|[1]|[2]\n1@3|[3]|NULL\n");
	read_text("a,b,\n1,2,\n3,4\n");
	expect_error(ERROR_RAGGED_ROW, 3, "has 2 fields, expected are 3");
	read_text("a,b,\n1,2,x\n");
	expect_error(ERROR_RAGGED_ROW, 2, "has 3 fields, expected are 2");
	read_text("a,b\n1,2,\n");
	expect_error(ERROR_RAGGED_ROW, 2, "has 3 fields, expected are 2");
}
END_TEST

START_TEST(wrong_records_are_refused_with_their_line)
{
	read_text("a,b\n1,2\n\"x\ny\",2,3\n");
	expect_error(ERROR_RAGGED_ROW, 3, "has 3 fields, expected are 2");
	read_text("a,b\n1,2\n\"x\ny\"\n");
	expect_error(ERROR_RAGGED_ROW, 3, "has 1 field, expected are 2");
	read_text("a,b\n1,2\n3,\"x\n\n");
	expect_error(ERROR_BAD_CSV, 3, "opens here is never closed");
	read_text("a,b\n1,2\n3,x\"\n");
	expect_error(ERROR_BAD_CSV, 3, "quote inside a field");
	read_text("a,b\n1,\"2\n\"x\n");
	expect_error(ERROR_BAD_CSV, 3, "after the closing quote");
	read_text("a,b\n1,2\rx,y\n");
	expect_error(ERROR_BAD_CSV, 2, "carriage return");
	read_text("a,b\n1,2\r");
	expect_error(ERROR_BAD_CSV, 2, "carriage return");
	read_text("a,b\n1,\xc3\n");
	expect_error(ERROR_BAD_ENCODING, 2, "column b");
	ck_assert_str_eq(in.err.field, "b");
}
END_TEST

START_TEST(a_nul_byte_is_data)
{
	text_release(&in.rows);
	readback_bytes(&in, "a,b\n\0,x\0y\n", 10);
	expect_rows("0@2|[[00]]|[x[00]y]\n");
}
END_TEST

START_TEST(values_that_do_not_convert_name_file_line_column_and_value)
{
	const struct type types[] = { type_of(TYPE_INTEGER),
				      type_decimal(4, 2) };

	in.types = types;
	in.type_count = 2;
	read_text("id,price\n1,2.50\n\n2,abc\nx,1\n");
	expect_error(ERROR_CAST, 4, "value 'abc' of column price does not "
		     "convert to DECIMAL(4,2)");
	ck_assert_str_eq(in.err.field, "price");
	read_text("id,price\n2147483648,1\n");
	expect_error(ERROR_CAST, 2, "'2147483648' of column id");
	read_text("id,price\n1,100\n");
	expect_error(ERROR_CAST, 2, "'100' of column price");
	read_text("id,price\n1,1.234\n");
	expect_error(ERROR_CAST, 2, "'1.234'");
	read_text("id,price\n\"\",1\n");
	expect_error(ERROR_CAST, 2, "value '' of column id");
	read_text("id,price\n 1,1\n");
	expect_error(ERROR_CAST, 2, "value ' 1'");
	/* the earlier row, then the earlier column */
	read_text("id,price\n1,1\nx,y\nz,w\n");
	expect_error(ERROR_CAST, 3, "value 'x' of column id");
	read_text("id,price\n1,1\n2,y\nz,3\n");
	expect_error(ERROR_CAST, 3, "value 'y' of column price");
	/* a value is shown in part, a wrong record after it does not count */
	read_text("id,price\n"
		  "0123456789012345678901234567890123456789012345678901234567"
		  "8901234567890123456789012345678901234567890123456789,1\n"
		  "1\"2,3\n");
	expect_error(ERROR_CAST, 2, "6789...' of column id");
}
END_TEST

START_TEST(an_unwanted_column_is_checked_for_structure_only)
{
	const struct type types[] = { type_of(TYPE_INTEGER) };
	const bool wanted[] = { false, true, false };

	in.types = types;
	in.type_count = 1;
	in.wanted = wanted;
	read_text("a,b,c\nx,1,\xff\n,2,\"\n\"\n");
	expect_rows("0@2|[1]\n1@3|[2]\n");
	read_text("a,b,c\nx,1\n");
	expect_error(ERROR_RAGGED_ROW, 2, "2 fields, expected are 3");
}
END_TEST

static void read_files(const char *const *texts, size_t count)
{
	struct memory_file files[8];
	const char *paths[8];

	for (size_t i = 0; i < count; i++) {
		files[i] = memory_file_new(texts[i], strlen(texts[i]));
		paths[i] = files[i].path;
	}
	in.paths = paths;
	in.path_count = count;
	text_release(&in.rows);
	readback(&in);
	if (in.rc)	/* which of the files it was: a, b, c */
		for (size_t i = 0; i < count; i++)
			if (strcmp(in.err.file, paths[i]) == 0)
				snprintf(in.err.file, sizeof(in.err.file),
					 "%c", (char)('a' + i));
	for (size_t i = 0; i < count; i++)
		memory_file_free(&files[i]);
}

START_TEST(several_files_are_matched_by_their_own_headers)
{
	const char *const texts[] = {
		"id,Name\n1,x\n", "\xef\xbb\xbfNAME,extra,ID\r\ny,\"\n\",2\r\n"
		",,3", "id,name\n", "name,id,\n\nz,4,\n",
	};

	in.thread_count = 1 + (size_t)_i % 4;
	options.chunk_bytes = (size_t)_i / 4;
	read_files(texts, 4);
	expect_rows("0@2|[1]|[x]\n1@2|[2]|[y]\n2@4|[3]|NULL\n"
		    "3@3|[4]|[z]\n");
}
END_TEST

START_TEST(a_later_file_is_refused_by_name)
{
	const char *const missing[] = { "id,name\n1,x\n", "id\n2\n" };
	const char *const empty[] = { "id,name\n1,x\n", "" };
	const char *const twice[] = { "id,name\n", "id,Id,name\n" };
	const char *const ragged[] = { "id,name\n1,x\n", "name,id\n1,2\n3\n" };
	const bool wanted[] = { true, false };

	read_files(missing, 2);
	expect_error(ERROR_UNKNOWN_COLUMN, 1, "no column 'name'");
	ck_assert_str_eq(in.err.file, "b");
	ck_assert_str_eq(in.err.field, "name");
	in.wanted = wanted;
	read_files(missing, 2);
	expect_rows("0@2|[1]\n1@2|[2]\n");
	read_files(empty, 2);
	expect_error(ERROR_BAD_CSV, 0, "empty");
	read_files(twice, 2);
	expect_error(ERROR_DUPLICATE_HEADER, 1, "twice");
	read_files(ragged, 2);
	expect_error(ERROR_RAGGED_ROW, 3, "1 field, expected are 2");
	ck_assert_str_eq(in.err.file, "b");
}
END_TEST

START_TEST(files_without_headers_go_by_position)
{
	const char *const texts[] = { "1,x\n", "2,y\n3,z" };
	const char *const uneven[] = { "1,x\n", "2,y,z\n" };

	options.has_header = false;
	read_files(texts, 2);
	expect_rows("0@1|[1]|[x]\n1@1|[2]|[y]\n2@2|[3]|[z]\n");
	read_files(uneven, 2);
	expect_error(ERROR_RAGGED_ROW, 1, "3 fields, expected are 2");
	ck_assert_str_eq(in.err.file, "b");
}
END_TEST

/* Rows of 10 bytes; row `wrong` (from 0) does not convert. */
static void make_rows(struct text *text, unsigned count, unsigned wrong)
{
	text_add_str(text, "id,b\n");
	for (unsigned i = 0; i < count; i++)
		text_addf(text, i >= wrong ? "x%06u,y\n" : "%07u,y\n", i);
}

START_TEST(the_first_wrong_row_wins_over_all_threads)
{
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	struct text text = TEXT_INIT;
	char value[40];

	in.types = types;
	in.type_count = 2;
	in.thread_count = 4;
	options.chunk_bytes = 64 + (size_t)_i * 100;
	/* all rows from 500 + 7i on are wrong: threads meet many at once */
	make_rows(&text, 3000, 500 + 7 * (unsigned)_i);
	readback_bytes(&in, text.data, text.length);
	snprintf(value, sizeof(value), "'x%06u'", 500 + 7 * _i);
	expect_error(ERROR_CAST, 502 + 7 * (uint64_t)_i, value);
	text_release(&text);
}
END_TEST

static struct batch_source *open_source(const char *text, size_t threads,
					struct memory_file *file)
{
	struct batch_source *source;
	const char *path;

	*file = memory_file_new(text, strlen(text));
	path = file->path;
	in.paths = &path;
	in.path_count = 1;
	in.thread_count = threads;
	ck_assert_int_eq(readback_source(&in, &source), 0);
	in.paths = NULL;
	return source;
}

START_TEST(an_error_is_told_though_another_stream_stands_still)
{
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	struct batch_stream *first, *second;
	struct batch_source *source;
	struct memory_file file;
	struct batch *batch;
	struct error err;

	/* chunks of two rows; one stream holds the first, never finished */
	in.types = types;
	in.type_count = 2;
	options.chunk_bytes = 8;
	source = open_source("a,b\n1,x\n2,y\n3,x\nw,y\n", 2, &file);
	ck_ok(source->stream_new(source, &first, &err));
	ck_ok(source->stream_new(source, &second, &err));
	ck_ok(batch_stream_next(first, &batch, &err));
	ck_assert_uint_eq(batch->row_count, 2);
	ck_assert_int_eq(batch_stream_next(second, &batch, &err), ERROR_CAST);
	ck_assert_uint_eq(err.line, 5);
	ck_assert_ptr_null(batch);
	/* from then on it is everybody's */
	ck_assert_int_eq(batch_stream_next(first, &batch, &err), ERROR_CAST);
	ck_assert_uint_eq(err.line, 5);
	batch_stream_free(first);
	batch_stream_free(second);
	batch_source_free(source);
	memory_file_free(&file);
}
END_TEST

START_TEST(an_earlier_error_in_a_chunk_of_another_stream_is_found)
{
	const struct type types[] = { type_of(TYPE_BIGINT) };
	struct text text = TEXT_INIT;
	struct batch_stream *first, *second;
	struct batch_source *source;
	struct memory_file file;
	struct batch *batch;
	struct error err;

	/* chunk 0: 5000 rows, the last wrong; chunk 1 begins wrong */
	in.types = types;
	in.type_count = 1;
	options.chunk_bytes = 10000;
	text_add_str(&text, "a\n");
	for (unsigned i = 0; i < 5000; i++)
		text_add_str(&text, i == 4999 ? "x\n" : "1\n");
	text_add_str(&text, "y\n");
	source = open_source(text.data, 2, &file);
	ck_ok(source->stream_new(source, &first, &err));
	ck_ok(source->stream_new(source, &second, &err));
	ck_ok(batch_stream_next(first, &batch, &err));
	ck_assert_uint_eq(batch->row_count, BATCH_ROW_COUNT);
	ck_assert_int_eq(batch_stream_next(second, &batch, &err), ERROR_CAST);
	ck_assert_uint_eq(err.line, 5001);
	ck_assert_ptr_nonnull(strstr(err.text, "'x'"));
	batch_stream_free(first);
	batch_stream_free(second);
	batch_source_free(source);
	memory_file_free(&file);
	text_release(&text);
}
END_TEST

START_TEST(a_tiny_input_keeps_one_stream_busy)
{
	struct memory_file file;
	struct batch_source *source = open_source("a\n1\n", 4, &file);

	ck_assert_uint_eq(source->parallelism(source), 1);
	ck_assert_uint_eq(source->schema(source)->column_count, 1);
	batch_source_free(source);
	memory_file_free(&file);
	options.chunk_bytes = 16;
	source = open_source("a\n1234567890123456789012345678901234567890\n"
			     "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", 2,
			     &file);
	ck_assert_uint_eq(source->parallelism(source), 2);
	batch_source_free(source);
	memory_file_free(&file);
}
END_TEST

START_TEST(a_pipe_is_read_and_its_size_not_asked)
{
	struct csv_input *input;
	struct batch_source *source;
	struct type type = type_of(TYPE_BIGINT);
	struct batch_stream *stream;
	struct batch *batch;
	struct error err;
	char path[40];
	const char *paths = path;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq((int)write(ends[1], "a\n5\n6\n", 6), 6);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	ck_ok(csv_input_open(&input, &paths, 1, &options, &err));
	ck_assert_uint_eq(csv_input_bytes(input), 0);
	/* NULL = all columns */
	ck_ok(csv_source_new(&source, input, &type, NULL, 4, &err));
	ck_assert_uint_eq(source->parallelism(source), 1);
	ck_ok(source->stream_new(source, &stream, &err));
	ck_ok(batch_stream_next(stream, &batch, &err));
	ck_assert_uint_eq(batch->row_count, 2);
	ck_assert_int_eq(vector_i64(&batch->columns[0])[1], 6);
	ck_assert_uint_eq(csv_source_bytes_read(source), 6);
	ck_ok(batch_stream_next(stream, &batch, &err));
	ck_assert_ptr_null(batch);
	batch_stream_free(stream);
	batch_source_free(source);
	close(ends[0]);
}
END_TEST

/* A MAP(VARCHAR, ARRAY(INTEGER)), which a caller has for a while. */
static struct type map_type(void)
{
	static struct column_def element = { .name = (char *)"element" };
	static struct column_def entry[2] = { { .name = (char *)"key" },
					      { .name = (char *)"value" } };
	struct type type = type_of(TYPE_MAP);

	element.type = type_of(TYPE_INTEGER);
	entry[0].type = type_of(TYPE_VARCHAR);
	entry[1].type = type_of(TYPE_ARRAY);
	entry[1].type.fields = &element;
	entry[1].type.field_count = 1;
	type.fields = entry;
	type.field_count = 2;
	return type;
}

START_TEST(a_nested_value_is_its_json_text)
{
	struct type type = map_type();

	in.types = &type;
	in.type_count = 1;
	read_text("a,b\n{},\nnull,\"{ \"\"x\"\": [1,null] }\"\n");
	expect_rows("0@2|[{}]|NULL\n"
		    "1@3|NULL|[{\"x\":[5b]1,null[5d]}]\n");
	read_text("a\n{}\n{\"x\":[1}\n");
	expect_error(ERROR_BAD_CSV, 3, "quote inside a field");
	read_text("a\n{}\n\"{\"\"x\"\":[1}\"\n");
	expect_error(ERROR_CAST, 3, "malformed JSON: expected a comma");
	read_text("a\n\n\"{\"\"x\"\":[1,\"\"y\"\"]}\"\n");
	expect_error(ERROR_CAST, 3, "column a of type MAP(VARCHAR, ARRAY("
		     "INTEGER)): key 'x': element 2: 'y' does not convert");
	ck_assert_str_eq(in.err.field, "a");
	read_text("a\n\"\"\n");
	expect_error(ERROR_CAST, 2, "malformed JSON");
	read_text("a\n\"{\"\"x\xff\"\":[]}\"\n");
	expect_error(ERROR_BAD_ENCODING, 2, "is not UTF-8: byte 0xFF");
}
END_TEST

/* Of several wrong values the first is named, also the one that only packing
 * refuses, and a wrong column before or behind it. */
START_TEST(a_nested_value_far_inside_is_the_first_that_is_reported)
{
	struct type types[2] = { map_type(), type_of(TYPE_INTEGER) };
	struct text text = TEXT_INIT;

	in.types = types;
	in.type_count = 2;
	text_add_str(&text, "a,b\n");
	for (int i = 2; i <= 10000; i++)
		text_addf(&text, "\"{\"\"x\"\":[],\"\"%s\"\":[%d]}\",%s\n",
			  i == 7000 || i == 9000 ? "x" : "y", i,
			  i == 7001 ? "z" : "1");
	read_text(text.data);
	expect_error(ERROR_CAST, 7000, "a map has the key x twice");
	text_release(&text);
}
END_TEST

START_TEST(an_input_that_no_source_is_made_of_stays_the_callers)
{
	int rc = -1;

	for (long n = 0; rc; n++) {
		text_release(&in.rows);
		mem_fail_at(n);
		read_text("a,b\n1,2\n");
		mem_fail_at(-1);
		rc = in.rc;
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		ck_assert(n < 1000);
	}
}
END_TEST

START_TEST(a_signal_ends_the_reading)
{
	interrupt_request(2);
	read_text("a\n1\n");
	ck_assert_int_eq(in.rc, ERROR_INTERRUPTED);
}
END_TEST

START_TEST(a_stray_quote_does_not_make_it_read_everything)
{
	struct text text = TEXT_INIT;
	struct batch_stream *stream;
	struct batch_source *source;
	struct memory_file file;
	struct batch *batch;
	struct error err;

	text_add_str(&text, "a,b\n1,x\"y\n");
	for (unsigned i = 0; i < 1000000; i++)
		text_add_str(&text, "12345,6\n");
	options.chunk_bytes = 4096;
	source = open_source(text.data, 1, &file);
	ck_ok(source->stream_new(source, &stream, &err));
	ck_assert_int_eq(batch_stream_next(stream, &batch, &err),
			 ERROR_BAD_CSV);
	ck_assert_uint_eq(err.line, 2);
	ck_assert_uint_lt(csv_source_bytes_read(source), 300000);
	batch_stream_free(stream);
	batch_source_free(source);
	memory_file_free(&file);
	text_release(&text);
}
END_TEST

/* Rows of the file until it ends or fails, without looking at them. */
static int count_rows(const char *path, uint64_t *rows, struct error *err)
{
	struct batch_source *source;
	struct batch_stream *stream;
	struct batch *batch;
	int rc;

	*rows = 0;
	in.paths = &path;
	in.path_count = 1;
	rc = readback_source(&in, &source);
	if (rc)
		return rc;
	rc = source->stream_new(source, &stream, err);
	while (!rc && (rc = batch_stream_next(stream, &batch, err)) == 0 &&
	       batch)
		*rows += batch->row_count;
	batch_stream_free(stream);
	batch_source_free(source);
	return rc;
}

START_TEST(each_failed_allocation_is_reported)
{
	struct text text = TEXT_INIT;
	struct memory_file file;
	struct error err;
	uint64_t rows;
	int rc;

	text_add_str(&text, "a,b\n");
	for (unsigned i = 0; i < 40; i++)
		text_add_str(&text, "1,\"x\"\"y\"\n,\n\n");
	text_add_str(&text, "\"q\"\"\",2\n");
	file = memory_file_new(text.data, text.length);
	options.chunk_bytes = 100;
	options.force_reference = _i % 2;
	mem_fail_at(_i / 2);
	rc = count_rows(file.path, &rows, &err);
	mem_fail_at(-1);
	/* libcsv asks again for less, so that one failure may pass */
	if (rc == 0)
		ck_assert_uint_eq(rows, 81);
	else
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	if (_i < 20)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	memory_file_free(&file);
	text_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_source");
	TCase *tc = tcase_create("csv_source");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_bare_empty_field_is_null_and_quotes_make_it_text);
	tcase_add_test(tc, line_breaks_in_quotes_are_data_and_count_as_lines);
	tcase_add_test(tc,
		empty_lines_are_skipped_but_not_in_a_one_column_file);
	tcase_add_test(tc, a_file_of_only_a_header_has_no_rows);
	tcase_add_test(tc,
		a_trailing_delimiter_is_accepted_if_every_line_has_it);
	tcase_add_test(tc, wrong_records_are_refused_with_their_line);
	tcase_add_test(tc, a_nul_byte_is_data);
	tcase_add_test(tc,
		values_that_do_not_convert_name_file_line_column_and_value);
	tcase_add_test(tc, an_unwanted_column_is_checked_for_structure_only);
	tcase_add_loop_test(tc, several_files_are_matched_by_their_own_headers,
			    0, 60);
	tcase_add_test(tc, a_later_file_is_refused_by_name);
	tcase_add_test(tc, files_without_headers_go_by_position);
	tcase_add_loop_test(tc, the_first_wrong_row_wins_over_all_threads, 0,
			    30);
	tcase_add_test(tc,
		an_error_is_told_though_another_stream_stands_still);
	tcase_add_test(tc,
		an_earlier_error_in_a_chunk_of_another_stream_is_found);
	tcase_add_test(tc, a_tiny_input_keeps_one_stream_busy);
	tcase_add_test(tc, a_pipe_is_read_and_its_size_not_asked);
	tcase_add_test(tc,
		an_input_that_no_source_is_made_of_stays_the_callers);
	tcase_add_test(tc, a_nested_value_is_its_json_text);
	tcase_add_test(tc,
		a_nested_value_far_inside_is_the_first_that_is_reported);
	tcase_add_test(tc, a_signal_ends_the_reading);
	tcase_add_test(tc, a_stray_quote_does_not_make_it_read_everything);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 160);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
