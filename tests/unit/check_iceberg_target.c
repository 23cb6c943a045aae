/* check_iceberg_target.c - statements against a model, failures, conflicts */
#include "unit/target_world.h"

#include <errno.h>

static struct target_world world;
static struct row_change changes[ID_LIMIT];
static uint32_t state;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	state = 1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	interrupt_reset();
	scratch_remove();
}

static uint32_t draw(uint32_t limit)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(state >> 4) * limit) >> 28);
}

static int64_t draw_value(void)
{
	return draw(10) ? (int64_t)draw(1000000) : NO_VALUE;
}

static const struct key_value copy_on_write[] = {
	{ (char *)"write.merge.mode", (char *)"copy-on-write" },
	{ (char *)"write.delete.mode", (char *)"copy-on-write" },
};

/* Changes of about `share` per mille of the ids, deletes first. */
static size_t draw_changes(uint32_t ids, uint32_t share, bool inserts,
			   bool deletes)
{
	static const int8_t order[] = { OPERATION_DELETE, OPERATION_UPDATE,
					OPERATION_INSERT };
	static int8_t op[ID_LIMIT];
	size_t n = 0;

	for (uint32_t id = 0; id < ids; id++) {
		op[id] = OPERATION_NONE;
		if (draw(1000) >= share)
			continue;
		if (!world.present[id])
			op[id] = inserts ? OPERATION_INSERT : OPERATION_NONE;
		else
			op[id] = deletes && draw(3) == 0 ? OPERATION_DELETE
							 : OPERATION_UPDATE;
	}
	for (int k = 0; k < 3; k++)
		for (uint32_t id = 0; id < ids; id++)
			if (op[id] == order[k]) {
				changes[n].id = id;
				changes[n].op = op[id];
				changes[n++].value = draw_value();
			}
	return n;
}

static void change(size_t count, const struct change_options *options)
{
	struct merge_outcome outcome;

	ck_ok(world_change(&world, changes, count, options, &outcome));
	world_apply(&world, changes, count);
}

static void insert_range(int64_t first, size_t count, bool is_blind)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = is_blind };

	for (size_t i = 0; i < count; i++) {
		changes[i].id = first + (int64_t)i;
		changes[i].op = OPERATION_INSERT;
		changes[i].value = (first + (int64_t)i) * 3;
	}
	change(count, &options);
}

/* Statements of many sizes; after each the table has the model's rows. */
static void run_random(int format_version, bool cow)
{
	struct change_options options = { .statement = STATEMENT_MERGE };

	world_create(&world, "t", format_version, copy_on_write, cow ? 2 : 0);
	insert_range(0, 3000, true);
	for (int step = 0; step < 25; step++) {
		static const uint32_t shares[] = { 1, 5, 30, 400, 990 };
		uint32_t ids = step % 4 ? 6000 : 18000;
		size_t n = draw_changes(ids, shares[draw(5)], draw(4) > 0,
					draw(4) > 0);

		change(n, &options);
		world_check(&world);
	}
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
	ck_assert_uint_eq(world_files(&world, "metadata/.rowmerge/pins",
				      &sum), 0);
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

/* A statement begun and scanned, waiting for another to be first. */
static void begin_late(struct statement_run *run, struct row_change *own,
		       size_t count, enum statement_kind kind, bool is_blind)
{
	struct change_options options = { .statement = kind,
					  .is_blind = is_blind };

	ck_ok(statement_begin(run, "t", &options));
	if (!is_blind)
		ck_ok(statement_scan(run, own, count));
	for (size_t i = 0; is_blind && i < count; i++) {
		own[i].row_id = ROW_ID_NONE;
		own[i].lineage = INT64_MIN;
	}
}

static int finish_late(struct statement_run *run, struct row_change *own,
		       size_t count)
{
	struct merge_outcome outcome;
	int rc = statement_finish(run, own, count, &outcome);

	if (!rc)
		world_apply(&world, own, count);
	return rc;
}

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

START_TEST(a_fold_never_makes_a_blind_insert_fail)
{
	struct row_change own[20];
	struct change_options options = { .statement = STATEMENT_DELETE };
	struct statement_run run;
	uint64_t sum;
	size_t files;

	world_create(&world, "t", 2, NULL, 0);
	for (int step = 0; step < 16; step++)
		insert_range(step * 20, 20, true);
	for (int i = 0; i < 20; i++) {
		own[i].id = 1000 + i;
		own[i].op = OPERATION_INSERT;
		own[i].value = i;
	}
	begin_late(&run, own, 20, STATEMENT_INSERT, true);
	changes[0].id = 3;
	changes[0].op = OPERATION_DELETE;
	change(1, &options);
	files = world_files(&world, "data", &sum);
	ck_ok(finish_late(&run, own, 20));
	/* its own file and no trace of the fold */
	ck_assert_uint_eq(world_files(&world, "data", &sum), files + 1);
	world_check(&world);
}
END_TEST

/* What a failed statement may not have changed. */
struct traces {
	size_t data;
	size_t metadata;
	uint64_t data_sum;
	uint64_t metadata_sum;
};

static void take_traces(struct traces *out)
{
	out->data = world_files(&world, "data", &out->data_sum);
	out->metadata = world_files(&world, "metadata", &out->metadata_sum);
}

static int64_t newest_version(void)
{
	struct catalog_table *table;
	int64_t version;

	ck_ok(catalog_open(&table, "t", 0, &err));
	version = table->version;
	catalog_table_free(table);
	return version;
}

/* After a statement with a failure in it: all or nothing. */
static void check_outcome(const struct traces *before, size_t n, int rc)
{
	struct traces after;

	take_traces(&after);
	if (rc == 0) {
		world_apply(&world, changes, n);
	} else {
		ck_assert_uint_eq(after.data, before->data);
		ck_assert_uint_eq(after.data_sum, before->data_sum);
		ck_assert_uint_eq(after.metadata, before->metadata);
		ck_assert_uint_eq(after.metadata_sum, before->metadata_sum);
	}
	world_check(&world);
}

START_TEST(each_failed_write_leaves_the_old_version_or_the_new)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	struct traces before;
	bool done = false;
	long failures = 0;

	world_create(&world, "t", _i & 1 ? 3 : 2, copy_on_write,
		     _i & 2 ? 2 : 0);
	insert_range(0, 300, true);
	insert_range(300, 300, true);
	for (long n = 0; !done; n++) {
		size_t count = draw_changes(700, 30, true, true);
		int64_t version = newest_version();
		int rc;

		take_traces(&before);
		io_fail_at(n, _i & 4 ? EIO : ENOSPC);
		rc = world_change(&world, changes, count, &options,
				  &outcome);
		done = io_operation_count() <= n;
		io_fail_at(-1, 0);
		failures += rc != 0;
		if (rc)
			ck_assert_int_eq(rc, _i & 4 ? ERROR_IO
						    : ERROR_NO_SPACE);
		ck_assert_int_eq(newest_version(), version + (rc == 0));
		check_outcome(&before, count, rc);
	}
	ck_assert_int_gt(failures, 15);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_old_version)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	struct traces before;
	bool done = false;
	long failures = 0;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_range(0, 300, true);
	for (long n = 0; !done; n += n < 60 ? 1 : 7) {
		size_t count = draw_changes(400, 20, true, true);
		int rc;

		take_traces(&before);
		mem_fail_at(n);
		rc = world_change(&world, changes, count, &options,
				  &outcome);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		failures += rc != 0;
		if (rc)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		check_outcome(&before, count, rc);
	}
	ck_assert_int_gt(failures, 50);
}
END_TEST

START_TEST(an_interrupted_statement_changes_nothing)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	struct statement_run run;
	struct traces before, after;
	size_t n;

	world_create(&world, "t", 2, copy_on_write, _i ? 2 : 0);
	insert_range(0, 3000, true);
	take_traces(&before);
	n = draw_changes(6000, 100, true, true);
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(statement_scan(&run, changes, n));
	interrupt_request(2);
	ck_assert_int_eq(statement_finish(&run, changes, n, &outcome),
			 ERROR_INTERRUPTED);
	interrupt_reset();
	take_traces(&after);
	ck_assert_uint_eq(before.data_sum, after.data_sum);
	ck_assert_uint_eq(before.metadata_sum, after.metadata_sum);
	world_check(&world);
}
END_TEST

START_TEST(a_blind_insert_lands_on_whatever_came_first)
{
	struct row_change own = { .id = 5000, .op = OPERATION_INSERT,
				  .value = 1 };
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct statement_run run;
	size_t n;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_range(0, 100, true);
	begin_late(&run, &own, 1, STATEMENT_INSERT, true);
	insert_range(200, 100, true);
	n = draw_changes(400, 300, true, true);
	change(n, &options);
	ck_ok(finish_late(&run, &own, 1));
	ck_assert_int_eq(newest_version(), 5);
	world_check(&world);
}
END_TEST

START_TEST(rows_that_both_change_are_delete_delete)
{
	struct row_change own = { .id = 7, .op = OPERATION_UPDATE,
				  .value = 1 };
	struct change_options options = { .statement = STATEMENT_DELETE };
	struct traces before, after;
	struct statement_run run;

	world_create(&world, "t", 2 + (_i & 1), copy_on_write,
		     _i & 2 ? 2 : 0);
	insert_range(0, 100, true);
	begin_late(&run, &own, 1, STATEMENT_MERGE, false);
	changes[0].id = 7;
	changes[0].op = OPERATION_DELETE;
	change(1, &options);
	take_traces(&before);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 ERROR_CONCURRENT_DELETE_DELETE);
	ck_assert(err.retryable);
	take_traces(&after);
	ck_assert_uint_eq(before.data_sum, after.data_sum);
	ck_assert_uint_eq(before.metadata_sum, after.metadata_sum);
	world_check(&world);
}
END_TEST

START_TEST(a_change_elsewhere_is_delete_read)
{
	struct row_change own = { .id = 7, .op = OPERATION_UPDATE,
				  .value = 1 };
	struct change_options options = { .statement = STATEMENT_DELETE };
	struct key_value off = { (char *)"rowmerge.fold", (char *)"off" };
	struct statement_run run;

	world_create(&world, "t", 2, &off, 1);
	insert_range(0, 100, true);
	insert_range(100, 100, true);
	begin_late(&run, &own, 1, STATEMENT_MERGE, false);
	changes[0].id = 150;
	changes[0].op = OPERATION_DELETE;
	change(1, &options);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 ERROR_CONCURRENT_DELETE_READ);
	world_check(&world);
}
END_TEST

START_TEST(new_rows_stop_a_merge_and_not_an_update)
{
	static const char *const levels[] = { "write-serializable",
					      "serializable" };
	struct row_change own = { .id = 7, .op = OPERATION_UPDATE,
				  .value = 1 };
	struct key_value level = { (char *)"rowmerge.isolation",
				   (char *)levels[_i] };
	struct statement_run run;

	world_create(&world, "t", 2, &level, 1);
	insert_range(0, 100, true);
	begin_late(&run, &own, 1, STATEMENT_MERGE, false);
	insert_range(100, 100, true);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 ERROR_CONCURRENT_APPEND);
	begin_late(&run, &own, 1, STATEMENT_UPDATE, false);
	insert_range(300, 100, true);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 _i ? ERROR_CONCURRENT_APPEND : 0);
	begin_late(&run, &own, 1, STATEMENT_UPDATE, false);
	insert_range(500, 100, false);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 ERROR_CONCURRENT_APPEND);
	world_check(&world);
}
END_TEST

START_TEST(a_property_set_meanwhile_is_metadata_changed)
{
	struct key_value property = { (char *)"comment", (char *)"new" };
	struct row_change own = { .id = 700, .op = OPERATION_INSERT,
				  .value = 1 };
	struct statement_run run;
	int64_t version;

	world_create(&world, "t", 2, NULL, 0);
	begin_late(&run, &own, 1, STATEMENT_INSERT, true);
	ck_ok(table_set_properties("t", &property, 1, 1, &version, &err));
	ck_assert_int_eq(finish_late(&run, &own, 1), ERROR_METADATA_CHANGED);
	world_check(&world);
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

START_TEST(a_partitioned_table_is_refused)
{
	struct partition_field field = { 1, 1000, (char *)"id_bucket",
					 { TRANSFORM_BUCKET, 4,
					   (char *)"bucket[4]" } };
	struct partition_spec spec = { 0, &field, 1 };
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct table_create_options create = { 0 };
	struct statement_run run;
	struct schema schema;
	int64_t version;

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "id", type_of(TYPE_BIGINT), &err));
	create.schema = &schema;
	create.spec = &spec;
	ck_ok(table_create("p", &create, &version, &err));
	schema_release(&schema);
	ck_assert_int_eq(statement_begin(&run, "p", &options),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "bucket[4]"));
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
		small_loads_are_folded_as_well_and_keep_their_order, 0, 2);
	tcase_add_test(tc, a_fold_never_makes_a_blind_insert_fail);
	tcase_add_loop_test(tc,
		each_failed_write_leaves_the_old_version_or_the_new, 0, 8);
	tcase_add_loop_test(tc, each_failed_allocation_leaves_the_old_version,
			    0, 2);
	tcase_add_loop_test(tc, an_interrupted_statement_changes_nothing, 0,
			    2);
	tcase_add_loop_test(tc, a_blind_insert_lands_on_whatever_came_first,
			    0, 2);
	tcase_add_loop_test(tc, rows_that_both_change_are_delete_delete, 0,
			    4);
	tcase_add_test(tc, a_change_elsewhere_is_delete_read);
	tcase_add_loop_test(tc, new_rows_stop_a_merge_and_not_an_update, 0,
			    2);
	tcase_add_test(tc, a_property_set_meanwhile_is_metadata_changed);
	tcase_add_loop_test(tc, the_summary_counts_what_was_done, 0, 2);
	tcase_add_test(tc, a_copied_table_is_not_written_to);
	tcase_add_test(tc, a_partitioned_table_is_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
