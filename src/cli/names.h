#ifndef CLI_NAMES_H
#define CLI_NAMES_H
#include "cli/cli.h"

/*
 * What the names of a statement stand for: --bind, then a table of the
 * warehouse, then a file there. Tables are opened once per statement, so that
 * a table that is both source and target is read at one version.
 */
struct names;
int names_new(struct names **out, struct cli *cli, struct error *err);
/* Targets and tables opened through it are closed. */
void names_free(struct names *names);
struct sql_resolver *names_resolver(struct names *names);
/* Give a relation a name that goes before all others; taken. */
int names_add_relation(struct names *names, const char *name,
		       struct relation *relation, struct error *err);

/* Files to be read as one input. */
struct file_request {
	struct cli *cli;
	const char *name;
	const char *const *paths;	/* one at least; "-" is stdin */
	size_t path_count;
	const struct input_options *options;
	const struct schema *types;	/* of the write target; NULL = none */
};
/*
 * What is no regular file, and standard input ("-") whatever it is, can be
 * read once: ERROR_USAGE if something has it already. what is who reads it.
 */
int stream_take(struct cli *cli, const char *path, const char *what,
		struct error *err);
/* By options->format. */
int file_relation_new(struct relation **out,
		      const struct file_request *request, struct error *err);
int csv_relation_new(struct relation **out,
		     const struct file_request *request, struct error *err);
int parquet_relation_new(struct relation **out,
			 const struct file_request *request,
			 struct error *err);
/*
 * Paths as the user gave them to one input: globs expanded, then the options
 * that the names of the files say. count 0 is standard input. *out lives in
 * the arena of cli. Errors: ERROR_IO, ERROR_UNSUPPORTED.
 */
int input_paths(struct cli *cli, char *const *given, size_t given_count,
		struct input_options *options, char ***out,
		size_t *count_out, struct error *err);
/* Takes the table. */
int table_relation_new(struct relation **out, const char *name,
		       struct table *table, struct error *err);
/* The table of a name in the warehouse; version 0 = newest. */
int names_open_table(struct cli *cli, const char *name, int64_t version,
		     struct table **out, struct error *err);
#endif
