/*
 * table_replace.c - CREATE OR REPLACE of a table that exists
 *
 * Why:    the name gets new columns and no rows, in one step, and what was
 *         there stays readable as older versions.
 * How:    the next version of the same table, as iceberg-java's replace: the
 *         columns get ids of their own, spec and sort order are reused or
 *         added, main refers to no snapshot. Other properties stay.
 */
#include "table/table_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "replace table");
}

/* No branch named main: the table has no rows. */
static void clear_main(struct table_metadata *metadata)
{
	size_t kept = 0;

	for (size_t i = 0; i < metadata->ref_count; i++)
		if (strcmp(metadata->refs[i].name, "main"))
			metadata->refs[kept++] = metadata->refs[i];
	metadata->ref_count = kept;
	metadata->current_snapshot_id = -1;
	metadata->snapshot_log_count = 0;
}

/* Defaults of columns that are no more. */
static void clear_defaults(struct table_metadata *metadata)
{
	size_t kept = 0;

	for (size_t i = 0; i < metadata->property_count; i++)
		if (!text_starts_with(metadata->properties[i].key,
				      DEFAULT_PROPERTY))
			metadata->properties[kept++] =
				metadata->properties[i];
	metadata->property_count = kept;
}

/* Room for one more in a list of the metadata; NULL if out of memory. */
static void *append(struct table_metadata *metadata, void **items,
		    size_t *count, size_t item_bytes)
{
	char *bigger = arena_zalloc_array(&metadata->arena, *count + 1,
					  item_bytes);

	if (!bigger)
		return NULL;
	if (*count)
		memcpy(bigger, *items, *count * item_bytes);
	*items = bigger;
	return bigger + (*count)++ * item_bytes;
}

static int copy_transform(struct table_metadata *metadata,
			  struct transform *transform, struct error *err)
{
	transform->text = arena_strdup(&metadata->arena, transform->text);
	return transform->text ? 0 : no_memory(err);
}

static int replace_spec(struct table_metadata *metadata,
			const struct partition_spec *wanted,
			struct error *err)
{
	size_t count = wanted->field_count;
	struct partition_spec *spec;
	int32_t next_id = 0;

	for (size_t i = 0; i < metadata->spec_count; i++) {
		if (!count && !metadata->specs[i].field_count) {
			metadata->default_spec_id =
				metadata->specs[i].spec_id;
			return 0;
		}
		if (metadata->specs[i].spec_id >= next_id)
			next_id = metadata->specs[i].spec_id + 1;
	}
	spec = append(metadata, (void **)&metadata->specs,
		      &metadata->spec_count, sizeof(*spec));
	if (!spec)
		return no_memory(err);
	spec->spec_id = next_id;
	spec->fields = arena_zalloc_array(&metadata->arena, count + 1,
					  sizeof(*spec->fields));
	if (!spec->fields)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct partition_field *field = &spec->fields[i];
		int rc;

		*field = wanted->fields[i];
		field->field_id = ++metadata->last_partition_id;
		field->name = arena_strdup(&metadata->arena, field->name);
		if (!field->name)
			return no_memory(err);
		rc = copy_transform(metadata, &field->transform, err);
		if (rc)
			return rc;
	}
	spec->field_count = count;
	metadata->default_spec_id = next_id;
	return 0;
}

static int replace_order(struct table_metadata *metadata,
			 const struct sort_order *wanted, struct error *err)
{
	size_t count = wanted->field_count;
	struct sort_order *order;
	bool has_unsorted = false;
	int32_t next_id = 1;

	metadata->default_sort_order_id = 0;
	for (size_t i = 0; i < metadata->sort_order_count; i++) {
		has_unsorted |= !metadata->sort_orders[i].order_id;
		if (metadata->sort_orders[i].order_id >= next_id)
			next_id = metadata->sort_orders[i].order_id + 1;
	}
	if (!count && has_unsorted)
		return 0;
	/* a table that was made with an order has no order 0 yet */
	order = append(metadata, (void **)&metadata->sort_orders,
		       &metadata->sort_order_count, sizeof(*order));
	if (!order)
		return no_memory(err);
	if (!count)
		return 0;
	order->order_id = next_id;
	order->fields = arena_zalloc_array(&metadata->arena, count,
					   sizeof(*order->fields));
	if (!order->fields)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct sort_field *field = &order->fields[i];
		int rc;

		*field = wanted->fields[i];
		rc = copy_transform(metadata, &field->transform, err);
		if (rc)
			return rc;
	}
	order->field_count = count;
	metadata->default_sort_order_id = next_id;
	return 0;
}

/* next becomes what the options say. */
static int rebuild(struct table_metadata *next,
		   const struct table_create_options *options,
		   struct error *err)
{
	struct partition_spec spec;
	struct sort_order order;
	struct schema schema;
	int rc;

	if (options->format_version &&
	    options->format_version < next->format_version)
		return error_set(err, ERROR_UNSUPPORTED, "a table of format "
				 "version %d cannot become one of version %d",
				 (int)next->format_version,
				 options->format_version);
	rc = options->format_version
		     ? metadata_upgrade(next, options->format_version, err)
		     : 0;
	if (rc)
		return rc;
	rc = table_prepare_schema(options->schema, next->format_version,
				  &schema, err);
	if (rc)
		return rc;
	next->last_column_id = table_number_columns(schema.columns,
						    schema.column_count,
						    next->last_column_id);
	rc = metadata_set_schema(next, &schema, err);
	clear_main(next);
	clear_defaults(next);
	if (!rc)
		rc = table_prepare_layout(options, &schema, &next->arena,
					  &spec, &order, err);
	if (!rc)
		rc = replace_spec(next, &spec, err);
	if (!rc)
		rc = replace_order(next, &order, err);
	if (!rc)
		rc = table_create_properties(next, options, err);
	if (next->last_updated_ms < options->now_us / 1000)
		next->last_updated_ms = options->now_us / 1000;
	schema_release(&schema);
	return rc;
}

int table_prepare_replace(const struct catalog_table *base,
			  const struct table_create_options *options,
			  struct table_metadata **out, struct error *err)
{
	int rc = table_metadata_copy(out, base->metadata, err);

	if (rc)
		return rc;
	rc = rebuild(*out, options, err);
	if (rc) {
		table_metadata_free(*out);
		*out = NULL;
	}
	return rc;
}

struct replace_run {
	const char *directory;
	const struct table_create_options *options;
	int64_t version;
};

static int replace_table(struct replace_run *run,
			 const struct catalog_table *base, bool *conflict,
			 struct error *err)
{
	struct catalog_publish_options publish = {
		.wait_ms = METADATA_WAIT_MS,
	};
	struct commit_record record;
	struct table_metadata *next;
	int rc;

	rc = table_prepare_replace(base, run->options, &next, err);
	if (rc)
		return rc;
	table_record_init(&record, "proto", "replace", base,
			  run->options->now_us);
	record.snapshot_id = -1;
	record.schema_id = next->current_schema_id;
	publish.record = &record;
	rc = catalog_publish(base->directory, base, next, &publish,
			     &run->version, conflict, err);
	table_metadata_free(next);
	return rc;
}

static int replace_once(void *context, bool *conflict, struct error *err)
{
	struct replace_run *run = context;
	struct catalog_table *base;
	int rc = catalog_open(&base, run->directory, 0, err);

	if (rc)
		return rc;
	rc = replace_table(run, base, conflict, err);
	catalog_table_free(base);
	return rc;
}

int table_replace(const char *directory,
		  const struct table_create_options *options,
		  int64_t *version_out, struct error *err)
{
	struct replace_run run = { directory, options, 0 };
	int rc = table_retry(directory, replace_once, &run, err);

	*version_out = run.version;
	return rc;
}
