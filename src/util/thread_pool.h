#ifndef UTIL_THREAD_POOL_H
#define UTIL_THREAD_POOL_H
#include <stddef.h>
#include "util/error.h"

/*
 * Run one function on several threads and wait for all. Work is handed out
 * by the function itself (an atomic counter over chunks or row groups): no
 * queue, no thread kept. worker goes from 0 to thread_count - 1; worker 0 is
 * the caller's own thread, so thread_count 1 starts nothing.
 *
 * The function returns 0 or an error. The first failure in worker order is
 * returned with its err; the others should notice by their own shared flag.
 * Errors: the workers', ERROR_NO_MEMORY. If a thread cannot be started the
 * work goes on with fewer: the function must not wait for other workers.
 */
int thread_run(size_t thread_count,
	       int (*work)(void *context, size_t worker, struct error *err),
	       void *context, struct error *err);
/* Processors this process may use (affinity), at least 1. */
size_t thread_available_count(void);
#endif
