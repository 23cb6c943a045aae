#ifndef TESTS_UNIT_CHECK_MAIN_H
#define TESTS_UNIT_CHECK_MAIN_H
#include <check.h>
#include <stdlib.h>
#include "util/util.h"

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
