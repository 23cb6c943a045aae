/* check_directory.c - making, listing, removing and syncing; paths */
#include "unit/check_main.h"

#include <errno.h>
#include <sys/stat.h>
#include "io/io.h"
#include "unit/check_scratch.h"

static struct error err;
static struct arena arena;

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	scratch_make();
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	arena_release(&arena);
	scratch_remove();
}

START_TEST(missing_parents_are_made)
{
	char absolute[400];

	ck_ok(directory_make("a/b//c/", &err));
	ck_assert(path_is_directory("a/b/c"));
	ck_ok(directory_make("a/b", &err));
	snprintf(absolute, sizeof(absolute), "%s/x/y", scratch_path);
	ck_ok(directory_make(absolute, &err));
	ck_assert(path_is_directory("x/y"));
	ck_ok(directory_make("/", &err));
	ck_ok(directory_make(".", &err));
	ck_assert_int_eq(directory_make("", &err), ERROR_IO);
}
END_TEST

START_TEST(a_file_in_the_way_is_an_error)
{
	scratch_file("f", "x", 1);
	ck_assert_int_eq(directory_make("f", &err), ERROR_IO);
	ck_assert_int_eq(directory_make("f/g", &err), ERROR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "'f/g'"));
	io_fail_at(1, ENOSPC);
	ck_assert_int_eq(directory_make("p/q", &err), ERROR_NO_SPACE);
	mem_fail_at(0);
	ck_assert_int_eq(directory_make("r/s", &err), ERROR_NO_MEMORY);
}
END_TEST

START_TEST(names_are_listed_in_byte_order)
{
	static const char *const sorted[] = {
		".hidden", "A", "B", "a", "a.b", "\xc3\xa4",
	};
	char **names;
	size_t count;

	ck_assert_int_eq(mkdir("d", 0777), 0);
	ck_ok(directory_list("d", &arena, &names, &count, &err));
	ck_assert_uint_eq(count, 0);
	ck_assert_int_eq(chdir("d"), 0);
	for (size_t i = ARRAY_COUNT(sorted); i > 0; i--)
		scratch_file(sorted[i - 1], "", 0);
	ck_ok(directory_list(".", &arena, &names, &count, &err));
	ck_assert_uint_eq(count, ARRAY_COUNT(sorted));
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(names[i], sorted[i]);
}
END_TEST

START_TEST(a_listing_that_fails_gives_no_names)
{
	char **names = (char **)&names;
	size_t count = 1;
	int rc;

	ck_assert_int_eq(directory_list("none", &arena, &names, &count, &err),
			 ERROR_IO);
	ck_assert_ptr_null(names);
	ck_assert_uint_eq(count, 0);
	for (long n = 0; ; n++) {
		arena_release(&arena);
		mem_fail_at(n);
		rc = directory_list("/", &arena, &names, &count, &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_ptr_null(names);
	}
	ck_assert_int_ge(mem_alloc_count(), 2);
}
END_TEST

START_TEST(a_tree_is_removed_and_links_out_of_it_are_not_followed)
{
	ck_ok(directory_make("t/a/b", &err));
	ck_ok(directory_make("kept", &err));
	scratch_file("kept/f", "x", 1);
	scratch_file("t/a/b/f", "x", 1);
	ck_assert_int_eq(symlink("../kept", "t/link"), 0);
	ck_ok(directory_remove_tree("t", &err));
	ck_assert(!path_exists("t"));
	scratch_expect("kept/f", "x", 1);
	ck_ok(directory_remove_tree("t", &err));
	ck_ok(directory_remove_tree("kept/f", &err));
	ck_assert(!path_exists("kept/f"));
}
END_TEST

START_TEST(a_tree_that_is_too_deep_is_refused)
{
	char path[200] = "t";

	for (int i = 0; i < 34; i++)
		strcat(path, "/d");
	ck_ok(directory_make(path, &err));
	ck_assert_int_eq(directory_remove_tree("t", &err), ERROR_IO);
	ck_assert(path_exists("t"));
	ck_ok(directory_remove_tree("t/d/d/d/d", &err));
	ck_ok(directory_remove_tree("t", &err));
}
END_TEST

START_TEST(directories_and_files_are_synced_or_the_failure_is_reported)
{
	char names[][4] = { "f0", "f1", "f2", "f3", "f4", "f5" };
	char *paths[8];
	size_t count = (size_t)_i;

	for (size_t i = 0; i < count; i++) {
		paths[i] = names[i];
		scratch_file(paths[i], "x", 1);
	}
	if (count)		/* a directory among them */
		paths[count - 1] = (char *)".";
	ck_ok(directory_sync(".", &err));
	ck_assert_int_eq(directory_sync("none", &err), ERROR_IO);
	io_fail_at(0, EIO);
	ck_assert_int_eq(directory_sync(".", &err), ERROR_IO);
	io_fail_at(-1, 0);
	ck_ok(files_sync(paths, 0, NULL, NULL, &err));
	ck_ok(files_sync(paths, count, NULL, NULL, &err));
	ck_assert_int_eq(io_operation_count(), _i);
	paths[count] = (char *)"none";
	ck_assert_int_eq(files_sync(paths, count + 1, NULL, NULL, &err),
			 ERROR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "'none'"));
	paths[count] = (char *)".";
	io_fail_at(count, EIO);
	ck_assert_int_eq(files_sync(paths, count + 1, NULL, NULL, &err),
			 ERROR_IO);
}
END_TEST

static int note(void *context, struct error *problem)
{
	int *ran_by = context;

	*ran_by += 1;
	return *ran_by > 1 ? error_set(problem, ERROR_CORRUPT, "second") : 0;
}

START_TEST(work_runs_once_while_others_sync_and_its_failure_is_the_result)
{
	char names[][3] = { "f1", "f2", "f3", "f4" };
	char *paths[] = { names[0], names[1], names[2], names[3] };
	int runs = 0;

	for (size_t i = 0; i < 4; i++)
		scratch_file(paths[i], "x", 1);
	ck_ok(files_sync(paths, (size_t)_i, note, &runs, &err));
	ck_assert_int_eq(runs, 1);
	ck_assert_int_eq(files_sync(paths, (size_t)_i, note, &runs, &err),
			 ERROR_CORRUPT);
	ck_assert_int_eq(runs, 2);
}
END_TEST

START_TEST(existence_is_of_the_name)
{
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	scratch_file("f", "", 0);
	ck_assert(path_exists("f"));
	ck_assert(path_exists("dangling"));
	ck_assert(!path_exists("none"));
	ck_assert(!path_is_directory("f"));
	ck_assert(path_is_directory("."));
	ck_ok(path_remove("dangling", &err));
	ck_ok(path_remove("dangling", &err));
	ck_assert_int_eq(path_remove("f/x", &err), ERROR_IO);
}
END_TEST

START_TEST(paths_are_joined_and_split)
{
	ck_assert_str_eq(path_join(&arena, "a", "b"), "a/b");
	ck_assert_str_eq(path_join(&arena, "a/", "b"), "a/b");
	ck_assert_str_eq(path_join(&arena, "/", "b"), "/b");
	ck_assert_str_eq(path_join(&arena, "", "b"), "b");
	ck_assert_str_eq(path_join(&arena, "a", "/b"), "/b");
	ck_assert_str_eq(path_basename("a/b"), "b");
	ck_assert_str_eq(path_basename("b"), "b");
	ck_assert_str_eq(path_basename("/"), "");
	ck_assert_str_eq(path_dirname(&arena, "a/b"), "a");
	ck_assert_str_eq(path_dirname(&arena, "a//b/"), "a");
	ck_assert_str_eq(path_dirname(&arena, "b"), ".");
	ck_assert_str_eq(path_dirname(&arena, "/b"), "/");
	ck_assert_str_eq(path_dirname(&arena, "/"), "/");
	ck_assert_str_eq(path_dirname(&arena, ""), ".");
}
END_TEST

START_TEST(a_real_path_follows_links_and_may_lack_its_last_part)
{
	char *root, *path;

	ck_ok(path_real(&arena, ".", &root, &err));
	ck_ok(directory_make("d", &err));
	ck_assert_int_eq(symlink("d", "link"), 0);
	ck_ok(path_real(&arena, "link", &path, &err));
	ck_assert_str_eq(path, path_join(&arena, root, "d"));
	ck_ok(path_real(&arena, "link/../link/new", &path, &err));
	ck_assert_str_eq(path, path_join(&arena, root, "d/new"));
	ck_ok(path_real(&arena, "new//", &path, &err));
	ck_assert_str_eq(path, path_join(&arena, root, "new"));
	ck_assert_int_eq(path_real(&arena, "no/new", &path, &err), ERROR_IO);
	ck_assert_ptr_null(path);
	ck_assert_int_eq(path_real(&arena, "", &path, &err), ERROR_IO);
	ck_assert_int_eq(symlink("gone", "dangling"), 0);
	ck_assert_int_eq(path_real(&arena, "dangling", &path, &err),
			 ERROR_IO);
}
END_TEST

static const struct {
	const char *uri;
	const char *path;	/* NULL: refused */
} uris[] = {
	{ "file:///a/b", "/a/b" },
	{ "file:/a/b", "/a/b" },
	{ "file://localhost/a/b", "/a/b" },
	{ "FILE:///a", "/a" },
	{ "/a/b", "/a/b" },
	{ "file:///a%20b c#d", "/a%20b c#d" },
	{ "file:///", "/" },
	{ "a/b", "a/b" },
	{ "s3://bucket/a", NULL },
	{ "hdfs://host/a", NULL },
	{ "file://host/a", NULL },
	{ "file:a", NULL },
	{ "file:", NULL },
	{ "file://localhost", NULL },
	{ "files:///a", NULL },
};

START_TEST(a_file_uri_becomes_a_path_and_others_are_refused)
{
	char *path;
	int rc = path_from_uri(&arena, uris[_i].uri, &path, &err);

	if (uris[_i].path) {
		ck_ok(rc);
		ck_assert_str_eq(path, uris[_i].path);
	} else {
		ck_assert_int_eq(rc, ERROR_UNSUPPORTED);
		ck_assert_ptr_null(path);
	}
	ck_assert_str_eq(path_to_uri(&arena, "/a b"), "file:///a b");
}
END_TEST

START_TEST(a_glob_is_sorted_and_a_plain_name_stands_for_itself)
{
	char **paths;
	size_t count;

	scratch_file("b.csv", "", 0);
	scratch_file("B.csv", "", 0);
	scratch_file("a.csv", "", 0);
	scratch_file("odd[1].csv", "", 0);
	ck_ok(path_glob(&arena, "?.csv", &paths, &count, &err));
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(paths[0], "B.csv");
	ck_assert_str_eq(paths[1], "a.csv");
	ck_assert_str_eq(paths[2], "b.csv");
	ck_ok(path_glob(&arena, "a.csv", &paths, &count, &err));
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(paths[0], "a.csv");
	ck_ok(path_glob(&arena, "odd[1].csv", &paths, &count, &err));
	ck_assert_str_eq(paths[0], "odd[1].csv");
	ck_assert_int_eq(path_glob(&arena, "*.txt", &paths, &count, &err),
			 ERROR_IO);
	ck_assert_ptr_null(paths);
	ck_assert_uint_eq(count, 0);
	ck_assert_int_eq(path_glob(&arena, "none", &paths, &count, &err),
			 ERROR_IO);
	mem_fail_at(0);
	ck_assert_int_eq(path_glob(&(struct arena){ 0 }, "a.csv", &paths,
				   &count, &err), ERROR_NO_MEMORY);
}
END_TEST

START_TEST(each_failed_allocation_of_a_path_is_reported)
{
	char **paths;
	char *path;
	size_t count;

	for (int kind = 0; kind < 4; kind++) {
		arena_release(&arena);
		mem_fail_at(0);
		ck_assert_int_eq(
			kind == 0 ? path_real(&arena, ".", &path, &err) :
			kind == 1 ? path_real(&arena, "new", &path, &err) :
			kind == 2 ? path_from_uri(&arena, "/a", &path, &err) :
			path_glob(&arena, "/", &paths, &count, &err),
			ERROR_NO_MEMORY);
	}
}
END_TEST

static void count_name(void *context, const char *name)
{
	int *count = context;

	*count += name[0] != '.';
}

START_TEST(every_name_is_visited_once)
{
	char name[16];
	int count = 0;

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		scratch_file(name, "", 0);
	}
	ck_ok(directory_visit(".", count_name, &count, &err));
	ck_assert_int_eq(count, 500);
	ck_assert_int_eq(directory_visit("missing", count_name, &count, &err),
			 ERROR_IO);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("directory");
	TCase *tc = tcase_create("directory");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_name_is_visited_once);
	tcase_add_test(tc, missing_parents_are_made);
	tcase_add_test(tc, a_file_in_the_way_is_an_error);
	tcase_add_test(tc, names_are_listed_in_byte_order);
	tcase_add_test(tc, a_listing_that_fails_gives_no_names);
	tcase_add_test(tc,
		a_tree_is_removed_and_links_out_of_it_are_not_followed);
	tcase_add_test(tc, a_tree_that_is_too_deep_is_refused);
	tcase_add_loop_test(tc,
		directories_and_files_are_synced_or_the_failure_is_reported,
		0, 6);
	tcase_add_loop_test(tc,
		work_runs_once_while_others_sync_and_its_failure_is_the_result,
		0, 5);
	tcase_add_test(tc, existence_is_of_the_name);
	tcase_add_test(tc, paths_are_joined_and_split);
	tcase_add_test(tc,
		a_real_path_follows_links_and_may_lack_its_last_part);
	tcase_add_loop_test(tc,
		a_file_uri_becomes_a_path_and_others_are_refused, 0,
		(int)ARRAY_COUNT(uris));
	tcase_add_test(tc,
		a_glob_is_sorted_and_a_plain_name_stands_for_itself);
	tcase_add_test(tc, each_failed_allocation_of_a_path_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
