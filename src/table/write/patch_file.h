#ifndef TABLE_WRITE_PATCH_FILE_H
#define TABLE_WRITE_PATCH_FILE_H
#include "table/write/write_state.h"

/*
 * A data file of which only some columns are written anew. Private to
 * table/write: patch_plan.c decides, patch_write.c writes, patch_files.c runs
 * over all files of a statement.
 */
enum fresh_kind {
	FRESH_VALUES,		/* of an update slot */
	FRESH_ROW_ID,		/* _row_id, made explicit */
	FRESH_LAST_UPDATED,	/* null where the statement changed the row */
};

/* A column of which some or all groups are written anew. */
struct fresh_column {
	enum fresh_kind kind;
	size_t slot;		/* of FRESH_VALUES */
	size_t column;		/* in patch_file.columns */
	size_t layout;		/* its column in the layout */
	bool writes_all;	/* no group can be copied */
	struct schema schema;	/* it alone */
	struct parquet_options options;
	bool bloom;
	struct file_column place;	/* of its old values */
};

struct patch_file {
	struct write_context *context;
	size_t index;
	const struct snapshot_file *file;
	struct arena arena;
	struct parquet_reader *reader;
	struct parquet_top *tops;
	size_t top_count;
	const struct file_layout *layout;
	struct parquet_patch_column *columns;	/* of the new file */
	size_t *metrics;	/* each one's first mode in the layout */
	size_t column_count;
	struct fresh_column *fresh;
	size_t fresh_count;
	/* while it is written */
	struct output_file *output;
	char *uri;
	struct parquet_patch *patch;
	atomic_size_t next_group;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	size_t turn;		/* the group that is appended next */
	atomic_bool failed;
};

/* What a statement does to a file, and what that costs about. */
enum patch_choice {
	PATCH_WHOLE,		/* rewrite all of it */
	PATCH_COLUMNS,
};
/* Open the file and choose. The file is released in any case. */
int patch_file_open(struct patch_file *file, struct write_context *context,
		    size_t index, enum patch_choice *choice,
		    struct error *err);
void patch_file_release(struct patch_file *file);
/* Write the new file with so many threads; its fragment goes to out. */
int patch_file_write(struct patch_file *file, size_t thread_count,
		     struct fragments *out, struct error *err);
#endif
