#ifndef PARQUET_PARQUET_FILE_H
#define PARQUET_PARQUET_FILE_H
#include "parquet/parquet_schema.h"
#include "parquet/value_convert.h"

/* The inside of an open file, for this room only. */
struct parquet_reader {
	struct input_file *file;
	struct arena arena;
	uint8_t *footer;		/* views of metadata point into it */
	struct file_metadata metadata;
	struct leaf_column *leaves;
	size_t leaf_count;
	struct parquet_node *root;
	uint64_t *group_first;
	uint64_t data_end;		/* where the footer begins */
	bool has_field_ids;
};

/* Where a chunk begins: its dictionary page, if any, else its data. */
uint64_t column_chunk_start(const struct column_chunk *chunk);
/* No page of it reaches beyond. */
uint64_t column_chunk_end(const struct parquet_reader *reader,
			  const struct column_chunk *chunk);

/*
 * One bound as the value that a vector would hold. False when the bytes are
 * none of that type. Bytes of the literal point into `bytes`.
 */
bool bound_literal(const struct leaf_column *leaf,
		   const struct value_convert *convert,
		   const struct type *want, struct byte_view bytes,
		   struct literal *out);
/* Take min and max into out, if they are sound. */
void bounds_take(const struct leaf_column *leaf,
		 const struct value_convert *convert, const struct type *want,
		 const struct byte_view minmax[2], struct parquet_bounds *out);
/* Is the order of min_value and max_value that of the type? */
bool bounds_are_ordered(const struct parquet_reader *reader, size_t leaf);

/* Bytes of a chunk's Bloom filter with its header, from its offset on; 0 =
 * none that could be used. */
int bloom_filter_extent(const struct parquet_reader *reader, size_t group,
			size_t leaf, uint64_t *bytes_out, struct error *err);

/* Where the data pages of a chunk are. first_row has an entry more. */
struct offset_index {
	size_t page_count;
	uint64_t *first_row;
	uint64_t *offset;
	uint32_t *bytes;	/* with the header */
};
/* In arena; *out NULL when there is none or its numbers contradict each
 * other. ERROR_CORRUPT when it cannot be parsed. */
int offset_index_load(const struct parquet_reader *reader, size_t group,
		      size_t leaf, struct arena *arena,
		      struct offset_index **out, struct error *err);
#endif
