#ifndef PARQUET_PARQUET_SCHEMA_H
#define PARQUET_PARQUET_SCHEMA_H
#include "parquet/footer.h"
#include "parquet/parquet_reader.h"

/* Groups; a list takes two of them. */
#define SCHEMA_DEPTH_LIMIT 160

/* A leaf as the file has it: what the door says and what decoding needs. */
struct leaf_column {
	struct parquet_leaf door;
	enum physical_type physical;
	size_t type_length;		/* FIXED: bytes; else 0 */
	struct logical_type logical;	/* converted_type folded in */
	bool has_type;			/* door.type is known */
	bool exact_times;		/* parquet_reader_keep_exact() */
	unsigned max_def;
	unsigned max_rep;
	/* Per repetition level, from 1: the definition level from which on an
	 * element is there. */
	const uint8_t *element_def;
};

/* The leaves of the tree in file order, in arena. ERROR_CORRUPT,
 * ERROR_NO_MEMORY. */
int parquet_schema_leaves(const struct file_metadata *metadata,
			  struct arena *arena, struct leaf_column **out,
			  size_t *count_out, struct error *err);
/* The tree above the leaves, in arena; also fills their element_def. The
 * metadata has passed parquet_schema_leaves(). */
int parquet_schema_tree(const struct file_metadata *metadata,
			struct leaf_column *leaves, struct arena *arena,
			struct parquet_node **out, struct error *err);
#endif
