/*
 * table_open.c - open a table at a version
 *
 * Why:    everybody above wants one thing that has a schema, rows and a
 *         history.
 * How:    the catalog opens the metadata; an older version is read through its
 *         own metadata file, or, if that is gone, through the newest metadata
 *         and the commit log, as long as its snapshot is still there. Column
 *         defaults that v2 has no place for are filled into the schema.
 */
#include <inttypes.h>
#include <stdio.h>
#include "table/table_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "open table");
}

static int expired(const char *directory, int64_t version, struct error *err)
{
	error_set(err, ERROR_VERSION_EXPIRED, "version %" PRId64 " of the "
		  "table in '%s' has been expired", version, directory);
	return error_hint(err, "history.expire.min-snapshots-to-keep and "
			  "history.expire.max-snapshot-age-ms say how long "
			  "versions are kept");
}

/* The version's record in the log of a newer version. */
static int open_by_log(struct table *table, int64_t version,
		       struct error *err)
{
	struct catalog_table *catalog = table->catalog;
	const struct commit_record *record = NULL;
	struct commit_record *records;
	struct arena arena;
	size_t count;
	int rc;

	arena_init(&arena, 0);
	rc = commit_log_read(catalog, &arena, &records, &count, err);
	for (size_t i = 0; !rc && i < count; i++)
		if (records[i].version == version)
			record = &records[i];
	if (!rc && !record)
		rc = expired(catalog->directory, version, err);
	if (!rc && record->snapshot_id >= 0) {
		table->snapshot = metadata_snapshot(catalog->metadata,
						    record->snapshot_id);
		if (!table->snapshot)
			rc = expired(catalog->directory, version, err);
	}
	if (!rc) {
		table->schema = metadata_schema(catalog->metadata,
						record->schema_id);
		if (!table->schema)
			rc = expired(catalog->directory, version, err);
		catalog->version = version;
		catalog->is_past = true;
	}
	arena_release(&arena);
	return rc;
}

/* Are the rows of an older version still there? */
static int check_past(struct table *table, const char *directory,
		      struct error *err)
{
	struct catalog_table *catalog = table->catalog;
	struct catalog_table *head;
	int rc;

	if (!table->snapshot)
		return 0;
	rc = catalog_open(&head, directory, 0, err);
	if (rc)
		return rc;
	if (head->version != catalog->version &&
	    !metadata_snapshot(head->metadata, table->snapshot->snapshot_id))
		rc = expired(directory, catalog->version, err);
	catalog_table_free(head);
	return rc;
}

static int open_version(struct table *table, const char *directory,
			int64_t version, struct error *err)
{
	int rc = catalog_open(&table->catalog, directory, version, err);

	if (rc == ERROR_UNKNOWN_VERSION) {
		struct error kept = *err;

		rc = catalog_open(&table->catalog, directory, 0, err);
		if (rc)
			return rc;
		if (version < 1 || version > table->catalog->version) {
			*err = kept;
			return ERROR_UNKNOWN_VERSION;
		}
		return open_by_log(table, version, err);
	}
	if (rc)
		return rc;
	table->schema = metadata_current_schema(table->catalog->metadata);
	table->snapshot = metadata_current_snapshot(table->catalog->metadata);
	return version ? check_past(table, directory, err) : 0;
}

static bool has_default_properties(const struct table_metadata *metadata)
{
	for (size_t i = 0; i < metadata->property_count; i++)
		if (text_starts_with(metadata->properties[i].key,
				     DEFAULT_PROPERTY))
			return true;
	return false;
}

/* Defaults that are properties become write defaults of the columns. */
int table_fill_defaults(struct table *table, struct error *err)
{
	const struct table_metadata *metadata = table->catalog->metadata;
	char key[DEFAULT_PROPERTY_BYTES];
	int rc;

	if (!has_default_properties(metadata))
		return 0;
	rc = schema_copy(&table->filled, table->schema, err);
	if (rc)
		return rc;
	table->is_filled = true;
	table->schema = &table->filled;
	for (size_t i = 0; i < table->filled.column_count; i++) {
		struct column_def *column = &table->filled.columns[i];
		struct arena *arena = &table->filled.arena;
		const char *value;
		char *copy;

		snprintf(key, sizeof(key), DEFAULT_PROPERTY "%d",
			 (int)column->field_id);
		value = metadata_property(metadata, key);
		if (!value || column->write_default)
			continue;
		copy = arena_strdup(arena, value);
		column->write_default = arena_zalloc(arena,
						     sizeof(struct literal));
		if (!copy || !column->write_default)
			return no_memory(err);
		rc = parse_value(copy, strlen(copy), &column->type, arena,
				 column->write_default);
		if (rc)
			return error_set(err, ERROR_CORRUPT, "property %s = "
					 "'%s' is no value of column '%s'",
					 key, value, column->name);
	}
	return 0;
}

int table_open(struct table **out, const char *directory, int64_t version,
	       struct error *err)
{
	struct table *table = mem_zalloc(sizeof(*table));
	struct error own;
	int rc;

	*out = NULL;
	if (!table)
		return no_memory(err);
	if (!err) {
		error_init(&own);
		err = &own;
	}
	rc = open_version(table, directory, version, err);
	if (!rc)
		rc = table_fill_defaults(table, err);
	if (rc) {
		table_free(table);
		return rc;
	}
	*out = table;
	return 0;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	snapshot_files_free(table->files);
	if (table->is_filled)
		schema_release(&table->filled);
	catalog_table_free(table->catalog);
	mem_free(table);
}

const struct catalog_table *table_catalog(const struct table *table)
{
	return table->catalog;
}

const struct table_metadata *table_metadata_of(const struct table *table)
{
	return table->catalog->metadata;
}

const struct schema *table_schema(const struct table *table)
{
	return table->schema;
}

static int resolve(void *context, const char *uri, struct arena *arena,
		   char **out, struct error *err)
{
	return catalog_resolve_path(context, uri, arena, out, err);
}

int table_files_new(const struct table *table, struct snapshot_files **out,
		    struct error *err)
{
	struct path_resolver resolver = { table->catalog, resolve };

	return snapshot_files_open(out, table->catalog->metadata,
				   table->snapshot, table->schema, &resolver,
				   err);
}

int table_files_open(struct table *table, struct snapshot_files **out,
		     struct error *err)
{
	int rc = 0;

	if (!table->files)
		rc = table_files_new(table, &table->files, err);
	*out = table->files;
	return rc;
}

int table_files(struct table *table, struct snapshot_files **out,
		struct error *err)
{
	int rc = table_files_open(table, out, err);

	if (!rc)
		rc = snapshot_files_read(*out, NULL, err);
	if (rc)
		*out = NULL;
	return rc;
}
