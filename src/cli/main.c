/*
 * main.c - find the command, run it, say how it ended
 *
 * Why:    start-up is part of every tiny merge: nothing is done here that a
 *         command does not need.
 */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/report.h"

#define INPUT_OPTIONS \
	"delimiter quote no-header null skip-lines encoding decimal " \
	"thousands date-format timestamp-format columns types"
#define REJECT_OPTIONS "rejects max-rejects"
#define STATEMENT_OPTIONS \
	"execute bind param mode unsorted duplicate-match " \
	"allow-empty-source " INPUT_OPTIONS " "
/* of commands that run them */
#define RUN_OPTIONS \
	"dry-run exit-code max-deletes keep-latest-by keep-last key " \
	"wait retries rejects-are-absent " REJECT_OPTIONS " "

#define STATUS_REJECTED 4	/* done, and rows were set aside as asked */
#define STATUS_DIFFERENCES 10	/* with --exit-code */
#define SAME_SIGNAL_NS UINT64_C(200000000)

const struct command commands[] = {
	{ "merge", cmd_merge, "merge [OPTIONS] SPEC | - | -e SQL",
	  "run the MERGE, UPDATE, DELETE and INSERT statements of a spec",
	  STATEMENT_OPTIONS RUN_OPTIONS "changes format", 0, 1 },
	{ "sql", cmd_sql, "sql [OPTIONS] FILE | - | -e SQL",
	  "run any statements",
	  STATEMENT_OPTIONS RUN_OPTIONS "format", 0, 1 },
	{ "create", cmd_create, "create [OPTIONS] --columns LIST | --like FILE TABLE",
	  "make a table",
	  "like primary-key partition-by sort-by property format-version "
	  "if-not-exists dry-run format " INPUT_OPTIONS, 1, 1 },
	{ "alter", cmd_alter, "alter [OPTIONS] TABLE CHANGE [, CHANGE]...",
	  "change columns, partitions, sort order or properties", "", 2, -1 },
	{ "load", cmd_load, "load [OPTIONS] TABLE [FILE...]",
	  "append files or standard input",
	  "dry-run unsorted wait retries format " INPUT_OPTIONS " "
	  REJECT_OPTIONS,
	  1, -1 },
	{ "cat", cmd_cat, "cat [OPTIONS] TABLE", "print rows",
	  "format columns where at limit param", 1, 1 },
	{ "log", cmd_log, "log [OPTIONS] TABLE",
	  "list versions, newest first", "limit", 1, 1 },
	{ "show", cmd_show, "show [OPTIONS] TABLE",
	  "print schema, layout, properties and sizes", "at files", 1, 1 },
	{ "explain", cmd_explain, "explain [OPTIONS] SPEC | - | -e SQL",
	  "say what a statement would do", STATEMENT_OPTIONS "format rows", 0, 1 },
	{ NULL, NULL, NULL, NULL, NULL, 0, 0 },
};

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/*
 * The first signal asks the run to stop and to remove what it has made so
 * far. One that comes later, not with the first as from a terminal and a
 * parent at once, ends it as it would any program.
 */
static void on_signal(int number)
{
	static atomic_uint_fast64_t first_ns;
	uint64_t now_ns = clock_monotonic_ns();

	if (!interrupt_signal()) {
		atomic_store(&first_ns, now_ns);
		interrupt_request(number);
	} else if (now_ns - atomic_load(&first_ns) >= SAME_SIGNAL_NS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

/* What is ignored stays so: nohup, and the background jobs of a script. */
static void install_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	/* a file that would grow past ulimit -f is a failed write */
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * A standard stream that is closed must not become the number of a table's
 * file, which messages would be written into. What takes its place fails as a
 * closed one does.
 */
static void hold_closed_streams(void)
{
	for (int i = 0; i < 3; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", i == 0 ? O_WRONLY : O_RDONLY);
}

/*
 * Row groups are made and freed in turn in buffers of some MiB: keep that
 * memory instead of giving it back and having it zeroed again each time.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 512 << 20);
}

/* -C DIR and --version before the command; *first is the command's index. */
static int global_options(struct cli *cli, int argc, char **argv, int *first,
			  struct error *err)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (strcmp(argv[i], "--version") == 0) {
			puts("rowmerge " ROWMERGE_VERSION);
			exit(0);
		}
		if (strcmp(argv[i], "-h") == 0 ||
		    strcmp(argv[i], "--help") == 0) {
			usage_print_all();
			exit(0);
		}
		if (strcmp(argv[i], "-C") == 0 && i + 1 < argc) {
			cli->warehouse = argv[i + 1];
			i += 2;
		} else if (strncmp(argv[i], "-C", 2) == 0 && argv[i][2]) {
			cli->warehouse = argv[i] + 2;
			i++;
		} else {
			error_set(err, ERROR_USAGE, "no option %s before the "
				  "command", argv[i]);
			return error_hint(err, "rowmerge --help lists the "
					  "commands");
		}
	}
	*first = i;
	if (i < argc)
		return 0;
	error_set(err, ERROR_USAGE, "no command");
	return error_hint(err, "rowmerge --help lists the commands");
}

static void cli_init(struct cli *cli)
{
	memset(cli, 0, sizeof(*cli));
	arena_init(&cli->arena, 0);
	error_list_init(&cli->errors);
	input_options_init(&cli->input);
	cli->warehouse = getenv("ROWMERGE_WAREHOUSE");
	if (!cli->warehouse || !*cli->warehouse)
		cli->warehouse = ".";
	cli->thread_count = thread_available_count();
	cli->wait_ms = -1;
	cli->retry_limit = 3;
	cli->limit = UINT64_MAX;
	cli->now_us = clock_now_us();
}

static void cli_release(struct cli *cli)
{
	report_free(cli->report);
	time_zone_free(cli->zone);
	reject_log_free(cli->rejects);
	mem_free(cli->binds.items);
	mem_free(cli->parameters.items);
	mem_free(cli->properties.items);
	text_release(&cli->warnings);
	error_list_release(&cli->errors);
	arena_release(&cli->arena);
}

static int run(struct cli *cli, int argc, char **argv, struct error *err)
{
	const struct command *command;
	int first = 1, rc;

	rc = global_options(cli, argc, argv, &first, err);
	if (rc)
		return rc;
	command = command_find(argv[first]);
	if (!command) {
		rc = error_set(err, ERROR_USAGE, "no command %s",
			       argv[first]);
		error_hint(err, "rowmerge --help lists the commands");
		return rc;
	}
	rc = options_parse(cli, command, argc - first, argv + first, err);
	if (!rc)
		rc = report_new(&cli->report, cli, err);
	if (!rc)
		rc = command->run(cli, err);
	return rc;
}

int main(int argc, char **argv)
{
	struct cli cli;
	struct error err;
	int rc, status;

	hold_closed_streams();
	error_init(&err);
	keep_memory();
	cli_init(&cli);
	install_signals();
	rc = run(&cli, argc, argv, &err);
	/* a command reports by itself what needs its script */
	if (rc && err.code)
		report_error(&cli, &err, NULL);
	status = error_exit_status((enum error_code)rc);
	if (!rc && cli.has_rejected)
		status = STATUS_REJECTED;
	if (rc == ERROR_INTERRUPTED)
		status = 128 + interrupt_signal();
	if (fflush(stdout) != 0 && status == 0)
		status = 1;
	if (!rc && status != 1 && cli.exit_code && cli.has_differences)
		status = STATUS_DIFFERENCES;
	cli_release(&cli);
	return status;
}
