/*
 * nested_unpack.c - packed values to their fields and elements
 *
 * Why:    expressions, files and text want the leaves of nested values.
 * How:    a field is one loop per slot width over all rows; where a row is
 *         null the loop reads zeroes instead, so it has no branch but that.
 *         Elements of a list are copied as one run. Views point into the
 *         packed bytes.
 * Cost:   1 to 3 ns a value.
 */
#include "column/nested_layout.h"
#include <assert.h>
#include <inttypes.h>

static const uint8_t zeroes[16];

#define TAKE_FIELD(width) \
	do { \
		for (size_t i = 0; i < rows->count; i++) { \
			const uint8_t *from = vector_is_null(rows, i) \
				? zeroes : packed[i].data + offset; \
 \
			memcpy(to + i * (width), from, (width)); \
		} \
	} while (0)

static void take_field(const struct vector *rows, size_t offset,
		       struct vector *out)
{
	const struct byte_view *packed = vector_bytes(rows);
	uint8_t *to = out->data;

	switch (type_width(&out->type)) {
	case 1:
		TAKE_FIELD(1);
		break;
	case 4:
		TAKE_FIELD(4);
		break;
	case 8:
		TAKE_FIELD(8);
		break;
	default:
		TAKE_FIELD(16);
		break;
	}
}

static void take_view_field(const struct vector *rows, size_t offset,
			    struct vector *out)
{
	const struct byte_view *packed = vector_bytes(rows);
	struct byte_view *to = vector_bytes(out);

	for (size_t i = 0; i < rows->count; i++)
		to[i] = vector_is_null(rows, i)
			? byte_view(NULL, 0)
			: slot_view(packed[i].data, packed[i].data + offset);
}

/* Which rows have the field; no bitmap if all have. */
static int take_presence(const struct vector *rows, size_t field,
			 struct vector *out, struct error *err)
{
	const struct byte_view *packed = vector_bytes(rows);
	bool any_null = false;
	int rc;

	rc = vector_own_validity(out, err);
	if (rc)
		return rc;
	for (size_t first = 0; first < rows->count; first += 64) {
		size_t count = rows->count - first < 64 ? rows->count - first
							: 64;
		uint64_t word = 0;

		for (size_t i = 0; i < count; i++)
			if (!vector_is_null(rows, first + i))
				word |= (uint64_t)presence_get(
					packed[first + i].data, field) << i;
		out->validity[first / 64] = word;
		any_null |= word != (count < 64 ? (UINT64_C(1) << count) - 1
						: ~UINT64_C(0));
	}
	if (!any_null)
		out->validity = NULL;
	return 0;
}

int nested_unpack_rows(const struct vector *rows, size_t field,
		       struct vector *out, struct error *err)
{
	size_t offset = row_slot_offset(&rows->type, field);
	int rc;

	assert(rows->type.id == TYPE_ROW && field < rows->type.field_count);
	vector_set_type(out, rows->type.fields[field].type);
	rc = vector_reserve(out, rows->count, err);
	if (!rc)
		rc = take_presence(rows, field, out, err);
	if (rc) {
		vector_reset(out);
		return rc;
	}
	if (type_is_view(&out->type))
		take_view_field(rows, offset, out);
	else
		take_field(rows, offset, out);
	out->count = rows->count;
	return 0;
}

/* offsets of all lists; the elements counted. */
static int take_offsets(const struct vector *lists, uint32_t *offsets,
			struct error *err)
{
	const struct byte_view *packed = vector_bytes(lists);
	uint64_t total = 0;

	offsets[0] = 0;
	for (size_t i = 0; i < lists->count; i++) {
		if (!vector_is_null(lists, i))
			total += load_u32(packed[i].data);
		if (total > UINT32_MAX)
			return error_set(err, ERROR_OVERFLOW,
					 "the lists of a batch have more than "
					 "%" PRIu32 " elements", UINT32_MAX);
		offsets[i + 1] = (uint32_t)total;
	}
	return 0;
}

/* Slots of one list to the values first .. first + count - 1 of out. */
static void take_slots(struct vector *out, size_t first, size_t count,
		       const uint8_t *base, const uint8_t *slots)
{
	size_t width = type_width(&out->type);
	struct byte_view *view = vector_bytes(out) + first;

	if (count == 0)
		return;
	if (!type_is_view(&out->type)) {
		memcpy((uint8_t *)out->data + first * width, slots,
		       count * width);
		return;
	}
	for (size_t i = 0; i < count; i++)
		view[i] = slot_view(base, slots + i * NESTED_VIEW_BYTES);
}

/* Mark what is missing; out has its count already. */
static int take_list_presence(struct vector *out, size_t first, size_t count,
			      const uint8_t *presence, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		int rc;

		if (i % 8 == 0 && presence[i / 8] == 0xff) {
			i += 7;
			continue;
		}
		if (presence_get(presence, i))
			continue;
		rc = vector_set_null(out, first + i, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int prepare_values(struct vector *out, struct type type,
			  size_t count, struct error *err)
{
	int rc;

	vector_set_type(out, type);
	rc = vector_reserve(out, count, err);
	if (!rc)
		out->count = count;
	return rc;
}

static int unpack_lists(const struct vector *lists, struct vector *keys,
			struct vector *values, uint32_t *offsets,
			struct error *err)
{
	const struct type *type = &lists->type;
	int rc = take_offsets(lists, offsets, err);

	if (!rc && keys)
		rc = prepare_values(keys, type->fields[0].type,
				    offsets[lists->count], err);
	if (!rc)
		rc = prepare_values(values, *list_value_type(type),
				    offsets[lists->count], err);
	for (size_t i = 0; i < lists->count && !rc; i++) {
		struct list_view list;

		if (vector_is_null(lists, i))
			continue;
		list = list_view(type, vector_bytes(lists)[i]);
		take_slots(values, offsets[i], list.count, list.base,
			   list.values);
		if (keys)
			take_slots(keys, offsets[i], list.count, list.base,
				   list.keys);
		rc = take_list_presence(values, offsets[i], list.count,
					list.presence, err);
	}
	if (!rc)
		return 0;
	if (keys)
		vector_reset(keys);
	vector_reset(values);
	return rc;
}

int nested_unpack_lists(const struct vector *lists, struct vector *elements,
			uint32_t *offsets, struct error *err)
{
	assert(lists->type.id == TYPE_ARRAY);
	return unpack_lists(lists, NULL, elements, offsets, err);
}

int nested_unpack_maps(const struct vector *maps, struct vector *keys,
		       struct vector *values, uint32_t *offsets,
		       struct error *err)
{
	assert(maps->type.id == TYPE_MAP);
	return unpack_lists(maps, keys, values, offsets, err);
}

size_t nested_count(const struct type *type, struct byte_view packed)
{
	return type->id == TYPE_ROW ? type->field_count
				    : load_u32(packed.data);
}

/* A slot as a literal, by way of a vector of one value. */
static struct literal take_slot(const struct type *type, const uint8_t *base,
				const uint8_t *slot)
{
	_Alignas(16) uint8_t data[16];
	struct vector one;

	vector_init(&one, *type);
	one.count = 1;
	one.data = data;
	if (type_is_view(type)) {
		struct byte_view view = slot_view(base, slot);

		memcpy(data, &view, sizeof(view));
	} else {
		memcpy(data, slot, type_width(type));
	}
	return vector_get(&one, 0);
}

static struct literal take_row_field(const struct type *type,
				     struct byte_view packed, size_t index,
				     size_t offset)
{
	const struct type *field = &type->fields[index].type;

	if (!presence_get(packed.data, index))
		return literal_null(*field);
	return take_slot(field, packed.data, packed.data + offset);
}

struct literal nested_walk(const struct type *type, struct byte_view packed,
			   size_t index, size_t *offset)
{
	size_t at = *offset;

	if (type->id != TYPE_ROW)
		return nested_field(type, packed, index);
	if (index == 0)
		at = presence_bytes(type->field_count);
	*offset = at + slot_width(&type->fields[index].type);
	return take_row_field(type, packed, index, at);
}

struct literal nested_field(const struct type *type, struct byte_view packed,
			    size_t index)
{
	const struct type *value_type;
	struct list_view list;

	if (type->id == TYPE_ROW)
		return take_row_field(type, packed, index,
				      row_slot_offset(type, index));
	value_type = list_value_type(type);
	list = list_view(type, packed);
	if (!presence_get(list.presence, index))
		return literal_null(*value_type);
	return take_slot(value_type, list.base, list.values +
			 index * slot_width(value_type));
}

struct literal nested_key(const struct type *type, struct byte_view packed,
			  size_t index)
{
	struct list_view list = list_view(type, packed);
	const struct type *key_type = &type->fields[0].type;

	return take_slot(key_type, list.base,
			 list.keys + index * slot_width(key_type));
}

size_t nested_sorted_entry(const struct type *type, struct byte_view packed,
			   size_t index)
{
	struct list_view list = list_view(type, packed);

	return load_u32(list.order + index * sizeof(uint32_t));
}

size_t nested_find_key(const struct type *type, struct byte_view packed,
		       const struct literal *key)
{
	size_t low = 0, high = nested_count(type, packed);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		size_t entry = nested_sorted_entry(type, packed, middle);
		struct literal found = nested_key(type, packed, entry);
		int order = literal_compare(&found, key);

		if (order == 0)
			return entry;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}
