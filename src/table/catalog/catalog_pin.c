/*
 * catalog_pin.c - keep a version from being expired while it is in use
 *
 * Why:    a statement may run for an hour on its base; expire must not take
 *         the files away.
 * How:    a file in metadata/.rowmerge/pins/ that says version and process,
 *         and an flock() on it that ends with the process. Whoever expires
 *         tries the locks: a pin that can be locked is dead. A dead pin is
 *         taken over under the new name, so there are never more files than
 *         statements that ran at once.
 * Cost:   about ten small system calls, nothing synced: after a crash of the
 *         machine there is nobody left to be protected. No file is made and
 *         removed each time: ext4 looks past inodes that were removed in the
 *         last minute whenever it makes one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "table/catalog/catalog_file.h"

#define PIN_TEXT_BYTES 64

struct catalog_pin {
	struct file_lock *lock;
	char *path;
};

/* Dead pins looked at before a new file is made. */
#define PIN_TRIES 16

/* Take over a pin that nobody holds; pin->lock stays NULL if there is none. */
static int pin_take_over(struct catalog_pin *pin, const char *directory,
			 struct arena *arena, struct error *err)
{
	size_t count = 0;
	char **names;
	int rc = 0;

	if (directory_list(directory, arena, &names, &count, NULL) != 0)
		return 0;
	for (size_t i = 0; !rc && !pin->lock && i < count && i < PIN_TRIES;
	     i++) {
		char *path = path_join(arena, directory, names[i]);

		if (!path)
			return error_set(err, ERROR_NO_MEMORY,
					 "pin of a version");
		rc = file_lock_take(&pin->lock, path, true, 0, err);
		if (!rc && pin->lock && rename(path, pin->path) != 0) {
			file_lock_free(pin->lock);
			pin->lock = NULL;
		}
	}
	return rc;
}

static int pin_lock(struct catalog_pin *pin, const char *directory,
		    struct arena *arena, struct error *err)
{
	int rc = pin_take_over(pin, directory, arena, err);

	if (rc || pin->lock)
		return rc;
	rc = file_lock_take(&pin->lock, pin->path, true, 0, err);
	if (rc != ERROR_IO || path_is_directory(directory))
		return rc;
	rc = directory_make(directory, err);
	return rc ? rc : file_lock_take(&pin->lock, pin->path, true, 0, err);
}

int catalog_pin_take(struct catalog_pin **out,
		     const struct catalog_table *table,
		     const struct uuid *uuid, struct error *err)
{
	char name[UUID_TEXT_BYTES], text[PIN_TEXT_BYTES];
	struct catalog_pin *pin;
	struct arena arena;
	char *directory, *path;
	int rc, length;

	*out = NULL;
	uuid_format(uuid, name);
	arena_init(&arena, 0);
	directory = path_join(&arena, table->directory, PIN_DIRECTORY);
	path = directory ? path_join(&arena, directory, name) : NULL;
	pin = mem_zalloc(sizeof(*pin));
	if (pin && path)
		pin->path = mem_strdup(path);
	rc = pin && pin->path ? 0 : error_set(err, ERROR_NO_MEMORY,
					      "pin of a version");
	if (!rc)
		rc = pin_lock(pin, directory, &arena, err);
	if (!rc && pin->lock) {
		length = snprintf(text, sizeof(text), "%" PRId64 " %ld\n",
				  table->version, (long)getpid());
		rc = file_write_tail(pin->path, 0, text, (size_t)length,
				     false, err);
	}
	arena_release(&arena);
	if (!rc && pin->lock) {
		*out = pin;
		return 0;
	}
	catalog_pin_free(pin);
	/* a directory that cannot be written cannot be expired either */
	return rc == ERROR_IO || rc == ERROR_NO_SPACE ? 0 : rc;
}

void catalog_pin_free(struct catalog_pin *pin)
{
	if (!pin)
		return;
	/* not locked, whatever it says: there for the next statement */
	file_lock_free(pin->lock);
	mem_free(pin->path);
	mem_free(pin);
}
