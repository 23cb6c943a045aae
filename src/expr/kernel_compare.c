/*
 * kernel_compare.c - comparisons, IS DISTINCT FROM, GREATEST and LEAST
 *
 * Why:    conditions and join residuals spend their time here.
 * How:    one tight loop per C type and operator, for column against column
 *         and column against constant; a constant on the left is mirrored to
 *         the right. Floating point follows IEEE 754: NaN equals nothing and
 *         -0.0 equals 0.0; only IS DISTINCT FROM takes NaN as equal to
 *         itself. Text and binary compare bytewise, as unsigned.
 * Cost:   well under 1 ns a row for fixed width, sequential reads.
 */
/* Loops over flat arrays; -O2 alone leaves them scalar. */
#pragma GCC optimize("O3")
#include "expr/kernel_compare.h"

enum compare_class {
	CLASS_U8,
	CLASS_I8,
	CLASS_I32,
	CLASS_I64,
	CLASS_F32,
	CLASS_F64,
	CLASS_I128,
	CLASS_BYTES,
	CLASS_UUID,
	CLASS_NESTED,
	CLASS_COUNT,
};

static enum compare_class class_of(const struct type *type)
{
	switch (type->id) {
	case TYPE_TINYINT:
		return CLASS_I8;
	case TYPE_INTEGER:
	case TYPE_DATE:
		return CLASS_I32;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return CLASS_I64;
	case TYPE_REAL:
		return CLASS_F32;
	case TYPE_DOUBLE:
		return CLASS_F64;
	case TYPE_DECIMAL:
		return type_is_short_decimal(type) ? CLASS_I64 : CLASS_I128;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return CLASS_BYTES;
	case TYPE_UUID:
		return CLASS_UUID;
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return CLASS_NESTED;
	default:
		return CLASS_U8;
	}
}

/* Left side, right side (the constant one if there is one). */
struct compare_sides {
	const struct vector *left;
	const struct vector *right;
	bool right_constant;
};

static struct compare_sides sides_of(const struct kernel_call *call)
{
	struct compare_sides sides = { call->args[0], call->args[1],
				       call->is_constant[1] };

	if (call->is_constant[0] && !call->is_constant[1]) {
		sides.left = call->args[1];
		sides.right = call->args[0];
		sides.right_constant = true;
	}
	return sides;
}

/* Two kernels: `a op b`, and the mirror image for a constant on the left. */
#define DEFINE_COMPARE(name, ctype, op, mirrored) \
static int name(struct kernel_call *call) \
{ \
	struct compare_sides sides = sides_of(call); \
	const ctype *left = sides.left->data; \
	const ctype *right = sides.right->data; \
	uint8_t *restrict out = call->result->data; \
 \
	if (!sides.right_constant) { \
		KERNEL_LOOP(call, i, out[i] = left[i] op right[i]); \
	} else { \
		const ctype c = right[0]; \
 \
		if (sides.left == call->args[0]) \
			KERNEL_LOOP(call, i, out[i] = left[i] op c); \
		else \
			KERNEL_LOOP(call, i, out[i] = left[i] mirrored c); \
	} \
	return 0; \
}

#define DEFINE_COMPARES(suffix, ctype) \
	DEFINE_COMPARE(eq_##suffix, ctype, ==, ==) \
	DEFINE_COMPARE(ne_##suffix, ctype, !=, !=) \
	DEFINE_COMPARE(lt_##suffix, ctype, <, >) \
	DEFINE_COMPARE(le_##suffix, ctype, <=, >=) \
	DEFINE_COMPARE(gt_##suffix, ctype, >, <) \
	DEFINE_COMPARE(ge_##suffix, ctype, >=, <=)

DEFINE_COMPARES(u8, uint8_t)
DEFINE_COMPARES(i8, int8_t)
DEFINE_COMPARES(i32, int32_t)
DEFINE_COMPARES(i64, int64_t)
DEFINE_COMPARES(f32, float)
DEFINE_COMPARES(f64, double)
DEFINE_COMPARES(i128, int128_t)

static inline int bytes_order(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = length ? memcmp(a.data, b.data, length) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static inline bool uuid_equal(struct uuid a, struct uuid b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

static inline int uuid_order(struct uuid a, struct uuid b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

/* Text that is null or not selected may not be looked at. */
#define DEFINE_SLOW_COMPARE(name, ctype, test) \
static int name(struct kernel_call *call) \
{ \
	const ctype *left = call->args[0]->data; \
	const ctype *right = call->args[1]->data; \
	uint8_t *restrict out = call->result->data; \
 \
	KERNEL_ROWS(call, i) { \
		const ctype a = left[i], b = right[i]; \
 \
		out[i] = test; \
	} \
	return 0; \
}

DEFINE_SLOW_COMPARE(eq_bytes, struct byte_view, byte_view_equal(a, b))
DEFINE_SLOW_COMPARE(ne_bytes, struct byte_view, !byte_view_equal(a, b))
DEFINE_SLOW_COMPARE(lt_bytes, struct byte_view, bytes_order(a, b) < 0)
DEFINE_SLOW_COMPARE(le_bytes, struct byte_view, bytes_order(a, b) <= 0)
DEFINE_SLOW_COMPARE(gt_bytes, struct byte_view, bytes_order(a, b) > 0)
DEFINE_SLOW_COMPARE(ge_bytes, struct byte_view, bytes_order(a, b) >= 0)
DEFINE_SLOW_COMPARE(eq_uuid, struct uuid, uuid_equal(a, b))
DEFINE_SLOW_COMPARE(ne_uuid, struct uuid, !uuid_equal(a, b))
DEFINE_SLOW_COMPARE(lt_uuid, struct uuid, uuid_order(a, b) < 0)
DEFINE_SLOW_COMPARE(le_uuid, struct uuid, uuid_order(a, b) <= 0)
DEFINE_SLOW_COMPARE(gt_uuid, struct uuid, uuid_order(a, b) > 0)
DEFINE_SLOW_COMPARE(ge_uuid, struct uuid, uuid_order(a, b) >= 0)

#define COMPARE_ROW(suffix) \
	{ eq_##suffix, ne_##suffix, lt_##suffix, le_##suffix, gt_##suffix, \
	  ge_##suffix }

kernel_run compare_choose(const struct expr *node)
{
	static const kernel_run kernels[CLASS_COUNT][6] = {
		[CLASS_U8] = COMPARE_ROW(u8),
		[CLASS_I8] = COMPARE_ROW(i8),
		[CLASS_I32] = COMPARE_ROW(i32),
		[CLASS_I64] = COMPARE_ROW(i64),
		[CLASS_F32] = COMPARE_ROW(f32),
		[CLASS_F64] = COMPARE_ROW(f64),
		[CLASS_I128] = COMPARE_ROW(i128),
		[CLASS_BYTES] = COMPARE_ROW(bytes),
		[CLASS_UUID] = COMPARE_ROW(uuid),
	};

	if (type_is_nested(&node->args[0]->type))
		return compare_nested;
	return kernels[class_of(&node->args[0]->type)]
		      [node->function->variant];
}

bool compare_can_fail(const struct expr *node)
{
	return node->function->choose == compare_choose &&
	       node->function->variant >= COMPARE_LT &&
	       type_is_nested(&node->args[0]->type);
}

/* out = rows that are distinct, for rows where neither side is null. */
static void distinct_values(struct kernel_call *call, enum compare_class c)
{
	const void *a = call->args[0]->data, *b = call->args[1]->data;
	uint8_t *restrict out = call->result->data;

#define DISTINCT(ctype, test) \
	KERNEL_LOOP(call, i, const ctype x = ((const ctype *)a)[i]; \
		    const ctype y = ((const ctype *)b)[i]; out[i] = (test))
	switch (c) {
	case CLASS_I8:
	case CLASS_U8:
		DISTINCT(uint8_t, x != y);
		break;
	case CLASS_I32:
		DISTINCT(int32_t, x != y);
		break;
	case CLASS_I64:
		DISTINCT(int64_t, x != y);
		break;
	case CLASS_I128:
		DISTINCT(int128_t, x != y);
		break;
	case CLASS_F32:
		DISTINCT(float, (x != y) & ((x == x) | (y == y)));
		break;
	case CLASS_F64:
		DISTINCT(double, (x != y) & ((x == x) | (y == y)));
		break;
	case CLASS_UUID:
		DISTINCT(struct uuid, !uuid_equal(x, y));
		break;
	default:
		break;
	}
#undef DISTINCT
}

int compare_distinct(struct kernel_call *call)
{
	const struct vector *left = call->args[0], *right = call->args[1];
	enum compare_class c = class_of(&left->type);
	uint8_t *out = call->result->data;

	call->result->validity = NULL;
	distinct_values(call, c);
	if (c != CLASS_BYTES && c != CLASS_NESTED && !left->validity &&
	    !right->validity)
		return 0;
	KERNEL_ROWS(call, i) {
		bool a_null = vector_is_null(left, i);
		bool b_null = vector_is_null(right, i);

		if (a_null || b_null)
			out[i] = a_null != b_null;
		else if (c == CLASS_BYTES)
			out[i] = !byte_view_equal(vector_bytes(left)[i],
						  vector_bytes(right)[i]);
		else if (c == CLASS_NESTED)
			out[i] = nested_compare(&left->type,
						vector_bytes(left)[i],
						vector_bytes(right)[i]) != 0;
	}
	return 0;
}

/*
 * NaN gives way to any number, as in Trino. Branches, not arithmetic: the
 * compiler turns them into blends.
 */
#define EXTREME(ctype, first, better) \
	do { \
		ctype *restrict out = call->result->data; \
		const ctype *in = call->args[k]->data; \
		if (first) \
			KERNEL_LOOP(call, i, out[i] = in[i]); \
		else \
			KERNEL_LOOP(call, i, const ctype a = out[i]; \
				    const ctype b = in[i]; \
				    out[i] = (better) ? b : a); \
	} while (0)

#define EXTREME_OF(ctype, unordered) \
	do { \
		if (is_greatest) \
			EXTREME(ctype, k == 0, b > a || (unordered)); \
		else \
			EXTREME(ctype, k == 0, b < a || (unordered)); \
	} while (0)

static void extreme_slow(struct kernel_call *call, size_t k, bool is_bytes,
			 bool is_greatest)
{
	const struct vector *in = call->args[k];

	KERNEL_ROWS(call, i) {
		int order = 1;

		if (k && is_bytes)
			order = bytes_order(vector_bytes(in)[i],
					    vector_bytes(call->result)[i]);
		else if (k)
			order = uuid_order(vector_uuid(in)[i],
					   vector_uuid(call->result)[i]);
		if (k && (is_greatest ? order <= 0 : order >= 0))
			continue;
		if (is_bytes)
			vector_bytes(call->result)[i] = vector_bytes(in)[i];
		else
			vector_uuid(call->result)[i] = vector_uuid(in)[i];
	}
}

int compare_extreme(struct kernel_call *call)
{
	bool is_greatest = call->node->function->variant == EXTREME_GREATEST;
	enum compare_class c = class_of(&call->node->type);

	for (size_t k = 0; k < call->arg_count; k++) {
		switch (c) {
		case CLASS_U8:
			EXTREME_OF(uint8_t, false);
			break;
		case CLASS_I8:
			EXTREME_OF(int8_t, false);
			break;
		case CLASS_I32:
			EXTREME_OF(int32_t, false);
			break;
		case CLASS_I64:
			EXTREME_OF(int64_t, false);
			break;
		case CLASS_I128:
			EXTREME_OF(int128_t, false);
			break;
		case CLASS_F32:
			EXTREME_OF(float, a != a);
			break;
		case CLASS_F64:
			EXTREME_OF(double, a != a);
			break;
		default:
			extreme_slow(call, k, c == CLASS_BYTES, is_greatest);
			break;
		}
	}
	return 0;
}
