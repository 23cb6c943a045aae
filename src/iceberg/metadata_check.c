/*
 * metadata_check.c - is a metadata document whole and consistent?
 *
 * Why:    a document that contradicts itself would make two engines see two
 *         tables. These are the checks that iceberg-java makes when it loads
 *         one, so that what we accept, others accept.
 * How:    first what version 1 leaves out is filled in, then all versions
 *         are held to the same rules.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "iceberg/metadata_json.h"

/* Clocks of two writers may differ by this much. */
#define CLOCK_SKEW_MS 60000

struct checker {
	struct table_metadata *m;
	const char *name;
	struct error *err;
};

static int corrupt(const struct checker *c, const char *what)
{
	return error_set(c->err, ERROR_CORRUPT, "%s: %s", c->name, what);
}

static const struct {
	uint32_t bit;
	const char *name;
} always[] = {
	{ MEMBER_FORMAT_VERSION, "format-version" },
	{ MEMBER_LAST_UPDATED, "last-updated-ms" },
	{ MEMBER_LAST_COLUMN, "last-column-id" },
}, since_v2[] = {
	{ MEMBER_LAST_SEQUENCE, "last-sequence-number" },
	{ MEMBER_SCHEMAS, "schemas" },
	{ MEMBER_CURRENT_SCHEMA, "current-schema-id" },
	{ MEMBER_SPECS, "partition-specs" },
	{ MEMBER_DEFAULT_SPEC, "default-spec-id" },
	{ MEMBER_LAST_PARTITION, "last-partition-id" },
	{ MEMBER_ORDERS, "sort-orders" },
	{ MEMBER_DEFAULT_ORDER, "default-sort-order-id" },
};

static int check_members(const struct checker *c, uint32_t seen)
{
	const char *missing = NULL;
	int32_t version = c->m->format_version;

	for (size_t i = 0; i < ARRAY_COUNT(always); i++)
		if (!missing && !(seen & always[i].bit))
			missing = always[i].name;
	for (size_t i = 0; version >= 2 && i < ARRAY_COUNT(since_v2); i++)
		if (!missing && !(seen & since_v2[i].bit))
			missing = since_v2[i].name;
	if (!missing && version >= 2 && !c->m->table_uuid)
		missing = "table-uuid";
	if (!missing && version >= 3 && !(seen & MEMBER_NEXT_ROW))
		missing = "next-row-id";
	if (!missing && version == 1 && !c->m->schema_count)
		missing = "schema";
	if (!missing && version == 1 && !c->m->spec_count)
		missing = "partition-spec";
	if (!missing && !c->m->location)
		missing = "location";
	if (!missing)
		return 0;
	return error_set(c->err, ERROR_CORRUPT, "%s: no %s", c->name, missing);
}

static int fill_in_v1(const struct checker *c, uint32_t seen)
{
	struct table_metadata *m = c->m;

	m->last_sequence_number = 0;
	m->next_row_id = -1;
	if (seen & MEMBER_V1_SCHEMA)
		m->current_schema_id = m->schemas[0].schema_id;
	if (seen & MEMBER_V1_SPEC)
		m->default_spec_id = m->specs[0].spec_id;
	for (size_t i = 0; i < m->snapshot_count; i++) {
		struct snapshot *s = &m->snapshots[i];

		/* numbers that version 1 does not have must not come back */
		if (s->sequence_number || s->first_row_id >= 0)
			s->json = byte_view(NULL, 0);
		s->sequence_number = 0;
		s->first_row_id = -1;
		s->added_rows = -1;
	}
	if (seen & MEMBER_ORDERS)
		return 0;
	m->sort_orders = arena_zalloc(&m->arena, sizeof(*m->sort_orders));
	if (!m->sort_orders)
		return error_set(c->err, ERROR_NO_MEMORY, "table metadata");
	m->sort_order_count = 1;
	m->default_sort_order_id = 0;
	return 0;
}

/* Ids that were given away must never be given away again. */
static void raise_last_ids(struct table_metadata *m)
{
	if (m->last_partition_id < 999)
		m->last_partition_id = 999;
	for (size_t i = 0; i < m->spec_count; i++)
		for (size_t j = 0; j < m->specs[i].field_count; j++)
			if (m->specs[i].fields[j].field_id >
			    m->last_partition_id)
				m->last_partition_id =
					m->specs[i].fields[j].field_id;
	for (size_t i = 0; i < m->schema_count; i++)
		m->last_column_id =
			highest_field_id(m->schemas[i].columns,
					 m->schemas[i].column_count,
					 m->last_column_id);
}

/* Is there a next id of each kind? Reserved ones begin 200 below the end. */
static bool has_room(const struct table_metadata *m)
{
	const int32_t limit = INT32_MAX - 200;
	bool fits = m->last_column_id < limit && m->last_partition_id < limit;

	for (size_t i = 0; i < m->schema_count; i++)
		fits &= m->schemas[i].schema_id < limit;
	for (size_t i = 0; i < m->spec_count; i++)
		fits &= m->specs[i].spec_id < limit;
	for (size_t i = 0; i < m->sort_order_count; i++)
		fits &= m->sort_orders[i].order_id < limit;
	return fits;
}

/* "main" is what current-snapshot-id says when there are no refs. */
static int add_main(const struct checker *c)
{
	struct table_metadata *m = c->m;
	struct snapshot_ref *ref;

	ref = arena_zalloc(&m->arena, sizeof(*ref));
	if (!ref)
		return error_set(c->err, ERROR_NO_MEMORY, "table metadata");
	ref->name = arena_strdup(&m->arena, "main");
	if (!ref->name)
		return error_set(c->err, ERROR_NO_MEMORY, "table metadata");
	ref->snapshot_id = m->current_snapshot_id;
	ref->min_snapshots_to_keep = -1;
	ref->max_snapshot_age_ms = -1;
	ref->max_ref_age_ms = -1;
	m->refs = ref;
	m->ref_count = 1;
	return 0;
}

static int check_current(const struct checker *c)
{
	const struct table_metadata *m = c->m;
	bool has_order = false;

	for (size_t i = 0; i < m->sort_order_count; i++)
		if (m->sort_orders[i].order_id == m->default_sort_order_id)
			has_order = true;
	if (!metadata_current_schema(m))
		return corrupt(c, "the current schema is not in the list");
	if (!metadata_spec(m, m->default_spec_id))
		return corrupt(c, "the default partition spec is not in the "
				  "list");
	if (!has_order)
		return corrupt(c, "the default sort order is not in the list");
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int check_snapshots(const struct checker *c)
{
	const struct table_metadata *m = c->m;
	int64_t *ids;
	bool twice = false;

	for (size_t i = 0; i < m->snapshot_count; i++)
		if (m->snapshots[i].sequence_number > m->last_sequence_number)
			return error_set(c->err, ERROR_CORRUPT,
				"%s: snapshot %" PRId64 " has sequence number "
				"%" PRId64 ", the table only %" PRId64,
				c->name, m->snapshots[i].snapshot_id,
				m->snapshots[i].sequence_number,
				m->last_sequence_number);
	ids = mem_alloc_array(m->snapshot_count + 1, sizeof(*ids));
	if (!ids)
		return error_set(c->err, ERROR_NO_MEMORY, "table metadata");
	for (size_t i = 0; i < m->snapshot_count; i++)
		ids[i] = m->snapshots[i].snapshot_id;
	qsort(ids, m->snapshot_count, sizeof(*ids), compare_ids);
	for (size_t i = 1; i < m->snapshot_count; i++)
		twice = twice || ids[i] == ids[i - 1];
	mem_free(ids);
	return twice ? corrupt(c, "two snapshots have one id") : 0;
}

static int check_refs(const struct checker *c)
{
	const struct table_metadata *m = c->m;
	int64_t main_id = -1;

	for (size_t i = 0; i < m->ref_count; i++) {
		const struct snapshot_ref *ref = &m->refs[i];

		if (!metadata_snapshot(m, ref->snapshot_id))
			return error_set(c->err, ERROR_CORRUPT,
				"%s: ref \"%s\" is of snapshot %" PRId64
				", which does not exist", c->name, ref->name,
				ref->snapshot_id);
		if (strcmp(ref->name, "main") != 0)
			continue;
		if (ref->is_tag)
			return corrupt(c, "main is a tag");
		main_id = ref->snapshot_id;
	}
	if (main_id >= 0 && main_id != m->current_snapshot_id)
		return error_set(c->err, ERROR_CORRUPT,
				 "%s: main is at snapshot %" PRId64
				 ", the current one is %" PRId64, c->name,
				 main_id, m->current_snapshot_id);
	if (m->current_snapshot_id >= 0 && !metadata_current_snapshot(m))
		return corrupt(c, "the current snapshot does not exist");
	return 0;
}

static int check_log(const struct checker *c, const char *what,
		     const struct log_entry *log, size_t count)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		if (i && log[i].timestamp_ms < last - CLOCK_SKEW_MS)
			return error_set(c->err, ERROR_CORRUPT,
					 "%s: the %s goes back in time",
					 c->name, what);
		last = log[i].timestamp_ms;
	}
	if (count && c->m->last_updated_ms < last - CLOCK_SKEW_MS)
		return error_set(c->err, ERROR_CORRUPT,
				 "%s: last updated before its %s ends",
				 c->name, what);
	return 0;
}

int metadata_complete(struct table_metadata *m, uint32_t seen,
		      const char *name, struct error *err)
{
	const struct checker c = { m, name, err };
	size_t length;
	int rc;

	rc = check_members(&c, seen);
	if (!rc && m->format_version == 1)
		rc = fill_in_v1(&c, seen);
	if (rc)
		return rc;
	if (m->current_snapshot_id < 0)
		m->current_snapshot_id = -1;
	for (length = strlen(m->location);
	     length > 1 && m->location[length - 1] == '/'; length--)
		m->location[length - 1] = '\0';
	if (m->last_sequence_number < 0 || m->last_updated_ms < 0 ||
	    (m->format_version >= 3 && m->next_row_id < 0))
		return corrupt(&c, "a negative counter");
	if (m->format_version < 3)
		m->next_row_id = -1;
	raise_last_ids(m);
	if (m->last_sequence_number == INT64_MAX || !has_room(m))
		return corrupt(&c, "a counter at its end");
	if (!(seen & MEMBER_REFS) && m->current_snapshot_id >= 0)
		rc = add_main(&c);
	if (!rc)
		rc = check_current(&c);
	if (!rc)
		rc = check_snapshots(&c);
	if (!rc)
		rc = check_refs(&c);
	if (!rc)
		rc = check_log(&c, "snapshot log", m->snapshot_log,
			       m->snapshot_log_count);
	if (!rc)
		rc = check_log(&c, "metadata log", m->metadata_log,
			       m->metadata_log_count);
	return rc;
}
