#ifndef CODEC_CODEC_LZ4_H
#define CODEC_CODEC_LZ4_H
#include "codec/block_codec.h"

/* The LZ4 part of block_codec.h; codec is one of the three CODEC_LZ4_*. */
int codec_lz4_compress(enum codec_id codec, struct byte_view in,
		       struct text *out, struct error *err);
int codec_lz4_decompress(enum codec_id codec, struct byte_view in, void *out,
			 size_t out_length, struct error *err);
int codec_lz4_decompress_text(enum codec_id codec, struct byte_view in,
			      size_t limit_bytes, struct text *out,
			      struct error *err);
#endif
