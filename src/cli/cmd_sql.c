/*
 * cmd_sql.c - rowmerge sql: run any statements, one after the other
 */
#include "cli/rejects.h"
#include "cli/report.h"
#include "cli/rejects.h"
#include "cli/statement.h"

int cmd_sql(struct cli *cli, struct error *err)
{
	struct sql_script *script;
	size_t count;
	int rc = rejects_open(cli, err);

	cli->input.format = INPUT_CSV;	/* --format is of the output */
	if (!rc)
		rc = script_open(cli, &script, err);
	if (rc)
		return rc;
	count = sql_script_statement_count(script);
	if (cli->dry_run && count != 1)
		rc = error_set(err, ERROR_USAGE, "--dry-run takes exactly one "
			       "statement, the spec has %zu", count);
	for (size_t i = 0; !rc && i < count; i++) {
		enum sql_kind kind;
		const char *table;

		rc = sql_statement_parse(script, i, &kind, &table, err);
	}
	for (size_t i = 0; !rc && i < count; i++)
		rc = statement_run(cli, script, i, err);
	if (rc) {
		report_error(cli, err, script);
		error_init(err);
	}
	sql_script_free(script);
	return rc;
}
