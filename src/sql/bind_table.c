/*
 * bind_table.c - CREATE TABLE
 *
 * A DEFAULT is stored as a value, so it must be a constant. PRIMARY KEY makes
 * its columns NOT NULL.
 */
#include "sql/binder.h"

static int bind_default(struct binder *binder, const struct ast_column *ast,
			struct column_def *def)
{
	static const struct expr_context no_context;
	const struct expr_context *context =
		binder->options ? &binder->options->context : &no_context;
	struct literal *literal;
	struct expr *expr;
	int rc;

	if (ast->default_value->kind == AST_DEFAULT)
		return sql_error(binder->err, ERROR_SYNTAX,
				 &ast->default_value->place,
				 "DEFAULT needs a value");
	binder->keeps_calls = true;
	rc = bind_assigned(binder, NULL, ast->default_value, def, &expr);
	binder->keeps_calls = false;
	if (rc)
		return rc;
	literal = binder_alloc(binder, 1, sizeof(*literal));
	if (!literal)
		return ERROR_NO_MEMORY;
	if (expr->kind != EXPR_LITERAL) {
		/* a failure of its own, or a value that changes */
		rc = expr_evaluate(expr, context, binder->arena, literal,
				   binder->err);
		if (rc) {
			error_at(binder->err, binder->file,
				 ast->default_value->place.line,
				 ast->default_value->place.position);
			return rc;
		}
		return sql_error(binder->err, ERROR_UNSUPPORTED,
				 &ast->default_value->place, "the DEFAULT of "
				 "column %s is not a constant", ast->name);
	}
	if (expr->literal.is_null)
		return 0;
	if (type_is_nested(&def->type))
		return sql_error(binder->err, ERROR_UNSUPPORTED,
				 &ast->default_value->place, "column %s: a "
				 "ROW, ARRAY or MAP has no DEFAULT but NULL",
				 ast->name);
	*literal = expr->literal;
	def->write_default = literal;
	return 0;
}

int bind_column_def(struct binder *binder, const struct ast_column *ast,
		    struct column_def *def)
{
	int rc;

	def->name = (char *)(uintptr_t)ast->name;
	def->type = ast->type;
	def->required = ast->required || ast->is_identifier;
	def->is_identifier = ast->is_identifier;
	def->doc = (char *)(uintptr_t)ast->doc;
	rc = check_column_type(binder, ast->name, &ast->type, &ast->place);
	if (rc)
		return rc;
	if (ast->text_length) {
		rc = binder_warn(binder, "column %s: VARCHAR(%u) is kept as "
				 "VARCHAR, the length is not checked",
				 ast->name, ast->text_length);
		if (rc)
			return rc;
	}
	return ast->default_value ? bind_default(binder, ast, def) : 0;
}

static int bind_column(struct binder *binder, const struct ast_column *ast,
		       struct schema *out)
{
	struct column_def *def = &out->columns[out->column_count];

	if (find_column(out, ast->name) != COLUMN_NONE)
		return sql_error(binder->err, ERROR_COLUMN_EXISTS, &ast->place,
				 "column %s is there twice", ast->name);
	out->column_count++;
	return bind_column_def(binder, ast, def);
}

static int check_identifier(struct binder *binder,
			    const struct column_def *def,
			    const struct sql_place *place)
{
	char name[TYPE_NAME_BYTES];

	if (def->type.id != TYPE_REAL && def->type.id != TYPE_DOUBLE &&
	    !type_is_nested(&def->type))
		return 0;
	return sql_error(binder->err, ERROR_UNSUPPORTED, place,
			 "column %s of type %s cannot be part of the PRIMARY "
			 "KEY", def->name, type_name(&def->type, name));
}

static int bind_primary_key(struct binder *binder,
			    const struct ast_statement *ast,
			    struct schema *out)
{
	for (size_t i = 0; i < out->column_count; i++) {
		if (!out->columns[i].is_identifier)
			continue;
		if (ast->primary_key_count)
			return sql_error(binder->err, ERROR_SYNTAX,
					 &ast->primary_key[0]->place,
					 "a table has one PRIMARY KEY");
	}
	for (size_t i = 0; i < ast->primary_key_count; i++) {
		const struct ast_column_name *key = ast->primary_key[i];
		size_t column = find_column(out, key->name);

		if (column == COLUMN_NONE || column == COLUMN_SEVERAL)
			return sql_error(binder->err, ERROR_UNKNOWN_COLUMN,
					 &key->place, "the PRIMARY KEY names "
					 "column %s, which is not there",
					 key->name);
		if (out->columns[column].is_identifier)
			return sql_error(binder->err, ERROR_COLUMN_EXISTS,
					 &key->place, "column %s is twice in "
					 "the PRIMARY KEY", key->name);
		out->columns[column].is_identifier = true;
		out->columns[column].required = true;
	}
	return 0;
}

int bind_columns(struct binder *binder, const struct ast_statement *ast,
		 struct schema *out)
{
	int rc = 0;

	out->columns = binder_alloc(binder, ast->def_count + 1,
				    sizeof(*out->columns));
	if (!out->columns)
		return ERROR_NO_MEMORY;
	out->capacity = ast->def_count;
	for (size_t i = 0; i < ast->def_count && !rc; i++)
		rc = bind_column(binder, ast->defs[i], out);
	if (!rc)
		rc = bind_primary_key(binder, ast, out);
	for (size_t i = 0; i < ast->def_count && !rc; i++)
		if (out->columns[i].is_identifier)
			rc = check_identifier(binder, &out->columns[i],
					      &ast->defs[i]->place);
	return rc;
}

/* The columns of CREATE TABLE ... AS. */
static int bind_query_columns(struct binder *binder,
			      const struct ast_statement *ast,
			      const struct bound_query *query,
			      struct sql_create *create)
{
	const struct schema *schema = query->node->schema;
	struct schema *out = &create->schema;

	out->columns = binder_alloc(binder, schema->column_count + 1,
				    sizeof(*out->columns));
	if (!out->columns)
		return ERROR_NO_MEMORY;
	out->capacity = schema->column_count;
	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *column = &schema->columns[i];

		if (column->type.id == TYPE_UNKNOWN && !query->origins[i]) {
			sql_error(binder->err, ERROR_TYPE_MISMATCH,
				  &ast->query->place, "column %s of the query "
				  "has no type", column->name);
			return error_hint(binder->err, "write CAST(NULL AS "
					  "type)");
		}
		if (find_column(out, column->name) != COLUMN_NONE)
			return sql_error(binder->err, ERROR_COLUMN_EXISTS,
					 &ast->query->place, "the query has "
					 "two columns %s", column->name);
		if (check_column_type(binder, column->name, &column->type,
				      &ast->query->place)) {
			if (!*binder->err->hint)
				error_hint(binder->err, "CAST it to a type");
			return binder->err->code;
		}
		out->columns[i].name = column->name;
		out->columns[i].type = column->type;
		out->column_count++;
	}
	return 0;
}

static int bind_create_query(struct binder *binder,
			     const struct ast_statement *ast,
			     struct sql_create *create)
{
	struct bound_query query;
	const char **names;
	int rc = bind_query(binder, ast->query, &query);

	names = binder_alloc(binder, ast->column_count + 1, sizeof(*names));
	if (!names)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->column_count; i++)
		names[i] = ast->columns[i]->name;
	if (!rc && ast->column_count)
		rc = query_rename(binder, names, ast->column_count,
				  &ast->columns[0]->place, &query);
	if (rc)
		return rc;
	create->query = query.node;
	return bind_query_columns(binder, ast, &query, create);
}

int bind_property(struct binder *binder, const struct ast_property *ast,
		  const char **key, const char **value)
{
	*key = ast->key;
	*value = NULL;
	if (!*ast->key)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "a property needs a name");
	return ast->value ? bind_constant_text(binder, ast->value, value) : 0;
}

bool is_format_version(const char *key)
{
	return text_equal_nocase(key, "format_version") ||
	       text_equal_nocase(key, "format-version");
}

int bind_format_version(struct binder *binder, const struct ast_property *ast,
			const char *value, int *out)
{
	if (strcmp(value, "2") && strcmp(value, "3"))
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "format_version is 2 or 3, not %s", value);
	*out = value[0] - '0';
	return 0;
}

static int check_property(struct binder *binder,
			  const struct ast_property *ast)
{
	if (!text_equal_nocase(ast->key, "location"))
		return 0;
	return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
			 "WITH (location = ...) is not supported");
}

static int bind_create_properties(struct binder *binder,
				  const struct ast_statement *ast,
				  struct sql_create *create)
{
	size_t count = ast->property_count;

	create->property_keys = binder_alloc(binder, count + 1,
					     sizeof(*create->property_keys));
	create->property_values = binder_alloc(binder, count + 1,
		sizeof(*create->property_values));
	if (!create->property_keys || !create->property_values)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct ast_property *property = ast->properties[i];
		size_t at = create->property_count;
		int rc = check_property(binder, property);

		if (!rc)
			rc = bind_property(binder, property,
					   &create->property_keys[at],
					   &create->property_values[at]);
		if (!rc && is_format_version(property->key))
			rc = bind_format_version(binder, property,
				create->property_values[at],
				&create->format_version);
		else
			create->property_count++;
		if (rc)
			return rc;
	}
	return 0;
}

int bind_create(struct binder *binder, const struct ast_statement *ast)
{
	struct sql_create *create = binder_alloc(binder, 1, sizeof(*create));
	int rc;

	if (!create)
		return ERROR_NO_MEMORY;
	create->name = ast->table_text;
	create->or_replace = ast->or_replace;
	create->if_not_exists = ast->if_not_exists;
	create->partition_terms = ast->layout.partition_terms;
	create->partition_count = ast->layout.partition_count;
	create->sort_terms = ast->layout.sort_terms;
	create->sort_count = ast->layout.sort_count;
	rc = ast->query ? bind_create_query(binder, ast, create)
			: bind_columns(binder, ast, &create->schema);
	if (!rc)
		rc = bind_create_properties(binder, ast, create);
	if (rc)
		return rc;
	binder->statement->create = create;
	binder->statement->query = create->query;
	return 0;
}
