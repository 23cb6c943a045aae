/*
 * bind_names.c - ROWs whose fields are paired by name
 *
 * Why:    a star pairs columns by name; what is nested in them must not be
 *         paired by place, or a batch that has the fields in another order
 *         fills the wrong ones.
 * How:    where the order differs, the value is taken apart and put together
 *         anew: CASE WHEN v IS NULL THEN NULL ELSE ROW(v.a, v.b, ...) END.
 * Limits: inside arrays and maps the order must be the same; such a value is
 *         refused, and so is a field without a partner.
 */
#include "sql/binder.h"

/* Are the fields at every depth in the same order already? Fields without
 * names are paired by place. */
static bool line_up(const struct type *from, const struct type *to)
{
	if (from->id != to->id || !type_is_nested(from))
		return true;	/* or an assignment says what is wrong */
	if (from->field_count != to->field_count)
		return from->id != TYPE_ROW;
	for (size_t i = 0; i < from->field_count; i++) {
		const struct column_def *a = &from->fields[i];
		const struct column_def *b = &to->fields[i];

		if ((from->id == TYPE_ROW && *a->name && *b->name &&
		     !text_equal_nocase(a->name, b->name)) ||
		    !line_up(&a->type, &b->type))
			return false;
	}
	return true;
}

/* NULL where from is NULL, else row. */
static int null_or_row(struct binder *binder, struct expr *from,
		       struct expr *row, const struct sql_place *place,
		       struct expr **out)
{
	struct expr *is_null, *nothing = null_expr(binder, &row->type);
	int rc;

	if (!nothing)
		return binder_no_memory(binder);
	rc = expr_node(binder, EXPR_IS_NULL, type_of(TYPE_BOOLEAN), 1, place,
		       &is_null);
	if (!rc)
		rc = expr_node(binder, EXPR_CASE, row->type, 3, place, out);
	if (rc)
		return rc;
	is_null->args[0] = from;
	(*out)->args[0] = is_null;
	(*out)->args[1] = nothing;
	(*out)->args[2] = row;
	return 0;
}

static int refuse(struct binder *binder, const struct type *from,
		  const struct type *to, const struct sql_place *place)
{
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	sql_error(binder->err, ERROR_TYPE_MISMATCH, place, "the fields of %s "
		  "cannot be paired by name with those of the table's %s",
		  type_name(from, a), type_name(to, b));
	return error_hint(binder->err, to->id == TYPE_ROW ?
			  "assign the column by itself, as ROW(...)" :
			  "put the fields into the order of the table");
}

static int align(struct binder *binder, struct expr *from,
		 const struct type *to, struct expr *old,
		 const struct sql_place *place, struct expr **out);

/* Field i of the type: from's of its name, else the old one, else NULL. */
static int align_field(struct binder *binder, struct expr *from,
		       const struct type *to, size_t i, struct expr *old,
		       const struct sql_place *place, struct expr **out)
{
	const struct column_def *field = &to->fields[i];
	size_t at = find_field(&from->type, field->name);
	struct expr *kept = NULL;

	*out = NULL;
	if (at == COLUMN_SEVERAL)
		return sql_error(binder->err, ERROR_AMBIGUOUS_COLUMN, place,
				 "several fields are called %s", field->name);
	if (old) {
		kept = expr_field(binder->arena, old, i);
		if (!kept)
			return binder_no_memory(binder);
	}
	if (at == COLUMN_NONE) {
		*out = kept ? kept : null_expr(binder, &field->type);
		return *out ? 0 : binder_no_memory(binder);
	}
	from = expr_field(binder->arena, from, at);
	if (!from)
		return binder_no_memory(binder);
	return align(binder, from, &field->type, kept, place, out);
}

static int align(struct binder *binder, struct expr *from,
		 const struct type *to, struct expr *old,
		 const struct sql_place *place, struct expr **out)
{
	struct expr **args, *row;
	int rc = 0;

	*out = from;
	if (line_up(&from->type, to))
		return 0;
	if (to->id != TYPE_ROW)
		return refuse(binder, &from->type, to, place);
	args = binder_alloc(binder, to->field_count + 1, sizeof(*args));
	if (!args)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < to->field_count && !rc; i++)
		rc = align_field(binder, from, to, i, old, place, &args[i]);
	if (!rc)
		rc = bind_row_of(binder, args, to, place, &row);
	return rc ? rc : null_or_row(binder, from, row, place, out);
}

/* May the fields be paired: does each of from have a partner? */
static bool has_partners(const struct type *from, const struct type *to)
{
	for (size_t i = 0; i < from->field_count; i++) {
		size_t at = find_field(to, from->fields[i].name);

		if (at == COLUMN_NONE || !*from->fields[i].name)
			return false;
	}
	return true;
}

int value_by_name(struct binder *binder, struct bound_value *value,
		  const struct type *type, struct expr *old)
{
	const struct type *from = &value->expr->type;

	if (value->parts || value->parameter || from->id != type->id ||
	    line_up(from, type))
		return 0;
	/* without evolution fields must be the same ones */
	if (from->id == TYPE_ROW && (!has_partners(from, type) ||
	    (!binder->evolves && from->field_count != type->field_count)))
		return refuse(binder, from, type, &value->place);
	return align(binder, value->expr, type, old, &value->place,
		     &value->expr);
}
