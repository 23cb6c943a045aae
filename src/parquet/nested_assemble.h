#ifndef PARQUET_NESTED_ASSEMBLE_H
#define PARQUET_NESTED_ASSEMBLE_H
#include "parquet/nested_leaf.h"
#include "parquet/nested_reader.h"

/* The slots of a node: whether each is null, where its elements begin. */
struct nested_slots {
	uint64_t *validity;
	uint32_t *offsets;	/* one more than there are slots */
	size_t capacity;	/* more than there are slots */
	bool has_nulls;
};

/* A wanted node that is being read; children as its source has them. */
struct nested_node {
	const struct nested_source *source;
	struct nested_node *children;
	size_t first_leaf;	/* of the leaves opened below it; at least */
	size_t leaf_count;	/* one, unless it is not in the file */
	struct vector values;
	struct nested_slots slots;	/* while it is assembled */
};

struct nested_assembly {
	struct nested_leaf **leaves;
	struct arena heap;	/* packed values */
	struct nested_slots check;	/* what another leaf says */
};

/*
 * Make node->values of `slots` values from the entries of the leaves.
 * ERROR_CORRUPT when leaves contradict each other.
 */
int nested_assemble(struct nested_assembly *assembly, struct nested_node *node,
		    size_t slots, struct error *err);
void nested_node_release(struct nested_node *node);
void nested_assembly_release(struct nested_assembly *assembly);
#endif
