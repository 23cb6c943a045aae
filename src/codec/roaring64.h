#ifndef CODEC_ROARING64_H
#define CODEC_ROARING64_H
#include "util/util.h"

/*
 * A set of row positions below 2^63: 32-bit Roaring bitmaps (CRoaring) by the
 * high word, as Iceberg's deletion vectors hold them. For one thread.
 */
struct roaring64;
int roaring64_new(struct roaring64 **out, struct error *err);
void roaring64_free(struct roaring64 *set);
int roaring64_add(struct roaring64 *set, uint64_t position, struct error *err);
int roaring64_add_many(struct roaring64 *set, const uint64_t *positions,
		       size_t count, struct error *err);
bool roaring64_contains(const struct roaring64 *set, uint64_t position);
uint64_t roaring64_cardinality(const struct roaring64 *set);
/* set |= other. */
int roaring64_union(struct roaring64 *set, const struct roaring64 *other,
		    struct error *err);
/* Positions >= first in ascending order, at most capacity; returns how
 * many. Call again with last + 1. */
size_t roaring64_positions(const struct roaring64 *set, uint64_t first,
			   uint64_t *out, size_t capacity);
/* Clear in keep (bit i = row first + i, count bits) every member. */
void roaring64_clear_bits(const struct roaring64 *set, uint64_t first,
			  size_t count, uint64_t *keep);
/*
 * The payload of iceberg.md 13: number of bitmaps (8 LE), then key (4 LE) and
 * portable bitmap each. Run-optimised. Appends to out.
 */
int roaring64_serialize(struct roaring64 *set, struct text *out,
			struct error *err);
/* Every length is checked; all of data must be used. ERROR_CORRUPT. */
int roaring64_deserialize(struct roaring64 **out, const void *data,
			  size_t length, struct error *err);
#endif
