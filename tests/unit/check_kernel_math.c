/* Rounding, powers and the other number functions. */
#include "unit/expr_cases.h"
#include "unit/expr_math_tables.h"

START_TEST(every_number_function_is_as_the_oracle_says)
{
	CHECK_CASES(math_cases);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel_math");
	TCase *tc = tcase_create("kernel_math");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, every_number_function_is_as_the_oracle_says);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
