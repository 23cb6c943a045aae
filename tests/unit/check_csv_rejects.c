/*
 * check_csv_rejects.c - what is set aside depends on the bytes alone
 *
 * How:    random files, plain and spoiled, and all short ones over the bytes
 *         that matter, read in many ways (csv_rejects.h).
 */
#include <errno.h>
#include "unit/csv_rejects.h"

#define SAMPLES_PER_TEST 60

START_TEST(random_files_are_set_aside_the_same_in_every_way)
{
	for (uint64_t i = 0; i < SAMPLES_PER_TEST;
	     i += (uint64_t)check_step())
		compare_sample_aside((uint64_t)_i * SAMPLES_PER_TEST + i);
}
END_TEST

START_TEST(short_inputs_over_the_special_bytes_are_set_aside_the_same)
{
	static const char alphabet[] = { ',', '"', '\n', '\r', 'a' };
	char bytes[16] = "x,y\n";
	struct csv_options options;

	csv_options_init(&options);
	for (unsigned n = (unsigned)_i; n < 15625;
	     n += 10 * (unsigned)check_step()) {
		unsigned rest = n;

		for (unsigned i = 0; i < 6; i++, rest /= 5)
			bytes[4 + i] = alphabet[rest % 5];
		compare_set_aside(&options, bytes, 10, NULL, 0, n);
	}
}
END_TEST

START_TEST(json_lines_are_set_aside_the_same_in_every_way)
{
	static const char bytes[] =
		"{\"a\":1,\"b\":\"x\"}\n{\"a\":\"z\"}\n\n[1]\n{\"a\":2}\r\n"
		"{\"a\":3,\"b\":\"\xff\"}\n{\"a\":4,\"a\":5}\n{\"b\":7}\n{";
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	struct csv_options options;
	struct readback read = { .options = &options, .types = types,
				 .type_count = 2, .thread_count = 1 };
	struct set_aside expected, got;

	csv_options_init(&options);
	options.is_jsonl = true;
	read_setting_aside(&expected, &read, bytes, sizeof(bytes) - 1,
			   UINT64_MAX);
	ck_assert_int_eq(expected.rc, 0);
	ck_assert_str_eq(expected.reasons.data, "CAST@2\nCAST@4\n"
			 "BAD_ENCODING@6\nCAST@7\nCAST@9\n");
	ck_assert_str_eq(expected.records.data, "{\"a\":\"z\"}\n[1]\n"
			 "{\"a\":3,\"b\":\"\xff\"}\n{\"a\":4,\"a\":5}\n{");
	for (size_t n = 20; n < 60; n += 7) {
		options.chunk_bytes = n;
		read.options = &options;
		read.thread_count = 1 + n % 4;
		read_setting_aside(&got, &read, bytes, sizeof(bytes) - 1,
				   UINT64_MAX);
		same_set_aside(&expected, &got, n);
		set_aside_release(&got);
	}
	set_aside_release(&expected);
}
END_TEST

/*
 * One stream is in the middle of a chunk with too many wrong rows, another
 * comes to a file that cannot be opened: the rows come first in the input.
 */
START_TEST(too_many_rejects_go_before_an_error_behind_them)
{
	static const struct type type = { .id = TYPE_BIGINT };
	struct memory_file memory = memory_file_new("a\n1\nx\n2\n3\n", 10);
	const char *const paths[] = { memory.path, "no/such/file" };
	struct batch_stream *streams[2];
	struct batch_source *source;
	struct csv_options options;
	struct csv_input *input;
	struct reject_log *log;
	struct batch *batch;
	struct error err;

	csv_options_init(&options);
	options.chunk_bytes = 6;
	ck_ok(reject_log_new(&log, ".", &err));
	reject_log_set_limit(log, _i == 0 ? 0 : 1);
	ck_ok(reject_log_add_input(log, paths, 2, &options.rejects, &err));
	ck_ok(csv_input_open(&input, paths, 2, &options, &err));
	ck_ok(csv_source_new(&source, input, &type, NULL, 2, &err));
	ck_ok(source->stream_new(source, &streams[0], &err));
	ck_ok(source->stream_new(source, &streams[1], &err));
	ck_ok(batch_stream_next(streams[0], &batch, &err));
	ck_assert_uint_eq(batch->row_count, 1);
	ck_ok(batch_stream_next(streams[1], &batch, &err));
	ck_assert_uint_eq(batch->first_row, 3);
	ck_assert_int_eq(batch_stream_next(streams[1], &batch, &err),
			 _i == 0 ? ERROR_REJECT_LIMIT : ERROR_IO);
	if (_i == 0)
		ck_assert_uint_eq(err.line, 3);
	ck_assert_int_eq(batch_stream_next(streams[0], &batch, &err),
			 _i == 0 ? ERROR_REJECT_LIMIT : ERROR_IO);
	batch_stream_free(streams[0]);
	batch_stream_free(streams[1]);
	batch_source_free(source);
	reject_log_free(log);
	memory_file_free(&memory);
}
END_TEST

START_TEST(each_failed_allocation_of_the_log_is_reported)
{
	const char *const paths[] = { "a", "b" };
	struct reject_log *log = NULL;
	struct reject_input *input;
	struct error err;
	int rc;

	error_init(&err);
	mem_fail_at(_i);
	rc = reject_log_new(&log, ".", &err);
	if (!rc)
		rc = reject_log_add_input(log, paths, 2, &input, &err);
	if (!rc)
		rc = reject_input_file(input, "a", byte_view("x\n", 2), false,
				       &err);
	mem_fail_at(-1);
	ck_assert(rc == ERROR_NO_MEMORY || (rc == 0 && _i > 5));
	ck_assert(rc == 0 || _i < 11);
	reject_log_free(log);
}
END_TEST

START_TEST(a_full_disk_leaves_neither_file)
{
	const char *const paths[] = { "a" };
	struct reject_log *log;
	struct reject_input *input;
	struct reject reject = { .code = ERROR_CAST, .line = 2, .field = "f",
				 .message = "m",
				 .record = byte_view("r\n", 2) };
	struct text run = TEXT_INIT;
	struct error err;
	int rc;

	ck_assert_int_eq(reject_log_new(&log, ".", &err), 0);
	ck_assert_int_eq(reject_log_add_input(log, paths, 1, &input, &err), 0);
	ck_assert_int_eq(reject_input_file(input, "a", byte_view("h\n", 2),
					   false, &err), 0);
	ck_assert(reject_pack(&run, &reject));
	ck_assert_int_eq(reject_input_add(input, byte_view(run.data,
					  run.length), &err), 0);
	io_fail_at(_i, ENOSPC);
	rc = reject_log_stage(log, "bad", &err);
	io_fail_at(-1, 0);
	if (rc) {
		ck_assert_int_eq(rc, ERROR_NO_SPACE);
		ck_assert_int_eq(system("test -z \"$(ls)\""), 0);
	} else {
		ck_assert_int_eq(reject_log_publish(log, &err), 0);
		ck_assert_int_eq(system("printf 'h\\nr\\n' | cmp - bad"), 0);
	}
	text_release(&run);
	reject_log_free(log);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_rejects");
	TCase *tc = tcase_create("csv_rejects");

	/* thousands of files are synced: not to a disk */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1);
	tcase_add_checked_fixture(tc, scratch_make, scratch_remove);
	tcase_set_timeout(tc, 240);
	tcase_add_loop_test(tc,
		random_files_are_set_aside_the_same_in_every_way, 0, 6);
	tcase_add_loop_test(tc,
		short_inputs_over_the_special_bytes_are_set_aside_the_same, 0,
		5);
	tcase_add_test(tc, json_lines_are_set_aside_the_same_in_every_way);
	tcase_add_loop_test(tc,
		too_many_rejects_go_before_an_error_behind_them, 0, 2);
	tcase_add_loop_test(tc, each_failed_allocation_of_the_log_is_reported,
			    0, 12);
	tcase_add_loop_test(tc, a_full_disk_leaves_neither_file, 0, 10);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
