/*
 * value_convert.c - physical values to the values of a vector
 *
 * Why:    one SQL type has many forms in files: decimals of four physical
 *         types, times in three units, ints that a table has widened since.
 * How:    the pair (leaf, wanted type) gives one of a few loops, chosen once
 *         a chunk; dictionaries are converted once and then only looked up.
 * Limits: ns are cut to us towards the past, or refused if not whole. INT96 and ms that leave the
 *         range of 64-bit us, and decimals that leave their storage, are
 *         ERROR_CORRUPT.
 */
#include "parquet/value_convert.h"

#define JULIAN_EPOCH 2440588	/* 1970-01-01 */

static int cannot_become(const struct leaf_column *leaf,
			 const struct type *want, struct error *err)
{
	char have[TYPE_NAME_BYTES], wanted[TYPE_NAME_BYTES];

	if (!leaf->has_type)
		return error_set(err, ERROR_UNSUPPORTED,
				 "cannot read Parquet column %s: its kind is "
				 "not supported", leaf->door.path);
	return error_set(err, ERROR_UNSUPPORTED,
			 "Parquet column %s is %s and cannot be read as %s",
			 leaf->door.path, type_name(&leaf->door.type, have),
			 type_name(want, wanted));
}

static long choose_int32(const struct leaf_column *leaf,
			 const struct type *want)
{
	const struct logical_type *logical = &leaf->logical;
	bool is_uint32 = logical->kind == LOGICAL_INTEGER &&
			 logical->bit_width == 32 && !logical->is_signed;

	switch (logical->kind) {
	case LOGICAL_NONE:
	case LOGICAL_INTEGER:
		if (want->id == TYPE_INTEGER && !is_uint32)
			return CONVERT_COPY;
		if (want->id == TYPE_BIGINT)
			return is_uint32 ? CONVERT_U32_TO_I64
					 : CONVERT_I32_TO_I64;
		return -1;
	case LOGICAL_DATE:
		if (want->id == TYPE_DATE)
			return CONVERT_COPY;
		return want->id == TYPE_TIMESTAMP ? CONVERT_DATE_TO_US : -1;
	case LOGICAL_TIME:
		return want->id == TYPE_TIME ? CONVERT_TIME_MS : -1;
	default:
		return -1;
	}
}

static long choose_int64(const struct leaf_column *leaf,
			 const struct type *want)
{
	const struct logical_type *logical = &leaf->logical;
	bool fits = false;

	switch (logical->kind) {
	case LOGICAL_NONE:
		return want->id == TYPE_BIGINT ? CONVERT_COPY : -1;
	case LOGICAL_INTEGER:
		if (logical->is_signed)
			return want->id == TYPE_BIGINT ? CONVERT_COPY : -1;
		return want->id == TYPE_DECIMAL && want->scale == 0 &&
				       want->precision >=
					       leaf->door.type.precision
			       ? CONVERT_U64_TO_I128
			       : -1;
	case LOGICAL_TIME:
		fits = want->id == TYPE_TIME;
		break;
	case LOGICAL_TIMESTAMP:
		fits = want->id == TYPE_TIMESTAMP ||
		       want->id == TYPE_TIMESTAMP_TZ;
		break;
	default:
		break;
	}
	if (!fits)
		return -1;
	return logical->unit == UNIT_MICROS   ? CONVERT_COPY
	       : logical->unit == UNIT_MILLIS ? CONVERT_MS_TO_US
					      : CONVERT_NS_TO_US;
}

static long choose_decimal(const struct leaf_column *leaf,
			   const struct type *want)
{
	bool is_short = type_is_short_decimal(want);

	if (want->id != TYPE_DECIMAL || want->scale != leaf->door.type.scale ||
	    want->precision < leaf->door.type.precision)
		return -1;
	switch (leaf->physical) {
	case PHYSICAL_INT32:
		return is_short ? CONVERT_I32_TO_I64 : CONVERT_I32_TO_I128;
	case PHYSICAL_INT64:
		return is_short ? CONVERT_COPY : CONVERT_I64_TO_I128;
	case PHYSICAL_BYTE_ARRAY:
		return is_short ? CONVERT_VIEW_TO_I64 : CONVERT_VIEW_TO_I128;
	default:
		return is_short ? CONVERT_FIXED_TO_I64 : CONVERT_FIXED_TO_I128;
	}
}

static long choose_bytes(const struct leaf_column *leaf,
			 const struct type *want)
{
	bool is_fixed = leaf->physical == PHYSICAL_FIXED;

	switch (want->id) {
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		return is_fixed ? CONVERT_FIXED_TO_VIEW : CONVERT_COPY;
	case TYPE_FIXED:
		if (!is_fixed)
			return CONVERT_VIEW_TO_FIXED;
		return leaf->type_length == want->length
			       ? CONVERT_FIXED_TO_VIEW
			       : -1;
	case TYPE_UUID:
		return is_fixed && leaf->type_length == 16 ? CONVERT_COPY : -1;
	default:
		return -1;
	}
}

static long choose_kind(const struct leaf_column *leaf,
			const struct type *want)
{
	if (leaf->logical.kind == LOGICAL_NULL)
		return CONVERT_ALL_NULL;
	if (leaf->logical.kind == LOGICAL_DECIMAL)
		return choose_decimal(leaf, want);
	switch (leaf->physical) {
	case PHYSICAL_BOOLEAN:
		return want->id == TYPE_BOOLEAN ? CONVERT_COPY : -1;
	case PHYSICAL_INT32: return choose_int32(leaf, want);
	case PHYSICAL_INT64: return choose_int64(leaf, want);
	case PHYSICAL_INT96:
		return want->id == TYPE_TIMESTAMP ||
				       want->id == TYPE_TIMESTAMP_TZ
			       ? CONVERT_INT96
			       : -1;
	case PHYSICAL_FLOAT:
		return want->id == TYPE_REAL	 ? CONVERT_COPY
		       : want->id == TYPE_DOUBLE ? CONVERT_F32_TO_F64
						 : -1;
	case PHYSICAL_DOUBLE:
		return want->id == TYPE_DOUBLE ? CONVERT_COPY : -1;
	case PHYSICAL_BYTE_ARRAY: return choose_bytes(leaf, want);
	case PHYSICAL_FIXED:
		if (leaf->logical.kind != LOGICAL_FLOAT16)
			return choose_bytes(leaf, want);
		return want->id == TYPE_REAL	 ? CONVERT_F16_TO_F32
		       : want->id == TYPE_DOUBLE ? CONVERT_F16_TO_F64
						 : -1;
	}
	return -1;
}

static size_t physical_width(const struct leaf_column *leaf)
{
	switch (leaf->physical) {
	case PHYSICAL_BOOLEAN: return 1;
	case PHYSICAL_INT32:
	case PHYSICAL_FLOAT: return 4;
	case PHYSICAL_INT64:
	case PHYSICAL_DOUBLE: return 8;
	case PHYSICAL_INT96: return 12;
	case PHYSICAL_BYTE_ARRAY: return sizeof(struct byte_view);
	case PHYSICAL_FIXED: break;
	}
	return leaf->type_length;
}

int value_convert_choose(struct value_convert *out,
			 const struct leaf_column *leaf,
			 const struct type *want, struct error *err)
{
	long kind = leaf->has_type ? choose_kind(leaf, want) : -1;

	if (kind < 0)
		return cannot_become(leaf, want, err);
	out->kind = (enum convert_kind)kind;
	out->in_width = physical_width(leaf);
	out->out_width = type_width(want);
	out->length = kind == CONVERT_VIEW_TO_FIXED ? want->length
						    : leaf->type_length;
	out->is_text = want->id == TYPE_VARCHAR;
	out->is_exact = leaf->exact_times;
	return 0;
}

static float half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff, bits;
	float value;

	if (exponent == 31) {
		bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent) {
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	} else {
		value = (float)fraction * 0x1p-24f;
		return sign ? -value : value;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int too_big(struct error *err)
{
	return error_set(err, ERROR_CORRUPT,
			 "a value does not fit the column's type");
}

/* Words in, words out. */
#define CONVERT_LOOP(in_type, out_type, expression) \
	do { \
		const in_type *from = in; \
		out_type *to = out; \
		for (size_t i = 0; i < count; i++) { \
			in_type v = from[i]; \
			to[i] = (expression); \
		} \
	} while (0)

static int scale_ms(const int64_t *in, size_t count, int64_t *out,
		    struct error *err)
{
	bool bad = false;

	for (size_t i = 0; i < count; i++)
		bad |= __builtin_mul_overflow(in[i], INT64_C(1000), &out[i]);
	return bad ? too_big(err) : 0;
}

static int64_t floor_div_1000(int64_t v)
{
	return v / 1000 - (v % 1000 < 0);
}

static int days_to_us(const int32_t *in, size_t count, int64_t *out,
		      struct error *err)
{
	bool bad = false;

	for (size_t i = 0; i < count; i++)
		bad |= __builtin_mul_overflow((int64_t)in[i], US_PER_DAY,
					      &out[i]);
	return bad ? too_big(err) : 0;
}

/* Spark lets the day wrap beyond the year 288000, and then the nanoseconds
 * are negative; wrapping back gives what was meant. */
static int int96_to_us(const uint8_t *in, size_t count, int64_t *out,
		       struct error *err)
{
	for (size_t i = 0; i < count; i++, in += 12) {
		int64_t nanos = (int64_t)load_le64(in), us;
		int64_t day = (int64_t)(int32_t)load_le32(in + 8) -
			      JULIAN_EPOCH;
		bool wraps = __builtin_mul_overflow(day, US_PER_DAY, &us);

		wraps |= __builtin_add_overflow(us, floor_div_1000(nanos), &us);
		if (wraps && nanos >= 0)
			return too_big(err);
		out[i] = us;
	}
	return 0;
}

/* Big-endian two's complement of any length; false if it leaves 128 bits. */
static bool decimal_of(const uint8_t *data, size_t length, int128_t *out)
{
	if (length == 0)
		return false;
	while (length > 16) {
		uint8_t fill = data[1] & 0x80 ? 0xff : 0;

		if (data[0] != fill)
			return false;
		data++;
		length--;
	}
	*out = decimal_from_bytes(data, length);
	return true;
}

static int decimals(const struct value_convert *convert, const uint8_t *in,
		    const struct byte_view *views, size_t count, void *out,
		    struct error *err)
{
	bool is_short = convert->out_width == 8;

	for (size_t i = 0; i < count; i++) {
		struct byte_view value;
		int128_t unscaled;

		value = views ? views[i]
			      : byte_view(in + i * convert->length,
					  convert->length);
		if (!decimal_of(value.data, value.length, &unscaled))
			return too_big(err);
		if (!is_short)
			((int128_t *)out)[i] = unscaled;
		else if (unscaled != (int64_t)unscaled)
			return too_big(err);
		else
			((int64_t *)out)[i] = (int64_t)unscaled;
	}
	return 0;
}

static int check_lengths(const struct value_convert *convert,
			 const struct byte_view *in, size_t count, void *out,
			 struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (in[i].length != convert->length)
			return too_big(err);
	if (out != in)
		memcpy(out, in, count * sizeof(*in));
	return 0;
}

bool value_views_are_text(const struct byte_view *views, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!utf8_is_valid(views[i].data, views[i].length))
			return false;
	return true;
}

static int fixed_to_views(const struct value_convert *convert,
			  const uint8_t *in, size_t count,
			  struct byte_view *out, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		out[i] = byte_view(in + i * convert->length, convert->length);
	if (convert->is_text && !value_views_are_text(out, count))
		return error_set(err, ERROR_CORRUPT, "text is not UTF-8");
	return 0;
}

static int check_whole_us(const int64_t *in, size_t count, size_t stride,
			  struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		int64_t nanos = (int64_t)load_le64((const uint8_t *)in +
						   i * stride);

		if (nanos % 1000 == 0)
			continue;
		error_set(err, ERROR_CAST, "a time is not a whole number of "
			  "microseconds");
		return error_hint(err, "the writer can round to "
				  "microseconds; here no digit is cut");
	}
	return 0;
}

int value_convert_run(const struct value_convert *convert, const void *in,
		      size_t count, void *out, struct error *err)
{
	if (convert->is_exact && (convert->kind == CONVERT_NS_TO_US ||
				  convert->kind == CONVERT_INT96) &&
	    check_whole_us(in, count, convert->in_width, err))
		return ERROR_CAST;
	switch (convert->kind) {
	case CONVERT_COPY:
		if (in != out && count)
			memcpy(out, in, count * convert->out_width);
		return 0;
	case CONVERT_I32_TO_I64: CONVERT_LOOP(int32_t, int64_t, v); return 0;
	case CONVERT_U32_TO_I64: CONVERT_LOOP(uint32_t, int64_t, v); return 0;
	case CONVERT_I32_TO_I128: CONVERT_LOOP(int32_t, int128_t, v); return 0;
	case CONVERT_I64_TO_I128: CONVERT_LOOP(int64_t, int128_t, v); return 0;
	case CONVERT_U64_TO_I128: CONVERT_LOOP(uint64_t, int128_t, v); return 0;
	case CONVERT_TIME_MS:
		CONVERT_LOOP(int32_t, int64_t, v * INT64_C(1000));
		return 0;
	case CONVERT_DATE_TO_US: return days_to_us(in, count, out, err);
	case CONVERT_NS_TO_US:
		CONVERT_LOOP(int64_t, int64_t, floor_div_1000(v));
		return 0;
	case CONVERT_F32_TO_F64: CONVERT_LOOP(float, double, v); return 0;
	case CONVERT_F16_TO_F32:
		CONVERT_LOOP(uint16_t, float, half_to_float(v));
		return 0;
	case CONVERT_F16_TO_F64:
		CONVERT_LOOP(uint16_t, double, half_to_float(v));
		return 0;
	case CONVERT_MS_TO_US: return scale_ms(in, count, out, err);
	case CONVERT_INT96: return int96_to_us(in, count, out, err);
	case CONVERT_FIXED_TO_VIEW:
		return fixed_to_views(convert, in, count, out, err);
	case CONVERT_FIXED_TO_I64:
	case CONVERT_FIXED_TO_I128:
		return decimals(convert, in, NULL, count, out, err);
	case CONVERT_VIEW_TO_I64:
	case CONVERT_VIEW_TO_I128:
		return decimals(convert, NULL, in, count, out, err);
	case CONVERT_VIEW_TO_FIXED:
		return check_lengths(convert, in, count, out, err);
	case CONVERT_ALL_NULL:
		break;
	}
	return count ? too_big(err) : 0;
}
