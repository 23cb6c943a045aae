/*
 * parse_merge.c - MERGE INTO ... USING ... ON ... WHEN ...
 *
 * Which action may follow which WHEN is a matter of grammar, so a wrong pair
 * is a syntax error with the place of the action.
 */
#include "sql/parser.h"

int parse_assignments(struct sql_parser *parser,
		      struct ast_assignment ***out, size_t *count_out)
{
	struct ast_list list = { NULL, 0, 0 };

	*out = NULL;
	*count_out = 0;
	if (parser_is_kind(parser, '('))
		return parser_unsupported(parser, 0, "SET (a, b) = ...");
	do {
		struct ast_assignment *assignment;
		int rc;

		assignment = parser_new(parser, sizeof(*assignment));
		if (!assignment)
			return ERROR_NO_MEMORY;
		rc = parse_dotted_name(parser, "a column to set",
				       &assignment->name);
		if (!rc && parser_is_kind(parser, '[')) {
			parser_unsupported(parser, 0, "SET of an element");
			rc = error_hint(parser->err, "set the whole ARRAY or "
					"MAP");
		}
		if (!rc)
			rc = parser_expect_kind(parser, '=', "=");
		if (!rc)
			rc = parse_value_or_default(parser,
						    &assignment->value);
		if (!rc)
			rc = parser_add(parser, &list, assignment);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	*out = (struct ast_assignment **)list.items;
	*count_out = list.count;
	return 0;
}

static int wrong_action(struct sql_parser *parser, const char *action,
			const char *when, const char *hint)
{
	struct sql_place place = parser_place(parser, 0);

	sql_error(parser->err, ERROR_SYNTAX, &place,
		  "%s cannot follow %s", action, when);
	return error_hint(parser->err, "%s", hint);
}

static int parse_insert_action(struct sql_parser *parser,
			       struct ast_when *when)
{
	int rc = 0;

	parser->next++;
	when->operation = OPERATION_INSERT;
	if (parser_accept_kind(parser, '*')) {
		when->is_star = true;
		return 0;
	}
	if (parser_is_kind(parser, '('))
		rc = parse_column_names(parser, &when->columns,
					&when->column_count);
	if (rc)
		return rc;
	if (parser_is(parser, "SELECT") || parser_is(parser, "TABLE")) {
		rc = parser_expected(parser, "VALUES");
		error_hint(parser->err, "the INSERT of a MERGE takes VALUES "
			   "(...), the query belongs into USING");
		return rc;
	}
	rc = parser_expect(parser, "VALUES");
	if (rc)
		return rc;
	if (!parser_is_kind(parser, '('))
		return parser_expected(parser, "( after VALUES");
	rc = parse_row(parser, true, &when->row);
	if (!rc && parser_is_kind(parser, ',')) {
		rc = parser_expected(parser, "WHEN or the end");
		error_hint(parser->err, "one WHEN NOT MATCHED clause inserts "
			   "one row");
	}
	return rc;
}

static int parse_update_action(struct sql_parser *parser,
			       struct ast_when *when)
{
	int rc;

	parser->next++;
	when->operation = OPERATION_UPDATE;
	rc = parser_expect(parser, "SET");
	if (rc)
		return rc;
	if (parser_is_kind(parser, '*') &&
	    when->match == WHEN_NOT_MATCHED_BY_SOURCE)
		return wrong_action(parser, "UPDATE SET *",
				    "WHEN NOT MATCHED BY SOURCE",
				    "there is no source row to take from");
	if (parser_accept_kind(parser, '*')) {
		when->is_star = true;
		return 0;
	}
	return parse_assignments(parser, &when->assignments,
				 &when->assignment_count);
}

static int parse_action(struct sql_parser *parser, struct ast_when *when)
{
	bool has_target = when->match != WHEN_NOT_MATCHED;

	when->action_place = parser_place(parser, 0);
	if (parser_accept(parser, "DO NOTHING")) {
		when->operation = OPERATION_NONE;
		return 0;
	}
	if (parser_is(parser, "INSERT")) {
		if (has_target)
			return wrong_action(parser, "INSERT",
				when->match == WHEN_MATCHED ? "WHEN MATCHED" :
				"WHEN NOT MATCHED BY SOURCE",
				"INSERT belongs to WHEN NOT MATCHED [BY "
				"TARGET]");
		return parse_insert_action(parser, when);
	}
	if (parser_is(parser, "UPDATE")) {
		if (!has_target)
			return wrong_action(parser, "UPDATE",
				"WHEN NOT MATCHED",
				"there is no row to update: UPDATE belongs to "
				"WHEN MATCHED or NOT MATCHED BY SOURCE");
		return parse_update_action(parser, when);
	}
	if (parser_is(parser, "DELETE")) {
		if (!has_target)
			return wrong_action(parser, "DELETE",
				"WHEN NOT MATCHED",
				"there is no row to delete: DELETE belongs to "
				"WHEN MATCHED or NOT MATCHED BY SOURCE");
		parser->next++;
		when->operation = OPERATION_DELETE;
		return 0;
	}
	return parser_expected(parser, has_target ?
			       "UPDATE, DELETE or DO NOTHING" :
			       "INSERT or DO NOTHING");
}

static int parse_when(struct sql_parser *parser, struct ast_list *whens)
{
	struct ast_when *when = parser_new(parser, sizeof(*when));
	int rc = 0;

	if (!when)
		return ERROR_NO_MEMORY;
	when->place = parser_place(parser, 0);
	parser->next++;
	if (parser_accept(parser, "NOT MATCHED BY SOURCE"))
		when->match = WHEN_NOT_MATCHED_BY_SOURCE;
	else if (parser_accept(parser, "NOT MATCHED BY TARGET") ||
		 parser_accept(parser, "NOT MATCHED"))
		when->match = WHEN_NOT_MATCHED;
	else if (parser_accept(parser, "MATCHED"))
		when->match = WHEN_MATCHED;
	else
		return parser_expected(parser, "MATCHED or NOT MATCHED");
	if (parser_is(parser, "BY"))
		return parser_expected(parser, when->match == WHEN_MATCHED ?
				       "AND or THEN" :
				       "NOT MATCHED BY SOURCE or BY TARGET");
	if (parser_accept(parser, "AND"))
		rc = parse_expr(parser, &when->condition);
	if (!rc)
		rc = parser_expect(parser, "THEN");
	if (!rc)
		rc = parse_action(parser, when);
	if (!rc && !parser_at_end(parser) && !parser_is(parser, "WHEN")) {
		rc = parser_expected(parser, "WHEN or the end");
		if (parser_is(parser, "WHERE"))
			error_hint(parser->err, "actions have no WHERE: write "
				   "WHEN MATCHED AND condition THEN");
	}
	return rc ? rc : parser_add(parser, whens, when);
}

int parse_merge(struct sql_parser *parser, struct ast_statement *out)
{
	struct ast_list whens = { NULL, 0, 0 };
	int rc;

	out->kind = AST_STATEMENT_MERGE;
	parser->next++;
	out->evolves = parser_accept(parser, "WITH SCHEMA EVOLUTION");
	rc = parser_expect(parser, "INTO");
	if (!rc)
		rc = parse_target_name(parser, out);
	if (!rc && parser_is_all(parser, "WITH SCHEMA EVOLUTION")) {
		rc = parser_expected(parser, "USING");
		return error_hint(parser->err, "write MERGE WITH SCHEMA "
				  "EVOLUTION INTO");
	}
	if (!rc)
		rc = parse_alias(parser, &out->alias);
	if (!rc)
		rc = parser_expect(parser, "USING");
	if (!rc)
		rc = parse_relation(parser, &out->source);
	if (!rc)
		rc = parser_expect(parser, "ON");
	if (!rc)
		rc = parse_expr(parser, &out->on);
	if (!rc && !parser_is(parser, "WHEN"))
		rc = parser_expected(parser, "WHEN MATCHED or WHEN NOT "
				     "MATCHED");
	while (!rc && parser_is(parser, "WHEN"))
		rc = parse_when(parser, &whens);
	out->whens = (struct ast_when **)whens.items;
	out->when_count = whens.count;
	return rc;
}
