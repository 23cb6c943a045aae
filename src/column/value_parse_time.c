/*
 * value_parse_time.c - text to DATE, TIME and TIMESTAMP
 *
 * Why:    a day that is not in the calendar, a fraction that would be cut or
 *         an offset that nobody asked for must be refused, and the rest read
 *         at the speed of the disk.
 * How:    the usual form has its digits and marks at fixed places: eight
 *         characters are checked and turned into numbers of two digits in one
 *         go. Signed years and years of five or more digits go the long way.
 * Cost:   about 5 ns a date, 10 ns a timestamp.
 * Limits: no leap second, no hour 24.
 */
#include "column/value_parse.h"
#include "column/civil_date.h"
#include "column/digit_scan.h"

#define YEAR_LIMIT 294247
#define OFFSET_LIMIT_MINUTES (18 * 60)
#define US_PER_MINUTE (60 * US_PER_SECOND)

/* Eight characters as they must be: '0' for a digit, else the mark itself. */
#define SHAPE(a, b, c, d, e, f, g, h) \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | \
	 (uint64_t)(d) << 24 | (uint64_t)(e) << 32 | (uint64_t)(f) << 40 | \
	 (uint64_t)(g) << 48 | (uint64_t)(h) << 56)
/* Added to a byte it sets the top bit past 9 (digit), past 0 (mark). */
#define D 0x76
#define M 0x7f
#define YEAR_MONTH SHAPE('0', '0', '0', '0', '-', '0', '0', '-')
#define YEAR_MONTH_LIMITS SHAPE(D, D, D, D, M, D, D, M)
#define CLOCK SHAPE('0', '0', ':', '0', '0', ':', '0', '0')
#define CLOCK_LIMITS SHAPE(D, D, M, D, D, M, D, D)

/*
 * Digits become their values, marks 0; then each byte is ten times itself
 * plus the next one. Complaints are collected in *bad.
 */
static inline uint64_t pair_up(uint64_t word, uint64_t shape, uint64_t limits,
			       uint64_t *bad)
{
	word ^= shape;
	*bad |= ((word + limits) | word) & SCAN_HIGH_BITS;
	return word * 10 + (word >> 8);
}

static inline unsigned pair_at(uint64_t pairs, unsigned byte)
{
	return (unsigned)(pairs >> (8 * byte)) & 0xff;
}

/* "YYYY-MM-DD" in ten characters. */
static inline bool parse_plain_date(const char *data, int32_t *days)
{
	uint64_t bad = 0;
	uint64_t pairs = pair_up(scan_load8(data), YEAR_MONTH,
				 YEAR_MONTH_LIMITS, &bad);
	unsigned tens = (unsigned)(uint8_t)data[8] - '0';
	unsigned ones = (unsigned)(uint8_t)data[9] - '0';
	unsigned day = tens * 10 + ones;
	unsigned month = pair_at(pairs, 5);
	int32_t year = (int32_t)(pair_at(pairs, 0) * 100 + pair_at(pairs, 2));

	if (bad || tens > 9 || ones > 9)
		return false;
	if (day - 1 >= 28 || month - 1 >= 12) {
		if (!civil_is_valid(year, month, day))
			return false;
	}
	*days = civil_to_days(year, month, day);
	return true;
}

/* Signed years and long ones: [+-]YYYY.. -MM-DD. How much was read, 0 = none;
 * *rc says why. */
static size_t parse_long_date(const char *data, size_t length, int32_t *days,
			      int *rc)
{
	const char *at = data, *end;
	uint64_t year = 0, month, day;
	size_t digit_count = 0;
	bool negative;

	*rc = ERROR_CAST;
	if (length == 0)
		return 0;
	end = data + length;
	negative = *at == '-';
	if (negative || (at < end && *at == '+'))
		at++;
	for (; at < end && *at >= '0' && *at <= '9'; at++, digit_count++)
		if (year <= YEAR_LIMIT)
			year = year * 10 + (uint64_t)(*at - '0');
	if (digit_count < 4 || end - at < 6 || at[0] != '-' || at[3] != '-' ||
	    !scan_digits(at + 1, 2, &month) || !scan_digits(at + 4, 2, &day))
		return 0;
	if (year > YEAR_LIMIT) {
		*rc = ERROR_OVERFLOW;
		return 0;
	}
	if (!civil_is_valid(negative ? -(int32_t)year : (int32_t)year,
			    (unsigned)month, (unsigned)day))
		return 0;
	*rc = 0;
	*days = civil_to_days(negative ? -(int32_t)year : (int32_t)year,
			      (unsigned)month, (unsigned)day);
	return (size_t)(at + 6 - data);
}

/* The date in front; how long it is, 0 = none. */
static inline size_t parse_date_part(const char *data, size_t length,
				     int32_t *days, int *rc)
{
	if (length >= 10 && parse_plain_date(data, days)) {
		*rc = 0;
		return 10;
	}
	return parse_long_date(data, length, days, rc);
}

int parse_date(const char *data, size_t length, int32_t *out)
{
	int rc;
	size_t used = parse_date_part(data, length, out, &rc);

	if (used == length && rc == 0)
		return 0;
	*out = 0;
	return rc ? rc : ERROR_CAST;
}

/* ".f...", at least one digit; what is past the sixth must be 0. How long it
 * is, 0 = none. */
static inline size_t parse_fraction(const char *data, size_t length,
				    int64_t *out)
{
	uint64_t word, other;
	size_t count;

	if (length < 2)
		return 0;
	/* the first characters after the point, then no digits */
	word = length > 8 ? scan_load8(data + 1)
			  : scan_load_right(data + 1, length - 1) >>
			    (8 * (9 - length));
	word ^= SCAN_ZEROES;
	other = ((word + UINT64_C(0x7676767676767676)) | word) &
		SCAN_HIGH_BITS;
	count = other ? (size_t)__builtin_ctzll(other) / 8 : 8;
	if (count == 0)
		return 0;
	word = scan_value8(word << (8 * (8 - count)));
	if (count <= 6) {
		*out = (int64_t)(word * power10_table[6 - count]);
		return count + 1;
	}
	if (count == 7)
		word *= 10;
	*out = (int64_t)(word / 100);
	if (word % 100)
		return 0;
	for (count++; count < length && data[count] >= '0' &&
	     data[count] <= '9'; count++)
		if (data[count] != '0')
			return 0;
	return count;
}

/* HH:MM[:SS[.f]] in front, in microseconds; how long it is, 0 = none. */
static inline size_t parse_clock(const char *data, size_t length,
				 int64_t *out)
{
	uint64_t pairs, hour, minute, bad = 0;
	int64_t fraction = 0;
	size_t used = 8;

	if (length < 8 || data[5] != ':') {
		if (length < 5 || data[2] != ':' ||
		    !scan_digits(data, 2, &hour) ||
		    !scan_digits(data + 3, 2, &minute) || hour > 23 ||
		    minute > 59)
			return 0;
		*out = (int64_t)(hour * 60 + minute) * US_PER_MINUTE;
		return 5;
	}
	pairs = pair_up(scan_load8(data), CLOCK, CLOCK_LIMITS, &bad);
	if (bad || pair_at(pairs, 0) > 23 || pair_at(pairs, 3) > 59 ||
	    pair_at(pairs, 6) > 59)
		return 0;
	if (length > 8 && data[8] == '.') {
		size_t more = parse_fraction(data + 8, length - 8, &fraction);

		if (more == 0)
			return 0;
		used += more;
	}
	*out = (int64_t)(pair_at(pairs, 0) * 3600 + pair_at(pairs, 3) * 60 +
			 pair_at(pairs, 6)) * US_PER_SECOND + fraction;
	return used;
}

int parse_time(const char *data, size_t length, int64_t *out)
{
	if (length > 0 && parse_clock(data, length, out) == length)
		return 0;
	*out = 0;
	return ERROR_CAST;
}

/* A date with or without a time in front; 0 = none and *rc says why. */
static inline size_t parse_local(const char *data, size_t length,
				 int64_t *out, int *rc)
{
	int32_t days;
	int64_t clock = 0;
	size_t used = parse_date_part(data, length, &days, rc);
	size_t more;

	if (used == 0)
		return 0;
	if (length > used + 1 && (data[used] == 'T' || (data[used] == ' ' &&
	    data[used + 1] >= '0' && data[used + 1] <= '9'))) {
		more = parse_clock(data + used + 1, length - used - 1, &clock);
		if (more == 0) {
			*rc = ERROR_CAST;
			return 0;
		}
		used += 1 + more;
	}
	if (__builtin_mul_overflow((int64_t)days, US_PER_DAY, out) ||
	    __builtin_add_overflow(*out, clock, out)) {
		/* the first day of all starts before the first instant */
		if (days >= 0 || __builtin_mul_overflow((int64_t)days + 1,
							US_PER_DAY, out) ||
		    __builtin_add_overflow(*out, clock - US_PER_DAY, out)) {
			*rc = ERROR_OVERFLOW;
			return 0;
		}
	}
	return used;
}

int parse_timestamp(const char *data, size_t length, int64_t *out)
{
	int rc;
	size_t used = parse_local(data, length, out, &rc);

	if (used == length && rc == 0)
		return 0;
	*out = 0;
	return rc ? rc : ERROR_CAST;
}

/* Z, " UTC", [ ]+HH, [ ]+HH:MM, [ ]+HHMM, all of length. */
static bool parse_offset(const char *data, size_t length, int64_t *out)
{
	uint64_t hours, minutes = 0;
	bool negative;

	*out = 0;
	if (length == 4 && memcmp(data, " UTC", 4) == 0)
		return true;
	if (length > 1 && *data == ' ') {
		data++;
		length--;
	}
	if (length == 1)
		return *data == 'Z' || *data == 'z';
	if (length < 3 || (*data != '+' && *data != '-'))
		return false;
	negative = *data == '-';
	if (!scan_digits(data + 1, 2, &hours))
		return false;
	data += 3;
	length -= 3;
	if (length == 3 && *data == ':') {
		data++;
		length--;
	}
	if ((length != 0 && length != 2) ||
	    !scan_digits(data, length, &minutes) || minutes > 59)
		return false;
	minutes += hours * 60;
	if (minutes > OFFSET_LIMIT_MINUTES)
		return false;
	*out = (int64_t)minutes * (negative ? -US_PER_MINUTE : US_PER_MINUTE);
	return true;
}

int parse_timestamp_tz(const char *data, size_t length,
		       const struct time_zone *zone, int64_t *out)
{
	int64_t offset = 0;
	int rc;
	size_t used = parse_local(data, length, out, &rc);

	if (!rc && used == length)
		offset = time_zone_local_us(zone, *out);
	if (!rc && used < length &&
	    !parse_offset(data + used, length - used, &offset))
		rc = ERROR_CAST;
	if (!rc && __builtin_sub_overflow(*out, offset, out))
		rc = ERROR_OVERFLOW;
	if (rc)
		*out = 0;
	return rc;
}
