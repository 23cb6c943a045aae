#ifndef COLUMN_POWER_TABLE_H
#define COLUMN_POWER_TABLE_H
#include <stdint.h>

/* For this room only: the powers of five and ten that fit 64 bits. */
#define POWER5_COUNT 28
#define POWER10_COUNT 20

extern const uint64_t power5_table[POWER5_COUNT];
extern const uint64_t power10_table[POWER10_COUNT];
/* Those powers of ten that a double holds exactly: 10^0 .. 10^22. */
#define EXACT_POWER_COUNT 23
extern const double exact_power_table[EXACT_POWER_COUNT];
#endif
