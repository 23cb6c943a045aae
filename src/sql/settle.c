/*
 * settle.c - placeholders become columns
 *
 * Why:    what an expression needs from below it (a group, a window, a
 *         subquery's value) is known only once the whole SELECT is bound.
 * How:    trees are copied with each placeholder replaced. A subquery is
 *         joined to the input when its first placeholder is met; joins and
 *         windows only add columns behind those there are, so that what was
 *         settled before stays right.
 */
#include "sql/bind_subquery.h"

static int ungrouped(struct settle *settle, const struct expr *expr)
{
	struct binder *binder = settle->binder;
	const char *name = settle->named->columns[expr->column].name;
	struct sql_place place = { binder->file, expr->line, expr->position };
	int rc = sql_error(binder->err, ERROR_SYNTAX, &place,
			   "column %s is neither in GROUP BY nor inside an "
			   "aggregate function", name);

	error_field(binder->err, name);
	error_hint(binder->err, "group by it, or write any_value(%s)", name);
	return rc;
}

static int copy_column(struct settle *settle, const struct expr *expr,
		       size_t column, struct expr **out)
{
	*out = expr_column(settle->binder->arena, column, expr->type);
	if (!*out)
		return binder_no_memory(settle->binder);
	(*out)->line = expr->line;
	(*out)->position = expr->position;
	return 0;
}

static int settle_subquery(struct settle *settle, struct expr *expr,
			   struct expr **out)
{
	size_t number = place_index(expr->column);
	struct subquery *subquery = subquery_of(settle->level, number);
	int rc = 0;

	if (!subquery->results && settle->keeps_open) {
		*out = expr;
		return 0;
	}
	if (!subquery->results)
		rc = attach_subquery(settle, subquery, subquery->kind ==
				     SUBQUERY_SCALAR ? JOIN_SINGLE :
				     JOIN_MARK);
	if (!rc)
		*out = subquery->results[number - subquery->first];
	return rc;
}

static int settle_column(struct settle *settle, struct expr *expr,
			 struct expr **out)
{
	size_t index = place_index(expr->column);
	struct window_place *window;

	switch (place_kind(expr->column)) {
	case PLACE_COLUMN:
		if (settle->is_grouped)
			return ungrouped(settle, expr);
		if (settle->shift_by && index >= settle->shift_from)
			return copy_column(settle, expr,
					   index + settle->shift_by, out);
		break;
	case PLACE_OUTER:
		break;
	case PLACE_AGGREGATE:
		return copy_column(settle, expr, settle->group_count + index,
				   out);
	case PLACE_GROUPING:
		return copy_column(settle, expr, settle->group_count +
				   settle->level->aggregates.count + index,
				   out);
	case PLACE_WINDOW:
		window = settle->level->windows.items[index];
		return copy_column(settle, expr, window->at, out);
	case PLACE_SUBQUERY:
		return settle_subquery(settle, expr, out);
	}
	*out = expr;
	return 0;
}

int settle_expr(struct settle *settle, struct expr **slot)
{
	struct expr *expr = *slot, *copy;
	int rc = 0;

	for (size_t i = 0; settle->is_grouped && i < settle->group_count; i++)
		if (expr_equal(expr, settle->groups[i]))
			return copy_column(settle, expr, i, slot);
	if (expr->kind == EXPR_COLUMN)
		return settle_column(settle, expr, slot);
	if (!expr->arg_count)
		return 0;
	copy = expr_copy_node(settle->binder->arena, expr);
	if (!copy)
		return binder_no_memory(settle->binder);
	for (size_t i = 0; i < expr->arg_count && !rc; i++) {
		copy->args[i] = expr->args[i];
		rc = settle_expr(settle, &copy->args[i]);
	}
	*slot = copy;
	return rc;
}

int settle_exprs(struct settle *settle, struct expr **exprs, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = settle_expr(settle, &exprs[i]);
	return rc;
}

int settle_sort(struct settle *settle, struct sort_key *keys, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = settle_expr(settle, &keys[i].expr);
	return rc;
}

int expr_guard(struct binder *binder, struct expr *condition,
	       struct expr **expr)
{
	struct sql_place place = { binder->file, (*expr)->line,
				   (*expr)->position };
	struct expr *guarded;
	int rc;

	if (!expr_can_fail(*expr))
		return 0;
	rc = expr_node(binder, EXPR_CASE, (*expr)->type, 2, &place, &guarded);
	if (rc)
		return rc;
	guarded->args[0] = condition;
	guarded->args[1] = *expr;
	*expr = guarded;
	return 0;
}

int call_guard(struct binder *binder, struct aggregate_call *call)
{
	int rc = 0;

	for (size_t i = 0; call->filter && i < call->arg_count && !rc; i++)
		rc = expr_guard(binder, call->filter, &call->args[i]);
	for (size_t i = 0; call->filter && i < call->order_count && !rc; i++)
		rc = expr_guard(binder, call->filter, &call->order[i].expr);
	return rc;
}

int settle_call(struct settle *settle, struct aggregate_call *call)
{
	int rc = settle_exprs(settle, call->args, call->arg_count);

	if (!rc && call->filter)
		rc = settle_expr(settle, &call->filter);
	if (!rc)
		rc = settle_sort(settle, call->order, call->order_count);
	return rc ? rc : call_guard(settle->binder, call);
}

size_t expr_part_count(const struct expr *expr)
{
	return expr->kind == EXPR_AND ? expr->arg_count : 1;
}

struct expr *expr_part(struct expr *expr, size_t i)
{
	return expr->kind == EXPR_AND ? expr->args[i] : expr;
}

bool expr_has_place(const struct expr *expr, enum place_kind kind)
{
	if (expr->kind == EXPR_COLUMN)
		return place_kind(expr->column) == kind;
	for (size_t i = 0; i < expr->arg_count; i++)
		if (expr_has_place(expr->args[i], kind))
			return true;
	return false;
}

/* A subquery that is a condition by itself: what join keeps the rows? */
static struct subquery *lone_subquery(struct settle *settle,
				      const struct expr *part,
				      enum join_kind *kind)
{
	struct subquery *subquery;

	*kind = JOIN_SEMI;
	if (part->kind == EXPR_NOT) {
		*kind = JOIN_ANTI;
		part = part->args[0];
	}
	if (part->kind != EXPR_COLUMN ||
	    place_kind(part->column) != PLACE_SUBQUERY)
		return NULL;
	subquery = subquery_of(settle->level, place_index(part->column));
	if (subquery->results || subquery->kind == SUBQUERY_SCALAR)
		return NULL;
	/* NOT IN has to know about NULLs */
	if (*kind == JOIN_ANTI && subquery->kind == SUBQUERY_IN)
		return NULL;
	return subquery;
}

static int add_part(struct settle *settle, struct expr **slot,
		    struct expr *part)
{
	*slot = expr_and(settle->binder->arena, *slot, part);
	return *slot ? 0 : binder_no_memory(settle->binder);
}

/* Parts with subqueries wait, and what can fail behind one of them. */
int settle_filter(struct settle *settle, struct expr *condition)
{
	struct expr *plain = NULL, *rest = NULL;
	size_t count = condition ? expr_part_count(condition) : 0;
	bool *late = binder_alloc(settle->binder, count + 1, sizeof(*late));
	bool is_behind = false;
	int rc = late ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < count && !rc; i++) {
		struct expr *part = expr_part(condition, i);

		late[i] = expr_has_place(part, PLACE_SUBQUERY) ||
			  (is_behind && expr_can_fail(part));
		is_behind = is_behind || late[i];
		if (late[i])
			continue;
		rc = settle_expr(settle, &part);
		if (!rc)
			rc = add_part(settle, &plain, part);
	}
	if (!rc && plain)
		rc = filter_new(settle->binder, plain, settle->input);
	for (size_t i = 0; i < count && !rc; i++) {
		struct expr *part = expr_part(condition, i);
		struct subquery *subquery;
		enum join_kind kind;

		if (!late[i])
			continue;
		subquery = lone_subquery(settle, part, &kind);
		if (subquery) {
			rc = attach_subquery(settle, subquery, kind);
			continue;
		}
		rc = settle_expr(settle, &part);
		if (!rc)
			rc = add_part(settle, &rest, part);
	}
	if (!rc && rest)
		rc = filter_new(settle->binder, rest, settle->input);
	return rc;
}

int expr_shift(struct binder *binder, const struct expr *expr, size_t from,
	       ptrdiff_t by, struct expr **out)
{
	struct expr *copy = expr_copy_node(binder->arena, expr);
	int rc = 0;

	*out = copy;
	if (!copy)
		return binder_no_memory(binder);
	if (copy->kind == EXPR_COLUMN && !place_kind(copy->column) &&
	    copy->column >= from)
		copy->column = (size_t)((ptrdiff_t)copy->column + by);
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = expr_shift(binder, expr->args[i], from, by,
				&copy->args[i]);
	return rc;
}

bool expr_within(const struct expr *expr, size_t first, size_t end)
{
	if (expr->kind == EXPR_COLUMN)
		return place_kind(expr->column) ||
		       (expr->column >= first && expr->column < end);
	for (size_t i = 0; i < expr->arg_count; i++)
		if (!expr_within(expr->args[i], first, end))
			return false;
	return true;
}

int expr_replace_outer(struct binder *binder, const struct expr *expr,
		       const struct outer_list *outer,
		       const struct outer_change *change, struct expr **out)
{
	struct expr *copy;
	int rc = 0;

	if (expr->kind == EXPR_COLUMN &&
	    place_kind(expr->column) == PLACE_OUTER)
		for (size_t i = 0; i < outer->refs.count; i++) {
			const struct outer_ref *ref = outer->refs.items[i];

			if (ref->number != place_index(expr->column))
				continue;
			*out = change->values[i];
			return 0;
		}
	copy = expr_copy_node(binder->arena, expr);
	*out = copy;
	if (!copy)
		return binder_no_memory(binder);
	if (copy->kind == EXPR_COLUMN && !place_kind(copy->column) &&
	    copy->column >= change->from)
		copy->column += change->by;
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = expr_replace_outer(binder, expr->args[i], outer, change,
					&copy->args[i]);
	return rc;
}
