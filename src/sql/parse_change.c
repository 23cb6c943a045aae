/*
 * parse_change.c - UPDATE, DELETE and INSERT
 */
#include "sql/parser.h"

static int check_returning(const struct sql_parser *parser)
{
	if (parser_is(parser, "RETURNING"))
		return parser_unsupported(parser, 0, "RETURNING");
	return 0;
}

int parse_update(struct sql_parser *parser, struct ast_statement *out)
{
	int rc;

	out->kind = AST_STATEMENT_UPDATE;
	parser->next++;
	rc = parse_target_name(parser, out);
	if (!rc)
		rc = parse_alias(parser, &out->alias);
	if (!rc)
		rc = parser_expect(parser, "SET");
	if (!rc)
		rc = parse_assignments(parser, &out->assignments,
				       &out->assignment_count);
	if (!rc && parser_is(parser, "FROM")) {
		parser_unsupported(parser, 0, "UPDATE ... FROM");
		return error_hint(parser->err, "write MERGE INTO ... USING");
	}
	if (!rc && parser_accept(parser, "WHERE"))
		rc = parse_expr(parser, &out->where);
	return rc ? rc : check_returning(parser);
}

int parse_delete(struct sql_parser *parser, struct ast_statement *out)
{
	int rc;

	out->kind = AST_STATEMENT_DELETE;
	parser->next++;
	rc = parser_expect(parser, "FROM");
	if (!rc)
		rc = parse_target_name(parser, out);
	if (!rc)
		rc = parse_alias(parser, &out->alias);
	if (!rc && parser_is(parser, "USING")) {
		parser_unsupported(parser, 0, "DELETE ... USING");
		return error_hint(parser->err, "write MERGE INTO ... USING");
	}
	if (!rc && parser_accept(parser, "WHERE"))
		rc = parse_expr(parser, &out->where);
	return rc ? rc : check_returning(parser);
}

/* A list of columns, and not a query in parentheses? */
static bool at_column_list(const struct sql_parser *parser)
{
	size_t ahead = 0;

	while (parser_peek(parser, ahead).kind == '(')
		ahead++;
	return ahead == 1 && !parser_at_query(parser, ahead);
}

int parse_insert(struct sql_parser *parser, struct ast_statement *out)
{
	int rc;

	out->kind = AST_STATEMENT_INSERT;
	parser->next++;
	if (parser_is(parser, "OVERWRITE"))
		return parser_unsupported(parser, 0, "INSERT OVERWRITE");
	out->evolves = parser_accept(parser, "WITH SCHEMA EVOLUTION");
	rc = parser_expect(parser, "INTO");
	if (!rc)
		rc = parse_target_name(parser, out);
	if (!rc && at_column_list(parser))
		rc = parse_column_names(parser, &out->columns,
					&out->column_count);
	if (!rc && parser_is_all(parser, "DEFAULT VALUES"))
		rc = parser_unsupported(parser, 0, "DEFAULT VALUES");
	if (!rc)
		rc = parse_query(parser, &out->query);
	if (!rc && parser_is_all(parser, "ON CONFLICT")) {
		parser_unsupported(parser, 0, "ON CONFLICT");
		return error_hint(parser->err, "write MERGE INTO ... USING");
	}
	return rc ? rc : check_returning(parser);
}
