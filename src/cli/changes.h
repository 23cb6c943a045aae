#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H
#include "cli/cli.h"

/*
 * --changes FILE: the rows that a run changed, as CSV, JSON Lines or Parquet.
 * Columns: _change (insert, delete, update_before, update_after), _version,
 * then those of the table. The file gets its name after the commit.
 */
struct change_feed;

/* Opens a file beside cli->changes and sets the hooks of options. *out NULL:
 * none is asked for. Errors: ERROR_USAGE (the suffix), ERROR_COLUMN_EXISTS,
 * ERROR_IO. */
int change_feed_new(struct change_feed **out, struct cli *cli,
		    const struct merge_plan *plan,
		    struct merge_options *options, struct error *err);
/* After a run that has succeeded: the feed gets its name. */
int change_feed_publish(struct change_feed *feed,
			const struct merge_outcome *outcome,
			struct error *err);
/* What is not published is removed. */
void change_feed_free(struct change_feed *feed);
#endif
