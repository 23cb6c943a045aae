/*
 * check_csv_format.c - rows to CSV and JSON Lines, and back
 *
 * The oracle of the JSON is cJSON, that of the CSV the reader, which
 * check_csv_differential.c proves by a model.
 */
#include "unit/csv_readback.h"

#include "codec/codec.h"

#include <cjson/cJSON.h>
#include <math.h>

static struct error err;
static struct schema schema;
static struct batch batch;
static struct text out;
static const struct vector *columns[32];

static void setup(void)
{
	error_init(&err);
	schema_init(&schema);
}

static void teardown(void)
{
	mem_fail_at(-1);
	batch_release(&batch);
	schema_release(&schema);
	text_release(&out);
}

static void add_column(const char *name, struct type type)
{
	ck_ok(schema_add_column(&schema, name, type, &err));
}

static void start(void)
{
	ck_ok(batch_init(&batch, &schema, &err));
	for (size_t i = 0; i < schema.column_count; i++)
		columns[i] = &batch.columns[i];
}

/* NULL or a text that converts, as parse_value() has it. */
static void add_value(size_t column, const char *text, size_t length)
{
	struct vector *v = &batch.columns[column];
	struct literal value = literal_null(v->type);

	if (text)
		ck_assert_int_eq(parse_value(text, length, &v->type,
					     &batch.heap, &value), 0);
	ck_ok(vector_append(v, &value, &err));
}

static void add_text(size_t column, const char *text)
{
	add_value(column, text, text ? strlen(text) : 0);
}

static int format_csv(const struct selection *rows)
{
	text_reset(&out);
	return csv_format_batch(columns, schema.column_count, rows, &out,
				&err);
}

static int format_jsonl(const struct selection *rows)
{
	text_reset(&out);
	return jsonl_format_batch(&schema, columns, schema.column_count, rows,
				  &out, &err);
}

struct typed_value {
	int id;
	uint8_t precision, scale;
	const char *in, *csv, *json;
};

static const struct typed_value typed_values[] = {
	{ TYPE_BOOLEAN, 0, 0, "t", "true", "true" },
	{ TYPE_BOOLEAN, 0, 0, "no", "false", "false" },
	{ TYPE_INTEGER, 0, 0, "-2147483648", "-2147483648", "-2147483648" },
	{ TYPE_BIGINT, 0, 0, "-9223372036854775808", "-9223372036854775808",
	  "-9223372036854775808" },
	{ TYPE_REAL, 0, 0, "0.1", "0.1", "0.1" },
	{ TYPE_REAL, 0, 0, "NaN", "NaN", "\"NaN\"" },
	{ TYPE_DOUBLE, 0, 0, "1", "1.0", "1.0" },
	{ TYPE_DOUBLE, 0, 0, "-inf", "-Infinity", "\"-Infinity\"" },
	{ TYPE_DOUBLE, 0, 0, "1e300", "1.0E300", "1.0E300" },
	{ TYPE_DECIMAL, 18, 2, "7", "7.00", "7.00" },
	{ TYPE_DECIMAL, 18, 2, "-0.01", "-0.01", "-0.01" },
	{ TYPE_DECIMAL, 38, 0, "99999999999999999999999999999999999999",
	  "99999999999999999999999999999999999999",
	  "99999999999999999999999999999999999999" },
	{ TYPE_DATE, 0, 0, "2024-02-29", "2024-02-29", "\"2024-02-29\"" },
	{ TYPE_TIME, 0, 0, "01:02:03.5", "01:02:03.5", "\"01:02:03.5\"" },
	{ TYPE_TIMESTAMP, 0, 0, "2024-02-29T01:02", "2024-02-29 01:02:00",
	  "\"2024-02-29 01:02:00\"" },
	{ TYPE_TIMESTAMP_TZ, 0, 0, "2024-02-29 01:02:03.25+01",
	  "2024-02-29 00:02:03.25+00:00",
	  "\"2024-02-29 00:02:03.25+00:00\"" },
	{ TYPE_VARBINARY, 0, 0, "00FFa0", "00ffa0", "\"00ffa0\"" },
	{ TYPE_VARBINARY, 0, 0, "", "\"\"", "\"\"" },
	{ TYPE_UUID, 0, 0, "F79C3E09-677C-4BBD-A479-3F349CB785E7",
	  "f79c3e09-677c-4bbd-a479-3f349cb785e7",
	  "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"" },
	{ TYPE_VARCHAR, 0, 0, " x ", " x ", "\" x \"" },
	{ TYPE_VARCHAR, 0, 0, "", "\"\"", "\"\"" },
	{ TYPE_VARCHAR, 0, 0, "a,b", "\"a,b\"", "\"a,b\"" },
	{ TYPE_VARCHAR, 0, 0, "\"", "\"\"\"\"", "\"\\\"\"" },
	{ TYPE_VARCHAR, 0, 0, "\n", "\"\n\"", "\"\\n\"" },
	{ TYPE_VARCHAR, 0, 0, "\r", "\"\r\"", "\"\\r\"" },
	{ TYPE_VARCHAR, 0, 0, "\\", "\\", "\"\\\\\"" },
	{ TYPE_VARCHAR, 0, 0, "\x1f", "\x1f", "\"\\u001f\"" },
	{ TYPE_VARCHAR, 0, 0, "\xc3\xa9", "\xc3\xa9", "\"\xc3\xa9\"" },
	{ TYPE_VARCHAR, 0, 0, "NULL", "NULL", "\"NULL\"" },
	{ TYPE_BIGINT, 0, 0, NULL, "", "null" },
	{ TYPE_VARCHAR, 0, 0, NULL, "", "null" },
};

START_TEST(a_value_is_written_as_the_manual_has_it)
{
	const struct typed_value *value = &typed_values[_i];
	struct selection rows = selection_all(1);
	struct type type = type_of((enum type_id)value->id);
	char expected[200];

	type.precision = value->precision;
	type.scale = value->scale;
	add_column("c", type);
	start();
	add_text(0, value->in);
	ck_ok(format_csv(&rows));
	snprintf(expected, sizeof(expected), "%s\n", value->csv);
	ck_assert_str_eq(out.data, expected);
	ck_ok(format_jsonl(&rows));
	snprintf(expected, sizeof(expected), "{\"c\":%s}\n", value->json);
	ck_assert_str_eq(out.data, expected);
}
END_TEST

START_TEST(selected_rows_are_appended_in_order)
{
	static const uint32_t picked[] = { 0, 2 };
	struct selection rows = { picked, 2 };

	add_column("a", type_of(TYPE_INTEGER));
	add_column("b,\"", type_of(TYPE_VARCHAR));
	start();
	for (int i = 0; i < 3; i++) {
		static const char *const texts[] = { "1", "2", "3" };

		add_text(0, i == 2 ? NULL : texts[i]);
		add_text(1, texts[i]);
	}
	ck_assert(csv_format_header(&schema, &out));
	ck_ok(csv_format_batch(columns, 2, &rows, &out, &err));
	ck_assert_str_eq(out.data, "a,\"b,\"\"\"\n1,1\n,3\n");
	ck_ok(format_jsonl(&rows));
	ck_assert_str_eq(out.data, "{\"a\":1,\"b,\\\"\":\"1\"}\n"
			 "{\"a\":null,\"b,\\\"\":\"3\"}\n");
	rows.count = 0;
	ck_ok(format_csv(&rows));
	ck_assert_uint_eq(out.length, 0);
}
END_TEST

/* Special bytes at each place of texts of each length. */
START_TEST(any_text_is_read_back_as_it_was)
{
	static const char special[] = { ',', '"', '\n', '\r', 'x', ' ', '\t',
					'\\', '\0', '\x7f', ';' };
	struct csv_options options;
	struct readback in = { .options = &options, .thread_count = 1 };
	struct selection rows;
	struct text csv = TEXT_INIT, expected = TEXT_INIT;
	char bytes[72];
	cJSON *json;
	const char *at;

	csv_options_init(&options);
	add_column("c", type_of(TYPE_VARCHAR));
	start();
	for (size_t length = 0; length <= 70; length++) {
		for (size_t place = 0; place < length; place++) {
			char *copy = arena_alloc(&batch.heap, length);

			memset(bytes, 'a', sizeof(bytes));
			bytes[place] = special[(place + length + (size_t)_i) %
					       sizeof(special)];
			memcpy(copy, bytes, length);
			add_value(0, copy, length);
			text_addf(&expected, "%zu|", batch.columns[0].count);
		}
	}
	rows = selection_all(batch.columns[0].count);
	ck_assert(csv_format_header(&schema, &csv));
	ck_ok(csv_format_batch(columns, 1, &rows, &csv, &err));
	readback_bytes(&in, csv.data, csv.length);
	ck_assert_int_eq(in.rc, 0);
	ck_assert_uint_eq(in.row_count, rows.count);
	text_reset(&expected);
	at = in.rows.data;
	for (size_t i = 0; i < rows.count; i++) {
		const char *end = strchr(at, '\n');

		text_reset(&expected);
		readback_value(&expected, columns[0], i);
		ck_assert_uint_ge((size_t)(end - at), expected.length);
		ck_assert_int_eq(memcmp(end - expected.length, expected.data,
					expected.length), 0);
		at = end + 1;
	}
	ck_ok(format_jsonl(&rows));
	at = out.data;
	for (size_t i = 0; i < rows.count; i++) {
		struct byte_view view = vector_bytes(columns[0])[i];
		const char *end = strchr(at, '\n');

		ck_assert_uint_eq(utf8_valid_prefix(at, (size_t)(end - at)),
				  (size_t)(end - at));
		json = cJSON_ParseWithLength(at, (size_t)(end - at));
		ck_assert_ptr_nonnull(json);
		if (!memchr(view.data, 0, view.length))
			ck_assert_int_eq(strncmp(cJSON_GetObjectItem(json,
				"c")->valuestring, (const char *)view.data,
				view.length), 0);
		cJSON_Delete(json);
		at = end + 1;
	}
	text_release(&in.rows);
	text_release(&csv);
	text_release(&expected);
}
END_TEST

START_TEST(many_columns_and_long_values_fit)
{
	struct selection rows = selection_all(1);
	char *big = malloc(100000);

	memset(big, '"', 100000);
	for (int i = 0; i < 20; i++) {
		char name[8];

		snprintf(name, sizeof(name), "c%d", i);
		add_column(name, i % 2 ? type_of(TYPE_VARCHAR)
				       : type_decimal(38, 38));
	}
	start();
	for (int i = 0; i < 20; i++)
		add_value((size_t)i, i % 2 ? big :
			  "-0.99999999999999999999999999999999999999",
			  i % 2 ? 100000 : 41);
	ck_ok(format_csv(&rows));
	ck_assert_uint_eq(out.length, 10 * (200002 + 1) + 10 * 42);
	ck_ok(format_jsonl(&rows));
	ck_assert_uint_eq(out.length, 20 * 6 + 10 + 10 * (200002 + 41) + 2);
	free(big);
}
END_TEST

START_TEST(nested_values_are_json_and_in_csv_its_text)
{
	struct column_def element = { .name = (char *)"element",
				      .type = type_of(TYPE_VARCHAR) };
	struct type list = type_of(TYPE_ARRAY);
	const uint32_t offsets[] = { 0, 0, 2, 2 };
	uint64_t validity = 3;
	struct selection rows = selection_all(3);
	struct vector texts;
	struct literal value = literal_null(element.type);

	list.fields = &element;
	list.field_count = 1;
	add_column("l", list);
	add_column("b", type_of(TYPE_BIGINT));
	start();
	vector_init(&texts, element.type);
	ck_ok(vector_append(&texts, &value, &err));
	value.is_null = false;
	value.value.bytes = byte_view("a\"\n", 3);
	ck_ok(vector_append(&texts, &value, &err));
	ck_ok(nested_pack_lists(&batch.columns[0], &texts, offsets, &validity,
				3, &batch.heap, &err));
	for (int i = 0; i < 3; i++)
		add_text(1, "7");
	ck_ok(format_csv(&rows));
	ck_assert_str_eq(out.data, "[],7\n\"[null,\"\"a\\\"\"\\n\"\"]\",7\n"
			 ",7\n");
	ck_ok(format_jsonl(&rows));
	ck_assert_str_eq(out.data, "{\"l\":[],\"b\":7}\n"
			 "{\"l\":[null,\"a\\\"\\n\"],\"b\":7}\n"
			 "{\"l\":null,\"b\":7}\n");
	for (int i = 0; i < 2; i++) {
		text_release(&out);
		mem_fail_at(i);
		ck_assert_int_eq(format_csv(&rows), ERROR_NO_MEMORY);
		mem_fail_at(-1);
	}
	vector_release(&texts);
}
END_TEST

START_TEST(missing_memory_is_an_error)
{
	struct selection rows = selection_all(1);

	add_column("a", type_of(TYPE_BIGINT));
	start();
	add_text(0, "1");
	text_release(&out);
	mem_fail_at(0);
	ck_assert_int_eq(format_csv(&rows), ERROR_NO_MEMORY);
	text_release(&out);
	mem_fail_at(0);
	ck_assert(!csv_format_header(&schema, &out));
	for (int i = 0; i < 3; i++) {
		text_release(&out);
		mem_fail_at(i);
		ck_assert_int_eq(format_jsonl(&rows), ERROR_NO_MEMORY);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_format");
	TCase *tc = tcase_create("csv_format");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_value_is_written_as_the_manual_has_it, 0,
			    ARRAY_COUNT(typed_values));
	tcase_add_test(tc, selected_rows_are_appended_in_order);
	tcase_add_loop_test(tc, any_text_is_read_back_as_it_was, 0, 11);
	tcase_add_test(tc, many_columns_and_long_values_fit);
	tcase_add_test(tc, nested_values_are_json_and_in_csv_its_text);
	tcase_add_test(tc, missing_memory_is_an_error);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
