/*
 * options.c - the command line
 *
 * How:    one table of long options for all commands; a command names those
 *         that it takes, any other is a usage error.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/cli.h"

#define MEMORY_DEFAULT ((size_t)1 << 30)

enum option_id {
	OPTION_HELP = 256,
	OPTION_JSON,
	OPTION_LOG_FORMAT,
	OPTION_PROGRESS,
	OPTION_THREADS,
	OPTION_MEMORY,
	OPTION_TIME_ZONE,
	OPTION_BIND,
	OPTION_PARAM,
	OPTION_DRY_RUN,
	OPTION_CHANGES,
	OPTION_EXIT_CODE,
	OPTION_MAX_DELETES,
	OPTION_KEEP_LATEST_BY,
	OPTION_KEEP_LAST,
	OPTION_KEY,
	OPTION_MODE,
	OPTION_UNSORTED,
	OPTION_DUPLICATE_MATCH,
	OPTION_ALLOW_EMPTY,
	OPTION_WAIT,
	OPTION_RETRIES,
	OPTION_INPUT,		/* how an input is read, by its name */
	OPTION_REJECTS,
	OPTION_MAX_REJECTS,
	OPTION_REJECTS_ABSENT,
	OPTION_ROWS,
	OPTION_FORMAT,
	OPTION_COLUMNS,
	OPTION_WHERE,
	OPTION_AT,
	OPTION_LIMIT,
	OPTION_LIKE,
	OPTION_PRIMARY_KEY,
	OPTION_PARTITION_BY,
	OPTION_SORT_BY,
	OPTION_FILES,
	OPTION_PROPERTY,
	OPTION_FORMAT_VERSION,
	OPTION_IF_NOT_EXISTS,
};

struct option_def {
	const char *name;
	int id;
	const char *argument;		/* NULL: takes none; [=N]: may */
	const char *help;
};

static const struct option_def option_defs[] = {
	{ "help", 'h', NULL, "this text" },
	{ "quiet", 'q', NULL, "no summary and no warnings" },
	{ "verbose", 'v', NULL, "say more" },
	{ "json", OPTION_JSON, NULL, "one JSON object on stdout" },
	{ "log-format", OPTION_LOG_FORMAT, "FORMAT",
	  "how stderr is written: text or json" },
	{ "progress", OPTION_PROGRESS, "WHEN",
	  "a progress line: auto, always or never" },
	{ "threads", OPTION_THREADS, "N",
	  "threads (default: the processors)" },
	{ "memory", OPTION_MEMORY, "SIZE",
	  "memory to keep to (default 1G)" },
	{ "time-zone", OPTION_TIME_ZONE, "ZONE",
	  "of the statement: Europe/Berlin, +02:00 (default UTC)" },
	{ "execute", 'e', "SQL", "the statements, in place of a file" },
	{ "bind", OPTION_BIND, "NAME=PATH",
	  "the file that NAME stands for, - is stdin" },
	{ "param", 'D', "NAME=VALUE", "the value of :NAME" },
	{ "dry-run", OPTION_DRY_RUN, NULL, "do all but the commit" },
	{ "changes", OPTION_CHANGES, "FILE",
	  "the changed rows: .csv, .jsonl or .parquet" },
	{ "exit-code", OPTION_EXIT_CODE, NULL,
	  "with --dry-run: status 10 if rows would change" },
	{ "max-deletes", OPTION_MAX_DELETES, "N|P%",
	  "refuse to delete more rows, or more of the rows" },
	{ "keep-latest-by", OPTION_KEEP_LATEST_BY, "LIST",
	  "of source rows with one key only the highest" },
	{ "keep-last", OPTION_KEEP_LAST, NULL,
	  "of source rows with one key only the last" },
	{ "key", OPTION_KEY, "LIST",
	  "that key (default: the columns that ON equates)" },
	{ "mode", OPTION_MODE, "MODE",
	  "merge-on-read or copy-on-write" },
	{ "unsorted", OPTION_UNSORTED, NULL,
	  "leave new files unsorted, whatever the sort order" },
	{ "duplicate-match", OPTION_DUPLICATE_MATCH, "PAIR",
	  "row or case: what is changed once at most" },
	{ "allow-empty-source", OPTION_ALLOW_EMPTY, NULL,
	  "let an empty source run a BY SOURCE clause" },
	{ "wait", OPTION_WAIT, "SECONDS",
	  "how long to wait for the lock (default 10)" },
	{ "retries", OPTION_RETRIES, "N",
	  "tries after a conflict (default 3)" },
	{ "delimiter", OPTION_INPUT, "C",
	  "between CSV fields (default ,; \\t is a tab)" },
	{ "quote", OPTION_INPUT, "C",
	  "around CSV fields (default \"; empty: none)" },
	{ "no-header", OPTION_INPUT, NULL,
	  "CSV without a header: column1, column2, ..." },
	{ "null", OPTION_INPUT, "TEXT",
	  "an unquoted CSV field that is NULL; may be repeated" },
	{ "skip-lines", OPTION_INPUT, "N",
	  "leave out N lines before the CSV header" },
	{ "encoding", OPTION_INPUT, "NAME",
	  "of the input: latin1, utf-16, ... (default UTF-8)" },
	{ "decimal", OPTION_INPUT, "C",
	  "the decimal mark of CSV numbers (default .)" },
	{ "thousands", OPTION_INPUT, "C",
	  "the mark between thousands of CSV numbers" },
	{ "date-format", OPTION_INPUT, "FORMAT",
	  "how CSV dates are written: %d.%m.%Y" },
	{ "timestamp-format", OPTION_INPUT, "FORMAT",
	  "how CSV timestamps are written: '%d.%m.%Y %H:%M'" },
	{ "types", OPTION_INPUT, "LIST",
	  "types of input columns: 'a BIGINT, b DATE'" },
	{ "rejects", OPTION_REJECTS, "FILE",
	  "set rows aside that cannot be read" },
	{ "max-rejects", OPTION_MAX_REJECTS, "N",
	  "refuse the batch if there are more" },
	{ "rejects-are-absent", OPTION_REJECTS_ABSENT, NULL,
	  "a BY SOURCE clause may act on their keys" },
	{ "rows", OPTION_ROWS, "[=N]",
	  "print the merge page and the change page" },
	{ "format", OPTION_FORMAT, "FORMAT",
	  "csv (default), jsonl or parquet; merge: debezium" },
	{ "columns", OPTION_COLUMNS, "LIST",
	  "columns, comma separated (create, inputs: with types)" },
	{ "where", OPTION_WHERE, "EXPR", "only rows for which EXPR is true" },
	{ "at", OPTION_AT, "VERSION",
	  "the table as it was: a version or a time" },
	{ "limit", OPTION_LIMIT, "N", "at most so many" },
	{ "like", OPTION_LIKE, "FILE",
	  "the columns of a file, with types for its values" },
	{ "primary-key", OPTION_PRIMARY_KEY, "LIST",
	  "columns of the primary key" },
	{ "partition-by", OPTION_PARTITION_BY, "LIST",
	  "partition fields: 'bucket(8, id), day(ts)'" },
	{ "sort-by", OPTION_SORT_BY, "LIST",
	  "order of the rows in files: 'id DESC NULLS LAST'" },
	{ "files", OPTION_FILES, NULL, "the files of each partition too" },
	{ "property", OPTION_PROPERTY, "KEY=VALUE", "a table property" },
	{ "format-version", OPTION_FORMAT_VERSION, "N",
	  "of the Iceberg format: 2 (default) or 3" },
	{ "if-not-exists", OPTION_IF_NOT_EXISTS, NULL,
	  "an existing table is no error" },
};

static const char common_options[] =
	"help quiet verbose json log-format progress threads memory time-zone ";

/* Is name one of the words of a list? */
static bool in_list(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ' ') &&
		    (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static bool takes_option(const struct command *command, const char *name)
{
	return in_list(common_options, name) ||
	       in_list(command->options, name);
}

static int parse_number(const char *name, const char *text, uint64_t *out,
			struct error *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	/* strtoull() takes blanks and a sign, and a negative one is huge */
	if (errno || *end || *text < '0' || *text > '9')
		return error_set(err, ERROR_USAGE,
				 "--%s takes a number, not '%s'", name, text);
	return 0;
}

int options_size(const char *text, size_t *out, struct error *err)
{
	static const char units[] = "KMGT";
	char *end;
	double value = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	double bytes;

	bytes = unit ? value * (double)(UINT64_C(1) << (10 * (unit - units + 1)))
		     : value;
	if (unit)
		end++;
	if (*end == 'B' || *end == 'b')
		end++;
	if (end == text || *end || !(bytes >= 1) || bytes > 1e15)
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a size such as 512M or 2G",
				 text);
	*out = (size_t)bytes;
	return 0;
}

static int add_pair(struct cli *cli, struct name_list *list,
		    const char *option, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (!equals || equals == text)
		return error_set(err, ERROR_USAGE,
				 "--%s takes NAME=VALUE, not '%s'", option,
				 text);
	name = arena_strndup(&cli->arena, text, (size_t)(equals - text));
	if (!name || !mem_grow((void **)&list->items, &list->capacity,
			       list->count, sizeof(*list->items)))
		return error_set(err, ERROR_NO_MEMORY, "options");
	list->items[list->count].name = name;
	list->items[list->count++].value = equals + 1;
	return 0;
}

/* Files of one name are a glob: a second --bind may be a slip. */
static int add_bind(struct cli *cli, const char *text, struct error *err)
{
	const struct name_list *list = &cli->binds;
	int rc = add_pair(cli, &cli->binds, "bind", text, err);

	for (size_t i = 0; !rc && i + 1 < list->count; i++) {
		const char *name = list->items[list->count - 1].name;

		if (!text_equal_nocase(list->items[i].name, name))
			continue;
		rc = error_set(err, ERROR_USAGE, "--bind gives %s twice",
			       name);
		error_hint(err, "several files of a name are a glob, as in "
			   "--bind '%s=in/*.csv'", name);
	}
	return rc;
}

/* One of the words of a NULL-ended list; its index. */
static int parse_word(const char *option, const char *text,
		      const char *const *words, int *out, struct error *err)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*out = i;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, "--%s does not know '%s'; see "
			 "--help", option, text);
}

static const char *const progress_words[] = { "auto", "always", "never",
					      NULL };
static const char *const log_words[] = { "text", "json", NULL };
static const char *const mode_words[] = { "merge-on-read", "copy-on-write",
					  NULL };
static const char *const match_words[] = { "row", "case", NULL };
static const char *const format_words[] = { "csv", "jsonl", "parquet",
					    "debezium", NULL };
static const enum input_format input_formats[] = { INPUT_CSV, INPUT_JSONL,
						   INPUT_PARQUET,
						   INPUT_JSONL };

/* Options that choose a word. Returns 1 if it is none of them. */
static int apply_word(struct cli *cli, int id, const char *arg,
		      struct error *err)
{
	int word = 0, rc;

	switch (id) {
	case OPTION_PROGRESS:
		rc = parse_word("progress", arg, progress_words, &word, err);
		cli->progress = (enum progress_mode)word;
		return rc;
	case OPTION_LOG_FORMAT:
		rc = parse_word("log-format", arg, log_words, &word, err);
		cli->log_json = word == 1;
		return rc;
	case OPTION_UNSORTED:
		cli->unsorted = true;
		return 0;
	case OPTION_MODE:
		rc = parse_word("mode", arg, mode_words, &word, err);
		cli->has_mode = true;
		cli->mode = word ? CHANGE_ONLY_UPDATED_COLUMNS
				 : DELETE_ROW_AND_INSERT_ROW;
		return rc;
	case OPTION_DUPLICATE_MATCH:
		rc = parse_word("duplicate-match", arg, match_words, &word,
				err);
		cli->duplicate_match_by_case = word == 1;
		return rc;
	case OPTION_FORMAT:
		rc = parse_word("format", arg, format_words, &word, err);
		cli->input.csv.is_debezium = word == 3;
		cli->format = word == 3 ? ROW_FORMAT_JSONL
					: (enum row_format)word;
		cli->input.format = input_formats[word];
		return rc;
	default:
		return 1;
	}
}

/* "P%" in millionths, to four digits behind the point. */
static int parse_share(const char *text, size_t length, uint64_t *out,
		       struct error *err)
{
	int128_t value;

	if (parse_decimal(text, length, 7, 4, false, &value) || value < 0 ||
	    value > 1000000)
		return error_set(err, ERROR_USAGE, "--max-deletes takes 0%% "
				 "to 100%% with up to four digits behind the "
				 "point, not '%s'", text);
	*out = (uint64_t)value;
	return 0;
}

static int parse_delete_limit(const char *text,
			      struct merge_delete_limit *out,
			      struct error *err)
{
	size_t length = strlen(text);

	out->is_set = true;
	out->is_share = length && text[length - 1] == '%';
	if (out->is_share)
		return parse_share(text, length - 1, &out->share_ppm, err);
	if (parse_number("max-deletes", text, &out->rows, err))
		return error_set(err, ERROR_USAGE, "--max-deletes takes a "
				 "number or a share, N or P%%, not '%s'",
				 text);
	return 0;
}

static int set_time_zone(struct cli *cli, const char *name,
			 struct error *err)
{
	time_zone_free(cli->zone);
	if (time_zone_new(&cli->zone, byte_view(name, strlen(name)), err)) {
		error_set(err, ERROR_USAGE, "--time-zone knows no '%.80s'",
			  name);
		return error_hint(err, "write a name of the system's, as "
				  "Europe/Berlin, or an offset, as +02:00");
	}
	cli->input.csv.zone = cli->zone;
	return 0;
}

/* Options with a number, size or zone. Returns 1 if it is none of them. */
static int apply_number(struct cli *cli, int id, const char *arg,
			struct error *err)
{
	uint64_t number = 0;
	int rc;

	switch (id) {
	case OPTION_MEMORY:
		return options_size(arg, &cli->memory_bytes, err);
	case OPTION_TIME_ZONE:
		return set_time_zone(cli, arg, err);
	case OPTION_THREADS:
		rc = parse_number("threads", arg, &number, err);
		if (!rc && (number < 1 || number > 1024))
			rc = error_set(err, ERROR_USAGE,
				       "--threads takes 1 to 1024");
		cli->thread_count = (size_t)number;
		return rc;
	case OPTION_WAIT:
		rc = parse_number("wait", arg, &number, err);
		cli->wait_ms = (int64_t)(number < 1000000 ? number * 1000
							  : 1000000000);
		return rc;
	case OPTION_RETRIES:
		rc = parse_number("retries", arg, &number, err);
		cli->retry_limit = (uint32_t)(number < 1000 ? number : 1000);
		return rc;
	case OPTION_MAX_DELETES:
		return parse_delete_limit(arg, &cli->delete_limit, err);
	case OPTION_MAX_REJECTS:
		cli->has_reject_limit = true;
		return parse_number("max-rejects", arg, &cli->reject_limit,
				    err);
	case OPTION_LIMIT:
		return parse_number("limit", arg, &cli->limit, err);
	case OPTION_ROWS:
		cli->explain_rows = true;
		cli->explain_row_limit = UINT64_MAX;
		return arg ? parse_number("rows", arg,
					  &cli->explain_row_limit, err) : 0;
	case OPTION_FORMAT_VERSION:
		rc = parse_number("format-version", arg, &number, err);
		if (!rc && number != 2 && number != 3)
			rc = error_set(err, ERROR_USAGE,
				       "--format-version takes 2 or 3");
		cli->format_version = (int)number;
		return rc;
	default:
		return 1;
	}
}

/* Options about what a batch is made into and what comes of a run. Returns 1
 * if it is none of them. */
static int apply_shape(struct cli *cli, int id, const char *arg)
{
	switch (id) {
	case OPTION_CHANGES:
		cli->changes = arg;
		return 0;
	case OPTION_EXIT_CODE:
		cli->exit_code = true;
		return 0;
	case OPTION_KEEP_LATEST_BY:
		cli->keep_latest_by = arg;
		return 0;
	case OPTION_KEEP_LAST:
		cli->keep_last = true;
		return 0;
	case OPTION_KEY:
		cli->keep_key = arg;
		return 0;
	default:
		return 1;
	}
}

/* Options that need or exclude each other. */
static int check_together(const struct cli *cli,
			  const struct command *command, struct error *err)
{
	if (cli->input.csv.is_debezium && command->run != cmd_merge)
		return error_set(err, ERROR_USAGE, "--format debezium is for "
				 "rowmerge merge");
	if (cli->exit_code && !cli->dry_run)
		return error_set(err, ERROR_USAGE, "--exit-code needs "
				 "--dry-run");
	if (cli->keep_last && cli->keep_latest_by)
		return error_set(err, ERROR_USAGE, "--keep-last and "
				 "--keep-latest-by exclude each other");
	if (cli->keep_key && !cli->keep_last && !cli->keep_latest_by)
		return error_set(err, ERROR_USAGE, "--key needs --keep-last "
				 "or --keep-latest-by");
	return 0;
}

/* Options whose value is taken as it is. 1 = the option is none of them. */
static int apply_text(struct cli *cli, int id, const char *arg)
{
	switch (id) {
	case OPTION_REJECTS:
		cli->rejects_file = arg;
		return 0;
	case OPTION_COLUMNS:
		cli->columns = arg;
		cli->input.columns = arg;
		return 0;
	case OPTION_WHERE:
		cli->where = arg;
		return 0;
	case OPTION_AT:
		cli->at = arg;
		return 0;
	case OPTION_LIKE:
		cli->like = arg;
		return 0;
	case OPTION_PRIMARY_KEY:
		cli->primary_key = arg;
		return 0;
	case OPTION_PARTITION_BY:
		cli->partition_by = arg;
		return 0;
	case OPTION_SORT_BY:
		cli->sort_by = arg;
		return 0;
	default:
		return 1;
	}
}

static int apply_option(struct cli *cli, int id, const char *arg,
			struct error *err)
{
	int rc = apply_word(cli, id, arg, err);

	if (rc == 1)
		rc = apply_shape(cli, id, arg);
	if (rc == 1)
		rc = apply_text(cli, id, arg);
	if (rc == 1)
		rc = apply_number(cli, id, arg, err);
	if (rc != 1)
		return rc;
	switch (id) {
	case 'q':
		cli->quiet = 1;
		return 0;
	case 'v':
		cli->verbose++;
		return 0;
	case 'e':
		if (cli->sql)
			return error_set(err, ERROR_USAGE, "-e is given twice; "
					 "put ; between statements");
		cli->sql = arg;
		return 0;
	case 'D':
		return add_pair(cli, &cli->parameters, "param", arg, err);
	case OPTION_BIND:
		return add_bind(cli, arg, err);
	case OPTION_PROPERTY:
		return add_pair(cli, &cli->properties, "property", arg, err);
	case OPTION_JSON:
		cli->json = true;
		return 0;
	case OPTION_DRY_RUN:
		cli->dry_run = true;
		return 0;
	case OPTION_ALLOW_EMPTY:
		cli->allow_empty_source = true;
		return 0;
	case OPTION_REJECTS_ABSENT:
		cli->rejects_are_absent = true;
		return 0;
	case OPTION_FILES:
		cli->show_files = true;
		return 0;
	case OPTION_IF_NOT_EXISTS:
		cli->if_not_exists = true;
		return 0;
	default:
		return error_set(err, ERROR_INTERNAL, "option %d", id);
	}
}

static const struct option_def *option_by_id(int id)
{
	for (size_t i = 0; i < ARRAY_COUNT(option_defs); i++)
		if (option_defs[i].id == id)
			return &option_defs[i];
	return NULL;
}

static int argument_kind(const struct option_def *def)
{
	if (!def->argument)
		return no_argument;
	return def->argument[0] == '[' ? optional_argument : required_argument;
}

int options_parse(struct cli *cli, const struct command *command, int argc,
		  char **argv, struct error *err)
{
	struct option longs[ARRAY_COUNT(option_defs) + 1];
	int id, index, rc = 0;

	memset(longs, 0, sizeof(longs));
	for (size_t i = 0; i < ARRAY_COUNT(option_defs); i++) {
		longs[i].name = option_defs[i].name;
		longs[i].has_arg = argument_kind(&option_defs[i]);
		longs[i].val = option_defs[i].id;
	}
	cli->takes_rejects = takes_option(command, "rejects");
	if (!cli->memory_bytes)
		cli->memory_bytes = MEMORY_DEFAULT;
	optind = 1;
	opterr = 0;
	while (!rc && (id = getopt_long(argc, argv, ":hqve:D:", longs,
					&index)) != -1) {
		const struct option_def *def = id < OPTION_HELP
			? option_by_id(id) : &option_defs[index];

		if (id == ':' || id == '?' || !def) {
			rc = error_set(err, ERROR_USAGE,
				       id == ':' ? "option %s needs a value"
						 : "no option %s",
				       argv[optind - 1]);
			return error_hint(err, "rowmerge %s --help lists the "
					  "options", command->name);
		}
		if (id == 'h') {
			usage_print(command);
			exit(0);
		}
		if (!takes_option(command, def->name))
			return error_set(err, ERROR_USAGE,
					 "rowmerge %s has no option --%s",
					 command->name, def->name);
		rc = id == OPTION_INPUT
			? input_option_set(&cli->input, def->name,
					   optarg ? optarg : "true",
					   ERROR_USAGE, err)
			: apply_option(cli, id, optarg, err);
	}
	if (!rc)
		rc = check_together(cli, command, err);
	if (rc)
		return rc;
	cli->args = argv + optind;
	cli->arg_count = argc - optind;
	if (cli->arg_count < command->min_args ||
	    (command->max_args >= 0 && cli->arg_count > command->max_args)) {
		rc = error_set(err, ERROR_USAGE, "usage: rowmerge %s",
			       command->usage);
		error_hint(err, "rowmerge %s --help says more",
			   command->name);
	}
	return rc;
}

static void print_option(const struct option_def *def)
{
	const char *argument = def->argument ? def->argument : "";
	const char *space = argument[0] && argument[0] != '[' ? " " : "";
	char shown[80];

	snprintf(shown, sizeof(shown), "--%s%s%s", def->name, space, argument);
	if (def->id < 256)
		printf("  -%c, %-26s %s\n", def->id, shown, def->help);
	else
		printf("      %-26s %s\n", shown, def->help);
}

void usage_print(const struct command *command)
{
	struct text more = TEXT_INIT;

	printf("usage: rowmerge [-C DIR] %s\n\n%s\n\n", command->usage,
	       command->summary);
	for (size_t i = 0; i < ARRAY_COUNT(option_defs); i++)
		if (takes_option(command, option_defs[i].name))
			print_option(&option_defs[i]);
	if (command->run == cmd_alter)
		alter_usage(&more);
	if (more.data)
		fputs(more.data, stdout);
	text_release(&more);
	printf("\nSee rowmerge-%s(1).\n", command->name);
}

void usage_print_all(void)
{
	printf("usage: rowmerge [-C DIR] COMMAND [ARGS]\n\n"
	       "Merge batches of rows into versioned Iceberg tables.\n\n");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
	printf("\n  -C DIR     the warehouse (default: $ROWMERGE_WAREHOUSE, "
	       "else .)\n"
	       "  --version  print the version\n"
	       "\nrowmerge COMMAND --help lists a command's options.\n");
}

char *options_next_name(char **list)
{
	char *at = *list, *name, *to;

	while (*at == ' ')
		at++;
	if (!*at)
		return NULL;
	name = to = at;
	if (*at == '"') {
		for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
			at += *at == '"';
			*to++ = *at;
		}
		at += *at == '"';
		while (*at && *at != ',')
			at++;
	} else {
		while (*at && *at != ',')
			*to++ = *at++;
		while (to > name && to[-1] == ' ')
			to--;
	}
	*list = *at ? at + 1 : at;
	*to = '\0';
	return name;
}
