/*
 * file_output.c - write a file from start to end
 *
 * Why:    data files, manifests and exports are produced in order; what is
 *         not finished must leave nothing behind.
 * How:    a 256 KiB buffer before write(); larger pieces pass it by. flush
 *         also asks the system to start writing back, so that the sync at
 *         close finds little left to do. The first failure sticks: all later
 *         calls repeat it, so a gap can never be closed as a whole file.
 * Cost:   one copy of pieces smaller than the buffer.
 * Limits: the directory that holds the file is synced by directory_sync().
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include "io/file_fault.h"

#define BUFFER_BYTES ((size_t)256 << 10)
/* From so many bytes on a write of their own costs less than a copy. */
#define PIECE_BYTES ((size_t)64 << 10)
#define LARGEST_WRITE_BYTES ((size_t)1 << 30)
#define NO_DESCRIPTOR (-1)

struct output_file {
	char *path;
	int descriptor;		/* NO_DESCRIPTOR: to memory, or closed */
	bool owned;		/* close and, unfinished, remove it */
	bool finished;
	int failed_errno;	/* of the first failure */
	uint8_t *buffer;
	size_t buffered_bytes;
	uint64_t flushed_bytes;	/* given to the system */
	uint64_t started_bytes;	/* of those, write-back was started */
	bool to_memory;
	struct text memory;
};

static int new_output_file(struct output_file **out, const char *path,
			   bool to_memory, struct error *err)
{
	struct output_file *file = mem_zalloc(sizeof(*file));

	*out = NULL;
	if (!file)
		return error_set(err, ERROR_NO_MEMORY, "create '%s'", path);
	file->descriptor = NO_DESCRIPTOR;
	file->to_memory = to_memory;
	file->path = mem_strdup(path);
	if (!to_memory)
		file->buffer = mem_alloc(BUFFER_BYTES);
	if (!file->path || (!to_memory && !file->buffer)) {
		output_file_free(file);
		return error_set(err, ERROR_NO_MEMORY, "create '%s'", path);
	}
	*out = file;
	return 0;
}

int output_file_create(struct output_file **out, const char *path,
		       struct error *err)
{
	int rc = new_output_file(out, path, false, err);
	int errnum;

	if (rc)
		return rc;
	errnum = file_fault_check();
	while (!errnum && (*out)->descriptor < 0) {
		(*out)->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL |
					  O_CLOEXEC, 0666);
		if ((*out)->descriptor < 0 && errno != EINTR)
			errnum = errno;
	}
	if (errnum) {
		output_file_free(*out);
		*out = NULL;
		return error_set_errno(err, errnum, "cannot create '%s'",
				       path);
	}
	(*out)->owned = true;
	return 0;
}

int output_file_memory(struct output_file **out, const char *name,
		       struct error *err)
{
	return new_output_file(out, name, true, err);
}

struct byte_view output_file_memory_bytes(const struct output_file *file)
{
	return byte_view(file->memory.data, file->memory.length);
}

int output_file_descriptor(struct output_file **out, int descriptor,
			   const char *name, struct error *err)
{
	int rc = new_output_file(out, name, false, err);

	if (!rc)
		(*out)->descriptor = descriptor;
	return rc;
}

static int report(struct output_file *file, struct error *err)
{
	return error_set_errno(err, file->failed_errno, "cannot write '%s'",
			       file->path);
}

static int remember(struct output_file *file, int errnum, struct error *err)
{
	file->failed_errno = errnum;
	return report(file, err);
}

static int check_interrupt(struct output_file *file, struct error *err)
{
	int rc = interrupt_check(err);

	if (rc)
		file->failed_errno = EINTR;
	return rc;
}

/*
 * After a write() that gave errnum: 0 to try again. A pipe that does not
 * block is waited for; a signal may have asked the run to stop.
 */
static int after_failed_write(struct output_file *file, int errnum,
			      struct error *err)
{
	struct pollfd ready = { file->descriptor, POLLOUT, 0 };

	if (errnum == EAGAIN) {
		if (poll(&ready, 1, -1) >= 0)
			return 0;
		errnum = errno;
	}
	if (errnum != EINTR)
		return remember(file, errnum, err);
	return check_interrupt(file, err);
}

/* Give bytes to the system, all of them. */
static int write_through(struct output_file *file, const uint8_t *data,
			 size_t length, struct error *err)
{
	size_t step;
	ssize_t put;
	int errnum, rc;

	while (length > 0) {
		errnum = file_fault_check();
		if (errnum)
			return remember(file, errnum, err);
		step = length < LARGEST_WRITE_BYTES ? length :
						      LARGEST_WRITE_BYTES;
		put = write(file->descriptor, data, step);
		rc = 0;
		if (put < 0) {
			rc = after_failed_write(file, errno, err);
			put = 0;
		} else if ((size_t)put < step) {
			/* a signal ends a write to a full pipe half-way */
			rc = check_interrupt(file, err);
		}
		data += put;
		length -= (size_t)put;
		file->flushed_bytes += (uint64_t)put;
		if (rc)
			return rc;
	}
	return 0;
}

static int drain_buffer(struct output_file *file, struct error *err)
{
	int rc;

	if (file->failed_errno)
		return report(file, err);
	rc = write_through(file, file->buffer, file->buffered_bytes, err);
	if (!rc)
		file->buffered_bytes = 0;
	return rc;
}

static int write_memory(struct output_file *file, const void *data,
			size_t length, struct error *err)
{
	int errnum = file->failed_errno ? 0 : file_fault_check();

	if (file->failed_errno)
		return report(file, err);
	if (!errnum && !text_add(&file->memory, data, length))
		errnum = ENOMEM;
	return errnum ? remember(file, errnum, err) : 0;
}

int output_file_write(struct output_file *file, const void *data,
		      size_t length, struct error *err)
{
	int rc;

	if (file->to_memory)
		return write_memory(file, data, length, err);
	if (file->failed_errno)
		return report(file, err);
	if (length > BUFFER_BYTES - file->buffered_bytes) {
		rc = drain_buffer(file, err);
		if (rc)
			return rc;
	}
	if (length >= BUFFER_BYTES ||
	    (length >= PIECE_BYTES && !file->buffered_bytes))
		return write_through(file, data, length, err);
	if (length)
		memcpy(file->buffer + file->buffered_bytes, data, length);
	file->buffered_bytes += length;
	return 0;
}

uint64_t output_file_offset(const struct output_file *file)
{
	if (file->to_memory)
		return file->memory.length;
	return file->flushed_bytes + file->buffered_bytes;
}

int output_file_flush(struct output_file *file, struct error *err)
{
	int rc;

	if (file->to_memory)
		return file->failed_errno ? report(file, err) : 0;
	rc = drain_buffer(file, err);
	if (rc || !file->owned || file->started_bytes == file->flushed_bytes)
		return rc;
	/* a hint: pipes and some file systems cannot, and need not */
	(void)sync_file_range(file->descriptor, (off_t)file->started_bytes,
			      (off_t)(file->flushed_bytes -
				      file->started_bytes),
			      SYNC_FILE_RANGE_WRITE);
	file->started_bytes = file->flushed_bytes;
	return 0;
}

static int sync_descriptor(struct output_file *file, struct error *err)
{
	int errnum = file_fault_check();

	if (!errnum && fdatasync(file->descriptor) != 0)
		errnum = errno;
	/* a pipe or a terminal has nothing to sync */
	if (!file->owned && (errnum == EINVAL || errnum == EROFS ||
			     errnum == ENOTSUP))
		errnum = 0;
	return errnum ? remember(file, errnum, err) : 0;
}

int output_file_close(struct output_file *file, bool sync, struct error *err)
{
	int rc;

	if (file->to_memory) {
		rc = output_file_flush(file, err);
		file->finished = !rc;
		return rc;
	}
	rc = drain_buffer(file, err);
	if (!rc && sync)
		rc = sync_descriptor(file, err);
	if (rc)
		return rc;
	if (file->owned) {
		/* Linux frees the descriptor even when close() fails */
		rc = close(file->descriptor);
		file->descriptor = NO_DESCRIPTOR;
		if (rc != 0 && errno != EINTR)
			return remember(file, errno, err);
	}
	file->finished = true;
	return 0;
}

void output_file_free(struct output_file *file)
{
	if (!file)
		return;
	if (file->owned) {
		if (file->descriptor != NO_DESCRIPTOR)
			close(file->descriptor);
		if (!file->finished)
			unlink(file->path);
	}
	text_release(&file->memory);
	mem_free(file->buffer);
	mem_free(file->path);
	mem_free(file);
}
