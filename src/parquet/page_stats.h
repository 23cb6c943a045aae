#ifndef PARQUET_PAGE_STATS_H
#define PARQUET_PAGE_STATS_H
#include "codec/codec.h"
#include "column/column.h"

/* How the PLAIN bytes of two values of a column compare. */
enum value_order {
	VALUE_ORDER_BOOL,
	VALUE_ORDER_I32,
	VALUE_ORDER_I64,
	VALUE_ORDER_F32,
	VALUE_ORDER_F64,
	VALUE_ORDER_BYTES,	/* unsigned, bytewise */
	VALUE_ORDER_DECIMAL,	/* big-endian two's complement of one length */
};

enum value_order value_order_of(const struct type *type);
int value_order_compare(enum value_order order, struct byte_view a,
			struct byte_view b);

/*
 * Smallest and greatest value of a page as PLAIN bytes without length. They
 * point into the values of the page or into store.
 */
struct value_bounds {
	bool has_bounds;
	struct byte_view min;
	struct byte_view max;
	uint8_t store[2][8];
	size_t nan_count;
};

/* Of count words (I32, I64, F32, F64) or bytes 0 and 1 (BOOL). */
void value_bounds_words(enum value_order order, const void *words,
			size_t count, struct value_bounds *out);
/* Of values of `width` bytes back to back. */
void value_bounds_fixed(enum value_order order, const uint8_t *data,
			size_t width, size_t count, struct value_bounds *out);
/* Of PLAIN BYTE_ARRAY values. 8 bytes beyond the last may be looked at. */
void value_bounds_bytes(const uint8_t *data, size_t count,
			struct value_bounds *out);
/* Of some byte views: those whose bit is set in used. */
void value_bounds_views(const struct byte_view *views, const uint64_t *used,
			size_t count, struct value_bounds *out);
/*
 * Cut a bound to at most limit bytes, if that is possible: a minimum to a
 * prefix, a maximum to a prefix that is then made greater. Text stays
 * well-formed. The result is a copy in arena; data NULL = out of memory.
 */
struct byte_view value_bound_cut(struct byte_view value, bool is_max,
				 bool is_text, size_t limit, bool *is_cut,
				 struct arena *arena);
#endif
