/*
 * kernel_time.c - fields, truncation and arithmetic of dates and times
 *
 * Why:    Trino's date functions on the proleptic Gregorian calendar.
 * How:    a value is a local day and the microseconds within it; an instant
 *         (TIMESTAMP WITH TIME ZONE) is shifted by the session's zone on the
 *         way in and back on the way out. Weeks are ISO weeks: they start on
 *         Monday.
 * Cost:   5-20 ns a row; the name of a unit is looked up once a batch when
 *         it is a constant.
 * Limits: the session's zone is one offset for the whole statement; another
 *         is taken from the arguments (kernel_zone.h).
 */
#include <math.h>
#include "expr/kernel_time.h"
#include "expr/kernel_zone.h"
#include "expr/time_format.h"

#define US_PER_MILLISECOND INT64_C(1000)
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define US_PER_HOUR (60 * US_PER_MINUTE)

/* A point in local time. */
struct moment {
	int64_t day;		/* since 1970-01-01 */
	int64_t us;		/* of the day, 0 .. US_PER_DAY - 1 */
	int64_t offset_us;	/* of an instant: what made it local */
};

static void moment_shift(struct moment *moment, int64_t us)
{
	moment->us += us;
	moment->day += floor_div(moment->us, US_PER_DAY);
	moment->us = floor_mod(moment->us, US_PER_DAY);
}

static struct moment read_moment(const struct kernel_call *call,
				 const struct vector *v, size_t i)
{
	struct moment moment = { 0, 0, 0 };

	if (v->type.id == TYPE_DATE) {
		moment.day = vector_i32(v)[i];
		return moment;
	}
	/* Split before the zone is added: nothing can overflow. */
	moment.day = floor_div(vector_i64(v)[i], US_PER_DAY);
	moment.us = floor_mod(vector_i64(v)[i], US_PER_DAY);
	if (v->type.id == TYPE_TIMESTAMP_TZ) {
		moment.offset_us = zone_offset_us(call, vector_i64(v)[i]);
		moment_shift(&moment, moment.offset_us);
	}
	return moment;
}

/* keeps_offset: an instant that was moved by hours, not by days, so that the
 * offset it was read with still is the one between it and local time. */
static bool write_moment(const struct kernel_call *call, size_t i,
			 struct moment moment, bool keeps_offset)
{
	struct vector *v = call->result;
	int64_t local;

	if (v->type.id == TYPE_DATE) {
		vector_i32(v)[i] = (int32_t)moment.day;
		return moment.day == (int32_t)moment.day;
	}
	if (__builtin_mul_overflow(moment.day, US_PER_DAY, &local) ||
	    __builtin_add_overflow(local, moment.us, &local))
		return false;
	if (v->type.id == TYPE_TIMESTAMP_TZ &&
	    __builtin_sub_overflow(local, keeps_offset ? moment.offset_us
				   : zone_local_offset_us(call, local),
				   &local))
		return false;
	vector_i64(v)[i] = local;
	return true;
}

static int out_of_range(struct kernel_call *call, size_t i)
{
	error_set(call->err, ERROR_OVERFLOW, "%s: the result is out of the "
		  "range of dates", call->node->function->name);
	return kernel_failed(call, i, ERROR_OVERFLOW);
}

static const struct {
	const char *name;
	enum time_field field;
	int64_t us;		/* length, 0 = a date's unit */
} units[] = {
	{ "microsecond", FIELD_MICROSECOND, 1 },
	{ "millisecond", FIELD_MILLISECOND, US_PER_MILLISECOND },
	{ "second", FIELD_SECOND, US_PER_SECOND },
	{ "minute", FIELD_MINUTE, US_PER_MINUTE },
	{ "hour", FIELD_HOUR, US_PER_HOUR },
	{ "day", FIELD_DAY, 0 },
	{ "week", FIELD_WEEK, 0 },
	{ "month", FIELD_MONTH, 0 },
	{ "quarter", FIELD_QUARTER, 0 },
	{ "year", FIELD_YEAR, 0 },
};

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

static int64_t unit_us(enum time_field field)
{
	for (size_t k = 0; k < UNIT_COUNT; k++) {
		if (units[k].field == field)
			return units[k].us;
	}
	return 0;
}

/* The unit of row i; a DATE has only units of days, a TIME only shorter. */
static int read_unit(struct kernel_call *call, const struct type *type,
		     size_t i, enum time_field *out)
{
	struct byte_view name = vector_bytes(call->args[0])[i];
	char type_text[TYPE_NAME_BYTES];

	for (size_t k = 0; k < UNIT_COUNT; k++) {
		if (strlen(units[k].name) != name.length ||
		    strncasecmp(units[k].name, (const char *)name.data,
				name.length) != 0)
			continue;
		if (type->id == TYPE_DATE ? units[k].us != 0
		    : type->id == TYPE_TIME && units[k].us == 0)
			break;
		*out = units[k].field;
		return 0;
	}
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: '%.*s' is not a unit of "
		  "%s", call->node->function->name,
		  (int)(name.length < 50 ? name.length : 50),
		  (const char *)name.data, type_name(type, type_text));
	return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
}

static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
	return civil_to_days((int32_t)year, month, day);
}

static unsigned month_days(int32_t year, unsigned month)
{
	unsigned days = 28;

	while (civil_is_valid(year, month, days + 1))
		days++;
	return days;
}

static int64_t date_field(int64_t day, enum time_field field)
{
	struct civil_date date = civil_from_days((int32_t)day);
	int64_t week, year;

	switch (field) {
	case FIELD_YEAR:
		return date.year;
	case FIELD_QUARTER:
		return (date.month - 1) / 3 + 1;
	case FIELD_MONTH:
		return date.month;
	case FIELD_DAY:
		return date.day;
	case FIELD_DAY_OF_WEEK:
		return day_of_week(day);
	case FIELD_DAY_OF_YEAR:
		return day - days_of(date.year, 1, 1) + 1;
	default:
		week = week_of_year(day, &year);
		return field == FIELD_WEEK ? week : year;
	}
}

static int64_t clock_field(int64_t us, enum time_field field)
{
	switch (field) {
	case FIELD_HOUR:
		return us / US_PER_HOUR;
	case FIELD_MINUTE:
		return us / US_PER_MINUTE % 60;
	case FIELD_SECOND:
		return us / US_PER_SECOND % 60;
	default:
		return us / US_PER_MILLISECOND % 1000;
	}
}

int time_extract(struct kernel_call *call)
{
	enum time_field field = call->node->function->variant;
	bool is_clock = field >= FIELD_HOUR && field <= FIELD_MICROSECOND;
	int64_t *out = vector_i64(call->result);

	KERNEL_ROWS(call, i) {
		struct moment moment = read_moment(call, call->args[0], i);

		out[i] = is_clock ? clock_field(moment.us, field)
				  : date_field(moment.day, field);
	}
	return 0;
}

int time_now(struct kernel_call *call)
{
	int64_t now = call->context->now_us;
	int64_t local = now + zone_offset_us(call, now);
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i) {
		if (variant == NOW_DATE)
			vector_i32(call->result)[i] =
				(int32_t)floor_div(local, US_PER_DAY);
		else
			vector_i64(call->result)[i] =
				variant == NOW_TIMESTAMP ? local : now;
	}
	return 0;
}

static struct moment truncate_moment(struct moment moment,
				     enum time_field unit)
{
	struct civil_date date;
	int64_t us = unit_us(unit);

	if (us) {
		moment.us -= moment.us % us;
		return moment;
	}
	moment.us = 0;
	date = civil_from_days((int32_t)moment.day);
	switch (unit) {
	case FIELD_WEEK:
		moment.day -= day_of_week(moment.day) - 1;
		break;
	case FIELD_MONTH:
		moment.day = days_of(date.year, date.month, 1);
		break;
	case FIELD_QUARTER:
		moment.day = days_of(date.year,
				     (date.month - 1u) / 3 * 3 + 1, 1);
		break;
	case FIELD_YEAR:
		moment.day = days_of(date.year, 1, 1);
		break;
	default:
		break;
	}
	return moment;
}

int time_trunc(struct kernel_call *call)
{
	const struct vector *in = call->args[1];
	enum time_field unit = FIELD_NONE;

	KERNEL_ROWS(call, i) {
		int rc = 0;

		if (unit == FIELD_NONE || !call->is_constant[0])
			rc = read_unit(call, &in->type, i, &unit);
		if (rc)
			return rc;
		if (!write_moment(call, i,
				  truncate_moment(read_moment(call, in, i),
						  unit), unit_us(unit) != 0))
			return out_of_range(call, i);
	}
	return 0;
}

/* Add months; a day past the end of the new month becomes its last. */
static bool add_months(struct moment *moment, int64_t months)
{
	struct civil_date date = civil_from_days((int32_t)moment->day);
	int64_t total, year;
	unsigned month, last;

	if (__builtin_add_overflow((int64_t)date.year * 12 + date.month - 1,
				   months, &total))
		return false;
	year = floor_div(total, 12);
	month = (unsigned)floor_mod(total, 12) + 1;
	if (year < -290307 || year > 294246)
		return false;
	last = month_days((int32_t)year, month);
	moment->day = days_of(year, month, date.day < last ? date.day : last);
	return true;
}

static bool add_to_moment(struct moment *moment, enum time_field unit,
			  int64_t count)
{
	int64_t us = unit_us(unit);

	if (us) {
		if (__builtin_mul_overflow(count, us, &us) ||
		    __builtin_add_overflow(us, moment->us, &us))
			return false;
		moment->us = floor_mod(us, US_PER_DAY);
		moment->day += floor_div(us, US_PER_DAY);
		return true;
	}
	switch (unit) {
	case FIELD_DAY:
		return !__builtin_add_overflow(moment->day, count,
					       &moment->day);
	case FIELD_WEEK:
		return !__builtin_mul_overflow(count, (int64_t)7, &count) &&
		       !__builtin_add_overflow(moment->day, count,
					       &moment->day);
	case FIELD_QUARTER:
		return !__builtin_mul_overflow(count, (int64_t)3, &count) &&
		       add_months(moment, count);
	case FIELD_YEAR:
		return !__builtin_mul_overflow(count, (int64_t)12, &count) &&
		       add_months(moment, count);
	default:
		return add_months(moment, count);
	}
}

int time_add(struct kernel_call *call)
{
	const int64_t *count = vector_i64(call->args[1]);
	const struct vector *in = call->args[2];
	enum time_field unit = FIELD_NONE;

	KERNEL_ROWS(call, i) {
		struct moment moment;
		int rc = 0;

		if (unit == FIELD_NONE || !call->is_constant[0])
			rc = read_unit(call, &in->type, i, &unit);
		if (rc)
			return rc;
		moment = read_moment(call, in, i);
		if (!add_to_moment(&moment, unit, count[i]) ||
		    !write_moment(call, i, moment, unit_us(unit) != 0))
			return out_of_range(call, i);
	}
	return 0;
}

static bool is_before(struct moment a, struct moment b)
{
	return a.day < b.day || (a.day == b.day && a.us < b.us);
}

/* Whole months from a to b, a not after b. The last day of b's month counts
 * as any later day of a's month. */
static int64_t months_between(struct moment a, struct moment b)
{
	struct civil_date from = civil_from_days((int32_t)a.day);
	struct civil_date to = civil_from_days((int32_t)b.day);
	int64_t months = ((int64_t)to.year - from.year) * 12 + to.month -
			 from.month;
	unsigned from_day = from.day;

	if (to.day == month_days(to.year, to.month) && from_day > to.day)
		from_day = to.day;
	return months - (to.day < from_day ||
			 (to.day == from_day && b.us < a.us));
}

static int64_t time_between(struct moment a, struct moment b,
			    enum time_field unit)
{
	int64_t us = unit_us(unit);
	int128_t gap;

	if (is_before(b, a))
		return -time_between(b, a, unit);
	gap = (int128_t)(b.day - a.day) * US_PER_DAY + b.us - a.us;
	if (us)
		return (int64_t)(gap / us);
	switch (unit) {
	case FIELD_DAY:
		return (int64_t)(gap / US_PER_DAY);
	case FIELD_WEEK:
		return (int64_t)(gap / US_PER_DAY / 7);
	case FIELD_QUARTER:
		return months_between(a, b) / 3;
	case FIELD_YEAR:
		return months_between(a, b) / 12;
	default:
		return months_between(a, b);
	}
}

int time_diff(struct kernel_call *call)
{
	const struct vector *from = call->args[1], *to = call->args[2];
	enum time_field unit = FIELD_NONE;

	KERNEL_ROWS(call, i) {
		struct moment first, last;
		int rc = 0;

		if (unit == FIELD_NONE || !call->is_constant[0])
			rc = read_unit(call, &from->type, i, &unit);
		if (rc)
			return rc;
		first = read_moment(call, from, i);
		last = read_moment(call, to, i);
		/* Hours are counted between instants. */
		if (unit_us(unit))
			moment_shift(&last, first.offset_us - last.offset_us);
		vector_i64(call->result)[i] = time_between(first, last, unit);
	}
	return 0;
}

int time_last_day(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct moment moment = read_moment(call, call->args[0], i);
		struct civil_date date;

		date = civil_from_days((int32_t)moment.day);
		moment.day = days_of(date.year, date.month,
				     month_days(date.year, date.month));
		if (!write_moment(call, i, moment, false))
			return out_of_range(call, i);
	}
	return 0;
}

/* To the millisecond, as Trino. */
int time_from_unixtime(struct kernel_call *call)
{
	const double *in = vector_f64(call->args[0]);

	KERNEL_ROWS(call, i) {
		double ms = floor(in[i] * 1000 + 0.5);

		if (!(fabs(ms) < 9.2e15))
			return out_of_range(call, i);
		vector_i64(call->result)[i] = (int64_t)ms *
					      US_PER_MILLISECOND;
	}
	return 0;
}

int time_to_unixtime(struct kernel_call *call)
{
	const int64_t *in = vector_i64(call->args[0]);

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] = (double)in[i] / 1e6;
	return 0;
}
