/*
 * file_input.c - read a file at any offset
 *
 * Why:    Parquet, Avro and metadata are read by offset, by many threads.
 * How:    pread() on a descriptor without a file position. The size is taken
 *         once at open; every range is checked against it before the read.
 * Cost:   a system call per read; the callers read whole column chunks.
 * Limits: regular files only; a file that shrinks after open is ERROR_CORRUPT.
 */
#include "io/file.h"
#include "io/publish.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than the kernel takes in one call, and never negative as ssize_t. */
#define LARGEST_READ_BYTES ((size_t)1 << 30)
#define NO_DESCRIPTOR (-1)

struct input_file {
	char *path;
	int descriptor;			/* NO_DESCRIPTOR: bytes in memory */
	const uint8_t *memory;
	uint64_t byte_count;
	struct file_stamp opened;
};

static int new_input_file(struct input_file **out, const char *path,
			  struct error *err)
{
	struct input_file *file = mem_zalloc(sizeof(*file));

	*out = NULL;
	if (file)
		file->path = mem_strdup(path);
	if (!file || !file->path) {
		mem_free(file);
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", path);
	}
	file->descriptor = NO_DESCRIPTOR;
	*out = file;
	return 0;
}

static int open_descriptor(struct input_file *file, struct error *err)
{
	struct stat info;

	do {
		file->descriptor = open(file->path,
					O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	} while (file->descriptor < 0 && errno == EINTR);
	if (file->descriptor < 0)
		return error_set_errno(err, errno, "cannot open '%s'",
				       file->path);
	if (fstat(file->descriptor, &info) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       file->path);
	if (S_ISDIR(info.st_mode))
		return error_set_errno(err, EISDIR, "cannot open '%s'",
				       file->path);
	if (!S_ISREG(info.st_mode))
		return error_set(err, ERROR_IO, "'%s' is not a regular file",
				 file->path);
	file->byte_count = (uint64_t)info.st_size;
	file_stamp_set(&file->opened, &info);
	return 0;
}

const struct file_stamp *input_file_stamp(const struct input_file *file)
{
	return &file->opened;
}

int input_file_check(const struct input_file *file, struct error *err)
{
	if (file->descriptor == NO_DESCRIPTOR)
		return 0;
	return file_stamp_check(&file->opened, file->descriptor, file->path,
				err);
}

int input_file_open(struct input_file **out, const char *path,
		    struct error *err)
{
	int rc = new_input_file(out, path, err);

	if (rc)
		return rc;
	rc = open_descriptor(*out, err);
	if (rc) {
		input_file_close(*out);
		*out = NULL;
	}
	return rc;
}

int input_file_memory(struct input_file **out, const char *name,
		      const void *data, size_t length, struct error *err)
{
	int rc = new_input_file(out, name, err);

	if (rc)
		return rc;
	(*out)->memory = data;
	(*out)->byte_count = length;
	return 0;
}

void input_file_close(struct input_file *file)
{
	if (!file)
		return;
	if (file->descriptor != NO_DESCRIPTOR)
		close(file->descriptor);
	mem_free(file->path);
	mem_free(file);
}

const char *input_file_path(const struct input_file *file)
{
	return file->path;
}

uint64_t input_file_size(const struct input_file *file)
{
	return file->byte_count;
}

static int read_descriptor(struct input_file *file, uint64_t offset,
			   uint8_t *buffer, size_t length, struct error *err)
{
	size_t step;
	ssize_t got;

	while (length > 0) {
		step = length < LARGEST_READ_BYTES ? length :
						     LARGEST_READ_BYTES;
		got = pread(file->descriptor, buffer, step, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set_errno(err, errno,
				"cannot read '%s' at offset %" PRIu64,
				file->path, offset);
		if (got == 0)
			return error_set(err, ERROR_CORRUPT,
				"'%s' was cut short at offset %" PRIu64
				" while it was read; its size was %" PRIu64,
				file->path, offset, file->byte_count);
		buffer += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return 0;
}

int input_file_read(struct input_file *file, uint64_t offset, void *buffer,
		    size_t length, struct error *err)
{
	if (offset > file->byte_count || length > file->byte_count - offset)
		return error_set(err, ERROR_CORRUPT,
			"'%s': %zu bytes at offset %" PRIu64
			" are past its end, its size is %" PRIu64,
			file->path, length, offset, file->byte_count);
	if (file->descriptor == NO_DESCRIPTOR) {
		if (length)
			memcpy(buffer, file->memory + offset, length);
		return 0;
	}
	return read_descriptor(file, offset, buffer, length, err);
}

void input_file_prefetch(struct input_file *file, uint64_t offset,
			 uint64_t length)
{
	if (file->descriptor == NO_DESCRIPTOR || offset >= file->byte_count)
		return;
	if (length > file->byte_count - offset)
		length = file->byte_count - offset;
	if (length)	/* 0 would mean the whole rest */
		posix_fadvise(file->descriptor, (off_t)offset, (off_t)length,
			      POSIX_FADV_WILLNEED);
}

int input_file_read_all(const char *path, size_t limit_bytes,
			struct text *out, struct error *err)
{
	struct input_file *file;
	int rc;

	text_reset(out);
	rc = input_file_open(&file, path, err);
	if (rc)
		return rc;
	if (file->byte_count > limit_bytes)
		rc = error_set(err, ERROR_CORRUPT, "'%s' has %" PRIu64
			       " bytes, more than the limit of %zu", path,
			       file->byte_count, limit_bytes);
	else if (!text_reserve(out, (size_t)file->byte_count))
		rc = error_set(err, ERROR_NO_MEMORY, "%" PRIu64
			       " bytes of '%s'", file->byte_count, path);
	else
		rc = input_file_read(file, 0, out->data,
				     (size_t)file->byte_count, err);
	if (!rc)
		out->length = (size_t)file->byte_count;
	if (out->data)
		out->data[out->length] = '\0';
	input_file_close(file);
	return rc;
}
