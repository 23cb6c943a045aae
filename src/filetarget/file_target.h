#ifndef FILETARGET_FILE_TARGET_H
#define FILETARGET_FILE_TARGET_H
#include <pthread.h>
#include "filetarget/filetarget.h"
#include "filetarget/csv_dialect.h"
#include "filetarget/file_changes.h"

/* The inside of the room: what the two kinds of files share, and differ in. */

struct file_target {
	struct target base;		/* first: callers hold this */
	const struct file_format *format;
	struct relation columns;	/* schema, and what nothing types */
	char *name;			/* as given */
	char *path;			/* absolute, links followed */
	struct file_lock *lock;
	struct file_stamp seen;	/* when it was opened */
	struct file_target_options options;
	struct csv_input *csv;		/* CSV: open until it is scanned */
	struct csv_dialect dialect;
	struct parquet_reader *parquet;
	struct parquet_options parquet_options;
};

struct merge_handle {
	struct file_target *target;
	struct merge_begin_options begin;
	pthread_mutex_t lock;
	struct file_changes changes;	/* of finished sinks */
	uint64_t rows_scanned;		/* atomic; of the last scan */
	uint64_t first_line;		/* CSV: where its row 0 begins */
	bool is_scanned;
};

/* A kind of file. */
struct file_format {
	int (*open)(struct file_target *target, struct error *err);
	void (*close)(struct file_target *target);
	/* All rows with all columns, first_row exact. */
	int (*rows_open)(struct file_target *target, struct batch_source **out,
			 struct error *err);
	/* Rows lie below it. */
	uint64_t (*row_limit)(const struct file_target *target);
	/* Exactly, if need be by reading all of it. */
	int (*row_count)(const struct file_target *target, uint64_t *out,
			 struct error *err);
	/* Note a page's updates and inserts; deletes are noted already. */
	int (*add_page)(struct file_target *target,
			struct file_changes *changes,
			const struct change_page *page, struct error *err);
	/* What is buffered of inserts. */
	int (*finish_changes)(struct file_target *target,
			      struct file_changes *changes,
			      struct error *err);
	/* The whole new file; changes are sorted. */
	int (*rewrite)(struct merge_handle *handle, struct output_file *out,
		       struct error *err);
};
extern const struct file_format csv_format;
extern const struct file_format parquet_format;
#endif
