#ifndef QUERY_ROW_PILE_H
#define QUERY_ROW_PILE_H
#include "plan/plan.h"
#include "join/join.h"

/*
 * Rows of a known shape kept in memory in the order of their arrival, in
 * chunks of columns; and runs of rows in a temporary file. For one thread but
 * for run_file, which several may write.
 */
#define PILE_CHUNK_BITS 12
#define PILE_CHUNK_ROWS ((size_t)1 << PILE_CHUNK_BITS)

struct row_shape {
	const struct type *types;
	const bool *stored;	/* NULL = all */
	size_t column_count;
};

static inline bool shape_has(const struct row_shape *shape, size_t column)
{
	return !shape->stored || shape->stored[column];
}

struct pile_chunk {
	struct vector *columns;
	struct arena heap;
	size_t row_count;
};

struct pile {
	struct row_shape shape;
	struct pile_chunk **chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	size_t row_count;
	size_t bytes;		/* held, about */
	size_t waste_bytes;	/* of those, what replaced values left */
};

/* What shape points to is kept. */
void pile_init(struct pile *pile, const struct row_shape *shape);
void pile_release(struct pile *pile);
/* Append the selected rows; values are copied. At most 2^32 - 1 rows. */
int pile_append(struct pile *pile, const struct vector *const *columns,
		const struct selection *rows, struct error *err);

/* Row rows[i] of the pile becomes the i-th selected row; values are copied.
 * After a failure the pile is fit to be released only. */
int pile_replace(struct pile *pile, const uint32_t *rows,
		 const struct vector *const *columns,
		 const struct selection *by, struct error *err);

/* A row anywhere. */
struct row_ref {
	const struct vector *columns;
	uint32_t row;
};

static inline struct row_ref pile_row(const struct pile *pile, size_t row)
{
	struct row_ref ref = {
		pile->chunks[row >> PILE_CHUNK_BITS]->columns,
		(uint32_t)(row & (PILE_CHUNK_ROWS - 1))
	};

	return ref;
}

/* out[i] = column of refs[i]; bytes are shared. */
int rows_gather(const struct row_ref *refs, size_t count, size_t column,
		struct vector *out, struct error *err);

/* A temporary file that is made when it is first written. */
struct run_file {
	const char *directory;
	struct temporary_file *file;
	uint64_t end;
	pthread_mutex_t lock;
};
void run_file_init(struct run_file *file, const char *directory);
void run_file_release(struct run_file *file);

struct run_block {
	uint64_t offset;
	size_t length;
	size_t row_count;
};

/* Blocks of rows, in order. */
struct run {
	struct run_block *blocks;
	size_t block_count;
	size_t block_capacity;
};
void run_release(struct run *run);
/* Append a block of the first count values of columns. */
int run_write(struct run *run, struct run_file *file,
	      const struct row_shape *shape, const struct vector *columns,
	      size_t count, struct error *err);
/* Read a block; bytes of values lie in `bytes`. */
int run_read(const struct run_block *block, struct run_file *file,
	     const struct row_shape *shape, struct vector *columns,
	     struct text *bytes, struct error *err);
#endif
