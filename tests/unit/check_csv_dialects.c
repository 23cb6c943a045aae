/*
 * check_csv_dialects.c - libcsv and the scanner agree, whatever the options
 *
 * Why:    check_csv_differential.c proves it for plain files of many shapes;
 *         the options, several files and rows set aside change what is read.
 * How:    random files of every dialect, half of them fuzzed (csv_wide.h),
 *         read whole and in chunks of any size from a byte up, by one to four
 *         threads, by libcsv and by the scanner at each level, first to the
 *         first error, then with rejects; where all is text, against the
 *         model too.
 *
 *	check_csv_dialects [FIRST COUNT]
 *
 * takes the seeds FIRST .. FIRST + COUNT - 1 in place of the few that a test
 * run has; `make soak` does 100,000. A failure names the seed.
 */
#include "unit/csv_wide.h"

static uint64_t first_seed;
static uint64_t seed_count = 1200;

START_TEST(random_dialects_come_out_the_same_in_every_way)
{
	for (uint64_t i = (uint64_t)_i; i < seed_count;
	     i += 4 * (uint64_t)check_step())
		compare_wide(first_seed + i);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("csv_dialects");
	TCase *tc = tcase_create("csv_dialects");

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed_count = strtoull(argv[2], NULL, 10);
	/* thousands of files are synced: not to a disk */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1);
	tcase_add_checked_fixture(tc, scratch_make, scratch_remove);
	tcase_set_timeout(tc, argc > 2 ? 0 : 240);
	tcase_add_loop_test(tc,
		random_dialects_come_out_the_same_in_every_way, 0, 4);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
