/* check_merge_guard.c - what refuses a run, to the row, and what is warned of */
#include "unit/merge_rules.h"

static char warnings[4096];	/* a line each */
static bool commit_asked;

static void on_warn(void *context, const char *text)
{
	size_t length = strlen(warnings);

	(void)context;
	snprintf(warnings + length, sizeof(warnings) - length, "%s\n", text);
}

static const struct log_sink sink = { .warn = on_warn };

static int on_commit(void *context, struct error *e)
{
	(void)context;
	(void)e;
	commit_asked = true;
	return 0;
}

static void setup(void)
{
	merge_world_init();
	has_residual = false;
	options.log = &sink;
	options.before_commit = on_commit;
	warnings[0] = '\0';
	commit_asked = false;
}

/* Targets k = 0 .. 999, v = 1; the source has those below count, v = k. */
static void fill_plain(size_t count)
{
	fill_rows(1000, count, false);
	for (size_t i = 0; i < 1000; i++) {
		model.rows[i].number[0] = (int64_t)i;
		model.rows[i].number[1] = 1;
		model.is_gone[i] = false;
	}
	for (size_t i = 0; i < count; i++) {
		source[i].number[0] = (int64_t)i;
		source[i].number[1] = (int64_t)i;
	}
}

static void add_delete(enum merge_match match, enum term term, int64_t limit)
{
	struct model_clause rule = { match, OPERATION_DELETE, term, limit,
				     VALUE_KEEP, VALUE_KEEP };

	add_clause(&rule);
}

static void add_insert(enum term term)
{
	struct model_clause rule = { WHEN_NOT_MATCHED, OPERATION_INSERT, term,
				     50, VALUE_NULL, VALUE_S };

	add_clause(&rule);
}

static void check_refused(int code)
{
	for (size_t threads = 1; threads <= 4; threads += 3) {
		ck_assert_int_eq(run(threads, 0), code);
		ck_assert(model.aborted && !model.finished);
		ck_assert(!commit_asked);
		ck_assert(err.hint[0]);
		ck_assert_int_eq(model.open_sinks, 0);
	}
}

START_TEST(as_many_deletes_as_allowed_pass_and_one_more_does_not)
{
	fill_plain(100);
	add_delete(WHEN_MATCHED, TERM_TRUE, 0);
	options.delete_limit.is_set = true;
	options.delete_limit.rows = 100;
	ck_ok(run(2, 0));
	ck_assert_uint_eq(result.rows_deleted, 100);
	ck_assert(commit_asked);
	commit_asked = false;
	options.delete_limit.rows = 99;
	check_refused(ERROR_GUARD_DELETES);
	ck_assert_str_eq(err.text, "100 of the 1000 rows of model would be "
			 "deleted, and --max-deletes allows 99");
	options.delete_limit.rows = 0;
	check_refused(ERROR_GUARD_DELETES);
}
END_TEST

START_TEST(a_share_of_deletes_is_of_the_rows_before)
{
	fill_plain(125);
	add_delete(WHEN_MATCHED, TERM_TRUE, 0);
	options.delete_limit.is_set = true;
	options.delete_limit.is_share = true;
	options.delete_limit.share_ppm = 125000;
	ck_ok(run(2, 0));
	ck_assert_uint_eq(result.rows_deleted, 125);
	commit_asked = false;
	options.delete_limit.share_ppm = 124999;
	check_refused(ERROR_GUARD_DELETES);
	ck_assert_ptr_nonnull(strstr(err.text, "(12.5 %)"));
	options.delete_limit.share_ppm = 0;
	check_refused(ERROR_GUARD_DELETES);
}
END_TEST

START_TEST(no_delete_passes_any_limit)
{
	fill_plain(100);
	add_insert(TERM_TRUE);
	options.delete_limit.is_set = true;
	options.delete_limit.is_share = _i & 1;
	ck_ok(run(1, 0));
	ck_assert(model.finished);
}
END_TEST

START_TEST(an_empty_source_is_refused_where_it_would_change_rows)
{
	options.allow_empty_source = false;
	fill_plain(0);
	add_delete(WHEN_NOT_MATCHED_BY_SOURCE, _i ? TERM_T_LESS : TERM_TRUE,
		   50);
	check_refused(ERROR_GUARD_EMPTY_SOURCE);
	ck_assert_ptr_nonnull(strstr(err.text, _i ? "act on up to 1000"
				     : "all 1000 rows (100 %) of model"));
	options.allow_empty_source = true;
	ck_ok(run(1, 0));
	ck_assert_uint_eq(result.rows_deleted, 1000);
	options.allow_empty_source = false;
	source_count = 1;	/* one row is no empty batch */
	source[0].number[0] = 5;
	ck_ok(run(1, 0));
	ck_assert_uint_eq(result.rows_deleted, 999);
}
END_TEST

START_TEST(an_empty_source_passes_where_it_changes_nothing)
{
	struct model_clause nothing = { WHEN_NOT_MATCHED_BY_SOURCE,
		OPERATION_NONE, TERM_TRUE, 0, VALUE_KEEP, VALUE_KEEP };

	options.allow_empty_source = false;
	fill_plain(0);
	if (_i == 0)
		add_delete(WHEN_MATCHED, TERM_TRUE, 0);
	else
		add_clause(&nothing);
	if (_i == 1)	/* behind one that takes every row */
		add_delete(WHEN_NOT_MATCHED_BY_SOURCE, TERM_TRUE, 0);
	if (_i == 2) {
		plan.clause_count = 0;
		add_delete(WHEN_NOT_MATCHED_BY_SOURCE, TERM_TRUE, 0);
		model.row_count = 0;
	}
	ck_ok(run(1, 0));
	ck_assert_uint_eq(result.rows_deleted, 0);
}
END_TEST

START_TEST(a_flag_that_inserts_do_not_test_is_warned_of)
{
	fill_plain(10);
	add_delete(WHEN_MATCHED, TERM_S_LESS, 0);
	if (_i)
		add_insert(_i == 1 ? TERM_TRUE : TERM_S_LESS);
	ck_ok(run(2, 0));
	if (_i == 1)
		ck_assert_str_eq(warnings, "WHEN MATCHED ... DELETE tests v "
				 "and WHEN NOT MATCHED does not: a row to be "
				 "deleted that matches nothing is inserted\n");
	else
		ck_assert_str_eq(warnings, "");
}
END_TEST

START_TEST(a_number_that_inserts_store_is_no_flag)
{
	struct model_clause rule = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				     TERM_TRUE, 0, VALUE_S, VALUE_S };

	fill_plain(10);
	add_delete(WHEN_MATCHED, TERM_S_LESS, 0);
	add_clause(&rule);
	ck_ok(run(2, 0));
	ck_assert_str_eq(warnings, "");
}
END_TEST

/* What only the target decides, or ON, is no flag. */
START_TEST(what_is_no_flag_is_not_warned_of)
{
	fill_plain(10);
	add_delete(WHEN_MATCHED, _i ? TERM_S_LESS : TERM_T_LESS, 0);
	add_insert(TERM_TRUE);
	if (_i) {
		has_residual = true;
		plan.residual = call2("<", column(1), column(4));
	}
	ck_ok(run(2, 0));
	ck_assert_str_eq(warnings, "");
}
END_TEST

START_TEST(rows_whose_flag_is_null_and_that_no_clause_took_are_counted)
{
	size_t nulls = 0;

	fill_plain(900);
	for (size_t i = 0; i < 900; i++) {
		if (i % 7 == 0 && i < 600 * (size_t)_i + 5)
			source[i].number[1] = INT64_MIN;
		if (i % 3 == 0)	/* these match nothing */
			source[i].number[0] += 5000;
		nulls += source[i].number[1] == INT64_MIN;
	}
	add_delete(WHEN_MATCHED, TERM_S_LESS, 20);
	add_insert(TERM_S_LESS);
	for (size_t threads = 1; threads <= 4; threads += 3) {
		char expected_text[200];

		warnings[0] = '\0';
		ck_ok(run(threads, threads == 4 ? 60000 : 0));
		snprintf(expected_text, sizeof(expected_text),
			 "%zu source row%s had NULL in v, which WHEN MATCHED "
			 "... DELETE tests, and no clause took %s\n", nulls,
			 nulls == 1 ? "" : "s", nulls == 1 ? "it" : "them");
		ck_assert_str_eq(warnings, expected_text);
	}
}
END_TEST

START_TEST(null_keys_are_counted_but_where_they_match)
{
	fill_plain(20);
	source[3].number[0] = source[9].number[0] = INT64_MIN;
	add_insert(TERM_TRUE);
	if (_i)
		source[9].number[0] = 9;
	key.null_safe = _i == 1;
	ck_ok(run(2, 0));
	if (_i == 1)
		ck_assert_str_eq(warnings, "");
	else
		ck_assert_ptr_nonnull(strstr(warnings, _i ? "1 source row had "
			"NULL in a key column of ON" : "2 source rows had "
			"NULL in a key column of ON"));
}
END_TEST

START_TEST(an_update_of_what_on_equates_is_warned_of)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_KEEP, VALUE_S };

	fill_plain(20);
	add_clause(&update);
	/* k = k + s.v, k = s.k as ON says, k = k */
	clauses[0].values[0] = _i == 0 ? call2("+", column(0), column(4))
			       : column(_i == 1 ? MODEL_COLUMNS : 0);
	ck_ok(run(2, 0));
	ck_assert_str_eq(warnings, _i ? "" : "UPDATE sets k, which ON equates"
			 ": a second run of the statement finds other rows "
			 "than the first\n");
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	bool failed = true;

	fill_plain(200);
	add_delete(WHEN_MATCHED, TERM_S_LESS, 50);
	add_insert(TERM_TRUE);
	options.delete_limit.is_set = true;
	options.delete_limit.rows = 49;
	for (long n = 0; failed; n = next_fault(n)) {
		int rc;

		mem_fail_at(n);
		rc = run(1, 0);
		mem_fail_at(-1);
		failed = rc == ERROR_NO_MEMORY;
		ck_assert(failed || rc == ERROR_GUARD_DELETES);
		ck_assert(!model.finished);
		ck_assert_int_eq(model.open_sinks, 0);
		ck_assert_int_lt(n, 100000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_guard");
	TCase *tc = tcase_create("merge_guard");

	tcase_add_checked_fixture(tc, setup, merge_world_release);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc,
		as_many_deletes_as_allowed_pass_and_one_more_does_not);
	tcase_add_test(tc, a_share_of_deletes_is_of_the_rows_before);
	tcase_add_loop_test(tc, no_delete_passes_any_limit, 0, 2);
	tcase_add_loop_test(tc,
		an_empty_source_is_refused_where_it_would_change_rows, 0, 2);
	tcase_add_loop_test(tc,
		an_empty_source_passes_where_it_changes_nothing, 0, 3);
	tcase_add_loop_test(tc, a_flag_that_inserts_do_not_test_is_warned_of,
			    0, 3);
	tcase_add_test(tc, a_number_that_inserts_store_is_no_flag);
	tcase_add_loop_test(tc, what_is_no_flag_is_not_warned_of, 0, 2);
	tcase_add_loop_test(tc,
		rows_whose_flag_is_null_and_that_no_clause_took_are_counted,
		0, 2);
	tcase_add_loop_test(tc, null_keys_are_counted_but_where_they_match, 0,
			    3);
	tcase_add_loop_test(tc, an_update_of_what_on_equates_is_warned_of, 0,
			    3);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
