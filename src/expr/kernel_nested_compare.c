/*
 * kernel_nested_compare.c - = <> < <= > >= of ROW, ARRAY and MAP
 *
 * Why:    Trino's rules: equality is unknown when a NULL inside decides it;
 *         an order that would depend on a NULL inside is an error.
 * How:    value by value on the packed form; which side is longer, or the
 *         first field that differs, mostly ends it early.
 * Limits: MAPs have no order; the function table refuses them.
 */
#include "expr/kernel_compare.h"

/* Order of two values that are not null; *met_null when a NULL is met before
 * anything differs. */
static int order_values(const struct literal *a, const struct literal *b,
			bool *met_null)
{
	struct byte_view left = a->value.bytes, right = b->value.bytes;
	const struct type *type = &a->type;
	size_t left_count, right_count;

	if (!type_is_nested(type))
		return literal_compare(a, b);
	left_count = nested_count(type, left);
	right_count = nested_count(type, right);
	for (size_t i = 0; i < left_count && i < right_count; i++) {
		struct literal x = nested_field(type, left, i);
		struct literal y = nested_field(type, right, i);
		int order;

		if (x.is_null || y.is_null) {
			*met_null = true;
			return 0;
		}
		order = order_values(&x, &y, met_null);
		if (order || *met_null)
			return order;
	}
	return (left_count > right_count) - (left_count < right_count);
}

static bool order_fits(int order, unsigned variant)
{
	switch (variant) {
	case COMPARE_LT:
		return order < 0;
	case COMPARE_LE:
		return order <= 0;
	case COMPARE_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static int compare_order(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;

	KERNEL_ROWS(call, i) {
		struct literal a = vector_get(call->args[0], i);
		struct literal b = vector_get(call->args[1], i);
		bool met_null = false;
		int order = order_values(&a, &b, &met_null);

		if (met_null) {
			error_set(call->err, ERROR_BAD_ARGUMENT, "the order "
				  "of two %s values with a NULL inside is not "
				  "known", a.type.id == TYPE_ROW ? "ROW"
								 : "ARRAY");
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		vector_bool(call->result)[i] = order_fits(order, variant);
	}
	return 0;
}

int compare_nested(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;
	const struct type *type = &call->args[0]->type;
	const struct byte_view *a = vector_bytes(call->args[0]);
	const struct byte_view *b = vector_bytes(call->args[1]);
	uint8_t *out = call->result->data;

	if (variant >= COMPARE_LT)
		return compare_order(call);
	KERNEL_ROWS(call, i) {
		int same = nested_equal_sql(type, a[i], b[i]);
		int rc = same < 0 ? kernel_set_null(call, i) : 0;

		if (rc)
			return rc;
		out[i] = (same == 1) == (variant == COMPARE_EQ);
	}
	return 0;
}
