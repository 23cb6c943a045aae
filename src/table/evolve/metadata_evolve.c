/*
 * metadata_evolve.c - a statement's changes, applied as one
 *
 * Why:    ALTER TABLE may change several things and is one version: ids of
 *         schema, spec and order are given once, and a change that another
 *         one takes back leaves no trace.
 * How:    the changes are made on working copies, in order. In the end the
 *         parts that differ become new ones of the metadata or are found
 *         again, and what names columns (properties, the name mapping)
 *         follows. A property that the statement sets is set after that.
 */
#include "table/evolve/evolve_state.h"

static int set_version(struct evolution *e, const struct table_change *change)
{
	int rc;

	if (change->format_version < e->m->format_version)
		return error_set(e->err, ERROR_UNSUPPORTED, "a table of "
				 "format version %d cannot become one of "
				 "version %d", (int)e->m->format_version,
				 change->format_version);
	rc = metadata_upgrade(e->m, change->format_version, e->err);
	return !rc && e->m->format_version >= 3 ? defaults_upgrade(e) : rc;
}

static int apply(struct evolution *e, const struct table_change *change)
{
	switch (change->kind) {
	case TABLE_ADD_COLUMN:
	case TABLE_DROP_COLUMN:
	case TABLE_RENAME_COLUMN:
	case TABLE_MOVE_COLUMN:
	case TABLE_SET_NOT_NULL:
	case TABLE_DROP_NOT_NULL:
	case TABLE_SET_COMMENT:
	case TABLE_SET_IDENTIFIER:
	case TABLE_DROP_IDENTIFIER:
		return evolve_columns(e, change);
	case TABLE_SET_TYPE:
		return evolve_type(e, change);
	case TABLE_SET_DEFAULT:
	case TABLE_DROP_DEFAULT:
		return evolve_default(e, change);
	case TABLE_ADD_PARTITION_FIELD:
	case TABLE_DROP_PARTITION_FIELD:
	case TABLE_REPLACE_PARTITION_FIELD:
	case TABLE_SET_PARTITIONING:
		return evolve_partitions(e, change);
	case TABLE_SET_SORT_ORDER:
		return evolve_sort_order(e, change);
	case TABLE_UPGRADE:
		return set_version(e, change);
	case TABLE_SET_PROPERTY:
		return 0;	/* when all names are the new ones */
	}
	return error_set(e->err, ERROR_INTERNAL, "unknown table change");
}

/* The current schema's text without its id. */
static int schema_text(const struct schema *schema, struct text *out,
		       struct error *err)
{
	struct schema without_id = *schema;

	without_id.schema_id = 0;
	return schema_json_format(&without_id, out, err);
}

static int schema_differs(const struct evolution *e, bool *out)
{
	struct text now = TEXT_INIT, before = TEXT_INIT;
	int rc = schema_text(&e->schema, &now, e->err);

	if (!rc)
		rc = schema_text(metadata_current_schema(e->m), &before,
				 e->err);
	*out = !rc && (now.length != before.length ||
		       memcmp(now.data, before.data, now.length));
	text_release(&now);
	text_release(&before);
	return rc;
}

static int schema_finish(struct evolution *e, bool *changed)
{
	const struct schema *before = metadata_current_schema(e->m);
	bool differs;
	int rc = schema_differs(e, &differs);

	if (rc || !differs)
		return rc;
	*changed = true;
	rc = column_paths_check(&e->schema, e->err);
	if (!rc)
		rc = column_properties_follow(e, before);
	if (!rc)
		rc = name_mapping_follow(e, before, e->m->last_column_id);
	return rc ? rc : metadata_set_schema(e->m, &e->schema, e->err);
}

static int set_properties(struct evolution *e,
			  const struct table_change *changes, size_t count)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		if (changes[i].kind == TABLE_SET_PROPERTY)
			rc = metadata_set_property(e->m, changes[i].name,
						   changes[i].text, e->err);
	return rc;
}

static bool properties_equal(const struct key_value *a, size_t a_count,
			     const struct key_value *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		size_t k = 0;

		while (k < b_count && strcmp(a[i].key, b[k].key))
			k++;
		if (k == b_count || strcmp(a[i].value, b[k].value))
			return false;
	}
	return true;
}

/* Everything but the properties, which come last. */
static int run(struct evolution *e, const struct table_change *changes,
	       size_t count, bool *changed)
{
	int rc = partitions_begin(e);

	if (!rc)
		rc = sort_order_begin(e);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = apply(e, &changes[i]);
		if (rc && changes[i].line && !(e->err && e->err->line))
			error_at(e->err, NULL, changes[i].line,
				 changes[i].position);
	}
	/* they look at the schema that was */
	if (!rc)
		rc = partitions_finish(e, changed);
	if (!rc)
		rc = sort_order_finish(e, changed);
	return rc ? rc : schema_finish(e, changed);
}

int metadata_evolve_with(struct table_metadata *m,
			 const struct table_change *changes, size_t count,
			 const struct evolve_options *options,
			 bool *changed_out, struct error *err)
{
	int32_t version = m->format_version;
	size_t property_count = m->property_count;
	struct key_value *properties;
	struct evolution e;
	int rc;

	*changed_out = false;
	memset(&e, 0, sizeof(e));
	e.m = m;
	e.err = err;
	e.last_column_id = m->last_column_id;
	e.nulls = options ? options->nulls : NULL;
	e.nulls_context = options ? options->context : NULL;
	properties = arena_copy(&m->arena, m->properties,
				property_count * sizeof(*properties));
	if (!properties)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	rc = schema_copy(&e.schema, metadata_current_schema(m), err);
	if (rc)
		return rc;
	rc = run(&e, changes, count, changed_out);
	if (!rc)
		rc = set_properties(&e, changes, count);
	schema_release(&e.schema);
	if (m->format_version != version ||
	    !properties_equal(properties, property_count, m->properties,
			      m->property_count))
		*changed_out = true;
	return rc;
}

int metadata_evolve(struct table_metadata *m,
		    const struct table_change *changes, size_t count,
		    bool *changed_out, struct error *err)
{
	return metadata_evolve_with(m, changes, count, NULL, changed_out,
				    err);
}
