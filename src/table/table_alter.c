/*
 * table_alter.c - ALTER TABLE: changes of the metadata are one version
 *
 * Why:    schema, layout and properties change without a data file being
 *         touched, and several changes of one statement all at once.
 * How:    table/evolve makes the next metadata from the newest. Who loses a
 *         race does it again on what is newest then: names are looked up
 *         anew, rows that were added are looked at anew, and a change that
 *         another writer has made already is none any more.
 */
#include "table/table_state.h"

static int check_properties(const struct table_change *changes, size_t count,
			    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		if (changes[i].kind != TABLE_SET_PROPERTY)
			continue;
		rc = table_property_check(changes[i].name, changes[i].text,
					  err);
		if (rc && changes[i].line)
			error_at(err, NULL, changes[i].line,
				 changes[i].position);
	}
	return rc;
}

int table_apply_changes(struct table *table, struct table_metadata *next,
			const struct table_change *changes, size_t count,
			bool *changed, struct error *err)
{
	struct evolve_options options = { table_column_nulls, table };
	int rc = check_properties(changes, count, err);

	*changed = false;
	if (!rc)
		rc = metadata_evolve_with(next, changes, count, &options,
					  changed, err);
	for (size_t i = 0; !rc && i < count; i++)
		if (changes[i].kind == TABLE_SET_PROPERTY)
			rc = table_default_check(next, changes[i].name,
						 changes[i].text, err);
	return rc;
}

static const char *operation_of(const struct table_change *changes,
				size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (changes[i].kind != changes[0].kind)
			return "alter";
	if (changes[0].kind == TABLE_SET_PROPERTY)
		return "properties";
	return changes[0].kind == TABLE_UPGRADE ? "upgrade" : "alter";
}

static bool reads_rows(const struct table_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (changes[i].kind == TABLE_SET_NOT_NULL)
			return true;
	return false;
}

struct alter_run {
	const char *directory;
	const struct table_change *changes;
	size_t count;
	int64_t now_us;
	int64_t version;
};

static int publish(struct alter_run *run, const struct catalog_table *base,
		   struct table_metadata *next, bool *conflict,
		   struct error *err)
{
	struct catalog_publish_options options = {
		.wait_ms = METADATA_WAIT_MS,
	};
	const char *operation = operation_of(run->changes, run->count);
	struct commit_record record;

	if (next->format_version < 2) {
		error_set(err, ERROR_UNSUPPORTED, "the table in '%s' is of "
			  "format version 1, which is only read",
			  base->directory);
		return error_hint(err, "upgrade it to version 2 first");
	}
	if (next->last_updated_ms < run->now_us / 1000)
		next->last_updated_ms = run->now_us / 1000;
	table_record_init(&record, next->format_version ==
				   base->metadata->format_version
				   ? "meta" : "proto",
			  operation, base, run->now_us);
	record.schema_id = next->current_schema_id;
	if (reads_rows(run->changes, run->count))
		record.read_scope = "all";
	options.record = &record;
	return catalog_publish(base->directory, base, next, &options,
			       &run->version, conflict, err);
}

static int alter_table(struct alter_run *run, struct table *table,
		       bool *conflict, struct error *err)
{
	const struct catalog_table *base = table->catalog;
	struct table_metadata *next;
	bool changed;
	int rc = catalog_check_writable(base, err);

	*conflict = false;
	if (rc)
		return rc;
	rc = table_metadata_copy(&next, base->metadata, err);
	if (rc)
		return rc;
	rc = table_apply_changes(table, next, run->changes, run->count,
				 &changed, err);
	if (!rc && changed)
		rc = publish(run, base, next, conflict, err);
	table_metadata_free(next);
	return rc;
}

static int alter_once(void *context, bool *conflict, struct error *err)
{
	struct alter_run *run = context;
	struct table *table;
	int rc = table_open(&table, run->directory, 0, err);

	if (rc)
		return rc;
	rc = alter_table(run, table, conflict, err);
	table_free(table);
	return rc;
}

int table_retry(const char *directory,
		int (*attempt)(void *context, bool *conflict,
			       struct error *err),
		void *context, struct error *err)
{
	bool conflict = true;
	int rc = 0;

	for (int i = 0; !rc && conflict && i < METADATA_RETRY_LIMIT; i++) {
		conflict = false;
		rc = attempt(context, &conflict, err);
		if (!rc && conflict)
			rc = interrupt_check(err);
	}
	if (!rc && conflict)
		rc = error_set(err, ERROR_METADATA_CHANGED, "other writers "
			       "keep changing the table in '%s'", directory);
	return rc;
}

int table_alter(const char *directory, const struct table_change *changes,
		size_t count, int64_t now_us, int64_t *version_out,
		struct error *err)
{
	struct alter_run run = { directory, changes, count, now_us, 0 };
	int rc;

	*version_out = 0;
	if (!count)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "ALTER TABLE without a change");
	rc = table_retry(directory, alter_once, &run, err);
	*version_out = run.version;
	return rc;
}

int table_set_properties(const char *directory,
			 const struct key_value *properties, size_t count,
			 int64_t now_us, int64_t *version_out,
			 struct error *err)
{
	struct table_change *changes;
	int rc;

	*version_out = 0;
	changes = mem_zalloc_array(count + 1, sizeof(*changes));
	if (!changes)
		return error_set(err, ERROR_NO_MEMORY, "table properties");
	for (size_t i = 0; i < count; i++) {
		changes[i].kind = TABLE_SET_PROPERTY;
		changes[i].name = properties[i].key;
		changes[i].text = properties[i].value;
	}
	rc = table_alter(directory, changes, count, now_us, version_out, err);
	mem_free(changes);
	return rc;
}
