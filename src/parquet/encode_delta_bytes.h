#ifndef PARQUET_ENCODE_DELTA_BYTES_H
#define PARQUET_ENCODE_DELTA_BYTES_H
#include "parquet/encode_delta.h"

/*
 * DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY: places in such bytes.
 * Readers of pages that foreign writers made; we do not write them.
 */
struct delta_length_reader {
	struct delta_reader lengths;
	struct cursor bytes;
};

bool delta_length_init(struct delta_length_reader *reader, const void *data,
		       size_t length);
/* The next count values; they point into data. */
bool delta_length_read(struct delta_length_reader *reader,
		       struct byte_view *out, size_t count);

struct delta_bytes_reader {
	struct delta_reader prefixes;
	struct delta_length_reader suffixes;
	struct text last;	/* the value before */
};

bool delta_bytes_init(struct delta_bytes_reader *reader, const void *data,
		      size_t length);
void delta_bytes_release(struct delta_bytes_reader *reader);
/*
 * The next count values, built in heap. Errors: ERROR_CORRUPT (also when
 * they would take more than byte_limit bytes), ERROR_NO_MEMORY.
 */
int delta_bytes_read(struct delta_bytes_reader *reader, struct arena *heap,
		     size_t byte_limit, struct byte_view *out, size_t count,
		     struct error *err);
#endif
