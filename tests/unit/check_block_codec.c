/*
 * check_block_codec.c - blocks of bytes through every codec
 *
 * The golden blocks were made by other programs: gzip and deflate by Python's
 * zlib, zstd and lz4_frame by the command-line tools, lz4_raw from inside the
 * frame, snappy by hand after its format description.
 */
#include "unit/check_main.h"

#include <string.h>
#include "codec/codec.h"

static struct error err;
static struct codec_context *context;
static struct text packed;
static struct text plain;

static const char golden_text[] =
	"rowmerge rowmerge rowmerge rowmerge rowmerge rowmerge rowmerge "
	"rowmerge \n";
#define GOLDEN_BYTES (sizeof(golden_text) - 1)

static const char lz4_raw[] =
	"\x9f\x72\x6f\x77\x6d\x65\x72\x67\x65\x20\x09\x00\x28\x50\x72"
	"\x67\x65\x20\x0a";

static const struct golden {
	enum codec_id codec;
	size_t length;
	const char *bytes;
} goldens[] = {
	{ CODEC_NONE, GOLDEN_BYTES, golden_text },
	{ CODEC_SNAPPY, 16,
	  "\x49\x20\x72\x6f\x77\x6d\x65\x72\x67\x65\x20\xfa\x09\x00\x00\x0a" },
	{ CODEC_GZIP, 33,
	  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\xca\x2f\xcf\x4d"
	  "\x2d\x4a\x4f\x55\x28\xa2\x8c\xc1\x05\x00\x26\x5d\xb9\x73\x49"
	  "\x00\x00\x00" },
	{ CODEC_DEFLATE, 15,
	  "\x2b\xca\x2f\xcf\x4d\x2d\x4a\x4f\x55\x28\xa2\x8c\xc1\x05\x00" },
	{ CODEC_ZSTD, 29,
	  "\x28\xb5\x2f\xfd\x04\x58\x85\x00\x00\x50\x72\x6f\x77\x6d\x65"
	  "\x72\x67\x65\x20\x0a\x01\x00\xa4\x54\x8e\x42\xae\xf5\x23" },
	{ CODEC_LZ4_RAW, 19, lz4_raw },
	{ CODEC_LZ4_FRAME, 38,
	  "\x04\x22\x4d\x18\x64\x40\xa7\x13\x00\x00\x00\x9f\x72\x6f\x77"
	  "\x6d\x65\x72\x67\x65\x20\x09\x00\x28\x50\x72\x67\x65\x20\x0a"
	  "\x00\x00\x00\x00\xd3\x63\xc5\xa7" },
	/* the old Parquet number: framed as Hadoop does, raw, or a frame */
	{ CODEC_LZ4_HADOOP, 27,
	  "\0\0\0\x49" "\0\0\0\x13"
	  "\x9f\x72\x6f\x77\x6d\x65\x72\x67\x65\x20\x09\x00\x28\x50\x72"
	  "\x67\x65\x20\x0a" },
	{ CODEC_LZ4_HADOOP, 19, lz4_raw },
	{ CODEC_LZ4_HADOOP, 38,
	  "\x04\x22\x4d\x18\x64\x40\xa7\x13\x00\x00\x00\x9f\x72\x6f\x77"
	  "\x6d\x65\x72\x67\x65\x20\x09\x00\x28\x50\x72\x67\x65\x20\x0a"
	  "\x00\x00\x00\x00\xd3\x63\xc5\xa7" },
};

static const enum codec_id codecs[] = {
	CODEC_NONE, CODEC_SNAPPY, CODEC_GZIP, CODEC_DEFLATE, CODEC_ZSTD,
	CODEC_LZ4_RAW, CODEC_LZ4_HADOOP, CODEC_LZ4_FRAME,
};

static void setup(void)
{
	error_init(&err);
	text_init(&packed);
	text_init(&plain);
	ck_ok(codec_context_new(&context, &err));
}

static void teardown(void)
{
	mem_fail_at(-1);
	codec_context_free(context);
	text_release(&packed);
	text_release(&plain);
}

START_TEST(a_block_of_another_program_is_read)
{
	const struct golden *g = &goldens[_i];
	char out[GOLDEN_BYTES];

	ck_ok(codec_decompress(context, g->codec, g->bytes, g->length, out,
			       GOLDEN_BYTES, &err));
	ck_assert_mem_eq(out, golden_text, GOLDEN_BYTES);
	ck_assert(text_add_str(&plain, "kept "));
	ck_ok(codec_decompress_text(context, g->codec, g->bytes, g->length,
				    GOLDEN_BYTES, &plain, &err));
	ck_assert_uint_eq(plain.length, 5 + GOLDEN_BYTES);
	ck_assert_mem_eq(plain.data + 5, golden_text, GOLDEN_BYTES);
	ck_assert_int_eq(plain.data[plain.length], '\0');
}
END_TEST

static void expect_corrupt(enum codec_id codec, const void *bytes,
			   size_t length, size_t out_length)
{
	char *out = mem_alloc(out_length);
	int rc = codec_decompress(context, codec, bytes, length, out,
				  out_length, &err);

	ck_assert_msg(rc == ERROR_CORRUPT, "%s of %zu bytes: %d",
		      codec_name(codec), length, rc);
	mem_free(out);
}

START_TEST(another_size_than_announced_is_corrupt)
{
	const struct golden *g = &goldens[_i];

	for (size_t wrong = 0; wrong < GOLDEN_BYTES + 20; wrong++)
		if (wrong != GOLDEN_BYTES)
			expect_corrupt(g->codec, g->bytes, g->length, wrong);
	expect_corrupt(g->codec, g->bytes, 0, GOLDEN_BYTES);
}
END_TEST

START_TEST(a_block_cut_short_or_followed_by_more_is_corrupt)
{
	const struct golden *g = &goldens[_i];
	char longer[100];
	int rc;

	for (size_t length = 1; length < g->length; length++) {
		expect_corrupt(g->codec, g->bytes, length, GOLDEN_BYTES);
		if (g->codec == CODEC_NONE || g->codec == CODEC_LZ4_RAW ||
		    g->codec == CODEC_LZ4_HADOOP)
			continue;	/* do not know where they end */
		rc = codec_decompress_text(context, g->codec, g->bytes,
					   length, 1000, &plain, &err);
		ck_assert_int_eq(rc, ERROR_CORRUPT);
		ck_assert_uint_eq(plain.length, 0);
	}
	memcpy(longer, g->bytes, g->length);
	longer[g->length] = 'x';
	expect_corrupt(g->codec, longer, g->length + 1, GOLDEN_BYTES);
}
END_TEST

START_TEST(more_than_the_limit_is_corrupt)
{
	const struct golden *g = &goldens[_i];

	for (size_t limit = 0; limit < GOLDEN_BYTES; limit++) {
		ck_assert_int_eq(codec_decompress_text(context, g->codec,
						       g->bytes, g->length,
						       limit, &plain, &err),
				 ERROR_CORRUPT);
		ck_assert_uint_eq(plain.length, 0);
	}
}
END_TEST

/* Bytes that compress well, badly, or are few. */
static size_t make_input(int kind, char **out)
{
	static const size_t sizes[] = { 0, 1, 2, 100, 70000, 70000, 3000000 };
	size_t length = sizes[kind];
	uint32_t state = 7;
	char *bytes = mem_alloc(length);

	for (size_t i = 0; i < length; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = kind == 4 ? (char)(state >> 24) :
				       (char)(i / 500 + (state >> 31));
	}
	*out = bytes;
	return length;
}

START_TEST(what_was_compressed_comes_back)
{
	static const int levels[] = { 0, 1, 9 };
	enum codec_id codec = codecs[_i];
	char *input, *output;
	size_t length;

	for (int kind = 0; kind < 7; kind++) {
		length = make_input(kind, &input);
		output = mem_alloc(length);
		for (size_t l = 0; l < ARRAY_COUNT(levels); l++) {
			text_reset(&packed);
			text_reset(&plain);
			ck_assert(text_add_str(&packed, "head"));
			ck_ok(codec_compress(context, codec, levels[l], input,
					     length, &packed, &err));
			if (kind > 4)
				ck_assert(codec == CODEC_NONE ||
					  packed.length < length);
			memset(output, 0, length);
			ck_ok(codec_decompress(context, codec,
					       packed.data + 4,
					       packed.length - 4, output,
					       length, &err));
			ck_assert_int_eq(memcmp(input, output, length), 0);
			ck_ok(codec_decompress_text(context, codec,
						    packed.data + 4,
						    packed.length - 4, length,
						    &plain, &err));
			ck_assert_uint_eq(plain.length, length);
			ck_assert_int_eq(memcmp(input, plain.data, length),
					 0);
		}
		mem_free(input);
		mem_free(output);
	}
}
END_TEST

START_TEST(nothing_from_nothing_is_nothing)
{
	for (size_t i = 0; i < ARRAY_COUNT(codecs); i++)
		ck_ok(codec_decompress(context, codecs[i], NULL, 0, NULL, 0,
				       &err));
}
END_TEST

START_TEST(several_members_and_frames_are_read_through)
{
	static const enum codec_id joined[] = {
		CODEC_GZIP, CODEC_ZSTD, CODEC_LZ4_HADOOP, CODEC_LZ4_FRAME,
	};
	char out[2 * GOLDEN_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(joined); i++) {
		text_reset(&packed);
		text_reset(&plain);
		for (int twice = 0; twice < 2; twice++)
			ck_ok(codec_compress(context, joined[i], 0,
					     golden_text, GOLDEN_BYTES,
					     &packed, &err));
		ck_ok(codec_decompress(context, joined[i], packed.data,
				       packed.length, out, sizeof(out),
				       &err));
		ck_assert_mem_eq(out, golden_text, GOLDEN_BYTES);
		ck_assert_mem_eq(out + GOLDEN_BYTES, golden_text,
				 GOLDEN_BYTES);
		ck_ok(codec_decompress_text(context, joined[i], packed.data,
					    packed.length, sizeof(out),
					    &plain, &err));
		ck_assert_uint_eq(plain.length, sizeof(out));
	}
}
END_TEST

/* Hadoop's own writer splits one group into chunks. */
START_TEST(a_hadoop_group_of_several_chunks_is_read)
{
	static const char two_chunks[] =
		"\0\0\0\6" "\0\0\0\4" "\x30" "abc" "\0\0\0\4" "\x30" "def";
	char out[6];

	ck_ok(codec_decompress(context, CODEC_LZ4_HADOOP, two_chunks,
			       sizeof(two_chunks) - 1, out, 6, &err));
	ck_assert_mem_eq(out, "abcdef", 6);
	ck_ok(codec_decompress_text(context, CODEC_LZ4_HADOOP, two_chunks,
				    sizeof(two_chunks) - 1, 6, &plain, &err));
	ck_assert_str_eq(plain.data, "abcdef");
}
END_TEST

/* A flipped bit is seen or changes bytes, but is never out of bounds. */
START_TEST(damaged_blocks_are_refused_or_harmless)
{
	const struct golden *g = &goldens[_i];
	char out[GOLDEN_BYTES], bytes[100];
	size_t refused = 0;

	for (size_t bit = 0; bit < g->length * 8; bit++) {
		memcpy(bytes, g->bytes, g->length);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		refused += codec_decompress(context, g->codec, bytes,
					    g->length, out, GOLDEN_BYTES,
					    &err) != 0;
		text_reset(&plain);
		(void)codec_decompress_text(context, g->codec, bytes,
					    g->length, 1000000, &plain, &err);
		ck_assert_uint_le(plain.length, 1000000);
	}
	if (g->codec != CODEC_NONE)
		ck_assert_uint_gt(refused, 0);
	/* the context is none the worse for it */
	ck_ok(codec_decompress(context, g->codec, g->bytes, g->length, out,
			       GOLDEN_BYTES, &err));
	ck_assert_mem_eq(out, golden_text, GOLDEN_BYTES);
}
END_TEST

START_TEST(a_snappy_block_that_claims_gigabytes_allocates_none)
{
	ck_assert_int_eq(codec_decompress_text(context, CODEC_SNAPPY,
					       "\xff\xff\xff\xff\x0f\0a", 7,
					       SIZE_MAX, &plain, &err),
			 ERROR_CORRUPT);
	ck_assert_uint_eq(plain.capacity, 0);
}
END_TEST

START_TEST(an_unknown_codec_is_unsupported)
{
	enum codec_id unknown = (enum codec_id)99;
	char out[1];

	ck_assert_int_eq(codec_compress(context, unknown, 0, "a", 1, &packed,
					&err), ERROR_UNSUPPORTED);
	ck_assert_int_eq(codec_decompress(context, unknown, "a", 1, out, 1,
					  &err), ERROR_UNSUPPORTED);
	ck_assert_int_eq(codec_decompress_text(context, unknown, "a", 1, 9,
					       &plain, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_str_eq(codec_name(unknown), "unknown");
	ck_assert_str_eq(codec_name(CODEC_ZSTD), "zstd");
}
END_TEST

/* Compress and decompress anew; 0 or the first failure. */
static int round_trip(enum codec_id codec)
{
	struct codec_context *fresh;
	int rc = codec_context_new(&fresh, &err);

	if (!rc)
		rc = codec_compress(fresh, codec, 0, golden_text,
				    GOLDEN_BYTES, &packed, &err);
	if (!rc)
		rc = codec_decompress_text(fresh, codec, packed.data,
					   packed.length, 1000, &plain, &err);
	codec_context_free(fresh);
	return rc;
}

START_TEST(each_failed_allocation_is_reported_and_adds_nothing)
{
	int rc, failures = 0;

	for (long n = 0; ; n++, failures++) {
		text_release(&packed);
		text_release(&plain);
		mem_fail_at(n);
		rc = round_trip(codecs[_i]);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_uint_eq(plain.length, 0);
	}
	ck_assert_int_ge(failures, 3);
	ck_assert_uint_eq(plain.length, GOLDEN_BYTES);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("block_codec");
	TCase *tc = tcase_create("block_codec");
	int golden_count = (int)ARRAY_COUNT(goldens);
	int codec_count = (int)ARRAY_COUNT(codecs);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_block_of_another_program_is_read, 0,
			    golden_count);
	tcase_add_loop_test(tc, another_size_than_announced_is_corrupt, 0,
			    golden_count);
	tcase_add_loop_test(tc,
		a_block_cut_short_or_followed_by_more_is_corrupt, 0,
		golden_count);
	tcase_add_loop_test(tc, more_than_the_limit_is_corrupt, 0,
			    golden_count);
	tcase_add_loop_test(tc, what_was_compressed_comes_back, 0,
			    codec_count);
	tcase_add_test(tc, nothing_from_nothing_is_nothing);
	tcase_add_test(tc, several_members_and_frames_are_read_through);
	tcase_add_test(tc, a_hadoop_group_of_several_chunks_is_read);
	tcase_add_loop_test(tc, damaged_blocks_are_refused_or_harmless, 0,
			    golden_count);
	tcase_add_test(tc,
		a_snappy_block_that_claims_gigabytes_allocates_none);
	tcase_add_test(tc, an_unknown_codec_is_unsupported);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_adds_nothing, 0,
		codec_count);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
