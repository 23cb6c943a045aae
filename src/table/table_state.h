#ifndef TABLE_TABLE_STATE_H
#define TABLE_TABLE_STATE_H
#include "table/evolve/evolve.h"
#include "table/table.h"

/*
 * An open table, as the files of this room see it. Private to table.
 */
struct table {
	struct catalog_table *catalog;
	const struct snapshot *snapshot;	/* NULL = no rows */
	const struct schema *schema;
	struct schema filled;	/* schema with defaults, if it has any */
	bool is_filled;
	struct snapshot_files *files;
	/* Not published yet: the operation that the first commit is, else
	 * NULL. */
	const char *staged_as;
};

/* Its files, of which only the manifest list has been read for sure. */
int table_files_open(struct table *table, struct snapshot_files **out,
		     struct error *err);
/* The same for the caller alone, who frees them. */
int table_files_new(const struct table *table, struct snapshot_files **out,
		    struct error *err);
/* ERROR_BAD_ARGUMENT for a key or value that cannot be. */
int table_property_check(const char *key, const char *value,
			 struct error *err);
/* A column default that is set must be a value of its column. */
int table_default_check(const struct table_metadata *metadata,
			const char *key, const char *text, struct error *err);
/* A column_nulls_fn of the open table that context is. */
int table_column_nulls(void *context, int32_t field_id, bool *out,
		       struct error *err);
/* The changes, checked against the open table, into next, a copy of its
 * metadata. */
int table_apply_changes(struct table *table, struct table_metadata *next,
			const struct table_change *changes, size_t count,
			bool *changed, struct error *err);
/* A record of a commit that changes no rows. */
void table_record_init(struct commit_record *record, const char *kind,
		       const char *operation,
		       const struct catalog_table *base, int64_t now_us);
/* A copy of the schema as a new table has it: no ids yet, key columns NOT
 * NULL, no initial defaults. */
int table_prepare_schema(const struct schema *wanted, int format_version,
			 struct schema *out, struct error *err);
/* What every new table says, what the options say, and v2's defaults. */
int table_create_properties(struct table_metadata *metadata,
			    const struct table_create_options *options,
			    struct error *err);
/* The columns get the ids after last, outer before inner, whatever they had;
 * returns the last one given. */
int32_t table_number_columns(struct column_def *columns, size_t count,
			     int32_t last);
/* Spec and sort order that the options ask for, by the schema's ids. */
int table_prepare_layout(const struct table_create_options *options,
			 const struct schema *schema, struct arena *arena,
			 struct partition_spec *spec, struct sort_order *order,
			 struct error *err);
/* Directories and metadata of a new table; *real_out is its path, in arena. */
int table_prepare_new(const char *directory,
		      const struct table_create_options *options,
		      struct arena *arena, char **real_out,
		      struct table_metadata **out, struct error *err);
/* base as the options want it, without rows. */
int table_prepare_replace(const struct catalog_table *base,
			  const struct table_create_options *options,
			  struct table_metadata **out, struct error *err);
/* Column defaults that are properties go into the schema. */
int table_fill_defaults(struct table *table, struct error *err);
/* CREATE OR REPLACE of a table that exists. */
int table_replace(const char *directory,
		  const struct table_create_options *options,
		  int64_t *version_out, struct error *err);
/* How often a metadata change that lost a race is made again. */
#define METADATA_RETRY_LIMIT 20
/* attempt() opens the newest version and makes the next. ERROR_METADATA_CHANGED
 * when it finds *conflict each time. */
int table_retry(const char *directory,
		int (*attempt)(void *context, bool *conflict,
			       struct error *err),
		void *context, struct error *err);
#define METADATA_WAIT_MS 10000
/* What changing these columns (bool each) in place costs at most, in a line
 * appended to out (update_cost.c). */
int table_explain_update(struct table *table, const bool *updated,
			 struct text *out, struct error *err);
#endif
