/*
 * soak_csv.c - check_csv_differential.c for as long as one likes
 *
 *	soak_csv [FIRST [COUNT]]
 *
 * compares the samples of seeds FIRST .. FIRST + COUNT - 1 (default 0 and
 * 100000). A failure names the seed.
 */
#include "unit/csv_compare.h"

static uint64_t first_seed;
static uint64_t seed_count = 100000;

START_TEST(random_files_come_out_the_same_in_every_way)
{
	for (uint64_t i = 0; i < seed_count; i++)
		compare_sample(first_seed + i);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("soak_csv");
	TCase *tc = tcase_create("soak_csv");

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed_count = strtoull(argv[2], NULL, 10);
	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, random_files_come_out_the_same_in_every_way);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
