/*
 * file_tail.c - write the end of a file in place
 *
 * Why:    a log whose valid length is recorded elsewhere grows by one small
 *         write, and what a failed writer left behind its end is dropped.
 * How:    the bytes are written at the offset, then what lies behind them is
 *         cut off, if anything does. A file that was cut to nothing before it
 *         is written would be written back by ext4 as soon as it is closed.
 * Cost:   four system calls, and a sync if asked for.
 * Limits: not atomic: the caller keeps other writers away, and readers look
 *         no further than the length they know.
 */
#include "io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/file_fault.h"

/* All bytes at the offset; returns an errno. */
static int write_all(int descriptor, uint64_t offset, const char *data,
		     size_t length)
{
	while (length) {
		int errnum = file_fault_check();
		ssize_t n;

		if (errnum)
			return errnum;
		n = pwrite(descriptor, data, length, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		data += n;
		offset += (size_t)n;
		length -= (size_t)n;
	}
	return 0;
}

/* Drop what lies behind the end; returns an errno. */
static int cut_behind(int descriptor, uint64_t end)
{
	struct stat info;

	if (fstat(descriptor, &info) != 0)
		return errno;
	if (info.st_size <= 0 || (uint64_t)info.st_size <= end)
		return 0;
	return ftruncate(descriptor, (off_t)end) != 0 ? errno : 0;
}

int file_write_tail(const char *path, uint64_t offset, const void *data,
		    size_t length, bool sync, struct error *err)
{
	int errnum = file_fault_check();
	int descriptor = -1;

	while (!errnum && descriptor < 0) {
		descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (descriptor < 0 && errno != EINTR)
			errnum = errno;
	}
	if (errnum)
		return error_set_errno(err, errnum, "cannot open '%s'", path);
	errnum = write_all(descriptor, offset, data, length);
	if (!errnum)
		errnum = cut_behind(descriptor, offset + length);
	if (!errnum && sync)
		errnum = file_fault_check();
	if (!errnum && sync && fdatasync(descriptor) != 0)
		errnum = errno;
	if (close(descriptor) != 0 && !errnum)
		errnum = errno;
	if (errnum)
		return error_set_errno(err, errnum, "cannot write '%s'",
				       path);
	return 0;
}
