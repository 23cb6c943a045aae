/*
 * directory_visit.c - look at the names in a directory as they come
 *
 * Why:    a question about names needs neither a copy of all nor their order.
 * Cost:   some tens of nanoseconds a name.
 */
#include "io/directory.h"

#include <dirent.h>
#include <errno.h>

int directory_visit(const char *path,
		    void (*visit)(void *context, const char *name),
		    void *context, struct error *err)
{
	DIR *handle = opendir(path);
	struct dirent *entry;
	int errnum = 0;

	if (!handle)
		return error_set_errno(err, errno,
				       "cannot list directory '%s'", path);
	for (;;) {
		errno = 0;
		entry = readdir(handle);
		if (!entry) {
			errnum = errno;
			break;
		}
		visit(context, entry->d_name);
	}
	closedir(handle);
	if (errnum)
		return error_set_errno(err, errnum,
				       "cannot list directory '%s'", path);
	return 0;
}
