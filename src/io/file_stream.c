/*
 * file_stream.c - read bytes once, from start to end
 *
 * Why:    inputs may be pipes or standard input, which have no offsets.
 * How:    read() as it comes; a regular file is announced as sequential. At
 *         its end it must be what it was when it was opened: a file that is
 *         still being written may end in half of a number.
 * Cost:   a system call per read; callers bring large buffers.
 * Limits: standard input is borrowed: it is not closed here.
 */
#include "io/file.h"
#include "io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_READ_BYTES ((size_t)1 << 30)
#define STDIN_NAME "standard input"

struct input_stream {
	char *name;
	int descriptor;
	bool owned;
	bool is_regular;
	struct file_stamp opened;
};

static int open_path(struct input_stream *stream, const char *path,
		     struct error *err)
{
	struct stat info;

	do {
		stream->descriptor = open(path, O_RDONLY | O_CLOEXEC);
	} while (stream->descriptor < 0 && errno == EINTR);
	if (stream->descriptor < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	stream->owned = true;
	if (fstat(stream->descriptor, &info) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       path);
	if (S_ISDIR(info.st_mode))
		return error_set_errno(err, EISDIR, "cannot open '%s'", path);
	file_stamp_set(&stream->opened, &info);
	stream->is_regular = S_ISREG(info.st_mode);
	if (stream->is_regular)
		posix_fadvise(stream->descriptor, 0, 0,
			      POSIX_FADV_SEQUENTIAL);
	return 0;
}

static void take_standard_input(struct input_stream *stream)
{
	struct stat info;

	stream->descriptor = STDIN_FILENO;
	if (fstat(STDIN_FILENO, &info) != 0)
		return;
	file_stamp_set(&stream->opened, &info);
	stream->is_regular = S_ISREG(info.st_mode);
}

/* At the end of a file: has somebody written to it since? */
static int check_stream(const struct input_stream *stream, struct error *err)
{
	return !stream->is_regular ? 0 :
		file_stamp_check(&stream->opened, stream->descriptor,
				 stream->name, err);
}

int input_stream_open(struct input_stream **out, const char *path,
		      struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct input_stream *stream = mem_zalloc(sizeof(*stream));
	int rc = 0;

	*out = NULL;
	if (stream)
		stream->name = mem_strdup(is_stdin ? STDIN_NAME : path);
	if (!stream || !stream->name) {
		mem_free(stream);
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", path);
	}
	if (is_stdin)
		take_standard_input(stream);
	else
		rc = open_path(stream, path, err);
	if (rc) {
		input_stream_close(stream);
		return rc;
	}
	*out = stream;
	return 0;
}

void input_stream_close(struct input_stream *stream)
{
	if (!stream)
		return;
	if (stream->owned)
		close(stream->descriptor);
	mem_free(stream->name);
	mem_free(stream);
}

/*
 * After a read() that gave errnum: 0 to try again. A pipe that does not
 * block is waited for; a signal may have asked the run to stop.
 */
static int after_failed_read(struct input_stream *stream, int errnum,
			     struct error *err)
{
	struct pollfd ready = { stream->descriptor, POLLIN, 0 };

	if (errnum == EAGAIN) {
		if (poll(&ready, 1, -1) >= 0)
			return 0;
		errnum = errno;
	}
	if (errnum == EINTR)
		return interrupt_check(err);
	return error_set_errno(err, errnum, "cannot read '%s'", stream->name);
}

int input_stream_read(struct input_stream *stream, void *buffer,
		      size_t capacity, size_t *length_out, struct error *err)
{
	ssize_t got;
	int rc;

	*length_out = 0;
	if (capacity > LARGEST_READ_BYTES)
		capacity = LARGEST_READ_BYTES;
	for (;;) {
		got = read(stream->descriptor, buffer, capacity);
		if (got >= 0)
			break;
		rc = after_failed_read(stream, errno, err);
		if (rc)
			return rc;
	}
	*length_out = (size_t)got;
	return got || !capacity ? 0 : check_stream(stream, err);
}
