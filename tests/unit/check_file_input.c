/* check_file_input.c - reading by offset and as a stream */
#include "unit/check_main.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "io/io.h"
#include "unit/check_scratch.h"

static struct error err;
static struct input_file *file;
static struct input_stream *stream;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	file = NULL;
	stream = NULL;
	scratch_make();
	scratch_file("ten", "0123456789", 10);
}

static void teardown(void)
{
	mem_fail_at(-1);
	input_file_close(file);
	input_stream_close(stream);
	scratch_remove();
}

START_TEST(any_range_inside_the_file_is_read)
{
	char buffer[11] = "";

	ck_ok(input_file_open(&file, "ten", &err));
	ck_assert_str_eq(input_file_path(file), "ten");
	ck_assert_uint_eq(input_file_size(file), 10);
	ck_ok(input_file_read(file, 7, buffer, 3, &err));
	ck_assert_str_eq(buffer, "789");
	ck_ok(input_file_read(file, 0, buffer, 10, &err));
	ck_assert_str_eq(buffer, "0123456789");
	ck_ok(input_file_read(file, 10, buffer, 0, &err));
	input_file_prefetch(file, 0, 0);
	input_file_prefetch(file, 5, UINT64_MAX);
	input_file_prefetch(file, UINT64_MAX, UINT64_MAX);
}
END_TEST

static void expect_refused(uint64_t offset, size_t length)
{
	char buffer[16];

	error_init(&err);
	ck_assert_int_eq(input_file_read(file, offset, buffer, length, &err),
			 ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "ten"));
	ck_assert_ptr_nonnull(strstr(err.text, "its size is 10"));
}

START_TEST(a_range_that_leaves_the_file_is_corrupt_in_every_kind)
{
	if (_i == 0)
		ck_ok(input_file_open(&file, "ten", &err));
	else
		ck_ok(input_file_memory(&file, "ten", "0123456789", 10, &err));
	expect_refused(7, 4);
	expect_refused(11, 0);
	expect_refused(UINT64_MAX, 2);
	expect_refused(2, SIZE_MAX - 1);
}
END_TEST

START_TEST(bytes_in_memory_read_like_a_file)
{
	char buffer[4] = "";

	ck_ok(input_file_memory(&file, "m", "abcdef", 6, &err));
	ck_assert_str_eq(input_file_path(file), "m");
	ck_assert_uint_eq(input_file_size(file), 6);
	ck_ok(input_file_read(file, 2, buffer, 3, &err));
	ck_assert_str_eq(buffer, "cde");
	input_file_prefetch(file, 0, 6);
	input_file_close(file);
	ck_ok(input_file_memory(&file, "empty", NULL, 0, &err));
	ck_ok(input_file_read(file, 0, buffer, 0, &err));
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused_by_name)
{
	static const char *const names[] = { "missing", "dir", "fifo" };

	ck_assert_int_eq(mkdir("dir", 0777), 0);
	ck_assert_int_eq(mkfifo("fifo", 0666), 0);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		ck_assert_int_eq(input_file_open(&file, names[i], &err),
				 ERROR_IO);
		ck_assert_ptr_null(file);
		ck_assert_ptr_nonnull(strstr(err.text, names[i]));
	}
}
END_TEST

START_TEST(a_file_cut_short_after_open_is_an_error_not_a_signal)
{
	char buffer[10];

	ck_ok(input_file_open(&file, "ten", &err));
	ck_assert_int_eq(truncate("ten", 4), 0);
	ck_assert_int_eq(input_file_read(file, 0, buffer, 10, &err),
			 ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "cut short"));
	ck_ok(input_file_read(file, 1, buffer, 3, &err));
}
END_TEST

START_TEST(a_whole_file_is_read_up_to_the_limit)
{
	struct text text = TEXT_INIT;

	text_add_str(&text, "old");
	ck_ok(input_file_read_all("ten", 10, &text, &err));
	ck_assert_uint_eq(text.length, 10);
	ck_assert_str_eq(text.data, "0123456789");
	ck_assert_int_eq(input_file_read_all("ten", 9, &text, &err),
			 ERROR_CORRUPT);
	ck_assert_uint_eq(text.length, 0);
	ck_assert_int_eq(input_file_read_all("none", 9, &text, &err),
			 ERROR_IO);
	scratch_file("empty", "", 0);
	ck_ok(input_file_read_all("empty", 0, &text, &err));
	ck_assert_str_eq(text.data, "");
	text_release(&text);
}
END_TEST

START_TEST(each_failed_allocation_of_an_open_is_reported)
{
	struct text text = TEXT_INIT;
	int rc, failures = 0;

	for (long n = 0; ; n++, failures++) {
		mem_fail_at(n);
		rc = input_file_open(&file, "ten", &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_ptr_null(file);
	}
	ck_assert_int_gt(failures, 0);
	for (long n = 0; ; n++, failures++) {
		mem_fail_at(n);
		rc = input_stream_open(&stream, "ten", &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_ptr_null(stream);
	}
	for (long n = 0; ; n++, failures++) {
		mem_fail_at(n);
		rc = input_file_read_all("ten", 10, &text, &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_uint_eq(text.length, 0);
		text_reset(&text);
	}
	ck_assert_int_ge(failures, 6);
	text_release(&text);
}
END_TEST

START_TEST(a_stream_gives_all_bytes_and_then_none)
{
	char buffer[8] = "";
	size_t length;

	ck_ok(input_stream_open(&stream, "ten", &err));
	ck_ok(input_stream_read(stream, buffer, 7, &length, &err));
	ck_assert_uint_eq(length, 7);
	ck_assert_str_eq(buffer, "0123456");
	ck_ok(input_stream_read(stream, buffer, 7, &length, &err));
	ck_assert_uint_eq(length, 3);
	ck_assert_mem_eq(buffer, "789", 3);
	ck_ok(input_stream_read(stream, buffer, 7, &length, &err));
	ck_assert_uint_eq(length, 0);
}
END_TEST

START_TEST(a_dash_is_standard_input_and_stays_open)
{
	char buffer[8];
	size_t length;
	int descriptor = open("ten", O_RDONLY);

	ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
	close(descriptor);
	ck_ok(input_stream_open(&stream, "-", &err));
	ck_ok(input_stream_read(stream, buffer, 4, &length, &err));
	ck_assert_mem_eq(buffer, "0123", 4);
	input_stream_close(stream);
	stream = NULL;
	ck_assert_int_eq(read(STDIN_FILENO, buffer, 3), 3);
	ck_assert_mem_eq(buffer, "456", 3);
}
END_TEST

/* What is done to "ten" while it is read. */
static void write_to_ten(int how)
{
	static const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	FILE *ten;

	if (how == 0)
		ck_assert_int_eq(truncate("ten", 8), 0);
	if (how == 1) {
		ten = fopen("ten", "a");
		ck_assert_int_eq(fputc('x', ten), 'x');
		ck_assert_int_eq(fclose(ten), 0);
	}
	if (how == 2)	/* the same size: only its time says so */
		ck_assert_int_eq(utimensat(AT_FDCWD, "ten", times, 0), 0);
}

START_TEST(a_file_that_is_written_to_while_it_is_read_is_refused_at_its_end)
{
	int how = _i % 3, descriptor = open("ten", O_RDONLY);
	char buffer[16];
	size_t length;
	int rc = 0;

	ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
	close(descriptor);
	ck_ok(input_stream_open(&stream, _i < 3 ? "ten" : "-", &err));
	ck_ok(input_stream_read(stream, buffer, 4, &length, &err));
	write_to_ten(how);
	do
		rc = input_stream_read(stream, buffer, sizeof(buffer),
				       &length, &err);
	while (!rc && length);
	ck_assert_int_eq(rc, ERROR_IO);
	ck_assert_uint_eq(length, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "while it was read"));
	ck_assert(err.hint[0]);
}
END_TEST

START_TEST(a_stream_that_cannot_be_opened_or_read_is_an_error)
{
	char buffer[8];
	size_t length = 5;

	ck_assert_int_eq(mkdir("dir", 0777), 0);
	ck_assert_int_eq(input_stream_open(&stream, "none", &err), ERROR_IO);
	ck_assert_ptr_null(stream);
	ck_assert_int_eq(input_stream_open(&stream, "dir", &err), ERROR_IO);
	ck_assert_ptr_null(stream);
	ck_assert_int_eq(dup2(open(".", O_RDONLY), STDIN_FILENO), 0);
	ck_ok(input_stream_open(&stream, "-", &err));
	ck_assert_int_eq(input_stream_read(stream, buffer, 8, &length, &err),
			 ERROR_IO);
	ck_assert_uint_eq(length, 0);
}
END_TEST

/* A pipe whose two ends do not block; a child writes to it after a while. */
START_TEST(a_pipe_that_does_not_block_is_waited_for)
{
	char buffer[8];
	size_t length;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	if (fork() == 0) {
		usleep(50000);
		_exit(write(ends[1], "abc", 3) != 3);
	}
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	ck_ok(input_stream_open(&stream, "-", &err));
	ck_ok(input_stream_read(stream, buffer, 8, &length, &err));
	ck_assert_uint_eq(length, 3);
	ck_ok(input_stream_read(stream, buffer, 8, &length, &err));
	ck_assert_uint_eq(length, 0);
	wait(NULL);
}
END_TEST

static void on_alarm(int signal_number)
{
	interrupt_request(signal_number);
}

START_TEST(a_signal_ends_the_wait_for_input)
{
	struct sigaction action = { .sa_handler = on_alarm };
	char buffer[8];
	size_t length = 1;
	int ends[2];

	sigaction(SIGALRM, &action, NULL);
	ck_assert_int_eq(pipe2(ends, _i ? O_NONBLOCK : 0), 0);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	ck_ok(input_stream_open(&stream, "-", &err));
	ualarm(50000, 0);
	ck_assert_int_eq(input_stream_read(stream, buffer, 8, &length, &err),
			 ERROR_INTERRUPTED);
	ck_assert_uint_eq(length, 0);
	close(ends[0]);
	close(ends[1]);
	interrupt_reset();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("file_input");
	TCase *tc = tcase_create("file_input");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, any_range_inside_the_file_is_read);
	tcase_add_loop_test(tc,
		a_range_that_leaves_the_file_is_corrupt_in_every_kind, 0, 2);
	tcase_add_test(tc, bytes_in_memory_read_like_a_file);
	tcase_add_test(tc, what_is_no_regular_file_is_refused_by_name);
	tcase_add_test(tc,
		a_file_cut_short_after_open_is_an_error_not_a_signal);
	tcase_add_test(tc, a_whole_file_is_read_up_to_the_limit);
	tcase_add_test(tc, each_failed_allocation_of_an_open_is_reported);
	tcase_add_test(tc, a_stream_gives_all_bytes_and_then_none);
	tcase_add_test(tc, a_dash_is_standard_input_and_stays_open);
	tcase_add_loop_test(tc,
		a_file_that_is_written_to_while_it_is_read_is_refused_at_its_end,
		0, 6);
	tcase_add_test(tc, a_stream_that_cannot_be_opened_or_read_is_an_error);
	tcase_add_test(tc, a_pipe_that_does_not_block_is_waited_for);
	tcase_add_loop_test(tc, a_signal_ends_the_wait_for_input, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
