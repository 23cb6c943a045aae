#ifndef TESTS_UNIT_SCAN_WORLD_H
#define TESTS_UNIT_SCAN_WORLD_H
#include "unit/table_world.h"

/*
 * A table of columns id and name, where name is NULL for each seventh id and
 * else made of it, read row by row: what a scan gave, by id.
 */
static struct world world;
static struct table *table;
static struct snapshot_files *files;

static inline void scan_setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	table = NULL;
	memset(&world, 0, sizeof(world));
}

static inline void scan_teardown(void)
{
	mem_fail_at(-1);
	table_free(table);
	world_release(&world);
	scratch_remove();
}

static inline void open_world(void)
{
	table_free(table);
	table = NULL;
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
}

static inline void uri_of(const struct manifest_entry *entry, char out[400])
{
	snprintf(out, 400, "%s", entry->file.path);
}

/* What came out of a scan, by id. */
struct seen {
	size_t count;
	int64_t sum;
	uint8_t by_id[200000];
};
static struct seen seen;

static inline void check_batch(struct table_stream *stream,
			       const struct target_batch *batch)
{
	struct selection all = selection_all(batch->batch.row_count);
	const struct vector *ids = &batch->batch.columns[0];
	struct vector names;

	vector_init(&names, type_of(TYPE_VARCHAR));
	ck_ok(table_stream_fetch(stream, 1, &all, &names, &err));
	ck_assert_uint_eq(ids->count, batch->batch.row_count);
	ck_assert_uint_eq(names.count, batch->batch.row_count);
	ck_assert_uint_eq(batch->batch.columns[1].count, 0);
	for (size_t i = 0; i < ids->count; i++) {
		int64_t id = vector_i64(ids)[i];
		char expected[32];

		ck_assert_int_lt(id, 200000);
		seen.by_id[id]++;
		seen.count++;
		seen.sum += id;
		if (i)
			ck_assert_uint_lt(batch->row_ids[i - 1],
					  batch->row_ids[i]);
		snprintf(expected, sizeof(expected), "n%" PRId64, id);
		ck_assert_int_eq(vector_is_null(&names, i), id % 7 == 0);
		if (id % 7)
			ck_assert(byte_view_equal(
				vector_bytes(&names)[i],
				byte_view(expected, strlen(expected))));
	}
	vector_release(&names);
}

/* Read ids (and fetch names) of all rows left by the ranges. */
static inline void scan(const struct column_range *ranges, size_t count,
			struct target_scan_stats *stats)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, ranges, count };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scanned;

	memset(&seen, 0, sizeof(seen));
	ck_ok(table_scan_new(&scanned, files, &request, false, SIZE_MAX,
			     &err));
	ck_ok(table_stream_new(&stream, scanned, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		check_batch(stream, batch);
	}
	if (stats)
		table_scan_stats(scanned, stats);
	table_stream_free(stream);
	table_scan_free(scanned);
}

static inline struct column_range id_range(int64_t low, int64_t high)
{
	struct column_range range = { .column = 0 };

	range.has_min = range.has_max = true;
	range.min = range.max = literal_null(type_of(TYPE_BIGINT));
	range.min.is_null = range.max.is_null = false;
	range.min.value.int64 = low;
	range.max.value.int64 = high;
	return range;
}
#endif
