/*
 * parse_statement.c - the first word of a statement decides
 */
#include "sql/parser.h"

int parse_table_name(struct sql_parser *parser, struct ast_statement *out)
{
	int rc;

	if (parser_is_kind(parser, TOKEN_STRING))
		return parser_unsupported(parser, 0, "a file as the table "
					  "that is written");
	rc = parse_dotted_name(parser, "a table name", &out->table);
	if (rc)
		return rc;
	out->table_text = ast_name_text(&out->table, parser->arena);
	return out->table_text ? 0 : parser_no_memory(parser);
}

int parse_target_name(struct sql_parser *parser, struct ast_statement *out)
{
	struct byte_view text;
	int rc;

	if (!parser_is_kind(parser, TOKEN_STRING))
		return parse_table_name(parser, out);
	out->table.place = parser_place(parser, 0);
	rc = parse_string(parser, &text);
	if (rc)
		return rc;
	out->is_path = true;
	out->table_text = (const char *)text.data;
	out->table.parts = parser_new(parser, sizeof(*out->table.parts));
	if (!out->table.parts)
		return ERROR_NO_MEMORY;
	out->table.parts[0] = out->table_text;
	out->table.count = 1;
	return 0;
}

static int check_other_statement(const struct sql_parser *parser)
{
	static const char *const others[] = {
		"EXPLAIN", "SHOW", "DESCRIBE", "DESC", "TRUNCATE", "ANALYZE",
		"CALL", "GRANT", "REVOKE", "DENY", "USE", "BEGIN", "START",
		"COMMIT", "ROLLBACK", "COPY", "REPLACE", "UPSERT", "EXECUTE",
		"PREPARE", "DEALLOCATE", "RESET", "SET", "REFRESH",
		"VACUUM", "OPTIMIZE", "PRAGMA", "ATTACH",
	};

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (parser_is(parser, others[i]))
			return parser_unsupported(parser, 0, others[i]);
	return parser_expected(parser, "a statement (MERGE, UPDATE, DELETE, "
			       "INSERT, SELECT, CREATE TABLE, ...)");
}

static int parse_plain_query(struct sql_parser *parser,
			     struct ast_statement *out)
{
	out->kind = AST_STATEMENT_QUERY;
	return parse_query(parser, &out->query);
}

static int parse_by_first_word(struct sql_parser *parser,
			       struct ast_statement *out)
{
	if (parser_is(parser, "MERGE"))
		return parse_merge(parser, out);
	if (parser_is(parser, "UPDATE"))
		return parse_update(parser, out);
	if (parser_is(parser, "DELETE"))
		return parse_delete(parser, out);
	if (parser_is(parser, "INSERT"))
		return parse_insert(parser, out);
	if (parser_at_query(parser, 0) || parser_is_kind(parser, '('))
		return parse_plain_query(parser, out);
	if (out->cte_count)
		return parser_expected(parser, "MERGE, UPDATE, DELETE, INSERT "
				       "or SELECT after WITH");
	if (parser_is(parser, "CREATE"))
		return parse_create(parser, out);
	if (parser_is(parser, "DROP"))
		return parse_drop(parser, out);
	if (parser_is(parser, "ALTER"))
		return parse_alter(parser, out);
	if (parser_is(parser, "COMMENT"))
		return parse_comment(parser, out);
	return check_other_statement(parser);
}

/* WITH belongs to the query unless a statement that writes follows. */
static int parse_leading_with(struct sql_parser *parser,
			      struct ast_statement *out)
{
	size_t start = parser->next;
	int rc = parse_with(parser, &out->ctes, &out->cte_count);

	if (rc)
		return rc;
	if (!parser_at_query(parser, 0) && !parser_is_kind(parser, '('))
		return parse_by_first_word(parser, out);
	parser->next = start;
	out->ctes = NULL;
	out->cte_count = 0;
	return parse_plain_query(parser, out);
}

int parse_statement(struct sql_parser *parser, struct ast_statement **out)
{
	struct ast_statement *statement;
	int rc;

	*out = NULL;
	statement = parser_new(parser, sizeof(*statement));
	if (!statement)
		return ERROR_NO_MEMORY;
	statement->place = parser_place(parser, 0);
	if (parser_is(parser, "WITH"))
		rc = parse_leading_with(parser, statement);
	else
		rc = parse_by_first_word(parser, statement);
	if (!rc && !parser_at_end(parser))
		rc = parser_expected(parser, "the end of the statement");
	if (!rc)
		*out = statement;
	return rc;
}
