#ifndef COLUMN_VECTOR_H
#define COLUMN_VECTOR_H
#include "column/type.h"
#include "column/literal.h"

/*
 * A column of count values of one type. data holds count values of
 * type_width() bytes each, aligned to 64 bytes; what stands at a null is not
 * defined but initialised. validity has bit i set where value i is not null;
 * validity NULL means that no value is null.
 *
 * Who owns what: a vector either owns data and validity (owned_data,
 * owned_validity; grown by vector_reserve) or borrows them from another
 * vector (vector_reference); then they live as long as that one. Bytes of
 * VARCHAR, VARBINARY and FIXED values and packed nested values are never
 * owned by the vector: they lie in an arena (the batch's heap), a page or a chunk that outlives it;
 * the producer says which.
 */
struct vector {
	struct type type;
	size_t count;
	void *data;
	uint64_t *validity;
	size_t capacity;	/* of owned_data, in values */
	void *owned_data;
	uint64_t *owned_validity;
	size_t validity_words;	/* of owned_validity */
};

void vector_init(struct vector *vector, struct type type);
void vector_release(struct vector *vector);
/*
 * Own room for capacity values, keep the first count. Afterwards data is
 * owned and writable; validity is unchanged. New bytes are zero.
 */
int vector_reserve(struct vector *vector, size_t capacity, struct error *err);
/* Own a validity bitmap for the capacity, all valid if there was none; data
 * may stay borrowed. vector_reserve() grows an owned bitmap along. */
int vector_own_validity(struct vector *vector, struct error *err);
/* Count 0 and no validity, memory kept, borrowed data forgotten. */
void vector_reset(struct vector *vector);
/* Borrow everything of src; dst keeps its own memory for later. */
void vector_reference(struct vector *dst, const struct vector *src);
/* Change the type (another width drops the memory) and reset. */
void vector_set_type(struct vector *vector, struct type type);

static inline bool vector_is_null(const struct vector *vector, size_t i)
{
	return vector->validity && !((vector->validity[i >> 6] >> (i & 63)) & 1);
}

static inline bool vector_has_nulls(const struct vector *vector)
{
	return vector->validity != NULL;
}

/* Mark one value null (owns a validity bitmap first). */
int vector_set_null(struct vector *vector, size_t i, struct error *err);
size_t vector_null_count(const struct vector *vector);
/* Write a value that is not null to data, aligned, of type_width() bytes. */
void literal_to_data(const struct literal *value, void *data);
/* Fill with count copies of a literal of the vector's type (bytes borrowed). */
int vector_fill(struct vector *vector, const struct literal *value,
		size_t count, struct error *err);
/* Read / write / append one value, for slow paths and tests only. The bytes
 * of text are borrowed both ways. */
struct literal vector_get(const struct vector *vector, size_t i);
int vector_put(struct vector *vector, size_t i, const struct literal *value,
	       struct error *err);
int vector_append(struct vector *vector, const struct literal *value,
		  struct error *err);

/* Typed access to data; the type must fit. */
static inline int32_t *vector_i32(const struct vector *v)
{
	return (int32_t *)v->data;
}
static inline int64_t *vector_i64(const struct vector *v)
{
	return (int64_t *)v->data;
}
static inline int128_t *vector_i128(const struct vector *v)
{
	return (int128_t *)v->data;
}
static inline uint8_t *vector_bool(const struct vector *v)
{
	return (uint8_t *)v->data;
}
static inline float *vector_f32(const struct vector *v)
{
	return (float *)v->data;
}
static inline double *vector_f64(const struct vector *v)
{
	return (double *)v->data;
}
static inline struct byte_view *vector_bytes(const struct vector *v)
{
	return (struct byte_view *)v->data;
}
static inline struct uuid *vector_uuid(const struct vector *v)
{
	return (struct uuid *)v->data;
}
/* The unscaled value of a DECIMAL of either width. */
static inline int128_t vector_decimal(const struct vector *v, size_t i)
{
	return v->type.precision <= DECIMAL_SHORT_PRECISION
		       ? (int128_t)((const int64_t *)v->data)[i]
		       : ((const int128_t *)v->data)[i];
}
#endif
