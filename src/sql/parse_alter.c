/*
 * parse_alter.c - ALTER TABLE and COMMENT ON
 *
 * How:    a statement is a list of changes with commas between them, in the
 *         spellings of Trino and of Spark. Some changes are lists themselves
 *         (ADD COLUMN a INTEGER, b DATE); a comma ends such a list when the
 *         word behind it starts a change, so a column called add or set needs
 *         quotes there.
 */
#include "sql/parser.h"

bool parser_at_action(const struct sql_parser *parser, size_t ahead)
{
	static const char *const words[] = {
		"ADD", "ALTER", "DROP", "RENAME", "REPLACE", "RESET", "SET",
		"UNSET", "WRITE",
	};
	uint16_t next = parser_peek(parser, ahead + 1).kind;

	/* write.mode = 1 is a property */
	if (next != TOKEN_WORD && next != TOKEN_QUOTED_NAME && next != '(')
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (parser_is_at(parser, ahead, words[i]))
			return true;
	return false;
}

/* A comma with one more item of the same list behind it. */
static bool accept_next_item(struct sql_parser *parser)
{
	if (!parser_is_kind(parser, ',') || parser_at_action(parser, 1))
		return false;
	parser->next++;
	return true;
}

static int change_new(struct sql_parser *parser, struct ast_list *list,
		      enum table_change_kind kind, struct ast_change **out)
{
	struct ast_change *change = parser_new(parser, sizeof(*change));

	*out = NULL;
	if (!change)
		return ERROR_NO_MEMORY;
	change->place = parser_place(parser, 0);
	if (list->count >= SQL_COLUMN_LIMIT)
		return sql_error(parser->err, ERROR_UNSUPPORTED,
				 &change->place, "more than %d changes",
				 SQL_COLUMN_LIMIT);
	change->change.kind = kind;
	change->change.line = change->place.line;
	change->change.position = change->place.position;
	*out = change;
	return parser_add(parser, list, change);
}

/* A change of one column, whose path comes next. */
static int column_change(struct sql_parser *parser, struct ast_list *list,
			 enum table_change_kind kind, bool if_exists,
			 struct ast_change **out)
{
	int rc = change_new(parser, list, kind, out);

	if (rc)
		return rc;
	(*out)->change.if_exists = if_exists ||
				   parser_accept(parser, "IF EXISTS");
	(*out)->place = parser_place(parser, 0);
	(*out)->change.line = (*out)->place.line;
	(*out)->change.position = (*out)->place.position;
	return parse_column_path(parser, &(*out)->change.path);
}

/* a.b, c, ... in parentheses or not; *count 0 when none is there. */
static int parse_paths(struct sql_parser *parser, struct ast_change *change)
{
	bool has_paren = parser_accept_kind(parser, '(');
	struct column_path *paths = NULL;
	size_t count = 0, capacity = 0;

	do {
		int rc;

		if (count == capacity) {
			struct column_path *grown;

			capacity = capacity ? capacity * 2 : 8;
			grown = parser_new(parser, capacity * sizeof(*grown));
			if (!grown)
				return ERROR_NO_MEMORY;
			for (size_t i = 0; i < count; i++)
				grown[i] = paths[i];
			paths = grown;
		}
		rc = parse_column_path(parser, &paths[count]);
		if (rc)
			return rc;
		count++;
	} while (has_paren ? parser_accept_kind(parser, ',')
			   : accept_next_item(parser));
	change->change.paths = paths;
	change->change.path_count = count;
	return has_paren ? parser_expect_kind(parser, ')', ", or )") : 0;
}

/* FIRST | AFTER name; nothing else is taken. */
static int parse_position(struct sql_parser *parser,
			  struct table_change *change)
{
	if (parser_accept(parser, "FIRST")) {
		change->place = POSITION_FIRST;
		return 0;
	}
	if (!parser_accept(parser, "AFTER"))
		return 0;
	change->place = POSITION_AFTER;
	return parse_name(parser, "a column name", &change->after);
}

static int parse_add_column(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_column *column = parser_new(parser, sizeof(*column));
	bool if_not_exists = parser_accept(parser, "IF NOT EXISTS");
	struct ast_change *change;
	int rc;

	if (!column)
		return ERROR_NO_MEMORY;
	rc = column_change(parser, list, TABLE_ADD_COLUMN, false, &change);
	if (rc)
		return rc;
	column->place = change->place;
	column->name = change->change.path.parts[--change->change.path.count];
	change->change.if_not_exists = if_not_exists;
	change->column = column;
	rc = parse_type(parser, &column->type, &column->text_length);
	if (!rc)
		rc = parse_column_options(parser, column);
	if (!rc)
		rc = parse_position(parser, &change->change);
	if (!rc)
		rc = parse_column_options(parser, column);
	if (!rc && column->is_identifier) {
		sql_error(parser->err, ERROR_UNSUPPORTED, &column->place,
			  "a column cannot join the PRIMARY KEY as it is "
			  "added");
		return error_hint(parser->err, "add it, then SET IDENTIFIER "
				  "FIELDS");
	}
	return rc;
}

/* ADD [COLUMN[S]] ..., with COLUMN or COLUMNS taken already. */
static int parse_add_columns(struct sql_parser *parser, struct ast_list *list)
{
	bool if_not_exists = parser_is_all(parser, "IF NOT EXISTS");
	bool has_paren = !if_not_exists && parser_accept_kind(parser, '(');
	int rc;

	do {
		rc = parse_add_column(parser, list);
	} while (!rc && (has_paren ? parser_accept_kind(parser, ',')
				   : accept_next_item(parser)));
	if (rc || !has_paren)
		return rc;
	return parser_expect_kind(parser, ')', ", or )");
}

static int parse_add(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_change *change;
	int rc;

	if (parser_accept(parser, "PARTITION FIELD")) {
		rc = change_new(parser, list, TABLE_ADD_PARTITION_FIELD,
				&change);
		if (rc)
			return rc;
		change->change.if_not_exists =
			parser_accept(parser, "IF NOT EXISTS");
		return parse_partition_term(parser, &change->change.term);
	}
	if (parser_accept(parser, "PRIMARY KEY")) {
		rc = change_new(parser, list, TABLE_SET_IDENTIFIER, &change);
		return rc ? rc : parse_paths(parser, change);
	}
	if (parser_is(parser, "PARTITION") &&
	    parser_peek(parser, 1).kind == '(') {
		parser_unsupported(parser, 0, "ADD PARTITION");
		return error_hint(parser->err, "a row's partition follows from "
				  "its values: ADD PARTITION FIELD");
	}
	if (parser_is(parser, "CONSTRAINT"))
		return parser_unsupported(parser, 0, "ADD CONSTRAINT");
	if (!parser_accept(parser, "COLUMN"))
		parser_accept(parser, "COLUMNS");
	return parse_add_columns(parser, list);
}

static int parse_drop_columns(struct sql_parser *parser,
			      struct ast_list *list)
{
	bool if_exists = parser_accept(parser, "IF EXISTS");
	bool has_paren = parser_accept_kind(parser, '(');
	struct ast_change *change;
	int rc;

	do {
		rc = column_change(parser, list, TABLE_DROP_COLUMN, if_exists,
				   &change);
	} while (!rc && (has_paren ? parser_accept_kind(parser, ',')
				   : accept_next_item(parser)));
	if (rc || !has_paren)
		return rc;
	return parser_expect_kind(parser, ')', ", or )");
}

static int parse_drop_action(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_change *change;
	int rc;

	if (parser_accept(parser, "PARTITION FIELD")) {
		rc = change_new(parser, list, TABLE_DROP_PARTITION_FIELD,
				&change);
		if (rc)
			return rc;
		change->change.if_exists = parser_accept(parser, "IF EXISTS");
		return parse_partition_field(parser, &change->change.term);
	}
	if (parser_accept(parser, "PRIMARY KEY"))
		return change_new(parser, list, TABLE_SET_IDENTIFIER,
				  &change);
	if (parser_accept(parser, "IDENTIFIER FIELDS")) {
		rc = change_new(parser, list, TABLE_DROP_IDENTIFIER, &change);
		return rc ? rc : parse_paths(parser, change);
	}
	if (parser_is(parser, "PARTITION") &&
	    parser_peek(parser, 1).kind == '(') {
		parser_unsupported(parser, 0, "DROP PARTITION");
		return error_hint(parser->err, "delete its rows: DELETE FROM "
				  "... WHERE");
	}
	if (parser_is(parser, "CONSTRAINT"))
		return parser_unsupported(parser, 0, "DROP CONSTRAINT");
	if (!parser_accept(parser, "COLUMN"))
		parser_accept(parser, "COLUMNS");
	return parse_drop_columns(parser, list);
}

static int parse_rename(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_change *change;
	int rc;

	if (parser_is(parser, "TO")) {
		parser_unsupported(parser, 0, "renaming a table");
		return error_hint(parser->err, "a table is its directory: "
				  "CREATE TABLE ... AS SELECT makes another");
	}
	parser_accept(parser, "COLUMN");
	rc = column_change(parser, list, TABLE_RENAME_COLUMN, false, &change);
	if (!rc)
		rc = parser_expect(parser, "TO");
	if (!rc)
		rc = parse_name(parser, "the new name", &change->change.name);
	if (!rc && parser_is_kind(parser, '.')) {
		rc = parser_expected(parser, "one name");
		error_hint(parser->err, "a field stays where it is: RENAME "
			   "COLUMN a.b TO c");
	}
	return rc;
}

static int parse_column_type(struct sql_parser *parser,
			     struct ast_change *change)
{
	struct ast_column *column = parser_new(parser, sizeof(*column));

	if (!column)
		return ERROR_NO_MEMORY;
	change->change.kind = TABLE_SET_TYPE;
	column->name = change->change.path.parts[change->change.path.count -
						 1];
	column->place = parser_place(parser, 0);
	change->column = column;
	return parse_type(parser, &column->type, &column->text_length);
}

/* What ALTER COLUMN c is followed by. */
static int parse_column_change(struct sql_parser *parser,
			       struct ast_change *change)
{
	struct table_change *out = &change->change;
	struct byte_view text;
	int rc;

	if (parser_accept(parser, "SET DATA TYPE") ||
	    parser_accept(parser, "TYPE"))
		return parse_column_type(parser, change);
	if (parser_accept(parser, "SET NOT NULL")) {
		out->kind = TABLE_SET_NOT_NULL;
		return 0;
	}
	if (parser_accept(parser, "DROP NOT NULL")) {
		out->kind = TABLE_DROP_NOT_NULL;
		return 0;
	}
	if (parser_accept(parser, "SET DEFAULT")) {
		out->kind = TABLE_SET_DEFAULT;
		return parse_operand(parser, &change->value);
	}
	if (parser_accept(parser, "DROP DEFAULT")) {
		out->kind = TABLE_DROP_DEFAULT;
		return 0;
	}
	if (parser_accept(parser, "COMMENT")) {
		out->kind = TABLE_SET_COMMENT;
		if (parser_accept(parser, "NULL"))
			return 0;
		rc = parse_string(parser, &text);
		out->name = (const char *)text.data;
		return rc;
	}
	if (!parser_is(parser, "FIRST") && !parser_is(parser, "AFTER"))
		return parser_expected(parser, "TYPE, SET, DROP, FIRST, AFTER "
				       "or COMMENT");
	out->kind = TABLE_MOVE_COLUMN;
	return parse_position(parser, out);
}

static int parse_alter_column(struct sql_parser *parser,
			      struct ast_list *list)
{
	struct ast_change *change;
	int rc;

	parser_accept(parser, "COLUMN");
	rc = column_change(parser, list, TABLE_SET_TYPE, false, &change);
	return rc ? rc : parse_column_change(parser, change);
}

static int add_layout(struct sql_parser *parser, struct ast_list *list,
		      const struct ast_layout *layout)
{
	struct ast_change *change;
	int rc;

	if (layout->has_partitioning) {
		rc = change_new(parser, list, TABLE_SET_PARTITIONING,
				&change);
		if (rc)
			return rc;
		change->change.terms = layout->partition_terms;
		change->change.term_count = layout->partition_count;
	}
	if (layout->has_sort) {
		rc = change_new(parser, list, TABLE_SET_SORT_ORDER, &change);
		if (rc)
			return rc;
		change->change.sort_terms = layout->sort_terms;
		change->change.sort_term_count = layout->sort_count;
	}
	return 0;
}

static int parse_set_properties(struct sql_parser *parser,
				bool allows_default, struct ast_list *list)
{
	struct ast_list properties = { NULL, 0, 0 };
	struct ast_layout layout = { 0 };
	struct ast_change *change;
	int rc = parse_properties(parser, allows_default, &properties,
				  &layout);

	for (size_t i = 0; i < properties.count && !rc; i++) {
		struct ast_property *property = properties.items[i];

		rc = change_new(parser, list, TABLE_SET_PROPERTY, &change);
		if (rc)
			break;
		change->property = property;
		change->place = property->place;
		change->change.line = property->place.line;
		change->change.position = property->place.position;
	}
	return rc ? rc : add_layout(parser, list, &layout);
}

static int parse_set(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_layout layout = { 0 };
	struct ast_change *change;
	int rc;

	if (parser_accept(parser, "PROPERTIES"))
		return parse_set_properties(parser, true, list);
	if (parser_accept(parser, "TBLPROPERTIES")) {
		rc = parser_expect_kind(parser, '(', "(");
		if (!rc)
			rc = parse_set_properties(parser, false, list);
		return rc ? rc : parser_expect_kind(parser, ')', ", or )");
	}
	if (parser_accept(parser, "IDENTIFIER FIELDS")) {
		rc = change_new(parser, list, TABLE_SET_IDENTIFIER, &change);
		return rc ? rc : parse_paths(parser, change);
	}
	if (parser_accept(parser, "PARTITIONED BY")) {
		rc = parse_partitioned_by(parser, &layout);
		return rc ? rc : add_layout(parser, list, &layout);
	}
	if (parser_is(parser, "LOCATION") ||
	    parser_is(parser, "AUTHORIZATION") || parser_is(parser, "SERDE") ||
	    parser_is(parser, "SERDEPROPERTIES"))
		return parser_unsupported(parser, 0, "this SET");
	return parser_expected(parser, "PROPERTIES, TBLPROPERTIES, IDENTIFIER "
			       "FIELDS or PARTITIONED BY");
}

static int parse_unset(struct sql_parser *parser, struct ast_list *list)
{
	bool has_paren;
	int rc = 0;

	if (!parser_accept(parser, "PROPERTIES"))
		rc = parser_expect(parser, "TBLPROPERTIES");
	parser_accept(parser, "IF EXISTS");
	has_paren = !rc && parser_accept_kind(parser, '(');
	while (!rc) {
		struct ast_change *change;

		rc = change_new(parser, list, TABLE_SET_PROPERTY, &change);
		if (!rc)
			rc = parse_property_key(parser, &change->change.name);
		if (rc || !(has_paren ? parser_accept_kind(parser, ',')
				      : accept_next_item(parser)))
			break;
	}
	if (rc || !has_paren)
		return rc;
	return parser_expect_kind(parser, ')', ", or )");
}

static int parse_replace(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_change *change;
	int rc;

	if (parser_is(parser, "COLUMNS"))
		return parser_unsupported(parser, 0, "REPLACE COLUMNS");
	rc = parser_expect(parser, "PARTITION FIELD");
	if (!rc)
		rc = change_new(parser, list, TABLE_REPLACE_PARTITION_FIELD,
				&change);
	if (!rc)
		rc = parse_partition_field(parser, &change->change.term);
	if (!rc)
		rc = parser_expect(parser, "WITH");
	if (!rc)
		rc = parse_partition_term(parser, &change->change.new_term);
	return rc;
}

static int other_action(struct sql_parser *parser)
{
	static const char *const others[] = {
		"EXECUTE", "CREATE", "CHANGE", "MODIFY", "REPAIR", "RECOVER",
		"CLUSTER", "OWNER", "ENABLE", "DISABLE", "SWAP",
	};

	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		if (!parser_is(parser, others[i]))
			continue;
		parser_unsupported(parser, 0, "this ALTER TABLE");
		return error_hint(parser->err, "rowmerge-sql(5) lists the "
				  "changes of a table");
	}
	return parser_expected(parser, "ADD, DROP, RENAME, ALTER, REPLACE, "
			       "SET, UNSET or WRITE");
}

static int parse_action(struct sql_parser *parser, struct ast_list *list)
{
	struct ast_layout layout = { .has_partitioning = false };
	int rc;

	if (parser_accept(parser, "ADD"))
		return parse_add(parser, list);
	if (parser_accept(parser, "DROP"))
		return parse_drop_action(parser, list);
	if (parser_accept(parser, "RENAME"))
		return parse_rename(parser, list);
	if (parser_accept(parser, "ALTER"))
		return parse_alter_column(parser, list);
	if (parser_accept(parser, "REPLACE"))
		return parse_replace(parser, list);
	if (parser_accept(parser, "SET"))
		return parse_set(parser, list);
	if (parser_accept(parser, "UNSET"))
		return parse_unset(parser, list);
	if (parser_accept(parser, "RESET PARTITIONED BY"))
		layout.has_partitioning = true;
	else if (!parser_is(parser, "WRITE"))
		return other_action(parser);
	rc = layout.has_partitioning ? 0 : parse_write_order(parser, &layout);
	return rc ? rc : add_layout(parser, list, &layout);
}

int parse_changes(struct sql_parser *parser, struct ast_statement *out)
{
	struct ast_list list = { NULL, 0, 0 };
	int rc;

	do {
		rc = parse_action(parser, &list);
	} while (!rc && parser_accept_kind(parser, ','));
	out->changes = (struct ast_change **)list.items;
	out->change_count = list.count;
	return rc;
}

int parse_alter(struct sql_parser *parser, struct ast_statement *out)
{
	int rc;

	out->kind = AST_STATEMENT_ALTER;
	parser->next++;
	if (parser_is(parser, "VIEW") || parser_is(parser, "SCHEMA") ||
	    parser_is(parser, "MATERIALIZED") || parser_is(parser, "DATABASE"))
		return parser_unsupported(parser, 0,
					  "ALTER of anything but a TABLE");
	rc = parser_expect(parser, "TABLE");
	if (rc)
		return rc;
	out->if_exists = parser_accept(parser, "IF EXISTS");
	rc = parse_table_name(parser, out);
	return rc ? rc : parse_changes(parser, out);
}

/* The last part of the name is a column; the table has the others. */
static int split_column(struct sql_parser *parser, struct ast_statement *out,
			struct table_change *change)
{
	if (out->table.count < 2)
		return sql_error(parser->err, ERROR_SYNTAX, &out->table.place,
				 "COMMENT ON COLUMN names table and column: "
				 "t.c");
	change->path.parts = out->table.parts + --out->table.count;
	change->path.count = 1;
	out->table_text = ast_name_text(&out->table, parser->arena);
	return out->table_text ? 0 : parser_no_memory(parser);
}

int parse_comment(struct sql_parser *parser, struct ast_statement *out)
{
	struct ast_list list = { NULL, 0, 0 };
	struct ast_change *change = NULL;
	struct byte_view text = { NULL, 0 };
	bool is_column;
	int rc;

	out->kind = AST_STATEMENT_ALTER;
	parser->next++;
	rc = parser_expect(parser, "ON");
	if (rc)
		return rc;
	is_column = parser_accept(parser, "COLUMN");
	if (!is_column)
		rc = parser_expect(parser, "TABLE");
	if (!rc)
		rc = change_new(parser, &list, is_column ? TABLE_SET_COMMENT
							 : TABLE_SET_PROPERTY,
				&change);
	if (!rc)
		rc = parse_table_name(parser, out);
	if (!rc && is_column)
		rc = split_column(parser, out, &change->change);
	if (!rc)
		rc = parser_expect(parser, "IS");
	if (!rc && !parser_accept(parser, "NULL"))
		rc = parse_string(parser, &text);
	if (rc)
		return rc;
	change->change.name = is_column ? (const char *)text.data : "comment";
	change->change.text = is_column ? NULL : (const char *)text.data;
	out->changes = (struct ast_change **)list.items;
	out->change_count = list.count;
	return 0;
}
