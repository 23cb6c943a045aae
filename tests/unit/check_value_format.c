#include <stdio.h>
#include <inttypes.h>
#include "unit/check_main.h"
#include "unit/column_decimal_tables.h"

static char out[VALUE_TEXT_BYTES];

static const char *ended(size_t length)
{
	ck_assert_uint_lt(length, VALUE_TEXT_BYTES);
	out[length] = '\0';
	return out;
}

static struct literal value_of(struct type type, const char *text)
{
	static struct arena arena;
	struct literal value;

	ck_assert_int_eq(parse_value(text, strlen(text), &type, &arena,
				     &value), 0);
	return value;
}

START_TEST(whole_numbers_print_as_printf_prints_them)
{
	char wanted[32];
	uint64_t power = 1;

	for (int digits = 0; digits <= 19; digits++, power *= 10)
		for (int64_t near = -2; near <= 2; near++)
			for (int sign = 0; sign <= 1; sign++) {
				int64_t value = (int64_t)(power +
							  (uint64_t)near);

				value = sign ? (int64_t)-(uint64_t)value
					     : value;
				snprintf(wanted, sizeof(wanted), "%" PRId64,
					 value);
				ck_assert_str_eq(ended(format_int64(out,
								    value)),
						 wanted);
			}
	ck_assert_str_eq(ended(format_int64(out, INT64_MIN)),
			 "-9223372036854775808");
	ck_assert_str_eq(ended(format_int64(out, INT64_MAX)),
			 "9223372036854775807");
}
END_TEST

START_TEST(decimals_have_exactly_their_scale)
{
	static const struct {
		const char *unscaled, *text;
		unsigned scale;
	} rows[] = {
		{ "0", "0", 0 }, { "0", "0.00", 2 }, { "5", "0.05", 2 },
		{ "-5", "-0.05", 2 }, { "-150", "-1.50", 2 },
		{ "123456789", "1234567.89", 2 },
		{ "1", "0.00000000000000000000000000000000000001", 38 },
		{ "-99999999999999999999999999999999999999",
		  "-0.99999999999999999999999999999999999999", 38 },
		{ "99999999999999999999999999999999999999",
		  "99999999999999999999999999999999999999", 0 },
		{ "12345678901234567890", "1.2345678901234567890", 19 },
		{ "12345678901234567890", "0.12345678901234567890", 20 },
		{ "18446744073709551616", "184467440737095516.16", 2 },
		{ "18446744073709551615", "184467440737095516.15", 2 },
		{ "10000000000000000000", "10000000000000000000", 0 },
		{ "7", "0.0000000000000000000000007", 25 },
		{ "100000000000000000000000000000000000000",
		  "1.00000000000000000000000000000000000000", 38 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		ck_assert_str_eq(ended(format_decimal(out,
			wide_of(rows[i].unscaled), rows[i].scale)),
			rows[i].text);
}
END_TEST

START_TEST(timestamps_print_as_python_prints_them)
{
	for (size_t i = 0; i < ARRAY_COUNT(timestamps); i++) {
		const struct timestamp_row *row = &timestamps[i];
		char zoned[48];

		ck_assert_str_eq(ended(format_timestamp(out, row->us, false)),
				 row->text);
		snprintf(zoned, sizeof(zoned), "%s+00:00", row->text);
		ck_assert_str_eq(ended(format_timestamp(out, row->us, true)),
				 zoned);
		ck_assert_str_eq(ended(format_time(out, floor_mod(row->us,
						US_PER_DAY))),
				 row->text + 11);
		ck_assert_int_eq(strncmp(ended(format_date(out, row->days)),
					 row->text, 10), 0);
	}
}
END_TEST

START_TEST(years_beyond_four_digits_have_a_sign)
{
	ck_assert_str_eq(ended(format_date(out, 2932896)), "9999-12-31");
	ck_assert_str_eq(ended(format_date(out, 2932897)), "+10000-01-01");
	ck_assert_str_eq(ended(format_date(out, -719528)), "0000-01-01");
	ck_assert_str_eq(ended(format_date(out, -719529)), "-0001-12-31");
	ck_assert_str_eq(ended(format_date(out, INT32_MAX)),
			 "+5881580-07-11");
	ck_assert_str_eq(ended(format_date(out, INT32_MIN)),
			 "-5877641-06-23");
	ck_assert_str_eq(ended(format_timestamp(out, INT64_MIN, true)),
			 "-290308-12-21 19:59:05.224192+00:00");
	ck_assert_str_eq(ended(format_timestamp(out, INT64_MAX, false)),
			 "+294247-01-10 04:00:54.775807");
}
END_TEST

START_TEST(each_value_prints_by_its_type)
{
	struct type fixed = type_of(TYPE_FIXED);
	const struct {
		struct type type;
		const char *text, *sql;
	} rows[] = {
		{ type_of(TYPE_BOOLEAN), "true", "true" },
		{ type_of(TYPE_BOOLEAN), "false", "false" },
		{ type_of(TYPE_TINYINT), "-128", "-128" },
		{ type_of(TYPE_INTEGER), "-2147483648", "-2147483648" },
		{ type_of(TYPE_BIGINT), "17", "17" },
		{ type_of(TYPE_REAL), "1.5", "REAL '1.5'" },
		{ type_of(TYPE_DOUBLE), "1.0E10", "DOUBLE '1.0E10'" },
		{ type_decimal(5, 2), "1.50", "DECIMAL '1.50'" },
		{ type_decimal(25, 2), "1.50", "DECIMAL '1.50'" },
		{ type_of(TYPE_DATE), "2024-01-31", "DATE '2024-01-31'" },
		{ type_of(TYPE_TIME), "10:00:00.25", "TIME '10:00:00.25'" },
		{ type_of(TYPE_TIMESTAMP), "2024-01-31 10:00:00.5",
		  "TIMESTAMP '2024-01-31 10:00:00.5'" },
		{ type_of(TYPE_TIMESTAMP_TZ), "2024-01-31 10:00:00+00:00",
		  "TIMESTAMP '2024-01-31 10:00:00+00:00'" },
		{ type_of(TYPE_VARCHAR), "it's", "'it''s'" },
		{ type_of(TYPE_VARCHAR), "", "''" },
		{ type_of(TYPE_VARCHAR), "''", "''''''" },
		{ type_of(TYPE_VARBINARY), "00ff", "X'00ff'" },
		{ type_of(TYPE_VARBINARY), "", "X''" },
		{ fixed, "", "X''" },
		{ type_of(TYPE_UUID), "00112233-4455-6677-8899-aabbccddeeff",
		  "UUID '00112233-4455-6677-8899-aabbccddeeff'" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct literal value = value_of(rows[i].type, rows[i].text);
		struct literal null = literal_null(rows[i].type);
		struct text text = TEXT_INIT;
		struct vector vector;
		struct error err;

		ck_assert(text_add_char(&text, '<'));
		ck_assert(format_literal(&value, &text));
		ck_assert_str_eq(text.data + 1, rows[i].text);
		text_reset(&text);
		ck_assert(format_literal_sql(&value, &text));
		ck_assert_str_eq(text.data, rows[i].sql);
		text_reset(&text);
		ck_assert(format_literal_sql(&null, &text));
		ck_assert_str_eq(text.data, "NULL");
		text_reset(&text);
		vector_init(&vector, rows[i].type);
		ck_ok(vector_append(&vector, &value, &err));
		ck_assert(text_add_char(&text, '<'));
		ck_assert(format_value(&vector, 0, &text));
		ck_assert_str_eq(text.data + 1, rows[i].text);
		vector_release(&vector);
		text_release(&text);
	}
}
END_TEST

START_TEST(long_binary_prints_whole)
{
	static uint8_t bytes[1000];
	struct literal value = literal_null(type_of(TYPE_VARBINARY));
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	value.is_null = false;
	value.value.bytes = byte_view(bytes, sizeof(bytes));
	ck_assert(format_literal(&value, &text));
	ck_assert_uint_eq(text.length, 2 * sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		char pair[3];

		snprintf(pair, sizeof(pair), "%02x", bytes[i]);
		ck_assert_mem_eq(text.data + 2 * i, pair, 2);
	}
	text_release(&text);
}
END_TEST

START_TEST(printing_without_memory_fails)
{
	struct literal value = value_of(type_of(TYPE_VARCHAR), "it's");
	struct text text = TEXT_INIT;

	mem_fail_at(0);
	ck_assert(!format_literal(&value, &text));
	mem_fail_at(-1);
	text_release(&text);
	mem_fail_at(0);
	ck_assert(!format_literal_sql(&value, &text));
	mem_fail_at(-1);
	text_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("value_format");
	TCase *tc = tcase_create("value_format");

	tcase_add_test(tc, whole_numbers_print_as_printf_prints_them);
	tcase_add_test(tc, decimals_have_exactly_their_scale);
	tcase_add_test(tc, timestamps_print_as_python_prints_them);
	tcase_add_test(tc, years_beyond_four_digits_have_a_sign);
	tcase_add_test(tc, each_value_prints_by_its_type);
	tcase_add_test(tc, long_binary_prints_whole);
	tcase_add_test(tc, printing_without_memory_fails);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
