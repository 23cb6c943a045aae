#ifndef QUERY_GROUP_TABLE_H
#define QUERY_GROUP_TABLE_H
#include "plan/plan.h"

/*
 * Numbers for the distinct values of some columns (NULL equals NULL), from 0
 * in the order of their first appearance. For one thread; find without add
 * changes nothing but the scratch.
 */
#define GROUP_NONE UINT32_MAX

struct group_slot {
	uint32_t tag;
	uint32_t group;
};

struct group_table {
	size_t key_count;
	struct vector *keys;	/* one value per group */
	struct arena heap;
	size_t count;
	uint64_t *hashes;	/* of each group */
	size_t hash_capacity;
	struct group_slot *slots;
	size_t slot_mask;
};

/* Room to look up rows; one per thread. */
struct group_scratch {
	uint64_t *hashes;	/* of the i-th selected row: the caller's */
	uint32_t *pending;
	uint32_t *rows;
	uint32_t *others;
	uint64_t *equal;
	size_t *slots;
	uint32_t *creators;
	uint32_t *order;
};

int group_scratch_init(struct group_scratch *scratch, struct error *err);
void group_scratch_release(struct group_scratch *scratch);

int group_table_init(struct group_table *table, const struct type *types,
		     size_t key_count, struct error *err);
void group_table_release(struct group_table *table);
/* Memory in use, with what one more batch of new groups would take. */
size_t group_table_bytes(const struct group_table *table);
/* scratch->hashes of the selected rows. */
void group_hash(struct group_scratch *scratch,
		const struct vector *const *keys, size_t key_count,
		const struct selection *rows);
/*
 * groups[i] = number of selected row i, whose hash is scratch->hashes[i]; a
 * new one if add, else GROUP_NONE. At most BATCH_ROW_COUNT rows.
 */
int group_table_find(struct group_table *table, struct group_scratch *scratch,
		     const struct vector *const *keys,
		     const struct selection *rows, bool add, uint32_t *groups,
		     struct error *err);
#endif
