/*
 * cmd_explain.c - rowmerge explain: what a statement would do
 *
 * How:    without --rows the plan in words, and what the scan of the target
 *         leaves out: for that the source is read, the target's rows are not.
 *         With it the statement runs up to its commit and both pages are
 *         printed as JSON Lines.
 */
#include "cli/names.h"
#include "cli/report.h"
#include "cli/statement.h"

static int explain_rows(struct cli *cli, const struct sql_statement *statement,
			struct error *err)
{
	struct query_options query;
	struct text out = TEXT_INIT;
	struct merge_options options;
	struct merge_result result;
	int rc;

	statement_merge_setup(cli, statement->merge, &query, &options);
	query.thread_count = 1;		/* pages in order */
	options.dry_run = true;
	options.explain_rows = cli->explain_row_limit;
	options.explain_out = &out;
	rc = merge_run(statement->merge, &options, &result, err);
	if (!rc) {
		rc = print_text(out.data ? out.data : "", out.length, err);
		merge_result_release(&result);
	}
	text_release(&out);
	return rc;
}

static int explain_plan(struct cli *cli, const struct sql_statement *statement,
			struct error *err)
{
	struct query_options query;
	struct text out = TEXT_INIT;
	struct merge_options options;
	struct merge_result result;
	int rc;

	statement_merge_setup(cli, statement->merge, &query, &options);
	options.scan_out = &out;
	options.is_verbose = cli->verbose;
	rc = merge_explain(statement->merge, &options, &out, err);
	if (!rc) {
		rc = merge_run(statement->merge, &options, &result, err);
		if (!rc)
			merge_result_release(&result);
	}
	if (!rc && out.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "explain");
	if (!rc)
		rc = print_text(out.data ? out.data : "", out.length, err);
	text_release(&out);
	return rc;
}

static int explain_one(struct cli *cli, struct sql_script *script, size_t i,
		       struct error *err)
{
	struct sql_statement *statement = NULL;
	struct sql_options options;
	struct names *names;
	int rc = names_new(&names, cli, err);

	if (!rc)
		rc = statement_options(cli, names, &options, err);
	if (!rc)
		rc = sql_statement_bind(script, i, &options, &statement, err);
	if (!rc && statement->kind != SQL_MERGE)
		rc = error_set(err, ERROR_UNSUPPORTED,
			       "only MERGE, UPDATE, DELETE and INSERT are "
			       "explained");
	if (!rc)
		rc = cli->explain_rows ? explain_rows(cli, statement, err)
				       : explain_plan(cli, statement, err);
	sql_statement_free(statement);
	names_free(names);
	return rc;
}

int cmd_explain(struct cli *cli, struct error *err)
{
	struct sql_script *script;
	int rc = script_open(cli, &script, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sql_script_statement_count(script); i++)
		rc = explain_one(cli, script, i, err);
	if (rc) {
		report_error(cli, err, script);
		error_init(err);
	}
	sql_script_free(script);
	return rc;
}
