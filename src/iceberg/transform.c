/*
 * transform.c - partition transforms (iceberg.md 14)
 *
 * Why:    every engine must place a row in the same partition, so the hash
 *         inputs and roundings are exactly the spec's.
 * How:    integers hash as 8 bytes little-endian whatever their width, so
 *         that widening a column moves no row; times divide by flooring.
 * Limits: a truncation that leaves the type (near INT64_MIN, or a decimal
 *         that gains a digit) is ERROR_OVERFLOW: wrapped around it would
 *         break the order that pruning relies on.
 */
#include <inttypes.h>
#include "iceberg/partition_spec.h"
#include "codec/codec.h"

static const struct {
	const char *name;
	enum transform_kind kind;
} plain_names[] = {
	{ "identity", TRANSFORM_IDENTITY },
	{ "year", TRANSFORM_YEAR },
	{ "month", TRANSFORM_MONTH },
	{ "day", TRANSFORM_DAY },
	{ "hour", TRANSFORM_HOUR },
	{ "void", TRANSFORM_VOID },
};

/* "name[123]" with the number in *out; 0 if it is none or out of range. */
static int32_t read_parameter(const char *text, const char *name)
{
	size_t length = strlen(name);
	int64_t value = 0;
	const char *p;

	for (size_t i = 0; i < length; i++)
		if ((text[i] | 0x20) != name[i])
			return 0;
	p = text + length;
	if (*p++ != '[')
		return 0;
	for (; *p >= '0' && *p <= '9' && value <= INT32_MAX; p++)
		value = value * 10 + (*p - '0');
	if (p[0] != ']' || p[1] != '\0' || value > INT32_MAX)
		return 0;
	return (int32_t)value;
}

int transform_parse(struct transform *out, const char *text,
		    struct arena *arena, struct error *err)
{
	int32_t parameter;

	memset(out, 0, sizeof(*out));
	out->kind = TRANSFORM_UNKNOWN;
	out->text = arena_strdup(arena, text);
	if (!out->text)
		return error_set(err, ERROR_NO_MEMORY, "transform");
	for (size_t i = 0; i < ARRAY_COUNT(plain_names); i++)
		if (text_equal_nocase(text, plain_names[i].name))
			out->kind = plain_names[i].kind;
	parameter = read_parameter(text, "bucket");
	if (parameter > 0) {
		out->kind = TRANSFORM_BUCKET;
		out->parameter = parameter;
	}
	parameter = read_parameter(text, "truncate");
	if (parameter > 0) {
		out->kind = TRANSFORM_TRUNCATE;
		out->parameter = parameter;
	}
	return 0;
}

struct type transform_result_type(const struct transform *transform,
				  const struct type *source)
{
	switch (transform->kind) {
	case TRANSFORM_BUCKET:
	case TRANSFORM_YEAR:
	case TRANSFORM_MONTH:
	case TRANSFORM_HOUR:
		return type_of(TYPE_INTEGER);
	case TRANSFORM_DAY:
		return type_of(TYPE_DATE);
	default:
		return *source;
	}
}

static int refuse(const struct transform *transform, const struct type *type,
		  struct error *err)
{
	char name[TYPE_NAME_BYTES];

	return error_set(err, ERROR_UNSUPPORTED,
			 "partition transform %s of a %s", transform->text,
			 type_name(type, name));
}

static int overflow(const struct transform *transform,
		    const struct literal *value, struct error *err)
{
	char name[TYPE_NAME_BYTES];
	struct text text = TEXT_INIT;

	format_literal(value, &text);
	error_set(err, ERROR_OVERFLOW, "%s of %s leaves the range of %s",
		  transform->text, text.data ? text.data : "a value",
		  type_name(&value->type, name));
	text_release(&text);
	error_hint(err, "a wider type of the column, or another transform, "
		   "has a value for it");
	return ERROR_OVERFLOW;
}

static bool whole_number(const struct literal *value, int64_t *out)
{
	switch (value->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		*out = value->value.int32;
		return true;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		*out = value->value.int64;
		return true;
	default:
		return false;
	}
}

static bool hash_literal(const struct literal *value, uint32_t *out)
{
	uint8_t bytes[16];
	int64_t number;

	if (whole_number(value, &number)) {
		store_le64(bytes, (uint64_t)number);
		*out = hash_murmur3(bytes, 8);
		return true;
	}
	switch (value->type.id) {
	case TYPE_DECIMAL:
		*out = hash_murmur3(bytes, decimal_to_bytes(
						   value->value.decimal,
						   bytes));
		return true;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		*out = hash_murmur3(value->value.bytes.data,
				    value->value.bytes.length);
		return true;
	case TYPE_UUID:
		*out = hash_murmur3(value->value.uuid.bytes, 16);
		return true;
	default:
		return false;
	}
}

static int apply_bucket(const struct transform *transform,
			const struct literal *value, struct literal *out,
			struct error *err)
{
	uint32_t hash;

	if (!hash_literal(value, &hash))
		return refuse(transform, &value->type, err);
	out->value.int32 = (int32_t)((hash & 0x7fffffff) %
				     (uint32_t)transform->parameter);
	return 0;
}

static int truncate_decimal(const struct transform *transform,
			    const struct literal *value, struct literal *out,
			    struct error *err)
{
	int128_t width = transform->parameter, rest;

	rest = value->value.decimal % width;
	if (rest < 0)
		rest += width;
	if (!decimal_sub(value->value.decimal, rest, &out->value.decimal) ||
	    !decimal_fits(out->value.decimal, value->type.precision))
		return overflow(transform, value, err);
	return 0;
}

static int apply_truncate(const struct transform *transform,
			  const struct literal *value, struct arena *arena,
			  struct literal *out, struct error *err)
{
	struct byte_view bytes = value->value.bytes;
	size_t width = (size_t)transform->parameter;
	int64_t number, result;

	switch (value->type.id) {
	case TYPE_INTEGER:
	case TYPE_BIGINT:
		whole_number(value, &number);
		if (__builtin_sub_overflow(number,
					   floor_mod(number, (int64_t)width),
					   &result))
			return overflow(transform, value, err);
		if (value->type.id == TYPE_BIGINT) {
			out->value.int64 = result;
			return 0;
		}
		if (result < INT32_MIN)
			return overflow(transform, value, err);
		out->value.int32 = (int32_t)result;
		return 0;
	case TYPE_DECIMAL:
		return truncate_decimal(transform, value, out, err);
	case TYPE_VARCHAR:
		bytes.length = utf8_prefix_bytes(bytes.data, bytes.length,
						 width);
		break;
	case TYPE_VARBINARY:
		if (bytes.length > width)
			bytes.length = width;
		break;
	default:
		return refuse(transform, &value->type, err);
	}
	bytes.data = arena_copy(arena, bytes.data, bytes.length);
	if (!bytes.data)
		return error_set(err, ERROR_NO_MEMORY, "partition value");
	out->value.bytes = bytes;
	return 0;
}

static int apply_time(const struct transform *transform,
		      const struct literal *value, struct literal *out,
		      struct error *err)
{
	bool is_date = value->type.id == TYPE_DATE;
	int64_t number, days;
	struct civil_date date;

	if (value->type.id == TYPE_TIME || value->type.id == TYPE_INTEGER ||
	    value->type.id == TYPE_BIGINT || !whole_number(value, &number) ||
	    (is_date && transform->kind == TRANSFORM_HOUR))
		return refuse(transform, &value->type, err);
	days = is_date ? number : floor_div(number, US_PER_DAY);
	if (transform->kind == TRANSFORM_HOUR) {
		number = floor_div(number, INT64_C(3600) * US_PER_SECOND);
		if (number < INT32_MIN || number > INT32_MAX)
			return overflow(transform, value, err);
		out->value.int32 = (int32_t)number;
		return 0;
	}
	if (transform->kind == TRANSFORM_DAY) {
		out->value.int32 = (int32_t)days;
		return 0;
	}
	date = civil_from_days((int32_t)days);
	if (transform->kind == TRANSFORM_YEAR)
		out->value.int32 = date.year - 1970;
	else
		out->value.int32 = (date.year - 1970) * 12 + date.month - 1;
	return 0;
}

int transform_apply(const struct transform *transform,
		    const struct literal *value, struct arena *arena,
		    struct literal *out, struct error *err)
{
	int rc;

	*out = literal_null(transform_result_type(transform, &value->type));
	if (transform->kind == TRANSFORM_UNKNOWN)
		return refuse(transform, &value->type, err);
	if (value->is_null || transform->kind == TRANSFORM_VOID)
		return 0;
	switch (transform->kind) {
	case TRANSFORM_IDENTITY:
		if (type_is_nested(&value->type))
			return refuse(transform, &value->type, err);
		return literal_copy(out, value, arena, err);
	case TRANSFORM_BUCKET:
		rc = apply_bucket(transform, value, out, err);
		break;
	case TRANSFORM_TRUNCATE:
		rc = apply_truncate(transform, value, arena, out, err);
		break;
	default:
		rc = apply_time(transform, value, out, err);
	}
	if (!rc)
		out->is_null = false;
	return rc;
}
