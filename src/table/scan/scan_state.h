#ifndef TABLE_SCAN_SCAN_STATE_H
#define TABLE_SCAN_SCAN_STATE_H
#include <stdatomic.h>
#include "table/scan/snapshot_state.h"

/*
 * A scan in progress, as the files of this room see it. Private.
 */

/* Names for files without field ids (schema.name-mapping.default), of fields
 * at every level. */
struct name_map {
	struct name_map_entry {
		int32_t field_id;
		const char **names;
		size_t name_count;
	} *entries;
	size_t count;
	size_t capacity;
	bool is_set;		/* there is a mapping, maybe an empty one */
};
int name_map_parse(const struct table_metadata *metadata,
		   struct arena *arena, struct name_map *out,
		   struct error *err);

/* Where the values of a table's column are, in one data file. */
struct column_source {
	bool is_leaf;			/* of a flat column */
	size_t leaf;
	bool is_nested;			/* in the file: see nested */
	struct nested_source nested;
	struct literal constant;	/* when it is neither */
};
struct source_request {
	const struct snapshot_files *files;
	const struct name_map *names;
	const struct parquet_reader *reader;
	const struct data_file *data_file;
	struct arena *arena;		/* for what out->nested points to */
};
/*
 * The rules of iceberg.md 5.1, at every level. Errors: ERROR_UNSUPPORTED (of
 * another kind than the column), ERROR_CORRUPT (a required column or field
 * without a value).
 */
int column_source_find(const struct source_request *request,
		       const struct column_def *column,
		       struct column_source *out, struct error *err);

/* Why a file is not read. */
enum prune_reason {
	PRUNE_NOT,
	PRUNE_PARTITION,
	PRUNE_BOUNDS,
};

#define RANGE_NONE UINT16_MAX

struct projection;

/* One data file of the scan, opened by the first stream that needs it. */
struct scan_file {
	const struct snapshot_file *file;
	size_t index;			/* in the snapshot */
	pthread_mutex_t lock;
	struct parquet_reader *reader;	/* NULL = not open */
	struct roaring64 *deletes;	/* NULL = none */
	bool deletes_loaded;
	bool counted;			/* in files_scanned */
	size_t tasks_left;		/* of the plan; guarded by lock */
};

/* Row groups that one stream reads in order. */
struct scan_task {
	size_t file;		/* of scan->files */
	size_t first_group;
	size_t group_limit;	/* SIZE_MAX: to the end of the file */
	bool planned;		/* has passed group_filter() */
};

struct table_scan {
	struct snapshot_files *files;
	const struct schema *schema;
	struct arena arena;
	size_t *columns;
	size_t column_count;
	struct column_range *ranges;
	size_t range_count;
	struct projection *projections;	/* of file_filter.c */
	bool want_lineage;
	struct name_map names;
	struct scan_file *scan_files;
	size_t file_count;
	struct scan_task *tasks;
	size_t task_count;
	size_t task_capacity;
	uint16_t *manifest_ranges;	/* per manifest: what ruled it out */
	uint8_t *reasons;		/* per file of the snapshot */
	uint16_t *reason_ranges;	/* the range that pruned it */
	_Atomic uint64_t next_task;
	_Atomic uint64_t files_scanned;
	_Atomic uint64_t groups_scanned;
	_Atomic uint64_t groups_pruned;
	_Atomic uint64_t groups_bloomed;	/* of these, by Bloom filter */
	_Atomic uint64_t groups_unlisted;	/* of these, by dictionary */
	_Atomic uint64_t pages_pruned;
	_Atomic uint64_t rows_scanned;
	_Atomic uint64_t bytes_read;
	uint64_t files_pruned;
};

/* Open the file if it is not; *deletes too if that is not NULL. Errors name
 * the file. scan_file_done() closes it after the last of its tasks. */
int scan_file_open(struct table_scan *scan, struct scan_file *file,
		   bool with_deletes, struct error *err);
void scan_file_done(struct scan_file *file);
void scan_file_close(struct scan_file *file);

/*
 * What statistics leave of a scan (file_filter.c, group_filter.c). false only
 * when no row can pass the ranges.
 */
int file_filter(struct table_scan *scan, const struct snapshot_file *file,
		enum prune_reason *reason, size_t *range, struct error *err);
/* The same for all files of a data manifest, by what the list says. */
int manifest_filter(struct table_scan *scan, size_t manifest, bool *may_match,
		    size_t *range, struct error *err);
/* By statistics, which are at hand; by Bloom filters and dictionaries, which
 * are read. */
int group_filter(struct table_scan *scan, struct scan_file *file,
		 size_t group, bool *may_match, struct error *err);
int value_filter(struct table_scan *scan, struct scan_file *file,
		 size_t group, bool *may_match, struct error *err);
/* May rows pass whose values all are this one? */
bool constant_may_match(const struct column_range *range,
			const struct literal *value, int64_t row_count);
/* Clear in spans (bit i: rows from i * BATCH_ROW_COUNT on) what no page of
 * the group can match. */
int page_filter(struct table_scan *scan, struct scan_file *file,
		size_t group, uint64_t *spans, size_t span_count,
		struct error *err);
#endif
