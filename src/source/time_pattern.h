#ifndef SOURCE_TIME_PATTERN_H
#define SOURCE_TIME_PATTERN_H
#include "util/util.h"

/*
 * Dates and times written in another way than the manual's, put into it. The
 * pattern has passed csv_time_format_check().
 */

/* Bytes that one may need. */
#define TIME_PATTERN_BYTES 48

/*
 * Rewrite text by pattern to "YYYY-MM-DD", with timestamp to "YYYY-MM-DD
 * HH:MM:SS[.f][offset]"; out has TIME_PATTERN_BYTES. 0 = it does not match;
 * else the length. Whether the day exists is left to who reads it.
 */
size_t time_pattern_apply(const char *pattern, bool timestamp,
			  struct byte_view text, char *out);
#endif
