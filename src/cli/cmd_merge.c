/*
 * cmd_merge.c - rowmerge merge: run the statements of a spec
 */
#include "cli/names.h"
#include "cli/report.h"
#include "cli/rejects.h"
#include "cli/statement.h"

/* Every statement parses, and is one that changes rows. */
static int check_script(struct cli *cli, struct sql_script *script,
			struct error *err)
{
	size_t count = sql_script_statement_count(script);

	if (count == 0)
		return error_set(err, ERROR_SYNTAX, "the spec has no "
				 "statement");
	for (size_t i = 0; i < count; i++) {
		enum sql_kind kind;
		const char *table;
		int rc = sql_statement_parse(script, i, &kind, &table, err);

		if (rc)
			return rc;
		if (kind != SQL_MERGE) {
			error_set(err, ERROR_USAGE,
				  "statement %zu is not MERGE, UPDATE, DELETE "
				  "or INSERT", i + 1);
			return error_hint(err, "rowmerge sql runs any "
					  "statement");
		}
	}
	if (cli->changes && count != 1)
		return error_set(err, ERROR_USAGE, "--changes takes exactly "
				 "one statement, the spec has %zu", count);
	if (cli->dry_run && count != 1)
		return error_set(err, ERROR_USAGE, "--dry-run takes exactly "
				 "one statement, the spec has %zu", count);
	return 0;
}

int cmd_merge(struct cli *cli, struct error *err)
{
	struct sql_script *script;
	int rc = rejects_open(cli, err);

	if (!rc)
		rc = script_open(cli, &script, err);
	if (rc)
		return rc;
	rc = check_script(cli, script, err);
	for (size_t i = 0; !rc && i < sql_script_statement_count(script); i++)
		rc = statement_run(cli, script, i, err);
	if (rc) {
		report_error(cli, err, script);
		error_init(err);
	}
	sql_script_free(script);
	return rc;
}
