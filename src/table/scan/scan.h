#ifndef TABLE_SCAN_SCAN_H
#define TABLE_SCAN_SCAN_H
/*
 * table/scan: reads a snapshot. Which files it has, which deletes apply to
 * each, what can be skipped, and streams of batches with row ids and late
 * columns. It changes nothing and knows no versions.
 */
#include "codec/codec.h"
#include "iceberg/iceberg.h"
#include "parquet/parquet.h"
#include "plan/plan.h"

/* How a URI in the metadata becomes a path here (catalog_resolve_path). */
struct path_resolver {
	void *context;
	int (*resolve)(void *context, const char *uri, struct arena *arena,
		       char **out, struct error *err);
};

/* A live data file with what deletes rows in it. */
struct snapshot_file {
	const struct manifest_entry *entry;	/* NULL: not read yet */
	size_t manifest;	/* index of its manifest in the snapshot */
	uint64_t first_row;	/* row id of its row 0 */
	/* Live delete entries that apply (position files, DV, equality). */
	const struct manifest_entry **deletes;
	size_t delete_count;
};

/*
 * The files of one snapshot, in manifest-list order, with dense row ids.
 * Manifests are read when they are needed; a file whose manifest was not read
 * has its place in files, its number of rows included, but no entry. Reading
 * is for one thread while no other uses the files; what was read stays.
 */
struct snapshot_files {
	struct arena arena;
	const struct table_metadata *metadata;
	const struct snapshot *snapshot;	/* NULL = empty table */
	const struct schema *schema;		/* the snapshot's or current */
	struct path_resolver resolver;
	struct manifest_file *manifests;
	size_t manifest_count;
	bool *is_read;		/* per manifest */
	/* Entries of manifest i, all statuses; none if it is not read. */
	struct manifest_entry **entries;
	size_t *entry_counts;
	/* What follows is there after the first snapshot_files_read(). */
	bool is_numbered;
	struct snapshot_file *files;
	size_t file_count;
	uint64_t row_id_limit;
	struct snapshot_state *state;	/* of this room alone */
};
/* Read the manifest list only. */
int snapshot_files_open(struct snapshot_files **out,
			const struct table_metadata *metadata,
			const struct snapshot *snapshot,
			const struct schema *schema,
			const struct path_resolver *resolver,
			struct error *err);
/*
 * Read the manifests that are wanted (bool each; NULL = all) and were not
 * read yet, those of deletes that may apply to files of manifests that are
 * read, and those that the list says too little of.
 */
int snapshot_files_read(struct snapshot_files *files, const bool *wanted,
			struct error *err);
bool snapshot_files_are_read(const struct snapshot_files *files);
/* Has it live entries, read or not? */
bool snapshot_manifest_has_live(const struct snapshot_files *files, size_t m);
/*
 * Read the manifests of a spec in which files of one of these partitions (a
 * value per field each) may be.
 */
int snapshot_files_read_partitions(struct snapshot_files *files,
				   int32_t spec_id,
				   const struct literal *const *partitions,
				   size_t count, struct error *err);
/* Open, and read all manifests. */
int snapshot_files_load(struct snapshot_files **out,
			const struct table_metadata *metadata,
			const struct snapshot *snapshot,
			const struct schema *schema,
			const struct path_resolver *resolver,
			struct error *err);
void snapshot_files_free(struct snapshot_files *files);
/* The file that holds a row id; its position is row_id - file->first_row. */
const struct snapshot_file *
snapshot_files_find(const struct snapshot_files *files, uint64_t row_id);
/*
 * Positions deleted in one file by all position deletes and the DV that apply
 * (rules of iceberg.md 12.3); *out NULL = none. Equality deletes are applied
 * by the streams. Thread safe.
 */
int snapshot_file_deletes(const struct snapshot_files *files,
			  const struct snapshot_file *file,
			  struct roaring64 **out, struct error *err);
/*
 * Is a position delete entry about this data file and no other? Equal bounds
 * of its paths may be what is left of several, cut to their common beginning.
 */
bool delete_is_about(const struct data_file *deletes,
		     const struct data_file *data);
/* The columns file_path and pos of a position delete file. ERROR_CORRUPT. */
int position_delete_leaves(const struct parquet_reader *reader,
			   size_t out[2], struct error *err);
/* Rows that are live: record counts minus deleted positions known from the
 * metadata (exact unless there are equality deletes). */
uint64_t snapshot_live_rows(const struct snapshot_files *files);
uint64_t snapshot_file_live_rows(const struct snapshot_files *files,
				 const struct snapshot_file *file);

/*
 * Where the values of a table column are in a data file with field ids: in a
 * leaf, in a nested column, or one constant for all of its rows (iceberg.md
 * 5.1). Lives in arena.
 */
struct file_column {
	bool is_leaf;
	bool is_nested;
	size_t leaf;
	struct nested_source nested;
	struct literal constant;
};
int table_file_column(const struct snapshot_files *files,
		      const struct parquet_reader *reader,
		      const struct data_file *file,
		      const struct column_def *column, struct arena *arena,
		      struct file_column *out, struct error *err);

/*
 * A scan over the files for plan's target_scan_request. files is kept, and so
 * are the lists of values of the ranges; all else is copied. want lineage
 * ids: v3. only_file: restrict to that file (index), or SIZE_MAX.
 */
struct table_scan;
int table_scan_new(struct table_scan **out, struct snapshot_files *files,
		   const struct target_scan_request *request,
		   bool want_lineage, size_t only_file, struct error *err);
void table_scan_free(struct table_scan *scan);
/* Row groups that are left after file and row-group pruning, and so the
 * number of streams that can be busy; files' footers are read in parallel by
 * the streams, not here, when there are many. */
size_t table_scan_parallelism(const struct table_scan *scan);
void table_scan_stats(const struct table_scan *scan,
		      struct target_scan_stats *out);
/* Why something was skipped, as lines for explain; appended. */
int table_scan_explain(struct table_scan *scan, struct text *out,
		       struct error *err);

/* May the property have the value? A scan would fail by a list of names that it
 * cannot read: ERROR_BAD_ARGUMENT. Of other keys all values are fine. */
int scan_check_property(const char *key, const char *value, struct error *err);

/* The stream behind plan's stream_new / next / fetch. */
struct table_stream;
int table_stream_new(struct table_stream **out, struct table_scan *scan,
		     struct error *err);
int table_stream_next(struct table_stream *stream, struct target_batch **out,
		      struct error *err);
int table_stream_fetch(struct table_stream *stream, size_t column,
		       const struct selection *rows, struct vector *out,
		       struct error *err);
void table_stream_free(struct table_stream *stream);
#endif
