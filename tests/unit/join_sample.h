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
	default:
		value.value.int64 = (int64_t)n - 5;
		break;
	}
	return value;
}

/* The class of equal values that number n is in; NULL is nobody's. */
static inline uint64_t sample_class(struct type type, uint64_t n)
{
	if (type.id == TYPE_BOOLEAN)
		return n & 1;
	if ((type.id == TYPE_REAL || type.id == TYPE_DOUBLE) && n == 1)
		return 0;
	if (type.id == TYPE_DOUBLE && n == 3)
		return 2;
	return n;
}

static inline bool sample_is_nan(struct type type, uint64_t n)
{
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
	static struct type types[13];

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
	*count = 13;
	return types;
}
#endif
