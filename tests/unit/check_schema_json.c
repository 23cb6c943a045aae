#include <stdio.h>
#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct schema schema;

static void set_up(void)
{
	error_init(&err);
	schema_init(&schema);
}

static void tear_down(void)
{
	mem_fail_at(-1);
	schema_release(&schema);
}

static int parse(const char *json)
{
	return schema_json_parse(&schema, json, strlen(json), &err);
}

/* Every kind of type, nesting, documentation and defaults, in the member
 * order that we write. */
static const char whole[] =
	"{\"type\":\"struct\",\"schema-id\":3,\"identifier-field-ids\":[1],"
	"\"fields\":["
	"{\"id\":1,\"name\":\"a \\\"b\\\"\",\"required\":true,\"type\":"
	"\"long\",\"doc\":\"the key\"},"
	"{\"id\":2,\"name\":\"d\",\"required\":false,\"type\":"
	"\"decimal(9, 2)\",\"initial-default\":\"14.20\",\"write-default\":"
	"\"-0.01\"},"
	"{\"id\":3,\"name\":\"f\",\"required\":false,\"type\":\"fixed[2]\","
	"\"write-default\":\"00ff\"},"
	"{\"id\":4,\"name\":\"s\",\"required\":false,\"type\":{\"type\":"
	"\"struct\",\"fields\":[{\"id\":5,\"name\":\"x\",\"required\":true,"
	"\"type\":\"int\",\"initial-default\":7}]}},"
	"{\"id\":6,\"name\":\"l\",\"required\":false,\"type\":{\"type\":"
	"\"list\",\"element-id\":7,\"element\":\"string\","
	"\"element-required\":true}},"
	"{\"id\":8,\"name\":\"m\",\"required\":false,\"type\":{\"type\":"
	"\"map\","
	"\"key-id\":9,\"key\":\"uuid\",\"value-id\":10,\"value\":\"double\","
	"\"value-required\":false}},"
	"{\"id\":11,\"name\":\"t\",\"required\":false,\"type\":\"timestamptz\","
	"\"write-default\":\"2017-11-16T22:31:08.123456+00:00\"},"
	"{\"id\":12,\"name\":\"u\",\"required\":false,\"type\":\"timestamp\","
	"\"write-default\":\"2017-11-16T22:31:08\"},"
	"{\"id\":13,\"name\":\"v\",\"required\":false,\"type\":\"date\","
	"\"write-default\":\"2017-11-16\"},"
	"{\"id\":14,\"name\":\"w\",\"required\":false,\"type\":\"boolean\","
	"\"write-default\":true},"
	"{\"id\":15,\"name\":\"x\",\"required\":false,\"type\":\"string\","
	"\"write-default\":\"\\u0001q\"},"
	"{\"id\":16,\"name\":\"y\",\"required\":false,\"type\":\"double\","
	"\"write-default\":1.5},"
	"{\"id\":17,\"name\":\"z\",\"required\":false,\"type\":\"time\","
	"\"write-default\":\"22:31:08.5\"},"
	"{\"id\":18,\"name\":\"uu\",\"required\":false,\"type\":\"uuid\","
	"\"write-default\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"},"
	"{\"id\":19,\"name\":\"n\",\"required\":false,\"type\":\"long\","
	"\"write-default\":9223372036854775807}]}";

START_TEST(a_schema_of_all_types_comes_back_byte_for_byte)
{
	struct text out = TEXT_INIT;

	ck_ok(parse(whole));
	ck_ok(schema_json_format(&schema, &out, &err));
	ck_assert_str_eq(out.data, whole);
	text_release(&out);
}
END_TEST

START_TEST(a_schema_is_understood)
{
	ck_ok(parse(whole));
	ck_assert_int_eq(schema.schema_id, 3);
	ck_assert_str_eq(schema.columns[0].name, "a \"b\"");
	ck_assert(schema.columns[0].is_identifier);
	ck_assert(!schema.columns[1].is_identifier);
	ck_assert(schema.columns[1].initial_default->value.decimal == 1420);
	ck_assert(schema.columns[1].write_default->value.decimal == -1);
	ck_assert_int_eq(schema.columns[3].type.id, TYPE_ROW);
	ck_assert_int_eq(schema.columns[3].type.fields[0].field_id, 5);
	ck_assert_int_eq(schema.columns[5].type.fields[1].field_id, 10);
	ck_assert(schema.columns[5].type.fields[0].required);
	ck_assert(schema.columns[6].write_default->value.int64 ==
		  INT64_C(1510871468123456));
	ck_assert(schema.columns[14].write_default->value.int64 == INT64_MAX);
}
END_TEST

START_TEST(type_names_are_read_in_any_spelling)
{
	static const char *const names[] = { "decimal(9,2)", "DECIMAL( 9 , 2 )",
					     "decimal (9, 2)" };
	struct type type;
	struct text out = TEXT_INIT;

	ck_ok(type_json_parse(&type, names[_i], &err));
	ck_assert(type_json_format(&type, &out));
	ck_assert_str_eq(out.data, "decimal(9, 2)");
	text_release(&out);
}
END_TEST

START_TEST(types_without_an_sql_name_are_refused_by_name)
{
	static const char *const names[] = { "timestamp_ns", "timestamptz_ns",
		"variant", "unknown", "geometry(EPSG:4326)",
		"geography(srid:4269, karney)", "decimal(39, 2)",
		"decimal(2, 3)", "decimal(0, 0)", "fixed[x]", "integer" };
	char json[256];

	snprintf(json, sizeof(json), "{\"type\":\"struct\",\"fields\":[{"
		 "\"id\":1,\"name\":\"odd\",\"required\":false,\"type\":"
		 "\"%s\"}]}", names[_i]);
	ck_assert_int_eq(parse(json), ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "\"odd\""));
	ck_assert_ptr_nonnull(strstr(err.text, names[_i]));
	ck_assert_uint_eq(schema.column_count, 0);
}
END_TEST

#define FIELD(rest) "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":" \
	"\"a\",\"required\":false," rest "]}"

START_TEST(malformed_schemas_are_corrupt)
{
	static const char *const bad[] = {
		"{}", "[]", "{\"type\":\"struct\"}",
		"{\"type\":\"list\",\"fields\":[]}",
		FIELD("\"type\":\"int\"}],\"identifier-field-ids\":[2"),
		FIELD("\"type\":\"int\",\"write-default\":\"x\"}"),
		FIELD("\"type\":\"int\",\"write-default\":2147483648}"),
		FIELD("\"type\":\"date\",\"write-default\":\"2017-13-16\"}"),
		FIELD("\"type\":\"decimal(4,2)\",\"write-default\":"
		      "\"1.001\"}"),
		FIELD("\"type\":\"fixed[2]\",\"write-default\":\"00\"}"),
		FIELD("\"type\":{\"type\":\"list\"}}"),
		FIELD("\"type\":{\"type\":\"map\",\"key\":\"int\"}}"),
		FIELD("\"type\":{}}"),
		FIELD("\"doc\":\"no type\"}"),
		FIELD("\"type\":\"int\"},{\"id\":1,\"name\":\"b\","
		      "\"required\":true,\"type\":\"int\"}"),
		FIELD("\"type\":\"int\"}],\"identifier-field-ids\":[1.5"),
	};

	ck_assert_msg(parse(bad[_i]) == ERROR_CORRUPT, "%s", bad[_i]);
	ck_assert_uint_eq(schema.column_count, 0);
}
END_TEST

START_TEST(a_null_default_is_no_default)
{
	ck_ok(parse(FIELD("\"type\":\"int\",\"write-default\":null,"
			  "\"doc\":null}")));
	ck_assert_ptr_null(schema.columns[0].write_default);
	ck_assert_ptr_null(schema.columns[0].doc);
}
END_TEST

START_TEST(a_default_of_a_nested_type_is_unsupported)
{
	ck_assert_int_eq(parse(FIELD("\"write-default\":{},\"type\":{\"type\":"
				     "\"struct\",\"fields\":[]}}")),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "\"a\""));
}
END_TEST

START_TEST(types_nested_too_deeply_are_unsupported)
{
	struct text json = TEXT_INIT;

	text_add_str(&json, "{\"type\":\"struct\",\"fields\":[{\"id\":1,"
		     "\"name\":\"deep\",\"required\":false,\"type\":");
	for (int i = 0; i < TYPE_NESTING_LIMIT; i++)
		text_addf(&json, "{\"type\":\"list\",\"element-id\":%d,"
			  "\"element-required\":true,\"element\":", i + 2);
	text_add_str(&json, "\"int\"");
	for (int i = 0; i < TYPE_NESTING_LIMIT; i++)
		text_add_str(&json, "}");
	text_add_str(&json, "}]}");
	ck_assert_int_eq(parse(json.data), ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "deep"));
	text_release(&json);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct text out = TEXT_INIT;
	int rc;

	mem_fail_at(_i);
	rc = parse(whole);
	if (!rc)
		rc = schema_json_format(&schema, &out, &err);
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	text_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schema_json");
	TCase *tc = tcase_create("schema_json");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_schema_of_all_types_comes_back_byte_for_byte);
	tcase_add_test(tc, a_schema_is_understood);
	tcase_add_loop_test(tc, type_names_are_read_in_any_spelling, 0, 3);
	tcase_add_loop_test(tc, types_without_an_sql_name_are_refused_by_name,
			    0, 11);
	tcase_add_loop_test(tc, malformed_schemas_are_corrupt, 0, 16);
	tcase_add_test(tc, a_null_default_is_no_default);
	tcase_add_test(tc, a_default_of_a_nested_type_is_unsupported);
	tcase_add_test(tc, types_nested_too_deeply_are_unsupported);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 30);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
