#ifndef TESTS_UNIT_CHECK_MAIN_H
#define TESTS_UNIT_CHECK_MAIN_H
#include <check.h>
#include <stdlib.h>
#include "util/util.h"

/*
 * Check gives a test 4 seconds unless told otherwise: too few on a machine
 * that does other things. The environment may say more or less.
 */
__attribute__((constructor)) static void be_patient(void)
{
	setenv("CK_DEFAULT_TIMEOUT", "30", 0);
	setenv("CK_TIMEOUT_MULTIPLIER", "3", 0);
}

/*
 * How much a long sweep leaves out: it tries every CHECK_STEPth of what it
 * would try (default 1: all of it). Valgrind sets it.
 */
static inline long check_step(void)
{
	const char *text = getenv("CHECK_STEP");
	long step = text ? strtol(text, NULL, 10) : 1;

	return step > 0 ? step : 1;
}

/* The allocation to fail after the nth: the first 20 always each. */
static inline long next_fault(long n)
{
	return n < 20 ? n + 1 : n + check_step();
}

/*
 * The frame of every unit test: prints TAP on stdout, exits 1 on a failure.
 *
 *	int main(void)
 *	{
 *		Suite *suite = suite_create("arena");
 *		TCase *tc = tcase_create("arena");
 *		tcase_add_test(tc, a_sentence_that_it_proves);
 *		suite_add_tcase(suite, tc);
 *		return check_main(suite);
 *	}
 */
static inline int check_main(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Fail with the error's text when a call did not return 0. */
#define ck_ok(call) \
	do { \
		int ck_rc = (call); \
		ck_assert_msg(ck_rc == 0, "%s: %s: %s", #call, \
			      error_name(err.code), err.text); \
	} while (0)
#endif
