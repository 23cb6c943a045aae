#ifndef TABLE_SCAN_SNAPSHOT_STATE_H
#define TABLE_SCAN_SNAPSHOT_STATE_H
#include <pthread.h>
#include "table/scan/scan.h"

/*
 * What the files of this room share about a snapshot. Private to table/scan.
 */

/* Live data files by path: file:/a, file:///a and /a are one path. */
struct path_index {
	uint32_t *slots;	/* index + 1, 0 = empty */
	size_t mask;
};
#define PATH_NOT_FOUND SIZE_MAX

struct equality_group;

/* Positions of a delete file that is about several data files, by file. */
struct shared_set {
	size_t file;
	struct roaring64 *positions;
};
struct shared_deletes {
	const struct manifest_entry *entry;
	struct shared_set *sets;	/* ascending file */
	size_t set_count;
	size_t capacity;
	struct shared_deletes *next;
};

/* Positions deleted in one file that were read already: a scan needs them,
 * and then the writer of the next delete file. */
struct known_deletes {
	size_t file;
	struct roaring64 *positions;
	struct known_deletes *next;
};
/* A set with more positions is read again rather than kept. */
#define KNOWN_DELETES_LIMIT 65536

/* The numbers of a manifest's live data files and of their rows. */
struct manifest_place {
	size_t first_file;
	size_t file_limit;
	uint64_t first_row;
	uint64_t row_limit;
	bool is_filled;		/* its files are in the snapshot's array */
};

struct snapshot_state {
	struct arena *arenas;	/* of the threads that read manifests */
	size_t arena_count;
	struct manifest_place *places;	/* per manifest */
	struct path_index paths;
	/* guards what is below: read once, when first needed */
	pthread_mutex_t lock;
	struct shared_deletes *shared;
	struct known_deletes *known;
	struct equality_group *equality;
};

/* Room for all files, then those of a manifest that was read. ERROR_CORRUPT
 * when a path is live twice. */
int path_index_init(struct snapshot_files *files, struct error *err);
int path_index_add(struct snapshot_files *files, size_t first, size_t limit,
		   struct error *err);
size_t path_index_find(const struct snapshot_files *files, const char *path,
		       size_t length);
/* Do two spellings name one file? */
bool path_is_same(const char *a, size_t a_length, const char *b,
		  size_t b_length);
/* The part of a path that says which file it is: without file: and all but
 * one of the slashes behind it. */
struct byte_view path_core(const char *path, size_t length);

/*
 * Add to a list of manifests to be read those with deletes that may apply to
 * files of these or of manifests that were read (manifest_scope.c). The list
 * has room for all.
 */
int manifests_with_deletes(const struct snapshot_files *files, size_t *list,
			   size_t *count, struct error *err);

/* Fill deletes of every file that is known, by the rules of scope. */
int delete_index_build(struct snapshot_files *files, struct error *err);
/* The only data file that a position delete file is about, NULL = several. */
bool delete_target(const struct data_file *deletes, struct byte_view *out);
bool data_file_is_vector(const struct data_file *file);
bool partition_equal(const struct data_file *a, const struct data_file *b);
bool spec_is_unpartitioned(const struct table_metadata *metadata,
			   int32_t spec_id);
void shared_deletes_free(struct shared_deletes *list);
void known_deletes_free(struct known_deletes *list);

/* Open the file at a URI; what is missing is ERROR_CORRUPT. */
int scan_open_input(const struct snapshot_files *files, const char *uri,
		    struct input_file **out, struct error *err);
int scan_open_parquet(const struct snapshot_files *files,
		      const struct data_file *file,
		      struct parquet_reader **out, struct error *err);
#endif
