#include <stdio.h>
#include "unit/check_main.h"
#include "column/column.h"

static struct error err;

/* A definition with everything that can hang below one. */
static int add_rich_column(struct schema *schema, char *name)
{
	char text[] = "default";
	struct column_def fields[2] = { { 0 }, { 0 } };
	struct column_def def = { 0 };
	struct literal value = literal_null(type_of(TYPE_VARCHAR));

	value.is_null = false;
	value.value.bytes = byte_view(text, 7);
	fields[0].name = (char *)"x";
	fields[0].type = type_of(TYPE_DATE);
	fields[0].field_id = 11;
	fields[1].name = (char *)"y";
	fields[1].type = type_decimal(9, 3);
	fields[1].doc = (char *)"deep";
	def.name = name;
	def.type = type_of(TYPE_ROW);
	def.type.fields = fields;
	def.type.field_count = 2;
	def.field_id = 10;
	def.required = true;
	def.doc = (char *)"about it";
	def.initial_default = &value;
	def.write_default = &value;
	return schema_add(schema, &def, &err);
}

static void check_rich_column(const struct column_def *def)
{
	ck_assert_str_eq(def->name, "Rich");
	ck_assert_str_eq(def->doc, "about it");
	ck_assert(def->required && def->field_id == 10);
	ck_assert_uint_eq(def->type.field_count, 2);
	ck_assert_str_eq(def->type.fields[0].name, "x");
	ck_assert_int_eq(def->type.fields[0].field_id, 11);
	ck_assert_str_eq(def->type.fields[1].doc, "deep");
	ck_assert_uint_eq(def->type.fields[1].type.scale, 3);
	ck_assert_mem_eq(def->initial_default->value.bytes.data, "default", 7);
	ck_assert_mem_eq(def->write_default->value.bytes.data, "default", 7);
}

START_TEST(a_definition_is_copied_with_all_below_it)
{
	char name[] = "Rich";
	struct schema schema, copy;

	schema_init(&schema);
	ck_ok(add_rich_column(&schema, name));
	name[0] = 'x';
	check_rich_column(&schema.columns[0]);
	schema.schema_id = 4;
	ck_ok(schema_copy(&copy, &schema, &err));
	schema_release(&schema);
	ck_assert_int_eq(copy.schema_id, 4);
	check_rich_column(&copy.columns[0]);
	schema_release(&copy);
	ck_assert_uint_eq(copy.column_count, 0);
}
END_TEST

START_TEST(many_columns_keep_their_order)
{
	struct schema schema;
	char name[16];

	schema_init(&schema);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		ck_ok(schema_add_column(&schema, name, type_of(TYPE_BIGINT),
					&err));
		schema.columns[i].field_id = i + 1;
	}
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "C%d", i);
		ck_assert_int_eq(schema_find(&schema, name), i);
		ck_assert_int_eq(schema_find_id(&schema, i + 1), i);
	}
	ck_assert_int_eq(schema_find(&schema, "c300"), -1);
	ck_assert_int_eq(schema_find_id(&schema, 999), -1);
	schema_release(&schema);
}
END_TEST

START_TEST(a_name_is_found_exactly_first_and_then_in_any_case)
{
	struct schema schema;

	schema_init(&schema);
	ck_assert_int_eq(schema_find(&schema, "a"), -1);
	ck_ok(schema_add_column(&schema, "Total", type_of(TYPE_DATE), &err));
	ck_ok(schema_add_column(&schema, "id", type_of(TYPE_DATE), &err));
	ck_ok(schema_add_column(&schema, "ID", type_of(TYPE_DATE), &err));
	ck_assert_int_eq(schema_find(&schema, "TOTAL"), 0);
	ck_assert_int_eq(schema_find(&schema, "id"), 1);
	ck_assert_int_eq(schema_find(&schema, "ID"), 2);
	ck_assert_int_eq(schema_find(&schema, "Id"), -2);
	ck_assert_int_eq(schema_find(&schema, "tota"), -1);
	schema_release(&schema);
}
END_TEST

START_TEST(a_type_nested_too_deeply_is_refused)
{
	struct column_def loop = { 0 };
	struct schema schema;

	loop.name = (char *)"element";
	loop.type = type_of(TYPE_ARRAY);
	loop.type.fields = &loop;
	loop.type.field_count = 1;
	schema_init(&schema);
	ck_assert_int_eq(schema_add(&schema, &loop, &err), ERROR_UNSUPPORTED);
	ck_assert_uint_eq(schema.column_count, 0);
	schema_release(&schema);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_schema_as_it_was)
{
	struct schema schema, copy;
	long fail_at = 0;
	int rc;

	do {
		schema_init(&schema);
		mem_fail_at(fail_at++);
		rc = add_rich_column(&schema, (char *)"Rich");
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		ck_assert_uint_eq(schema.column_count, rc ? 0 : 1);
		if (rc)
			schema_release(&schema);
	} while (rc);
	ck_assert_int_gt(fail_at, 1);
	mem_fail_at(0);
	ck_assert_int_eq(schema_copy(&copy, &schema, &err), ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_uint_eq(copy.column_count, 0);
	ck_assert_ptr_null(copy.columns);
	schema_release(&schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schema");
	TCase *tc = tcase_create("schema");

	tcase_add_test(tc, a_definition_is_copied_with_all_below_it);
	tcase_add_test(tc, many_columns_keep_their_order);
	tcase_add_test(tc, a_name_is_found_exactly_first_and_then_in_any_case);
	tcase_add_test(tc, a_type_nested_too_deeply_is_refused);
	tcase_add_test(tc,
		       each_failed_allocation_leaves_the_schema_as_it_was);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
