#ifndef IO_FILE_RIGHTS_H
#define IO_FILE_RIGHTS_H
#include <stdbool.h>
#include "util/util.h"

/*
 * What a file is besides its bytes and its name, for a new file that is to
 * take its place.
 */
struct file_rights {
	uint64_t name_count;	/* hard links: the others will stay behind */
	bool is_partly;		/* some extended attribute was not taken over */
};

/*
 * Give path the owner, the permissions, the access list and the extended
 * attributes of another file; *out says what that file has and what could not
 * be had. Attributes that are the system's (security, trusted) are taken over
 * where that is allowed. Errors: ERROR_IO: owner, permissions or access list
 * cannot be kept; ERROR_NO_MEMORY.
 */
int file_copy_rights(const char *path, const char *from,
		     struct file_rights *out, struct error *err);
#endif
