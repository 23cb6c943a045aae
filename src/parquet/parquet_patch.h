#ifndef PARQUET_PARQUET_PATCH_H
#define PARQUET_PARQUET_PATCH_H
#include "parquet/parquet_reader.h"
#include "parquet/parquet_writer.h"

/*
 * A new version of a file that has the rows of the old one where they were,
 * and other values in some columns. What is not written anew is copied byte
 * for byte: pages, dictionaries, Bloom filters and column indexes; offsets
 * and footer are made for the new place.
 */

/* A column of the old file, flat or nested. */
struct parquet_top {
	const struct parquet_node *node;
	int32_t field_id;	/* -1 = none */
	size_t first_leaf;	/* its leaves are neighbours */
	size_t leaf_count;
	size_t first_element;	/* in the schema, for this room */
	size_t element_count;
};
/* In file order, in arena. */
int parquet_tops(const struct parquet_reader *reader, struct arena *arena,
		 struct parquet_top **out, size_t *count_out,
		 struct error *err);
/* Bytes of a column's chunks in one group. */
uint64_t parquet_top_bytes(const struct parquet_reader *reader, size_t group,
			   const struct parquet_top *top);
/*
 * May chunks of this column as we write them stand beside chunks that are
 * copied (same tree, physical types, annotations and optionality)? *required:
 * whether the file has it REQUIRED, which is how the new ones must be.
 */
int parquet_top_fits(const struct parquet_reader *reader,
		     const struct parquet_top *top,
		     const struct column_def *column, bool *fits,
		     bool *required, struct error *err);
/* Null for a file that is copied safely, else why not. */
const char *parquet_patch_refusal(const struct parquet_reader *reader);

struct parquet_patch_column {
	const char *name;	/* in the new file; unique */
	const struct parquet_top *top;	/* NULL = not in the old file */
	/* What groups written anew have: type and, where fresh_element is
	 * set, the schema's element too. NULL = all groups are copied. */
	const struct schema *fresh;	/* of one column */
	bool fresh_element;	/* then every group is written anew */
};
/* What it points to is kept until free. */
struct parquet_patch_options {
	const struct parquet_reader *reader;	/* of the old file */
	const struct parquet_patch_column *columns;
	size_t column_count;
	const char *created_by;
	const char *iceberg_schema;	/* NULL = none */
};

struct parquet_patch;
/* file is kept. Writes the magic. */
int parquet_patch_new(struct parquet_patch **out, struct output_file *file,
		      const struct parquet_patch_options *options,
		      struct error *err);
void parquet_patch_free(struct parquet_patch *patch);
/*
 * Append the next group (from 0 on, each once; those without rows are left
 * out of the file). fresh[c]: column c as one encoded row group of just that
 * column, taken on success; NULL = copy its chunks.
 */
int parquet_patch_group(struct parquet_patch *patch,
			struct encoded_row_group *const *fresh,
			struct error *err);
/* Indexes, Bloom filters and footer; the file is flushed. */
int parquet_patch_finish(struct parquet_patch *patch, struct error *err);
/* Start of each group; lives until free. */
const int64_t *parquet_patch_split_offsets(const struct parquet_patch *patch,
					   size_t *count_out);
/* Was any chunk of the column written anew? */
bool parquet_patch_is_fresh(const struct parquet_patch *patch, size_t column);
/* Leaves of a column in the new file. */
size_t parquet_patch_leaf_count(const struct parquet_patch *patch,
				size_t column);
/*
 * Sums over a leaf of a column that is fresh in some group. Where groups were copied
 * they are what those say of themselves: true bounds, not tight; counts that
 * are not known are -1. In the patch's arena.
 */
int parquet_patch_totals(struct parquet_patch *patch, size_t column,
			 size_t leaf, struct parquet_column_totals *out,
			 struct error *err);
/* Bytes taken over, and bytes of chunks written anew, with their indexes. */
uint64_t parquet_patch_copied_bytes(const struct parquet_patch *patch);
uint64_t parquet_patch_fresh_bytes(const struct parquet_patch *patch);
#endif
