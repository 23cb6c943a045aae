#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include "cli/cli.h"

/*
 * What the program says on stderr: notes, warnings, progress, failures.
 */
struct report;
/* Sets up cli->log. */
int report_new(struct report **out, struct cli *cli, struct error *err);
void report_free(struct report *report);
/* Take the progress line away before other text. Any thread. */
void report_clear_progress(struct report *report);
/* A failure: on stderr for a person, on stdout too with --json. script (may
 * be NULL) gives the line and caret. */
void report_error(struct cli *cli, const struct error *err,
		  const struct sql_script *script);
/* Write all of text to stdout. Errors: ERROR_IO; a closed pipe ends the
 * process quietly by SIGPIPE. */
int print_text(const char *data, size_t length, struct error *err);
#endif
