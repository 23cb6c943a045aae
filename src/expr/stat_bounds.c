/*
 * stat_bounds.c - what a condition says of the values of single columns
 *
 * Why:    files, row groups and pages whose statistics lie outside can be
 *         left unread.
 * How:    two questions go down the tree together: when is this TRUE, and
 *         when is it FALSE (for NOT); NULL is neither. Leaves are a bare
 *         column against constants; what is not understood may be anything.
 *         The answer is never smaller than the truth: NaN is kept apart from
 *         the range, -0.0 is 0.0.
 * Cost:   n log n in the number of alternatives.
 * Limits: a bound is one range or one list; (a, b) pairs are not seen.
 */
#include <stdlib.h>
#include "expr/stat_bounds.h"
#include "expr/bound_set.h"
#include "expr/kernel.h"
#include "expr/kernel_compare.h"

/* Statistics are of leaves: nothing is known of a ROW, ARRAY or MAP. */
static bool is_bare_column(const struct expr *expr)
{
	return expr->kind == EXPR_COLUMN && !type_is_nested(&expr->type);
}

static const struct bound_set anything;
static const struct bound_set nothing = { true, false, NULL, 0 };

static struct bound_set bounds_when(const struct expr *expr, bool wanted,
				    struct arena *arena);

static bool is_nan(const struct literal *value)
{
	return (value->type.id == TYPE_REAL &&
		value->value.real != value->value.real) ||
	       (value->type.id == TYPE_DOUBLE &&
		value->value.real64 != value->value.real64);
}

/* Any value but NULL, NaN included. */
static struct bound not_null(const struct expr *column)
{
	struct bound bound;

	memset(&bound, 0, sizeof(bound));
	bound.column = column->column;
	bound.type = column->type;
	bound.nan_matches = true;
	return bound;
}

/* No value; the caller lets NULL or NaN pass. */
static struct bound no_value(const struct expr *column)
{
	struct bound bound = not_null(column);

	bound.nan_matches = false;
	bound.has_values = true;
	return bound;
}

static struct bound_set equal_to(const struct expr *column,
				 const struct literal *value,
				 struct arena *arena)
{
	struct bound bound = no_value(column);
	struct literal *copy = arena_alloc(arena, sizeof(*copy));
	static const struct bound_set no_memory = { false, true, NULL, 0 };

	if (!copy)
		return no_memory;
	*copy = *value;
	bound.values = copy;
	bound.value_count = 1;
	return bound_set_of(bound, arena);
}

/*
 * The next value up or down of a type that counts in steps; false when there
 * is none (the end of the type), *stepped false for other types.
 */
static bool step_value(struct literal *value, int step, bool *stepped)
{
	*stepped = true;
	switch (value->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		return !__builtin_add_overflow(value->value.int32, step,
					       &value->value.int32);
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return !__builtin_add_overflow(value->value.int64, step,
					       &value->value.int64);
	case TYPE_DECIMAL:
		return decimal_add(value->value.decimal, step,
				   &value->value.decimal);
	default:
		*stepped = false;
		return true;
	}
}

/* column < <= > >= value; NaN passes only where the comparison is FALSE. */
static struct bound_set one_sided(const struct expr *column,
				  enum compare_variant op,
				  const struct literal *value, bool nan,
				  struct arena *arena)
{
	bool is_upper = op == COMPARE_LT || op == COMPARE_LE;
	bool is_strict = op == COMPARE_LT || op == COMPARE_GT, stepped;
	struct bound bound = not_null(column);
	struct literal limit = *value;

	bound.nan_matches = nan;
	if (is_strict && !step_value(&limit, is_upper ? -1 : 1, &stepped)) {
		bound.has_values = true;
		return bound_set_of(bound, arena);
	}
	if (is_upper) {
		bound.has_max = true;
		bound.max = limit;
	} else {
		bound.has_min = true;
		bound.min = limit;
	}
	return bound_set_of(bound, arena);
}

static enum compare_variant mirrored(enum compare_variant op)
{
	switch (op) {
	case COMPARE_LT:
		return COMPARE_GT;
	case COMPARE_LE:
		return COMPARE_GE;
	case COMPARE_GT:
		return COMPARE_LT;
	case COMPARE_GE:
		return COMPARE_LE;
	default:
		return op;
	}
}

static enum compare_variant negated(enum compare_variant op)
{
	switch (op) {
	case COMPARE_EQ:
		return COMPARE_NE;
	case COMPARE_NE:
		return COMPARE_EQ;
	case COMPARE_LT:
		return COMPARE_GE;
	case COMPARE_LE:
		return COMPARE_GT;
	case COMPARE_GT:
		return COMPARE_LE;
	default:
		return COMPARE_LT;
	}
}

static struct bound_set compare_when(const struct expr *column,
				     enum compare_variant op,
				     const struct literal *value, bool wanted,
				     struct arena *arena)
{
	if (value->is_null)
		return nothing;
	if (is_nan(value)) {
		/* Only <> holds beside NaN, and it does for every value. */
		if ((op == COMPARE_NE) != wanted)
			return nothing;
		return bound_set_of(not_null(column), arena);
	}
	if (!wanted)
		op = negated(op);
	if (op == COMPARE_EQ)
		return equal_to(column, value, arena);
	if (op == COMPARE_NE)
		return bound_set_of(not_null(column), arena);
	return one_sided(column, op, value, !wanted, arena);
}

static struct bound_set distinct_when(const struct expr *column,
				      const struct literal *value,
				      bool wanted, struct arena *arena)
{
	struct bound bound = no_value(column);

	if (wanted)
		return value->is_null ? bound_set_of(not_null(column), arena)
				      : anything;
	if (!value->is_null && !is_nan(value))
		return equal_to(column, value, arena);
	bound.null_matches = value->is_null;
	bound.nan_matches = !value->is_null;
	return bound_set_of(bound, arena);
}

static struct bound_set call_when(const struct expr *expr, bool wanted,
				  struct arena *arena)
{
	const struct function *function = expr->function;
	bool is_distinct = function->kernel == compare_distinct;
	const struct expr *column, *literal;
	enum compare_variant op = function->variant;

	if (!is_distinct && function->choose != compare_choose)
		return anything;
	column = expr->args[0];
	literal = expr->args[1];
	if (column->kind == EXPR_LITERAL) {
		column = expr->args[1];
		literal = expr->args[0];
		op = mirrored(op);
	}
	if (literal->kind != EXPR_LITERAL || !is_bare_column(column) ||
	    !type_equal(&column->type, &literal->literal.type))
		return anything;
	if (is_distinct)
		return distinct_when(column, &literal->literal, wanted,
				     arena);
	return compare_when(column, op, &literal->literal, wanted, arena);
}

static int compare_literals(const void *a, const void *b)
{
	return literal_compare(a, b);
}

/* The list of IN, ascending and distinct, without NULL and NaN. */
static bool list_values(const struct expr *expr, struct bound *bound,
			bool *has_null, struct arena *arena)
{
	struct literal *values = arena_zalloc_array(arena, expr->arg_count,
						    sizeof(*values));
	size_t count = 0, distinct = 0;

	if (!values)
		return false;
	for (size_t i = 1; i < expr->arg_count; i++) {
		const struct literal *value = &expr->args[i]->literal;

		*has_null |= value->is_null;
		if (!value->is_null && !is_nan(value))
			values[count++] = *value;
	}
	qsort(values, count, sizeof(*values), compare_literals);
	for (size_t i = 0; i < count; i++) {
		if (!distinct || literal_compare(&values[distinct - 1],
						 &values[i]) != 0)
			values[distinct++] = values[i];
	}
	bound->values = values;
	bound->value_count = distinct;
	return true;
}

static struct bound_set in_when(const struct expr *expr, bool wanted,
				struct arena *arena)
{
	static const struct bound_set no_memory = { false, true, NULL, 0 };
	const struct expr *column = expr->args[0];
	bool has_null = false;
	struct bound bound;

	if (!is_bare_column(column))
		return anything;
	for (size_t i = 1; i < expr->arg_count; i++) {
		if (expr->args[i]->kind != EXPR_LITERAL ||
		    !type_equal(&column->type, &expr->args[i]->literal.type))
			return anything;
	}
	bound = no_value(column);
	if (!list_values(expr, &bound, &has_null, arena))
		return no_memory;
	if (wanted)
		return bound_set_of(bound, arena);
	/* NOT IN a list with NULL is never TRUE. */
	return has_null ? nothing : bound_set_of(not_null(column), arena);
}

/* All of args[0 .. count - 1], or one of them; halves keep lists short. */
static struct bound_set combine(struct expr *const *args, size_t count,
				bool all, bool wanted, struct arena *arena)
{
	struct bound_set a, b;

	if (count == 1)
		return bounds_when(args[0], wanted, arena);
	a = combine(args, count / 2, all, wanted, arena);
	b = combine(args + count / 2, count - count / 2, all, wanted, arena);
	return all ? bound_set_and(a, b, arena) : bound_set_or(a, b, arena);
}

static struct bound_set is_null_when(const struct expr *expr, bool wanted,
				     struct arena *arena)
{
	const struct expr *column = expr->args[0];
	struct bound bound;

	if (!is_bare_column(column))
		return anything;
	if (!wanted)
		return bound_set_of(not_null(column), arena);
	bound = no_value(column);
	bound.null_matches = true;
	return bound_set_of(bound, arena);
}

/* What holds when expr is TRUE (wanted) or FALSE. */
static struct bound_set bounds_when(const struct expr *expr, bool wanted,
				    struct arena *arena)
{
	struct literal value;

	switch (expr->kind) {
	case EXPR_LITERAL:
		if (expr->literal.is_null ||
		    (expr->literal.value.boolean != 0) != wanted)
			return nothing;
		return anything;
	case EXPR_COLUMN:
		value = literal_null(expr->type);
		value.is_null = false;
		value.value.boolean = wanted;
		return equal_to(expr, &value, arena);
	case EXPR_AND:
	case EXPR_OR:
		return combine(expr->args, expr->arg_count,
			       (expr->kind == EXPR_AND) == wanted, wanted,
			       arena);
	case EXPR_NOT:
		return bounds_when(expr->args[0], !wanted, arena);
	case EXPR_IS_NULL:
		return is_null_when(expr, wanted, arena);
	case EXPR_IN:
		return in_when(expr, wanted, arena);
	case EXPR_CALL:
		return call_when(expr, wanted, arena);
	default:
		return anything;
	}
}

/* The list of a bound as a vector whose memory is the arena's. */
static int values_vector(const struct bound *bound,
			 const struct vector **out, struct arena *arena,
			 struct error *err)
{
	struct vector *vector = arena_zalloc(arena, sizeof(*vector));
	struct vector filled;
	size_t bytes = bound->value_count * type_width(&bound->type);
	int rc = 0;

	if (!vector)
		return error_set(err, ERROR_NO_MEMORY, "range of a column");
	vector_init(vector, bound->type);
	vector_init(&filled, bound->type);
	for (size_t i = 0; i < bound->value_count && !rc; i++)
		rc = vector_append(&filled, &bound->values[i], err);
	if (!rc && bound->value_count) {
		vector->data = arena_copy(arena, filled.data, bytes);
		vector->count = bound->value_count;
		if (!vector->data)
			rc = error_set(err, ERROR_NO_MEMORY,
				       "range of a column");
	}
	vector_release(&filled);
	*out = vector;
	return rc;
}

static int range_of(const struct bound *bound, struct column_range *out,
		    struct arena *arena, struct error *err)
{
	out->column = bound->column;
	out->has_min = bound->has_min;
	out->has_max = bound->has_max;
	out->min = bound->has_min ? bound->min : literal_null(bound->type);
	out->max = bound->has_max ? bound->max : literal_null(bound->type);
	out->null_matches = bound->null_matches;
	out->nan_matches = bound->nan_matches;
	if (!bound->has_values)
		return 0;
	out->value_count = bound->value_count;
	return values_vector(bound, &out->values, arena, err);
}

int stat_bounds(const struct expr *condition, size_t column_limit,
		struct arena *arena, struct column_range **out,
		size_t *count_out, bool *never, struct error *err)
{
	struct bound_set set = anything;
	struct column_range *ranges;
	size_t count = 0;

	*out = NULL;
	*count_out = 0;
	*never = false;
	if (condition)
		set = bounds_when(condition, true, arena);
	if (set.failed)
		return error_set(err, ERROR_NO_MEMORY, "range of a column");
	*never = set.never;
	if (set.never || !set.count)
		return 0;
	ranges = arena_zalloc_array(arena, set.count, sizeof(*ranges));
	if (!ranges)
		return error_set(err, ERROR_NO_MEMORY, "range of a column");
	for (size_t i = 0; i < set.count; i++) {
		int rc;

		if (set.bounds[i].column >= column_limit)
			continue;
		rc = range_of(&set.bounds[i], &ranges[count++], arena, err);
		if (rc)
			return rc;
	}
	*out = ranges;
	*count_out = count;
	return 0;
}
