#ifndef JOIN_ROW_BLOCK_H
#define JOIN_ROW_BLOCK_H
#include "column/column.h"

/*
 * Columns as bytes of a temporary file of our own. Numbers are as in memory;
 * nothing is aligned.
 */
struct block_reader {
	const uint8_t *next;
	size_t left;
};

/* Append the first n values: 1 byte: nulls follow; their bits; the values, or
 * n lengths and then the bytes. */
void row_block_put(const struct vector *column, size_t n, struct text *block);
/* The inverse; bytes of values stay in the block. */
int row_block_take(struct block_reader *reader, size_t n, struct vector *out,
		   struct error *err);
/* The next length bytes; NULL past the end. */
const void *row_block_take_bytes(struct block_reader *reader, size_t length);
#endif
