/* check_file_output.c - writing from start to end, and injected failures */
#include "unit/check_main.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "io/io.h"
#include "unit/check_scratch.h"

#define BIG_BYTES ((size_t)1000000)

static struct error err;
static struct output_file *file;
static char *big;

static void setup(void)
{
	error_init(&err);
	file = NULL;
	scratch_make();
	big = malloc(BIG_BYTES);
	for (size_t i = 0; i < BIG_BYTES; i++)
		big[i] = (char)(i * 2654435761u >> 13);
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	output_file_free(file);
	free(big);
	scratch_remove();
}

START_TEST(pieces_of_all_sizes_arrive_in_order)
{
	size_t done = 0, piece;

	ck_ok(output_file_create(&file, "out", &err));
	for (unsigned i = 0; done < BIG_BYTES; i++) {
		piece = i % 7 == 6 ? 300000 : i * 37 % 5000;
		if (piece > BIG_BYTES - done)
			piece = BIG_BYTES - done;
		ck_ok(output_file_write(file, big + done, piece, &err));
		done += piece;
		ck_assert_uint_eq(output_file_offset(file), done);
		if (i % 50 == 0)
			ck_ok(output_file_flush(file, &err));
	}
	ck_ok(output_file_close(file, true, &err));
	scratch_expect("out", big, BIG_BYTES);
}
END_TEST

START_TEST(a_finished_file_stays_and_an_unfinished_one_goes)
{
	ck_ok(output_file_create(&file, "out", &err));
	ck_ok(output_file_write(file, "abc", 3, &err));
	ck_ok(output_file_flush(file, &err));
	ck_assert(path_exists("out"));
	output_file_free(file);
	file = NULL;
	ck_assert(!path_exists("out"));
	ck_ok(output_file_create(&file, "out", &err));
	ck_ok(output_file_close(file, false, &err));
	output_file_free(file);
	file = NULL;
	scratch_expect("out", "", 0);
	output_file_free(NULL);
}
END_TEST

START_TEST(an_existing_file_is_never_opened_for_writing)
{
	scratch_file("out", "old", 3);
	ck_assert_int_eq(output_file_create(&file, "out", &err), ERROR_IO);
	ck_assert_ptr_null(file);
	ck_assert_ptr_nonnull(strstr(err.text, "'out'"));
	scratch_expect("out", "old", 3);
}
END_TEST

START_TEST(a_file_in_memory_holds_what_was_written)
{
	struct byte_view view;

	ck_ok(output_file_memory(&file, "m", &err));
	ck_assert_uint_eq(output_file_memory_bytes(file).length, 0);
	ck_ok(output_file_write(file, "abc", 3, &err));
	ck_ok(output_file_write(file, "de", 2, &err));
	ck_assert_uint_eq(output_file_offset(file), 5);
	ck_ok(output_file_flush(file, &err));
	ck_ok(output_file_close(file, true, &err));
	view = output_file_memory_bytes(file);
	ck_assert(byte_view_equal(view, byte_view("abcde", 5)));
}
END_TEST

START_TEST(a_descriptor_is_written_and_stays_the_callers)
{
	int ends[2];
	char buffer[8];

	ck_assert_int_eq(pipe(ends), 0);
	ck_ok(output_file_descriptor(&file, ends[1], "pipe", &err));
	ck_ok(output_file_write(file, "abc", 3, &err));
	ck_ok(output_file_flush(file, &err));
	ck_assert_int_eq(read(ends[0], buffer, 8), 3);
	ck_ok(output_file_write(file, "de", 2, &err));
	ck_ok(output_file_close(file, true, &err));
	output_file_free(file);
	file = NULL;
	ck_assert_int_eq(read(ends[0], buffer, 8), 2);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

static void on_alarm(int signal_number)
{
	interrupt_request(signal_number);
}

START_TEST(a_signal_ends_the_wait_for_a_reader)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int ends[2];

	sigaction(SIGALRM, &action, NULL);
	ck_assert_int_eq(pipe2(ends, _i ? O_NONBLOCK : 0), 0);
	ck_ok(output_file_descriptor(&file, ends[1], "pipe", &err));
	ualarm(50000, 0);
	ck_assert_int_eq(output_file_write(file, big, BIG_BYTES, &err),
			 ERROR_INTERRUPTED);
	ck_assert_int_ne(output_file_close(file, false, &err), 0);
	close(ends[0]);
	close(ends[1]);
	interrupt_reset();
}
END_TEST

START_TEST(a_reader_that_is_slow_gets_all)
{
	static char back[BIG_BYTES];
	size_t done = 0;
	ssize_t got;
	int ends[2], status;

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	if (fork() == 0) {
		close(ends[1]);
		while (done < BIG_BYTES) {
			usleep(100);
			got = read(ends[0], back + done,
				   done + 60000 < BIG_BYTES ?
				   60000 : BIG_BYTES - done);
			if (got > 0)
				done += (size_t)got;
		}
		_exit(memcmp(back, big, BIG_BYTES) != 0);
	}
	ck_ok(output_file_descriptor(&file, ends[1], "pipe", &err));
	ck_ok(output_file_write(file, big, BIG_BYTES, &err));
	ck_ok(output_file_close(file, true, &err));
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(a_full_disk_is_no_space_and_sticks)
{
	int descriptor = open("/dev/full", O_WRONLY);

	ck_assert_int_ge(descriptor, 0);
	ck_ok(output_file_descriptor(&file, descriptor, "full", &err));
	ck_assert_int_eq(output_file_write(file, big, BIG_BYTES, &err),
			 ERROR_NO_SPACE);
	ck_assert_ptr_nonnull(strstr(err.text, "'full'"));
	error_init(&err);
	ck_assert_int_eq(output_file_write(file, "x", 1, &err),
			 ERROR_NO_SPACE);
	ck_assert_int_eq(output_file_flush(file, &err), ERROR_NO_SPACE);
	ck_assert_int_eq(output_file_close(file, true, &err), ERROR_NO_SPACE);
	close(descriptor);
}
END_TEST

/* A whole life of a file; 0 or the first failure. */
static int write_life(bool to_memory)
{
	int rc = to_memory ? output_file_memory(&file, "out", &err) :
			     output_file_create(&file, "out", &err);

	if (!rc)
		rc = output_file_write(file, big, 1000, &err);
	if (!rc)
		rc = output_file_flush(file, &err);
	if (!rc)
		rc = output_file_write(file, big, 400000, &err);
	if (!rc)
		rc = output_file_write(file, big, 10, &err);
	if (!rc)
		rc = output_file_close(file, true, &err);
	output_file_free(file);
	file = NULL;
	return rc;
}

START_TEST(each_failed_operation_is_reported_and_leaves_no_file)
{
	long total;
	int rc;

	io_fail_at(-1, 0);
	ck_assert_int_eq(write_life(false), 0);
	total = io_operation_count();
	ck_assert_int_ge(total, 5);	/* create, three writes, sync */
	ck_assert_int_eq(unlink("out"), 0);
	for (long n = 0; n < total; n++) {
		io_fail_at(n, ENOSPC);
		rc = write_life(false);
		ck_assert_int_eq(rc, ERROR_NO_SPACE);
		ck_assert(!path_exists("out"));
	}
	io_fail_at(total, EIO);
	ck_assert_int_eq(write_life(false), 0);
	ck_assert(path_exists("out"));
}
END_TEST

START_TEST(writes_to_memory_can_be_made_to_fail_too)
{
	io_fail_at(0, EIO);
	ck_assert_int_eq(write_life(true), ERROR_IO);
	io_fail_at(1, EIO);
	ck_assert_int_eq(write_life(true), ERROR_IO);
	io_fail_at(3, EIO);
	ck_assert_int_eq(write_life(true), 0);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_no_file)
{
	int rc, failures = 0;

	for (long n = 0; ; n++, failures++) {
		mem_fail_at(n);
		rc = write_life(_i);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert(!path_exists("out"));
	}
	ck_assert_int_ge(failures, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("file_output");
	TCase *tc = tcase_create("file_output");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, pieces_of_all_sizes_arrive_in_order);
	tcase_add_test(tc, a_finished_file_stays_and_an_unfinished_one_goes);
	tcase_add_test(tc, an_existing_file_is_never_opened_for_writing);
	tcase_add_test(tc, a_file_in_memory_holds_what_was_written);
	tcase_add_test(tc, a_descriptor_is_written_and_stays_the_callers);
	tcase_add_loop_test(tc, a_signal_ends_the_wait_for_a_reader, 0, 2);
	tcase_add_test(tc, a_reader_that_is_slow_gets_all);
	tcase_add_test(tc, a_full_disk_is_no_space_and_sticks);
	tcase_add_test(tc,
		each_failed_operation_is_reported_and_leaves_no_file);
	tcase_add_test(tc, writes_to_memory_can_be_made_to_fail_too);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_no_file, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
