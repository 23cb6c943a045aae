/*
 * bind_alter.c - the changes of ALTER TABLE
 *
 * Nothing is looked up in the table: a change keeps its names, and whoever
 * applies it says what does not fit. Bound are types, default values and the
 * texts of properties.
 */
#include "sql/binder.h"

/* SET DEFAULT of a column whose type is not known here. */
static int bind_default_value(struct binder *binder,
			      const struct ast_change *ast,
			      struct table_change *out)
{
	struct bound_value value;
	struct literal *literal;
	int rc;

	if (ast->value->kind == AST_DEFAULT)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "DEFAULT needs a value");
	binder->keeps_calls = true;
	rc = bind_value(binder, NULL, ast->value, &value);
	if (!rc)
		rc = value_settle(binder, &value);
	if (!rc)
		rc = binder_fold(binder, &value.expr);
	binder->keeps_calls = false;
	if (rc)
		return rc;
	if (value.expr->kind != EXPR_LITERAL)
		return sql_error(binder->err, ERROR_UNSUPPORTED,
				 &ast->value->place, "the DEFAULT of column "
				 "%s is not a constant",
				 out->path.parts[out->path.count - 1]);
	if (value.expr->literal.is_null) {
		out->kind = TABLE_DROP_DEFAULT;
		return 0;
	}
	literal = binder_alloc(binder, 1, sizeof(*literal));
	if (!literal)
		return ERROR_NO_MEMORY;
	*literal = value.expr->literal;
	out->default_value = literal;
	return 0;
}

static int bind_set_property(struct binder *binder,
			     const struct ast_property *ast,
			     struct table_change *out)
{
	int rc = bind_property(binder, ast, &out->name, &out->text);

	if (rc || !is_format_version(ast->key))
		return rc;
	if (!out->text)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "format_version has no default to go back "
				 "to");
	out->kind = TABLE_UPGRADE;
	return bind_format_version(binder, ast, out->text,
				   &out->format_version);
}

static int bind_change(struct binder *binder, const struct ast_change *ast,
		       struct table_change *out)
{
	*out = ast->change;
	if (ast->property)
		return bind_set_property(binder, ast->property, out);
	if (ast->value)
		return bind_default_value(binder, ast, out);
	return ast->column ? bind_column_def(binder, ast->column, &out->column)
			   : 0;
}

int bind_changes(struct binder *binder, const struct ast_statement *ast,
		 struct sql_alter *out)
{
	struct table_change *changes;

	changes = binder_alloc(binder, ast->change_count + 1,
			       sizeof(*changes));
	if (!changes)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->change_count; i++) {
		int rc = bind_change(binder, ast->changes[i], &changes[i]);

		if (rc)
			return rc;
	}
	out->name = ast->table_text;
	out->if_exists = ast->if_exists;
	out->changes = changes;
	out->change_count = ast->change_count;
	return 0;
}

int bind_alter(struct binder *binder, const struct ast_statement *ast)
{
	struct sql_alter *alter = binder_alloc(binder, 1, sizeof(*alter));
	int rc;

	if (!alter)
		return ERROR_NO_MEMORY;
	rc = bind_changes(binder, ast, alter);
	if (!rc)
		binder->statement->alter = alter;
	return rc;
}
