#ifndef JOIN_JOIN_SPILL_H
#define JOIN_JOIN_SPILL_H
#include "io/io.h"
#include "join/row_store.h"

/*
 * Rows on disk, apart by the hash of their keys, for a source that does not
 * fit in memory. Rows of one key are in one partition, so that each partition
 * can be joined by itself. Files have no name: they end with the process.
 */
#define SPILL_PARTITIONS 64
/* How often a partition can be split again, each time by other bits. */
#define SPILL_LEVELS 6

struct spill;
/* types and stored as of the row store that is read back. key_columns are
 * copied. directory: where the temporary files go. */
struct spill_options {
	const char *directory;
	const struct type *types;
	const bool *stored;
	size_t column_count;
	const size_t *key_columns;
	size_t key_count;
	unsigned level;		/* 0 .. SPILL_LEVELS - 1 */
};
int spill_new(struct spill **out, const struct spill_options *options,
	      struct error *err);
void spill_free(struct spill *spill);
/* Bytes on disk of one partition / of all. */
uint64_t spill_partition_bytes(const struct spill *spill, size_t partition);
uint64_t spill_bytes(const struct spill *spill);
uint64_t spill_partition_rows(const struct spill *spill, size_t partition);

/* Where rows go whose keys have this hash, as vector_hash() has it. */
size_t spill_partition_of(uint64_t hash, unsigned level);

/* One per thread; appends like a row_store_writer. */
struct spill_writer;
int spill_writer_new(struct spill_writer **out, struct spill *spill,
		     struct error *err);
void spill_writer_free(struct spill_writer *writer);
int spill_append(struct spill_writer *writer,
		 const struct vector *const *columns,
		 const struct batch *batch, const uint8_t *joinable,
		 struct error *err);
/* Write what is buffered. */
int spill_writer_finish(struct spill_writer *writer, struct error *err);
/* All rows of a store but dropped ones; it may be freed afterwards. */
int spill_store(struct spill_writer *writer, const struct row_store *store,
		struct error *err);
/* Append a partition's rows to a store. */
int spill_read(struct spill *spill, size_t partition,
	       struct row_store *store, struct error *err);

/*
 * The same batch by batch, in the order in which they were written. A batch
 * has rows of one origin and is valid until the next call; *out NULL at the
 * end. Several readers of one spill may work at once.
 */
struct spill_reader;
int spill_reader_new(struct spill_reader **out, struct spill *spill,
		     size_t partition, struct error *err);
void spill_reader_free(struct spill_reader *reader);
int spill_reader_next(struct spill_reader *reader, struct batch **out,
		      struct error *err);
/* joinable of the rows given last. */
const uint8_t *spill_reader_joinable(const struct spill_reader *reader);
/* Begin anew. */
void spill_reader_rewind(struct spill_reader *reader);
#endif
