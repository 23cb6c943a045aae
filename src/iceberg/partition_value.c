/*
 * partition_value.c - partition values as manifests hold them (iceberg.md 8.3)
 *
 * Why:    a manifest keeps the Avro type that its writer used; columns may
 *         have been widened since, and some writers store a decimal, a uuid
 *         or a day in another form than the spec's.
 * How:    what is meant is decided by the type of the table, not of the file.
 */
#include "iceberg/partition_value.h"
#include "iceberg/manifest_schema.h"

static bool is_whole(const struct avro_value *v)
{
	return v->type->kind == AVRO_INT || v->type->kind == AVRO_LONG;
}

static bool has_bytes(const struct avro_value *v)
{
	return v->type->kind == AVRO_BYTES || v->type->kind == AVRO_FIXED ||
	       v->type->kind == AVRO_STRING;
}

/* The literal type that an Avro type stands for by itself. */
static struct type own_type(const struct avro_schema *avro)
{
	struct type type = type_of(TYPE_UNKNOWN);
	const char *logical = avro->logical ? avro->logical : "";

	switch (avro->kind) {
	case AVRO_BOOLEAN:
		return type_of(TYPE_BOOLEAN);
	case AVRO_INT:
		return type_of(!strcmp(logical, "date") ? TYPE_DATE
							: TYPE_INTEGER);
	case AVRO_LONG:
		return type_of(TYPE_BIGINT);
	case AVRO_FLOAT:
		return type_of(TYPE_REAL);
	case AVRO_DOUBLE:
		return type_of(TYPE_DOUBLE);
	case AVRO_STRING:
		return type_of(TYPE_VARCHAR);
	case AVRO_BYTES:
		return type_of(TYPE_VARBINARY);
	case AVRO_FIXED:
		if (!strcmp(logical, "decimal") && avro->precision > 0 &&
		    avro->precision <= DECIMAL_MAX_PRECISION &&
		    avro->scale >= 0 && avro->scale <= avro->precision)
			return type_decimal((unsigned)avro->precision,
					    (unsigned)avro->scale);
		if (!strcmp(logical, "uuid"))
			return type_of(TYPE_UUID);
		type = type_of(TYPE_FIXED);
		type.length = avro->size;
		return type;
	default:
		return type;
	}
}

static bool decode_whole(const struct avro_value *v, struct literal *out)
{
	int64_t number = v->value.integer;
	bool is_day = v->type->kind == AVRO_INT && v->type->logical &&
		      !strcmp(v->type->logical, "date");

	if (!is_whole(v))
		return false;
	switch (out->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		out->value.int32 = (int32_t)number;
		return number >= INT32_MIN && number <= INT32_MAX;
	case TYPE_TIMESTAMP:
		/* a date column may have become a timestamp */
		out->value.int64 = number;
		return !is_day ||
		       !__builtin_mul_overflow(number, US_PER_DAY,
					       &out->value.int64);
	default:
		out->value.int64 = number;
		return true;
	}
}

static bool decode_bytes(const struct avro_value *v, struct literal *out)
{
	struct byte_view bytes = v->value.bytes;

	if (!has_bytes(v))
		return false;
	switch (out->type.id) {
	case TYPE_DECIMAL:
		if (bytes.length < 1 || bytes.length > 16)
			return false;
		out->value.decimal = decimal_from_bytes(bytes.data,
							bytes.length);
		return decimal_fits(out->value.decimal, out->type.precision);
	case TYPE_UUID:
		if (v->type->kind == AVRO_STRING)
			return uuid_parse(&out->value.uuid,
					  (const char *)bytes.data,
					  bytes.length);
		if (bytes.length != 16)
			return false;
		memcpy(out->value.uuid.bytes, bytes.data, 16);
		return true;
	case TYPE_VARCHAR:
		out->value.bytes = bytes;
		return utf8_is_valid(bytes.data, bytes.length);
	case TYPE_FIXED:
		out->value.bytes = bytes;
		return bytes.length == out->type.length;
	default:
		out->value.bytes = bytes;
		return true;
	}
}

bool partition_value_decode(const struct avro_value *v,
			    const struct type *type, struct literal *out)
{
	*out = literal_null(*type);
	if (!v->type)
		return true;
	if (type->id == TYPE_UNKNOWN)
		*out = literal_null(own_type(v->type));
	out->is_null = false;
	switch (out->type.id) {
	case TYPE_BOOLEAN:
		out->value.boolean = (uint8_t)v->value.integer;
		return v->type->kind == AVRO_BOOLEAN;
	case TYPE_INTEGER:
	case TYPE_DATE:
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return decode_whole(v, out);
	case TYPE_REAL:
		if (v->type->kind != AVRO_FLOAT)
			return false;
		out->value.real = (float)v->value.real;
		return true;
	case TYPE_DOUBLE:
		out->value.real64 = v->value.real;
		return v->type->kind == AVRO_FLOAT ||
		       v->type->kind == AVRO_DOUBLE;
	case TYPE_DECIMAL:
	case TYPE_UUID:
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return decode_bytes(v, out);
	default:
		return false;
	}
}

/* Two's complement big-endian, sign-extended to the size of its fixed. */
static void put_decimal(const struct literal *value, struct text *out)
{
	unsigned size = decimal_fixed_bytes(value->type.precision);
	uint8_t bytes[16], sign = value->value.decimal < 0 ? 0xff : 0;
	size_t used = decimal_to_bytes(value->value.decimal, bytes);

	for (size_t i = used; i < size; i++)
		text_add_char(out, (char)sign);
	text_add(out, bytes, used);
}

bool partition_value_encode(const struct literal *value,
			    const struct type *type, struct text *out)
{
	avro_put_branch(out, !value->is_null);
	if (value->is_null)
		return true;
	if (!type_equal(&value->type, type))
		return false;
	switch (type->id) {
	case TYPE_BOOLEAN:
		avro_put_boolean(out, value->value.boolean);
		return true;
	case TYPE_INTEGER:
	case TYPE_DATE:
		avro_put_long(out, value->value.int32);
		return true;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		avro_put_long(out, value->value.int64);
		return true;
	case TYPE_REAL:
		avro_put_real(out, (double)value->value.real, true);
		return true;
	case TYPE_DOUBLE:
		avro_put_real(out, value->value.real64, false);
		return true;
	case TYPE_DECIMAL:
		if (!decimal_fits(value->value.decimal, type->precision))
			return false;
		put_decimal(value, out);
		return true;
	case TYPE_UUID:
		text_add(out, value->value.uuid.bytes, 16);
		return true;
	case TYPE_FIXED:
		if (value->value.bytes.length != type->length)
			return false;
		text_add(out, value->value.bytes.data, type->length);
		return true;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		avro_put_bytes(out, value->value.bytes.data,
			       value->value.bytes.length);
		return true;
	default:
		return false;
	}
}
