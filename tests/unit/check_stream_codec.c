/* check_stream_codec.c - compressed streams piece by piece */
#include "unit/check_main.h"

#include <string.h>
#include "codec/codec.h"

#define PLAIN_BYTES ((size_t)40000)

static struct error err;
static struct stream_decoder *decoder;
static struct text packed;
static char *plain;
static char *output;

static const enum codec_id codecs[] = { CODEC_GZIP, CODEC_ZSTD,
					CODEC_DEFLATE };

static void setup(void)
{
	uint32_t state = 3;

	error_init(&err);
	decoder = NULL;
	text_init(&packed);
	plain = mem_alloc(PLAIN_BYTES);
	output = mem_alloc(PLAIN_BYTES * 3);
	for (size_t i = 0; i < PLAIN_BYTES; i++) {
		state = state * 1664525 + 1013904223;
		plain[i] = (char)('a' + (state >> 27));
	}
}

static void teardown(void)
{
	mem_fail_at(-1);
	stream_decoder_free(decoder);
	text_release(&packed);
	mem_free(plain);
	mem_free(output);
}

static void add_member(enum codec_id codec, const char *data, size_t length)
{
	struct codec_context *context;

	ck_ok(codec_context_new(&context, &err));
	ck_ok(codec_compress(context, codec, 0, data, length, &packed, &err));
	codec_context_free(context);
}

/*
 * Feed packed in pieces of in_step bytes, take at most out_step at a time,
 * into output. Returns 0 or the first failure; *length_out has the total.
 */
static int pump(size_t in_step, size_t out_step, size_t *length_out)
{
	size_t fed = 0, got, step;
	struct byte_view input;
	int rc;

	*length_out = 0;
	while (fed < packed.length) {
		step = packed.length - fed < in_step ? packed.length - fed :
						       in_step;
		input = byte_view(packed.data + fed, step);
		fed += step;
		do {
			rc = stream_decoder_read(decoder, &input,
						 output + *length_out,
						 out_step, &got, &err);
			if (rc)
				return rc;
			*length_out += got;
			ck_assert_uint_le(*length_out, PLAIN_BYTES * 2);
		} while (got > 0);
		ck_assert_uint_eq(input.length, 0);
	}
	return stream_decoder_finish(decoder, &err);
}

START_TEST(a_stream_in_pieces_of_any_size_is_read_whole)
{
	static const size_t steps[][2] = {
		{ 1, 4096 }, { 7, 13 }, { 100000, 1 }, { 65536, 65536 },
		{ SIZE_MAX, PLAIN_BYTES }, { 3, PLAIN_BYTES },
	};
	size_t length;

	add_member(codecs[_i], plain, PLAIN_BYTES);
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		memset(output, 0, PLAIN_BYTES);
		ck_ok(pump(steps[i][0], steps[i][1], &length));
		ck_assert_uint_eq(length, PLAIN_BYTES);
		ck_assert_int_eq(memcmp(output, plain, length), 0);
		stream_decoder_reset(decoder);
	}
}
END_TEST

START_TEST(members_and_frames_are_read_as_one_stream)
{
	size_t length;

	/* one of them is empty */
	add_member(codecs[_i], plain, 1000);
	add_member(codecs[_i], plain, 0);
	add_member(codecs[_i], plain + 1000, PLAIN_BYTES - 1000);
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	for (size_t step = 1; step < 100000; step = step * 3 + 1) {
		ck_ok(pump(step, 8192, &length));
		ck_assert_uint_eq(length, PLAIN_BYTES);
		ck_assert_int_eq(memcmp(output, plain, length), 0);
		stream_decoder_reset(decoder);
	}
}
END_TEST

START_TEST(a_stream_that_ends_anywhere_inside_is_cut_short)
{
	size_t length, whole;

	add_member(codecs[_i], plain, 1000);
	whole = packed.length;
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	for (size_t cut = 0; cut < whole; cut++) {
		packed.length = cut;
		error_init(&err);
		ck_assert_int_eq(pump(16, 4096, &length), ERROR_CORRUPT);
		ck_assert_ptr_nonnull(strstr(err.text, "cut short"));
		stream_decoder_reset(decoder);
	}
	packed.length = whole;
	ck_ok(pump(16, 4096, &length));
}
END_TEST

START_TEST(a_second_member_that_is_cut_short_is_noticed)
{
	size_t length, first, whole;

	add_member(codecs[_i], plain, 1000);
	first = packed.length;
	add_member(codecs[_i], plain, 1000);
	whole = packed.length;
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	for (size_t cut = first + 1; cut < whole; cut++) {
		packed.length = cut;
		ck_assert_int_eq(pump(SIZE_MAX, 4096, &length),
				 ERROR_CORRUPT);
		stream_decoder_reset(decoder);
	}
}
END_TEST

START_TEST(what_follows_a_stream_and_is_none_is_corrupt)
{
	size_t length;

	add_member(codecs[_i], plain, 1000);
	ck_assert(text_add_str(&packed, "garbage here"));
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	ck_assert_int_eq(pump(SIZE_MAX, 4096, &length), ERROR_CORRUPT);
	stream_decoder_reset(decoder);
	ck_assert_int_eq(pump(1, 4096, &length), ERROR_CORRUPT);
}
END_TEST

START_TEST(zero_bytes_may_pad_a_gzip_stream)
{
	static const char zeroes[600];
	size_t length;

	ck_ok(stream_decoder_new(&decoder, CODEC_GZIP, &err));
	add_member(CODEC_GZIP, plain, 1000);
	ck_assert(text_add(&packed, zeroes, sizeof(zeroes)));
	ck_ok(pump(50, 4096, &length));
	ck_assert_uint_eq(length, 1000);
	stream_decoder_reset(decoder);
	ck_assert(text_add_char(&packed, 'x'));
	ck_assert_int_eq(pump(50, 4096, &length), ERROR_CORRUPT);
	stream_decoder_reset(decoder);
	text_reset(&packed);	/* but not begin one */
	ck_assert(text_add(&packed, zeroes, sizeof(zeroes)));
	ck_assert_int_eq(pump(50, 4096, &length), ERROR_CORRUPT);
}
END_TEST

START_TEST(damaged_streams_are_refused)
{
	size_t length;
	int rc, refused = 0;

	add_member(codecs[_i], plain, 1000);
	ck_ok(stream_decoder_new(&decoder, codecs[_i], &err));
	for (size_t i = 0; i < packed.length; i++) {
		packed.data[i] ^= 0x55;
		rc = pump(64, 4096, &length);
		packed.data[i] ^= 0x55;
		stream_decoder_reset(decoder);
		refused += rc != 0;
		if (rc)
			ck_assert_int_eq(rc, ERROR_CORRUPT);
	}
	ck_assert_int_gt(refused, 10);
	ck_ok(pump(64, 4096, &length));
}
END_TEST

START_TEST(only_stream_codecs_have_a_decoder)
{
	ck_assert_int_eq(stream_decoder_new(&decoder, CODEC_SNAPPY, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_null(decoder);
	for (long n = 0; n < 2; n++) {
		mem_fail_at(n);
		ck_assert_int_eq(stream_decoder_new(&decoder, CODEC_GZIP,
						    &err), ERROR_NO_MEMORY);
		ck_assert_ptr_null(decoder);
	}
	mem_fail_at(0);
	ck_assert_int_eq(stream_decoder_new(&decoder, CODEC_ZSTD, &err),
			 ERROR_NO_MEMORY);
	ck_assert_ptr_null(decoder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stream_codec");
	TCase *tc = tcase_create("stream_codec");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_stream_in_pieces_of_any_size_is_read_whole,
			    0, 3);
	tcase_add_loop_test(tc, members_and_frames_are_read_as_one_stream, 0,
			    2);
	tcase_add_loop_test(tc,
		a_stream_that_ends_anywhere_inside_is_cut_short, 0, 3);
	tcase_add_loop_test(tc, a_second_member_that_is_cut_short_is_noticed,
			    0, 2);
	tcase_add_loop_test(tc,
		what_follows_a_stream_and_is_none_is_corrupt, 0, 3);
	tcase_add_test(tc, zero_bytes_may_pad_a_gzip_stream);
	tcase_add_loop_test(tc, damaged_streams_are_refused, 0, 3);
	tcase_add_test(tc, only_stream_codecs_have_a_decoder);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
