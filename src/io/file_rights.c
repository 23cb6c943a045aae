/*
 * file_rights.c - a new file gets what an old one has besides its bytes
 *
 * Why:    who replaces a file by a new one must not open it to others, shut
 *         out those who could read it, or lose what was noted on it.
 * How:    owner, then extended attributes, of which the access list is one,
 *         then permissions: a change of the owner may clear bits of them, and
 *         so may a list. A list that the new file has from its directory, and
 *         the old one has not, goes.
 * Limits: labels that the system gives (security, trusted) are its own
 *         business: what cannot be set there is left as it is.
 */
#include "io/file_rights.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACCESS_LIST "system.posix_acl_access"
#define SIZE_TRIES 5		/* an attribute may grow between two calls */

/* All names (name NULL), or the value of one. -1: errno says why. */
static ssize_t get_attribute(const char *path, const char *name, void *data,
			     size_t size)
{
	return name ? getxattr(path, name, data, size)
		    : listxattr(path, data, size);
}

/* The same into memory of the caller; *out NULL: there is none, or it cannot
 * be read (errno). */
static int read_attribute(const char *path, const char *name, char **out,
			  size_t *length_out, struct error *err)
{
	*out = NULL;
	*length_out = 0;
	for (unsigned i = 0; i < SIZE_TRIES; i++) {
		ssize_t size = get_attribute(path, name, NULL, 0);
		char *data;

		if (size < 0)
			return 0;
		data = mem_alloc((size_t)size + 1);
		if (!data)
			return error_set(err, ERROR_NO_MEMORY, "'%s'", path);
		size = get_attribute(path, name, data, (size_t)size + 1);
		if (size >= 0) {
			data[size] = '\0';
			*out = data;
			*length_out = (size_t)size;
			return 0;
		}
		mem_free(data);
		if (errno != ERANGE)
			return 0;
	}
	return 0;
}

static int copy_attribute(const char *path, const char *from,
			  const char *name, struct file_rights *out,
			  struct error *err)
{
	bool is_list = strcmp(name, ACCESS_LIST) == 0;
	size_t length;
	char *value;
	int rc = read_attribute(from, name, &value, &length, err);

	if (rc)
		return rc;
	if (value && setxattr(path, name, value, length, 0) == 0) {
		mem_free(value);
		return 0;
	}
	if (!value && errno == ENODATA)
		return 0;		/* gone meanwhile */
	if (is_list)
		rc = error_set_errno(err, errno, "cannot keep the access "
				     "list of '%s'", from);
	else if (text_starts_with(name, "user."))
		out->is_partly = true;
	mem_free(value);
	return rc;
}

static int copy_attributes(const char *path, const char *from,
			   struct file_rights *out, struct error *err)
{
	bool has_list = false;
	size_t length;
	char *names;
	int rc = read_attribute(from, NULL, &names, &length, err);

	for (size_t at = 0; !rc && at < length;
	     at += strlen(names + at) + 1) {
		has_list |= strcmp(names + at, ACCESS_LIST) == 0;
		rc = copy_attribute(path, from, names + at, out, err);
	}
	mem_free(names);
	if (rc || has_list || removexattr(path, ACCESS_LIST) == 0 ||
	    errno == ENODATA || errno == ENOTSUP)
		return rc;
	return error_set_errno(err, errno, "cannot keep '%s' without an "
			       "access list", from);
}

int file_copy_rights(const char *path, const char *from,
		     struct file_rights *out, struct error *err)
{
	struct stat wanted, have;
	int rc;

	memset(out, 0, sizeof(*out));
	if (stat(from, &wanted) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       from);
	if (stat(path, &have) != 0)
		return error_set_errno(err, errno, "cannot look at '%s'",
				       path);
	out->name_count = wanted.st_nlink;
	if ((have.st_uid != wanted.st_uid || have.st_gid != wanted.st_gid) &&
	    chown(path, wanted.st_uid, wanted.st_gid) != 0) {
		error_set_errno(err, errno, "cannot keep the owner of '%s'",
				from);
		return error_hint(err, "run as its owner, or make it yours "
				  "first");
	}
	rc = copy_attributes(path, from, out, err);
	if (!rc && chmod(path, wanted.st_mode & 07777) != 0)
		rc = error_set_errno(err, errno, "cannot keep the "
				     "permissions of '%s'", from);
	return rc;
}
