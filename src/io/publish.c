/*
 * publish.c - make bytes visible in one step
 *
 * Why:    a commit is one new name; nobody may see half of its bytes, and of
 *         two writers only one may win.
 * How:    the bytes go to a temporary file, are synced, and then get their
 *         name: by link(), which fails if the name is taken, or by rename(),
 *         which replaces. Where a file system has no hard links
 *         renameat2(RENAME_NOREPLACE) stands in. Staging is a step of its
 *         own, so that a file can be synced together with others.
 * Cost:   one fsync and three or four system calls.
 * Limits: the caller syncs the directory.
 */
#include "io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/file.h"
#include "io/directory.h"
#include "io/file_fault.h"
#include "io/path.h"

/* The temporary file with all its bytes; on failure it is gone. */
static int write_temporary(const char *temporary, struct byte_view bytes,
			   bool sync, struct error *err)
{
	struct output_file *file;
	int rc = output_file_create(&file, temporary, err);

	if (rc)
		return rc;
	rc = output_file_write(file, bytes.data, bytes.length, err);
	if (!rc)
		rc = output_file_close(file, sync, err);
	output_file_free(file);
	return rc;
}

/* Did a link() that reported a failure succeed all the same (NFS)? */
static bool same_file(const char *a, const char *b)
{
	struct stat first, second;

	return lstat(a, &first) == 0 && lstat(b, &second) == 0 &&
	       first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* Name the file path, unless that exists. Returns an errno or 0. */
static int name_exclusively(const char *temporary, const char *path)
{
	int errnum = file_fault_check();

	if (errnum)
		return errnum;
	if (link(temporary, path) == 0)
		return 0;
	errnum = errno;
	if (same_file(temporary, path))
		return 0;
	if (errnum != EPERM && errnum != EOPNOTSUPP && errnum != ENOSYS &&
	    errnum != EMLINK)
		return errnum;
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path,
		      RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EEXIST ? EEXIST : errnum;
}

int publish_stage(const char *temporary, const void *data, size_t length,
		  struct error *err)
{
	return write_temporary(temporary, byte_view(data, length), false,
			       err);
}

int publish_exclusive(const char *temporary, const char *path,
		      bool *exists_out, struct error *err)
{
	int errnum;

	*exists_out = false;
	errnum = name_exclusively(temporary, path);
	unlink(temporary);
	if (errnum == EEXIST) {
		*exists_out = true;
		return 0;
	}
	if (errnum)
		return error_set_errno(err, errnum, "cannot create '%s'",
				       path);
	return 0;
}

int publish_replace(const char *temporary, const char *path, const void *data,
		    size_t length, bool sync, struct error *err)
{
	int rc, errnum;

	rc = write_temporary(temporary, byte_view(data, length), sync, err);
	if (rc)
		return rc;
	errnum = file_fault_check();
	if (!errnum && rename(temporary, path) != 0)
		errnum = errno;
	if (!errnum)
		return 0;
	unlink(temporary);
	return error_set_errno(err, errnum, "cannot replace '%s'", path);
}

int publish_exchange(const char *spare, const char *path, const void *data,
		     size_t length, struct error *err)
{
	int rc = file_write_tail(spare, 0, data, length, false, err);
	int errnum;

	if (rc)
		return rc;
	errnum = file_fault_check();
	if (!errnum && renameat2(AT_FDCWD, spare, AT_FDCWD, path,
				 RENAME_EXCHANGE) != 0)
		errnum = errno;
	return errnum ? error_set_errno(err, errnum, "cannot replace '%s'",
					path) : 0;
}

int publish_move(const char *temporary, const char *path, struct error *err)
{
	int errnum = file_fault_check(), rc;
	struct arena arena;
	char *directory;

	arena_init(&arena, 0);
	directory = path_dirname(&arena, path);
	if (directory && !errnum && rename(temporary, path) != 0)
		errnum = errno;
	if (!directory)
		rc = error_set(err, ERROR_NO_MEMORY, "publish");
	else if (errnum)
		rc = error_set_errno(err, errnum, "cannot replace '%s'", path);
	else
		rc = directory_sync(directory, err);
	arena_release(&arena);
	return rc;
}

void file_stamp_set(struct file_stamp *out, const struct stat *info)
{
	out->device = info->st_dev;
	out->inode = info->st_ino;
	out->is_regular = S_ISREG(info->st_mode);
	out->size = (uint64_t)info->st_size;
	out->changed_ns = (int64_t)info->st_mtim.tv_sec * 1000000000 +
			  info->st_mtim.tv_nsec;
}

int file_stamp_of(const char *path, struct file_stamp *out,
		     struct error *err)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       path);
	file_stamp_set(out, &info);
	return 0;
}

int file_stamp_refuse(const char *name, struct error *err)
{
	error_set(err, ERROR_IO, "'%s' was written to while it was read",
		  name);
	return error_hint(err, "start when it is complete: who writes it may "
			  "give it its name at the end");
}

int file_stamp_check(const struct file_stamp *was, int descriptor,
		     const char *name, struct error *err)
{
	struct file_stamp now;
	struct stat info;

	if (fstat(descriptor, &info) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       name);
	file_stamp_set(&now, &info);
	return file_stamp_equal(&now, was) ? 0 : file_stamp_refuse(name, err);
}

bool file_stamp_same(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode;
}

bool file_stamp_equal(const struct file_stamp *a,
			 const struct file_stamp *b)
{
	return file_stamp_same(a, b) && a->size == b->size &&
	       a->changed_ns == b->changed_ns;
}
