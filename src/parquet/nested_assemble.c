/*
 * nested_assemble.c - levels and values of leaves back into packed values
 *
 * Why:    a batch has one vector a column; rows, lists and maps in it are
 *         packed values, made from vectors of what is in them.
 * How:    from the leaves up, column-wise. A node has a slot for each entry of
 *         a leaf below it whose repetition level begins it and whose
 *         definition level reaches the list around it; there, the definition
 *         level says whether it is null, and for a list whether it has an
 *         element. One leaf below a node tells its nulls and list lengths, the
 *         others must tell the same.
 * Cost:   1-2 ns an entry of each leaf and node above it, then the packing.
 */
#include "parquet/nested_assemble.h"

#include "parquet/nested_keys.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "nested column");
}

static int disagree(const struct nested_leaf *leaf, struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "the levels of column %s are not "
			 "those of its neighbours",
			 nested_leaf_column(leaf)->door.path);
}

void nested_node_release(struct nested_node *node)
{
	size_t count = node->source->type.field_count;

	for (size_t i = 0; node->children && i < count; i++)
		nested_node_release(&node->children[i]);
	mem_free(node->children);
	vector_release(&node->values);
	mem_free(node->validity);
	mem_free(node->offsets);
}

static int reserve(uint64_t **validity, uint32_t **offsets, size_t *capacity,
		   size_t count, struct error *err)
{
	uint64_t *bits;
	uint32_t *numbers;

	if (count < *capacity)
		return 0;
	count += count / 2 + 64;
	bits = mem_realloc_array(*validity, BITMAP_WORDS(count) + 1,
				 sizeof(*bits));
	if (bits)
		*validity = bits;
	numbers = mem_realloc_array(*offsets, count + 1, sizeof(*numbers));
	if (numbers)
		*offsets = numbers;
	if (!bits || !numbers)
		return no_memory(err);
	*capacity = count;
	return 0;
}

/*
 * What a leaf says of a ROW: a bit for each slot, true where it is not null.
 * Returns the number of slots; no more than `slots` bits are written.
 */
static size_t row_slots(const struct leaf_entries *entries,
			const struct parquet_node *node, uint64_t *validity,
			size_t slots, bool *has_nulls)
{
	size_t n = 0, valid = 0;

	for (size_t i = 0; i < entries->count; i++) {
		bool is_valid = entries->def[i] >= node->max_def;

		if (entries->rep[i] > node->rep ||
		    entries->def[i] < node->slot_def)
			continue;
		if (n < slots)
			bits_put(validity, n, is_valid);
		valid += is_valid;
		n++;
	}
	*has_nulls = valid < n;
	return n;
}

/* The same of an ARRAY or MAP, and where the elements of each begin. */
static size_t list_slots(const struct leaf_entries *entries,
			 const struct parquet_node *node, uint64_t *validity,
			 uint32_t *offsets, size_t slots, bool *has_nulls)
{
	size_t n = 0, valid = 0;
	uint32_t elements = 0;

	for (size_t i = 0; i < entries->count; i++) {
		uint8_t rep = entries->rep[i], def = entries->def[i];

		if (rep <= node->rep && def >= node->slot_def) {
			if (n < slots) {
				bits_put(validity, n, def >= node->max_def);
				offsets[n] = elements;
			}
			valid += def >= node->max_def;
			n++;
			elements += def >= node->list_def;
		} else if (rep == node->rep + 1) {
			elements++;
		}
	}
	if (n <= slots)
		offsets[n] = elements;
	*has_nulls = valid < n;
	return n;
}

static size_t node_slots(const struct leaf_entries *entries,
			 const struct parquet_node *node, uint64_t *validity,
			 uint32_t *offsets, size_t slots, bool *has_nulls)
{
	if (node->type.id == TYPE_ROW)
		return row_slots(entries, node, validity, slots, has_nulls);
	return list_slots(entries, node, validity, offsets, slots, has_nulls);
}

/* Nulls and lengths of the node, as all leaves below it tell them. */
static int find_slots(struct nested_assembly *assembly,
		      struct nested_node *node, size_t slots,
		      struct error *err)
{
	const struct parquet_node *place = node->source->node;
	bool is_list = place->type.id != TYPE_ROW, has_nulls;
	int rc;

	rc = reserve(&node->validity, &node->offsets, &node->capacity, slots,
		     err);
	if (!rc && node->leaf_count > 1)
		rc = reserve(&assembly->check_validity,
			     &assembly->check_offsets,
			     &assembly->check_capacity, slots, err);
	for (size_t i = 0; !rc && i < node->leaf_count; i++) {
		struct nested_leaf *leaf =
			assembly->leaves[node->first_leaf + i];
		uint64_t *bits = i ? assembly->check_validity : node->validity;
		uint32_t *offsets = i ? assembly->check_offsets
				      : node->offsets;

		bits[slots / 64] = 0;
		if (node_slots(nested_leaf_entries(leaf), place, bits, offsets,
			       slots, &has_nulls) != slots)
			return disagree(leaf, err);
		if (i == 0)
			node->has_nulls = has_nulls;
		else if (memcmp(bits, node->validity, slots / 64 * 8) ||
			 (slots % 64 && (bits[slots / 64] ^
					 node->validity[slots / 64]) &
						((UINT64_C(1) << slots % 64) -
						 1)) ||
			 (is_list && memcmp(offsets, node->offsets,
					    (slots + 1) * sizeof(*offsets))))
			return disagree(leaf, err);
	}
	return rc;
}

/* data[i] = the next dense value where validity has a one, else zero. */
#define SPREAD(type) \
	do { \
		const type *from = dense->data; \
		type *to = out->data, none; \
		memset(&none, 0, sizeof(none)); \
		for (size_t i = 0; i < slots; i++) \
			to[i] = bits_get(out->validity, i) ? *from++ : none; \
	} while (0)

static void spread(struct vector *out, const struct vector *dense,
		   size_t slots)
{
	switch (type_width(&out->type)) {
	case 1: SPREAD(uint8_t); break;
	case 4: SPREAD(uint32_t); break;
	case 8: SPREAD(uint64_t); break;
	default: SPREAD(int128_t); break;
	}
}

static int assemble_leaf(struct nested_assembly *assembly,
			 struct nested_node *node, size_t slots,
			 struct error *err)
{
	const struct nested_leaf *leaf = assembly->leaves[node->first_leaf];
	const struct leaf_entries *entries = nested_leaf_entries(leaf);
	struct vector *out = &node->values;
	bool has_nulls;
	int rc;

	vector_reset(out);
	if (!entries->has_nulls) {
		if (entries->count != slots)
			return disagree(leaf, err);
		vector_reference(out, &entries->values);
		return 0;
	}
	rc = vector_reserve(out, slots + 1, err);
	if (!rc)
		rc = vector_own_validity(out, err);
	if (rc)
		return rc;
	if (row_slots(entries, node->source->node, out->validity, slots,
		      &has_nulls) != slots)
		return disagree(leaf, err);
	out->count = slots;
	if (has_nulls) {
		spread(out, &entries->values, slots);
		return 0;
	}
	/* lists that are null or empty have no slot here */
	vector_reset(out);
	vector_reference(out, &entries->values);
	return 0;
}

static int assemble_row(struct nested_assembly *assembly,
			struct nested_node *node, size_t slots,
			struct error *err)
{
	size_t count = node->source->type.field_count;
	const struct vector **fields;
	int rc = 0;

	fields = mem_alloc_array(count + 1, sizeof(*fields));
	if (!fields)
		return no_memory(err);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = nested_assemble(assembly, &node->children[i], slots, err);
		fields[i] = &node->children[i].values;
	}
	if (!rc)
		rc = nested_pack_rows(&node->values, fields,
				      node->has_nulls ? node->validity : NULL,
				      slots, &assembly->heap, err);
	mem_free(fields);
	return rc;
}

static int pack_maps(struct nested_assembly *assembly,
		     struct nested_node *node, struct vector parts[2],
		     size_t slots, struct error *err)
{
	return nested_pack_maps(&node->values, &parts[0], &parts[1],
				node->offsets,
				node->has_nulls ? node->validity : NULL, slots,
				&assembly->heap, err);
}

static int assemble_map(struct nested_assembly *assembly,
			struct nested_node *node, size_t slots,
			struct error *err)
{
	struct vector parts[2] = { node->children[0].values,
				   node->children[1].values };
	int rc = pack_maps(assembly, node, parts, slots, err);

	if (rc != ERROR_BAD_ARGUMENT)
		return rc;
	/* a key is null, or there twice */
	rc = nested_keys_leave_last(parts, node->offsets, slots, err);
	node->children[0].values = parts[0];
	node->children[1].values = parts[1];
	return rc ? rc : pack_maps(assembly, node, parts, slots, err);
}

static int assemble_list(struct nested_assembly *assembly,
			 struct nested_node *node, size_t slots,
			 struct error *err)
{
	const uint64_t *validity = node->has_nulls ? node->validity : NULL;
	struct nested_node *children = node->children;
	size_t elements = node->offsets[slots];
	int rc = 0;

	for (size_t i = 0; !rc && i < node->source->type.field_count; i++)
		rc = nested_assemble(assembly, &children[i], elements, err);
	if (rc)
		return rc;
	if (node->source->type.id == TYPE_ARRAY)
		return nested_pack_lists(&node->values, &children[0].values,
					 node->offsets, validity, slots,
					 &assembly->heap, err);
	return assemble_map(assembly, node, slots, err);
}

int nested_assemble(struct nested_assembly *assembly, struct nested_node *node,
		    size_t slots, struct error *err)
{
	const struct nested_source *source = node->source;
	int rc;

	if (!source->node) {
		vector_reset(&node->values);
		return vector_fill(&node->values, &source->constant, slots,
				   err);
	}
	if (!type_is_nested(&source->type))
		return assemble_leaf(assembly, node, slots, err);
	rc = find_slots(assembly, node, slots, err);
	if (rc)
		return rc;
	vector_reset(&node->values);
	if (source->type.id == TYPE_ROW)
		return assemble_row(assembly, node, slots, err);
	return assemble_list(assembly, node, slots, err);
}
