/* check_table_create.c - create, replace, properties, history, versions */
#include "unit/check_main.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "table/table_state.h"
#include "unit/check_scratch.h"

#define NOW_US INT64_C(1700000000000000)

static struct error err;
static struct schema schema;
static struct literal greeting;
static struct table *table;
static struct arena arena;
static struct table_create_options options;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	arena_init(&arena, 0);
	table = NULL;
	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "id", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(&schema, "note", type_of(TYPE_VARCHAR),
				&err));
	schema.columns[0].is_identifier = true;
	greeting = literal_null(type_of(TYPE_VARCHAR));
	greeting.is_null = false;
	greeting.value.bytes = byte_view("it's, \"x\"", 9);
	schema.columns[1].write_default = &greeting;
	memset(&options, 0, sizeof(options));
	options.schema = &schema;
	options.now_us = NOW_US;
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	table_free(table);
	schema_release(&schema);
	arena_release(&arena);
	scratch_remove();
}

static int64_t create(void)
{
	int64_t version;

	ck_ok(table_create("t", &options, &version, &err));
	return version;
}

static void reopen(int64_t version)
{
	table_free(table);
	table = NULL;
	ck_ok(table_open(&table, "t", version, &err));
}

static const char *property(const char *key)
{
	return metadata_property(table_metadata_of(table), key);
}

START_TEST(a_new_table_has_its_columns_and_properties)
{
	const struct schema *made;

	ck_assert_int_eq(create(), 1);
	reopen(0);
	made = table_schema(table);
	ck_assert_int_eq(table_metadata_of(table)->format_version, 2);
	ck_assert_uint_eq(made->column_count, 2);
	ck_assert_int_eq(made->columns[0].field_id, 1);
	ck_assert_int_eq(made->columns[1].field_id, 2);
	ck_assert(made->columns[0].required);
	ck_assert(made->columns[0].is_identifier);
	ck_assert(!made->columns[1].required);
	ck_assert_str_eq(property("write.merge.mode"), "merge-on-read");
	ck_assert_str_eq(property("write.parquet.compression-codec"), "zstd");
	ck_assert(!table_catalog(table)->is_moved);
	ck_assert_str_eq(table_metadata_of(table)->location,
			 arena_printf(&arena, "file://%s",
				      table_catalog(table)->directory));
	ck_assert(path_is_directory("t/data"));
}
END_TEST

START_TEST(a_default_survives_in_both_format_versions)
{
	const struct literal *value;

	options.format_version = _i;
	create();
	reopen(0);
	ck_assert_int_eq(table_metadata_of(table)->format_version, _i);
	value = table_schema(table)->columns[1].write_default;
	ck_assert_ptr_nonnull(value);
	ck_assert(byte_view_equal(value->value.bytes, greeting.value.bytes));
	ck_assert_ptr_null(table_schema(table)->columns[1].initial_default);
	ck_assert_int_eq(property("rowmerge.default.2") != NULL, _i == 2);
}
END_TEST

START_TEST(a_table_that_exists_is_refused)
{
	int64_t version;

	create();
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_TABLE_EXISTS);
	ck_assert_int_eq(version, 0);
}
END_TEST

START_TEST(metadata_of_unknown_origin_is_refused_leftovers_are_not)
{
	int64_t version;

	ck_assert_int_eq(mkdir("t", 0777), 0);
	scratch_file("t/notes.txt", "x", 1);
	ck_assert_int_eq(mkdir("t/metadata", 0777), 0);
	scratch_file("t/metadata/list.orc", "x", 1);
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_TABLE_EXISTS);
	ck_assert_int_eq(unlink("t/metadata/list.orc"), 0);
	scratch_file("t/metadata/.tmp-1.metadata.json", "x", 1);
	scratch_file("t/metadata/snap-1.avro", "x", 1);
	ck_assert_int_eq(create(), 1);
}
END_TEST

START_TEST(of_many_creators_one_wins)
{
	int wins = 0, status;

	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			int64_t version;
			int rc = table_create("t", &options, &version, &err);

			_exit(rc == 0 ? 0 : rc == ERROR_TABLE_EXISTS ? 1 : 2);
		}
	for (int i = 0; i < 6; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_le(WEXITSTATUS(status), 1);
		wins += WEXITSTATUS(status) == 0;
	}
	ck_assert_int_eq(wins, 1);
}
END_TEST

START_TEST(bad_schemas_and_properties_are_refused)
{
	char key[] = "rowmerge.fold", value[] = "sometimes";
	struct key_value bad = { key, value };
	int64_t version;

	schema.columns[0].type = type_of(TYPE_DOUBLE);
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_TYPE_MISMATCH);
	ck_assert_str_eq(err.field, "id");
	schema.columns[0].type = type_of(TYPE_TINYINT);
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_UNSUPPORTED);
	schema.columns[0].type = type_of(TYPE_BIGINT);
	options.properties = &bad;
	options.property_count = 1;
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_BAD_ARGUMENT);
	options.property_count = 0;
	options.format_version = 4;
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_UNSUPPORTED);
	ck_assert(!catalog_is_table("t"));
}
END_TEST

START_TEST(a_replaced_table_has_new_columns_in_its_next_version)
{
	static char part[] = "id_bucket_4";
	struct partition_field field = { 1, 0, part, { 0 } };
	struct partition_spec spec = { 0, &field, 1 };
	const struct table_metadata *metadata;

	create();
	ck_ok(transform_parse(&field.transform, "bucket[4]", &arena, &err));
	options.or_replace = true;
	options.spec = &spec;
	ck_assert_int_eq(create(), 2);
	reopen(0);
	metadata = table_metadata_of(table);
	ck_assert_int_eq(table_schema(table)->columns[0].field_id, 3);
	ck_assert_int_eq(table_schema(table)->columns[1].field_id, 4);
	ck_assert_int_eq(metadata->current_schema_id, 1);
	ck_assert_int_eq(metadata->default_spec_id, 1);
	ck_assert_int_eq(metadata_spec(metadata, 1)->fields[0].source_id, 3);
	ck_assert_int_eq(metadata_spec(metadata, 1)->fields[0].field_id,
			 1000);
	ck_assert_ptr_null(property("rowmerge.default.2"));
	ck_assert_str_eq(property("rowmerge.default.4"), "it's, \"x\"");
	reopen(1);
	ck_assert_int_eq(table_schema(table)->columns[0].field_id, 1);
	/* and back to no partitions */
	options.spec = NULL;
	ck_assert_int_eq(create(), 3);
	reopen(0);
	ck_assert_int_eq(table_metadata_of(table)->default_spec_id, 0);
}
END_TEST

START_TEST(a_property_is_set_and_removed)
{
	char key[] = "rowmerge.isolation", value[] = "serializable";
	struct key_value pair = { key, value };
	int64_t version;

	create();
	ck_ok(table_set_properties("t", &pair, 1, NOW_US, &version, &err));
	ck_assert_int_eq(version, 2);
	reopen(0);
	ck_assert_str_eq(property(key), "serializable");
	pair.value = NULL;
	ck_ok(table_set_properties("t", &pair, 1, NOW_US, &version, &err));
	reopen(0);
	ck_assert_ptr_null(property(key));
	ck_assert_int_eq(table_catalog(table)->version, 3);
}
END_TEST

static const struct {
	const char *key;
	const char *value;
	int rc;
} settings[] = {
	{ "rowmerge.isolation", "loose", ERROR_BAD_ARGUMENT },
	{ "rowmerge.nonsense", "1", ERROR_BAD_ARGUMENT },
	{ "rowmerge.commit", "{}", ERROR_BAD_ARGUMENT },
	{ "rowmerge.commit-log", "a:1", ERROR_BAD_ARGUMENT },
	{ "rowmerge.default.9", "x", ERROR_BAD_ARGUMENT },
	{ "rowmerge.default.1", "x", ERROR_BAD_ARGUMENT },
	{ "rowmerge.default.1", "7", 0 },
	{ "rowmerge.default.x", "7", ERROR_BAD_ARGUMENT },
	{ "rowmerge.lock-max-hold", "10 s", 0 },
	{ "rowmerge.lock-max-hold", "soon", ERROR_BAD_ARGUMENT },
	{ "write.target-file-size-bytes", "0", ERROR_BAD_ARGUMENT },
	{ "write.target-file-size-bytes", "1024", 0 },
	{ "write.merge.mode", "copy-on-write", 0 },
	{ "write.merge.mode", "copy", ERROR_BAD_ARGUMENT },
	{ "write.merge.mode", "", ERROR_BAD_ARGUMENT },
	{ "format-version", "3", ERROR_BAD_ARGUMENT },
	{ "", "3", ERROR_BAD_ARGUMENT },
	{ "comment", "anything", 0 },
};

START_TEST(properties_are_checked_when_they_are_set)
{
	struct key_value pair = { (char *)settings[_i].key,
				  (char *)settings[_i].value };
	int64_t version;

	create();
	ck_assert_int_eq(table_set_properties("t", &pair, 1, NOW_US, &version,
					      &err), settings[_i].rc);
	reopen(0);
	ck_assert_int_eq(table_catalog(table)->version,
			 settings[_i].rc ? 1 : 2);
}
END_TEST

START_TEST(history_lists_every_version_newest_first)
{
	char key[] = "comment", value[] = "x";
	struct key_value pair = { key, value };
	struct table_version *versions;
	int64_t version;
	size_t count;

	create();
	ck_ok(table_set_properties("t", &pair, 1, NOW_US, &version, &err));
	options.or_replace = true;
	create();
	reopen(0);
	ck_ok(table_history(table, &arena, &versions, &count, &err));
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(versions[0].operation, "replace");
	ck_assert_str_eq(versions[1].operation, "properties");
	ck_assert_str_eq(versions[2].operation, "create");
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(versions[i].version, 3 - (int64_t)i);
		ck_assert_int_eq(versions[i].parent, 2 - (int64_t)i);
		ck_assert(versions[i].is_ours);
		ck_assert_int_eq(versions[i].time_ms, NOW_US / 1000);
	}
}
END_TEST

START_TEST(a_version_whose_file_is_gone_is_read_through_the_log)
{
	int64_t version;

	create();
	options.or_replace = true;
	create();
	create();
	ck_assert_int_eq(unlink("t/metadata/v1.metadata.json"), 0);
	reopen(1);
	ck_assert_int_eq(table_catalog(table)->version, 1);
	ck_assert_int_eq(table_schema(table)->columns[0].field_id, 1);
	ck_assert(table_catalog(table)->is_past);
	table_free(table);
	table = NULL;
	ck_assert_int_eq(table_open(&table, "t", 9, &err),
			 ERROR_UNKNOWN_VERSION);
	ck_assert_int_eq(table_open(&table, "t", -1, &err),
			 ERROR_UNKNOWN_VERSION);
	(void)version;
}
END_TEST

START_TEST(each_failed_allocation_makes_no_table_or_a_whole_one)
{
	long failed = 0;

	for (long n = 0;; n = next_fault(n)) {
		int64_t version;
		bool done;
		int rc;

		mem_fail_at(n);
		rc = table_create("t", &options, &version, &err);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		if (rc) {
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
			ck_assert(!catalog_is_table("t"));
			failed++;
		} else {
			ck_ok(catalog_drop("t", &err));
		}
		if (done)
			break;
	}
	ck_assert_int_gt(failed * check_step(), 20);
}
END_TEST

START_TEST(each_failed_write_makes_no_table_or_a_whole_one)
{
	long failed = 0;

	for (long n = 0;; n = next_fault(n)) {
		int64_t version;
		bool done;
		int rc;

		io_fail_at(n, 5 /* EIO */);
		rc = table_create("t", &options, &version, &err);
		done = io_operation_count() <= n;
		io_fail_at(-1, 0);
		ck_assert_int_eq(rc == 0, catalog_is_table("t"));
		failed += rc != 0;
		if (!rc)
			ck_ok(catalog_drop("t", &err));
		if (done)
			break;
	}
	ck_assert_int_gt(failed, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_create");
	TCase *tc = tcase_create("table_create");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_new_table_has_its_columns_and_properties);
	tcase_add_loop_test(tc, a_default_survives_in_both_format_versions, 2,
			    4);
	tcase_add_test(tc, a_table_that_exists_is_refused);
	tcase_add_test(tc,
		metadata_of_unknown_origin_is_refused_leftovers_are_not);
	tcase_add_test(tc, of_many_creators_one_wins);
	tcase_add_test(tc, bad_schemas_and_properties_are_refused);
	tcase_add_test(tc,
		       a_replaced_table_has_new_columns_in_its_next_version);
	tcase_add_test(tc, a_property_is_set_and_removed);
	tcase_add_loop_test(tc, properties_are_checked_when_they_are_set, 0,
			    (int)ARRAY_COUNT(settings));
	tcase_add_test(tc, history_lists_every_version_newest_first);
	tcase_add_test(tc,
		       a_version_whose_file_is_gone_is_read_through_the_log);
	tcase_add_test(tc,
		each_failed_allocation_makes_no_table_or_a_whole_one);
	tcase_add_test(tc, each_failed_write_makes_no_table_or_a_whole_one);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
