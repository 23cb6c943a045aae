/* check_ordered_bytes.c - memcmp() of the bytes against the values' order */
#include "unit/check_main.h"
#include "column/column.h"

#define KEY_BYTES 64
#define SCALE ((int128_t)1 << 60)

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

START_TEST(whole_numbers_of_each_width)
{
	static const int64_t values[] = { INT64_MIN, INT32_MIN, -256, -1, 0, 1,
					  255, 256, INT32_MAX, INT64_MAX };
	uint8_t a[16], b[16];

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		for (size_t k = 0; k < ARRAY_COUNT(values); k++) {
			int order = (i > k) - (i < k);

			ordered_put_whole(a, (uint64_t)values[i], 8);
			ordered_put_whole(b, (uint64_t)values[k], 8);
			ck_assert_int_eq(sign(memcmp(a, b, 8)), order);
			ordered_put_i128(a, (int128_t)values[i] * SCALE);
			ordered_put_i128(b, (int128_t)values[k] * SCALE);
			ck_assert_int_eq(sign(memcmp(a, b, 16)), order);
			if (values[i] < INT32_MIN || values[i] > INT32_MAX ||
			    values[k] < INT32_MIN || values[k] > INT32_MAX)
				continue;
			ordered_put_whole(a, (uint32_t)values[i], 4);
			ordered_put_whole(b, (uint32_t)values[k], 4);
			ck_assert_int_eq(sign(memcmp(a, b, 4)), order);
		}
}
END_TEST

START_TEST(floating_point_of_both_widths)
{
	static const double values[] = { -1.0 / 0.0, -1e30, -2.0, -1.0, -1e-30,
					 0.0, 1e-30, 1.0, 2.0, 1e30,
					 1.0 / 0.0 };
	uint8_t a[8], b[8];

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		for (size_t k = 0; k < ARRAY_COUNT(values); k++) {
			float small_i = (float)values[i];
			float small_k = (float)values[k];
			int order = (i > k) - (i < k);
			uint32_t word;
			uint64_t bits;

			memcpy(&bits, &values[i], 8);
			ordered_put_float(a, bits, 8);
			memcpy(&bits, &values[k], 8);
			ordered_put_float(b, bits, 8);
			ck_assert_int_eq(sign(memcmp(a, b, 8)), order);
			memcpy(&word, &small_i, 4);
			ordered_put_float(a, word, 4);
			memcpy(&word, &small_k, 4);
			ordered_put_float(b, word, 4);
			ck_assert_int_eq(sign(memcmp(a, b, 4)), order);
		}
}
END_TEST

/* All texts of up to three of the bytes that matter, with more behind. */
START_TEST(bytes_are_ordered_whatever_follows_them)
{
	static const uint8_t alphabet[] = { 0, 1, 254, 255 };
	uint8_t text[2][3], key[2][KEY_BYTES];

	for (unsigned n = 0; n < 85 * 85; n++) {
		size_t length[2], end[2], shorter;
		int order;

		for (int side = 0; side < 2; side++) {
			unsigned rest = side ? n / 85 : n % 85, count = 1;

			for (length[side] = 0; rest >= count; count *= 4) {
				rest -= count;
				length[side]++;
			}
			for (size_t i = length[side]; i-- > 0; rest /= 4)
				text[side][i] = alphabet[rest % 4];
			memset(key[side], side ? 0 : 255, KEY_BYTES);
			end[side] = ordered_put_bytes(
				key[side], byte_view(text[side],
						     length[side]));
			ck_assert_uint_eq(end[side], ordered_bytes_length(
				byte_view(text[side], length[side])));
		}
		shorter = length[0] < length[1] ? length[0] : length[1];
		order = sign(memcmp(text[0], text[1], shorter));
		if (!order)
			order = (length[0] > length[1]) -
				(length[0] < length[1]);
		if (!order)
			ck_assert_mem_eq(key[0], key[1], end[0]);
		else
			ck_assert_int_eq(sign(memcmp(key[0], key[1],
						     KEY_BYTES)), order);
	}
	ck_assert_uint_eq(ordered_bytes_length(byte_view(NULL, 0)), 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ordered_bytes");
	TCase *tc = tcase_create("ordered_bytes");

	tcase_add_test(tc, whole_numbers_of_each_width);
	tcase_add_test(tc, floating_point_of_both_widths);
	tcase_add_test(tc, bytes_are_ordered_whatever_follows_them);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
