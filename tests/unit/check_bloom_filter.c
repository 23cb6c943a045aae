/* check_bloom_filter.c - split blocks against the golden block */
#include "unit/check_main.h"
#include "parquet/bloom_filter.h"
#include "parquet/page_stats.h"

START_TEST(one_value_sets_the_golden_bits)
{
	static const uint8_t golden[] = {
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x08,
		0x00, 0x00, 0x00, 0x40, 0x00, 0x04, 0x00, 0x00,
		0x00, 0x00, 0x04, 0x00, 0x00, 0x01, 0x00, 0x00,
		0x00, 0x40, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
	};
	/* bits 16 27 30 10 18 8 14 5, by the formula of the format */
	uint32_t words[8] = { 0 };
	struct bloom_bits bits = { words, 1 };
	uint64_t hash = hash_xxh64("iceberg", 7, 0);
	struct text out = TEXT_INIT;

	ck_assert(hash == UINT64_C(0x906fcf7721f44b95));
	ck_assert(!bloom_test(&bits, hash));
	bloom_insert(&bits, hash);
	ck_assert(bloom_test(&bits, hash));
	ck_assert(bloom_serialize(&bits, &out));
	ck_assert_mem_eq(out.data + out.length - 32, golden, 32);
	text_release(&out);
}
END_TEST

START_TEST(the_size_follows_the_values_up_to_the_limit)
{
	ck_assert_uint_eq(bloom_size(0, 0.01, 1 << 20), 32);
	/* about 9.7 bits a value for one percent */
	ck_assert_uint_eq(bloom_size(100000, 0.01, 1 << 20), 1 << 17);
	ck_assert_uint_eq(bloom_size(100000000, 0.01, 1 << 20), 1 << 20);
}
END_TEST

static struct byte_view view(const char *text)
{
	return byte_view(text, strlen(text));
}

START_TEST(cut_bounds_stay_bounds_and_stay_text)
{
	static const struct {
		const char *value;
		const char *max;	/* cut to 4 bytes */
	} cases[] = {
		{ "abcdef", "abce" },
		{ "abc\xc3\xa9z", "abd" },		/* é would be split */
		{ "ab\xed\x9f\xbfz", "ac" },		/* U+D7FF, cut off */
		{ "\xed\x9f\xbfz!", "\xed\x9f\xbf{" },
		{ "\xf4\x8f\xbf\xbfzz", "\xf4\x8f\xbf\xbfzz" }, /* none */
		{ "a\x7f\x7f\x7f\x7f", "a\x7f\x7f\xc2\x80" },
	};
	struct arena arena = { 0 };
	struct byte_view cut;
	bool is_cut;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct byte_view value = view(cases[i].value);

		cut = value_bound_cut(value, true, true, 4, &is_cut, &arena);
		ck_assert_msg(byte_view_equal(cut, view(cases[i].max)),
			      "case %zu: %.*s", i, (int)cut.length, cut.data);
		ck_assert(utf8_is_valid(cut.data, cut.length));
		ck_assert(value_order_compare(VALUE_ORDER_BYTES, cut, value) >=
			  0);
		cut = value_bound_cut(value, false, true, 4, &is_cut, &arena);
		ck_assert(utf8_is_valid(cut.data, cut.length));
		ck_assert(value_order_compare(VALUE_ORDER_BYTES, cut, value) <=
			  0);
	}
	cut = value_bound_cut(byte_view("ab\xff\xff\xff", 5), true, false, 4,
			      &is_cut, &arena);
	ck_assert(byte_view_equal(cut, view("ac")) && is_cut);
	arena_release(&arena);
}
END_TEST

START_TEST(decimals_of_bytes_are_ordered_by_their_sign)
{
	struct byte_view minus = byte_view("\xff\xff", 2);
	struct byte_view zero = byte_view("\0\0", 2);

	ck_assert_int_lt(value_order_compare(VALUE_ORDER_DECIMAL, minus, zero),
			 0);
	ck_assert_int_gt(value_order_compare(VALUE_ORDER_BYTES, minus, zero),
			 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bloom_filter");
	TCase *tc = tcase_create("bloom_filter");

	tcase_add_test(tc, one_value_sets_the_golden_bits);
	tcase_add_test(tc, the_size_follows_the_values_up_to_the_limit);
	tcase_add_test(tc, cut_bounds_stay_bounds_and_stay_text);
	tcase_add_test(tc, decimals_of_bytes_are_ordered_by_their_sign);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
