#ifndef FILETARGET_FILETARGET_H
#define FILETARGET_FILETARGET_H
/*
 * filetarget: plain files as targets of the engine: a CSV or a Parquet file is
 * read where it stands and replaced by a new one in one step. The second
 * implementation of plan/target_ops.h; it has no versions and no history.
 */
#include "plan/plan.h"
#include "source/source.h"

struct file_target_options {
	struct csv_options csv;
	/* Types of CSV columns by name; NULL = none. Others are of the type
	 * that the statement needs. */
	const struct schema *types;
	size_t thread_count;
	int64_t wait_ms;	/* for another writer; -1 = the default, 10 s */
};

/*
 * The file is locked until the target is freed. Symbolic links are followed.
 * Row ids are row numbers. Errors: ERROR_IO (it is not there),
 * ERROR_NOT_SUPPORTED (not a .csv, .tsv or .parquet, or of a kind that cannot
 * be written as it was), ERROR_LOCKED and those of reading a header.
 */
int file_target_new(struct target **out, const char *path,
		    const struct file_target_options *options,
		    struct error *err);
#endif
