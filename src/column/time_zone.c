/*
 * time_zone.c - time zones from the system's TZif files
 *
 * Why:    what time it is in Berlin is known to the system only, and changes
 *         with its updates.
 * How:    the version 2 part of a TZif file (version 1 if there is no other):
 *         a table of instants at which the offset changes, and the rule, in
 *         the syntax of POSIX's TZ, that holds after the last of them. Both
 *         are checked as an untrusted file is. An offset is found by binary
 *         search or from the rule.
 * Limits: leap seconds are left out, as in SQL. Files up to FILE_LIMIT bytes.
 *
 *	offset	size	of a TZif header
 *	0	4	"TZif"
 *	4	1	version: 0, '2', '3', '4'
 *	20	4 each	counts, big-endian: UTC flags, standard flags, leap
 *			seconds, transitions, types, bytes of names
 *	44		times (4 bytes, version 2: 8), type of each (1), types
 *			(offset 4, DST 1, name 1), names, leap seconds (time
 *			and 4), flags (1)
 *	end		version 2: newline, TZ rule, newline
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "column/time_zone.h"

#define ZONE_FOLDER "/usr/share/zoneinfo/"
#define FILE_LIMIT (256 * 1024)
#define HEADER_BYTES 44
#define TYPE_BYTES 6
#define TYPE_LIMIT 256
#define OFFSET_LIMIT (26 * 3600)
#define DAY_SECONDS 86400
#define RULE_HOURS 167

/* A day of each year at which a rule changes the clock. */
struct rule_day {
	char kind;		/* M, J (from 1, no leap day), D (from 0) */
	int month;
	int week;		/* 5 = the last */
	int day;		/* of the week from Sunday, or of the year */
	int32_t seconds;	/* local, may be negative */
};

struct zone_rule {
	bool has_dst;
	int32_t standard;	/* seconds east */
	int32_t dst;
	struct rule_day start;	/* of DST */
	struct rule_day end;
};

struct time_zone {
	char name[ZONE_NAME_BYTES + 1];
	int64_t *times;
	int32_t *offsets;	/* from times[i] on */
	size_t count;
	int32_t first_offset;	/* before times[0] */
	bool has_rule;
	struct zone_rule rule;
};

static uint64_t read_big(const uint8_t *data, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | data[i];
	return value;
}

/* ---- rules: "CET-1CEST,M3.5.0,M10.5.0/3" ---- */

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool read_number(const char **at, int most, int *out)
{
	int value = 0;

	if (**at < '0' || **at > '9')
		return false;
	while (**at >= '0' && **at <= '9') {
		value = value * 10 + *(*at)++ - '0';
		if (value > most)
			return false;
	}
	*out = value;
	return true;
}

static bool skip_zone_name(const char **at)
{
	const char *first = *at;

	if (take(at, '<')) {
		while (**at && **at != '>')
			++*at;
		return take(at, '>');
	}
	while ((**at | 0x20) >= 'a' && (**at | 0x20) <= 'z')
		++*at;
	return *at - first >= 3;
}

/* [+-]hh[:mm[:ss]] */
static bool read_clock(const char **at, int most_hours, int32_t *out)
{
	bool is_negative = **at == '-';
	int hours, minutes = 0, seconds = 0;

	if (**at == '-' || **at == '+')
		++*at;
	if (!read_number(at, most_hours, &hours))
		return false;
	if (take(at, ':')) {
		if (!read_number(at, 59, &minutes))
			return false;
		if (take(at, ':') && !read_number(at, 59, &seconds))
			return false;
	}
	*out = hours * 3600 + minutes * 60 + seconds;
	if (is_negative)
		*out = -*out;
	return true;
}

static bool read_rule_day(const char **at, struct rule_day *day)
{
	day->kind = 'D';
	day->seconds = 2 * 3600;
	if (take(at, 'M')) {
		day->kind = 'M';
		if (!read_number(at, 12, &day->month) || !day->month ||
		    !take(at, '.') || !read_number(at, 5, &day->week) ||
		    !day->week || !take(at, '.') ||
		    !read_number(at, 6, &day->day))
			return false;
	} else {
		if (take(at, 'J'))
			day->kind = 'J';
		if (!read_number(at, 365, &day->day) ||
		    (day->kind == 'J' && !day->day))
			return false;
	}
	return !take(at, '/') || read_clock(at, RULE_HOURS, &day->seconds);
}

static bool read_rule(const char *at, struct zone_rule *rule)
{
	if (!skip_zone_name(&at) || !read_clock(&at, 24, &rule->standard))
		return false;
	rule->standard = -rule->standard;	/* POSIX counts to the west */
	if (!*at)
		return true;
	rule->has_dst = true;
	rule->dst = rule->standard + 3600;
	if (!skip_zone_name(&at))
		return false;
	if (*at != ',') {
		if (!read_clock(&at, 24, &rule->dst))
			return false;
		rule->dst = -rule->dst;
	}
	return take(&at, ',') && read_rule_day(&at, &rule->start) &&
	       take(&at, ',') && read_rule_day(&at, &rule->end) && !*at;
}

static bool is_leap(int32_t year)
{
	return civil_is_valid(year, 2, 29);
}

/* Local seconds at which a rule's day begins to count. */
static int64_t rule_time(const struct rule_day *day, int32_t year)
{
	int64_t days;

	if (day->kind == 'M') {
		int64_t first = civil_to_days(year, (unsigned)day->month, 1);
		/* 1970-01-01 was a Thursday, 4 from Sunday */
		int64_t weekday = floor_mod(first + 4, 7);

		days = first + floor_mod(day->day - weekday, 7) +
		       (int64_t)(day->week - 1) * 7;
		while (day->week == 5 &&
		       civil_from_days((int32_t)days).month != day->month)
			days -= 7;
	} else {
		days = civil_to_days(year, 1, 1) + day->day;
		if (day->kind == 'J')
			days -= !(is_leap(year) && day->day >= 60);
	}
	return days * DAY_SECONDS + day->seconds;
}

static int32_t rule_offset(const struct zone_rule *rule, int64_t utc)
{
	int64_t day = floor_div(utc + rule->standard, DAY_SECONDS);
	int64_t start, end;
	int32_t year;
	bool is_dst;

	if (!rule->has_dst || day != (int32_t)day)
		return rule->standard;
	year = civil_from_days((int32_t)day).year;
	start = rule_time(&rule->start, year) - rule->standard;
	end = rule_time(&rule->end, year) - rule->dst;
	is_dst = start < end ? utc >= start && utc < end
			     : !(utc >= end && utc < start);
	return is_dst ? rule->dst : rule->standard;
}

/* ---- files ---- */

struct tzif_header {
	uint8_t version;
	uint64_t utc_count, standard_count, leap_count;
	uint64_t time_count, type_count, name_bytes;
	uint64_t body_bytes;
};

static int corrupt(struct error *err, const char *what)
{
	return error_set(err, ERROR_CORRUPT, "time zone file: %s", what);
}

static int read_header(struct byte_view file, unsigned time_bytes,
		       struct tzif_header *h, struct error *err)
{
	const uint8_t *data = file.data;

	if (file.length < HEADER_BYTES || memcmp(data, "TZif", 4) != 0)
		return corrupt(err, "it does not begin as one");
	h->version = data[4];
	h->utc_count = read_big(data + 20, 4);
	h->standard_count = read_big(data + 24, 4);
	h->leap_count = read_big(data + 28, 4);
	h->time_count = read_big(data + 32, 4);
	h->type_count = read_big(data + 36, 4);
	h->name_bytes = read_big(data + 40, 4);
	/* Each count has 32 bits: no sum of these wraps 64. */
	h->body_bytes = h->time_count * (time_bytes + 1) +
			h->type_count * TYPE_BYTES + h->name_bytes +
			h->leap_count * (time_bytes + 4) +
			h->standard_count + h->utc_count;
	if (h->body_bytes > file.length - HEADER_BYTES)
		return corrupt(err, "it is cut off");
	if (h->type_count == 0 || h->type_count > TYPE_LIMIT)
		return corrupt(err, "it has no types, or too many");
	return 0;
}

static int read_type(const uint8_t *types, uint64_t count, size_t type,
		     int32_t *offset, struct error *err)
{
	if (type >= count)
		return corrupt(err, "a type is not there");
	*offset = (int32_t)read_big(types + type * TYPE_BYTES, 4);
	if (*offset < -OFFSET_LIMIT || *offset > OFFSET_LIMIT)
		return corrupt(err, "an offset is longer than a day");
	return 0;
}

static int read_body(struct time_zone *zone, const struct tzif_header *h,
		     const uint8_t *body, unsigned time_bytes,
		     struct error *err)
{
	size_t count = (size_t)h->time_count;
	const uint8_t *indexes = body + count * time_bytes;
	const uint8_t *types = indexes + count;
	int rc = read_type(types, h->type_count, 0, &zone->first_offset, err);

	if (rc)
		return rc;
	zone->times = mem_alloc_array(count + 1, sizeof(*zone->times));
	zone->offsets = mem_alloc_array(count + 1, sizeof(*zone->offsets));
	if (!zone->times || !zone->offsets)
		return error_set(err, ERROR_NO_MEMORY, "time zone");
	for (size_t i = 0; i < count && !rc; i++) {
		uint64_t bits = read_big(body + i * time_bytes, time_bytes);

		zone->times[i] = time_bytes == 4 ? (int32_t)bits
						 : (int64_t)bits;
		if (i && zone->times[i] <= zone->times[i - 1])
			return corrupt(err, "its times do not ascend");
		rc = read_type(types, h->type_count, indexes[i],
			       &zone->offsets[i], err);
	}
	zone->count = count;
	return rc;
}

/* Newline, rule, newline. An empty rule says nothing. */
static int read_footer(struct time_zone *zone, struct byte_view footer,
		       struct error *err)
{
	char text[128];
	const uint8_t *end;
	size_t length;

	if (footer.length < 2 || footer.data[0] != '\n')
		return corrupt(err, "its rule is missing");
	end = memchr(footer.data + 1, '\n', footer.length - 1);
	length = end ? (size_t)(end - footer.data) - 1 : sizeof(text);
	if (length >= sizeof(text))
		return corrupt(err, "its rule does not end");
	memcpy(text, footer.data + 1, length);
	text[length] = '\0';
	if (!length)
		return 0;
	if (!read_rule(text, &zone->rule))
		return corrupt(err, "its rule is not one of POSIX");
	zone->has_rule = true;
	return 0;
}

static int read_file(struct time_zone *zone, struct byte_view file,
		     struct error *err)
{
	struct tzif_header h;
	unsigned time_bytes = 4;
	size_t at;
	int rc = read_header(file, time_bytes, &h, err);

	if (rc)
		return rc;
	if (h.version >= '2') {
		at = HEADER_BYTES + (size_t)h.body_bytes;
		file = byte_view(file.data + at, file.length - at);
		time_bytes = 8;
		rc = read_header(file, time_bytes, &h, err);
		if (rc)
			return rc;
	}
	rc = read_body(zone, &h, file.data + HEADER_BYTES, time_bytes, err);
	if (rc || time_bytes == 4)
		return rc;
	at = HEADER_BYTES + (size_t)h.body_bytes;
	return read_footer(zone, byte_view(file.data + at, file.length - at),
			   err);
}

int time_zone_from_file(struct time_zone **out, struct byte_view file,
			struct error *err)
{
	struct time_zone *zone = mem_zalloc(sizeof(*zone));
	int rc;

	*out = NULL;
	if (!zone)
		return error_set(err, ERROR_NO_MEMORY, "time zone");
	rc = read_file(zone, file, err);
	if (rc) {
		time_zone_free(zone);
		return rc;
	}
	*out = zone;
	return 0;
}

void time_zone_free(struct time_zone *zone)
{
	if (!zone)
		return;
	mem_free(zone->times);
	mem_free(zone->offsets);
	mem_free(zone);
}

const char *time_zone_name(const struct time_zone *zone)
{
	return zone->name;
}

/* ---- names ---- */

static int unknown(struct byte_view name, struct error *err)
{
	error_set(err, ERROR_BAD_ARGUMENT, "no time zone is named '%.*s'",
		  (int)(name.length < 100 ? name.length : 100),
		  name.data ? (const char *)name.data : "");
	return error_hint(err, "the names are those below " ZONE_FOLDER
			  " (package tzdata), UTC, and offsets such as "
			  "+01:00");
}

/* Letters, digits and _+-/ only; no part may be empty or begin with a dot, so
 * that no name leads out of the folder. */
static bool is_file_name(const char *name)
{
	static const char others[] = "0123456789_+-";
	bool is_start = true;

	for (; *name; name++) {
		bool is_letter = (*name | 0x20) >= 'a' &&
				 (*name | 0x20) <= 'z';

		if (*name == '/') {
			if (is_start)
				return false;
			is_start = true;
			continue;
		}
		if (!is_letter && (is_start || !strchr(others, *name)))
			return false;
		is_start = false;
	}
	return !is_start;
}

/* "+hh", "+hh:mm", "+hhmm", up to 14 hours as in Java. */
static bool read_fixed(const char *name, int32_t *out)
{
	const char *at = name + 1;
	int digits[4] = { 0 };
	int count = 0, hours, minutes;

	if (name[0] != '+' && name[0] != '-')
		return false;
	for (; *at; at++) {
		if (*at == ':' && count == 2 && at[1])
			continue;
		if (*at < '0' || *at > '9' || count == 4)
			return false;
		digits[count++] = *at - '0';
	}
	if (count != 2 && count != 4)
		return false;
	hours = digits[0] * 10 + digits[1];
	minutes = digits[2] * 10 + digits[3];
	if (minutes > 59 || hours * 60 + minutes > 14 * 60)
		return false;
	*out = (hours * 60 + minutes) * 60 * (name[0] == '-' ? -1 : 1);
	return true;
}

/* The bytes of a regular file; *data is to be freed. */
static int load(const char *path, struct byte_view name, uint8_t **data,
		size_t *length, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat about;
	ssize_t got = 1;
	int rc = 0;

	*data = NULL;
	*length = 0;
	if (fd < 0)
		return unknown(name, err);
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) ||
	    about.st_size > FILE_LIMIT) {
		close(fd);
		return unknown(name, err);
	}
	*data = mem_alloc(FILE_LIMIT);
	if (!*data)
		rc = error_set(err, ERROR_NO_MEMORY, "time zone");
	while (!rc && got && *length < FILE_LIMIT) {
		got = read(fd, *data + *length, FILE_LIMIT - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = error_set_errno(err, errno, "%s", path);
		else
			*length += (size_t)got;
	}
	close(fd);
	return rc;
}

static int load_zone(struct time_zone **out, struct byte_view name,
		     const char *text, struct error *err)
{
	char path[sizeof(ZONE_FOLDER) + ZONE_NAME_BYTES];
	uint8_t *data;
	size_t length;
	int rc;

	if (!is_file_name(text))
		return unknown(name, err);
	snprintf(path, sizeof(path), ZONE_FOLDER "%s", text);
	rc = load(path, name, &data, &length, err);
	if (!rc && (length < 4 || memcmp(data, "TZif", 4) != 0))
		rc = unknown(name, err);
	if (!rc)
		rc = time_zone_from_file(out, byte_view(data, length), err);
	mem_free(data);
	return rc == ERROR_CORRUPT ? error_prefix(err, "%s", path) : rc;
}

int time_zone_new(struct time_zone **out, struct byte_view name,
		  struct error *err)
{
	char text[ZONE_NAME_BYTES + 1];
	int32_t offset = 0;
	int rc = 0;

	*out = NULL;
	if (!name.length || name.length > ZONE_NAME_BYTES ||
	    memchr(name.data, '\0', name.length))
		return unknown(name, err);
	memcpy(text, name.data, name.length);
	text[name.length] = '\0';
	if (strcmp(text, "UTC") && strcmp(text, "GMT") && strcmp(text, "Z") &&
	    !read_fixed(text, &offset)) {
		rc = load_zone(out, name, text, err);
	} else {
		*out = mem_zalloc(sizeof(**out));
		if (!*out)
			return error_set(err, ERROR_NO_MEMORY, "time zone");
		(*out)->first_offset = offset;
	}
	if (!rc)
		memcpy((*out)->name, text, name.length + 1);
	return rc;
}

/* ---- offsets ---- */

int32_t time_zone_offset(const struct time_zone *zone, int64_t utc)
{
	size_t low = 0, high = zone->count;

	if (!high || utc < zone->times[0])
		return zone->has_rule && !high ? rule_offset(&zone->rule, utc)
					       : zone->first_offset;
	if (utc >= zone->times[high - 1])
		return zone->has_rule ? rule_offset(&zone->rule, utc)
				      : zone->offsets[high - 1];
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (zone->times[middle] <= utc)
			low = middle;
		else
			high = middle;
	}
	return zone->offsets[low];
}

int32_t time_zone_local_offset(const struct time_zone *zone, int64_t local)
{
	int32_t before = time_zone_offset(zone, local - DAY_SECONDS);
	int32_t after = time_zone_offset(zone, local + DAY_SECONDS);

	if (before == after ||
	    time_zone_offset(zone, local - before) == before)
		return before;
	return time_zone_offset(zone, local - after) == after ? after
							      : before;
}
