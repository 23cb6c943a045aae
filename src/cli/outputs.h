#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H
#include "cli/cli.h"

/*
 * The files that a run writes besides what it merges into: those of --changes
 * and --rejects. Each takes the place of what has its name, so none may be a
 * file that the run needs, nor another of them.
 */

/* Before anything is read. Errors: ERROR_USAGE (no file can have that name,
 * or two are one), ERROR_IO (its directory cannot be written to). */
int outputs_check(struct cli *cli, struct error *err);
/* Is a file of the run, what = "input", one of them? path may be - for
 * standard input. Errors: ERROR_USAGE: it is. */
int outputs_check_file(struct cli *cli, const char *what, const char *path,
		       struct error *err);
#endif
