#ifndef PARQUET_CHUNK_WRITER_H
#define PARQUET_CHUNK_WRITER_H
#include "parquet/bloom_filter.h"
#include "parquet/encode_dictionary.h"
#include "parquet/page_stats.h"
#include "parquet/page_writer.h"
#include "parquet/parquet_writer.h"
#include "parquet/write_schema.h"

/* A finished data page. Bounds are cut and live in the chunk's arena. */
struct written_page {
	uint64_t first_row;
	int64_t entry_count;	/* rows; of a nested column: its levels */
	int64_t null_count;	/* entries without a value */
	int64_t nan_count;
	bool has_bounds;	/* false with values: all of them are NaN */
	struct byte_view min;
	struct byte_view max;
};

/* A finished chunk: bytes and what is to be said of them. */
struct encoded_chunk {
	struct text dictionary_page;	/* empty = none */
	struct text pages;
	struct written_page *written;
	uint32_t *page_bytes;		/* with headers */
	size_t page_count;
	struct column_chunk metadata;	/* offsets not yet known */
	/* exact bounds of the chunk, as PLAIN bytes in arena */
	bool has_bounds;
	struct byte_view min;
	struct byte_view max;
	struct bloom_bits bloom;	/* words NULL = none */
	struct arena arena;
};

void encoded_chunk_release(struct encoded_chunk *chunk);

/*
 * Entries of a leaf of a nested column, in order: repetition and definition
 * level of each, and where its value is in a vector, which counts only if
 * def is the leaf's max_def.
 */
struct level_entries {
	uint8_t *rep;
	uint8_t *def;
	uint32_t *value;
	size_t count;
};

/* Encodes one leaf column, page after page as rows arrive. */
struct chunk_writer {
	const struct write_leaf *leaf;
	const struct column_def *column;	/* of the leaf */
	const struct parquet_options *options;
	struct storage storage;
	enum value_order order;
	bool wants_bloom;
	bool uses_delta;

	/* the page being filled; dense, nulls left out */
	size_t page_rows;
	size_t page_values;
	uint64_t *validity;
	bool page_has_nulls;
	void *words;		/* INT32 .. DOUBLE: as stored */
	struct text plain;	/* bytes, FIXED, and booleans as 0 and 1 */
	uint32_t *indexes;	/* while there is a dictionary */
	size_t value_capacity;	/* of words and indexes */

	/* nested columns only: the levels of the page */
	size_t level_count;
	size_t level_capacity;
	uint8_t *rep;		/* NULL if max_rep is 0 */
	uint8_t *def;

	bool has_dictionary;
	unsigned dictionary_rest;	/* chunks to go without a trial */
	struct dictionary_builder dictionary;
	size_t page_first_new;	/* dictionary size when the page began */
	size_t dictionary_pages;

	struct page_writer writer;
	struct encoded_chunk out;
	size_t written_capacity;
	size_t sizes_capacity;
	uint64_t row_count;	/* of finished pages */
	int64_t entry_count;
	int64_t null_count;
	int64_t nan_count;
	uint64_t *hashes;	/* for the Bloom filter */
	size_t hash_count;
	size_t hash_capacity;
};

/* leaf and context are kept. */
int chunk_writer_init(struct chunk_writer *writer,
		      const struct write_leaf *leaf, bool wants_bloom,
		      const struct parquet_options *options,
		      struct codec_context *context, struct error *err);
void chunk_writer_release(struct chunk_writer *writer);
/* Add the selected rows of a vector of the column's type. */
int chunk_writer_add(struct chunk_writer *writer, const struct vector *vector,
		     const struct selection *rows, struct error *err);
/* Add whole records of a leaf of a nested column. */
int chunk_writer_add_entries(struct chunk_writer *writer,
			     const struct vector *values,
			     const struct level_entries *entries,
			     struct error *err);
/* Memory held for rows, about. */
size_t chunk_writer_bytes(const struct chunk_writer *writer);
/* Move the chunk out; the writer is empty again. */
int chunk_writer_finish(struct chunk_writer *writer,
			struct encoded_chunk *out, struct error *err);

/* The inside, split over three files. chunk_writer.c: values of a vector,
 * those of row[i], or of first + i if row is NULL, none of them null. */
struct value_piece {
	const struct vector *vector;
	const uint32_t *row;
	size_t first;
	size_t count;
};
int chunk_add_piece(struct chunk_writer *writer,
		    const struct value_piece *piece, struct error *err);
/* Rows or entries in the page being filled, values and nulls. */
static inline size_t chunk_page_entries(const struct chunk_writer *writer)
{
	return writer->leaf->is_nested ? writer->level_count
				       : writer->page_rows;
}
/* chunk_levels.c: append the levels of the page. */
bool chunk_write_levels(const struct chunk_writer *writer, struct text *body);
/* chunk_pages.c: */
int chunk_page_finish(struct chunk_writer *writer, struct error *err);
int chunk_leave_dictionary(struct chunk_writer *writer, struct error *err);
/* Give the dictionary up if it does not pay; at_page_end: the whole page is
 * there. */
int chunk_judge_dictionary(struct chunk_writer *writer, bool at_page_end,
			   struct error *err);
int chunk_take_hashes(struct chunk_writer *writer, struct error *err);
#endif
