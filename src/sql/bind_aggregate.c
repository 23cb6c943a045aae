/*
 * bind_aggregate.c - calls of aggregate functions
 *
 * Why:    count(*) in HAVING and in the list is one count.
 * How:    a call goes into the list of its level, if none is there that is
 *         equal to it; what stands in the expression is its placeholder.
 *         Arguments are over the rows that are grouped.
 */
#include "sql/bind_level.h"

bool is_aggregate_name(const char *name)
{
	/* no function has so many arguments */
	struct aggregate_lookup lookup = { .name = name, .arg_count = 999 };

	return aggregate_resolve(&lookup, NULL) != 0;
}

int bind_sort(struct binder *binder, const struct name_scope *scope,
	      struct ast_sort *const *asts, size_t count,
	      struct sort_key **out)
{
	struct sort_key *keys = binder_alloc(binder, count + 1,
					     sizeof(*keys));
	char name[TYPE_NAME_BYTES];
	int rc = keys ? 0 : ERROR_NO_MEMORY;

	*out = keys;
	for (size_t i = 0; i < count && !rc; i++) {
		struct bound_value value;

		rc = bind_value(binder, scope, asts[i]->expr, &value);
		if (!scope || !scope->level || !scope->level->is_shown_order)
			untyped_ordered(value.origins);
		if (!rc)
			rc = value_settle(binder, &value);
		if (!rc)
			rc = binder_fold(binder, &value.expr);
		if (!rc && !type_is_orderable(&value.expr->type) &&
		    value.expr->type.id != TYPE_UNKNOWN)
			rc = sql_error(binder->err, ERROR_TYPE_MISMATCH,
				       &asts[i]->place, "values of type %s "
				       "have no order",
				       type_name(&value.expr->type, name));
		keys[i].expr = value.expr;
		keys[i].descending = asts[i]->descending;
		keys[i].nulls_first = asts[i]->nulls_first;
	}
	return rc;
}

/* min(x) and max_by(y, x) look for the order of x. */
static void mark_ordered(const char *name, const struct bound_value *args)
{
	if (!strcmp(name, "min") || !strcmp(name, "max"))
		untyped_ordered(args[0].origins);
	else if (!strcmp(name, "min_by") || !strcmp(name, "max_by"))
		untyped_ordered(args[1].origins);
}

/* The function for the types, and the arguments cast to what it takes. */
static int bind_arguments(struct binder *binder,
			  const struct name_scope *scope,
			  const struct ast_expr *ast,
			  struct aggregate_call *out)
{
	struct aggregate_lookup lookup = { .name = ast->text,
					   .arg_count = ast->arg_count,
					   .arena = binder->arena };
	struct bound_value *args;
	struct type *types;
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &args);

	types = binder_alloc(binder, ast->arg_count + 1, sizeof(*types));
	out->args = binder_alloc(binder, ast->arg_count + 1,
				 sizeof(*out->args));
	if (!types || !out->args)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->arg_count && !rc; i++) {
		rc = args[i].origins ? 0 : value_settle(binder, &args[i]);
		types[i] = args[i].expr->type;
	}
	if (rc)
		return rc;
	lookup.args = types;
	rc = aggregate_resolve(&lookup, binder->err);
	if (rc) {
		error_at(binder->err, binder->file, ast->place.line,
			 ast->place.position);
		return rc;
	}
	mark_ordered(ast->text, args);
	for (size_t i = 0; i < ast->arg_count && !rc; i++) {
		rc = value_coerce(binder, &args[i], &lookup.wanted[i], false);
		if (!rc)
			rc = binder_fold(binder, &args[i].expr);
		out->args[i] = args[i].expr;
	}
	out->arg_count = ast->arg_count;
	out->function = lookup.function;
	out->type = lookup.result;
	return rc;
}

/* count(*) has no argument, count(x) has one. */
static int check_star(struct binder *binder, const struct ast_expr *ast)
{
	bool is_star = ast->call && ast->call->is_star;

	if (is_star && strcmp(ast->text, "count"))
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "only count takes *");
	if (!is_star && !ast->arg_count && !strcmp(ast->text, "count"))
		return sql_error(binder->err, ERROR_ARITY, &ast->place,
				 "count takes * or an argument");
	return 0;
}

/* The argument, or the column without a type yet that became it. */
static bool is_argument(const struct expr *expr, const struct expr *argument)
{
	if (expr_equal(expr, argument))
		return true;
	return argument->kind == EXPR_CAST &&
	       argument->args[0]->type.id == TYPE_UNKNOWN &&
	       expr_equal(expr, argument->args[0]);
}

static int check_call(struct binder *binder, const struct ast_expr *ast,
		      struct aggregate_call *call)
{
	const struct ast_call *suffix = ast->call;
	char name[TYPE_NAME_BYTES];

	if (!suffix)
		return 0;
	if (suffix->ignore_nulls)
		return sql_error(binder->err, ERROR_SYNTAX, &suffix->place,
				 "IGNORE NULLS belongs to window functions "
				 "such as lag");
	if (suffix->distinct && !ast->arg_count)
		return sql_error(binder->err, ERROR_SYNTAX, &suffix->place,
				 "DISTINCT needs an argument");
	for (size_t i = 0; suffix->distinct && i < call->arg_count; i++)
		if (call->args[i]->type.id == TYPE_MAP)
			return sql_error(binder->err, ERROR_TYPE_MISMATCH,
					 &ast->place, "values of type %s "
					 "cannot be compared",
					 type_name(&call->args[i]->type,
						   name));
	/* the rows of a group are sorted by what is distinct in them */
	for (size_t i = 0; suffix->distinct && i < call->order_count; i++) {
		if (!is_argument(call->order[i].expr, call->args[0]))
			return sql_error(binder->err, ERROR_SYNTAX,
					 &suffix->order[i]->place,
					 "with DISTINCT, ORDER BY can only "
					 "name the argument");
		call->order[i].expr = call->args[0];
	}
	return 0;
}

int bind_aggregate_call(struct binder *binder,
			const struct name_scope *scope,
			const struct ast_expr *ast,
			struct aggregate_call *out)
{
	const struct ast_call *suffix = ast->call;
	int rc = check_star(binder, ast);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = bind_arguments(binder, scope, ast, out);
	if (rc || !suffix)
		return rc;
	out->distinct = suffix->distinct;
	rc = bind_condition(binder, scope, suffix->filter,
			    "the condition of FILTER", &out->filter);
	if (!rc && suffix->order_count) {
		rc = bind_sort(binder, scope, suffix->order,
			       suffix->order_count, &out->order);
		out->order_count = suffix->order_count;
	}
	return rc ? rc : check_call(binder, ast, out);
}

static bool same_sort(const struct sort_key *a, const struct sort_key *b,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!expr_equal(a[i].expr, b[i].expr) ||
		    a[i].descending != b[i].descending ||
		    a[i].nulls_first != b[i].nulls_first)
			return false;
	return true;
}

static bool same_call(const struct aggregate_call *a,
		      const struct aggregate_call *b)
{
	if (a->function != b->function || a->arg_count != b->arg_count ||
	    a->distinct != b->distinct || a->order_count != b->order_count ||
	    !expr_equal(a->filter, b->filter))
		return false;
	for (size_t i = 0; i < a->arg_count; i++)
		if (!expr_equal(a->args[i], b->args[i]))
			return false;
	return same_sort(a->order, b->order, a->order_count);
}

static int add_call(struct binder *binder, struct bind_level *level,
		    const struct aggregate_call *call,
		    const struct sql_place *place, size_t *number)
{
	struct aggregate_place *added;

	for (size_t i = 0; i < level->aggregates.count; i++) {
		const struct aggregate_place *old = level->aggregates.items[i];

		*number = i;
		if (same_call(&old->call, call))
			return 0;
	}
	*number = level->aggregates.count;
	added = binder_alloc(binder, 1, sizeof(*added));
	if (!added)
		return ERROR_NO_MEMORY;
	added->call = *call;
	added->place = *place;
	return ast_list_add(&level->aggregates, binder->arena, added) ? 0 :
		binder_no_memory(binder);
}

static int refuse_here(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast)
{
	const struct bind_level *level = scope ? scope->level : NULL;
	int rc;

	if (level && level->in_aggregate)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "an aggregate function inside another one");
	if (level && level->takes_aggregates)
		return 0;
	rc = sql_error(binder->err, ERROR_SYNTAX, &ast->place,
		       "the aggregate function %s cannot stand in %s",
		       ast->text, level && level->where ? level->where :
		       "this place");
	if (level && level->where && !strcmp(level->where, "WHERE"))
		error_hint(binder->err, "groups are filtered by HAVING");
	else
		error_hint(binder->err, "aggregate in a query");
	return rc;
}

int bind_aggregate(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, struct bound_value *out)
{
	struct aggregate_call call;
	struct bind_level *level;
	size_t number;
	int rc = refuse_here(binder, scope, ast);

	if (rc)
		return rc;
	level = scope->level;
	level->in_aggregate = true;
	rc = bind_aggregate_call(binder, scope, ast, &call);
	level->in_aggregate = false;
	if (!rc)
		rc = add_call(binder, level, &call, &ast->place, &number);
	if (rc)
		return rc;
	out->expr = expr_column(binder->arena, place_column(PLACE_AGGREGATE,
							    number),
				call.type);
	return out->expr ? 0 : binder_no_memory(binder);
}
