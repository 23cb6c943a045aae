#ifndef PARQUET_NESTED_READER_H
#define PARQUET_NESTED_READER_H
#include "parquet/parquet_reader.h"

/*
 * A column, field, element, key or value that is wanted, and where it is in a
 * file. The caller pairs them, by field id or by name.
 */
struct nested_source {
	struct type type;	/* wanted; a leaf as chunk_reader widens it */
	/* NULL: not in the file; each value is the constant then */
	const struct parquet_node *node;
	struct literal constant;
	/* Per field of the type, if it is nested and in the file. */
	struct nested_source *children;
};

/*
 * Is the node of the kind that the type needs? A leaf may still be of a type
 * that cannot become the wanted one, which opening tells.
 */
bool nested_kinds_fit(const struct type *type,
		      const struct parquet_node *node);
/* Everything as the file has it, in arena. */
int nested_source_of_node(struct nested_source *out,
			  const struct parquet_node *node,
			  struct arena *arena, struct error *err);

/*
 * The packed values (column/nested.h) of a nested column in one row group.
 * All leaves move in step; what they say of lists and nulls must agree. For
 * one thread.
 */
struct nested_reader;

/* source is kept. Errors: ERROR_UNSUPPORTED for a leaf or kind that cannot
 * become what is wanted. */
int nested_reader_open(struct nested_reader **out,
		       const struct parquet_reader *reader, size_t group,
		       const struct nested_source *source, struct error *err);
void nested_reader_free(struct nested_reader *nested);
/*
 * Rows first .. first + count - 1 of the group into out (borrowed, valid until
 * the next call on nested). Errors: ERROR_CORRUPT with the file and column.
 */
int nested_reader_read(struct nested_reader *nested, uint64_t first,
		       size_t count, struct vector *out, struct error *err);
/* Only the given rows: out[i] = row first + rows[i], rows ascending. */
int nested_reader_gather(struct nested_reader *nested, uint64_t first,
			 const uint32_t *rows, size_t count,
			 struct vector *out, struct error *err);
uint64_t nested_reader_pages_read(const struct nested_reader *nested);
uint64_t nested_reader_bytes_read(const struct nested_reader *nested);
#endif
