#ifndef TABLE_WRITE_WRITE_STATE_H
#define TABLE_WRITE_WRITE_STATE_H
#include <pthread.h>
#include <stdatomic.h>
#include "table/write/partition.h"
#include "table/write/rolling_file.h"
#include "table/write/sort_state.h"
#include "table/write/update_map.h"

/*
 * What the writers of one statement share. Private to table/write.
 */
#define FIELD_ROW_LINEAGE_ID INT32_C(2147483540)
#define FIELD_LAST_UPDATED INT32_C(2147483539)
#define FIELD_DELETE_PATH INT32_C(2147483546)
#define FIELD_DELETE_POSITION INT32_C(2147483545)

/* How much the manifest says of a column. */
enum metrics_mode {
	METRICS_NONE,
	METRICS_COUNTS,
	METRICS_TRUNCATE,
	METRICS_FULL,
};
struct column_metrics_mode {
	enum metrics_mode mode;
	size_t width;		/* of METRICS_TRUNCATE */
};

/* How a kind of file is written. */
struct file_layout {
	struct schema schema;		/* names as Parquet has them */
	struct parquet_options parquet;
	char *iceberg_schema;
	struct column_metrics_mode *metrics;	/* per leaf column */
	size_t leaf_count;
};
/* Of the table's data files: as they are, and with the two lineage columns
 * behind. Strings go into arena. */
int data_layout_init(struct file_layout *out,
		     const struct table_metadata *metadata,
		     const struct schema *columns, bool with_lineage,
		     struct arena *arena, struct error *err);
/* Of v2's position delete files. */
int delete_layout_init(struct file_layout *out,
		       const struct table_metadata *metadata,
		       struct arena *arena, struct error *err);
void file_layout_release(struct file_layout *layout);
/* A property that is a whole number > 0. */
size_t property_size(const struct table_metadata *metadata, const char *key,
		     size_t otherwise);
/* What the manifest says of one column, in arena; unknown counts are -1. */
int file_metrics_column(const struct parquet_column_totals *totals,
			const struct column_metrics_mode *mode,
			struct arena *arena, struct column_metrics *out,
			struct error *err);
/* Leaves of a column of the type, in the order of layout.metrics. */
size_t type_leaf_count(const struct type *type);
/* The metrics of a finished file, in arena. */
int file_metrics(const struct parquet_writer *writer,
		 const struct file_layout *layout, struct arena *arena,
		 struct data_file *out, struct error *err);

/* Deleted positions of one data file. */
struct delete_list {
	uint64_t *positions;	/* not in set yet */
	size_t count;
	size_t capacity;
	struct roaring64 *set;	/* NULL = none */
};
/* By data file (index in the snapshot). For one thread. */
struct delete_map {
	struct delete_list **lists;	/* NULL, or one per file */
	size_t file_count;
};
void delete_map_release(struct delete_map *map);
/* Row ids where operation[i] is DELETE, or UPDATE where those replace rows. */
int delete_map_add(struct delete_map *map,
		   const struct snapshot_files *files,
		   const struct change_page *page, bool with_updates,
		   struct error *err);
int delete_map_reserve(struct delete_map *map, size_t file_count,
		       struct error *err);
/* Have a set for the file, maybe an empty one. After reserve threads may do
 * so for different files at once. */
int delete_map_ensure(struct delete_map *map,
		      const struct snapshot_files *files, size_t file,
		      struct error *err);
/* Move everything of from into map. */
int delete_map_merge(struct delete_map *map, struct delete_map *from,
		     struct error *err);
/* All positions of a file as one set that stays with map; NULL = none. */
int delete_map_set(struct delete_map *map, size_t file,
		   struct roaring64 **out, struct error *err);
/* Forget a file: what it lost is dealt with. */
void delete_map_drop(struct delete_map *map, size_t file);

struct write_context {
	struct write_options options;
	struct arena arena;		/* guarded by lock once writers run */
	char uuid[UUID_TEXT_BYTES];
	char *data_directory;
	const struct schema *columns;	/* of the table */
	bool has_lineage;		/* format version 3 */
	const struct partition_spec *spec;	/* of new files */
	struct type *partition_types;	/* of its values */
	struct field_place *sources;	/* of its fields */
	bool is_partitioned;		/* a field of spec places rows */
	size_t group_rows;
	size_t group_bytes;
	size_t file_bytes;
	struct sort_plan sort;
	const char *spill_directory;
	size_t sort_bytes;		/* that a sort buffer may hold */
	size_t open_limit;		/* partitions */
	size_t pool_limit;		/* bytes in all idle encoders, about */
	_Atomic int64_t pool_bytes;
	struct partition *whole;	/* the only one if not partitioned */
	struct file_layout layouts[LANE_COUNT];
	bool layout_ready[LANE_COUNT];
	struct file_layout delete_layout;
	bool delete_layout_ready;
	atomic_bool lineage_used;
	pthread_mutex_t lock;		/* of what is below */
	struct partition **partitions;
	size_t partition_count;
	size_t partition_capacity;
	struct sort_buffer *sorted;	/* of finished sinks */
	uint32_t *partition_slots;	/* by hash: number + 1 */
	size_t partition_mask;
	uint32_t next_file;
	char **paths;			/* files made, for removal and sync */
	size_t path_count;
	size_t path_capacity;
	size_t synced_count;		/* of paths */
	bool made_directory;
	bool kept;
	uint64_t bytes;
	struct delete_map deletes;	/* of finished writers */
	/*
	 * Copy-on-write that changes columns: updates are no deletes and
	 * inserts, but values for places. Else whole images come.
	 */
	bool keeps_places;
	bool rewrites_whole;	/* rowmerge.write.update.columns = all */
	size_t update_bytes;	/* a writer's share of the memory */
	struct update_columns update_columns;
	struct update_map updates;	/* of finished writers */
	char **replaced;	/* per file: URI of the one with its places */
	uint64_t copied_bytes;
	uint64_t fresh_bytes;	/* of chunks written anew beside those */
	_Atomic uint64_t moved_rows;	/* of files rewritten whole */
	uint64_t lane_rows;	/* of all finished files of lanes */
	uint64_t lane_bytes;
};

/* Rows on their way into row groups of the lanes; for one thread. */
struct row_sink_lane {
	struct parquet_encoder *encoder;	/* NULL = not used yet */
	size_t writer;	/* number in the rolling file, SIZE_MAX = unordered */
	uint64_t unit;			/* of the first row in the encoder */
};
struct row_sink {
	struct write_context *context;
	int ordered_lane;		/* its files follow the units; -1 */
	struct row_sink_lane lanes[LANE_COUNT];
	const struct vector **columns;	/* scratch: table's and lineage */
	struct vector lineage[2];	/* _row_id, _last_updated */
	struct partition_router router;	/* of a partitioned table */
	struct sort_buffer *sort;	/* NULL = not needed yet */
	uint32_t *sort_rows;		/* scratch: rows of a batch, and */
	uint32_t *sort_partitions;	/* where they go */
	size_t sort_capacity;
};
/* ordered_lane: rows of this lane keep the order of units; -1 = of none. */
int row_sink_init(struct row_sink *sink, struct write_context *context,
		  int ordered_lane, struct error *err);
void row_sink_release(struct row_sink *sink);
/*
 * Add rows. lineage: the two columns in sink->lineage, aligned with the
 * batch, are to be written.
 */
int row_sink_add(struct row_sink *sink, const struct vector *const *columns,
		 const struct selection *rows, uint64_t unit, bool lineage,
		 struct error *err);
int row_sink_finish(struct row_sink *sink, struct error *err);

/* Make a file data/<directory>/<number>-0-<uuid>-<number><suffix>, directory
 * "" = none; uri (mem_free). */
int write_context_create(struct write_context *context, const char *directory,
			 const char *suffix, struct output_file **out,
			 char **uri_out, struct error *err);
/* Remove all that was made; there is no commit. */
void write_context_remove_files(struct write_context *context);
/* Add the size of a finished file. */
void write_context_count(struct write_context *context, uint64_t bytes);
/* Add what a file of which some columns were changed is made of. */
void write_context_count_kept(struct write_context *context, uint64_t copied,
			      uint64_t fresh);
/* Add a finished file of a lane. */
void write_context_count_lane(struct write_context *context, uint64_t rows,
			      uint64_t bytes);
int write_context_layout(struct write_context *context, int lane,
			 struct error *err);
/* The files of a partition and lane; they live with the context. */
int write_context_lane(struct write_context *context,
		       struct partition *partition, int lane,
		       struct rolling_file **out, struct error *err);
/* Write rows of the largest idle encoder while all hold too much. */
int write_context_relieve(struct write_context *context, struct error *err);
int add_fragment(struct fragments *out, const struct fragment *fragment,
		 struct error *err);

/* merge-on-read: what write_context_finish() does then. */
int write_deletes(struct write_context *context, struct fragments *out,
		  struct error *err);
/* Fragments that remove a data file and the deletes about it alone. */
int remove_data_file(const struct snapshot_file *file,
		     struct fragments *out, struct error *err);
int remove_file_deletes(const struct snapshot_file *file,
			struct fragments *out, struct error *err);
/* Rewrite files (indexes) without their deleted rows and those in the
 * context's deletes; adds removals, rows go to the lanes. */
int rewrite_files(struct write_context *context, const size_t *indexes,
		  size_t count, struct fragments *out, struct error *err);
/*
 * Change columns of those of the files (indexes) where that is possible and
 * pays; the others stay in indexes, *count of them. What was deleted in a
 * changed file, now or before, is left in the context's deletes, for
 * write_deletes() to name the new file.
 */
int patch_files(struct write_context *context, size_t *indexes,
		size_t *count, struct fragments *out, struct error *err);
#endif
