#ifndef CLI_CREATE_LIKE_H
#define CLI_CREATE_LIKE_H
#include "cli/cli.h"

/* The columns of the input that --like names, by all its values, into an
 * initialised schema. */
int create_like_columns(struct cli *cli, struct schema *out,
			struct error *err);
/* The statement that makes the table as the options say; appended. */
bool create_ddl(const struct cli *cli, const struct schema *schema,
		struct text *out);
#endif
