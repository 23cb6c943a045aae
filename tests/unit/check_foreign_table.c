/* check_foreign_table.c - changing tables that other engines wrote */
#include "unit/table_world.h"

static struct world world;
static struct table *table;
static struct snapshot_files *files;
static bool seen[1000];

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	table = NULL;
	memset(&world, 0, sizeof(world));
}

static void teardown(void)
{
	table_free(table);
	world_release(&world);
	scratch_remove();
}

/* How many rows there are; which ids, in seen. */
static size_t read_rows(void)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, NULL, 0 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;
	size_t count = 0;

	memset(seen, 0, sizeof(seen));
	table_free(table);
	table = NULL;
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
	ck_ok(table_scan_new(&scan, files, &request, false, SIZE_MAX, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++)
			seen[vector_i64(&batch->batch.columns[0])[i]] = true;
		count += batch->batch.row_count;
	}
	table_stream_free(stream);
	table_scan_free(scan);
	return count;
}

/* DELETE of one row by its number. */
static int delete_row(uint64_t row_id)
{
	struct merge_begin_options begin = { 0 };
	struct merge_finish_options finish = { .rows_deleted = 1 };
	struct fragments fragments = { 0 };
	struct vector absent[3];
	const struct vector *columns[3];
	int8_t operation = OPERATION_DELETE;
	int32_t case_number = 0;
	uint8_t from_update = 0;
	struct change_page page = { 0 };
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct merge_sink *sink;
	struct target *target;
	struct table *base;
	int rc;

	for (int i = 0; i < 3; i++) {
		vector_init(&absent[i], type_of(i == 0   ? TYPE_BIGINT
						: i == 1 ? TYPE_VARCHAR
							 : TYPE_DOUBLE));
		columns[i] = &absent[i];
	}
	page.row_count = 1;
	page.columns = columns;
	page.column_count = 3;
	page.operation = &operation;
	page.case_number = &case_number;
	page.row_id = &row_id;
	page.insert_from_update = &from_update;
	ck_ok(table_open(&base, world.directory, 0, &err));
	ck_ok(iceberg_target_new(&target, base, NULL, &err));
	begin.statement = STATEMENT_DELETE;
	begin.paradigm = DELETE_ROW_AND_INSERT_ROW;
	begin.reads_target = true;
	begin.thread_count = 1;
	begin.now_us = INT64_C(1800000000000000);
	ck_ok(target_merge_begin(target, &begin, &handle, &err));
	ck_assert_uint_gt(target->ops->row_id_limit(handle), row_id);
	ck_ok(target->ops->sink_new(handle, &sink, &err));
	ck_ok(target->ops->sink_store(sink, &page, &err));
	ck_ok(target->ops->sink_finish(sink, &fragments, &err));
	target->ops->sink_free(sink);
	rc = target->ops->merge_finish(handle, &fragments, &finish, &outcome,
				       &err);
	fragments_release(&fragments);
	target_free(target);
	return rc;
}

/* Bounds of file_path of a position delete file. */
static void path_bounds(struct manifest_entry *entry, const char *lower,
			const char *upper)
{
	struct column_metrics *m = arena_zalloc(&world.arena, sizeof(*m));

	m->field_id = 2147483546;
	m->column_size = m->value_count = -1;
	m->null_count = m->nan_count = -1;
	m->lower = byte_view(lower, strlen(lower));
	m->upper = byte_view(upper, strlen(upper));
	entry->file.metrics = m;
	entry->file.metrics_count = 1;
}

START_TEST(a_delete_file_with_cut_bounds_stays_for_its_other_files)
{
	static const int64_t positions[] = { 5, 7 };
	const char *paths[2];
	const char *cut;

	world_make(&world, "t", 2, false);
	paths[0] = world_data(&world, 0, 100)->file.path;
	paths[1] = world_data(&world, 100, 100)->file.path;
	world_commit(&world);
	cut = arena_strndup(&world.arena, paths[0], 16);
	path_bounds(world_positions(&world, paths, positions, 2), cut, cut);
	world_commit(&world);
	ck_assert_uint_eq(read_rows(), 198);
	ck_ok(delete_row(9));
	ck_assert_uint_eq(read_rows(), 197);
	ck_assert(!seen[5] && !seen[9] && !seen[107]);
}
END_TEST

START_TEST(bounds_in_another_spelling_rule_nothing_out)
{
	static const int64_t positions[] = { 5, 7 };
	const char *paths[2];

	world_make(&world, "t", 2, false);
	for (int i = 0; i < 2; i++) {
		struct manifest_entry *entry = world_data(&world, 100 * i,
							  100);

		paths[i] = arena_printf(&world.arena, "file:%s",
					entry->file.path + strlen("file://"));
	}
	world_commit(&world);
	path_bounds(world_positions(&world, paths, positions, 2), paths[0],
		    paths[1]);
	world_commit(&world);
	ck_assert_uint_eq(read_rows(), 198);
	ck_assert(!seen[5] && !seen[107]);
}
END_TEST

/* The current snapshot names its manifests itself, as version 1 could; since
 * then there is another partition spec. */
static void embed_manifests(void)
{
	struct catalog_publish_options publish = { .wait_ms = 1000 };
	struct commit_record record = { .kind = "meta", .operation = "test" };
	struct table_metadata *next;
	struct catalog_table *base;
	struct snapshot *snapshot;
	int64_t version;
	bool conflict;

	read_rows();
	ck_ok(catalog_open(&base, world.directory, 0, &err));
	ck_ok(table_metadata_copy(&next, base->metadata, &err));
	snapshot = &next->snapshots[next->snapshot_count - 1];
	snapshot->json = byte_view(NULL, 0);
	snapshot->manifest_list = NULL;
	snapshot->manifests = arena_zalloc_array(
		&next->arena, files->manifest_count, sizeof(char *));
	snapshot->manifest_count = files->manifest_count;
	for (size_t i = 0; i < files->manifest_count; i++)
		snapshot->manifests[i] = arena_strdup(
			&next->arena, files->manifests[i].path);
	next->specs = arena_zalloc_array(&next->arena, 2,
					 sizeof(*next->specs));
	next->spec_count = 2;
	next->specs[1].spec_id = next->default_spec_id = 1;
	publish.record = &record;
	ck_ok(catalog_publish(base->directory, base, next, &publish, &version,
			      &conflict, &err));
	table_metadata_free(next);
	catalog_table_free(base);
}

START_TEST(manifests_that_a_snapshot_names_itself_are_carried_on)
{
	world_make(&world, "t", 2, false);
	world_data(&world, 0, 100);
	world_commit(&world);
	world_data(&world, 100, 50);
	world_commit(&world);
	embed_manifests();
	ck_assert_uint_eq(read_rows(), 150);
	ck_ok(delete_row(9));
	ck_assert_uint_eq(read_rows(), 149);
	ck_assert(!seen[9]);
	for (size_t i = 0; i < files->manifest_count; i++) {
		const struct manifest_file *manifest = &files->manifests[i];
		char *path;

		ck_ok(path_from_uri(&world.arena, manifest->path, &path,
				    &err));
		ck_assert_int_gt(manifest->length, 0);
		ck_assert_int_eq(manifest->spec_id, 0);
		ck_assert_int_eq(manifest->added_files +
				 manifest->existing_files, 1);
		if (!manifest->is_deletes)
			ck_assert_int_eq(manifest->added_rows,
					 i == 0 ? 100 : 50);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("foreign_table");
	TCase *tc = tcase_create("foreign_table");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
		a_delete_file_with_cut_bounds_stays_for_its_other_files);
	tcase_add_test(tc, bounds_in_another_spelling_rule_nothing_out);
	tcase_add_test(tc,
		manifests_that_a_snapshot_names_itself_are_carried_on);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
