/*
 * summary.c - what a statement did: a line for a person, JSON for a program
 */
#include "cli/report.h"
#include "cli/statement.h"
#include <stdio.h>

static const char *statement_name(enum statement_kind kind)
{
	switch (kind) {
	case STATEMENT_MERGE:
		return "merge";
	case STATEMENT_UPDATE:
		return "update";
	case STATEMENT_DELETE:
		return "delete";
	case STATEMENT_INSERT:
		break;
	}
	return "insert";
}

static const char *clause_name(enum row_operation operation)
{
	switch (operation) {
	case OPERATION_INSERT:
		return "insert";
	case OPERATION_UPDATE:
		return "update";
	case OPERATION_DELETE:
		return "delete";
	case OPERATION_NONE:
		break;
	}
	return "do nothing";
}

static void add_count(struct text *out, const char *name, uint64_t value,
		      const char *end)
{
	text_addf(out, "\"%s\": %llu%s", name, (unsigned long long)value, end);
}

static void add_rows(struct text *out, const struct merge_result *result,
		     uint64_t rejected)
{
	text_add_str(out, "\"rows\": {");
	add_count(out, "read", result->rows_read + rejected, ", ");
	add_count(out, "rejected", rejected, ", ");
	add_count(out, "inserted", result->rows_inserted, ", ");
	add_count(out, "updated", result->rows_updated, ", ");
	add_count(out, "deleted", result->rows_deleted, ", ");
	add_count(out, "unchanged", result->rows_unchanged, ", ");
	add_count(out, "superseded", result->rows_superseded, ", ");
	add_count(out, "no_action", result->rows_no_action, "}, ");
}

static void add_clauses(struct text *out, const struct merge_result *result)
{
	text_add_str(out, "\"clauses\": [");
	for (size_t i = 0; i < result->clause_count; i++)
		text_addf(out, "%s{\"case\": %zu, \"kind\": \"%s\", "
			  "\"rows\": %llu}", i ? ", " : "", i,
			  clause_name(result->clauses[i].operation),
			  (unsigned long long)result->clauses[i].rows);
	text_add_str(out, "], ");
}

/* r.a for the field a of the column r */
static void add_path(struct text *out, const struct table_change *change)
{
	for (size_t i = 0; i < change->path.count; i++)
		text_addf(out, "%s.", change->path.parts[i]);
	text_add_str(out, change->column.name);
}

/* WITH SCHEMA EVOLUTION: "added_columns": ["a", "r.a"], or nothing */
static void add_added_columns(struct text *out, const struct merge_plan *plan)
{
	struct text name = TEXT_INIT;

	for (size_t i = 0; i < plan->added_count; i++) {
		text_reset(&name);
		add_path(&name, &plan->added[i]);
		text_add_str(out, i ? ", " : "\"added_columns\": [");
		text_add_json(out, name.data ? name.data : "", name.length);
		out->failed |= name.failed;
	}
	if (plan->added_count)
		text_add_str(out, "], ");
	text_release(&name);
}

/* The same for a person: a line with the types. */
static void add_added_line(struct text *out, const struct merge_plan *plan)
{
	char name[TYPE_NAME_BYTES];

	for (size_t i = 0; i < plan->added_count; i++) {
		const struct table_change *change = &plan->added[i];

		text_add_str(out, i ? ", " : "  added columns: ");
		add_path(out, change);
		text_addf(out, " %s", type_name(&change->column.type, name));
	}
	if (plan->added_count)
		text_add_char(out, '\n');
}

static int summary_json(struct cli *cli, const struct merge_plan *plan,
			const struct merge_result *result, struct error *err)
{
	const struct merge_outcome *outcome = &result->outcome;
	struct text out = TEXT_INIT;
	int rc;

	text_add_str(&out, "{\"table\": ");
	text_add_json(&out, plan->target_name, strlen(plan->target_name));
	text_addf(&out, ", \"statement\": \"%s\", ",
		  statement_name(plan->statement));
	if (outcome->has_no_versions)
		text_add_str(&out, "\"version\": {\"before\": null, "
			     "\"after\": null}, ");
	else
		text_addf(&out, "\"version\": {\"before\": %lld, "
			  "\"after\": %lld}, ",
			  (long long)outcome->version_before,
			  (long long)outcome->version_after);
	add_rows(&out, result, cli->rejected_rows);
	add_clauses(&out, result);
	add_added_columns(&out, plan);
	text_add_str(&out, "\"files\": {");
	add_count(&out, "added", outcome->files_added, ", ");
	add_count(&out, "removed", outcome->files_removed, ", ");
	add_count(&out, "scanned", result->scan.files_scanned, ", ");
	add_count(&out, "pruned", result->scan.files_pruned, "}, ");
	text_add_str(&out, "\"bytes\": {");
	add_count(&out, "read", result->scan.bytes_read, ", ");
	add_count(&out, "written", outcome->bytes_written, ", ");
	add_count(&out, "copied", outcome->bytes_copied, ", ");
	add_count(&out, "reencoded", outcome->bytes_reencoded, "}, ");
	text_addf(&out, "\"attempts\": %u, \"resolved\": [], "
		  "\"dry_run\": %s, ", outcome->attempts,
		  cli->dry_run ? "true" : "false");
	text_addf(&out, "\"seconds\": {\"total\": %.6f, \"source\": %.6f, "
		  "\"scan\": %.6f, \"join\": %.6f, \"write\": %.6f, "
		  "\"commit\": %.6f}, ", result->seconds_total,
		  result->seconds_source, result->seconds_scan,
		  result->seconds_join, result->seconds_write,
		  result->seconds_commit);
	add_count(&out, "peak_memory_bytes", mem_peak_bytes(), ", ");
	text_addf(&out, "\"warnings\": [%s]}\n",
		  cli->warnings.data ? cli->warnings.data : "");
	rc = out.failed ? error_set(err, ERROR_NO_MEMORY, "summary")
			: print_text(out.data, out.length, err);
	text_release(&out);
	if (rc && outcome->has_no_versions &&
	    outcome->version_after != outcome->version_before)
		error_hint(err, "the statement took effect; only its summary "
			   "is lost");
	else if (rc && outcome->version_after != outcome->version_before)
		error_hint(err, "the statement took effect: %s is at version "
			   "%lld; only its summary is lost", plan->target_name,
			   (long long)outcome->version_after);
	return rc;
}

static const char *file_fate(const struct cli *cli,
			     const struct merge_outcome *outcome)
{
	if (cli->dry_run)
		return "; dry run, the file stays";
	return outcome->version_after == outcome->version_before
		       ? "; nothing changed, the file stays"
		       : "; the file is replaced";
}

static void summary_text(struct cli *cli, const struct merge_plan *plan,
			 const struct merge_result *result)
{
	const struct merge_outcome *outcome = &result->outcome;
	struct text out = TEXT_INIT;

	text_addf(&out, "rowmerge: %s: %llu inserted, %llu updated, "
		  "%llu deleted", plan->target_name,
		  (unsigned long long)result->rows_inserted,
		  (unsigned long long)result->rows_updated,
		  (unsigned long long)result->rows_deleted);
	if (result->rows_unchanged)
		text_addf(&out, ", %llu unchanged",
			  (unsigned long long)result->rows_unchanged);
	if (result->rows_superseded)
		text_addf(&out, ", %llu superseded",
			  (unsigned long long)result->rows_superseded);
	if (result->rows_no_action)
		text_addf(&out, ", %llu without action",
			  (unsigned long long)result->rows_no_action);
	if (cli->rejected_rows)
		text_addf(&out, ", %llu rejected",
			  (unsigned long long)cli->rejected_rows);
	if (outcome->has_no_versions)
		text_add_str(&out, file_fate(cli, outcome));
	else if (cli->dry_run)
		text_addf(&out, "; dry run, version %lld stays",
			  (long long)outcome->version_before);
	else if (outcome->version_after == outcome->version_before)
		text_addf(&out, "; nothing changed, version %lld stays",
			  (long long)outcome->version_before);
	else
		text_addf(&out, "; version %lld -> %lld",
			  (long long)outcome->version_before,
			  (long long)outcome->version_after);
	text_addf(&out, " (%.3f s)\n", result->seconds_total);
	add_added_line(&out, plan);
	if (cli->verbose) {
		for (size_t i = 0; i < result->clause_count; i++)
			text_addf(&out, "  case %zu, %s: %llu rows\n", i,
				  clause_name(result->clauses[i].operation),
				  (unsigned long long)result->clauses[i].rows);
		text_addf(&out, "  files: %llu scanned, %llu pruned, %llu "
			  "added, %llu removed; row groups: %llu scanned, "
			  "%llu pruned\n",
			  (unsigned long long)result->scan.files_scanned,
			  (unsigned long long)result->scan.files_pruned,
			  (unsigned long long)outcome->files_added,
			  (unsigned long long)outcome->files_removed,
			  (unsigned long long)result->scan.row_groups_scanned,
			  (unsigned long long)result->scan.row_groups_pruned);
		text_addf(&out, "  bytes: %llu written; of files rewritten, "
			  "%llu copied, %llu encoded again\n",
			  (unsigned long long)outcome->bytes_written,
			  (unsigned long long)outcome->bytes_copied,
			  (unsigned long long)outcome->bytes_reencoded);
		text_addf(&out, "  seconds: source %.3f, join %.3f, scan "
			  "%.3f, write %.3f, commit %.3f\n",
			  result->seconds_source, result->seconds_join,
			  result->seconds_scan, result->seconds_write,
			  result->seconds_commit);
	}
	report_clear_progress(cli->report);
	if (out.data)
		fputs(out.data, stderr);
	text_release(&out);
}

int summary_merge(struct cli *cli, const struct merge_plan *plan,
		  const struct merge_result *result, struct error *err)
{
	if (cli->json)
		return summary_json(cli, plan, result, err);
	if (!cli->quiet)
		summary_text(cli, plan, result);
	return 0;
}

/* What a statement that changes no rows says with --json. */
struct table_object {
	const char *table;
	const char *statement;
	int64_t version;	/* 0: none was made */
	const char *sql;	/* of --like, else NULL */
};

static int print_object(struct cli *cli, const struct table_object *object,
			struct error *err)
{
	struct text out = TEXT_INIT;
	int rc;

	text_add_str(&out, "{\"table\": ");
	text_add_json(&out, object->table, strlen(object->table));
	text_addf(&out, ", \"statement\": \"%s\", \"version\": {\"after\": ",
		  object->statement);
	if (object->version)
		text_addf(&out, "%lld}", (long long)object->version);
	else
		text_add_str(&out, "null}");
	if (object->sql) {
		text_addf(&out, ", \"dry_run\": %s, \"sql\": ",
			  cli->dry_run ? "true" : "false");
		text_add_json(&out, object->sql, strlen(object->sql));
	}
	text_add_str(&out, "}\n");
	if (out.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "summary");
	else
		rc = print_text(out.data, out.length, err);
	if (rc && !cli->dry_run)
		error_hint(err, "the statement took effect; only its summary "
			   "is lost");
	text_release(&out);
	return rc;
}

int summary_table(struct cli *cli, const char *table, const char *statement,
		  int64_t version, struct error *err)
{
	struct table_object object = { table, statement, version, NULL };

	if (cli->json)
		return print_object(cli, &object, err);
	if (!cli->quiet && version)
		fprintf(stderr, "rowmerge: %s: %s, version %lld\n", table,
			statement, (long long)version);
	else if (!cli->quiet)
		fprintf(stderr, "rowmerge: %s: %s\n", table, statement);
	return 0;
}

int summary_skipped(struct cli *cli, const char *table, const char *statement,
		    const char *why, struct error *err)
{
	log_note(&cli->log, "table %s %s", table, why);
	return cli->json ? summary_table(cli, table, statement, 0, err) : 0;
}

int summary_like(struct cli *cli, const char *sql, int64_t version,
		 struct error *err)
{
	struct table_object object = {
		cli->args[0], "create table", version, sql,
	};
	int rc;

	if (cli->json)
		return print_object(cli, &object, err);
	if (version)
		summary_table(cli, cli->args[0], "create table", version, err);
	rc = print_text(sql, strlen(sql), err);
	if (!rc)
		rc = print_text("\n", 1, err);
	if (rc && version)
		error_hint(err, "the table is made; only the statement is not "
			   "printed");
	return rc;
}
