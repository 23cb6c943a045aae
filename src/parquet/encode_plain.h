#ifndef PARQUET_ENCODE_PLAIN_H
#define PARQUET_ENCODE_PLAIN_H
#include "codec/codec.h"

/* PLAIN values. Readers move the cursor; false = the bytes do not suffice. */
bool plain_read_fixed(struct cursor *in, size_t width, void *out,
		      size_t count);
/* BYTE_ARRAY: u32 length and bytes; the views point into the input. */
bool plain_read_bytes(struct cursor *in, struct byte_view *out, size_t count);
/* Booleans from bit first on as bytes 0 and 1. */
void plain_unpack_bools(const uint8_t *bits, size_t first, size_t count,
			uint8_t *out);
/* Append bytes 0 and 1 as bits. */
bool plain_write_bools(struct text *out, const uint8_t *values, size_t count);
/* Append one BYTE_ARRAY value. */
bool plain_write_bytes(struct text *out, const void *data, size_t length);
#endif
