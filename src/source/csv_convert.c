/*
 * csv_convert.c - fields to columns
 *
 * Why:    a type is looked at once per column and batch, not once per value.
 * How:    the values of a column are extracted to views, then one loop per
 *         type turns them into the vector. Text is not copied: its views are
 *         the vector. The first row that does not convert ends the loop, and
 *         the columns after it look only at the rows before it, so that the
 *         error does not depend on the order of columns.
 * Cost:   2 to 20 ns a value.
 */
#include "source/csv_convert.h"
#include "codec/codec.h"

#include <inttypes.h>

/* How much of a value a message shows. */
#define SHOWN_BYTES 100

struct csv_converter {
	struct csv_conversion what;
	struct byte_view *views;	/* BATCH_ROW_COUNT, not for text */
};

/* A value that did not convert. */
struct failure {
	size_t row;		/* of the batch; = count: none */
	size_t column;
	enum error_code code;
	struct byte_view value;
};

int csv_converter_new(struct csv_converter **out,
		      const struct csv_conversion *what, struct error *err)
{
	struct csv_converter *converter = mem_zalloc(sizeof(*converter));

	*out = NULL;
	if (converter)
		converter->views = mem_alloc_array(BATCH_ROW_COUNT,
						   sizeof(struct byte_view));
	if (!converter || !converter->views) {
		csv_converter_free(converter);
		return error_set(err, ERROR_NO_MEMORY, "convert fields");
	}
	converter->what = *what;
	*out = converter;
	return 0;
}

void csv_converter_free(struct csv_converter *converter)
{
	if (!converter)
		return;
	mem_free(converter->views);
	mem_free(converter);
}

int csv_convert_check_type(const struct type *type, const char *column_name,
			   struct error *err)
{
	char name[TYPE_NAME_BYTES];

	if (!type_is_nested(type))
		return 0;
	error_set(err, ERROR_UNSUPPORTED,
		  "column %s of type %s cannot be read from CSV", column_name,
		  type_name(type, name));
	return error_field(err, column_name);
}

/*
 * One loop per type over views v[0 .. count): each returns the first row that
 * does not convert, or count. A NULL leaves zeroes.
 */
#define CONVERT_LOOP(value_type, call) \
	do { \
		value_type *out = vector->data; \
		for (size_t i = 0; i < count; i++) { \
			const char *data = (const char *)v[i].data; \
			size_t length = v[i].length; \
			if (!data) { \
				memset(&out[i], 0, sizeof(out[i])); \
				continue; \
			} \
			if (call) \
				return i; \
		} \
		return count; \
	} while (0)

static size_t convert_boolean(struct vector *vector,
			      const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(uint8_t, parse_boolean(data, length, &out[i]));
}

static int parse_tinyint(const char *data, size_t length, int8_t *out)
{
	int32_t value;
	int rc = parse_int32(data, length, &value);

	*out = (int8_t)value;
	return rc ? rc : value == *out ? 0 : ERROR_OVERFLOW;
}

static size_t convert_tinyint(struct vector *vector,
			      const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int8_t, parse_tinyint(data, length, &out[i]));
}

static size_t convert_integer(struct vector *vector,
			      const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int32_t, parse_int32(data, length, &out[i]));
}

static size_t convert_bigint(struct vector *vector,
			     const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int64_t, parse_int64(data, length, &out[i]));
}

static size_t convert_real(struct vector *vector, const struct byte_view *v,
			   size_t count)
{
	CONVERT_LOOP(float, parse_real(data, length, &out[i]));
}

static size_t convert_double(struct vector *vector,
			     const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(double, parse_double(data, length, &out[i]));
}

static int parse_short_decimal(const char *data, size_t length,
			       const struct type *type, int64_t *out)
{
	int128_t value;
	int rc = parse_decimal(data, length, type->precision, type->scale,
			       false, &value);

	*out = (int64_t)value;
	return rc;
}

static size_t convert_short_decimal(struct vector *vector,
				    const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int64_t, parse_short_decimal(data, length, &vector->type,
						  &out[i]));
}

static size_t convert_long_decimal(struct vector *vector,
				   const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int128_t, parse_decimal(data, length,
					     vector->type.precision,
					     vector->type.scale, false,
					     &out[i]));
}

static size_t convert_date(struct vector *vector, const struct byte_view *v,
			   size_t count)
{
	CONVERT_LOOP(int32_t, parse_date(data, length, &out[i]));
}

static size_t convert_time(struct vector *vector, const struct byte_view *v,
			   size_t count)
{
	CONVERT_LOOP(int64_t, parse_time(data, length, &out[i]));
}

static size_t convert_timestamp(struct vector *vector,
				const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int64_t, parse_timestamp(data, length, &out[i]));
}

static size_t convert_timestamp_tz(struct vector *vector,
				   const struct byte_view *v, size_t count)
{
	CONVERT_LOOP(int64_t, parse_timestamp_tz(data, length, 0, &out[i]));
}

static size_t convert_uuid(struct vector *vector, const struct byte_view *v,
			   size_t count)
{
	CONVERT_LOOP(struct uuid, parse_uuid(data, length, &out[i]));
}

static size_t convert_numbers(struct vector *vector,
			      const struct byte_view *v, size_t count)
{
	switch (vector->type.id) {
	case TYPE_BOOLEAN:
		return convert_boolean(vector, v, count);
	case TYPE_TINYINT:
		return convert_tinyint(vector, v, count);
	case TYPE_INTEGER:
		return convert_integer(vector, v, count);
	case TYPE_BIGINT:
		return convert_bigint(vector, v, count);
	case TYPE_REAL:
		return convert_real(vector, v, count);
	case TYPE_DOUBLE:
		return convert_double(vector, v, count);
	case TYPE_DECIMAL:
		return type_is_short_decimal(&vector->type)
			? convert_short_decimal(vector, v, count)
			: convert_long_decimal(vector, v, count);
	case TYPE_DATE:
		return convert_date(vector, v, count);
	case TYPE_TIME:
		return convert_time(vector, v, count);
	case TYPE_TIMESTAMP:
		return convert_timestamp(vector, v, count);
	case TYPE_TIMESTAMP_TZ:
		return convert_timestamp_tz(vector, v, count);
	case TYPE_UUID:
		return convert_uuid(vector, v, count);
	default:	/* UNKNOWN: nothing but NULL is one */
		for (size_t i = 0; i < count; i++)
			if (v[i].data)
				return i;
		memset(vector->data, 0, count);
		return count;
	}
}

/* Hex to bytes in heap. */
static int convert_binary(struct vector *vector, const struct byte_view *v,
			  size_t count, struct arena *heap, size_t *row_out,
			  struct error *err)
{
	struct byte_view *out = vector->data;
	bool fixed = vector->type.id == TYPE_FIXED;

	for (size_t i = 0; i < count; i++) {
		size_t length = 0;
		uint8_t *bytes;

		out[i] = byte_view(NULL, 0);
		if (!v[i].data)
			continue;
		bytes = arena_alloc_bytes(heap, v[i].length / 2 + 1);
		if (!bytes)
			return error_set(err, ERROR_NO_MEMORY,
					 "convert fields");
		if (parse_hex((const char *)v[i].data, v[i].length, bytes,
			      &length) ||
		    (fixed && length != vector->type.length)) {
			*row_out = i;
			return 0;
		}
		out[i] = byte_view(bytes, length);
	}
	*row_out = count;
	return 0;
}

/* The first row that is not UTF-8. */
static size_t check_text(const struct byte_view *views, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (views[i].length &&
		    !utf8_is_valid(views[i].data, views[i].length))
			return i;
	return count;
}

static int mark_nulls(struct vector *vector, const struct byte_view *views,
		      size_t count, struct error *err)
{
	bool has_nulls = false;
	int rc;

	for (size_t i = 0; i < count; i++)
		has_nulls |= !views[i].data;
	if (!has_nulls)
		return 0;
	rc = vector_own_validity(vector, err);
	if (rc)
		return rc;
	for (size_t w = 0; w < count; w += 64) {
		size_t rest = count - w < 64 ? count - w : 64;
		uint64_t bits = rest < 64 ? ~UINT64_C(0) << rest : 0;

		for (size_t i = 0; i < rest; i++)
			bits |= (uint64_t)(views[w + i].data != NULL) << i;
		vector->validity[w / 64] = bits;
	}
	return 0;
}

static int convert_column(struct csv_converter *converter,
			  const struct csv_rows *rows, size_t column,
			  struct batch *batch, struct failure *failure,
			  struct error *err)
{
	struct vector *vector = &batch->columns[column];
	size_t field = rows->chunk->file->fields[column];
	bool is_text = vector->type.id == TYPE_VARCHAR;
	struct byte_view *views = converter->views;
	enum error_code code = ERROR_CAST;
	size_t row = rows->count;
	int rc = vector_reserve(vector, rows->count, err);

	if (rc)
		return rc;
	if (is_text)
		views = vector->data;
	rc = csv_extract(rows, field, converter->what.options, &batch->heap,
			 views, err);
	if (rc)
		return rc;
	vector->count = rows->count;
	rc = mark_nulls(vector, views, rows->count, err);
	if (rc)
		return rc;
	if (is_text && !(rows->chunk->plain && rows->chunk->is_utf8)) {
		row = check_text(views, rows->count);
		code = ERROR_BAD_ENCODING;
	} else if (type_is_bytes(&vector->type) && !is_text) {
		rc = convert_binary(vector, views, rows->count, &batch->heap,
				    &row, err);
	} else if (!is_text) {
		row = convert_numbers(vector, views, rows->count);
	}
	if (row < rows->count) {
		failure->row = row;
		failure->column = column;
		failure->code = code;
		failure->value = views[row];
	}
	return rc;
}

static int refuse(const struct csv_converter *converter,
		  const struct csv_rows *rows, const struct failure *failure,
		  struct error *err)
{
	const struct csv_chunk *chunk = rows->chunk;
	const struct column_def *column =
		&converter->what.schema->columns[failure->column];
	size_t length = failure->value.length;
	const char *data = (const char *)failure->value.data;
	char type[TYPE_NAME_BYTES];

	if (failure->code == ERROR_BAD_ENCODING) {
		error_set(err, ERROR_BAD_ENCODING,
			  "a value of column %s is not UTF-8", column->name);
		error_hint(err, "convert the file: iconv -t UTF-8");
	} else {
		if (length > SHOWN_BYTES)
			length = utf8_valid_prefix(data, SHOWN_BYTES);
		error_set(err, ERROR_CAST,
			  "value '%.*s%s' of column %s does not convert to %s",
			  (int)length, data,
			  length < failure->value.length ? "..." : "",
			  column->name, type_name(&column->type, type));
	}
	error_field(err, column->name);
	return error_at(err, chunk->file->name,
			csv_chunk_row_line(chunk,
					   rows->first_row + failure->row), 0);
}

int csv_convert(struct csv_converter *converter, const struct csv_rows *rows,
		struct batch *batch, struct error *err)
{
	struct csv_rows some = *rows;
	struct failure failure = { .row = rows->count };

	for (size_t i = 0; i < batch->column_count; i++) {
		int rc;

		if (!converter->what.wanted[i])
			continue;
		rc = convert_column(converter, &some, i, batch, &failure, err);
		if (rc)
			return rc;
		some.count = failure.row;
	}
	batch->row_count = rows->count;
	if (failure.row < rows->count)
		return refuse(converter, rows, &failure, err);
	return 0;
}
