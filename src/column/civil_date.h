#ifndef COLUMN_CIVIL_DATE_H
#define COLUMN_CIVIL_DATE_H
#include <stdbool.h>
#include <stdint.h>

/* Proleptic Gregorian calendar, days since 1970-01-01. Years -290308 .. 294247
 * (what a timestamp in microseconds can hold) are supported. */
#define US_PER_SECOND INT64_C(1000000)
#define US_PER_DAY (INT64_C(86400) * US_PER_SECOND)

struct civil_date {
	int32_t year;
	uint8_t month;	/* 1..12 */
	uint8_t day;	/* 1..31 */
};

int32_t civil_to_days(int32_t year, unsigned month, unsigned day);
struct civil_date civil_from_days(int32_t days);
bool civil_is_valid(int32_t year, unsigned month, unsigned day);
/* English: of month 1 .. 12 less one; of the days of a week from Monday. */
extern const char *const civil_month_names[12];
extern const char *const civil_day_names[7];
/* Floor division for times before 1970. */
static inline int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
	int64_t rest = a % b;

	return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
#endif
