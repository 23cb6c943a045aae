/*
 * kernel_cast_text.c - casts from and to VARCHAR
 *
 * Why:    the text forms are Trino's, so that a spec gives the same text on
 *         either engine: TRUE is true, 1e10 is 1.0E10, a TIMESTAMP has all
 *         six digits of its microseconds.
 * How:    parsing and printing come from column/; here are the choice by
 *         type, white space around numbers and times (allowed, as in Trino,
 *         but not around DECIMAL and BOOLEAN), and the errors.
 * Cost:   10-50 ns a row.
 */
#include <stdio.h>
#include "expr/kernel_cast.h"
#include "expr/kernel_zone.h"

#define TIME_TEXT_BYTES (VALUE_TEXT_BYTES + ZONE_NAME_BYTES + 16)

static struct byte_view trimmed(struct byte_view text)
{
	while (text.length && text.data[0] <= ' ') {
		text.data++;
		text.length--;
	}
	while (text.length && text.data[text.length - 1] <= ' ')
		text.length--;
	return text;
}

/* Trino's words; the reader of CSV takes more. */
static int text_to_boolean(const char *data, size_t length, uint8_t *out)
{
	if (length && strchr("yYnN", data[0]) && data[0])
		return ERROR_CAST;
	if (length > 5)
		return ERROR_CAST;
	return parse_boolean(data, length, out);
}

static int text_to_decimal(const char *data, size_t length,
			   struct vector *out, size_t i)
{
	int128_t value;
	int rc = parse_decimal(data, length, out->type.precision,
			       out->type.scale, true, &value);

	if (rc)
		return rc;
	if (type_is_short_decimal(&out->type))
		vector_i64(out)[i] = (int64_t)value;
	else
		vector_i128(out)[i] = value;
	return 0;
}

static int text_to_tinyint(const char *data, size_t length, int8_t *out)
{
	int32_t value;
	int rc = parse_int32(data, length, &value);

	if (rc || value != (int8_t)value)
		return ERROR_CAST;
	*out = (int8_t)value;
	return 0;
}

static int parse_row(const struct kernel_call *call, struct byte_view text,
		     size_t i)
{
	struct vector *out = call->result;
	struct byte_view inner = trimmed(text);
	const char *data = (const char *)inner.data;

	switch (out->type.id) {
	case TYPE_BOOLEAN:
		return text_to_boolean((const char *)text.data, text.length,
				       &vector_bool(out)[i]);
	case TYPE_TINYINT:
		return text_to_tinyint(data, inner.length,
				       &((int8_t *)out->data)[i]);
	case TYPE_INTEGER:
		return parse_int32(data, inner.length, &vector_i32(out)[i]);
	case TYPE_BIGINT:
		return parse_int64(data, inner.length, &vector_i64(out)[i]);
	case TYPE_REAL:
		return parse_real(data, inner.length, &vector_f32(out)[i]);
	case TYPE_DOUBLE:
		return parse_double(data, inner.length, &vector_f64(out)[i]);
	case TYPE_DECIMAL:
		return text_to_decimal((const char *)text.data, text.length,
				       out, i);
	case TYPE_DATE:
		return parse_date(data, inner.length, &vector_i32(out)[i]);
	case TYPE_TIME:
		return parse_time(data, inner.length, &vector_i64(out)[i]);
	case TYPE_TIMESTAMP:
		return parse_timestamp(data, inner.length,
				       &vector_i64(out)[i]);
	case TYPE_TIMESTAMP_TZ:
		return parse_timestamp_tz(data, inner.length,
					  call->context->zone,
					  &vector_i64(out)[i]);
	default:
		return parse_uuid((const char *)text.data, text.length,
				  &vector_uuid(out)[i]);
	}
}

int cast_from_text(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		int rc = parse_row(call, in[i], i);

		if (rc)
			rc = cast_refuse(call, i, ERROR_CAST);
		if (rc)
			return rc;
	}
	return 0;
}

/* The fraction is always there: column/ leaves it out when it is zero. An
 * instant is shown in the zone that its expression tells, else in the session's. */
static size_t format_micros(char *out, const struct kernel_call *call,
			    size_t i)
{
	const struct vector *in = call->args[0];
	const struct time_zone *zone = NULL;
	const char *name = "";
	int64_t value = vector_i64(in)[i], fraction;
	size_t length;

	if (in->type.id == TYPE_TIMESTAMP_TZ) {
		zone = zone_of_args(call);
		name = "UTC";
	}
	if (zone && !__builtin_add_overflow(value,
					    zone_offset_us(call, value),
					    &value))
		name = time_zone_name(zone);
	fraction = floor_mod(value, US_PER_SECOND);
	if (value < INT64_MIN + US_PER_SECOND)
		fraction = 0;
	if (in->type.id == TYPE_TIME)
		length = format_time(out, value - fraction);
	else
		length = format_timestamp(out, value - fraction, false);
	length += (size_t)snprintf(out + length, TIME_TEXT_BYTES - length,
				   ".%06d%s%s", (int)fraction,
				   *name ? " " : "", name);
	return length;
}

static size_t format_row(char *out, const struct kernel_call *call, size_t i)
{
	const struct vector *in = call->args[0];
	char uuid[UUID_TEXT_BYTES];

	switch (in->type.id) {
	case TYPE_BOOLEAN:
		strcpy(out, vector_bool(in)[i] ? "true" : "false");
		return strlen(out);
	case TYPE_TINYINT:
		return format_int64(out, ((const int8_t *)in->data)[i]);
	case TYPE_INTEGER:
		return format_int64(out, vector_i32(in)[i]);
	case TYPE_BIGINT:
		return format_int64(out, vector_i64(in)[i]);
	case TYPE_REAL:
		return format_real(out, vector_f32(in)[i]);
	case TYPE_DOUBLE:
		return format_double(out, vector_f64(in)[i]);
	case TYPE_DECIMAL:
		return format_decimal(out, vector_decimal(in, i),
				      in->type.scale);
	case TYPE_DATE:
		return format_date(out, vector_i32(in)[i]);
	case TYPE_UUID:
		uuid_format(&vector_uuid(in)[i], uuid);
		memcpy(out, uuid, sizeof(uuid));
		return sizeof(uuid) - 1;
	default:
		return format_micros(out, call, i);
	}
}

int cast_to_text(struct kernel_call *call)
{
	struct byte_view *out = vector_bytes(call->result);

	KERNEL_ROWS(call, i) {
		char text[TIME_TEXT_BYTES];
		size_t length = format_row(text, call, i);
		uint8_t *copy = arena_alloc_bytes(call->heap, length);

		if (!copy)
			return error_set(call->err, ERROR_NO_MEMORY, "cast");
		memcpy(copy, text, length);
		out[i] = byte_view(copy, length);
	}
	return 0;
}
