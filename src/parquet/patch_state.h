#ifndef PARQUET_PATCH_STATE_H
#define PARQUET_PATCH_STATE_H
#include "parquet/parquet_encoder.h"
#include "parquet/parquet_file.h"
#include "parquet/parquet_patch.h"
#include "parquet/write_schema.h"

/* The inside of a patch, for parquet_patch.c and patch_finish.c alone. */
struct patch_column {
	const struct parquet_patch_column *def;
	struct schema_element *elements;	/* of the new file */
	size_t element_count;
	struct write_schema shape;	/* of def->fresh, if there is one */
	const char ***parts;		/* per leaf: path_in_schema */
	size_t *part_counts;
	size_t first_leaf;	/* in the new file */
	size_t leaf_count;
	bool is_fresh;		/* in some group */
};

/* A group that has been written. */
struct patch_group {
	size_t old_group;
	int64_t offset;
	/* Per column; NULL = copied. Pages are dropped. */
	struct encoded_row_group **fresh;
	struct column_chunk *chunks;	/* per leaf of the new file */
};

struct parquet_patch {
	struct output_file *file;
	const struct parquet_reader *reader;
	struct parquet_patch_options options;
	struct arena arena;
	struct patch_column *columns;
	size_t leaf_count;
	struct patch_group *groups;
	size_t group_count;
	int64_t *split_offsets;
	size_t next_group;	/* of the old file */
	uint8_t *buffer;	/* COPY_BYTES */
	uint64_t copied_bytes;
	uint64_t fresh_bytes;
};

/* Copy a range of the old file to the end of the new one. */
int patch_copy_range(struct parquet_patch *patch, uint64_t offset,
		     uint64_t length, struct error *err);
#endif
