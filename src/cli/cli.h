#ifndef CLI_CLI_H
#define CLI_CLI_H
/*
 * cli: argv in, exit status out. The only room that prints, reads the
 * environment and the clock, and joins the engine to the storage.
 */
#include "cli/input_options.h"
#include "util/error_list.h"
#include "filetarget/filetarget.h"
#include "merge/merge.h"
#include "query/query.h"
#include "source/source.h"
#include "sql/sql.h"
#include "table/table.h"

#define ROWMERGE_VERSION "0.1.0"

enum progress_mode {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

enum row_format {
	ROW_FORMAT_CSV,
	ROW_FORMAT_JSONL,
	ROW_FORMAT_PARQUET,
};

struct name_value {
	const char *name;
	const char *value;
};

/* A list of texts from repeated options; they live in argv or in cli.arena. */
struct name_list {
	struct name_value *items;
	size_t count;
	size_t capacity;
};

/*
 * One run of the program: what the command line said, and the log. Options
 * that a command does not take are refused by options_parse().
 */
struct cli {
	struct arena arena;
	const char *warehouse;
	int quiet;
	int verbose;
	bool json;
	bool log_json;
	enum progress_mode progress;
	size_t thread_count;
	size_t memory_bytes;
	struct time_zone *zone;		/* --time-zone; NULL = UTC */
	/* statements */
	const char *sql;		/* -e */
	struct name_list binds;
	struct name_list parameters;
	struct input_options input;
	bool takes_rejects;		/* the command has --rejects */
	const char *rejects_file;	/* NULL = a bad row is an error */
	bool has_reject_limit;
	uint64_t reject_limit;
	bool rejects_are_absent;
	bool dry_run;
	const char *changes;		/* NULL = no feed of changes */
	bool exit_code;			/* status 10 when rows would change */
	bool has_differences;		/* they would */
	struct merge_delete_limit delete_limit;
	const char *keep_latest_by;	/* NULL = not asked for */
	bool keep_last;
	const char *keep_key;		/* NULL = the columns of ON */
	bool has_mode;
	enum row_change_paradigm mode;
	bool unsorted;
	bool duplicate_match_by_case;
	bool allow_empty_source;
	int64_t wait_ms;		/* -1 = default */
	uint32_t retry_limit;
	bool explain_rows;
	uint64_t explain_row_limit;
	/* rows out */
	enum row_format format;
	const char *columns;
	const char *where;
	const char *at;
	uint64_t limit;			/* UINT64_MAX = none */
	/* show */
	bool show_files;
	/* create */
	const char *like;		/* a file; NULL = none */
	const char *primary_key;
	const char *partition_by;
	const char *sort_by;
	struct name_list properties;
	int format_version;
	bool if_not_exists;
	struct taken_stream *streams;	/* that something reads already */
	/* what is left of argv */
	char **args;
	int arg_count;
	/* the run */
	int64_t now_us;
	struct error_list errors;	/* of subqueries, see expr_context */
	struct log_sink log;
	struct text warnings;		/* JSON strings, comma separated */
	struct report *report;
	struct reject_log *rejects;	/* with rejects_file */
	uint64_t rejected_rows;		/* of this statement */
	uint64_t source_rows;		/* with them */
	bool has_rejected;		/* some statement has */
};

struct command {
	const char *name;
	int (*run)(struct cli *cli, struct error *err);
	const char *usage;
	const char *summary;
	const char *options;	/* names of the options it takes */
	int min_args;
	int max_args;		/* -1 = any number */
};
extern const struct command commands[];
const struct command *command_find(const char *name);

/* options.c */
int options_parse(struct cli *cli, const struct command *command, int argc,
		  char **argv, struct error *err);
/* "64M", "1.5G" to bytes. */
int options_size(const char *text, size_t *out, struct error *err);
/* The next name of a comma-separated list, "quoted" or not; NULL at its end.
 * list is cut up. */
char *options_next_name(char **list);
void usage_print(const struct command *command);
void usage_print_all(void);

/* commands; each returns 0 or an error, printed by main */
int cmd_merge(struct cli *cli, struct error *err);
int cmd_sql(struct cli *cli, struct error *err);
int cmd_create(struct cli *cli, struct error *err);
int cmd_alter(struct cli *cli, struct error *err);
/* What alter --help adds: the changes. */
void alter_usage(struct text *out);
int cmd_load(struct cli *cli, struct error *err);
int cmd_cat(struct cli *cli, struct error *err);
int cmd_log(struct cli *cli, struct error *err);
int cmd_show(struct cli *cli, struct error *err);
int cmd_explain(struct cli *cli, struct error *err);
#endif
