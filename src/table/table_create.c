/*
 * table_create.c - make a table
 *
 * Why:    CREATE TABLE is a commit like any other: two creators race for
 *         version 1 and one of them wins.
 * How:    the first metadata is published as version 1. OR REPLACE of a table
 *         that exists is in table_replace.c.
 * Limits: in format version 2 column defaults have no place in the schema;
 *         they become properties.
 */
#include <stdio.h>
#include "table/table_state.h"

#define DEFAULT_FORMAT_VERSION 2

/* What every new table says, unless told otherwise. */
static const struct {
	const char *key;
	const char *value;
} create_properties[] = {
	{ "write.merge.mode", "merge-on-read" },
	{ "write.update.mode", "merge-on-read" },
	{ "write.delete.mode", "merge-on-read" },
	{ "write.parquet.compression-codec", "zstd" },
	{ "history.expire.min-snapshots-to-keep", "100" },
	{ "history.expire.max-snapshot-age-ms", "432000000" },
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "create table");
}

/* Can the type be a column of an Iceberg table of this version? */
static int check_column(const struct column_def *column, struct error *err)
{
	char name[TYPE_NAME_BYTES];
	int rc = column_check(column, err);

	if (rc)
		return rc;
	if (column->is_identifier && (type_is_nested(&column->type) ||
				      column->type.id == TYPE_REAL ||
				      column->type.id == TYPE_DOUBLE)) {
		error_set(err, ERROR_TYPE_MISMATCH, "column '%s' of type %s "
			  "cannot be part of a primary key", column->name,
			  type_name(&column->type, name));
		return error_field(err, column->name);
	}
	return 0;
}

static void forget_ids(struct column_def *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		columns[i].field_id = 0;
		forget_ids(columns[i].type.fields,
			   columns[i].type.field_count);
	}
}

int table_prepare_schema(const struct schema *wanted, int format_version,
			 struct schema *out, struct error *err)
{
	int rc = schema_copy(out, wanted, err);

	if (rc)
		return rc;
	forget_ids(out->columns, out->column_count);
	if (!out->column_count)
		rc = error_set(err, ERROR_USAGE, "a table without columns");
	for (size_t i = 0; !rc && i < out->column_count; i++) {
		struct column_def *column = &out->columns[i];

		rc = check_column(column, err);
		column->required = column->required || column->is_identifier;
		/* nothing was written before the column was there */
		column->initial_default = NULL;
		if (format_version < 3)
			column->write_default = NULL;
		for (size_t k = 0; !rc && k < i; k++)
			if (text_equal_nocase(out->columns[k].name,
					      column->name))
				rc = error_set(err, ERROR_COLUMN_EXISTS,
					       "column '%s' twice",
					       column->name);
	}
	if (!rc)
		rc = column_paths_check(out, err);
	if (rc)
		schema_release(out);
	return rc;
}

/* In v2 the defaults of wanted are properties, by the ids given. */
static int set_defaults(struct table_metadata *metadata,
			const struct schema *wanted, struct error *err)
{
	const struct schema *schema = metadata_current_schema(metadata);
	struct text value = TEXT_INIT;
	char key[DEFAULT_PROPERTY_BYTES];
	int rc = 0;

	if (metadata->format_version >= 3)
		return 0;
	for (size_t i = 0; !rc && i < wanted->column_count; i++) {
		const struct literal *literal =
			wanted->columns[i].write_default;

		if (!literal || literal->is_null)
			continue;
		text_reset(&value);
		snprintf(key, sizeof(key), DEFAULT_PROPERTY "%d",
			 (int)schema->columns[i].field_id);
		rc = format_literal(literal, &value)
			     ? metadata_set_property(metadata, key,
						     value.length
						     ? value.data : "", err)
			     : no_memory(err);
	}
	text_release(&value);
	return rc;
}

int table_create_properties(struct table_metadata *metadata,
			    const struct table_create_options *options,
			    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_COUNT(create_properties); i++)
		if (!metadata_property(metadata, create_properties[i].key))
			rc = metadata_set_property(
				metadata, create_properties[i].key,
				create_properties[i].value, err);
	for (size_t i = 0; !rc && i < options->property_count; i++) {
		const struct key_value *property = &options->properties[i];

		rc = table_property_check(property->key, property->value,
					  err);
		if (!rc)
			rc = metadata_set_property(metadata, property->key,
						   property->value, err);
	}
	return rc ? rc : set_defaults(metadata, options->schema, err);
}

static int new_metadata(struct table_metadata **out, const char *directory,
			const struct table_create_options *options,
			struct error *err)
{
	int format_version = options->format_version ? options->format_version
						     : DEFAULT_FORMAT_VERSION;
	struct table_metadata_options wanted = { 0 };
	struct partition_spec spec;
	struct sort_order order;
	struct schema schema;
	struct arena arena;
	int rc;

	*out = NULL;
	rc = table_prepare_schema(options->schema, format_version, &schema,
				  err);
	if (rc)
		return rc;
	arena_init(&arena, 0);
	wanted.format_version = format_version;
	wanted.location = path_to_uri(&arena, directory);
	wanted.schema = &schema;
	wanted.spec = &spec;
	wanted.sort_order = &order;
	wanted.now_ms = options->now_us / 1000;
	table_number_columns(schema.columns, schema.column_count, 0);
	rc = table_prepare_layout(options, &schema, &arena, &spec, &order,
				  err);
	if (!rc)
		rc = wanted.location ? table_metadata_new(out, &wanted, err)
				     : no_memory(err);
	if (!rc) {
		rc = table_create_properties(*out, options, err);
		if (rc) {
			table_metadata_free(*out);
			*out = NULL;
		}
	}
	arena_release(&arena);
	schema_release(&schema);
	return rc;
}

/* metadata/ without a version is somebody else's, or what a creation that was
 * cut short left: hidden names, and manifests of CREATE TABLE AS. */
static int check_leftovers(const char *metadata, struct arena *arena,
			   struct error *err)
{
	char **names;
	size_t count;
	int rc;

	if (!path_is_directory(metadata))
		return 0;
	rc = directory_list(metadata, arena, &names, &count, err);
	for (size_t i = 0; !rc && i < count; i++)
		if (names[i][0] != '.' && !text_ends_with(names[i], ".avro"))
			rc = error_set(err, ERROR_TABLE_EXISTS, "'%s' has "
				       "files but no version of a table",
				       metadata);
	return rc;
}

/* Directories of namespaces above a table, at most. */
#define NAMESPACE_DEPTH 8

static bool holds_table(const char *directory, unsigned depth,
			struct arena *arena)
{
	char **names;
	size_t count;

	if (depth > NAMESPACE_DEPTH ||
	    directory_list(directory, arena, &names, &count, NULL))
		return false;
	for (size_t i = 0; i < count; i++) {
		char *path = path_join(arena, directory, names[i]);

		if (path && path_is_directory(path) &&
		    (catalog_is_table(path) ||
		     holds_table(path, depth + 1, arena)))
			return true;
	}
	return false;
}

/* A table within another would share its files, and be dropped with it. */
static int check_place(const char *directory, struct arena *arena,
		       struct error *err)
{
	char *above = arena_strdup(arena, directory), *slash;

	if (!above)
		return no_memory(err);
	while ((slash = strrchr(above, '/')) && slash != above) {
		*slash = '\0';
		if (catalog_is_table(above))
			return error_set(err, ERROR_TABLE_EXISTS, "there is a "
					 "table in '%s'; none can be within "
					 "it", above);
	}
	if (path_is_directory(directory) && holds_table(directory, 0, arena))
		return error_set(err, ERROR_TABLE_EXISTS, "there are tables "
				 "within '%s'; it cannot be one itself",
				 directory);
	return 0;
}

int table_prepare_new(const char *directory,
		      const struct table_create_options *options,
		      struct arena *arena, char **real_out,
		      struct table_metadata **out, struct error *err)
{
	char *path, *data;
	int rc;

	/* what is wrong with the options is found before anything is made */
	rc = new_metadata(out, "/", options, err);
	table_metadata_free(*out);
	*out = NULL;
	if (!rc)
		rc = check_place(directory, arena, err);
	if (!rc)
		rc = directory_make(directory, err);
	if (!rc)
		rc = path_real(arena, directory, real_out, err);
	if (rc)
		return rc;
	path = path_join(arena, *real_out, "metadata");
	data = path_join(arena, *real_out, "data");
	rc = path && data ? check_leftovers(path, arena, err) : no_memory(err);
	if (!rc)
		rc = directory_make(path, err);
	if (!rc)
		rc = directory_make(data, err);
	return rc ? rc : new_metadata(out, *real_out, options, err);
}

static int create_new(const char *directory,
		      const struct table_create_options *options,
		      int64_t *version_out, struct error *err)
{
	struct catalog_publish_options publish = {
		.wait_ms = METADATA_WAIT_MS,
	};
	struct table_metadata *metadata;
	struct commit_record record;
	bool conflict = false;
	struct arena arena;
	char *real;
	int rc;

	arena_init(&arena, 0);
	rc = table_prepare_new(directory, options, &arena, &real, &metadata,
			       err);
	table_record_init(&record, "proto", "create", NULL, options->now_us);
	publish.record = &record;
	if (!rc)
		rc = catalog_publish(real, NULL, metadata, &publish,
				     version_out, &conflict, err);
	if (!rc && conflict)
		rc = error_set(err, ERROR_TABLE_EXISTS,
			       "there is a table in '%s'", directory);
	table_metadata_free(metadata);
	arena_release(&arena);
	return rc;
}

int table_create(const char *directory,
		 const struct table_create_options *options,
		 int64_t *version_out, struct error *err)
{
	*version_out = 0;
	if (catalog_is_table(directory)) {
		if (options->or_replace)
			return table_replace(directory, options, version_out,
					     err);
		return error_set(err, ERROR_TABLE_EXISTS,
				 "there is a table in '%s'", directory);
	}
	return create_new(directory, options, version_out, err);
}
