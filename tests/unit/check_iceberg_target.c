/* check_iceberg_target.c - statements against a model of the table */
#include "unit/target_draw.h"

/* Statements of many sizes; after each the table has the model's rows. */
static void run_random(int format_version, bool cow)
{
	world_create(&world, "t", format_version, copy_on_write, cow ? 2 : 0);
	insert_range(0, 3000, true);
	for (int step = 0; step < 25; step++)
		change_any(step % 4 ? 6000 : 18000);
}

START_TEST(statements_give_the_rows_of_the_model)
{
	run_random(_i & 1 ? 3 : 2, _i & 2);
}
END_TEST

START_TEST(deleting_every_row_removes_the_files)
{
	struct change_options options = { .statement = STATEMENT_DELETE };
	size_t data, deletes, manifests;

	world_create(&world, "t", _i & 1 ? 3 : 2, copy_on_write,
		     _i & 2 ? 2 : 0);
	insert_range(0, 1000, true);
	for (int half = 0; half < 2; half++) {
		for (size_t i = 0; i < 500; i++) {
			changes[i].id = (int64_t)i * 2 + half;
			changes[i].op = OPERATION_DELETE;
		}
		change(500, &options);
		world_check(&world);
	}
	world_live_files(&world, &data, &deletes, &manifests);
	ck_assert_uint_eq(data, 0);
	ck_assert_uint_eq(deletes, 0);
}
END_TEST

START_TEST(a_statement_of_few_rows_makes_one_data_file)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	size_t data, deletes, manifests;
	struct merge_outcome outcome;
	size_t n;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_range(0, 5000, true);
	n = draw_changes(10000, 100, true, true);
	ck_ok(world_change(&world, changes, n, &options, &outcome));
	world_live_files(&world, &data, &deletes, &manifests);
	ck_assert_uint_eq(data, 2);
	ck_assert_uint_eq(deletes, 1);
	ck_assert_uint_eq(outcome.files_added, 2);
	ck_assert_uint_eq(outcome.files_removed, 0);
	ck_assert_int_eq(outcome.version_before, 2);
	ck_assert_int_eq(outcome.version_after, 3);
	ck_assert_uint_eq(outcome.attempts, 1);
	ck_assert_uint_gt(outcome.bytes_written, 1000);
}
END_TEST

START_TEST(a_file_has_at_most_one_delete_file)
{
	struct change_options options = { .statement = STATEMENT_DELETE };
	size_t data, deletes, manifests;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_range(0, 2000, true);
	for (int step = 0; step < 5; step++) {
		for (size_t i = 0; i < 100; i++) {
			changes[i].id = (int64_t)i * 20 + step;
			changes[i].op = OPERATION_DELETE;
		}
		change(100, &options);
		world_live_files(&world, &data, &deletes, &manifests);
		ck_assert_uint_eq(data, 1);
		ck_assert_uint_eq(deletes, 1);
	}
	world_check(&world);
}
END_TEST

START_TEST(a_statement_without_changes_makes_no_version)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	uint64_t sum, before;
	size_t files;

	world_create(&world, "t", 2, NULL, 0);
	files = world_files(&world, "metadata", &before);
	ck_ok(world_change(&world, changes, 0, &options, &outcome));
	ck_assert_int_eq(outcome.version_before, 1);
	ck_assert_int_eq(outcome.version_after, 1);
	ck_assert_uint_eq(world_files(&world, "metadata", &sum), files);
	ck_assert_uint_eq(sum, before);
}
END_TEST

START_TEST(a_dry_run_says_the_files_and_leaves_none)
{
	struct change_options options = { .statement = STATEMENT_MERGE,
					  .dry_run = true };
	struct merge_outcome outcome;
	uint64_t before, sum;
	size_t files, n;

	world_create(&world, "t", 2 + (_i & 1), copy_on_write,
		     _i & 2 ? 2 : 0);
	insert_range(0, 3000, true);
	files = world_files(&world, "data", &before);
	n = draw_changes(6000, 100, true, true);
	ck_ok(world_change(&world, changes, n, &options, &outcome));
	ck_assert_uint_gt(outcome.files_added, 0);
	ck_assert_int_eq(outcome.version_after, outcome.version_before);
	ck_assert_uint_eq(world_files(&world, "data", &sum), files);
	ck_assert_uint_eq(sum, before);
	world_check(&world);
}
END_TEST

START_TEST(null_in_a_required_column_is_refused_by_name)
{
	struct change_options options = { .statement = STATEMENT_INSERT };
	struct merge_sink *sink;
	struct statement_run run;
	struct page_store store;
	struct change_page page;
	uint64_t sum;

	world_create(&world, "t", 2, NULL, 0);
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(run.target->ops->sink_new(run.handle, &sink, &err));
	changes[0].id = 1;
	changes[0].op = OPERATION_INSERT;
	changes[0].row_id = ROW_ID_NONE;
	ck_ok(page_fill(&store, changes, 1, &page));
	ck_ok(vector_set_null(&store.columns[0], 0, &err));
	ck_assert_int_eq(run.target->ops->sink_store(sink, &page, &err),
			 ERROR_NOT_NULL);
	ck_assert_str_eq(err.field, "id");
	ck_assert_ptr_nonnull(strstr(err.text, "'id'"));
	store.present_columns[0] = &store.absent[0];
	ck_assert_int_eq(run.target->ops->sink_store(sink, &page, &err),
			 ERROR_NOT_NULL);
	page_release(&store);
	run.target->ops->sink_free(sink);
	statement_abort(&run);
	ck_assert_uint_eq(world_files(&world, "data", &sum), 0);
}
END_TEST

START_TEST(an_aborted_statement_leaves_no_file)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = true };
	const struct target_ops *ops;
	struct fragments fragments = { 0 };
	struct statement_run run;
	struct merge_sink *sink;
	uint64_t sum;

	world_create(&world, "t", 2, NULL, 0);
	ck_ok(statement_begin(&run, "t", &options));
	ops = run.target->ops;
	ck_ok(ops->sink_new(run.handle, &sink, &err));
	for (size_t i = 0; i < TARGET_PAGE; i++) {
		changes[i].id = (int64_t)i;
		changes[i].op = OPERATION_INSERT;
		changes[i].row_id = ROW_ID_NONE;
	}
	ck_ok(store_rows(&run, sink, changes, TARGET_PAGE));
	ck_ok(ops->sink_finish(sink, &fragments, &err));
	ck_assert_uint_eq(world_files(&world, "data", &sum), 1);
	ops->sink_free(sink);
	fragments_release(&fragments);
	statement_abort(&run);
	ck_assert_uint_eq(world_files(&world, "data", &sum), 0);
	/* the pin is there for the next statement */
	ck_assert_uint_eq(world_files(&world, "metadata/.rowmerge/pins",
				      &sum), 1);
	world_check(&world);
}
END_TEST

START_TEST(small_files_are_folded_and_stay_few)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct key_value off = { (char *)"rowmerge.fold", (char *)"off" };
	size_t data, deletes, manifests, most = 0, most_deletes = 0;
	bool is_off = _i == 2;

	world_create(&world, "t", 2 + (_i & 1), &off, is_off);
	insert_range(0, 10000, true);
	for (int step = 0; step < 60; step++) {
		size_t n = draw_changes(18000, 4, true, true);

		change(n, &options);
		world_live_files(&world, &data, &deletes, &manifests);
		if (data > most)
			most = data;
		if (deletes > most_deletes)
			most_deletes = deletes;
		ck_assert_uint_le(manifests, 20);
	}
	world_check(&world);
	if (is_off) {
		ck_assert_uint_eq(most, 61);
	} else {
		ck_assert_uint_le(most, 16);
		ck_assert_uint_le(most_deletes, 10);
	}
}
END_TEST

/* Without that half the files of about one size would stay apart. */
START_TEST(a_file_half_as_large_again_as_the_smaller_ones_is_folded)
{
	size_t data, deletes, manifests;

	world_create(&world, "t", 2, NULL, 0);
	insert_range(0, 60 + (size_t)_i, false);
	for (int64_t first = 100; first < 140; first += 10)
		insert_range(first, 10, false);
	world_check(&world);
	world_live_files(&world, &data, &deletes, &manifests);
	ck_assert_uint_eq(data, _i ? 5 : 1);
}
END_TEST

START_TEST(small_loads_are_folded_as_well_and_keep_their_order)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	size_t data, deletes, manifests;
	struct snapshot_files *files;
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;
	struct table *table;
	int64_t next = 0;

	world_create(&world, "t", 2 + _i, NULL, 0);
	for (int step = 0; step < 40; step++) {
		insert_range(step * 20, 20, true);
		world_live_files(&world, &data, &deletes, &manifests);
		ck_assert_uint_le(data, 20);
		ck_assert_uint_le(manifests, 20);
	}
	world_check(&world);
	ck_ok(table_open(&table, "t", 0, &err));
	ck_ok(table_files(table, &files, &err));
	ck_ok(table_scan_new(&scan, files, &request, false, SIZE_MAX, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++)
			ck_assert_int_eq(
				vector_i64(&batch->batch.columns[0])[i],
				next++);
	}
	table_stream_free(stream);
	table_scan_free(scan);
	table_free(table);
}
END_TEST

/* The summary of the newest snapshot. */
static int64_t summary_number(const char *key)
{
	struct catalog_table *table;
	const char *value;
	int64_t number = -1;

	ck_ok(catalog_open(&table, "t", 0, &err));
	value = snapshot_summary(metadata_current_snapshot(table->metadata),
				 key);
	if (value)
		ck_assert_int_eq(parse_int64(value, strlen(value), &number),
				 0);
	catalog_table_free(table);
	return number;
}

START_TEST(the_summary_counts_what_was_done)
{
	struct change_options options = { .statement = STATEMENT_MERGE };

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_range(0, 100, true);
	ck_assert_int_eq(summary_number("total-records"), 100);
	ck_assert_int_eq(summary_number("added-records"), 100);
	ck_assert_int_eq(summary_number("total-delete-files"), 0);
	for (int i = 0; i < 10; i++) {
		changes[i].id = i;
		changes[i].op = i < 4 ? OPERATION_DELETE : OPERATION_UPDATE;
		changes[i].value = i;
	}
	change(10, &options);
	/* the tiny file that lost rows came along */
	ck_assert_int_eq(summary_number("total-records"), 96);
	ck_assert_int_eq(summary_number("total-data-files"), 1);
	insert_range(1000, 2000, true);
	changes[0].id = 1500;
	changes[0].op = OPERATION_DELETE;
	change(1, &options);
	ck_assert_int_eq(summary_number("total-records"), 2096);
	ck_assert_int_eq(summary_number("total-position-deletes"), 1);
	ck_assert_int_eq(summary_number("added-delete-files"), 1);
	ck_assert_int_eq(summary_number("added-dvs"), _i ? 1 : -1);
	ck_assert_int_eq(summary_number("added-position-delete-files"),
			 _i ? -1 : 1);
	changes[0].id = 1501;
	change(1, &options);
	ck_assert_int_eq(summary_number("total-position-deletes"), 2);
	ck_assert_int_eq(summary_number("total-delete-files"), 1);
	ck_assert_int_eq(summary_number("removed-delete-files"), 1);
	ck_assert_int_eq(summary_number("removed-position-deletes"), 1);
	world_check(&world);
}
END_TEST

/* Sequence number of the commit that last changed each row. */
static int64_t updated_at[ID_LIMIT];

/* One file's stored numbers, or its own, against updated_at. */
static void check_updated_file(const struct snapshot_files *files,
			       const struct snapshot_file *file)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct parquet_reader *reader;
	struct roaring64 *deletes;
	struct input_file *input;
	struct vector ids, numbers;
	struct arena arena;
	char *path;
	long leaf;

	arena_init(&arena, 0);
	vector_init(&ids, type);
	vector_init(&numbers, type);
	ck_ok(path_from_uri(&arena, file->entry->file.path, &path, &err));
	ck_ok(input_file_open(&input, path, &err));
	ck_ok(parquet_reader_open(&reader, input, &err));
	ck_ok(snapshot_file_deletes(files, file, &deletes, &err));
	leaf = parquet_find_field_id(reader, INT32_C(2147483539));
	for (size_t g = 0; g < parquet_row_group_count(reader); g++) {
		size_t rows = (size_t)parquet_row_group_rows(reader, g);
		uint64_t first = parquet_row_group_first(reader, g);
		struct chunk_reader *id_chunk, *chunk = NULL;

		ck_ok(chunk_reader_open(&id_chunk, reader, g, 0, &type,
					&err));
		if (leaf >= 0)
			ck_ok(chunk_reader_open(&chunk, reader, g,
						(size_t)leaf, &type, &err));
		for (size_t i = 0; i < rows; i++) {
			int64_t number = file->entry->sequence_number, id;

			if (deletes && roaring64_contains(deletes, first + i))
				continue;
			ck_ok(chunk_reader_read(id_chunk, i, 1, &ids, &err));
			id = vector_i64(&ids)[0];
			if (chunk)
				ck_ok(chunk_reader_read(chunk, i, 1,
							&numbers, &err));
			if (chunk && !vector_is_null(&numbers, 0))
				number = vector_i64(&numbers)[0];
			ck_assert_int_eq(number, updated_at[id]);
		}
		chunk_reader_free(id_chunk);
		chunk_reader_free(chunk);
	}
	roaring64_free(deletes);
	vector_release(&ids);
	vector_release(&numbers);
	parquet_reader_free(reader);
	arena_release(&arena);
}

START_TEST(moved_rows_remember_who_changed_them_last)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	int64_t sequence = 0;

	world_create(&world, "t", 3, copy_on_write, _i ? 2 : 0);
	for (int step = 0; step < 12; step++) {
		struct snapshot_files *files;
		struct table *table;
		size_t n;

		n = draw_changes(1500, step ? 15 : 900, true, true);
		change(n, &options);
		sequence++;
		for (size_t i = 0; i < n; i++)
			updated_at[changes[i].id] = sequence;
		world_check(&world);
		ck_ok(table_open(&table, "t", 0, &err));
		ck_ok(table_files(table, &files, &err));
		for (size_t i = 0; i < files->file_count; i++)
			check_updated_file(files, &files->files[i]);
		table_free(table);
	}
}
END_TEST

static void upgrade(void)
{
	struct catalog_publish_options options = { .wait_ms = 1000 };
	struct commit_record record = { .kind = "proto",
					.operation = "upgrade",
					.snapshot_id = -1,
					.read_scope = "none" };
	struct table_metadata *next;
	struct catalog_table *base;
	int64_t version;
	bool conflict;

	ck_ok(catalog_open(&base, "t", 0, &err));
	ck_ok(table_metadata_copy(&next, base->metadata, &err));
	ck_ok(metadata_upgrade(next, 3, &err));
	record.base = record.parent = base->version;
	options.record = &record;
	ck_ok(catalog_publish("t", base, next, &options, &version, &conflict,
			      &err));
	ck_assert(!conflict);
	table_metadata_free(next);
	catalog_table_free(base);
}

START_TEST(an_upgraded_table_goes_on_with_vectors_and_row_ids)
{
	struct change_options options = { .statement = STATEMENT_MERGE };

	world_create(&world, "t", 2, copy_on_write, _i ? 2 : 0);
	insert_range(0, 3000, true);
	insert_range(3000, 3000, true);
	options.has_paradigm = true;
	options.paradigm = DELETE_ROW_AND_INSERT_ROW;
	change(draw_changes(8000, 20, true, true), &options);
	options.has_paradigm = false;
	upgrade();
	for (int step = 0; step < 6; step++) {
		change(draw_changes(8000, 5, true, true), &options);
		world_check(&world);
	}
}
END_TEST

START_TEST(a_copied_table_is_not_written_to)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct statement_run run;

	world_create(&world, "t", 2, NULL, 0);
	insert_range(0, 10, true);
	ck_assert_int_eq(system("cp -r t u"), 0);
	ck_assert_int_eq(statement_begin(&run, "u", &options),
			 ERROR_MOVED_TABLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iceberg_target");
	TCase *tc = tcase_create("iceberg_target");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, statements_give_the_rows_of_the_model, 0, 4);
	tcase_add_loop_test(tc, deleting_every_row_removes_the_files, 0, 4);
	tcase_add_loop_test(tc, a_statement_of_few_rows_makes_one_data_file,
			    0, 2);
	tcase_add_loop_test(tc, a_file_has_at_most_one_delete_file, 0, 2);
	tcase_add_test(tc, a_statement_without_changes_makes_no_version);
	tcase_add_loop_test(tc, a_dry_run_says_the_files_and_leaves_none, 0,
			    4);
	tcase_add_test(tc, null_in_a_required_column_is_refused_by_name);
	tcase_add_test(tc, an_aborted_statement_leaves_no_file);
	tcase_add_loop_test(tc, small_files_are_folded_and_stay_few, 0, 3);
	tcase_add_loop_test(tc,
		a_file_half_as_large_again_as_the_smaller_ones_is_folded,
		0, 2);
	tcase_add_loop_test(tc,
		small_loads_are_folded_as_well_and_keep_their_order, 0, 2);
	tcase_add_loop_test(tc, the_summary_counts_what_was_done, 0, 2);
	tcase_add_loop_test(tc, moved_rows_remember_who_changed_them_last, 0,
			    2);
	tcase_add_loop_test(tc,
		an_upgraded_table_goes_on_with_vectors_and_row_ids, 0, 2);
	tcase_add_test(tc, a_copied_table_is_not_written_to);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
