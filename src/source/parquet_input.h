#ifndef SOURCE_PARQUET_INPUT_H
#define SOURCE_PARQUET_INPUT_H
#include "source/source.h"

/* One file of a Parquet input. */
struct parquet_file {
	char *name;			/* for messages */
	char *path;			/* that is opened; of a copy, if that */
	bool is_copy;			/* has the name no more: reader stays */
	struct parquet_reader *reader;	/* NULL = not open */
	struct file_stamp seen;		/* when it was opened first */
	bool is_seen;
	size_t users;			/* streams that read it */
	size_t groups_left;		/* row groups that nobody took yet */
	bool is_mapped;
	size_t group_count;
	uint64_t row_count;
	/* Per column of the input; the node of the root, NULL = missing. */
	const struct parquet_node **nodes;
	long *leaves;			/* -1 = none or nested */
};

struct parquet_input {
	struct arena arena;
	struct schema schema;
	bool *readable;
	struct parquet_file *files;
	size_t file_count;
	/* A column of extra_file that the first file lacks; NULL = none. */
	char *extra;
	const char *extra_file;
};

/* Open the file unless it is, and find its columns. */
int parquet_file_open(struct parquet_input *input, struct parquet_file *file,
		      struct error *err);
/* Has somebody written to it since? Then rc is ERROR_IO, else as it was. */
int parquet_file_blame(const struct parquet_file *file, int rc,
		       struct error *err);
/* Close it, if it can be opened again. */
void parquet_file_close(struct parquet_file *file);
#endif
