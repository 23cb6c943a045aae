#ifndef IO_FILE_H
#define IO_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/util.h"

/*
 * A file open for reading at any offset, by any number of threads at once.
 * Kinds: a local file (pread, never mapped: a file cut short under us must be
 * an error, not a signal), and bytes in memory (tests, inline data).
 */
struct input_file;

/* Errors: ERROR_IO (missing, no permission, a directory). */
int input_file_open(struct input_file **out, const char *path,
		    struct error *err);
/* data is kept, not copied; name is copied and stands for the path. */
int input_file_memory(struct input_file **out, const char *name,
		      const void *data, size_t length, struct error *err);
void input_file_close(struct input_file *file);
const char *input_file_path(const struct input_file *file);
uint64_t input_file_size(const struct input_file *file);
/*
 * Read exactly length bytes at offset. Errors: ERROR_CORRUPT when the range
 * leaves the file (it names path, offset, length and size), ERROR_IO.
 */
int input_file_read(struct input_file *file, uint64_t offset, void *buffer,
		    size_t length, struct error *err);
/* What it was when it was opened (io/publish.h); zeros: bytes in memory. */
struct file_stamp;
const struct file_stamp *input_file_stamp(const struct input_file *file);
/* Is it that still? ERROR_IO where it was written to. */
int input_file_check(const struct input_file *file, struct error *err);
/* Tell the system that a range will be read soon. Never fails. */
void input_file_prefetch(struct input_file *file, uint64_t offset,
			 uint64_t length);
/* The whole file into text (reset first). ERROR_CORRUPT over limit_bytes. */
int input_file_read_all(const char *path, size_t limit_bytes,
			struct text *out, struct error *err);

/*
 * A stream of bytes read once from start to end: a file, a pipe, standard
 * input (path "-"). read() returns 0 bytes only at the end; there a file that
 * was written to since it was opened is ERROR_IO.
 */
struct input_stream;

int input_stream_open(struct input_stream **out, const char *path,
		      struct error *err);
void input_stream_close(struct input_stream *stream);
int input_stream_read(struct input_stream *stream, void *buffer,
		      size_t capacity, size_t *length_out, struct error *err);

/*
 * A file being written from start to end. It is created exclusively (an
 * existing path is ERROR_IO) and is buffered; not for two threads at once.
 * free() before close() means abort: the file is removed.
 */
struct output_file;

int output_file_create(struct output_file **out, const char *path,
		       struct error *err);
/* To memory: the bytes are read with output_file_memory_bytes(). */
int output_file_memory(struct output_file **out, const char *name,
		       struct error *err);
struct byte_view output_file_memory_bytes(const struct output_file *file);
/* On a descriptor that the caller keeps (standard output); never removed. */
int output_file_descriptor(struct output_file **out, int descriptor,
			   const char *name, struct error *err);
int output_file_write(struct output_file *file, const void *data,
		      size_t length, struct error *err);
/* Bytes written so far: the offset of the next byte. */
uint64_t output_file_offset(const struct output_file *file);
/* Flush the buffer to the system; start writing back without waiting. */
int output_file_flush(struct output_file *file, struct error *err);
/*
 * Flush, and when sync is true fdatasync. After success the file stays. On
 * failure it is still open and free() removes it.
 */
int output_file_close(struct output_file *file, bool sync, struct error *err);
void output_file_free(struct output_file *file);

/*
 * Fault injection for tests: fail the nth (from 0) write, sync, create, link
 * or rename of this process with errnum (ENOSPC, EIO). nth < 0 switches it
 * off. One switch, atomic, checked by all of io.
 */
void io_fail_at(long nth, int errnum);
long io_operation_count(void);	/* since the last io_fail_at() */
#endif
