/*
 * table_stage.c - a table that is not there yet, for CREATE TABLE AS
 *
 * Why:    the name must appear with its rows, and a query that fails must
 *         leave no table, or the one that it would have replaced.
 * How:    an open table whose metadata is in memory only: version 0 of a new
 *         table, or the version that is replaced with the metadata that is to
 *         come. Rows are written and committed on top of it like on any base,
 *         and that commit publishes all.
 * Limits: who loses a race does not try again: another writer has made or
 *         changed the table meanwhile.
 */
#include <unistd.h>
#include "table/table_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "create table");
}

static int stage_new(struct table *table, const char *directory,
		     const struct table_create_options *options,
		     struct error *err)
{
	struct catalog_table *catalog = mem_zalloc(sizeof(*catalog));
	struct arena arena;
	char *real;
	int rc;

	table->catalog = catalog;
	if (!catalog)
		return no_memory(err);
	arena_init(&arena, 0);
	rc = table_prepare_new(directory, options, &arena, &real,
			       &catalog->metadata, err);
	if (!rc) {
		catalog->directory = mem_strdup(real);
		/* what refers to it is not there before version 1 */
		catalog->metadata_path = mem_strdup("");
		if (!catalog->directory || !catalog->metadata_path)
			rc = no_memory(err);
	}
	arena_release(&arena);
	table->staged_as = "create";
	return rc;
}

static int stage_replace(struct table *table, const char *directory,
			 const struct table_create_options *options,
			 struct error *err)
{
	struct catalog_table *catalog;
	struct table_metadata *next;
	int rc = catalog_open(&table->catalog, directory, 0, err);

	if (rc)
		return rc;
	catalog = table->catalog;
	rc = table_prepare_replace(catalog, options, &next, err);
	if (rc)
		return rc;
	/* for the log of metadata files: when the base was made */
	next->last_updated_ms = catalog->metadata->last_updated_ms;
	table_metadata_free(catalog->metadata);
	catalog->metadata = next;
	table->staged_as = "replace";
	return 0;
}

int table_stage(struct table **out, const char *directory,
		const struct table_create_options *options,
		struct error *err)
{
	struct table *table = mem_zalloc(sizeof(*table));
	int rc;

	*out = NULL;
	if (!table)
		return no_memory(err);
	if (!catalog_is_table(directory))
		rc = stage_new(table, directory, options, err);
	else if (options->or_replace)
		rc = stage_replace(table, directory, options, err);
	else
		rc = error_set(err, ERROR_TABLE_EXISTS,
			       "there is a table in '%s'", directory);
	if (!rc) {
		table->schema =
			metadata_current_schema(table->catalog->metadata);
		rc = table_fill_defaults(table, err);
	}
	if (rc) {
		table_free(table);
		return rc;
	}
	*out = table;
	return 0;
}

/* rmdir() keeps what is not empty: a table that others have made here. */
void table_stage_undo(const char *directory)
{
	static const char *const names[] = {
		"data", "metadata/.rowmerge/log", "metadata/.rowmerge",
		"metadata",
	};
	struct arena arena;
	char *path;

	if (catalog_is_table(directory))
		return;
	arena_init(&arena, 0);
	path = path_join(&arena, directory, "metadata/.rowmerge/lock");
	if (path)
		path_remove(path, NULL);
	path = path_join(&arena, directory, "metadata/.rowmerge/pins");
	if (path)
		directory_remove_tree(path, NULL);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		path = path_join(&arena, directory, names[i]);
		if (path)
			rmdir(path);
	}
	rmdir(directory);
	arena_release(&arena);
}
