/*
 * vector.c - values of one type, side by side
 *
 * Why:    data moves in columns; this is the one container for them.
 * How:    data and validity are each owned or borrowed. What is owned stays
 *         with the vector through reset and reference, so that a batch that
 *         is filled again and again allocates only once. Owned validity has
 *         validity_words words of its own count: a vector may borrow data and
 *         own its nulls.
 * Cost:   growing copies; vector_append() doubles.
 */
#include "column/vector.h"
#include <assert.h>

/* Capacities are multiples of this, so that validity has whole words. */
#define CAPACITY_STEP 64
#define CAPACITY_LIMIT (SIZE_MAX / 64)

void vector_init(struct vector *vector, struct type type)
{
	memset(vector, 0, sizeof(*vector));
	vector->type = type;
}

void vector_release(struct vector *vector)
{
	struct type type = vector->type;

	mem_free(vector->owned_data);
	mem_free(vector->owned_validity);
	vector_init(vector, type);
}

/* Grow owned_validity to capacity values; new bits say valid. */
static int grow_validity(struct vector *vector, size_t capacity,
			 struct error *err)
{
	size_t words = BITMAP_WORDS(capacity);
	size_t kept = vector->validity_words;
	bool used = vector->validity == vector->owned_validity &&
		    vector->validity;
	uint64_t *grown;

	if (words <= kept)
		return 0;
	grown = mem_alloc_array(words, sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_NO_MEMORY, "validity of a column");
	if (!used)
		kept = 0;
	if (kept)
		memcpy(grown, vector->owned_validity, kept * sizeof(*grown));
	memset(grown + kept, 0xff, (words - kept) * sizeof(*grown));
	mem_free(vector->owned_validity);
	vector->owned_validity = grown;
	vector->validity_words = words;
	if (used)
		vector->validity = grown;
	return 0;
}

int vector_reserve(struct vector *vector, size_t capacity, struct error *err)
{
	size_t width = type_width(&vector->type);
	size_t kept_bytes = vector->count * width;
	uint8_t *data = vector->owned_data;

	if (capacity < vector->count)
		capacity = vector->count;
	if (capacity == 0)
		capacity = CAPACITY_STEP;
	if (capacity > CAPACITY_LIMIT)
		return error_set(err, ERROR_NO_MEMORY, "column of %zu values",
				 capacity);
	if (capacity > vector->capacity) {
		capacity = (capacity + CAPACITY_STEP - 1) / CAPACITY_STEP *
			   CAPACITY_STEP;
		if (vector->validity &&
		    vector->validity == vector->owned_validity &&
		    grow_validity(vector, capacity, err))
			return ERROR_NO_MEMORY;
		data = mem_alloc_aligned(capacity * width);
		if (!data)
			return error_set(err, ERROR_NO_MEMORY,
					 "column of %zu values", capacity);
		if (kept_bytes)
			memcpy(data, vector->data, kept_bytes);
		memset(data + kept_bytes, 0, capacity * width - kept_bytes);
		mem_free(vector->owned_data);
		vector->owned_data = data;
		vector->capacity = capacity;
	} else if (vector->data != data && kept_bytes) {
		memcpy(data, vector->data, kept_bytes);
	}
	vector->data = data;
	return 0;
}

int vector_own_validity(struct vector *vector, struct error *err)
{
	const uint64_t *old = vector->validity;
	size_t words = BITMAP_WORDS(vector->count);
	size_t capacity = vector->capacity;
	int rc;

	if (capacity < vector->count)
		capacity = vector->count;
	if (capacity == 0)
		capacity = CAPACITY_STEP;
	rc = grow_validity(vector, capacity, err);
	if (rc)
		return rc;
	if (old && vector->validity == vector->owned_validity)
		return 0;
	memset(vector->owned_validity, 0xff,
	       vector->validity_words * sizeof(uint64_t));
	if (old && words) {
		memcpy(vector->owned_validity, old, words * sizeof(uint64_t));
		if (vector->count & 63)
			vector->owned_validity[words - 1] |=
				~UINT64_C(0) << (vector->count & 63);
	}
	vector->validity = vector->owned_validity;
	return 0;
}

void vector_reset(struct vector *vector)
{
	vector->count = 0;
	vector->data = vector->owned_data;
	vector->validity = NULL;
}

void vector_reference(struct vector *dst, const struct vector *src)
{
	assert(dst != src);
	if (type_width(&dst->type) != type_width(&src->type))
		vector_set_type(dst, src->type);
	dst->type = src->type;
	dst->count = src->count;
	dst->data = src->data;
	dst->validity = src->validity;
}

void vector_set_type(struct vector *vector, struct type type)
{
	if (type_width(&vector->type) != type_width(&type)) {
		mem_free(vector->owned_data);
		vector->owned_data = NULL;
		vector->capacity = 0;
	}
	vector->type = type;
	vector_reset(vector);
}

int vector_set_null(struct vector *vector, size_t i, struct error *err)
{
	if (!vector->validity || vector->validity != vector->owned_validity ||
	    i / 64 >= vector->validity_words) {
		int rc = vector_own_validity(vector, err);

		if (rc)
			return rc;
	}
	assert(i / 64 < vector->validity_words);
	bits_clear(vector->validity, i);
	return 0;
}

size_t vector_null_count(const struct vector *vector)
{
	if (!vector->validity)
		return 0;
	return vector->count - bits_count(vector->validity, vector->count);
}

void literal_to_data(const struct literal *value, void *data)
{
	switch (value->type.id) {
	case TYPE_BOOLEAN:
		*(uint8_t *)data = value->value.boolean;
		break;
	case TYPE_TINYINT:
		*(int8_t *)data = (int8_t)value->value.int32;
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		*(int32_t *)data = value->value.int32;
		break;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		*(int64_t *)data = value->value.int64;
		break;
	case TYPE_REAL:
		*(float *)data = value->value.real;
		break;
	case TYPE_DOUBLE:
		*(double *)data = value->value.real64;
		break;
	case TYPE_DECIMAL:
		if (type_is_short_decimal(&value->type))
			*(int64_t *)data = (int64_t)value->value.decimal;
		else
			*(int128_t *)data = value->value.decimal;
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		*(struct byte_view *)data = value->value.bytes;
		break;
	case TYPE_UUID:
		*(struct uuid *)data = value->value.uuid;
		break;
	case TYPE_UNKNOWN:
		*(uint8_t *)data = 0;
		break;
	default:
		break;
	}
}

static void fill_data(uint8_t *data, const uint8_t *value, size_t width,
		      size_t count)
{
	if (width == 1) {
		memset(data, *value, count);
		return;
	}
	if (count)
		memcpy(data, value, width);
	/* what is there once more, until all is */
	for (size_t done = 1; done < count;) {
		size_t more = done < count - done ? done : count - done;

		memcpy(data + done * width, data, more * width);
		done += more;
	}
}

int vector_fill(struct vector *vector, const struct literal *value,
		size_t count, struct error *err)
{
	size_t width = type_width(&vector->type);
	_Alignas(16) uint8_t one[16] = { 0 };
	int rc;

	vector_reset(vector);
	rc = vector_reserve(vector, count, err);
	if (rc)
		return rc;
	if (value->is_null || vector->type.id == TYPE_UNKNOWN) {
		rc = vector_own_validity(vector, err);
		if (rc)
			return rc;
		memset(vector->validity, 0,
		       BITMAP_WORDS(count) * sizeof(uint64_t));
		memset(vector->data, 0, count * width);
	} else {
		struct literal typed = *value;

		typed.type = vector->type;
		literal_to_data(&typed, one);
		fill_data(vector->data, one, width, count);
	}
	vector->count = count;
	return 0;
}

struct literal vector_get(const struct vector *vector, size_t i)
{
	struct literal out = literal_null(vector->type);

	if (vector_is_null(vector, i))
		return out;
	out.is_null = false;
	switch (vector->type.id) {
	case TYPE_BOOLEAN:
		out.value.boolean = vector_bool(vector)[i];
		break;
	case TYPE_TINYINT:
		out.value.int32 = ((const int8_t *)vector->data)[i];
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		out.value.int32 = vector_i32(vector)[i];
		break;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		out.value.int64 = vector_i64(vector)[i];
		break;
	case TYPE_REAL:
		out.value.real = vector_f32(vector)[i];
		break;
	case TYPE_DOUBLE:
		out.value.real64 = vector_f64(vector)[i];
		break;
	case TYPE_DECIMAL:
		out.value.decimal = vector_decimal(vector, i);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		out.value.bytes = vector_bytes(vector)[i];
		break;
	case TYPE_UUID:
		out.value.uuid = vector_uuid(vector)[i];
		break;
	default:
		out.is_null = true;
		break;
	}
	return out;
}

int vector_put(struct vector *vector, size_t i, const struct literal *value,
	       struct error *err)
{
	size_t width = type_width(&vector->type);
	struct literal typed = *value;
	int rc;

	if (!vector->data || vector->data != vector->owned_data) {
		rc = vector_reserve(vector, vector->count, err);
		if (rc)
			return rc;
	}
	assert(i < vector->capacity);
	if (value->is_null || vector->type.id == TYPE_UNKNOWN) {
		rc = vector_set_null(vector, i, err);
		if (!rc)
			memset((uint8_t *)vector->data + i * width, 0, width);
		return rc;
	}
	if (vector->validity) {
		if (vector->validity != vector->owned_validity) {
			rc = vector_own_validity(vector, err);
			if (rc)
				return rc;
		}
		bits_set(vector->validity, i);
	}
	typed.type = vector->type;
	literal_to_data(&typed, (uint8_t *)vector->data + i * width);
	return 0;
}

int vector_append(struct vector *vector, const struct literal *value,
		  struct error *err)
{
	size_t needed = vector->count + 1;
	int rc = 0;

	if (needed > vector->capacity)
		rc = vector_reserve(vector, needed > vector->capacity * 2
				    ? needed : vector->capacity * 2, err);
	else if (vector->data != vector->owned_data)
		rc = vector_reserve(vector, needed, err);
	if (!rc && vector->validity &&
	    vector->validity != vector->owned_validity)
		rc = vector_own_validity(vector, err);
	if (!rc)
		rc = vector_put(vector, vector->count, value, err);
	if (!rc)
		vector->count++;
	return rc;
}
