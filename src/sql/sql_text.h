#ifndef SQL_SQL_TEXT_H
#define SQL_SQL_TEXT_H
#include "sql/sql.h"
#include "sql/lexer.h"

/* The tokens first .. end - 1 are one statement; no ';' among them. */
struct sql_range {
	size_t first;
	size_t end;
};

struct sql_script {
	char *name;
	char *text;
	size_t length;
	struct sql_token *tokens;
	size_t token_count;
	struct sql_range *statements;
	size_t statement_count;
	struct arena names;	/* handed out by sql_statement_parse */
};

/* The text of a statement without blanks and comments around it. */
const char *sql_range_text(const struct sql_script *script,
			   const struct sql_range *range, size_t *length);
#endif
