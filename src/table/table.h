#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H
/*
 * table: a live Iceberg table in a directory: open, create, change
 * properties, read its rows, its history, and the target that the engine
 * merges into.
 */
#include "table/catalog/catalog.h"
#include "table/scan/scan.h"

struct table;
/* version 0 = the newest. */
int table_open(struct table **out, const char *directory, int64_t version,
	       struct error *err);
void table_free(struct table *table);
const struct catalog_table *table_catalog(const struct table *table);
const struct table_metadata *table_metadata_of(const struct table *table);
/* Schema of the version that is open. */
const struct schema *table_schema(const struct table *table);
/* The files of its snapshot, all of them, loaded once. */
int table_files(struct table *table, struct snapshot_files **out,
		struct error *err);

struct table_create_options {
	const struct schema *schema;
	int format_version;	/* 0 = 2 */
	const struct key_value *properties;
	size_t property_count;
	bool or_replace;	/* an existing table gets a new schema and no
				 * rows as its next version */
	int64_t now_us;
	/* Source ids in these are 1 + the ordinal of the column. */
	const struct partition_spec *spec;	/* NULL = unpartitioned */
	const struct sort_order *sort_order;	/* NULL = unsorted */
	/* The same by names, where spec and sort_order are NULL. */
	const struct partition_term *partition_terms;
	size_t partition_term_count;
	const struct sort_term *sort_terms;
	size_t sort_term_count;
};
/* Errors: ERROR_TABLE_EXISTS. *version_out is the version made. */
int table_create(const char *directory,
		 const struct table_create_options *options,
		 int64_t *version_out, struct error *err);
/*
 * The table that CREATE [OR REPLACE] TABLE AS starts: open, without rows, as
 * the options say, and not published. The first commit of an
 * iceberg_target_new() on it makes table and rows one version; where nothing
 * is committed, table_create() makes the table. Errors: ERROR_TABLE_EXISTS.
 */
int table_stage(struct table **out, const char *directory,
		const struct table_create_options *options,
		struct error *err);
/* Remove the empty directories that table_stage() has made for a new table;
 * one that has been published stays. */
void table_stage_undo(const char *directory);
/*
 * ALTER TABLE: all changes as one version, made on the newest; nothing that
 * changes is no version. *version_out is the version made, 0 for none.
 * Errors: as metadata_evolve(), ERROR_BAD_ARGUMENT (properties),
 * ERROR_METADATA_CHANGED (lost too many races).
 */
int table_alter(const char *directory, const struct table_change *changes,
		size_t count, int64_t now_us, int64_t *version_out,
		struct error *err);
/* value NULL removes. Unknown rowmerge.* keys and bad values are
 * ERROR_BAD_ARGUMENT. As table_alter(). */
int table_set_properties(const char *directory,
			 const struct key_value *properties, size_t count,
			 int64_t now_us, int64_t *version_out,
			 struct error *err);

/*
 * A table that was copied or moved becomes one of where it is: everything
 * that records paths is written anew as the next version. *version_out is the
 * open one where there is nothing to do. Errors: ERROR_METADATA_CHANGED
 * (another writer was first), ERROR_FOREIGN_CATALOG, ERROR_UNSUPPORTED.
 */
int table_relocate(const char *directory, int64_t now_us,
		   int64_t *version_out, struct error *err);

/* Rows of the open version. wanted (bool per column), ranges: hints for
 * pruning; rows that fail them may still come. table is kept. unit follows
 * the order of files and row groups. */
int table_source_new(struct batch_source **out, struct table *table,
		     const bool *wanted, const struct column_range *ranges,
		     size_t range_count, struct error *err);

/* One version in the history, for log. */
struct table_version {
	int64_t version;
	int64_t parent;
	int64_t time_ms;
	int64_t snapshot_id;	/* -1 */
	const char *operation;	/* "merge", "create", or Iceberg's word */
	bool is_ours;		/* has a commit record */
	int64_t rows_inserted;	/* -1 unknown */
	int64_t rows_updated;
	int64_t rows_deleted;
	int64_t total_rows;	/* -1 unknown; live rows after it */
};
/* Newest first; lives in arena. */
int table_history(struct table *table, struct arena *arena,
		  struct table_version **out, size_t *count_out,
		  struct error *err);

/*
 * The table as a target of plan/target_ops.h. Takes the table. The paradigm
 * comes from write.{merge,update,delete}.mode.
 */
struct iceberg_target_options {
	int64_t wait_ms;	/* for the lock; -1 = default 10 s */
	uint32_t retry_limit;
	const struct key_value *summary;	/* e.g. spec digest */
	size_t summary_count;
};
int iceberg_target_new(struct target **out, struct table *table,
		       const struct iceberg_target_options *options,
		       struct error *err);
#endif
