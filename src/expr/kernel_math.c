/*
 * kernel_math.c - rounding, signs, powers and logarithms
 *
 * Why:    Trino's math functions.
 * How:    exact types stay exact: rounding a DECIMAL works on its digits, a
 *         half goes away from zero. REAL and DOUBLE go through libm.
 * Cost:   a few ns a row.
 */
#include <math.h>
#include "expr/kernel_math.h"

static int overflow(struct kernel_call *call, size_t i)
{
	struct text value = TEXT_INIT;
	char name[TYPE_NAME_BYTES];

	format_value(call->args[0], i, &value);
	error_set(call->err, ERROR_OVERFLOW, "%s of %s does not fit %s",
		  call->node->function->name, value.data ? value.data : "",
		  type_name(&call->node->type, name));
	text_release(&value);
	return kernel_failed(call, i, ERROR_OVERFLOW);
}

/* An exact number of any type, and back. */
static int128_t read_exact(const struct vector *v, size_t i)
{
	if (v->type.id == TYPE_INTEGER)
		return vector_i32(v)[i];
	if (v->type.id == TYPE_BIGINT)
		return vector_i64(v)[i];
	return vector_decimal(v, i);
}

static bool store_exact(struct vector *v, size_t i, int128_t value)
{
	switch (v->type.id) {
	case TYPE_INTEGER:
		vector_i32(v)[i] = (int32_t)value;
		return value == (int32_t)value;
	case TYPE_BIGINT:
		vector_i64(v)[i] = (int64_t)value;
		return value == (int64_t)value;
	default:
		break;
	}
	if (!decimal_fits(value, v->type.precision))
		return false;
	if (type_is_short_decimal(&v->type))
		vector_i64(v)[i] = (int64_t)value;
	else
		vector_i128(v)[i] = value;
	return true;
}

static bool is_float(const struct vector *v)
{
	return v->type.id == TYPE_REAL || v->type.id == TYPE_DOUBLE;
}

static double read_float(const struct vector *v, size_t i)
{
	return v->type.id == TYPE_REAL ? vector_f32(v)[i] : vector_f64(v)[i];
}

static void store_float(struct vector *v, size_t i, double value)
{
	if (v->type.id == TYPE_REAL)
		vector_f32(v)[i] = (float)value;
	else
		vector_f64(v)[i] = value;
}

int math_abs(struct kernel_call *call)
{
	const struct vector *in = call->args[0];

	KERNEL_ROWS(call, i) {
		int128_t value;

		if (is_float(in)) {
			store_float(call->result, i, fabs(read_float(in, i)));
			continue;
		}
		value = read_exact(in, i);
		if (!store_exact(call->result, i, value < 0 ? -value : value))
			return overflow(call, i);
	}
	return 0;
}

int math_sign(struct kernel_call *call)
{
	const struct vector *in = call->args[0];

	KERNEL_ROWS(call, i) {
		if (is_float(in)) {
			double x = read_float(in, i);

			/* Zero keeps its sign, NaN stays NaN. */
			store_float(call->result, i,
				    x > 0 ? 1 : x < 0 ? -1 : x);
		} else {
			int128_t x = read_exact(in, i);

			store_exact(call->result, i, (x > 0) - (x < 0));
		}
	}
	return 0;
}

/* value / divisor as a whole number; divisor > 0. */
static int128_t divide_rounded(int128_t value, int128_t divisor,
			       unsigned variant)
{
	int128_t quotient = value / divisor, rest = value % divisor;
	int128_t size = rest < 0 ? -rest : rest;

	switch (variant) {
	case ROUND_FLOOR:
		return quotient - (rest < 0);
	case ROUND_CEIL:
		return quotient + (rest > 0);
	case ROUND_TRUNC:
		return quotient;
	default:
		if (size >= divisor - size && size)
			quotient += value < 0 ? -1 : 1;
		return quotient;
	}
}

static double round_float(double value, unsigned variant)
{
	switch (variant) {
	case ROUND_FLOOR:
		return floor(value);
	case ROUND_CEIL:
		return ceil(value);
	case ROUND_TRUNC:
		return trunc(value);
	default:
		return round(value);
	}
}

int math_round(struct kernel_call *call)
{
	const struct vector *in = call->args[0];
	unsigned variant = call->node->function->variant;
	int128_t divisor = 1;

	if (in->type.id == TYPE_DECIMAL)
		divisor = decimal_power10(in->type.scale);
	KERNEL_ROWS(call, i) {
		if (is_float(in))
			store_float(call->result, i,
				    round_float(read_float(in, i), variant));
		else if (!store_exact(call->result, i,
				      divide_rounded(read_exact(in, i),
						     divisor, variant)))
			return overflow(call, i);
	}
	return 0;
}

/* Digits after the point of a double; what has none there is unchanged. */
static double round_float_digits(double value, int32_t digits)
{
	double factor = pow(10, digits), scaled = value * factor;

	if (!isfinite(value) || value == 0 || digits > 323)
		return value;
	if (digits < -308)
		return value < 0 ? -0.0 : 0.0;
	if (fabs(scaled) >= 0x1p52 || !isfinite(scaled))
		return value;
	return round(scaled) / factor;
}

/* Clear all digits past `digits` after the point; false on overflow. */
static bool round_exact_digits(int128_t value, int scale, int32_t digits,
			       unsigned variant, int128_t *out)
{
	int64_t dropped = (int64_t)scale - digits;
	int128_t power;

	*out = value;
	if (dropped <= 0)
		return true;
	*out = 0;
	if (dropped > DECIMAL_MAX_PRECISION)
		return true;
	power = decimal_power10((unsigned)dropped);
	return decimal_mul(divide_rounded(value, power, variant), power, out);
}

int math_round_digits(struct kernel_call *call)
{
	const struct vector *in = call->args[0];
	const int32_t *digits = vector_i32(call->args[1]);
	unsigned variant = call->node->function->variant;
	int scale = in->type.id == TYPE_DECIMAL ? in->type.scale : 0;

	KERNEL_ROWS(call, i) {
		int128_t value;

		if (is_float(in))
			store_float(call->result, i,
				    round_float_digits(read_float(in, i),
						       digits[i]));
		else if (!round_exact_digits(read_exact(in, i), scale,
					     digits[i], variant, &value) ||
			 !store_exact(call->result, i, value))
			return overflow(call, i);
	}
	return 0;
}

int math_power(struct kernel_call *call)
{
	const double *a = vector_f64(call->args[0]);
	const double *b = vector_f64(call->args[1]);

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] = pow(a[i], b[i]);
	return 0;
}

/* log(base, number) */
int math_log(struct kernel_call *call)
{
	const double *base = vector_f64(call->args[0]);
	const double *number = vector_f64(call->args[1]);

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] = log(number[i]) / log(base[i]);
	return 0;
}

static double unary(unsigned variant, double x)
{
	switch (variant) {
	case MATH_SQRT:
		return sqrt(x);
	case MATH_CBRT:
		return (double)cbrtl(x);	/* to the nearest */
	case MATH_EXP:
		return exp(x);
	case MATH_LN:
		return log(x);
	case MATH_LOG2:
		return log2(x);
	default:
		return log10(x);
	}
}

int math_unary(struct kernel_call *call)
{
	const double *in = vector_f64(call->args[0]);
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] = unary(variant, in[i]);
	return 0;
}

int math_float_test(struct kernel_call *call)
{
	const double *in = vector_f64(call->args[0]);
	unsigned variant = call->node->function->variant;
	uint8_t *out = vector_bool(call->result);

	KERNEL_ROWS(call, i)
		out[i] = variant == FLOAT_IS_NAN ? isnan(in[i]) != 0
			: variant == FLOAT_IS_FINITE ? isfinite(in[i]) != 0
						     : isinf(in[i]) != 0;
	return 0;
}

int math_constant(struct kernel_call *call)
{
	static const double values[] = {
		[FLOAT_NAN] = NAN, [FLOAT_INFINITY] = INFINITY,
		[FLOAT_PI] = 0x1.921fb54442d18p+1,
		[FLOAT_E] = 0x1.5bf0a8b145769p+1,
	};
	double value = values[call->node->function->variant];
	double *out = vector_f64(call->result);

	KERNEL_ROWS(call, i)
		out[i] = value;
	return 0;
}
