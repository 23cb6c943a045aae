/*
 * staged_file.c - files that are not yet what they are named for
 *
 * Why:    what a run writes beside its commit must be complete before that
 *         and have its name only after it. A run that is killed leaves it,
 *         and who runs every night fills the directory.
 * How:    a lock on the file says that its writer lives, whatever the number
 *         of the process means on this host or in this container. Who makes a
 *         file looks for older ones of its name and removes those that are
 *         not locked. A writer that lost its file to that, between making and
 *         locking it, makes another. A complete file that is left is never
 *         replaced by the next: its rows may be nowhere else.
 */
#include "io/staged_file.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "io/directory.h"
#include "io/file_fault.h"
#include "io/path.h"
#include "io/publish.h"

#define STAGE_TRIES 100
#define UNFINISHED ".tmp"

struct staged_file {
	struct arena arena;
	char *directory;
	char *stem;		/* ".NAME.rowmerge-" */
	unsigned number;	/* the second of its numbers */
	char *path;
	struct file_lock *lock;
};

/* Numbers, '-', numbers, ".tmp". */
static bool is_unfinished(const char *rest)
{
	static const char digits[] = "0123456789";
	size_t pid = strspn(rest, digits), n;

	if (!pid || rest[pid] != '-')
		return false;
	rest += pid + 1;
	n = strspn(rest, digits);
	return n && strcmp(rest + n, UNFINISHED) == 0;
}

static void remove_leftover(void *context, const char *name)
{
	struct staged_file *staged = context;
	struct file_lock *lock;
	struct error ignored;
	char *path;

	if (!text_starts_with(name, staged->stem) ||
	    !is_unfinished(name + strlen(staged->stem)))
		return;
	path = path_join(&staged->arena, staged->directory, name);
	if (!path || file_lock_try(&lock, path, &ignored) || !lock)
		return;
	path_remove(path, &ignored);
	file_lock_free(lock);
}

static int set_names(struct staged_file *staged, const char *path,
		     struct error *err)
{
	staged->directory = path_dirname(&staged->arena, path);
	staged->stem = arena_printf(&staged->arena, ".%s.rowmerge-",
				    path_basename(path));
	if (!staged->directory || !staged->stem)
		return error_set(err, ERROR_NO_MEMORY, "'%s'", path);
	return 0;
}

/* The stem, two numbers and a suffix, in the directory. */
static char *numbered_path(struct staged_file *staged, unsigned n,
			   const char *suffix)
{
	char *name = arena_printf(&staged->arena, "%s%ld-%u%s", staged->stem,
				  (long)getpid(), n, suffix);

	return name ? path_join(&staged->arena, staged->directory, name)
		    : NULL;
}

/* One name; *out_file NULL and 0 where it is taken or was lost. */
static int try_name(struct staged_file *staged, unsigned n,
		    struct output_file **out_file, struct error *err)
{
	int rc;

	staged->number = n;
	staged->path = numbered_path(staged, n, UNFINISHED);
	if (!staged->path)
		return error_set(err, ERROR_NO_MEMORY, "temporary file");
	if (path_exists(staged->path))
		return 0;
	rc = output_file_create(out_file, staged->path, err);
	if (rc)		/* where another container has this number */
		return path_exists(staged->path) ? 0 : rc;
	rc = file_lock_try(&staged->lock, staged->path, err);
	/* where there are no locks nobody removes it either */
	if (rc == ERROR_IO || (!rc && staged->lock))
		return 0;
	output_file_free(*out_file);
	*out_file = NULL;
	return rc;
}

int staged_file_new(struct staged_file **out, struct output_file **out_file,
		    const char *path, struct error *err)
{
	struct staged_file *staged = mem_zalloc(sizeof(*staged));
	struct error ignored;
	int rc;

	*out = NULL;
	*out_file = NULL;
	if (!staged)
		return error_set(err, ERROR_NO_MEMORY, "'%s'", path);
	arena_init(&staged->arena, 0);
	rc = set_names(staged, path, err);
	if (!rc)
		directory_visit(staged->directory, remove_leftover, staged,
				&ignored);
	for (unsigned n = 0; !rc && !*out_file && n < STAGE_TRIES; n++)
		rc = try_name(staged, n, out_file, err);
	if (!rc && !*out_file)
		rc = error_set(err, ERROR_IO, "'%s': no name for a temporary "
			       "file", path);
	if (rc) {
		staged_file_free(staged);
		return rc;
	}
	*out = staged;
	return 0;
}

const char *staged_file_path(const struct staged_file *staged)
{
	return staged->path;
}

/* A name that no complete file has: one of the same number may be left. */
static int complete_path(struct staged_file *staged, const char *suffix,
			 char **out, struct error *err)
{
	for (unsigned i = 0; i < STAGE_TRIES; i++) {
		*out = numbered_path(staged, staged->number + i, suffix);
		if (!*out)
			return error_set(err, ERROR_NO_MEMORY,
					 "temporary file");
		if (!path_exists(*out))
			return 0;
	}
	return error_set(err, ERROR_IO, "'%s' and %d before it are there, "
			 "which earlier runs left", *out, STAGE_TRIES - 1);
}

int staged_file_complete(struct staged_file *staged, const char *suffix,
			 struct error *err)
{
	char *path;
	int rc = complete_path(staged, suffix, &path, err);
	int errnum;

	if (rc)
		return rc;
	errnum = file_fault_check();
	if (!errnum && rename(staged->path, path) != 0)
		errnum = errno;
	if (errnum)
		return error_set_errno(err, errnum, "cannot rename '%s'",
				       staged->path);
	staged->path = path;
	file_lock_free(staged->lock);
	staged->lock = NULL;
	return 0;
}

void staged_file_free(struct staged_file *staged)
{
	if (!staged)
		return;
	file_lock_free(staged->lock);
	arena_release(&staged->arena);
	mem_free(staged);
}
