/* Comparisons of every type. */
#include "unit/expr_cases.h"
#include "unit/expr_compare_tables.h"

START_TEST(every_comparison_is_as_the_oracle_says)
{
	CHECK_CASES(compare_cases);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel_compare");
	TCase *tc = tcase_create("kernel_compare");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, every_comparison_is_as_the_oracle_says);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
