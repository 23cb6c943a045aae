/*
 * parquet_tops.c - the columns of a file, flat or nested, and whether chunks
 * of ours may stand beside theirs
 *
 * Why:    who copies chunks does not care what is inside a nested column, only
 *         which leaves and schema elements are its own.
 * How:    the schema is a depth-first list: the elements of a column follow
 *         each other, and so do its leaves. The nodes of the tree are in the
 *         same order.
 */
#include "parquet/parquet_file.h"
#include "parquet/parquet_patch.h"
#include "parquet/write_schema.h"

/* Elements of the subtree that begins at element `first`. The tree was
 * checked when the file was opened. */
static size_t subtree(const struct file_metadata *metadata, size_t first)
{
	size_t pending = 1, at = first;

	while (pending && at < metadata->element_count) {
		const struct schema_element *element = &metadata->elements[at++];

		pending--;
		if (element->child_count > 0)
			pending += (size_t)element->child_count;
	}
	return at - first;
}

int parquet_tops(const struct parquet_reader *reader, struct arena *arena,
		 struct parquet_top **out, size_t *count_out,
		 struct error *err)
{
	const struct parquet_node *root = parquet_root(reader);
	size_t element = 1;

	*count_out = 0;
	*out = arena_zalloc_array(arena, root->child_count + 1, sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
	for (size_t i = 0; i < root->child_count; i++) {
		const struct parquet_node *node = &root->children[i];
		struct parquet_top *top = &(*out)[i];

		top->node = node;
		top->field_id = node->field_id;
		top->first_leaf = node->first_leaf;
		top->leaf_count = node->leaf_count;
		top->first_element = element;
		top->element_count = subtree(&reader->metadata, element);
		element += top->element_count;
	}
	*count_out = root->child_count;
	return 0;
}

uint64_t parquet_top_bytes(const struct parquet_reader *reader, size_t group,
			   const struct parquet_top *top)
{
	const struct row_group *rows = &reader->metadata.groups[group];
	uint64_t bytes = 0;

	for (size_t i = 0; rows->row_count && i < top->leaf_count; i++)
		bytes += (uint64_t)rows->columns[top->first_leaf + i]
				 .compressed_bytes;
	return bytes;
}

/* Does the annotation leave the values as they are when we write them? */
static bool is_own_annotation(const struct leaf_column *leaf)
{
	switch (leaf->logical.kind) {
	case LOGICAL_TIME:
	case LOGICAL_TIMESTAMP:
		return leaf->logical.unit == UNIT_MICROS;
	case LOGICAL_INTEGER:
		return leaf->logical.is_signed &&
		       leaf->logical.bit_width ==
			       (leaf->physical == PHYSICAL_INT32 ? 32 : 64);
	case LOGICAL_JSON:
	case LOGICAL_BSON:
	case LOGICAL_ENUM:
		return false;
	default:
		return true;
	}
}

static bool leaf_fits(const struct leaf_column *leaf, const struct type *type)
{
	struct storage storage;

	if (!leaf->has_type || !type_equal(&leaf->door.type, type) ||
	    parquet_storage_of(type, &storage, NULL))
		return false;
	return leaf->physical == storage.physical &&
	       (storage.physical != PHYSICAL_FIXED ||
		leaf->type_length == storage.width) &&
	       is_own_annotation(leaf);
}

/* Is a group or leaf below the column what we would write? */
static bool element_fits(const struct schema_element *old,
			 const struct schema_element *own)
{
	if ((old->type < 0) != (own->type < 0) ||
	    old->repetition != own->repetition ||
	    (own->child_count > 0 ? own->child_count : 0) !=
		    (old->child_count > 0 ? old->child_count : 0) ||
	    old->has_field_id != own->has_field_id ||
	    (own->has_field_id && old->field_id != own->field_id))
		return false;
	return own->type >= 0 || old->logical.kind == own->logical.kind ||
	       (old->logical.kind == LOGICAL_NONE &&
		old->converted_type == own->converted_type);
}

/* Is a nested column built as ours are, leaf for leaf? */
static int nested_fits(const struct parquet_reader *reader,
		       const struct parquet_top *top,
		       const struct column_def *column, bool *fits,
		       struct error *err)
{
	struct write_schema own;
	struct schema schema;
	struct arena arena;
	int rc;

	arena_init(&arena, 0);
	schema_init(&schema);
	rc = schema_add(&schema, column, err);
	if (!rc)
		rc = write_schema_make(&own, &schema, &arena, err);
	*fits = !rc && own.element_count - 1 == top->element_count &&
		own.leaf_count == top->leaf_count;
	for (size_t i = 0; *fits && i < top->element_count; i++)
		*fits = element_fits(&reader->metadata.elements[
					     top->first_element + i],
				     &own.elements[i + 1]);
	for (size_t i = 0; *fits && i < top->leaf_count; i++)
		*fits = leaf_fits(&reader->leaves[top->first_leaf + i],
				  &own.leaves[i].column.type);
	schema_release(&schema);
	arena_release(&arena);
	return rc;
}

int parquet_top_fits(const struct parquet_reader *reader,
		     const struct parquet_top *top,
		     const struct column_def *column, bool *fits,
		     bool *required, struct error *err)
{
	struct column_def own = *column;

	*fits = false;
	*required = own.required = top->node->required;
	if (*required && !column->required)
		return 0;	/* NULLs would have no level */
	if (type_is_nested(&column->type) != type_is_nested(&top->node->type))
		return 0;
	if (type_is_nested(&column->type))
		return nested_fits(reader, top, &own, fits, err);
	*fits = top->element_count == 1 && top->leaf_count == 1 &&
		leaf_fits(&reader->leaves[top->first_leaf], &column->type);
	return 0;
}

const char *parquet_patch_refusal(const struct parquet_reader *reader)
{
	const char *by = reader->metadata.created_by;

	if (!reader->has_field_ids)
		return "it has no field ids";
	/* their chunks may be longer than they say */
	if (by && !strncmp(by, "parquet-mr version 1.", 21) &&
	    by[21] >= '0' && by[21] <= '2' && by[22] == '.')
		return "it was written by an old parquet-mr";
	return NULL;
}
