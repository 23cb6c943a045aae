/*
 * nested_compare.c - order, equality and hash of packed values
 *
 * Why:    keys of joins, IS DISTINCT FROM and updates that change nothing.
 * How:    field by field as literals, recursively; a map goes by its entries
 *         in the order of their keys, which its packed form has. Identical
 *         values need no look inside: their bytes are the same.
 * Cost:   about 20 ns a leaf. Recursion is as deep as the type is.
 */
#include "column/nested_layout.h"
#include "column/vector_hash.h"
#include "column/value_order.h"

static int order_values(const struct literal *a, const struct literal *b)
{
	if (a->is_null || b->is_null)
		return a->is_null - b->is_null;
	return literal_compare(a, b);
}

static int compare_entries(const struct type *type, struct byte_view a,
			   struct byte_view b, size_t index)
{
	size_t i = nested_sorted_entry(type, a, index);
	size_t j = nested_sorted_entry(type, b, index);
	struct literal left = nested_key(type, a, i);
	struct literal right = nested_key(type, b, j);
	int order = literal_compare(&left, &right);

	if (order)
		return order;
	left = nested_field(type, a, i);
	right = nested_field(type, b, j);
	return order_values(&left, &right);
}

int nested_compare(const struct type *type, struct byte_view a,
		   struct byte_view b)
{
	size_t a_count = nested_count(type, a), b_count = nested_count(type, b);
	size_t both = a_count < b_count ? a_count : b_count;
	size_t a_at = 0, b_at = 0;

	for (size_t i = 0; i < both; i++) {
		struct literal left, right;
		int order;

		if (type->id == TYPE_MAP) {
			order = compare_entries(type, a, b, i);
		} else {
			left = nested_walk(type, a, i, &a_at);
			right = nested_walk(type, b, i, &b_at);
			order = order_values(&left, &right);
		}
		if (order)
			return order;
	}
	return (a_count > b_count) - (a_count < b_count);
}

bool nested_identical(const struct type *type, struct byte_view a,
		      struct byte_view b)
{
	return byte_view_equal(a, b);
}

/* SQL's = of two values: NaN equals nothing, null is unknown. */
static int equal_sql(const struct literal *a, const struct literal *b)
{
	if (a->is_null || b->is_null)
		return -1;
	switch (a->type.id) {
	case TYPE_REAL:
		return a->value.real == b->value.real;
	case TYPE_DOUBLE:
		return a->value.real64 == b->value.real64;
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return nested_equal_sql(&a->type, a->value.bytes,
					b->value.bytes);
	default:
		return literal_compare(a, b) == 0;
	}
}

int nested_equal_sql(const struct type *type, struct byte_view a,
		     struct byte_view b)
{
	size_t count = nested_count(type, a), a_at = 0, b_at = 0;
	int result = 1;

	if (count != nested_count(type, b))
		return 0;
	for (size_t i = 0; i < count; i++) {
		size_t j = i;
		struct literal left, right;
		int equal;

		if (type->id == TYPE_MAP) {
			left = nested_key(type, a, i);
			j = nested_find_key(type, b, &left);
			if (j == SIZE_MAX)
				return 0;
		}
		left = nested_walk(type, a, i, &a_at);
		right = nested_walk(type, b, j, &b_at);
		equal = equal_sql(&left, &right);
		if (equal == 0)
			return 0;
		if (equal < 0)
			result = -1;
	}
	return result;
}

/* Combine a value, null or not, with what hash has. */
static void hash_literal(const struct literal *value, uint64_t *hash)
{
	const struct selection one_row = { NULL, 1 };
	uint64_t none_valid = 0;
	_Alignas(16) uint8_t data[16] = { 0 };
	struct vector one;

	vector_init(&one, value->type);
	one.count = 1;
	one.data = data;
	if (value->is_null)
		one.validity = &none_valid;
	else
		literal_to_data(value, data);
	vector_hash(&one, &one_row, false, hash);
}

uint64_t nested_hash(const struct type *type, struct byte_view packed)
{
	size_t count = nested_count(type, packed), at = 0;
	uint64_t hash = hash_word(count + 1);

	for (size_t i = 0; i < count; i++) {
		size_t entry = i;
		struct literal value;

		if (type->id == TYPE_MAP) {
			entry = nested_sorted_entry(type, packed, i);
			value = nested_key(type, packed, entry);
			hash_literal(&value, &hash);
		}
		value = nested_walk(type, packed, entry, &at);
		hash_literal(&value, &hash);
	}
	return hash;
}
