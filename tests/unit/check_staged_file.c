/* check_staged_file.c - files beside what they will replace */
#include "unit/check_main.h"

#include <errno.h>
#include <sys/wait.h>
#include "io/io.h"
#include "unit/check_scratch.h"

static struct error err;
static struct staged_file *staged;
static struct output_file *file;

static void setup(void)
{
	error_init(&err);
	staged = NULL;
	file = NULL;
	scratch_make();
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	output_file_free(file);
	staged_file_free(staged);
	scratch_remove();
}

static void expect_names(const char *names)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "test \"$(ls -A | tr '\\n' ' ')\" = '%s'", names);
	ck_assert_int_eq(system(command), 0);
}

static void write_one(const char *suffix)
{
	ck_ok(output_file_write(file, "new", 3, &err));
	ck_ok(output_file_close(file, true, &err));
	ck_ok(staged_file_complete(staged, suffix, &err));
}

START_TEST(a_file_is_beside_its_name_until_it_is_moved)
{
	scratch_file("f.csv", "old", 3);
	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	ck_assert(text_ends_with(staged_file_path(staged), "-0.tmp"));
	write_one(".csv");
	ck_assert(text_ends_with(staged_file_path(staged), "-0.csv"));
	scratch_expect(staged_file_path(staged), "new", 3);
	scratch_expect("f.csv", "old", 3);
	ck_ok(publish_move(staged_file_path(staged), "f.csv", &err));
	scratch_expect("f.csv", "new", 3);
	expect_names("f.csv ");
}
END_TEST

START_TEST(what_is_not_completed_goes)
{
	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	output_file_free(file);
	file = NULL;
	expect_names("");
}
END_TEST

/* A process that ends amid the work, with a file as far as that. */
static void leave(const char *path, bool complete)
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (!child) {
		ck_ok(staged_file_new(&staged, &file, path, &err));
		if (complete)
			write_one(".csv");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

START_TEST(what_a_dead_process_left_goes_with_the_next)
{
	leave("f.csv", false);
	ck_assert_int_eq(system("test -f .f.csv.rowmerge-*-0.tmp"), 0);
	leave("f.csv", false);
	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	write_one("");
	ck_ok(publish_move(staged_file_path(staged), "f.csv", &err));
	expect_names("f.csv ");
}
END_TEST

START_TEST(what_was_complete_and_what_is_of_others_stays)
{
	scratch_file(".f.csv.rowmerge-1.tmp", "", 0);
	scratch_file(".f.csv.rowmerge-1-a.tmp", "", 0);
	scratch_file(".f.csv.rowmerge-1-1.tmpx", "", 0);
	scratch_file(".f.csv.rowmerge--1.tmp", "", 0);
	scratch_file(".g.csv.rowmerge-1-1.tmp", "", 0);
	scratch_file(".f.csv.rowmerge-1-1.tmp", "", 0);
	leave("f.csv", true);
	ck_assert_int_eq(system("mv .f.csv.rowmerge-*-0.csv kept"), 0);
	ck_ok(staged_file_new(&staged, &file, "./f.csv", &err));
	output_file_free(file);
	file = NULL;
	expect_names(".f.csv.rowmerge--1.tmp .f.csv.rowmerge-1-1.tmpx "
		     ".f.csv.rowmerge-1-a.tmp .f.csv.rowmerge-1.tmp "
		     ".g.csv.rowmerge-1-1.tmp kept ");
	scratch_expect("kept", "new", 3);
}
END_TEST

START_TEST(what_a_living_writer_has_stays)
{
	struct staged_file *second;
	struct output_file *second_file;

	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	ck_ok(staged_file_new(&second, &second_file, "f.csv", &err));
	ck_assert(text_ends_with(staged_file_path(second), "-1.tmp"));
	ck_assert(path_exists(staged_file_path(staged)));
	output_file_free(second_file);
	staged_file_free(second);
	write_one("");
	scratch_expect(staged_file_path(staged), "new", 3);
}
END_TEST

/* In a container all runs may have one number. */
START_TEST(a_complete_file_is_not_replaced_by_the_next)
{
	struct staged_file *first;

	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	write_one(".csv");
	output_file_free(file);
	first = staged;
	ck_ok(staged_file_new(&staged, &file, "f.csv", &err));
	ck_ok(output_file_write(file, "newer", 5, &err));
	ck_ok(output_file_close(file, true, &err));
	ck_ok(staged_file_complete(staged, ".csv", &err));
	scratch_expect(staged_file_path(first), "new", 3);
	scratch_expect(staged_file_path(staged), "newer", 5);
	staged_file_free(first);
}
END_TEST

START_TEST(a_directory_that_is_missing_is_an_error)
{
	ck_assert_int_eq(staged_file_new(&staged, &file, "no/f.csv", &err),
			 ERROR_IO);
	ck_assert_ptr_null(staged);
	ck_assert_ptr_null(file);
}
END_TEST

START_TEST(each_failed_operation_leaves_nothing)
{
	bool failed = true;

	for (int n = 0; failed; n++) {
		int rc;

		ck_assert_int_lt(n, 20);
		io_fail_at(n, EIO);
		rc = staged_file_new(&staged, &file, "f.csv", &err);
		if (!rc)
			rc = output_file_close(file, true, &err);
		if (!rc)
			rc = staged_file_complete(staged, "", &err);
		io_fail_at(-1, 0);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_IO);
		output_file_free(file);
		if (staged)
			path_remove(staged_file_path(staged), &err);
		staged_file_free(staged);
		file = NULL;
		staged = NULL;
		expect_names("");
	}
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_nothing)
{
	mem_fail_at(_i);
	ck_assert_int_eq(staged_file_new(&staged, &file, "f.csv", &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_ptr_null(staged);
	ck_assert_ptr_null(file);
	expect_names("");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("staged_file");
	TCase *tc = tcase_create("staged_file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_file_is_beside_its_name_until_it_is_moved);
	tcase_add_test(tc, what_is_not_completed_goes);
	tcase_add_test(tc, what_a_dead_process_left_goes_with_the_next);
	tcase_add_test(tc, what_was_complete_and_what_is_of_others_stays);
	tcase_add_test(tc, what_a_living_writer_has_stays);
	tcase_add_test(tc, a_complete_file_is_not_replaced_by_the_next);
	tcase_add_test(tc, a_directory_that_is_missing_is_an_error);
	tcase_add_test(tc, each_failed_operation_leaves_nothing);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_nothing, 0, 4);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
