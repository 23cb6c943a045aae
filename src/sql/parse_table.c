/*
 * parse_table.c - CREATE TABLE, DROP TABLE, ALTER TABLE ... SET PROPERTIES
 */
#include "sql/parser.h"

static int parse_column_options(struct sql_parser *parser,
				struct ast_column *column)
{
	for (;;) {
		struct byte_view doc;
		int rc = 0;

		if (parser_accept(parser, "NOT NULL")) {
			column->required = true;
		} else if (parser_accept(parser, "NULL")) {
			continue;
		} else if (parser_accept(parser, "PRIMARY KEY")) {
			column->is_identifier = true;
		} else if (parser_is(parser, "DEFAULT") &&
			   !column->default_value) {
			parser->next++;
			rc = parse_operand(parser, &column->default_value);
		} else if (parser_accept(parser, "COMMENT")) {
			rc = parse_string(parser, &doc);
			column->doc = (const char *)doc.data;
		} else {
			return 0;
		}
		if (rc)
			return rc;
	}
}

static int parse_column(struct sql_parser *parser, struct ast_list *defs)
{
	struct ast_column *column = parser_new(parser, sizeof(*column));
	int rc;

	if (!column)
		return ERROR_NO_MEMORY;
	column->place = parser_place(parser, 0);
	if (defs->count >= SQL_COLUMN_LIMIT)
		return sql_error(parser->err, ERROR_UNSUPPORTED,
				 &column->place, "more than %d columns",
				 SQL_COLUMN_LIMIT);
	rc = parse_name(parser, "a column name", &column->name);
	if (!rc)
		rc = parse_type(parser, &column->type, &column->text_length);
	if (!rc)
		rc = parse_column_options(parser, column);
	if (rc)
		return rc;
	if (parser_is(parser, "REFERENCES") || parser_is(parser, "CHECK") ||
	    parser_is(parser, "UNIQUE") || parser_is(parser, "GENERATED") ||
	    parser_is(parser, "COLLATE"))
		return parser_unsupported(parser, 0, "this kind of column "
					  "constraint");
	return parser_add(parser, defs, column);
}

static int parse_primary_key(struct sql_parser *parser,
			     struct ast_statement *out)
{
	struct sql_place place = parser_place(parser, 0);

	parser->next += 2;
	if (out->primary_key)
		return sql_error(parser->err, ERROR_SYNTAX, &place,
				 "a table has one PRIMARY KEY");
	return parse_column_names(parser, &out->primary_key,
				  &out->primary_key_count);
}

int parse_columns(struct sql_parser *parser, struct ast_statement *out)
{
	struct ast_list defs = { NULL, 0, 0 };
	int rc = 0;

	do {
		const char *name;
		bool has_name = parser_accept(parser, "CONSTRAINT");

		if (has_name)
			rc = parse_name(parser, "a name", &name);
		if (!rc && parser_is_all(parser, "PRIMARY KEY"))
			rc = parse_primary_key(parser, out);
		else if (!rc && has_name)
			rc = parser_unsupported(parser, 0, "a constraint "
						"other than PRIMARY KEY");
		else if (!rc && (parser_is_all(parser, "FOREIGN KEY") ||
				 (parser_is(parser, "UNIQUE") &&
				  parser_peek(parser, 1).kind == '(') ||
				 (parser_is(parser, "CHECK") &&
				  parser_peek(parser, 1).kind == '(')))
			rc = parser_unsupported(parser, 0, "a constraint "
						"other than PRIMARY KEY");
		else if (!rc && parser_is(parser, "LIKE"))
			rc = parser_unsupported(parser, 0, "LIKE table");
		else if (!rc)
			rc = parse_column(parser, &defs);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	out->defs = (struct ast_column **)defs.items;
	out->def_count = defs.count;
	return 0;
}

/* A key of WITH (...) or SET PROPERTIES: quoted, or a dotted name. */
static int parse_property_key(struct sql_parser *parser, const char **out)
{
	struct ast_name name;
	struct byte_view text;
	int rc;

	*out = NULL;
	if (parser_is_kind(parser, TOKEN_STRING)) {
		rc = parse_string(parser, &text);
		*out = (const char *)text.data;
		return rc;
	}
	rc = parse_dotted_name(parser, "a property", &name);
	if (rc)
		return rc;
	*out = ast_name_text(&name, parser->arena);
	return *out ? 0 : parser_no_memory(parser);
}

static int parse_properties(struct sql_parser *parser, bool allows_default,
			    struct ast_statement *out)
{
	struct ast_list list = { NULL, 0, 0 };

	do {
		struct ast_property *property;
		int rc;

		property = parser_new(parser, sizeof(*property));
		if (!property)
			return ERROR_NO_MEMORY;
		property->place = parser_place(parser, 0);
		rc = parse_property_key(parser, &property->key);
		if (!rc)
			rc = parser_expect_kind(parser, '=', "=");
		if (!rc && parser_is(parser, "ARRAY"))
			rc = parser_unsupported(parser, 0, "ARRAY[...]");
		if (!rc && !(allows_default &&
			     parser_accept(parser, "DEFAULT")))
			rc = parse_constant(parser, &property->value);
		for (size_t i = 0; i < list.count && !rc; i++) {
			const struct ast_property *other = list.items[i];

			if (!strcmp(other->key, property->key))
				rc = sql_error(parser->err, ERROR_SYNTAX,
					       &property->place, "property "
					       "%s is set twice",
					       property->key);
		}
		if (!rc)
			rc = parser_add(parser, &list, property);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	out->properties = (struct ast_property **)list.items;
	out->property_count = list.count;
	return 0;
}

static int parse_create_options(struct sql_parser *parser,
				struct ast_statement *out)
{
	static const char *const unsupported[] = {
		"PARTITIONED BY", "WRITE ORDERED BY", "WRITE", "SORTED BY",
		"CLUSTERED BY", "LOCATION", "COMMENT", "TBLPROPERTIES",
		"USING",
	};
	int rc;

	for (size_t i = 0; i < ARRAY_COUNT(unsupported); i++)
		if (parser_is_all(parser, unsupported[i]))
			return parser_unsupported(parser, 0, unsupported[i]);
	if (!parser_accept(parser, "WITH"))
		return 0;
	rc = parser_expect_kind(parser, '(', "( after WITH");
	if (!rc)
		rc = parse_properties(parser, false, out);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ", or )");
	if (!rc && !parser_is(parser, "AS") && !parser_at_end(parser))
		return parse_create_options(parser, out);
	return rc;
}

/* (a, b) in front of AS SELECT gives names only. */
static bool at_name_list(const struct sql_parser *parser)
{
	return parser_is_kind(parser, '(') && parser_is_name(parser, 1) &&
	       (parser_peek(parser, 2).kind == ',' ||
		parser_peek(parser, 2).kind == ')');
}

int parse_create(struct sql_parser *parser, struct ast_statement *out)
{
	int rc = 0;

	out->kind = AST_STATEMENT_CREATE;
	parser->next++;
	out->or_replace = parser_accept(parser, "OR REPLACE");
	if (!parser_is(parser, "TABLE")) {
		if (parser_is(parser, "VIEW") ||
		    parser_is(parser, "MATERIALIZED") ||
		    parser_is(parser, "SCHEMA") ||
		    parser_is(parser, "TEMPORARY") ||
		    parser_is(parser, "FUNCTION") ||
		    parser_is(parser, "INDEX"))
			return parser_unsupported(parser, 0,
				"CREATE of anything but a TABLE");
		return parser_expected(parser, "TABLE");
	}
	parser->next++;
	out->if_not_exists = parser_accept(parser, "IF NOT EXISTS");
	if (out->or_replace && out->if_not_exists) {
		parser->next -= 3;
		return parser_expected(parser, "OR REPLACE or IF NOT EXISTS, "
				       "not both");
	}
	rc = parse_table_name(parser, out);
	if (!rc && at_name_list(parser)) {
		rc = parse_column_names(parser, &out->columns,
					&out->column_count);
	} else if (!rc && parser_accept_kind(parser, '(')) {
		rc = parse_columns(parser, out);
		if (!rc)
			rc = parser_expect_kind(parser, ')', ", or )");
	}
	if (!rc)
		rc = parse_create_options(parser, out);
	if (rc)
		return rc;
	if (!parser_is(parser, "AS"))
		return out->defs || out->primary_key ? 0 :
			parser_expected(parser, "( or AS");
	if (out->defs)
		return parser_unsupported(parser, 0, "AS after columns with "
					  "types");
	parser->next++;
	rc = parse_query(parser, &out->query);
	if (!rc && parser_is_all(parser, "WITH NO DATA"))
		return parser_unsupported(parser, 0, "WITH NO DATA");
	if (!rc)
		parser_accept(parser, "WITH DATA");
	return rc;
}

int parse_drop(struct sql_parser *parser, struct ast_statement *out)
{
	out->kind = AST_STATEMENT_DROP;
	parser->next++;
	if (parser_is(parser, "VIEW") || parser_is(parser, "SCHEMA"))
		return parser_unsupported(parser, 0,
					  "DROP of anything but a TABLE");
	if (!parser_accept(parser, "TABLE"))
		return parser_expected(parser, "TABLE");
	out->if_exists = parser_accept(parser, "IF EXISTS");
	return parse_table_name(parser, out);
}

int parse_alter(struct sql_parser *parser, struct ast_statement *out)
{
	static const char *const others[] = {
		"ADD", "DROP", "RENAME", "ALTER", "EXECUTE", "REPLACE",
		"WRITE", "SET", "UNSET", "CREATE", "CHANGE", "REPAIR",
	};
	int rc;

	out->kind = AST_STATEMENT_ALTER;
	parser->next++;
	rc = parser_expect(parser, "TABLE");
	if (!rc)
		rc = parse_table_name(parser, out);
	if (rc)
		return rc;
	if (parser_accept(parser, "SET PROPERTIES"))
		return parse_properties(parser, true, out);
	if (parser_accept(parser, "SET TBLPROPERTIES")) {
		rc = parser_expect_kind(parser, '(', "(");
		if (!rc)
			rc = parse_properties(parser, false, out);
		return rc ? rc : parser_expect_kind(parser, ')', ", or )");
	}
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (parser_is(parser, others[i]))
			return parser_unsupported(parser, 0, "this ALTER "
				"TABLE (only SET PROPERTIES is)");
	return parser_expected(parser, "SET PROPERTIES");
}
