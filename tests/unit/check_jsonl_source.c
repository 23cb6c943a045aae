/* check_jsonl_source.c - JSON Lines: rows, lines, columns and errors */
#include "unit/source_world.h"

static void setup(void)
{
	csv_options_init(&options);
	options.is_jsonl = true;
	memset(&in, 0, sizeof(in));
	in.options = &options;
	in.thread_count = 1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	text_release(&in.rows);
}

START_TEST(a_missing_member_and_null_are_null_and_empty_text_is_not)
{
	read_text("{\"a\":\"x\",\"b\":1}\n{\"b\":null}\n{\"a\":\"\"}\n{}\n");
	expect_rows("0@1|[x]|[1]\n1@2|NULL|NULL\n2@3|[]|NULL\n"
		    "3@4|NULL|NULL\n");
}
END_TEST

START_TEST(lines_end_in_any_way_and_empty_ones_are_skipped)
{
	read_text("\xef\xbb\xbf\n \t\r\n {\"a\":1}\r\n\n\n{\"a\":2} \n\r\n"
		  "\t{ \"a\" : 3 }");
	expect_rows("0@3|[1]\n1@6|[2]\n2@8|[3]\n");
	options.skip_lines = 2;
	read_text("nothing\n{\n{\"a\":1}\n");
	expect_rows("0@3|[1]\n");
}
END_TEST

START_TEST(names_are_those_of_the_first_records_in_any_case)
{
	read_text("{\"a\":1}\n{\"B\":2,\"c\":3}\n{\"C\":4,\"A\":5,\"b\":6}\n");
	expect_rows("0@1|[1]|NULL|NULL\n1@2|NULL|[2]|[3]\n"
		    "2@3|[5]|[6]|[4]\n");
}
END_TEST

START_TEST(values_have_the_types_of_their_columns)
{
	struct column_def element = { .name = (char *)"element",
				      .type = type_decimal(5, 1) };
	struct type types[] = { type_of(TYPE_BIGINT), type_of(TYPE_DOUBLE),
				type_of(TYPE_BOOLEAN), type_of(TYPE_DATE),
				type_of(TYPE_ARRAY), type_of(TYPE_VARCHAR) };

	types[4].fields = &element;
	types[4].field_count = 1;
	in.types = types;
	in.type_count = 6;
	read_text("{\"i\":9007199254740993,\"f\":-0.0,\"b\":true,"
		  "\"d\":\"2024-02-29\",\"l\":[1,null,2.5],\"t\":\"\\u00e4\"}\n"
		  "{\"i\":\"12\",\"f\":\"NaN\",\"b\":\"no\",\"d\":null,"
		  "\"l\":[],\"t\":1.50}\n");
	expect_rows("0@1|[9007199254740993]|[-0.0]|[true]|[2024-02-29]|"
		    "[[5b]1.0,null,2.5[5d]]|[[c3][a4]]\n"
		    "1@2|[12]|[NaN]|[false]|NULL|[[5b][5d]]|[1.50]\n");
}
END_TEST

START_TEST(wrong_lines_are_refused_with_their_number)
{
	const struct type type = type_of(TYPE_INTEGER);

	in.types = &type;
	in.type_count = 1;
	read_text("{\"a\":1}\n\n{\"a\":1.5}\n");
	expect_error(ERROR_CAST, 3, "column a: '1.5' does not convert");
	ck_assert_str_eq(in.err.field, "a");
	read_text("{\"a\":1}\n{\"a\":1,\"A\":2}\n");
	expect_error(ERROR_CAST, 2, "the member 'a' is there twice");
	read_text("{\"a\":1}\n[1]\n");
	expect_error(ERROR_CAST, 2, "expected an object");
	read_text("{\"a\":1}\n{\"a\":1} {}\n");
	expect_error(ERROR_CAST, 2, "more text behind the value");
	read_text("{\"a\":1}\n{\"a\":\n1}\n");
	expect_error(ERROR_CAST, 2, "malformed JSON");
	read_text("{\"a\":1}\n{\"a\":\"\xff\"}\n");
	expect_error(ERROR_BAD_ENCODING, 2, "byte 0xFF");
	read_text("");
	expect_error(ERROR_BAD_CSV, 1, "is empty");
	read_text("\n \n");
	expect_error(ERROR_BAD_CSV, 1, "is empty");
}
END_TEST

/* Behind what is looked at for the names. */
START_TEST(a_wrong_line_far_inside_is_the_first_that_is_reported)
{
	static const char *const wrong[] = { "{\"a\":1,\"z\":2}", "{\"a\":x}",
					     "{\"a\":\"\xe4\"}", "7" };
	static const int codes[] = { ERROR_CAST, ERROR_CAST,
				     ERROR_BAD_ENCODING, ERROR_CAST };
	struct text text = TEXT_INIT;

	options.chunk_bytes = 1000;
	in.thread_count = 1 + (size_t)_i / 4;
	for (int i = 1; i <= 40000; i++) {
		if (i == 20000 || i == 20001 || i == 33333)
			text_addf(&text, "%s\n", wrong[_i % 4]);
		else
			text_addf(&text, "{\"a\":%d}\n", i);
	}
	read_text(text.data);
	ck_assert_int_eq(in.rc, codes[_i % 4]);
	ck_assert_uint_eq(in.err.line, 20000);
	if (_i % 4 == 0)
		ck_assert_ptr_nonnull(strstr(in.err.text, "'z'"));
	text_release(&text);
}
END_TEST

START_TEST(a_map_with_a_key_twice_names_its_line)
{
	struct column_def entry[2] = { { .name = (char *)"key" },
				       { .name = (char *)"value" } };
	struct type type = type_of(TYPE_MAP);
	struct text text = TEXT_INIT;

	entry[0].type = type_of(TYPE_VARCHAR);
	entry[1].type = type_of(TYPE_INTEGER);
	type.fields = entry;
	type.field_count = 2;
	in.types = &type;
	in.type_count = 1;
	for (int i = 1; i <= 5000; i++)
		text_addf(&text, "{\"m\":{\"x\":%d,\"%s\":2}}\n", i,
			  i == 4500 || i == 4600 ? "x" : "y");
	read_text(text.data);
	expect_error(ERROR_CAST, 4500, "column m: a map has the key x twice");
	text_release(&text);
}
END_TEST

/* Lines of any length, cut anywhere, by any number of threads. */
START_TEST(chunks_and_threads_do_not_change_rows)
{
	struct text text = TEXT_INIT, expected = TEXT_INIT;
	uint64_t row = 0, state = (uint64_t)_i + 1;

	for (uint64_t line = 1; line <= 9000; line++) {
		unsigned length;

		state = state * UINT64_C(6364136223846793005) + 1442695;
		length = (unsigned)(state >> 33) % 40;
		if (length == 7) {
			text_add_str(&text, line % 2 ? "\n" : "  \r\n");
			continue;
		}
		text_addf(&text, "{\"a\":\"%.*s\",\"b\":%" PRIu64 "}%s",
			  (int)length,
			  "the quick brown fox jumps over the lazy dog",
			  line, length % 2 ? "\n" : "\r\n");
		text_addf(&expected, "%" PRIu64 "@%" PRIu64 "|[%.*s]|[%" PRIu64
			  "]\n", row++, line, (int)length,
			  "the quick brown fox jumps over the lazy dog", line);
	}
	options.chunk_bytes = 10 + (size_t)_i * 700;
	in.thread_count = 1 + (size_t)_i % 4;
	read_text(text.data);
	ck_assert_msg(in.rc == 0, "%s", in.err.text);
	ck_assert_uint_eq(in.row_count, row);
	ck_assert_str_eq(in.rows.data, expected.data);
	text_release(&text);
	text_release(&expected);
}
END_TEST

START_TEST(several_files_are_one_batch)
{
	static const char first[] = "{\"a\":1,\"b\":2}\n",
		second[] = "{\"B\":3}\n{\"a\":4,\"c\":5}";
	struct memory_file one = memory_file_new(first, strlen(first));
	struct memory_file two = memory_file_new(second, strlen(second));
	const char *paths[] = { one.path, two.path };

	in.paths = paths;
	in.path_count = 2;
	readback(&in);
	expect_rows("0@1|[1]|[2]|NULL\n1@1|NULL|[3]|NULL\n"
		    "2@2|[4]|NULL|[5]\n");
	paths[1] = "/dev/null";		/* no file that is looked at before */
	text_release(&in.rows);
	readback(&in);
	expect_error(ERROR_BAD_CSV, 1, "is empty");
	memory_file_free(&one);
	memory_file_free(&two);
}
END_TEST

START_TEST(columns_that_nobody_wants_are_only_checked)
{
	static const bool wanted[] = { false, true };
	const struct type type = type_of(TYPE_INTEGER);

	in.types = &type;
	in.type_count = 1;
	in.wanted = wanted;
	read_text("{\"a\":\"x\",\"b\":1}\n{\"a\":[{\"c\":{}}],\"b\":2}\n");
	expect_rows("0@1|[1]\n1@2|[2]\n");
	read_text("{\"a\":1,\"b\":1}\n{\"a\":[{]}\n");
	expect_error(ERROR_CAST, 2, "malformed JSON");
}
END_TEST

/* Both ways of reading, and a later file that has what the first lacks. */
START_TEST(a_declared_column_is_null_where_no_record_has_it)
{
	static const char *const declared[] = { "gone", "late \\ one" };
	static const struct byte_view files[] = {
		{ (const uint8_t *)"{\"a\":1}\n{\"a\":2}\n", 16 },
		{ (const uint8_t *)"{\"a\":3}\n", 8 },
	};

	options.force_reference = _i;
	in.declared = declared;
	in.declared_count = 2;
	read_text("{\"a\":1}\n{\"a\":null}\n");
	expect_rows("0@1|[1]|NULL|NULL\n1@2|NULL|NULL|NULL\n");
	text_release(&in.rows);
	readback_files(&in, files, 2);
	expect_rows("0@1|[1]|NULL|NULL\n1@2|[2]|NULL|NULL\n"
		    "2@1|[3]|NULL|NULL\n");
	/* the names come from the first records only */
	read_text("{\"a\":1}\n{\"a\":2,\"b\":1}\n");
	expect_rows("0@1|[1]|NULL|NULL|NULL\n1@2|[2]|[1]|NULL|NULL\n");
}
END_TEST

START_TEST(a_declared_column_may_first_come_late)
{
	static const char *const declared[] = { "late" };
	struct text text = TEXT_INIT;
	size_t count = 0;

	options.chunk_bytes = 1 << 16;
	while (text.length < (5 << 20)) {
		text_addf(&text, "{\"a\":\"%01000d\"}\n", 1);
		count++;
	}
	text_add_str(&text, "{\"LATE\":\"x\"}\n");
	readback_bytes(&in, text.data, text.length);
	expect_error(ERROR_CAST, count + 1, "the member 'LATE' is in no record");
	ck_assert_ptr_nonnull(strstr(in.err.hint, "--types 'LATE TYPE'"));
	text_release(&in.rows);
	in.declared = declared;
	in.declared_count = 1;
	readback_bytes(&in, text.data, text.length);
	ck_assert_msg(in.rc == 0, "%s", in.err.text);
	ck_assert_uint_eq(in.row_count, count + 1);
	ck_assert_ptr_nonnull(strstr(in.rows.data, "|NULL|[x]\n"));
	text_release(&text);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	static const char *const declared[] = { "c" };
	int rc = -1;

	in.declared = declared;
	in.declared_count = 1;
	for (long n = 0; rc; n++) {
		text_release(&in.rows);
		mem_fail_at(n);
		readback_bytes(&in, "{\"a\":1}\n{\"b\":\"x\"}\n", 18);
		mem_fail_at(-1);
		rc = in.rc;
		ck_assert_msg(rc == 0 || rc == ERROR_NO_MEMORY, "%d: %s", rc, in.err.text);
		ck_assert(n < 1000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jsonl_source");
	TCase *tc = tcase_create("jsonl_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
		a_missing_member_and_null_are_null_and_empty_text_is_not);
	tcase_add_test(tc, lines_end_in_any_way_and_empty_ones_are_skipped);
	tcase_add_test(tc, names_are_those_of_the_first_records_in_any_case);
	tcase_add_test(tc, values_have_the_types_of_their_columns);
	tcase_add_test(tc, wrong_lines_are_refused_with_their_number);
	tcase_add_loop_test(tc,
		a_wrong_line_far_inside_is_the_first_that_is_reported, 0, 16);
	tcase_add_test(tc, a_map_with_a_key_twice_names_its_line);
	tcase_add_loop_test(tc, chunks_and_threads_do_not_change_rows, 0, 16);
	tcase_add_test(tc, several_files_are_one_batch);
	tcase_add_test(tc, columns_that_nobody_wants_are_only_checked);
	tcase_add_loop_test(tc,
		a_declared_column_is_null_where_no_record_has_it, 0, 2);
	tcase_add_test(tc, a_declared_column_may_first_come_late);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
