/*
 * bind_set.c - SET column = value, SET column.field = value
 *
 * Why:    a field of a ROW is set without writing out the others.
 * How:    the assignments of a clause make a tree: columns, their fields and
 *         so on. A column of which fields are set becomes a ROW of the new
 *         values and of the old ones taken from the column; where the old ROW
 *         is NULL, they are NULL. A last cast checks what is NOT NULL inside.
 */
#include "sql/binder.h"

/* What is set of a column or a field: all of it, or some of its fields. */
struct set_node {
	struct expr *value;
	struct set_node *fields;	/* one per field of its ROW */
	struct sql_place place;		/* where it is first set */
};

static int assigned_twice(struct binder *binder, const char *name,
			  const char *other, const struct sql_place *place)
{
	int rc = sql_error(binder->err, ERROR_DUPLICATE_ASSIGNMENT, place,
			   "column %s gets two values", name);

	error_field(binder->err, name);
	if (other)
		error_hint(binder->err, "it is set as a whole and by %s",
			   other);
	return rc;
}

/* Where the name of the column stands in the parts of what is set. */
static int find_assigned(struct binder *binder, const struct name_scope *scope,
			 const struct schema *schema,
			 const struct ast_name *name, size_t *part)
{
	bool is_known = false;

	*part = name->count - 1;
	for (size_t q = name->count; q-- > 0;) {
		if (q && !scope_source_matches(&scope->sources[0],
					       name->parts, q))
			continue;
		if (q && !is_known) {
			is_known = true;
			*part = q;
		}
		if (find_column(schema, name->parts[q]) == COLUMN_NONE)
			continue;
		*part = q;
		is_known = true;
		break;
	}
	if (name->count > 1 && !is_known)
		return sql_error(binder->err, ERROR_UNKNOWN_COLUMN,
				 &name->place, "SET changes the target, and "
				 "%s is not its name",
				 name->parts[name->count - 2]);
	return 0;
}

/* SET c = c, SET r.a = r.a: is the bare name the target's or the source's? */
static bool is_lone_name(const struct name_scope *scope,
			 const struct ast_expr *value,
			 const char *const *parts, size_t count)
{
	bool is_found = false;

	if (value->kind != AST_NAME || value->name.count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!text_equal_nocase(value->name.parts[i], parts[i]))
			return false;
	for (size_t i = 0; i < scope->source_count; i++) {
		const struct scope_source *source = &scope->sources[i];

		if (count > 1 && scope_source_matches(source, parts, 1))
			return false;
		if (i && !source->hidden &&
		    find_column(source->schema, parts[0]) != COLUMN_NONE)
			is_found = true;
	}
	return is_found;
}

static int lone_name(struct binder *binder, const char *name,
		     const struct sql_place *place)
{
	sql_error(binder->err, ERROR_AMBIGUOUS_COLUMN, place,
		  "column %s is ambiguous: both the target and the source "
		  "have it", name);
	error_hint(binder->err, "put the alias in front of the right one");
	return ERROR_AMBIGUOUS_COLUMN;
}

/* Walk to the field that is set; *def is its definition, named by its path. */
static int find_node(struct binder *binder, const struct ast_name *name,
		     size_t part, struct set_node **node,
		     struct column_def *def)
{
	for (size_t i = part + 1; i < name->count; i++) {
		struct bound_value old = { 0 };
		size_t field;
		char *path;
		int rc;

		if ((*node)->value)
			return assigned_twice(binder, def->name,
					      ast_name_text(name,
							    binder->arena),
					      &name->place);
		/* value_field() knows what to say */
		old.place = name->place;
		old.expr = null_expr(binder, &def->type);
		if (!old.expr)
			return binder_no_memory(binder);
		rc = value_field(binder, &old, name->parts[i], &name->place);
		if (rc)
			return rc;
		field = old.expr->field;
		if (!(*node)->fields)
			(*node)->fields = binder_alloc(binder,
						       def->type.field_count,
						       sizeof(**node));
		if (!(*node)->fields)
			return ERROR_NO_MEMORY;
		*node = &(*node)->fields[field];
		path = arena_printf(binder->arena, "%s.%s", def->name,
				    def->type.fields[field].name);
		if (!path)
			return binder_no_memory(binder);
		*def = def->type.fields[field];
		def->name = path;
	}
	return 0;
}

static int bind_assignment(struct binder *binder, struct name_scope *scope,
			   const struct merge_plan *plan,
			   const struct ast_assignment *ast,
			   struct set_node *columns)
{
	const struct ast_name *name = &ast->name;
	struct set_node *node;
	struct column_def def;
	size_t part, column;
	int rc = find_assigned(binder, scope, plan_schema(plan), name, &part);

	if (!rc)
		rc = find_target_column(binder, plan, name->parts[part],
					&name->place, &column);
	if (rc)
		return rc;
	def = plan_schema(plan)->columns[column];
	node = &columns[column];
	if (!node->fields)
		node->place = name->place;
	scope->assigned = def.name;
	rc = find_node(binder, name, part, &node, &def);
	if (!rc && (node->value || node->fields))
		rc = assigned_twice(binder, def.name, node->value ? NULL :
				    "its fields", &name->place);
	if (!rc && is_lone_name(scope, ast->value, name->parts + part,
				name->count - part))
		rc = lone_name(binder, def.name, &ast->value->place);
	if (!rc)
		rc = bind_assigned(binder, scope, ast->value, &def,
				   &node->value);
	scope->assigned = NULL;
	return rc;
}

/* ROW(field, ...) of the new and the old fields; old is of the type. */
static int row_of(struct binder *binder, const struct set_node *node,
		  struct expr *old, const struct sql_place *place,
		  struct expr **out)
{
	const struct type *type = &old->type;
	struct expr **args = binder_alloc(binder, type->field_count,
					  sizeof(*args));
	int rc = args ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < type->field_count && !rc; i++) {
		const struct set_node *field = &node->fields[i];

		args[i] = field->value;
		if (!args[i])
			args[i] = expr_field(binder->arena, old, i);
		if (!args[i])
			return binder_no_memory(binder);
		if (field->fields)
			rc = row_of(binder, field, args[i], place, &args[i]);
	}
	return rc ? rc : bind_row_of(binder, args, type, place, out);
}

/* The new value of a column of which some fields are set. */
static int bind_fields(struct binder *binder, const struct merge_plan *plan,
		       size_t column, const struct set_node *node,
		       struct merge_clause *out)
{
	const struct column_def *def = &plan_schema(plan)->columns[column];
	struct expr *old = expr_column(binder->arena, column, def->type);
	struct bound_value value = { 0 };
	int rc;

	if (!old)
		return binder_no_memory(binder);
	value.place = node->place;
	rc = row_of(binder, node, old, &node->place, &value.expr);
	if (!rc && !type_equal(&value.expr->type, &def->type))
		rc = value_cast_to(binder, &value, EXPR_CAST, &def->type,
				   def->name);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	out->values[column] = value.expr;
	return rc;
}

int bind_assignments(struct binder *binder, struct name_scope *scope,
		     const struct merge_plan *plan,
		     struct ast_assignment *const *asts, size_t count,
		     struct merge_clause *out)
{
	struct set_node *columns = binder_alloc(binder,
		plan->target_column_count + 1, sizeof(*columns));
	int rc = columns ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < count && !rc; i++)
		rc = bind_assignment(binder, scope, plan, asts[i], columns);
	for (size_t c = 0; c < plan->target_column_count && !rc; c++) {
		if (columns[c].fields)
			rc = bind_fields(binder, plan, c, &columns[c], out);
		else
			out->values[c] = columns[c].value;
	}
	return rc;
}
