/*
 * check_csv_convert.c - fields of every type to columns
 *
 * The expected values are written out or computed here, not read by the
 * functions that the converter calls.
 */
#include "unit/csv_readback.h"

static struct csv_options options;
static struct readback in;

static void setup(void)
{
	csv_options_init(&options);
	options.force_reference = false;
	memset(&in, 0, sizeof(in));
	in.options = &options;
	in.thread_count = 1;
}

static void teardown(void)
{
	text_release(&in.rows);
}

static const struct type conversion_types[] = {
	{ .id = TYPE_BOOLEAN }, { .id = TYPE_TINYINT }, { .id = TYPE_INTEGER },
	{ .id = TYPE_BIGINT }, { .id = TYPE_REAL }, { .id = TYPE_DOUBLE },
	{ .id = TYPE_DECIMAL, .precision = 9, .scale = 3 },
	{ .id = TYPE_DECIMAL, .precision = 38, .scale = 2 },
	{ .id = TYPE_DATE }, { .id = TYPE_TIME }, { .id = TYPE_TIMESTAMP },
	{ .id = TYPE_TIMESTAMP_TZ }, { .id = TYPE_VARCHAR },
	{ .id = TYPE_VARBINARY }, { .id = TYPE_FIXED, .length = 2 },
	{ .id = TYPE_UUID }, { .id = TYPE_UNKNOWN },
};

static const char conversion_file[] =
	"bo,ti,in,bi,re,do,d9,d38,da,tm,ts,tz,vc,vb,fi,uu,un\n"
	"TRUE,-128,2147483647,-9223372036854775808,1.5,0.1,-1.5,7,2024-02-29,"
	"23:59:59.000001,1970-01-01T00:00:00.5,2024-01-01 00:00:00+01:00,"
	"\"a \"\"b\"\"\",00fF,0102,f79c3e09-677c-4bbd-a479-3f349cb785e7,\n"
	",,,,,,,,,,,,,,,,\n"
	"f,127,-1,0,-0.0,NaN,999999.999,"
	"-999999999999999999999999999999999999.99,1969-12-31,00:00,"
	"0001-01-01,1969-12-31 23:59:59.999999Z,\"\",\"\",ffff,"
	"\"00000000-0000-0000-0000-000000000001\",\n";

static const char conversion_rows[] =
	"0@2|[true]|[-128]|[2147483647]|[-9223372036854775808]|[1.5]|[0.1]|"
	"[-1.500]|[7.00]|[2024-02-29]|[23:59:59.000001]|"
	"[1970-01-01 00:00:00.5]|[2023-12-31 23:00:00+00:00]|[a \"b\"]|[00ff]|"
	"[0102]|[f79c3e09-677c-4bbd-a479-3f349cb785e7]|NULL\n"
	"1@3|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
	"NULL|NULL|NULL|NULL\n"
	"2@4|[false]|[127]|[-1]|[0]|[-0.0]|[NaN]|[999999.999]|"
	"[-999999999999999999999999999999999999.99]|[1969-12-31]|[00:00:00]|"
	"[0001-01-01 00:00:00]|[1969-12-31 23:59:59.999999+00:00]|[]|[]|"
	"[ffff]|[00000000-0000-0000-0000-000000000001]|NULL\n";

START_TEST(every_type_is_read)
{
	options.force_reference = _i;
	in.types = conversion_types;
	in.type_count = ARRAY_COUNT(conversion_types);
	readback_bytes(&in, conversion_file, sizeof(conversion_file) - 1);
	ck_assert_msg(in.rc == 0, "%s", in.err.text);
	ck_assert_str_eq(in.rows.data, conversion_rows);
}
END_TEST

/* What no type but text takes. */
START_TEST(what_is_no_value_of_the_type_is_refused)
{
	static const char *const wrong[] = { "", "x y", "--1", "0x" };

	for (size_t t = 0; t < ARRAY_COUNT(conversion_types); t++) {
		if (conversion_types[t].id == TYPE_VARCHAR)
			continue;
		for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
			char file[64];

			if (i == 0 && conversion_types[t].id == TYPE_VARBINARY)
				continue;
			snprintf(file, sizeof(file), "c\n\n\"%s\"\n",
				 wrong[i]);
			in.types = &conversion_types[t];
			in.type_count = 1;
			readback_bytes(&in, file, strlen(file));
			ck_assert_msg(in.rc == ERROR_CAST, "type %d takes '%s'",
				      conversion_types[t].id, wrong[i]);
			ck_assert_uint_eq(in.err.line, 3);
			ck_assert_str_eq(in.err.field, "c");
			text_release(&in.rows);
		}
	}
}
END_TEST

START_TEST(values_past_the_range_of_a_type_are_refused)
{
	static const struct {
		size_t type;
		const char *value;
	} wrong[] = {
		{ 1, "128" }, { 1, "-129" }, { 2, "2147483648" },
		{ 3, "9223372036854775808" }, { 6, "1000000" },
		{ 6, "0.0001" }, { 14, "01" }, { 14, "010203" },
		{ 10, "2024-01-01 00:00:00Z" }, { 8, "2023-02-29" },
	};

	in.types = &conversion_types[wrong[_i].type];
	in.type_count = 1;
	{
		char file[64];

		snprintf(file, sizeof(file), "c\n%s\n", wrong[_i].value);
		readback_bytes(&in, file, strlen(file));
	}
	ck_assert_msg(in.rc == ERROR_CAST, "%s", wrong[_i].value);
	ck_assert_ptr_nonnull(strstr(in.err.text, wrong[_i].value));
}
END_TEST

/* More rows than a batch has, NULLs at places of every block and word. */
START_TEST(rows_keep_their_place_over_blocks_and_batches)
{
	const struct type types[] = { { .id = TYPE_BIGINT },
				      { .id = TYPE_INTEGER },
				      { .id = TYPE_VARCHAR } };
	struct text file = TEXT_INIT, expected = TEXT_INIT;

	text_add_str(&file, "a,b,c\n");
	for (unsigned i = 0; i < 10007; i++) {
		bool null_b = i % 67 == 5 || i % 256 == 255;
		bool null_c = i > 4096 && i < 5000;

		text_addf(&file, "%u,", i * 3);
		text_addf(&expected, "%u@%u|[%u]", i, i + 2, i * 3);
		text_addf(&file, null_b ? "," : "%d,", -(int)i);
		text_addf(&expected, null_b ? "|NULL" : "|[%d]", -(int)i);
		text_addf(&file, null_c ? "\n" : i % 3 ? "t%u\n" :
			  "\"t%u\"\n", i);
		text_addf(&expected, null_c ? "|NULL\n" : "|[t%u]\n", i);
	}
	options.force_reference = _i;
	in.types = types;
	in.type_count = 3;
	readback_bytes(&in, file.data, file.length);
	ck_assert_msg(in.rc == 0, "%s", in.err.text);
	ck_assert_str_eq(in.rows.data, expected.data);
	text_release(&file);
	text_release(&expected);
}
END_TEST

/* Two wrong values in any two places: the earlier row, then column. */
START_TEST(the_first_wrong_value_wins_within_a_batch)
{
	const struct type type = type_of(TYPE_INTEGER);
	static const unsigned places[] = { 0, 1, 255, 256, 257, 700 };
	unsigned a = places[_i / 6], b = places[_i % 6];
	struct text file = TEXT_INIT;
	char value[16];

	text_add_str(&file, "a,b,c\n");
	for (unsigned i = 0; i < 800; i++)
		text_addf(&file, "%s%u,5,%s%u\n", i == a ? "x" : "", i,
			  i == b ? "y" : "", i);
	in.types = &type;
	in.type_count = 1;
	readback_bytes(&in, file.data, file.length);
	ck_assert_int_eq(in.rc, ERROR_CAST);
	snprintf(value, sizeof(value), "'%c%u'", a <= b ? 'x' : 'y',
		 a <= b ? a : b);
	ck_assert_ptr_nonnull(strstr(in.err.text, value));
	ck_assert_uint_eq(in.err.line, (a <= b ? a : b) + 2);
	ck_assert_str_eq(in.err.field, a <= b ? "a" : "c");
	text_release(&file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_convert");
	TCase *tc = tcase_create("csv_convert");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_type_is_read, 0, 2);
	tcase_add_test(tc, what_is_no_value_of_the_type_is_refused);
	tcase_add_loop_test(tc, values_past_the_range_of_a_type_are_refused, 0,
			    10);
	tcase_add_loop_test(tc, rows_keep_their_place_over_blocks_and_batches,
			    0, 2);
	tcase_add_loop_test(tc, the_first_wrong_value_wins_within_a_batch, 0,
			    36);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
