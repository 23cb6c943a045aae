#ifndef COLUMN_SHORTEST_DECIMAL_H
#define COLUMN_SHORTEST_DECIMAL_H
#include <stdint.h>

/*
 * For this room only. The decimal of the fewest digits that reads back as a
 * number, and of those the closest to it: digits * 10^exponent, digits not
 * divisible by ten. value must be finite and greater than 0.
 */
struct shortest_decimal {
	uint64_t digits;
	int exponent;
};

struct shortest_decimal shortest_from_double(double value);
struct shortest_decimal shortest_from_real(float value);
#endif
