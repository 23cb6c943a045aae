/*
 * target_evolve.c - a target whose columns change with the rows' commit
 *
 * Why:    MERGE WITH SCHEMA EVOLUTION adds a column and fills it in one
 *         version; nobody sees one without the other.
 * How:    the open table's metadata is exchanged for the changed copy, so
 *         that binding, scans, writers and the commit all see that. The one
 *         that was read is kept: conflicts are looked for against it. On a
 *         newer head the changes are made again.
 */
#include "table/target_evolve.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "schema evolution");
}

static int keep_changes(struct target_evolution *evolution,
			const struct table_change *changes, size_t count,
			struct error *err)
{
	size_t wanted = evolution->count + count;
	struct table_change *bigger;

	if (wanted <= evolution->capacity)
		goto copy;
	bigger = mem_realloc_array(evolution->changes, wanted,
				   sizeof(*bigger));
	if (!bigger)
		return no_memory(err);
	evolution->changes = bigger;
	evolution->capacity = wanted;
copy:
	memcpy(evolution->changes + evolution->count, changes,
	       count * sizeof(*changes));
	evolution->count = wanted;
	return 0;
}

/* The table gets the new metadata; the old one goes to the list. */
static int exchange(struct target_evolution *evolution, struct table *table,
		    struct table_metadata *next, struct error *err)
{
	struct evolved_from *from = mem_zalloc(sizeof(*from));

	if (!from)
		return no_memory(err);
	from->metadata = table->catalog->metadata;
	from->filled = table->filled;
	from->is_filled = table->is_filled;
	from->next = evolution->before;
	evolution->before = from;
	memset(&table->filled, 0, sizeof(table->filled));
	table->is_filled = false;
	table->catalog->metadata = next;
	table->schema = metadata_current_schema(next);
	table->snapshot = metadata_current_snapshot(next);
	snapshot_files_free(table->files);
	table->files = NULL;
	return table_fill_defaults(table, err);
}

int target_evolution_take(struct target_evolution *evolution,
			  struct table *table,
			  const struct table_change *changes, size_t count,
			  struct error *err)
{
	struct table_metadata *next;
	bool changed;
	int rc = catalog_check_writable(table->catalog, err);

	if (rc)
		return rc;
	rc = table_metadata_copy(&next, table->catalog->metadata, err);
	if (rc)
		return rc;
	rc = table_apply_changes(table, next, changes, count, &changed, err);
	if (!rc && changed)
		rc = keep_changes(evolution, changes, count, err);
	if (rc || !changed) {
		table_metadata_free(next);
		return rc;
	}
	rc = exchange(evolution, table, next, err);
	if (rc && table->catalog->metadata != next)
		table_metadata_free(next);
	return rc;
}

void target_evolution_release(struct target_evolution *evolution)
{
	struct evolved_from *from;

	while ((from = evolution->before)) {
		evolution->before = from->next;
		table_metadata_free(from->metadata);
		if (from->is_filled)
			schema_release(&from->filled);
		mem_free(from);
	}
	mem_free(evolution->changes);
	memset(evolution, 0, sizeof(*evolution));
}

const struct table_metadata *
target_evolution_read(const struct target_evolution *evolution)
{
	const struct evolved_from *from = evolution->before;

	while (from && from->next)
		from = from->next;
	return from ? from->metadata : NULL;
}

static int schemas_equal(const struct table_metadata *a,
			 const struct table_metadata *b, bool *out,
			 struct error *err)
{
	struct text x = TEXT_INIT, y = TEXT_INIT;
	int rc = schema_json_format(metadata_current_schema(a), &x, err);

	if (!rc)
		rc = schema_json_format(metadata_current_schema(b), &y, err);
	*out = !rc && x.length == y.length &&
	       !memcmp(x.data, y.data, x.length) &&
	       a->default_spec_id == b->default_spec_id &&
	       a->default_sort_order_id == b->default_sort_order_id;
	text_release(&x);
	text_release(&y);
	return rc;
}

int target_evolution_again(const struct target_evolution *evolution,
			   const struct table_metadata *evolved,
			   struct catalog_table *head, struct error *err)
{
	struct table_metadata *next;
	bool changed, equal = false;
	int rc = table_metadata_copy(&next, head->metadata, err);

	if (rc)
		return rc;
	rc = metadata_evolve(next, evolution->changes, evolution->count,
			     &changed, err);
	if (!rc)
		rc = schemas_equal(next, evolved, &equal, err);
	if (!rc && !equal)
		rc = error_set(err, ERROR_METADATA_CHANGED, "columns that "
			       "this statement adds were added and dropped "
			       "meanwhile");
	if (rc) {
		table_metadata_free(next);
		return rc;
	}
	table_metadata_free(head->metadata);
	head->metadata = next;
	return 0;
}
