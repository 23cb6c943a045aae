/*
 * bind_expr.c - from the syntax of an expression to a typed tree
 *
 * Names become columns, operators and functions are looked up with the types
 * of their arguments, and every conversion is written out. What has no
 * function of its own (BETWEEN, CASE, IN, ...) is in bind_special.c.
 */
#include "sql/binder.h"

static const char *const aggregate_names[] = {
	"count", "sum", "avg", "min", "max", "count_if", "bool_and",
	"bool_or", "every", "min_by", "max_by", "array_agg", "string_agg",
	"listagg", "any_value", "arbitrary", "approx_distinct",
	"approx_percentile", "stddev", "stddev_pop", "stddev_samp",
	"variance", "var_pop", "var_samp", "corr", "checksum", "median",
};

static const char *const window_names[] = {
	"row_number", "rank", "dense_rank", "percent_rank", "cume_dist",
	"ntile", "lag", "lead", "first_value", "last_value", "nth_value",
};

static bool is_listed(const char *name, const char *const *names,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int bind_parameter(struct binder *binder, const struct ast_expr *ast,
			  struct bound_value *out)
{
	const struct sql_options *options = binder->options;
	struct type unknown = type_of(TYPE_UNKNOWN);
	int rc;

	for (size_t i = 0; options && i < options->parameter_count; i++) {
		const struct sql_parameter *p = &options->parameters[i];

		if (!text_equal_nocase(p->name, ast->text))
			continue;
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
	out->expr = expr_literal(binder->arena, &ast->literal);
	return out->expr ? 0 : binder_no_memory(binder);
}

static int bind_name(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, struct bound_value *out)
{
	static const struct name_scope nothing;
	const struct scope_source *source;
	size_t column;
	int rc = name_scope_find(scope ? scope : &nothing, &ast->name,
				 &source, &column, binder->err);

	if (rc)
		return rc;
	out->expr = expr_column(binder->arena, source->first + column,
				source->schema->columns[column].type);
	if (!out->expr)
		return binder_no_memory(binder);
	if (!source->origins)
		return 0;
	out->origins = source->origins[column];
	if (out->origins)
		out->expr->type = type_of(TYPE_UNKNOWN);
	return 0;
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

int bind_call(struct binder *binder, const char *name,
	      const struct sql_place *place, struct bound_value *args,
	      size_t arg_count, struct bound_value *out)
{
	struct type *types, *wanted, result;
	const struct function *function;
	struct expr *call;
	int rc;

	types = binder_alloc(binder, arg_count + 1, sizeof(*types));
	wanted = binder_alloc(binder, arg_count + 1, sizeof(*wanted));
	if (!types || !wanted)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < arg_count; i++)
		types[i] = args[i].expr->type;
	rc = function_resolve(name, types, arg_count, &function, wanted,
			      &result, binder->err);
	if (rc) {
		error_at(binder->err, binder->file, place->line,
			 place->position);
		return rc;
	}
	rc = expr_node(binder, EXPR_CALL, result, arg_count, place, &call);
	if (rc)
		return rc;
	call->function = function;
	rc = coerce_args(binder, args, arg_count, wanted, call);
	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	out->expr = call;
	out->place = *place;
	return 0;
}

static int refuse_aggregate(struct binder *binder, const struct ast_expr *ast)
{
	const char *kind = NULL;

	if (is_listed(ast->text, aggregate_names,
		      ARRAY_COUNT(aggregate_names)))
		kind = "aggregate";
	else if (is_listed(ast->text, window_names,
			   ARRAY_COUNT(window_names)))
		kind = "window";
	if (!kind)
		return 0;
	return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
			 "the %s function %s is not supported", kind,
			 ast->text);
}

static int bind_function(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *args;
	bool is_special;
	int rc = bind_conditional(binder, scope, ast, &is_special, out);

	if (rc || is_special)
		return rc;
	rc = refuse_aggregate(binder, ast);
	if (!rc)
		rc = bind_values(binder, scope, ast->args, ast->arg_count,
				 &args);
	if (!rc)
		rc = bind_call(binder, ast->text, &ast->place, args,
			       ast->arg_count, out);
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
	case AST_DEFAULT:
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "DEFAULT stands alone, as a value of SET or "
				 "of an INSERT");
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
