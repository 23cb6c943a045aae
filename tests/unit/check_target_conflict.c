/* check_target_conflict.c - statements that fail or are not the first */
#include "unit/target_draw.h"

#include <errno.h>

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
	for (long n = 0; !done; n = next_fault(n)) {
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
	for (long n = 0; !done; n = next_fault(n + (n < 60 ? 0 : 6))) {
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
	ck_assert_int_gt(failures * check_step(), 50);
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

START_TEST(an_insert_of_what_was_read_minds_changes_and_not_loads)
{
	struct row_change own = { .id = 700, .op = OPERATION_INSERT,
				  .value = 1 };
	struct change_options update = { .statement = STATEMENT_UPDATE };
	struct statement_run run;

	world_create(&world, "t", 2, NULL, 0);
	insert_range(0, 100, true);
	begin_late(&run, &own, 1, STATEMENT_INSERT, false);
	insert_range(100, 100, true);
	ck_assert_int_eq(finish_late(&run, &own, 1), 0);
	own.id = 701;
	begin_late(&run, &own, 1, STATEMENT_INSERT, false);
	changes[0] = (struct row_change){ .id = 7, .op = OPERATION_UPDATE,
					  .value = 9 };
	change(1, &update);
	ck_assert_int_eq(finish_late(&run, &own, 1),
			 ERROR_CONCURRENT_DELETE_READ);
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

START_TEST(a_table_made_anew_is_not_taken_for_the_one_that_was_read)
{
	struct row_change own = { .id = 700, .op = OPERATION_INSERT,
				  .value = 1 };
	struct statement_run run;

	world_create(&world, "t", 2, NULL, 0);
	insert_range(0, 100, true);
	ck_ok(catalog_drop("t", &err));
	world_create(&world, "t", 2, NULL, 0);
	begin_late(&run, &own, 1, STATEMENT_INSERT, true);
	ck_ok(catalog_drop("t", &err));
	world_create(&world, "t", 2, NULL, 0);
	ck_assert_int_eq(finish_late(&run, &own, 1), ERROR_PROTOCOL_CHANGED);
	world_check(&world);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_conflict");
	TCase *tc = tcase_create("target_conflict");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, a_fold_never_makes_a_blind_insert_fail);
	tcase_add_test(tc,
		an_insert_of_what_was_read_minds_changes_and_not_loads);
	tcase_add_test(tc,
		a_table_made_anew_is_not_taken_for_the_one_that_was_read);
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
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
