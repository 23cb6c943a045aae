#ifndef JOIN_ROW_STORE_H
#define JOIN_ROW_STORE_H
#include "column/column.h"
#include "join/origin_list.h"

/*
 * Rows kept in memory as columns, in chunks of up to STORE_CHUNK_ROWS. A row
 * is known by a 32-bit number: chunk << 16 | place in the chunk; numbers of
 * chunks that are not full have holes. Several threads fill a store at once,
 * each through a row_store_writer of its own; then it is read-only but for
 * the marks of matched rows.
 */
#define STORE_CHUNK_BITS 16
#define STORE_CHUNK_ROWS ((size_t)1 << STORE_CHUNK_BITS)
#define STORE_CHUNK_LIMIT 65535	/* so that no row has number UINT32_MAX */

struct store_chunk {
	size_t row_count;
	struct vector *columns;	/* not stored: data NULL */
	struct arena heap;	/* bytes of the values */
	uint64_t *lines;	/* line, else row number, of each row */
	uint16_t *origins;	/* index into the store's origins */
	uint8_t *joinable;	/* may this row match at all? */
	uint8_t *marks;		/* STORE_MARK_*: atomic bytes */
	size_t capacity;
};

struct row_store;

/* types (column_count) and stored (bool each, NULL = all) are copied. */
int row_store_new(struct row_store **out, const struct type *types,
		  const bool *stored, size_t column_count, struct error *err);
void row_store_free(struct row_store *store);
size_t row_store_chunk_count(const struct row_store *store);
struct store_chunk *row_store_chunk(const struct row_store *store, size_t i);
uint64_t row_store_row_count(const struct row_store *store);
struct type row_store_type(const struct row_store *store, size_t column);
/* Bytes held, about. Any thread. */
uint64_t row_store_bytes(const struct row_store *store);

/* Where a row came from. */
struct row_place {
	const char *origin;	/* name of the input, NULL = none */
	bool is_line;
	uint64_t line;		/* from 1 if is_line, else a number from 0 */
	uint64_t unit;		/* the least work unit of the origin */
};
struct row_place row_store_place(const struct row_store *store, uint32_t row);
/* The order of the input: <0, 0, >0. */
int row_place_compare(const struct row_place *a, const struct row_place *b);

struct row_store_writer;
int row_store_writer_new(struct row_store_writer **out,
			 struct row_store *store, struct error *err);
void row_store_writer_free(struct row_store_writer *writer);
/*
 * Append the selected rows. columns: one per store column (data NULL where it
 * is not stored). origin, lines and first_row come from batch. joinable:
 * bool per row of the batch, NULL = all. Everything is copied.
 */
int row_store_append(struct row_store_writer *writer,
		     const struct vector *const *columns,
		     const struct batch *batch, const struct selection *rows,
		     const uint8_t *joinable, struct error *err);
/* The same for rows whose origin is told apart. */
int row_store_append_from(struct row_store_writer *writer,
			  const struct vector *const *columns,
			  const struct row_origin *origin,
			  const struct selection *rows,
			  const uint8_t *joinable, struct error *err);

static inline size_t store_row_chunk(uint32_t row)
{
	return row >> STORE_CHUNK_BITS;
}

static inline size_t store_row_place(uint32_t row)
{
	return row & (STORE_CHUNK_ROWS - 1);
}

/* out[i] = value of column in rows[i], NULL for STORE_ROW_NONE. Bytes are
 * shared with the store. */
#define STORE_ROW_NONE UINT32_MAX
int row_store_gather(const struct row_store *store, size_t column,
		     const uint32_t *rows, size_t count, struct vector *out,
		     struct error *err);
/* A window of a chunk without copying: rows first .. first + count - 1, first
 * a multiple of 64. */
void row_store_slice(const struct store_chunk *chunk, size_t column,
		     size_t first, size_t count, struct vector *out);

/* What became of a row. */
#define STORE_MARK_MATCHED 1	/* ON was true for some target row */
#define STORE_MARK_TAKEN 2	/* a clause acted on it */
#define STORE_MARK_DROPPED 4	/* another row of its key stands for it */
/* Add marks to rows; any thread. */
void row_store_mark(struct row_store *store, const uint32_t *rows,
		    size_t count, uint8_t marks);
/* Rows with all of the marks. */
uint64_t row_store_marked_count(const struct row_store *store, uint8_t marks);
#endif
