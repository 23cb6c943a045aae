#ifndef SOURCE_ROW_FORMAT_H
#define SOURCE_ROW_FORMAT_H
#include "source/source.h"

/* What csv_format.c and jsonl_format.c share. */

/* How the text of a value is made. */
enum format_kind {
	FORMAT_NONE,		/* UNKNOWN: always NULL */
	FORMAT_BOOLEAN,
	FORMAT_TINYINT,
	FORMAT_INTEGER,
	FORMAT_BIGINT,
	FORMAT_REAL,
	FORMAT_DOUBLE,
	FORMAT_SHORT_DECIMAL,
	FORMAT_LONG_DECIMAL,
	FORMAT_DATE,
	FORMAT_TIME,
	FORMAT_TIMESTAMP,
	FORMAT_TIMESTAMP_TZ,
	FORMAT_UUID,
	FORMAT_TEXT,		/* from here on of any length */
	FORMAT_BINARY,
	FORMAT_NESTED,		/* JSON */
};

enum format_kind format_kind_of(const struct type *type);
/* Bytes that a value of fixed length and what is around it takes. */
#define FORMAT_FIXED_BYTES (VALUE_TEXT_BYTES + 8)
/* A kind before FORMAT_TEXT, not null; at has FORMAT_FIXED_BYTES. Returns the
 * end. */
char *format_fixed_value(char *at, enum format_kind kind,
			 const struct vector *vector, size_t row);
/* Lower-case hex; at has 2 * length bytes. Returns the end. */
char *format_hex(char *at, struct byte_view bytes);
#endif
