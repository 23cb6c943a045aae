#ifndef QUERY_FIRST_ROWS_H
#define QUERY_FIRST_ROWS_H
#include "query/group_table.h"

/*
 * Which rows are the first of their partition among all that were seen. For
 * one thread. Partitions are numbered from 0 as they appear; the caller keeps
 * one row of each, the i-th that of partition i, and its key.
 */
struct first_rank {
	uint64_t high;	/* the first 16 bytes of a key's order part */
	uint64_t low;
	uint32_t holder;	/* its row, if of the present batch */
};

struct first_rows {
	const struct type *types;	/* of the partition's columns */
	size_t key_count;
	struct group_table table;
	struct group_scratch scratch;
	uint32_t *groups;		/* per row of a batch, then rows */
	uint32_t *winners;		/* partitions of those */
	struct first_rank *ranks;
	size_t rank_capacity;
};

/* types are kept. */
int first_rows_new(struct first_rows **out, const struct type *types,
		   size_t key_count, struct error *err);
void first_rows_free(struct first_rows *first);
/* Forget all rows. */
int first_rows_reset(struct first_rows *first, struct error *err);
size_t first_rows_bytes(const struct first_rows *first);

/*
 * One batch. partitions: the leading key columns of all its rows; keys: as
 * sort_encode.h has them. key_of: the key of the row that the caller keeps of
 * a partition known before. Of at most BATCH_ROW_COUNT selected rows, picked
 * gets those that are now the first of their partition, ascending, and
 * partitions_out[i] the number of the i-th. Valid until the next call.
 */
struct first_batch {
	const struct vector *const *partitions;
	const struct byte_view *keys;
	const struct selection *rows;
	struct byte_view (*key_of)(const void *context, uint32_t partition);
	const void *context;
};
int first_rows_pick(struct first_rows *first, const struct first_batch *batch,
		    struct selection *picked, const uint32_t **partitions_out,
		    struct error *err);
#endif
