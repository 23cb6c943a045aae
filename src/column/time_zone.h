#ifndef COLUMN_TIME_ZONE_H
#define COLUMN_TIME_ZONE_H
#include "column/civil_date.h"
#include "util/util.h"

/*
 * A time zone of the system (/usr/share/zoneinfo) or a fixed offset. Names
 * are as there, "Europe/Berlin", or UTC, GMT, Z, +hh, +hh:mm, +hhmm.
 */
struct time_zone;

#define ZONE_NAME_BYTES 64

/* Errors: ERROR_BAD_ARGUMENT for a name nobody knows, ERROR_CORRUPT. */
int time_zone_new(struct time_zone **out, struct byte_view name,
		  struct error *err);
/* From the bytes of a TZif file (RFC 8536) instead. */
int time_zone_from_file(struct time_zone **out, struct byte_view file,
			struct error *err);
void time_zone_free(struct time_zone *zone);
const char *time_zone_name(const struct time_zone *zone);
/* Seconds east of UTC at a time in seconds since 1970 UTC. */
int32_t time_zone_offset(const struct time_zone *zone, int64_t utc);
/*
 * The offset that makes a local time an instant. A local time that is there
 * twice is the earlier instant; one that is skipped is as if the clock had
 * not been changed yet (Java's rules).
 */
int32_t time_zone_local_offset(const struct time_zone *zone, int64_t local);
/* The same in microseconds, of a time in microseconds; zone NULL = UTC. */
static inline int64_t time_zone_local_us(const struct time_zone *zone,
					 int64_t local_us)
{
	return zone ? US_PER_SECOND * time_zone_local_offset(zone,
					floor_div(local_us, US_PER_SECOND))
		    : 0;
}
#endif
