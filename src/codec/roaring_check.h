#ifndef CODEC_ROARING_CHECK_H
#define CODEC_ROARING_CHECK_H
#include "codec/varint.h"

/*
 * Walk one portable 32-bit Roaring bitmap at the cursor and check all of it:
 * sizes, order, cardinalities. On success the cursor stands behind it and
 * *members_out says how many positions it has; on false the bytes are none.
 */
bool roaring_check(struct cursor *c, uint64_t *members_out);
#endif
