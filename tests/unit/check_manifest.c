#include <stdio.h>
#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct arena arena;
static struct table_metadata *metadata;
static struct text bytes;

#define PARTITIONS 4

static const char *const spec_names[PARTITIONS] = { "c i", "d", "v", "f" };

/* c INTEGER, d DECIMAL(9,2), v VARCHAR, f DOUBLE; partitioned by all */
static int make_table(int32_t version)
{
	const struct type types[PARTITIONS] = { type_of(TYPE_INTEGER),
		type_decimal(9, 2), type_of(TYPE_VARCHAR),
		type_of(TYPE_DOUBLE) };
	struct partition_field fields[PARTITIONS];
	struct partition_spec spec = { 0, fields, PARTITIONS };
	struct table_metadata_options options;
	struct schema schema;
	int rc = 0;

	memset(fields, 0, sizeof(fields));
	memset(&options, 0, sizeof(options));
	schema_init(&schema);
	for (int i = 0; i < PARTITIONS && !rc; i++) {
		char name[2] = { (char)('c' + i), '\0' };

		fields[i].source_id = i + 1;
		fields[i].name = (char *)spec_names[i];
		rc = schema_add_column(&schema, name, types[i], &err);
		if (!rc)
			rc = transform_parse(&fields[i].transform, "identity",
					     &arena, &err);
	}
	options.format_version = version;
	options.location = "file:///t";
	options.schema = &schema;
	options.spec = &spec;
	options.now_ms = 1;
	if (!rc)
		rc = table_metadata_new(&metadata, &options, &err);
	schema_release(&schema);
	return rc;
}

static void set_up(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	text_init(&bytes);
	metadata = NULL;
}

static void tear_down(void)
{
	mem_fail_at(-1);
	table_metadata_free(metadata);
	text_release(&bytes);
	arena_release(&arena);
}

static struct literal partition[3][PARTITIONS];
static struct column_metrics metrics[2] = {
	{ 1, 10, 5, 0, -1, { (const uint8_t *)"\1\0\0\0", 4 },
	  { (const uint8_t *)"\2\0\0\0", 4 } },
	{ 3, -1, 5, 5, -1, { NULL, 0 }, { NULL, 0 } },
};
static int64_t offsets[2] = { 4, 100 };

static void set_partition(struct literal *p, int32_t c, int64_t d,
			  const char *v, double f)
{
	p[0] = literal_null(type_of(TYPE_INTEGER));
	p[0].is_null = false;
	p[0].value.int32 = c;
	p[1] = literal_null(type_decimal(9, 2));
	p[1].is_null = false;
	p[1].value.decimal = d;
	p[2] = literal_null(type_of(TYPE_VARCHAR));
	if (v) {
		p[2].is_null = false;
		p[2].value.bytes = byte_view(v, strlen(v));
	}
	p[3] = literal_null(type_of(TYPE_DOUBLE));
	p[3].is_null = false;
	p[3].value.real64 = f;
}

/* An entry of each status. */
static void make_entries(struct manifest_entry entries[3])
{
	static const char *const paths[] = { "file:///t/data/a.parquet",
					     "file:///t/data/b.parquet",
					     "file:///t/data/c.parquet" };

	memset(entries, 0, 3 * sizeof(*entries));
	set_partition(partition[0], 7, -128, "x", -0.0);
	set_partition(partition[1], -7, 99999999999, "a long text", 0.0);
	set_partition(partition[2], 0, 0, NULL, 0.0 / 0.0);
	partition[1][1].value.decimal = 999999999;
	for (int i = 0; i < 3; i++) {
		struct manifest_entry *e = &entries[i];

		e->status = (enum entry_status)((i + 1) % 3);
		e->snapshot_id = 1000 + i;
		e->sequence_number = i ? 10 + i : -1;
		e->file_sequence_number = i ? 20 + i : -1;
		e->file.path = (char *)paths[i];
		e->file.partition = partition[i];
		e->file.partition_count = PARTITIONS;
		e->file.record_count = 5 * (i + 1);
		e->file.file_size = 1000;
		e->file.metrics = metrics;
		e->file.metrics_count = 2;
		e->file.split_offsets = offsets;
		e->file.split_count = 2;
		e->file.sort_order_id = -1;
		e->file.first_row_id = i == 2 ? 300 : -1;
		e->file.content_offset = -1;
		e->file.content_size = -1;
	}
}

static int read_back(const struct manifest_file *manifest,
		     struct manifest_entry **out, size_t *count)
{
	struct manifest_source source = { NULL, manifest, metadata, NULL };
	struct input_file *file;
	int rc;

	rc = input_file_memory(&file, "m.avro", bytes.data, bytes.length,
			       &err);
	if (rc)
		return rc;
	source.file = file;
	rc = manifest_read(out, count, &source, &arena, &err);
	input_file_close(file);
	return rc;
}

START_TEST(entries_come_back_with_what_they_inherit)
{
	struct manifest_entry entries[3], *read;
	struct manifest_file summary;
	size_t count;

	ck_ok(make_table(2 + _i));
	make_entries(entries);
	ck_ok(manifest_format(entries, 3, false, 0, metadata, &bytes, &summary,
			      &arena, &err));
	summary.sequence_number = 33;
	summary.first_row_id = _i ? 500 : -1;
	ck_ok(read_back(&summary, &read, &count));
	ck_assert_uint_eq(count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct data_file *f = &read[i].file;

		ck_assert_int_eq(read[i].status, entries[i].status);
		ck_assert_int_eq(read[i].snapshot_id, 1000 + (int64_t)i);
		ck_assert_int_eq(read[i].sequence_number,
				 i ? 10 + (int64_t)i : 33);
		ck_assert_int_eq(read[i].file_sequence_number,
				 i ? 20 + (int64_t)i : 33);
		ck_assert_str_eq(f->path, entries[i].file.path);
		ck_assert_int_eq(f->format, FORMAT_PARQUET);
		ck_assert_int_eq(f->record_count, 5 * ((int64_t)i + 1));
		ck_assert_uint_eq(f->split_count, 2);
		ck_assert_int_eq(f->sort_order_id, -1);
		ck_assert_ptr_null(f->referenced_data_file);
		for (size_t j = 0; j < PARTITIONS; j++) {
			ck_assert_int_eq(f->partition[j].is_null,
					 partition[i][j].is_null);
			if (!f->partition[j].is_null)
				ck_assert_int_eq(literal_compare(
					&f->partition[j], &partition[i][j]),
					0);
		}
		ck_assert_uint_eq(f->metrics_count, 2);
		ck_assert_int_eq(data_file_metrics(f, 1)->column_size, 10);
		ck_assert_int_eq(data_file_metrics(f, 1)->nan_count, -1);
		ck_assert(byte_view_equal(data_file_metrics(f, 1)->upper,
					  byte_view("\2\0\0\0", 4)));
		ck_assert_int_eq(data_file_metrics(f, 3)->column_size, -1);
		ck_assert_int_eq(data_file_metrics(f, 3)->null_count, 5);
		ck_assert_ptr_null(data_file_metrics(f, 3)->lower.data);
		ck_assert_ptr_null(data_file_metrics(f, 2));
	}
	/* statuses are added, deleted, existing */
	ck_assert_int_eq(read[0].file.first_row_id, _i ? 500 : -1);
	ck_assert_int_eq(read[1].file.first_row_id, -1);
	ck_assert_int_eq(read[2].file.first_row_id, _i ? 300 : -1);
}
END_TEST

START_TEST(row_ids_run_over_files_that_have_none)
{
	struct manifest_entry entries[3], *read;
	struct manifest_file summary;
	size_t count;

	ck_ok(make_table(3));
	make_entries(entries);
	entries[2].file.first_row_id = -1;
	ck_ok(manifest_format(entries, 3, false, 0, metadata, &bytes, &summary,
			      &arena, &err));
	summary.sequence_number = 33;
	summary.first_row_id = 500;
	ck_ok(read_back(&summary, &read, &count));
	ck_assert_int_eq(read[0].file.first_row_id, 500);
	ck_assert_int_eq(read[2].file.first_row_id, 505);
	summary.first_row_id = INT64_MAX - 19;
	ck_assert_int_eq(read_back(&summary, &read, &count), ERROR_CORRUPT);
	entries[2].file.first_row_id = INT64_MAX - 14;
	text_reset(&bytes);
	ck_ok(manifest_format(entries, 3, false, 0, metadata, &bytes, &summary,
			      &arena, &err));
	summary.sequence_number = 33;
	summary.first_row_id = 500;
	ck_assert_int_eq(read_back(&summary, &read, &count), ERROR_CORRUPT);
}
END_TEST

START_TEST(the_summary_counts_and_bounds)
{
	struct manifest_entry entries[3];
	struct manifest_file s;
	static const uint8_t minus_zero[8] = { 0, 0, 0, 0, 0, 0, 0, 0x80 };
	static const uint8_t zero[8];

	ck_ok(make_table(2));
	make_entries(entries);
	ck_ok(manifest_format(entries, 3, false, 0, metadata, &bytes, &s,
			      &arena, &err));
	ck_assert_int_eq(s.added_files, 1);
	ck_assert_int_eq(s.existing_files, 1);
	ck_assert_int_eq(s.deleted_files, 1);
	ck_assert_int_eq(s.added_rows, 5);
	ck_assert_int_eq(s.deleted_rows, 10);
	ck_assert_int_eq(s.existing_rows, 15);
	ck_assert_int_eq(s.min_sequence_number, 12);
	ck_assert_int_eq(s.added_snapshot_id, 1000);
	ck_assert_uint_eq(s.partition_count, PARTITIONS);
	ck_assert(byte_view_equal(s.partitions[0].lower,
				  byte_view("\xf9\xff\xff\xff", 4)));
	ck_assert(byte_view_equal(s.partitions[0].upper,
				  byte_view("\7\0\0\0", 4)));
	ck_assert(byte_view_equal(s.partitions[1].lower,
				  byte_view("\x80", 1)));
	ck_assert(byte_view_equal(s.partitions[1].upper,
				  byte_view("\x3b\x9a\xc9\xff", 4)));
	ck_assert(s.partitions[2].contains_null);
	ck_assert(byte_view_equal(s.partitions[2].lower,
				  byte_view("a long text", 11)));
	ck_assert_int_eq(s.partitions[3].contains_nan, 1);
	ck_assert(byte_view_equal(s.partitions[3].lower,
				  byte_view(minus_zero, 8)));
	ck_assert(byte_view_equal(s.partitions[3].upper, byte_view(zero, 8)));
}
END_TEST

START_TEST(what_the_version_forbids_is_refused)
{
	struct manifest_entry entries[3];
	struct manifest_file summary;
	bool is_deletes = _i < 4;

	ck_ok(make_table(_i == 1 ? 3 : 2));
	make_entries(entries);
	switch (_i) {
	case 0:		/* a deletion vector in version 2 */
		entries[0].file.content = CONTENT_POSITION_DELETES;
		entries[0].file.format = FORMAT_PUFFIN;
		break;
	case 1:		/* a new position delete file in version 3 */
		entries[0].file.content = CONTENT_POSITION_DELETES;
		break;
	case 2:		/* data among deletes */
		break;
	case 3:		/* a wrong type of partition value */
		entries[0].file.content = CONTENT_POSITION_DELETES;
		partition[0][0] = literal_null(type_of(TYPE_BIGINT));
		partition[0][0].is_null = false;
		break;
	case 4:
		entries[0].status = ENTRY_EXISTING;	/* no sequence */
		break;
	case 5:
		entries[0].file.partition_count = 1;
		break;
	default:
		entries[0].file.record_count = -1;
	}
	ck_assert_int_eq(manifest_format(entries, 1, is_deletes, 0, metadata,
					 &bytes, &summary, &arena, &err),
			 ERROR_INTERNAL);
}
END_TEST

START_TEST(a_list_comes_back)
{
	struct manifest_list_options options = { 2 + _i, 77, _i ? 76 : -1, 9,
						 40 };
	struct partition_summary field = { true, -1, { NULL, 0 },
					   { (const uint8_t *)"z", 1 } };
	struct manifest_file list[2], *read;
	struct input_file *file;
	size_t count;

	memset(list, 0, sizeof(list));
	list[0].path = (char *)"file:///t/metadata/m0.avro";
	list[0].length = 1234;
	list[0].spec_id = 3;
	list[0].sequence_number = 9;
	list[0].min_sequence_number = 4;
	list[0].added_snapshot_id = INT64_MAX;
	list[0].added_rows = 11;
	list[0].partitions = &field;
	list[0].partition_count = 1;
	list[0].first_row_id = 40;
	list[1] = list[0];
	list[1].is_deletes = true;
	list[1].partitions = NULL;
	list[1].partition_count = 0;
	list[1].existing_files = 8;
	ck_ok(manifest_list_format(list, 2, &options, &bytes, &err));
	ck_ok(input_file_memory(&file, "l.avro", bytes.data, bytes.length,
				&err));
	ck_ok(manifest_list_read(&read, &count, file, &arena, &err));
	input_file_close(file);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(read[0].path, list[0].path);
	ck_assert_int_eq(read[0].length, 1234);
	ck_assert_int_eq(read[0].spec_id, 3);
	ck_assert_int_eq(read[0].min_sequence_number, 4);
	ck_assert(read[0].added_snapshot_id == INT64_MAX);
	ck_assert_int_eq(read[0].added_rows, 11);
	ck_assert_int_eq(read[0].first_row_id, _i ? 40 : -1);
	ck_assert_uint_eq(read[0].partition_count, 1);
	ck_assert(read[0].partitions[0].contains_null);
	ck_assert_int_eq(read[0].partitions[0].contains_nan, -1);
	ck_assert_ptr_null(read[0].partitions[0].lower.data);
	ck_assert(byte_view_equal(read[0].partitions[0].upper,
				  byte_view("z", 1)));
	ck_assert(!read[0].is_deletes);
	ck_assert(read[1].is_deletes);
	ck_assert_int_eq(read[1].existing_files, 8);
	ck_assert_int_eq(read[1].first_row_id, -1);
	ck_assert_uint_eq(read[1].partition_count, 0);
	ck_assert_ptr_nonnull(memmem(bytes.data, bytes.length,
		_i ? "parent-snapshot-id\x04" "76"
		   : "parent-snapshot-id\x08null", _i ? 21 : 23));
}
END_TEST

static void open_fixture(const char *name, struct input_file **file)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/iceberg/%s", name);
	ck_ok(input_file_open(file, path, &err));
}

static void read_fixture(const char *name, struct manifest_file **list,
			 struct manifest_entry **entries, size_t *count)
{
	struct input_file *file;
	char path[64];
	size_t lists;

	snprintf(path, sizeof(path), "tests/data/iceberg/%s.metadata.json",
		 name);
	ck_ok(input_file_read_all(path, 1 << 20, &bytes, &err));
	ck_ok(table_metadata_parse(&metadata, bytes.data, bytes.length, path,
				   &err));
	snprintf(path, sizeof(path), "%s-list.avro", name);
	open_fixture(path, &file);
	ck_ok(manifest_list_read(list, &lists, file, &arena, &err));
	ck_assert_uint_eq(lists, 1);
	input_file_close(file);
	snprintf(path, sizeof(path), "%s-manifest.avro", name);
	open_fixture(path, &file);
	ck_ok(manifest_read(entries, count,
			    &(struct manifest_source){ file, *list, metadata,
						       NULL }, &arena, &err));
	input_file_close(file);
}

START_TEST(what_spark_wrote_is_read)
{
	struct manifest_entry *e;
	struct manifest_file *list;
	size_t count;

	read_fixture("spark-decimal", &list, &e, &count);
	ck_assert_int_eq(list->length, 7144);
	ck_assert(list->added_snapshot_id == INT64_C(8728621871136059473));
	ck_assert_int_eq(list->added_files, 2);
	ck_assert(byte_view_equal(list->partitions[0].upper,
				  byte_view("\x01\xc8", 2)));
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(e[1].status, ENTRY_ADDED);
	ck_assert_int_eq(e[1].sequence_number, 1);
	ck_assert_int_eq(e[1].file.file_size, 974);
	ck_assert(e[0].file.partition[0].value.decimal == 123);
	ck_assert(e[1].file.partition[0].value.decimal == 456);
	ck_assert_uint_eq(e[1].file.metrics_count, 3);
	ck_assert_int_eq(e[1].file.metrics[2].column_size, 43);
	ck_assert_int_eq(e[1].file.metrics[2].nan_count, -1);
	ck_assert(byte_view_equal(e[1].file.metrics[2].lower,
				  byte_view("purchase", 8)));
	ck_assert_int_eq(e[1].file.split_offsets[0], 4);
}
END_TEST

START_TEST(what_pyiceberg_wrote_is_read)
{
	struct manifest_entry *e;
	struct manifest_file *list;
	size_t count;

	read_fixture("pyiceberg-nulls", &list, &e, &count);
	ck_assert(list->added_snapshot_id == INT64_C(250057325269371674));
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(e->file.record_count, 3);
	ck_assert_int_eq(e->file.file_size, 1560);
	ck_assert_uint_eq(e->file.metrics_count, 4);
	ck_assert_int_eq(e->file.metrics[0].value_count, -1);
	ck_assert(byte_view_equal(e->file.metrics[3].upper,
				  byte_view("\1", 1)));
	ck_assert_int_eq(e->file.sort_order_id, 0);
}
END_TEST

START_TEST(what_athena_named_otherwise_is_read_by_id)
{
	struct manifest_file *list;
	struct input_file *file;
	size_t count;

	open_fixture("athena-list.avro", &file);
	ck_ok(manifest_list_read(&list, &count, file, &arena, &err));
	input_file_close(file);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(list->length, 6702);
	ck_assert_int_eq(list->added_files, 1);
	ck_assert_int_eq(list->deleted_files, 0);
	ck_assert_int_eq(list->added_rows, 2);
}
END_TEST

START_TEST(a_changed_byte_never_reads_out_of_bounds)
{
	struct manifest_entry entries[3], *read;
	struct manifest_file summary;
	size_t count;

	ck_ok(make_table(2));
	make_entries(entries);
	ck_ok(manifest_format(entries, 3, false, 0, metadata, &bytes, &summary,
			      &arena, &err));
	summary.sequence_number = 1;
	for (size_t i = bytes.length - 900; i < bytes.length; i++) {
		bytes.data[i] ^= (char)(1 << (i % 8));
		read_back(&summary, &read, &count);
		bytes.data[i] ^= (char)(1 << (i % 8));
	}
	ck_ok(read_back(&summary, &read, &count));
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct manifest_entry entries[3], *read;
	struct manifest_file summary;
	size_t count;
	int rc;

	ck_ok(make_table(2));
	make_entries(entries);
	mem_fail_at(_i);
	rc = manifest_format(entries, 3, false, 0, metadata, &bytes, &summary,
			     &arena, &err);
	if (!rc) {
		summary.sequence_number = 1;
		rc = read_back(&summary, &read, &count);
	}
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("manifest");
	TCase *tc = tcase_create("manifest");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, entries_come_back_with_what_they_inherit, 0,
			    2);
	tcase_add_test(tc, row_ids_run_over_files_that_have_none);
	tcase_add_test(tc, the_summary_counts_and_bounds);
	tcase_add_loop_test(tc, what_the_version_forbids_is_refused, 0, 7);
	tcase_add_loop_test(tc, a_list_comes_back, 0, 2);
	tcase_add_test(tc, what_spark_wrote_is_read);
	tcase_add_test(tc, what_pyiceberg_wrote_is_read);
	tcase_add_test(tc, what_athena_named_otherwise_is_read_by_id);
	tcase_add_test(tc, a_changed_byte_never_reads_out_of_bounds);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 60);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
