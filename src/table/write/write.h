#ifndef TABLE_WRITE_WRITE_H
#define TABLE_WRITE_WRITE_H
/*
 * table/write: turns change pages into data files, position deletes, deletion
 * vectors and rewritten files below data/. What it made is said as fragments
 * (JSON) and becomes visible only by a commit; until then abort removes it.
 */
#include "table/scan/scan.h"

/* What all writers of one statement share. Borrowed strings and pointers
 * outlive it. */
struct write_context;
struct write_options {
	const char *directory;		/* of the table */
	const struct table_metadata *metadata;
	struct snapshot_files *files;	/* of the base; NULL = empty table */
	struct uuid uuid;		/* in every file name */
	enum row_change_paradigm paradigm;
	/* Copied. CHANGE_ONLY_UPDATED_COLUMNS: table columns (bool each) that
	 * updates may change; a page's vector with data NULL keeps the value.
	 * NULL: updates are whole images. */
	const bool *updated_columns;
	bool is_blind;		/* rows keep the order of their units */
	size_t thread_count;
	size_t memory_bytes;
	const char *spill_directory;	/* NULL = in the table's */
	bool unsorted;		/* whatever the table's sort order is */
	const struct log_sink *log;
};
int write_context_new(struct write_context **out,
		      const struct write_options *options,
		      struct error *err);
/* Files that were not handed over by write_context_keep() are removed. */
void write_context_free(struct write_context *context);
/* The commit has happened (or may have): the files stay. */
void write_context_keep(struct write_context *context);

/* One per worker; the sink of plan/target_ops.h. */
struct change_writer;
int change_writer_new(struct change_writer **out,
		      struct write_context *context, struct error *err);
int change_writer_store(struct change_writer *writer,
			const struct change_page *page, struct error *err);
int change_writer_finish(struct change_writer *writer,
			 struct fragments *out, struct error *err);
void change_writer_free(struct change_writer *writer);

/*
 * After all writers have finished: what needs the changes of all of them.
 * Merge-on-read: one delete file (v2) or deletion vector (v3) per touched
 * data file, holding the union with the deletes that were there; a data file
 * whose rows are all deleted is removed instead. Copy-on-write: of touched
 * files the updated columns are written anew (patch_plan.c), or they are
 * rewritten without the removed rows. Adds fragments.
 */
int write_context_finish(struct write_context *context,
			 struct fragments *out, struct error *err);
/* Do updates change columns of rows that stay where they are? */
bool write_context_keeps_places(const struct write_context *context);
/* After all writers have finished, before what follows. */
int write_context_seal(struct write_context *context, struct error *err);
/* Does the statement remove or update rows of a file (index into files)? */
bool write_context_touches(const struct write_context *context, size_t file);
/*
 * Which partition of the statement's new rows a file of the newest spec is
 * of: its number, below _partition_count(); SIZE_MAX: no row goes there. After
 * all writers have finished.
 */
size_t write_context_partition_count(const struct write_context *context);
int write_context_partition_of(const struct write_context *context,
			       const struct data_file *file,
			       size_t *number_out, struct error *err);
/* One value per field of the newest spec; they live with the context. */
const struct literal *
write_context_partition_values(const struct write_context *context,
			       size_t number);
uint64_t write_context_partition_rows(const struct write_context *context,
				      size_t number);
/* Remove the files that these fragments add: they are not needed after all. */
int write_context_discard(struct write_context *context,
			  const struct fragments *fragments,
			  struct error *err);
/*
 * Rewrite the rows of whole files (indexes into files) that stay into the new
 * data files: folding of small files into a commit. Lineage and order kept.
 * After all writers have finished, before write_context_finish().
 */
int write_context_fold(struct write_context *context,
		       const size_t *file_indexes, size_t count,
		       struct fragments *out, struct error *err);
/*
 * The paths that must be synced before a commit: of files written since the
 * last call of _synced, and of the directories that hold them. Lives in arena.
 */
int write_context_unsynced(const struct write_context *context,
			   struct arena *arena, char ***out,
			   size_t *count_out, struct error *err);
void write_context_synced(struct write_context *context);
/* Sync those paths and the files at more. */
int write_context_sync(struct write_context *context, char *const *more,
		       size_t more_count, struct error *err);
uint64_t write_context_bytes(const struct write_context *context);
/* Of rewritten files: bytes copied, and bytes encoded again (rows that moved
 * into a file of other rows as their share of it). After finish. */
uint64_t write_context_copied_bytes(const struct write_context *context);
uint64_t write_context_reencoded_bytes(const struct write_context *context);
size_t write_context_file_count(const struct write_context *context);

/* How a path in a table that moves is spelled now, in arena. */
struct path_renamer {
	void *context;
	int (*rename)(void *context, const char *uri, struct arena *arena,
		      char **out, struct error *err);
};
/*
 * A position delete file or deletion vector once more, with the data files
 * that it is about renamed. path: where `from` lies on this machine. *out is
 * `from` but for path, place, sizes, metrics and referenced file; new parts
 * live in arena. Not for two threads at once.
 */
int write_context_relocate(struct write_context *context,
			   const struct data_file *from, const char *path,
			   const struct path_renamer *renamer,
			   struct arena *arena, struct data_file *out,
			   struct error *err);

/* A fragment read back. kind: "add-data", "add-deletes", "remove-data",
 * "remove-deletes". Everything lives in arena. */
enum fragment_kind {
	FRAGMENT_ADD_DATA,
	FRAGMENT_ADD_DELETES,
	FRAGMENT_REMOVE_DATA,
	FRAGMENT_REMOVE_DELETES,
};
struct fragment {
	enum fragment_kind kind;
	struct data_file file;	/* whole for ADD; path (and content_offset of
				 * a DV) for REMOVE */
};
int fragment_format(const struct fragment *fragment, char **out,
		    struct error *err);
int fragment_parse(const char *json, struct arena *arena,
		   struct fragment *out, struct error *err);
#endif
