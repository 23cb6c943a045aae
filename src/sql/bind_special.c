/*
 * bind_special.c - expressions that are rewritten
 *
 * BETWEEN becomes two comparisons, simple CASE a searched one, NULLIF and IF
 * a CASE. Where branches meet they get one type; if none of them has a type
 * yet, what they pass on is handed up so that the use outside decides.
 */
#include "sql/binder.h"

static int combine_origins(struct binder *binder,
			   const struct bound_value *values, size_t count,
			   struct bound_value *out)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = origin_concat(binder, values[i].origins, &out->origins);
	return rc;
}

static int bind_logic(struct binder *binder, const struct name_scope *scope,
		      const struct ast_expr *ast, enum expr_kind kind,
		      struct bound_value *out)
{
	struct bound_value *args;
	const char *what = kind == EXPR_AND ? "an operand of AND" :
			   kind == EXPR_OR ? "an operand of OR" :
			   "the operand of NOT";
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &args);

	if (!rc)
		rc = expr_node(binder, kind, type_of(TYPE_BOOLEAN),
			       ast->arg_count, &ast->place, &out->expr);
	for (size_t i = 0; i < ast->arg_count && !rc; i++) {
		rc = value_condition(binder, &args[i], what);
		out->expr->args[i] = args[i].expr;
	}
	return rc;
}

static int bind_is_null(struct binder *binder, const struct name_scope *scope,
			const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value value;
	int rc = bind_value(binder, scope, ast->args[0], &value);

	if (!rc)
		rc = value_settle(binder, &value);
	if (!rc)
		rc = expr_node(binder, EXPR_IS_NULL, type_of(TYPE_BOOLEAN), 1,
			       &ast->place, &out->expr);
	if (!rc)
		out->expr->args[0] = value.expr;
	return rc;
}

static int bind_in(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *args;
	struct type type;
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &args);

	if (!rc)
		rc = values_unify(binder, args, ast->arg_count,
				  "the value and the list of IN", &type);
	if (!rc)
		rc = expr_node(binder, EXPR_IN, type_of(TYPE_BOOLEAN),
			       ast->arg_count, &ast->place, &out->expr);
	for (size_t i = 0; i < ast->arg_count && !rc; i++)
		out->expr->args[i] = args[i].expr;
	return rc;
}

/* One side of BETWEEN or of a simple CASE; binds its operands itself. */
static int bind_comparison(struct binder *binder,
			   const struct name_scope *scope, const char *name,
			   const struct ast_expr *left,
			   const struct ast_expr *right,
			   struct bound_value *out)
{
	struct bound_value args[2];
	int rc = bind_value(binder, scope, left, &args[0]);

	if (!rc)
		rc = bind_value(binder, scope, right, &args[1]);
	if (!rc)
		rc = bind_call(binder, name, &right->place, args, 2, out);
	return rc;
}

static int bind_between(struct binder *binder, const struct name_scope *scope,
			const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value low, high;
	int rc = bind_comparison(binder, scope, ">=", ast->args[0],
				 ast->args[1], &low);

	if (!rc)
		rc = bind_comparison(binder, scope, "<=", ast->args[0],
				     ast->args[2], &high);
	if (!rc)
		rc = expr_node(binder, EXPR_AND, type_of(TYPE_BOOLEAN), 2,
			       &ast->place, &out->expr);
	if (rc)
		return rc;
	out->expr->args[0] = low.expr;
	out->expr->args[1] = high.expr;
	return 0;
}

/*
 * CASE from bound conditions and results; result_count is one more than
 * condition_count when there is an ELSE.
 */
static int case_new(struct binder *binder, struct bound_value *conditions,
		    size_t condition_count, struct bound_value *results,
		    size_t result_count, struct bound_value *out)
{
	struct sql_place place = out->place;
	struct expr *expr;
	struct type type;
	int rc = values_unify(binder, results, result_count,
			      "the results of CASE", &type);

	if (!rc)
		rc = expr_node(binder, EXPR_CASE, type,
			       condition_count + result_count, &place, &expr);
	if (rc)
		return rc;
	for (size_t i = 0; i < condition_count; i++) {
		expr->args[2 * i] = conditions[i].expr;
		expr->args[2 * i + 1] = results[i].expr;
	}
	if (result_count > condition_count)
		expr->args[2 * condition_count] =
			results[condition_count].expr;
	out->expr = expr;
	if (type.id == TYPE_UNKNOWN)
		rc = combine_origins(binder, results, result_count, out);
	return rc;
}

static int bind_case(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, struct bound_value *out)
{
	size_t first = ast->has_operand ? 1 : 0;
	size_t count = (ast->arg_count - first) / 2;
	struct bound_value *conditions, *results;
	int rc = 0;

	conditions = binder_alloc(binder, count + 1, sizeof(*conditions));
	results = binder_alloc(binder, count + 1, sizeof(*results));
	if (!conditions || !results)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		const struct ast_expr *when = ast->args[first + 2 * i];
		const struct ast_expr *then = ast->args[first + 2 * i + 1];

		if (ast->has_operand)
			rc = bind_comparison(binder, scope, "=", ast->args[0],
					     when, &conditions[i]);
		else
			rc = bind_value(binder, scope, when, &conditions[i]);
		if (!rc)
			rc = value_condition(binder, &conditions[i],
					     "the condition of WHEN");
		if (!rc)
			rc = bind_value(binder, scope, then, &results[i]);
	}
	if (!rc && ast->has_else)
		rc = bind_value(binder, scope, ast->args[ast->arg_count - 1],
				&results[count]);
	if (!rc)
		rc = case_new(binder, conditions, count, results,
			      count + (ast->has_else ? 1 : 0), out);
	return rc;
}

static int bind_cast(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, struct bound_value *out)
{
	int rc = bind_value(binder, scope, ast->args[0], out);

	if (rc)
		return rc;
	out->place = ast->place;
	return value_cast(binder, out, &ast->type, ast->kind == AST_TRY_CAST);
}

int bind_special(struct binder *binder, const struct name_scope *scope,
		 const struct ast_expr *ast, struct bound_value *out)
{
	switch (ast->kind) {
	case AST_AND:
		return bind_logic(binder, scope, ast, EXPR_AND, out);
	case AST_OR:
		return bind_logic(binder, scope, ast, EXPR_OR, out);
	case AST_NOT:
		return bind_logic(binder, scope, ast, EXPR_NOT, out);
	case AST_IS_NULL:
		return bind_is_null(binder, scope, ast, out);
	case AST_IN:
		return bind_in(binder, scope, ast, out);
	case AST_BETWEEN:
		return bind_between(binder, scope, ast, out);
	case AST_CASE:
		return bind_case(binder, scope, ast, out);
	case AST_ROW:
		return bind_row(binder, scope, ast, out);
	case AST_ARRAY:
		return bind_array(binder, scope, ast, out);
	case AST_FIELD:
		return bind_field(binder, scope, ast, out);
	default:
		return bind_cast(binder, scope, ast, out);
	}
}

static int check_arity(struct binder *binder, const struct ast_expr *ast,
		       size_t least, size_t most)
{
	if (ast->arg_count >= least && ast->arg_count <= most)
		return 0;
	return sql_error(binder->err, ERROR_ARITY, &ast->place,
			 "%s takes %zu to %zu arguments, not %zu", ast->text,
			 least, most, ast->arg_count);
}

static int bind_coalesce(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *args;
	struct type type;
	int rc = check_arity(binder, ast, 1, SQL_COLUMN_LIMIT);

	if (!rc)
		rc = bind_values(binder, scope, ast->args, ast->arg_count,
				 &args);
	if (!rc)
		rc = values_unify(binder, args, ast->arg_count,
				  "the arguments of COALESCE", &type);
	if (!rc)
		rc = expr_node(binder, EXPR_COALESCE, type, ast->arg_count,
			       &ast->place, &out->expr);
	if (rc)
		return rc;
	for (size_t i = 0; i < ast->arg_count; i++)
		out->expr->args[i] = args[i].expr;
	if (type.id == TYPE_UNKNOWN)
		rc = combine_origins(binder, args, ast->arg_count, out);
	return rc;
}

/* NULLIF(a, b): CASE WHEN a = b THEN NULL ELSE a END */
static int bind_nullif(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast, struct bound_value *out)
{
	struct type unknown = type_of(TYPE_UNKNOWN);
	struct bound_value condition, results[2];
	int rc = check_arity(binder, ast, 2, 2);

	memset(results, 0, sizeof(results));
	if (!rc)
		rc = bind_comparison(binder, scope, "=", ast->args[0],
				     ast->args[1], &condition);
	if (!rc)
		rc = bind_value(binder, scope, ast->args[0], &results[1]);
	if (rc)
		return rc;
	results[0].place = ast->place;
	results[0].expr = null_expr(binder, &unknown);
	if (!results[0].expr)
		return binder_no_memory(binder);
	return case_new(binder, &condition, 1, results, 2, out);
}

/* IF(c, a [, b]): CASE WHEN c THEN a [ELSE b] END */
static int bind_if(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *args;
	int rc = check_arity(binder, ast, 2, 3);

	if (!rc)
		rc = bind_values(binder, scope, ast->args, ast->arg_count,
				 &args);
	if (!rc)
		rc = value_condition(binder, &args[0], "the condition of IF");
	if (!rc)
		rc = case_new(binder, args, 1, args + 1, ast->arg_count - 1,
			      out);
	return rc;
}

int bind_conditional(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, bool *is_special,
		     struct bound_value *out)
{
	*is_special = true;
	if (!strcmp(ast->text, "coalesce"))
		return bind_coalesce(binder, scope, ast, out);
	if (!strcmp(ast->text, "nullif"))
		return bind_nullif(binder, scope, ast, out);
	if (!strcmp(ast->text, "if"))
		return bind_if(binder, scope, ast, out);
	*is_special = false;
	return 0;
}
