/*
 * time_pattern.c - dates and times by a pattern of strftime's letters
 *
 * Why:    exports write days first, month names or no separators; which it is
 *         cannot be guessed (01/02), so the user says it.
 * How:    the pattern is walked beside the text; what is read becomes the
 *         manual's form, which the reader of values then checks.
 * Limits: English names only; no locale is asked.
 */
#include "source/time_pattern.h"
#include "source/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

struct parsed {
	unsigned year, month, day, hour, minute, second;
	unsigned day_of_year;
	char fraction[10];
	char offset[8];
	bool has_half, is_afternoon;	/* %p */
	bool has_day_of_year;
};

enum said {
	SAYS_YEAR = 1,
	SAYS_MONTH = 2,
	SAYS_DAY = 4,
	SAYS_HOUR = 8,
	SAYS_MINUTE = 16,
	SAYS_SECOND = 32,
	SAYS_FRACTION = 64,
	SAYS_HALF = 128,
	SAYS_OFFSET = 256,
	SAYS_TWELVE = 512,	/* hours */
};

struct pattern_text {
	const char *at;
	const char *end;
};

/* %T and the like. */
static const char *expansion(char letter)
{
	switch (letter) {
	case 'F':
		return "%Y-%m-%d";
	case 'T':
		return "%H:%M:%S";
	case 'R':
		return "%H:%M";
	case 'D':
		return "%m/%d/%y";
	default:
		return NULL;
	}
}

static bool take_digits(struct pattern_text *c, unsigned least, unsigned most,
			unsigned *out)
{
	unsigned n = 0, value = 0;

	while (n < most && c->at < c->end && *c->at >= '0' && *c->at <= '9') {
		value = value * 10 + (unsigned)(*c->at++ - '0');
		n++;
	}
	*out = value;
	return n >= least;
}

static bool take_fraction(struct pattern_text *c, char out[10])
{
	size_t n = 0;

	while (n < 9 && c->at < c->end && *c->at >= '0' && *c->at <= '9')
		out[n++] = *c->at++;
	out[n] = '\0';
	return n > 0;
}

static bool take_word(struct pattern_text *c, const char *word, size_t length)
{
	if ((size_t)(c->end - c->at) < length ||
	    strncasecmp(c->at, word, length) != 0)
		return false;
	c->at += length;
	return true;
}

static bool take_month(struct pattern_text *c, bool is_whole, unsigned *out)
{
	for (unsigned i = 0; i < ARRAY_COUNT(civil_month_names); i++) {
		if (!take_word(c, civil_month_names[i],
			       is_whole ? strlen(civil_month_names[i]) : 3))
			continue;
		*out = i + 1;
		return true;
	}
	return false;
}

/* Z, +HH, +HHMM or +HH:MM as +HH:MM. */
static bool take_offset(struct pattern_text *c, char out[8])
{
	unsigned hours, minutes = 0;
	char sign;

	if (take_word(c, "Z", 1)) {
		memcpy(out, "+00:00", 7);
		return true;
	}
	if (c->at == c->end || (*c->at != '+' && *c->at != '-'))
		return false;
	sign = *c->at++;
	if (!take_digits(c, 2, 2, &hours))
		return false;
	if (c->at < c->end && *c->at == ':') {
		c->at++;
		if (!take_digits(c, 2, 2, &minutes))
			return false;
	} else if (c->at < c->end && *c->at >= '0' && *c->at <= '9' &&
		   !take_digits(c, 2, 2, &minutes)) {
		return false;
	}
	if (hours > 99 || minutes > 99)
		return false;
	snprintf(out, 8, "%c%02u:%02u", sign, hours % 100, minutes % 100);
	return true;
}

static bool take_half(struct pattern_text *c, struct parsed *p)
{
	p->has_half = true;
	p->is_afternoon = c->at < c->end && (*c->at | 0x20) == 'p';
	return take_word(c, "AM", 2) || take_word(c, "PM", 2);
}

static bool take_short_year(struct pattern_text *c, unsigned *out)
{
	if (!take_digits(c, 2, 2, out))
		return false;
	*out += *out < 69 ? 2000 : 1900;	/* as POSIX has it */
	return true;
}

/* What one letter stands for. */
static bool take_letter(struct pattern_text *c, char letter, struct parsed *p)
{
	switch (letter) {
	case 'Y':
		return take_digits(c, 4, 4, &p->year);
	case 'y':
		return take_short_year(c, &p->year);
	case 'm':
		return take_digits(c, 1, 2, &p->month);
	case 'e':
		while (c->at < c->end && *c->at == ' ')
			c->at++;
		return take_digits(c, 1, 2, &p->day);
	case 'd':
		return take_digits(c, 1, 2, &p->day);
	case 'j':
		p->has_day_of_year = true;
		return take_digits(c, 3, 3, &p->day_of_year);
	case 'I':
		return take_digits(c, 1, 2, &p->hour) && p->hour >= 1 &&
		       p->hour <= 12;
	case 'H':
		return take_digits(c, 1, 2, &p->hour);
	case 'M':
		return take_digits(c, 2, 2, &p->minute);
	case 'S':
		return take_digits(c, 2, 2, &p->second);
	case 'f':
		return take_fraction(c, p->fraction);
	case 'p':
		return take_half(c, p);
	case 'b':
		return take_month(c, false, &p->month);
	case 'B':
		return take_month(c, true, &p->month);
	case 'z':
		return take_offset(c, p->offset);
	default:	/* %% */
		return take_word(c, "%", 1);
	}
}

static bool take_pattern(struct pattern_text *c, const char *pattern,
			 struct parsed *p)
{
	for (; *pattern; pattern++) {
		const char *longer;

		if (*pattern != '%') {
			if (c->at == c->end || *c->at++ != *pattern)
				return false;
			continue;
		}
		longer = expansion(*++pattern);
		/* an expansion has none in it */
		if (longer ? !take_pattern(c, longer, p)
			   : !take_letter(c, *pattern, p))
			return false;
	}
	return true;
}

static bool is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool set_day_of_year(struct parsed *p)
{
	static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30,
					 31, 30, 31 };
	unsigned left = p->day_of_year;

	for (p->month = 1; p->month <= 12; p->month++) {
		unsigned n = days[p->month - 1] +
			     (p->month == 2 && is_leap(p->year));

		if (left <= n)
			break;
		left -= n;
	}
	p->day = left;
	return left > 0 && p->month <= 12;
}

size_t time_pattern_apply(const char *pattern, bool timestamp,
			  struct byte_view text, char *out)
{
	struct parsed p = { .year = 1970, .month = 1, .day = 1 };
	const char *data = (const char *)text.data;
	struct pattern_text c = { data, data + text.length };
	int length;

	if (!take_pattern(&c, pattern, &p) || c.at != c.end)
		return 0;
	if (p.has_day_of_year && !set_day_of_year(&p))
		return 0;
	if (p.has_half)
		p.hour = p.hour % 12 + (p.is_afternoon ? 12 : 0);
	length = snprintf(out, TIME_PATTERN_BYTES, "%04u-%02u-%02u", p.year,
			  p.month, p.day);
	if (timestamp)
		length += snprintf(out + length,
				   TIME_PATTERN_BYTES - (size_t)length,
				   " %02u:%02u:%02u%s%s%s", p.hour, p.minute,
				   p.second, p.fraction[0] ? "." : "",
				   p.fraction, p.offset);
	return (size_t)length;
}

/* What a letter says, as a bit. %j says month and day at once. */
static unsigned said_by(char letter)
{
	static const struct {
		char letters[5];
		unsigned bits;
	} said[] = {
		{ "Yy", SAYS_YEAR }, { "mbB", SAYS_MONTH }, { "de", SAYS_DAY },
		{ "j", SAYS_MONTH | SAYS_DAY }, { "H", SAYS_HOUR },
		{ "I", SAYS_HOUR | SAYS_TWELVE },
		{ "M", SAYS_MINUTE }, { "S", SAYS_SECOND },
		{ "f", SAYS_FRACTION }, { "p", SAYS_HALF },
		{ "z", SAYS_OFFSET },
	};

	for (size_t i = 0; i < ARRAY_COUNT(said); i++)
		if (strchr(said[i].letters, letter))
			return said[i].bits;
	return 0;
}

/* The letters' bits in *all; the first letter that says what another did. */
static char find_repeated(const char *format, unsigned *all)
{
	for (const char *at = format; *at; at++) {
		const char *longer;
		unsigned bits = 0;

		if (*at != '%')
			continue;
		longer = expansion(*++at);
		if (!longer)
			bits = said_by(*at);
		for (; longer && *longer; longer++)
			if (*longer == '%')
				bits |= said_by(longer[1]);
		if (*all & bits)
			return *at;
		*all |= bits;
	}
	return 0;
}

/* Does a text of the format say one time, and nothing that is not used? */
static int check_meaning(const char *format, const char *what,
			 struct error *err)
{
	unsigned all = 0;
	char repeated = find_repeated(format, &all);
	bool twelve_hours = (all & SAYS_TWELVE) != 0;

	if (repeated)
		return error_set(err, ERROR_USAGE, "the %s format '%s' says "
				 "with %%%c what it says before", what, format,
				 repeated);
	if (twelve_hours != ((all & SAYS_HALF) != 0)) {
		error_set(err, ERROR_USAGE, "the %s format '%s' has %s", what,
			  format, twelve_hours ? "%I without %p"
					       : "%p without %I");
		return error_hint(err, "hours of 1 to 12 are %%I with %%p, "
				  "those of 0 to 23 are %%H");
	}
	if (!(all & SAYS_YEAR))
		return error_set(err, ERROR_USAGE, "the %s format '%s' has "
				 "no year", what, format);
	return 0;
}

int csv_time_format_check(const char *format, bool timestamp,
			  struct error *err)
{
	const char *letters = timestamp ? "YymdejbBFDHIMSfpzTR%"
					: "YymdejbBFD%";

	for (const char *at = format; *at; at++) {
		if (*at != '%')
			continue;
		at++;
		if (*at && strchr(letters, *at))
			continue;
		error_set(err, ERROR_USAGE, "the %s format '%s' has %%%c, "
			  "which is not known there",
			  timestamp ? "timestamp" : "date", format,
			  *at ? *at : ' ');
		return error_hint(err, "the letters are %%%c and those of "
				  "%s", letters[0], letters);
	}
	return check_meaning(format, timestamp ? "timestamp" : "date", err);
}
