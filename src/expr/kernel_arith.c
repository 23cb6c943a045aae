/*
 * kernel_arith.c - + - * / % and unary minus
 *
 * Why:    checked arithmetic, column by column: overflow and division by
 *         zero of exact numbers are errors, never a wrapped value.
 * How:    INTEGER and BIGINT compute all rows with wrap-around and gather
 *         whether any overflowed in one flag; only then a second pass looks
 *         for a selected row that is to blame (rows that are null or not
 *         selected may overflow freely). Division looks at each divisor.
 *         DECIMAL: when the result has at most 18 digits its type proves
 *         that int64 is enough; else 128 bits, checked.
 * Cost:   under 1 ns a row for what vectorises (+ - and INTEGER *), a few ns
 *         for division and 128-bit decimals.
 */
/* Loops over flat arrays; -O2 alone leaves them scalar. */
#pragma GCC optimize("O3")
#include "expr/kernel_arith.h"

/* One row of an exact operation for messages: "7 / 0". */
static int row_error(struct kernel_call *call, size_t i, int code)
{
	struct text text = TEXT_INIT;
	char name[TYPE_NAME_BYTES];

	format_value(call->args[0], i, &text);
	if (call->arg_count > 1) {
		text_addf(&text, " %s ", call->node->function->name);
		format_value(call->args[1], i, &text);
	}
	if (code == ERROR_DIVISION_BY_ZERO)
		error_set(call->err, code, "division by zero: %s",
			  text.data ? text.data : "");
	else
		error_set(call->err, code, "%s overflow: %s%s",
			  type_name(&call->node->type, name),
			  call->arg_count > 1 ? "" : "-",
			  text.data ? text.data : "");
	text_release(&text);
	return kernel_failed(call, i, code);
}

/*
 * BINARY_BODY runs BODY for every row with a and b set, with the constant
 * side, if any, kept in a register.
 */
#define BINARY_BODY(call, ctype, ...) \
	do { \
		const ctype *left = (call)->args[0]->data; \
		const ctype *right = (call)->args[1]->data; \
		if ((call)->is_constant[1]) { \
			const ctype b = right[0]; \
			KERNEL_LOOP(call, i, const ctype a = left[i]; \
				    __VA_ARGS__); \
		} else if ((call)->is_constant[0]) { \
			const ctype a = left[0]; \
			KERNEL_LOOP(call, i, const ctype b = right[i]; \
				    __VA_ARGS__); \
		} else { \
			KERNEL_LOOP(call, i, const ctype a = left[i]; \
				    const ctype b = right[i]; __VA_ARGS__); \
		} \
	} while (0)

/* Something overflowed: find the selected row that is to blame, if any. */
static int blame_i32(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i) {
		int32_t a = vector_i32(call->args[0])[i];
		int32_t b = vector_i32(call->args[1])[i];
		int32_t wrapped;

		if (variant == ARITH_ADD ? __builtin_add_overflow(a, b,
								  &wrapped)
		    : variant == ARITH_SUB
			    ? __builtin_sub_overflow(a, b, &wrapped)
			    : __builtin_mul_overflow(a, b, &wrapped))
			return row_error(call, i, ERROR_OVERFLOW);
	}
	return 0;
}

static int blame_i64(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i) {
		int64_t a = vector_i64(call->args[0])[i];
		int64_t b = vector_i64(call->args[1])[i];
		int64_t wrapped;

		if (variant == ARITH_ADD ? __builtin_add_overflow(a, b,
								  &wrapped)
		    : variant == ARITH_SUB
			    ? __builtin_sub_overflow(a, b, &wrapped)
			    : __builtin_mul_overflow(a, b, &wrapped))
			return row_error(call, i, ERROR_OVERFLOW);
	}
	return 0;
}

/* bad becomes nonzero when a 64-bit value does not fit 32 bits. */
#define DEFINE_CHECKED_I32(name, op) \
static int name(struct kernel_call *call) \
{ \
	int32_t *restrict out = call->result->data; \
	uint32_t bad = 0; \
 \
	BINARY_BODY(call, int32_t, \
		    int64_t wide = (int64_t)a op (int64_t)b; \
		    out[i] = (int32_t)(uint32_t)(uint64_t)wide; \
		    bad |= (uint32_t)((uint64_t)(wide + INT64_C(0x80000000)) \
				      >> 32)); \
	return bad ? blame_i32(call) : 0; \
}

DEFINE_CHECKED_I32(add_i32, +)
DEFINE_CHECKED_I32(sub_i32, -)
DEFINE_CHECKED_I32(mul_i32, *)

static int add_i64(struct kernel_call *call)
{
	int64_t *restrict out = call->result->data;
	uint64_t bad = 0;

	BINARY_BODY(call, int64_t,
		    uint64_t sum = (uint64_t)a + (uint64_t)b;
		    out[i] = (int64_t)sum;
		    bad |= ((uint64_t)a ^ sum) & ((uint64_t)b ^ sum));
	return bad >> 63 ? blame_i64(call) : 0;
}

static int sub_i64(struct kernel_call *call)
{
	int64_t *restrict out = call->result->data;
	uint64_t bad = 0;

	BINARY_BODY(call, int64_t,
		    uint64_t rest = (uint64_t)a - (uint64_t)b;
		    out[i] = (int64_t)rest;
		    bad |= ((uint64_t)a ^ (uint64_t)b) & ((uint64_t)a ^ rest));
	return bad >> 63 ? blame_i64(call) : 0;
}

static int mul_i64(struct kernel_call *call)
{
	int64_t *restrict out = call->result->data;
	bool bad = false;

	BINARY_BODY(call, int64_t,
		    bad |= __builtin_mul_overflow(a, b, &out[i]));
	return bad ? blame_i64(call) : 0;
}

/* Quotient and remainder look at each row: MIN / -1 traps in hardware. */
static int div_i32(struct kernel_call *call)
{
	const int32_t *left = call->args[0]->data;
	const int32_t *right = call->args[1]->data;
	int32_t *restrict out = call->result->data;

	KERNEL_ROWS(call, i) {
		const int32_t a = left[i], b = right[i];

		if (b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		if (b == -1 && a == INT32_MIN)
			return row_error(call, i, ERROR_OVERFLOW);
		out[i] = a / b;
	}
	return 0;
}

static int div_i64(struct kernel_call *call)
{
	const int64_t *left = call->args[0]->data;
	const int64_t *right = call->args[1]->data;
	int64_t *restrict out = call->result->data;

	KERNEL_ROWS(call, i) {
		const int64_t a = left[i], b = right[i];

		if (b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		if (b == -1 && a == INT64_MIN)
			return row_error(call, i, ERROR_OVERFLOW);
		out[i] = a / b;
	}
	return 0;
}

static int mod_i32(struct kernel_call *call)
{
	const int32_t *left = call->args[0]->data;
	const int32_t *right = call->args[1]->data;
	int32_t *restrict out = call->result->data;

	KERNEL_ROWS(call, i) {
		const int32_t a = left[i], b = right[i];

		if (b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		out[i] = b == -1 ? 0 : a % b;
	}
	return 0;
}

static int mod_i64(struct kernel_call *call)
{
	const int64_t *left = call->args[0]->data;
	const int64_t *right = call->args[1]->data;
	int64_t *restrict out = call->result->data;

	KERNEL_ROWS(call, i) {
		const int64_t a = left[i], b = right[i];

		if (b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		out[i] = b == -1 ? 0 : a % b;
	}
	return 0;
}

/* REAL and DOUBLE never fail: infinities and NaN are values. */
#define DEFINE_FLOAT(name, ctype, value) \
static int name(struct kernel_call *call) \
{ \
	ctype *restrict out = call->result->data; \
 \
	BINARY_BODY(call, ctype, out[i] = value); \
	return 0; \
}

DEFINE_FLOAT(add_f32, float, a + b)
DEFINE_FLOAT(sub_f32, float, a - b)
DEFINE_FLOAT(mul_f32, float, a * b)
DEFINE_FLOAT(div_f32, float, a / b)
DEFINE_FLOAT(mod_f32, float, __builtin_fmodf(a, b))
DEFINE_FLOAT(add_f64, double, a + b)
DEFINE_FLOAT(sub_f64, double, a - b)
DEFINE_FLOAT(mul_f64, double, a * b)
DEFINE_FLOAT(div_f64, double, a / b)
DEFINE_FLOAT(mod_f64, double, __builtin_fmod(a, b))

static uint64_t power10_u64(unsigned n)
{
	return (uint64_t)decimal_power10(n);
}

/*
 * Short + short = short. A result of at most 18 digits cannot wrap: both
 * sides rescaled have fewer digits than it.
 */
#define DEFINE_SHORT_SUM(name, op) \
static int name(struct kernel_call *call) \
{ \
	unsigned scale = call->node->type.scale; \
	const uint64_t fa = power10_u64(scale - call->args[0]->type.scale); \
	const uint64_t fb = power10_u64(scale - call->args[1]->type.scale); \
	int64_t *restrict out = call->result->data; \
 \
	if (fa == 1 && fb == 1) \
		BINARY_BODY(call, int64_t, out[i] = (int64_t) \
			    ((uint64_t)a op (uint64_t)b)); \
	else \
		BINARY_BODY(call, int64_t, out[i] = (int64_t) \
			    ((uint64_t)a * fa op (uint64_t)b * fb)); \
	return 0; \
}

DEFINE_SHORT_SUM(add_short, +)
DEFINE_SHORT_SUM(sub_short, -)

static int mul_short(struct kernel_call *call)
{
	int64_t *restrict out = call->result->data;

	BINARY_BODY(call, int64_t,
		    out[i] = (int64_t)((uint64_t)a * (uint64_t)b));
	return 0;
}

static void store_decimal(struct vector *result, size_t i, int128_t value)
{
	if (type_is_short_decimal(&result->type))
		vector_i64(result)[i] = (int64_t)value;
	else
		vector_i128(result)[i] = value;
}

/* What is the same for all rows of a decimal operation. */
struct decimal_shape {
	unsigned variant;
	unsigned a_scale;
	unsigned b_scale;
	unsigned scale;		/* of the result */
};

/* One decimal operation in 128 bits; false when it does not fit. */
static bool decimal_row(const struct decimal_shape *shape, int128_t a,
			int128_t b, int128_t *out)
{
	unsigned scale = shape->scale;

	switch (shape->variant) {
	case ARITH_MUL:
		return decimal_mul(a, b, out);
	case ARITH_DIV:
		return decimal_div(a, shape->a_scale, b, shape->b_scale,
				   scale, out);
	case ARITH_MOD:
		return decimal_mod(a, shape->a_scale, b, shape->b_scale, out);
	default:
		break;
	}
	if (scale != shape->a_scale &&
	    !decimal_mul(a, decimal_power10(scale - shape->a_scale), &a))
		return false;
	if (scale != shape->b_scale &&
	    !decimal_mul(b, decimal_power10(scale - shape->b_scale), &b))
		return false;
	return shape->variant == ARITH_ADD ? decimal_add(a, b, out)
					   : decimal_sub(a, b, out);
}

static int arith_decimal(struct kernel_call *call)
{
	const struct vector *left = call->args[0], *right = call->args[1];
	const struct type *type = &call->node->type;
	const struct decimal_shape shape = {
		call->node->function->variant, left->type.scale,
		right->type.scale, type->scale,
	};
	bool divides = shape.variant == ARITH_DIV ||
		       shape.variant == ARITH_MOD;

	KERNEL_ROWS(call, i) {
		int128_t a = vector_decimal(left, i);
		int128_t b = vector_decimal(right, i);
		int128_t value;

		if (divides && b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		if (!decimal_row(&shape, a, b, &value) ||
		    !decimal_fits(value, type->precision))
			return row_error(call, i, ERROR_OVERFLOW);
		store_decimal(call->result, i, value);
	}
	return 0;
}

/* Short / short = short: the dividend brought to the scale has at most as
 * many digits as the result's type. */
static int div_short(struct kernel_call *call)
{
	const struct vector *left = call->args[0], *right = call->args[1];
	const uint64_t factor = power10_u64(call->node->type.scale -
					    left->type.scale +
					    right->type.scale);
	int64_t *restrict out = call->result->data;

	KERNEL_ROWS(call, i) {
		int64_t a = (int64_t)((uint64_t)vector_i64(left)[i] * factor);
		int64_t b = vector_i64(right)[i], rest;
		uint64_t size, limit;

		if (b == 0)
			return row_error(call, i, ERROR_DIVISION_BY_ZERO);
		if (b == -1) {
			out[i] = (int64_t)(0 - (uint64_t)a);
			continue;
		}
		out[i] = a / b;
		rest = a % b;
		size = rest < 0 ? 0 - (uint64_t)rest : (uint64_t)rest;
		limit = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
		if (size && size >= limit - size)
			out[i] += (a < 0) == (b < 0) ? 1 : -1;
	}
	return 0;
}

static kernel_run choose_decimal(const struct expr *node)
{
	static const kernel_run shorts[] = { add_short, sub_short, mul_short,
					     div_short };
	unsigned variant = node->function->variant;

	if (variant > ARITH_DIV || !type_is_short_decimal(&node->type) ||
	    !type_is_short_decimal(&node->args[0]->type) ||
	    !type_is_short_decimal(&node->args[1]->type))
		return arith_decimal;
	return shorts[variant];
}

kernel_run arith_choose(const struct expr *node)
{
	static const kernel_run i32[] = { add_i32, sub_i32, mul_i32,
					  div_i32, mod_i32 };
	static const kernel_run i64[] = { add_i64, sub_i64, mul_i64,
					  div_i64, mod_i64 };
	static const kernel_run f32[] = { add_f32, sub_f32, mul_f32,
					  div_f32, mod_f32 };
	static const kernel_run f64[] = { add_f64, sub_f64, mul_f64,
					  div_f64, mod_f64 };
	unsigned variant = node->function->variant;

	switch (node->type.id) {
	case TYPE_INTEGER:
		return i32[variant];
	case TYPE_BIGINT:
		return i64[variant];
	case TYPE_REAL:
		return f32[variant];
	case TYPE_DOUBLE:
		return f64[variant];
	default:
		return choose_decimal(node);
	}
}

static int negate_integer(struct kernel_call *call)
{
	bool is_wide = call->node->type.id == TYPE_BIGINT;
	const int32_t *in32 = call->args[0]->data;
	const int64_t *in64 = call->args[0]->data;
	int32_t *out32 = call->result->data;
	int64_t *out64 = call->result->data;

	KERNEL_ROWS(call, i) {
		if (is_wide ? in64[i] == INT64_MIN : in32[i] == INT32_MIN)
			return row_error(call, i, ERROR_OVERFLOW);
		if (is_wide)
			out64[i] = -in64[i];
		else
			out32[i] = -in32[i];
	}
	return 0;
}

int arith_negate(struct kernel_call *call)
{
	const struct vector *in = call->args[0];

	switch (call->node->type.id) {
	case TYPE_REAL: {
		float *restrict out = call->result->data;

		KERNEL_LOOP(call, i, out[i] = -vector_f32(in)[i]);
		return 0;
	}
	case TYPE_DOUBLE: {
		double *restrict out = call->result->data;

		KERNEL_LOOP(call, i, out[i] = -vector_f64(in)[i]);
		return 0;
	}
	case TYPE_DECIMAL:
		KERNEL_ROWS(call, i)
			store_decimal(call->result, i,
				      -vector_decimal(in, i));
		return 0;
	default:
		return negate_integer(call);
	}
}
