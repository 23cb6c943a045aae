/*
 * stream_codec.c - decompress a stream piece by piece
 *
 * Why:    compressed inputs are larger than memory, and pipes have no size.
 * How:    zlib or zstd, one member or frame after the other. Between two of
 *         them the stream is complete and may end; zero bytes that pad a
 *         gzip file to a block size are skipped there.
 * Cost:   zlib some 0.3 GB/s, zstd 1 GB/s.
 * Limits: a zstd window of at most 128 MiB (the library's default).
 */
#include "codec/stream_codec.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define LARGEST_STEP_BYTES ((size_t)1 << 30)	/* zlib counts in 32 bits */
#define GZIP_WINDOW_BITS (15 + 16)
#define DEFLATE_WINDOW_BITS (-15)

struct stream_decoder {
	enum codec_id codec;
	z_stream zlib;
	bool zlib_ready;
	ZSTD_DCtx *zstd;
	bool between;		/* no member or frame is open */
	bool any;		/* one has ended before */
};

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	return mem_alloc_array(count, size);
}

static void zlib_free(void *opaque, void *memory)
{
	mem_free(memory);
}

static bool prepare(struct stream_decoder *decoder)
{
	if (decoder->codec == CODEC_ZSTD) {
		decoder->zstd = ZSTD_createDCtx();
		return decoder->zstd != NULL;
	}
	decoder->zlib.zalloc = zlib_alloc;
	decoder->zlib.zfree = zlib_free;
	decoder->zlib_ready = inflateInit2(&decoder->zlib,
		decoder->codec == CODEC_GZIP ? GZIP_WINDOW_BITS :
					       DEFLATE_WINDOW_BITS) == Z_OK;
	return decoder->zlib_ready;
}

int stream_decoder_new(struct stream_decoder **out, enum codec_id codec,
		       struct error *err)
{
	struct stream_decoder *decoder;

	*out = NULL;
	if (codec != CODEC_GZIP && codec != CODEC_ZSTD &&
	    codec != CODEC_DEFLATE)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is not read as a stream",
				 codec_name(codec));
	decoder = mem_zalloc(sizeof(*decoder));
	if (decoder) {
		decoder->codec = codec;
		decoder->between = true;
	}
	if (!decoder || !prepare(decoder)) {
		stream_decoder_free(decoder);
		return error_set(err, ERROR_NO_MEMORY, "%s decoder",
				 codec_name(codec));
	}
	*out = decoder;
	return 0;
}

void stream_decoder_free(struct stream_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->zlib_ready)
		inflateEnd(&decoder->zlib);
	ZSTD_freeDCtx(decoder->zstd);
	mem_free(decoder);
}

void stream_decoder_reset(struct stream_decoder *decoder)
{
	if (decoder->zstd)
		ZSTD_DCtx_reset(decoder->zstd, ZSTD_reset_session_only);
	if (decoder->zlib_ready)
		inflateReset(&decoder->zlib);
	decoder->between = true;
	decoder->any = false;
}

static void advance(struct byte_view *input, size_t taken)
{
	input->data += taken;
	input->length -= taken;
}

/* Skip the padding between two gzip members. */
static void skip_padding(struct stream_decoder *decoder,
			 struct byte_view *input)
{
	while (input->length > 0 && input->data[0] == 0)
		advance(input, 1);
}

static int damaged(const struct stream_decoder *decoder, const char *detail,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "damaged %s data%s%s",
			 codec_name(decoder->codec), detail ? ": " : "",
			 detail ? detail : "");
}

/* One call of inflate(). */
static int step_zlib(struct stream_decoder *decoder, struct byte_view *input,
		     uint8_t *buffer, size_t capacity, size_t *put,
		     struct error *err)
{
	z_stream *z = &decoder->zlib;
	size_t in_step = input->length < LARGEST_STEP_BYTES ?
			 input->length : LARGEST_STEP_BYTES;
	size_t out_step = capacity < LARGEST_STEP_BYTES ?
			  capacity : LARGEST_STEP_BYTES;
	uint8_t none = 0;
	int answer;

	if (decoder->between && decoder->any &&
	    decoder->codec == CODEC_DEFLATE)
		return damaged(decoder, "bytes after its end", err);
	decoder->between = false;
	z->next_in = in_step ? (uint8_t *)input->data : &none;
	z->avail_in = (unsigned)in_step;
	z->next_out = buffer;
	z->avail_out = (unsigned)out_step;
	answer = inflate(z, Z_NO_FLUSH);
	advance(input, in_step - z->avail_in);
	*put = out_step - z->avail_out;
	if (answer == Z_MEM_ERROR)
		return error_set(err, ERROR_NO_MEMORY, "%s decoder",
				 codec_name(decoder->codec));
	if (answer == Z_STREAM_END) {
		decoder->between = true;
		decoder->any = true;
		inflateReset(z);
		return 0;
	}
	if (answer != Z_OK && answer != Z_BUF_ERROR)
		return damaged(decoder, z->msg, err);
	return 0;
}

static int step_zstd(struct stream_decoder *decoder, struct byte_view *input,
		     uint8_t *buffer, size_t capacity, size_t *put,
		     struct error *err)
{
	ZSTD_inBuffer in = { input->data, input->length, 0 };
	ZSTD_outBuffer out = { buffer, capacity, 0 };
	size_t answer = ZSTD_decompressStream(decoder->zstd, &out, &in);

	if (ZSTD_isError(answer)) {
		if (ZSTD_getErrorCode(answer) == ZSTD_error_memory_allocation)
			return error_set(err, ERROR_NO_MEMORY,
					 "zstd decoder");
		return damaged(decoder, ZSTD_getErrorName(answer), err);
	}
	advance(input, in.pos);
	*put = out.pos;
	decoder->between = answer == 0;
	decoder->any |= decoder->between;
	return 0;
}

int stream_decoder_read(struct stream_decoder *decoder,
			struct byte_view *input, void *buffer,
			size_t capacity, size_t *length_out,
			struct error *err)
{
	size_t before;
	int rc;

	*length_out = 0;
	do {
		if (decoder->between && decoder->any &&
		    decoder->codec == CODEC_GZIP)
			skip_padding(decoder, input);
		if (decoder->between && input->length == 0)
			return 0;
		before = input->length;
		rc = decoder->codec == CODEC_ZSTD ?
		     step_zstd(decoder, input, buffer, capacity, length_out,
			       err) :
		     step_zlib(decoder, input, buffer, capacity, length_out,
			       err);
		if (rc) {
			*length_out = 0;
			return rc;
		}
		if (*length_out == 0 && input->length == before && before > 0)
			return damaged(decoder, "it makes no progress", err);
	} while (*length_out == 0 && input->length > 0);
	return 0;
}

int stream_decoder_finish(struct stream_decoder *decoder, struct error *err)
{
	if (decoder->between && decoder->any)
		return 0;
	return error_set(err, ERROR_CORRUPT, "%s data is cut short",
			 codec_name(decoder->codec));
}
