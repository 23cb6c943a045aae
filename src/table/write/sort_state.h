#ifndef TABLE_WRITE_SORT_STATE_H
#define TABLE_WRITE_SORT_STATE_H
#include "io/io.h"
#include "table/write/partition.h"

/*
 * Rows on their way into sorted files, and into files of more partitions than
 * are kept open. Private to table/write.
 *
 * A row's place is its partition's number, then its key: bytes in whose order
 * (memcmp) rows are sorted. The first eight bytes of the key stand in the
 * entry; a key of no more is kept nowhere else.
 */
struct write_context;

/* How new files are sorted. */
struct sort_plan {
	const struct sort_order *order;	/* NULL = not at all */
	struct field_place *places;	/* per field of the order */
	struct type *types;		/* of what is compared */
	bool *nullable;			/* its key says whether it is null */
	bool keys_fit;			/* no key is longer than eight bytes */
};
/* By the table's properties and options. Lives in the context's arena. */
int sort_plan_init(struct write_context *context, struct error *err);

/* Say in Parquet's words how groups are sorted, as far as those go. */
int sort_plan_describe(const struct sort_plan *plan,
		       struct arena *arena, struct parquet_options *out,
		       struct error *err);

struct sort_entry {
	uint64_t prefix;
	uint32_t partition;
	uint32_t row;		/* of the buffer */
};

/* Makes keys; for one thread. */
struct sort_keys {
	const struct sort_plan *plan;
	struct vector *values;		/* per field */
	uint64_t *prefixes;		/* the result, dense */
	const uint8_t **keys;		/* the result if they do not fit */
	uint32_t *lengths;
	size_t capacity;
};
int sort_keys_init(struct sort_keys *keys, const struct sort_plan *plan,
		   struct error *err);
void sort_keys_release(struct sort_keys *keys);
/* Of the selected rows; bytes of keys that do not fit lie in heap. */
int sort_keys_make(struct sort_keys *keys, const struct vector *const *columns,
		   const struct selection *rows, struct arena *heap,
		   struct error *err);

/* So many rows at the most, gathered column by column. */
#define SORT_CHUNK_ROWS 4096
struct sort_chunk {
	struct vector *columns;
	struct arena heap;		/* bytes of values and keys */
	const uint8_t **keys;		/* NULL if all fit */
	uint32_t *lengths;
	size_t row_count;
};

/* A part of a run on disk. */
struct sort_block {
	uint64_t offset;
	uint64_t length;
	uint64_t prefix;	/* of its first row */
	uint32_t partition;
	uint32_t row_count;
};

/* Rows in order: all of a buffer, or blocks of its temporary file. */
struct sort_run {
	struct sort_buffer *buffer;
	struct sort_block *blocks;	/* NULL: in memory */
	size_t block_count;
	size_t block_capacity;
};

/*
 * Rows of one thread, bounded by a share of the statement's memory; what is
 * too much goes to disk as sorted runs.
 */
struct sort_buffer {
	struct write_context *context;
	struct sort_keys keys;
	struct arena key_bytes;		/* of keys that fit, while made */
	struct type *types;		/* columns, with lineage in v3 */
	size_t column_count;
	struct sort_chunk **chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	struct sort_entry *entries;
	size_t entry_count;
	size_t entry_capacity;
	struct sort_entry *spare;	/* for sorting */
	size_t spare_capacity;
	size_t bytes;			/* held by chunks */
	struct temporary_file *file;	/* NULL = nothing spilled */
	uint64_t file_end;
	struct sort_run *runs;		/* on disk */
	size_t run_count;
	size_t run_capacity;
	struct sort_buffer *next;	/* in the context's list */
};
int sort_buffer_new(struct sort_buffer **out, struct write_context *context,
		    struct error *err);
void sort_buffer_free(struct sort_buffer *buffer);
/*
 * Add the selected rows of the columns (table's, then lineage in v3).
 * partitions: the number of each selected row's; NULL = all are 0.
 */
int sort_buffer_add(struct sort_buffer *buffer,
		    const struct vector *const *columns,
		    const struct selection *rows, const uint32_t *partitions,
		    struct error *err);
/* Put what is in memory in order. */
int sort_buffer_sort(struct sort_buffer *buffer, struct error *err);
/* <0, 0, >0 of two places; keys are NULL where they fit. */
int sort_compare(const struct sort_entry *a, const uint8_t *a_key,
		 uint32_t a_length, const struct sort_entry *b,
		 const uint8_t *b_key, uint32_t b_length);

/* Append the sorted rows of the buffer to its file as one more run. */
int sort_run_write(struct sort_buffer *buffer, struct error *err);

/* A run being read: row `at` of the current block, if not at_end. */
struct sort_cursor {
	const struct sort_run *run;	/* NULL: the rows in memory */
	struct sort_buffer *buffer;
	uint32_t number;		/* order among equal places */
	bool at_end;
	size_t block;			/* next to load */
	uint8_t *bytes;			/* of the block */
	size_t byte_capacity;
	struct vector *columns;		/* of the block */
	const uint64_t *prefixes;
	const uint32_t *partitions;
	const uint32_t *lengths;
	const uint8_t **keys;
	size_t key_capacity;
	size_t row_count;
	size_t at;
	/* the current row */
	struct sort_entry place;
	const uint8_t *key;
	uint32_t key_length;
	const struct vector *row_columns;
	uint32_t row;
};
/* At the first row whose place (partition, prefix) is not below that. */
int sort_cursor_open(struct sort_cursor *cursor, struct sort_buffer *buffer,
		     const struct sort_run *run, uint32_t partition,
		     uint64_t prefix, struct error *err);
/* *reload: the next row is in another block: rows of this one go. */
void sort_cursor_next(struct sort_cursor *cursor, bool *reload);
int sort_cursor_load(struct sort_cursor *cursor, struct error *err);
void sort_cursor_release(struct sort_cursor *cursor);

/* Write all rows of the context's buffers into files, and free them. */
int sort_merge(struct write_context *context, struct fragments *out,
	       struct error *err);
#endif
