#include "unit/check_main.h"
#include "avro/avro.h"

static struct error err;
static struct arena arena;
static struct avro_schema *schema;

static int parse(const char *json)
{
	error_init(&err);
	return avro_schema_parse(&schema, json, strlen(json), "t.avro",
				 &arena, &err);
}

static void set_up(void)
{
	arena_init(&arena, 0);
}

static void tear_down(void)
{
	mem_fail_at(-1);
	arena_release(&arena);
}

START_TEST(attributes_may_come_in_any_order)
{
	ck_ok(parse("{\"fields\":[{\"field-id\":7,\"type\":[\"null\","
		    "{\"size\":4,\"precision\":9,\"scale\":2,\"name\":\"d\","
		    "\"logicalType\":\"decimal\",\"type\":\"fixed\"}],"
		    "\"name\":\"x\",\"default\":null}],\"name\":\"r\","
		    "\"type\":\"record\"}"));
	ck_assert_int_eq(schema->kind, AVRO_RECORD);
	ck_assert_uint_eq(schema->field_count, 1);
	ck_assert_int_eq(schema->fields[0].field_id, 7);
	ck_assert_str_eq(schema->fields[0].name, "x");
	ck_assert_int_eq(avro_not_null(schema->fields[0].type)->kind,
			 AVRO_FIXED);
	ck_assert_uint_eq(avro_not_null(schema->fields[0].type)->size, 4);
	ck_assert_int_eq(avro_not_null(schema->fields[0].type)->scale, 2);
}
END_TEST

START_TEST(a_fixed_type_may_be_named_again)
{
	ck_ok(parse("{\"type\":\"record\",\"name\":\"r\",\"fields\":["
		    "{\"name\":\"a\",\"type\":{\"type\":\"fixed\",\"name\":"
		    "\"ns.f\",\"size\":2}},{\"name\":\"b\",\"type\":\"f\"}]}"));
	ck_assert_ptr_eq(schema->fields[1].type, schema->fields[0].type);
}
END_TEST

START_TEST(primitives_in_object_form_are_read)
{
	ck_ok(parse("{\"type\":\"record\",\"name\":\"r\",\"fields\":["
		    "{\"name\":\"a\",\"type\":[{\"type\":\"null\"},"
		    "{\"type\":{\"type\":\"long\"}}]}]}"));
	ck_assert_int_eq(avro_not_null(schema->fields[0].type)->kind,
			 AVRO_LONG);
}
END_TEST

START_TEST(malformed_schemas_are_refused)
{
	static const char *const bad[] = {
		"", "7", "\"nosuch\"", "{}", "{\"type\":\"record\"}",
		"{\"type\":\"record\",\"fields\":[]}",
		"{\"type\":\"array\"}", "{\"type\":\"fixed\",\"name\":\"f\","
		"\"size\":-1}", "[[\"null\"]]",
		"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":"
		"\"a\"}]}",
		"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"type\":"
		"\"int\"}]}",
		"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":"
		"\"a\",\"type\":{\"type\":\"fixed\",\"name\":\"r\",\"size\":1}"
		"}]}x",
		"{\"type\":\"map\",\"values\":\"int\",\"items\":\"int\"}",
		"{\"type\":\"record\",\"name\":\"r\",\"items\":\"int\"",
	};

	ck_assert_msg(parse(bad[_i]) == ERROR_CORRUPT, "%s", bad[_i]);
	ck_assert_ptr_null(schema);
}
END_TEST

START_TEST(what_makes_decoding_unbounded_is_unsupported)
{
	static const char *const bad[] = {
		"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":"
		"\"a\",\"type\":{\"type\":\"record\",\"name\":\"b\","
		"\"fields\":[]}},{\"name\":\"c\",\"type\":\"b\"}]}",
		"{\"type\":\"array\",\"items\":\"null\"}",
		"{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":"
		"\"e\",\"fields\":[{\"name\":\"n\",\"type\":\"null\"}]}}",
	};

	ck_assert_int_eq(parse(bad[_i]), ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(a_record_cannot_contain_itself)
{
	ck_assert_int_lt(parse("{\"type\":\"record\",\"name\":\"r\",\"fields\":"
			       "[{\"name\":\"a\",\"type\":[\"null\",\"r\"]}]}"),
			 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("avro_schema");
	TCase *tc = tcase_create("avro_schema");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, attributes_may_come_in_any_order);
	tcase_add_test(tc, a_fixed_type_may_be_named_again);
	tcase_add_test(tc, primitives_in_object_form_are_read);
	tcase_add_loop_test(tc, malformed_schemas_are_refused, 0, 14);
	tcase_add_loop_test(tc, what_makes_decoding_unbounded_is_unsupported, 0,
			    3);
	tcase_add_test(tc, a_record_cannot_contain_itself);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
