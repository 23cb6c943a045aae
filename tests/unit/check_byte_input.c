/* check_byte_input.c - bare, gzip and zstd bytes, whole and cut short */
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "source/byte_input.h"

static struct error err;
static struct byte_input *input;
static struct text got;

static void setup(void)
{
	error_init(&err);
	input = NULL;
	scratch_make();
}

static void teardown(void)
{
	mem_fail_at(-1);
	byte_input_free(input);
	text_release(&got);
	scratch_remove();
}

static int read_all(const char *path, size_t step)
{
	int rc;

	text_reset(&got);
	byte_input_free(input);
	rc = byte_input_open(&input, path, &err);
	while (!rc) {
		char buffer[4096];
		size_t length;

		rc = byte_input_read(input, buffer, step, &length, &err);
		if (!rc)
			text_add(&got, buffer, length);
		if (length < step)
			break;
	}
	return rc;
}

/* 300 KB that do not pack to nothing, by other programs. */
static void make_files(void)
{
	ck_assert_int_eq(system(
		"seq 1 50000 | sed 's/$/,some text/' > bare && "
		"gzip -k bare && zstd -q -k bare && head -c 200 bare | gzip "
		">two.gz && tail -c +201 bare | gzip -1 >>two.gz && "
		"gzip </dev/null >empty.gz && "
		"head -c -9 bare.gz >cut.gz && head -c -9 bare.zst >cut.zst "
		"&& (cat bare.gz; printf xxxx) >junk.gz"), 0);
}

static void expect_bare(void)
{
	struct text bare = TEXT_INIT;

	ck_ok(input_file_read_all("bare", 1 << 20, &bare, &err));
	ck_assert_uint_gt(bare.length, 500000);
	ck_assert_uint_eq(got.length, bare.length);
	ck_assert_int_eq(memcmp(got.data, bare.data, bare.length), 0);
	text_release(&bare);
}

START_TEST(packed_and_bare_files_give_the_same_bytes)
{
	static const char *const names[] = { "bare", "bare.gz", "bare.zst",
					     "two.gz" };

	make_files();
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		ck_ok(read_all(names[i], 4096));
		expect_bare();
		ck_ok(read_all(names[i], 1021));
		expect_bare();
	}
	ck_ok(read_all("empty.gz", 100));
	ck_assert_uint_eq(got.length, 0);
}
END_TEST

START_TEST(a_stream_cut_short_is_an_error_that_names_the_file)
{
	make_files();
	ck_assert_int_eq(read_all("cut.gz", 4096), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "'cut.gz'"));
	ck_assert_str_eq(err.file, "cut.gz");
	ck_assert_int_eq(read_all("cut.zst", 4096), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "'cut.zst'"));
	ck_assert_int_eq(read_all("junk.gz", 4096), ERROR_CORRUPT);
}
END_TEST

START_TEST(short_files_are_read)
{
	char name[8];

	for (size_t n = 0; n < 6; n++) {
		snprintf(name, sizeof(name), "f%zu", n);
		scratch_file(name, "\x1f\x8b_cdef", n);
		ck_ok(read_all(name, 3));
		ck_assert_uint_eq(got.length, n);
		ck_assert_uint_eq(byte_input_taken(input), n);
		ck_assert_uint_eq(byte_input_size(name), n);
	}
}
END_TEST

START_TEST(only_a_bare_file_tells_its_size)
{
	make_files();
	ck_assert_uint_gt(byte_input_size("bare"), 500000);
	ck_assert_uint_eq(byte_input_size("bare.gz"), 0);
	ck_assert_uint_eq(byte_input_size("bare.zst"), 0);
	ck_assert_uint_eq(byte_input_size("-"), 0);
	ck_assert_uint_eq(byte_input_size("missing"), 0);
	ck_assert_uint_eq(byte_input_size("."), 0);
}
END_TEST

START_TEST(what_cannot_be_opened_is_an_error)
{
	ck_assert_int_eq(byte_input_open(&input, "missing", &err), ERROR_IO);
	ck_assert_ptr_null(input);
	ck_assert_int_eq(byte_input_open(&input, ".", &err), ERROR_IO);
	ck_assert_ptr_null(input);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_no_input)
{
	int rc;

	ck_assert_int_eq(system("echo abc | gzip >p.gz"), 0);
	mem_fail_at(_i);
	rc = byte_input_open(&input, "p.gz", &err);
	mem_fail_at(-1);
	if (rc == 0) {
		ck_assert_int_gt(_i, 4);
		return;
	}
	ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	ck_assert_ptr_null(input);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("byte_input");
	TCase *tc = tcase_create("byte_input");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, packed_and_bare_files_give_the_same_bytes);
	tcase_add_test(tc, a_stream_cut_short_is_an_error_that_names_the_file);
	tcase_add_test(tc, short_files_are_read);
	tcase_add_test(tc, only_a_bare_file_tells_its_size);
	tcase_add_test(tc, what_cannot_be_opened_is_an_error);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_no_input, 0, 12);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
