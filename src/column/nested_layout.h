#ifndef COLUMN_NESTED_LAYOUT_H
#define COLUMN_NESTED_LAYOUT_H
#include "column/schema.h"
#include "column/nested.h"

/*
 * The packed form of column/nested.h, for this room's nested_*.c only.
 *
 *	ROW	offset		size			what
 *		0		(fields + 7) / 8	presence bits
 *		...		slot width of each	slots of the fields
 *	ARRAY	0		4			count n
 *		4		(n + 7) / 8		presence bits
 *		...		n * slot width		slots
 *	MAP	0		4			count n
 *		4		(n + 7) / 8		presence bits of values
 *		...		n * slot width		slots of the keys
 *		...		n * slot width		slots of the values
 *		...		n * 4			entries by ascending key
 *
 * then the bytes of the values that are views, in the order of their slots,
 * without gaps: equal values that were made alike are equal bytes.
 */
#define NESTED_BYTE_LIMIT ((uint64_t)INT32_MAX)
#define NESTED_COUNT_BYTES sizeof(uint32_t)
/* Slot of a view: uint32 offset in the packed value, uint32 length. */
#define NESTED_VIEW_BYTES (2 * sizeof(uint32_t))

static inline size_t presence_bytes(size_t count)
{
	return (count + 7) / 8;
}

static inline bool presence_get(const uint8_t *bits, size_t i)
{
	return (bits[i / 8] >> (i % 8)) & 1;
}

static inline void presence_set(uint8_t *bits, size_t i)
{
	bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << (i % 8));
}

static inline uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline void store_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline size_t slot_width(const struct type *type)
{
	return type_is_view(type) ? NESTED_VIEW_BYTES : type_width(type);
}

static inline struct byte_view slot_view(const uint8_t *base,
					 const uint8_t *slot)
{
	return byte_view(base + load_u32(slot),
			 load_u32(slot + sizeof(uint32_t)));
}

/* Where the slot of a ROW's field is. */
static inline size_t row_slot_offset(const struct type *type, size_t field)
{
	size_t offset = presence_bytes(type->field_count);

	for (size_t i = 0; i < field; i++)
		offset += slot_width(&type->fields[i].type);
	return offset;
}

/* An ARRAY or a MAP taken apart. */
struct list_view {
	const uint8_t *base;
	size_t count;
	const uint8_t *presence;
	const uint8_t *keys;	/* slots; NULL for an ARRAY */
	const uint8_t *values;
	const uint8_t *order;	/* MAP: count uint32 */
};

static inline struct list_view list_view(const struct type *type,
					 struct byte_view packed)
{
	struct list_view list = { .base = packed.data };

	list.count = load_u32(packed.data);
	list.presence = packed.data + NESTED_COUNT_BYTES;
	list.values = list.presence + presence_bytes(list.count);
	if (type->id != TYPE_MAP)
		return list;
	list.keys = list.values;
	list.values += list.count * slot_width(&type->fields[0].type);
	list.order = list.values +
		     list.count * slot_width(&type->fields[1].type);
	return list;
}

/*
 * nested_field() of 0, 1, 2 and so on, in turn: *offset is 0 before the first,
 * then where the next slot of a ROW is, so that a wide one is not counted
 * through again for each field.
 */
struct literal nested_walk(const struct type *type, struct byte_view packed,
			   size_t index, size_t *offset);

/* The value type of a list: element or value. */
static inline const struct type *list_value_type(const struct type *type)
{
	return &type->fields[type->id == TYPE_MAP].type;
}
#endif
