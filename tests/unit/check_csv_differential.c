/*
 * check_csv_differential.c - libcsv, the scanner and the model agree
 *
 * Why:    the scanner is only allowed because it is proved equal to libcsv.
 * How:    random files, plain and spoiled, read in many ways (csv_compare.h).
 *         check_csv_dialects.c goes on with options and several files.
 */
#include "unit/csv_compare.h"

#define SAMPLES_PER_TEST 400

START_TEST(random_files_come_out_the_same_in_every_way)
{
	uint64_t units = 0;

	for (uint64_t i = 0; i < SAMPLES_PER_TEST;
	     i += (uint64_t)check_step())
		units += compare_sample((uint64_t)_i * SAMPLES_PER_TEST + i);
	/* inputs were really cut, not read whole */
	ck_assert_uint_gt(units * (uint64_t)check_step(),
			  20 * SAMPLES_PER_TEST);
}
END_TEST

/* Everything over a small alphabet, where all structure is. */
START_TEST(short_inputs_over_the_special_bytes_come_out_the_same)
{
	static const char alphabet[] = { ',', '"', '\n', '\r', 'a' };
	char bytes[16] = "x,y\n";
	struct comparison c;

	memset(&c, 0, sizeof(c));
	csv_options_init(&c.options);
	for (unsigned n = 0; n < 3125; n += (unsigned)check_step()) {
		unsigned rest = n;

		for (unsigned i = 0; i < 5; i++, rest /= 5)
			bytes[4 + i] = alphabet[rest % 5];
		c.data = _i ? bytes : bytes + 4;
		c.options.has_header = _i != 0;
		c.length = _i ? 9 : 5;
		c.seed = n;
		compare_all_ways(&c);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_differential");
	TCase *tc = tcase_create("csv_differential");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_files_come_out_the_same_in_every_way, 0,
			    5);
	tcase_add_loop_test(tc,
		short_inputs_over_the_special_bytes_come_out_the_same, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
