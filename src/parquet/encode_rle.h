#ifndef PARQUET_ENCODE_RLE_H
#define PARQUET_ENCODE_RLE_H
#include "codec/codec.h"

/*
 * The RLE / bit-packed hybrid: levels, dictionary indexes, RLE booleans.
 * A reader is a place in such bytes; it yields spans and never reads past
 * end. Zeroes are a reader at the end.
 */
struct rle_reader {
	const uint8_t *next;
	const uint8_t *end;
	unsigned width;
	bool is_packed;
	size_t run_left;	/* values of the current run not yet given */
	uint32_t value;		/* of a repeated run */
	const uint8_t *packed;	/* of a packed run: its first byte */
	size_t packed_at;	/* values of the packed run given so far */
};

/* width <= 32. */
void rle_reader_init(struct rle_reader *reader, const void *data,
		     size_t length, unsigned width);

/* Values in a row: count copies of value when is_run, else values[]. */
struct rle_span {
	bool is_run;
	uint32_t value;
	size_t count;
};
#define RLE_SPAN_VALUES 1024
/*
 * The next span of 1 .. limit values; a packed one has at most
 * RLE_SPAN_VALUES and is unpacked into values. False when the bytes end or
 * are malformed.
 */
bool rle_reader_span(struct rle_reader *reader, size_t limit,
		     uint32_t values[RLE_SPAN_VALUES], struct rle_span *span);
/*
 * count one-bit values (width must be 1) into bits from bit 0 on; the rest
 * of the last word is cleared. ones_out tells how many are 1.
 */
bool rle_reader_bits(struct rle_reader *reader, size_t count, uint64_t *bits,
		     size_t *ones_out);

/* Append count values of width bits. */
bool rle_write(struct text *out, const uint32_t *values, size_t count,
	       unsigned width);
/* The same for one-bit values given as a bitmap. */
bool rle_write_bits(struct text *out, const uint64_t *bits, size_t count);
/* One run of count copies. */
bool rle_write_run(struct text *out, uint32_t value, size_t count,
		   unsigned width);
#endif
