/*
 * temp_file.c - files without a name
 *
 * How:    O_TMPFILE where the file system has it, else a file that is
 *         unlinked as soon as it is open.
 */
#include "io/temp_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct temporary_file {
	int descriptor;
	char *directory;	/* for messages */
};

static int refuse(const char *directory, int errnum, const char *what,
		  struct error *err)
{
	error_set_errno(err, errnum, "%s a temporary file in %s", what,
			directory);
	error_hint(err, "let TMPDIR name a directory that has room for what "
		   "does not fit --memory");
	return err ? err->code : ERROR_IO;
}

static int open_unnamed(const char *directory)
{
	struct text path = TEXT_INIT;
	int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
				errno != ENOENT))
		return descriptor;
	if (!text_addf(&path, "%s/.rowmerge-spill-XXXXXX", directory)) {
		errno = ENOMEM;
		return -1;
	}
	descriptor = mkostemp(path.data, O_CLOEXEC);
	if (descriptor >= 0)
		unlink(path.data);
	text_release(&path);
	return descriptor;
}

int temporary_file_new(struct temporary_file **out, const char *directory,
		       struct error *err)
{
	struct temporary_file *file = mem_zalloc(sizeof(*file));

	*out = NULL;
	if (!file)
		return error_set(err, ERROR_NO_MEMORY, "temporary file");
	file->directory = mem_strdup(directory);
	if (!file->directory) {
		mem_free(file);
		return error_set(err, ERROR_NO_MEMORY, "temporary file");
	}
	file->descriptor = open_unnamed(directory);
	if (file->descriptor < 0) {
		int errnum = errno;

		temporary_file_free(file);
		return refuse(directory, errnum, "cannot make", err);
	}
	*out = file;
	return 0;
}

void temporary_file_free(struct temporary_file *file)
{
	if (!file)
		return;
	if (file->descriptor >= 0)
		close(file->descriptor);
	mem_free(file->directory);
	mem_free(file);
}

int temporary_file_write(struct temporary_file *file, uint64_t offset,
			 const void *data, size_t length, struct error *err)
{
	const uint8_t *next = data;

	while (length) {
		ssize_t n = pwrite(file->descriptor, next, length,
				   (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return refuse(file->directory, errno, "cannot write",
				      err);
		next += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}

int temporary_file_read(struct temporary_file *file, uint64_t offset,
			void *buffer, size_t length, struct error *err)
{
	uint8_t *next = buffer;

	while (length) {
		ssize_t n = pread(file->descriptor, next, length,
				  (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_errno(err, n < 0 ? errno : EIO,
					       "reading a temporary file in "
					       "%s", file->directory);
		next += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}
