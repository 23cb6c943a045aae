/*
 * nested_reader.c - a nested column of one row group, from its leaves
 *
 * Why:    a scan sees a column, the file has leaves, and of a table's column
 *         some fields may not be in the file at all.
 * How:    a reader for each leaf that is wanted; a node of which no leaf is
 *         wanted but that is in the file borrows one of its leaves for its
 *         levels. Then they are all taken to the same rows and assembled.
 * Limits: recursion is as deep as the wanted type, TYPE_NESTING_LIMIT.
 */
#include "parquet/nested_reader.h"

#include "parquet/nested_assemble.h"

struct nested_reader {
	const struct parquet_reader *reader;
	size_t group;
	struct nested_node root;
	struct nested_assembly assembly;
	size_t leaf_count;
	size_t leaf_capacity;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "nested column");
}

bool nested_kinds_fit(const struct type *type,
		      const struct parquet_node *node)
{
	if (type_is_nested(type) || type_is_nested(&node->type))
		return type->id == node->type.id;
	return true;
}

int nested_source_of_node(struct nested_source *out,
			  const struct parquet_node *node,
			  struct arena *arena, struct error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->type = node->type;
	out->constant = literal_null(node->type);
	out->node = node;
	out->children = arena_zalloc_array(arena, node->child_count + 1,
					   sizeof(*out->children));
	if (!out->children)
		return no_memory(err);
	for (size_t i = 0; !rc && i < node->child_count; i++)
		rc = nested_source_of_node(&out->children[i],
					   &node->children[i], arena, err);
	return rc;
}

static int open_leaf(struct nested_reader *nested, size_t leaf,
		     const struct type *want, struct error *err)
{
	struct nested_assembly *assembly = &nested->assembly;
	int rc;

	if (!mem_grow((void **)&assembly->leaves, &nested->leaf_capacity,
		      nested->leaf_count, sizeof(*assembly->leaves)))
		return no_memory(err);
	rc = nested_leaf_open(&assembly->leaves[nested->leaf_count],
			      nested->reader, nested->group, leaf, want, err);
	nested->leaf_count += !rc;
	return rc;
}

static int cannot_become(const struct nested_reader *nested,
			 const struct nested_source *source,
			 struct error *err)
{
	char have[TYPE_NAME_BYTES], want[TYPE_NAME_BYTES];

	return error_set(err, ERROR_UNSUPPORTED, "%s: Parquet column %s is %s "
			 "and cannot be read as %s",
			 parquet_reader_path(nested->reader),
			 source->node->name,
			 type_name(&source->node->type, have),
			 type_name(&source->type, want));
}

static int open_node(struct nested_reader *nested, struct nested_node *node,
		     const struct nested_source *source, struct error *err)
{
	const struct parquet_node *place = source->node;
	size_t count = source->type.field_count;
	int rc = 0;

	node->source = source;
	node->first_leaf = nested->leaf_count;
	vector_init(&node->values, source->type);
	if (!place)
		return 0;
	if (!nested_kinds_fit(&source->type, place))
		return cannot_become(nested, source, err);
	if (!type_is_nested(&source->type)) {
		rc = open_leaf(nested, place->first_leaf, &source->type, err);
	} else {
		node->children = mem_zalloc_array(count + 1,
						  sizeof(*node->children));
		if (!node->children)
			return no_memory(err);
		/* so that releasing finds them all */
		for (size_t i = 0; i < count; i++)
			node->children[i].source = &source->children[i];
		for (size_t i = 0; !rc && i < count; i++)
			rc = open_node(nested, &node->children[i],
				       &source->children[i], err);
		if (!rc && nested->leaf_count == node->first_leaf)
			rc = place->leaf_count
				     ? open_leaf(nested, place->first_leaf,
						 NULL, err)
				     : cannot_become(nested, source, err);
	}
	node->leaf_count = nested->leaf_count - node->first_leaf;
	return rc;
}

int nested_reader_open(struct nested_reader **out,
		       const struct parquet_reader *reader, size_t group,
		       const struct nested_source *source, struct error *err)
{
	struct nested_reader *nested = mem_zalloc(sizeof(*nested));
	int rc;

	*out = NULL;
	if (!nested)
		return no_memory(err);
	nested->reader = reader;
	nested->group = group;
	nested->root.source = source;
	arena_init(&nested->assembly.heap, 0);
	rc = open_node(nested, &nested->root, source, err);
	if (rc) {
		nested_reader_free(nested);
		return rc;
	}
	*out = nested;
	return 0;
}

void nested_reader_free(struct nested_reader *nested)
{
	struct nested_assembly *assembly;

	if (!nested)
		return;
	assembly = &nested->assembly;
	for (size_t i = 0; i < nested->leaf_count; i++)
		nested_leaf_free(assembly->leaves[i]);
	nested_assembly_release(assembly);
	nested_node_release(&nested->root);
	mem_free(nested);
}

static void begin(struct nested_reader *nested)
{
	arena_reset(&nested->assembly.heap);
	for (size_t i = 0; i < nested->leaf_count; i++)
		nested_leaf_begin(nested->assembly.leaves[i]);
}

static int assemble(struct nested_reader *nested, size_t count,
		    struct vector *out, struct error *err)
{
	int rc = nested_assemble(&nested->assembly, &nested->root, count, err);

	if (rc == ERROR_CORRUPT)
		error_prefix(err, "%s, row group %zu",
			     parquet_reader_path(nested->reader),
			     nested->group);
	if (!rc)
		vector_reference(out, &nested->root.values);
	return rc;
}

static void give(const struct nested_reader *nested, struct vector *out)
{
	const struct type *want = &nested->root.source->type;

	if (!type_equal(&out->type, want))
		vector_set_type(out, *want);
	else
		vector_reset(out);
}

int nested_reader_read(struct nested_reader *nested, uint64_t first,
		       size_t count, struct vector *out, struct error *err)
{
	give(nested, out);
	begin(nested);
	for (size_t i = 0; i < nested->leaf_count; i++) {
		int rc = nested_leaf_take(nested->assembly.leaves[i], first,
					  count, err);

		if (rc)
			return rc;
	}
	return assemble(nested, count, out, err);
}

/* Take the rows of one leaf, neighbours together. */
static int take_rows(struct nested_leaf *leaf, uint64_t first,
		     const uint32_t *rows, size_t count, struct error *err)
{
	size_t done = 0;
	int rc = 0;

	while (!rc && done < count) {
		size_t step = 1;

		while (done + step < count &&
		       rows[done + step] == rows[done] + step)
			step++;
		rc = nested_leaf_take(leaf, first + rows[done], step, err);
		done += step;
	}
	return rc;
}

int nested_reader_gather(struct nested_reader *nested, uint64_t first,
			 const uint32_t *rows, size_t count,
			 struct vector *out, struct error *err)
{
	give(nested, out);
	begin(nested);
	for (size_t i = 0; i < nested->leaf_count; i++) {
		int rc = take_rows(nested->assembly.leaves[i], first, rows,
				   count, err);

		if (rc)
			return rc;
	}
	return assemble(nested, count, out, err);
}

uint64_t nested_reader_pages_read(const struct nested_reader *nested)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < nested->leaf_count; i++)
		pages += nested_leaf_pages_read(nested->assembly.leaves[i]);
	return pages;
}

uint64_t nested_reader_bytes_read(const struct nested_reader *nested)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < nested->leaf_count; i++)
		bytes += nested_leaf_bytes_read(nested->assembly.leaves[i]);
	return bytes;
}
