#ifndef PARQUET_NESTED_LEAF_H
#define PARQUET_NESTED_LEAF_H
#include "parquet/parquet_file.h"

/* Entries of one leaf for some rows. rep is all 0 if the leaf's max_rep is. */
struct leaf_entries {
	uint8_t *rep;
	uint8_t *def;
	size_t count;
	size_t capacity;
	struct vector values;	/* of those with def == max_def; dense, with
				 * room for one more */
	bool has_nulls;		/* some have not */
};

/*
 * One leaf of a nested column in one row group: its levels and values, row by
 * row and mostly forwards. Pages in between are skipped by the offset index
 * or by what v2 headers say; v1 pages without an index may split rows. For
 * one thread.
 */
struct nested_leaf;

/* want NULL: only levels are read. Errors as chunk_reader_open(). */
int nested_leaf_open(struct nested_leaf **out,
		     const struct parquet_reader *reader, size_t group,
		     size_t leaf, const struct type *want, struct error *err);
void nested_leaf_free(struct nested_leaf *leaf);
/* Forget the entries that were taken. */
void nested_leaf_begin(struct nested_leaf *leaf);
/*
 * Append the entries of rows first .. first + count - 1 of the group to those
 * taken since begin. Errors: ERROR_CORRUPT with file, column and page.
 */
int nested_leaf_take(struct nested_leaf *leaf, uint64_t first, uint64_t count,
		     struct error *err);
/* What was taken; until the next begin or take. */
const struct leaf_entries *nested_leaf_entries(const struct nested_leaf *leaf);
const struct leaf_column *nested_leaf_column(const struct nested_leaf *leaf);
uint64_t nested_leaf_pages_read(const struct nested_leaf *leaf);
uint64_t nested_leaf_bytes_read(const struct nested_leaf *leaf);
#endif
