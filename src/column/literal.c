/*
 * literal.c - one value of one type
 *
 * Why:    constants of a spec, bounds of a file and defaults of a column are
 *         single values; rows travel in vectors instead.
 * How:    a plain value with a type tag; bytes are borrowed.
 */
#include "column/literal.h"
#include "column/nested.h"
#include "column/value_order.h"

struct literal literal_null(struct type type)
{
	struct literal literal;

	memset(&literal, 0, sizeof(literal));
	literal.type = type;
	literal.is_null = true;
	return literal;
}

int literal_copy(struct literal *out, const struct literal *literal,
		 struct arena *arena, struct error *err)
{
	struct byte_view bytes = literal->value.bytes;
	const uint8_t *copy;

	*out = *literal;
	if (literal->is_null || !type_is_view(&literal->type))
		return 0;
	copy = bytes.length ? arena_alloc_bytes(arena, bytes.length)
			    : (uint8_t *)"";
	if (!copy) {
		*out = literal_null(literal->type);
		return error_set(err, ERROR_NO_MEMORY, "copy of a value");
	}
	if (bytes.length)
		memcpy((uint8_t *)copy, bytes.data, bytes.length);
	out->value.bytes = byte_view(copy, bytes.length);
	return 0;
}

int literal_compare(const struct literal *a, const struct literal *b)
{
	switch (a->type.id) {
	case TYPE_BOOLEAN:
		return order_i64(a->value.boolean, b->value.boolean);
	case TYPE_TINYINT:
	case TYPE_INTEGER:
	case TYPE_DATE:
		return order_i64(a->value.int32, b->value.int32);
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return order_i64(a->value.int64, b->value.int64);
	case TYPE_REAL:
		return order_f64(a->value.real, b->value.real);
	case TYPE_DOUBLE:
		return order_f64(a->value.real64, b->value.real64);
	case TYPE_DECIMAL:
		return order_i128(a->value.decimal, b->value.decimal);
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return order_bytes(a->value.bytes, b->value.bytes);
	case TYPE_UUID:
		return memcmp(a->value.uuid.bytes, b->value.uuid.bytes,
			      sizeof(a->value.uuid.bytes));
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return nested_compare(&a->type, a->value.bytes,
				      b->value.bytes);
	default:
		return 0;
	}
}
