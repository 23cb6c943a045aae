#ifndef COLUMN_VALUE_FORMAT_H
#define COLUMN_VALUE_FORMAT_H
#include "column/literal.h"
#include "column/vector.h"

/*
 * Values to text as the manual has it ("Values"): what parse_value() reads
 * back. The fast ones write to a buffer of at least VALUE_TEXT_BYTES and
 * return the length, without NUL; the rest of the buffer may change too.
 */
#define VALUE_TEXT_BYTES 64
size_t format_int64(char *out, int64_t value);
size_t format_decimal(char *out, int128_t unscaled, unsigned scale);
/* Shortest text that reads back: "0.0", "1.5", "1.0E10", "NaN", "-Infinity",
 * with an exponent below 1E-3 and from 1E7 on, as Trino and Java print. */
size_t format_double(char *out, double value);
size_t format_real(char *out, float value);
/* "2024-01-31"; years past four digits have a sign: "+10000-01-01". */
size_t format_date(char *out, int32_t days);
/* Of a valid time of day, 0 .. US_PER_DAY - 1. */
size_t format_time(char *out, int64_t microseconds);
/* "2024-01-31 10:00:00.5"; the fraction only if it is not zero, without
 * trailing zeros; with_zone adds "+00:00". */
size_t format_timestamp(char *out, int64_t microseconds, bool with_zone);
/* Any non-null value appended: text as it is, binary in hex, nested values
 * as JSON (column/nested.h). */
bool format_value(const struct vector *vector, size_t row, struct text *out);
bool format_literal(const struct literal *value, struct text *out);
/* As SQL source: 'it''s', DATE '2024-01-31', DECIMAL '1.50', NULL,
 * ROW(1, 'a'), ARRAY[1], MAP(ARRAY['k'], ARRAY[1]). */
bool format_literal_sql(const struct literal *value, struct text *out);
#endif
