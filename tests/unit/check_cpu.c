/* check_cpu.c - glibc's answer is that of the processor */
#include "unit/check_main.h"

START_TEST(the_answer_is_the_one_the_compiler_gives)
{
	bool wanted = false;

#ifdef __x86_64__
	wanted = __builtin_cpu_supports("avx2") &&
		 __builtin_cpu_supports("pclmul") &&
		 __builtin_cpu_supports("popcnt") &&
		 __builtin_cpu_supports("bmi") &&
		 __builtin_cpu_supports("bmi2");
#endif
	ck_assert_int_eq(cpu_has_avx2(), wanted);
	ck_assert_int_eq(cpu_has_avx2(), wanted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cpu");
	TCase *tc = tcase_create("cpu");

	tcase_add_test(tc, the_answer_is_the_one_the_compiler_gives);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
