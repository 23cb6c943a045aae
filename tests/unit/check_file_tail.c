/* check_file_tail.c - writing the end of a file in place */
#include "unit/check_main.h"

#include <errno.h>
#include "io/io.h"
#include "unit/check_scratch.h"

static struct error err;

static void setup(void)
{
	error_init(&err);
	scratch_make();
}

static void teardown(void)
{
	io_fail_at(-1, 0);
	scratch_remove();
}

START_TEST(a_missing_file_is_made)
{
	ck_ok(file_write_tail("log", 0, "one\n", 4, false, &err));
	scratch_expect("log", "one\n", 4);
	ck_ok(file_write_tail("log", 4, "two\n", 4, true, &err));
	scratch_expect("log", "one\ntwo\n", 8);
}
END_TEST

START_TEST(what_lay_behind_the_offset_is_gone)
{
	scratch_file("log", "one\nghost of a failed writer\n", 29);
	ck_ok(file_write_tail("log", 4, "2\n", 2, false, &err));
	scratch_expect("log", "one\n2\n", 6);
	ck_ok(file_write_tail("log", 0, "", 0, false, &err));
	scratch_expect("log", "", 0);
}
END_TEST

START_TEST(a_file_that_is_too_short_gets_zeroes)
{
	scratch_file("log", "a", 1);
	ck_ok(file_write_tail("log", 3, "b", 1, false, &err));
	scratch_expect("log", "a\0\0b", 4);
}
END_TEST

START_TEST(a_failure_names_the_file)
{
	ck_assert_int_eq(file_write_tail("no/such", 0, "x", 1, false, &err),
			 ERROR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "no/such"));
	for (int i = 0; i < 3; i++) {
		io_fail_at(i, ENOSPC);
		ck_assert_int_eq(file_write_tail("log", 0, "x", 1, true,
						 &err), ERROR_NO_SPACE);
	}
	io_fail_at(3, ENOSPC);
	ck_ok(file_write_tail("log", 0, "x", 1, true, &err));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("file_tail");
	TCase *tc = tcase_create("file_tail");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_missing_file_is_made);
	tcase_add_test(tc, what_lay_behind_the_offset_is_gone);
	tcase_add_test(tc, a_file_that_is_too_short_gets_zeroes);
	tcase_add_test(tc, a_failure_names_the_file);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
