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

static void slots_release(struct nested_slots *slots)
{
	mem_free(slots->validity);
	mem_free(slots->offsets);
}

void nested_assembly_release(struct nested_assembly *assembly)
{
	mem_free(assembly->leaves);
	slots_release(&assembly->check);
	arena_release(&assembly->heap);
}

void nested_node_release(struct nested_node *node)
{
	size_t count = node->source->type.field_count;

	for (size_t i = 0; node->children && i < count; i++)
		nested_node_release(&node->children[i]);
	mem_free(node->children);
	vector_release(&node->values);
	slots_release(&node->slots);
}

/* Have room for count slots. */
static int slots_reserve(struct nested_slots *slots, size_t count,
			 struct error *err)
{
	uint64_t *validity;
	uint32_t *offsets;

	if (count < slots->capacity)
		return 0;
	count += count / 2 + 64;
	validity = mem_realloc_array(slots->validity, BITMAP_WORDS(count) + 1,
				     sizeof(*validity));
	if (validity)
		slots->validity = validity;
	offsets = mem_realloc_array(slots->offsets, count + 1,
				    sizeof(*offsets));
	if (offsets)
		slots->offsets = offsets;
	if (!validity || !offsets)
		return no_memory(err);
	slots->capacity = count;
	return 0;
}

/*
 * What a leaf says of a node: which slots are not null and, of an ARRAY or
 * MAP, where the elements of each begin. Returns the number of slots; once
 * there are more than `limit` that is all it tells. Without branches, since
 * nulls and lengths come in no order.
 */
static size_t find_slots(const struct leaf_entries *entries,
			 const struct parquet_node *node, size_t limit,
			 struct nested_slots *out)
{
	bool is_list = node->type.id == TYPE_ARRAY ||
		       node->type.id == TYPE_MAP;
	uint8_t max_def = node->max_def, slot_def = node->slot_def;
	uint8_t list_def = is_list ? node->list_def : UINT8_MAX;
	uint8_t rep = node->rep;
	size_t n = 0, valid = 0;
	uint32_t elements = 0;
	uint64_t word = 0;

	for (size_t i = 0; i < entries->count && n <= limit; i++) {
		uint8_t r = entries->rep[i], def = entries->def[i];
		uint64_t is_slot = (r <= rep) & (def >= slot_def);
		uint64_t is_valid = is_slot & (def >= max_def);

		word |= is_valid << (n & 63);
		out->validity[n >> 6] = word;
		out->offsets[n] = elements;
		elements += is_list & ((is_slot & (def >= list_def)) |
				       (r == rep + 1));
		valid += is_valid;
		n += is_slot;
		/* begin the next word after its last bit */
		word &= (uint64_t)0 - !(is_slot & ((n & 63) == 0));
	}
	if (n <= limit)
		out->offsets[n] = elements;
	out->has_nulls = valid < n;
	return n;
}

static bool slots_same(const struct nested_slots *a,
		       const struct nested_slots *b, size_t count,
		       bool is_list)
{
	uint64_t rest = (UINT64_C(1) << count % 64) - 1;

	if (memcmp(a->validity, b->validity, count / 64 * 8) ||
	    (rest && ((a->validity[count / 64] ^ b->validity[count / 64]) &
		      rest)))
		return false;
	return !is_list || !memcmp(a->offsets, b->offsets,
				   (count + 1) * sizeof(*a->offsets));
}

/* Nulls and lengths of the node, as all leaves below it tell them. */
static int agree_on_slots(struct nested_assembly *assembly,
			  struct nested_node *node, size_t count,
			  struct error *err)
{
	const struct parquet_node *place = node->source->node;
	bool is_list = place->type.id != TYPE_ROW;
	int rc;

	rc = slots_reserve(&node->slots, count, err);
	if (!rc && node->leaf_count > 1)
		rc = slots_reserve(&assembly->check, count, err);
	for (size_t i = 0; !rc && i < node->leaf_count; i++) {
		struct nested_leaf *leaf =
			assembly->leaves[node->first_leaf + i];
		struct nested_slots *slots = i ? &assembly->check
					       : &node->slots;

		if (find_slots(nested_leaf_entries(leaf), place, count,
			       slots) != count ||
		    (i && !slots_same(slots, &node->slots, count, is_list)))
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
		for (size_t i = 0; i < slots; i++) { \
			bool valid = bits_get(validity, i); \
			type value = *from; \
			to[i] = valid ? value : none; \
			from += valid; \
		} \
	} while (0)

static void spread(struct vector *out, const struct vector *dense,
		   size_t slots)
{
	const uint64_t *validity = out->validity;

	if (dense->count == 0) {
		memset(out->data, 0, slots * type_width(&out->type));
		return;
	}
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
	int rc;

	vector_reset(out);
	if (!entries->has_nulls) {
		if (entries->count != slots)
			return disagree(leaf, err);
		vector_reference(out, &entries->values);
		return 0;
	}
	rc = slots_reserve(&node->slots, slots, err);
	if (rc)
		return rc;
	if (find_slots(entries, node->source->node, slots, &node->slots) !=
	    slots)
		return disagree(leaf, err);
	if (!node->slots.has_nulls) {
		/* lists that are null or empty have no slot here */
		vector_reference(out, &entries->values);
		return 0;
	}
	rc = vector_reserve(out, slots + 1, err);
	if (rc)
		return rc;
	out->count = slots;
	out->validity = node->slots.validity;
	spread(out, &entries->values, slots);
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
				      node->slots.has_nulls
					      ? node->slots.validity
					      : NULL,
				      slots, &assembly->heap, err);
	mem_free(fields);
	return rc;
}

static int pack_maps(struct nested_assembly *assembly,
		     struct nested_node *node, struct vector parts[2],
		     size_t slots, struct error *err)
{
	return nested_pack_maps(&node->values, &parts[0], &parts[1],
				node->slots.offsets,
				node->slots.has_nulls
					      ? node->slots.validity
					      : NULL, slots,
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
	rc = nested_keys_leave_last(parts, node->slots.offsets, slots, err);
	node->children[0].values = parts[0];
	node->children[1].values = parts[1];
	return rc ? rc : pack_maps(assembly, node, parts, slots, err);
}

static int assemble_list(struct nested_assembly *assembly,
			 struct nested_node *node, size_t slots,
			 struct error *err)
{
	const uint64_t *validity = node->slots.has_nulls
					      ? node->slots.validity
					      : NULL;
	struct nested_node *children = node->children;
	size_t elements = node->slots.offsets[slots];
	int rc = 0;

	for (size_t i = 0; !rc && i < node->source->type.field_count; i++)
		rc = nested_assemble(assembly, &children[i], elements, err);
	if (rc)
		return rc;
	if (node->source->type.id == TYPE_ARRAY)
		return nested_pack_lists(&node->values, &children[0].values,
					 node->slots.offsets, validity, slots,
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
	rc = agree_on_slots(assembly, node, slots, err);
	if (rc)
		return rc;
	vector_reset(&node->values);
	if (source->type.id == TYPE_ROW)
		return assemble_row(assembly, node, slots, err);
	return assemble_list(assembly, node, slots, err);
}
