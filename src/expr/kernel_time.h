#ifndef EXPR_KERNEL_TIME_H
#define EXPR_KERNEL_TIME_H
#include "expr/kernel.h"

/* Fields of a point in time, and the units of date_trunc and its like. */
enum time_field {
	FIELD_NONE,
	FIELD_YEAR,
	FIELD_QUARTER,
	FIELD_MONTH,
	FIELD_WEEK,
	FIELD_DAY,
	FIELD_HOUR,
	FIELD_MINUTE,
	FIELD_SECOND,
	FIELD_MILLISECOND,
	FIELD_MICROSECOND,
	FIELD_DAY_OF_WEEK,
	FIELD_DAY_OF_YEAR,
	FIELD_YEAR_OF_WEEK,
};

enum { NOW_DATE, NOW_TIMESTAMP_TZ, NOW_TIMESTAMP };

int time_now(struct kernel_call *call);
int time_extract(struct kernel_call *call);
int time_trunc(struct kernel_call *call);
int time_add(struct kernel_call *call);
int time_diff(struct kernel_call *call);
int time_last_day(struct kernel_call *call);
int time_from_unixtime(struct kernel_call *call);
int time_to_unixtime(struct kernel_call *call);
#endif
