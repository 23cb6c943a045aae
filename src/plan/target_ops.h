#ifndef PLAN_TARGET_OPS_H
#define PLAN_TARGET_OPS_H
#include "column/column.h"
#include "expr/expr.h"
#include "plan/table_change.h"

/*
 * How the engine knows a target. It calls, in this order: schema,
 * merge_row_id_column, row_change_paradigm, insert_layout, update_layout,
 * merge_begin (the last step of planning), then scans and sinks, and last
 * merge_finish with the fragments of all sinks, or merge_abort.
 * An operation that is NULL answers ERROR_NOT_SUPPORTED: call through
 * plan's target_*() functions, which say so.
 */

enum row_change_paradigm {
	/* An update is a delete and an insert: merge-on-read. */
	DELETE_ROW_AND_INSERT_ROW,
	/* An update stays one: copy-on-write. */
	CHANGE_ONLY_UPDATED_COLUMNS,
};

enum statement_kind {
	STATEMENT_MERGE,
	STATEMENT_UPDATE,
	STATEMENT_DELETE,
	STATEMENT_INSERT,
};

/* Numbers of the operation column (Trino). */
enum row_operation {
	OPERATION_NONE = -1,
	OPERATION_INSERT = 1,
	OPERATION_DELETE = 2,
	OPERATION_UPDATE = 3,
};

/* Columns (table ordinals) and function that place a row; column_count 0 = no
 * layout. function: "partition" or "bucket" or the target's own word. */
struct write_layout {
	const size_t *columns;
	size_t column_count;
	const char *function;
	/* The target finds deleted rows without these columns: pages of
	 * deletes need not hold them but to be shown. */
	bool skips_deletes;
};

/* What identifies a row to this target, for explain and messages. */
struct row_id_column {
	const char *name;	/* "_row" */
	/* Does a batch of the scan carry lineage ids (Iceberg v3 _row_id)? */
	bool has_lineage;
};

struct merge_begin_options {
	enum statement_kind statement;
	enum row_change_paradigm paradigm;
	bool reads_target;	/* false: a blind insert */
	/* Columns (bool each) that an UPDATE clause may change; NULL = all.
	 * Pages need not hold the others for an OPERATION_UPDATE where the
	 * paradigm is CHANGE_ONLY_UPDATED_COLUMNS. */
	const bool *updated_columns;
	size_t thread_count;
	size_t memory_bytes;	/* budget for the target's buffers */
	const char *spill_directory;	/* NULL = the target's own place */
	bool unsorted;	/* new rows stay as they come, whatever the order */
	int64_t now_us;
	const struct log_sink *log;	/* may be NULL */
};

/*
 * What a scan should give. Row ids are always given.
 */
struct target_scan_request {
	/* Columns materialised in every batch, ascending table ordinals. */
	const size_t *columns;
	size_t column_count;
	/*
	 * Rows that fail one of these may be left out (files, row groups and
	 * pages are skipped by statistics and Bloom filters); they need not
	 * be. Nothing else is left out but deleted rows.
	 */
	const struct column_range *ranges;
	size_t range_count;
};

/* One batch of a scan. Vectors of columns not asked for are empty. */
struct target_batch {
	struct batch batch;	/* table columns in table order */
	const uint64_t *row_ids;	/* ascending within a batch */
	const int64_t *lineage_ids;	/* NULL, or INT64_MIN = none yet */
};

/* What a scan did, for the summary and explain. */
struct target_scan_stats {
	uint64_t files_scanned;
	uint64_t files_pruned;
	uint64_t row_groups_scanned;
	uint64_t row_groups_pruned;
	uint64_t pages_pruned;
	uint64_t rows_scanned;
	uint64_t bytes_read;
};

/*
 * The page that a row-change processor gives to a sink (DESIGN 4.7). Arrays
 * have row_count entries. columns: table order; a vector with data NULL means
 * "not needed": it is NULL for every row of the page (deletes), or every row
 * keeps its value (updates, see merge_begin_options.updated_columns). No
 * operation is OPERATION_NONE.
 */
struct change_page {
	size_t row_count;
	const struct vector *const *columns;
	size_t column_count;
	const int8_t *operation;
	const int32_t *case_number;
	const uint64_t *row_id;		/* ROW_ID_NONE for an insert that is none of a row */
	const int64_t *lineage_id;	/* INT64_MIN = none; NULL = no lineage */
	const uint8_t *insert_from_update;
	/* Which work unit of the input the rows are from, ascending within a
	 * sink: a hint for the order of rows in files, nothing else. */
	uint64_t unit;
};

/* JSON texts that say what a sink wrote. */
struct fragments {
	char **items;		/* mem_alloc'ed strings */
	size_t count;
	size_t capacity;
};
int fragments_add(struct fragments *fragments, char *item /* taken */,
		  struct error *err);
void fragments_release(struct fragments *fragments);

struct merge_outcome {
	int64_t version_before;	/* 0 = none */
	int64_t version_after;	/* equal to before: nothing was committed */
	uint64_t files_added;
	uint64_t files_removed;
	uint64_t bytes_written;
	/* Of files rewritten: taken over as they were, and encoded again. */
	uint64_t bytes_copied;
	uint64_t bytes_reencoded;
	uint32_t attempts;
	/* A file: before and after differ when it was replaced. */
	bool has_no_versions;
	bool changes_schema;	/* also without a change of rows */
	double commit_seconds;
};

/* How much a commit says about itself: counts by the engine. */
struct merge_finish_options {
	uint64_t rows_inserted;
	uint64_t rows_updated;
	uint64_t rows_deleted;
	bool dry_run;		/* everything but the commit; files are removed */
};

struct relation;
struct target;		/* a target that implements ops has `ops` first */
struct merge_handle;
struct target_scan;
struct target_stream;
struct merge_sink;

struct target_ops {
	const char *(*name)(const struct target *target);
	const struct schema *(*schema)(const struct target *target);
	/* Columns that nothing types, as a relation whose schema is that of
	 * the target: the binder types them. NULL = all are typed. */
	struct relation *(*untyped_columns)(struct target *target);
	/* That the next commit will make if nobody else commits; NULL: the
	 * target has no versions. */
	int64_t (*next_version)(const struct target *target);
	/* Take changes that the next commit makes with the rows, as one
	 * version (WITH SCHEMA EVOLUTION), or a version of their own if no
	 * row changes; schema() has them at once, the one before it stays
	 * valid. Before merge_begin. What hangs below the changes is kept. */
	int (*evolve)(struct target *target,
		      const struct table_change *changes, size_t count,
		      struct error *err);
	int (*merge_row_id_column)(struct target *target,
				   struct row_id_column *out,
				   struct error *err);
	int (*row_change_paradigm)(struct target *target,
				   enum statement_kind statement,
				   enum row_change_paradigm *out,
				   struct error *err);
	/* Lines for explain, appended: how much a change of these columns
	 * (bool each) in place costs at most. NULL = nothing is said. */
	int (*explain_update)(struct target *target,
			      const bool *updated_columns, struct text *out,
			      struct error *err);
	int (*insert_layout)(struct target *target, struct write_layout *out,
			     struct error *err);
	int (*update_layout)(struct target *target, struct write_layout *out,
			     struct error *err);
	/* Checks that the target is writable, pins the base, opens the
	 * transaction. */
	int (*merge_begin)(struct target *target,
			   const struct merge_begin_options *options,
			   struct merge_handle **out, struct error *err);
	/* The target a handle was begun for. */
	struct target *(*handle_target)(const struct merge_handle *handle);
	/* Number of physical rows: row ids lie below it. Before the first scan
	 * of the handle this may have to look at all of the target. */
	uint64_t (*row_id_limit)(const struct merge_handle *handle);
	/* Rows there are, also before they were scanned; fewer where deletes
	 * cannot be read. NULL: their limit. */
	int (*row_count)(const struct merge_handle *handle, uint64_t *out,
			 struct error *err);
	/* "data/x.parquet" and position of a row id. */
	int (*describe_row)(const struct merge_handle *handle,
			    uint64_t row_id, const char **file_out,
			    uint64_t *position_out);

	int (*scan_new)(struct merge_handle *handle,
			const struct target_scan_request *request,
			struct target_scan **out, struct error *err);
	size_t (*scan_parallelism)(const struct target_scan *scan);
	/* Any thread; streams share out the row groups. */
	int (*stream_new)(struct target_scan *scan,
			  struct target_stream **out, struct error *err);
	/* *out NULL at the end; valid until the next call. Rows of one row
	 * group come in order and all to one stream. */
	int (*stream_next)(struct target_stream *stream,
			   struct target_batch **out, struct error *err);
	/*
	 * Late materialisation: values of one column for the given rows of
	 * the current batch (ascending), densely into out; valid until the
	 * next call for this column or stream_next. May be called several
	 * times for one batch.
	 */
	int (*stream_fetch)(struct target_stream *stream, size_t column,
			    const struct selection *rows, struct vector *out,
			    struct error *err);
	void (*stream_free)(struct target_stream *stream);
	void (*scan_stats)(const struct target_scan *scan,
			   struct target_scan_stats *out);
	/* What the scan will leave out and why, in lines, appended; before
	 * its first stream. NULL = the target does not say. */
	int (*scan_explain)(struct target_scan *scan, struct text *out,
			    struct error *err);
	void (*scan_free)(struct target_scan *scan);

	/* A sink per worker; used by one thread at a time. */
	int (*sink_new)(struct merge_handle *handle, struct merge_sink **out,
			struct error *err);
	int (*sink_store)(struct merge_sink *sink,
			  const struct change_page *page, struct error *err);
	/* Write what is buffered; add fragments. The sink stays until free. */
	int (*sink_finish)(struct merge_sink *sink, struct fragments *out,
			   struct error *err);
	/* Without finish: its files are removed. */
	void (*sink_free)(struct merge_sink *sink);

	/* One commit of all fragments, or none (no change: no version).
	 * The handle is freed by finish and abort alike, also on failure. */
	int (*merge_finish)(struct merge_handle *handle,
			    const struct fragments *fragments,
			    const struct merge_finish_options *options,
			    struct merge_outcome *out, struct error *err);
	void (*merge_abort)(struct merge_handle *handle);
	void (*free)(struct target *target);
};

struct target {
	const struct target_ops *ops;
};

/* The default of an operation that a target lacks: ERROR_NOT_SUPPORTED with
 * the target's name. */
int target_evolve(struct target *target, const struct table_change *changes,
		  size_t count, struct error *err);
int target_row_change_paradigm(struct target *target,
			       enum statement_kind statement,
			       enum row_change_paradigm *out,
			       struct error *err);
int target_merge_row_id_column(struct target *target,
			       struct row_id_column *out, struct error *err);
/* No layout when the target has no such operation. The update layout falls
 * back to the insert layout when it is empty. */
int target_insert_layout(struct target *target, struct write_layout *out,
			 struct error *err);
int target_update_layout(struct target *target, struct write_layout *out,
			 struct error *err);
int target_merge_begin(struct target *target,
		       const struct merge_begin_options *options,
		       struct merge_handle **out, struct error *err);
void target_free(struct target *target);
#endif
