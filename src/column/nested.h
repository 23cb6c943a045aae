#ifndef COLUMN_NESTED_H
#define COLUMN_NESTED_H
#include "column/vector.h"
#include "column/selection.h"

/*
 * Values of ROW, ARRAY and MAP. In a vector and in a literal such a value is
 * one struct byte_view: its packed form, which lies in an arena, a page or a
 * spill file like the bytes of text, so that gathering, storing, spilling and
 * passing it on needs to know nothing of what is inside. The packed form is
 * of this process and its spill files alone; no table has it.
 *
 *	ROW	presence bits of the fields, then one slot per field
 *	ARRAY	uint32 count, presence bits, one slot per element
 *	MAP	uint32 count, presence bits of the values, one slot per key,
 *		then one per value, in the order in which it was made, then
 *		one uint32 per entry: the entries by ascending key; keys are
 *		never null and no key is there twice
 *
 * Presence bits: bit i of byte i / 8 is set where value i is not null. A slot
 * holds type_width() bytes of the value, or for bytes and nested values uint32
 * offset (from the start of the packed value that has the slot, so that a
 * packed child is a sub-range of its parent) and uint32 length. Nothing is
 * aligned, numbers are as in memory; the slot of a null is zero. One value
 * is at most 2^31 - 1 bytes (ERROR_OVERFLOW).
 *
 * All work on whole vectors; a caller that needs a field of every row unpacks
 * a vector of it. Children borrow the bytes of their parents.
 */

/* Rows from the vectors of their fields (type->field_count, each of count
 * values). validity NULL = no row is null. Packed into heap. */
int nested_pack_rows(struct vector *out /* of the type, reset first */,
		     const struct vector *const *fields,
		     const uint64_t *validity, size_t count,
		     struct arena *heap, struct error *err);
/*
 * Lists: element j of list i is elements[offsets[i] + j], offsets has count +
 * 1 entries, ascending; those of a null list are equal. Maps: keys and values
 * the same way. ERROR_BAD_ARGUMENT names a key that is null or doubled.
 */
int nested_pack_lists(struct vector *out, const struct vector *elements,
		      const uint32_t *offsets, const uint64_t *validity,
		      size_t count, struct arena *heap, struct error *err);
int nested_pack_maps(struct vector *out, const struct vector *keys,
		     const struct vector *values, const uint32_t *offsets,
		     const uint64_t *validity, size_t count,
		     struct arena *heap, struct error *err);

/* Field `field` of every row as a vector of its type; NULL for a null row. */
int nested_unpack_rows(const struct vector *rows, size_t field,
		       struct vector *out, struct error *err);
/* The inverse of the two packers. offsets: room for count + 1. */
int nested_unpack_lists(const struct vector *lists, struct vector *elements,
			uint32_t *offsets, struct error *err);
int nested_unpack_maps(const struct vector *maps, struct vector *keys,
		       struct vector *values, uint32_t *offsets,
		       struct error *err);

/* One value; for slow paths. index below nested_count(). */
size_t nested_count(const struct type *type, struct byte_view packed);
struct literal nested_field(const struct type *type, struct byte_view packed,
			    size_t index);	/* ROW field, ARRAY element,
						 * MAP value */
struct literal nested_key(const struct type *type, struct byte_view packed,
			  size_t index);	/* MAP */

/* MAP: the entry that is index-th by ascending key; the entry of a key (not
 * null, compared as literal_compare()), SIZE_MAX = none, in log n steps. */
size_t nested_sorted_entry(const struct type *type, struct byte_view packed,
			   size_t index);
size_t nested_find_key(const struct type *type, struct byte_view packed,
		       const struct literal *key);

/*
 * Total order of two packed values, <0, 0, >0: fields and elements in turn
 * with null last, then the shorter first; a MAP by its entries sorted by key.
 * 0 is IS NOT DISTINCT FROM: NULL equals NULL, -0.0 equals 0.0, NaN equals
 * NaN. identical: bits instead, entries of a MAP in their order.
 */
int nested_compare(const struct type *type, struct byte_view a,
		   struct byte_view b);
bool nested_identical(const struct type *type, struct byte_view a,
		      struct byte_view b);
/* SQL's =: 1 true, 0 false, -1 unknown: nothing inside differs, but there is
 * a null. NaN equals nothing; keys of maps are found as nested_find_key(). */
int nested_equal_sql(const struct type *type, struct byte_view a,
		     struct byte_view b);
/* Hash that agrees with nested_compare() == 0. */
uint64_t nested_hash(const struct type *type, struct byte_view packed);

/*
 * As JSON text, appended: ROW an object in field order, ARRAY an array, MAP
 * an object with the keys as text; numbers as numbers (decimals exact, NaN
 * and infinities as strings), BOOLEAN as true and false, all other values as
 * strings as format_value() has them, NULL null.
 */
bool nested_format_json(const struct type *type, struct byte_view packed,
			struct text *out);
/* As SQL source: ROW(1, 'a'), ARRAY[1], MAP(ARRAY['k'], ARRAY[1]). */
bool nested_format_sql(const struct type *type, struct byte_view packed,
		       struct text *out);
#endif
