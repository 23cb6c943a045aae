#ifndef TESTS_UNIT_JOIN_SAMPLE_H
#define TESTS_UNIT_JOIN_SAMPLE_H
#include <math.h>
#include <stdio.h>
#include "unit/check_main.h"
#include "join/join.h"

/*
 * Random rows for the tests of join/: few distinct values of each type, with
 * NULL, NaN and -0.0 among them. Two values are compared by their texts here,
 * never by the code under test.
 */
static struct error err;
static uint64_t sample_state;

static inline uint64_t sample_random(uint64_t below)
{
	sample_state = sample_state * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return (sample_state >> 33) % below;
}

static inline struct literal sample_value(struct type type, uint64_t n);

/* One entry or element number n. */
static inline void sample_child(struct vector *vector, struct type type,
				uint64_t n)
{
	struct literal value = sample_value(type, n);

	vector_init(vector, type);
	ck_ok(vector_append(vector, &value, &err));
}

/*
 * ARRAY: value n alone; MAP: entries of n / 2, in one order if n is even, in
 * the other if it is odd. Kept for the life of the test.
 */
static inline struct literal sample_nested(struct type type, uint64_t n)
{
	static struct made {
		struct literal value;
		uint64_t n;
		bool is_made;
	} made[2][4096];
	static struct arena heap;
	struct made *known = &made[type.id == TYPE_MAP][n % 4096];
	uint32_t offsets[2] = { 0, 1 };
	struct vector one, two, out;
	struct literal value;

	if (known->is_made && known->n == n)
		return known->value;
	vector_init(&out, type);
	if (type.id == TYPE_ARRAY) {
		sample_child(&one, type.fields[0].type, n);
		vector_init(&two, one.type);
		ck_ok(nested_pack_lists(&out, &one, offsets, NULL, 1, &heap,
					&err));
	} else {
		sample_child(&one, type.fields[0].type, n % 2 ? 1 : n / 2 + 2);
		sample_child(&two, type.fields[1].type, n % 2 ? 1 : n / 2 + 2);
		value = sample_value(one.type, n % 2 ? n / 2 + 2 : 1);
		ck_ok(vector_append(&one, &value, &err));
		value = sample_value(two.type, n % 2 ? n / 2 + 2 : 1);
		ck_ok(vector_append(&two, &value, &err));
		offsets[1] = 2;
		ck_ok(nested_pack_maps(&out, &one, &two, offsets, NULL, 1,
				       &heap, &err));
	}
	known->n = n;
	known->is_made = true;
	known->value = vector_get(&out, 0);
	vector_release(&one);
	vector_release(&two);
	vector_release(&out);
	return known->value;
}

/* Value number n of a type; text in a static pool. */
static inline struct literal sample_value(struct type type, uint64_t n)
{
	static char pool[4096][64];
	struct literal value = literal_null(type);
	char *text = pool[n % 4096];

	value.is_null = false;
	switch (type.id) {
	case TYPE_BOOLEAN:
		value.value.boolean = n & 1;
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		value.value.int32 = (int32_t)n - 5;
		break;
	case TYPE_REAL:
		value.value.real = n == 0 ? -0.0f : n == 1 ? 0.0f
				 : n == 2 ? NAN : (float)n / 2;
		break;
	case TYPE_DOUBLE:
		value.value.real64 = n == 0 ? -0.0 : n == 1 ? 0.0
				   : n == 2 ? NAN : n == 3 ? -NAN
				   : (double)n / 2;
		break;
	case TYPE_DECIMAL:
		value.value.decimal = (int128_t)n - 3;
		if (type.precision > DECIMAL_SHORT_PRECISION)
			value.value.decimal *= (int128_t)1 << 70;
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		snprintf(text, sizeof(pool[0]), "%.*s%llu", (int)(n % 30),
			 "a long text in front of the value",
			 (unsigned long long)n);
		value.value.bytes = byte_view(text, n == 4 ? 0
							   : strlen(text));
		break;
	case TYPE_UUID:
		memset(&value.value.uuid, 0, sizeof(value.value.uuid));
		memcpy(&value.value.uuid, &n, sizeof(n));
		break;
	case TYPE_ARRAY:
	case TYPE_MAP:
		return sample_nested(type, n);
	default:
		value.value.int64 = (int64_t)n - 5;
		break;
	}
	return value;
}

/* The class of equal values that number n is in; NULL is nobody's. */
static inline uint64_t sample_class(struct type type, uint64_t n)
{
	if (type.id == TYPE_ARRAY)
		type = type.fields[0].type;
	if (type.id == TYPE_BOOLEAN)
		return n & 1;
	if (type.id == TYPE_MAP)
		return n / 2;
	if ((type.id == TYPE_REAL || type.id == TYPE_DOUBLE) && n == 1)
		return 0;
	if (type.id == TYPE_DOUBLE && n == 3)
		return 2;
	return n;
}

static inline bool sample_is_nan(struct type type, uint64_t n)
{
	if (type.id == TYPE_ARRAY)
		type = type.fields[0].type;
	return (type.id == TYPE_DOUBLE && (n == 2 || n == 3)) ||
	       (type.id == TYPE_REAL && n == 2);
}

#define SAMPLE_NULL UINT64_MAX

static inline void sample_append(struct vector *vector, uint64_t n)
{
	struct literal value = n == SAMPLE_NULL
				       ? literal_null(vector->type)
				       : sample_value(vector->type, n);

	ck_ok(vector_append(vector, &value, &err));
}

/* n or NULL, one in eight. */
static inline uint64_t sample_number(uint64_t below)
{
	return sample_random(8) ? sample_random(below) : SAMPLE_NULL;
}

static inline const struct type *sample_types(size_t *count)
{
	static struct column_def fields[3] = { { .name = (char *)"element" },
		{ .name = (char *)"key" }, { .name = (char *)"value" } };
	static struct type types[15];

	types[0] = type_of(TYPE_BIGINT);
	types[1] = type_of(TYPE_INTEGER);
	types[2] = type_of(TYPE_VARCHAR);
	types[3] = type_of(TYPE_DOUBLE);
	types[4] = type_of(TYPE_REAL);
	types[5] = type_decimal(10, 2);
	types[6] = type_decimal(38, 0);
	types[7] = type_of(TYPE_UUID);
	types[8] = type_of(TYPE_DATE);
	types[9] = type_of(TYPE_TIMESTAMP);
	types[10] = type_of(TYPE_BOOLEAN);
	types[11] = type_of(TYPE_VARBINARY);
	types[12] = type_of(TYPE_TIME);
	fields[0].type = types[3];
	fields[1].type = types[1];
	fields[2].type = types[2];
	types[13] = type_of(TYPE_ARRAY);
	types[13].fields = fields;
	types[13].field_count = 1;
	types[14] = type_of(TYPE_MAP);
	types[14].fields = fields + 1;
	types[14].field_count = 2;
	*count = ARRAY_COUNT(types);
	return types;
}
#endif
