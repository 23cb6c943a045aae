/*
 * check_json_value.c - JSON to values of any type
 *
 * Random nested values go to JSON text (whose form check_nested.c pins) and
 * back; what is refused, and why, is written out here.
 */
#include "unit/nested_model.h"
#include "source/json_value.h"

#include <stdio.h>

#define TREE_COUNT 60

static struct error err;
static struct model model;
static struct arena heap;
static struct json_builder *builder;

static void setup(void)
{
	error_init(&err);
	memset(&model, 0, sizeof(model));
	builder = NULL;
}

static void teardown(void)
{
	mem_fail_at(-1);
	json_builder_free(builder);
	arena_release(&model.arena);
	arena_release(&heap);
}

static int add(const char *text)
{
	struct byte_view view = byte_view(text, strlen(text));
	char *copy = json_text_copy(&heap, view);
	struct json_reader reader;
	int rc;

	if (!copy)
		return ERROR_NO_MEMORY;
	json_reader_init(&reader, copy, view.length);
	rc = json_builder_add(builder, &reader, &heap, &err);
	if (!rc && json_finish(&reader, "text", NULL))
		rc = json_syntax_error(&reader, &err);
	return rc;
}

START_TEST(random_values_come_back_from_their_text)
{
	struct text texts[TREE_COUNT];
	struct vector packed, back;
	struct type type;
	int rc;

	model.seed = (uint64_t)_i * 977 + 5;
	do
		type = model_type(&model, 3);
	while (!type_is_nested(&type));
	vector_init(&packed, type);
	vector_init(&back, type);
	{
		const struct tree *trees[TREE_COUNT];

		for (size_t i = 0; i < TREE_COUNT; i++) {
			struct tree tree = model_tree(&model, &type, true);

			trees[i] = arena_copy(&model.arena, &tree,
					      sizeof(tree));
		}
		ck_ok(model_build(&type, trees, TREE_COUNT, &packed, &heap,
				  &err));
	}
	for (size_t i = 0; i < TREE_COUNT; i++) {
		text_init(&texts[i]);
		if (vector_is_null(&packed, i))
			text_add_str(&texts[i], "null");
		else
			ck_assert(format_value(&packed, i, &texts[i]));
	}
	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	/* twice, as builders are used again */
	for (int round = 0; round < 2; round++) {
		json_builder_reset(builder);
		for (size_t i = 0; i < TREE_COUNT; i++) {
			rc = add(texts[i].data);
			ck_assert_msg(rc == 0, "%.500s: %s", texts[i].data,
				      err.text);
		}
		ck_ok(json_builder_finish(builder, &back, &heap, &err));
		ck_assert_uint_eq(back.count, TREE_COUNT);
		for (size_t i = 0; i < TREE_COUNT; i++) {
			ck_assert_int_eq(vector_is_null(&back, i),
					 vector_is_null(&packed, i));
			if (!vector_is_null(&back, i))
				ck_assert_msg(nested_identical(&type,
					vector_bytes(&back)[i],
					vector_bytes(&packed)[i]), "%.500s",
					texts[i].data);
		}
	}
	for (size_t i = 0; i < TREE_COUNT; i++)
		text_release(&texts[i]);
	vector_release(&packed);
	vector_release(&back);
}
END_TEST

/* ROW(a BIGINT, "B" DECIMAL(10,2), "b" ROW(x VARCHAR, d DATE), l ARRAY(
 * DOUBLE), m MAP(INTEGER, BOOLEAN), u ARRAY(UUID)) */
static struct type wide_type(void)
{
	static struct column_def inner[2], fields[6];
	struct type row = type_of(TYPE_ROW), none = type_of(TYPE_UNKNOWN);

	inner[0] = (struct column_def){ .name = (char *)"x",
					.type = type_of(TYPE_VARCHAR) };
	inner[1] = (struct column_def){ .name = (char *)"d",
					.type = type_of(TYPE_DATE) };
	row.fields = inner;
	row.field_count = 2;
	fields[0] = (struct column_def){ .name = (char *)"a",
					 .type = type_of(TYPE_BIGINT) };
	fields[1] = (struct column_def){ .name = (char *)"B",
					 .type = type_decimal(10, 2) };
	fields[2] = (struct column_def){ .name = (char *)"b", .type = row };
	fields[3] = (struct column_def){ .name = (char *)"l", .type =
		model_list_type(&model, TYPE_ARRAY, none,
				type_of(TYPE_DOUBLE)) };
	fields[4] = (struct column_def){ .name = (char *)"m", .type =
		model_list_type(&model, TYPE_MAP, type_of(TYPE_INTEGER),
				type_of(TYPE_BOOLEAN)) };
	fields[5] = (struct column_def){ .name = (char *)"u", .type =
		model_list_type(&model, TYPE_ARRAY, none,
				type_of(TYPE_UUID)) };
	row.fields = fields;
	row.field_count = 6;
	return row;
}

static void expect(const char *text, const char *wanted)
{
	struct text got = TEXT_INIT;
	struct vector out;
	int rc;

	vector_init(&out, type_of(TYPE_UNKNOWN));
	json_builder_reset(builder);
	rc = add(text);
	ck_assert_msg(rc == 0, "%s: %s", text, err.text);
	ck_ok(json_builder_finish(builder, &out, &heap, &err));
	ck_assert(format_value(&out, 0, &got));
	ck_assert_str_eq(got.data, wanted);
	text_release(&got);
	vector_release(&out);
}

START_TEST(members_find_their_fields)
{
	struct type type = wide_type();

	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	expect("{}", "{\"a\":null,\"B\":null,\"b\":null,\"l\":null,"
	       "\"m\":null,\"u\":null}");
	/* any order, case where it is not ambiguous, white space */
	expect(" { \"L\" : [ 1 , null,\"NaN\", -0.0,1e300 ] ,\n"
	       "\"b\":{\"D\":\"1969-12-31\"},\"A\":-9223372036854775808, "
	       "\"M\":{\"-1\":true,\"2\":null},\"B\":12345678.9}",
	       "{\"a\":-9223372036854775808,\"B\":12345678.90,"
	       "\"b\":{\"x\":null,\"d\":\"1969-12-31\"},"
	       "\"l\":[1.0,null,\"NaN\",-0.0,1.0E300],"
	       "\"m\":{\"-1\":true,\"2\":null},\"u\":null}");
	/* numbers as text, text from anything, escapes */
	expect("{\"a\":\"17\",\"B\":\"1.5\",\"b\":{\"x\":12.50},"
	       "\"l\":[],\"m\":{}}",
	       "{\"a\":17,\"B\":1.50,\"b\":{\"x\":\"12.50\",\"d\":null},"
	       "\"l\":[],\"m\":{},\"u\":null}");
	expect("{\"b\":{\"x\":{\"y\":[1, 2]}}}",
	       "{\"a\":null,\"B\":null,\"b\":{\"x\":\"{\\\"y\\\":[1, 2]}\","
	       "\"d\":null},\"l\":null,\"m\":null,\"u\":null}");
	expect("{\"\\u0061\":1,\"b\":{\"x\":\"\\ud83d\\ude00\\n\\\"\"}}",
	       "{\"a\":1,\"B\":null,\"b\":{\"x\":\"\xf0\x9f\x98\x80\\n\\\"\","
	       "\"d\":null},\"l\":null,\"m\":null,\"u\":null}");
}
END_TEST

START_TEST(what_is_wrong_is_said_with_its_place)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "{\"z\":1}", "has no field 'z'" },
		{ "{\"b\":{\"z\":1}}", "field b: ROW(x VARCHAR, d DATE) has "
				       "no field 'z'" },
		{ "{\"a\":1,\"a\":1}", "member 'a' twice" },
		{ "{\"a\":1,\"A\":null}", "member 'A' twice" },
		{ "{\"a\":1.5}", "field a: '1.5' does not convert to BIGINT" },
		{ "{\"a\":\"1.0\"}", "'1.0' does not convert to BIGINT" },
		{ "{\"a\":80.50}", "'80.50' does not convert to BIGINT" },
		{ "{\"m\":{\"1.0\":true}}", "'1.0' does not convert" },
		{ "{\"a\":9223372036854775808}", "does not convert" },
		{ "{\"a\":9223372036854775808.0}", "does not convert" },
		{ "{\"a\":true}", "'true' does not convert to BIGINT" },
		{ "{\"a\":\"\"}", "'' does not convert to BIGINT" },
		{ "{\"a\":[1]}", "'[1]' does not convert to BIGINT" },
		{ "{\"B\":0.001}", "'0.001' does not convert to "
				   "DECIMAL(10,2)" },
		{ "{\"b\":{\"d\":20240101}}", "field b: field d: '20240101' "
					      "does not convert to DATE" },
		{ "{\"b\":[]}", "field b: '[]' does not convert to ROW(" },
		{ "{\"l\":{}}", "field l: '{}' does not convert to ARRAY" },
		{ "{\"l\":[1,2,\"x\"]}", "field l: element 3: 'x' does not" },
		{ "{\"m\":[]}", "does not convert to MAP(INTEGER, BOOLEAN)" },
		{ "{\"m\":{\"x\":true}}", "field m: key 'x': 'x' does not" },
		{ "{\"m\":{\"1\":2}}", "field m: key '1': '2' does not" },
		{ "{\"u\":[1]}", "field u: element 1: '1' does not convert" },
		{ "[]", "'[]' does not convert to ROW(" },
		{ "", "malformed JSON: expected a value" },
		{ "{\"a\":1", "malformed JSON: expected a comma" },
		{ "{\"a\":1}}", "more text behind the value" },
		{ "{\"a\":01}", "malformed JSON" },
		{ "{\"a\":nul}", "malformed JSON" },
		{ "{\"b\":{\"x\\u0000\":1}}", "\\u0000 in a name" },
		{ "{\"b\":{\"x\":\"a\tb\"}}", "is not escaped" },
		{ "{\"b\":{\"x\":\"\\ud800\"}}", "malformed escape" },
		{ "{\"b\":{\"x\":\"a\nb\"}}", "a string does not end" },
		{ "{\"b\":{\"x\":\"\xff\"}}", "invalid UTF-8" },
		{ "{\"b\":{\"x\":[[}}", "malformed JSON: expected a value" },
	};
	struct type type = wide_type();

	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		json_builder_reset(builder);
		ck_assert_msg(add(wrong[i].text) == ERROR_CAST, "%s",
			      wrong[i].text);
		ck_assert_msg(strstr(err.text, wrong[i].message) != NULL,
			      "%s: %s", wrong[i].text, err.text);
	}
	expect("{\"a\":1}", "{\"a\":1,\"B\":null,\"b\":null,\"l\":null,"
	       "\"m\":null,\"u\":null}");
}
END_TEST

START_TEST(a_number_whose_fraction_is_zeros_is_whole)
{
	struct type type = wide_type();
	static const char *const tail =
		",\"B\":null,\"b\":null,\"l\":null,\"m\":null,\"u\":null}";
	static const char *const pairs[][2] = {
		{ "80.0", "80" }, { "8.00", "8" }, { "0.0", "0" },
		{ "-0.0", "0" }, { "-100.000", "-100" }, { "1.0e1", "10" },
		{ "9223372036854775807.0", "9223372036854775807" },
		{ "1e2", "100" }, { "100", "100" },
	};

	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	for (size_t i = 0; i < ARRAY_COUNT(pairs); i++) {
		char text[100], wanted[200];

		snprintf(text, sizeof(text), "{\"a\":%s}", pairs[i][0]);
		snprintf(wanted, sizeof(wanted), "{\"a\":%s%s", pairs[i][1],
			 tail);
		expect(text, wanted);
	}
}
END_TEST

START_TEST(a_member_that_fits_two_fields_by_case_fits_none)
{
	struct column_def fields[2] = { { .name = (char *)"Ab" },
					{ .name = (char *)"aB" } };
	struct type row = type_of(TYPE_ROW);

	fields[0].type = fields[1].type = type_of(TYPE_INTEGER);
	row.fields = fields;
	row.field_count = 2;
	ck_ok(json_builder_new(&builder, &row, NULL, &err));
	expect("{\"aB\":2,\"Ab\":1}", "{\"Ab\":1,\"aB\":2}");
	json_builder_reset(builder);
	ck_assert_int_eq(add("{\"ab\":1}"), ERROR_CAST);
}
END_TEST

START_TEST(a_key_that_is_there_twice_is_found_when_packing)
{
	struct type map = model_list_type(&model, TYPE_MAP,
					  type_decimal(5, 2),
					  type_of(TYPE_INTEGER));
	struct vector out;

	vector_init(&out, map);
	ck_ok(json_builder_new(&builder, &map, NULL, &err));
	ck_ok(add("{\"1.5\":1,\"1\":2}"));
	ck_ok(add("{\"1.5\":1,\"1.50\":2}"));
	ck_assert_int_eq(json_builder_finish(builder, &out, &heap, &err),
			 ERROR_CAST);
	ck_assert_ptr_nonnull(strstr(err.text, "has the key 1.50 twice"));
	ck_assert_uint_eq(out.count, 0);
	vector_release(&out);
}
END_TEST

/* [[[...]]], deeper than any type and than any reader. */
START_TEST(depth_is_bounded)
{
	struct type type = type_of(TYPE_VARCHAR);
	char text[1025];

	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	memset(text, '[', 512);
	memset(text + 512, ']', 512);
	text[1024] = '\0';
	ck_assert_int_eq(add(text), ERROR_CAST);
	ck_assert_ptr_nonnull(strstr(err.text, "nested too deeply"));
	json_builder_free(builder);
	for (unsigned i = 0; i < TYPE_NESTING_LIMIT; i++)
		type = model_list_type(&model, TYPE_ARRAY, type, type);
	ck_ok(json_builder_new(&builder, &type, NULL, &err));
	ck_assert_int_eq(add(text), ERROR_CAST);
	memset(text, '[', TYPE_NESTING_LIMIT);
	memset(text + TYPE_NESTING_LIMIT, ']', TYPE_NESTING_LIMIT);
	text[2 * TYPE_NESTING_LIMIT] = '\0';
	expect(text, text);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct type type = wide_type();
	struct vector out;
	int rc = -1;

	vector_init(&out, type);
	for (long n = 0; rc; n++) {
		mem_fail_at(n);
		rc = json_builder_new(&builder, &type, NULL, &err);
		for (int i = 0; i < 70 && !rc; i++)
			rc = add("{\"a\":1,\"b\":{\"x\":\"y\"},"
				 "\"l\":[1,null],\"m\":{\"1\":true},"
				 "\"u\":[null]}");
		if (!rc)
			rc = json_builder_add_null(builder, &err);
		if (!rc)
			rc = json_builder_finish(builder, &out, &heap, &err);
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		if (rc) {
			json_builder_free(builder);
			builder = NULL;
			arena_release(&heap);
		}
		ck_assert(n < 10000);
	}
	ck_assert_uint_eq(out.count, 71);
	vector_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_value");
	TCase *tc = tcase_create("json_value");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, random_values_come_back_from_their_text, 0,
			    60);
	tcase_add_test(tc, members_find_their_fields);
	tcase_add_test(tc, what_is_wrong_is_said_with_its_place);
	tcase_add_test(tc, a_number_whose_fraction_is_zeros_is_whole);
	tcase_add_test(tc, a_member_that_fits_two_fields_by_case_fits_none);
	tcase_add_test(tc, a_key_that_is_there_twice_is_found_when_packing);
	tcase_add_test(tc, depth_is_bounded);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
