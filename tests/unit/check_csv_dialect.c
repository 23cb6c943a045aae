/*
 * check_csv_dialect.c - fields as a file has them, and its raw records
 *
 * What is written is read again by the model of csv_model.h, which shares no
 * code with the room.
 */
#include "unit/csv_model.h"
#include "unit/csv_sample.h"
#include "filetarget/csv_dialect.h"
#include "filetarget/csv_records.h"

static struct error err;
static struct text out;

static void setup(void)
{
	error_init(&err);
	text_init(&out);
}

static void teardown(void)
{
	mem_fail_at(-1);
	text_release(&out);
}

/* One value (NULL: no value) as a field, appended to out. */
static int add(const struct csv_dialect *dialect, const char *value,
	       size_t length, bool quoted)
{
	struct literal literal = literal_null(type_of(TYPE_VARCHAR));
	struct vector vector;
	int rc;

	vector_init(&vector, type_of(TYPE_VARCHAR));
	literal.is_null = value == NULL;
	literal.value.bytes = byte_view(value, length);
	rc = vector_append(&vector, &literal, &err);
	if (!rc)
		rc = csv_dialect_add(dialect, &vector, 0, quoted, &out, &err);
	vector_release(&vector);
	return rc;
}

START_TEST(a_field_has_quotes_only_where_it_must_or_is_asked_to)
{
	static const char *const nulls[] = { "NA", "-" };
	static const struct {
		const char *value;
		size_t nulls;
		bool quoted;
		const char *field;
	} cases[] = {
		{ "abc", 0, false, "abc" }, { "abc", 0, true, "'abc'" },
		{ "", 0, false, "''" }, { NULL, 0, false, "" },
		{ NULL, 0, true, "" }, { NULL, 2, true, "NA" },
		{ "NA", 0, false, "NA" }, { "NA", 2, false, "'NA'" },
		{ "-", 2, false, "'-'" }, { "--", 2, false, "--" },
		{ "a;b", 0, false, "'a;b'" }, { "a,b", 0, false, "a,b" },
		{ "a\nb", 0, false, "'a\nb'" }, { "\r", 0, false, "'\r'" },
		{ "it's", 0, false, "'it''s'" }, { "''", 0, true, "''''''" },
		{ "\"", 0, false, "\"" }, { " a ", 0, false, " a " },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct csv_dialect dialect = { .delimiter = ';',
			.quote = '\'', .null_texts = nulls,
			.null_text_count = cases[i].nulls };

		text_reset(&out);
		text_add_str(&out, "x;");
		ck_ok(add(&dialect, cases[i].value, cases[i].value
				? strlen(cases[i].value) : 0,
			  cases[i].quoted));
		ck_assert_str_eq(out.data + 2, cases[i].field);
	}
}
END_TEST

START_TEST(without_quotes_what_needs_them_is_refused)
{
	static const char *const nulls[] = { "NA" };
	static const char *const wrong[] = { "", "a,b", "a\nb", "\r", "NA" };
	const struct csv_dialect dialect = { .delimiter = ',',
		.null_texts = nulls, .null_text_count = 1 };

	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		ck_assert_int_eq(add(&dialect, wrong[i], strlen(wrong[i]),
				     false), ERROR_BAD_CSV);
		ck_assert_ptr_nonnull(strstr(err.hint, "--quote"));
	}
	text_reset(&out);
	ck_ok(add(&dialect, "a\"b;c'", 6, true));
	ck_ok(add(&dialect, NULL, 0, true));
	ck_assert_str_eq(out.data, "a\"b;c'NA");
}
END_TEST

/* Random text out of what matters, and its record read again. */
START_TEST(what_is_written_reads_as_the_same_values)
{
	static const char special[] = ",;\t'\"\r\nab -NA.\xc3\xa4";
	static const char *const nulls[] = { "NA", "a" };
	struct sample s = { .state = hash_word((uint64_t)_i) };

	for (int round = 0; round < 400; round++) {
		struct csv_options options;
		struct csv_dialect dialect = { .null_texts = nulls };
		struct text expected = TEXT_INIT;
		struct model model;
		size_t columns = 2 + sample_below(&s, 4);

		csv_options_init(&options);
		options.has_header = false;
		dialect.delimiter = options.delimiter =
			",;\t"[sample_below(&s, 3)];
		dialect.quote = options.quote = "\"'"[sample_below(&s, 2)];
		dialect.null_text_count = sample_below(&s, 3);
		options.null_text_count = dialect.null_text_count;
		memcpy(options.null_texts, nulls, sizeof(nulls));
		dialect.has_crlf = sample_below(&s, 2);
		text_reset(&out);
		text_add_str(&expected, "0@1");
		for (size_t c = 0; c < columns; c++) {
			char value[12];
			size_t length = sample_below(&s, sizeof(value));
			bool is_null = sample_below(&s, 6) == 0;

			for (size_t i = 0; i < length; i++)
				value[i] = special[sample_below(&s,
						   sizeof(special) - 3)];
			if (c)
				text_add_char(&out, dialect.delimiter);
			ck_ok(add(&dialect, is_null ? NULL : value, length,
				  sample_below(&s, 2)));
			text_add_str(&expected, is_null ? "|NULL" : "|[");
			for (size_t i = 0; i < length && !is_null; i++)
				text_addf(&expected,
					  value[i] < 0x20 ? "[%02x]" : "%c",
					  value[i]);
			if (!is_null)
				text_add_char(&expected, ']');
		}
		text_add_char(&expected, '\n');
		csv_dialect_end(&dialect, &out);
		model_read(&model, out.data, out.length, &options);
		ck_assert_msg(model.code == 0, "%s", out.data);
		readback_same(&model.rows, &expected, out.data,
			      (uint64_t)_i);
		text_release(&model.rows);
		text_release(&expected);
	}
}
END_TEST

START_TEST(a_record_ends_as_the_others_do)
{
	for (int i = 0; i < 4; i++) {
		const struct csv_dialect dialect = { .delimiter = '|',
			.has_crlf = i & 1, .trailing_delimiter = i & 2 };
		static const char *const ends[] = { "\n", "\r\n", "|\n",
						    "|\r\n" };

		text_reset(&out);
		csv_dialect_end(&dialect, &out);
		ck_assert_str_eq(out.data, ends[i]);
	}
}
END_TEST

START_TEST(memory_that_runs_out_is_reported)
{
	const struct csv_dialect dialect = { .delimiter = ',', .quote = '"' };
	char value[1000];
	int rc = ERROR_NO_MEMORY;

	memset(value, '"', sizeof(value));
	for (long n = 0; rc; n++) {
		text_release(&out);
		text_init(&out);
		mem_fail_at(n);
		rc = add(&dialect, value, sizeof(value), false);
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		ck_assert_int_lt(n, 20);
	}
	ck_assert_uint_eq(out.length, 2 * sizeof(value) + 2);
}
END_TEST

/* ---- records ---- */

/* Fields of 3 MB at most: more than the window that records are read by. */
static void make_big(struct sample *s, struct text *bytes)
{
	for (unsigned i = 0; i < 12; i++) {
		unsigned length = sample_below(s, 3000000);

		text_add_str(bytes, "1,\"");
		for (unsigned k = 0; k < length; k++)
			text_add_char(bytes, k % 1000 ? 'x' : '\n');
		text_add_str(bytes, i % 3 ? "\"\n" : "\"\"\"\"\r\n");
	}
}

/* Where the record at p ends, byte after byte. */
static size_t end_of(const char *p, size_t left, char quote, bool is_line)
{
	bool inside = false;

	for (size_t i = 0; i < left; i++) {
		if (!is_line && quote && p[i] == quote)
			inside = !inside;
		if (p[i] == '\n' && !inside)
			return i + 1;
	}
	return left;
}

START_TEST(records_are_the_bytes_of_the_file)
{
	struct sample s;
	struct csv_records records;
	struct input_file *file;
	const char *data;
	size_t length, at = 0;
	bool is_line;

	sample_make(&s, (uint64_t)_i);
	if (_i == 0)
		make_big(&s, &s.bytes);
	ck_ok(input_file_memory(&file, "f.csv", s.bytes.data ? s.bytes.data
				: "", s.bytes.length, &err));
	csv_records_init(&records, file, s.options.quote);
	for (;; at += length) {
		is_line = sample_below(&s, 4) == 0;
		ck_ok(csv_records_next(&records, is_line, &data, &length,
				       &err));
		if (!length)
			break;
		ck_assert_uint_eq(length, end_of(s.bytes.data + at,
						 s.bytes.length - at,
						 s.options.quote, is_line));
		ck_assert(memcmp(data, s.bytes.data + at, length) == 0);
	}
	ck_assert_uint_eq(at, s.bytes.length);
	csv_records_release(&records);
	input_file_close(file);
	text_release(&s.bytes);
}
END_TEST

START_TEST(a_window_that_cannot_grow_is_reported)
{
	struct sample s = { .state = 9 };
	struct text bytes = TEXT_INIT;
	struct csv_records records;
	struct input_file *file;
	const char *data;
	size_t length;
	int rc = ERROR_NO_MEMORY;

	make_big(&s, &bytes);
	for (long n = 0; rc; n++) {
		ck_ok(input_file_memory(&file, "f.csv", bytes.data,
					bytes.length, &err));
		csv_records_init(&records, file, '"');
		mem_fail_at(n);
		do
			rc = csv_records_next(&records, false, &data, &length,
					      &err);
		while (!rc && length);
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		ck_assert(n > 0 || rc);
		csv_records_release(&records);
		input_file_close(file);
		ck_assert_int_lt(n, 20);
	}
	text_release(&bytes);
}
END_TEST

START_TEST(a_record_is_counted_without_its_line_end)
{
	ck_assert_uint_eq(csv_record_bytes("ab\r\n", 4), 2);
	ck_assert_uint_eq(csv_record_bytes("ab\n", 3), 2);
	ck_assert_uint_eq(csv_record_bytes("ab", 2), 2);
	ck_assert_uint_eq(csv_record_bytes("\n", 1), 0);
	ck_assert_uint_eq(csv_record_bytes("\r\n", 2), 0);
	ck_assert_uint_eq(csv_record_bytes("", 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_dialect");
	TCase *tc = tcase_create("csv_dialect");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
		a_field_has_quotes_only_where_it_must_or_is_asked_to);
	tcase_add_test(tc, without_quotes_what_needs_them_is_refused);
	tcase_add_loop_test(tc, what_is_written_reads_as_the_same_values, 0,
			    5);
	tcase_add_test(tc, a_record_ends_as_the_others_do);
	tcase_add_test(tc, memory_that_runs_out_is_reported);
	tcase_add_loop_test(tc, records_are_the_bytes_of_the_file, 0, 60);
	tcase_add_test(tc, a_window_that_cannot_grow_is_reported);
	tcase_add_test(tc, a_record_is_counted_without_its_line_end);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
