#ifndef QUERY_SORTER_STATE_H
#define QUERY_SORTER_STATE_H
#include "query/first_rows.h"
#include "query/row_sorter.h"

/*
 * The inside of a sorter. Behind the columns of a row stand its key, its line
 * or number, and the index of its origin.
 */
struct sort_entry {
	uint64_t high;	/* the first 16 bytes of the key */
	uint64_t low;
	uint32_t row;	/* of the pile */
};

/* Sorted rows in memory. */
struct sorted_pile {
	struct pile pile;
	struct sort_entry *entries;
	size_t count;
};

/* A thread that adds rows. */
struct sorter_writer {
	struct row_sorter *sorter;
	struct sorted_pile sorted;
	size_t entry_capacity;
	struct sort_entry *spare;
	size_t spare_capacity;
	struct key_encoder encoder;
	struct vector lines;
	struct vector origins;
	const struct vector **columns;
	struct first_rows *first;	/* of partitions; NULL = all rows */
	struct selection_buffer kept;
	struct selection_buffer again;	/* rows that replace others */
	uint32_t *replaced;		/* of the pile */
	uint8_t *cutoff;	/* key of the last row that is wanted */
	size_t cutoff_length;
	size_t cutoff_capacity;
};

struct row_sorter {
	struct row_shape shape;		/* with what stands behind */
	struct type *types;
	bool *stored;
	size_t column_count;		/* of the caller */
	struct sort_column *keys;
	size_t key_count;
	size_t partition_count;
	uint64_t first_rows;
	bool first_of_partition;
	struct type *partition_types;
	size_t writer_bytes;		/* of one writer */
	struct origin_list origins;
	struct run_file file;
	struct run *runs;
	size_t run_count;
	size_t run_capacity;
	struct sorted_pile *piles;
	size_t pile_count;
	size_t pile_capacity;
	struct sorter_writer **waiting;	/* that have first rows */
	size_t waiting_count;
	size_t waiting_capacity;
	pthread_mutex_t lock;		/* runs, piles, waiting */
};

static inline size_t sorter_key_column(const struct row_sorter *sorter)
{
	return sorter->column_count;
}
static inline size_t sorter_line_column(const struct row_sorter *sorter)
{
	return sorter->column_count + 1;
}
static inline size_t sorter_origin_column(const struct row_sorter *sorter)
{
	return sorter->column_count + 2;
}

static inline int compare_key_tails(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;

	return length > 16 ? memcmp(a.data + 16, b.data + 16, length - 16) : 0;
}

/* The key of a row of the pile. */
struct byte_view sorter_key_of(const struct sorter_writer *writer,
			       uint32_t row);
/* Sort the rows that entries know; they are the sorter's then. */
int sorter_finish_sorted(struct sorter_writer *writer, struct error *err);
/* sorter_first.c: what a writer of first rows has waits for the others'. */
int sorter_wait(struct sorter_writer *writer, struct error *err);
/* All that waits is sorted, without what is not first. */
int sorter_settle(struct row_sorter *sorter, struct error *err);
void sort_entry_of(struct sort_entry *entry, struct byte_view key,
		   uint32_t row);
/* Add a run that is on disk; it is the sorter's then. */
int sorter_add_run(struct row_sorter *sorter, struct run *run,
		   struct error *err);
/* Runs of a merge at once. */
#define SORTER_MERGE_LIMIT 64
#endif
