#ifndef TABLE_SCAN_EQUALITY_GROUP_H
#define TABLE_SCAN_EQUALITY_GROUP_H
#include "table/scan/scan_state.h"

/*
 * All equality deletes of a snapshot that have the same columns and the same
 * scope (one partition, or the table), as a set of keys. Private to
 * table/scan. Read-only once it is had, for any number of threads.
 */
struct equality_group {
	const struct manifest_entry *sample;	/* one of its entries */
	bool is_global;
	struct column_def *columns;	/* what the keys are made of */
	size_t column_count;
	struct arena arena;
	struct vector *keys;		/* per column */
	int64_t *sequences;		/* of the newest delete of each key */
	uint64_t *hashes;
	size_t row_count;
	uint32_t *slots;		/* row + 1, 0 = empty */
	size_t mask;
	struct equality_group *next;
};

/* The group that an entry belongs to; read when first asked for. Lives with
 * the snapshot. */
int equality_group_get(const struct snapshot_files *files,
		       const struct manifest_entry *entry,
		       const struct equality_group **out, struct error *err);
void equality_groups_free(struct equality_group *groups);

/* Room for the probes of one thread. */
struct equality_probe {
	uint64_t hashes[BATCH_ROW_COUNT];
	uint32_t rows[BATCH_ROW_COUNT];	/* of the batch, still undecided */
	uint32_t keys[BATCH_ROW_COUNT];	/* the key each is compared with */
	uint64_t equal[BITMAP_WORDS(BATCH_ROW_COUNT)];
	size_t slots[BATCH_ROW_COUNT];
};
/*
 * Clear in keep the rows of values (one vector per column of the group, count
 * rows) whose key was deleted after data_sequence.
 */
void equality_group_probe(const struct equality_group *group,
			  const struct vector *const *values, size_t count,
			  int64_t data_sequence, struct equality_probe *probe,
			  uint64_t *keep);
#endif
