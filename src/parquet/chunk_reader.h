#ifndef PARQUET_CHUNK_READER_H
#define PARQUET_CHUNK_READER_H
#include "parquet/parquet_reader.h"

/*
 * The values of one column in one row group, page by page. A page is read and
 * decompressed when a row of it is first asked for and kept until another page
 * is needed; its rows are decoded a block of some batches at a time, of which
 * one is kept. Going on is cheap, and so are all rows of the last block; going
 * further back decodes the page again from its start, or reads an earlier one
 * again: do not take single rows in any order. With an offset index, pages in
 * between are never touched; without one they are walked over by their
 * headers. For one thread.
 *
 * Values are of type `want`: the file's, or a widening the format page names
 * (INT32 to BIGINT, FLOAT to DOUBLE, decimals of smaller precision, ms and ns
 * timestamps, INT96). ns that are not whole us are cut towards the past.
 */
struct chunk_reader;

/* Errors: ERROR_UNSUPPORTED for a leaf that is not flat or cannot become
 * `want`. */
int chunk_reader_open(struct chunk_reader **out,
		      const struct parquet_reader *reader, size_t group,
		      size_t leaf, const struct type *want,
		      struct error *err);
void chunk_reader_free(struct chunk_reader *chunk);
/*
 * Rows first .. first + count - 1 of the group into out (reset first; it may
 * borrow). Valid until the next call on chunk. Errors: ERROR_CORRUPT with the
 * file, column and page.
 */
int chunk_reader_read(struct chunk_reader *chunk, uint64_t first,
		      size_t count, struct vector *out, struct error *err);
/*
 * Only the given rows: out[i] = row first + rows[i], rows ascending. Pages
 * without any of them are skipped. Valid until the next call on chunk.
 */
int chunk_reader_gather(struct chunk_reader *chunk, uint64_t first,
			const uint32_t *rows, size_t count,
			struct vector *out, struct error *err);
/*
 * Every value that a row of the chunk has, nulls aside: its dictionary, where
 * the footer says that all pages use it. Maybe values that no row has, too.
 * *complete is false where there is none. out borrows from chunk.
 */
int chunk_reader_dictionary(struct chunk_reader *chunk, struct vector *out,
			    bool *complete, struct error *err);
/* Is it worth asking? */
bool parquet_has_dictionary(const struct parquet_reader *reader, size_t group,
			    size_t leaf);
/* Pages decoded and bytes read from the file so far, for explain and tests. */
uint64_t chunk_reader_pages_read(const struct chunk_reader *chunk);
uint64_t chunk_reader_bytes_read(const struct chunk_reader *chunk);
#endif
