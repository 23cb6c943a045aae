#ifndef PARQUET_PARQUET_READER_H
#define PARQUET_PARQUET_READER_H
#include "column/column.h"
#include "io/io.h"

/*
 * An open Parquet file: its footer, decoded and checked. Read-only after
 * open, so any number of threads may use it at once.
 */
struct parquet_reader;

/* file is kept, and closed by free; after a failure it is still the
 * caller's. Errors: ERROR_CORRUPT (not Parquet, cut
 * short, damaged footer, lengths that do not fit), ERROR_UNSUPPORTED
 * (encrypted), ERROR_IO. Messages name the file. */
int parquet_reader_open(struct parquet_reader **out, struct input_file *file,
			struct error *err);
void parquet_reader_free(struct parquet_reader *reader);
/* From now on ns that are not whole us are ERROR_CAST, not cut. For who opened
 * it, before others have it. */
void parquet_reader_keep_exact(struct parquet_reader *reader);
/* The file that it reads. */
const struct input_file *parquet_reader_file(
	const struct parquet_reader *reader);
const char *parquet_reader_path(const struct parquet_reader *reader);

/* One leaf column of the file, in file order. */
struct parquet_leaf {
	const char *path;	/* names joined by '.', the name if flat */
	int32_t field_id;	/* -1 = none */
	struct type type;	/* the SQL type its annotation gives */
	bool is_flat;		/* child of the root, not repeated */
	bool required;		/* REQUIRED and flat */
	bool readable;		/* false: nested, or of an unknown annotation;
				 * INT96 is TIMESTAMP WITH TIME ZONE */
};

/*
 * The columns as a tree, whatever way the file spells lists and maps: a
 * REPEATED field is an ARRAY that is never null, the groups in the middle of
 * LIST and MAP are no nodes, a MAP without values is an ARRAY of its keys.
 */
struct parquet_node {
	const char *name;
	int32_t field_id;	/* -1 = none */
	struct type type;	/* the SQL type; of all below too */
	bool readable;		/* false: of an unknown annotation, or no or
				 * unreadable fields */
	bool required;
	/* ROW: fields; ARRAY: the element; MAP: key and value */
	const struct parquet_node *children;
	size_t child_count;
	size_t first_leaf;	/* the leaves below, or itself */
	size_t leaf_count;
	/* levels: where it is not null, where its slot is there at all, and
	 * where an element of it is there */
	uint8_t max_def;
	uint8_t slot_def;
	uint8_t list_def;
	uint8_t rep;		/* lists around it */
};
/* A ROW of all columns, never null. */
const struct parquet_node *parquet_root(const struct parquet_reader *reader);
size_t parquet_leaf_count(const struct parquet_reader *reader);
const struct parquet_leaf *parquet_leaf(const struct parquet_reader *reader,
					size_t leaf);
/* Would the leaf, written again by parquet_writer.h, be of the type that the
 * file gives it? Not so: INT96, milli- and nanoseconds, small and unsigned
 * integers, FLOAT16, ENUM, JSON and BSON. */
bool parquet_leaf_is_kept(const struct parquet_reader *reader, size_t leaf);
/* Does any column of the file carry a field id? */
bool parquet_has_field_ids(const struct parquet_reader *reader);
/* Leaf by field id / by path; -1 = none. */
long parquet_find_field_id(const struct parquet_reader *reader, int32_t id);
long parquet_find_path(const struct parquet_reader *reader, const char *path);
/* Value of a key in the footer, NULL = none. */
const char *parquet_key_value(const struct parquet_reader *reader,
			      const char *key);

size_t parquet_row_group_count(const struct parquet_reader *reader);
uint64_t parquet_row_count(const struct parquet_reader *reader);
uint64_t parquet_row_group_rows(const struct parquet_reader *reader,
				size_t group);
/* Position in the file of the group's first row. */
uint64_t parquet_row_group_first(const struct parquet_reader *reader,
				 size_t group);

/*
 * What statistics say of a chunk or page. Bounds are true bounds but need not
 * be tight; they are of the type that was asked for. Unknown counts are -1.
 */
struct parquet_bounds {
	bool has_min;
	bool has_max;
	struct literal min;
	struct literal max;
	int64_t null_count;
	int64_t value_count;	/* rows, nulls included */
	bool may_have_nan;	/* REAL, DOUBLE: NaN lies outside the bounds */
};
/*
 * Bounds of a chunk as type `want` (widening int to bigint, real to double,
 * decimal precision, ms to us as the reader does). Bytes point into reader.
 * Untrustworthy statistics are left out, never an error.
 */
void parquet_chunk_bounds(const struct parquet_reader *reader, size_t group,
			  size_t leaf, const struct type *want,
			  struct parquet_bounds *out);

/* The page index of one chunk: rows and bounds of each data page. */
struct parquet_page_index {
	size_t page_count;
	uint64_t *first_row;	/* in the group; page_count + 1 entries, the
				 * last is the group's row count */
	struct parquet_bounds *bounds;	/* NULL when there is no ColumnIndex */
};
/* Lives in arena. *out NULL when the file has no offset index for it. */
int parquet_page_index(const struct parquet_reader *reader, size_t group,
		       size_t leaf, const struct type *want,
		       struct arena *arena, struct parquet_page_index **out,
		       struct error *err);

/* Does the chunk have a Bloom filter? */
bool parquet_has_bloom_filter(const struct parquet_reader *reader,
			      size_t group, size_t leaf);
struct parquet_bloom_filter;
/* *out NULL when there is none (or it is of an unknown kind). */
int parquet_bloom_filter_load(const struct parquet_reader *reader,
			      size_t group, size_t leaf,
			      struct parquet_bloom_filter **out,
			      struct error *err);
void parquet_bloom_filter_free(struct parquet_bloom_filter *filter);
/* false only when no row of the chunk holds the value (not null, of the type
 * asked for in bounds; converted to the file's physical type first). */
bool parquet_bloom_filter_may_contain(const struct parquet_bloom_filter *f,
				      const struct literal *value);
#endif
