#ifndef CODEC_BLOCK_CODEC_H
#define CODEC_BLOCK_CODEC_H
#include <stdbool.h>
#include "util/util.h"

enum codec_id {
	CODEC_NONE,
	CODEC_SNAPPY,		/* raw block */
	CODEC_GZIP,		/* RFC 1952, several members read through */
	CODEC_DEFLATE,		/* raw RFC 1951: Avro */
	CODEC_ZSTD,
	CODEC_LZ4_RAW,
	CODEC_LZ4_HADOOP,	/* Parquet codec 5: framed, else a raw block */
	CODEC_LZ4_FRAME,	/* LZ4 frames: Puffin */
};

/* Reusable working memory of one thread (zstd and zlib contexts). */
struct codec_context;
int codec_context_new(struct codec_context **out, struct error *err);
void codec_context_free(struct codec_context *context);

/* "zstd", ...; NULL is never returned. */
const char *codec_name(enum codec_id codec);
/*
 * Append the compressed form of data to out. level: zstd and gzip level, 0 =
 * the default that DESIGN asks for (zstd 1, gzip 6). Errors: ERROR_NO_MEMORY.
 */
int codec_compress(struct codec_context *context, enum codec_id codec,
		   int level, const void *data, size_t length,
		   struct text *out, struct error *err);
/*
 * Decompress into exactly out_length bytes. Anything else (too short, too
 * long, trailing garbage, damaged) is ERROR_CORRUPT.
 */
int codec_decompress(struct codec_context *context, enum codec_id codec,
		     const void *data, size_t length, void *out,
		     size_t out_length, struct error *err);
/* Decompress to a size not known before, at most limit_bytes. Appends. */
int codec_decompress_text(struct codec_context *context, enum codec_id codec,
			  const void *data, size_t length, size_t limit_bytes,
			  struct text *out, struct error *err);
#endif
