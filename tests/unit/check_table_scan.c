/* check_table_scan.c - files, pruning, streams, lineage */
#include "unit/scan_world.h"

#include <pthread.h>

START_TEST(an_empty_table_has_no_rows)
{
	struct target_scan_stats stats;

	world_make(&world, "t", 2, false);
	open_world();
	scan(NULL, 0, &stats);
	ck_assert_uint_eq(seen.count, 0);
	ck_assert_uint_eq(files->file_count, 0);
	ck_assert_uint_eq(snapshot_live_rows(files), 0);
}
END_TEST

START_TEST(rows_are_numbered_densely_in_file_order)
{
	world_make(&world, "t", 2, false);
	world.group_rows = 3000;
	world_data(&world, 0, 10000);
	world_data(&world, 10000, 5);
	world_commit(&world);
	world_data(&world, 10005, 100);
	world_commit(&world);
	open_world();
	ck_assert_uint_eq(files->file_count, 3);
	ck_assert_uint_eq(files->row_id_limit, 10105);
	for (uint64_t id = 0; id < 10105; id += 5) {
		const struct snapshot_file *file =
			snapshot_files_find(files, id);

		ck_assert_uint_le(file->first_row, id);
		ck_assert_uint_lt(id - file->first_row,
				  (uint64_t)file->entry->file.record_count);
	}
	ck_assert_ptr_null(snapshot_files_find(files, 10105));
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 10105);
	for (int i = 0; i < 10105; i++)
		ck_assert_int_eq(seen.by_id[i], 1);
}
END_TEST

START_TEST(a_range_leaves_out_files_row_groups_and_pages)
{
	struct column_range range = id_range(130000, 130001);
	struct target_scan_stats stats;

	world_make(&world, "t", 2, false);
	world.group_rows = 50000;
	world_data(&world, 0, 1000);
	world_data(&world, 1000, 150000);
	world_commit(&world);
	open_world();
	scan(&range, 1, &stats);
	ck_assert_uint_eq(stats.files_pruned, 1);
	ck_assert_uint_eq(stats.files_scanned, 1);
	ck_assert_uint_eq(stats.row_groups_pruned, 2);
	ck_assert_uint_eq(stats.row_groups_scanned, 1);
	ck_assert_uint_gt(stats.pages_pruned, 0);
	ck_assert_int_eq(seen.by_id[130000], 1);
	ck_assert_int_eq(seen.by_id[130001], 1);
	ck_assert_uint_le(seen.count, 24576);
	/* ids and names of one or two pages, of 150000 rows */
	ck_assert_uint_gt(stats.bytes_read, 0);
	ck_assert_uint_lt(stats.bytes_read, (uint64_t)
			  files->files[1].entry->file.file_size / 3);
}
END_TEST

START_TEST(explain_says_what_was_ruled_out_and_by_what)
{
	static const size_t columns[] = { 0 };
	struct column_range range = id_range(1500, 1600);
	struct target_scan_request request = { columns, 1, &range, 1 };
	struct table_scan *scanned;
	struct text text = TEXT_INIT;

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 1000);
	world_data(&world, 1000, 1000);
	world_data(&world, 2000, 1000);
	world_commit(&world);
	open_world();
	ck_ok(table_scan_new(&scanned, files, &request, false, SIZE_MAX,
			     &err));
	ck_ok(table_scan_explain(scanned, &text, &err));
	ck_assert_str_eq(text.data, "files: 1 of 3 to read, 2 ruled out by "
			 "bounds of id\nrow groups: 1 to read\n");
	text_release(&text);
	table_scan_free(scanned);
}
END_TEST

START_TEST(no_row_in_any_range_is_ever_lost)
{
	world_make(&world, "t", 2, false);
	world.group_rows = 30000;
	world.bloom = true;
	world_data(&world, 0, 100000);
	world.bounds = false;
	world_data(&world, 100000, 50000);
	world_commit(&world);
	open_world();
	for (int64_t low = 0; low < 150000; low += 3777) {
		struct column_range range = id_range(low, low + _i * 4001);

		scan(&range, 1, NULL);
		for (int64_t id = low; id <= low + _i * 4001 && id < 150000;
		     id++)
			ck_assert_int_eq(seen.by_id[id], 1);
	}
}
END_TEST

START_TEST(a_bloom_filter_rules_out_keys_within_the_bounds)
{
	struct column_range range = id_range(0, 40000);
	struct target_scan_stats stats;
	struct vector values;

	world_make(&world, "t", 2, false);
	world.bloom = true;
	world.entry_count = 0;
	world_data(&world, 0, 20000);
	world_data(&world, 40000, 20000);
	world_commit(&world);
	open_world();
	/* the file of 20000 .. has no such keys, but none are asked of it
	 * by its bounds either: widen them */
	vector_init(&values, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&values, 1, &err));
	values.count = 1;
	vector_i64(&values)[0] = 10;
	range.values = &values;
	range.value_count = 1;
	scan(&range, 1, &stats);
	ck_assert_int_eq(seen.by_id[10], 1);
	ck_assert_uint_eq(stats.files_scanned, 1);
	vector_release(&values);
}
END_TEST

START_TEST(a_scan_keeps_no_list_of_its_caller)
{
	static const size_t columns[] = { 0 };
	struct column_range range = id_range(0, 99999);
	struct target_scan_request request = { columns, 1, &range, 1 };
	struct table_scan *scanned;
	struct table_stream *stream;
	struct target_batch *batch;
	struct vector values;

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 100000);
	world_commit(&world);
	open_world();
	vector_init(&values, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&values, 1, &err));
	values.count = 1;
	vector_i64(&values)[0] = 10;
	range.values = &values;
	range.value_count = 1;
	ck_ok(table_scan_new(&scanned, files, &request, false, SIZE_MAX,
			     &err));
	vector_i64(&values)[0] = 99999;	/* gone, as far as the scan knows */
	vector_release(&values);
	ck_ok(table_stream_new(&stream, scanned, &err));
	ck_ok(table_stream_next(stream, &batch, &err));
	ck_assert_ptr_nonnull(batch);
	ck_assert_uint_eq(batch->row_ids[0], 0);
	table_stream_free(stream);
	table_scan_free(scanned);
}
END_TEST

struct parallel {
	struct table_scan *scan;
	size_t count[2];
	uint64_t units[2][64];
	size_t unit_count[2];
};

static int read_stream(void *context, size_t worker, struct error *error)
{
	struct parallel *parallel = context;
	struct table_stream *stream;
	struct target_batch *batch;
	int rc = table_stream_new(&stream, parallel->scan, error);

	if (rc)
		return rc;
	for (;;) {
		size_t n = parallel->unit_count[worker];

		rc = table_stream_next(stream, &batch, error);
		if (rc || !batch)
			break;
		parallel->count[worker] += batch->batch.row_count;
		if (n && parallel->units[worker][n - 1] == batch->batch.unit)
			continue;
		ck_assert(!n || parallel->units[worker][n - 1] <
				batch->batch.unit);
		parallel->units[worker][n] = batch->batch.unit;
		parallel->unit_count[worker]++;
	}
	table_stream_free(stream);
	return rc;
}

START_TEST(streams_share_out_the_row_groups)
{
	static const size_t columns[] = { 0, 2 };
	struct target_scan_request request = { columns, 2, NULL, 0 };
	struct parallel parallel = { 0 };

	world_make(&world, "t", 2, false);
	world.group_rows = 5000;
	for (int i = 0; i < 20; i++)
		world_data(&world, i * 6000, 6000);
	world_commit(&world);
	open_world();
	ck_ok(table_scan_new(&parallel.scan, files, &request, false,
			     SIZE_MAX, &err));
	ck_assert_uint_eq(table_scan_parallelism(parallel.scan), 40);
	ck_ok(thread_run(2, read_stream, &parallel, &err));
	ck_assert_uint_eq(parallel.count[0] + parallel.count[1], 120000);
	ck_assert_uint_eq(parallel.unit_count[0] + parallel.unit_count[1],
			  40);
	table_scan_free(parallel.scan);
}
END_TEST

START_TEST(lineage_is_the_first_row_id_plus_the_position)
{
	static const size_t columns[] = { 0 };
	const uint64_t vector[] = { 0, 1 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scanned;
	int64_t expected = 2;
	char uri[400];

	world_make(&world, "t", 3, false);
	uri_of(world_data(&world, 0, 10), uri);
	world_data(&world, 10, 10);
	world_commit(&world);
	world_vector(&world, uri, vector, 2);
	world_commit(&world);
	open_world();
	ck_ok(table_scan_new(&scanned, files, &request, true, SIZE_MAX,
			     &err));
	ck_ok(table_stream_new(&stream, scanned, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++)
			ck_assert_int_eq(batch->lineage_ids[i], expected++);
	}
	ck_assert_int_eq(expected, 20);
	table_stream_free(stream);
	table_scan_free(scanned);
}
END_TEST

START_TEST(one_file_can_be_read_alone)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scanned;

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 10);
	world_data(&world, 10, 10);
	world_commit(&world);
	open_world();
	ck_ok(table_scan_new(&scanned, files, &request, false, 1, &err));
	ck_ok(table_stream_new(&stream, scanned, &err));
	ck_ok(table_stream_next(stream, &batch, &err));
	ck_assert_int_eq(vector_i64(&batch->batch.columns[0])[0], 10);
	ck_assert_uint_eq(batch->row_ids[0], 10);
	ck_ok(table_stream_next(stream, &batch, &err));
	ck_assert_ptr_null(batch);
	table_stream_free(stream);
	table_scan_free(scanned);
}
END_TEST

START_TEST(rows_are_fetched_by_their_place_in_the_batch)
{
	static const size_t columns[] = { 0 };
	static const uint32_t rows[] = { 0, 3, 5 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	const int64_t positions[] = { 0, 2 };
	struct selection some = { rows, 3 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scanned;
	struct vector scores, ids;
	const char *paths[2];
	char uri[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 10), uri);
	paths[0] = paths[1] = uri;
	world_commit(&world);
	world_positions(&world, paths, positions, 2);
	world_commit(&world);
	open_world();
	vector_init(&scores, type_of(TYPE_DOUBLE));
	vector_init(&ids, type_of(TYPE_BIGINT));
	ck_ok(table_scan_new(&scanned, files, &request, false, SIZE_MAX,
			     &err));
	ck_ok(table_stream_new(&stream, scanned, &err));
	ck_ok(table_stream_next(stream, &batch, &err));
	/* left are 1 3 4 5 6 7 8 9 */
	ck_ok(table_stream_fetch(stream, 2, &some, &scores, &err));
	ck_ok(table_stream_fetch(stream, 0, &some, &ids, &err));
	ck_assert_int_eq(vector_i64(&ids)[0], 1);
	ck_assert_int_eq(vector_i64(&ids)[1], 5);
	ck_assert_int_eq(vector_i64(&ids)[2], 7);
	ck_assert_double_eq(vector_f64(&scores)[0], 0.5);
	ck_assert_double_eq(vector_f64(&scores)[1], 2.5);
	ck_assert_double_eq(vector_f64(&scores)[2], 3.5);
	vector_release(&scores);
	vector_release(&ids);
	table_stream_free(stream);
	table_scan_free(scanned);
}
END_TEST

START_TEST(a_missing_data_file_is_named)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_scan *scanned;
	char uri[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 10), uri);
	world_commit(&world);
	open_world();
	ck_assert_int_eq(unlink(uri + strlen("file://")), 0);
	ck_assert_int_eq(table_scan_new(&scanned, files, &request, false,
					SIZE_MAX, &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, uri + strlen("file://")));
	ck_assert_ptr_null(scanned);
}
END_TEST

START_TEST(a_file_with_other_rows_than_its_manifest_says_is_corrupt)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_scan *scanned;

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 10)->file.record_count = 9;
	world_commit(&world);
	open_world();
	ck_assert_int_eq(table_scan_new(&scanned, files, &request, false,
					SIZE_MAX, &err), ERROR_CORRUPT);
}
END_TEST

START_TEST(a_data_file_that_is_live_twice_is_refused)
{
	struct snapshot_files *loaded;
	struct manifest_entry *entry;

	world_make(&world, "t", 2, false);
	entry = world_data(&world, 0, 10);
	world.entries[world.entry_count++] = *entry;
	world_commit(&world);
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_assert_int_eq(table_files(table, &loaded, &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "live twice"));
}
END_TEST

START_TEST(a_data_file_in_another_format_is_refused_by_name)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_scan *scanned;

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 10)->file.format = FORMAT_ORC;
	world_commit(&world);
	open_world();
	ck_assert_int_eq(table_scan_new(&scanned, files, &request, false,
					SIZE_MAX, &err), ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "ORC"));
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	static const size_t columns[] = { 0, 1 };
	struct column_range range = id_range(5, 7);
	struct target_scan_request request = { columns, 2, &range, 1 };
	const char *const names[] = { "n6" };
	const int64_t positions[] = { 5 };
	const char *paths[1];
	char uri[400];
	long failed = 0;
	bool done;

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 10), uri);
	world_commit(&world);
	paths[0] = uri;
	world_positions(&world, paths, positions, 1);
	world_names(&world, names, 1);
	world_commit(&world);
	for (long n = 0;; n = next_fault(n)) {
		struct table_scan *scanned = NULL;
		struct table_stream *stream = NULL;
		struct target_batch *batch = NULL;
		struct table *opened = NULL;
		int rc;

		mem_fail_at(n);
		rc = table_open(&opened, world.directory, 0, &err);
		if (!rc)
			rc = table_files(opened, &files, &err);
		if (!rc)
			rc = table_scan_new(&scanned, files, &request, false,
					    SIZE_MAX, &err);
		if (!rc)
			rc = table_stream_new(&stream, scanned, &err);
		if (!rc)
			rc = table_stream_next(stream, &batch, &err);
		if (!rc) {
			ck_assert_ptr_nonnull(batch);
			ck_assert_uint_eq(batch->batch.row_count, 8);
		}
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		table_stream_free(stream);
		table_scan_free(scanned);
		table_free(opened);
		if (done)
			break;
		/* a hint that cannot be read is done without */
		if (rc)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		failed += rc != 0;
	}
	ck_assert_int_gt(failed * check_step(), 50);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_scan");
	TCase *tc = tcase_create("table_scan");

	tcase_add_checked_fixture(tc, scan_setup, scan_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, an_empty_table_has_no_rows);
	tcase_add_test(tc, rows_are_numbered_densely_in_file_order);
	tcase_add_test(tc, a_range_leaves_out_files_row_groups_and_pages);
	tcase_add_test(tc, explain_says_what_was_ruled_out_and_by_what);
	tcase_add_loop_test(tc, no_row_in_any_range_is_ever_lost, 0, 3);
	tcase_add_test(tc, a_scan_keeps_no_list_of_its_caller);
	tcase_add_test(tc, a_bloom_filter_rules_out_keys_within_the_bounds);
	tcase_add_test(tc, streams_share_out_the_row_groups);
	tcase_add_test(tc, lineage_is_the_first_row_id_plus_the_position);
	tcase_add_test(tc, one_file_can_be_read_alone);
	tcase_add_test(tc, rows_are_fetched_by_their_place_in_the_batch);
	tcase_add_test(tc, a_missing_data_file_is_named);
	tcase_add_test(tc,
		a_file_with_other_rows_than_its_manifest_says_is_corrupt);
	tcase_add_test(tc, a_data_file_that_is_live_twice_is_refused);
	tcase_add_test(tc, a_data_file_in_another_format_is_refused_by_name);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
