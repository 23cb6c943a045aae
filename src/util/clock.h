#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H
#include <stdint.h>

/* Microseconds since 1970-01-01 UTC. Only cli/ and tests call it; the time
 * of a statement travels in its options, so that it is one for all rows. */
int64_t clock_now_us(void);
/* Monotonic nanoseconds, for timings. Allowed everywhere. */
uint64_t clock_monotonic_ns(void);
#endif
