/*
 * metadata_change.c - what commits change in a copy of table metadata
 *
 * Why:    these steps belong together (a snapshot moves main, the log and the
 *         counters), so that no commit forgets one.
 * How:    lists are copied when they grow, the old ones stay in the arena; a
 *         commit appends one or two things.
 */
#include <inttypes.h>
#include "iceberg/metadata_json.h"
#include "iceberg/schema_json.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "table metadata");
}

/* Room for one more item, zeroed; NULL if out of memory (nothing changed). */
static void *grow(struct table_metadata *m, void **items, size_t *count,
		  size_t item_bytes)
{
	char *bigger = arena_zalloc_array(&m->arena, *count + 1, item_bytes);

	if (!bigger)
		return NULL;
	if (*count)
		memcpy(bigger, *items, *count * item_bytes);
	*items = bigger;
	return bigger + (*count)++ * item_bytes;
}

static char *keep(struct table_metadata *m, const char *string, bool *ok)
{
	char *copy;

	if (!string)
		return NULL;
	copy = arena_strdup(&m->arena, string);
	*ok = *ok && copy;
	return copy;
}

int metadata_set_property(struct table_metadata *m, const char *key,
			  const char *value, struct error *err)
{
	struct key_value *pair = NULL;
	struct key_value entry = { NULL, NULL };
	bool ok = true;
	size_t at;

	for (at = 0; at < m->property_count; at++)
		if (!strcmp(m->properties[at].key, key))
			break;
	if (!value) {
		if (at == m->property_count)
			return 0;
		m->property_count--;
		memmove(&m->properties[at], &m->properties[at + 1],
			(m->property_count - at) * sizeof(*m->properties));
		return 0;
	}
	entry.key = keep(m, key, &ok);
	entry.value = keep(m, value, &ok);
	if (!ok)
		return no_memory(err);
	if (at < m->property_count)
		pair = &m->properties[at];
	else
		pair = grow(m, (void **)&m->properties, &m->property_count,
			    sizeof(*pair));
	if (!pair)
		return no_memory(err);
	*pair = entry;
	return 0;
}

/* The summary as pairs, however it was given. */
static bool keep_summary(struct table_metadata *m, struct snapshot *out,
			 const struct snapshot *s)
{
	const char *text = s->summary_text;
	size_t count = s->summary_count;
	struct key_value pair;
	bool ok = true;

	if (text)
		for (count = 0; summary_next(&text, &pair); count++)
			;
	out->summary_text = NULL;
	out->summary_count = count;
	out->summary = arena_zalloc_array(&m->arena, count + 1,
					  sizeof(*out->summary));
	if (!out->summary)
		return false;
	text = s->summary_text;
	for (size_t i = 0; i < count; i++) {
		if (text)
			summary_next(&text, &pair);
		else
			pair = s->summary[i];
		out->summary[i].key = keep(m, pair.key, &ok);
		out->summary[i].value = keep(m, pair.value, &ok);
	}
	return ok;
}

int metadata_change_summary(struct table_metadata *m, size_t snapshot,
			    const char *key, int64_t difference,
			    struct error *err)
{
	struct snapshot *s = &m->snapshots[snapshot], before = *s;

	if (!keep_summary(m, s, &before))
		return no_memory(err);
	s->json = byte_view(NULL, 0);
	for (size_t i = 0; i < s->summary_count; i++) {
		struct key_value *pair = &s->summary[i];
		int64_t number;

		if (strcmp(pair->key, key) ||
		    parse_int64(pair->value, strlen(pair->value), &number) ||
		    __builtin_add_overflow(number, difference, &number))
			continue;
		pair->value = arena_printf(&m->arena, "%lld",
					   (long long)number);
		if (!pair->value)
			return no_memory(err);
	}
	return 0;
}

static bool keep_snapshot(struct table_metadata *m, struct snapshot *out,
			  const struct snapshot *s)
{
	bool ok = true;

	*out = *s;
	out->manifest_list = keep(m, s->manifest_list, &ok);
	if (s->json.data) {
		out->json.data = arena_copy(&m->arena, s->json.data,
					    s->json.length);
		ok = ok && out->json.data;
	}
	out->manifests = NULL;
	if (s->manifest_count)
		out->manifests = arena_zalloc_array(&m->arena,
						    s->manifest_count,
						    sizeof(char *));
	if (s->manifest_count && !out->manifests)
		return false;
	for (size_t i = 0; i < s->manifest_count; i++)
		out->manifests[i] = keep(m, s->manifests[i], &ok);
	return ok && keep_summary(m, out, s);
}

static struct snapshot_ref *main_ref(struct table_metadata *m)
{
	struct snapshot_ref *ref;
	char *name;

	for (size_t i = 0; i < m->ref_count; i++)
		if (!strcmp(m->refs[i].name, "main"))
			return &m->refs[i];
	name = arena_strdup(&m->arena, "main");
	ref = name ? grow(m, (void **)&m->refs, &m->ref_count, sizeof(*ref))
		   : NULL;
	if (!ref)
		return NULL;
	ref->name = name;
	ref->min_snapshots_to_keep = -1;
	ref->max_snapshot_age_ms = -1;
	ref->max_ref_age_ms = -1;
	return ref;
}

static int check_snapshot(const struct table_metadata *m,
			  const struct snapshot *s, struct error *err)
{
	if (metadata_snapshot(m, s->snapshot_id))
		return error_set(err, ERROR_INTERNAL,
				 "snapshot %" PRId64 " is there already",
				 s->snapshot_id);
	if (m->format_version >= 2 &&
	    s->sequence_number <= m->last_sequence_number)
		return error_set(err, ERROR_INTERNAL,
				 "sequence number %" PRId64 " of a new "
				 "snapshot behind the table's %" PRId64,
				 s->sequence_number, m->last_sequence_number);
	if (m->format_version >= 3 &&
	    (s->first_row_id < m->next_row_id || s->added_rows < 0 ||
	     s->added_rows > INT64_MAX - s->first_row_id))
		return error_set(err, ERROR_INTERNAL,
				 "row ids %" PRId64 " of a new snapshot, "
				 "the table is at %" PRId64, s->first_row_id,
				 m->next_row_id);
	return 0;
}

int metadata_add_snapshot(struct table_metadata *m,
			  const struct snapshot *snapshot, struct error *err)
{
	struct snapshot kept, *slot;
	struct snapshot_ref *ref;
	struct log_entry *log;
	int rc;

	rc = check_snapshot(m, snapshot, err);
	if (rc)
		return rc;
	if (!keep_snapshot(m, &kept, snapshot))
		return no_memory(err);
	ref = main_ref(m);
	log = grow(m, (void **)&m->snapshot_log, &m->snapshot_log_count,
		   sizeof(*log));
	slot = ref && log ? grow(m, (void **)&m->snapshots,
				 &m->snapshot_count, sizeof(*slot)) : NULL;
	if (!slot)
		return no_memory(err);
	*slot = kept;
	ref->snapshot_id = kept.snapshot_id;
	log->timestamp_ms = kept.timestamp_ms;
	log->snapshot_id = kept.snapshot_id;
	m->current_snapshot_id = kept.snapshot_id;
	if (kept.timestamp_ms > m->last_updated_ms)
		m->last_updated_ms = kept.timestamp_ms;
	if (m->format_version >= 2)
		m->last_sequence_number = kept.sequence_number;
	if (m->format_version >= 3)
		m->next_row_id = kept.first_row_id + kept.added_rows;
	return 0;
}

int metadata_add_metadata_log(struct table_metadata *m, int64_t timestamp_ms,
			      const char *path, size_t limit,
			      struct error *err)
{
	struct log_entry *entry;
	bool ok = true;
	char *copy = keep(m, path, &ok);

	if (!ok)
		return no_memory(err);
	entry = grow(m, (void **)&m->metadata_log, &m->metadata_log_count,
		     sizeof(*entry));
	if (!entry)
		return no_memory(err);
	entry->timestamp_ms = timestamp_ms;
	entry->snapshot_id = -1;
	entry->metadata_file = copy;
	if (m->metadata_log_count > limit) {
		m->metadata_log += m->metadata_log_count - limit;
		m->metadata_log_count = limit;
	}
	return 0;
}

int metadata_upgrade(struct table_metadata *m, int32_t format_version,
		     struct error *err)
{
	char text[UUID_TEXT_BYTES];
	struct uuid uuid;
	int rc;

	if (format_version < 1 || format_version > 3)
		return error_set(err, ERROR_UNSUPPORTED,
				 "Iceberg format version %d",
				 (int)format_version);
	if (format_version <= m->format_version)
		return 0;
	if (!m->table_uuid) {
		rc = uuid_random(&uuid, err);
		if (rc)
			return rc;
		uuid_format(&uuid, text);
		m->table_uuid = arena_strdup(&m->arena, text);
		if (!m->table_uuid)
			return no_memory(err);
	}
	if (format_version >= 3)
		m->next_row_id = 0;
	m->format_version = format_version;
	return 0;
}

/* The schema's JSON without its id: equal texts are equal schemas. */
static int schema_text(const struct schema *schema, struct text *out,
		       struct error *err)
{
	struct schema without_id = *schema;

	without_id.schema_id = 0;
	return schema_json_format(&without_id, out, err);
}

/* *out is the index of an equal schema, or schema_count. */
static int find_equal_schema(const struct table_metadata *m,
			     const struct schema *schema, size_t *out,
			     struct error *err)
{
	struct text wanted = TEXT_INIT, other = TEXT_INIT;
	int rc = schema_text(schema, &wanted, err);

	for (*out = 0; !rc && *out < m->schema_count; ++*out) {
		text_reset(&other);
		rc = schema_text(&m->schemas[*out], &other, err);
		if (!rc && wanted.length == other.length &&
		    !memcmp(wanted.data, other.data, wanted.length))
			break;
	}
	text_release(&wanted);
	text_release(&other);
	return rc;
}

int metadata_set_schema(struct table_metadata *m, const struct schema *schema,
			struct error *err)
{
	struct schema copy, *slot;
	int32_t next_id = 0;
	size_t at;
	int rc;

	rc = find_equal_schema(m, schema, &at, err);
	if (rc)
		return rc;
	if (at < m->schema_count) {
		m->current_schema_id = m->schemas[at].schema_id;
		return 0;
	}
	for (size_t i = 0; i < m->schema_count; i++)
		if (m->schemas[i].schema_id >= next_id)
			next_id = m->schemas[i].schema_id + 1;
	rc = schema_copy(&copy, schema, err);
	if (rc)
		return rc;
	slot = grow(m, (void **)&m->schemas, &m->schema_count, sizeof(*slot));
	if (!slot) {
		schema_release(&copy);
		return no_memory(err);
	}
	copy.schema_id = next_id;
	*slot = copy;
	m->current_schema_id = next_id;
	m->last_column_id = highest_field_id(copy.columns, copy.column_count,
					     m->last_column_id);
	return 0;
}
