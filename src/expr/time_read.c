/*
 * time_read.c - dates and times out of text
 *
 * Why:    see time_format.c; reading is the larger half.
 * How:    the items collect what they read; then it is put together: a week
 *         year or week makes a date by ISO weeks, a day of the year one by
 *         it, else year, month and day. What is missing is as at 1970-01-01
 *         00:00. Whatever does not exist is refused.
 */
#include <strings.h>
#include "expr/time_format.h"

#define US_PER_HOUR (3600 * US_PER_SECOND)
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define YEAR_LIMIT 290000
#define OFFSET_HOURS 18

struct reader {
	const uint8_t *at;
	const uint8_t *end;
	int64_t year, month, day;
	int64_t week_year, week, weekday, year_day;	/* -1 = not there */
	bool has_week;
	int64_t hour, minute, second, us;
	int half;		/* -1 none, 0 AM, 1 PM */
	bool is_half_hour;
	bool has_offset;
	int64_t offset;
};

static void reader_begin(struct reader *r, struct byte_view text)
{
	memset(r, 0, sizeof(*r));
	r->at = text.data;
	r->end = text.data + text.length;
	r->year = r->week_year = 1970;
	r->month = r->day = r->week = 1;
	r->weekday = 1;
	r->year_day = -1;
	r->half = -1;
}

static bool is_digit(const struct reader *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool take(struct reader *r, uint8_t c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static size_t digits_left(const struct reader *r)
{
	const uint8_t *at = r->at;

	while (at < r->end && *at >= '0' && *at <= '9')
		at++;
	return (size_t)(at - r->at);
}

/* One to most digits. */
static bool read_number(struct reader *r, unsigned most, int64_t *out)
{
	int64_t value = 0;
	unsigned count = 0;

	for (; count < most && count < 18 && is_digit(r); count++)
		value = value * 10 + *r->at++ - '0';
	*out = value;
	return count > 0;
}

/* Exactly so many. */
static bool read_digits(struct reader *r, unsigned count, int64_t *out)
{
	return digits_left(r) >= count && read_number(r, count, out);
}

static bool read_year(struct reader *r, unsigned most, int64_t *out)
{
	bool is_negative = take(r, '-');

	if (!is_negative)
		take(r, '+');
	if (!read_number(r, most, out))
		return false;
	if (is_negative)
		*out = -*out;
	return true;
}

/* Digits of the fraction; more than six are cut off. */
static bool read_fraction(struct reader *r, unsigned most)
{
	int64_t scale = US_PER_SECOND / 10;
	unsigned count = 0;

	r->us = 0;
	for (; count < most && is_digit(r); count++) {
		r->us += (*r->at++ - '0') * scale;
		scale /= 10;
	}
	return count > 0;
}

/* A name, or its first three letters; the number from 1. */
static bool read_name(struct reader *r, const char *const *names,
		      size_t count, int64_t *out)
{
	size_t left = (size_t)(r->end - r->at);

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (left < length ||
		    strncasecmp((const char *)r->at, names[i], length) != 0)
			length = 3;
		if (left < length ||
		    strncasecmp((const char *)r->at, names[i], length) != 0)
			continue;
		r->at += length;
		*out = (int64_t)i + 1;
		return true;
	}
	return false;
}

/* Z, +hh, +hhmm, +hh:mm */
static bool read_offset(struct reader *r)
{
	int64_t hours, minutes = 0;
	bool is_negative = r->at < r->end && *r->at == '-';

	r->has_offset = true;
	r->offset = 0;
	if (take(r, 'Z'))
		return true;
	if ((!take(r, '+') && !take(r, '-')) || !read_digits(r, 2, &hours))
		return false;
	if (take(r, ':') || digits_left(r) >= 2) {
		if (!read_digits(r, 2, &minutes))
			return false;
	}
	if (minutes > 59 || hours * 60 + minutes > OFFSET_HOURS * 60)
		return false;
	r->offset = (hours * 60 + minutes) * (is_negative ? -60 : 60);
	return true;
}

static bool read_half_day(struct reader *r)
{
	if (r->end - r->at < 2)
		return false;
	if (strncasecmp((const char *)r->at, "AM", 2) == 0)
		r->half = 0;
	else if (strncasecmp((const char *)r->at, "PM", 2) == 0)
		r->half = 1;
	else
		return false;
	r->at += 2;
	return true;
}

static bool read_literal(struct reader *r, struct byte_view literal)
{
	if ((size_t)(r->end - r->at) < literal.length ||
	    memcmp(r->at, literal.data, literal.length) != 0)
		return false;
	r->at += literal.length;
	return true;
}

static bool in_range(int64_t value, int64_t least, int64_t most)
{
	return value >= least && value <= most;
}

static bool read_clock_item(struct reader *r, const struct time_item *item)
{
	int64_t value;

	if (!read_number(r, item->most, &value))
		return false;
	switch (item->kind) {
	case ITEM_HOUR:
		r->hour = value;
		return value <= 23;
	case ITEM_HOUR_FROM_1:
		r->hour = value % 24;
		return in_range(value, 1, 24);
	case ITEM_HALF_HOUR:
		r->hour = value;
		r->is_half_hour = true;
		return value <= 11;
	case ITEM_HALF_HOUR_FROM_1:
		r->hour = value % 12;
		r->is_half_hour = true;
		return in_range(value, 1, 12);
	case ITEM_MINUTE:
		r->minute = value;
		return value <= 59;
	default:
		r->second = value;
		return value <= 59;
	}
}

static bool read_week_item(struct reader *r, const struct time_item *item)
{
	int64_t *out = &r->weekday;

	r->has_week |= item->kind != ITEM_DAY_OF_WEEK;
	if (item->kind == ITEM_WEEK_YEAR)
		return read_year(r, item->most, &r->week_year);
	if (item->kind == ITEM_WEEK)
		out = &r->week;
	return read_number(r, item->most, out);
}

static bool read_item(struct reader *r, const struct time_item *item)
{
	switch (item->kind) {
	case ITEM_LITERAL:
		return read_literal(r, item->literal);
	case ITEM_YEAR:
		return read_year(r, item->most, &r->year);
	case ITEM_SHORT_YEAR:
		if (!read_digits(r, 2, &r->year))
			return false;
		r->year += r->year < 70 ? 2000 : 1900;
		return true;
	case ITEM_MONTH:
		return read_number(r, item->most, &r->month);
	case ITEM_MONTH_NAME:
	case ITEM_SHORT_MONTH_NAME:
		return read_name(r, civil_month_names, 12, &r->month);
	case ITEM_DAY:
		return read_number(r, item->most, &r->day);
	case ITEM_DAY_OF_YEAR:
		return read_number(r, item->most, &r->year_day);
	case ITEM_WEEK_YEAR:
	case ITEM_WEEK:
	case ITEM_DAY_OF_WEEK:
		return read_week_item(r, item);
	case ITEM_DAY_NAME:
	case ITEM_SHORT_DAY_NAME:
		return read_name(r, civil_day_names, 7, &r->weekday);
	case ITEM_HALF_DAY:
		return read_half_day(r);
	case ITEM_FRACTION:
		return read_fraction(r, item->most);
	case ITEM_OFFSET:
	case ITEM_OFFSET_COLON:
		return read_offset(r);
	case ITEM_ZONE_NAME:
		return false;
	default:
		return read_clock_item(r, item);
	}
}

/* The day, if there is such a one. */
static bool put_date(const struct reader *r, int64_t *day)
{
	int64_t days;

	if (r->has_week)
		return week_to_day(r->week_year, r->week, r->weekday, day);
	if (!in_range(r->year, -YEAR_LIMIT, YEAR_LIMIT))
		return false;
	if (r->year_day != -1) {
		days = civil_to_days((int32_t)r->year, 1, 1);
		*day = days + r->year_day - 1;
		return in_range(r->year_day, 1, 366) &&
		       civil_from_days((int32_t)*day).year == r->year;
	}
	if (!in_range(r->month, 1, 12) || !in_range(r->day, 1, 31) ||
	    !civil_is_valid((int32_t)r->year, (unsigned)r->month,
			    (unsigned)r->day))
		return false;
	*day = civil_to_days((int32_t)r->year, (unsigned)r->month,
			     (unsigned)r->day);
	return true;
}

static bool put_together(const struct reader *r, struct time_parts *parts)
{
	int64_t hour = r->hour;

	memset(parts, 0, sizeof(*parts));
	if (r->at != r->end || !put_date(r, &parts->day))
		return false;
	if (r->is_half_hour && r->half == 1)
		hour += 12;
	parts->us = hour * US_PER_HOUR + r->minute * US_PER_MINUTE +
		    r->second * US_PER_SECOND + r->us;
	parts->has_offset = r->has_offset;
	parts->offset = (int32_t)r->offset;
	return true;
}

bool time_format_read(const struct time_format *format, struct byte_view text,
		      struct time_parts *parts)
{
	struct reader r;

	reader_begin(&r, text);
	for (size_t i = 0; i < format->count; i++) {
		if (!read_item(&r, &format->items[i]))
			return false;
	}
	return put_together(&r, parts);
}

/* ---- ISO 8601 ---- */

static bool read_iso_date(struct reader *r)
{
	bool is_signed = r->at < r->end && (*r->at == '+' || *r->at == '-');

	if (!is_signed && digits_left(r) != 4)
		return false;
	if (!read_year(r, 6, &r->year))
		return false;
	if (!take(r, '-'))
		return true;
	if (take(r, 'W')) {
		r->has_week = true;
		r->week_year = r->year;
		if (!read_digits(r, 2, &r->week))
			return false;
		return !take(r, '-') || read_digits(r, 1, &r->weekday);
	}
	if (digits_left(r) == 3)
		return read_digits(r, 3, &r->year_day);
	if (!read_digits(r, 2, &r->month))
		return false;
	return !take(r, '-') || read_digits(r, 2, &r->day);
}

static bool read_iso_time(struct reader *r)
{
	if (!read_digits(r, 2, &r->hour) || r->hour > 23)
		return false;
	if (take(r, ':')) {
		if (!read_digits(r, 2, &r->minute) || r->minute > 59)
			return false;
		if (take(r, ':')) {
			if (!read_digits(r, 2, &r->second) || r->second > 59)
				return false;
			if ((take(r, '.') || take(r, ',')) &&
			    !read_fraction(r, 12))
				return false;
		}
	}
	return r->at == r->end || read_offset(r);
}

bool time_read_iso(struct byte_view text, bool time, struct time_parts *parts)
{
	struct reader r;

	reader_begin(&r, text);
	if (!text.length || !read_iso_date(&r))
		return false;
	if (time && take(&r, 'T') && !read_iso_time(&r))
		return false;
	return put_together(&r, parts);
}
