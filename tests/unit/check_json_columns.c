/* check_json_columns.c - the quick way of JSON Lines against the exact one */
#include "unit/csv_readback.h"

#define LINES 700
/* The first chunk of a file is read for its names before, and strictly: what
 * is tested stands behind as many bytes. */
#define CHUNK_BYTES 3000
#define SAMPLE_BYTES 200000

static struct csv_options options;
static struct readback in;
static uint64_t seed;

static void setup(void)
{
	csv_options_init(&options);
	options.is_jsonl = true;
	options.chunk_bytes = CHUNK_BYTES;
	memset(&in, 0, sizeof(in));
	in.options = &options;
	in.thread_count = 1;
	seed = 1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	text_release(&in.rows);
}

static unsigned draw(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(seed >> 33) % below;
}

#define COLUMNS 6

static const char *const names[COLUMNS] = {
	"id", "a name longer than sixteen bytes", "price", "flag", "day",
	"t\xc3\xa4g",
};

/* What may stand as the value of a column; the first ones are plain. */
struct choice {
	unsigned plain, odd, all;	/* .. that are right, all */
	const char *values[16];
};

static const struct choice choices[COLUMNS] = {
	{ 7, 10, 16, { "1", "-12", "9007199254740993", "null", "80.0",
		       "-0.00", "100.000", "\"12\"", "0", "1.0e2", "1.5",
		       "01", "1e2x", "\"80.0\"", "80.01", "true" } },
	{ 6, 10, 13, { "\"\"", "\"x\"", "\"sixteen bytes and more, you see\"",
		       "1.50", "null", "true", "\"\\u00e4\\n\\\"\"",
		       "-0.0e1", "[1, {\"b\":2}]", "{\"c\":\"}\"}",
		       "\"\x01\"", "\"open", ".5" } },
	{ 5, 8, 14, { "1.25", "-3", "null", "0.5", "12345678.90", "1e2",
		      "\"7.10\"", "10", "1.255", "1.2.3", "-.5", "1.", "--1",
		      "NaN" } },
	{ 4, 6, 9, { "true", "false", "null", "\"yes\"", "1", "\"T\"",
		     "truex", "2", "nul" } },
	{ 2, 3, 6, { "\"2024-02-29\"", "null", "\"\\u0032024-01-01\"",
		     "\"2023-02-29\"", "20240101", "false" } },
	{ 3, 5, 7, { "\"\xc3\xa4\"", "null", "false", "\"\\\\\"", "3E+7",
		     "\"\xc3\"", "[1,]" } },
};

static struct type column_type(size_t i)
{
	switch (i) {
	case 0:
		return type_of(TYPE_BIGINT);
	case 2:
		return type_decimal(10, 2);
	case 3:
		return type_of(TYPE_BOOLEAN);
	case 4:
		return type_of(TYPE_DATE);
	default:
		return type_of(TYPE_VARCHAR);
	}
}

/* How far from plain lines are: 0 plain, 1 odd, 2 one in some is wrong. */
static void add_member(struct text *out, size_t column, unsigned level)
{
	const struct choice *choice = &choices[column];
	unsigned count = choice->plain;
	const char *space = level && draw(40) == 0 ? "  " : "";

	if (level && draw(8) == 0)
		count = choice->odd;
	if (level == 2 && draw(900) == 0)
		count = choice->all;
	if (level && column == 0 && draw(9) == 0)
		text_add_str(out, draw(2) ? "\"ID\"" : "\"\\u0069d\"");
	else
		text_addf(out, "\"%s\"", names[column]);
	text_addf(out, "%s:%s%s%s", space, draw(3) ? "" : " ",
		  choice->values[draw(count)], space);
}

static void add_line(struct text *out, unsigned level, bool is_whole)
{
	size_t first = level && !is_whole && draw(5) == 0 ? draw(COLUMNS) : 0;
	bool has_some = false;

	text_add_str(out, level && draw(60) == 0 ? " {" : "{");
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t column = (first + i) % COLUMNS;

		if (!is_whole && draw(12) == 0)
			continue;
		if (has_some)
			text_add_str(out, draw(3) ? "," : ", ");
		has_some = true;
		add_member(out, column, is_whole ? 0 : level);
	}
	if (level == 2 && draw(2000) == 0)
		text_add_str(out, draw(2) ? ",\"id\":1" : ",\"new\":1");
	text_add_str(out, "}");
	if (level && draw(30) == 0)
		text_add_str(out, " \t");
	if (level == 2 && draw(2000) == 0)
		text_add_str(out, " x");
	text_add_str(out, draw(5) ? "\n" : "\r\n");
}

/* Lines without a record, as long as the sample. */
static void pass_sample(struct text *text)
{
	for (size_t i = 0; i < SAMPLE_BYTES / 100; i++)
		text_addf(text, "%99s\n", "");
}

/* Reads text both ways; returns what the quick one gave. */
static int read_both(const char *data, size_t length)
{
	struct readback exact = in;
	struct csv_options forced = options;

	forced.force_reference = true;
	exact.options = &forced;
	memset(&exact.rows, 0, sizeof(exact.rows));
	text_release(&in.rows);
	readback_bytes(&in, data, length);
	readback_bytes(&exact, data, length);
	ck_assert_msg(in.rc == exact.rc, "%d (%s), not %d (%s)", in.rc,
		      in.err.text, exact.rc, exact.err.text);
	if (in.rc) {
		ck_assert_str_eq(in.err.text, exact.err.text);
		ck_assert_str_eq(in.err.field, exact.err.field);
		ck_assert_uint_eq(in.err.line, exact.err.line);
	} else {
		ck_assert_uint_eq(in.row_count, exact.row_count);
		ck_assert_uint_eq(in.rows.length, exact.rows.length);
		ck_assert_mem_eq(in.rows.data, exact.rows.data,
				 exact.rows.length);
	}
	text_release(&exact.rows);
	return in.rc;
}

/* Loop: plain, odd and wrong lines in turn. */
START_TEST(both_ways_give_the_same_rows_and_errors)
{
	static bool wanted[COLUMNS];
	struct type all[COLUMNS];
	unsigned level = (unsigned)_i % 3, wrong = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		all[i] = column_type(i);
	in.types = all;
	in.type_count = COLUMNS;
	in.wanted = wanted;
	seed += (uint64_t)_i;
	for (size_t round = 0; round < 6; round++) {
		struct text text = TEXT_INIT;

		for (size_t i = 0; i < COLUMNS; i++)
			wanted[i] = round < 2 || draw(3);
		wanted[draw(COLUMNS)] = true;
		add_line(&text, 0, true);
		pass_sample(&text);
		for (size_t i = 1; i < LINES; i++)
			add_line(&text, level, false);
		wrong += read_both(text.data, text.length) != 0;
		text_release(&text);
	}
	ck_assert_msg(level == 2 ? wrong > 0 : wrong == 0, "%u wrong", wrong);
}
END_TEST

/* Each value alone in the second line, so that it decides. */
START_TEST(each_value_is_taken_or_refused_by_both)
{
	struct type all[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		all[i] = column_type(i);
	in.types = all;
	in.type_count = COLUMNS;
	for (size_t c = 0; c < COLUMNS; c++) {
		for (unsigned v = 0; v < choices[c].all; v++) {
			struct text text = TEXT_INIT;
			int rc;

			seed = v + 1;
			add_line(&text, 0, true);
			pass_sample(&text);
			text_addf(&text, "{\"%s\":%s}\n", names[c],
				  choices[c].values[v]);
			rc = read_both(text.data, text.length);
			ck_assert_msg((rc == 0) == (v < choices[c].odd),
				      "%s: %s: %d", names[c],
				      choices[c].values[v], rc);
			text_release(&text);
		}
	}
}
END_TEST

START_TEST(a_line_cut_at_any_byte_is_refused_by_both)
{
	struct type all[COLUMNS];
	struct text text = TEXT_INIT;
	size_t first;

	for (size_t i = 0; i < COLUMNS; i++)
		all[i] = column_type(i);
	in.types = all;
	in.type_count = COLUMNS;
	add_line(&text, 0, true);
	pass_sample(&text);
	first = text.length;
	add_line(&text, 0, true);
	while (text.length && (text.data[text.length - 1] == '\n' ||
			       text.data[text.length - 1] == '\r'))
		text.length--;
	ck_assert_int_eq(read_both(text.data, text.length), 0);
	for (size_t end = first + 1; end < text.length; end += 2)
		ck_assert_int_ne(read_both(text.data, end), 0);
	text_release(&text);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	int rc = -1;

	for (long n = 0; rc; n++) {
		text_release(&in.rows);
		mem_fail_at(n);
		readback_bytes(&in, "{\"a\":1,\"b\":null}\n"
			       "{\"a\":\"\\n\"}\n", 28);
		mem_fail_at(-1);
		rc = in.rc;
		ck_assert_msg(rc == 0 || rc == ERROR_NO_MEMORY, "%d: %s", rc,
			      in.err.text);
		ck_assert(n < 1000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_columns");
	TCase *tc = tcase_create("json_columns");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, both_ways_give_the_same_rows_and_errors, 0,
			    24);
	tcase_add_test(tc, each_value_is_taken_or_refused_by_both);
	tcase_add_test(tc, a_line_cut_at_any_byte_is_refused_by_both);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
