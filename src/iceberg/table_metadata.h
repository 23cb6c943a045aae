#ifndef ICEBERG_TABLE_METADATA_H
#define ICEBERG_TABLE_METADATA_H
#include "column/column.h"
#include "iceberg/partition_spec.h"

struct key_value {
	char *key;
	char *value;
};

/* One snapshot. Numbers that are missing are -1; strings NULL. */
struct snapshot {
	int64_t snapshot_id;
	int64_t parent_id;
	int64_t sequence_number;	/* 0 in v1 */
	int64_t timestamp_ms;
	char *manifest_list;		/* URI; NULL in old v1 tables */
	char **manifests;		/* v1 only, else NULL */
	size_t manifest_count;
	int32_t schema_id;
	int64_t first_row_id;		/* v3 */
	int64_t added_rows;		/* v3 */
	struct key_value *summary;	/* "operation" included */
	size_t summary_count;
	const char *summary_text;	/* instead of the pairs when it was
					 * read: snapshot_summary() knows how */
	/* As it was read, but that NULs may stand for closing quotes: written
	 * back byte for byte. Empty for a new one. */
	struct byte_view json;
};

struct snapshot_ref {
	char *name;
	int64_t snapshot_id;
	bool is_tag;
	int64_t min_snapshots_to_keep;	/* -1 = none */
	int64_t max_snapshot_age_ms;
	int64_t max_ref_age_ms;
};

struct log_entry {
	int64_t timestamp_ms;
	int64_t snapshot_id;	/* snapshot-log */
	char *metadata_file;	/* metadata-log */
};

/*
 * A vN.metadata.json as a value (iceberg.md 4). Immutable once parsed; a
 * commit makes the next one with table_metadata_copy(), changes that, and
 * formats it. Everything lives in arena. Members that we do not know are kept
 * in `extra` (JSON members, without braces) and written back.
 */
struct table_metadata {
	struct arena arena;
	int32_t format_version;
	char *table_uuid;
	char *location;			/* URI base, no trailing '/' */
	int64_t last_sequence_number;
	int64_t last_updated_ms;
	int32_t last_column_id;
	struct schema *schemas;
	size_t schema_count;
	int32_t current_schema_id;
	struct partition_spec *specs;
	size_t spec_count;
	int32_t default_spec_id;
	int32_t last_partition_id;
	struct sort_order *sort_orders;
	size_t sort_order_count;
	int32_t default_sort_order_id;
	struct key_value *properties;
	size_t property_count;
	int64_t current_snapshot_id;	/* -1 = none */
	int64_t next_row_id;		/* v3, else -1 */
	struct snapshot_ref *refs;
	size_t ref_count;
	struct snapshot *snapshots;
	size_t snapshot_count;
	struct log_entry *snapshot_log;
	size_t snapshot_log_count;
	struct log_entry *metadata_log;
	size_t metadata_log_count;
	char *extra;
	bool has_encryption_keys;	/* reading works, writing refuses */
	/* Most strings lie here, shared with copies; nobody else looks. */
	struct string_pool *pool;
};

/*
 * name is used in messages. Errors: ERROR_CORRUPT (not JSON, missing or
 * contradictory members: the load checks of iceberg.md 4), ERROR_UNSUPPORTED
 * (format version 4 and later).
 */
int table_metadata_parse(struct table_metadata **out, const char *json,
			 size_t length, const char *name, struct error *err);
/* The same; the text is taken: empty afterwards, whatever came of it. */
int table_metadata_parse_text(struct table_metadata **out, struct text *json,
			      const char *name, struct error *err);
void table_metadata_free(struct table_metadata *metadata);
/* Deep enough to be changed freely; strings of the original are copied. */
int table_metadata_copy(struct table_metadata **out,
			const struct table_metadata *metadata,
			struct error *err);
/* Append the JSON text in Java's member order. */
int table_metadata_format(const struct table_metadata *metadata,
			  struct text *out, struct error *err);
/* A new empty table (no snapshot). schema's field ids are assigned if 0. */
struct table_metadata_options {
	int32_t format_version;		/* 2 or 3 */
	const char *location;
	const struct schema *schema;
	const struct partition_spec *spec;	/* NULL = unpartitioned */
	const struct sort_order *sort_order;	/* NULL = unsorted */
	const struct key_value *properties;
	size_t property_count;
	int64_t now_ms;
};
int table_metadata_new(struct table_metadata **out,
		       const struct table_metadata_options *options,
		       struct error *err);

/* Look-ups; NULL = none. */
const struct schema *metadata_schema(const struct table_metadata *m,
				     int32_t schema_id);
const struct schema *metadata_current_schema(const struct table_metadata *m);
const struct partition_spec *metadata_spec(const struct table_metadata *m,
					   int32_t spec_id);
const struct snapshot *metadata_snapshot(const struct table_metadata *m,
					 int64_t snapshot_id);
const struct snapshot *
metadata_current_snapshot(const struct table_metadata *m);
const char *metadata_property(const struct table_metadata *m,
			      const char *key);
const char *snapshot_summary(const struct snapshot *s, const char *key);
/* A column at any depth by field id, in the current schema, else the newest
 * that has it. */
const struct column_def *metadata_column(const struct table_metadata *m,
					 int32_t field_id);
/* Types of a spec's partition values, one per field, in arena. A field whose
 * source is unknown to all schemas has TYPE_UNKNOWN. */
int metadata_partition_types(const struct table_metadata *m,
			     const struct partition_spec *spec,
			     struct arena *arena, struct type **out,
			     struct error *err);

/* Changes to a copy. Strings are copied into it. */
int metadata_set_property(struct table_metadata *m, const char *key,
			  const char *value /* NULL removes */,
			  struct error *err);
/* Append a snapshot (deep copy), make it current, move refs.main, append to
 * snapshot-log, raise last-sequence-number. */
int metadata_add_snapshot(struct table_metadata *m,
			  const struct snapshot *snapshot, struct error *err);
/* Add to a number in the summary of m->snapshots[snapshot]; one that is not
 * said stays so. */
int metadata_change_summary(struct table_metadata *m, size_t snapshot,
			    const char *key, int64_t difference,
			    struct error *err);
/* Append {base's last-updated-ms, path} to the metadata log, keep `limit`. */
int metadata_add_metadata_log(struct table_metadata *m, int64_t timestamp_ms,
			      const char *path, size_t limit,
			      struct error *err);
/* Remove snapshots that no ref has, with their statistics and log entries.
 * Errors: ERROR_INTERNAL (one is current or has a ref), ERROR_NO_MEMORY. */
int metadata_remove_snapshots(struct table_metadata *m, const int64_t *ids,
			      size_t count, struct error *err);
/* Raise the format version (never lowers it): a v1 table gets its uuid, a v3
 * table its row ids. Errors: ERROR_IO (no random bytes), ERROR_UNSUPPORTED. */
int metadata_upgrade(struct table_metadata *m, int32_t format_version,
		     struct error *err);
/* Reuse an equal schema's id or append with the next id; makes it current. */
int metadata_set_schema(struct table_metadata *m, const struct schema *schema,
			struct error *err);
#endif
