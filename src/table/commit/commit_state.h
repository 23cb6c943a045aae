#ifndef TABLE_COMMIT_COMMIT_STATE_H
#define TABLE_COMMIT_COMMIT_STATE_H
#include "table/commit/commit.h"

/*
 * A commit on its way, as the files of this room see it. Private.
 */

/*
 * A file that is added: what decides in which manifest it is. The rest stays
 * in the fragment until that manifest is written: there may be as many files
 * as partitions.
 */
struct added_file {
	const char *fragment;		/* borrowed */
	bool is_deletes;
	int32_t spec_id;
	struct literal *partition;
	size_t partition_count;
	char *about;			/* of deletes; NULL = several files */
};
struct removed_file {
	bool is_deletes;
	char *path;
	int64_t content_offset;
};

/*
 * What a statement changes, from its fragments, which must outlive it. The
 * caller releases it, its strings and values are in the arena.
 */
struct change_set {
	struct added_file *added;
	size_t added_count;
	size_t added_capacity;
	size_t added_deletes_count;	/* of them */
	struct removed_file *removed;	/* data and delete files */
	size_t removed_count;
	size_t removed_capacity;
	size_t removed_data_count;
	uint32_t *slots;		/* hash of removed: index + 1 */
	size_t slot_mask;
};
/* What was in out is released. */
int change_set_read(struct change_set *out, const struct fragments *fragments,
		    const struct fragments *optional, struct arena *arena,
		    struct error *err);
/* Index in removed of a live file, SIZE_MAX = it stays. */
size_t change_set_find(const struct change_set *changes,
		       const struct data_file *file);
void change_set_release(struct change_set *changes);

/* Sums of files, for the summary. */
struct file_totals {
	int64_t data_files;
	int64_t delete_files;
	int64_t position_delete_files;
	int64_t equality_delete_files;
	int64_t vectors;
	int64_t records;
	int64_t bytes;
	int64_t position_deletes;
	int64_t equality_deletes;
};
void file_totals_add(struct file_totals *totals,
		     const struct data_file *file);

/* One attempt on top of one head. */
struct commit_attempt {
	const struct catalog_table *head;
	struct snapshot_files *files;	/* of head; read as far as need be */
	const struct change_set *changes;
	const struct commit_options *options;
	struct arena *arena;
	uint32_t number;		/* from 1 */
	int64_t snapshot_id;
	int64_t sequence_number;
	char uuid[UUID_TEXT_BYTES];
	/* manifests of the new snapshot */
	struct manifest_file *manifests;
	size_t manifest_count;
	size_t manifest_capacity;
	uint32_t manifests_created;
	uint32_t manifests_replaced;
	size_t *removed_hits;		/* per removed: found how often */
	struct file_totals before;
	struct file_totals added;
	struct file_totals removed;
	/* files made, to sync, and to remove when it fails */
	char **paths;
	size_t path_count;
	size_t path_capacity;
};
/* Write bytes to metadata/name; *uri_out (arena) is how the table says it. */
int attempt_write(struct commit_attempt *attempt, const char *name,
		  const struct text *bytes, char **uri_out,
		  struct error *err);
/* The totals of the head: as its summary says, or counted. */
int attempt_totals(struct commit_attempt *attempt, struct error *err);
/* Room for one more manifest; NULL = no memory. */
struct manifest_file *attempt_next_manifest(struct commit_attempt *attempt);

/* An entry of a manifest to be, and the old manifest that it comes from. */
struct placed_entry {
	const struct manifest_entry *old;	/* of the head; or */
	const struct added_file *added;
	bool is_removed;
	const struct literal *partition;	/* of either */
	size_t partition_count;
	size_t origin;		/* SIZE_MAX = it is new */
	size_t order;
};
/* Manifests of more entries are cut (manifest_cut.c). */
#define MANIFEST_ENTRIES 128
/* How many entries the manifests of a spec have at the most; 0 = any number:
 * cutting them helps nobody. */
size_t manifest_entry_limit(const struct table_metadata *metadata,
			    int32_t spec_id);
/*
 * Order entries by partition and say where manifests end: ends (arena) are
 * indexes behind the last entry of each, the last is count.
 */
int manifest_cut(struct placed_entry *entries, size_t count, size_t limit,
		 struct arena *arena, size_t **ends, size_t *end_count,
		 struct error *err);

/* Fill manifests and the totals. */
int attempt_manifests(struct commit_attempt *attempt, struct error *err);
/* Manifest list and next metadata from that. */
int attempt_snapshot(struct commit_attempt *attempt,
		     struct table_metadata **next_out, struct error *err);

/* May the changes, made on base, be made on head? See commit.h. */
struct conflict_check {
	const struct catalog_table *base;
	struct snapshot_files *base_files;
	const struct catalog_table *head;
	struct snapshot_files *head_files;
	const struct change_set *changes;
	const struct commit_options *options;
};
/* What needs no files: protocol and metadata. */
int conflict_check_metadata(const struct conflict_check *check,
			    struct error *err);
int conflict_check_files(const struct conflict_check *check,
			 struct error *err);
#endif
