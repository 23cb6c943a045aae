/*
 * block_codec.c - compress and decompress a block of bytes
 *
 * Why:    Parquet pages, Avro blocks and Puffin blobs share these codecs.
 * How:    the libraries, behind one face that knows whether every input byte
 *         was used and every output byte was made. Contexts are made when
 *         first needed and kept.
 * Cost:   one pass; zstd and snappy write straight into the output.
 * Limits: what the libraries allocate is theirs, except for zlib's.
 */
#include "codec/block_codec.h"
#include "codec/snappy_library.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "codec/codec_lz4.h"
#include "codec/stream_codec.h"

#define DEFAULT_ZSTD_LEVEL 1
#define DEFAULT_ZLIB_LEVEL 6
#define GZIP_WINDOW_BITS (15 + 16)
#define DEFLATE_WINDOW_BITS (-15)
#define ZLIB_MEMORY_LEVEL 8
#define LARGEST_STEP_BYTES ((size_t)1 << 30)
#define SMALLEST_ROOM_BYTES ((size_t)4 << 10)
/* A snappy copy of 3 bytes makes at most 64. */
#define SNAPPY_LARGEST_RATIO 64
#define FIRST_GUESS_RATIO 4

/* zlib's compressor for one format and level. */
struct deflater {
	z_stream stream;
	bool ready;
	int level;
};

struct codec_context {
	ZSTD_CCtx *zstd_compressor;
	ZSTD_DCtx *zstd_decompressor;
	struct deflater gzip;
	struct deflater deflate;
	struct stream_decoder *decoders[CODEC_LZ4_FRAME + 1];
};

static const char *const codec_names[] = {
	[CODEC_NONE] = "uncompressed",
	[CODEC_SNAPPY] = "snappy",
	[CODEC_GZIP] = "gzip",
	[CODEC_DEFLATE] = "deflate",
	[CODEC_ZSTD] = "zstd",
	[CODEC_LZ4_RAW] = "lz4_raw",
	[CODEC_LZ4_HADOOP] = "lz4",
	[CODEC_LZ4_FRAME] = "lz4_frame",
};

const char *codec_name(enum codec_id codec)
{
	if ((size_t)codec >= ARRAY_COUNT(codec_names))
		return "unknown";
	return codec_names[codec];
}

int codec_context_new(struct codec_context **out, struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "codec context");
	return 0;
}

void codec_context_free(struct codec_context *context)
{
	if (!context)
		return;
	ZSTD_freeCCtx(context->zstd_compressor);
	ZSTD_freeDCtx(context->zstd_decompressor);
	if (context->gzip.ready)
		deflateEnd(&context->gzip.stream);
	if (context->deflate.ready)
		deflateEnd(&context->deflate.stream);
	for (size_t i = 0; i < ARRAY_COUNT(context->decoders); i++)
		stream_decoder_free(context->decoders[i]);
	mem_free(context);
}

static int no_memory(enum codec_id codec, struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "%s of a block",
			 codec_name(codec));
}

static int damaged(enum codec_id codec, const char *detail, struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "damaged %s data%s%s",
			 codec_name(codec), detail ? ": " : "",
			 detail ? detail : "");
}

static int wrong_length(enum codec_id codec, size_t out_length,
			struct error *err)
{
	return error_set(err, ERROR_CORRUPT,
			 "%s data is not the %zu bytes that were announced",
			 codec_name(codec), out_length);
}

/* length bytes were written at the end of out. */
static int added(struct text *out, size_t length)
{
	out->length += length;
	out->data[out->length] = '\0';
	return 0;
}

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	return mem_alloc_array(count, size);
}

static void zlib_free(void *opaque, void *memory)
{
	mem_free(memory);
}

static bool deflater_prepare(struct deflater *d, int window_bits, int level)
{
	if (d->ready && d->level == level)
		return deflateReset(&d->stream) == Z_OK;
	if (d->ready)
		deflateEnd(&d->stream);
	d->stream.zalloc = zlib_alloc;
	d->stream.zfree = zlib_free;
	d->ready = deflateInit2(&d->stream, level, Z_DEFLATED, window_bits,
				ZLIB_MEMORY_LEVEL,
				Z_DEFAULT_STRATEGY) == Z_OK;
	d->level = level;
	return d->ready;
}

static int compress_zlib(struct deflater *d, enum codec_id codec, int level,
			 struct byte_view in, struct text *out,
			 struct error *err)
{
	int bits = codec == CODEC_GZIP ? GZIP_WINDOW_BITS :
					 DEFLATE_WINDOW_BITS;
	z_stream *z = &d->stream;
	size_t before = out->length, step, room;
	uint8_t none = 0;
	int answer;

	if (!deflater_prepare(d, bits, level ? level : DEFAULT_ZLIB_LEVEL))
		return no_memory(codec, err);
	room = deflateBound(z, in.length);
	z->next_in = in.data ? (uint8_t *)in.data : &none;
	z->avail_in = 0;
	do {
		if (z->avail_in == 0) {
			step = in.length < LARGEST_STEP_BYTES ?
			       in.length : LARGEST_STEP_BYTES;
			z->avail_in = (unsigned)step;
			in.length -= step;
		}
		if (room > LARGEST_STEP_BYTES)
			room = LARGEST_STEP_BYTES;
		if (!text_reserve(out, room)) {
			out->length = before;
			return no_memory(codec, err);
		}
		z->next_out = (uint8_t *)out->data + out->length;
		z->avail_out = (unsigned)room;
		answer = deflate(z, in.length ? Z_NO_FLUSH : Z_FINISH);
		added(out, room - z->avail_out);
		room = SMALLEST_ROOM_BYTES + in.length;
	} while (answer != Z_STREAM_END);
	return 0;
}

static int compress_zstd(struct codec_context *context, int level,
			 struct byte_view in, struct text *out,
			 struct error *err)
{
	size_t bound = ZSTD_compressBound(in.length);
	size_t put;

	if (!context->zstd_compressor)
		context->zstd_compressor = ZSTD_createCCtx();
	if (!context->zstd_compressor || ZSTD_isError(bound) ||
	    !text_reserve(out, bound))
		return no_memory(CODEC_ZSTD, err);
	put = ZSTD_compressCCtx(context->zstd_compressor,
				out->data + out->length, bound, in.data,
				in.length, level ? level : DEFAULT_ZSTD_LEVEL);
	if (ZSTD_isError(put))
		return error_set(err, ERROR_NO_MEMORY, "zstd: %s",
				 ZSTD_getErrorName(put));
	return added(out, put);
}

static int compress_snappy(struct byte_view in, struct text *out,
			   struct error *err)
{
	const struct snappy_library *snappy;
	size_t put;
	int rc = snappy_library_get(&snappy, err);

	if (rc)
		return rc;
	put = snappy->max_compressed_length(in.length);
	if (in.length > UINT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a snappy block of more than 4 GiB");
	if (!text_reserve(out, put))
		return no_memory(CODEC_SNAPPY, err);
	if (snappy->compress((const char *)in.data, in.length,
			     out->data + out->length, &put) != SNAPPY_OK)
		return error_set(err, ERROR_INTERNAL,
				 "snappy cannot compress");
	return added(out, put);
}

int codec_compress(struct codec_context *context, enum codec_id codec,
		   int level, const void *data, size_t length,
		   struct text *out, struct error *err)
{
	struct byte_view in = byte_view(data, length);

	switch (codec) {
	case CODEC_NONE:
		if (!text_add(out, data, length))
			return no_memory(codec, err);
		return 0;
	case CODEC_SNAPPY:
		return compress_snappy(in, out, err);
	case CODEC_GZIP:
		return compress_zlib(&context->gzip, codec, level, in, out,
				     err);
	case CODEC_DEFLATE:
		return compress_zlib(&context->deflate, codec, level, in, out,
				     err);
	case CODEC_ZSTD:
		return compress_zstd(context, level, in, out, err);
	case CODEC_LZ4_RAW:
	case CODEC_LZ4_HADOOP:
	case CODEC_LZ4_FRAME:
		return codec_lz4_compress(codec, in, out, err);
	}
	return error_set(err, ERROR_UNSUPPORTED, "compression codec %d",
			 (int)codec);
}

/* The context's stream decoder for codec, at its start. */
static int decoder_get(struct codec_context *context, enum codec_id codec,
		       struct stream_decoder **out, struct error *err)
{
	struct stream_decoder **decoder = &context->decoders[codec];
	int rc = 0;

	if (*decoder)
		stream_decoder_reset(*decoder);
	else
		rc = stream_decoder_new(decoder, codec, err);
	*out = *decoder;
	return rc;
}

static int decompress_zlib(struct codec_context *context,
			   enum codec_id codec, struct byte_view in,
			   uint8_t *out, size_t out_length, struct error *err)
{
	struct stream_decoder *decoder;
	size_t left = out_length, put;
	uint8_t extra;
	int rc = decoder_get(context, codec, &decoder, err);

	if (rc)
		return rc;
	do {
		rc = stream_decoder_read(decoder, &in, left ? out : &extra,
					 left ? left : 1, &put, err);
		if (rc)
			return rc;
		if (put > left)
			return wrong_length(codec, out_length, err);
		if (left)
			out += put;
		left -= put;
	} while (put > 0 || in.length > 0);
	if (left > 0)
		return wrong_length(codec, out_length, err);
	return stream_decoder_finish(decoder, err);
}

static int decompress_zstd(struct codec_context *context, struct byte_view in,
			   void *out, size_t out_length, struct error *err)
{
	uint8_t none;
	size_t put;

	if (!context->zstd_decompressor)
		context->zstd_decompressor = ZSTD_createDCtx();
	if (!context->zstd_decompressor)
		return no_memory(CODEC_ZSTD, err);
	put = ZSTD_decompressDCtx(context->zstd_decompressor,
				  out ? out : &none, out_length, in.data,
				  in.length);
	if (ZSTD_isError(put)) {
		if (ZSTD_getErrorCode(put) == ZSTD_error_memory_allocation)
			return no_memory(CODEC_ZSTD, err);
		return damaged(CODEC_ZSTD, ZSTD_getErrorName(put), err);
	}
	if (put != out_length)
		return wrong_length(CODEC_ZSTD, out_length, err);
	return 0;
}

static int decompress_snappy(struct byte_view in, void *out,
			     size_t out_length, struct error *err)
{
	const char *bytes = (const char *)in.data;
	const struct snappy_library *snappy;
	size_t put;
	char none;
	int rc = snappy_library_get(&snappy, err);

	if (rc)
		return rc;
	if (snappy->uncompressed_length(bytes, in.length, &put) != SNAPPY_OK)
		return damaged(CODEC_SNAPPY, NULL, err);
	if (put != out_length)
		return wrong_length(CODEC_SNAPPY, out_length, err);
	if (snappy->uncompress(bytes, in.length, out ? out : &none, &put) !=
	    SNAPPY_OK || put != out_length)
		return damaged(CODEC_SNAPPY, NULL, err);
	return 0;
}

int codec_decompress(struct codec_context *context, enum codec_id codec,
		     const void *data, size_t length, void *out,
		     size_t out_length, struct error *err)
{
	struct byte_view in = byte_view(data, length);

	/* pages of nothing but NULLs: some writers skip the compressor */
	if (length == 0 && out_length == 0)
		return 0;
	if (length == 0)
		return wrong_length(codec, out_length, err);
	switch (codec) {
	case CODEC_NONE:
		if (length != out_length)
			return wrong_length(codec, out_length, err);
		memcpy(out, data, length);
		return 0;
	case CODEC_SNAPPY:
		return decompress_snappy(in, out, out_length, err);
	case CODEC_GZIP:
	case CODEC_DEFLATE:
		return decompress_zlib(context, codec, in, out, out_length,
				       err);
	case CODEC_ZSTD:
		return decompress_zstd(context, in, out, out_length, err);
	case CODEC_LZ4_RAW:
	case CODEC_LZ4_HADOOP:
	case CODEC_LZ4_FRAME:
		return codec_lz4_decompress(codec, in, out, out_length, err);
	}
	return error_set(err, ERROR_UNSUPPORTED, "compression codec %d",
			 (int)codec);
}

static int over_limit(enum codec_id codec, size_t limit_bytes,
		      struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "%s data of more than %zu bytes",
			 codec_name(codec), limit_bytes);
}

/* All of a stream to the end of out; the caller undoes a failure. */
static int stream_to_text(struct codec_context *context, enum codec_id codec,
			  struct byte_view in, size_t limit_bytes,
			  struct text *out, struct error *err)
{
	size_t before = out->length, room, put;
	struct stream_decoder *decoder;
	int rc = decoder_get(context, codec, &decoder, err);

	if (rc)
		return rc;
	if (!size_mul(in.length, FIRST_GUESS_RATIO, &room) ||
	    room > limit_bytes)
		room = limit_bytes;
	if (!text_reserve(out, room))
		return no_memory(codec, err);
	do {
		room = out->capacity - out->length - 1;
		if (room < SMALLEST_ROOM_BYTES) {
			if (!text_reserve(out, SMALLEST_ROOM_BYTES))
				return no_memory(codec, err);
			room = out->capacity - out->length - 1;
		}
		rc = stream_decoder_read(decoder, &in,
					 out->data + out->length, room, &put,
					 err);
		if (rc)
			return rc;
		added(out, put);
		if (out->length - before > limit_bytes)
			return over_limit(codec, limit_bytes, err);
	} while (put > 0 || in.length > 0);
	return stream_decoder_finish(decoder, err);
}

static int snappy_to_text(struct byte_view in, size_t limit_bytes,
			  struct text *out, struct error *err)
{
	const struct snappy_library *snappy;
	size_t length;
	int rc = snappy_library_get(&snappy, err);

	if (rc)
		return rc;
	if (snappy->uncompressed_length((const char *)in.data, in.length,
					&length) != SNAPPY_OK ||
	    length / SNAPPY_LARGEST_RATIO > in.length)
		return damaged(CODEC_SNAPPY, NULL, err);
	if (length > limit_bytes)
		return over_limit(CODEC_SNAPPY, limit_bytes, err);
	if (!text_reserve(out, length))
		return no_memory(CODEC_SNAPPY, err);
	rc = decompress_snappy(in, out->data + out->length, length, err);
	return rc ? rc : added(out, length);
}

int codec_decompress_text(struct codec_context *context, enum codec_id codec,
			  const void *data, size_t length, size_t limit_bytes,
			  struct text *out, struct error *err)
{
	struct byte_view in = byte_view(data, length);
	size_t before = out->length;
	int rc;

	switch (codec) {
	case CODEC_NONE:
		if (length > limit_bytes)
			return over_limit(codec, limit_bytes, err);
		if (!text_add(out, data, length))
			return no_memory(codec, err);
		return 0;
	case CODEC_SNAPPY:
		return snappy_to_text(in, limit_bytes, out, err);
	case CODEC_GZIP:
	case CODEC_DEFLATE:
	case CODEC_ZSTD:
		rc = stream_to_text(context, codec, in, limit_bytes, out, err);
		if (rc && out->data) {
			out->length = before;
			out->data[before] = '\0';
		}
		return rc;
	case CODEC_LZ4_RAW:
	case CODEC_LZ4_HADOOP:
	case CODEC_LZ4_FRAME:
		return codec_lz4_decompress_text(codec, in, limit_bytes, out,
						 err);
	}
	return error_set(err, ERROR_UNSUPPORTED, "compression codec %d",
			 (int)codec);
}
