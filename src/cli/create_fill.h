#ifndef CLI_CREATE_FILL_H
#define CLI_CREATE_FILL_H
#include "cli/statement.h"

/* Make the table in directory with the rows of create->query, as one version,
 * and say so. A failure leaves what was there, or nothing. */
int create_fill(struct cli *cli, const struct sql_create *create,
		const struct table_create_options *options,
		const char *directory, struct error *err);
#endif
