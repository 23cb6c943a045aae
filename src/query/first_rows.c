/*
 * first_rows.c - the first row of each partition, without sorting all
 *
 * Why:    row_number() = 1, the usual way to keep the latest row of a key,
 *         wants one row of a partition; most rows need not be kept.
 * How:    a table numbers the partitions; per partition 16 bytes of the key
 *         of its first row decide nearly always, else the whole keys do. Rows
 *         of one batch fight it out first, so that one of them is picked at
 *         most.
 * Cost:   some 50 ns a row, 24 bytes a partition and group_table.c's.
 */
#include "query/first_rows.h"
#include "query/sort_encode.h"

#define NO_ROW UINT32_MAX

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "first rows of partitions");
}

int first_rows_new(struct first_rows **out, const struct type *types,
		   size_t key_count, struct error *err)
{
	struct first_rows *first = mem_zalloc(sizeof(*first));
	int rc;

	*out = NULL;
	if (!first)
		return no_memory(err);
	first->types = types;
	first->key_count = key_count;
	first->groups = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	first->winners = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	rc = first->groups && first->winners ? 0 : no_memory(err);
	if (!rc)
		rc = group_scratch_init(&first->scratch, err);
	if (!rc)
		rc = group_table_init(&first->table, types, key_count, err);
	if (rc) {
		first_rows_free(first);
		return rc;
	}
	*out = first;
	return 0;
}

void first_rows_free(struct first_rows *first)
{
	if (!first)
		return;
	group_table_release(&first->table);
	group_scratch_release(&first->scratch);
	mem_free(first->groups);
	mem_free(first->winners);
	mem_free(first->ranks);
	mem_free(first);
}

int first_rows_reset(struct first_rows *first, struct error *err)
{
	group_table_release(&first->table);
	mem_free(first->ranks);
	first->ranks = NULL;
	first->rank_capacity = 0;
	return group_table_init(&first->table, first->types, first->key_count,
				err);
}

size_t first_rows_bytes(const struct first_rows *first)
{
	return group_table_bytes(&first->table) +
	       first->table.count * sizeof(*first->ranks);
}

/* The order part of a key is 20 bytes long at least, its tail. */
static struct first_rank rank_of(struct byte_view key)
{
	const uint8_t *at = key.data + sort_key_partition(key).length;
	struct first_rank rank = { .holder = NO_ROW };

	memcpy(&rank.high, at, 8);
	memcpy(&rank.low, at + 8, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	rank.high = __builtin_bswap64(rank.high);
	rank.low = __builtin_bswap64(rank.low);
#endif
	return rank;
}

static bool is_key_before(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;

	return memcmp(a.data, b.data, length) < 0;
}

/* Is row i of the batch before the one that leads its partition? */
static bool is_first(const struct first_batch *batch, struct first_rank rank,
		     const struct first_rank *best, uint32_t group, size_t i)
{
	const struct byte_view *keys = batch->keys;

	if (rank.high != best->high)
		return rank.high < best->high;
	if (rank.low != best->low)
		return rank.low < best->low;
	return is_key_before(keys[selection_row(batch->rows, i)],
			     best->holder == NO_ROW
			     ? batch->key_of(batch->context, group)
			     : keys[selection_row(batch->rows, best->holder)]);
}

/* winners[i] = the partition that the i-th row leads now, else NO_ROW. */
static void compete(struct first_rows *first, const struct first_batch *batch,
		    size_t known)
{
	uint32_t *winners = first->winners;

	for (size_t g = known; g < first->table.count; g++)
		first->ranks[g].holder = NO_ROW;
	for (size_t i = 0; i < batch->rows->count; i++) {
		uint32_t group = first->groups[i];
		struct first_rank *best = &first->ranks[group];
		struct first_rank rank = rank_of(
			batch->keys[selection_row(batch->rows, i)]);
		bool is_new = group >= known && best->holder == NO_ROW;

		winners[i] = NO_ROW;
		if (!is_new && !is_first(batch, rank, best, group, i))
			continue;
		if (best->holder != NO_ROW)
			winners[best->holder] = NO_ROW;
		rank.holder = (uint32_t)i;
		*best = rank;
		winners[i] = group;
	}
}

int first_rows_pick(struct first_rows *first, const struct first_batch *batch,
		    struct selection *picked, const uint32_t **partitions_out,
		    struct error *err)
{
	size_t known = first->table.count, n = 0;
	int rc;

	group_hash(&first->scratch, batch->partitions, first->key_count,
		   batch->rows);
	rc = group_table_find(&first->table, &first->scratch,
			      batch->partitions, batch->rows, true,
			      first->groups, err);
	if (rc)
		return rc;
	if (!mem_reserve((void **)&first->ranks, &first->rank_capacity,
			 first->table.count, sizeof(*first->ranks)))
		return no_memory(err);
	compete(first, batch, known);
	for (size_t i = 0; i < batch->rows->count; i++) {
		uint32_t group = first->winners[i];

		if (group == NO_ROW)
			continue;
		first->ranks[group].holder = NO_ROW;
		first->winners[n] = group;
		first->groups[n++] = (uint32_t)selection_row(batch->rows, i);
	}
	picked->rows = first->groups;
	picked->count = n;
	*partitions_out = first->winners;
	return 0;
}
