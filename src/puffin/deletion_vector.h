#ifndef PUFFIN_DELETION_VECTOR_H
#define PUFFIN_DELETION_VECTOR_H
#include "codec/codec.h"

/*
 * The bytes of one blob of type deletion-vector-v1: decode and encode. Private
 * to puffin.
 */
#define PUFFIN_MAGIC "PFA1"
#define PUFFIN_MAGIC_BYTES 4
/* magic + footer: magic, length, flags, magic */
#define PUFFIN_MIN_BYTES (4 + 4 + 4 + 4 + 4)

/* Append. Errors: ERROR_NO_MEMORY. */
int deletion_vector_encode(struct roaring64 *positions, struct text *out,
			   struct error *err);
/* name is for messages. Errors: ERROR_CORRUPT. */
int deletion_vector_decode(struct roaring64 **out, const uint8_t *blob,
			   size_t length, const char *name,
			   struct error *err);
#endif
