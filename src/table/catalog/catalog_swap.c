/*
 * catalog_swap.c - make the next version: the only commit point
 *
 * Why:    of all writers that start from version N one may make N + 1, and a
 *         crash must leave N or N + 1 and nothing between.
 * How:    the metadata is written to a temporary name and synced together with
 *         all that it refers to. Then under an flock() for our own processes:
 *         N + 1 must not exist; the commit log gets its line; the temporary
 *         file is linked to vN+1.metadata.json, which fails if the name is
 *         taken; metadata/ is synced; the hint is replaced by rename or by
 *         changing places with a spare file, which makes none.
 *         Then the name is looked at: an engine that renames over names that
 *         exist may have put another file there, and then that engine has won.
 * Cost:   two rounds of fsync, the first of many files at once; while it is
 *         waited for, the owner is checked. The hint is not synced: readers
 *         probe beyond it, and after a crash a stale hint leads to the same
 *         version.
 * Limits: engines that do not take the lock are kept out by the link alone;
 *         one that renames after our look wins without our knowing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "table/catalog/catalog_file.h"

#define DEFAULT_METADATA_LOG 100

struct swap {
	const char *directory;
	const struct catalog_table *base;
	struct table_metadata *next;
	int64_t version;
	char uuid[UUID_TEXT_BYTES];	/* in temporary names */
	char *path;			/* of the new version */
	char *temporary;		/* its file until then, NULL = none */
	struct file_identity staged;	/* of that file */
	bool is_unknown;		/* it may have been made or not */
	struct commit_log_step log;
	struct text json;
	struct arena arena;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "publish a version");
}

int catalog_check_writable(const struct catalog_table *base, struct error *err)
{
	if (base->is_moved) {
		error_set(err, ERROR_MOVED_TABLE, "the table in '%s' says "
			  "that it is in '%s'", base->directory,
			  base->metadata->location);
		return error_hint(err, "run `rowmerge alter TABLE relocate` "
				  "before the first write to a copy");
	}
	if (base->is_foreign) {
		error_set(err, ERROR_FOREIGN_CATALOG, "'%s' belongs to "
			  "another catalog", base->metadata_path);
		return error_hint(err, "write to the table through that "
				  "catalog");
	}
	if (base->is_past)
		return error_set(err, ERROR_INTERNAL, "an older version of "
				 "'%s' cannot be changed", base->directory);
	if (base->metadata->has_encryption_keys)
		return error_set(err, ERROR_UNSUPPORTED, "writing to an "
				 "encrypted table ('%s')", base->directory);
	return 0;
}

static size_t metadata_log_limit(const struct table_metadata *metadata)
{
	const char *value = metadata_property(
		metadata, "write.metadata.previous-versions-max");
	const char *rest;
	int64_t limit = value ? version_digits(value, &rest) : -1;

	if (limit < 1 || *rest)
		return DEFAULT_METADATA_LOG;
	return (size_t)limit;
}

/* The base goes to the metadata log of the next version. */
static int log_base(struct swap *swap, struct error *err)
{
	const struct table_metadata *base = swap->base->metadata;
	struct table_metadata *next = swap->next;
	char *uri = path_to_uri(&swap->arena, swap->base->metadata_path);

	if (!uri)
		return no_memory(err);
	if (next->metadata_log_count &&
	    !strcmp(next->metadata_log[next->metadata_log_count - 1]
		    .metadata_file, uri))
		return 0;
	return metadata_add_metadata_log(next, base->last_updated_ms, uri,
					 metadata_log_limit(next), err);
}

/* All that can be done before the lock is held. */
static int prepare(struct swap *swap, const struct commit_record *given,
		   struct error *err)
{
	struct commit_record record = *given;
	struct uuid uuid;
	int rc;

	record.version = swap->version;
	rc = uuid_random(&uuid, err);
	if (rc)
		return rc;
	uuid_format(&uuid, swap->uuid);
	if (!record.uuid[0])
		memcpy(record.uuid, swap->uuid, sizeof(record.uuid));
	if (swap->base) {
		rc = log_base(swap, err);
		if (!rc && swap->next->last_updated_ms <
			   swap->base->metadata->last_updated_ms)
			swap->next->last_updated_ms =
				swap->base->metadata->last_updated_ms;
	}
	if (!rc)
		rc = commit_log_advance(swap->directory, swap->base,
					swap->next, &record, &swap->arena,
					&swap->log, err);
	if (!rc)
		rc = table_metadata_format(swap->next, &swap->json, err);
	if (rc)
		return rc;
	swap->path = version_path(&swap->arena, swap->directory,
				  swap->version, SPELLING_PLAIN);
	return swap->path ? 0 : no_memory(err);
}

/* The metadata under its temporary name, not synced. */
static int stage(struct swap *swap, struct error *err)
{
	char *temporary = arena_printf(&swap->arena, "%s/" METADATA_DIRECTORY
				       "/.tmp-%s.metadata.json",
				       swap->directory, swap->uuid);
	int rc;

	if (!temporary)
		return no_memory(err);
	rc = publish_stage(temporary, swap->json.data, swap->json.length,
			   err);
	if (rc)
		return rc;
	swap->temporary = temporary;
	file_identify(temporary, &swap->staged);
	return 0;
}

static int check_owner(void *context, struct error *err)
{
	struct swap *swap = context;

	return swap->base ? catalog_check_owner(swap->base, &swap->arena, err)
			  : 0;
}

/* All that the version is made of, so that its name may follow. */
static int sync_all(struct swap *swap,
		    const struct catalog_publish_options *options,
		    struct error *err)
{
	size_t count = options->path_count;
	char **paths = arena_zalloc_array(&swap->arena, count + 1,
					  sizeof(*paths));
	int rc;

	if (!paths)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		paths[i] = options->paths[i];
	paths[count] = swap->temporary;
	rc = files_sync(paths, count + 1, check_owner, swap, err);
	return rc ? rc : interrupt_check(err);
}

/* What was dropped is not made again. */
static int check_dropped(const struct swap *swap, struct error *err)
{
	if (!swap->base || path_exists(swap->base->metadata_path) ||
	    catalog_is_table(swap->directory))
		return 0;
	return error_set(err, ERROR_UNKNOWN_TABLE, "the table in '%s' was "
			 "dropped", swap->directory);
}

static int take_lock(struct swap *swap, int64_t wait_ms,
		     struct file_lock **out, struct error *err)
{
	char *sidecar, *path;
	int rc = check_dropped(swap, err);

	*out = NULL;
	sidecar = path_join(&swap->arena, swap->directory, LOG_DIRECTORY);
	path = path_join(&swap->arena, swap->directory, LOCK_NAME);
	if (!rc && (!sidecar || !path))
		rc = no_memory(err);
	if (!rc && !path_is_directory(sidecar))
		rc = directory_make(sidecar, err);
	if (!rc)
		rc = file_lock_take(out, path, true, wait_ms, err);
	if (!rc && !*out) {
		rc = error_set(err, ERROR_LOCKED, "another process commits "
			       "to '%s'", swap->directory);
		error_hint(err, "try again later, or wait longer with --wait "
			   "SECONDS");
	}
	return rc;
}

/* Has somebody made the next version already? */
static int find_winner(struct swap *swap, bool *conflict, struct error *err)
{
	struct file_identity identity;
	char *path;
	int rc;

	if (!swap->base) {
		*conflict = catalog_is_table(swap->directory);
		return 0;
	}
	rc = version_find(swap->directory, swap->version, &swap->arena, &path,
			  err);
	if (rc)
		return rc;
	/* when the base is gone, so may be those that came after it; and its
	 * name may be that of a table made after this one was dropped */
	file_identify(swap->base->metadata_path, &identity);
	*conflict = path || !file_identity_equal(&identity,
						 &swap->base->identity);
	return 0;
}

/* Whose file has the name of the new version now? */
enum owner { OWNER_UNKNOWN, OWNER_SELF, OWNER_OTHER };

static enum owner version_owner(const struct swap *swap)
{
	struct file_identity identity;
	struct text bytes = TEXT_INIT;
	enum owner owner = OWNER_UNKNOWN;

	file_identify(swap->path, &identity);
	if (file_identity_equal(&identity, &swap->staged))
		return OWNER_SELF;
	if (input_file_read_all(swap->path, METADATA_BYTES_LIMIT, &bytes,
				NULL) == 0)
		owner = bytes.length == swap->json.length &&
			!memcmp(bytes.data, swap->json.data, bytes.length)
				? OWNER_SELF : OWNER_OTHER;
	text_release(&bytes);
	return owner;
}

static void remove_checksum(struct swap *swap, const char *name)
{
	char *path = arena_printf(&swap->arena, "%s/" METADATA_DIRECTORY
				  "/.%s.crc", swap->directory, name);

	if (path)
		path_remove(path, NULL);
}

static int publish(struct swap *swap, bool *conflict, struct error *err)
{
	bool exists = false;
	int rc;

	remove_checksum(swap, path_basename(swap->path));
	rc = publish_exclusive(swap->temporary, swap->path, &exists, err);
	swap->temporary = NULL;
	/* a failure that hid a success, or hides what it is */
	if (rc) {
		enum owner owner = version_owner(swap);

		rc = owner == OWNER_SELF ? 0 : rc;
		swap->is_unknown = owner == OWNER_UNKNOWN &&
				   path_exists(swap->path);
	}
	*conflict = !rc && exists;
	return rc;
}

/* The version is there. Nothing that fails from here on takes it back. */
static void settle(struct swap *swap)
{
	char *metadata = path_join(&swap->arena, swap->directory,
				   METADATA_DIRECTORY);
	char *hint = path_join(&swap->arena, swap->directory,
			       METADATA_DIRECTORY "/" HINT_NAME);
	char *temporary = arena_printf(&swap->arena, "%s/" METADATA_DIRECTORY
				       "/.tmp-%s.hint", swap->directory,
				       swap->uuid);
	char *spare = path_join(&swap->arena, swap->directory, HINT_SPARE_NAME);
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%" PRId64,
			      swap->version);

	if (metadata && directory_sync(metadata, NULL) != 0)
		directory_sync(metadata, NULL);
	if (!hint || !temporary || !spare)
		return;
	remove_checksum(swap, HINT_NAME);
	if (swap->base && publish_exchange(spare, hint, digits,
					   (size_t)length, NULL) == 0)
		return;
	publish_replace(temporary, hint, digits, (size_t)length, false, NULL);
}

/* What a new table's directory needs to survive a crash. */
static int settle_directories(struct swap *swap, struct error *err)
{
	char *parent;
	int rc;

	if (swap->base)
		return 0;
	parent = path_dirname(&swap->arena, swap->directory);
	if (!parent)
		return no_memory(err);
	rc = directory_sync(swap->directory, err);
	return rc ? rc : directory_sync(parent, err);
}

static int swap_locked(struct swap *swap, bool *conflict, struct error *err)
{
	int rc = find_winner(swap, conflict, err);

	if (rc || *conflict)
		return rc;
	rc = settle_directories(swap, err);
	if (!rc && swap->log.line.length)
		rc = file_write_tail(swap->log.path, swap->log.offset,
				     swap->log.line.data,
				     swap->log.line.length, swap->log.sync,
				     err);
	if (!rc)
		rc = publish(swap, conflict, err);
	if (rc || *conflict)
		return rc;
	settle(swap);
	/* the link was made: only a file that differs says otherwise */
	*conflict = version_owner(swap) == OWNER_OTHER;
	return 0;
}

int catalog_publish(const char *directory, const struct catalog_table *base,
		    struct table_metadata *next,
		    const struct catalog_publish_options *options,
		    int64_t *version_out, bool *conflict,
		    struct error *err)
{
	struct file_lock *lock = NULL;
	struct swap swap;
	int rc;

	*version_out = 0;
	*conflict = false;
	memset(&swap, 0, sizeof(swap));
	arena_init(&swap.arena, 0);
	swap.directory = directory;
	swap.base = base;
	swap.next = next;
	swap.version = base ? base->version + 1 : 1;
	rc = base ? catalog_check_writable(base, err) : 0;
	if (!rc)
		rc = check_dropped(&swap, err);
	if (!rc)
		rc = prepare(&swap, options->record, err);
	if (!rc)
		rc = stage(&swap, err);
	if (!rc)
		rc = sync_all(&swap, options, err);
	if (!rc)
		rc = take_lock(&swap, options->wait_ms, &lock, err);
	if (!rc)
		rc = swap_locked(&swap, conflict, err);
	if (swap.is_unknown || (!rc && !*conflict))
		*version_out = swap.version;
	if (swap.temporary)
		path_remove(swap.temporary, NULL);
	file_lock_free(lock);
	text_release(&swap.json);
	text_release(&swap.log.line);
	arena_release(&swap.arena);
	return rc;
}
