/*
 * table_metadata.c - the life of a metadata value, and finding things in it
 *
 * Why:    a commit works on a copy of what it read, so that a conflict leaves
 *         the original as it was.
 * How:    nearly all strings lie in a pool (metadata_parse.c) that the last
 *         user frees; a copy shares it and copies only the lists.
 * Cost:   a copy is a few ns per string.
 */
#include <stdatomic.h>
#include "iceberg/metadata_json.h"

static void pool_drop(struct string_pool *pool)
{
	if (!pool || atomic_fetch_sub(&pool->users, 1) != 1)
		return;
	mem_free(pool->text);
	mem_free(pool->pristine);
	mem_free(pool);
}

void table_metadata_free(struct table_metadata *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->schema_count; i++)
		schema_release(&m->schemas[i]);
	arena_release(&m->arena);
	pool_drop(m->pool);
	mem_free(m);
}

struct copier {
	struct table_metadata *to;
	bool failed;
};

static bool is_pooled(const struct string_pool *pool, const void *bytes)
{
	uintptr_t at = (uintptr_t)bytes;

	return pool && (at - (uintptr_t)pool->text < pool->byte_count ||
			at - (uintptr_t)pool->pristine <
				pool->pristine_bytes);
}

static char *copy_string(struct copier *c, const char *string)
{
	char *copy;

	if (!string)
		return NULL;
	if (is_pooled(c->to->pool, string))
		return (char *)string;
	copy = arena_strdup(&c->to->arena, string);
	c->failed = c->failed || !copy;
	return copy;
}

static void *copy_array(struct copier *c, const void *items, size_t count,
			size_t item_bytes)
{
	void *copy = arena_alloc(&c->to->arena, count * item_bytes);

	if (copy && count)
		memcpy(copy, items, count * item_bytes);
	c->failed = c->failed || !copy;
	return copy;
}

static struct key_value *copy_pairs(struct copier *c,
				    const struct key_value *pairs,
				    size_t count)
{
	struct key_value *copy = copy_array(c, pairs, count, sizeof(*copy));

	for (size_t i = 0; copy && i < count; i++) {
		copy[i].key = copy_string(c, pairs[i].key);
		copy[i].value = copy_string(c, pairs[i].value);
	}
	return copy;
}

static void copy_snapshot(struct copier *c, struct snapshot *out,
			  const struct snapshot *s)
{
	*out = *s;
	out->manifest_list = copy_string(c, s->manifest_list);
	if (s->json.data && !is_pooled(c->to->pool, s->json.data))
		out->json.data = copy_array(c, s->json.data, s->json.length,
					    1);
	out->summary = copy_pairs(c, s->summary, s->summary_count);
	if (!s->manifests)
		return;
	out->manifests = copy_array(c, s->manifests, s->manifest_count,
				    sizeof(*out->manifests));
	for (size_t i = 0; out->manifests && i < s->manifest_count; i++)
		out->manifests[i] = copy_string(c, s->manifests[i]);
}

static void copy_layouts(struct copier *c, const struct table_metadata *from)
{
	struct table_metadata *to = c->to;

	to->specs = copy_array(c, from->specs, from->spec_count,
			       sizeof(*to->specs));
	for (size_t i = 0; to->specs && i < from->spec_count; i++) {
		struct partition_spec *spec = &to->specs[i];

		spec->fields = copy_array(c, spec->fields, spec->field_count,
					  sizeof(*spec->fields));
		for (size_t j = 0; spec->fields && j < spec->field_count;
		     j++) {
			struct partition_field *field = &spec->fields[j];

			field->name = copy_string(c, field->name);
			field->transform.text =
				copy_string(c, field->transform.text);
		}
	}
	to->sort_orders = copy_array(c, from->sort_orders,
				     from->sort_order_count,
				     sizeof(*to->sort_orders));
	for (size_t i = 0; to->sort_orders && i < from->sort_order_count;
	     i++) {
		struct sort_order *order = &to->sort_orders[i];

		order->fields = copy_array(c, order->fields,
					   order->field_count,
					   sizeof(*order->fields));
		for (size_t j = 0; order->fields && j < order->field_count;
		     j++)
			order->fields[j].transform.text = copy_string(
				c, order->fields[j].transform.text);
	}
}

static void copy_history(struct copier *c, const struct table_metadata *from)
{
	struct table_metadata *to = c->to;

	to->refs = copy_array(c, from->refs, from->ref_count,
			      sizeof(*to->refs));
	for (size_t i = 0; to->refs && i < from->ref_count; i++)
		to->refs[i].name = copy_string(c, from->refs[i].name);
	to->snapshots = copy_array(c, from->snapshots, from->snapshot_count,
				   sizeof(*to->snapshots));
	for (size_t i = 0; to->snapshots && i < from->snapshot_count; i++)
		copy_snapshot(c, &to->snapshots[i], &from->snapshots[i]);
	to->snapshot_log = copy_array(c, from->snapshot_log,
				      from->snapshot_log_count,
				      sizeof(*to->snapshot_log));
	to->metadata_log = copy_array(c, from->metadata_log,
				      from->metadata_log_count,
				      sizeof(*to->metadata_log));
	for (size_t i = 0; to->metadata_log && i < from->metadata_log_count;
	     i++)
		to->metadata_log[i].metadata_file = copy_string(
			c, from->metadata_log[i].metadata_file);
}

static int copy_schemas(struct copier *c, const struct table_metadata *from,
			struct error *err)
{
	struct table_metadata *to = c->to;
	int rc;

	to->schema_count = 0;
	to->schemas = arena_zalloc_array(&to->arena, from->schema_count,
					 sizeof(*to->schemas));
	if (!to->schemas)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	for (size_t i = 0; i < from->schema_count; i++) {
		rc = schema_copy(&to->schemas[i], &from->schemas[i], err);
		if (rc)
			return rc;
		to->schema_count++;
	}
	return 0;
}

int table_metadata_copy(struct table_metadata **out,
			const struct table_metadata *from, struct error *err)
{
	struct copier c = { NULL, false };
	int rc;

	*out = NULL;
	c.to = mem_alloc(sizeof(*c.to));
	if (!c.to)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	*c.to = *from;
	arena_init(&c.to->arena, 64 << 10);
	if (c.to->pool)
		atomic_fetch_add(&c.to->pool->users, 1);
	rc = copy_schemas(&c, from, err);
	if (rc)
		goto fail;
	c.to->table_uuid = copy_string(&c, from->table_uuid);
	c.to->location = copy_string(&c, from->location);
	c.to->extra = copy_string(&c, from->extra);
	c.to->properties = copy_pairs(&c, from->properties,
				      from->property_count);
	copy_layouts(&c, from);
	copy_history(&c, from);
	if (c.failed) {
		rc = error_set(err, ERROR_NO_MEMORY, "table metadata");
		goto fail;
	}
	*out = c.to;
	return 0;

fail:
	table_metadata_free(c.to);
	return rc;
}

const struct schema *metadata_schema(const struct table_metadata *m,
				     int32_t schema_id)
{
	for (size_t i = 0; i < m->schema_count; i++)
		if (m->schemas[i].schema_id == schema_id)
			return &m->schemas[i];
	return NULL;
}

const struct schema *metadata_current_schema(const struct table_metadata *m)
{
	return metadata_schema(m, m->current_schema_id);
}

const struct partition_spec *metadata_spec(const struct table_metadata *m,
					   int32_t spec_id)
{
	for (size_t i = 0; i < m->spec_count; i++)
		if (m->specs[i].spec_id == spec_id)
			return &m->specs[i];
	return NULL;
}

const struct snapshot *metadata_snapshot(const struct table_metadata *m,
					 int64_t snapshot_id)
{
	/* mostly asked for the newest */
	for (size_t i = m->snapshot_count; i-- > 0;)
		if (m->snapshots[i].snapshot_id == snapshot_id)
			return &m->snapshots[i];
	return NULL;
}

const struct snapshot *
metadata_current_snapshot(const struct table_metadata *m)
{
	if (m->current_snapshot_id < 0)
		return NULL;
	return metadata_snapshot(m, m->current_snapshot_id);
}

static const char *find_pair(const struct key_value *pairs, size_t count,
			     const char *key)
{
	for (size_t i = count; i-- > 0;)
		if (!strcmp(pairs[i].key, key))
			return pairs[i].value;
	return NULL;
}

const char *metadata_property(const struct table_metadata *m, const char *key)
{
	return find_pair(m->properties, m->property_count, key);
}

const char *snapshot_summary(const struct snapshot *s, const char *key)
{
	const char *text = s->summary_text, *found = NULL;
	struct key_value pair;

	while (text && summary_next(&text, &pair))
		if (!strcmp(pair.key, key))
			found = pair.value;
	return found ? found : find_pair(s->summary, s->summary_count, key);
}

const struct column_def *field_by_id(const struct column_def *columns,
				     size_t count, int32_t field_id)
{
	for (size_t i = 0; i < count; i++) {
		const struct column_def *found;

		if (columns[i].field_id == field_id)
			return &columns[i];
		found = field_by_id(columns[i].type.fields,
				    columns[i].type.field_count, field_id);
		if (found)
			return found;
	}
	return NULL;
}

int32_t highest_field_id(const struct column_def *columns, size_t count,
			 int32_t least)
{
	for (size_t i = 0; i < count; i++) {
		if (columns[i].field_id > least)
			least = columns[i].field_id;
		least = highest_field_id(columns[i].type.fields,
					 columns[i].type.field_count, least);
	}
	return least;
}

const struct column_def *metadata_column(const struct table_metadata *m,
					 int32_t field_id)
{
	const struct schema *schema = metadata_current_schema(m);
	const struct column_def *found = NULL;

	if (schema)
		found = field_by_id(schema->columns, schema->column_count,
				    field_id);
	for (size_t i = m->schema_count; i-- > 0 && !found;)
		found = field_by_id(m->schemas[i].columns,
				    m->schemas[i].column_count, field_id);
	return found;
}

int metadata_partition_types(const struct table_metadata *m,
			     const struct partition_spec *spec,
			     struct arena *arena, struct type **out,
			     struct error *err)
{
	*out = arena_zalloc_array(arena, spec->field_count + 1, sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "partition types");
	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];
		const struct column_def *source;
		struct type unknown = type_of(TYPE_UNKNOWN);

		source = metadata_column(m, field->source_id);
		if (field->transform.kind == TRANSFORM_UNKNOWN)
			(*out)[i] = unknown;
		else if (field->transform.kind == TRANSFORM_VOID && !source)
			(*out)[i] = type_of(TYPE_INTEGER);
		else
			(*out)[i] = transform_result_type(
				&field->transform,
				source ? &source->type : &unknown);
	}
	return 0;
}
