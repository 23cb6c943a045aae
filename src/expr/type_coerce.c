/*
 * type_coerce.c - which types meet, assign and cast
 *
 * Why:    one place says which conversions are implicit, which an assignment
 *         allows and which need a CAST; the binder and the function table
 *         both ask here.
 * How:    Trino's rules. Numbers form a line integer < bigint < decimal <
 *         real < double; an integer type meets a decimal as decimal(10,0) or
 *         decimal(19,0).
 */
#include "expr/function_table.h"
#include "expr/type_coerce.h"

struct type type_as_decimal(const struct type *type)
{
	switch (type->id) {
	case TYPE_TINYINT:
		return type_decimal(3, 0);
	case TYPE_INTEGER:
		return type_decimal(10, 0);
	case TYPE_BIGINT:
		return type_decimal(19, 0);
	default:
		return *type;
	}
}

static struct type common_decimal(struct type a, struct type b)
{
	unsigned scale = a.scale > b.scale ? a.scale : b.scale;
	unsigned digits_a = a.precision - a.scale;
	unsigned digits_b = b.precision - b.scale;
	unsigned precision = (digits_a > digits_b ? digits_a : digits_b) +
			     scale;

	if (precision > DECIMAL_MAX_PRECISION)
		precision = DECIMAL_MAX_PRECISION;
	return type_decimal(precision, scale);
}

static bool common_number(const struct type *a, const struct type *b,
			  struct type *out)
{
	if (a->id == TYPE_DOUBLE || b->id == TYPE_DOUBLE)
		*out = type_of(TYPE_DOUBLE);
	else if (a->id == TYPE_REAL || b->id == TYPE_REAL)
		*out = type_of(TYPE_REAL);
	else if (a->id == TYPE_DECIMAL || b->id == TYPE_DECIMAL)
		*out = common_decimal(type_as_decimal(a), type_as_decimal(b));
	else
		*out = *(a->id > b->id ? a : b);
	return true;
}

static int time_rank(const struct type *type)
{
	switch (type->id) {
	case TYPE_DATE:
		return 1;
	case TYPE_TIMESTAMP:
		return 2;
	case TYPE_TIMESTAMP_TZ:
		return 3;
	default:
		return 0;
	}
}

bool type_common(const struct type *a, const struct type *b,
		 struct type *out)
{
	if (type_equal(a, b) || b->id == TYPE_UNKNOWN) {
		*out = *a;
		return true;
	}
	if (a->id == TYPE_UNKNOWN) {
		*out = *b;
		return true;
	}
	if (type_is_numeric(a) && type_is_numeric(b))
		return common_number(a, b, out);
	if (time_rank(a) && time_rank(b)) {
		*out = time_rank(a) > time_rank(b) ? *a : *b;
		return true;
	}
	if ((a->id == TYPE_FIXED || a->id == TYPE_VARBINARY) &&
	    (b->id == TYPE_FIXED || b->id == TYPE_VARBINARY)) {
		*out = type_of(TYPE_VARBINARY);
		return true;
	}
	*out = type_of(TYPE_UNKNOWN);
	return false;
}

bool type_coerces(const struct type *from, const struct type *to)
{
	struct type common;

	if (to->id == TYPE_UNKNOWN)
		return from->id == TYPE_UNKNOWN;
	return type_common(from, to, &common) && type_equal(&common, to);
}

bool type_assignable(const struct type *from, const struct type *to)
{
	if (type_coerces(from, to))
		return true;
	if (type_is_numeric(from) && type_is_numeric(to))
		return true;
	return from->id == TYPE_VARBINARY && to->id == TYPE_FIXED;
}

/* What a type converts to besides itself, as a set of bits. */
static uint32_t cast_targets(enum type_id from)
{
	const uint32_t numbers = 1u << TYPE_TINYINT | 1u << TYPE_INTEGER |
				 1u << TYPE_BIGINT | 1u << TYPE_REAL |
				 1u << TYPE_DOUBLE | 1u << TYPE_DECIMAL;
	const uint32_t text = 1u << TYPE_VARCHAR;
	const uint32_t times = 1u << TYPE_DATE | 1u << TYPE_TIME |
			       1u << TYPE_TIMESTAMP | 1u << TYPE_TIMESTAMP_TZ;
	const uint32_t binary = 1u << TYPE_VARBINARY | 1u << TYPE_FIXED;

	switch (from) {
	case TYPE_UNKNOWN:
		return UINT32_MAX;
	case TYPE_BOOLEAN:
	case TYPE_TINYINT:
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_REAL:
	case TYPE_DOUBLE:
	case TYPE_DECIMAL:
		return numbers | text | 1u << TYPE_BOOLEAN;
	case TYPE_DATE:
		return text | (times & ~(1u << TYPE_TIME));
	case TYPE_TIME:
		return text | (times & ~(1u << TYPE_DATE));
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return text | times;
	case TYPE_VARCHAR:
		return numbers | text | times | 1u << TYPE_BOOLEAN |
		       1u << TYPE_VARBINARY | 1u << TYPE_UUID;
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return binary | 1u << TYPE_UUID;
	case TYPE_UUID:
		return text | binary;
	default:
		return 0;
	}
}

bool type_castable(const struct type *from, const struct type *to)
{
	if (type_equal(from, to))
		return true;
	if (to->id == TYPE_UNKNOWN)
		return false;
	return (cast_targets(from->id) >> to->id) & 1;
}

bool type_is_comparable(const struct type *type)
{
	return !type_is_nested(type);
}
