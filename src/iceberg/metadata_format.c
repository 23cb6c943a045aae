/*
 * metadata_format.c - table metadata to its JSON, in Java's member order
 *
 * Why:    the document is the table; other engines read what this writes.
 * How:    one pass that appends. Snapshots go back as the text they were read
 *         from, members that we do not know at the end.
 * Cost:   about 1 ms per 3 MB.
 */
#include "iceberg/metadata_json.h"
#include "iceberg/schema_json.h"

/* What a commit adds to the document, about. */
#define NEW_BYTES ((size_t)4 << 10)

void add_int64(struct text *out, int64_t value)
{
	char digits[VALUE_TEXT_BYTES];

	text_add(out, digits, format_int64(digits, value));
}

void add_json_string(struct text *out, const char *value)
{
	text_add_json(out, value, strlen(value));
}

void format_map(const struct key_value *pairs, size_t count,
		struct text *out)
{
	text_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add_char(out, ',');
		add_json_string(out, pairs[i].key);
		text_add_char(out, ':');
		add_json_string(out, pairs[i].value);
	}
	text_add_char(out, '}');
}

static void add_number(struct text *out, const char *name, int64_t value)
{
	text_add(out, ",\"", 2);
	text_add_str(out, name);
	text_add(out, "\":", 2);
	add_int64(out, value);
}

static int format_schemas(const struct table_metadata *m, struct text *out,
			  struct error *err)
{
	int rc;

	add_number(out, "current-schema-id", m->current_schema_id);
	text_add_str(out, ",\"schemas\":[");
	for (size_t i = 0; i < m->schema_count; i++) {
		if (i)
			text_add_char(out, ',');
		rc = schema_json_format(&m->schemas[i], out, err);
		if (rc)
			return rc;
	}
	text_add_char(out, ']');
	return 0;
}

static void format_layouts(const struct table_metadata *m, struct text *out)
{
	add_number(out, "default-spec-id", m->default_spec_id);
	text_add_str(out, ",\"partition-specs\":[");
	for (size_t i = 0; i < m->spec_count; i++) {
		if (i)
			text_add_char(out, ',');
		format_spec(&m->specs[i], out);
	}
	text_add_char(out, ']');
	add_number(out, "last-partition-id", m->last_partition_id);
	add_number(out, "default-sort-order-id", m->default_sort_order_id);
	text_add_str(out, ",\"sort-orders\":[");
	for (size_t i = 0; i < m->sort_order_count; i++) {
		if (i)
			text_add_char(out, ',');
		format_sort_order(&m->sort_orders[i], out);
	}
	text_add_char(out, ']');
}

static void format_refs(const struct table_metadata *m, struct text *out)
{
	text_add_str(out, ",\"refs\":{");
	for (size_t i = 0; i < m->ref_count; i++) {
		const struct snapshot_ref *ref = &m->refs[i];

		if (i)
			text_add_char(out, ',');
		add_json_string(out, ref->name);
		text_add_str(out, ":{\"snapshot-id\":");
		add_int64(out, ref->snapshot_id);
		text_add_str(out, ref->is_tag ? ",\"type\":\"tag\""
					      : ",\"type\":\"branch\"");
		if (ref->min_snapshots_to_keep >= 0)
			add_number(out, "min-snapshots-to-keep",
				   ref->min_snapshots_to_keep);
		if (ref->max_snapshot_age_ms >= 0)
			add_number(out, "max-snapshot-age-ms",
				   ref->max_snapshot_age_ms);
		if (ref->max_ref_age_ms >= 0)
			add_number(out, "max-ref-age-ms",
				   ref->max_ref_age_ms);
		text_add_char(out, '}');
	}
	text_add_char(out, '}');
}

static void format_snapshots(const struct table_metadata *m, struct text *out)
{
	text_add_str(out, ",\"snapshots\":[");
	for (size_t i = 0; i < m->snapshot_count; i++) {
		if (i)
			text_add_char(out, ',');
		format_snapshot(&m->snapshots[i], out);
	}
	text_add_char(out, ']');
}

static void format_logs(const struct table_metadata *m, struct text *out)
{
	text_add_str(out, ",\"snapshot-log\":[");
	for (size_t i = 0; i < m->snapshot_log_count; i++) {
		text_add_str(out, i ? ",{\"timestamp-ms\":"
				    : "{\"timestamp-ms\":");
		add_int64(out, m->snapshot_log[i].timestamp_ms);
		text_add_str(out, ",\"snapshot-id\":");
		add_int64(out, m->snapshot_log[i].snapshot_id);
		text_add_char(out, '}');
	}
	text_add_str(out, "],\"metadata-log\":[");
	for (size_t i = 0; i < m->metadata_log_count; i++) {
		text_add_str(out, i ? ",{\"timestamp-ms\":"
				    : "{\"timestamp-ms\":");
		add_int64(out, m->metadata_log[i].timestamp_ms);
		text_add_str(out, ",\"metadata-file\":");
		add_json_string(out, m->metadata_log[i].metadata_file);
		text_add_char(out, '}');
	}
	text_add_char(out, ']');
}

static int check_writable(const struct table_metadata *m, struct error *err)
{
	if (m->format_version != 2 && m->format_version != 3) {
		error_set(err, ERROR_UNSUPPORTED,
			  "writing tables of format version %d",
			  (int)m->format_version);
		return error_hint(err, "upgrade the table first");
	}
	if (!m->table_uuid || !m->location)
		return error_set(err, ERROR_INTERNAL,
				 "table metadata without uuid or location");
	if (m->has_encryption_keys)
		return error_set(err, ERROR_UNSUPPORTED,
				 "writing encrypted tables");
	return 0;
}

int table_metadata_format(const struct table_metadata *m, struct text *out,
			  struct error *err)
{
	int rc = check_writable(m, err);

	if (rc)
		return rc;
	/* mostly what was read and a snapshot more: grow once */
	if (m->pool)
		text_reserve(out, m->pool->byte_count + NEW_BYTES);
	text_add_str(out, "{\"format-version\":");
	add_int64(out, m->format_version);
	text_add_str(out, ",\"table-uuid\":");
	add_json_string(out, m->table_uuid);
	text_add_str(out, ",\"location\":");
	add_json_string(out, m->location);
	add_number(out, "last-sequence-number", m->last_sequence_number);
	add_number(out, "last-updated-ms", m->last_updated_ms);
	add_number(out, "last-column-id", m->last_column_id);
	rc = format_schemas(m, out, err);
	if (rc)
		return rc;
	format_layouts(m, out);
	text_add_str(out, ",\"properties\":");
	format_map(m->properties, m->property_count, out);
	if (m->current_snapshot_id >= 0 || m->format_version < 3)
		add_number(out, "current-snapshot-id",
			   m->current_snapshot_id);
	else
		text_add_str(out, ",\"current-snapshot-id\":null");
	if (m->format_version >= 3)
		add_number(out, "next-row-id", m->next_row_id);
	format_refs(m, out);
	format_snapshots(m, out);
	format_logs(m, out);
	if (m->extra && *m->extra) {
		text_add_char(out, ',');
		text_add_str(out, m->extra);
	}
	text_add_char(out, '}');
	if (out->failed)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	return 0;
}
