/*
 * catalog_owner.c - has another catalog taken the table over?
 *
 * Why:    once a table is registered in a catalog, that catalog's commits go
 *         to NNNNN-*.metadata.json beside our versions. Two lines of history
 *         over one set of files would destroy each other's files.
 * How:    such a file that has the table's uuid and a snapshot that our newest
 *         version lacks means that the table is the catalog's now. Snapshots
 *         older than all of ours do not count: we may have expired them.
 * Cost:   the names in metadata/ are looked at, about 0.1 ms per thousand;
 *         foreign files of the highest number are parsed.
 */
#include "table/catalog/catalog_file.h"

struct foreign_search {
	int64_t newest;
	struct arena *arena;
	char *names[8];		/* of the newest number, some of them */
	size_t count;
	bool failed;
};

static void look_at(void *context, const char *name)
{
	struct foreign_search *search = context;
	int64_t version;

	if (name[0] < '0' || name[0] > '9')
		return;
	version = foreign_version_of_name(name);
	if (version < search->newest || version < 0)
		return;
	if (version > search->newest)
		search->count = 0;
	search->newest = version;
	if (search->count == ARRAY_COUNT(search->names))
		return;
	search->names[search->count] = arena_strdup(search->arena, name);
	if (!search->names[search->count])
		search->failed = true;
	else
		search->count++;
}

static int64_t oldest_snapshot_ms(const struct table_metadata *metadata)
{
	int64_t oldest = INT64_MAX;

	for (size_t i = 0; i < metadata->snapshot_count; i++)
		if (metadata->snapshots[i].timestamp_ms < oldest)
			oldest = metadata->snapshots[i].timestamp_ms;
	return metadata->snapshot_count ? oldest : INT64_MIN;
}

static bool has_own_snapshot(const struct table_metadata *theirs,
			     const struct table_metadata *ours)
{
	int64_t oldest_ms = oldest_snapshot_ms(ours);

	if (!ours->table_uuid || !theirs->table_uuid ||
	    !text_equal_nocase(ours->table_uuid, theirs->table_uuid))
		return false;
	for (size_t i = 0; i < theirs->snapshot_count; i++)
		if (theirs->snapshots[i].timestamp_ms >= oldest_ms &&
		    !metadata_snapshot(ours,
				       theirs->snapshots[i].snapshot_id))
			return true;
	return false;
}

static int check_file(const struct catalog_table *table, const char *path,
		      struct error *err)
{
	struct table_metadata *theirs;
	bool taken;
	int rc;

	rc = metadata_file_load(path, &theirs, err);
	if (rc)		/* half written, or of a version that we lack */
		return rc == ERROR_NO_MEMORY ? rc : 0;
	taken = has_own_snapshot(theirs, table->metadata);
	table_metadata_free(theirs);
	if (!taken)
		return 0;
	error_set(err, ERROR_FOREIGN_CATALOG, "another catalog has committed "
		  "to the table in '%s' (%s)", table->directory,
		  path_basename(path));
	return error_hint(err, "write to the table through that catalog");
}

int catalog_check_owner(const struct catalog_table *table,
			struct arena *arena, struct error *err)
{
	char *metadata = path_join(arena, table->directory,
				   METADATA_DIRECTORY);
	struct foreign_search search = { .newest = -1, .arena = arena };
	int rc;

	if (!metadata)
		return error_set(err, ERROR_NO_MEMORY, "publish a version");
	rc = directory_visit(metadata, look_at, &search, err);
	if (!rc && search.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "publish a version");
	for (size_t i = 0; !rc && i < search.count; i++) {
		char *path = path_join(arena, metadata, search.names[i]);

		rc = path ? check_file(table, path, err)
			  : error_set(err, ERROR_NO_MEMORY,
				      "publish a version");
	}
	return rc;
}
