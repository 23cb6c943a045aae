/*
 * nested_pack.c - fields and elements to packed values
 *
 * Why:    a nested value travels as one run of bytes (column/nested.h).
 * How:    the lengths of all values are summed up first, column by column,
 *         so that a vector of them is one piece of the heap. Then each field
 *         is put into all rows; lists are put one after the other, their
 *         elements lie side by side already. The bytes of views follow the
 *         slots, at a cursor per row.
 * Cost:   2 to 5 ns a value, 8 bytes of scratch a row; a map sorts its keys.
 * Limits: NESTED_BYTE_LIMIT bytes a value.
 */
#include "column/nested_layout.h"
#include "column/vector_compare.h"
#include "column/value_format.h"
#include <assert.h>
#include <inttypes.h>

/* Lists up to this length are sorted by insertion. */
#define INSERTION_LIMIT 16

struct packer {
	struct vector *out;
	const uint64_t *validity;	/* of the values, NULL = all */
	size_t count;
	uint64_t *cursor;		/* per value: its size; later where
					 * its next bytes go */
};

static inline bool is_packed(const struct packer *packer, size_t i)
{
	return !packer->validity || bits_get(packer->validity, i);
}

static int too_long(const struct packer *packer, struct error *err)
{
	char name[TYPE_NAME_BYTES];

	return error_set(err, ERROR_OVERFLOW,
			 "a value of type %s has more than %" PRIu64 " bytes",
			 type_name(&packer->out->type, name),
			 NESTED_BYTE_LIMIT);
}

static int packer_init(struct packer *packer, struct vector *out,
		       const uint64_t *validity, size_t count,
		       struct error *err)
{
	int rc;

	memset(packer, 0, sizeof(*packer));
	packer->out = out;
	packer->validity = validity;
	packer->count = count;
	vector_reset(out);
	rc = vector_reserve(out, count, err);
	if (rc)
		return rc;
	if (validity && bits_count(validity, count) != count) {
		rc = vector_own_validity(out, err);
		if (rc)
			return rc;
		memcpy(out->validity, validity,
		       BITMAP_WORDS(count) * sizeof(uint64_t));
	}
	packer->cursor = mem_zalloc_array(count ? count : 1,
					  sizeof(*packer->cursor));
	if (!packer->cursor)
		return error_set(err, ERROR_NO_MEMORY, "pack %zu values",
				 count);
	return 0;
}

static int packer_finish(struct packer *packer, int rc)
{
	mem_free(packer->cursor);
	if (rc)
		vector_reset(packer->out);
	else
		packer->out->count = packer->count;
	return rc;
}

/* cursor[i] is the size of value i: give each its bytes, all in one piece. */
static int allocate(struct packer *packer, struct arena *heap,
		    struct error *err)
{
	struct byte_view *views = vector_bytes(packer->out);
	size_t total = 0;
	uint8_t *at;

	for (size_t i = 0; i < packer->count; i++) {
		if (packer->cursor[i] > NESTED_BYTE_LIMIT)
			return too_long(packer, err);
		if (!size_add(total, packer->cursor[i], &total))
			return error_set(err, ERROR_NO_MEMORY,
					 "pack %zu values", packer->count);
	}
	at = arena_alloc_bytes(heap, total);
	if (!at)
		return error_set(err, ERROR_NO_MEMORY,
				 "%zu bytes of packed values", total);
	for (size_t i = 0; i < packer->count; i++) {
		views[i] = byte_view(is_packed(packer, i) ? at : NULL,
				     packer->cursor[i]);
		at += packer->cursor[i];
	}
	return 0;
}

/* The bytes of value i, to be written. */
static inline uint8_t *packed_at(const struct packer *packer, size_t i)
{
	/* allocate() has put them there from memory that may be written */
	return (uint8_t *)vector_bytes(packer->out)[i].data;
}

/* What the views first .. first + count - 1 hold; more than the limit is
 * cut to just above it, so that sums cannot wrap. */
static uint64_t sum_lengths(const struct vector *values, size_t first,
			    size_t count)
{
	const struct byte_view *view = vector_bytes(values);
	uint64_t sum = 0;

	for (size_t i = first; i < first + count; i++) {
		if (vector_is_null(values, i))
			continue;
		if (view[i].length > NESTED_BYTE_LIMIT)
			return NESTED_BYTE_LIMIT + 1;
		sum += view[i].length;
	}
	return sum;
}

static inline void put_view(uint8_t *base, uint8_t *slot,
			    struct byte_view view, uint64_t *cursor)
{
	store_u32(slot, (uint32_t)*cursor);
	store_u32(slot + sizeof(uint32_t), (uint32_t)view.length);
	if (view.length)
		memcpy(base + *cursor, view.data, view.length);
	*cursor += view.length;
}

#define PUT_FIELD(width) \
	do { \
		for (size_t i = 0; i < packer->count; i++) { \
			if (!is_packed(packer, i) || \
			    vector_is_null(values, i)) \
				continue; \
			presence_set(packed_at(packer, i), field); \
			memcpy(packed_at(packer, i) + offset, \
			       data + i * (width), (width)); \
		} \
	} while (0)

static void put_field(struct packer *packer, const struct vector *values,
		      size_t field, size_t offset)
{
	const uint8_t *data = values->data;

	switch (slot_width(&values->type)) {
	case 1:
		PUT_FIELD(1);
		break;
	case 4:
		PUT_FIELD(4);
		break;
	case 8:
		PUT_FIELD(8);
		break;
	default:
		PUT_FIELD(16);
		break;
	}
}

static void put_view_field(struct packer *packer, const struct vector *values,
			   size_t field, size_t offset)
{
	const struct byte_view *view = vector_bytes(values);

	for (size_t i = 0; i < packer->count; i++) {
		uint8_t *base;

		if (!is_packed(packer, i) || vector_is_null(values, i))
			continue;
		base = packed_at(packer, i);
		presence_set(base, field);
		put_view(base, base + offset, view[i], &packer->cursor[i]);
	}
}

/* cursor[i] = size of row i. */
static int measure_rows(struct packer *packer,
			const struct vector *const *fields, size_t head_bytes,
			struct error *err)
{
	const struct type *type = &packer->out->type;

	if (head_bytes > NESTED_BYTE_LIMIT)
		return too_long(packer, err);
	for (size_t i = 0; i < packer->count; i++)
		packer->cursor[i] = is_packed(packer, i) ? head_bytes : 0;
	for (size_t f = 0; f < type->field_count; f++) {
		if (!type_is_view(&type->fields[f].type))
			continue;
		for (size_t i = 0; i < packer->count; i++)
			if (is_packed(packer, i))
				packer->cursor[i] += sum_lengths(fields[f],
								 i, 1);
	}
	return 0;
}

int nested_pack_rows(struct vector *out, const struct vector *const *fields,
		     const uint64_t *validity, size_t count,
		     struct arena *heap, struct error *err)
{
	size_t field_count = out->type.field_count;
	size_t head_bytes = row_slot_offset(&out->type, field_count);
	size_t offset = presence_bytes(field_count);
	struct packer packer;
	int rc;

	assert(out->type.id == TYPE_ROW);
	rc = packer_init(&packer, out, validity, count, err);
	if (!rc)
		rc = measure_rows(&packer, fields, head_bytes, err);
	if (!rc)
		rc = allocate(&packer, heap, err);
	if (rc)
		return packer_finish(&packer, rc);
	for (size_t i = 0; i < count; i++) {
		if (is_packed(&packer, i))
			memset(packed_at(&packer, i), 0, head_bytes);
		packer.cursor[i] = head_bytes;
	}
	for (size_t f = 0; f < field_count; f++) {
		assert(type_width(&fields[f]->type) ==
		       type_width(&out->type.fields[f].type));
		if (type_is_view(&fields[f]->type))
			put_view_field(&packer, fields[f], f, offset);
		else
			put_field(&packer, fields[f], f, offset);
		offset += slot_width(&fields[f]->type);
	}
	return packer_finish(&packer, 0);
}

/* What lists are made of. */
struct list_parts {
	const struct vector *keys;	/* NULL for arrays */
	const struct vector *values;
	const uint32_t *offsets;
	uint32_t *order;		/* maps: room for the longest */
};

static size_t list_head_bytes(const struct list_parts *parts, size_t count)
{
	size_t width = slot_width(&parts->values->type);

	if (parts->keys)
		width += slot_width(&parts->keys->type) + sizeof(uint32_t);
	return NESTED_COUNT_BYTES + presence_bytes(count) + count * width;
}

static void measure_lists(struct packer *packer,
			  const struct list_parts *parts)
{
	const struct vector *keys = parts->keys, *values = parts->values;

	for (size_t i = 0; i < packer->count; i++) {
		size_t first = parts->offsets[i];
		size_t count = parts->offsets[i + 1] - first;
		uint64_t *size = &packer->cursor[i];

		if (!is_packed(packer, i))
			continue;
		*size = list_head_bytes(parts, count);
		if (type_is_view(&values->type))
			*size += sum_lengths(values, first, count);
		if (keys && type_is_view(&keys->type))
			*size += sum_lengths(keys, first, count);
	}
}

/* Slots of the values first .. first + count - 1, and their bytes. Nulls are
 * left out of presence (NULL = there are none). */
static void put_list(const struct vector *values, size_t first, size_t count,
		     uint8_t *base, uint8_t *slots, uint64_t *cursor)
{
	size_t width = slot_width(&values->type);
	bool is_view = type_is_view(&values->type);

	if (!is_view && count)
		memcpy(slots, (const uint8_t *)values->data + first * width,
		       count * width);
	for (size_t i = 0; i < count; i++, slots += width) {
		if (vector_is_null(values, first + i))
			memset(slots, 0, width);
		else if (is_view)
			put_view(base, slots,
				 vector_bytes(values)[first + i], cursor);
		else if (!values->validity)
			break;
	}
}

static void put_presence(const struct vector *values, size_t first,
			 size_t count, uint8_t *bits)
{
	if (!count)
		return;
	if (!values->validity) {
		memset(bits, 0xff, presence_bytes(count));
		if (count % 8)
			bits[count / 8] = (uint8_t)((1u << (count % 8)) - 1);
		return;
	}
	memset(bits, 0, presence_bytes(count));
	for (size_t i = 0; i < count; i++)
		if (!vector_is_null(values, first + i))
			presence_set(bits, i);
}

static bool key_before(const struct vector *keys, size_t first, uint32_t a,
		       uint32_t b)
{
	return vector_compare_values(keys, first + a, keys, first + b) < 0;
}

static void sift_down(const struct vector *keys, size_t first,
		      uint32_t *order, size_t at, size_t count)
{
	uint32_t moved = order[at];

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    key_before(keys, first, order[child], order[child + 1]))
			child++;
		if (!key_before(keys, first, moved, order[child]))
			break;
		order[at] = order[child];
	}
	order[at] = moved;
}

/* Entries of one map by ascending key. */
static void sort_keys(const struct vector *keys, size_t first,
		      uint32_t *order, size_t count)
{
	size_t sorted = 1;

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	while (sorted < count &&
	       !key_before(keys, first, (uint32_t)sorted,
			   (uint32_t)sorted - 1))
		sorted++;
	if (sorted >= count)
		return;
	if (count <= INSERTION_LIMIT) {
		for (size_t i = sorted; i < count; i++) {
			uint32_t moved = order[i];
			size_t at = i;

			for (; at && key_before(keys, first, moved,
						order[at - 1]); at--)
				order[at] = order[at - 1];
			order[at] = moved;
		}
		return;
	}
	for (size_t i = count / 2; i-- > 0;)
		sift_down(keys, first, order, i, count);
	for (size_t end = count - 1; end > 0; end--) {
		uint32_t greatest = order[0];

		order[0] = order[end];
		order[end] = greatest;
		sift_down(keys, first, order, 0, end);
	}
}

static int doubled_key(const struct vector *keys, size_t at,
		       struct error *err)
{
	struct text text = TEXT_INIT;

	format_value(keys, at, &text);
	error_set(err, ERROR_BAD_ARGUMENT, "a map has the key %.200s twice",
		  text.data ? text.data : "");
	text_release(&text);
	return ERROR_BAD_ARGUMENT;
}

/* No key is null, none is there twice; order is then by key. */
static int order_keys(const struct list_parts *parts, size_t first,
		      size_t count, struct error *err)
{
	const struct vector *keys = parts->keys;
	const uint32_t *order = parts->order;

	for (size_t i = 0; i < count; i++)
		if (vector_is_null(keys, first + i))
			return error_set(err, ERROR_BAD_ARGUMENT,
					 "a key of a map is null");
	sort_keys(keys, first, parts->order, count);
	for (size_t i = 1; i < count; i++)
		if (vector_compare_values(keys, first + order[i - 1], keys,
					  first + order[i]) == 0)
			return doubled_key(keys, first + order[i], err);
	return 0;
}

static int put_lists(struct packer *packer, const struct list_parts *parts,
		     struct error *err)
{
	for (size_t i = 0; i < packer->count; i++) {
		size_t first = parts->offsets[i];
		size_t count = parts->offsets[i + 1] - first;
		uint64_t cursor = list_head_bytes(parts, count);
		uint8_t *base, *slots;

		if (!is_packed(packer, i))
			continue;
		base = packed_at(packer, i);
		store_u32(base, (uint32_t)count);
		put_presence(parts->values, first, count,
			     base + NESTED_COUNT_BYTES);
		slots = base + NESTED_COUNT_BYTES + presence_bytes(count);
		if (parts->keys) {
			int rc = order_keys(parts, first, count, err);

			if (rc)
				return rc;
			put_list(parts->keys, first, count, base, slots,
				 &cursor);
			slots += count * slot_width(&parts->keys->type);
		}
		put_list(parts->values, first, count, base, slots, &cursor);
		if (parts->keys && count)
			memcpy(slots + count *
			       slot_width(&parts->values->type),
			       parts->order, count * sizeof(uint32_t));
	}
	return 0;
}

static int pack_lists(struct vector *out, const struct list_parts *parts,
		      const uint64_t *validity, size_t count,
		      struct arena *heap, struct error *err)
{
	struct packer packer;
	int rc;

	rc = packer_init(&packer, out, validity, count, err);
	if (!rc) {
		measure_lists(&packer, parts);
		rc = allocate(&packer, heap, err);
	}
	if (!rc)
		rc = put_lists(&packer, parts, err);
	return packer_finish(&packer, rc);
}

int nested_pack_lists(struct vector *out, const struct vector *elements,
		      const uint32_t *offsets, const uint64_t *validity,
		      size_t count, struct arena *heap, struct error *err)
{
	struct list_parts parts = { NULL, elements, offsets, NULL };

	assert(out->type.id == TYPE_ARRAY);
	assert(type_width(&elements->type) ==
	       type_width(&out->type.fields[0].type));
	return pack_lists(out, &parts, validity, count, heap, err);
}

int nested_pack_maps(struct vector *out, const struct vector *keys,
		     const struct vector *values, const uint32_t *offsets,
		     const uint64_t *validity, size_t count,
		     struct arena *heap, struct error *err)
{
	struct list_parts parts = { keys, values, offsets, NULL };
	size_t longest = 1;
	int rc;

	assert(out->type.id == TYPE_MAP);
	for (size_t i = 0; i < count; i++)
		if (offsets[i + 1] - offsets[i] > longest)
			longest = offsets[i + 1] - offsets[i];
	parts.order = mem_alloc_array(longest, sizeof(*parts.order));
	if (!parts.order) {
		vector_reset(out);
		return error_set(err, ERROR_NO_MEMORY, "pack %zu maps", count);
	}
	rc = pack_lists(out, &parts, validity, count, heap, err);
	mem_free(parts.order);
	return rc;
}
