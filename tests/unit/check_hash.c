/* check_hash.c - hashes against published vectors */
#include "unit/check_main.h"

#include <string.h>

START_TEST(murmur3_gives_the_vectors_of_the_iceberg_specification)
{
	static const struct {
		const char *bytes;
		size_t length;
		int32_t hash;
	} cases[] = {
		{ "\x22\0\0\0\0\0\0\0", 8, 2017239379 },
		{ "\x05\x8c", 2, -500754589 },		/* 14.20 */
		{ "iceberg", 7, 1210000089 },
		{ "\0\1\2\3", 4, -188683207 },
		{ "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7"
		  "\x85\xe7", 16, 1488055340 },
		{ "\1\0\0\0\0\0\0\0", 8, 1392991556 },
		{ "", 0, 0 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 1651860712 },
		{ "a", 1, 1009084850 },
		{ "abc", 3, -1277324294 },
		{ "\0\x80", 2, 1544076949 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		ck_assert_int_eq((int32_t)hash_murmur3(cases[i].bytes,
						       cases[i].length),
				 cases[i].hash);
}
END_TEST

START_TEST(xxh64_gives_the_published_vectors)
{
	ck_assert(hash_xxh64("", 0, 0) == UINT64_C(0xef46db3751d8e999));
	ck_assert(hash_xxh64("a", 1, 0) == UINT64_C(0xd24ec4f1a98c6e5b));
	ck_assert(hash_xxh64("abc", 3, 0) == UINT64_C(0x44bc2cf5ad770999));
	ck_assert(hash_xxh64(NULL, 0, 0) == UINT64_C(0xef46db3751d8e999));
}
END_TEST

START_TEST(the_fast_hash_is_xxh3)
{
	ck_assert(hash_fast("", 0) == UINT64_C(0x2d06800538d394c2));
}
END_TEST

/* Each input bit should turn about half of the output bits. */
START_TEST(mixing_a_word_spreads_every_bit)
{
	uint64_t x, sum;
	int turned;

	for (int bit = 0; bit < 64; bit++) {
		sum = 0;
		for (x = 1; x <= 256; x++) {
			turned = __builtin_popcountll(hash_word(x * 0x10001) ^
				hash_word(x * 0x10001 ^ UINT64_C(1) << bit));
			ck_assert_int_gt(turned, 0);
			sum += (uint64_t)turned;
		}
		ck_assert_uint_gt(sum, 256 * 24);
		ck_assert_uint_lt(sum, 256 * 40);
	}
}
END_TEST

START_TEST(combining_depends_on_the_order)
{
	ck_assert(hash_combine(1, 2) != hash_combine(2, 1));
	ck_assert(hash_combine(hash_combine(7, 1), 2) !=
		  hash_combine(hash_combine(7, 2), 1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hash");
	TCase *tc = tcase_create("hash");

	tcase_add_test(tc,
		murmur3_gives_the_vectors_of_the_iceberg_specification);
	tcase_add_test(tc, xxh64_gives_the_published_vectors);
	tcase_add_test(tc, the_fast_hash_is_xxh3);
	tcase_add_test(tc, mixing_a_word_spreads_every_bit);
	tcase_add_test(tc, combining_depends_on_the_order);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
