/*
 * codec_lz4.c - LZ4 in its three wrappings
 *
 * Why:    Parquet has two codec numbers for LZ4, Puffin a third form.
 * How:    raw block: as it is. Hadoop: groups of
 *             0  4 BE  uncompressed bytes of the group
 *             then chunks of 4 BE compressed bytes and a raw block, until
 *             the group is complete.
 *         Some writers of Parquet's old number put a raw block or an LZ4
 *         frame there, so those are tried after it.
 * Cost:   a failed try costs what was decoded before the mistake showed.
 * Limits: 2 GiB a block.
 */
#include "codec/codec_lz4.h"

#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include "codec/varint.h"

/* A block grows at most so many times, plus a little (LZ4 format). */
#define LARGEST_RATIO 255
#define RATIO_SLACK 64
#define FIRST_GUESS_RATIO 4
#define CHUNK_BYTES ((size_t)64 << 10)
#define FRAME_MAGIC 0x184d2204	/* no raw block can begin so */

static int too_large(struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED,
			 "an lz4 block of more than 2 GiB");
}

static int damaged(struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "damaged lz4 data");
}

static int compress_frame(struct byte_view in, struct text *out,
			  struct error *err)
{
	size_t bound = LZ4F_compressFrameBound(in.length, NULL);
	size_t put;

	if (!text_reserve(out, bound))
		return error_set(err, ERROR_NO_MEMORY, "lz4 output");
	put = LZ4F_compressFrame(out->data + out->length, bound, in.data,
				 in.length, NULL);
	if (LZ4F_isError(put))
		return error_set(err, ERROR_NO_MEMORY, "lz4: %s",
				 LZ4F_getErrorName(put));
	out->length += put;
	out->data[out->length] = '\0';
	return 0;
}

int codec_lz4_compress(enum codec_id codec, struct byte_view in,
		       struct text *out, struct error *err)
{
	size_t head = codec == CODEC_LZ4_HADOOP ? 8 : 0;
	int bound, put;
	char *start;

	if (codec == CODEC_LZ4_FRAME)
		return compress_frame(in, out, err);
	if (in.length > LZ4_MAX_INPUT_SIZE)
		return too_large(err);
	bound = LZ4_compressBound((int)in.length);
	if (!text_reserve(out, (size_t)bound + head))
		return error_set(err, ERROR_NO_MEMORY, "lz4 output");
	start = out->data + out->length;
	put = LZ4_compress_default((const char *)in.data, start + head,
				   (int)in.length, bound);
	if (put <= 0)
		return error_set(err, ERROR_INTERNAL, "lz4 cannot compress");
	if (head) {
		store_be32(start, (uint32_t)in.length);
		store_be32(start + 4, (uint32_t)put);
	}
	out->length += head + (size_t)put;
	out->data[out->length] = '\0';
	return 0;
}

/* One raw block into at most capacity bytes; false if it is none. */
static bool unpack_raw(const uint8_t *in, size_t length, uint8_t *out,
		       size_t capacity, size_t *length_out)
{
	int got;

	if (length > INT_MAX)
		return false;
	if (capacity > INT_MAX)
		capacity = INT_MAX;
	got = LZ4_decompress_safe((const char *)in, (char *)out, (int)length,
				  (int)capacity);
	if (got < 0)
		return false;
	*length_out = (size_t)got;
	return true;
}

/* One chunk of a group that still lacks room bytes. */
static bool unpack_chunk(struct cursor *c, uint8_t *out, size_t room,
			 size_t *length_out)
{
	const uint8_t *bytes;
	struct cursor at = *c;
	size_t length;

	if (!cursor_bytes(&at, 4, &bytes))
		return false;
	length = load_be32(bytes);
	if (length == 0 || !cursor_bytes(&at, length, &bytes) ||
	    !unpack_raw(bytes, length, out, room, length_out))
		return false;
	*c = at;
	return true;
}

/* The chunks of a group of so many bytes. */
static bool unpack_group(struct cursor *c, uint8_t *out, size_t group)
{
	size_t got;

	/* an empty group has a chunk of no bytes, or none */
	if (group == 0)
		unpack_chunk(c, out, 0, &got);
	while (group > 0) {
		if (!unpack_chunk(c, out, group, &got) || got == 0)
			return false;
		out += got;
		group -= got;
	}
	return true;
}

/* All Hadoop groups; false if the bytes are not exactly that. */
static bool unpack_hadoop(struct byte_view in, uint8_t *out, size_t capacity)
{
	struct cursor c = cursor_of(in.data, in.length);
	const uint8_t *word;
	size_t group;

	while (cursor_left(&c) > 0) {
		if (!cursor_bytes(&c, 4, &word))
			return false;
		group = load_be32(word);
		if (group > capacity || !unpack_group(&c, out, group))
			return false;
		out += group;
		capacity -= group;
	}
	return capacity == 0;
}

/* LZ4 frames one after the other into exactly out_length bytes. */
static int unpack_frames(struct byte_view in, uint8_t *out, size_t out_length,
			 struct error *err)
{
	LZ4F_dctx *context;
	size_t taken, put, hint = 1;
	bool stuck = false;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&context,
							 LZ4F_VERSION)))
		return error_set(err, ERROR_NO_MEMORY, "lz4 context");
	while (!stuck && in.length > 0) {
		taken = in.length;
		put = out_length;
		hint = LZ4F_decompress(context, out, &put, in.data, &taken,
				       NULL);
		stuck = LZ4F_isError(hint) || (taken == 0 && put == 0);
		if (stuck)
			break;
		in.data += taken;
		in.length -= taken;
		out += put;
		out_length -= put;
	}
	LZ4F_freeDecompressionContext(context);
	/* hint 0: a frame has just ended */
	return stuck || hint != 0 || out_length > 0 ? damaged(err) : 0;
}

int codec_lz4_decompress(enum codec_id codec, struct byte_view in, void *out,
			 size_t out_length, struct error *err)
{
	uint8_t none;
	size_t got;

	if (!out)
		out = &none;	/* LZ4 wants an address even for no bytes */
	if (codec == CODEC_LZ4_FRAME)
		return unpack_frames(in, out, out_length, err);
	if (in.length > INT_MAX || out_length > INT_MAX)
		return too_large(err);
	if (codec == CODEC_LZ4_HADOOP && unpack_hadoop(in, out, out_length))
		return 0;
	if (unpack_raw(in.data, in.length, out, out_length, &got) &&
	    got == out_length)
		return 0;
	if (codec == CODEC_LZ4_HADOOP)
		return unpack_frames(in, out, out_length, err);
	return damaged(err);
}

static int text_of_frames(struct byte_view in, size_t limit_bytes,
			  struct text *out, struct error *err)
{
	size_t before = out->length, taken, put, hint = 1;
	LZ4F_dctx *context;
	int rc = 0;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&context,
							 LZ4F_VERSION)))
		return error_set(err, ERROR_NO_MEMORY, "lz4 context");
	do {
		if (!text_reserve(out, CHUNK_BYTES)) {
			rc = error_set(err, ERROR_NO_MEMORY, "lz4 output");
			break;
		}
		taken = in.length;
		put = CHUNK_BYTES;
		hint = LZ4F_decompress(context, out->data + out->length, &put,
				       in.data, &taken, NULL);
		if (LZ4F_isError(hint) || (taken == 0 && put == 0)) {
			rc = damaged(err);
			break;
		}
		in.data += taken;
		in.length -= taken;
		out->length += put;
		if (out->length - before > limit_bytes)
			rc = error_set(err, ERROR_CORRUPT, "lz4 data of more "
				       "than %zu bytes", limit_bytes);
	} while (!rc && (in.length > 0 || hint != 0));
	LZ4F_freeDecompressionContext(context);
	return rc;
}

/* A raw block says nothing of its size: try until it fits. */
static int text_of_raw(struct byte_view in, size_t limit_bytes,
		       struct text *out, struct error *err)
{
	size_t most, room, got;

	if (in.length > INT_MAX)
		return too_large(err);
	most = in.length * LARGEST_RATIO + RATIO_SLACK;
	if (most > limit_bytes)
		most = limit_bytes;
	room = in.length * FIRST_GUESS_RATIO + RATIO_SLACK;
	for (;;) {
		if (room > most)
			room = most;
		if (!text_reserve(out, room))
			return error_set(err, ERROR_NO_MEMORY, "lz4 output");
		if (unpack_raw(in.data, in.length,
			       (uint8_t *)out->data + out->length, room,
			       &got))
			break;
		if (room == most)
			return damaged(err);
		room *= 2;
	}
	out->length += got;
	return 0;
}

/* Hadoop groups to the end of out; *fits is false if they are none. */
static int text_of_groups(struct byte_view in, size_t limit_bytes,
			  struct text *out, bool *fits, struct error *err)
{
	struct cursor c = cursor_of(in.data, in.length);
	const uint8_t *word;
	size_t group;

	*fits = false;
	while (cursor_left(&c) > 0) {
		if (!cursor_bytes(&c, 4, &word))
			return 0;
		group = load_be32(word);
		if (group > limit_bytes ||
		    group / LARGEST_RATIO > cursor_left(&c))
			return 0;
		limit_bytes -= group;
		if (!text_reserve(out, group))
			return error_set(err, ERROR_NO_MEMORY, "lz4 output");
		if (!unpack_group(&c, (uint8_t *)out->data + out->length,
				  group))
			return 0;
		out->length += group;
	}
	*fits = true;
	return 0;
}

static int text_of_hadoop(struct byte_view in, size_t limit_bytes,
			  struct text *out, struct error *err)
{
	size_t before = out->length;
	bool fits;
	int rc = text_of_groups(in, limit_bytes, out, &fits, err);

	if (rc || fits)
		return rc;
	out->length = before;
	if (in.length >= 4 && load_le32(in.data) == FRAME_MAGIC)
		return text_of_frames(in, limit_bytes, out, err);
	return text_of_raw(in, limit_bytes, out, err);
}

int codec_lz4_decompress_text(enum codec_id codec, struct byte_view in,
			      size_t limit_bytes, struct text *out,
			      struct error *err)
{
	size_t before = out->length;
	int rc;

	if (codec == CODEC_LZ4_FRAME)
		rc = text_of_frames(in, limit_bytes, out, err);
	else if (codec == CODEC_LZ4_HADOOP)
		rc = text_of_hadoop(in, limit_bytes, out, err);
	else
		rc = text_of_raw(in, limit_bytes, out, err);
	if (rc)
		out->length = before;
	if (out->data)
		out->data[out->length] = '\0';
	return rc;
}
