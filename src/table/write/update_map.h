#ifndef TABLE_WRITE_UPDATE_MAP_H
#define TABLE_WRITE_UPDATE_MAP_H
#include "table/write/write.h"

/*
 * New values of updated rows, by file and position, until all writers have
 * finished. Private to table/write.
 */

/* The columns that updates may change: slot k is table column columns[k]. */
struct update_columns {
	const struct schema *schema;
	size_t *columns;
	size_t count;
};

/* Rows of one page that lie in one file, ascending. */
struct update_run {
	uint32_t file;		/* index in the snapshot */
	uint32_t log;		/* of the map */
	uint32_t count;
	uint32_t span;		/* last position - first */
	uint64_t first;		/* position in the file */
	uint64_t slots;		/* bit per slot; the last: it or later ones */
	const uint8_t *data;	/* NULL = in the log's temporary file */
	uint64_t offset;	/* there */
	size_t bytes;
};

/* One writer's; for one thread. */
struct update_block;
struct update_log {
	const struct update_columns *columns;
	const char *directory;		/* for what does not fit in memory */
	size_t limit_bytes;
	struct update_run *runs;
	size_t run_count;
	size_t run_capacity;
	struct update_block *blocks;	/* the newest first */
	size_t block_bytes;		/* of all blocks kept */
	size_t open_run;		/* first run of the newest block */
	struct temporary_file *file;	/* NULL = not needed yet */
	uint64_t file_bytes;
};
void update_log_init(struct update_log *log,
		     const struct update_columns *columns,
		     const char *directory, size_t limit_bytes);
void update_log_release(struct update_log *log);
/*
 * Add rows (NULL = all of row_count) of a page: columns in table order, those
 * with data NULL keep the row's value. Everything is copied.
 */
int update_log_add(struct update_log *log,
		   const struct snapshot_files *files,
		   const struct vector *const *columns,
		   const uint64_t *row_ids, const struct selection *rows,
		   struct error *err);

/* All writers' logs. */
struct update_map {
	struct update_log *logs;
	size_t log_count;
	size_t log_capacity;
	/* After seal: ascending by file and first; those of file i are
	 * runs[file_first[i]] .. runs[file_first[i + 1] - 1]. */
	struct update_run *runs;
	size_t run_count;
	size_t *file_first;	/* NULL = nothing was updated */
	size_t file_count;
	uint32_t *spans;	/* per file: the largest */
	bool *dropped;		/* per file: dealt with */
	bool is_sealed;
};
void update_map_release(struct update_map *map);
/* Take the log, also on failure. */
int update_map_merge(struct update_map *map, struct update_log *log,
		     struct error *err);
/* Before what follows, after the last merge; does nothing when done. */
int update_map_seal(struct update_map *map, size_t file_count,
		    struct error *err);
/* Is a row of the file updated, and the file not dealt with? */
bool update_map_has(const struct update_map *map, size_t file);
void update_map_drop(struct update_map *map, size_t file);
/* Is the slot updated in some row of the file? */
bool update_map_has_slot(const struct update_map *map, size_t file,
			 size_t slot);

/* The runs that meet a range of positions, in memory. */
struct update_view {
	uint64_t first;
	size_t count;
	const uint32_t *offsets;	/* position - first, ascending */
	struct vector *values;		/* per slot; data NULL = kept */
};
struct update_set {
	struct arena arena;
	struct update_view *views;	/* ascending first */
	size_t count;
	uint64_t span;			/* the largest last - first */
};
void update_set_init(struct update_set *set);
void update_set_release(struct update_set *set);
/* What the set had is gone. Positions first .. end - 1. */
int update_set_load(struct update_set *set, const struct update_map *map,
		    const struct update_columns *columns, size_t file,
		    uint64_t first, uint64_t end, struct error *err);
/* The rows of a view that lie in first .. end - 1: i from *from, *to - 1. */
void update_view_clip(const struct update_view *view, uint64_t first,
		      uint64_t end, size_t *from, size_t *to);
/*
 * Lay the new values of a slot over those in values, whose row i stands at
 * position positions[i] - base (ascending), or first + i where positions is
 * NULL. *hits = how many rows. count is at most BATCH_ROW_COUNT.
 */
struct update_target {
	const uint64_t *positions;
	uint64_t base;
	uint64_t first;
	size_t count;
};
int update_set_apply(const struct update_set *set, size_t slot,
		     const struct update_target *target,
		     struct vector *values, size_t *hits, struct error *err);
/* Clear the bits of rows that are updated, whatever the column. */
void update_set_clear(const struct update_set *set,
		      const struct update_target *target, uint64_t *bits);
#endif
