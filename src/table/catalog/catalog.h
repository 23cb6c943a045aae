#ifndef TABLE_CATALOG_CATALOG_H
#define TABLE_CATALOG_CATALOG_H
/*
 * table/catalog: which version of a table directory is current, and how the
 * next one becomes current. Finding, loading and publishing vN.metadata.json,
 * the version hint, the lock, pins and the commit log beside them
 * (concurrency.md 1 and 5, iceberg.md 3). It knows no manifests and no rows.
 */
#include "iceberg/iceberg.h"
#include "io/io.h"

/* Which file a name stood for; a file made anew differs. */
struct file_identity {
	uint64_t device;
	uint64_t inode;
	int64_t size;
	int64_t modified_ns;
};

/* A table directory at one version. Immutable; free releases its pin. */
struct catalog_table {
	char *directory;	/* real path of the opened directory */
	int64_t version;	/* N of vN.metadata.json */
	char *metadata_path;	/* its path */
	struct file_identity identity;	/* of the file that was read there */
	struct table_metadata *metadata;
	bool is_moved;	/* location is not the opened directory: paths under
			 * it are resolved here, writing is MOVED_TABLE */
	bool is_foreign;	/* NNNNN-*.metadata.json of another catalog:
				 * read only; version is its NNNNN */
	bool is_past;	/* an older version, seen through newer metadata:
			 * no base for a commit */
};

/* Is there a table (metadata/ with a version) in the directory? */
bool catalog_is_table(const char *directory);
/*
 * Open version, or the newest for 0: the hint, then probing upwards, then a
 * listing where there is no usable hint (iceberg.md 3.2). Gzipped metadata
 * and catalog-style names (the newest of NNNNN-*.metadata.json) are read.
 * Errors: ERROR_UNKNOWN_TABLE (no metadata there), ERROR_UNKNOWN_VERSION,
 * ERROR_CORRUPT with the file.
 */
int catalog_open(struct catalog_table **out, const char *directory,
		 int64_t version, struct error *err);
void catalog_table_free(struct catalog_table *table);
/*
 * "accounts" or "a.b" to a directory below the warehouse: exact case, else
 * the only match without case. *out (arena) is where it would be when there
 * is none, and *found false. Names with '/', "..", or leading '.' or '_' are
 * ERROR_USAGE.
 */
int catalog_find(const char *warehouse, const char *name,
		 struct arena *arena, char **out, bool *found,
		 struct error *err);
/* Path on this machine of a URI in the table's metadata: under location it is
 * resolved to the opened directory. */
int catalog_resolve_path(const struct catalog_table *table, const char *uri,
			 struct arena *arena, char **out, struct error *err);

/* May there be a commit on top of this version? ERROR_MOVED_TABLE,
 * _FOREIGN_CATALOG, _UNSUPPORTED (encrypted). */
int catalog_check_writable(const struct catalog_table *table,
			   struct error *err);

/* Keep the base from being expired while a statement runs (concurrency.md
 * 5.1): metadata/.rowmerge/pins/<uuid> under flock. Best effort where the
 * directory is not writable: *out NULL. */
struct catalog_pin;
int catalog_pin_take(struct catalog_pin **out,
		     const struct catalog_table *table,
		     const struct uuid *uuid, struct error *err);
void catalog_pin_free(struct catalog_pin *pin);

/* One line of the commit record (concurrency.md 1). */
struct commit_record {
	char uuid[UUID_TEXT_BYTES];
	const char *kind;	/* "data", "meta", ... */
	const char *operation;	/* "merge", "insert", "create", ... */
	int64_t version;
	int64_t base;
	int64_t parent;
	int64_t snapshot_id;	/* -1 = none */
	int32_t schema_id;
	int64_t time_ms;
	bool is_blind;
	bool deletes_only;
	const char *read_scope;	/* "none", "all" or JSON */
	uint64_t rows_inserted;
	uint64_t rows_updated;
	uint64_t rows_deleted;
};
/* Records of versions up to `version` that the log of this table names,
 * ascending; versions without one are missing. Lives in arena. */
int commit_log_read(const struct catalog_table *table, struct arena *arena,
		    struct commit_record **out, size_t *count_out,
		    struct error *err);

/* Is it one of the properties that commits write, not users? */
bool catalog_is_own_property(const char *key);

/*
 * Make `next` version base->version + 1 (base NULL: version 1): metadata goes
 * to a temporary file, which is synced together with the paths that the
 * version refers to; then under the lock (at most wait_ms) the record goes
 * into the commit log file that a property of next names, exclusive link,
 * fsync of metadata/, hint. *conflict true and 0: another writer was first, nothing has
 * changed. Errors: ERROR_LOCKED, ERROR_IO, ERROR_NO_SPACE: then the version
 * was certainly not made, unless *version_out is not 0: it is there, and could
 * not be read to see whose it is. What it may refer to must stay.
 */
struct catalog_publish_options {
	int64_t wait_ms;
	const struct commit_record *record;
	/* new files and directories with new names, not synced yet */
	char *const *paths;
	size_t path_count;
};
int catalog_publish(const char *directory, const struct catalog_table *base,
		    struct table_metadata *next,
		    const struct catalog_publish_options *options,
		    int64_t *version_out, bool *conflict,
		    struct error *err);
/* Remove a table directory and all below it. ERROR_UNKNOWN_TABLE. */
int catalog_drop(const char *directory, struct error *err);
#endif
