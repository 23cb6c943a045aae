#ifndef CODEC_STREAM_CODEC_H
#define CODEC_STREAM_CODEC_H
#include "codec/block_codec.h"

/*
 * Decompress a stream piece by piece, for .gz and .zst inputs of any size.
 * Several gzip members or zstd frames are read through as one. An input that
 * ends inside a member or frame is ERROR_CORRUPT ("cut short") at finish.
 */
struct stream_decoder;
/* codec: CODEC_GZIP or CODEC_ZSTD; CODEC_DEFLATE, which has one member. */
int stream_decoder_new(struct stream_decoder **out, enum codec_id codec,
		       struct error *err);
/*
 * Take bytes from *input (moves it forward) and put up to capacity into
 * buffer; *length_out = 0 means that more input is needed.
 */
int stream_decoder_read(struct stream_decoder *decoder,
			struct byte_view *input, void *buffer,
			size_t capacity, size_t *length_out,
			struct error *err);
/* The input has ended: is the stream complete? */
int stream_decoder_finish(struct stream_decoder *decoder, struct error *err);
/* Begin a new stream with the memory of the old one. */
void stream_decoder_reset(struct stream_decoder *decoder);
void stream_decoder_free(struct stream_decoder *decoder);
#endif
