/*
 * kernel_cast.c - CAST and TRY_CAST between numbers, and which kernel casts
 *
 * Why:    exact or refused: a number that does not fit its new type is an
 *         error (or NULL for TRY_CAST), a half rounds away from zero.
 * How:    the conversions that a join key or a sum meets every day have
 *         loops of their own; the rest goes row by row through one exact
 *         value (128 bits and a scale) or one double.
 * Cost:   about 1 ns a row for the former, 5-50 ns for the latter.
 */
/* Loops over flat arrays; -O2 alone leaves them scalar. */
#pragma GCC optimize("O3")
#include <math.h>
#include "expr/kernel_cast.h"
#include "expr/type_coerce.h"

#define SHOWN_BYTES 200

int cast_refuse(struct kernel_call *call, size_t i, int code)
{
	char name[TYPE_NAME_BYTES];
	struct text value = TEXT_INIT;
	size_t shown;

	if (call->node->kind == EXPR_TRY_CAST)
		return kernel_set_null(call, i);
	format_value(call->args[0], i, &value);
	shown = value.length < SHOWN_BYTES ? value.length : SHOWN_BYTES;
	/* Do not cut a character in two. */
	while (shown < value.length && shown &&
	       ((uint8_t)value.data[shown] & 0xc0) == 0x80)
		shown--;
	error_set(call->err, code, "%s '%.*s%s' %s %s",
		  code == ERROR_OVERFLOW ? "value" : "cannot cast",
		  (int)shown, value.data ? value.data : "",
		  shown < value.length ? "..." : "",
		  code == ERROR_OVERFLOW ? "does not fit" : "to",
		  type_name(&call->node->type, name));
	text_release(&value);
	return kernel_failed(call, i, code);
}

static bool is_integer(enum type_id id)
{
	return id == TYPE_BOOLEAN || id == TYPE_TINYINT ||
	       id == TYPE_INTEGER || id == TYPE_BIGINT;
}

static bool is_float(enum type_id id)
{
	return id == TYPE_REAL || id == TYPE_DOUBLE;
}

static int128_t read_exact(const struct vector *v, size_t i)
{
	switch (v->type.id) {
	case TYPE_BOOLEAN:
		return vector_bool(v)[i];
	case TYPE_TINYINT:
		return ((const int8_t *)v->data)[i];
	case TYPE_INTEGER:
		return vector_i32(v)[i];
	case TYPE_BIGINT:
		return vector_i64(v)[i];
	default:
		return vector_decimal(v, i);
	}
}

/* Store a whole number; 0 or ERROR_OVERFLOW. */
static int store_integer(struct vector *out, size_t i, int128_t value)
{
	switch (out->type.id) {
	case TYPE_TINYINT:
		((int8_t *)out->data)[i] = (int8_t)value;
		return value == (int8_t)value ? 0 : ERROR_OVERFLOW;
	case TYPE_INTEGER:
		vector_i32(out)[i] = (int32_t)value;
		return value == (int32_t)value ? 0 : ERROR_OVERFLOW;
	default:
		vector_i64(out)[i] = (int64_t)value;
		return value == (int64_t)value ? 0 : ERROR_OVERFLOW;
	}
}

static int store_decimal(struct vector *out, size_t i, int128_t value)
{
	if (!decimal_fits(value, out->type.precision))
		return ERROR_OVERFLOW;
	if (type_is_short_decimal(&out->type))
		vector_i64(out)[i] = (int64_t)value;
	else
		vector_i128(out)[i] = value;
	return 0;
}

/* value * 10^-scale into any numeric type or BOOLEAN. */
static int store_exact(struct vector *out, size_t i, int128_t value,
		       unsigned scale)
{
	switch (out->type.id) {
	case TYPE_BOOLEAN:
		vector_bool(out)[i] = value != 0;
		return 0;
	case TYPE_REAL:
		vector_f32(out)[i] = (float)decimal_to_double(value, scale);
		return 0;
	case TYPE_DOUBLE:
		vector_f64(out)[i] = decimal_to_double(value, scale);
		return 0;
	case TYPE_DECIMAL:
		if (!decimal_rescale(value, scale, out->type.scale, &value))
			return ERROR_OVERFLOW;
		return store_decimal(out, i, value);
	default:
		if (!decimal_rescale(value, scale, 0, &value))
			return ERROR_OVERFLOW;
		return store_integer(out, i, value);
	}
}

static int float_to_integer(struct vector *out, size_t i, double value)
{
	double rounded = round(value);

	if (isnan(value))
		return ERROR_CAST;
	if (!(rounded >= -0x1p63 && rounded < 0x1p63))
		return ERROR_OVERFLOW;
	return store_integer(out, i, (int64_t)rounded);
}

static int float_to_decimal(const struct vector *in, struct vector *out,
			    size_t i, double value)
{
	const struct type *type = &out->type;
	char text[VALUE_TEXT_BYTES];
	int128_t decimal;

	if (!isfinite(value))
		return ERROR_CAST;
	if (in->type.id == TYPE_DOUBLE) {
		if (!decimal_from_double(value, type->precision, type->scale,
					 &decimal))
			return ERROR_OVERFLOW;
		return store_decimal(out, i, decimal);
	}
	/* By the shortest text of the REAL: 0.1 is 0.1, not 0.10000000149 */
	if (parse_decimal(text, format_real(text, vector_f32(in)[i]),
			  type->precision, type->scale, true, &decimal))
		return ERROR_OVERFLOW;
	return store_decimal(out, i, decimal);
}

static int store_float(const struct kernel_call *call, size_t i, double value)
{
	struct vector *out = call->result;

	switch (out->type.id) {
	case TYPE_BOOLEAN:
		vector_bool(out)[i] = value != 0;
		return 0;
	case TYPE_REAL:
		vector_f32(out)[i] = (float)value;
		return call->node->is_assignment && isfinite(value) &&
		       !isfinite((float)value) ? ERROR_OVERFLOW : 0;
	case TYPE_DOUBLE:
		vector_f64(out)[i] = value;
		return 0;
	case TYPE_DECIMAL:
		return float_to_decimal(call->args[0], out, i, value);
	default:
		return float_to_integer(out, i, value);
	}
}

int cast_number(struct kernel_call *call)
{
	const struct vector *in = call->args[0];
	enum type_id from = in->type.id;
	unsigned scale = from == TYPE_DECIMAL ? in->type.scale : 0;

	KERNEL_ROWS(call, i) {
		int rc;

		if (is_float(from))
			rc = store_float(call, i, from == TYPE_REAL
						  ? vector_f32(in)[i]
						  : vector_f64(in)[i]);
		else
			rc = store_exact(call->result, i, read_exact(in, i),
					 scale);
		if (rc)
			rc = cast_refuse(call, i, rc);
		if (rc)
			return rc;
	}
	return 0;
}

/* Conversions that keep every value: one instruction a row. */
#define DEFINE_WIDEN(name, from, to, value) \
static int name(struct kernel_call *call) \
{ \
	const from *in = call->args[0]->data; \
	to *restrict out = call->result->data; \
 \
	KERNEL_LOOP(call, i, out[i] = (value)); \
	return 0; \
}

DEFINE_WIDEN(i32_to_i64, int32_t, int64_t, in[i])
DEFINE_WIDEN(i32_to_f64, int32_t, double, in[i])
DEFINE_WIDEN(i64_to_f64, int64_t, double, (double)in[i])
DEFINE_WIDEN(i32_to_f32, int32_t, float, (float)in[i])
DEFINE_WIDEN(i64_to_f32, int64_t, float, (float)in[i])
DEFINE_WIDEN(f32_to_f64, float, double, in[i])

/* Short decimals and integers to a short decimal with room for all of them:
 * a multiplication. */
#define DEFINE_SCALE_UP(name, from) \
static int name(struct kernel_call *call) \
{ \
	const struct type *type = &call->args[0]->type; \
	unsigned scale = type->id == TYPE_DECIMAL ? type->scale : 0; \
	const uint64_t factor = (uint64_t)decimal_power10( \
		call->node->type.scale - scale); \
	const from *in = call->args[0]->data; \
	int64_t *restrict out = call->result->data; \
 \
	KERNEL_LOOP(call, i, \
		    out[i] = (int64_t)((uint64_t)(int64_t)in[i] * factor)); \
	return 0; \
}

DEFINE_SCALE_UP(scale_up_i32, int32_t)
DEFINE_SCALE_UP(scale_up_i64, int64_t)

/* Does the decimal `to` hold every value of `from` exactly? */
static bool decimal_holds(const struct type *from, const struct type *to)
{
	struct type exact = type_as_decimal(from);

	return exact.id == TYPE_DECIMAL && to->scale >= exact.scale &&
	       to->precision - to->scale >= exact.precision - exact.scale;
}

static kernel_run widening(const struct type *from, const struct type *to)
{
	if (from->id == TYPE_INTEGER && to->id == TYPE_BIGINT)
		return i32_to_i64;
	if (from->id == TYPE_INTEGER && to->id == TYPE_DOUBLE)
		return i32_to_f64;
	if (from->id == TYPE_BIGINT && to->id == TYPE_DOUBLE)
		return i64_to_f64;
	if (from->id == TYPE_INTEGER && to->id == TYPE_REAL)
		return i32_to_f32;
	if (from->id == TYPE_BIGINT && to->id == TYPE_REAL)
		return i64_to_f32;
	if (from->id == TYPE_REAL && to->id == TYPE_DOUBLE)
		return f32_to_f64;
	if (!type_is_short_decimal(to) || !decimal_holds(from, to))
		return NULL;
	if (from->id == TYPE_INTEGER)
		return scale_up_i32;
	return type_is_short_decimal(from) ? scale_up_i64 : NULL;
}

/*
 * Conversions that may not fit: all rows at once, and one flag that says
 * whether any row (null or not selected, perhaps) did not. Only then the slow
 * kernel finds the row to blame.
 */
static int i64_to_i32(struct kernel_call *call)
{
	const int64_t *in = call->args[0]->data;
	int32_t *restrict out = call->result->data;
	uint64_t bad = 0;

	KERNEL_LOOP(call, i, out[i] = (int32_t)in[i];
		    bad |= ((uint64_t)in[i] + 0x80000000u) >> 32);
	return bad ? cast_number(call) : 0;
}

static int narrow_short(struct kernel_call *call)
{
	const uint64_t limit = (uint64_t)decimal_power10(
		call->node->type.precision);
	const int64_t *in = call->args[0]->data;
	int64_t *restrict out = call->result->data;
	uint8_t bad = 0;

	/* |x| < limit is 0 <= x + limit - 1 <= 2 * limit - 2 */
	KERNEL_LOOP(call, i, out[i] = in[i];
		    bad |= (uint64_t)in[i] + (limit - 1) > 2 * limit - 2);
	return bad ? cast_number(call) : 0;
}

static kernel_run narrowing(const struct type *from, const struct type *to)
{
	if (from->id == TYPE_BIGINT && to->id == TYPE_INTEGER)
		return i64_to_i32;
	if (type_is_short_decimal(from) && type_is_short_decimal(to) &&
	    from->scale == to->scale)
		return narrow_short;
	return NULL;
}

static int cast_unknown(struct kernel_call *call)
{
	/* Strict: the bare NULL has made all of it NULL already. */
	return 0;
}

static bool is_time(enum type_id id)
{
	return id == TYPE_DATE || id == TYPE_TIME || id == TYPE_TIMESTAMP ||
	       id == TYPE_TIMESTAMP_TZ;
}

static bool is_number(enum type_id id)
{
	return is_integer(id) || is_float(id) || id == TYPE_DECIMAL;
}

kernel_run cast_kernel(const struct expr *node)
{
	const struct type *from = &node->args[0]->type, *to = &node->type;
	kernel_run fast = widening(from, to);

	if (!type_castable(from, to))
		return NULL;
	if (!fast)
		fast = narrowing(from, to);
	if (fast)
		return fast;
	if (type_is_nested(from))
		return cast_nested;
	if (from->id == TYPE_UNKNOWN)
		return cast_unknown;
	if (is_number(from->id) && is_number(to->id))
		return cast_number;
	if (from->id == TYPE_VARCHAR && to->id != TYPE_VARBINARY)
		return cast_from_text;
	if (to->id == TYPE_VARCHAR)
		return cast_to_text;
	if (is_time(from->id) && is_time(to->id))
		return cast_time;
	return cast_binary;
}

/* Other names, NOT NULL forgotten: the packed values are the same. */
static bool parts_are_relabel(const struct type *from, const struct type *to)
{
	if (from->field_count != to->field_count)
		return false;
	for (size_t i = 0; i < to->field_count; i++)
		if ((to->fields[i].required && !from->fields[i].required) ||
		    !cast_is_relabel(&from->fields[i].type,
				     &to->fields[i].type))
			return false;
	return true;
}

bool cast_is_relabel(const struct type *from, const struct type *to)
{
	if (type_equal(from, to))
		return true;
	if (type_is_nested(from) && from->id == to->id)
		return parts_are_relabel(from, to);
	if (from->id == TYPE_DECIMAL && to->id == TYPE_DECIMAL)
		return from->scale == to->scale && decimal_holds(from, to) &&
		       type_is_short_decimal(from) ==
			       type_is_short_decimal(to);
	return to->id == TYPE_VARBINARY &&
	       (from->id == TYPE_VARCHAR || from->id == TYPE_FIXED);
}

/* Some part of a nested value may not convert, or be NULL and must not. */
static bool parts_can_fail(const struct type *from, const struct type *to,
			   bool is_assignment)
{
	/* keys that differ may become equal */
	if (to->id == TYPE_MAP && !cast_is_relabel(&from->fields[0].type,
						   &to->fields[0].type))
		return true;
	for (size_t i = 0; i < to->field_count; i++)
		if ((to->fields[i].required && !from->fields[i].required) ||
		    cast_can_fail(&from->fields[i].type, &to->fields[i].type,
				  is_assignment))
			return true;
	return false;
}

bool cast_can_fail(const struct type *from, const struct type *to,
		   bool is_assignment)
{
	if (type_is_nested(from) && from->id == to->id)
		return parts_can_fail(from, to, is_assignment);
	if (from->id == TYPE_UNKNOWN || to->id == TYPE_VARCHAR ||
	    cast_is_relabel(from, to) || to->id == TYPE_BOOLEAN)
		return from->id == TYPE_VARCHAR && to->id == TYPE_BOOLEAN;
	if (from->id == TYPE_UUID)
		return to->id != TYPE_VARBINARY;
	if (to->id == TYPE_REAL || to->id == TYPE_DOUBLE)
		return from->id == TYPE_VARCHAR ||
		       (is_assignment && from->id == TYPE_DOUBLE);
	if (to->id == TYPE_DECIMAL)
		return !decimal_holds(from, to);
	if (is_integer(from->id) && is_integer(to->id))
		return from->id > to->id;
	return !(from->id == TYPE_TIMESTAMP &&
		 (to->id == TYPE_DATE || to->id == TYPE_TIME));
}
