/*
 * literal_json.c - JSON single values: column defaults (iceberg.md 5)
 *
 * Why:    defaults stand in the schema in the spec's own notation.
 * How:    by the value parsers of column/, which are exact or refuse.
 * Limits: primitives. NaN and infinities have no JSON form and are refused.
 */
#include <math.h>
#include "iceberg/literal_json.h"
#include "iceberg/schema_json.h"

static int read_bytes(struct json_reader *json, const struct type *type,
		      struct arena *arena, struct literal *out,
		      struct error *err)
{
	const char *text = json_string(json);
	size_t length = strlen(text), used = 0;
	uint8_t *data = arena_alloc_bytes(arena, length + 1);

	if (!data)
		return error_set(err, ERROR_NO_MEMORY, "default value");
	if (type->id == TYPE_VARCHAR) {
		memcpy(data, text, length);
		used = length;
	} else if (length % 2 || (length && text[0] == '\\') ||
		   parse_hex(text, length, data, &used)) {
		json_fail(json, "malformed hexadecimal default");
	} else if (type->id == TYPE_FIXED && used != type->length) {
		json_fail(json, "a default of the wrong length");
	}
	out->value.bytes = byte_view(data, used);
	return 0;
}

/* Types whose JSON form is a string. */
static int read_text(struct json_reader *json, const struct type *type,
		     struct literal *out)
{
	const char *text = json_string(json);
	size_t length = strlen(text);

	switch (type->id) {
	case TYPE_DECIMAL:
		return parse_decimal(text, length, type->precision,
				     type->scale, false, &out->value.decimal);
	case TYPE_DATE:
		return parse_date(text, length, &out->value.int32);
	case TYPE_TIME:
		return parse_time(text, length, &out->value.int64);
	case TYPE_TIMESTAMP:
		return parse_timestamp(text, length, &out->value.int64);
	case TYPE_TIMESTAMP_TZ:
		return parse_timestamp_tz(text, length, NULL,
					  &out->value.int64);
	default:
		return parse_uuid(text, length, &out->value.uuid);
	}
}

int literal_json_read(struct json_reader *json, const struct type *type,
		      struct arena *arena, struct literal *out,
		      struct error *err)
{
	struct byte_view number;
	int rc = 0;

	*out = literal_null(*type);
	out->is_null = false;
	switch (type->id) {
	case TYPE_BOOLEAN:
		out->value.boolean = json_boolean(json);
		return 0;
	case TYPE_INTEGER:
		out->value.int32 = json_int32(json);
		return 0;
	case TYPE_BIGINT:
		out->value.int64 = json_int64(json);
		return 0;
	case TYPE_REAL:
		number = json_number(json);
		rc = parse_real((const char *)number.data, number.length,
				&out->value.real);
		break;
	case TYPE_DOUBLE:
		number = json_number(json);
		rc = parse_double((const char *)number.data, number.length,
				  &out->value.real64);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return read_bytes(json, type, arena, out, err);
	default:
		rc = read_text(json, type, out);
	}
	if (rc)
		json_fail(json, "a default that does not fit its type");
	return 0;
}

static size_t format_number(const struct literal *literal, char *out)
{
	switch (literal->type.id) {
	case TYPE_INTEGER:
		return format_int64(out, literal->value.int32);
	case TYPE_BIGINT:
		return format_int64(out, literal->value.int64);
	case TYPE_REAL:
		return isfinite(literal->value.real)
			       ? format_real(out, literal->value.real) : 0;
	case TYPE_DOUBLE:
		return isfinite(literal->value.real64)
			       ? format_double(out, literal->value.real64)
			       : 0;
	default:
		return 0;
	}
}

static size_t format_quoted(const struct literal *literal, char *out)
{
	size_t length;
	char *blank;

	switch (literal->type.id) {
	case TYPE_DECIMAL:
		return format_decimal(out, literal->value.decimal,
				      literal->type.scale);
	case TYPE_DATE:
		return format_date(out, literal->value.int32);
	case TYPE_TIME:
		return format_time(out, literal->value.int64);
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		length = format_timestamp(out, literal->value.int64,
					  literal->type.id ==
						  TYPE_TIMESTAMP_TZ);
		blank = memchr(out, ' ', length);
		if (blank)
			*blank = 'T';
		return length;
	case TYPE_UUID:
		uuid_format(&literal->value.uuid, out);
		return UUID_TEXT_BYTES - 1;
	default:
		return 0;
	}
}

int literal_json_format(const struct literal *literal, struct text *out,
			struct error *err)
{
	struct byte_view bytes = literal->value.bytes;
	char text[VALUE_TEXT_BYTES];
	size_t length;

	if (literal->is_null) {
		text_add_str(out, "null");
	} else if (literal->type.id == TYPE_BOOLEAN) {
		text_add_str(out, literal->value.boolean ? "true" : "false");
	} else if (literal->type.id == TYPE_VARCHAR) {
		text_add_json(out, (const char *)bytes.data, bytes.length);
	} else if (literal->type.id == TYPE_VARBINARY ||
		   literal->type.id == TYPE_FIXED) {
		text_add_char(out, '"');
		for (size_t i = 0; i < bytes.length; i++)
			text_addf(out, "%02x", bytes.data[i]);
		text_add_char(out, '"');
	} else if ((length = format_number(literal, text)) > 0) {
		text_add(out, text, length);
	} else if ((length = format_quoted(literal, text)) > 0) {
		text_add_char(out, '"');
		text_add(out, text, length);
		text_add_char(out, '"');
	} else {
		return error_set(err, ERROR_UNSUPPORTED,
				 "a default without a JSON form");
	}
	if (out->failed)
		return error_set(err, ERROR_NO_MEMORY, "JSON value");
	return 0;
}
