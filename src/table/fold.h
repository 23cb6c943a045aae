#ifndef TABLE_FOLD_H
#define TABLE_FOLD_H
#include "table/write/write.h"

/*
 * Which small data files of earlier commits a commit takes over into its own
 * output. Private to table.
 */
struct fold_options {
	const struct table_metadata *metadata;
	struct snapshot_files *files;
	const struct write_context *context;
	uint64_t own_rows;	/* that the statement writes */
	bool is_partitioned;	/* files of a partition are apart */
	size_t least_count;	/* fewer files are not worth it */
};
/* Read the manifests whose files may be chosen. After all writers have
 * finished, before all else. */
int fold_read(const struct fold_options *options, struct error *err);
/* Indexes into files, ascending; *out (mem_free) NULL when none. */
int fold_choose(const struct fold_options *options, size_t **out,
		size_t *count_out, struct error *err);
#endif
