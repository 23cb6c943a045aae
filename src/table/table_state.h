#ifndef TABLE_TABLE_STATE_H
#define TABLE_TABLE_STATE_H
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

/* Properties */
#define DEFAULT_PROPERTY "rowmerge.default."
#define DEFAULT_PROPERTY_BYTES 40	/* with the field id */

/* ERROR_BAD_ARGUMENT for a key or value that cannot be. */
int table_property_check(const char *key, const char *value,
			 struct error *err);
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
#define METADATA_WAIT_MS 10000
#endif
