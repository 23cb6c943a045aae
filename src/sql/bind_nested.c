/*
 * bind_nested.c - ROW(...), ARRAY[...], fields, and types for their parts
 *
 * Why:    in SET address = ROW(s.street, :zip) the parts have no type yet; as
 *         everywhere the use decides, and here the use is a field.
 * How:    a constructor keeps its arguments as bound values. A type that is
 *         asked of the whole is handed down to them, and the call is typed
 *         anew; only what is left (NOT NULL inside) becomes a CAST of the
 *         whole.
 */
#include "sql/binder.h"

/* out has its place already. */
static int constructor_new(struct binder *binder, const char *name,
			   struct bound_value *parts, size_t count,
			   struct bound_value *out)
{
	struct function_lookup lookup = { 0 };
	struct type *types = binder_alloc(binder, 2 * count + 1,
					  sizeof(*types));
	int rc;

	if (!types)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		types[i] = parts[i].expr->type;
	lookup.name = name;
	lookup.args = types;
	lookup.arg_count = count;
	lookup.arena = binder->arena;
	lookup.wanted = types + count;
	rc = function_find(&lookup, binder->err);
	if (!rc)
		rc = expr_node(binder, EXPR_CALL, lookup.result, count,
			       &out->place, &out->expr);
	if (rc)
		return rc;
	out->expr->function = lookup.function;
	for (size_t i = 0; i < count; i++)
		out->expr->args[i] = parts[i].expr;
	out->parts = parts;
	out->part_count = count;
	return 0;
}

int bind_row(struct binder *binder, const struct name_scope *scope,
	     const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *parts;
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &parts);

	if (!rc)
		rc = constructor_new(binder, "row", parts, ast->arg_count,
				     out);
	for (size_t i = 0; i < ast->arg_count && !rc; i++)
		out->expr->type.fields[i].name =
			(char *)(uintptr_t)ast->name.parts[i];
	return rc;
}

int bind_row_of(struct binder *binder, struct expr **args,
		const struct type *like, const struct sql_place *place,
		struct expr **out)
{
	struct function_lookup lookup = { 0 };
	size_t count = like->field_count;
	struct type *types = binder_alloc(binder, 2 * count + 1,
					  sizeof(*types));
	int rc;

	if (!types)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		types[i] = args[i]->type;
	lookup.name = "row";
	lookup.args = types;
	lookup.arg_count = count;
	lookup.arena = binder->arena;
	lookup.wanted = types + count;
	rc = function_find(&lookup, binder->err);
	if (!rc)
		rc = expr_node(binder, EXPR_CALL, lookup.result, count, place,
			       out);
	if (rc)
		return rc;
	(*out)->function = lookup.function;
	(*out)->args = args;
	for (size_t i = 0; i < count; i++)
		(*out)->type.fields[i].name = like->fields[i].name;
	return 0;
}

int bind_array(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_value *parts;
	struct type element;
	int rc = bind_values(binder, scope, ast->args, ast->arg_count, &parts);

	if (!rc)
		rc = values_unify(binder, parts, ast->arg_count,
				  "the elements of an ARRAY", &element);
	if (!rc)
		rc = constructor_new(binder, "array", parts,
				     ast->arg_count, out);
	return rc;
}

bool value_has_parts(const struct bound_value *value, const struct type *type)
{
	if (!value->parts || value->expr->type.id != type->id)
		return false;
	return type->id != TYPE_ROW ||
	       type->field_count == value->part_count;
}

/* Type the call by its parts; the names of ROW fields are those of like. */
static int retype(struct binder *binder, struct bound_value *value,
		  const struct type *like)
{
	struct expr *call = value->expr, *copy;
	struct type type = call->type;
	int rc;

	type.fields = binder_alloc(binder, type.field_count + 1,
				   sizeof(*type.fields));
	if (!type.fields)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < type.field_count; i++) {
		type.fields[i].name = like->fields[i].name;
		type.fields[i].type = like->fields[i].type;
		type.fields[i].required = type.id == TYPE_MAP && i == 0;
		if (i >= value->part_count)
			continue;	/* ARRAY[]: as wished */
		type.fields[i].type = value->parts[i].expr->type;
		if (type.id == TYPE_MAP)	/* of the ARRAY's elements */
			type.fields[i].type =
				value->parts[i].expr->type.fields[0].type;
	}
	rc = expr_node(binder, EXPR_CALL, type, value->part_count,
		       &value->place, &copy);
	if (rc)
		return rc;
	copy->function = call->function;
	copy->line = call->line;
	copy->position = call->position;
	for (size_t i = 0; i < value->part_count; i++)
		copy->args[i] = value->parts[i].expr;
	value->expr = copy;
	return 0;
}

/* The type asked of part i: of ARRAY and MAP each has ARRAYs or elements. */
static int part_type(struct binder *binder, const struct type *type, size_t i,
		     struct type *out)
{
	if (type->id == TYPE_MAP) {
		if (type_array_of(binder->arena, &type->fields[i].type, out))
			return 0;
		return binder_no_memory(binder);
	}
	*out = type->fields[type->id == TYPE_ROW ? i : 0].type;
	return 0;
}

static const char *part_name(struct binder *binder, const struct type *type,
			     size_t i, const char *column)
{
	if (type->id != TYPE_ROW || !*type->fields[i].name)
		return column;
	return arena_printf(binder->arena, "%s.%s", column,
			    type->fields[i].name);
}

int value_push(struct binder *binder, struct bound_value *value,
	       const struct type *type, enum push_rule rule,
	       const char *column)
{
	int rc = 0;

	for (size_t i = 0; i < value->part_count && !rc; i++) {
		struct bound_value *part = &value->parts[i];
		const char *name = NULL;
		struct type wanted;

		rc = part_type(binder, type, i, &wanted);
		if (rc)
			return rc;
		if (rule == PUSH_ASSIGN) {
			name = part_name(binder, type, i, column);
			if (!name)
				return binder_no_memory(binder);
			rc = value_assign(binder, part, &wanted, name);
		} else if (rule == PUSH_CAST) {
			rc = value_cast(binder, part, &wanted, false);
		} else {
			rc = value_coerce(binder, part, &wanted, false);
		}
	}
	if (!rc)
		rc = retype(binder, value, type);
	if (rc || type_equal(&value->expr->type, type) ||
	    type_has_unknown(type))
		return rc;
	return value_cast_to(binder, value, EXPR_CAST, type,
			     rule == PUSH_ASSIGN ? column : NULL);
}

int value_settle_parts(struct binder *binder, struct bound_value *value)
{
	const struct type like = value->expr->type;
	int rc = 0;

	for (size_t i = 0; i < value->part_count && !rc; i++)
		rc = value_settle(binder, &value->parts[i]);
	return rc ? rc : retype(binder, value, &like);
}

static int no_field(struct binder *binder, const struct type *row,
		    const char *name, const struct sql_place *place)
{
	char text[TYPE_NAME_BYTES];
	struct name_guess guess;
	int rc = sql_error(binder->err, ERROR_UNKNOWN_COLUMN, place,
			   "%s has no field %s", type_name(row, text), name);

	name_guess_init(&guess, name);
	for (size_t i = 0; i < row->field_count; i++)
		if (*row->fields[i].name)
			name_guess_offer(&guess, row->fields[i].name);
	error_field(binder->err, name);
	name_guess_hint(&guess, binder->err, NULL);
	return rc;
}

static int not_a_row(struct binder *binder, const struct bound_value *value,
		     const char *name, const struct sql_place *place)
{
	const struct type *type = &value->expr->type;
	char text[TYPE_NAME_BYTES];

	if (type->id == TYPE_UNKNOWN) {
		sql_error(binder->err, ERROR_TYPE_MISMATCH, place,
			  "field %s of a value without a type", name);
		return error_hint(binder->err, "a column of a file has the "
				  "fields of the table's column of its name");
	}
	sql_error(binder->err, ERROR_TYPE_MISMATCH, place,
		  "%s is not a ROW, it has no field %s",
		  type_name(type, text), name);
	if (type->id == TYPE_MAP)
		error_hint(binder->err, "write map['%s']", name);
	return ERROR_TYPE_MISMATCH;
}

static int take_field(struct binder *binder, struct bound_value *value,
		      size_t field, const struct sql_place *place)
{
	value->expr = expr_field(binder->arena, value->expr, field);
	if (!value->expr)
		return binder_no_memory(binder);
	value->expr->line = place->line;
	value->expr->position = place->position;
	value->origins = NULL;
	value->parts = NULL;
	return 0;
}

int value_field(struct binder *binder, struct bound_value *value,
		const char *name, const struct sql_place *place)
{
	const struct type *type;
	size_t field;
	int rc = value_settle(binder, value);

	if (rc)
		return rc;
	type = &value->expr->type;
	if (type->id != TYPE_ROW)
		return not_a_row(binder, value, name, place);
	field = find_field(type, name);
	if (field == COLUMN_SEVERAL)
		return sql_error(binder->err, ERROR_AMBIGUOUS_COLUMN, place,
				 "several fields are called %s", name);
	if (field == COLUMN_NONE)
		return no_field(binder, type, name, place);
	return take_field(binder, value, field, place);
}

int bind_field(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out)
{
	int rc = bind_value(binder, scope, ast->args[0], out);

	return rc ? rc : value_field(binder, out, ast->text, &ast->place);
}

int bind_row_subscript(struct binder *binder, struct bound_value *args,
		       const struct sql_place *place, bool *is_field,
		       struct bound_value *out)
{
	const struct expr *index = args[1].expr;
	size_t count;
	int rc;

	*is_field = args[0].expr->type.id == TYPE_ROW;
	if (!*is_field)
		return 0;
	count = args[0].expr->type.field_count;
	if (index->kind != EXPR_LITERAL || index->type.id != TYPE_INTEGER ||
	    index->literal.is_null)
		return sql_error(binder->err, ERROR_TYPE_MISMATCH, place,
				 "the subscript of a ROW must be a number "
				 "written out");
	if (index->literal.value.int32 < 1 ||
	    (size_t)index->literal.value.int32 > count)
		return sql_error(binder->err, ERROR_UNKNOWN_COLUMN, place,
				 "a ROW of %zu fields has no field number %d",
				 count, (int)index->literal.value.int32);
	rc = value_settle(binder, &args[0]);
	if (rc)
		return rc;
	*out = args[0];
	return take_field(binder, out,
			  (size_t)index->literal.value.int32 - 1, place);
}

static bool is_row_constructor(const struct bound_value *value)
{
	return value->parts && value->expr->type.id == TYPE_ROW;
}

int bind_row_equality(struct binder *binder, const char *name,
		      const struct sql_place *place, struct bound_value *args,
		      struct bound_value *out)
{
	size_t count = args[0].part_count;
	struct expr *all, *negated;
	bool is_equal = !strcmp(name, "=");
	int rc;

	if ((!is_equal && strcmp(name, "<>")) ||
	    !is_row_constructor(&args[0]) || !is_row_constructor(&args[1]) ||
	    count != args[1].part_count)
		return 0;
	rc = expr_node(binder, EXPR_AND, type_of(TYPE_BOOLEAN), count, place,
		       &all);
	for (size_t i = 0; i < count && !rc; i++) {
		struct bound_value sides[2] = { args[0].parts[i],
						args[1].parts[i] };
		struct bound_value same;

		rc = bind_call(binder, "=", place, sides, 2, &same);
		if (!rc)
			all->args[i] = same.expr;
	}
	if (!rc && count == 1)
		all = all->args[0];
	out->expr = all;
	if (rc || is_equal)
		return rc;
	rc = expr_node(binder, EXPR_NOT, type_of(TYPE_BOOLEAN), 1, place,
		       &negated);
	if (rc)
		return rc;
	negated->args[0] = all;
	out->expr = negated;
	return 0;
}

int check_column_type(struct binder *binder, const char *column,
		      const struct type *type, const struct sql_place *place)
{
	int rc = 0;

	for (size_t i = 0; i < type->field_count && !rc; i++) {
		const struct column_def *field = &type->fields[i];

		if (field->type.id == TYPE_UNKNOWN)
			return sql_error(binder->err, ERROR_TYPE_MISMATCH,
					 place, "a part of column %s has no "
					 "type", column);
		if (type->id == TYPE_ROW && !*field->name) {
			sql_error(binder->err, ERROR_SYNTAX, place,
				  "a ROW field of column %s has no name",
				  column);
			return error_hint(binder->err, "the fields of a "
					  "column are ROW(name type, ...)");
		}
		for (size_t j = 0; j < i && type->id == TYPE_ROW; j++)
			if (text_equal_nocase(type->fields[j].name,
					      field->name))
				return sql_error(binder->err,
						 ERROR_COLUMN_EXISTS, place,
						 "column %s has two fields %s",
						 column, field->name);
		rc = check_column_type(binder, column, &field->type, place);
	}
	return rc;
}
