/*
 * expr_fold.c - compute what reads no column before any row is seen
 *
 * Why:    constants must be literals for pruning, for hash sets, for tight
 *         loops; and what is decided at once need not run at all.
 * How:    bottom up, into new nodes: bound trees are shared. A constant that
 *         fails to compute stays as it is and fails when a row reaches it.
 *         AND, OR, CASE and COALESCE lose the arguments that no row can
 *         reach, and those that decide nothing. CAST(column) compared with a
 *         literal becomes column compared with the literal in the column's
 *         own type wherever that is exact.
 * Cost:   once per statement.
 */
#include "expr/expr_run.h"
#include "expr/kernel.h"
#include "expr/kernel_compare.h"
#include "expr/kernel_zone.h"
#include "expr/type_coerce.h"

struct fold {
	struct arena *arena;
	const struct expr_context *context;	/* NULL = not known */
};

static struct expr *new_literal(const struct fold *fold,
				const struct expr *at,
				const struct literal *value)
{
	struct expr *expr = expr_literal(fold->arena, value);

	if (!expr)
		return NULL;
	expr->line = at->line;
	expr->position = at->position;
	return expr;
}

static struct expr *new_boolean(const struct fold *fold,
				const struct expr *at, bool value)
{
	struct literal literal = literal_null(type_of(TYPE_BOOLEAN));

	literal.is_null = false;
	literal.value.boolean = value;
	return new_literal(fold, at, &literal);
}

static struct expr *new_null(const struct fold *fold, const struct expr *at)
{
	struct literal literal = literal_null(at->type);

	return new_literal(fold, at, &literal);
}

static bool is_literal(const struct expr *expr)
{
	return expr->kind == EXPR_LITERAL;
}

static bool is_null_literal(const struct expr *expr)
{
	return is_literal(expr) && expr->literal.is_null;
}

/* A node with its arguments replaced; the node itself when none changed. */
static struct expr *with_args(const struct fold *fold, struct expr *expr,
			      struct expr **args, size_t count)
{
	struct expr *copy;

	if (count == expr->arg_count &&
	    (!count || memcmp(args, expr->args, count * sizeof(*args)) == 0))
		return expr;
	copy = arena_alloc(fold->arena, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *expr;
	copy->args = args;
	copy->arg_count = count;
	return copy;
}

/*
 * All arguments are literals: compute. NULL = out of memory; the node itself
 * when it fails or depends on what is not known here.
 */
static struct expr *compute(const struct fold *fold, struct expr *expr)
{
	struct literal value;
	struct expr *folded;
	struct error err;
	int rc;

	if (!fold->context && node_reads_context(expr))
		return expr;
	error_init(&err);
	rc = expr_evaluate(expr, fold->context, fold->arena, &value, &err);
	if (rc == ERROR_NO_MEMORY)
		return NULL;
	if (rc)
		return expr;
	value.type = expr->type;
	folded = new_literal(fold, expr, &value);
	return folded;
}

/* Is the argument a literal that decides (FALSE for AND, TRUE for OR), or
 * the one that says nothing? */
static bool is_boolean(const struct expr *expr, bool value)
{
	return is_literal(expr) && !expr->literal.is_null &&
	       expr->literal.value.boolean == value;
}

static struct expr *fold_and_or(const struct fold *fold, struct expr *expr,
				struct expr **args)
{
	bool decides = expr->kind == EXPR_OR, can_fail = false;
	size_t count = 0;

	for (size_t i = 0; i < expr->arg_count; i++) {
		if (is_boolean(args[i], !decides))
			continue;
		args[count++] = args[i];
		if (!is_boolean(args[i], decides)) {
			can_fail |= expr_can_fail(args[i]);
			continue;
		}
		/* Nobody gets past it; before it nothing can happen? */
		if (!can_fail)
			return args[i];
		break;
	}
	if (count == 0)
		return new_boolean(fold, expr, !decides);
	if (count == 1)
		return args[0];
	return with_args(fold, expr, args, count);
}

static struct expr *fold_case(const struct fold *fold, struct expr *expr,
			      struct expr **args)
{
	size_t count = 0, i;

	for (i = 0; i + 1 < expr->arg_count; i += 2) {
		if (expr_is_false_or_null(args[i]))
			continue;
		if (expr_is_true(args[i])) {
			/* The rest is out of reach: this is the ELSE. */
			args[count++] = args[i + 1];
			break;
		}
		args[count++] = args[i];
		args[count++] = args[i + 1];
	}
	if (i + 1 == expr->arg_count)
		args[count++] = args[i];
	if (count == 0)
		return new_null(fold, expr);
	return count == 1 ? args[0] : with_args(fold, expr, args, count);
}

static struct expr *fold_coalesce(const struct fold *fold, struct expr *expr,
				  struct expr **args)
{
	size_t count = 0;

	for (size_t i = 0; i < expr->arg_count; i++) {
		if (is_null_literal(args[i]))
			continue;
		args[count++] = args[i];
		if (is_literal(args[i]))
			break;
	}
	if (count == 0)
		return new_null(fold, expr);
	return count == 1 ? args[0] : with_args(fold, expr, args, count);
}

/* Does the cast keep order and distinctness, and never fail? */
static bool is_exact_widening(const struct type *from, const struct type *to)
{
	struct type exact = type_as_decimal(from);

	if (from->id == TYPE_INTEGER &&
	    (to->id == TYPE_BIGINT || to->id == TYPE_DOUBLE))
		return true;
	if (from->id == TYPE_REAL && to->id == TYPE_DOUBLE)
		return true;
	if (to->id == TYPE_DECIMAL && exact.id == TYPE_DECIMAL)
		return to->scale >= exact.scale &&
		       to->precision - to->scale >=
			       exact.precision - exact.scale;
	return from->id == TYPE_DATE && to->id == TYPE_TIMESTAMP;
}

/*
 * value in the narrower type `to`, if it is there exactly (there and back
 * gives the same). Returns a literal node, expr unchanged (NULL in *out) if
 * not; false when out of memory.
 */
static bool narrow_literal(const struct fold *fold, struct expr *literal,
			   const struct type *to, struct expr **out)
{
	struct expr *down = expr_new(fold->arena, EXPR_TRY_CAST, *to, 1);
	struct expr *up = expr_new(fold->arena, EXPR_TRY_CAST, literal->type,
				   1);
	struct expr *narrow, *back;

	*out = NULL;
	if (!down || !up)
		return false;
	down->args[0] = literal;
	down->line = literal->line;
	down->position = literal->position;
	narrow = compute(fold, down);
	if (!narrow)
		return false;
	if (!is_literal(narrow) || narrow->literal.is_null)
		return true;
	up->args[0] = narrow;
	back = compute(fold, up);
	if (!back)
		return false;
	if (is_literal(back) && !back->literal.is_null &&
	    literal_compare(&back->literal, &literal->literal) == 0)
		*out = narrow;
	return true;
}

/* CAST(x) op literal -> x op literal', all literals on the other side. */
static struct expr *unwrap_cast(const struct fold *fold, struct expr *expr)
{
	size_t side = is_literal(expr->args[0]) ? 1 : 0;
	struct expr *cast = expr->args[side];
	const struct type *inner;
	struct expr **args;

	if (cast->kind != EXPR_CAST)
		return expr;
	inner = &cast->args[0]->type;
	if (!is_exact_widening(inner, &cast->type))
		return expr;
	args = arena_zalloc_array(fold->arena, expr->arg_count,
				  sizeof(*args));
	if (!args)
		return NULL;
	for (size_t i = 0; i < expr->arg_count; i++) {
		if (i == side) {
			args[i] = cast->args[0];
			continue;
		}
		if (!is_literal(expr->args[i]))
			return expr;
		if (is_null_literal(expr->args[i])) {
			struct literal null = literal_null(*inner);

			args[i] = new_literal(fold, expr->args[i], &null);
		} else if (!narrow_literal(fold, expr->args[i], inner,
					   &args[i])) {
			return NULL;
		} else if (!args[i]) {
			return expr;
		}
		if (!args[i])
			return NULL;
	}
	return with_args(fold, expr, args, expr->arg_count);
}

static bool is_comparison(const struct expr *expr)
{
	return expr->kind == EXPR_CALL && expr->arg_count == 2 &&
	       (expr->function->choose == compare_choose ||
		expr->function->kernel == compare_distinct);
}

/* A strict call of NULL is NULL, unless another argument may fail first. */
static bool is_null_call(const struct expr *expr)
{
	bool has_null = false;

	if (expr->kind != EXPR_CALL ||
	    (expr->function->flags & FUNCTION_LAX))
		return false;
	for (size_t i = 0; i < expr->arg_count; i++) {
		if (is_null_literal(expr->args[i]))
			has_null = true;
		else if (expr_can_fail(expr->args[i]))
			return false;
	}
	return has_null;
}

/* A call that says in which zone its result is to be seen and could be
 * computed, but for who takes it: see kernel_zone.h. */
static bool is_told_literal(const struct expr *expr)
{
	bool is_told = zone_is_told(expr) ||
		       (expr->kind == EXPR_CALL && zone_is_read(expr) &&
			expr->type.id == TYPE_TIMESTAMP_TZ);

	for (size_t i = 0; is_told && i < expr->arg_count; i++)
		is_told = is_literal(expr->args[i]) ||
			  is_told_literal(expr->args[i]);
	return is_told;
}

/* Compute what was left for who takes it, unless that is parent. */
static struct expr *settle(const struct fold *fold, struct expr *expr,
			   const struct expr *parent)
{
	if ((parent && zone_is_read(parent)) || !is_told_literal(expr))
		return expr;
	return compute(fold, expr);
}

static bool is_known(struct expr *const *args, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_literal(args[i]) && !is_told_literal(args[i]))
			return false;
	}
	return true;
}

static struct expr *fold_plain(const struct fold *fold, struct expr *expr,
			       struct expr **args)
{
	expr = with_args(fold, expr, args, expr->arg_count);
	if (!expr)
		return NULL;
	if (expr->kind == EXPR_CAST &&
	    type_equal(&expr->type, &args[0]->type))
		return args[0];
	if (is_told_literal(expr))
		return expr;
	if (is_known(args, expr->arg_count))
		return compute(fold, expr);
	if (is_null_call(expr))
		return new_null(fold, expr);
	if (is_comparison(expr) || expr->kind == EXPR_IN)
		return unwrap_cast(fold, expr);
	return expr;
}

/* NULL = out of memory. */
static struct expr *fold_expr(const struct fold *fold, struct expr *expr)
{
	struct expr **args;

	if (expr->kind == EXPR_LITERAL || expr->kind == EXPR_COLUMN)
		return expr;
	args = arena_zalloc_array(fold->arena, expr->arg_count,
				  sizeof(*args));
	if (!args)
		return NULL;
	for (size_t i = 0; i < expr->arg_count; i++) {
		args[i] = fold_expr(fold, expr->args[i]);
		if (args[i])
			args[i] = settle(fold, args[i], expr);
		if (!args[i])
			return NULL;
	}
	switch (expr->kind) {
	case EXPR_AND:
	case EXPR_OR:
		return fold_and_or(fold, expr, args);
	case EXPR_CASE:
		return fold_case(fold, expr, args);
	case EXPR_COALESCE:
		return fold_coalesce(fold, expr, args);
	default:
		return fold_plain(fold, expr, args);
	}
}

int expr_fold_context(struct expr **expr, const struct expr_context *context,
		      struct arena *arena, struct error *err)
{
	struct fold fold = { arena, context };
	struct expr *folded;

	if (!*expr)
		return 0;
	folded = fold_expr(&fold, *expr);
	if (folded)
		folded = settle(&fold, folded, NULL);
	if (!folded)
		return error_set(err, ERROR_NO_MEMORY, "expression");
	*expr = folded;
	return 0;
}

int expr_fold(struct expr **expr, struct arena *arena, struct error *err)
{
	return expr_fold_context(expr, NULL, arena, err);
}
