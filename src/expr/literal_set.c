/*
 * literal_set.c - the constants of an IN list
 *
 * Why:    a list of ten thousand keys must not be ten thousand comparisons
 *         for each row.
 * How:    fixed-width values become 64-bit keys (128-bit ones two of them),
 *         -0.0 is made 0.0. Up to SMALL_SET keys are compared one by one over
 *         the whole column, which vectorises; more go into an open-addressing
 *         table at most half full. Text goes into a table of views.
 * Cost:   a few ns a row for a table, about 0.5 ns per key for a small set.
 */
#pragma GCC optimize("O3")
#include "expr/literal_set.h"

#define SMALL_SET 6

struct set_key {
	uint64_t low;
	uint64_t high;
};

struct set_slot {
	bool used;
	struct set_key key;
	struct byte_view bytes;
};

struct literal_set {
	struct type type;
	bool is_bytes;
	size_t count;			/* values in it */
	struct literal small[SMALL_SET];	/* all of them, if few */
	size_t mask;			/* slots - 1 */
	struct set_slot *slots;
	/* INTEGER, BIGINT and their like: mask + 1 numbers, or NULL. */
	int64_t *numbers;
	int64_t empty;			/* no number of the set */
	unsigned shift;			/* 64 - log2(mask + 1) */
};

static struct set_key key_of_i64(int64_t value)
{
	struct set_key key = { (uint64_t)value, 0 };

	return key;
}

static struct set_key key_of_f64(double value)
{
	struct set_key key = { 0, 0 };

	value += 0.0;	/* -0.0 becomes 0.0 */
	memcpy(&key.low, &value, sizeof(value));
	return key;
}

static struct set_key key_of_i128(int128_t value)
{
	struct set_key key = { (uint64_t)value,
			       (uint64_t)((uint128_t)value >> 64) };

	return key;
}

/* The key of entry i of a fixed-width vector. */
static struct set_key key_at(const struct vector *v, size_t i)
{
	struct set_key key = { 0, 0 };

	switch (v->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		return key_of_i64(vector_i32(v)[i]);
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return key_of_i64(vector_i64(v)[i]);
	case TYPE_REAL:
		return key_of_f64(vector_f32(v)[i]);
	case TYPE_DOUBLE:
		return key_of_f64(vector_f64(v)[i]);
	case TYPE_DECIMAL:
		return key_of_i128(vector_decimal(v, i));
	case TYPE_UUID:
		memcpy(&key, &vector_uuid(v)[i], sizeof(key));
		return key;
	default:
		return key_of_i64(vector_bool(v)[i]);
	}
}

static uint64_t hash_key(struct set_key key)
{
	return hash_word(key.low + key.high * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_bytes(struct byte_view bytes)
{
	return hash_fast(bytes.data, bytes.length);
}

static bool find_key(const struct literal_set *set, struct set_key key,
		     size_t *slot)
{
	size_t at = hash_key(key) & set->mask;

	while (set->slots[at].used) {
		if (set->slots[at].key.low == key.low &&
		    set->slots[at].key.high == key.high)
			break;
		at = (at + 1) & set->mask;
	}
	*slot = at;
	return set->slots[at].used;
}

static bool find_bytes(const struct literal_set *set, struct byte_view bytes,
		       size_t *slot)
{
	uint64_t hash = hash_bytes(bytes);
	size_t at = hash & set->mask;

	while (set->slots[at].used) {
		if (set->slots[at].key.low == hash &&
		    byte_view_equal(set->slots[at].bytes, bytes))
			break;
		at = (at + 1) & set->mask;
	}
	*slot = at;
	return set->slots[at].used;
}

static bool is_nan(const struct literal *value)
{
	return (value->type.id == TYPE_REAL &&
		value->value.real != value->value.real) ||
	       (value->type.id == TYPE_DOUBLE &&
		value->value.real64 != value->value.real64);
}

static void add_literal(struct literal_set *set, struct vector *one,
			const struct literal *value, struct error *err)
{
	struct set_slot *slot;
	size_t at;

	/* Cannot fail: one has the room. */
	vector_put(one, 0, value, err);
	if (set->is_bytes ? find_bytes(set, value->value.bytes, &at)
			  : find_key(set, key_at(one, 0), &at))
		return;
	slot = &set->slots[at];
	slot->used = true;
	if (set->is_bytes) {
		slot->bytes = value->value.bytes;
		slot->key.low = hash_bytes(slot->bytes);
	} else {
		slot->key = key_at(one, 0);
	}
	if (set->count < SMALL_SET)
		set->small[set->count] = *value;
	set->count++;
}

static bool is_number_set(const struct type *type)
{
	switch (type->id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return true;
	default:
		return type_is_short_decimal(type);
	}
}

static inline size_t number_slot(const struct literal_set *set, int64_t number)
{
	return (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> set->shift;
}

/* Copy the keys of the general table to one of bare numbers. */
static int make_numbers(struct literal_set *set, struct arena *arena,
			struct error *err)
{
	size_t slots = set->mask + 1, at;

	set->numbers = arena_zalloc_array(arena, slots,
					  sizeof(*set->numbers));
	if (!set->numbers)
		return error_set(err, ERROR_NO_MEMORY, "IN list");
	set->shift = 64 - (unsigned)__builtin_ctzll(slots);
	set->empty = INT64_MIN;
	while (find_key(set, set->type.id == TYPE_DECIMAL
			     ? key_of_i128(set->empty)
			     : key_of_i64(set->empty), &at))
		set->empty++;
	for (size_t i = 0; i < slots; i++)
		set->numbers[i] = set->empty;
	for (size_t i = 0; i < slots; i++) {
		int64_t number = (int64_t)set->slots[i].key.low;

		if (!set->slots[i].used)
			continue;
		at = number_slot(set, number);
		while (set->numbers[at] != set->empty)
			at = (at + 1) & set->mask;
		set->numbers[at] = number;
	}
	return 0;
}

int literal_set_new(struct literal_set **out, struct expr *const *items,
		    size_t count, struct arena *arena, struct error *err)
{
	struct literal_set *set = arena_zalloc(arena, sizeof(*set));
	struct vector one;
	size_t slots = 16;
	int rc;

	*out = NULL;
	while (slots / 2 < count)
		slots *= 2;
	if (set)
		set->slots = arena_zalloc_array(arena, slots,
						sizeof(*set->slots));
	if (!set || !set->slots)
		return error_set(err, ERROR_NO_MEMORY, "IN list");
	set->mask = slots - 1;
	set->type = items[0]->type;
	set->is_bytes = type_is_bytes(&set->type);
	vector_init(&one, set->type);
	rc = vector_reserve(&one, 1, err);
	for (size_t i = 0; i < count && !rc; i++) {
		const struct literal *value = &items[i]->literal;

		if (!value->is_null && !is_nan(value))
			add_literal(set, &one, value, err);
	}
	vector_release(&one);
	if (!rc && is_number_set(&set->type))
		rc = make_numbers(set, arena, err);
	if (!rc)
		*out = set;
	return rc;
}

/* Compare with each of a few constants; VALUE is a literal's field. */
#define MATCH_SMALL(ctype, VALUE) \
	do { \
		const ctype *in = values->data; \
 \
		for (size_t k = 0; k < set->count; k++) { \
			const ctype c = (ctype)set->small[k].value.VALUE; \
 \
			for (size_t i = 0; i < count; i++) \
				out[i] |= in[i] == c; \
		} \
	} while (0)

/* Rows 0 .. count - 1 against a small set; false when the type has no such
 * loop. */
static bool match_small(const struct literal_set *set,
			const struct vector *values, size_t count,
			uint8_t *restrict out)
{
	memset(out, 0, count);
	switch (set->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		MATCH_SMALL(int32_t, int32);
		return true;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		MATCH_SMALL(int64_t, int64);
		return true;
	case TYPE_REAL:
		MATCH_SMALL(float, real);
		return true;
	case TYPE_DOUBLE:
		MATCH_SMALL(double, real64);
		return true;
	case TYPE_DECIMAL:
		if (!type_is_short_decimal(&set->type))
			return false;
		MATCH_SMALL(int64_t, decimal);
		return true;
	default:
		return false;
	}
}

static inline bool has_number(const struct literal_set *set, int64_t number)
{
	size_t at = number_slot(set, number);

	while (set->numbers[at] != number && set->numbers[at] != set->empty)
		at = (at + 1) & set->mask;
	return set->numbers[at] == number && number != set->empty;
}

static void match_numbers(const struct literal_set *set,
			  const struct vector *values,
			  const struct selection *rows, uint8_t *out)
{
	bool is_wide = type_width(&set->type) == sizeof(int64_t);

	for (size_t k = 0; k < rows->count; k++) {
		size_t i = selection_row(rows, k);

		out[i] = has_number(set, is_wide ? vector_i64(values)[i]
						 : vector_i32(values)[i]);
	}
}

void literal_set_match(const struct literal_set *set,
		       const struct vector *values,
		       const struct selection *rows, uint8_t *out)
{
	size_t slot;

	if (!rows->rows && set->count <= SMALL_SET &&
	    match_small(set, values, rows->count, out))
		return;
	if (set->numbers) {
		match_numbers(set, values, rows, out);
		return;
	}
	for (size_t k = 0; k < rows->count; k++) {
		size_t i = selection_row(rows, k);

		if (vector_is_null(values, i))
			continue;
		if (set->is_bytes)
			out[i] = find_bytes(set, vector_bytes(values)[i],
					    &slot);
		else
			out[i] = find_key(set, key_at(values, i), &slot);
	}
}
