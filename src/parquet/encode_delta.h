#ifndef PARQUET_ENCODE_DELTA_H
#define PARQUET_ENCODE_DELTA_H
#include "codec/codec.h"

/* DELTA_BINARY_PACKED: a place in such bytes. It yields the values in order
 * and never reads past end. */
struct delta_reader {
	const uint8_t *next;
	const uint8_t *end;
	size_t left;		/* values not yet given */
	bool is_first;		/* the first one stands in the header */
	uint64_t last;
	uint64_t min_delta;
	size_t mini_count;	/* miniblocks in a block */
	size_t mini_values;	/* values in a miniblock */
	const uint8_t *widths;	/* of the current block */
	size_t mini_at;		/* miniblocks of it begun */
	unsigned width;		/* of the current miniblock */
	size_t mini_left;	/* values of it not yet unpacked */
	size_t buffer_at;	/* deltas in buffer already used */
	size_t buffer_count;
#define DELTA_BUFFER_VALUES 64
	uint64_t buffer[DELTA_BUFFER_VALUES];
};

/* Read the header. False = damaged. */
bool delta_reader_init(struct delta_reader *reader, const void *data,
		       size_t length);
/* The next count values; false when there are not so many. */
bool delta_read32(struct delta_reader *reader, uint32_t *out, size_t count);
bool delta_read64(struct delta_reader *reader, uint64_t *out, size_t count);
/* Bytes that the whole sequence at data takes; false = damaged. */
bool delta_extent(const void *data, size_t length, size_t *bytes_out);

/* Append count values. */
bool delta_write32(struct text *out, const uint32_t *values, size_t count);
bool delta_write64(struct text *out, const uint64_t *values, size_t count);
#endif
