#include <stdio.h>
#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct table_metadata *metadata;
static struct schema schema;

/* id BIGINT, s ROW(x INTEGER, y INTEGER), name VARCHAR; ids not given */
static int make(int32_t version)
{
	struct column_def inner[2], outer;
	struct partition_field field;
	struct partition_spec spec = { 0, &field, 1 };
	struct sort_field sort;
	struct sort_order order = { 0, &sort, 1 };
	struct table_metadata_options options = { version, "file:///t/",
		&schema, &spec, &order, NULL, 0, 1000000 };
	struct arena arena;
	int rc;

	memset(inner, 0, sizeof(inner));
	memset(&outer, 0, sizeof(outer));
	memset(&field, 0, sizeof(field));
	memset(&sort, 0, sizeof(sort));
	arena_init(&arena, 0);
	inner[0].name = (char *)"x";
	inner[0].type = type_of(TYPE_INTEGER);
	inner[1].name = (char *)"y";
	inner[1].type = type_of(TYPE_INTEGER);
	outer.name = (char *)"s";
	outer.type = type_of(TYPE_ROW);
	outer.type.fields = inner;
	outer.type.field_count = 2;
	field.source_id = 1;
	field.name = (char *)"id_bucket";
	sort.source_id = 3;
	schema_init(&schema);
	rc = schema_add_column(&schema, "id", type_of(TYPE_BIGINT), &err);
	if (!rc)
		rc = schema_add(&schema, &outer, &err);
	if (!rc)
		rc = schema_add_column(&schema, "name", type_of(TYPE_VARCHAR),
				       &err);
	if (!rc)
		rc = transform_parse(&field.transform, "bucket[8]", &arena,
				     &err);
	if (!rc)
		rc = transform_parse(&sort.transform, "identity", &arena,
				     &err);
	if (!rc)
		rc = table_metadata_new(&metadata, &options, &err);
	arena_release(&arena);
	return rc;
}

static void set_up(void)
{
	error_init(&err);
	metadata = NULL;
	schema_init(&schema);
}

static void tear_down(void)
{
	mem_fail_at(-1);
	table_metadata_free(metadata);
	schema_release(&schema);
}

static struct snapshot snapshot_of(int64_t id, int64_t sequence)
{
	static struct key_value summary[] = { { (char *)"operation",
						(char *)"append" } };
	struct snapshot s;

	memset(&s, 0, sizeof(s));
	s.snapshot_id = id;
	s.parent_id = -1;
	s.sequence_number = sequence;
	s.timestamp_ms = 2000000 + sequence;
	s.manifest_list = (char *)"file:///t/list.avro";
	s.first_row_id = -1;
	s.added_rows = -1;
	s.summary = summary;
	s.summary_count = 1;
	return s;
}

static void reparse(void)
{
	struct text out = TEXT_INIT;

	ck_ok(table_metadata_format(metadata, &out, &err));
	table_metadata_free(metadata);
	ck_ok(table_metadata_parse(&metadata, out.data, out.length, "x",
				   &err));
	text_release(&out);
}

START_TEST(a_new_table_has_ids_breadth_first_and_all_lists)
{
	const struct schema *s;
	struct text out = TEXT_INIT;

	ck_ok(make(2));
	s = metadata_current_schema(metadata);
	ck_assert_int_eq(s->columns[0].field_id, 1);
	ck_assert_int_eq(s->columns[1].field_id, 2);
	ck_assert_int_eq(s->columns[2].field_id, 3);
	ck_assert_int_eq(s->columns[1].type.fields[0].field_id, 4);
	ck_assert_int_eq(s->columns[1].type.fields[1].field_id, 5);
	ck_assert_int_eq(metadata->last_column_id, 5);
	ck_assert_int_eq(metadata->last_partition_id, 1000);
	ck_assert_int_eq(metadata->default_sort_order_id, 1);
	ck_assert_str_eq(metadata->location, "file:///t");
	ck_assert_ptr_eq(metadata_column(metadata, 5),
			 &s->columns[1].type.fields[1]);
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_assert_ptr_nonnull(strstr(out.data, "\"refs\":{}"));
	ck_assert_ptr_nonnull(strstr(out.data, "\"statistics\":[]"));
	ck_assert_ptr_nonnull(strstr(out.data, "\"metadata-log\":[]"));
	text_release(&out);
	reparse();
}
END_TEST

START_TEST(versions_other_than_2_and_3_are_not_created)
{
	ck_assert_int_eq(make(_i ? 4 : 1), ERROR_UNSUPPORTED);
	ck_assert_ptr_null(metadata);
}
END_TEST

START_TEST(a_snapshot_moves_main_the_log_and_the_counters)
{
	struct snapshot s = snapshot_of(77, 1);

	ck_ok(make(3));
	s.first_row_id = 0;
	s.added_rows = 12;
	ck_ok(metadata_add_snapshot(metadata, &s, &err));
	ck_assert_int_eq(metadata->last_sequence_number, 1);
	ck_assert_int_eq(metadata->next_row_id, 12);
	ck_assert_int_eq(metadata->last_updated_ms, 2000001);
	s = snapshot_of(78, 2);
	s.parent_id = 77;
	s.first_row_id = 12;
	s.added_rows = 0;
	ck_ok(metadata_add_snapshot(metadata, &s, &err));
	reparse();
	ck_assert_int_eq(metadata->current_snapshot_id, 78);
	ck_assert_uint_eq(metadata->ref_count, 1);
	ck_assert_int_eq(metadata->refs[0].snapshot_id, 78);
	ck_assert_uint_eq(metadata->snapshot_log_count, 2);
	ck_assert_int_eq(metadata->snapshot_log[1].snapshot_id, 78);
	ck_assert_ptr_null(memmem(metadata->snapshots[0].json.data,
				  metadata->snapshots[0].json.length,
				  "parent", 6));
	ck_assert_int_eq(metadata->snapshots[1].parent_id, 77);
	ck_assert_int_eq(metadata->snapshots[1].first_row_id, 12);
	ck_assert_str_eq(snapshot_summary(&metadata->snapshots[0],
					  "operation"), "append");
}
END_TEST

START_TEST(a_snapshot_that_breaks_an_order_is_refused)
{
	struct snapshot s = snapshot_of(77, 1);

	ck_ok(make(3));
	s.first_row_id = 0;
	s.added_rows = 12;
	ck_ok(metadata_add_snapshot(metadata, &s, &err));
	ck_assert_int_eq(metadata_add_snapshot(metadata, &s, &err),
			 ERROR_INTERNAL);
	s.snapshot_id = 78;
	ck_assert_int_eq(metadata_add_snapshot(metadata, &s, &err),
			 ERROR_INTERNAL);
	s.sequence_number = 2;
	s.first_row_id = 11;
	ck_assert_int_eq(metadata_add_snapshot(metadata, &s, &err),
			 ERROR_INTERNAL);
	ck_assert_uint_eq(metadata->snapshot_count, 1);
}
END_TEST

START_TEST(the_metadata_log_keeps_the_newest)
{
	char path[32];

	ck_ok(make(2));
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "v%d", i);
		ck_ok(metadata_add_metadata_log(metadata, 900000 + i, path, 3,
						&err));
	}
	reparse();
	ck_assert_uint_eq(metadata->metadata_log_count, 3);
	ck_assert_str_eq(metadata->metadata_log[0].metadata_file, "v2");
	ck_assert_str_eq(metadata->metadata_log[2].metadata_file, "v4");
}
END_TEST

START_TEST(properties_are_set_replaced_and_removed)
{
	ck_ok(make(2));
	ck_ok(metadata_set_property(metadata, "a", "1", &err));
	ck_ok(metadata_set_property(metadata, "b", "2", &err));
	ck_ok(metadata_set_property(metadata, "a", "\"3\"", &err));
	reparse();
	ck_assert_str_eq(metadata_property(metadata, "a"), "\"3\"");
	ck_ok(metadata_set_property(metadata, "a", NULL, &err));
	ck_ok(metadata_set_property(metadata, "absent", NULL, &err));
	ck_assert_ptr_null(metadata_property(metadata, "a"));
	ck_assert_str_eq(metadata_property(metadata, "b"), "2");
	ck_assert_uint_eq(metadata->property_count, 1);
}
END_TEST

START_TEST(an_equal_schema_reuses_its_id)
{
	struct schema changed;
	struct column_def def;

	ck_ok(make(2));
	ck_ok(schema_copy(&changed, metadata_current_schema(metadata), &err));
	memset(&def, 0, sizeof(def));
	def.name = (char *)"new";
	def.type = type_of(TYPE_DATE);
	def.field_id = 6;
	ck_ok(schema_add(&changed, &def, &err));
	ck_ok(metadata_set_schema(metadata, &changed, &err));
	ck_assert_int_eq(metadata->current_schema_id, 1);
	ck_assert_int_eq(metadata->last_column_id, 6);
	ck_ok(metadata_set_schema(metadata, metadata_schema(metadata, 0),
				  &err));
	ck_assert_int_eq(metadata->current_schema_id, 0);
	ck_ok(metadata_set_schema(metadata, &changed, &err));
	ck_assert_int_eq(metadata->current_schema_id, 1);
	ck_assert_uint_eq(metadata->schema_count, 2);
	/* a column that only an old schema has is still found */
	ck_ok(metadata_set_schema(metadata, metadata_schema(metadata, 0),
				  &err));
	ck_assert_ptr_nonnull(metadata_column(metadata, 6));
	ck_assert_ptr_null(metadata_column(metadata, 7));
	schema_release(&changed);
}
END_TEST

START_TEST(removed_snapshots_take_their_log_and_statistics_along)
{
	const int64_t ids[] = { 12 }, current[] = { 14 };
	struct snapshot s;

	ck_ok(make(2));
	for (int i = 1; i <= 4; i++) {
		s = snapshot_of(10 + i, i);
		ck_ok(metadata_add_snapshot(metadata, &s, &err));
	}
	metadata->extra = (char *)"\"a\":{\"b\":1.0},\"statistics\":"
		"[{\"snapshot-id\":11,\"x\":1.50}, {\"snapshot-id\":12},"
		"{\"snapshot-id\": 14 }],\"partition-statistics\":[ "
		"{\"snapshot-id\":12}]";
	ck_assert_int_eq(metadata_remove_snapshots(metadata, current, 1, &err),
			 ERROR_INTERNAL);
	ck_ok(metadata_remove_snapshots(metadata, ids, 1, &err));
	ck_assert_str_eq(metadata->extra, "\"a\":{\"b\":1.0},"
			 "\"statistics\":[{\"snapshot-id\":11,\"x\":1.50},"
			 "{\"snapshot-id\": 14 }],"
			 "\"partition-statistics\":[]");
	reparse();
	ck_assert_uint_eq(metadata->snapshot_count, 3);
	ck_assert_ptr_null(metadata_snapshot(metadata, 12));
	ck_assert_ptr_nonnull(metadata_snapshot(metadata, 11));
	ck_assert_uint_eq(metadata->snapshot_log_count, 2);
	ck_assert_int_eq(metadata->snapshot_log[0].snapshot_id, 13);
}
END_TEST

START_TEST(a_change_to_a_copy_leaves_the_original)
{
	struct table_metadata *copy;
	struct snapshot s = snapshot_of(5, 1);

	ck_ok(make(2));
	ck_ok(metadata_set_property(metadata, "a", "1", &err));
	reparse();
	ck_ok(table_metadata_copy(&copy, metadata, &err));
	ck_ok(metadata_add_snapshot(copy, &s, &err));
	ck_ok(metadata_set_property(copy, "a", "2", &err));
	ck_assert_str_eq(metadata_property(metadata, "a"), "1");
	ck_assert_uint_eq(metadata->snapshot_count, 0);
	table_metadata_free(metadata);
	metadata = copy;
	reparse();
	ck_assert_str_eq(metadata_property(metadata, "a"), "2");
	ck_assert_int_eq(metadata->current_snapshot_id, 5);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct snapshot s = snapshot_of(5, 1);
	int rc;

	mem_fail_at(_i);
	rc = make(2);
	if (!rc)
		rc = metadata_set_property(metadata, "a", "1", &err);
	if (!rc)
		rc = metadata_add_snapshot(metadata, &s, &err);
	if (!rc)
		rc = metadata_set_schema(metadata, &schema, &err);
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metadata_change");
	TCase *tc = tcase_create("metadata_change");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_new_table_has_ids_breadth_first_and_all_lists);
	tcase_add_loop_test(tc, versions_other_than_2_and_3_are_not_created, 0,
			    2);
	tcase_add_test(tc, a_snapshot_moves_main_the_log_and_the_counters);
	tcase_add_test(tc, a_snapshot_that_breaks_an_order_is_refused);
	tcase_add_test(tc, the_metadata_log_keeps_the_newest);
	tcase_add_test(tc, properties_are_set_replaced_and_removed);
	tcase_add_test(tc, an_equal_schema_reuses_its_id);
	tcase_add_test(tc,
		       removed_snapshots_take_their_log_and_statistics_along);
	tcase_add_test(tc, a_change_to_a_copy_leaves_the_original);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 30);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
