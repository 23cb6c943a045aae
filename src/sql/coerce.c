/*
 * coerce.c - values take the type that their use asks for
 *
 * Every implicit conversion becomes an explicit CAST here, so that whoever
 * runs the tree has no rules to know. A bare NULL, a parameter and an untyped
 * column have no type of their own: the first use decides.
 */
#include "sql/binder.h"

bool value_is_number_literal(const struct bound_value *value)
{
	return !value->parameter && value->expr->kind == EXPR_LITERAL &&
	       !value->expr->literal.is_null &&
	       type_is_numeric(&value->expr->type);
}

static int parameter_to(struct binder *binder, struct bound_value *value,
			const struct type *type)
{
	size_t length = strlen(value->parameter);
	struct literal literal;
	struct expr *expr;
	char name[TYPE_NAME_BYTES];
	int rc;

	if (type_is_nested(type)) {
		sql_error(binder->err, ERROR_TYPE_MISMATCH, &value->place,
			  "parameter :%s cannot be a %s",
			  value->parameter_name, type_name(type, name));
		error_hint(binder->err, "put parameters into ROW(...), "
			   "ARRAY[...] or MAP(...)");
		return ERROR_TYPE_MISMATCH;
	}
	rc = parse_value_in(value->parameter, length, type,
			    binder->options ? binder->options->context.zone
					    : NULL, binder->arena,
			    &literal);
	if (rc == ERROR_NO_MEMORY)
		return binder_no_memory(binder);
	if (rc) {
		rc = rc == ERROR_OVERFLOW ? ERROR_OVERFLOW : ERROR_CAST;
		return sql_error(binder->err, rc, &value->place,
				 "parameter :%s is \"%.80s\", which does not "
				 "convert to %s", value->parameter_name,
				 value->parameter, type_name(type, name));
	}
	literal.type = *type;
	/* the text outlives the caller's options */
	rc = literal_copy(&literal, &literal, binder->arena, binder->err);
	if (rc)
		return rc;
	expr = expr_literal(binder->arena, &literal);
	if (!expr)
		return binder_no_memory(binder);
	value->expr = expr;
	value->parameter = NULL;
	return 0;
}

int value_cast_to(struct binder *binder, struct bound_value *value,
		  enum expr_kind kind, const struct type *type,
		  const char *column)
{
	struct expr *cast;
	int rc;

	value->origins = NULL;
	value->parts = NULL;
	if (value->expr->kind == EXPR_LITERAL && value->expr->literal.is_null) {
		cast = null_expr(binder, type);
		if (!cast)
			return binder_no_memory(binder);
		cast->line = value->place.line;
		cast->position = value->place.position;
		value->expr = cast;
		return 0;
	}
	rc = expr_node(binder, kind, *type, 1, &value->place, &cast);
	if (rc)
		return rc;
	cast->args[0] = value->expr;
	cast->is_assignment = column != NULL;
	cast->assigned = column;
	value->expr = cast;
	return 0;
}

int value_settle(struct binder *binder, struct bound_value *value)
{
	struct type text = type_of(TYPE_VARCHAR);

	if (value->parts)
		return value_settle_parts(binder, value);
	return value->parameter ? parameter_to(binder, value, &text) : 0;
}

int value_coerce(struct binder *binder, struct bound_value *value,
		 const struct type *type, bool is_weak)
{
	int rc;

	if (type->id == TYPE_UNKNOWN)
		return value_settle(binder, value);
	if (value->parameter)
		return parameter_to(binder, value, type);
	if (value_has_parts(value, type))
		return value_push(binder, value, type, PUSH_COERCE, NULL);
	if (value->expr->type.id == TYPE_UNKNOWN) {
		rc = untyped_fix(binder, value->origins, type, is_weak,
				 &value->place);
		if (rc)
			return rc;
	}
	if (type_equal(&value->expr->type, type))
		return 0;
	return value_cast_to(binder, value, EXPR_CAST, type, NULL);
}

/* Why a value is no ROW, ARRAY or MAP of that type. */
static void hint_nested(struct binder *binder, const struct type *from,
			const struct type *to)
{
	if (from->id == TYPE_VARCHAR)
		error_hint(binder->err, "text is read as JSON only where a "
			   "column of a file is assigned as it is");
	else if (to->id == TYPE_ROW)
		error_hint(binder->err, "ROWs convert field by field, in "
			   "order: write ROW(...)");
}

static int mismatch(struct binder *binder, const struct bound_value *value,
		    const struct type *type, const char *column)
{
	char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
	int rc = sql_error(binder->err, ERROR_TYPE_MISMATCH, &value->place,
			   "a value of type %s cannot be assigned to column "
			   "%s of type %s", type_name(&value->expr->type, from),
			   column, type_name(type, to));

	error_field(binder->err, column);
	if (type_castable(&value->expr->type, type))
		error_hint(binder->err, "write CAST(value AS %s)", to);
	else if (type_is_nested(type))
		hint_nested(binder, &value->expr->type, type);
	return rc;
}

/* A column of the target that nothing has typed yet: by what it is given. */
static int assign_untyped(struct binder *binder, struct bound_value *value,
			  const char *column)
{
	long at = schema_find(binder->types, column);

	if (value->parameter || value->parts)
		return value_settle(binder, value);
	if (at < 0 || value->expr->type.id == TYPE_UNKNOWN)
		return 0;
	return untyped_fix(binder, binder->target_origins[at],
			   &value->expr->type, value_is_number_literal(value),
			   &value->place);
}

int value_assign(struct binder *binder, struct bound_value *value,
		 const struct type *type, const char *column)
{
	if (type->id == TYPE_UNKNOWN && binder->target_origins)
		return assign_untyped(binder, value, column);
	if (value_has_parts(value, type))
		return value_push(binder, value, type, PUSH_ASSIGN, column);
	if (value->parameter || value->expr->type.id == TYPE_UNKNOWN ||
	    type_equal(&value->expr->type, type))
		return value_coerce(binder, value, type, false);
	if (!type_assignable(&value->expr->type, type))
		return mismatch(binder, value, type, column);
	return value_cast_to(binder, value, EXPR_CAST, type, column);
}

int value_cast(struct binder *binder, struct bound_value *value,
	       const struct type *type, bool is_try)
{
	struct type text = type_of(TYPE_VARCHAR);
	char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
	int rc;

	if (value->parameter && !is_try)
		return parameter_to(binder, value, type);
	if (!is_try && value_has_parts(value, type))
		return value_push(binder, value, type, PUSH_CAST, NULL);
	rc = value_settle(binder, value);
	if (rc)
		return rc;
	if (value->expr->type.id == TYPE_UNKNOWN)	/* cast keeps text */
		rc = untyped_fix(binder, value->origins, &text, false,
				 &value->place);
	else if (!type_castable(&value->expr->type, type))
		rc = sql_error(binder->err, ERROR_TYPE_MISMATCH,
			       &value->place, "cannot cast %s to %s",
			       type_name(&value->expr->type, from),
			       type_name(type, to));
	if (rc == ERROR_TYPE_MISMATCH && type_is_nested(type))
		hint_nested(binder, &value->expr->type, type);
	if (rc)
		return rc;
	value->origins = NULL;
	if (type_equal(&value->expr->type, type))
		return 0;
	return value_cast_to(binder, value,
			     is_try ? EXPR_TRY_CAST : EXPR_CAST, type, NULL);
}

int value_condition(struct binder *binder, struct bound_value *value,
		    const char *what)
{
	struct type boolean = type_of(TYPE_BOOLEAN);
	char name[TYPE_NAME_BYTES];
	int rc;

	if (value->parameter || value->expr->type.id == TYPE_UNKNOWN ||
	    value->expr->type.id == TYPE_BOOLEAN)
		return value_coerce(binder, value, &boolean, false);
	rc = sql_error(binder->err, ERROR_TYPE_MISMATCH, &value->place,
		       "%s must be BOOLEAN, not %s", what,
		       type_name(&value->expr->type, name));
	error_hint(binder->err, "compare it with something");
	return rc;
}

int values_common_type(struct binder *binder,
		       const struct bound_value *values, size_t count,
		       const char *what, struct type *out)
{
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	*out = type_of(TYPE_UNKNOWN);
	for (size_t i = 0; i < count; i++) {
		struct type common;

		if (values[i].parameter)
			continue;
		if (!type_unify(binder->arena, out, &values[i].expr->type,
				&common)) {
			sql_error(binder->err, ERROR_TYPE_MISMATCH,
				  &values[i].place,
				  "%s must have one type, not %s and %s",
				  what, type_name(out, a),
				  type_name(&values[i].expr->type, b));
			error_hint(binder->err, "write CAST(... AS ...)");
			return ERROR_TYPE_MISMATCH;
		}
		*out = common;
	}
	return 0;
}

int values_unify(struct binder *binder, struct bound_value *values,
		 size_t count, const char *what, struct type *out)
{
	bool has_parameter = false, is_weak = true;
	int rc = values_common_type(binder, values, count, what, out);

	for (size_t i = 0; i < count && !rc; i++) {
		has_parameter = has_parameter || values[i].parameter;
		if (values[i].parameter ||
		    values[i].expr->type.id != TYPE_UNKNOWN)
			is_weak = is_weak &&
				  value_is_number_literal(&values[i]);
	}
	if (!rc && out->id == TYPE_UNKNOWN && has_parameter)
		*out = type_of(TYPE_VARCHAR);
	for (size_t i = 0; i < count && !rc; i++)
		rc = value_coerce(binder, &values[i], out, is_weak);
	return rc;
}
