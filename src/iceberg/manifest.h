#ifndef ICEBERG_MANIFEST_H
#define ICEBERG_MANIFEST_H
#include "iceberg/data_file.h"
#include "iceberg/table_metadata.h"
#include "io/io.h"

enum entry_status {
	ENTRY_EXISTING = 0,
	ENTRY_ADDED = 1,
	ENTRY_DELETED = 2,
};

/* Numbers -1 = null, to be inherited. Readers hand out resolved numbers. */
struct manifest_entry {
	enum entry_status status;
	int64_t snapshot_id;
	int64_t sequence_number;	/* data sequence */
	int64_t file_sequence_number;
	struct data_file file;
};

struct partition_summary {
	bool contains_null;
	int contains_nan;		/* -1 unknown, 0, 1 */
	struct byte_view lower;		/* data NULL = none */
	struct byte_view upper;
};

/* A line of a manifest list (iceberg.md 7). Counts -1 = unknown (v1). */
struct manifest_file {
	char *path;			/* URI */
	int64_t length;
	int32_t spec_id;
	bool is_deletes;
	int64_t sequence_number;
	int64_t min_sequence_number;
	int64_t added_snapshot_id;
	int64_t added_files;
	int64_t existing_files;
	int64_t deleted_files;
	int64_t added_rows;
	int64_t existing_rows;
	int64_t deleted_rows;
	struct partition_summary *partitions;
	size_t partition_count;
	int64_t first_row_id;		/* -1 = null */
};

/* Read a manifest list; everything lives in arena. Errors: ERROR_CORRUPT. */
int manifest_list_read(struct manifest_file **out, size_t *count_out,
		       struct input_file *file, struct arena *arena,
		       struct error *err);
struct manifest_list_options {
	int32_t format_version;
	int64_t snapshot_id;
	int64_t parent_id;	/* -1 = root */
	int64_t sequence_number;
	int64_t first_row_id;	/* v3 */
};
/* The bytes of a manifest list, appended to out. */
int manifest_list_format(const struct manifest_file *manifests, size_t count,
			 const struct manifest_list_options *options,
			 struct text *out, struct error *err);

/*
 * Read the entries of a manifest, DELETED ones included. Sequence numbers and
 * first_row_id are resolved by inheritance from `manifest` (iceberg.md 9, 10);
 * v1 numbers are 0. Partition literals get the types of the spec in
 * metadata; which spec that is the manifest's own header says if spec_id is
 * negative. Everything lives in arena.
 */
struct avro_schema_memo;
struct manifest_source {
	struct input_file *file;
	const struct manifest_file *manifest;
	const struct table_metadata *metadata;
	/* for all that are read into one arena, *memo NULL at first; or NULL:
	 * each manifest's schema is parsed */
	struct avro_schema_memo **memo;
};
int manifest_read(struct manifest_entry **out, size_t *count_out,
		  const struct manifest_source *source, struct arena *arena,
		  struct error *err);
/*
 * Format the entries as one manifest of metadata's format version, appended
 * to out, and fill *summary but for its path, length, sequence_number and
 * first_row_id (min_sequence_number: -1 if all entries inherit). Partition
 * bounds go into arena.
 */
int manifest_format(const struct manifest_entry *entries, size_t count,
		    bool is_deletes, int32_t spec_id,
		    const struct table_metadata *metadata, struct text *out,
		    struct manifest_file *summary, struct arena *arena,
		    struct error *err);
#endif
