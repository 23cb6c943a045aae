#ifndef CLI_CREATE_FILL_H
#define CLI_CREATE_FILL_H
#include "cli/statement.h"

/* Insert create->query into the table just made in directory. existed: it was
 * there before (OR REPLACE), so a failure must not remove it. */
int create_fill(struct cli *cli, struct names *names,
		const struct sql_create *create, bool existed,
		const char *directory, struct error *err);
#endif
