/*
 * page_stats.c - bounds of the values that are being written
 *
 * Why:    every page and chunk carries its bounds, so this runs over every
 *         value that is written.
 * How:    plain loops over words that the compiler turns into vector code;
 *         texts are compared by their first eight bytes as one number, which
 *         decides nearly always.
 * Limits: NaN lies outside all bounds and is counted; a zero minimum is
 *         written as -0.0, a zero maximum as +0.0, as the format asks.
 */
#include "parquet/page_stats.h"

enum value_order value_order_of(const struct type *type)
{
	switch (type->id) {
	case TYPE_BOOLEAN: return VALUE_ORDER_BOOL;
	case TYPE_INTEGER:
	case TYPE_DATE: return VALUE_ORDER_I32;
	case TYPE_REAL: return VALUE_ORDER_F32;
	case TYPE_DOUBLE: return VALUE_ORDER_F64;
	case TYPE_DECIMAL:
		return type->precision <= 9 ? VALUE_ORDER_I32
		       : type->precision <= DECIMAL_SHORT_PRECISION
			       ? VALUE_ORDER_I64
			       : VALUE_ORDER_DECIMAL;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
	case TYPE_UUID: return VALUE_ORDER_BYTES;
	default: return VALUE_ORDER_I64;
	}
}

static int compare_bytes(struct byte_view a, struct byte_view b)
{
	size_t shorter = a.length < b.length ? a.length : b.length;
	int order = shorter ? memcmp(a.data, b.data, shorter) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_f64(double a, double b)
{
	return (a > b) - (a < b);
}

static float load_f32(struct byte_view view)
{
	float value;

	memcpy(&value, view.data, sizeof(value));
	return value;
}

static double load_f64(struct byte_view view)
{
	double value;

	memcpy(&value, view.data, sizeof(value));
	return value;
}

int value_order_compare(enum value_order order, struct byte_view a,
			struct byte_view b)
{
	int64_t left, right;

	switch (order) {
	case VALUE_ORDER_BOOL: return *a.data - *b.data;
	case VALUE_ORDER_I32:
		left = (int32_t)load_le32(a.data);
		right = (int32_t)load_le32(b.data);
		return (left > right) - (left < right);
	case VALUE_ORDER_I64:
		left = (int64_t)load_le64(a.data);
		right = (int64_t)load_le64(b.data);
		return (left > right) - (left < right);
	case VALUE_ORDER_F32: return compare_f64(load_f32(a), load_f32(b));
	case VALUE_ORDER_F64: return compare_f64(load_f64(a), load_f64(b));
	case VALUE_ORDER_DECIMAL:
		if ((*a.data ^ *b.data) & 0x80)
			return *a.data & 0x80 ? -1 : 1;
		break;
	case VALUE_ORDER_BYTES:
		break;
	}
	return compare_bytes(a, b);
}

static void store_bounds(struct value_bounds *out, const void *min,
			 const void *max, size_t width)
{
	memcpy(out->store[0], min, width);
	memcpy(out->store[1], max, width);
	out->min = byte_view(out->store[0], width);
	out->max = byte_view(out->store[1], width);
	out->has_bounds = true;
}

#define INTEGER_BOUNDS(type) \
	do { \
		const type *v = words; \
		type min = v[0], max = v[0]; \
		for (size_t i = 1; i < count; i++) { \
			min = v[i] < min ? v[i] : min; \
			max = v[i] > max ? v[i] : max; \
		} \
		store_bounds(out, &min, &max, sizeof(type)); \
	} while (0)

#define FLOAT_BOUNDS(type) \
	do { \
		const type *v = words; \
		type min = (type)__builtin_inf(), max = -(type)__builtin_inf(); \
		for (size_t i = 0; i < count; i++) { \
			min = v[i] < min ? v[i] : min; \
			max = v[i] > max ? v[i] : max; \
			out->nan_count += v[i] != v[i]; \
		} \
		min = min == 0 ? -(type)0.0 : min; \
		max = max == 0 ? (type)0.0 : max; \
		if (out->nan_count < count) \
			store_bounds(out, &min, &max, sizeof(type)); \
	} while (0)

void value_bounds_words(enum value_order order, const void *words,
			size_t count, struct value_bounds *out)
{
	memset(out, 0, sizeof(*out));
	if (count == 0)
		return;
	switch (order) {
	case VALUE_ORDER_BOOL: INTEGER_BOUNDS(uint8_t); break;
	case VALUE_ORDER_I32: INTEGER_BOUNDS(int32_t); break;
	case VALUE_ORDER_I64: INTEGER_BOUNDS(int64_t); break;
	case VALUE_ORDER_F32: FLOAT_BOUNDS(float); break;
	case VALUE_ORDER_F64: FLOAT_BOUNDS(double); break;
	default: break;
	}
}

void value_bounds_fixed(enum value_order order, const uint8_t *data,
			size_t width, size_t count, struct value_bounds *out)
{
	memset(out, 0, sizeof(*out));
	if (count == 0)
		return;
	out->has_bounds = true;
	out->min = out->max = byte_view(data, width);
	for (size_t i = 1; width && i < count; i++) {
		struct byte_view value = byte_view(data + i * width, width);

		if (value_order_compare(order, value, out->min) < 0)
			out->min = value;
		else if (value_order_compare(order, value, out->max) > 0)
			out->max = value;
	}
}

/* The first eight bytes as a number that sorts like them. */
static inline uint64_t prefix_of(const uint8_t *data, size_t length)
{
	uint64_t prefix = load_be64(data);

	if (length >= 8)
		return prefix;
	return length ? prefix & ~(UINT64_MAX >> 8 * length) : 0;
}

void value_bounds_bytes(const uint8_t *data, size_t count,
			struct value_bounds *out)
{
	uint64_t least = UINT64_MAX, greatest = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < count; i++) {
		struct byte_view value = byte_view(data + 4, load_le32(data));
		uint64_t prefix = prefix_of(value.data, value.length);

		data = value.data + value.length;
		if (prefix <= least &&
		    (i == 0 || prefix < least ||
		     compare_bytes(value, out->min) < 0)) {
			least = prefix;
			out->min = value;
		}
		if (prefix >= greatest &&
		    (i == 0 || prefix > greatest ||
		     compare_bytes(value, out->max) > 0)) {
			greatest = prefix;
			out->max = value;
		}
	}
	out->has_bounds = count > 0;
}

void value_bounds_views(const struct byte_view *views, const uint64_t *used,
			size_t count, struct value_bounds *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < count; i++) {
		if (!bits_get(used, i))
			continue;
		if (!out->has_bounds || compare_bytes(views[i], out->min) < 0)
			out->min = views[i];
		if (!out->has_bounds || compare_bytes(views[i], out->max) > 0)
			out->max = views[i];
		out->has_bounds = true;
	}
}

/* Length of the longest prefix of whole characters within limit bytes. */
static size_t text_prefix(struct byte_view value, size_t limit)
{
	size_t length = limit;

	while (length && (value.data[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Make text greater by its last character; the new length, 0 = impossible. */
static size_t increment_text(uint8_t *text, size_t length)
{
	while (length) {
		size_t start = length - 1, used;
		uint32_t code_point;

		while (start && (text[start] & 0xc0) == 0x80)
			start--;
		code_point = utf8_decode(text + start, length - start, &used);
		if (code_point < 0x10ffff) {
			uint8_t bytes[4];
			size_t n;

			code_point++;
			if (code_point >= 0xd800 && code_point <= 0xdfff)
				code_point = 0xe000;
			n = utf8_encode(code_point, bytes);
			/* a longer code would still be greater */
			memcpy(text + start, bytes, n);
			return start + n;
		}
		length = start;
	}
	return 0;
}

static size_t increment_bytes(uint8_t *data, size_t length)
{
	while (length && data[length - 1] == 0xff)
		length--;
	if (length)
		data[length - 1]++;
	return length;
}

struct byte_view value_bound_cut(struct byte_view value, bool is_max,
				 bool is_text, size_t limit, bool *is_cut,
				 struct arena *arena)
{
	size_t length = value.length;
	uint8_t *copy;

	*is_cut = false;
	/* three bytes more: a code may grow by one when incremented */
	copy = arena_alloc_bytes(arena, value.length + 4);
	if (!copy)
		return byte_view(NULL, 0);
	if (value.length)
		memcpy(copy, value.data, value.length);
	if (value.length <= limit)
		return byte_view(copy, value.length);
	length = is_text ? text_prefix(value, limit) : limit;
	if (is_max)
		length = is_text ? increment_text(copy, length)
				 : increment_bytes(copy, length);
	if (length == 0) {
		memcpy(copy, value.data, value.length);
		return byte_view(copy, value.length);
	}
	*is_cut = true;
	return byte_view(copy, length);
}
