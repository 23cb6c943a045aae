/*
 * bind_expr.c - from the syntax of an expression to a typed tree
 *
 * Names become columns, operators and functions are looked up with the types
 * of their arguments, and every conversion is written out. What has no
 * function of its own (BETWEEN, CASE, IN, ...) is in bind_special.c.
 */
#include "sql/bind_subquery.h"
#include "sql/lexer.h"

static int bind_parameter(struct binder *binder, const struct ast_expr *ast,
			  struct bound_value *out)
{
	const struct sql_options *options = binder->options;
	struct type unknown = type_of(TYPE_UNKNOWN);
	size_t bad_at;
	int rc;

	/* of several the last one counts */
	for (size_t i = options ? options->parameter_count : 0; i-- > 0;) {
		const struct sql_parameter *p = &options->parameters[i];

		if (!text_equal_nocase(p->name, ast->text))
			continue;
		if (!sql_is_utf8(p->text, strlen(p->text), &bad_at))
			return sql_error(binder->err, ERROR_BAD_ENCODING,
					 &ast->place, "parameter :%s is not "
					 "valid UTF-8", ast->text);
		out->parameter = p->text;
		out->parameter_name = ast->text;
		out->expr = null_expr(binder, &unknown);
		return out->expr ? 0 : binder_no_memory(binder);
	}
	rc = sql_error(binder->err, ERROR_UNSET_PARAMETER, &ast->place,
		       "parameter :%s is not set", ast->text);
	error_hint(binder->err, "set it with --param %s=VALUE", ast->text);
	return rc;
}

static int bind_literal(struct binder *binder, const struct ast_expr *ast,
			struct bound_value *out)
{
	struct literal literal = ast->literal;
	const struct time_zone *zone;

	/* an instant that is written as a local time */
	if (ast->type.id == TYPE_TIMESTAMP_TZ &&
	    literal.type.id == TYPE_TIMESTAMP) {
		int64_t us = literal.value.int64;

		zone = binder->options ? binder->options->context.zone : NULL;
		literal.type = ast->type;
		if (__builtin_sub_overflow(us, time_zone_local_us(zone, us),
					   &literal.value.int64))
			return sql_error(binder->err, ERROR_OVERFLOW,
					 &ast->place, "the instant is out of "
					 "the range of timestamps");
	}
	out->expr = expr_literal(binder->arena, &literal);
	return out->expr ? 0 : binder_no_memory(binder);
}

static int set_column(struct binder *binder, const struct ast_expr *ast,
		      size_t column, struct bound_value *out)
{
	out->expr = expr_column(binder->arena, column, out->expr->type);
	if (!out->expr)
		return binder_no_memory(binder);
	out->expr->line = ast->place.line;
	out->expr->position = ast->place.position;
	return 0;
}

/* A column of the scope, not yet a field of it. */
static int bind_column(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast,
		       const struct scope_column *found,
		       struct bound_value *out)
{
	const struct scope_source *source = found->source;
	struct expr like = { 0 };

	like.type = source->schema->columns[found->column].type;
	if (source->origins)
		out->origins = source->origins[found->column];
	if (out->origins)
		like.type = type_of(TYPE_UNKNOWN);
	out->expr = &like;
	(void)scope;
	return set_column(binder, ast, scope_source_ordinal(source,
							    found->column),
			  out);
}

/* The item of the SELECT that an unknown name is the alias of. */
static const struct ast_expr *find_alias(const struct name_scope *scope,
					 const struct ast_name *name)
{
	const struct bind_level *level = scope->level;
	const struct ast_expr *found = NULL;

	if (!level || !level->has_aliases || name->count != 1)
		return NULL;
	for (size_t i = 0; i < level->select->item_count; i++) {
		const struct ast_item *item = level->select->items[i];

		if (!item->alias ||
		    !text_equal_nocase(item->alias, name->parts[0]))
			continue;
		if (found)
			return NULL;
		found = item->expr;
	}
	return found;
}

static int bind_alias(struct binder *binder, const struct name_scope *scope,
		      const struct ast_expr *ast, struct bound_value *out)
{
	int rc;

	scope->level->has_aliases = false;
	rc = bind_value(binder, scope, ast, out);
	scope->level->has_aliases = true;
	return rc;
}

/*
 * x.y that is a column x here without fields, and column y of a table x of a
 * query around this one: a batch may well have a column called like the alias
 * of the target.
 */
static bool is_outer_table(const struct name_scope *scope,
			   const struct ast_name *name,
			   const struct scope_column *here)
{
	enum type_id id = here->source->schema->columns[here->column].type.id;
	struct scope_column found;
	struct error ignored;

	if (here->part_count == name->count || id == TYPE_ROW ||
	    id == TYPE_UNKNOWN)
		return false;
	for (scope = scope->outer; scope; scope = scope->outer) {
		error_init(&ignored);
		if (scope->source_count && !name_scope_find(
			scope, name, &found, &ignored) && found.part_count > 1)
			return true;
	}
	return false;
}

/* A name here, or else in a query around this one; err is about here. */
static int find_name(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, struct bound_value *out,
		     size_t *part_count)
{
	const struct ast_expr *alias;
	struct scope_column found = { 0 };
	struct error here, *err = binder->err;
	size_t number;
	int rc;

	error_init(&here);
	rc = name_scope_find(scope, &ast->name, &found, &here);
	*part_count = found.part_count;
	if (!rc && is_outer_table(scope, &ast->name, &found))
		rc = ERROR_UNKNOWN_COLUMN;
	else if (!rc)
		return bind_column(binder, scope, ast, &found, out);
	if (rc == ERROR_UNKNOWN_COLUMN) {
		*part_count = 1;
		alias = find_alias(scope, &ast->name);
		if (alias)
			return bind_alias(binder, scope, alias, out);
	}
	if (rc != ERROR_UNKNOWN_COLUMN || !scope->outer) {
		*err = here;
		return rc;
	}
	rc = find_name(binder, scope->outer, ast, out, part_count);
	if (rc == ERROR_UNKNOWN_COLUMN)
		*err = here;
	if (!rc)
		rc = outer_ref_add(binder, scope->refs, out->expr, &number);
	return rc ? rc : set_column(binder, ast,
				    place_column(PLACE_OUTER, number), out);
}

static int bind_name(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, struct bound_value *out)
{
	struct name_scope nothing = { 0 };
	size_t part_count;
	int rc;

	nothing.outer = binder->around;
	nothing.refs = binder->refs;
	rc = find_name(binder, scope ? scope : &nothing, ast, out,
		       &part_count);
	for (size_t i = part_count; i < ast->name.count && !rc; i++)
		rc = value_field(binder, out, ast->name.parts[i],
				 &ast->place);
	return rc;
}

/* Do only numbers written out stand beside argument i? */
static bool is_weak_use(const struct bound_value *args, size_t count,
			size_t i)
{
	for (size_t j = 0; j < count; j++)
		if (j != i && args[j].expr->type.id != TYPE_UNKNOWN &&
		    !value_is_number_literal(&args[j]))
			return false;
	return true;
}

static int coerce_args(struct binder *binder, struct bound_value *args,
		       size_t arg_count, const struct type *wanted,
		       struct expr *call)
{
	for (size_t i = 0; i < arg_count; i++) {
		bool is_weak = is_weak_use(args, arg_count, i);
		int rc;

		rc = value_coerce(binder, &args[i], &wanted[i], is_weak);
		if (rc)
			return rc;
		call->args[i] = args[i].expr;
	}
	return 0;
}

struct call_types {
	size_t count;
	struct arena *arena;
	struct type *args;
	struct type *wanted;
	struct type *probed;
	struct type result;
	const struct function *function;
};

static int find_function(struct call_types *types, const char *name,
			 struct error *err)
{
	struct function_lookup lookup = { name, types->args, types->count,
					  types->arena, types->wanted, NULL,
					  { 0 } };
	int rc = function_find(&lookup, err);

	types->function = lookup.function;
	if (!rc)
		types->result = lookup.result;
	return rc;
}

static int call_types_init(struct binder *binder, struct call_types *types,
			   const struct bound_value *args, size_t arg_count)
{
	memset(types, 0, sizeof(*types));
	types->count = arg_count;
	types->arena = binder->arena;
	types->args = binder_alloc(binder, 3 * arg_count + 1,
				   sizeof(*types->args));
	if (!types->args)
		return ERROR_NO_MEMORY;
	types->wanted = types->args + arg_count;
	types->probed = types->wanted + arg_count;
	for (size_t i = 0; i < arg_count; i++)
		types->args[i] = args[i].expr->type;
	return 0;
}

/* Would the function take other types if the arguments had them? */
static bool takes_other(const char *name, struct call_types *types,
			enum type_id id)
{
	struct type *tried = types->args;
	const struct function *function;
	struct type result;
	bool is_other = false;

	for (size_t i = 0; i < types->count; i++)
		tried[i] = type_of(id);
	if (function_resolve(name, tried, types->count, &function,
			     types->probed, &result, NULL))
		return false;
	for (size_t i = 0; i < types->count; i++)
		if (!type_equal(&types->probed[i], &types->wanted[i]))
			is_other = true;
	return is_other;
}

/* One of the arguments is the value: what types it types them. */
static bool is_extreme_call(const char *name)
{
	return !strcmp(name, "greatest") || !strcmp(name, "least");
}

/* A call that depends on which of two values is higher. */
static bool is_order_call(const char *name)
{
	return is_extreme_call(name) || !strcmp(name, "<") ||
	       !strcmp(name, "<=") || !strcmp(name, ">") ||
	       !strcmp(name, ">=");
}

/* A NULL for the call. */
static int stand_in(struct binder *binder, const char *name,
		    struct call_types *types, const struct bound_value *args,
		    struct bound_value *out)
{
	int rc = 0;

	for (size_t i = 0; i < types->count && !rc; i++) {
		if (is_order_call(name))
			untyped_ordered(args[i].origins);
		if (is_extreme_call(name))
			rc = origin_concat(binder, args[i].origins,
					   &out->origins);
	}
	if (is_extreme_call(name))
		types->result = type_of(TYPE_UNKNOWN);
	out->expr = null_expr(binder, &types->result);
	return rc || out->expr ? rc : binder_no_memory(binder);
}

/*
 * Only untyped columns (and NULLs) as arguments: if the function takes many
 * types, say "=", this use decides nothing. A NULL stands for the call until
 * a later pass knows more. *deferred false: bind it as usual.
 */
static int defer_call(struct binder *binder, const char *name,
		      struct call_types *types,
		      const struct bound_value *args,
		      struct bound_value *out, bool *deferred)
{
	bool is_open = false;
	int rc;

	*deferred = false;
	for (size_t i = 0; i < types->count; i++) {
		if (args[i].expr->type.id != TYPE_UNKNOWN)
			return 0;
		is_open = is_open || args[i].origins;
	}
	if (!is_open)
		return 0;
	types->result = type_of(TYPE_UNKNOWN);
	rc = find_function(types, name, NULL);
	if (!rc && !takes_other(name, types, TYPE_VARCHAR) &&
	    !takes_other(name, types, TYPE_DOUBLE)) {
		for (size_t i = 0; i < types->count; i++)
			types->args[i] = type_of(TYPE_UNKNOWN);
		return 0;
	}
	*deferred = true;
	return stand_in(binder, name, types, args, out);
}

/* Parameters among nothing that has a type are text. */
static int settle_parameters(struct binder *binder, struct bound_value *args,
			     size_t arg_count)
{
	for (size_t i = 0; i < arg_count; i++)
		if (!args[i].parameter &&
		    args[i].expr->type.id != TYPE_UNKNOWN)
			return 0;
	for (size_t i = 0; i < arg_count; i++) {
		int rc = value_settle(binder, &args[i]);

		if (rc)
			return rc;
	}
	return 0;
}

int bind_call(struct binder *binder, const char *name,
	      const struct sql_place *place, struct bound_value *args,
	      size_t arg_count, struct bound_value *out)
{
	struct call_types types;
	struct expr *call;
	bool deferred = false;
	int rc = settle_parameters(binder, args, arg_count);

	memset(out, 0, sizeof(*out));
	out->place = *place;
	if (!rc && arg_count == 2)
		rc = bind_row_equality(binder, name, place, args, out);
	if (rc || out->expr)
		return rc;
	if (!rc)
		rc = call_types_init(binder, &types, args, arg_count);
	if (!rc)
		rc = defer_call(binder, name, &types, args, out, &deferred);
	if (rc || deferred)
		return rc;
	rc = find_function(&types, name, binder->err);
	if (rc) {
		error_at(binder->err, binder->file, place->line,
			 place->position);
		return rc;
	}
	rc = expr_node(binder, EXPR_CALL, types.result, arg_count, place,
		       &call);
	if (rc)
		return rc;
	call->function = types.function;
	rc = coerce_args(binder, args, arg_count, types.wanted, call);
	out->expr = call;
	return rc;
}

/* DISTINCT, FILTER and their like belong to aggregates. */
static int refuse_suffix(struct binder *binder, const struct ast_expr *ast)
{
	static const char *const others[] = {
		"approx_distinct", "approx_percentile", "corr", "checksum",
		"median", "grouping",
	};

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (!strcmp(ast->text, others[i]))
			return sql_error(binder->err, ERROR_UNSUPPORTED,
					 &ast->place, "the aggregate function "
					 "%s is not supported", ast->text);
	if (!ast->call)
		return 0;
	return sql_error(binder->err, ERROR_SYNTAX, &ast->call->place,
			 "%s is neither an aggregate nor a window function",
			 ast->text);
}

/* An operand whose type nobody wrote: a column of a file without types has
 * that of the table's column of its name. */
static void hint_table_type(struct binder *binder,
			    const struct name_scope *scope,
			    const struct ast_expr *ast)
{
	char type[TYPE_NAME_BYTES];
	struct scope_column found;
	struct error ignored;

	error_init(&ignored);
	for (size_t i = 0; binder->types && i < ast->arg_count; i++) {
		const struct ast_expr *arg = ast->args[i];
		const struct column_def *def;
		size_t at;

		if (arg->kind != AST_NAME ||
		    name_scope_find(scope, &arg->name, &found, &ignored) ||
		    !found.source->file ||
		    found.part_count != arg->name.count)
			continue;
		def = &found.source->schema->columns[found.column];
		at = find_column(binder->types, def->name);
		if (at >= binder->types->column_count ||
		    !type_equal(&def->type, &binder->types->columns[at].type))
			continue;
		error_hint(binder->err, "%s is %s as in the table, from which "
			   "columns of CSV and JSON Lines files take their "
			   "types: write CAST(%s AS ...)", def->name,
			   type_name(&def->type, type), def->name);
		return;
	}
}

static int bind_function(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *args;
	bool is_special, is_field = false;
	int rc = bind_conditional(binder, scope, ast, &is_special, out);

	if (rc || is_special)
		return rc;
	if (is_window_name(ast->text) || (ast->call && ast->call->over))
		return bind_window_function(binder, scope, ast, out);
	if (!strcmp(ast->text, "grouping"))
		return bind_grouping(binder, scope, ast, out);
	if (is_aggregate_name(ast->text))
		return bind_aggregate(binder, scope, ast, out);
	rc = refuse_suffix(binder, ast);
	if (!rc)
		rc = bind_values(binder, scope, ast->args, ast->arg_count,
				 &args);
	if (!rc && !strcmp(ast->text, "[]"))
		rc = bind_row_subscript(binder, args, &ast->place, &is_field,
					out);
	if (rc || is_field)
		return rc;
	rc = bind_call(binder, ast->text, &ast->place, args, ast->arg_count,
		       out);
	if (rc == ERROR_TYPE_MISMATCH)
		hint_table_type(binder, scope, ast);
	if (!rc && !strcmp(ast->text, "map") && ast->arg_count == 2) {
		out->parts = args;
		out->part_count = 2;
	}
	return rc;
}

int bind_values(struct binder *binder, const struct name_scope *scope,
		struct ast_expr *const *asts, size_t count,
		struct bound_value **out)
{
	*out = binder_alloc(binder, count + 1, sizeof(**out));
	if (!*out)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		int rc = bind_value(binder, scope, asts[i], &(*out)[i]);

		if (rc)
			return rc;
	}
	return 0;
}

int bind_value(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out)
{
	int rc = binder_count(binder, &ast->place);

	memset(out, 0, sizeof(*out));
	out->place = ast->place;
	if (rc)
		return rc;
	switch (ast->kind) {
	case AST_LITERAL:
		rc = bind_literal(binder, ast, out);
		break;
	case AST_PARAMETER:
		rc = bind_parameter(binder, ast, out);
		break;
	case AST_NAME:
		rc = bind_name(binder, scope, ast, out);
		break;
	case AST_CALL:
		rc = bind_function(binder, scope, ast, out);
		break;
	case AST_SUBQUERY:
	case AST_EXISTS:
	case AST_IN_QUERY:
	case AST_QUANTIFIED:
		rc = bind_subquery(binder, scope, ast, out);
		break;
	case AST_DEFAULT:
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "DEFAULT stands alone, as a value of SET or "
				 "of an INSERT");
	case AST_INTERVAL:
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "an INTERVAL that is not added to or "
				 "subtracted from a date or time is not "
				 "supported");
	default:
		rc = bind_special(binder, scope, ast, out);
		break;
	}
	if (rc)
		return rc;
	out->place = ast->place;
	if (!out->expr->line) {
		out->expr->line = ast->place.line;
		out->expr->position = ast->place.position;
	}
	return 0;
}

int bind_condition(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, const char *what,
		   struct expr **out)
{
	struct bound_value value;
	int rc;

	*out = NULL;
	if (!ast)
		return 0;
	rc = bind_value(binder, scope, ast, &value);
	if (!rc)
		rc = value_condition(binder, &value, what);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (!rc && !expr_is_true(value.expr))
		*out = value.expr;
	return rc;
}

int bind_assigned(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, const struct column_def *column,
		  struct expr **out)
{
	struct bound_value value;
	int rc;

	*out = NULL;
	if (ast->kind == AST_DEFAULT) {
		*out = default_expr(binder, column);
		if (!*out)
			return binder_no_memory(binder);
		(*out)->line = ast->place.line;
		(*out)->position = ast->place.position;
		return 0;
	}
	rc = bind_value(binder, scope, ast, &value);
	if (!rc && binder->evolves)
		rc = value_by_name(binder, &value, &column->type, NULL);
	if (!rc)
		rc = value_assign(binder, &value, &column->type,
				  column->name);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	if (!rc)
		*out = value.expr;
	return rc;
}

int bind_constant_text(struct binder *binder, const struct ast_expr *ast,
		       const char **out)
{
	struct text text = TEXT_INIT;
	struct bound_value value;
	int rc;

	*out = NULL;
	rc = bind_value(binder, NULL, ast, &value);
	if (!rc)
		rc = value_settle(binder, &value);
	if (rc)
		return rc;
	if (value.expr->kind != EXPR_LITERAL || value.expr->literal.is_null)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "expected a literal that is not NULL");
	if (format_literal(&value.expr->literal, &text) && !text.failed)
		*out = arena_strndup(binder->arena, text.data ? text.data : "",
				     text.length);
	text_release(&text);
	if (!*out)
		return binder_no_memory(binder);
	if (value.expr->type.id == TYPE_VARCHAR &&
	    strlen(*out) != value.expr->literal.value.bytes.length)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a text with a NUL cannot be used here");
	return 0;
}
