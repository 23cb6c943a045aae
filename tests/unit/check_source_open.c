/* check_source_open.c - headers: names, dialects, and what is refused */
#include "unit/csv_readback.h"

static struct error err;
static struct csv_options options;
static struct csv_input *input;

static void setup(void)
{
	error_init(&err);
	csv_options_init(&options);
	input = NULL;
}

static void teardown(void)
{
	mem_fail_at(-1);
	csv_input_free(input);
}

static int open_bytes(const void *data, size_t length)
{
	struct memory_file file = memory_file_new(data, length);
	const char *path = file.path;
	int rc;

	csv_input_free(input);
	rc = csv_input_open(&input, &path, 1, &options, &err);
	memory_file_free(&file);
	return rc;
}

static int open_text(const char *text)
{
	return open_bytes(text, strlen(text));
}

static void expect_names(const char *joined)
{
	struct text names = TEXT_INIT;

	for (size_t i = 0; i < csv_input_column_count(input); i++)
		text_addf(&names, "[%s]", csv_input_column_name(input, i));
	ck_assert_str_eq(names.data, joined);
	text_release(&names);
}

START_TEST(names_are_the_fields_of_the_header_as_they_are)
{
	ck_ok(open_text("id,Name, x ,\"a,\"\"b\",\xc3\xa9\n1,2,3,4,5\n"));
	expect_names("[id][Name][ x ][a,\"b][\xc3\xa9]");
	ck_assert_uint_eq(csv_input_bytes(input), 33);
	ck_ok(open_text("one line without end"));
	expect_names("[one line without end]");
	ck_ok(open_text("a,\"two\nlines\"\r\n"));
	expect_names("[a][two\nlines]");
}
END_TEST

START_TEST(a_byte_order_mark_is_no_part_of_a_name)
{
	ck_ok(open_text("\xef\xbb\xbfid,b\n"));
	expect_names("[id][b]");
	ck_ok(open_text("\xef\xbb\xbf\"id\",b\n"));
	expect_names("[id][b]");
}
END_TEST

START_TEST(a_delimiter_at_the_end_makes_no_column)
{
	ck_ok(open_text("a,b,\n1,2,\n"));
	expect_names("[a][b]");
	ck_ok(open_text("a,b,\"\"\n"));
	expect_names("[a][b][]");
	ck_ok(open_text("a,,b\n"));
	expect_names("[a][][b]");
}
END_TEST

START_TEST(without_a_header_columns_are_numbered)
{
	options.has_header = false;
	ck_ok(open_text("1,x,\n2,y,\n"));
	expect_names("[column1][column2][column3]");
	ck_ok(open_text("\n\n"));
	expect_names("[column1]");
}
END_TEST

START_TEST(lines_before_the_header_are_skipped)
{
	options.skip_lines = 2;
	ck_ok(open_text("\xef\xbb\xbfreport \"x\n\n\r\n\na;b,c\n"));
	expect_names("[a;b][c]");
	ck_assert_int_eq(open_text("one\n"), ERROR_BAD_CSV);
	ck_assert_uint_eq(err.line, 2);
	ck_assert_int_eq(open_text("one\ntwo\n"), ERROR_BAD_CSV);
	ck_assert_ptr_nonnull(strstr(err.text, "no header"));
}
END_TEST

START_TEST(delimiter_and_quote_are_as_said)
{
	options.delimiter = ';';
	options.quote = '\'';
	ck_ok(open_text("a;'b;c';\"d\"\n"));
	expect_names("[a][b;c][\"d\"]");
	options.quote = 0;
	ck_ok(open_text("a;'b;c';\"d\n"));
	expect_names("[a]['b][c'][\"d]");
}
END_TEST

START_TEST(dialects_that_cannot_be_are_refused)
{
	static const char wrong[][2] = {
		{ 0, '"' }, { '\n', '"' }, { '\r', '"' }, { '"', '"' },
		{ '\x80', '"' }, { ',', '\n' }, { ',', '\r' },
		{ ',', '\xff' },
	};

	options.delimiter = wrong[_i][0];
	options.quote = wrong[_i][1];
	ck_assert_int_eq(open_text("a,b\n"), ERROR_USAGE);
	ck_assert_ptr_null(input);
}
END_TEST

struct bad_head {
	const char *bytes;
	size_t length;
	int code;
	uint64_t line;
	const char *text;
};

static const struct bad_head bad_heads[] = {
	{ "", 0, ERROR_BAD_CSV, 0, "empty" },
	{ "\xef\xbb\xbf", 3, ERROR_BAD_CSV, 0, "empty" },
	{ "\n\n", 2, ERROR_BAD_CSV, 3, "no header" },
	{ "a,b,A\n", 6, ERROR_DUPLICATE_HEADER, 1, "column" },
	{ "\na,\"a\"\n", 7, ERROR_DUPLICATE_HEADER, 2, "twice" },
	{ "a,\xff\n", 5, ERROR_BAD_ENCODING, 1, "column 2" },
	{ "\xff\xfe""a\0", 4, ERROR_BAD_ENCODING, 1, "UTF-16" },
	{ "\xfe\xff\0a", 4, ERROR_BAD_ENCODING, 1, "UTF-16" },
	{ "a,b\0c\n", 6, ERROR_BAD_CSV, 1, "NUL" },
	{ "a,b\"c\n", 6, ERROR_BAD_CSV, 1, "quote inside" },
	{ "a\n", 2, 0, 0, "" },
	{ "x,\"y\nz,\n", 8, ERROR_BAD_CSV, 1, "never closed" },
	{ "a\rb\n", 4, ERROR_BAD_CSV, 1, "carriage return" },
	{ "\"a\"b\n", 5, ERROR_BAD_CSV, 1, "after the closing" },
};

START_TEST(heads_that_cannot_be_read_name_the_line)
{
	const struct bad_head *bad = &bad_heads[_i];

	ck_assert_int_eq(open_bytes(bad->bytes, bad->length), bad->code);
	if (!bad->code)
		return;
	ck_assert_ptr_null(input);
	ck_assert_msg(strstr(err.text, bad->text) != NULL, "%s", err.text);
	ck_assert_uint_eq(err.line, bad->line);
	ck_assert_ptr_nonnull(strstr(err.file, "/proc/self/fd/"));
}
END_TEST

START_TEST(a_header_longer_than_one_read_is_read)
{
	struct text text = TEXT_INIT;
	size_t count = 30000;

	for (size_t i = 0; i < count; i++)
		text_addf(&text, "%sname%zu", i ? "," : "", i);
	text_add_str(&text, "\nrest");
	ck_ok(open_bytes(text.data, text.length));
	ck_assert_uint_eq(csv_input_column_count(input), count);
	ck_assert_str_eq(csv_input_column_name(input, count - 1),
			 "name29999");
	text_release(&text);
}
END_TEST

START_TEST(a_missing_file_is_an_error_that_names_it)
{
	const char *path = "/nowhere/at-all.csv";

	ck_assert_int_eq(csv_input_open(&input, &path, 1, &options, &err),
			 ERROR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, path));
	ck_assert_int_eq(csv_input_open(&input, &path, 0, &options, &err),
			 ERROR_USAGE);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_no_input)
{
	int rc;

	options.null_texts[options.null_text_count++] = "NULL";
	mem_fail_at(_i);
	rc = open_text("id,b,c\n1,2,3\n");
	mem_fail_at(-1);
	if (rc == 0) {
		/* all are passed: the loop below is long enough */
		ck_assert_int_gt(_i, 8);
		return;
	}
	ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	ck_assert_ptr_null(input);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source_open");
	TCase *tc = tcase_create("source_open");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names_are_the_fields_of_the_header_as_they_are);
	tcase_add_test(tc, a_byte_order_mark_is_no_part_of_a_name);
	tcase_add_test(tc, a_delimiter_at_the_end_makes_no_column);
	tcase_add_test(tc, without_a_header_columns_are_numbered);
	tcase_add_test(tc, lines_before_the_header_are_skipped);
	tcase_add_test(tc, delimiter_and_quote_are_as_said);
	tcase_add_loop_test(tc, dialects_that_cannot_be_are_refused, 0, 8);
	tcase_add_loop_test(tc, heads_that_cannot_be_read_name_the_line, 0,
			    ARRAY_COUNT(bad_heads));
	tcase_add_test(tc, a_header_longer_than_one_read_is_read);
	tcase_add_test(tc, a_missing_file_is_an_error_that_names_it);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_no_input, 0, 40);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
