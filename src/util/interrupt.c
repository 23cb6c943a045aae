/*
 * interrupt.c - a signal that asks a run to stop
 *
 * Why:    a run that is told to stop removes what it wrote before it ends.
 * How:    the handler stores the signal's number in one lock-free atomic;
 *         loops look at it between batches.
 * Cost:   one relaxed load per check.
 * Limits: the last signal wins.
 */
#include "util/interrupt.h"

#include <stdatomic.h>

#define SIGNAL_INTERRUPT 2
#define SIGNAL_TERMINATE 15

static atomic_int requested;

void interrupt_request(int signal_number)
{
	atomic_store_explicit(&requested, signal_number,
			      memory_order_relaxed);
}

int interrupt_signal(void)
{
	return atomic_load_explicit(&requested, memory_order_relaxed);
}

void interrupt_reset(void)
{
	interrupt_request(0);
}

int interrupt_check(struct error *err)
{
	int signal_number = interrupt_signal();

	if (!signal_number)
		return 0;
	if (signal_number == SIGNAL_INTERRUPT)
		return error_set(err, ERROR_INTERRUPTED,
				 "interrupted by SIGINT");
	if (signal_number == SIGNAL_TERMINATE)
		return error_set(err, ERROR_INTERRUPTED,
				 "interrupted by SIGTERM");
	return error_set(err, ERROR_INTERRUPTED, "interrupted by signal %d",
			 signal_number);
}
