/* check_publish.c - one-step publication and locks between processes */
#include "unit/check_main.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "io/io.h"
#include "unit/check_scratch.h"

static struct error err;
static struct file_lock *lock;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	lock = NULL;
	scratch_make();
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	interrupt_reset();
	file_lock_free(lock);
	scratch_remove();
}

/* All steps of a publication, as the catalog takes them. */
static int publish(const char *temporary, const char *path, const char *text,
		   bool *exists)
{
	char *paths[] = { (char *)temporary };
	int rc;

	rc = publish_stage(temporary, text, strlen(text), &err);
	if (rc)
		return rc;
	rc = files_sync(paths, 1, NULL, NULL, &err);
	if (rc) {
		path_remove(temporary, NULL);
		return rc;
	}
	return publish_exclusive(temporary, path, exists, &err);
}

START_TEST(a_new_name_gets_the_whole_content)
{
	bool exists = true;

	ck_ok(publish("tmp", "v1", "one", &exists));
	ck_assert(!exists);
	scratch_expect("v1", "one", 3);
	ck_assert(!path_exists("tmp"));
}
END_TEST

START_TEST(a_name_that_is_taken_is_left_alone)
{
	bool exists = false;

	scratch_file("v1", "theirs", 6);
	ck_ok(publish("tmp", "v1", "ours", &exists));
	ck_assert(exists);
	scratch_expect("v1", "theirs", 6);
	ck_assert(!path_exists("tmp"));
	/* a dangling link is a name too */
	ck_assert_int_eq(symlink("nowhere", "v2"), 0);
	ck_ok(publish("tmp", "v2", "ours", &exists));
	ck_assert(exists);
	ck_assert(!path_exists("nowhere"));
}
END_TEST

START_TEST(of_many_writers_exactly_one_wins)
{
	char name[16], content[16];
	int wins = 0, status;
	bool exists;

	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			snprintf(name, sizeof(name), "tmp%d", i);
			snprintf(content, sizeof(content), "writer%d", i);
			if (publish(name, "v1", content, &exists))
				_exit(2);
			_exit(exists ? 1 : 0);
		}
	for (int i = 0; i < 8; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert(WIFEXITED(status));
		ck_assert_int_le(WEXITSTATUS(status), 1);
		wins += WEXITSTATUS(status) == 0;
	}
	ck_assert_int_eq(wins, 1);
}
END_TEST

START_TEST(each_failed_operation_makes_no_name_and_leaves_no_rest)
{
	bool exists = true;
	long n;
	int rc;

	for (n = 0; ; n++) {
		io_fail_at(n, EIO);
		exists = false;
		rc = publish("tmp", "v1", "one", &exists);
		ck_assert(!exists);
		ck_assert(!path_exists("tmp"));
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_IO);
		ck_assert(!path_exists("v1"));
	}
	ck_assert_int_eq(n, 4);		/* create, write, sync, link */
	scratch_expect("v1", "one", 3);
}
END_TEST

START_TEST(replacing_gives_the_old_or_the_new_content)
{
	long n;
	int rc;

	ck_ok(publish_replace("tmp", "hint", "1", 1, true, &err));
	scratch_expect("hint", "1", 1);
	for (n = 0; ; n++) {
		io_fail_at(n, ENOSPC);
		rc = publish_replace("tmp", "hint", "22", 2, _i, &err);
		ck_assert(!path_exists("tmp"));
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_SPACE);
		scratch_expect("hint", "1", 1);
	}
	ck_assert_int_eq(n, _i ? 4 : 3);	/* without sync one less */
	scratch_expect("hint", "22", 2);
}
END_TEST

START_TEST(a_missing_directory_is_an_error)
{
	bool exists = true;

	ck_assert_int_eq(publish_stage("no/tmp", "x", 1, &err), ERROR_IO);
	ck_assert_int_eq(publish_exclusive("no/tmp", "no/v1", &exists, &err),
			 ERROR_IO);
	ck_assert(!exists);
	ck_assert_int_eq(publish_replace("no/tmp", "no/v1", "x", 1, true,
					 &err), ERROR_IO);
}
END_TEST

/* Start a process that holds the lock until it gets a signal. */
static pid_t hold_in_child(bool exclusive)
{
	int ends[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		if (file_lock_take(&lock, "lock", exclusive, -1, &err) ||
		    write(ends[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(a_lock_is_had_by_one_until_its_process_ends)
{
	pid_t pid = hold_in_child(true);
	uint64_t before;

	ck_ok(file_lock_take(&lock, "lock", true, 0, &err));
	ck_assert_ptr_null(lock);
	before = clock_monotonic_ns();
	ck_ok(file_lock_take(&lock, "lock", false, 60, &err));
	ck_assert_ptr_null(lock);
	ck_assert_uint_ge(clock_monotonic_ns() - before, 60000000);
	end_child(pid);
	ck_ok(file_lock_take(&lock, "lock", true, 5000, &err));
	ck_assert_ptr_nonnull(lock);
}
END_TEST

START_TEST(shared_locks_live_together)
{
	pid_t pid = hold_in_child(false);

	ck_ok(file_lock_take(&lock, "lock", true, 0, &err));
	ck_assert_ptr_null(lock);
	ck_ok(file_lock_take(&lock, "lock", false, 0, &err));
	ck_assert_ptr_nonnull(lock);
	end_child(pid);
}
END_TEST

START_TEST(a_freed_lock_can_be_taken_again)
{
	struct file_lock *second;

	ck_ok(file_lock_take(&lock, "lock", true, 0, &err));
	ck_ok(file_lock_take(&second, "lock", true, 0, &err));
	ck_assert_ptr_null(second);
	file_lock_free(lock);
	ck_ok(file_lock_take(&lock, "lock", true, 0, &err));
	ck_assert_ptr_nonnull(lock);
	file_lock_free(NULL);
}
END_TEST

START_TEST(a_lock_on_a_file_that_was_removed_meanwhile_is_not_one)
{
	struct file_lock *second;
	struct stat named;
	int status;
	pid_t pid;

	ck_ok(file_lock_take(&lock, "lock", true, 0, &err));
	pid = fork();
	if (pid == 0) {
		/* its copy of the descriptor would hold the lock as well */
		file_lock_free(lock);
		/* waits on the old file, and must end on the new one */
		if (file_lock_take(&second, "lock", true, -1, &err) ||
		    !second || stat("lock", &named) != 0)
			_exit(1);
		_exit(0);
	}
	usleep(100000);
	ck_assert_int_eq(unlink("lock"), 0);
	file_lock_free(lock);
	lock = NULL;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

static void on_alarm(int signal_number)
{
	interrupt_request(signal_number);
}

START_TEST(a_signal_ends_the_wait_for_a_lock)
{
	struct sigaction action = { .sa_handler = on_alarm };
	pid_t pid = hold_in_child(true);

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	ck_assert_int_eq(file_lock_take(&lock, "lock", true,
					_i ? 60000 : -1, &err),
			 ERROR_INTERRUPTED);
	ck_assert_ptr_null(lock);
	interrupt_reset();
	end_child(pid);
}
END_TEST

START_TEST(a_lock_that_cannot_be_made_is_an_error)
{
	ck_assert_int_eq(file_lock_take(&lock, "no/lock", true, 0, &err),
			 ERROR_IO);
	ck_assert_ptr_null(lock);
	mem_fail_at(0);
	ck_assert_int_eq(file_lock_take(&lock, "lock", true, 0, &err),
			 ERROR_NO_MEMORY);
	ck_assert_ptr_null(lock);
	io_fail_at(0, EIO);
	ck_assert_int_eq(file_lock_take(&lock, "lock", true, 0, &err),
			 ERROR_IO);
	ck_assert_ptr_null(lock);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("publish");
	TCase *tc = tcase_create("publish");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_new_name_gets_the_whole_content);
	tcase_add_test(tc, a_name_that_is_taken_is_left_alone);
	tcase_add_test(tc, of_many_writers_exactly_one_wins);
	tcase_add_test(tc,
		each_failed_operation_makes_no_name_and_leaves_no_rest);
	tcase_add_loop_test(tc, replacing_gives_the_old_or_the_new_content, 0,
			    2);
	tcase_add_test(tc, a_missing_directory_is_an_error);
	tcase_add_test(tc, a_lock_is_had_by_one_until_its_process_ends);
	tcase_add_test(tc, shared_locks_live_together);
	tcase_add_test(tc, a_freed_lock_can_be_taken_again);
	tcase_add_test(tc,
		a_lock_on_a_file_that_was_removed_meanwhile_is_not_one);
	tcase_add_loop_test(tc, a_signal_ends_the_wait_for_a_lock, 0, 2);
	tcase_add_test(tc, a_lock_that_cannot_be_made_is_an_error);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
