/*
 * file_lock.c - a lock between processes
 *
 * Why:    our own writers take turns at the commit, and a pinned version is
 *         known to be in use as long as its process lives.
 * How:    flock() on a file; the kernel drops it with the process. After the
 *         lock is had, the path must still name the same file: somebody may
 *         have removed it meanwhile, and the next one would lock another.
 * Cost:   three system calls when nobody else holds it. A bounded wait looks
 *         again every 1 to 20 ms.
 * Limits: advisory, one host.
 */
#include "io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "io/file_fault.h"

#define SHORTEST_SLEEP_MS 1
#define LONGEST_SLEEP_MS 20
#define LARGEST_WAIT_MS (INT64_MAX / 2000000)

struct file_lock {
	int descriptor;
};

enum lock_answer { LOCK_HAD, LOCK_BUSY, LOCK_AGAIN };

static int open_lock_file(const char *path, int *descriptor_out,
			  struct error *err)
{
	int errnum = file_fault_check();

	*descriptor_out = -1;
	while (!errnum && *descriptor_out < 0) {
		*descriptor_out = open(path, O_RDWR | O_CREAT | O_CLOEXEC,
				       0666);
		if (*descriptor_out < 0 && errno != EINTR)
			errnum = errno;
	}
	if (errnum)
		return error_set_errno(err, errnum, "cannot open lock '%s'",
				       path);
	return 0;
}

static bool is_still_named(int descriptor, const char *path)
{
	struct stat held, named;

	return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* One try, which waits for ever when wait is true. */
static int try_lock(int descriptor, const char *path, int operation,
		    enum lock_answer *answer, struct error *err)
{
	*answer = LOCK_HAD;
	while (flock(descriptor, operation) != 0) {
		if (errno == EWOULDBLOCK) {
			*answer = LOCK_BUSY;
			return 0;
		}
		if (errno != EINTR)
			return error_set_errno(err, errno,
					       "cannot lock '%s'", path);
		if (interrupt_check(err))
			return ERROR_INTERRUPTED;
	}
	if (!is_still_named(descriptor, path))
		*answer = LOCK_AGAIN;
	return 0;
}

static void sleep_ms(int64_t ms)
{
	struct timespec duration = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&duration, NULL);	/* a signal may end it early */
}

/* Take the lock; *descriptor_out is -1 if somebody else has it. */
static int take_descriptor(const char *path, bool exclusive, int64_t wait_ms,
			   int *descriptor_out, struct error *err)
{
	int operation = (exclusive ? LOCK_EX : LOCK_SH) |
			(wait_ms < 0 ? 0 : LOCK_NB);
	uint64_t deadline;
	int64_t nap_ms = SHORTEST_SLEEP_MS;
	enum lock_answer answer;
	int descriptor, rc;

	*descriptor_out = -1;
	if (wait_ms > LARGEST_WAIT_MS)
		wait_ms = LARGEST_WAIT_MS;
	deadline = clock_monotonic_ns() +
		   (wait_ms > 0 ? (uint64_t)wait_ms * 1000000 : 0);
	for (;;) {
		rc = open_lock_file(path, &descriptor, err);
		if (rc)
			return rc;
		rc = try_lock(descriptor, path, operation, &answer, err);
		if (!rc && answer == LOCK_HAD) {
			*descriptor_out = descriptor;
			return 0;
		}
		close(descriptor);
		if (rc)
			return rc;
		if (answer == LOCK_AGAIN)
			continue;
		if (clock_monotonic_ns() >= deadline)
			return 0;
		sleep_ms(nap_ms);
		if (nap_ms < LONGEST_SLEEP_MS)
			nap_ms++;
		rc = interrupt_check(err);
		if (rc)
			return rc;
	}
}

int file_lock_take(struct file_lock **out, const char *path, bool exclusive,
		   int64_t wait_ms, struct error *err)
{
	struct file_lock *lock = mem_zalloc(sizeof(*lock));
	int descriptor, rc;

	*out = NULL;
	if (!lock)
		return error_set(err, ERROR_NO_MEMORY, "lock '%s'", path);
	rc = take_descriptor(path, exclusive, wait_ms, &descriptor, err);
	if (rc || descriptor < 0) {
		mem_free(lock);
		return rc;
	}
	lock->descriptor = descriptor;
	*out = lock;
	return 0;
}

int file_lock_try(struct file_lock **out, const char *path,
		  struct error *err)
{
	struct file_lock *lock = mem_zalloc(sizeof(*lock));
	enum lock_answer answer = LOCK_BUSY;
	int rc = 0;

	*out = NULL;
	if (!lock)
		return error_set(err, ERROR_NO_MEMORY, "lock '%s'", path);
	lock->descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (lock->descriptor < 0) {
		mem_free(lock);
		return 0;
	}
	rc = try_lock(lock->descriptor, path, LOCK_EX | LOCK_NB, &answer, err);
	if (!rc && answer == LOCK_HAD)
		*out = lock;
	else
		file_lock_free(lock);
	return rc;
}

void file_lock_free(struct file_lock *lock)
{
	if (!lock)
		return;
	close(lock->descriptor);
	mem_free(lock);
}
