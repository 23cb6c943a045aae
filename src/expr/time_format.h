#ifndef EXPR_TIME_FORMAT_H
#define EXPR_TIME_FORMAT_H
#include "column/column.h"

/*
 * Formats of dates and times as people write them: MySQL's ("%Y-%m-%d") and
 * Joda's ("yyyy-MM-dd"), both read into the same items, and those used to
 * write and to read.
 */
enum time_style { TIME_STYLE_MYSQL, TIME_STYLE_JODA };

enum time_item_kind {
	ITEM_LITERAL,
	ITEM_YEAR,
	ITEM_SHORT_YEAR,	/* two digits, 1970 .. 2069 */
	ITEM_WEEK_YEAR,
	ITEM_MONTH,
	ITEM_MONTH_NAME,
	ITEM_SHORT_MONTH_NAME,
	ITEM_WEEK,
	ITEM_DAY,
	ITEM_DAY_OF_YEAR,
	ITEM_DAY_OF_WEEK,	/* 1 = Monday */
	ITEM_DAY_NAME,
	ITEM_SHORT_DAY_NAME,
	ITEM_HALF_DAY,		/* AM, PM */
	ITEM_HOUR,		/* 0-23 */
	ITEM_HOUR_FROM_1,	/* 1-24 */
	ITEM_HALF_HOUR,		/* 0-11 */
	ITEM_HALF_HOUR_FROM_1,	/* 1-12 */
	ITEM_MINUTE,
	ITEM_SECOND,
	ITEM_FRACTION,		/* width digits of the second's fraction */
	ITEM_OFFSET,		/* +0100 */
	ITEM_OFFSET_COLON,	/* +01:00 */
	ITEM_ZONE_NAME,		/* written only */
};

struct time_item {
	enum time_item_kind kind;
	unsigned width;		/* least digits written */
	unsigned most;		/* digits read */
	struct byte_view literal;	/* into the pattern */
};

#define TIME_ITEM_LIMIT 100
#define TIME_PATTERN_BYTES 400
/* A written item takes at most this besides its literal. */
#define TIME_ITEM_BYTES 80

/* A compiled pattern; keeps the bytes of it. Plain storage. */
struct time_format {
	struct time_item items[TIME_ITEM_LIMIT];
	size_t count;
};

/* NULL or what is wrong with the pattern. */
const char *time_format_compile(struct time_format *format,
				struct byte_view pattern,
				enum time_style style);

/* A local time with what else a format may show. */
struct time_parts {
	int64_t day;		/* since 1970-01-01 */
	int64_t us;		/* of the day */
	bool has_offset;
	int32_t offset;		/* seconds east of UTC */
	const char *zone;	/* its name */
};

/* Bytes written to out, which has room for TIME_ITEM_LIMIT *
 * TIME_ITEM_BYTES + TIME_PATTERN_BYTES. */
size_t time_format_write(const struct time_format *format,
			 const struct time_parts *parts, char *out);
/* What is not in the text is as at 1970-01-01 00:00. False when the text is
 * not of the format or means no time. */
bool time_format_read(const struct time_format *format, struct byte_view text,
		      struct time_parts *parts);
/* ISO 8601: 2024, 2024-01, 2024-01-31, 2024-W05-3, 2024-031, each with
 * T10, T10:00, T10:00:00.5 and Z, +01, +01:00. time: is one allowed? */
bool time_read_iso(struct byte_view text, bool time,
		   struct time_parts *parts);
/* ISO weeks: the day of a week's day (1 = Monday), false if there is none. */
bool week_to_day(int64_t year, int64_t week, int64_t day, int64_t *out);
/* 1 = Monday .. 7 */
int64_t day_of_week(int64_t day);
/* Week of the year, and the year it belongs to. */
int64_t week_of_year(int64_t day, int64_t *year);
#endif
