#ifndef COLUMN_VALUE_PARSE_H
#define COLUMN_VALUE_PARSE_H
#include "column/literal.h"
#include "column/time_zone.h"

/*
 * Text to values by the rules of the manual ("Values", "Input rules"); exact
 * or refused, never trimmed, no locale. All return 0 or the error code
 * without text (the caller knows file, line and column and sets them):
 * ERROR_CAST = not a value of the type, ERROR_OVERFLOW = does not fit it.
 */
int parse_boolean(const char *data, size_t length, uint8_t *out);
int parse_int32(const char *data, size_t length, int32_t *out);
int parse_int64(const char *data, size_t length, int64_t *out);
int parse_real(const char *data, size_t length, float *out);
/* Correctly rounded; NaN, Infinity, inf in any case, with sign. */
int parse_double(const char *data, size_t length, double *out);
/* Digits beyond scale must be zeroes unless round is true (a half away from
 * zero). Exponent form is read exactly. */
int parse_decimal(const char *data, size_t length, unsigned precision,
		  unsigned scale, bool round, int128_t *out);
int parse_date(const char *data, size_t length, int32_t *out);
int parse_time(const char *data, size_t length, int64_t *out);
/* YYYY-MM-DD[ T]HH:MM[:SS[.f]] or a date alone (midnight); digits of the
 * fraction past the sixth must be zero. An offset is refused. */
int parse_timestamp(const char *data, size_t length, int64_t *out);
/* The same with an offset (Z, +HH, +HH:MM, +HHMM, " UTC") made UTC; without
 * one it is a local time of the zone, NULL = UTC. */
int parse_timestamp_tz(const char *data, size_t length,
		       const struct time_zone *zone, int64_t *out);
int parse_uuid(const char *data, size_t length, struct uuid *out);
/* Hex, either case, optional "\x" in front; out holds length / 2 bytes. */
int parse_hex(const char *data, size_t length, uint8_t *out,
	      size_t *out_length);
/* Any type from text; bytes go into arena (or are borrowed: VARCHAR). */
int parse_value_in(const char *data, size_t length, const struct type *type,
		   const struct time_zone *zone, struct arena *arena,
		   struct literal *out);
int parse_value(const char *data, size_t length, const struct type *type,
		struct arena *arena, struct literal *out);
#endif
