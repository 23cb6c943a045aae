/*
 * expr_node.c - trees of typed expressions
 *
 * Why:    the one form of an expression between the binder and all who use
 *         it: evaluation, folding, pruning, splitting ON into keys.
 * How:    plain nodes in an arena. What looks like a change makes new nodes,
 *         because a bound tree is shared by all threads.
 * Limits: recursion as deep as the tree; the parser bounds it.
 */
#include "expr/expr_node.h"

struct expr *expr_new(struct arena *arena, enum expr_kind kind,
		      struct type type, size_t arg_count)
{
	struct expr *expr = arena_zalloc(arena, sizeof(*expr));

	if (!expr)
		return NULL;
	expr->kind = kind;
	expr->type = type;
	expr->arg_count = arg_count;
	if (!arg_count)
		return expr;
	expr->args = arena_zalloc_array(arena, arg_count,
					sizeof(*expr->args));
	return expr->args ? expr : NULL;
}

struct expr *expr_literal(struct arena *arena, const struct literal *value)
{
	struct expr *expr = expr_new(arena, EXPR_LITERAL, value->type, 0);

	if (expr)
		expr->literal = *value;
	return expr;
}

struct expr *expr_column(struct arena *arena, size_t column,
			 struct type type)
{
	struct expr *expr = expr_new(arena, EXPR_COLUMN, type, 0);

	if (expr)
		expr->column = column;
	return expr;
}

struct expr *expr_field(struct arena *arena, struct expr *row, size_t field)
{
	struct expr *expr = expr_new(arena, EXPR_FIELD,
				     row->type.fields[field].type, 1);

	if (!expr)
		return NULL;
	expr->args[0] = row;
	expr->field = field;
	return expr;
}

static size_t conjunct_count(const struct expr *expr)
{
	return expr->kind == EXPR_AND ? expr->arg_count : 1;
}

static size_t add_conjuncts(struct expr **out, struct expr *expr)
{
	if (expr->kind != EXPR_AND) {
		*out = expr;
		return 1;
	}
	memcpy(out, expr->args, expr->arg_count * sizeof(*out));
	return expr->arg_count;
}

struct expr *expr_and(struct arena *arena, struct expr *a, struct expr *b)
{
	struct expr *both;
	size_t count;

	if (!a || !b)
		return a ? a : b;
	both = expr_new(arena, EXPR_AND, type_of(TYPE_BOOLEAN),
			conjunct_count(a) + conjunct_count(b));
	if (!both)
		return NULL;
	count = add_conjuncts(both->args, a);
	add_conjuncts(both->args + count, b);
	both->line = a->line;
	both->position = a->position;
	return both;
}

void expr_mark_columns(const struct expr *expr, bool *used)
{
	if (!expr)
		return;
	if (expr->kind == EXPR_COLUMN)
		used[expr->column] = true;
	for (size_t i = 0; i < expr->arg_count; i++)
		expr_mark_columns(expr->args[i], used);
}

bool expr_is_constant(const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		return false;
	for (size_t i = 0; i < expr->arg_count; i++) {
		if (!expr_is_constant(expr->args[i]))
			return false;
	}
	return true;
}

bool expr_is_true(const struct expr *expr)
{
	return !expr || (expr->kind == EXPR_LITERAL &&
			 expr->literal.type.id == TYPE_BOOLEAN &&
			 !expr->literal.is_null &&
			 expr->literal.value.boolean);
}

bool expr_is_false_or_null(const struct expr *expr)
{
	if (!expr || expr->kind != EXPR_LITERAL)
		return false;
	if (expr->type.id != TYPE_BOOLEAN && expr->type.id != TYPE_UNKNOWN)
		return false;
	return expr->literal.is_null || !expr->literal.value.boolean;
}

/* The same value bit by bit: 0.0 and -0.0 are two. */
static bool literal_same(const struct literal *a, const struct literal *b)
{
	if (!type_equal(&a->type, &b->type) || a->is_null != b->is_null)
		return false;
	if (a->is_null)
		return true;
	if (a->type.id == TYPE_REAL)
		return memcmp(&a->value.real, &b->value.real,
			      sizeof(float)) == 0;
	if (a->type.id == TYPE_DOUBLE)
		return memcmp(&a->value.real64, &b->value.real64,
			      sizeof(double)) == 0;
	if (type_is_nested(&a->type))
		return nested_identical(&a->type, a->value.bytes,
					b->value.bytes);
	return literal_compare(a, b) == 0;
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
	if (!a || !b || a == b)
		return a == b;
	if (a->kind != b->kind || !type_equal(&a->type, &b->type) ||
	    a->function != b->function || a->arg_count != b->arg_count ||
	    a->is_assignment != b->is_assignment)
		return false;
	if (a->kind == EXPR_COLUMN && a->column != b->column)
		return false;
	if (a->kind == EXPR_FIELD && a->field != b->field)
		return false;
	if (a->kind == EXPR_LITERAL && !literal_same(&a->literal, &b->literal))
		return false;
	for (size_t i = 0; i < a->arg_count; i++) {
		if (!expr_equal(a->args[i], b->args[i]))
			return false;
	}
	return true;
}

struct expr *expr_copy_node(struct arena *arena, const struct expr *expr)
{
	struct expr *copy = expr_new(arena, expr->kind, expr->type,
				     expr->arg_count);
	struct expr **args;

	if (!copy)
		return NULL;
	args = copy->args;
	*copy = *expr;
	copy->args = args;
	return copy;
}

struct expr *expr_remap(struct arena *arena, const struct expr *expr,
			const size_t *map)
{
	struct expr *copy = expr_copy_node(arena, expr);

	if (!copy)
		return NULL;
	if (copy->kind == EXPR_COLUMN)
		copy->column = map[expr->column];
	for (size_t i = 0; i < expr->arg_count; i++) {
		copy->args[i] = expr_remap(arena, expr->args[i], map);
		if (!copy->args[i])
			return NULL;
	}
	return copy;
}
