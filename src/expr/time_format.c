/*
 * time_format.c - dates and times by a pattern
 *
 * Why:    date_format and date_parse take MySQL's patterns, format_datetime
 *         and parse_datetime Joda's; people have both in their files.
 * How:    a pattern becomes a list of items; writing and reading go through
 *         it. A number is read as far as it has digits, at most as many as
 *         the item may have, with or without leading zeroes, as Joda does.
 *         Names are English, read in any case.
 * Limits: no eras, centuries and zone names when reading; a year has at most
 *         six digits.
 */
#include <stdio.h>
#include <strings.h>
#include "expr/time_format.h"

#define US_PER_HOUR (3600 * US_PER_SECOND)
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define YEAR_LIMIT 290000

/* ---- patterns ---- */

static bool add_item(struct time_format *format, enum time_item_kind kind,
		     unsigned width, unsigned most)
{
	struct time_item *item = &format->items[format->count];

	if (format->count == TIME_ITEM_LIMIT)
		return false;
	format->count++;
	item->kind = kind;
	item->width = width;
	item->most = most;
	item->literal = byte_view(NULL, 0);
	return true;
}

static bool add_literal(struct time_format *format, const void *data,
			size_t length)
{
	if (!add_item(format, ITEM_LITERAL, 0, 0))
		return false;
	format->items[format->count - 1].literal = byte_view(data, length);
	return true;
}

static const struct {
	char letter;
	enum time_item_kind kind;
	unsigned width, most;
} mysql_items[] = {
	{ 'a', ITEM_SHORT_DAY_NAME, 0, 0 },
	{ 'b', ITEM_SHORT_MONTH_NAME, 0, 0 },
	{ 'c', ITEM_MONTH, 1, 2 },
	{ 'd', ITEM_DAY, 2, 2 },
	{ 'e', ITEM_DAY, 1, 2 },
	{ 'f', ITEM_FRACTION, 6, 9 },
	{ 'H', ITEM_HOUR, 2, 2 },
	{ 'h', ITEM_HALF_HOUR_FROM_1, 2, 2 },
	{ 'I', ITEM_HALF_HOUR_FROM_1, 2, 2 },
	{ 'i', ITEM_MINUTE, 2, 2 },
	{ 'j', ITEM_DAY_OF_YEAR, 3, 3 },
	{ 'k', ITEM_HOUR, 1, 2 },
	{ 'l', ITEM_HALF_HOUR_FROM_1, 1, 2 },
	{ 'M', ITEM_MONTH_NAME, 0, 0 },
	{ 'm', ITEM_MONTH, 2, 2 },
	{ 'p', ITEM_HALF_DAY, 0, 0 },
	{ 'S', ITEM_SECOND, 2, 2 },
	{ 's', ITEM_SECOND, 2, 2 },
	{ 'v', ITEM_WEEK, 2, 2 },
	{ 'W', ITEM_DAY_NAME, 0, 0 },
	{ 'x', ITEM_WEEK_YEAR, 4, 4 },
	{ 'Y', ITEM_YEAR, 4, 4 },
	{ 'y', ITEM_SHORT_YEAR, 2, 2 },
};

static const char *compile_mysql(struct time_format *format,
				 struct byte_view pattern);

/* %x of MySQL. */
static const char *mysql_item(struct time_format *format, const uint8_t *at)
{
	static const char clock[] = "%H:%i:%S", half[] = "%h:%i:%S %p";

	if (*at == 'T')
		return compile_mysql(format, byte_view(clock,
						       sizeof(clock) - 1));
	if (*at == 'r')
		return compile_mysql(format, byte_view(half,
						       sizeof(half) - 1));
	if (strchr("DUuVwX", (char)*at))
		return "%D, %U, %u, %V, %w and %X are not supported";
	for (size_t i = 0; i < ARRAY_COUNT(mysql_items); i++) {
		if (mysql_items[i].letter != (char)*at)
			continue;
		return add_item(format, mysql_items[i].kind,
				mysql_items[i].width, mysql_items[i].most) ?
			NULL : "too many items";
	}
	return add_literal(format, at, 1) ? NULL : "too many items";
}

static const char *compile_mysql(struct time_format *format,
				 struct byte_view pattern)
{
	size_t at = 0;

	while (at < pattern.length) {
		size_t from = at;
		const char *wrong;

		while (at < pattern.length && pattern.data[at] != '%')
			at++;
		if (at > from && !add_literal(format, pattern.data + from,
					      at - from))
			return "too many items";
		if (at == pattern.length)
			break;
		if (at + 1 == pattern.length || !pattern.data[at + 1])
			return "it ends in a %";
		wrong = mysql_item(format, pattern.data + at + 1);
		if (wrong)
			return wrong;
		at += 2;
	}
	return NULL;
}

/* Numbers and their letters: so many as the letter is repeated are written,
 * two or as many are read. */
static const struct {
	char letter;
	enum time_item_kind kind;
	unsigned most;
} joda_numbers[] = {
	{ 'y', ITEM_YEAR, 6 },
	{ 'Y', ITEM_YEAR, 6 },
	{ 'x', ITEM_WEEK_YEAR, 6 },
	{ 'w', ITEM_WEEK, 2 },
	{ 'e', ITEM_DAY_OF_WEEK, 1 },
	{ 'D', ITEM_DAY_OF_YEAR, 3 },
	{ 'd', ITEM_DAY, 2 },
	{ 'H', ITEM_HOUR, 2 },
	{ 'k', ITEM_HOUR_FROM_1, 2 },
	{ 'K', ITEM_HALF_HOUR, 2 },
	{ 'h', ITEM_HALF_HOUR_FROM_1, 2 },
	{ 'm', ITEM_MINUTE, 2 },
	{ 's', ITEM_SECOND, 2 },
};

static bool joda_item(struct time_format *format, char letter, unsigned count,
		      bool is_tight, const char **wrong)
{
	*wrong = NULL;
	for (size_t i = 0; i < ARRAY_COUNT(joda_numbers); i++) {
		unsigned most = joda_numbers[i].most;

		if (joda_numbers[i].letter != letter)
			continue;
		/* Digits follow: exactly as many as letters. */
		if (is_tight || most < count)
			most = count;
		if ((letter == 'y' || letter == 'Y') && count == 2)
			return add_item(format, ITEM_SHORT_YEAR, 2, 2);
		return add_item(format, joda_numbers[i].kind, count, most);
	}
	switch (letter) {
	case 'M':
		if (count <= 2)
			return add_item(format, ITEM_MONTH, count, 2);
		return add_item(format, count == 3 ? ITEM_SHORT_MONTH_NAME
						   : ITEM_MONTH_NAME, 0, 0);
	case 'E':
		return add_item(format, count <= 3 ? ITEM_SHORT_DAY_NAME
						   : ITEM_DAY_NAME, 0, 0);
	case 'a':
		return add_item(format, ITEM_HALF_DAY, 0, 0);
	case 'S':
		return add_item(format, ITEM_FRACTION, count, count);
	case 'Z':
		return add_item(format, count == 1 ? ITEM_OFFSET : count == 2
				? ITEM_OFFSET_COLON : ITEM_ZONE_NAME, 0, 0);
	case 'z':
		return add_item(format, ITEM_ZONE_NAME, 0, 0);
	default:
		*wrong = "it has a letter that means nothing here; put text "
			 "in quotes";
		return true;
	}
}

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* 'text', with '' for a quote; *at is behind the first quote. */
static const char *quoted(struct time_format *format,
			  struct byte_view pattern, size_t *at)
{
	if (*at < pattern.length && pattern.data[*at] == '\'')
		return add_literal(format, pattern.data + (*at)++, 1) ?
			NULL : "too many items";
	for (;;) {
		size_t from = *at;

		while (*at < pattern.length && pattern.data[*at] != '\'')
			++*at;
		if (*at == pattern.length)
			return "a quote is not closed";
		++*at;
		/* '' inside: with its first quote */
		if (*at < pattern.length && pattern.data[*at] == '\'') {
			if (!add_literal(format, pattern.data + from,
					 *at - from))
				return "too many items";
			++*at;
			continue;
		}
		if (*at - 1 > from &&
		    !add_literal(format, pattern.data + from,
				 *at - 1 - from))
			return "too many items";
		return NULL;
	}
}

static const char *compile_joda(struct time_format *format,
				struct byte_view pattern)
{
	size_t at = 0;

	while (at < pattern.length) {
		uint8_t c = pattern.data[at];
		size_t from = at;
		const char *wrong = NULL;

		if (c == '\'') {
			at++;
			wrong = quoted(format, pattern, &at);
		} else if (is_letter(c)) {
			bool is_tight;

			while (at < pattern.length && pattern.data[at] == c)
				at++;
			is_tight = at < pattern.length &&
				is_letter(pattern.data[at]) &&
				!strchr("aEzZ", pattern.data[at]);
			if (at - from > 20)
				wrong = "a letter is repeated too often";
			else if (!joda_item(format, (char)c,
					    (unsigned)(at - from), is_tight,
					    &wrong))
				wrong = "too many items";
		} else {
			while (at < pattern.length && pattern.data[at] !=
			       '\'' && !is_letter(pattern.data[at]))
				at++;
			if (!add_literal(format, pattern.data + from,
					 at - from))
				wrong = "too many items";
		}
		if (wrong)
			return wrong;
	}
	return NULL;
}

const char *time_format_compile(struct time_format *format,
				struct byte_view pattern,
				enum time_style style)
{
	format->count = 0;
	if (pattern.length > TIME_PATTERN_BYTES)
		return "it is longer than 400 bytes";
	return style == TIME_STYLE_MYSQL ? compile_mysql(format, pattern)
					 : compile_joda(format, pattern);
}

/* ---- calendar ---- */

int64_t day_of_week(int64_t day)
{
	/* 1970-01-01 was a Thursday */
	return floor_mod(day + 3, 7) + 1;
}

/* The Thursday of a day's week decides year and number of the week. */
int64_t week_of_year(int64_t day, int64_t *year)
{
	int64_t thursday = day - day_of_week(day) + 4;
	struct civil_date date = civil_from_days((int32_t)thursday);

	*year = date.year;
	return (thursday - civil_to_days(date.year, 1, 1)) / 7 + 1;
}

bool week_to_day(int64_t year, int64_t week, int64_t day, int64_t *out)
{
	int64_t first, check;

	if (year < -YEAR_LIMIT || year > YEAR_LIMIT || week < 1 ||
	    week > 53 || day < 1 || day > 7)
		return false;
	/* January 4 is in week 1. */
	first = civil_to_days((int32_t)year, 1, 4);
	*out = first - day_of_week(first) + 1 + (week - 1) * 7 + day - 1;
	return week_of_year(*out, &check) == week && check == year;
}

/* ---- writing ---- */

static size_t write_number(char *out, int64_t value, unsigned width)
{
	if (value < 0)
		return (size_t)snprintf(out, TIME_ITEM_BYTES, "-%0*lld",
					(int)width, -(long long)value);
	return (size_t)snprintf(out, TIME_ITEM_BYTES, "%0*lld", (int)width,
				(long long)value);
}

static size_t write_fraction(char *out, int64_t us, unsigned width)
{
	char digits[8];

	snprintf(digits, sizeof(digits), "%06d", (int)us);
	for (unsigned i = 0; i < width; i++)
		out[i] = i < 6 ? digits[i] : '0';
	return width;
}

static size_t write_offset(char *out, int32_t offset, bool has_colon)
{
	int minutes = (offset < 0 ? -offset : offset) / 60;

	return (size_t)snprintf(out, TIME_ITEM_BYTES, "%c%02d%s%02d",
				offset < 0 ? '-' : '+', minutes / 60,
				has_colon ? ":" : "", minutes % 60);
}

static int64_t date_number(const struct time_parts *parts,
			   enum time_item_kind kind)
{
	struct civil_date date = civil_from_days((int32_t)parts->day);
	int64_t year, week;

	switch (kind) {
	case ITEM_YEAR:
		return date.year;
	case ITEM_SHORT_YEAR:
		return floor_mod(date.year, 100);
	case ITEM_MONTH:
		return date.month;
	case ITEM_DAY:
		return date.day;
	case ITEM_DAY_OF_YEAR:
		return parts->day - civil_to_days(date.year, 1, 1) + 1;
	case ITEM_DAY_OF_WEEK:
		return day_of_week(parts->day);
	default:
		week = week_of_year(parts->day, &year);
		return kind == ITEM_WEEK ? week : year;
	}
}

static int64_t clock_number(const struct time_parts *parts,
			    enum time_item_kind kind)
{
	int64_t hour = parts->us / US_PER_HOUR;

	switch (kind) {
	case ITEM_HOUR:
		return hour;
	case ITEM_HOUR_FROM_1:
		return hour ? hour : 24;
	case ITEM_HALF_HOUR:
		return hour % 12;
	case ITEM_HALF_HOUR_FROM_1:
		return hour % 12 ? hour % 12 : 12;
	case ITEM_MINUTE:
		return parts->us / US_PER_MINUTE % 60;
	default:
		return parts->us / US_PER_SECOND % 60;
	}
}

static size_t write_name(char *out, const char *name, size_t most)
{
	size_t length = strlen(name);

	if (length > most)
		length = most;
	memcpy(out, name, length);
	return length;
}

static size_t write_item(const struct time_item *item,
			 const struct time_parts *parts, char *out)
{
	struct civil_date date = civil_from_days((int32_t)parts->day);

	switch (item->kind) {
	case ITEM_LITERAL:
		memcpy(out, item->literal.data, item->literal.length);
		return item->literal.length;
	case ITEM_MONTH_NAME:
		return write_name(out, civil_month_names[date.month - 1],
				  20);
	case ITEM_SHORT_MONTH_NAME:
		return write_name(out, civil_month_names[date.month - 1],
				  3);
	case ITEM_DAY_NAME:
		return write_name(out,
				  civil_day_names[day_of_week(parts->day) - 1],
				  20);
	case ITEM_SHORT_DAY_NAME:
		return write_name(out,
				  civil_day_names[day_of_week(parts->day) - 1],
				  3);
	case ITEM_HALF_DAY:
		return write_name(out, parts->us < 12 * US_PER_HOUR ? "AM"
								    : "PM",
				  2);
	case ITEM_FRACTION:
		return write_fraction(out, parts->us % US_PER_SECOND,
				      item->width);
	case ITEM_OFFSET:
	case ITEM_OFFSET_COLON:
		return write_offset(out, parts->offset,
				    item->kind == ITEM_OFFSET_COLON);
	case ITEM_ZONE_NAME:
		return write_name(out, parts->zone ? parts->zone : "UTC",
				  TIME_ITEM_BYTES);
	case ITEM_HOUR:
	case ITEM_HOUR_FROM_1:
	case ITEM_HALF_HOUR:
	case ITEM_HALF_HOUR_FROM_1:
	case ITEM_MINUTE:
	case ITEM_SECOND:
		return write_number(out, clock_number(parts, item->kind),
				    item->width);
	default:
		return write_number(out, date_number(parts, item->kind),
				    item->width);
	}
}

size_t time_format_write(const struct time_format *format,
			 const struct time_parts *parts, char *out)
{
	size_t length = 0;

	for (size_t i = 0; i < format->count; i++)
		length += write_item(&format->items[i], parts, out + length);
	return length;
}
