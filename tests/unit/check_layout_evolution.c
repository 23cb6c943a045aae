#include "unit/evolve_world.h"

#define INCOMPATIBLE ERROR_INCOMPATIBLE_CHANGE
#define ADD TABLE_ADD_PARTITION_FIELD
#define DROP TABLE_DROP_PARTITION_FIELD

START_TEST(a_field_gets_the_default_name_and_id_1000)
{
	make_world(2);
	ck_assert(evolve(field_of(ADD, "Bucket[08]", "ID")));
	ck_has("{\"spec-id\":1,\"fields\":[{\"name\":\"id_bucket_8\","
	       "\"transform\":\"bucket[8]\",\"source-id\":1,"
	       "\"field-id\":1000}]}", true);
	ck_assert_int_eq(metadata->default_spec_id, 1);
	ck_assert_int_eq(metadata->last_partition_id, 1000);
	ck_has("{\"spec-id\":0,\"fields\":[]}", true);
}
END_TEST

START_TEST(names_say_column_and_transform)
{
	struct table_change c[5];

	make_world(2);
	c[0] = field_of(ADD, "identity", "name");
	c[1] = field_of(ADD, "truncate[4]", "name");
	c[2] = field_of(ADD, "month", "ts");
	c[3] = field_of(ADD, "identity", "s.x");
	c[4] = field_of(ADD, "bucket[3]", "s.x");
	c[4].term.name = "b";
	ck_assert(evolve_all(c, 5));
	ck_has("\"fields\":[{\"name\":\"name\",\"transform\":\"identity\","
	       "\"source-id\":2,\"field-id\":1000},"
	       "{\"name\":\"name_trunc_4\",\"transform\":\"truncate[4]\","
	       "\"source-id\":2,\"field-id\":1001},"
	       "{\"name\":\"ts_month\",\"transform\":\"month\","
	       "\"source-id\":3,\"field-id\":1002},"
	       "{\"name\":\"s.x\",\"transform\":\"identity\","
	       "\"source-id\":7,\"field-id\":1003},"
	       "{\"name\":\"b\",\"transform\":\"bucket[3]\","
	       "\"source-id\":7,\"field-id\":1004}]}", true);
}
END_TEST

START_TEST(the_documents_example_is_one_new_spec)
{
	struct table_change c[2];

	make_world(2);
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	c[0] = field_of(ADD, "bucket[8]", "id");
	c[1] = field_of(DROP, "identity", "name");
	ck_assert(evolve_all(c, 2));
	ck_assert_int_eq((int)metadata->spec_count, 3);
	ck_has("{\"spec-id\":2,\"fields\":[{\"name\":\"id_bucket_8\","
	       "\"transform\":\"bucket[8]\",\"source-id\":1,"
	       "\"field-id\":1001}]}", true);
}
END_TEST

START_TEST(a_field_that_comes_back_has_its_id_and_name_again)
{
	struct table_change day = field_of(ADD, "day", "ts");

	day.term.name = "when";
	make_world(2);
	ck_assert(evolve(day));
	ck_assert(evolve(field_of(DROP, "day", "ts")));
	ck_assert_int_eq(metadata->default_spec_id, 0);
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_has("{\"spec-id\":3,\"fields\":[{\"name\":\"name\","
	       "\"transform\":\"identity\",\"source-id\":2,"
	       "\"field-id\":1001},{\"name\":\"when\","
	       "\"transform\":\"day\",\"source-id\":3,"
	       "\"field-id\":1000}]}", true);
	ck_assert_int_eq(metadata->last_partition_id, 1001);
}
END_TEST

START_TEST(an_equal_spec_is_found_again)
{
	make_world(2);
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_assert(evolve(field_of(DROP, "day", "ts")));
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_assert_int_eq(metadata->default_spec_id, 1);
	ck_assert_int_eq((int)metadata->spec_count, 2);
}
END_TEST

START_TEST(replacing_drops_one_and_adds_one)
{
	struct table_change c = change_of(TABLE_REPLACE_PARTITION_FIELD, "");

	make_world(2);
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	c.term = term_of("day", "ts", NULL);
	c.new_term = term_of("hour", "ts", NULL);
	ck_assert(evolve(c));
	ck_has("{\"spec-id\":3,\"fields\":[{\"name\":\"name\","
	       "\"transform\":\"identity\",\"source-id\":2,"
	       "\"field-id\":1001},{\"name\":\"ts_hour\","
	       "\"transform\":\"hour\",\"source-id\":3,"
	       "\"field-id\":1002}]}", true);
	/* by the same term under another name: renamed where it is */
	c.term = term_of("identity", "name", NULL);
	c.new_term = term_of("identity", "name", "label");
	ck_assert(evolve(c));
	ck_has("{\"spec-id\":4,\"fields\":[{\"name\":\"label\","
	       "\"transform\":\"identity\",\"source-id\":2,"
	       "\"field-id\":1001},{\"name\":\"ts_hour\"", true);
}
END_TEST

START_TEST(what_comes_back_in_the_same_statement_never_went)
{
	struct table_change c[2];

	make_world(2);
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	c[0] = field_of(DROP, "day", "ts");
	c[1] = field_of(ADD, "day", "ts");
	ck_assert(!evolve_all(c, 2));
	c[0] = field_of(ADD, "bucket[2]", "id");
	c[1] = field_of(DROP, "bucket[2]", "id");
	ck_assert(!evolve_all(c, 2));
	ck_assert_int_eq(metadata->last_partition_id, 1001);
	ck_assert_int_eq((int)metadata->spec_count, 3);
}
END_TEST

START_TEST(a_field_is_dropped_by_its_name_too)
{
	struct table_change c = field_of(ADD, "bucket[2]", "id");

	make_world(2);
	c.term.name = "b";
	ck_assert(evolve(c));
	c = change_of(DROP, "");
	c.term.name = "B";
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_spec_id, 0);
	refused(c, ERROR_UNKNOWN_COLUMN, "'B'");
	c.if_exists = true;
	ck_assert(!evolve(c));
	/* as the SQL has it: a bare word may be a column or a field */
	ck_assert(evolve(field_of(ADD, "bucket[2]", "id")));
	ck_assert(evolve(field_of(DROP, "identity", "b")));
	refused(field_of(DROP, "identity", "b"), ERROR_UNKNOWN_COLUMN,
		"not partitioned by identity of 'b'");
	refused(field_of(DROP, "day", "ts"), ERROR_UNKNOWN_COLUMN,
		"day of 'ts'");
}
END_TEST

START_TEST(fields_are_not_doubled)
{
	struct table_change c = field_of(ADD, "day", "ts");

	make_world(2);
	ck_assert(evolve(c));
	refused(c, ERROR_COLUMN_EXISTS, "ts_day");
	c.if_not_exists = true;
	ck_assert(!evolve(c));
	refused(field_of(ADD, "hour", "ts"), INCOMPATIBLE,
		"'ts_day' is the day of the same column");
	ck_assert(evolve(field_of(ADD, "bucket[2]", "id")));
	ck_assert(evolve(field_of(ADD, "bucket[3]", "id")));
	c = field_of(ADD, "identity", "s.x");
	c.term.name = "TS_DAY";
	refused(c, ERROR_COLUMN_EXISTS, "ts_day");
}
END_TEST

START_TEST(a_column_name_is_for_the_identity_of_that_column)
{
	struct table_change c = field_of(ADD, "bucket[2]", "id");

	make_world(2);
	c.term.name = "ts";
	refused(c, ERROR_COLUMN_EXISTS, "name of a column");
	c = field_of(ADD, "identity", "id");
	c.term.name = "ts";
	refused(c, ERROR_COLUMN_EXISTS, "name of a column");
	c.term.name = "id";
	ck_assert(evolve(c));
}
END_TEST

START_TEST(transforms_take_the_types_they_can)
{
	make_world(2);
	refused(field_of(ADD, "day", "id"), ERROR_TYPE_MISMATCH,
		"dates and timestamps");
	refused(field_of(ADD, "truncate[3]", "ts"), ERROR_TYPE_MISMATCH,
		"text and binary");
	refused(field_of(ADD, "bucket[3]", "s.y"), ERROR_TYPE_MISMATCH,
		"REAL");
	refused(field_of(ADD, "identity", "s"), ERROR_TYPE_MISMATCH, "ROW");
	refused(field_of(ADD, "identity", "tags.element.k"), INCOMPATIBLE,
		"ARRAY or a MAP");
	refused(field_of(ADD, "zorder", "id"), ERROR_UNSUPPORTED,
		"unknown transform");
	refused(field_of(ADD, "bucket[0]", "id"), ERROR_UNSUPPORTED,
		"whole numbers from 1");
	refused(field_of(ADD, "identity", "nix"), ERROR_UNKNOWN_COLUMN,
		"nix");
	ck_assert(evolve(add_of("", "d", type_of(TYPE_DATE))));
	ck_assert(evolve(field_of(ADD, "year", "d")));
	refused(field_of(ADD, "hour", "d"), ERROR_TYPE_MISMATCH,
		"timestamps");
}
END_TEST

START_TEST(a_source_of_the_spec_or_order_is_not_dropped)
{
	struct sort_term term = { path_of("ts"), "identity", true, false, 0, 0 };
	struct table_change sort = change_of(TABLE_SET_SORT_ORDER, "");
	struct table_change c[2];

	make_world(2);
	ck_assert(evolve(field_of(ADD, "identity", "s.x")));
	refused(change_of(TABLE_DROP_COLUMN, "s.x"), INCOMPATIBLE,
		"drop the partition field first");
	refused(change_of(TABLE_DROP_COLUMN, "s"), INCOMPATIBLE, "'s.x'");
	sort.sort_terms = &term;
	sort.sort_term_count = 1;
	ck_assert(evolve(sort));
	refused(change_of(TABLE_DROP_COLUMN, "ts"), INCOMPATIBLE,
		"ordered by column 'ts'");
	c[0] = change_of(TABLE_DROP_COLUMN, "ts");
	c[1] = change_of(TABLE_SET_SORT_ORDER, "");
	ck_assert(evolve_all(c, 2));
	c[0] = field_of(DROP, "identity", "s.x");
	c[1] = change_of(TABLE_DROP_COLUMN, "s.x");
	ck_assert(evolve_all(c, 2));
	/* the old spec is still there, without its column */
	ck_has("\"source-id\":7", true);
}
END_TEST

/* Java's library opens no table whose partition field has the name of
 * another column. */
START_TEST(no_new_column_has_the_name_of_a_partition_field)
{
	struct table_change c[2];

	make_world(2);
	ck_assert(evolve(field_of(ADD, "bucket[8]", "id")));
	refused(add_of("", "Id_bucket_8", type_of(TYPE_INTEGER)),
		ERROR_COLUMN_EXISTS, "name of a partition field");
	refused(rename_of("ts", "id_bucket_8"), ERROR_COLUMN_EXISTS,
		"name of a partition field");
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	ck_assert(evolve(rename_of("name", "label")));
	refused(add_of("", "name", type_of(TYPE_INTEGER)),
		ERROR_COLUMN_EXISTS, "name of a partition field");
	ck_assert(evolve(rename_of("label", "name")));
	c[0] = field_of(DROP, "bucket[8]", "id");
	c[1] = add_of("", "id_bucket_8", type_of(TYPE_INTEGER));
	ck_assert(evolve_all(c, 2));
}
END_TEST

START_TEST(a_source_is_widened_and_the_spec_stays)
{
	make_world(2);
	ck_assert(evolve(field_of(ADD, "bucket[5]", "id")));
	ck_assert(evolve(type_of_column("id", type_of(TYPE_BIGINT))));
	ck_assert_int_eq(metadata->default_spec_id, 1);
}
END_TEST

START_TEST(names_of_fields_do_not_follow_their_column)
{
	make_world(2);
	ck_assert(evolve(field_of(ADD, "identity", "name")));
	ck_assert(evolve(rename_of("name", "label")));
	ck_has("{\"name\":\"name\",\"transform\":\"identity\","
	       "\"source-id\":2", true);
	ck_assert_int_eq(metadata->default_spec_id, 1);
	ck_assert(evolve(field_of(DROP, "identity", "label")));
}
END_TEST

START_TEST(the_whole_spec_is_set_in_the_order_of_its_terms)
{
	struct partition_term terms[2];
	struct table_change c = change_of(TABLE_SET_PARTITIONING, "");

	terms[0] = term_of("identity", "name", NULL);
	terms[1] = term_of("day", "ts", NULL);
	c.terms = terms;
	c.term_count = 2;
	make_world(2);
	ck_assert(evolve(c));
	ck_assert(!evolve(c));
	terms[0] = term_of("day", "ts", NULL);
	terms[1] = term_of("identity", "name", NULL);
	ck_assert(evolve(c));
	ck_has("{\"spec-id\":2,\"fields\":[{\"name\":\"ts_day\","
	       "\"transform\":\"day\",\"source-id\":3,\"field-id\":1001},"
	       "{\"name\":\"name\",\"transform\":\"identity\","
	       "\"source-id\":2,\"field-id\":1000}]}", true);
	c.term_count = 0;
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_spec_id, 0);
}
END_TEST

START_TEST(version_1_keeps_dropped_fields_as_void)
{
	make_world(2);
	metadata->format_version = 1;
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	ck_assert(evolve(field_of(DROP, "day", "ts")));
	metadata->format_version = 2;	/* version 1 is not written */
	ck_has("\"fields\":[{\"name\":\"ts_day\",\"transform\":\"void\","
	       "\"source-id\":3,\"field-id\":1000}]", true);
	metadata->format_version = 1;
	ck_assert(evolve(field_of(ADD, "day", "ts")));
	metadata->format_version = 2;
	ck_has("\"fields\":[{\"name\":\"ts_day_1000\",\"transform\":\"void\","
	       "\"source-id\":3,\"field-id\":1000},{\"name\":\"ts_day\","
	       "\"transform\":\"day\",\"source-id\":3,"
	       "\"field-id\":1001}]", true);
	metadata->format_version = 1;
	ck_assert(evolve(field_of(DROP, "day", "ts")));
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "ts")));
}
END_TEST

START_TEST(a_sort_order_is_written_as_it_is_said)
{
	struct sort_term terms[2] = {
		{ path_of("id"), "identity", false, false, 0, 0 },
		{ path_of("name"), "truncate[2]", true, true, 0, 0 },
	};
	struct table_change c = change_of(TABLE_SET_SORT_ORDER, "");

	c.sort_terms = terms;
	c.sort_term_count = 2;
	make_world(2);
	ck_assert(evolve(c));
	ck_has("\"default-sort-order-id\":1,\"sort-orders\":["
	       "{\"order-id\":0,\"fields\":[]},{\"order-id\":1,\"fields\":["
	       "{\"transform\":\"identity\",\"source-id\":1,"
	       "\"direction\":\"asc\",\"null-order\":\"nulls-last\"},"
	       "{\"transform\":\"truncate[2]\",\"source-id\":2,"
	       "\"direction\":\"desc\",\"null-order\":\"nulls-first\"}]}]",
	       true);
	ck_assert(!evolve(c));
	c.sort_term_count = 1;
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_sort_order_id, 2);
	c.sort_term_count = 0;
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_sort_order_id, 0);
	ck_assert(!evolve(c));
	c.sort_term_count = 2;
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_sort_order_id, 1);
	ck_assert_int_eq((int)metadata->sort_order_count, 3);
	terms[0].column = path_of("m");
	refused(c, ERROR_TYPE_MISMATCH, "MAP");
}
END_TEST

START_TEST(a_table_without_the_unsorted_order_gets_it)
{
	struct sort_term term = { path_of("id"), NULL, false, true, 0, 0 };
	struct table_change c = change_of(TABLE_SET_SORT_ORDER, "");

	c.sort_terms = &term;
	c.sort_term_count = 1;
	make_world(2);
	ck_assert(evolve(c));
	metadata->sort_orders++;	/* as table_metadata_new() leaves it */
	metadata->sort_order_count = 1;
	c.sort_term_count = 0;
	ck_assert(evolve(c));
	ck_assert_int_eq(metadata->default_sort_order_id, 0);
	ck_has("{\"order-id\":0,\"fields\":[]}", true);
}
END_TEST

START_TEST(terms_become_a_new_tables_spec_and_order)
{
	struct partition_term terms[2];
	struct sort_term sort = { path_of("S.Y"), NULL, true, false, 0, 0 };
	struct partition_spec spec;
	struct sort_order order;

	terms[0] = term_of("day", "ts", NULL);
	terms[1] = term_of("bucket[4]", "s.x", "b");
	make_world(2);
	ck_ok(partition_spec_from_terms(metadata_current_schema(metadata),
					terms, 2, &world_arena, &spec, &err));
	ck_assert_int_eq((int)spec.field_count, 2);
	ck_assert_str_eq(spec.fields[0].name, "ts_day");
	ck_assert_int_eq(spec.fields[0].source_id, 3);
	ck_assert_int_eq(spec.fields[0].field_id, 0);
	ck_assert_str_eq(spec.fields[1].name, "b");
	ck_assert_int_eq(spec.fields[1].transform.parameter, 4);
	ck_ok(sort_order_from_terms(metadata_current_schema(metadata), &sort,
				    1, &world_arena, &order, &err));
	ck_assert_int_eq(order.fields[0].source_id, 8);
	ck_assert(order.fields[0].descending && !order.fields[0].nulls_first);
	ck_assert_str_eq(order.fields[0].transform.text, "identity");
	terms[1] = terms[0];
	ck_assert_int_eq(partition_spec_from_terms(
			metadata_current_schema(metadata), terms, 2,
			&world_arena, &spec, &err), ERROR_COLUMN_EXISTS);
	ck_assert_int_eq((int)spec.field_count, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout_evolution");
	TCase *tc = tcase_create("layout_evolution");

	tcase_add_checked_fixture(tc, world_set_up, world_tear_down);
	tcase_add_test(tc, a_field_gets_the_default_name_and_id_1000);
	tcase_add_test(tc, names_say_column_and_transform);
	tcase_add_test(tc, the_documents_example_is_one_new_spec);
	tcase_add_test(tc, a_field_that_comes_back_has_its_id_and_name_again);
	tcase_add_test(tc, an_equal_spec_is_found_again);
	tcase_add_test(tc, replacing_drops_one_and_adds_one);
	tcase_add_test(tc, what_comes_back_in_the_same_statement_never_went);
	tcase_add_test(tc, a_field_is_dropped_by_its_name_too);
	tcase_add_test(tc, fields_are_not_doubled);
	tcase_add_test(tc, a_column_name_is_for_the_identity_of_that_column);
	tcase_add_test(tc, transforms_take_the_types_they_can);
	tcase_add_test(tc, a_source_of_the_spec_or_order_is_not_dropped);
	tcase_add_test(tc, no_new_column_has_the_name_of_a_partition_field);
	tcase_add_test(tc, a_source_is_widened_and_the_spec_stays);
	tcase_add_test(tc, names_of_fields_do_not_follow_their_column);
	tcase_add_test(tc, the_whole_spec_is_set_in_the_order_of_its_terms);
	tcase_add_test(tc, version_1_keeps_dropped_fields_as_void);
	tcase_add_test(tc, a_sort_order_is_written_as_it_is_said);
	tcase_add_test(tc, a_table_without_the_unsorted_order_gets_it);
	tcase_add_test(tc, terms_become_a_new_tables_spec_and_order);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
