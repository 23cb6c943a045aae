/* check_parquet_encodings.c - encodings against the format's own examples */
#include <stdio.h>
#include "unit/check_main.h"
#include "parquet/encode_delta_bytes.h"
#include "parquet/encode_dictionary.h"
#include "parquet/encode_plain.h"
#include "parquet/encode_split.h"

static struct error err;

static uint64_t mix(uint64_t x)
{
	return hash_word(x + UINT64_C(0x9e3779b97f4a7c15));
}

static void read_rle(const struct text *data, unsigned width, uint32_t *out,
		     size_t count, size_t step)
{
	uint32_t values[RLE_SPAN_VALUES];
	struct rle_reader reader;
	struct rle_span span;

	rle_reader_init(&reader, data->data, data->length, width);
	for (size_t done = 0; done < count; done += span.count) {
		size_t limit = count - done < step ? count - done : step;

		ck_assert(rle_reader_span(&reader, limit, values, &span));
		ck_assert(span.count > 0 && span.count <= limit);
		for (size_t i = 0; i < span.count; i++)
			out[done + i] = span.is_run ? span.value : values[i];
	}
}

START_TEST(the_formats_example_of_packed_groups_is_met)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct text out = TEXT_INIT;

	ck_assert(rle_write(&out, values, 8, 3));
	ck_assert_uint_eq(out.length, 4);
	ck_assert_mem_eq(out.data, "\x03\x88\xc6\xfa", 4);
	text_reset(&out);
	ck_assert(rle_write_run(&out, 2, 5, 2));
	ck_assert_mem_eq(out.data, "\x0a\x02", 2);
	text_release(&out);
}
END_TEST

START_TEST(runs_and_groups_come_back_at_every_width_and_step)
{
	enum { N = 3000 };
	uint32_t values[N], back[N];
	static const size_t steps[] = { 1, 7, 8, 100, N };

	for (unsigned width = 0; width <= 32; width++) {
		struct text out = TEXT_INIT;
		uint32_t mask = width == 32 ? UINT32_MAX
					    : (UINT32_C(1) << width) - 1;

		for (size_t i = 0; i < N; i++)
			values[i] = (uint32_t)mix(i / 90 % 2 ? i / 40 : i) &
				    mask;
		ck_assert(rle_write(&out, values, N, width));
		for (size_t s = 0; s < ARRAY_COUNT(steps); s++) {
			read_rle(&out, width, back, N, steps[s]);
			ck_assert_mem_eq(back, values, sizeof(values));
		}
		text_release(&out);
	}
}
END_TEST

START_TEST(bitmaps_come_back_in_pieces_of_any_length)
{
	uint64_t bits[40], back[40];
	struct text out = TEXT_INIT;
	struct rle_reader reader;
	size_t count = 40 * 64 - 13, ones, sum = 0, done = 0;

	for (size_t i = 0; i < 40; i++)
		bits[i] = i % 8 < 3 ? 0 : i % 8 < 5 ? UINT64_MAX : mix(i);
	ck_assert(rle_write_bits(&out, bits, count));
	rle_reader_init(&reader, out.data, out.length, 1);
	for (size_t step = 1; done < count; step = step * 3 % 101 + 1) {
		if (step > count - done)
			step = count - done;
		ck_assert(rle_reader_bits(&reader, step, back, &ones));
		for (size_t i = 0; i < step; i++)
			ck_assert_int_eq(bits_get(back, i),
					 bits_get(bits, done + i));
		sum += ones;
		done += step;
	}
	ck_assert_uint_eq(sum, bits_count(bits, count));
	ck_assert(!rle_reader_bits(&reader, 64, back, &ones));
	text_release(&out);
}
END_TEST

START_TEST(cut_or_empty_runs_are_refused)
{
	static const char *const bad[] = { "", "\x00", "\x04", "\x04\xff",
					   "\xff\xff\xff\xff\xff\x01" };
	static const size_t lengths[] = { 0, 1, 1, 2, 6 };
	uint32_t values[RLE_SPAN_VALUES];
	struct rle_reader reader;
	struct rle_span span;

	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		rle_reader_init(&reader, bad[i], lengths[i], 2);
		ck_assert(!rle_reader_span(&reader, 8, values, &span));
	}
}
END_TEST

START_TEST(delta_coding_meets_the_golden_bytes)
{
	static const uint32_t some[] = { 7, 5, 3, 1, 2, 3, 4, 5 };
	static const uint32_t steady[] = { 1, 2, 3, 4, 5 };
	struct text out = TEXT_INIT;

	ck_assert(delta_write32(&out, some, 8));
	ck_assert_uint_eq(out.length, 18);
	ck_assert_mem_eq(out.data, "\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f"
			 "\0\0\0\0\0\0", 18);
	text_reset(&out);
	ck_assert(delta_write32(&out, steady, 5));
	ck_assert_uint_eq(out.length, 10);
	ck_assert_mem_eq(out.data, "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
	text_release(&out);
}
END_TEST

START_TEST(deltas_wrap_and_come_back_at_any_count_and_step)
{
	static const size_t counts[] = { 0, 1, 2, 33, 128, 129, 257, 5000 };
	uint64_t wide[5000], wide_back[5000];
	uint32_t narrow[5000], narrow_back[5000];

	for (size_t i = 0; i < 5000; i++) {
		wide[i] = i % 300 == 0 ? mix(i) : (uint64_t)i * 7 + mix(i) % 9;
		if (i % 1000 == 1)
			wide[i] = (uint64_t)INT64_MIN;
		narrow[i] = (uint32_t)wide[i];
	}
	for (size_t c = 0; c < ARRAY_COUNT(counts); c++) {
		struct text a = TEXT_INIT, b = TEXT_INIT;
		struct delta_reader reader;
		size_t extent, n = counts[c];

		ck_assert(delta_write64(&a, wide, n));
		ck_assert(delta_write32(&b, narrow, n));
		ck_assert(delta_extent(a.data, a.length, &extent));
		ck_assert_uint_eq(extent, a.length);
		for (size_t step = 1; step < 6000; step = step * 5 + 2) {
			ck_assert(delta_reader_init(&reader, a.data, a.length));
			for (size_t at = 0; at < n; at += step)
				ck_assert(delta_read64(
					&reader, wide_back + at,
					n - at < step ? n - at : step));
			ck_assert(!delta_read64(&reader, wide_back, 1));
			ck_assert(n == 0 || !memcmp(wide, wide_back, n * 8));
			ck_assert(delta_reader_init(&reader, b.data, b.length));
			for (size_t at = 0; at < n; at += step)
				ck_assert(delta_read32(
					&reader, narrow_back + at,
					n - at < step ? n - at : step));
			ck_assert(n == 0 ||
				  !memcmp(narrow, narrow_back, n * 4));
		}
		text_release(&a);
		text_release(&b);
	}
}
END_TEST

START_TEST(damaged_delta_headers_are_refused)
{
	/* block sizes 0 and 100, no miniblocks, width 65, cut short */
	static const struct {
		const char *data;
		size_t length;
	} bad[] = {
		{ "\x00\x04\x08\x0e", 4 },
		{ "\x64\x04\x08\x0e", 4 },
		{ "\x80\x01\x00\x08\x0e", 5 },
		{ "\x80\x01\x04\x08\x0e\x03\x41\x00\x00\x00", 10 },
		{ "\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00", 10 },
		{ "\x80\x01\x04", 3 },
	};
	struct delta_reader reader;
	uint32_t out[8];

	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		ck_assert(!delta_reader_init(&reader, bad[i].data,
					     bad[i].length) ||
			  !delta_read32(&reader, out, 8));
}
END_TEST

START_TEST(shared_prefixes_are_put_back)
{
	/* "Hello", "Help", "": prefixes 0 3 0, suffixes "Hello" "p" "" */
	static const uint32_t prefixes[] = { 0, 3, 0 }, lengths[] = { 5, 1, 0 };
	struct delta_bytes_reader reader;
	struct byte_view out[3];
	struct text data = TEXT_INIT;
	struct arena heap = { 0 };

	memset(&reader, 0, sizeof(reader));
	ck_assert(delta_write32(&data, prefixes, 3));
	ck_assert(delta_write32(&data, lengths, 3));
	ck_assert(text_add(&data, "Hellop", 6));
	ck_assert(delta_bytes_init(&reader, data.data, data.length));
	/* in two steps: the last value is carried over */
	ck_ok(delta_bytes_read(&reader, &heap, 100, out, 1, &err));
	arena_reset(&heap);
	ck_ok(delta_bytes_read(&reader, &heap, 100, out + 1, 2, &err));
	ck_assert_uint_eq(out[1].length, 4);
	ck_assert_mem_eq(out[1].data, "Help", 4);
	ck_assert_uint_eq(out[2].length, 0);
	ck_assert(delta_bytes_init(&reader, data.data, data.length));
	ck_assert_int_eq(delta_bytes_read(&reader, &heap, 6, out, 3, &err),
			 ERROR_CORRUPT);
	delta_bytes_release(&reader);
	arena_release(&heap);
	text_release(&data);
}
END_TEST

START_TEST(a_prefix_longer_than_the_value_before_is_refused)
{
	static const uint32_t prefixes[] = { 0, 9 }, lengths[] = { 1, 1 };
	struct delta_bytes_reader reader;
	struct byte_view out[2];
	struct text data = TEXT_INIT;
	struct arena heap = { 0 };

	memset(&reader, 0, sizeof(reader));
	ck_assert(delta_write32(&data, prefixes, 2));
	ck_assert(delta_write32(&data, lengths, 2));
	ck_assert(text_add(&data, "ab", 2));
	ck_assert(delta_bytes_init(&reader, data.data, data.length));
	ck_assert_int_eq(delta_bytes_read(&reader, &heap, 100, out, 2, &err),
			 ERROR_CORRUPT);
	delta_bytes_release(&reader);
	arena_release(&heap);
	text_release(&data);
}
END_TEST

START_TEST(booleans_are_bits_from_the_low_end)
{
	uint8_t values[77], back[77];
	struct text out = TEXT_INIT;

	for (size_t i = 0; i < 77; i++)
		values[i] = mix(i) & 1;
	ck_assert(plain_write_bools(&out, values, 77));
	ck_assert_uint_eq(out.length, 10);
	for (size_t i = 0; i < 77; i++)
		ck_assert_int_eq((uint8_t)out.data[i / 8] >> i % 8 & 1,
				 values[i]);
	for (size_t first = 0; first < 20; first++) {
		plain_unpack_bools((uint8_t *)out.data, first, 77 - first,
				   back);
		ck_assert_mem_eq(back, values + first, 77 - first);
	}
	text_release(&out);
}
END_TEST

START_TEST(a_length_beyond_the_page_is_refused)
{
	struct cursor in = cursor_of("\x02\0\0\0ab\xff\xff\xff\xff", 10);
	struct byte_view out[2];

	ck_assert(!plain_read_bytes(&in, out, 2));
	in = cursor_of("\x02\0\0\0ab\x01\0\0", 9);
	ck_assert(!plain_read_bytes(&in, out, 2));
	in = cursor_of("\x02\0\0\0ab\0\0\0\0", 10);
	ck_assert(plain_read_bytes(&in, out, 2));
	ck_assert_uint_eq(out[0].length, 2);
	ck_assert_uint_eq(out[1].length, 0);
}
END_TEST

START_TEST(split_streams_are_woven_from_any_value_on)
{
	/* values 0x0403, 0x0605 as streams 03 05 | 04 06 */
	static const uint8_t data[] = { 3, 5, 4, 6 };
	uint8_t out[4];

	split_read(data, 2, 2, 0, 2, out);
	ck_assert_mem_eq(out, "\x03\x04\x05\x06", 4);
	split_read(data, 2, 2, 1, 1, out);
	ck_assert_mem_eq(out, "\x05\x06", 2);
}
END_TEST

START_TEST(a_dictionary_gives_equal_values_one_index)
{
	enum { N = 20000 };
	static char bytes[N][24];
	static struct byte_view texts[N];
	static uint32_t indexes[N], words[N], first[N];
	struct dictionary_builder a, b;

	ck_ok(dictionary_builder_init(&a, 4, &err));
	ck_ok(dictionary_builder_init(&b, 0, &err));
	for (size_t i = 0; i < N; i++) {
		words[i] = (uint32_t)(mix(i) % 5000);
		snprintf(bytes[i], sizeof(bytes[i]), "%.*s%u",
			 (int)(words[i] % 14), "abcdefghijklmn", words[i]);
		texts[i] = byte_view(bytes[i], strlen(bytes[i]));
		if (words[i] == 77)
			texts[i].length = 0;
	}
	ck_ok(dictionary_add_words(&a, words, N, first, &err));
	ck_ok(dictionary_add_texts(&b, texts, N, indexes, &err));
	ck_assert_uint_eq(a.count, b.count);
	ck_assert_mem_eq(first, indexes, sizeof(first));
	for (size_t i = 0; i < N; i++) {
		ck_assert_uint_eq(((uint32_t *)a.values)[first[i]], words[i]);
		ck_assert(byte_view_equal(
			((struct byte_view *)b.values)[indexes[i]], texts[i]));
	}
	dictionary_builder_release(&a);
	dictionary_builder_release(&b);
}
END_TEST

START_TEST(an_index_beyond_the_dictionary_is_refused)
{
	static const uint64_t values[] = { 10, 20, 30 };
	struct dictionary_view view = { values, 3, 8 };
	struct rle_reader reader;
	uint64_t out[8];

	rle_reader_init(&reader, "\x0a\x02", 2, 2);
	ck_ok(dictionary_read(&reader, &view, out, 5, &err));
	ck_assert_uint_eq(out[4], 30);
	rle_reader_init(&reader, "\x0a\x03", 2, 2);
	ck_assert_int_eq(dictionary_read(&reader, &view, out, 5, &err),
			 ERROR_CORRUPT);
	rle_reader_init(&reader, "\x03\xe4\xe4", 3, 2);	/* 0 1 2 3 ... */
	ck_assert_int_eq(dictionary_read(&reader, &view, out, 8, &err),
			 ERROR_CORRUPT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_encodings");
	TCase *tc = tcase_create("parquet_encodings");

	tcase_add_test(tc, the_formats_example_of_packed_groups_is_met);
	tcase_add_test(tc, runs_and_groups_come_back_at_every_width_and_step);
	tcase_add_test(tc, bitmaps_come_back_in_pieces_of_any_length);
	tcase_add_test(tc, cut_or_empty_runs_are_refused);
	tcase_add_test(tc, delta_coding_meets_the_golden_bytes);
	tcase_add_test(tc, deltas_wrap_and_come_back_at_any_count_and_step);
	tcase_add_test(tc, damaged_delta_headers_are_refused);
	tcase_add_test(tc, shared_prefixes_are_put_back);
	tcase_add_test(tc,
		       a_prefix_longer_than_the_value_before_is_refused);
	tcase_add_test(tc, booleans_are_bits_from_the_low_end);
	tcase_add_test(tc, a_length_beyond_the_page_is_refused);
	tcase_add_test(tc, split_streams_are_woven_from_any_value_on);
	tcase_add_test(tc, a_dictionary_gives_equal_values_one_index);
	tcase_add_test(tc, an_index_beyond_the_dictionary_is_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
