#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "unit/check_main.h"
#include "unit/column_decimal_tables.h"

static int read_int64(const char *text, int64_t *out)
{
	return parse_int64(text, strlen(text), out);
}

START_TEST(no_text_at_all_is_no_value)
{
	struct type types[] = {
		type_of(TYPE_BOOLEAN), type_of(TYPE_INTEGER),
		type_of(TYPE_BIGINT), type_of(TYPE_REAL),
		type_of(TYPE_DOUBLE), type_decimal(10, 2),
		type_decimal(38, 0), type_of(TYPE_DATE), type_of(TYPE_TIME),
		type_of(TYPE_TIMESTAMP), type_of(TYPE_TIMESTAMP_TZ),
		type_of(TYPE_UUID),
	};
	struct literal value;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		ck_assert_int_eq(parse_value(NULL, 0, &types[i], NULL, &value),
				 ERROR_CAST);
}
END_TEST

START_TEST(whole_numbers_are_read_exactly_or_refused)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} rows[] = {
		{ "0", 0, 0 }, { "-0", 0, 0 }, { "+5", 0, 5 }, { "7", 0, 7 },
		{ "12", 0, 12 }, { "123", 0, 123 }, { "1234", 0, 1234 },
		{ "12345", 0, 12345 }, { "123456", 0, 123456 },
		{ "1234567", 0, 1234567 }, { "12345678", 0, 12345678 },
		{ "123456789", 0, 123456789 }, { "-000012", 0, -12 },
		{ "1234567890123456", 0, INT64_C(1234567890123456) },
		{ "12345678901234567", 0, INT64_C(12345678901234567) },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", ERROR_OVERFLOW, 0 },
		{ "-9223372036854775809", ERROR_OVERFLOW, 0 },
		{ "9999999999999999999", ERROR_OVERFLOW, 0 },
		{ "18446744073709551617", ERROR_OVERFLOW, 0 },
		{ "99999999999999999999999999", ERROR_OVERFLOW, 0 },
		{ "000000000000000000000000000000042", 0, 42 },
		{ "1e3", 0, 1000 }, { "1.5e1", 0, 15 }, { "150E-1", 0, 15 },
		{ "-2.50e+1", 0, -25 }, { "0e99", 0, 0 }, { "1e18", 0,
		  INT64_C(1000000000000000000) },
		{ "1e19", ERROR_OVERFLOW, 0 },
		{ "1e999999999999999999999", ERROR_OVERFLOW, 0 },
		{ "1.5e0", ERROR_CAST, 0 }, { "1e-1", ERROR_CAST, 0 },
		{ "1.0", ERROR_CAST, 0 }, { "1.", ERROR_CAST, 0 },
		{ "", ERROR_CAST, 0 }, { "-", ERROR_CAST, 0 },
		{ "+", ERROR_CAST, 0 }, { "--1", ERROR_CAST, 0 },
		{ "+-1", ERROR_CAST, 0 }, { " 1", ERROR_CAST, 0 },
		{ "1 ", ERROR_CAST, 0 }, { "1a", ERROR_CAST, 0 },
		{ "0x1", ERROR_CAST, 0 }, { "1_000", ERROR_CAST, 0 },
		{ "1,000", ERROR_CAST, 0 }, { "e5", ERROR_CAST, 0 },
		{ "1e", ERROR_CAST, 0 }, { "1e+", ERROR_CAST, 0 },
		{ "12345678901234567a", ERROR_CAST, 0 },
		{ "a2345678", ERROR_CAST, 0 }, { "1234567:", ERROR_CAST, 0 },
		{ "1234/678", ERROR_CAST, 0 }, { "\xb1", ERROR_CAST, 0 },
		{ "NULL", ERROR_CAST, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t value = 99;

		ck_assert_msg(read_int64(rows[i].text, &value) == rows[i].rc,
			      "'%s'", rows[i].text);
		ck_assert_msg(value == rows[i].value, "'%s'", rows[i].text);
	}
}
END_TEST

START_TEST(each_number_of_digits_is_read_as_the_library_reads_it)
{
	char text[32];
	int64_t value;

	for (int count = 1; count <= 18; count++)
		for (int first = 0; first <= 9; first++) {
			for (int i = 0; i < count; i++)
				text[i] = (char)('0' + (first + i * 7) % 10);
			text[count] = '\0';
			ck_assert_int_eq(read_int64(text, &value), 0);
			ck_assert_int_eq(value, strtoll(text, NULL, 10));
			/* any other character at any place is refused */
			for (int i = 0; i < count; i++) {
				char old = text[i];

				text[i] = (char)(first & 1 ? '/' : ':');
				ck_assert_int_eq(read_int64(text, &value),
						 ERROR_CAST);
				text[i] = (char)(old | 0x80);
				ck_assert_int_eq(read_int64(text, &value),
						 ERROR_CAST);
				text[i] = old;
			}
		}
}
END_TEST

START_TEST(an_integer_has_32_bits)
{
	int32_t value;

	ck_assert_int_eq(parse_int32("2147483647", 10, &value), 0);
	ck_assert_int_eq(value, INT32_MAX);
	ck_assert_int_eq(parse_int32("-2147483648", 11, &value), 0);
	ck_assert_int_eq(value, INT32_MIN);
	ck_assert_int_eq(parse_int32("2147483648", 10, &value),
			 ERROR_OVERFLOW);
	ck_assert_int_eq(parse_int32("99999999999", 11, &value),
			 ERROR_OVERFLOW);
	ck_assert_int_eq(parse_int32("1.0", 3, &value), ERROR_CAST);
	ck_assert_int_eq(parse_int32("", 0, &value), ERROR_CAST);
	ck_assert_int_eq(parse_int32("1e3", 3, &value), 0);
	ck_assert_int_eq(value, 1000);
}
END_TEST

START_TEST(decimals_are_what_python_computes)
{
	for (size_t i = 0; i < ARRAY_COUNT(decimal_texts); i++) {
		const struct decimal_text_row *row = &decimal_texts[i];
		int128_t value = 99;
		int rc = parse_decimal(row->text, strlen(row->text),
				       row->precision, row->scale, row->round,
				       &value);

		ck_assert_msg(rc == row->rc, "'%s': %d", row->text, rc);
		ck_assert_msg(value == wide_of(row->unscaled), "'%s'",
			      row->text);
	}
}
END_TEST

START_TEST(decimals_keep_their_scale_and_never_round_unasked)
{
	static const struct {
		const char *text;
		unsigned precision, scale;
		bool round;
		int rc;
		int64_t value;
	} rows[] = {
		{ "15.20", 18, 2, false, 0, 1520 },
		{ "15.2", 18, 2, false, 0, 1520 },
		{ "15", 18, 2, false, 0, 1500 },
		{ "15.200", 18, 2, false, 0, 1520 },
		{ "15.201", 18, 2, false, ERROR_CAST, 0 },
		{ "-15.205", 18, 2, true, 0, -1521 },
		{ "15.2049999999999999999999", 18, 2, true, 0, 1520 },
		{ "99.995", 4, 2, true, ERROR_OVERFLOW, 0 },
		{ "99.994", 4, 2, true, 0, 9999 },
		{ "100", 4, 2, false, ERROR_OVERFLOW, 0 },
		{ "99.99", 4, 2, false, 0, 9999 },
		{ "1.5e3", 10, 0, false, 0, 1500 },
		{ "1e-3", 10, 2, false, ERROR_CAST, 0 },
		{ "1e-3", 10, 2, true, 0, 0 },
		{ "5e-3", 10, 2, true, 0, 1 },
		{ "1e1000000", 38, 0, true, ERROR_OVERFLOW, 0 },
		{ "1e-1000000", 38, 0, true, 0, 0 },
		{ ".5", 1, 1, false, 0, 5 }, { "5.", 1, 0, false, 0, 5 },
		{ "-.5", 1, 1, false, 0, -5 }, { "-0.00", 5, 2, false, 0, 0 },
		{ "0.10000000000000000000000000000000000000000000", 2, 1,
		  false, 0, 1 },
		{ ".", 5, 2, false, ERROR_CAST, 0 },
		{ "-.", 5, 2, false, ERROR_CAST, 0 },
		{ "", 5, 2, false, ERROR_CAST, 0 },
		{ "1.2.3", 5, 2, false, ERROR_CAST, 0 },
		{ "1..2", 5, 2, false, ERROR_CAST, 0 },
		{ "1,5", 5, 2, false, ERROR_CAST, 0 },
		{ " 1.5", 5, 2, false, ERROR_CAST, 0 },
		{ "1.5 ", 5, 2, false, ERROR_CAST, 0 },
		{ "12345678.12345678.", 38, 9, false, ERROR_CAST, 0 },
		{ "NaN", 5, 2, false, ERROR_CAST, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int128_t value = 99;

		ck_assert_msg(parse_decimal(rows[i].text, strlen(rows[i].text),
					    rows[i].precision, rows[i].scale,
					    rows[i].round, &value) ==
			      rows[i].rc, "'%s'", rows[i].text);
		ck_assert_msg(value == rows[i].value, "'%s'", rows[i].text);
	}
}
END_TEST

START_TEST(booleans_have_eight_spellings_in_any_case)
{
	static const char *const yes[] = { "true", "TRUE", "True", "t", "T",
					   "1", "yes", "YES", "yEs" };
	static const char *const no[] = { "false", "FALSE", "f", "F", "0",
					  "no", "No", "NO" };
	static const char *const neither[] = { "", "2", "y", "n", "on", "off",
					       "tru", "truee", " true", "01",
					       "\x14", "yex", "nope" };
	uint8_t value;

	for (size_t i = 0; i < ARRAY_COUNT(yes); i++) {
		value = 9;
		ck_assert_int_eq(parse_boolean(yes[i], strlen(yes[i]), &value),
				 0);
		ck_assert_uint_eq(value, 1);
	}
	for (size_t i = 0; i < ARRAY_COUNT(no); i++) {
		value = 9;
		ck_assert_int_eq(parse_boolean(no[i], strlen(no[i]), &value),
				 0);
		ck_assert_uint_eq(value, 0);
	}
	for (size_t i = 0; i < ARRAY_COUNT(neither); i++)
		ck_assert_msg(parse_boolean(neither[i], strlen(neither[i]),
					    &value) == ERROR_CAST, "'%s'",
			      neither[i]);
}
END_TEST

START_TEST(hex_is_pairs_of_digits_of_either_case)
{
	uint8_t out[8];
	size_t length;

	ck_assert_int_eq(parse_hex("00fFa9", 6, out, &length), 0);
	ck_assert_uint_eq(length, 3);
	ck_assert_mem_eq(out, "\x00\xff\xa9", 3);
	ck_assert_int_eq(parse_hex("\\x0f", 4, out, &length), 0);
	ck_assert_uint_eq(length, 1);
	ck_assert_uint_eq(out[0], 15);
	ck_assert_int_eq(parse_hex("", 0, out, &length), 0);
	ck_assert_uint_eq(length, 0);
	ck_assert_int_eq(parse_hex("abc", 3, out, &length), ERROR_CAST);
	ck_assert_int_eq(parse_hex("0g", 2, out, &length), ERROR_CAST);
	ck_assert_int_eq(parse_hex("0x0f", 4, out, &length), ERROR_CAST);
	ck_assert_int_eq(parse_hex("@0", 2, out, &length), ERROR_CAST);
	ck_assert_int_eq(parse_hex("`0", 2, out, &length), ERROR_CAST);
	ck_assert_int_eq(parse_hex("/:", 2, out, &length), ERROR_CAST);
}
END_TEST

/* Each type's text, as one literal. */
START_TEST(a_value_of_each_type_is_read_by_its_type)
{
	struct arena arena = { 0 };
	struct type fixed = type_of(TYPE_FIXED);
	struct type decimal = type_decimal(20, 3);
	struct type type;
	struct literal out;

	fixed.length = 2;
	type = type_of(TYPE_TINYINT);
	ck_assert_int_eq(parse_value("-128", 4, &type, &arena, &out), 0);
	ck_assert_int_eq(out.value.int32, -128);
	ck_assert_int_eq(parse_value("128", 3, &type, &arena, &out),
			 ERROR_OVERFLOW);
	ck_assert(out.is_null);
	ck_assert_int_eq(parse_value("1.5", 3, &decimal, &arena, &out), 0);
	ck_assert(out.value.decimal == 1500 && !out.is_null);
	ck_assert_int_eq(parse_value("0aFF", 4, &fixed, &arena, &out), 0);
	ck_assert_uint_eq(out.value.bytes.length, 2);
	ck_assert_mem_eq(out.value.bytes.data, "\x0a\xff", 2);
	ck_assert_int_eq(parse_value("0aFF00", 6, &fixed, &arena, &out),
			 ERROR_CAST);
	type = type_of(TYPE_VARCHAR);
	ck_assert_int_eq(parse_value(" x ", 3, &type, &arena, &out), 0);
	ck_assert_uint_eq(out.value.bytes.length, 3);
	type = type_of(TYPE_UUID);
	ck_assert_int_eq(parse_value("00112233-4455-6677-8899-AABBCCDDEEFF",
				     36, &type, &arena, &out), 0);
	ck_assert_mem_eq(out.value.uuid.bytes, "\x00\x11\x22\x33\x44\x55\x66"
			 "\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
	ck_assert_int_eq(parse_value("00112233-4455-6677-8899-AABBCCDDEEF",
				     35, &type, &arena, &out), ERROR_CAST);
	type = type_of(TYPE_DATE);
	ck_assert_int_eq(parse_value("1970-01-02", 10, &type, &arena, &out),
			 0);
	ck_assert_int_eq(out.value.int32, 1);
	type = type_of(TYPE_ROW);
	ck_assert_int_eq(parse_value("{}", 2, &type, &arena, &out),
			 ERROR_CAST);
	type = type_of(TYPE_VARBINARY);
	mem_fail_at(0);
	arena_release(&arena);
	ck_assert_int_eq(parse_value("00", 2, &type, &arena, &out),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	arena_release(&arena);
}
END_TEST

/* Text that ends at a page that must not be touched. */
static char *guarded_page(size_t page_bytes)
{
	char *pages = mmap(NULL, 3 * page_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages, page_bytes, PROT_NONE), 0);
	ck_assert_int_eq(mprotect(pages + 2 * page_bytes, page_bytes,
				  PROT_NONE), 0);
	return pages + page_bytes;
}

/* Whatever is read prints as something that reads back the same. */
static void parse_everything(const char *text, size_t length)
{
	static const enum type_id ids[] = {
		TYPE_BOOLEAN, TYPE_TINYINT, TYPE_INTEGER, TYPE_BIGINT,
		TYPE_REAL, TYPE_DOUBLE, TYPE_DATE, TYPE_TIME, TYPE_TIMESTAMP,
		TYPE_TIMESTAMP_TZ, TYPE_VARBINARY, TYPE_UUID, TYPE_DECIMAL,
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(ids); i++) {
		struct type type = ids[i] == TYPE_DECIMAL
			? type_decimal(1 + length % 38, length % 38 / 2)
			: type_of(ids[i]);
		struct text printed = TEXT_INIT;
		struct literal value, again;

		if (parse_value(text, length, &type, &arena, &value))
			continue;
		ck_assert(format_literal(&value, &printed));
		ck_assert_msg(parse_value(printed.data ? printed.data : "",
					  printed.length, &type, &arena,
					  &again) == 0, "%.*s became %s",
			      (int)length, text, printed.data);
		ck_assert_msg(literal_compare(&value, &again) == 0,
			      "%.*s became %s", (int)length, text,
			      printed.data);
		text_release(&printed);
	}
	arena_release(&arena);
}

START_TEST(nothing_is_read_past_the_length_and_all_of_it_comes_back)
{
	static const char *const seeds[] = {
		"2024-01-31 10:00:00.123456+02:00", "-1234567.12345678901e-12",
		"12345678901234567890123456789012345678901234567890",
		"00112233-4455-6677-8899-aabbccddeeff", "Infinity", "-NaN",
		"+294247-01-10T04:00:54.7758070000Z", "false",
	};
	static const char letters[] = "0123456789-+.: TZeE0129aAfxUTCn";
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *page = guarded_page(page_bytes);
	uint32_t state = 7;

	for (int round = 0; round < 20000; round++) {
		const char *seed = seeds[round % ARRAY_COUNT(seeds)];
		size_t length = strlen(seed);
		char text[64];
		char *place;

		memcpy(text, seed, length + 1);
		for (int change = round / 8 % 4; change > 0; change--) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % length] =
				letters[(state >> 20) % (sizeof(letters) - 1)];
		}
		state = state * 1664525 + 1013904223;
		length = (state >> 10) % 3 ? length
					   : (state >> 16) % (length + 1);
		place = round & 1 ? page : page + page_bytes - length;
		memcpy(place, text, length);
		parse_everything(place, length);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("value_parse");
	TCase *tc = tcase_create("value_parse");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, no_text_at_all_is_no_value);
	tcase_add_test(tc, whole_numbers_are_read_exactly_or_refused);
	tcase_add_test(tc,
		       each_number_of_digits_is_read_as_the_library_reads_it);
	tcase_add_test(tc, an_integer_has_32_bits);
	tcase_add_test(tc, decimals_are_what_python_computes);
	tcase_add_test(tc,
		       decimals_keep_their_scale_and_never_round_unasked);
	tcase_add_test(tc, booleans_have_eight_spellings_in_any_case);
	tcase_add_test(tc, hex_is_pairs_of_digits_of_either_case);
	tcase_add_test(tc, a_value_of_each_type_is_read_by_its_type);
	tcase_add_test(tc,
		nothing_is_read_past_the_length_and_all_of_it_comes_back);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
