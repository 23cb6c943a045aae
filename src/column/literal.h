#ifndef COLUMN_LITERAL_H
#define COLUMN_LITERAL_H
#include "column/type.h"

/* One value of one type. bytes are borrowed: from an arena, a spec, a page. */
struct literal {
	struct type type;
	bool is_null;
	union {
		uint8_t boolean;
		int32_t int32;		/* INTEGER, DATE */
		int64_t int64;		/* BIGINT, TIME, TIMESTAMP(_TZ) */
		float real;
		double real64;		/* DOUBLE */
		int128_t decimal;	/* every DECIMAL */
		struct byte_view bytes;	/* VARCHAR, VARBINARY, FIXED,
						 * packed ROW, ARRAY, MAP */
		struct uuid uuid;
	} value;
};

struct literal literal_null(struct type type);
/* Copy with its bytes into arena. */
int literal_copy(struct literal *out, const struct literal *literal,
		 struct arena *arena, struct error *err);
/*
 * Total order of two non-null values of one type: <0, 0, >0. Text and binary
 * bytewise; numbers by value; for REAL and DOUBLE -0.0 equals 0.0 and NaN is
 * the greatest (as ORDER BY sorts it, not as = compares it). Nested values as
 * nested_compare().
 */
int literal_compare(const struct literal *a, const struct literal *b);
#endif
