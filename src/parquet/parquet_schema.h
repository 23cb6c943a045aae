#ifndef PARQUET_PARQUET_SCHEMA_H
#define PARQUET_PARQUET_SCHEMA_H
#include "parquet/footer.h"
#include "parquet/parquet_reader.h"

#define SCHEMA_DEPTH_LIMIT 64

/* A leaf as the file has it: what the door says and what decoding needs. */
struct leaf_column {
	struct parquet_leaf door;
	enum physical_type physical;
	size_t type_length;		/* FIXED: bytes; else 0 */
	struct logical_type logical;	/* converted_type folded in */
	unsigned max_def;
	unsigned max_rep;
};

/* The leaves of the tree in file order, in arena. ERROR_CORRUPT,
 * ERROR_NO_MEMORY. */
int parquet_schema_leaves(const struct file_metadata *metadata,
			  struct arena *arena, struct leaf_column **out,
			  size_t *count_out, struct error *err);

/* How a column of a type is stored when we write it. */
struct storage {
	enum physical_type physical;
	size_t width;			/* bytes of a value; 0 = BYTE_ARRAY */
};
/* ERROR_UNSUPPORTED for types that have no column (nested, TINYINT). */
int parquet_storage_of(const struct type *type, struct storage *out,
		       struct error *err);
/* Root and one element per column of a flat schema, in arena. */
int parquet_schema_elements(const struct schema *schema, struct arena *arena,
			    struct schema_element **out, size_t *count_out,
			    struct error *err);
#endif
