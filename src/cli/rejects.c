/*
 * rejects.c - rows set aside: --rejects, --max-rejects, --rejects-are-absent
 *
 * Why:    a row that cannot be read may be left out only if somebody asked for
 *         it, finds it again, and is told.
 * How:    the inputs give their rows to one log of the run (source's
 *         reject_log.h). The files are written before the commit and named
 *         after it, so that a full disk refuses the run, not its report.
 * Limits: FILE holds the rows of all statements of a spec so far.
 */
#include "cli/rejects.h"
#include <inttypes.h>
#include <stdlib.h>
#include "cli/outputs.h"

static int check_use(const struct cli *cli, struct error *err)
{
	if (cli->rejects_file)
		return 0;
	if (cli->has_reject_limit)
		return error_set(err, ERROR_USAGE, "--max-rejects needs "
				 "--rejects FILE");
	if (cli->rejects_are_absent)
		return error_set(err, ERROR_USAGE, "--rejects-are-absent "
				 "needs --rejects FILE");
	return 0;
}

int rejects_open(struct cli *cli, struct error *err)
{
	const char *directory = getenv("TMPDIR");
	int rc = check_use(cli, err);

	if (!rc)
		rc = outputs_check(cli, err);
	if (rc || !cli->rejects_file)
		return rc;
	rc = reject_log_new(&cli->rejects, directory && *directory
				    ? directory : "/tmp", err);
	if (!rc && cli->has_reject_limit)
		reject_log_set_limit(cli->rejects, cli->reject_limit);
	return rc;
}

void rejects_begin(struct cli *cli)
{
	cli->rejected_rows = 0;
	if (cli->rejects)
		reject_log_begin(cli->rejects);
}

int rejects_add_input(struct cli *cli, const char *const *paths,
		      size_t path_count, struct reject_input **out,
		      struct error *err)
{
	*out = NULL;
	if (!cli->rejects)
		return 0;
	return reject_log_add_input(cli->rejects, paths, path_count, out, err);
}

/* A row that is set aside is no row that the source lacks. */
static int guard(struct cli *cli, const struct merge_plan *plan,
		 uint64_t rows_read, const struct error *first,
		 struct error *err)
{
	bool by_source = false;

	for (size_t i = 0; plan && i < plan->clause_count; i++)
		by_source |= merge_clause_is_by_source(&plan->clauses[i]);
	if (!by_source || !cli->rejected_rows || cli->rejects_are_absent)
		return 0;
	error_set(err, ERROR_GUARD_REJECTS, "%" PRIu64 " of %" PRIu64 " rows "
		  "cannot be read, and a NOT MATCHED BY SOURCE clause would "
		  "take them for rows that the source lacks; the first: %s",
		  cli->rejected_rows, rows_read + cli->rejected_rows,
		  first->text);
	error_at(err, first->file, first->line, 0);
	error_field(err, first->field);
	return error_hint(err, "mend the rows, or say --rejects-are-absent if "
			  "their keys may be treated as absent");
}

static int check_limit(const struct cli *cli, const struct error *first,
		       struct error *err)
{
	if (!cli->has_reject_limit || cli->rejected_rows <= cli->reject_limit)
		return 0;
	error_set(err, ERROR_REJECT_LIMIT, "%" PRIu64 " rows cannot be read, "
		  "at most %" PRIu64 " are allowed; the first: %s",
		  cli->rejected_rows, cli->reject_limit, first->text);
	return error_at(err, first->file, first->line, 0);
}

int rejects_source_read(struct cli *cli, const struct merge_plan *plan,
			uint64_t rows_read, struct error *err)
{
	struct error first;
	int rc;

	if (!cli->rejects)
		return 0;
	error_init(&first);
	rc = reject_log_count(cli->rejects, &cli->rejected_rows, &first, err);
	if (!rc)
		rc = check_limit(cli, &first, err);
	if (!rc)
		rc = guard(cli, plan, rows_read, &first, err);
	cli->source_rows = rows_read + cli->rejected_rows;
	return rc ? rc : reject_log_stage(cli->rejects, cli->rejects_file,
					  err);
}

static void warn(struct cli *cli)
{
	if (cli->rejected_rows)
		log_warn(&cli->log, "%" PRIu64 " of %" PRIu64 " rows %s "
			 "rejected: see %s and %s.reasons.jsonl",
			 cli->rejected_rows, cli->source_rows,
			 cli->rejected_rows == 1 ? "was" : "were",
			 cli->rejects_file, cli->rejects_file);
}

int rejects_end(struct cli *cli, int rc, struct error *err)
{
	struct error own;
	int failed = 0;

	if (!cli->rejects)
		return rc;
	error_init(&own);
	if (rc == ERROR_REJECT_LIMIT)
		failed = reject_log_stage(cli->rejects, cli->rejects_file,
					  &own);
	if (!failed && (!rc || rc == ERROR_REJECT_LIMIT))
		failed = reject_log_publish(cli->rejects, &own);
	reject_log_undo(cli->rejects);
	if (rc && failed)
		log_warn(&cli->log, "the rejects are lost: %s", own.text);
	if (rc)
		return rc;
	if (failed) {
		*err = own;
		error_hint(err, "the statement took effect; only its rejects "
			   "are lost");
		return failed;
	}
	warn(cli);
	cli->has_rejected |= cli->rejected_rows > 0;
	return 0;
}
