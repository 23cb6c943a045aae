/*
 * Errors that wait, by their numbers.
 */
#include "unit/check_main.h"
#include "util/error_list.h"

static struct error_list list;
static struct error err;

static void setup(void)
{
	error_list_init(&list);
	error_init(&err);
}

static void teardown(void)
{
	mem_fail_at(-1);
	error_list_release(&list);
}

START_TEST(errors_come_back_by_their_numbers)
{
	size_t number;

	for (size_t i = 0; i < 40; i++) {
		error_set(&err, ERROR_CAST, "value %zu", i);
		error_at(&err, NULL, i, 3);
		ck_assert(error_list_add(&list, &err, &number));
		ck_assert_uint_eq(number, i);
	}
	ck_assert_int_eq(error_list_get(&list, 7, &err), ERROR_CAST);
	ck_assert_str_eq(err.text, "value 7");
	ck_assert_uint_eq(err.line, 7);
	ck_assert_int_eq(error_list_get(&list, 39, NULL), ERROR_CAST);
}
END_TEST

START_TEST(the_same_error_is_kept_once)
{
	size_t number;

	for (size_t i = 0; i < 9; i++) {
		error_set(&err, ERROR_CAST, "value");
		error_at(&err, NULL, 1 + i % 3, 3);
		ck_assert(error_list_add(&list, &err, &number));
		ck_assert_uint_eq(number, i % 3);
	}
}
END_TEST

START_TEST(too_many_errors_are_refused)
{
	size_t number;

	for (size_t i = 0; i <= ERROR_LIST_LIMIT; i++) {
		error_set(&err, ERROR_OVERFLOW, "value %zu", i);
		ck_assert_int_eq(error_list_add(&list, &err, &number),
				 i < ERROR_LIST_LIMIT);
	}
	mem_fail_at(0);
	error_list_release(&list);
	error_list_init(&list);
	ck_assert(!error_list_add(&list, &err, &number));
}
END_TEST

static bool can_wait(enum error_code code, const char *file)
{
	error_set(&err, code, "a failure");
	error_at(&err, file, 3, 1);
	return error_can_wait(&err);
}

START_TEST(errors_of_values_can_wait_and_no_others)
{
	ck_assert(can_wait(ERROR_CAST, NULL));
	ck_assert(can_wait(ERROR_OVERFLOW, NULL));
	ck_assert(can_wait(ERROR_DIVISION_BY_ZERO, NULL));
	ck_assert(can_wait(ERROR_BAD_ARGUMENT, NULL));
	ck_assert(can_wait(ERROR_SUBQUERY_MULTIPLE_ROWS, NULL));
	ck_assert(!can_wait(ERROR_CAST, "orders.csv"));
	ck_assert(!can_wait(ERROR_NO_MEMORY, NULL));
	ck_assert(!can_wait(ERROR_IO, NULL));
	ck_assert(!can_wait(ERROR_INTERRUPTED, NULL));
	ck_assert(!can_wait(ERROR_INTERNAL, NULL));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("error_list");
	TCase *tc = tcase_create("error_list");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, errors_come_back_by_their_numbers);
	tcase_add_test(tc, the_same_error_is_kept_once);
	tcase_add_test(tc, too_many_errors_are_refused);
	tcase_add_test(tc, errors_of_values_can_wait_and_no_others);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
