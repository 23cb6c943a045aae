/*
 * clock.c - the two clocks
 *
 * Why:    one place that reads the time, so that all else is repeatable.
 * How:    clock_gettime().
 * Cost:   some 20 ns, no system call.
 * Limits: the wall clock may jump; durations use the monotonic one.
 */
#include "util/clock.h"

#include <time.h>

int64_t clock_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
