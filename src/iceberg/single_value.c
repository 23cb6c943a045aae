/*
 * single_value.c - values as the bytes of bounds (iceberg.md 11)
 *
 *	type			bytes
 *	boolean			1: 00 or 01
 *	int, date		4 LE
 *	long, time, timestamps	8 LE
 *	float, double		4, 8 LE
 *	string, fixed, binary	as they are
 *	uuid			16 BE
 *	decimal			two's complement BE, as short as it gets
 *
 * Why:    column bounds and partition summaries use this form.
 * Limits: a bound written before a column was widened is shorter than its
 *         type: int as long, float as double and date as timestamp are read.
 */
#include "iceberg/single_value.h"
#include "codec/codec.h"

int single_value_encode(const struct literal *value, struct text *out,
			struct error *err)
{
	uint8_t bytes[16];
	uint64_t word;
	uint32_t half;
	bool ok;

	switch (value->type.id) {
	case TYPE_BOOLEAN:
		ok = text_add_char(out, value->value.boolean ? 1 : 0);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		ok = text_add_le32(out, (uint32_t)value->value.int32);
		break;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		ok = text_add_le64(out, (uint64_t)value->value.int64);
		break;
	case TYPE_REAL:
		memcpy(&half, &value->value.real, sizeof(half));
		ok = text_add_le32(out, half);
		break;
	case TYPE_DOUBLE:
		memcpy(&word, &value->value.real64, sizeof(word));
		ok = text_add_le64(out, word);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		ok = text_add(out, value->value.bytes.data,
			      value->value.bytes.length);
		break;
	case TYPE_UUID:
		ok = text_add(out, value->value.uuid.bytes, 16);
		break;
	case TYPE_DECIMAL:
		ok = text_add(out, bytes,
			      decimal_to_bytes(value->value.decimal, bytes));
		break;
	default:
		return error_set(err, ERROR_INTERNAL,
				 "a type without a binary form");
	}
	return ok ? 0 : error_set(err, ERROR_NO_MEMORY, "binary value");
}

static bool decode_number(const struct type *type, struct byte_view bytes,
			  struct literal *out)
{
	bool is_short = bytes.length == 4;
	uint64_t word;
	uint32_t half;
	float real;

	if (!is_short && bytes.length != 8)
		return false;
	half = is_short ? load_le32(bytes.data) : 0;
	word = is_short ? 0 : load_le64(bytes.data);
	switch (type->id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		out->value.int32 = (int32_t)half;
		return is_short;
	case TYPE_BIGINT:
		out->value.int64 = is_short ? (int32_t)half : (int64_t)word;
		return true;
	case TYPE_TIME:
		out->value.int64 = (int64_t)word;
		return !is_short;
	case TYPE_TIMESTAMP:
		/* 4 bytes: a date from before the column was widened */
		out->value.int64 = (int64_t)word;
		return !is_short ||
		       !__builtin_mul_overflow((int64_t)(int32_t)half,
					       US_PER_DAY,
					       &out->value.int64);
	case TYPE_TIMESTAMP_TZ:
		out->value.int64 = (int64_t)word;
		return !is_short;
	case TYPE_REAL:
		memcpy(&out->value.real, &half, sizeof(half));
		return is_short;
	default:
		memcpy(&real, &half, sizeof(real));
		memcpy(&out->value.real64, &word, sizeof(word));
		if (is_short)
			out->value.real64 = (double)real;
		return true;
	}
}

static bool decode(const struct type *type, struct byte_view bytes,
		   struct literal *out)
{
	switch (type->id) {
	case TYPE_BOOLEAN:
		if (bytes.length != 1)
			return false;
		out->value.boolean = bytes.data[0] != 0;
		return true;
	case TYPE_INTEGER:
	case TYPE_DATE:
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
	case TYPE_REAL:
	case TYPE_DOUBLE:
		return decode_number(type, bytes, out);
	case TYPE_DECIMAL:
		if (bytes.length < 1 || bytes.length > 16)
			return false;
		out->value.decimal = decimal_from_bytes(bytes.data,
							bytes.length);
		return decimal_fits(out->value.decimal, type->precision);
	case TYPE_VARCHAR:
		out->value.bytes = bytes;
		return utf8_is_valid(bytes.data, bytes.length);
	case TYPE_VARBINARY:
		out->value.bytes = bytes;
		return true;
	case TYPE_FIXED:
		out->value.bytes = bytes;
		return bytes.length == type->length;
	case TYPE_UUID:
		if (bytes.length != 16)
			return false;
		memcpy(out->value.uuid.bytes, bytes.data, 16);
		return true;
	default:
		return false;
	}
}

int single_value_decode(const struct type *type, struct byte_view bytes,
			struct literal *out, struct error *err)
{
	char name[TYPE_NAME_BYTES];

	*out = literal_null(*type);
	if (decode(type, bytes, out)) {
		out->is_null = false;
		return 0;
	}
	*out = literal_null(*type);
	return error_set(err, ERROR_CORRUPT, "%zu bytes are no %s",
			 bytes.length, type_name(type, name));
}

/*
 * The next code point above, stepping over the surrogates; 0 = none.
 */
static uint32_t next_code_point(uint32_t code)
{
	if (code == 0x10ffff)
		return 0;
	return code == 0xd7ff ? 0xe000 : code + 1;
}

/* Increment the last code point that can be; the rest is dropped. */
static bool increment_text(uint8_t *data, size_t *length)
{
	while (*length > 0) {
		size_t start = *length - 1, used;
		uint32_t code;

		while (start > 0 && (data[start] & 0xc0) == 0x80)
			start--;
		code = next_code_point(utf8_decode(data + start,
						   *length - start, &used));
		*length = start;
		if (!code)
			continue;
		/* may take one byte more than before: the caller has room */
		*length += utf8_encode(code, data + start);
		return true;
	}
	return false;
}

static bool increment_binary(uint8_t *data, size_t *length)
{
	while (*length > 0) {
		if (++data[*length - 1] != 0)
			return true;
		--*length;
	}
	return false;
}

int bound_truncate(const struct literal *value, bool upper, size_t width,
		   struct arena *arena, struct literal *out, bool *valid,
		   struct error *err)
{
	struct byte_view bytes = value->value.bytes;
	bool is_text = value->type.id == TYPE_VARCHAR;
	size_t length;
	uint8_t *copy;

	*valid = true;
	*out = literal_null(value->type);
	if (!is_text && value->type.id != TYPE_VARBINARY)
		return literal_copy(out, value, arena, err);
	length = bytes.length;
	if (is_text)
		length = utf8_prefix_bytes(bytes.data, length, width);
	else if (length > width)
		length = width;
	if (length == bytes.length)
		return literal_copy(out, value, arena, err);
	copy = arena_alloc_bytes(arena, length + 4);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "column bound");
	memcpy(copy, bytes.data, length);
	if (upper)
		*valid = is_text ? increment_text(copy, &length)
				 : increment_binary(copy, &length);
	if (!*valid)
		return 0;
	out->is_null = false;
	out->value.bytes = byte_view(copy, length);
	return 0;
}
