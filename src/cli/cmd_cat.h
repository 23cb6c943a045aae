#ifndef CLI_CMD_CAT_H
#define CLI_CMD_CAT_H
#include "cli/cli.h"

/* The table that the first argument names, at --at. */
int cat_open_table(struct cli *cli, struct table **out, struct error *err);
#endif
