/*
 * bind_window.c - OVER (...): window functions
 *
 * A window function works on the rows that WHERE, GROUP BY and HAVING left;
 * its arguments may hold aggregates. Calls that share partition and order are
 * one node. Without a frame it is RANGE UNBOUNDED PRECEDING .. CURRENT ROW.
 */
#include "sql/bind_level.h"

static const struct window_kind {
	const char *name;
	enum window_function function;
	unsigned least, most;	/* arguments */
	bool has_nulls;		/* takes IGNORE NULLS */
	bool needs_order;
} kinds[] = {
	{ "row_number", WINDOW_ROW_NUMBER, 0, 0, false, false },
	{ "rank", WINDOW_RANK, 0, 0, false, false },
	{ "dense_rank", WINDOW_DENSE_RANK, 0, 0, false, false },
	{ "percent_rank", WINDOW_PERCENT_RANK, 0, 0, false, false },
	{ "cume_dist", WINDOW_CUME_DIST, 0, 0, false, false },
	{ "ntile", WINDOW_NTILE, 1, 1, false, false },
	{ "lag", WINDOW_LAG, 1, 3, true, true },
	{ "lead", WINDOW_LEAD, 1, 3, true, true },
	{ "first_value", WINDOW_FIRST_VALUE, 1, 1, true, false },
	{ "last_value", WINDOW_LAST_VALUE, 1, 1, true, false },
	{ "nth_value", WINDOW_NTH_VALUE, 2, 2, true, false },
};

static const struct window_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool is_window_name(const char *name)
{
	return find_kind(name) != NULL;
}

/* The window of a name; with what OVER adds to it. */
static int find_window(struct binder *binder, const struct bind_level *level,
		       const struct ast_window *ast, size_t depth,
		       struct ast_window *out)
{
	const struct ast_query *select = level->select;
	struct ast_window base;
	int rc;

	*out = *ast;
	if (!ast->base)
		return 0;
	for (size_t i = 0; i < (select ? select->window_count : 0); i++) {
		const struct ast_named_window *named = select->windows[i];

		if (!text_equal_nocase(named->name, ast->base))
			continue;
		if (depth > select->window_count)
			break;
		rc = find_window(binder, level, named->window, depth + 1,
				 &base);
		if (rc)
			return rc;
		if (ast->partition_count || (ast->order_count &&
					     base.order_count))
			return sql_error(binder->err, ERROR_SYNTAX,
					 &ast->place, "window %s has a "
					 "PARTITION BY or ORDER BY already",
					 ast->base);
		out->partition = base.partition;
		out->partition_count = base.partition_count;
		if (base.order_count) {
			out->order = base.order;
			out->order_count = base.order_count;
		}
		if (base.has_frame && !ast->has_frame) {
			*out = base;
			out->place = ast->place;
		}
		return 0;
	}
	return sql_error(binder->err, ERROR_UNKNOWN_COLUMN, &ast->place,
			 "there is no window %s here", ast->base);
}

/* The microseconds of one unit of an INTERVAL; 0: its length varies. */
static int64_t unit_us(const char *unit)
{
	static const struct {
		const char *name;
		int64_t us;
	} units[] = {
		{ "day", INT64_C(86400000000) },
		{ "hour", INT64_C(3600000000) },
		{ "minute", 60000000 },
		{ "second", 1000000 },
		{ "millisecond", 1000 },
		{ "microsecond", 1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(units); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].us;
	return 0;
}

/* An INTERVAL as a count of what the ordering column counts: days or us. */
static int bind_interval(struct binder *binder, const struct ast_expr *ast,
			 const struct type *key, struct bound_value *out)
{
	int64_t us, divisor = key->id == TYPE_DATE ? unit_us("day") : 1;
	struct type bigint = type_of(TYPE_BIGINT);
	struct literal *literal;
	int rc;

	if (ast->kind != AST_INTERVAL)
		return sql_error(binder->err, ERROR_TYPE_MISMATCH, &ast->place,
				 "the distance of times is an INTERVAL, as "
				 "in INTERVAL '7' DAY");
	us = unit_us(ast->text);
	if (!us)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "a frame's distance in months or years is "
				 "not supported");
	if (us < divisor)
		return sql_error(binder->err, ERROR_TYPE_MISMATCH, &ast->place,
				 "a DATE has a distance in days, not %ss",
				 ast->text);
	rc = bind_value(binder, NULL, ast->args[0], out);
	if (!rc)
		rc = value_cast(binder, out, &bigint, false);
	if (!rc)
		rc = binder_fold(binder, &out->expr);
	literal = rc ? NULL : &out->expr->literal;
	if (rc || out->expr->kind != EXPR_LITERAL || literal->is_null)
		return rc;
	if (__builtin_mul_overflow(literal->value.int64, us / divisor,
				   &literal->value.int64))
		return sql_error(binder->err, ERROR_OVERFLOW, &ast->place,
				 "a frame's distance is too large");
	return 0;
}

/* A distance of the one ordering column, or a number of rows or groups. */
static int bind_distance(struct binder *binder, const struct ast_expr *ast,
			 const struct window_place *window,
			 struct bound_value *out)
{
	bool is_range = window->call.unit == FRAME_RANGE;
	struct type type = type_of(TYPE_BIGINT);
	int rc;

	if (is_range && window->order_count == 1) {
		type = window->order[0].expr->type;
		if (type.id == TYPE_DATE || type.id == TYPE_TIMESTAMP ||
		    type.id == TYPE_TIMESTAMP_TZ)
			return bind_interval(binder, ast, &type, out);
	}
	if (is_range && (window->order_count != 1 ||
			 !type_is_numeric(&type))) {
		sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
			  "RANGE with a distance needs ORDER BY one number, "
			  "date or time");
		return error_hint(binder->err, "ROWS and GROUPS count rows "
				  "and groups of equals");
	}
	rc = bind_value(binder, NULL, ast, out);
	if (!rc && !out->parameter &&
	    !type_coerces(&out->expr->type, &type) &&
	    !(is_range && type_is_numeric(&out->expr->type)))
		rc = sql_error(binder->err, ERROR_TYPE_MISMATCH, &ast->place,
			       "a frame's distance must be a number%s",
			       is_range ? " of the type of ORDER BY" :
			       " of rows");
	/* any number: one that the type cannot hold is a distance too */
	if (!rc && is_range && type_is_numeric(&out->expr->type) &&
	    (out->expr->type.id != TYPE_DOUBLE || type.id != TYPE_DECIMAL))
		return 0;
	if (type.id == TYPE_DECIMAL)
		type.precision = DECIMAL_MAX_PRECISION;
	return rc ? rc : value_cast(binder, out, &type, false);
}

static int bind_offset(struct binder *binder, const struct ast_expr *ast,
		       const struct window_place *window, struct expr **out)
{
	struct literal zero;
	struct bound_value value;
	int rc;

	*out = NULL;
	if (!ast)
		return 0;
	rc = bind_distance(binder, ast, window, &value);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (rc)
		return rc;
	zero = value.expr->literal;
	if (value.expr->kind != EXPR_LITERAL || zero.is_null)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "a frame's distance must be a constant");
	memset(&zero.value, 0, sizeof(zero.value));
	if (literal_compare(&value.expr->literal, &zero) < 0)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a frame's distance must not be negative");
	*out = value.expr;
	return 0;
}

static int bind_frame(struct binder *binder, const struct ast_window *ast,
		      struct window_place *window)
{
	struct window_call *call = &window->call;
	int rc;

	call->unit = ast->unit;
	call->start = ast->start;
	call->end = ast->end;
	if (ast->unit == FRAME_GROUPS && !ast->order_count)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->frame_place,
				 "GROUPS needs an ORDER BY");
	rc = bind_offset(binder, ast->start_offset, window,
			 &call->start_offset);
	return rc ? rc : bind_offset(binder, ast->end_offset, window,
				     &call->end_offset);
}

static int bind_over(struct binder *binder, const struct name_scope *scope,
		     const struct ast_window *ast, struct window_place *out)
{
	struct bound_value *values;
	int rc = bind_values(binder, scope, ast->partition,
			     ast->partition_count, &values);

	out->partition = binder_alloc(binder, ast->partition_count + 1,
				      sizeof(*out->partition));
	if (!out->partition)
		return ERROR_NO_MEMORY;
	out->partition_count = ast->partition_count;
	for (size_t i = 0; i < ast->partition_count && !rc; i++) {
		rc = value_settle(binder, &values[i]);
		if (!rc)
			rc = binder_fold(binder, &values[i].expr);
		out->partition[i] = values[i].expr;
	}
	if (!rc)
		rc = bind_sort(binder, scope, ast->order, ast->order_count,
			       &out->order);
	out->order_count = ast->order_count;
	return rc ? rc : bind_frame(binder, ast, out);
}

static int check_call(struct binder *binder, const struct ast_expr *ast,
		      const struct window_kind *kind,
		      const struct ast_window *over)
{
	const struct ast_call *call = ast->call;
	const char *wrong = NULL;

	if (call->distinct)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &call->place,
				 "DISTINCT in a window function is not "
				 "supported");
	if (call->order_count)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &call->place,
				 "ORDER BY inside a window function is not "
				 "supported");
	if (!kind)
		return 0;
	if (call->filter)
		wrong = "FILTER belongs to aggregate functions";
	else if (call->is_star)
		wrong = "only count takes *";
	else if (call->ignore_nulls && !kind->has_nulls)
		wrong = "it does not take IGNORE NULLS";
	else if (kind->needs_order && !over->order_count)
		wrong = "it needs ORDER BY in its window";
	else if (kind->needs_order && over->has_frame)
		wrong = "it takes no frame";
	if (wrong)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "%s: %s", ast->text, wrong);
	if (ast->arg_count >= kind->least && ast->arg_count <= kind->most)
		return 0;
	return sql_error(binder->err, ERROR_ARITY, &ast->place,
			 "%s takes %u to %u arguments, not %zu", ast->text,
			 kind->least, kind->most, ast->arg_count);
}

/* A whole number as argument i. */
static int count_argument(struct binder *binder, struct bound_value *value)
{
	struct type bigint = type_of(TYPE_BIGINT);

	if (!value->parameter && value->expr->type.id != TYPE_UNKNOWN &&
	    value->expr->type.id != TYPE_INTEGER &&
	    value->expr->type.id != TYPE_BIGINT)
		return sql_error(binder->err, ERROR_TYPE_MISMATCH,
				 &value->place, "expected a whole number");
	return value_coerce(binder, value, &bigint, false);
}

static int bind_arguments(struct binder *binder,
			  const struct name_scope *scope,
			  const struct ast_expr *ast,
			  const struct window_kind *kind,
			  struct window_call *out)
{
	struct aggregate_call *call = &out->aggregate;
	struct bound_value *args;
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &args);

	out->function = kind->function;
	out->ignore_nulls = ast->call->ignore_nulls;
	call->arg_count = ast->arg_count;
	call->args = binder_alloc(binder, ast->arg_count + 1,
				  sizeof(*call->args));
	if (!call->args)
		return ERROR_NO_MEMORY;
	call->type = type_of(kind->function == WINDOW_PERCENT_RANK ||
			     kind->function == WINDOW_CUME_DIST ?
			     TYPE_DOUBLE : TYPE_BIGINT);
	if (!rc && kind->function == WINDOW_NTILE)
		rc = count_argument(binder, &args[0]);
	else if (!rc && kind->most)
		rc = value_settle(binder, &args[0]);
	if (!rc && ast->arg_count > 1)
		rc = count_argument(binder, &args[1]);
	if (!rc && ast->arg_count > 2) {
		struct bound_value pair[2] = { args[0], args[2] };

		rc = values_unify(binder, pair, 2, "value and default",
				  &call->type);
		args[0] = pair[0];
		args[2] = pair[1];
	}
	for (size_t i = 0; i < ast->arg_count && !rc; i++) {
		rc = binder_fold(binder, &args[i].expr);
		call->args[i] = args[i].expr;
	}
	if (!rc && kind->function >= WINDOW_LAG)
		call->type = call->args[0]->type;
	return rc;
}

static int refuse_here(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast)
{
	const struct bind_level *level = scope ? scope->level : NULL;
	int rc;

	if (!ast->call || !ast->call->over) {
		rc = sql_error(binder->err, ERROR_SYNTAX, &ast->place,
			       "the window function %s needs OVER", ast->text);
		return rc;
	}
	if (level && level->in_window)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a window function inside another one");
	if (level && level->in_aggregate)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a window function inside an aggregate "
				 "function");
	if (level && level->takes_windows)
		return 0;
	rc = sql_error(binder->err, ERROR_SYNTAX, &ast->place,
		       "a window function cannot stand in %s",
		       level && level->where ? level->where : "this place");
	if (level && level->where && (!strcmp(level->where, "WHERE") ||
				      !strcmp(level->where, "HAVING")))
		error_hint(binder->err, "its rows are filtered by QUALIFY");
	return rc;
}

static int bind_window_call(struct binder *binder,
			    const struct name_scope *scope,
			    const struct ast_expr *ast,
			    struct window_place *window)
{
	const struct window_kind *kind = find_kind(ast->text);
	struct ast_window over;
	int rc = find_window(binder, scope->level, ast->call->over, 0, &over);

	if (!rc && !kind && !is_aggregate_name(ast->text))
		rc = sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
			       "%s is no window function", ast->text);
	if (!rc)
		rc = check_call(binder, ast, kind, &over);
	if (!rc)
		rc = bind_over(binder, scope, &over, window);
	if (rc)
		return rc;
	if (kind)
		return bind_arguments(binder, scope, ast, kind, &window->call);
	window->call.function = WINDOW_AGGREGATE;
	return bind_aggregate_call(binder, scope, ast,
				   &window->call.aggregate);
}

int bind_window_function(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	struct window_place *window = binder_alloc(binder, 1, sizeof(*window));
	struct bind_level *level;
	int rc = refuse_here(binder, scope, ast);

	if (rc || !window)
		return rc ? rc : ERROR_NO_MEMORY;
	level = scope->level;
	level->in_window = true;
	window->place = ast->place;
	rc = bind_window_call(binder, scope, ast, window);
	level->in_window = false;
	if (rc)
		return rc;
	out->expr = expr_column(binder->arena,
				place_column(PLACE_WINDOW,
					     level->windows.count),
				window->call.aggregate.type);
	if (!out->expr ||
	    !ast_list_add(&level->windows, binder->arena, window))
		return binder_no_memory(binder);
	return 0;
}

static bool same_window(const struct window_place *a,
			const struct window_place *b)
{
	if (a->partition_count != b->partition_count ||
	    a->order_count != b->order_count)
		return false;
	for (size_t i = 0; i < a->partition_count; i++)
		if (!expr_equal(a->partition[i], b->partition[i]))
			return false;
	for (size_t i = 0; i < a->order_count; i++)
		if (!expr_equal(a->order[i].expr, b->order[i].expr) ||
		    a->order[i].descending != b->order[i].descending ||
		    a->order[i].nulls_first != b->order[i].nulls_first)
			return false;
	return true;
}

static int settle_window(struct settle *settle, struct window_place *window)
{
	int rc = settle_call(settle, &window->call.aggregate);

	if (!rc)
		rc = settle_exprs(settle, window->partition,
				  window->partition_count);
	if (!rc)
		rc = settle_sort(settle, window->order, window->order_count);
	return rc;
}

/* One node for the window at `first` and those like it behind it. */
static int add_node(struct settle *settle, size_t first, bool *placed)
{
	struct ast_list *windows = &settle->level->windows;
	struct binder *binder = settle->binder;
	const struct window_place *like = windows->items[first];
	struct query_window *window = binder_alloc(binder, 1, sizeof(*window));
	struct query_node *node;
	size_t count = (*settle->input)->schema->column_count;
	int rc = query_node_new(binder, QUERY_WINDOW, count + windows->count,
				&node);

	if (!rc && !window)
		rc = ERROR_NO_MEMORY;
	if (!rc)
		rc = query_input(binder, node, *settle->input);
	if (rc)
		return rc;
	window->calls = binder_alloc(binder, windows->count + 1,
				     sizeof(*window->calls));
	if (!window->calls)
		return ERROR_NO_MEMORY;
	window->partition = like->partition;
	window->partition_count = like->partition_count;
	window->order = like->order;
	window->order_count = like->order_count;
	memcpy(node->schema->columns, (*settle->input)->schema->columns,
	       count * sizeof(*node->schema->columns));
	for (size_t i = first; i < windows->count; i++) {
		struct window_place *place = windows->items[i];

		if (placed[i] || !same_window(like, place))
			continue;
		placed[i] = true;
		place->at = count;
		node->schema->columns[count].name = (char *)"_window";
		node->schema->columns[count++].type =
			place->call.aggregate.type;
		window->calls[window->call_count++] = place->call;
	}
	node->schema->column_count = count;
	node->window = window;
	*settle->input = node;
	return 0;
}

int add_windows(struct settle *settle)
{
	struct ast_list *windows = &settle->level->windows;
	bool *placed = binder_alloc(settle->binder, windows->count + 1,
				    sizeof(*placed));
	int rc = placed ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < windows->count && !rc; i++)
		rc = settle_window(settle, windows->items[i]);
	for (size_t i = 0; i < windows->count && !rc; i++)
		if (!placed[i])
			rc = add_node(settle, i, placed);
	return rc;
}
