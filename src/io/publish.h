#ifndef IO_PUBLISH_H
#define IO_PUBLISH_H
#include <stdbool.h>
#include "util/util.h"

/*
 * How bytes become visible in one step, and locks between processes.
 */

/*
 * Make a new file temporary with the content, not synced. Errors: ERROR_IO,
 * ERROR_NO_SPACE; then the file is gone.
 */
int publish_stage(const char *temporary, const void *data, size_t length,
		  struct error *err);
/*
 * Give a staged file, which the caller has synced (files_sync), the name path
 * in the same directory in one step, only if that does not exist: link() it,
 * then unlink the temporary name. *exists_out is true, and 0 returned, when
 * path was there already: nothing has changed then. The directory is not
 * synced here. Errors: ERROR_IO, ERROR_NO_SPACE; then path was not made. The
 * temporary name is gone in any case.
 */
int publish_exclusive(const char *temporary, const char *path,
		      bool *exists_out, struct error *err);
/*
 * Give path the content in one step, whether it exists or not: write
 * temporary (in the same directory) and rename() it. sync: fsync the file
 * first. Errors: ERROR_IO, ERROR_NO_SPACE; then path is as it was and the
 * temporary file is gone.
 */
int publish_replace(const char *temporary, const char *path, const void *data,
		    size_t length, bool sync, struct error *err);

/*
 * Give a file that is complete and synced the name path, whether that exists
 * or not, and sync the directory. Errors: ERROR_IO; before the rename then
 * path is as it was, and the temporary file is the caller's.
 */
int publish_move(const char *temporary, const char *path, struct error *err);
/* What tells a file, and that nobody has written to it. */
struct file_stamp {
	uint64_t device;
	uint64_t inode;
	uint64_t size;
	int64_t changed_ns;
	bool is_regular;
};
int file_stamp_of(const char *path, struct file_stamp *out,
		     struct error *err);
/* The same file, whatever was written to it. */
bool file_stamp_same(const struct file_stamp *a, const struct file_stamp *b);
bool file_stamp_equal(const struct file_stamp *a,
			 const struct file_stamp *b);
struct stat;
void file_stamp_set(struct file_stamp *out, const struct stat *info);
/* Is an open file what it was? ERROR_IO where it was written to; name is for
 * the message. */
int file_stamp_check(const struct file_stamp *was, int descriptor,
		     const char *name, struct error *err);
/* The two are not equal: ERROR_IO that says so. */
int file_stamp_refuse(const char *name, struct error *err);

/*
 * Write data at offset of a file that is created when missing, and drop what
 * lay behind offset. Not in one step: for logs whose valid length is kept
 * elsewhere. sync: fdatasync the file.
 */
int file_write_tail(const char *path, uint64_t offset, const void *data,
		    size_t length, bool sync, struct error *err);

/*
 * The same without a new file each time: the bytes go to spare, a file that
 * is kept (made when missing), which then changes places with path. Not for
 * two processes at once. Errors: ERROR_IO also where path is missing or the
 * file system cannot exchange names: publish_replace() can.
 */
int publish_exchange(const char *spare, const char *path, const void *data,
		     size_t length, struct error *err);

/*
 * An flock() on a file that is created when missing. Released by free or by
 * the end of the process. wait_ms 0 = try once, < 0 = wait for ever (signals
 * end the wait). *out NULL and 0 when somebody else holds it.
 */
struct file_lock;
int file_lock_take(struct file_lock **out, const char *path, bool exclusive,
		   int64_t wait_ms, struct error *err);
/* One try at a file that must be there; *out NULL and 0 also where it is not,
 * or may not be opened. */
int file_lock_try(struct file_lock **out, const char *path,
		  struct error *err);
void file_lock_free(struct file_lock *lock);
#endif
