/*
 * parse_table.c - CREATE TABLE, DROP TABLE, properties
 */
#include "sql/parser.h"

int parse_column_options(struct sql_parser *parser, struct ast_column *column)
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

int parse_property_key(struct sql_parser *parser, const char **out)
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

/* partitioning and sorted_by, as Trino has them. */
static bool is_layout_key(const char *key, bool *is_sort)
{
	*is_sort = text_equal_nocase(key, "sorted_by");
	return *is_sort || text_equal_nocase(key, "partitioning");
}

static int parse_property(struct sql_parser *parser, bool allows_default,
			  struct ast_list *list, struct ast_layout *layout)
{
	struct ast_property *property = parser_new(parser, sizeof(*property));
	bool is_sort;
	int rc;

	if (!property)
		return ERROR_NO_MEMORY;
	property->place = parser_place(parser, 0);
	rc = parse_property_key(parser, &property->key);
	if (!rc)
		rc = parser_expect_kind(parser, '=', "=");
	if (rc)
		return rc;
	if (is_layout_key(property->key, &is_sort))
		return parse_layout_array(parser, is_sort, layout);
	if (parser_is(parser, "ARRAY"))
		return parser_unsupported(parser, 0, "ARRAY[...]");
	if (!(allows_default && parser_accept(parser, "DEFAULT")))
		rc = parse_constant(parser, &property->value);
	for (size_t i = 0; i < list->count && !rc; i++) {
		const struct ast_property *other = list->items[i];

		if (!strcmp(other->key, property->key))
			rc = sql_error(parser->err, ERROR_SYNTAX,
				       &property->place, "property %s is set "
				       "twice", property->key);
	}
	return rc ? rc : parser_add(parser, list, property);
}

int parse_properties(struct sql_parser *parser, bool allows_default,
		     struct ast_list *list, struct ast_layout *layout)
{
	int rc;

	for (;;) {
		rc = parse_property(parser, allows_default, list, layout);
		if (rc || !parser_is_kind(parser, ',') ||
		    (allows_default && parser_at_action(parser, 1)))
			return rc;
		parser->next++;
	}
}

static int parse_property_list(struct sql_parser *parser,
			       struct ast_list *list,
			       struct ast_layout *layout)
{
	int rc = parser_expect_kind(parser, '(', "( and properties");

	if (!rc)
		rc = parse_properties(parser, false, list, layout);
	return rc ? rc : parser_expect_kind(parser, ')', ", or )");
}

/* COMMENT 'text' of the table is a property. */
static int parse_table_comment(struct sql_parser *parser,
			       struct ast_list *list)
{
	struct ast_property *property = parser_new(parser, sizeof(*property));
	int rc;

	if (!property)
		return ERROR_NO_MEMORY;
	property->place = parser_place(parser, 0);
	property->key = "comment";
	parser->next++;
	rc = parse_constant(parser, &property->value);
	return rc ? rc : parser_add(parser, list, property);
}

/* What may stand between the columns and AS, in any order. */
static int parse_create_options(struct sql_parser *parser,
				struct ast_statement *out)
{
	static const char *const unsupported[] = {
		"SORTED BY", "CLUSTERED BY", "CLUSTER BY", "LOCATION",
		"STORED", "ROW FORMAT", "OPTIONS", "EXTERNAL",
	};
	struct ast_list properties = { NULL, 0, 0 };
	int rc = 0;

	while (!rc) {
		if (parser_accept(parser, "PARTITIONED BY"))
			rc = parse_partitioned_by(parser, &out->layout);
		else if (parser_is(parser, "WRITE"))
			rc = parse_write_order(parser, &out->layout);
		else if (parser_accept(parser, "WITH") ||
			 parser_accept(parser, "TBLPROPERTIES"))
			rc = parse_property_list(parser, &properties,
						 &out->layout);
		else if (parser_is(parser, "COMMENT"))
			rc = parse_table_comment(parser, &properties);
		else if (!parser_accept(parser, "USING ICEBERG"))
			break;
	}
	if (!rc && parser_is(parser, "USING"))
		rc = parser_unsupported(parser, 1, "another format than "
					"iceberg");
	for (size_t i = 0; i < ARRAY_COUNT(unsupported) && !rc; i++)
		if (parser_is_all(parser, unsupported[i]))
			rc = parser_unsupported(parser, 0, unsupported[i]);
	out->properties = (struct ast_property **)properties.items;
	out->property_count = properties.count;
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
