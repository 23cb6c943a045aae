#ifndef COLUMN_DECIMAL128_H
#define COLUMN_DECIMAL128_H
#include "column/type.h"

/* 10^n for n in 0..38. */
int128_t decimal_power10(unsigned n);
/* Do all values of this magnitude fit precision digits? */
bool decimal_fits(int128_t unscaled, unsigned precision);
/* Checked 128-bit arithmetic: false on overflow of int128 itself. */
bool decimal_add(int128_t a, int128_t b, int128_t *out);
bool decimal_sub(int128_t a, int128_t b, int128_t *out);
bool decimal_mul(int128_t a, int128_t b, int128_t *out);
/*
 * Change the scale; fewer digits round a half away from zero. False when the
 * result does not fit 38 digits.
 */
bool decimal_rescale(int128_t value, unsigned from_scale, unsigned to_scale,
		     int128_t *out);
/*
 * a / b with the result at result_scale, a half rounded away from zero:
 * round(a * 10^(result_scale - a_scale + b_scale) / b), exact in 256 bits.
 * b != 0. False when it does not fit 38 digits.
 */
bool decimal_div(int128_t a, unsigned a_scale, int128_t b, unsigned b_scale,
		 unsigned result_scale, int128_t *out);
/* a % b at the larger scale, sign of a. b != 0. False on overflow. */
bool decimal_mod(int128_t a, unsigned a_scale, int128_t b, unsigned b_scale,
		 int128_t *out);
/* Nearest double, correctly rounded. */
double decimal_to_double(int128_t unscaled, unsigned scale);
/* From a finite double, a half away from zero, through the shortest decimal
 * text of the value as Trino does. False when it does not fit precision. */
bool decimal_from_double(double value, unsigned precision, unsigned scale,
			 int128_t *out);
/* Minimum-length two's complement big-endian (Iceberg single values, FLBA
 * with sign extension to a given length). Returns the bytes used (1..16). */
size_t decimal_to_bytes(int128_t value, uint8_t out[16]);
/* Sign-extended from length 1..16 bytes big-endian. */
int128_t decimal_from_bytes(const uint8_t *data, size_t length);
#endif
