#ifndef UTIL_INTERRUPT_H
#define UTIL_INTERRUPT_H
#include <stdbool.h>
#include "util/error.h"

/*
 * SIGINT and SIGTERM ask a run to stop; cli/ installs the handlers, which
 * call interrupt_request(). Every loop that can be long asks
 * interrupt_check() once a batch, chunk or file and returns what it says.
 */
void interrupt_request(int signal_number);	/* async-signal safe */
int interrupt_signal(void);			/* 0 = none */
void interrupt_reset(void);			/* tests */
/* 0, or ERROR_INTERRUPTED with the text set. One relaxed atomic load. */
int interrupt_check(struct error *err);
#endif
