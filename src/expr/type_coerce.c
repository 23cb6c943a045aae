/*
 * type_coerce.c - which types meet, assign and cast
 *
 * Why:    one place says which conversions are implicit, which an assignment
 *         allows and which need a CAST; the binder and the function table
 *         both ask here.
 * How:    Trino's rules. Numbers form a line integer < bigint < decimal <
 *         real < double; an integer type meets a decimal as decimal(10,0) or
 *         decimal(19,0). Nested types of one kind go part by part; that a
 *         part is NOT NULL is checked by the cast, not here.
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

static bool unify(struct arena *arena, const struct type *a,
		  const struct type *b, struct type *out, unsigned depth);

/* Both are ROW, ARRAY or MAP of the same kind. */
static bool unify_fields(struct arena *arena, const struct type *left,
			 const struct type *right, struct type *out,
			 unsigned depth)
{
	/* out may be one of them */
	const struct type copies[2] = { *left, *right };
	const struct type *a = &copies[0], *b = &copies[1];

	if (a->field_count != b->field_count || depth >= TYPE_NESTING_LIMIT)
		return false;
	*out = *a;
	out->fields = arena_zalloc_array(arena, a->field_count,
					 sizeof(*out->fields));
	if (!out->fields)
		return false;
	for (size_t i = 0; i < a->field_count; i++) {
		const struct column_def *fa = &a->fields[i];
		const struct column_def *fb = &b->fields[i];
		struct column_def *field = &out->fields[i];

		if (!unify(arena, &fa->type, &fb->type, &field->type,
			   depth + 1))
			return false;
		field->name = *fa->name ? fa->name : fb->name;
		if (a->id == TYPE_ROW && *fa->name && *fb->name &&
		    !text_equal_nocase(fa->name, fb->name))
			field->name = (char *)(uintptr_t)"";
		field->required = fa->required && fb->required;
	}
	return true;
}

static bool unify(struct arena *arena, const struct type *a,
		  const struct type *b, struct type *out, unsigned depth)
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
	if (type_is_nested(a) && a->id == b->id && arena &&
	    unify_fields(arena, a, b, out, depth))
		return true;
	*out = type_of(TYPE_UNKNOWN);
	return false;
}

bool type_unify(struct arena *arena, const struct type *a,
		const struct type *b, struct type *out)
{
	return unify(arena, a, b, out, 0);
}

bool type_common(const struct type *a, const struct type *b,
		 struct type *out)
{
	if (type_is_nested(a) && a->id == b->id && !type_equal(a, b)) {
		bool fits = type_coerces(a, b) || type_coerces(b, a);

		*out = !fits ? type_of(TYPE_UNKNOWN)
			     : type_coerces(a, b) ? *b : *a;
		return fits;
	}
	return type_unify(NULL, a, b, out);
}

/* Does the rule hold for all that two nested types of one kind consist of? */
static bool all_fields(const struct type *from, const struct type *to,
		       bool (*rule)(const struct type *from,
				    const struct type *to))
{
	if (from->field_count != to->field_count)
		return false;
	for (size_t i = 0; i < from->field_count; i++)
		if (!rule(&from->fields[i].type, &to->fields[i].type))
			return false;
	return true;
}

static bool both_nested(const struct type *from, const struct type *to)
{
	return type_is_nested(from) && from->id == to->id;
}

bool type_has_unknown(const struct type *type)
{
	if (!type_is_nested(type))
		return type->id == TYPE_UNKNOWN;
	for (size_t i = 0; i < type->field_count; i++)
		if (type_has_unknown(&type->fields[i].type))
			return true;
	return false;
}

bool type_array_of(struct arena *arena, const struct type *element,
		   struct type *out)
{
	*out = type_of(TYPE_ARRAY);
	out->fields = arena ? arena_zalloc(arena, sizeof(*out->fields)) : NULL;
	if (!out->fields)
		return false;
	out->field_count = 1;
	out->fields[0].name = (char *)(uintptr_t)"element";
	out->fields[0].type = *element;
	return true;
}

bool type_map_of(struct arena *arena, const struct type *key,
		 const struct type *value, struct type *out)
{
	*out = type_of(TYPE_MAP);
	out->fields = arena ? arena_zalloc_array(arena, 2,
						 sizeof(*out->fields)) : NULL;
	if (!out->fields)
		return false;
	out->field_count = 2;
	out->fields[0].name = (char *)(uintptr_t)"key";
	out->fields[0].type = *key;
	out->fields[0].required = true;
	out->fields[1].name = (char *)(uintptr_t)"value";
	out->fields[1].type = *value;
	return true;
}

bool type_coerces(const struct type *from, const struct type *to)
{
	struct type common;

	if (to->id == TYPE_UNKNOWN)
		return from->id == TYPE_UNKNOWN;
	if (both_nested(from, to))
		return all_fields(from, to, type_coerces);
	return type_common(from, to, &common) && type_equal(&common, to);
}

bool type_assignable(const struct type *from, const struct type *to)
{
	if (both_nested(from, to))
		return all_fields(from, to, type_assignable);
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
	if (both_nested(from, to))
		return all_fields(from, to, type_castable);
	return (cast_targets(from->id) >> to->id) & 1;
}

bool type_is_orderable(const struct type *type)
{
	if (type->id == TYPE_MAP)
		return false;
	for (size_t i = 0; i < type->field_count; i++)
		if (!type_is_orderable(&type->fields[i].type))
			return false;
	return true;
}
