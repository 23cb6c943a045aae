/*
 * vector_compare.c - values of two vectors set against each other
 *
 * Why:    joins verify keys, updates look for what they change, files keep
 *         the least and greatest of each column.
 * How:    one loop per kind of value. A word of 64 rows that are all still
 *         equal is compared without a branch; where some rows are out
 *         already, only the others are looked at.
 */
#include "column/vector_compare.h"
#include "column/nested.h"
#include "column/value_order.h"

/* What is compared, and how rows are found: index[i], or i when NULL. */
struct pairing {
	const struct vector *a;
	const uint32_t *a_index;
	const struct vector *b;
	const uint32_t *b_index;
};

static inline size_t row_of(const uint32_t *index, size_t i)
{
	return index ? index[i] : i;
}

typedef uint32_t __attribute__((may_alias)) word32_t;
typedef uint64_t __attribute__((may_alias)) word64_t;
struct word_pair {
	uint64_t low;
	uint64_t high;
} __attribute__((may_alias));

static inline bool same_u8(uint8_t a, uint8_t b)
{
	return a == b;
}

static inline bool same_u32(word32_t a, word32_t b)
{
	return a == b;
}

static inline bool same_u64(word64_t a, word64_t b)
{
	return a == b;
}

static inline bool same_u128(struct word_pair a, struct word_pair b)
{
	return ((a.low ^ b.low) | (a.high ^ b.high)) == 0;
}

static inline bool same_f32(float a, float b)
{
	return (a == b) | ((a != a) & (b != b));
}

static inline bool same_f64(double a, double b)
{
	return (a == b) | ((a != a) & (b != b));
}

static inline bool same_view(struct byte_view a, struct byte_view b)
{
	return byte_view_equal(a, b);
}

/*
 * Bit i of the result: row first + i is the same on both sides; asked for the
 * rows whose bit is in wanted.
 */
#define DEFINE_SAME_WORD(type_t, suffix) \
static uint64_t same_word_##suffix(const struct pairing *p, size_t first, \
				   uint64_t wanted) \
{ \
	const type_t *a = p->a->data, *b = p->b->data; \
	uint64_t same = 0; \
 \
	if (wanted == ~UINT64_C(0) && p->a_index && p->b_index) { \
		const uint32_t *a_at = p->a_index + first; \
		const uint32_t *b_at = p->b_index + first; \
 \
		for (size_t i = 0; i < 64; i++) \
			same |= (uint64_t)same_##suffix(a[a_at[i]], \
							b[b_at[i]]) << i; \
		return same; \
	} \
	if (wanted == ~UINT64_C(0) && !p->a_index && !p->b_index) { \
		for (size_t i = 0; i < 64; i++) \
			same |= (uint64_t)same_##suffix(a[first + i], \
							b[first + i]) << i; \
		return same; \
	} \
	for (; wanted; wanted &= wanted - 1) { \
		size_t i = (size_t)__builtin_ctzll(wanted); \
		size_t a_row = row_of(p->a_index, first + i); \
		size_t b_row = row_of(p->b_index, first + i); \
 \
		same |= (uint64_t)same_##suffix(a[a_row], b[b_row]) << i; \
	} \
	return same; \
}

DEFINE_SAME_WORD(uint8_t, u8)
DEFINE_SAME_WORD(word32_t, u32)
DEFINE_SAME_WORD(word64_t, u64)
DEFINE_SAME_WORD(struct word_pair, u128)
DEFINE_SAME_WORD(float, f32)
DEFINE_SAME_WORD(double, f64)
DEFINE_SAME_WORD(struct byte_view, view)

typedef uint64_t (*same_word_fn)(const struct pairing *p, size_t first,
				 uint64_t wanted);

static uint64_t same_word_nested(const struct pairing *p, size_t first,
				 uint64_t wanted)
{
	const struct byte_view *a = p->a->data, *b = p->b->data;
	uint64_t same = 0;

	for (; wanted; wanted &= wanted - 1) {
		size_t i = (size_t)__builtin_ctzll(wanted);
		size_t a_row = row_of(p->a_index, first + i);
		size_t b_row = row_of(p->b_index, first + i);

		if (byte_view_equal(a[a_row], b[b_row]) ||
		    nested_compare(&p->a->type, a[a_row], b[b_row]) == 0)
			same |= UINT64_C(1) << i;
	}
	return same;
}

static same_word_fn choose_same(const struct type *type, bool identical)
{
	if (type_is_bytes(type) || (identical && type_is_nested(type)))
		return same_word_view;
	if (type_is_nested(type))
		return same_word_nested;
	if (!identical && type->id == TYPE_REAL)
		return same_word_f32;
	if (!identical && type->id == TYPE_DOUBLE)
		return same_word_f64;
	switch (type_width(type)) {
	case 1:
		return same_word_u8;
	case 4:
		return same_word_u32;
	case 8:
		return same_word_u64;
	default:
		return same_word_u128;
	}
}

/* Validity of the wanted rows of one side. */
static uint64_t valid_word(const struct vector *vector, const uint32_t *index,
			   size_t first, uint64_t wanted)
{
	uint64_t valid = 0;

	if (!vector->validity)
		return wanted;
	if (!index)
		return vector->validity[first / 64] & wanted;
	for (; wanted; wanted &= wanted - 1) {
		size_t i = (size_t)__builtin_ctzll(wanted);

		valid |= (uint64_t)bits_get(vector->validity, index[first + i])
			 << i;
	}
	return valid;
}

static void and_equal(const struct pairing *p, size_t count, bool identical,
		      uint64_t *equal)
{
	same_word_fn same_word = choose_same(&p->a->type, identical);
	bool has_nulls = p->a->validity || p->b->validity;

	for (size_t first = 0; first < count; first += 64) {
		uint64_t *word = &equal[first / 64];
		uint64_t inside = count - first >= 64 ? ~UINT64_C(0)
			: (UINT64_C(1) << (count - first)) - 1;
		uint64_t wanted = *word & inside;
		uint64_t both, a_valid, b_valid;

		if (!wanted)
			continue;
		if (!has_nulls) {
			*word &= same_word(p, first, wanted) | ~inside;
			continue;
		}
		a_valid = valid_word(p->a, p->a_index, first, wanted);
		b_valid = valid_word(p->b, p->b_index, first, wanted);
		both = a_valid & b_valid;
		wanted &= ~(a_valid | b_valid);
		if (both)
			wanted |= same_word(p, first, both) & both;
		*word &= wanted | ~inside;
	}
}

void vector_and_same(const struct vector *a, const uint32_t *a_index,
		     const struct vector *b, const uint32_t *b_index,
		     size_t count, uint64_t *equal)
{
	struct pairing p = { a, a_index, b, b_index };

	and_equal(&p, count, false, equal);
}

void vector_and_identical(const struct vector *a, const uint32_t *a_index,
			  const struct vector *b, const uint32_t *b_index,
			  size_t count, uint64_t *equal)
{
	struct pairing p = { a, a_index, b, b_index };

	and_equal(&p, count, true, equal);
}

int vector_compare_values(const struct vector *a, size_t i,
			  const struct vector *b, size_t j)
{
	switch (a->type.id) {
	case TYPE_BOOLEAN:
		return order_i64(vector_bool(a)[i], vector_bool(b)[j]);
	case TYPE_TINYINT:
		return order_i64(((const int8_t *)a->data)[i],
				 ((const int8_t *)b->data)[j]);
	case TYPE_INTEGER:
	case TYPE_DATE:
		return order_i64(vector_i32(a)[i], vector_i32(b)[j]);
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return order_i64(vector_i64(a)[i], vector_i64(b)[j]);
	case TYPE_REAL:
		return order_f64(vector_f32(a)[i], vector_f32(b)[j]);
	case TYPE_DOUBLE:
		return order_f64(vector_f64(a)[i], vector_f64(b)[j]);
	case TYPE_DECIMAL:
		return order_i128(vector_decimal(a, i), vector_decimal(b, j));
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return order_bytes(vector_bytes(a)[i], vector_bytes(b)[j]);
	case TYPE_UUID:
		return memcmp(vector_uuid(a)[i].bytes, vector_uuid(b)[j].bytes,
			      sizeof(struct uuid));
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return nested_compare(&a->type, vector_bytes(a)[i],
				      vector_bytes(b)[j]);
	default:
		return 0;
	}
}

/* The first row from i on that is not null; count = none. */
static size_t next_valid(const struct vector *vector, size_t i)
{
	uint64_t word;

	if (!vector->validity || i >= vector->count)
		return i;
	word = vector->validity[i / 64] >> (i & 63);
	if (word & 1)
		return i;
	while (!word) {
		i = (i / 64 + 1) * 64;
		if (i >= vector->count)
			return vector->count;
		word = vector->validity[i / 64];
	}
	i += (size_t)__builtin_ctzll(word);
	return i < vector->count ? i : vector->count;
}

/* One kind of integer: a run without nulls is a loop without a branch. */
#define DEFINE_MIN_MAX(type_t, suffix) \
static void min_max_##suffix(const struct vector *vector, size_t start, \
			     type_t *min, type_t *max) \
{ \
	const type_t *data = vector->data; \
	type_t low = data[start], high = data[start]; \
 \
	if (!vector->validity) { \
		for (size_t i = start; i < vector->count; i++) { \
			low = data[i] < low ? data[i] : low; \
			high = data[i] > high ? data[i] : high; \
		} \
	} else { \
		for (size_t i = start; i < vector->count; i++) { \
			type_t value = bits_get(vector->validity, i) ? \
				data[i] : low; \
 \
			low = value < low ? value : low; \
			high = value > high ? value : high; \
		} \
	} \
	*min = low; \
	*max = high; \
}

DEFINE_MIN_MAX(uint8_t, u8)
DEFINE_MIN_MAX(int8_t, i8)
DEFINE_MIN_MAX(int32_t, i32)
DEFINE_MIN_MAX(int64_t, i64)
DEFINE_MIN_MAX(int128_t, i128)

static void min_max_views(const struct vector *vector, size_t start,
			  struct literal *min, struct literal *max)
{
	const struct byte_view *data = vector_bytes(vector);
	struct byte_view low = data[start], high = data[start];

	for (size_t i = next_valid(vector, start + 1); i < vector->count;
	     i = next_valid(vector, i + 1)) {
		if (order_bytes(data[i], low) < 0)
			low = data[i];
		else if (order_bytes(data[i], high) > 0)
			high = data[i];
	}
	min->value.bytes = low;
	max->value.bytes = high;
}

static void min_max_uuids(const struct vector *vector, size_t start,
			  struct literal *min, struct literal *max)
{
	size_t low = start, high = start;

	for (size_t i = next_valid(vector, start + 1); i < vector->count;
	     i = next_valid(vector, i + 1)) {
		if (vector_compare_values(vector, i, vector, low) < 0)
			low = i;
		else if (vector_compare_values(vector, i, vector, high) > 0)
			high = i;
	}
	min->value.uuid = vector_uuid(vector)[low];
	max->value.uuid = vector_uuid(vector)[high];
}

/* NaN left out; false if there is nothing else. */
#define DEFINE_MIN_MAX_FLOAT(type_t, suffix) \
static bool min_max_##suffix(const struct vector *vector, type_t *min, \
			     type_t *max, size_t *nan_count) \
{ \
	const type_t *data = vector->data; \
	type_t low = 0, high = 0; \
	bool any = false; \
	size_t nans = 0; \
 \
	for (size_t i = next_valid(vector, 0); i < vector->count; \
	     i = next_valid(vector, i + 1)) { \
		type_t value = data[i]; \
 \
		if (value != value) { \
			nans++; \
			continue; \
		} \
		low = !any || value < low ? value : low; \
		high = !any || value > high ? value : high; \
		any = true; \
	} \
	*min = low; \
	*max = high; \
	*nan_count = nans; \
	return any; \
}

DEFINE_MIN_MAX_FLOAT(float, f32)
DEFINE_MIN_MAX_FLOAT(double, f64)

static void min_max_floats(const struct vector *vector, struct literal *min,
			   struct literal *max, size_t *nan_count)
{
	bool any;

	if (vector->type.id == TYPE_REAL)
		any = min_max_f32(vector, &min->value.real, &max->value.real,
				  nan_count);
	else
		any = min_max_f64(vector, &min->value.real64,
				  &max->value.real64, nan_count);
	min->is_null = !any;
	max->is_null = !any;
}

static void min_max_decimal(const struct vector *vector, size_t start,
			    struct literal *min, struct literal *max)
{
	int64_t low, high;

	if (type_is_long_decimal(&vector->type)) {
		min_max_i128(vector, start, &min->value.decimal,
			     &max->value.decimal);
		return;
	}
	min_max_i64(vector, start, &low, &high);
	min->value.decimal = low;
	max->value.decimal = high;
}

static void min_max_tinyint(const struct vector *vector, size_t start,
			    struct literal *min, struct literal *max)
{
	int8_t low, high;

	min_max_i8(vector, start, &low, &high);
	min->value.int32 = low;
	max->value.int32 = high;
}

void vector_min_max(const struct vector *vector, struct literal *min,
		    struct literal *max, size_t *nan_count)
{
	size_t start = next_valid(vector, 0);
	size_t nans = 0;

	*min = literal_null(vector->type);
	*max = literal_null(vector->type);
	if (nan_count)
		*nan_count = 0;
	if (start >= vector->count || type_is_nested(&vector->type) ||
	    vector->type.id == TYPE_UNKNOWN)
		return;
	min->is_null = false;
	max->is_null = false;
	switch (vector->type.id) {
	case TYPE_BOOLEAN:
		min_max_u8(vector, start, &min->value.boolean,
			   &max->value.boolean);
		break;
	case TYPE_TINYINT:
		min_max_tinyint(vector, start, min, max);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		min_max_i32(vector, start, &min->value.int32,
			    &max->value.int32);
		break;
	case TYPE_REAL:
	case TYPE_DOUBLE:
		min_max_floats(vector, min, max, &nans);
		break;
	case TYPE_DECIMAL:
		min_max_decimal(vector, start, min, max);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		min_max_views(vector, start, min, max);
		break;
	case TYPE_UUID:
		min_max_uuids(vector, start, min, max);
		break;
	default:
		min_max_i64(vector, start, &min->value.int64,
			    &max->value.int64);
		break;
	}
	if (nan_count)
		*nan_count = nans;
}
