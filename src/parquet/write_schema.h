#ifndef PARQUET_WRITE_SCHEMA_H
#define PARQUET_WRITE_SCHEMA_H
#include "parquet/footer.h"
#include "column/column.h"

/* How a column of a type is stored when we write it. */
struct storage {
	enum physical_type physical;
	size_t width;			/* bytes of a value; 0 = BYTE_ARRAY */
};
/* ERROR_UNSUPPORTED for types that have no leaf (nested, TINYINT). */
int parquet_storage_of(const struct type *type, struct storage *out,
		       struct error *err);

/* A leaf of a file that is written. */
struct write_leaf {
	/* Of the leaf; the name is the path joined by '.', required says
	 * that max_def is 0. */
	struct column_def column;
	const char **parts;	/* the path */
	size_t part_count;
	size_t top;		/* column of the schema it belongs to */
	uint8_t max_def;
	uint8_t max_rep;
	bool is_nested;		/* not a column itself */
	bool in_list;		/* below an ARRAY or MAP */
};

/* The tree of a schema: root and all below, depth first. */
struct write_schema {
	struct schema_element *elements;
	size_t element_count;
	struct write_leaf *leaves;
	size_t leaf_count;
	size_t *first_leaf;	/* per column, and one more */
};

/* Everything of out lives in arena; names are those of schema. Errors:
 * ERROR_UNSUPPORTED with the column, ERROR_NO_MEMORY. */
int write_schema_make(struct write_schema *out, const struct schema *schema,
		      struct arena *arena, struct error *err);
#endif
