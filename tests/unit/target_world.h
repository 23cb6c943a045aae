#ifndef TESTS_UNIT_TARGET_WORLD_H
#define TESTS_UNIT_TARGET_WORLD_H
#include <inttypes.h>
#include <dirent.h>
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "table/table.h"

/*
 * A table (id BIGINT key, v BIGINT, s VARCHAR) that is changed through its
 * target as the engine does it, and a model of its rows that is kept by other
 * means: a plain array by id. v = NO_VALUE stands for NULL; s is "s<v>".
 */
#define ID_LIMIT 20000
#define NO_VALUE INT64_MIN
#define TARGET_SINKS 3
#define TARGET_PAGE 700

static struct error err;

struct target_world {
	const char *directory;
	bool present[ID_LIMIT];
	int64_t value[ID_LIMIT];
	int64_t lineage[ID_LIMIT];	/* 0 = not known yet */
};

/* One row's change; op of enum row_operation. */
struct row_change {
	int64_t id;
	int8_t op;
	int64_t value;
	uint64_t row_id;	/* filled in by the scan */
	int64_t lineage;
};

struct change_options {
	enum statement_kind statement;
	bool is_blind;
	bool dry_run;
	bool has_paradigm;
	enum row_change_paradigm paradigm;
};

/* What world_create() makes tables by; NULL = neither. */
static const struct partition_spec *world_spec;
static const struct sort_order *world_order;

/* What statement_scan() asks for; NULL = all rows. */
static const struct column_range *world_ranges;
static size_t world_range_count;

static inline void world_create(struct target_world *world,
				const char *directory, int format_version,
				const struct key_value *properties,
				size_t property_count)
{
	struct table_create_options options = { 0 };
	struct column_def id = { .name = (char *)"id",
				 .type = type_of(TYPE_BIGINT),
				 .required = true, .is_identifier = true };
	struct schema schema;
	int64_t version;

	memset(world, 0, sizeof(*world));
	world->directory = directory;
	schema_init(&schema);
	ck_ok(schema_add(&schema, &id, &err));
	ck_ok(schema_add_column(&schema, "v", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(&schema, "s", type_of(TYPE_VARCHAR), &err));
	options.schema = &schema;
	options.format_version = format_version;
	options.properties = properties;
	options.property_count = property_count;
	options.now_us = INT64_C(1700000000000000);
	options.spec = world_spec;
	options.sort_order = world_order;
	ck_ok(table_create(directory, &options, &version, &err));
	schema_release(&schema);
}

/* A statement in progress. */
struct statement_run {
	struct target *target;
	struct merge_handle *handle;
	enum row_change_paradigm paradigm;
	struct change_options options;
};

static inline int statement_begin(struct statement_run *run,
				  const char *directory,
				  const struct change_options *options)
{
	struct merge_begin_options begin = { 0 };
	struct iceberg_target_options own = { .wait_ms = 1000,
					      .retry_limit = 3 };
	struct table *table;
	int rc;

	memset(run, 0, sizeof(*run));
	run->options = *options;
	rc = table_open(&table, directory, 0, &err);
	if (rc)
		return rc;
	rc = iceberg_target_new(&run->target, table, &own, &err);
	if (rc) {
		table_free(table);
		return rc;
	}
	ck_ok(target_row_change_paradigm(run->target, options->statement,
					 &run->paradigm, &err));
	if (options->has_paradigm)
		run->paradigm = options->paradigm;
	begin.statement = options->statement;
	begin.paradigm = run->paradigm;
	begin.reads_target = !options->is_blind;
	begin.thread_count = 2;
	begin.now_us = INT64_C(1700000001000000);
	rc = target_merge_begin(run->target, &begin, &run->handle, &err);
	if (rc) {
		target_free(run->target);
		run->target = NULL;
	}
	return rc;
}

/* Find the rows of the changes in the table. */
static inline int statement_scan(struct statement_run *run,
				 struct row_change *changes, size_t count)
{
	static struct row_change *by_id[ID_LIMIT];
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, world_ranges,
					       world_range_count };
	const struct target_ops *ops = run->target->ops;
	struct target_stream *stream = NULL;
	struct target_batch *batch;
	struct target_scan *scan;
	int rc;

	memset(by_id, 0, sizeof(by_id));
	for (size_t i = 0; i < count; i++) {
		changes[i].row_id = ROW_ID_NONE;
		changes[i].lineage = INT64_MIN;
		by_id[changes[i].id] = &changes[i];
	}
	rc = ops->scan_new(run->handle, &request, &scan, &err);
	if (rc)
		return rc;
	rc = ops->stream_new(scan, &stream, &err);
	while (!rc) {
		rc = ops->stream_next(stream, &batch, &err);
		if (rc || !batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++) {
			int64_t id = vector_i64(&batch->batch.columns[0])[i];
			struct row_change *change = by_id[id];

			if (!change)
				continue;
			change->row_id = batch->row_ids[i];
			if (batch->lineage_ids)
				change->lineage = batch->lineage_ids[i];
		}
	}
	if (stream)
		ops->stream_free(stream);
	ops->scan_free(scan);
	return rc;
}

/* Columns and arrays of one page. */
struct page_store {
	struct vector columns[3];
	struct vector absent[3];
	const struct vector *present_columns[3];
	const struct vector *absent_columns[3];
	char text[TARGET_PAGE][24];
	int8_t operation[TARGET_PAGE];
	int32_t case_number[TARGET_PAGE];
	uint64_t row_id[TARGET_PAGE];
	int64_t lineage[TARGET_PAGE];
	uint8_t from_update[TARGET_PAGE];
};

static inline int page_fill(struct page_store *store,
			    const struct row_change *changes, size_t count,
			    struct change_page *page)
{
	static const enum type_id types[] = { TYPE_BIGINT, TYPE_BIGINT,
					      TYPE_VARCHAR };
	int rc = 0;

	for (int c = 0; c < 3; c++) {
		vector_init(&store->columns[c], type_of(types[c]));
		vector_init(&store->absent[c], type_of(types[c]));
		store->present_columns[c] = &store->columns[c];
		store->absent_columns[c] = &store->absent[c];
	}
	for (int c = 0; !rc && c < 3; c++) {
		rc = vector_reserve(&store->columns[c], TARGET_PAGE, &err);
		store->columns[c].count = rc ? 0 : count;
	}
	for (size_t i = 0; !rc && i < count; i++) {
		const struct row_change *change = &changes[i];
		int length = snprintf(store->text[i], 24, "s%" PRId64,
				      change->value);

		vector_i64(&store->columns[0])[i] = change->id;
		vector_i64(&store->columns[1])[i] = change->value;
		vector_bytes(&store->columns[2])[i] =
			byte_view(store->text[i], (size_t)length);
		if (change->value == NO_VALUE) {
			rc = vector_set_null(&store->columns[1], i, &err);
			if (!rc)
				rc = vector_set_null(&store->columns[2], i,
						     &err);
		}
		store->operation[i] = change->op;
		store->case_number[i] = 0;
		store->row_id[i] = change->row_id;
		store->lineage[i] = change->lineage;
		store->from_update[i] = 0;
	}
	memset(page, 0, sizeof(*page));
	page->row_count = count;
	page->columns = store->present_columns;
	page->column_count = 3;
	page->operation = store->operation;
	page->case_number = store->case_number;
	page->row_id = store->row_id;
	page->lineage_id = store->lineage;
	page->insert_from_update = store->from_update;
	return rc;
}

static inline void page_release(struct page_store *store)
{
	for (int c = 0; c < 3; c++) {
		vector_release(&store->columns[c]);
		vector_release(&store->absent[c]);
	}
}

/* Give rows of one operation to a sink as the paradigm wants them. */
static inline int store_rows(struct statement_run *run,
			     struct merge_sink *sink,
			     const struct row_change *changes, size_t count)
{
	const struct target_ops *ops = run->target->ops;
	static struct page_store store;
	struct change_page page;
	int rc = page_fill(&store, changes, count, &page);

	if (changes[0].op == OPERATION_DELETE)
		page.columns = store.absent_columns;
	if (!rc && changes[0].op == OPERATION_UPDATE &&
	    run->paradigm == DELETE_ROW_AND_INSERT_ROW) {
		memset(store.operation, OPERATION_DELETE, count);
		page.columns = store.absent_columns;
		rc = ops->sink_store(sink, &page, &err);
		memset(store.operation, OPERATION_INSERT, count);
		memset(store.from_update, 1, count);
		page.columns = store.present_columns;
	}
	if (!rc)
		rc = ops->sink_store(sink, &page, &err);
	page_release(&store);
	return rc;
}

/* All changes, by runs of one operation, to the sinks in turn; then finish
 * or abort. The run is over afterwards. */
static inline int statement_finish(struct statement_run *run,
				   const struct row_change *changes,
				   size_t count, struct merge_outcome *outcome)
{
	const struct target_ops *ops = run->target->ops;
	struct merge_sink *sinks[TARGET_SINKS] = { NULL };
	struct merge_finish_options finish = { 0 };
	struct fragments fragments = { 0 };
	size_t at = 0, turn = 0;
	int rc = 0;

	for (int i = 0; !rc && i < TARGET_SINKS; i++)
		rc = ops->sink_new(run->handle, &sinks[i], &err);
	while (!rc && at < count) {
		size_t end = at + 1;

		while (end < count && changes[end].op == changes[at].op &&
		       end - at < TARGET_PAGE)
			end++;
		rc = store_rows(run, sinks[turn++ % TARGET_SINKS],
				&changes[at], end - at);
		at = end;
	}
	for (size_t i = 0; i < count; i++) {
		finish.rows_inserted += changes[i].op == OPERATION_INSERT;
		finish.rows_updated += changes[i].op == OPERATION_UPDATE;
		finish.rows_deleted += changes[i].op == OPERATION_DELETE;
	}
	for (int i = 0; i < TARGET_SINKS; i++) {
		if (!rc)
			rc = ops->sink_finish(sinks[i], &fragments, &err);
		if (sinks[i])
			ops->sink_free(sinks[i]);
	}
	finish.dry_run = run->options.dry_run;
	if (!rc)
		rc = ops->merge_finish(run->handle, &fragments, &finish,
				       outcome, &err);
	else
		ops->merge_abort(run->handle);
	fragments_release(&fragments);
	target_free(run->target);
	memset(run, 0, sizeof(*run));
	return rc;
}

static inline void statement_abort(struct statement_run *run)
{
	run->target->ops->merge_abort(run->handle);
	target_free(run->target);
	memset(run, 0, sizeof(*run));
}

/* A whole statement. The changes must fit the rows that are there. */
static inline int world_change(struct target_world *world,
			       struct row_change *changes, size_t count,
			       const struct change_options *options,
			       struct merge_outcome *outcome)
{
	struct statement_run run;
	int rc = statement_begin(&run, world->directory, options);

	if (rc)
		return rc;
	if (!options->is_blind)
		rc = statement_scan(&run, changes, count);
	else
		for (size_t i = 0; i < count; i++) {
			changes[i].row_id = ROW_ID_NONE;
			changes[i].lineage = INT64_MIN;
		}
	if (rc) {
		statement_abort(&run);
		return rc;
	}
	return statement_finish(&run, changes, count, outcome);
}

static inline void world_apply(struct target_world *world,
			       const struct row_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t id = changes[i].id;

		world->present[id] = changes[i].op != OPERATION_DELETE;
		world->value[id] = changes[i].value;
		if (changes[i].op != OPERATION_UPDATE)
			world->lineage[id] = 0;
	}
}

/* Row numbers stay with their rows (format version 3). */
static inline void check_lineage(struct target_world *world, int64_t id,
				 int64_t lineage)
{
	ck_assert_int_ge(lineage, 0);
	if (world->lineage[id])
		ck_assert_int_eq(world->lineage[id], lineage + 1);
	world->lineage[id] = lineage + 1;
}

static inline void check_row(struct target_world *world,
			     const struct target_batch *batch, size_t i,
			     bool *seen)
{
	const struct vector *columns = batch->batch.columns;
	int64_t id = vector_i64(&columns[0])[i];
	char expected[24];

	ck_assert(id >= 0 && id < ID_LIMIT);
	ck_assert_msg(world->present[id], "row %" PRId64 " is there", id);
	ck_assert_msg(!seen[id], "row %" PRId64 " is there twice", id);
	seen[id] = true;
	if (batch->lineage_ids)
		check_lineage(world, id, batch->lineage_ids[i]);
	if (world->value[id] == NO_VALUE) {
		ck_assert(vector_is_null(&columns[1], i));
		ck_assert(vector_is_null(&columns[2], i));
		return;
	}
	ck_assert(!vector_is_null(&columns[1], i));
	ck_assert_int_eq(vector_i64(&columns[1])[i], world->value[id]);
	snprintf(expected, sizeof(expected), "s%" PRId64, world->value[id]);
	ck_assert(byte_view_equal(vector_bytes(&columns[2])[i],
				  byte_view(expected, strlen(expected))));
}

/* The table has exactly the rows of the model. */
static inline void world_check(struct target_world *world)
{
	static const size_t columns[] = { 0, 1, 2 };
	struct target_scan_request request = { columns, 3, NULL, 0 };
	static bool seen[ID_LIMIT];
	struct snapshot_files *files;
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;
	struct table *table;
	size_t live = 0;

	memset(seen, 0, sizeof(seen));
	ck_ok(table_open(&table, world->directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
	ck_ok(table_scan_new(&scan, files, &request,
			     table_metadata_of(table)->format_version >= 3,
			     SIZE_MAX, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++)
			check_row(world, batch, i, seen);
	}
	for (size_t i = 0; i < ID_LIMIT; i++) {
		ck_assert_msg(seen[i] == world->present[i],
			      "row %zu is missing", i);
		live += seen[i];
	}
	ck_assert_uint_eq(snapshot_live_rows(files), live);
	table_stream_free(stream);
	table_scan_free(scan);
	table_free(table);
}

/* Files in a directory below the table's, and a sum of their names. */
static inline size_t world_files(const struct target_world *world,
				 const char *below, uint64_t *sum)
{
	struct dirent *entry;
	char path[600];
	size_t count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/%s", world->directory, below);
	*sum = 0;
	directory = opendir(path);
	if (!directory)
		return 0;
	while ((entry = readdir(directory))) {
		if (!strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		count++;
		*sum += hash_fast(entry->d_name, strlen(entry->d_name));
	}
	closedir(directory);
	return count;
}

/* Live data and delete files of the newest version. */
static inline void world_live_files(const struct target_world *world,
				    size_t *data, size_t *deletes,
				    size_t *manifests)
{
	struct snapshot_files *files;
	struct table *table;

	*deletes = 0;
	ck_ok(table_open(&table, world->directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
	*data = files->file_count;
	*manifests = files->manifest_count;
	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++)
			*deletes += files->entries[m][i].status !=
					    ENTRY_DELETED &&
				    files->entries[m][i].file.content !=
					    CONTENT_DATA;
	table_free(table);
}
#endif
