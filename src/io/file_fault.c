/*
 * file_fault.c - let the nth operation on files fail
 *
 * Why:    a full disk or a dying one must leave the table at its old version;
 *         a test walks through every operation of a commit and fails it.
 * How:    one process-wide countdown, asked before each system call that
 *         changes files. Threads share it.
 * Cost:   two atomic operations per system call.
 * Limits: one failure per io_fail_at(); reads are not counted.
 */
#include "io/file_fault.h"

#include <stdatomic.h>
#include "io/file.h"

static atomic_long operations;
static atomic_long failing = -1;	/* number of the operation to fail */
static atomic_int failing_errno;

void io_fail_at(long nth, int errnum)
{
	atomic_store(&failing, -1);
	atomic_store(&operations, 0);
	atomic_store(&failing_errno, errnum);
	atomic_store(&failing, nth < 0 ? -1 : nth);
}

long io_operation_count(void)
{
	return atomic_load(&operations);
}

int file_fault_check(void)
{
	long number = atomic_fetch_add(&operations, 1);

	if (number != atomic_load(&failing))
		return 0;
	return atomic_load(&failing_errno);
}
