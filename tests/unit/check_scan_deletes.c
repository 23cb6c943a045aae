/* check_scan_deletes.c - rows that delete files take out of a scan */
#include "unit/scan_world.h"

START_TEST(a_position_delete_of_one_file_removes_its_rows)
{
	const int64_t positions[] = { 0, 5, 4095, 4096, 9999 };
	const char *paths[5];
	char uri[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 10000), uri);
	world_data(&world, 10000, 10000);
	world_commit(&world);
	for (int i = 0; i < 5; i++)
		paths[i] = uri;
	world_positions(&world, paths, positions, 5)
		->file.referenced_data_file = uri;
	world_commit(&world);
	open_world();
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 19995);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(seen.by_id[positions[i]], 0);
	ck_assert_int_eq(seen.by_id[10000], 1);
	ck_assert_uint_eq(snapshot_live_rows(files), 19995);
}
END_TEST

START_TEST(a_position_delete_of_a_partition_is_sorted_out_by_path)
{
	const int64_t positions[] = { 1, 2, 1, 7 };
	const char *paths[4];
	char first[400], second[400], gone[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 100), first);
	uri_of(world_data(&world, 100, 100), second);
	world_data(&world, 200, 100);
	world_commit(&world);
	snprintf(gone, sizeof(gone), "%s", "file:///gone.parquet");
	paths[0] = paths[1] = first;
	paths[2] = gone;
	paths[3] = second;
	world_positions(&world, paths, positions, 4);
	world_commit(&world);
	open_world();
	ck_assert_uint_eq(files->files[2].delete_count, 1);
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 297);
	ck_assert_int_eq(seen.by_id[1] + seen.by_id[2] + seen.by_id[107], 0);
	ck_assert_uint_eq(snapshot_live_rows(files), 297);
}
END_TEST

START_TEST(a_path_in_another_spelling_is_the_same_file)
{
	const int64_t positions[] = { 3, 4 };
	const char *paths[2];
	char uri[400], other[400], bare[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 100), uri);
	world_commit(&world);
	snprintf(other, sizeof(other), "file:%s", uri + strlen("file://"));
	snprintf(bare, sizeof(bare), "%s", uri + strlen("file://"));
	paths[0] = bare;
	paths[1] = other;
	world_positions(&world, paths, positions, 2);
	world_commit(&world);
	open_world();
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 98);
	ck_assert_int_eq(seen.by_id[3] + seen.by_id[4], 0);
}
END_TEST

START_TEST(deletes_do_not_reach_files_that_are_newer)
{
	const int64_t positions[] = { 3 };
	const char *const names[] = { "n1", "n12" };
	const char *paths[1];
	char uri[400];

	world_make(&world, "t", 2, false);
	/* equality: only files of earlier commits; position: the same too */
	uri_of(world_data(&world, 10, 10), uri);
	paths[0] = uri;
	world_positions(&world, paths, positions, 1)
		->file.referenced_data_file = uri;
	world_names(&world, names, 2);
	world_commit(&world);
	world_data(&world, 0, 10);
	world_commit(&world);
	open_world();
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 19);
	ck_assert_int_eq(seen.by_id[13], 0);
	ck_assert_int_eq(seen.by_id[1], 1);
	ck_assert_int_eq(seen.by_id[12], 1);
}
END_TEST

START_TEST(equality_deletes_remove_equal_rows_of_older_files)
{
	const char *const names[] = { "n1", NULL, "nothing" };
	const char *const more[] = { "n5", "n1" };

	world_make(&world, "t", 2, false);
	world_data(&world, 0, 10000);
	world_commit(&world);
	world_names(&world, names, 3);
	world_commit(&world);
	world_data(&world, 0, 10);
	world_commit(&world);
	world_names(&world, more, 2);
	world_commit(&world);
	world_data(&world, 0, 2);
	world_commit(&world);
	open_world();
	scan(NULL, 0, NULL);
	/* n1 of both older files, n5 of both, NULL (0, 7) of the first */
	ck_assert_int_eq(seen.by_id[1], 1);
	ck_assert_int_eq(seen.by_id[5], 0);
	ck_assert_int_eq(seen.by_id[0], 2);
	ck_assert_int_eq(seen.by_id[7], 1);
	ck_assert_int_eq(seen.by_id[14], 0);
	ck_assert_int_eq(seen.by_id[15], 1);
	ck_assert_int_eq(seen.by_id[2], 2);
	ck_assert_uint_eq(seen.count, 10000 - 1429 - 2 + 10 - 2 + 2);
}
END_TEST

START_TEST(deletes_stay_in_their_partition)
{
	const char *const names[] = { "n1" };

	world_make(&world, "t", 2, true);
	world_partition(&world, world_data(&world, 0, 10), "a");
	world_partition(&world, world_data(&world, 0, 10), "b");
	world_partition(&world, world_data(&world, 0, 10), NULL);
	world_commit(&world);
	world_partition(&world, world_names(&world, names, 1), "b");
	world_commit(&world);
	open_world();
	ck_assert_uint_eq(files->files[0].delete_count, 0);
	ck_assert_uint_eq(files->files[1].delete_count, 1);
	ck_assert_uint_eq(files->files[2].delete_count, 0);
	scan(NULL, 0, NULL);
	ck_assert_int_eq(seen.by_id[1], 2);
	ck_assert_int_eq(seen.by_id[2], 3);
}
END_TEST

START_TEST(a_deletion_vector_replaces_position_files)
{
	const uint64_t vector[] = { 2, 50 };
	const int64_t positions[] = { 3 };
	const char *paths[1];
	char uri[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 100), uri);
	paths[0] = uri;
	world_commit(&world);
	world_positions(&world, paths, positions, 1);
	world_commit(&world);
	world.format_version = 3;
	world_vector(&world, uri, vector, 2);
	world_commit(&world);
	open_world();
	ck_assert_uint_eq(files->files[0].delete_count, 1);
	scan(NULL, 0, NULL);
	ck_assert_uint_eq(seen.count, 98);
	ck_assert_int_eq(seen.by_id[3], 1);
	ck_assert_int_eq(seen.by_id[2] + seen.by_id[50], 0);
	ck_assert_uint_eq(snapshot_live_rows(files), 98);
}
END_TEST

START_TEST(two_vectors_of_one_file_are_refused)
{
	const uint64_t vector[] = { 2 };
	struct snapshot_files *loaded;
	char uri[400];

	world_make(&world, "t", 3, false);
	uri_of(world_data(&world, 0, 100), uri);
	world_commit(&world);
	world_vector(&world, uri, vector, 1);
	world_vector(&world, uri, vector, 1);
	world_commit(&world);
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_assert_int_eq(table_files(table, &loaded, &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "two deletion vectors"));
}
END_TEST

START_TEST(a_position_beyond_the_file_is_corrupt)
{
	const uint64_t vector[] = { 100 };
	struct roaring64 *positions;
	char uri[400];

	world_make(&world, "t", 3, false);
	uri_of(world_data(&world, 0, 100), uri);
	world_commit(&world);
	world_vector(&world, uri, vector, 1);
	world_commit(&world);
	open_world();
	ck_assert_int_eq(snapshot_file_deletes(files, &files->files[0],
					       &positions, &err),
			 ERROR_CORRUPT);
}
END_TEST

START_TEST(a_delete_file_with_rows_of_another_file_is_corrupt)
{
	const int64_t position = 1;
	struct roaring64 *positions;
	const char *path;
	char first[400], second[400];

	world_make(&world, "t", 2, false);
	uri_of(world_data(&world, 0, 100), first);
	uri_of(world_data(&world, 100, 100), second);
	world_commit(&world);
	path = second;
	world_positions(&world, &path, &position, 1)
		->file.referenced_data_file = first;
	world_commit(&world);
	open_world();
	ck_assert_int_eq(snapshot_file_deletes(files, &files->files[0],
					       &positions, &err),
			 ERROR_CORRUPT);
	ck_assert_ptr_null(positions);
	ck_assert_ptr_nonnull(strstr(err.text, second));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scan_deletes");
	TCase *tc = tcase_create("scan_deletes");

	tcase_add_checked_fixture(tc, scan_setup, scan_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_position_delete_of_one_file_removes_its_rows);
	tcase_add_test(tc,
		       a_position_delete_of_a_partition_is_sorted_out_by_path);
	tcase_add_test(tc, a_path_in_another_spelling_is_the_same_file);
	tcase_add_test(tc, deletes_do_not_reach_files_that_are_newer);
	tcase_add_test(tc, equality_deletes_remove_equal_rows_of_older_files);
	tcase_add_test(tc, deletes_stay_in_their_partition);
	tcase_add_test(tc, a_deletion_vector_replaces_position_files);
	tcase_add_test(tc, two_vectors_of_one_file_are_refused);
	tcase_add_test(tc, a_position_beyond_the_file_is_corrupt);
	tcase_add_test(tc,
		       a_delete_file_with_rows_of_another_file_is_corrupt);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
