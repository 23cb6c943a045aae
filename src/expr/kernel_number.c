/*
 * kernel_number.c - angles, bits, number bases and buckets
 *
 * Why:    the number functions that people bring from Trino besides those of
 *         kernel_math.c.
 * How:    angles by the C library, which may differ from Java in the last
 *         digit. Bits are those of a BIGINT in two's complement; a shift by
 *         64 or more pushes all of them out.
 * Cost:   a few ns a row; 10-40 for angles.
 */
#include <math.h>
#include <stdio.h>
#include "expr/kernel_number.h"

static double angle(unsigned variant, double x)
{
	switch (variant) {
	case ANGLE_SIN:
		return sin(x);
	case ANGLE_COS:
		return cos(x);
	case ANGLE_TAN:
		return tan(x);
	case ANGLE_ASIN:
		return asin(x);
	case ANGLE_ACOS:
		return acos(x);
	case ANGLE_ATAN:
		return atan(x);
	case ANGLE_SINH:
		return sinh(x);
	case ANGLE_COSH:
		return cosh(x);
	case ANGLE_TANH:
		return tanh(x);
	case ANGLE_DEGREES:
		return x * (180 / M_PI);
	default:
		return x * (M_PI / 180);
	}
}

int number_angle(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] =
			angle(variant, vector_f64(call->args[0])[i]);
	return 0;
}

int number_atan2(struct kernel_call *call)
{
	const double *y = vector_f64(call->args[0]);
	const double *x = vector_f64(call->args[1]);

	KERNEL_ROWS(call, i)
		vector_f64(call->result)[i] = atan2(y[i], x[i]);
	return 0;
}

static int64_t shift(unsigned variant, int64_t value, int64_t count)
{
	bool is_out = count < 0 || count > 63;

	switch (variant) {
	case BITS_LEFT:
		return is_out ? 0 : (int64_t)((uint64_t)value << count);
	case BITS_RIGHT:
		return is_out ? 0 : (int64_t)((uint64_t)value >> count);
	default:
		return value >> (is_out ? 63 : count);
	}
}

int number_bits(struct kernel_call *call)
{
	const int64_t *a = vector_i64(call->args[0]);
	const int64_t *b = vector_i64(call->args[1]);
	int64_t *out = vector_i64(call->result);
	unsigned variant = call->node->function->variant;

	switch (variant) {
	case BITS_AND:
		KERNEL_LOOP(call, i, out[i] = a[i] & b[i]);
		break;
	case BITS_OR:
		KERNEL_LOOP(call, i, out[i] = a[i] | b[i]);
		break;
	case BITS_XOR:
		KERNEL_LOOP(call, i, out[i] = a[i] ^ b[i]);
		break;
	default:
		KERNEL_LOOP(call, i, out[i] = shift(variant, a[i], b[i]));
		break;
	}
	return 0;
}

int number_bits_not(struct kernel_call *call)
{
	const int64_t *in = vector_i64(call->args[0]);
	int64_t *out = vector_i64(call->result);

	KERNEL_LOOP(call, i, out[i] = ~in[i]);
	return 0;
}

static int refuse(struct kernel_call *call, size_t row, const char *what)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: %s",
		  call->node->function->name, what);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

static bool is_base(int64_t base)
{
	return base >= 2 && base <= 36;
}

int number_to_base(struct kernel_call *call)
{
	const int64_t *in = vector_i64(call->args[0]);
	const int64_t *base = vector_i64(call->args[1]);

	KERNEL_ROWS(call, i) {
		char digits[65];
		size_t at = sizeof(digits);
		bool is_negative = in[i] < 0;
		uint64_t left = is_negative ? -(uint64_t)in[i]
					    : (uint64_t)in[i];
		uint8_t *out;

		if (!is_base(base[i]))
			return refuse(call, i, "the base must be from 2 to "
					       "36");
		do {
			unsigned digit = (unsigned)(left % (uint64_t)base[i]);

			digits[--at] = (char)(digit < 10 ? '0' + digit
							 : 'a' + digit - 10);
			left /= (uint64_t)base[i];
		} while (left);
		if (is_negative)
			digits[--at] = '-';
		out = arena_copy(call->heap, digits + at,
				 sizeof(digits) - at);
		if (!out)
			return error_set(call->err, ERROR_NO_MEMORY,
					 "text of to_base");
		vector_bytes(call->result)[i] =
			byte_view(out, sizeof(digits) - at);
	}
	return 0;
}

static int digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
}

/* An optional sign and digits; false when that is not what text is, or the
 * number does not fit. */
static bool parse_base(struct byte_view text, int64_t base, int64_t *out)
{
	bool is_negative = text.length && text.data[0] == '-';
	size_t at = is_negative || (text.length && text.data[0] == '+');
	int64_t value = 0;

	if (at == text.length)
		return false;
	for (; at < text.length; at++) {
		int digit = digit_of(text.data[at]);

		if (digit >= base ||
		    __builtin_mul_overflow(value, base, &value) ||
		    __builtin_sub_overflow(value, (int64_t)digit, &value))
			return false;
	}
	*out = value;
	return is_negative || !__builtin_sub_overflow((int64_t)0, value, out);
}

int number_from_base(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const int64_t *base = vector_i64(call->args[1]);

	KERNEL_ROWS(call, i) {
		char text[120];

		if (!is_base(base[i]))
			return refuse(call, i, "the base must be from 2 to "
					       "36");
		if (parse_base(in[i], base[i], &vector_i64(call->result)[i]))
			continue;
		snprintf(text, sizeof(text), "'%.*s' is no number of base %d "
			 "that fits BIGINT", (int)(in[i].length < 50
						   ? in[i].length : 50),
			 (const char *)in[i].data, (int)base[i]);
		return refuse(call, i, text);
	}
	return 0;
}

/* The bucket from 1 of x among count between two bounds, 0 and count + 1
 * outside; the bounds may descend. */
static bool bucket_of(double x, double first, double last, int64_t count,
		      int64_t *out)
{
	double low = first < last ? first : last;
	double high = first < last ? last : first;
	int64_t bucket;

	if (x < low)
		bucket = 0;
	else if (x < high)
		bucket = (int64_t)((double)count * (x - low) / (high - low) +
				   1);
	else if (__builtin_add_overflow(count, (int64_t)1, &bucket))
		return false;
	*out = first > last ? count - bucket + 1 : bucket;
	return true;
}

int number_width_bucket(struct kernel_call *call)
{
	const double *x = vector_f64(call->args[0]);
	const double *first = vector_f64(call->args[1]);
	const double *last = vector_f64(call->args[2]);
	const int64_t *count = vector_i64(call->args[3]);

	KERNEL_ROWS(call, i) {
		if (count[i] <= 0)
			return refuse(call, i, "the number of buckets must be "
					       "positive");
		if (isnan(x[i]))
			return refuse(call, i, "the first argument is NaN");
		if (!isfinite(first[i]) || !isfinite(last[i]))
			return refuse(call, i, "the bounds must be finite");
		if (first[i] == last[i])
			return refuse(call, i, "the bounds are equal");
		if (count[i] > INT64_C(1) << 53)
			return refuse(call, i, "too many buckets");
		if (!bucket_of(x[i], first[i], last[i], count[i],
			       &vector_i64(call->result)[i]))
			return refuse(call, i, "the bucket does not fit");
	}
	return 0;
}
