#ifndef TESTS_UNIT_COLUMN_SAMPLES_H
#define TESTS_UNIT_COLUMN_SAMPLES_H
#include "unit/check_main.h"
#include "column/column.h"

#define SAMPLE_TYPE_COUNT 16

/* One type of each kind that a vector can hold. */
static inline struct type sample_type(size_t i)
{
	static const enum type_id ids[] = {
		TYPE_BOOLEAN, TYPE_TINYINT, TYPE_INTEGER, TYPE_BIGINT,
		TYPE_REAL, TYPE_DOUBLE, TYPE_DATE, TYPE_TIME, TYPE_TIMESTAMP,
		TYPE_TIMESTAMP_TZ, TYPE_VARCHAR, TYPE_VARBINARY, TYPE_UUID,
		TYPE_FIXED,
	};
	struct type type;

	if (i == 14)
		return type_decimal(10, 2);
	if (i == 15)
		return type_decimal(30, 2);
	type = type_of(ids[i]);
	if (type.id == TYPE_FIXED)
		type.length = 2;
	return type;
}

/* A value of the type that depends on n; few n give the same one. */
static inline struct literal sample_value(struct type type, uint32_t n)
{
	static const char letters[] = "the quick brown fox jumps over the dog";
	struct literal value = literal_null(type);
	uint32_t mixed = n * 2654435761u;

	value.is_null = false;
	switch (type.id) {
	case TYPE_BOOLEAN:
		value.value.boolean = mixed >> 31;
		break;
	case TYPE_TINYINT:
		value.value.int32 = (int8_t)(mixed >> 24);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		value.value.int32 = (int32_t)mixed;
		break;
	case TYPE_REAL:
		value.value.real = (float)(int32_t)mixed / 7;
		break;
	case TYPE_DOUBLE:
		value.value.real64 = (int32_t)mixed / 7.0;
		break;
	case TYPE_DECIMAL:
		value.value.decimal = (int32_t)mixed;
		if (type.precision > DECIMAL_SHORT_PRECISION)
			value.value.decimal *= INT64_C(10000000000000);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		value.value.bytes = byte_view(letters + mixed % 8,
					      (mixed >> 8) % 30);
		break;
	case TYPE_FIXED:
		value.value.bytes = byte_view(letters + mixed % 30, 2);
		break;
	case TYPE_UUID:
		for (size_t i = 0; i < 16; i++)
			value.value.uuid.bytes[i] = (uint8_t)(mixed >> i);
		break;
	default:
		value.value.int64 = (int64_t)(int32_t)mixed * 1000003;
		break;
	}
	return value;
}

/* What row `row` of a sample vector holds; every null_step-th is NULL. */
static inline struct literal sample_row(struct type type, uint32_t row,
					uint32_t null_step)
{
	if (null_step && row % null_step == 0)
		return literal_null(type);
	return sample_value(type, row);
}

/* A vector of count sample rows; null_step 0 = no nulls, no bitmap. Under
 * every other null stands a value, which must not matter. */
static inline void sample_vector(struct vector *vector, struct type type,
				 uint32_t count, uint32_t null_step)
{
	struct error err;

	vector_init(vector, type);
	for (uint32_t i = 0; i < count; i++) {
		struct literal value = sample_row(type, i, null_step);
		struct literal hidden = sample_value(type, i);
		bool hide = value.is_null && i & 1;

		ck_ok(vector_append(vector, hide ? &hidden : &value, &err));
		if (hide)
			ck_ok(vector_set_null(vector, i, &err));
	}
}

/* Bit by bit, so that NaN is the same as itself and -0.0 is not 0.0. */
static inline bool same_literal(const struct literal *a,
				const struct literal *b)
{
	if (a->is_null || b->is_null)
		return a->is_null == b->is_null;
	if (type_is_bytes(&a->type))
		return byte_view_equal(a->value.bytes, b->value.bytes);
	switch (a->type.id) {
	case TYPE_REAL:
		return memcmp(&a->value.real, &b->value.real,
			      sizeof(float)) == 0;
	case TYPE_DOUBLE:
		return memcmp(&a->value.real64, &b->value.real64,
			      sizeof(double)) == 0;
	default:
		return literal_compare(a, b) == 0;
	}
}

#define ck_literal(got, wanted) \
	do { \
		struct literal ck_got = (got), ck_wanted = (wanted); \
		ck_assert_msg(same_literal(&ck_got, &ck_wanted), \
			      "%s is not %s", #got, #wanted); \
	} while (0)
#endif
