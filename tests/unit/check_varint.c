/* check_varint.c - varints, fixed words and CRC-32 */
#include "unit/check_main.h"

#include <string.h>
#include "codec/codec.h"

/* Vectors from the Protocol Buffers and Avro specifications, and edges. */
static const struct {
	uint64_t value;
	size_t length;
	const char *bytes;
} vectors[] = {
	{ 0, 1, "\0" },
	{ 1, 1, "\1" },
	{ 127, 1, "\x7f" },
	{ 128, 2, "\x80\x01" },
	{ 150, 2, "\x96\x01" },
	{ 300, 2, "\xac\x02" },
	{ 16384, 3, "\x80\x80\x01" },
	{ UINT32_MAX, 5, "\xff\xff\xff\xff\x0f" },
	{ UINT64_C(1) << 32, 5, "\x80\x80\x80\x80\x10" },
	{ UINT64_MAX, 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" },
};

START_TEST(a_varint_has_the_bytes_of_the_specification)
{
	struct text text = TEXT_INIT;
	uint8_t bytes[VARINT64_BYTES];
	struct cursor c;
	uint64_t value;
	uint32_t narrow;

	ck_assert_uint_eq(varint_put(bytes, vectors[_i].value),
			  vectors[_i].length);
	ck_assert_mem_eq(bytes, vectors[_i].bytes, vectors[_i].length);
	ck_assert(text_add_varint(&text, vectors[_i].value));
	ck_assert_uint_eq(text.length, vectors[_i].length);
	c = cursor_of(text.data, text.length);
	ck_assert(cursor_varint64(&c, &value));
	ck_assert(value == vectors[_i].value);
	ck_assert_uint_eq(cursor_left(&c), 0);
	c = cursor_of(text.data, text.length);
	ck_assert(cursor_varint32(&c, &narrow) ==
		  (vectors[_i].value <= UINT32_MAX));
	text_release(&text);
}
END_TEST

START_TEST(a_varint_that_is_cut_short_moves_nothing)
{
	struct cursor c;
	uint64_t value;

	for (size_t length = 0; length < vectors[_i].length; length++) {
		c = cursor_of(vectors[_i].bytes, length);
		ck_assert(!cursor_varint64(&c, &value));
		ck_assert_uint_eq(cursor_left(&c), length);
	}
}
END_TEST

START_TEST(a_varint_longer_than_its_type_is_refused)
{
	static const char *const too_long[] = {
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	};
	struct cursor c;
	uint64_t value;
	uint32_t narrow;

	for (size_t i = 0; i < ARRAY_COUNT(too_long); i++) {
		c = cursor_of(too_long[i], 11);
		ck_assert(!cursor_varint64(&c, &value));
		ck_assert_uint_eq(cursor_left(&c), 11);
	}
	c = cursor_of("\xff\xff\xff\xff\x10", 5);
	ck_assert(!cursor_varint32(&c, &narrow));
	c = cursor_of("\x80\x80\x80\x80\x80\x00", 6);
	ck_assert(!cursor_varint32(&c, &narrow));
	c = cursor_of("\x80\x80\x80\x80\x00", 5);	/* padded, but fits */
	ck_assert(cursor_varint32(&c, &narrow));
	ck_assert_uint_eq(narrow, 0);
}
END_TEST

START_TEST(zigzag_maps_small_magnitudes_to_small_numbers)
{
	static const struct {
		int64_t value;
		uint64_t code;
	} cases[] = {
		{ 0, 0 }, { -1, 1 }, { 1, 2 }, { -2, 3 },
		{ 2147483647, 4294967294u }, { INT32_MIN, 4294967295u },
		{ INT64_MAX, UINT64_MAX - 1 }, { INT64_MIN, UINT64_MAX },
	};
	struct text text = TEXT_INIT;
	struct cursor c;
	int64_t value;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		ck_assert(zigzag_encode64(cases[i].value) == cases[i].code);
		ck_assert(zigzag_decode64(cases[i].code) == cases[i].value);
		text_reset(&text);
		ck_assert(text_add_zigzag(&text, cases[i].value));
		c = cursor_of(text.data, text.length);
		ck_assert(cursor_zigzag64(&c, &value));
		ck_assert(value == cases[i].value);
	}
	c = cursor_of("\x80", 1);
	ck_assert(!cursor_zigzag64(&c, &value));
	text_release(&text);
}
END_TEST

START_TEST(a_cursor_never_passes_its_end)
{
	struct cursor c = cursor_of("abc", 3);
	const uint8_t *bytes;

	ck_assert(!cursor_bytes(&c, 4, &bytes));
	ck_assert(!cursor_bytes(&c, SIZE_MAX, &bytes));
	ck_assert(cursor_bytes(&c, 3, &bytes));
	ck_assert_mem_eq(bytes, "abc", 3);
	ck_assert(!cursor_bytes(&c, 1, &bytes));
	ck_assert(cursor_bytes(&c, 0, &bytes));
	c = cursor_of(NULL, 0);
	ck_assert(cursor_bytes(&c, 0, &bytes));
}
END_TEST

START_TEST(fixed_words_have_their_byte_order_at_any_address)
{
	static const char raw[] = "x\1\2\3\4\5\6\7\x88";
	uint8_t out[9];
	struct text text = TEXT_INIT;

	ck_assert_uint_eq(load_le16(raw + 1), 0x0201);
	ck_assert_uint_eq(load_le32(raw + 1), 0x04030201);
	ck_assert_uint_eq(load_be32(raw + 1), 0x01020304);
	ck_assert(load_le64(raw + 1) == UINT64_C(0x8807060504030201));
	ck_assert(load_be64(raw + 1) == UINT64_C(0x0102030405060788));
	store_le64(out + 1, UINT64_C(0x8807060504030201));
	ck_assert_mem_eq(out + 1, raw + 1, 8);
	store_be64(out + 1, UINT64_C(0x0102030405060788));
	ck_assert_mem_eq(out + 1, raw + 1, 8);
	store_le32(out + 1, 0x04030201);
	ck_assert_mem_eq(out + 1, raw + 1, 4);
	store_be32(out + 1, 0x01020304);
	ck_assert_mem_eq(out + 1, raw + 1, 4);
	ck_assert(text_add_le32(&text, 0x04030201));
	ck_assert(text_add_le64(&text, UINT64_C(0x8807060504030201)));
	ck_assert_uint_eq(text.length, 12);
	ck_assert_mem_eq(text.data, "\1\2\3\4\1\2\3\4\5\6\7\x88", 12);
	text_release(&text);
}
END_TEST

START_TEST(the_checksum_of_nine_digits_is_the_published_one)
{
	ck_assert_uint_eq(crc32_of(0, "123456789", 9), 0xcbf43926);
	ck_assert_uint_eq(crc32_of(crc32_of(0, "1234", 4), "56789", 5),
			  0xcbf43926);
	ck_assert_uint_eq(crc32_of(7, NULL, 0), 7);
	ck_assert_uint_eq(crc32_of(0, "", 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("varint");
	TCase *tc = tcase_create("varint");

	tcase_add_loop_test(tc, a_varint_has_the_bytes_of_the_specification, 0,
			    (int)ARRAY_COUNT(vectors));
	tcase_add_loop_test(tc, a_varint_that_is_cut_short_moves_nothing, 0,
			    (int)ARRAY_COUNT(vectors));
	tcase_add_test(tc, a_varint_longer_than_its_type_is_refused);
	tcase_add_test(tc, zigzag_maps_small_magnitudes_to_small_numbers);
	tcase_add_test(tc, a_cursor_never_passes_its_end);
	tcase_add_test(tc, fixed_words_have_their_byte_order_at_any_address);
	tcase_add_test(tc, the_checksum_of_nine_digits_is_the_published_one);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
