/* check_thread_pool.c - threads, interruption and log sinks */
#include "unit/check_main.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static struct error err;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
}

static void teardown(void)
{
	mem_fail_at(-1);
}

/* Shared by the workers of one test. */
struct shared {
	atomic_size_t next;
	atomic_size_t seen[8];
	pthread_t caller;
	atomic_bool caller_is_zero;
	unsigned char done[1000];
};

static int take_all(void *context, size_t worker, struct error *worker_err)
{
	struct shared *shared = context;
	size_t i;

	atomic_fetch_add(&shared->seen[worker], 1);
	if (worker == 0)
		atomic_store(&shared->caller_is_zero,
			     pthread_equal(shared->caller, pthread_self()));
	while ((i = atomic_fetch_add(&shared->next, 1)) < 1000)
		shared->done[i]++;
	return 0;
}

START_TEST(each_worker_runs_once_and_all_work_is_done)
{
	struct shared shared = { .caller = pthread_self() };
	size_t count = (size_t)_i;

	ck_ok(thread_run(count, take_all, &shared, &err));
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(atomic_load(&shared.seen[i]),
				  i < (count ? count : 1));
	ck_assert(atomic_load(&shared.caller_is_zero));
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(shared.done[i], 1);
}
END_TEST

static int fail_above_one(void *context, size_t worker,
			  struct error *worker_err)
{
	if (worker < 2)
		return 0;
	return error_set(worker_err, worker == 2 ? ERROR_CAST : ERROR_IO,
			 "worker %zu", worker);
}

START_TEST(the_first_failure_in_worker_order_is_reported)
{
	ck_assert_int_eq(thread_run(6, fail_above_one, NULL, &err),
			 ERROR_CAST);
	ck_assert_int_eq(err.code, ERROR_CAST);
	ck_assert_str_eq(err.text, "worker 2");
	ck_assert_int_eq(thread_run(6, fail_above_one, NULL, NULL),
			 ERROR_CAST);
}
END_TEST

START_TEST(no_memory_for_the_threads_is_reported)
{
	struct shared shared = { .caller = pthread_self() };

	mem_fail_at(0);
	ck_assert_int_eq(thread_run(2, take_all, &shared, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(0);		/* one worker needs none */
	ck_ok(thread_run(1, take_all, &shared, &err));
}
END_TEST

static int signal_is_blocked(void *context, size_t worker,
			     struct error *worker_err)
{
	atomic_int *blocked = context;
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, NULL, &set);
	if (sigismember(&set, SIGTERM))
		atomic_fetch_add(blocked, 1);
	return 0;
}

START_TEST(signals_reach_the_callers_thread_only)
{
	atomic_int blocked = 0;
	sigset_t set;

	ck_ok(thread_run(4, signal_is_blocked, &blocked, &err));
	ck_assert_int_eq(atomic_load(&blocked), 3);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	ck_assert(!sigismember(&set, SIGTERM));
}
END_TEST

START_TEST(there_is_at_least_one_processor)
{
	ck_assert_uint_ge(thread_available_count(), 1);
}
END_TEST

START_TEST(a_requested_interrupt_is_seen_until_reset)
{
	ck_assert_int_eq(interrupt_signal(), 0);
	ck_ok(interrupt_check(&err));
	interrupt_request(SIGINT);
	ck_assert_int_eq(interrupt_check(&err), ERROR_INTERRUPTED);
	ck_assert_str_eq(err.text, "interrupted by SIGINT");
	interrupt_request(SIGTERM);
	ck_assert_int_eq(interrupt_check(&err), ERROR_INTERRUPTED);
	ck_assert_str_eq(err.text, "interrupted by SIGTERM");
	ck_assert_int_eq(interrupt_signal(), SIGTERM);
	interrupt_request(SIGHUP);
	ck_assert_int_eq(interrupt_check(NULL), ERROR_INTERRUPTED);
	interrupt_reset();
	ck_ok(interrupt_check(&err));
}
END_TEST

/* A sink that keeps what it was told. */
struct kept {
	char *line;
	uint64_t done;
};

static void keep_line(void *context, const char *line)
{
	struct kept *kept = context;

	mem_free(kept->line);
	kept->line = mem_strdup(line);
}

static void keep_progress(void *context, const char *stage, uint64_t done,
			  uint64_t total, const char *unit)
{
	((struct kept *)context)->done = done;
}

START_TEST(a_sink_gets_whole_lines_of_any_length)
{
	struct kept kept = { NULL, 0 };
	struct log_sink sink = { &kept, keep_line, keep_line, keep_progress };

	log_note(&sink, "%d files", 3);
	ck_assert_str_eq(kept.line, "3 files");
	log_warn(&sink, "%0*d", 5000, 1);
	ck_assert_uint_eq(strlen(kept.line), 5000);
	log_progress(&sink, "scan", 5, 10, "rows");
	ck_assert_uint_eq(kept.done, 5);
	mem_fail_at(0);		/* cut rather than lost */
	log_warn(&sink, "%0*d", 5000, 1);
	ck_assert_uint_ge(strlen(kept.line), 100);
	mem_free(kept.line);
}
END_TEST

START_TEST(a_missing_sink_is_silent)
{
	struct log_sink sink = { NULL, NULL, NULL, NULL };

	log_note(NULL, "x");
	log_warn(NULL, "x");
	log_progress(NULL, "x", 0, 0, "rows");
	log_note(&sink, "x");
	log_warn(&sink, "x");
	log_progress(&sink, "x", 0, 0, "rows");
	ck_assert_ptr_null(sink.context);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("thread_pool");
	TCase *tc = tcase_create("thread_pool");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_worker_runs_once_and_all_work_is_done, 0,
			    9);
	tcase_add_test(tc, the_first_failure_in_worker_order_is_reported);
	tcase_add_test(tc, no_memory_for_the_threads_is_reported);
	tcase_add_test(tc, signals_reach_the_callers_thread_only);
	tcase_add_test(tc, there_is_at_least_one_processor);
	tcase_add_test(tc, a_requested_interrupt_is_seen_until_reset);
	tcase_add_test(tc, a_sink_gets_whole_lines_of_any_length);
	tcase_add_test(tc, a_missing_sink_is_silent);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
