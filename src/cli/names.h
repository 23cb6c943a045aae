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

/* By its suffix: .jsonl or .ndjson, packed or not. */
bool path_is_jsonl(const char *path);
/* Make --format say how input is read. Errors: ERROR_UNSUPPORTED. */
int names_input_format(struct cli *cli, struct error *err);
/* Relations over files (CSV, or JSON Lines if options say so) and tables. */
int csv_relation_new(struct relation **out, const char *name,
		     const char *const *paths, size_t path_count,
		     const struct csv_options *options,
		     const struct schema *types, size_t thread_count,
		     struct error *err);
/* Takes the table. */
int table_relation_new(struct relation **out, const char *name,
		       struct table *table, struct error *err);
/* The table of a name in the warehouse; version 0 = newest. */
int names_open_table(struct cli *cli, const char *name, int64_t version,
		     struct table **out, struct error *err);
#endif
