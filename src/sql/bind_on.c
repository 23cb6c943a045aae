/*
 * bind_on.c - ON as keys and what is left
 *
 * Why:    equal keys can be hashed and looked up; parts that read one side
 *         only can be tested before any join.
 * How:    ON is split at its ANDs. A part "a = b" is a key when one side of
 *         it reads only the target and the other only the source, whatever
 *         else they compute; IS NOT DISTINCT FROM gives a null-safe key.
 */
#include "sql/binder.h"

enum expr_side {
	SIDE_NONE = 0,
	SIDE_TARGET = 1,
	SIDE_SOURCE = 2,
	SIDE_BOTH = 3,
};

struct on_split {
	struct binder *binder;
	struct merge_plan *plan;
	bool *used;		/* scratch, one per combined column */
	struct ast_list keys;
};

static enum expr_side side_of(struct on_split *split, const struct expr *expr)
{
	size_t target = split->plan->target_column_count;
	size_t count = target + split->plan->source_column_count;
	unsigned side = SIDE_NONE;

	memset(split->used, 0, count * sizeof(*split->used));
	expr_mark_columns(expr, split->used);
	for (size_t i = 0; i < count; i++)
		if (split->used[i])
			side |= i < target ? SIDE_TARGET : SIDE_SOURCE;
	return (enum expr_side)side;
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

static int add_key(struct on_split *split, const struct expr *expr,
		   bool *is_key)
{
	bool null_safe;
	const struct expr *call = equality(expr, &null_safe);
	struct merge_key *key;
	enum expr_side left, right;

	*is_key = false;
	if (!call)
		return 0;
	left = side_of(split, call->args[0]);
	right = side_of(split, call->args[1]);
	if (!((left == SIDE_TARGET && right == SIDE_SOURCE) ||
	      (left == SIDE_SOURCE && right == SIDE_TARGET)))
		return 0;
	key = binder_alloc(split->binder, 1, sizeof(*key));
	if (!key)
		return ERROR_NO_MEMORY;
	key->target = call->args[left == SIDE_TARGET ? 0 : 1];
	key->source = call->args[left == SIDE_TARGET ? 1 : 0];
	key->null_safe = null_safe;
	*is_key = true;
	if (!ast_list_add(&split->keys, split->binder->arena, key))
		return binder_no_memory(split->binder);
	return 0;
}

static int add_condition(struct on_split *split, struct expr **slot,
			 struct expr *expr)
{
	struct expr *both = expr_and(split->binder->arena, *slot, expr);

	if (!both)
		return binder_no_memory(split->binder);
	*slot = both;
	return 0;
}

static int split_part(struct on_split *split, struct expr *expr)
{
	struct merge_plan *plan = split->plan;
	bool is_key;
	int rc = 0;

	if (expr->kind == EXPR_AND) {
		for (size_t i = 0; i < expr->arg_count && !rc; i++)
			rc = split_part(split, expr->args[i]);
		return rc;
	}
	if (expr_is_true(expr))
		return 0;
	if (expr_is_false_or_null(expr)) {
		plan->on_is_false = true;
		return 0;
	}
	rc = add_key(split, expr, &is_key);
	if (rc || is_key)
		return rc;
	switch (side_of(split, expr)) {
	case SIDE_TARGET:
		return add_condition(split, &plan->target_only, expr);
	case SIDE_SOURCE:
		return add_condition(split, &plan->source_only, expr);
	default:
		return add_condition(split, &plan->residual, expr);
	}
}

int bind_on(struct binder *binder, struct merge_plan *plan, struct expr *on)
{
	struct on_split split = { binder, plan, NULL, { NULL, 0, 0 } };
	int rc;

	if (!on)
		return 0;
	split.used = binder_alloc(binder, plan->target_column_count +
				  plan->source_column_count + 1,
				  sizeof(*split.used));
	if (!split.used)
		return ERROR_NO_MEMORY;
	rc = split_part(&split, on);
	if (rc)
		return rc;
	plan->keys = binder_alloc(binder, split.keys.count + 1,
				  sizeof(*plan->keys));
	if (!plan->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < split.keys.count; i++)
		plan->keys[i] = *(struct merge_key *)split.keys.items[i];
	plan->key_count = split.keys.count;
	return 0;
}
