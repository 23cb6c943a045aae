/* check_exact_sum.c - sums of doubles against expansions of doubles */
#include "unit/check_main.h"

#include <float.h>
#include "expr/exact_sum.h"

#define VALUE_LIMIT 400
#define PART_LIMIT 200

static struct error err;
static struct exact_pool pool;
static uint64_t state;

static void setup(void)
{
	error_init(&err);
	state = 88172645463325252u;
}

static void teardown(void)
{
	mem_fail_at(-1);
	exact_pool_release(&pool);
}

static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(2685821657736338717);
}

static double of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Any sign and digits, an exponent of least .. least + span - 1. */
static double random_value(unsigned least, unsigned span)
{
	uint64_t bits = random_bits();
	uint64_t exponent = least + (random_bits() >> 33) % span;

	return of_bits((bits & ~(UINT64_C(2047) << 52)) | exponent << 52);
}

/*
 * The sum by other means: doubles that do not overlap, each the rounding error
 * of the one above it (Shewchuk), and a last look at what is below the largest
 * where that is halfway between two doubles. No sum may come near DBL_MAX.
 */
static double expanded_sum(const double *values, size_t count)
{
	volatile double parts[PART_LIMIT], high, low;
	size_t n = 0, kept;

	for (size_t i = 0; i < count; i++) {
		double x = values[i];

		kept = 0;
		for (size_t k = 0; k < n; k++) {
			double y = parts[k];

			if (fabs(x) < fabs(y)) {
				double swap = x;

				x = y;
				y = swap;
			}
			high = x + y;
			low = y - (high - x);
			if (low != 0)
				parts[kept++] = low;
			x = high;
		}
		parts[kept++] = x;
		n = kept;
		ck_assert_uint_lt(n, PART_LIMIT);
	}
	if (!n)
		return 0;
	high = parts[--n];
	low = 0;
	while (n) {
		double x = high, y = parts[--n];

		high = x + y;
		low = y - (high - x);
		if (low != 0)
			break;
	}
	if (n && ((low < 0 && parts[n - 1] < 0) ||
		  (low > 0 && parts[n - 1] > 0))) {
		double twice = low * 2, next = high + twice;

		if (next - high == twice)
			high = next;
	}
	return high + 0.0;
}

static double sum_of(const double *values, size_t count)
{
	struct exact_sum sum = { 0 };

	for (size_t i = 0; i < count; i++)
		ck_ok(exact_sum_add(&sum, &pool, values[i], &err));
	return exact_sum_value(&sum, &pool);
}

static void expect_same(double got, double wanted)
{
	ck_assert_msg(memcmp(&got, &wanted, sizeof(got)) == 0,
		      "got %a, wanted %a", got, wanted);
}

static void shuffle(double *values, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t k = (random_bits() >> 33) % i;
		double swap = values[i - 1];

		values[i - 1] = values[k];
		values[k] = swap;
	}
}

/* Spans of exponents: of one kind, of the window, beyond it, all there are. */
static const struct { unsigned least, span; } kinds[] = {
	{ 1023, 1 }, { 1010, 30 }, { 1000, 74 }, { 960, 150 }, { 0, 60 },
	{ 0, 2000 }, { 1900, 100 }, { 600, 900 },
};

static size_t draw(double *values, int kind)
{
	size_t count = random_bits() % VALUE_LIMIT;

	for (size_t i = 0; i < count; i++) {
		values[i] = random_value(kinds[kind].least, kinds[kind].span);
		/* sums near zero show the last bits */
		if (i && random_bits() % 3 == 0)
			values[i] = -values[random_bits() % i];
		if (random_bits() % 20 == 0)
			values[i] = 0;
	}
	return count;
}

START_TEST(a_sum_is_the_exact_one_rounded_in_any_order)
{
	static double values[VALUE_LIMIT];

	for (int round = 0; round < 300; round++) {
		size_t count = draw(values, _i);
		double wanted = expanded_sum(values, count);

		for (int order = 0; order < 3; order++) {
			expect_same(sum_of(values, count), wanted);
			shuffle(values, count);
		}
		exact_pool_reset(&pool);
	}
}
END_TEST

START_TEST(parts_combine_to_the_same_sum)
{
	static double values[VALUE_LIMIT];
	struct exact_pool other = { 0 };

	for (int round = 0; round < 300; round++) {
		struct exact_sum parts[4] = { { 0 } }, total = { 0 };
		size_t count = draw(values, _i);
		struct exact_pool *pools[] = { &pool, &other };

		for (size_t i = 0; i < count; i++) {
			size_t k = random_bits() % 4;

			ck_ok(exact_sum_add(&parts[k], pools[k % 2],
					    values[i], &err));
		}
		for (size_t k = 0; k < 4; k++)
			ck_ok(exact_sum_combine(&total, &pool, &parts[k],
						pools[k % 2], &err));
		expect_same(exact_sum_value(&total, &pool),
			    expanded_sum(values, count));
		exact_pool_reset(&pool);
		exact_pool_reset(&other);
	}
	exact_pool_release(&other);
}
END_TEST

START_TEST(a_tie_is_rounded_to_even_unless_something_is_below)
{
	const double one = 1, half = DBL_EPSILON / 2, tiny = DBL_TRUE_MIN;
	const double tie[] = { one, half }, odd[] = { one + 2 * half, half };
	const double above[] = { tiny, half, one };
	const double below[] = { half, -tiny, one };

	expect_same(sum_of(tie, 2), one);
	expect_same(sum_of(odd, 2), one + 4 * half);
	expect_same(sum_of(above, 3), one + 2 * half);
	expect_same(sum_of(below, 3), one);
}
END_TEST

START_TEST(only_the_result_may_be_too_large)
{
	const double fits[] = { DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, 3 };
	const double large[] = { DBL_MAX, 1, DBL_MAX };
	const double nearly[] = { DBL_MAX, DBL_MAX * (DBL_EPSILON / 8) };
	const double small[] = { -DBL_MAX, -DBL_MAX };

	expect_same(sum_of(fits, 5), 3);
	expect_same(sum_of(fits, 2), INFINITY);
	expect_same(sum_of(large, 3), INFINITY);
	expect_same(sum_of(nearly, 2), DBL_MAX);
	expect_same(sum_of(small, 2), -INFINITY);
}
END_TEST

START_TEST(many_equal_values_outgrow_the_window)
{
	struct exact_sum sum = { 0 }, doubled = { 0 };
	double wanted = 3;

	ck_ok(exact_sum_add(&sum, &pool, 3, &err));
	for (int i = 0; i < 200; i++) {
		doubled = sum;
		ck_ok(exact_sum_combine(&sum, &pool, &doubled, &pool, &err));
		wanted *= 2;
		expect_same(exact_sum_value(&sum, &pool), wanted);
	}
	ck_ok(exact_sum_add(&sum, &pool, -wanted, &err));
	ck_ok(exact_sum_add(&sum, &pool, 0.1, &err));
	expect_same(exact_sum_value(&sum, &pool), 0.1);
}
END_TEST

START_TEST(infinities_and_nan_are_as_in_addition)
{
	const double up[] = { 1, INFINITY, -5 }, down[] = { -INFINITY, 1 };
	const double both[] = { INFINITY, 1, -INFINITY }, none[] = { NAN, 1 };
	const double first[] = { INFINITY, DBL_MAX, DBL_MAX };

	expect_same(sum_of(up, 3), INFINITY);
	expect_same(sum_of(down, 2), -INFINITY);
	ck_assert(isnan(sum_of(both, 3)));
	ck_assert(isnan(sum_of(none, 2)));
	expect_same(sum_of(first, 3), INFINITY);
}
END_TEST

START_TEST(zeros_have_no_sign)
{
	const double zeros[] = { -0.0, -0.0 }, gone[] = { 5, -5 };

	expect_same(sum_of(zeros, 0), 0);
	expect_same(sum_of(zeros, 2), 0);
	expect_same(sum_of(gone, 2), 0);
}
END_TEST

START_TEST(a_failed_allocation_is_reported_and_harms_no_sum)
{
	struct exact_sum sum = { 0 };

	ck_ok(exact_sum_add(&sum, &pool, 1e300, &err));
	mem_fail_at(0);
	ck_assert_int_eq(exact_sum_add(&sum, &pool, 1e-300, &err),
			 ERROR_NO_MEMORY);
	expect_same(exact_sum_value(&sum, &pool), 1e300);
	mem_fail_at(-1);
	ck_ok(exact_sum_add(&sum, &pool, 1e-300, &err));
	ck_ok(exact_sum_add(&sum, &pool, -1e300, &err));
	expect_same(exact_sum_value(&sum, &pool), 1e-300);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exact_sum");
	TCase *tc = tcase_create("exact_sum");
	int kind_count = (int)ARRAY_COUNT(kinds);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_sum_is_the_exact_one_rounded_in_any_order,
			    0, kind_count);
	tcase_add_loop_test(tc, parts_combine_to_the_same_sum, 0, kind_count);
	tcase_add_test(tc, a_tie_is_rounded_to_even_unless_something_is_below);
	tcase_add_test(tc, only_the_result_may_be_too_large);
	tcase_add_test(tc, many_equal_values_outgrow_the_window);
	tcase_add_test(tc, infinities_and_nan_are_as_in_addition);
	tcase_add_test(tc, zeros_have_no_sign);
	tcase_add_test(tc, a_failed_allocation_is_reported_and_harms_no_sum);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
