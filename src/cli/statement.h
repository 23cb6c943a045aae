#ifndef CLI_STATEMENT_H
#define CLI_STATEMENT_H
#include "cli/cli.h"
#include "cli/names.h"

/*
 * From the text of a spec to statements that have run.
 */

/* The statements of -e, of FILE or of standard input. */
int script_open(struct cli *cli, struct sql_script **out, struct error *err);
/* What binding needs; parameters live in cli's arena. */
int statement_options(struct cli *cli, struct names *names,
		      struct sql_options *out, struct error *err);
struct expr_context cli_expr_context(struct cli *cli);
/* Bind and run statement i. dml_only: anything but MERGE, UPDATE, DELETE and
 * INSERT is a usage error. */
int statement_run(struct cli *cli, struct sql_script *script, size_t i,
		  struct error *err);
/* Run a plan; the caller releases *out. */
int statement_merge(struct cli *cli, const struct merge_plan *plan,
		    struct merge_result *out, struct error *err);
/* An UPDATE, INSERT or DELETE of the program's own, which nobody is told of;
 * no option of the command line but threads and memory counts. */
int statement_run_own(struct cli *cli, const char *sql, struct error *err);
/* How queries of a command run. */
void statement_query_options(struct cli *cli, struct query_options *out);
/* The engine's options for a plan. */
void statement_merge_options(struct cli *cli, struct merge_options *out);
/* Those and its query's, which share the memory and live as long. */
void statement_merge_setup(struct cli *cli, const struct merge_plan *plan,
			   struct query_options *query,
			   struct merge_options *out);
int statement_run_merge(struct cli *cli, const struct sql_statement *statement,
			struct error *err);

/* shape.c: --keep-latest-by and --keep-last for a plan, whose source_used is
 * extended; *out lives in cli's arena, NULL = all rows. */
int shape_keep(struct cli *cli, const struct merge_plan *plan,
	       const struct merge_keep **out, struct error *err);

/* cmd_alter.c: one version with all changes. */
int statement_alter(struct cli *cli, const struct sql_alter *alter,
		    struct error *err);

/* summary.c */
int summary_merge(struct cli *cli, const struct merge_plan *plan,
		  const struct merge_result *result, struct error *err);
int summary_table(struct cli *cli, const char *table, const char *statement,
		  int64_t version, struct error *err);
/* One that IF EXISTS or IF NOT EXISTS lets pass: a note, and with --json the
 * object. */
int summary_skipped(struct cli *cli, const char *table, const char *statement,
		    const char *why, struct error *err);
/* create --like: the statement is printed, or with --json part of the object;
 * version is 0 where no table was made. */
int summary_like(struct cli *cli, const char *sql, int64_t version,
		 struct error *err);

/* row_output.c: rows of a query to stdout, in order. */
struct row_output_options {
	enum row_format format;
	size_t thread_count;
	uint64_t limit;		/* UINT64_MAX = none */
	bool has_header;
};
int row_output(struct cli *cli, struct batch_source *source,
	       const struct row_output_options *options, struct error *err);
/* parquet_output.c: the same as a Parquet file. */
int parquet_output(struct batch_source *source, uint64_t limit,
		   struct error *err);
#endif
