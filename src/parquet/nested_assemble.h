#ifndef PARQUET_NESTED_ASSEMBLE_H
#define PARQUET_NESTED_ASSEMBLE_H
#include "parquet/nested_leaf.h"
#include "parquet/nested_reader.h"

/* A wanted node that is being read; children as its source has them. */
struct nested_node {
	const struct nested_source *source;
	struct nested_node *children;
	size_t first_leaf;	/* of the leaves opened below it; at least */
	size_t leaf_count;	/* one, unless it is not in the file */
	struct vector values;
	/* ROW, ARRAY, MAP, while it is assembled */
	uint64_t *validity;
	uint32_t *offsets;
	size_t capacity;	/* of both, in values */
	bool has_nulls;
};

struct nested_assembly {
	struct nested_leaf **leaves;
	struct arena heap;	/* packed values */
	uint64_t *check_validity;	/* what another leaf says */
	uint32_t *check_offsets;
	size_t check_capacity;
};

/*
 * Make node->values of `slots` values from the entries of the leaves.
 * ERROR_CORRUPT when leaves contradict each other.
 */
int nested_assemble(struct nested_assembly *assembly, struct nested_node *node,
		    size_t slots, struct error *err);
void nested_node_release(struct nested_node *node);
#endif
