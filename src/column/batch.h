#ifndef COLUMN_BATCH_H
#define COLUMN_BATCH_H
#include "column/schema.h"
#include "column/vector.h"

/* Rows in a batch at the most; a source may give fewer. */
#define BATCH_ROW_COUNT 4096

/*
 * Rows as columns. A column that nobody asked for is not materialised: its
 * vector has count 0 and data NULL while row_count says how many rows there
 * are. heap holds the bytes of values made for this batch; it is reset with
 * it. Values may also point into memory of the producer, which is valid until
 * the producer's next call.
 */
struct batch {
	size_t row_count;
	struct vector *columns;
	size_t column_count;
	struct arena heap;
	/*
	 * Where the rows come from, for messages: the name of the input
	 * (borrowed, NULL = none) and, when lines is not NULL, the line (from
	 * 1) on which each row starts.
	 */
	const char *origin;
	const uint64_t *lines;
	/* Number of the first row in the whole input, from 0; row i is
	 * first_row + i. Chunk-parallel inputs number rows exactly. */
	uint64_t first_row;
	/* Which work unit (chunk, row group) of the producer this batch is
	 * from, ascending from 0, the same for any number of threads. */
	uint64_t unit;
};

/* Vectors of the schema's types, nothing allocated for rows yet. */
int batch_init(struct batch *batch, const struct schema *schema,
	       struct error *err);
int batch_init_types(struct batch *batch, const struct type *types,
		     size_t column_count, struct error *err);
void batch_release(struct batch *batch);
/* No rows, memory kept. */
void batch_reset(struct batch *batch);
#endif
