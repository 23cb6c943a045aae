/*
 * sort_encode.c - bytes in whose order rows are sorted
 *
 * Why:    to compare rows by walking over several columns of several types
 *         costs more than to lay their values out once.
 * How:    per column one byte says whether the value is null and at which end
 *         nulls stand, then the value: whole numbers big-endian with the sign
 *         turned; floating point by its bits, -0.0 as 0.0 and every NaN as
 *         the greatest; bytes with 0 written as 0 255 and 0 0 behind the
 *         last; nested values piece by piece as nested_compare() has it. All
 *         bits of a descending value are turned.
 * Cost:   two loops per column, a copy of text.
 */
#include "query/sort_encode.h"

#define NULL_FIRST 0
#define NOT_NULL 1
#define NULL_LAST 2

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "keys of a sort");
}

void key_encoder_init(struct key_encoder *encoder,
		      const struct sort_column *columns, size_t column_count,
		      size_t partition_count)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->columns = columns;
	encoder->column_count = column_count;
	encoder->partition_count = partition_count;
	vector_init(&encoder->keys, type_of(TYPE_VARBINARY));
	arena_init(&encoder->bytes, 16 * 1024);
}

void key_encoder_release(struct key_encoder *encoder)
{
	vector_release(&encoder->keys);
	arena_release(&encoder->bytes);
	text_release(&encoder->nested);
	mem_free(encoder->lengths);
	mem_free(encoder->part_lengths);
	mem_free(encoder->at);
	mem_free(encoder->nested_ends);
}

static int reserve(struct key_encoder *encoder, size_t count,
		   struct error *err)
{
	if (count <= encoder->capacity)
		return 0;
	mem_free(encoder->lengths);
	mem_free(encoder->part_lengths);
	mem_free(encoder->at);
	mem_free(encoder->nested_ends);
	encoder->capacity = 0;
	encoder->lengths = mem_alloc_array(count, sizeof(uint32_t));
	encoder->part_lengths = mem_alloc_array(count, sizeof(uint32_t));
	encoder->at = mem_alloc_array(count, sizeof(uint8_t *));
	encoder->nested_ends = mem_alloc_array(count, sizeof(size_t));
	if (!encoder->lengths || !encoder->part_lengths || !encoder->at ||
	    !encoder->nested_ends)
		return no_memory(err);
	encoder->capacity = count;
	return 0;
}

static size_t key_width(const struct type *type)
{
	return type_is_view(type) ? 0 : type_width(type);
}

static inline void put_number(uint8_t *out, uint64_t value)
{
	for (size_t i = 8; i-- > 0; value >>= 8)
		out[i] = (uint8_t)value;
}

static inline void put_f64(uint8_t *out, double value)
{
	uint64_t bits;

	value += 0.0;	/* -0.0 + 0.0 is 0.0 */
	memcpy(&bits, &value, sizeof(bits));
	if (value != value)
		bits = UINT64_C(0x7ff8000000000000);
	ordered_put_float(out, bits, 8);
}

static inline void put_f32(uint8_t *out, float value)
{
	uint32_t bits;

	value += 0.0f;
	memcpy(&bits, &value, sizeof(bits));
	if (value != value)
		bits = UINT32_C(0x7fc00000);
	ordered_put_float(out, bits, 4);
}

/* One value that stands in a nested one, null last. */
static void add_literal(const struct literal *value, struct text *out);

static void add_nested(const struct type *type, struct byte_view packed,
		       struct text *out)
{
	size_t count = type->id == TYPE_ROW ? type->field_count
					    : nested_count(type, packed);

	for (size_t i = 0; i < count; i++) {
		struct literal item;
		size_t at = i;

		if (type->id != TYPE_ROW)
			text_add_char(out, 1);	/* one more */
		if (type->id == TYPE_MAP) {
			at = nested_sorted_entry(type, packed, i);
			item = nested_key(type, packed, at);
			add_literal(&item, out);
		}
		item = nested_field(type, packed, at);
		add_literal(&item, out);
	}
	if (type->id != TYPE_ROW)
		text_add_char(out, 0);
}

static void add_bytes(struct byte_view view, struct text *out)
{
	size_t length = ordered_bytes_length(view);

	if (!text_reserve(out, length))
		return;
	ordered_put_bytes((uint8_t *)out->data + out->length, view);
	out->length += length;
}

static void add_literal(const struct literal *value, struct text *out)
{
	uint8_t bytes[16];
	size_t width = key_width(&value->type);

	text_add_char(out, value->is_null ? NULL_LAST : NOT_NULL);
	if (value->is_null)
		return;
	switch (value->type.id) {
	case TYPE_BOOLEAN:
		bytes[0] = value->value.boolean;
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		ordered_put_whole(bytes, (uint32_t)value->value.int32, 4);
		break;
	case TYPE_REAL:
		put_f32(bytes, value->value.real);
		break;
	case TYPE_DOUBLE:
		put_f64(bytes, value->value.real64);
		break;
	case TYPE_DECIMAL:
		width = 16;
		ordered_put_i128(bytes, value->value.decimal);
		break;
	case TYPE_UUID:
		memcpy(bytes, value->value.uuid.bytes, 16);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		add_bytes(value->value.bytes, out);
		return;
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		add_nested(&value->type, value->value.bytes, out);
		return;
	default:
		ordered_put_whole(bytes, (uint64_t)value->value.int64, 8);
		break;
	}
	text_add(out, bytes, width);
}

/* Lay out a column of nested values aside. */
static int make_nested(struct key_encoder *encoder,
		       const struct vector *values, size_t count,
		       struct error *err)
{
	text_reset(&encoder->nested);
	for (size_t i = 0; i < count; i++) {
		if (!vector_is_null(values, i))
			add_nested(&values->type, vector_bytes(values)[i],
				   &encoder->nested);
		encoder->nested_ends[i] = encoder->nested.length;
	}
	return encoder->nested.failed ? no_memory(err) : 0;
}

/* How long the values of a column are in the keys. */
static int measure(struct key_encoder *encoder, const struct vector *values,
		   size_t count, struct error *err)
{
	size_t width = key_width(&values->type);
	size_t before = 0;
	int rc;

	if (width) {
		for (size_t i = 0; i < count; i++)
			encoder->lengths[i] += (uint32_t)(width + 1);
		return 0;
	}
	if (!type_is_nested(&values->type)) {
		for (size_t i = 0; i < count; i++)
			encoder->lengths[i] += vector_is_null(values, i) ? 1
				: (uint32_t)ordered_bytes_length(
					  vector_bytes(values)[i]) + 1;
		return 0;
	}
	rc = make_nested(encoder, values, count, err);
	for (size_t i = 0; !rc && i < count; i++) {
		encoder->lengths[i] += (uint32_t)(encoder->nested_ends[i] -
						  before) + 1;
		before = encoder->nested_ends[i];
	}
	return rc;
}

#define PUT_LOOP(width, put) \
	do { \
		for (size_t i = 0; i < count; i++) { \
			if (vector_is_null(values, i)) \
				memset(at[i] + 1, 0, (width)); \
			else \
				put; \
			at[i] += 1 + (width); \
		} \
	} while (0)

static void put_fixed(const struct vector *values, size_t count, uint8_t **at)
{
	switch (values->type.id) {
	case TYPE_BOOLEAN:
		PUT_LOOP(1, at[i][1] = vector_bool(values)[i]);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		PUT_LOOP(4, ordered_put_whole(at[i] + 1,
				      (uint32_t)vector_i32(values)[i], 4));
		break;
	case TYPE_REAL:
		PUT_LOOP(4, put_f32(at[i] + 1, vector_f32(values)[i]));
		break;
	case TYPE_DOUBLE:
		PUT_LOOP(8, put_f64(at[i] + 1, vector_f64(values)[i]));
		break;
	case TYPE_UUID:
		PUT_LOOP(16, memcpy(at[i] + 1, vector_uuid(values)[i].bytes,
				    16));
		break;
	case TYPE_UNKNOWN:
	case TYPE_TINYINT:
		PUT_LOOP(1, ordered_put_whole(at[i] + 1,
				      ((const uint8_t *)values->data)[i], 1));
		break;
	default:
		if (type_is_long_decimal(&values->type))
			PUT_LOOP(16, ordered_put_i128(at[i] + 1,
					      vector_i128(values)[i]));
		else
			PUT_LOOP(8, ordered_put_whole(at[i] + 1, (uint64_t)
					      vector_i64(values)[i], 8));
		break;
	}
}

static void put_views(struct key_encoder *encoder,
		      const struct vector *values, size_t count)
{
	bool nested = type_is_nested(&values->type);
	size_t before = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t *out = encoder->at[i] + 1;
		size_t length = 0;

		if (nested) {
			length = encoder->nested_ends[i] - before;
			if (length)
				memcpy(out, encoder->nested.data + before,
				       length);
			before = encoder->nested_ends[i];
		} else if (!vector_is_null(values, i)) {
			length = ordered_put_bytes(
				out, vector_bytes(values)[i]);
		}
		encoder->at[i] = out + length;
	}
}

/* A column of every row, where each row's key goes on. */
static int put_column(struct key_encoder *encoder, size_t column,
		      const struct vector *values, size_t count,
		      uint8_t **starts, struct error *err)
{
	const struct sort_column *order = &encoder->columns[column];
	uint8_t null = order->nulls_first ? NULL_FIRST : NULL_LAST;
	int rc = 0;

	memcpy(starts, encoder->at, count * sizeof(*starts));
	for (size_t i = 0; i < count; i++)
		*starts[i] = vector_is_null(values, i) ? null : NOT_NULL;
	if (key_width(&values->type)) {
		put_fixed(values, count, encoder->at);
	} else {
		if (type_is_nested(&values->type))
			rc = make_nested(encoder, values, count, err);
		if (!rc)
			put_views(encoder, values, count);
	}
	for (size_t i = 0; !rc && order->descending && i < count; i++)
		for (uint8_t *at = starts[i] + 1; at < encoder->at[i]; at++)
			*at = (uint8_t)~*at;
	return rc;
}

/* The tail of each key. */
static void put_ties(struct key_encoder *encoder, size_t count,
		     uint64_t unit, uint64_t position)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t *out = encoder->at[i];
		uint32_t length = encoder->part_lengths[i];

		put_number(out, unit);
		put_number(out + 8, position + i);
		for (size_t k = 0; k < 4; k++)
			out[16 + k] = (uint8_t)(length >> (24 - 8 * k));
	}
}

static int layout(struct key_encoder *encoder,
		  const struct vector *const *values, size_t count,
		  struct error *err)
{
	size_t sum = 0;
	uint8_t *bytes;
	int rc = 0;

	memset(encoder->lengths, 0, count * sizeof(uint32_t));
	memset(encoder->part_lengths, 0, count * sizeof(uint32_t));
	for (size_t c = 0; !rc && c < encoder->column_count; c++) {
		rc = measure(encoder, values[c], count, err);
		if (c + 1 == encoder->partition_count)
			memcpy(encoder->part_lengths, encoder->lengths,
			       count * sizeof(uint32_t));
	}
	for (size_t i = 0; i < count; i++)
		sum += encoder->lengths[i] + SORT_TIE_BYTES;
	arena_reset(&encoder->bytes);
	bytes = rc ? NULL : arena_alloc_bytes(&encoder->bytes, sum + 1);
	if (!bytes)
		return rc ? rc : no_memory(err);
	for (size_t i = 0; i < count; i++) {
		size_t length = encoder->lengths[i] + SORT_TIE_BYTES;

		vector_bytes(&encoder->keys)[i] = byte_view(bytes, length);
		encoder->at[i] = bytes;
		bytes += length;
	}
	return 0;
}

int key_encoder_run(struct key_encoder *encoder,
		    const struct vector *const *values, size_t row_count,
		    uint64_t unit, uint64_t position, struct error *err)
{
	uint8_t **starts;
	int rc = reserve(encoder, row_count, err);

	vector_reset(&encoder->keys);
	if (!rc)
		rc = vector_reserve(&encoder->keys, row_count, err);
	if (rc)
		return rc;
	encoder->keys.count = row_count;
	rc = layout(encoder, values, row_count, err);
	if (rc)
		return rc;
	starts = mem_alloc_array(row_count + 1, sizeof(*starts));
	if (!starts)
		return no_memory(err);
	for (size_t c = 0; !rc && c < encoder->column_count; c++)
		rc = put_column(encoder, c, values[c], row_count, starts, err);
	mem_free(starts);
	if (!rc)
		put_ties(encoder, row_count, unit, position);
	return rc;
}

struct byte_view sort_key_partition(struct byte_view key)
{
	const uint8_t *at = key.data + key.length - 4;
	uint32_t length = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
			  (uint32_t)at[2] << 8 | at[3];

	return byte_view(key.data, length);
}
