/*
 * Random MERGEs against a model: the same statement done row by row over
 * plain arrays, by the rules of the corpus. Every number of threads, with and
 * without a source that fits in memory, must give the model's table and
 * counts, or the same refusal.
 */
#include <dlfcn.h>
#include <errno.h>
#include "unit/merge_rules.h"

static void setup(void)
{
	merge_world_init();
	has_residual = false;
}

static void check_all_ways(bool may_spill)
{
	static char first_text[ERROR_TEXT_BYTES];
	static const size_t threads[] = { 1, 2, 4 };

	run_model();
	for (size_t i = 0; i < 6; i++) {
		int rc;

		if (i >= 3 && !may_spill)
			break;
		rc = run(threads[i % 3], i < 3 ? 0 : 60000);
		if (!expected.is_refused) {
			ck_assert_msg(rc == 0, "%s", err.text);
			ck_assert(model.finished && !model.aborted);
			check_counts();
			check_table();
			continue;
		}
		ck_assert_int_eq(rc, ERROR_DUPLICATE_MATCH);
		ck_assert(model.aborted && !model.finished);
		if (i == 0)
			memcpy(first_text, err.text, sizeof(first_text));
		else if (i < 3)
			ck_assert_str_eq(err.text, first_text);
	}
}

START_TEST(a_random_merge_is_what_the_model_says)
{
	size_t count;

	state = hash_word((uint64_t)_i + 1);
	count = 2 + random_below(3);
	model.paradigm = random_below(2) ? DELETE_ROW_AND_INSERT_ROW
					 : CHANGE_ONLY_UPDATED_COLUMNS;
	key.null_safe = random_below(3) == 0;
	random_clause(WHEN_MATCHED);
	for (size_t i = 0; i < count; i++)
		random_clause((enum merge_match)random_below(3));
	if (random_below(3) == 0) {
		has_residual = true;
		plan.residual = call2("<", column(1), column(4));
	}
	/* null-safe: NULLs repeat, so most such runs are refused */
	fill_rows(random_below(4000), random_below(SOURCE_LIMIT),
		  random_below(3) == 0);
	if (key.null_safe)
		for (size_t i = 0, n = 0; i < source_count; i++)
			if (source[i].number[0] == INT64_MIN && n++)
				source[i].number[0] = (int64_t)(i + 100000);
	check_all_ways(true);
}
END_TEST

START_TEST(a_random_nested_loop_is_what_the_model_says)
{
	state = hash_word((uint64_t)_i + 1);
	plan.key_count = 0;
	plan.residual = call2("=", column(0), column(MODEL_COLUMNS));
	for (size_t i = 0; i < 3; i++)
		random_clause((enum merge_match)((i + (size_t)_i) % 3));
	fill_rows(300, random_below(120), _i & 1);
	check_all_ways(false);
}
END_TEST

/* The failing rows are those with v = 0: source lines 1001, 1502, 2003. */
static void make_failing(void)
{
	state = 5;
	fill_rows(2500, 2600, false);
	for (size_t i = 0; i < source_count; i++) {
		source[i].number[0] = (int64_t)i;
		source[i].number[1] = (i + 2) % 501 == 500 && i > 900 ? 0 : 7;
	}
	for (size_t i = 0; i < model.row_count; i++) {
		model.rows[i].number[0] = (int64_t)((i * 7919) % 2500);
		model.is_gone[i] = false;
	}
}

START_TEST(the_same_failure_is_told_for_any_number_of_threads)
{
	static const size_t threads[] = { 1, 2, 4, 3 };
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_DIVIDE,
				       VALUE_KEEP };
	struct model_clause insert = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				       TERM_TRUE, 0, VALUE_DIVIDE, VALUE_S };
	char text[ERROR_TEXT_BYTES];

	make_failing();
	if (_i == 0)
		add_clause(&update);	/* fails while the target is read */
	else
		add_clause(&insert);	/* ... while rows are inserted */
	if (_i == 1)
		model.row_count = 0;
	if (_i == 2)
		plan.on_is_false = true;	/* ... while it is streamed */
	for (size_t round = 0; round < 12; round++) {
		ck_assert_int_eq(run(threads[round % 4], 0),
				 ERROR_DIVISION_BY_ZERO);
		ck_assert(model.aborted && !model.finished);
		if (round == 0)
			memcpy(text, err.text, sizeof(text));
		ck_assert_str_eq(err.text, text);
		if (_i)
			ck_assert_ptr_nonnull(strstr(err.text, "s.csv:1001"));
	}
}
END_TEST

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* Threads that may still be started; -1 = any number. */
static int thread_allowance = -1;

/* Takes the place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*start)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (!real) {
		void *symbol = dlsym(RTLD_NEXT, "pthread_create");

		memcpy(&real, &symbol, sizeof(real));
	}
	if (thread_allowance == 0)
		return EAGAIN;
	thread_allowance -= thread_allowance > 0;
	return real(thread, attributes, start, argument);
}

START_TEST(no_row_is_lost_when_a_thread_cannot_be_started)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_SUM, VALUE_S };
	struct model_clause insert = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	state = 23;
	add_clause(&update);
	add_clause(&insert);
	fill_rows(3500, 3000, false);
	run_model();
	for (int n = 0; n < 13; n++) {
		thread_allowance = n;
		ck_ok(run(4, 0));
		thread_allowance = -1;
		check_counts();
		check_table();
	}
}
END_TEST
#endif

START_TEST(an_interrupt_stops_a_run)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	add_clause(&update);
	fill_rows(1000, 1000, false);
	interrupt_request(2);
	ck_assert_int_eq(run(2, 0), ERROR_INTERRUPTED);
	interrupt_reset();
	ck_assert(model.aborted);
	ck_ok(run(2, 0));
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_nothing)
{
	state = 17;
	plan.key_count = 1;
	random_clause(WHEN_MATCHED);
	random_clause(WHEN_NOT_MATCHED);
	random_clause(WHEN_NOT_MATCHED_BY_SOURCE);
	plan.residual = call2("<", column(1), column(4));
	fill_rows(900, 600, false);
	fail_each_allocation(run, _i ? 20000 : 0);
	ck_assert(model.finished);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_model");
	TCase *tc = tcase_create("merge_model");

	tcase_add_checked_fixture(tc, setup, merge_world_release);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_random_merge_is_what_the_model_says, 0, 40);
	tcase_add_loop_test(tc, a_random_nested_loop_is_what_the_model_says,
			    0, 12);
	tcase_add_loop_test(tc,
		the_same_failure_is_told_for_any_number_of_threads, 0, 3);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	tcase_add_test(tc, no_row_is_lost_when_a_thread_cannot_be_started);
#endif
	tcase_add_test(tc, an_interrupt_stops_a_run);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_nothing, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
