#ifndef COLUMN_TYPE_H
#define COLUMN_TYPE_H
#include <stdbool.h>
#include <stdint.h>
#include "util/util.h"

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

/*
 * SQL types; each is one Iceberg type. Beside each: the C type of one value
 * in a vector.
 */
enum type_id {
	TYPE_UNKNOWN,		/* the bare NULL literal; uint8_t, all null */
	TYPE_BOOLEAN,		/* uint8_t 0 or 1 */
	TYPE_TINYINT,		/* int8_t; operation of a change page only */
	TYPE_INTEGER,		/* int32_t */
	TYPE_BIGINT,		/* int64_t */
	TYPE_REAL,		/* float */
	TYPE_DOUBLE,		/* double */
	TYPE_DECIMAL,		/* int64_t if precision <= 18, else int128_t;
				 * the unscaled value */
	TYPE_DATE,		/* int32_t days since 1970-01-01 */
	TYPE_TIME,		/* int64_t microseconds since midnight */
	TYPE_TIMESTAMP,		/* int64_t microseconds, no zone */
	TYPE_TIMESTAMP_TZ,	/* int64_t microseconds UTC */
	TYPE_VARCHAR,		/* struct byte_view, well-formed UTF-8 */
	TYPE_VARBINARY,		/* struct byte_view */
	TYPE_FIXED,		/* struct byte_view of `length` bytes */
	TYPE_UUID,		/* struct uuid: 16 bytes big-endian */
	TYPE_ROW,		/* struct byte_view, packed (column/nested.h) */
	TYPE_ARRAY,		/* the same; one field "element" */
	TYPE_MAP,		/* the same; fields "key", "value" */
};

#define DECIMAL_MAX_PRECISION 38
#define DECIMAL_SHORT_PRECISION 18	/* fits int64_t */
#define TYPE_NESTING_LIMIT 64

struct column_def;

/* A plain value; two types are compared with type_equal(). The fields of a
 * nested type live in an arena that outlives it. */
struct type {
	enum type_id id;
	uint8_t precision;	/* DECIMAL 1..38 */
	uint8_t scale;		/* DECIMAL 0..precision */
	uint32_t length;	/* FIXED: bytes */
	struct column_def *fields;	/* ROW, ARRAY, MAP */
	size_t field_count;
};

static inline struct type type_of(enum type_id id)
{
	struct type type = { id, 0, 0, 0, NULL, 0 };

	return type;
}

static inline struct type type_decimal(unsigned precision, unsigned scale)
{
	struct type type = { TYPE_DECIMAL, (uint8_t)precision, (uint8_t)scale,
			     0, NULL, 0 };

	return type;
}

static inline bool type_is_short_decimal(const struct type *type)
{
	return type->id == TYPE_DECIMAL &&
	       type->precision <= DECIMAL_SHORT_PRECISION;
}

static inline bool type_is_long_decimal(const struct type *type)
{
	return type->id == TYPE_DECIMAL &&
	       type->precision > DECIMAL_SHORT_PRECISION;
}

/* VARCHAR, VARBINARY or FIXED: values are bytes. */
static inline bool type_is_bytes(const struct type *type)
{
	return type->id == TYPE_VARCHAR || type->id == TYPE_VARBINARY ||
	       type->id == TYPE_FIXED;
}

static inline bool type_is_nested(const struct type *type)
{
	return type->id == TYPE_ROW || type->id == TYPE_ARRAY ||
	       type->id == TYPE_MAP;
}

/* Bytes or nested: a value in a vector is a struct byte_view. */
static inline bool type_is_view(const struct type *type)
{
	return type_is_bytes(type) || type_is_nested(type);
}

bool type_is_numeric(const struct type *type);
bool type_equal(const struct type *a, const struct type *b);
/* Bytes of one value in a vector; 1 for UNKNOWN. */
size_t type_width(const struct type *type);
/* Append the SQL name: "DECIMAL(18,2)", "TIMESTAMP WITH TIME ZONE". */
bool type_format(const struct type *type, struct text *out);
/* The same into a buffer that is returned, cut if too small. */
#define TYPE_NAME_BYTES 128
const char *type_name(const struct type *type, char buffer[TYPE_NAME_BYTES]);
#endif
