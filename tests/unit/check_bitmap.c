/* check_bitmap.c - bit sets, against one byte per bit */
#include "unit/check_main.h"

#include <string.h>

#define BITS 400

static struct error err;
static uint64_t words[BITMAP_WORDS(BITS)];
static unsigned char model[BITS];
static uint32_t random_state;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static void setup(void)
{
	error_init(&err);
	random_state = 1;
	memset(words, 0, sizeof(words));
	for (size_t i = 0; i < BITS; i++) {
		model[i] = next_random() & 1;
		bits_put(words, i, model[i]);
	}
}

static void teardown(void)
{
	mem_fail_at(-1);
}

static void assert_equals_model(const uint64_t *bits)
{
	size_t i = 0;

	while (i < BITS && bits_get(bits, i) == model[i])
		i++;
	ck_assert_uint_eq(i, BITS);
}

START_TEST(ones_are_counted_up_to_the_bit)
{
	size_t ones = 0;

	for (size_t i = 0; i < BITS; i++) {
		ck_assert_uint_eq(bits_count(words, i), ones);
		ones += model[i];
	}
	ck_assert_uint_eq(bits_count(words, BITS), ones);
}
END_TEST

START_TEST(a_range_is_set_or_cleared_and_nothing_beside_it)
{
	size_t first, count;

	for (int round = 0; round < 2000; round++) {
		first = next_random() % BITS;
		count = next_random() % (BITS - first + 1);
		if (round & 1)
			bits_set_range(words, first, count);
		else
			bits_clear_range(words, first, count);
		memset(model + first, round & 1, count);
		assert_equals_model(words);
		for (int k = 0; k < 8; k++) {
			first = next_random() % BITS;
			model[first] ^= 1;
			bits_put(words, first, model[first]);
		}
	}
}
END_TEST

START_TEST(a_copy_moves_the_bits_at_every_phase_and_nothing_beside_them)
{
	uint64_t source[BITMAP_WORDS(BITS)];
	size_t to, from, count;

	for (size_t i = 0; i < ARRAY_COUNT(source); i++)
		source[i] = (uint64_t)next_random() << 40 ^
			    (uint64_t)next_random() << 20 ^ next_random();
	for (int round = 0; round < 4000; round++) {
		to = next_random() % BITS;
		from = next_random() % BITS;
		count = BITS - (to > from ? to : from);
		count = next_random() % (count + 1);
		bits_copy(words, to, source, from, count);
		for (size_t i = 0; i < count; i++)
			model[to + i] = bits_get(source, from + i);
		assert_equals_model(words);
	}
}
END_TEST

START_TEST(a_copy_reads_no_word_behind_the_last_bit)
{
	/* with AddressSanitizer a word too many is a failure */
	uint64_t *source = mem_alloc_array(1, sizeof(*source));

	*source = UINT64_MAX;
	for (size_t from = 0; from < 64; from++)
		for (size_t count = 0; count + from <= 64; count++) {
			memset(words, 0, sizeof(words));
			bits_copy(words, 61, source, from, count);
			ck_assert_uint_eq(bits_count(words, BITS), count);
			ck_assert_uint_eq(bits_count(words, 61), 0);
		}
	mem_free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bitmap");
	TCase *tc = tcase_create("bitmap");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ones_are_counted_up_to_the_bit);
	tcase_add_test(tc, a_range_is_set_or_cleared_and_nothing_beside_it);
	tcase_add_test(tc,
		a_copy_moves_the_bits_at_every_phase_and_nothing_beside_them);
	tcase_add_test(tc, a_copy_reads_no_word_behind_the_last_bit);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
