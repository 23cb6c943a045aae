/*
 * equi_split.c - a condition over two sides as keys and what is left
 *
 * Why:    equal keys can be hashed and looked up; parts that read one side
 *         only can be tested before any join.
 * How:    the condition is split at its ANDs. A part "a = b" is a key when
 *         one side of it reads only the left and the other only the right,
 *         whatever else they compute; IS NOT DISTINCT FROM gives a null-safe
 *         key. What reads a value of a query around is left over. What can
 *         fail is asked only where the parts before it hold: a key becomes
 *         CASE WHEN those of its side THEN key END.
 */
#include "sql/bind_level.h"

enum expr_side {
	SIDE_NONE = 0,
	SIDE_LEFT = 1,
	SIDE_RIGHT = 2,
	SIDE_BOTH = 3,
	SIDE_OUTER = 4,
};

struct split {
	struct binder *binder;
	size_t left_count;
	unsigned flags;			/* SPLIT_... */
	struct equi_split *out;
	struct ast_list keys;
	struct expr *guards[2];		/* parts of one side that are kept */
	unsigned sides;			/* those that parts so far read */
};

static unsigned side_of(const struct split *split, const struct expr *expr)
{
	unsigned side = SIDE_NONE;

	if (expr->kind == EXPR_COLUMN) {
		if (place_kind(expr->column))
			return SIDE_OUTER;
		return expr->column < split->left_count ? SIDE_LEFT
							: SIDE_RIGHT;
	}
	for (size_t i = 0; i < expr->arg_count; i++)
		side |= side_of(split, expr->args[i]);
	return side;
}

/* The call of an equality, NULL if it is none. */
static const struct expr *equality(const struct expr *expr, bool *null_safe)
{
	*null_safe = false;
	if (expr->kind == EXPR_NOT) {
		*null_safe = true;
		expr = expr->args[0];
	}
	if (expr->kind != EXPR_CALL || expr->arg_count != 2 ||
	    strcmp(function_name(expr->function),
		   *null_safe ? "is distinct from" : "="))
		return NULL;
	return expr;
}

/* Computed only where the kept parts before it, of its side, are true. */
static int guard_key(struct split *split, struct expr *guard,
		     struct expr **key)
{
	return guard ? expr_guard(split->binder, guard, key) : 0;
}

static int add_key(struct split *split, const struct expr *expr, bool *is_key)
{
	bool null_safe;
	const struct expr *call = equality(expr, &null_safe);
	struct join_key *key;
	unsigned left, right;
	int rc;

	*is_key = false;
	if (!call)
		return 0;
	left = side_of(split, call->args[0]);
	right = side_of(split, call->args[1]);
	if (!((left == SIDE_LEFT && right == SIDE_RIGHT) ||
	      (left == SIDE_RIGHT && right == SIDE_LEFT)))
		return 0;
	key = binder_alloc(split->binder, 1, sizeof(*key));
	if (!key)
		return ERROR_NO_MEMORY;
	key->left = call->args[left == SIDE_LEFT ? 0 : 1];
	key->right = call->args[left == SIDE_LEFT ? 1 : 0];
	key->null_safe = null_safe;
	*is_key = true;
	if (!ast_list_add(&split->keys, split->binder->arena, key))
		return binder_no_memory(split->binder);
	rc = guard_key(split, split->guards[0], &key->left);
	return rc ? rc : guard_key(split, split->guards[1], &key->right);
}

static int add_condition(struct split *split, struct expr **slot,
			 struct expr *expr)
{
	struct expr *both = expr_and(split->binder->arena, *slot, expr);

	if (!both)
		return binder_no_memory(split->binder);
	*slot = both;
	return 0;
}

/* A part of one side, below the join unless it has to wait. */
static int add_side(struct split *split, unsigned side, struct expr *expr)
{
	struct equi_split *out = split->out;
	bool is_left = side == SIDE_LEFT;
	bool must_wait = split->sides & ~side && expr_can_fail(expr);
	int rc;

	if (!(must_wait && split->flags & SPLIT_IN_ORDER) && !(split->flags & (is_left ? SPLIT_KEEPS_LEFT
						    : SPLIT_KEEPS_RIGHT)))
		return add_condition(split, is_left ? &out->left_only
				     : &out->right_only, expr);
	rc = add_condition(split, &out->residual, expr);
	if (!rc && !must_wait)
		rc = add_condition(split, &split->guards[!is_left], expr);
	return rc;
}

static int split_part(struct split *split, struct expr *expr)
{
	struct equi_split *out = split->out;
	bool is_key;
	unsigned side;
	int rc = 0;

	if (expr->kind == EXPR_AND) {
		for (size_t i = 0; i < expr->arg_count && !rc; i++)
			rc = split_part(split, expr->args[i]);
		return rc;
	}
	if (expr_is_true(expr))
		return 0;
	if (expr_is_false_or_null(expr))
		out->is_false = true;
	rc = add_key(split, expr, &is_key);
	if (is_key)
		split->sides |= SIDE_BOTH;
	if (rc || is_key)
		return rc;
	side = side_of(split, expr);
	rc = side == SIDE_LEFT || side == SIDE_RIGHT ?
		add_side(split, side, expr) :
		add_condition(split, &out->residual, expr);
	split->sides |= side;
	return rc;
}

int equi_split(struct binder *binder, struct expr *condition,
	       size_t left_count, unsigned flags, struct equi_split *out)
{
	struct split split = { .binder = binder, .left_count = left_count,
			       .flags = flags, .out = out };
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (condition)
		rc = split_part(&split, condition);
	if (rc)
		return rc;
	out->keys = binder_alloc(binder, split.keys.count + 1,
				 sizeof(*out->keys));
	if (!out->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < split.keys.count; i++)
		out->keys[i] = *(struct join_key *)split.keys.items[i];
	out->key_count = split.keys.count;
	return 0;
}
