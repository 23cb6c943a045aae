/*
 * civil_date.c - days since 1970-01-01 to years, months and days and back
 *
 * Why:    dates are stored as day numbers and read and written as text,
 *         millions at a time, so the way must be short.
 * How:    a year that starts on 1 March puts the leap day last; then months,
 *         years and centuries fall out of multiplications and shifts. Days
 *         are first moved by whole 400-year eras to be positive.
 * Limits: exact for each int32 day number and for the years that gives.
 */
#include "column/civil_date.h"

const char *const civil_month_names[12] = {
	"January", "February", "March", "April", "May", "June", "July",
	"August", "September", "October", "November", "December",
};

const char *const civil_day_names[7] = {
	"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	"Sunday",
};

#define DAYS_PER_ERA 146097	/* 400 years */
/* Eras added so that the supported years count from a positive 1 March 0. */
#define ERA_SHIFT 800
#define DAY_SHIFT (719468u + DAYS_PER_ERA * ERA_SHIFT)
#define YEAR_SHIFT (400 * ERA_SHIFT)
#define FAST_DAY_LIMIT 110000000

static const uint8_t month_days[16] = {
	0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
};

int32_t civil_to_days(int32_t year, unsigned month, unsigned day)
{
	uint32_t late = month <= 2;
	uint32_t shifted_year = (uint32_t)year + YEAR_SHIFT - late;
	uint32_t shifted_month = month + 12 * late;
	uint32_t century = shifted_year / 100;
	uint32_t year_days;
	uint32_t month_start = (979 * shifted_month - 2919) / 32;

	if (year > YEAR_SHIFT - 1 || year < 1 - YEAR_SHIFT) {
		int32_t era = year / 400;

		return (int32_t)((uint32_t)civil_to_days(year - 400 * era,
							 month, day) +
				 (uint32_t)era * DAYS_PER_ERA);
	}
	year_days = 1461 * shifted_year / 4 - century + century / 4;
	return (int32_t)(year_days + month_start + day - 1 - DAY_SHIFT);
}

static struct civil_date from_near_days(int32_t days)
{
	uint32_t n = (uint32_t)days + DAY_SHIFT;
	uint32_t century = (4 * n + 3) / DAYS_PER_ERA;
	uint32_t century_day = (4 * n + 3) % DAYS_PER_ERA / 4;
	/* 2939745 / 2^32 is 4 / 1461 rounded up: day of century to year */
	uint64_t scaled = UINT64_C(2939745) * (4 * century_day + 3);
	uint32_t year_of_century = (uint32_t)(scaled >> 32);
	uint32_t year_day = (uint32_t)scaled / 2939745 / 4;
	uint32_t packed = 2141 * year_day + 197913;
	uint32_t month = packed >> 16;
	uint32_t late = year_day >= 306;	/* January or February */
	struct civil_date date;

	date.year = (int32_t)(100 * century + year_of_century + late) -
		    YEAR_SHIFT;
	date.month = (uint8_t)(month - 12 * late);
	date.day = (uint8_t)((packed & 0xffff) / 2141 + 1);
	return date;
}

struct civil_date civil_from_days(int32_t days)
{
	struct civil_date date;
	int64_t era;

	if (days >= -FAST_DAY_LIMIT && days <= FAST_DAY_LIMIT)
		return from_near_days(days);
	era = floor_div(days, DAYS_PER_ERA);
	date = from_near_days((int32_t)(days - era * DAYS_PER_ERA));
	date.year += (int32_t)(era * 400);
	return date;
}

bool civil_is_valid(int32_t year, unsigned month, unsigned day)
{
	unsigned last;

	if (month < 1 || month > 12)
		return false;
	last = month_days[month];
	if (month == 2 && year % 4 == 0 &&
	    (year % 100 != 0 || year % 400 == 0))
		last = 29;
	return day >= 1 && day <= last;
}
