#ifndef QUERY_ROW_SORTER_H
#define QUERY_ROW_SORTER_H
#include "query/row_pile.h"
#include "query/sort_encode.h"

/*
 * Rows put in order, with where they came from. Several threads add rows,
 * each through a writer of its own; past the memory they go to disk as sorted
 * runs. Then one thread reads all of them in order.
 */
struct row_sorter;

struct sorter_options {
	const struct type *types;
	const bool *stored;		/* NULL = all */
	size_t column_count;
	const struct sort_column *keys;
	size_t key_count;
	size_t partition_count;		/* leading keys */
	uint64_t first_rows;		/* no others are read; UINT64_MAX */
	bool first_of_partition;	/* others may be missing */
	size_t memory_bytes;		/* of all writers; 0 = any */
	size_t writer_count;		/* at most so many */
	const char *directory;		/* of temporary files */
};

/* Arrays of the options are copied. */
int row_sorter_new(struct row_sorter **out,
		   const struct sorter_options *options, struct error *err);
void row_sorter_free(struct row_sorter *sorter);
/* Bytes that went to disk. */
uint64_t row_sorter_spilled(const struct row_sorter *sorter);

struct sorter_writer;
int sorter_writer_new(struct sorter_writer **out, struct row_sorter *sorter,
		      struct error *err);
void sorter_writer_free(struct sorter_writer *writer);
/*
 * Add rows. keys[i]: key i of all rows of the batch, which stand at
 * `position` of work unit `unit`. rows: those that are added; columns: one
 * per column of the sorter, aligned with the batch.
 */
struct sorter_rows {
	const struct vector *const *columns;
	const struct vector *const *keys;
	const struct batch *batch;	/* origin, lines, first_row */
	struct selection rows;
	uint64_t unit;
	uint64_t position;
};
int sorter_add(struct sorter_writer *writer, const struct sorter_rows *rows,
	       struct error *err);
/* Sort what is in memory and leave it to the sorter. */
int sorter_writer_finish(struct sorter_writer *writer, struct error *err);

/* Reads all rows once, after all writers have finished. */
struct sorter_reader;
int sorter_reader_new(struct sorter_reader **out, struct row_sorter *sorter,
		      struct error *err);
void sorter_reader_free(struct sorter_reader *reader);
/* The next rows, all of one origin; NULL at the end. first_row counts from 0.
 * Valid until the next call. */
int sorter_next(struct sorter_reader *reader, struct batch **out,
		struct error *err);
/* Leave out the next rows. */
int sorter_skip(struct sorter_reader *reader, uint64_t count,
		struct error *err);
/* Their keys, as sort_encode.h has them. */
const struct vector *sorter_keys(const struct sorter_reader *reader);
#endif
