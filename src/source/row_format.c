/*
 * row_format.c - values to text, for CSV and JSON Lines alike
 *
 * Why:    an export is bound by how fast values become text.
 * How:    the caller reserves room for a row, so that numbers are written in
 *         place without a check. Text is looked at while it is copied
 *         (byte_copy.h).
 */
#include "source/row_format.h"

enum format_kind format_kind_of(const struct type *type)
{
	static const enum format_kind kinds[] = {
		[TYPE_UNKNOWN] = FORMAT_NONE,
		[TYPE_BOOLEAN] = FORMAT_BOOLEAN,
		[TYPE_TINYINT] = FORMAT_TINYINT,
		[TYPE_INTEGER] = FORMAT_INTEGER,
		[TYPE_BIGINT] = FORMAT_BIGINT,
		[TYPE_REAL] = FORMAT_REAL,
		[TYPE_DOUBLE] = FORMAT_DOUBLE,
		[TYPE_DECIMAL] = FORMAT_SHORT_DECIMAL,
		[TYPE_DATE] = FORMAT_DATE,
		[TYPE_TIME] = FORMAT_TIME,
		[TYPE_TIMESTAMP] = FORMAT_TIMESTAMP,
		[TYPE_TIMESTAMP_TZ] = FORMAT_TIMESTAMP_TZ,
		[TYPE_VARCHAR] = FORMAT_TEXT,
		[TYPE_VARBINARY] = FORMAT_BINARY,
		[TYPE_FIXED] = FORMAT_BINARY,
		[TYPE_UUID] = FORMAT_UUID,
		[TYPE_ROW] = FORMAT_NESTED,
		[TYPE_ARRAY] = FORMAT_NESTED,
		[TYPE_MAP] = FORMAT_NESTED,
	};

	if (type_is_long_decimal(type))
		return FORMAT_LONG_DECIMAL;
	return kinds[type->id];
}

static char *put_boolean(char *at, bool value)
{
	memcpy(at, value ? "true\0" : "false", 5);
	return at + 5 - value;
}

char *format_fixed_value(char *at, enum format_kind kind,
			 const struct vector *vector, size_t row)
{
	unsigned scale = vector->type.scale;

	switch (kind) {
	case FORMAT_BOOLEAN:
		return put_boolean(at, vector_bool(vector)[row]);
	case FORMAT_TINYINT:
		return at + format_int64(at,
				((const int8_t *)vector->data)[row]);
	case FORMAT_INTEGER:
		return at + format_int64(at, vector_i32(vector)[row]);
	case FORMAT_BIGINT:
		return at + format_int64(at, vector_i64(vector)[row]);
	case FORMAT_REAL:
		return at + format_real(at, vector_f32(vector)[row]);
	case FORMAT_DOUBLE:
		return at + format_double(at, vector_f64(vector)[row]);
	case FORMAT_SHORT_DECIMAL:
		return at + format_decimal(at, vector_i64(vector)[row], scale);
	case FORMAT_LONG_DECIMAL:
		return at + format_decimal(at, vector_i128(vector)[row],
					   scale);
	case FORMAT_DATE:
		return at + format_date(at, vector_i32(vector)[row]);
	case FORMAT_TIME:
		return at + format_time(at, vector_i64(vector)[row]);
	case FORMAT_TIMESTAMP:
		return at + format_timestamp(at, vector_i64(vector)[row],
					     false);
	case FORMAT_TIMESTAMP_TZ:
		return at + format_timestamp(at, vector_i64(vector)[row],
					     true);
	case FORMAT_UUID:
		uuid_format(&vector_uuid(vector)[row], at);
		return at + UUID_TEXT_BYTES - 1;
	default:
		return at;
	}
}

char *format_hex(char *at, struct byte_view bytes)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.length; i++) {
		*at++ = hex[bytes.data[i] >> 4];
		*at++ = hex[bytes.data[i] & 15];
	}
	return at;
}
