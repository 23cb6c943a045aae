#ifndef CLI_REJECTS_H
#define CLI_REJECTS_H
#include "cli/cli.h"

/*
 * --rejects: the rows that a run sets aside. Nothing here does anything
 * without the option.
 */

/* Before anything is read: is the option well used? Errors: ERROR_USAGE and
 * those of outputs_check(). */
int rejects_open(struct cli *cli, struct error *err);
/* A statement begins. */
void rejects_begin(struct cli *cli);
/* An input that sets rows aside; *out NULL without the option. Errors:
 * ERROR_NO_MEMORY. */
int rejects_add_input(struct cli *cli, const char *const *paths,
		      size_t path_count, struct reject_input **out,
		      struct error *err);
/*
 * The source of a plan (NULL = a query) is read, nothing is committed: count,
 * guard, and write FILE under another name. Errors: ERROR_GUARD_REJECTS and
 * those of writing.
 */
int rejects_source_read(struct cli *cli, const struct merge_plan *plan,
			uint64_t rows_read, struct error *err);
/*
 * The statement has ended with rc: give the files their names, or take them
 * away. err keeps what it has if rc is not 0. Returns rc, or what went wrong
 * here; the statement has taken effect all the same.
 */
int rejects_end(struct cli *cli, int rc, struct error *err);
#endif
