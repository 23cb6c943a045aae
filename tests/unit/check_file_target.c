/*
 * check_file_target.c - a CSV and a Parquet file take changes as targets
 *
 * Each test runs for both kinds of file. A failure, wherever it is put, leaves
 * the file as it was and nothing beside it.
 */
#include <errno.h>
#include "unit/file_world.h"

static struct file_row rows[FILE_ROWS];
static size_t row_count;
static struct file_change changes[FILE_CHANGES];
static size_t change_count;
static uint64_t state;

static uint64_t random_below(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static void random_row(struct file_row *row)
{
	static const char *const names[] = { "Ann", "Bob, the second",
		"a long name of some thirty bytes", "", "two\nlines", "x" };

	memset(row, 0, sizeof(*row));
	row->id = random_below(12) ? (int64_t)random_below(100000)
				   : NO_NUMBER;
	row->no_name = random_below(8) == 0;
	if (!row->no_name)
		snprintf(row->name, sizeof(row->name), "%s",
			 names[random_below(ARRAY_COUNT(names))]);
}

static void fill(size_t count)
{
	row_count = count;
	for (size_t i = 0; i < count; i++)
		random_row(&rows[i]);
}

static void write_file(void)
{
	if (world.path[2] == 'c')
		file_write_csv(rows, row_count);
	else
		file_write_parquet(rows, row_count, 700);
}

/* The kind of file is the loop's last bit. */
static void begin(int i)
{
	file_world_init(i & 1 ? "t.parquet" : "t.csv");
	state = hash_word((uint64_t)i + 1);
}

static void add_change(enum row_operation operation, uint64_t row)
{
	struct file_change *change = &changes[change_count++];

	memset(change, 0, sizeof(*change));
	change->operation = operation;
	change->row = row;
	random_row(&change->to);
	change->keeps_id = operation == OPERATION_UPDATE && random_below(2);
}

/* Changes in any order; rows becomes what they make. */
static void draw_changes(void)
{
	static struct file_row after[FILE_ROWS];
	size_t n = 0;

	change_count = 0;
	for (size_t i = 0; i < row_count; i++) {
		struct file_change *change = &changes[change_count];
		uint64_t what = random_below(12);

		after[n] = rows[i];
		if (what < 2 && change_count < FILE_CHANGES / 2)
			add_change(what ? OPERATION_UPDATE : OPERATION_DELETE,
				   i);
		else
			change = NULL;
		if (change && what == 0)
			continue;
		if (change) {
			after[n] = change->to;
			if (change->keeps_id)
				after[n].id = rows[i].id;
		}
		n++;
	}
	for (size_t i = change_count; i > 1; i--) {
		size_t at = random_below(i);
		struct file_change old = changes[i - 1];

		changes[i - 1] = changes[at];
		changes[at] = old;
	}
	for (size_t i = random_below(40); i > 0; i--) {
		add_change(OPERATION_INSERT, 0);
		after[n++] = changes[change_count - 1].to;
	}
	row_count = n;
	memcpy(rows, after, n * sizeof(*rows));
	file_prepare(changes, change_count);
}

START_TEST(a_file_is_what_its_changes_make_of_it)
{
	begin(_i);
	fill(1 + random_below(5000));
	write_file();
	file_expect(rows, row_count);
	for (int round = 0; round < 3 && row_count; round++) {
		draw_changes();
		ck_ok(file_apply());
		ck_assert(world.outcome.has_no_versions);
		ck_assert_int_eq(world.outcome.version_after -
				 world.outcome.version_before,
				 change_count > 0);
		file_expect(rows, row_count);
	}
}
END_TEST

static struct text before;

static void remember(void)
{
	ck_ok(input_file_read_all(world.path, 1 << 30, &before, &err));
}

static void expect_untouched(void)
{
	scratch_expect(world.path, before.data, before.length);
	ck_assert_int_eq(system("test \"$(ls -A)\" = \"$(ls -A t.*)\""), 0);
}

START_TEST(a_dry_run_writes_and_leaves_nothing)
{
	begin(_i);
	fill(1000);
	write_file();
	remember();
	draw_changes();
	world.dry_run = true;
	ck_ok(file_apply());
	ck_assert_uint_gt(world.outcome.bytes_written, 0);
	ck_assert_int_eq(world.outcome.version_after,
			 world.outcome.version_before);
	expect_untouched();
}
END_TEST

START_TEST(each_failing_write_leaves_the_file_as_it_was)
{
	static const int codes[] = { ENOSPC, EIO };
	int rc = ERROR_IO;
	long n;

	begin(_i);
	fill(2000);
	write_file();
	remember();
	draw_changes();
	for (n = 0; rc; n++) {
		ck_assert_int_lt(n, 1000);
		io_fail_at(n, codes[_i >> 1]);
		rc = file_apply();
		io_fail_at(-1, 0);
		/* once the name is taken the new file is there, or the old */
		if (rc && path_exists(world.path) &&
		    world.outcome.version_after > world.outcome.version_before)
			break;
		if (rc) {
			ck_assert_int_eq(rc, codes[_i >> 1] == ENOSPC
						 ? ERROR_NO_SPACE : ERROR_IO);
			ck_assert_ptr_nonnull(strstr(err.text, "t."));
			expect_untouched();
		}
	}
	ck_assert_int_gt(n, 3);
	file_expect(rows, row_count);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_file_as_it_was)
{
	long n = 0, failed = 0, used;

	begin(_i);
	fill(600);
	write_file();
	remember();
	draw_changes();
	world.options.thread_count = 1;
	do {
		int rc;

		scratch_file(world.path, before.data, before.length);
		mem_fail_at(n);
		rc = file_apply();
		used = mem_alloc_count();
		mem_fail_at(-1);
		/* libcsv does with less */
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		failed += rc != 0;
		if (rc)
			expect_untouched();
		else
			file_expect(rows, row_count);
	} while (n < used && (n = next_fault(n)));
	ck_assert_int_ge(failed, 20);
}
END_TEST

START_TEST(a_row_that_changes_twice_is_refused)
{
	static const enum row_operation pairs[][2] = {
		{ OPERATION_DELETE, OPERATION_DELETE },
		{ OPERATION_UPDATE, OPERATION_UPDATE },
		{ OPERATION_DELETE, OPERATION_UPDATE },
		{ OPERATION_UPDATE, OPERATION_DELETE },
	};

	begin(_i);
	fill(50);
	write_file();
	remember();
	change_count = 0;
	add_change(pairs[_i >> 1][0], 17);
	for (uint64_t i = 0; i < 9; i++)
		add_change(OPERATION_UPDATE, 20 + i);
	add_change(pairs[_i >> 1][1], 17);
	file_prepare(changes, change_count);
	ck_assert_int_eq(file_apply(), ERROR_DUPLICATE_MATCH);
	ck_assert_ptr_nonnull(strstr(err.text, "row 17"));
	expect_untouched();
}
END_TEST

START_TEST(changes_past_the_memory_are_refused)
{
	begin(_i);
	fill(3000);
	write_file();
	remember();
	draw_changes();
	world.memory_bytes = 2000;
	ck_assert_int_eq(file_apply(), ERROR_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(err.text, "--memory"));
	ck_assert(err.hint[0]);
	expect_untouched();
}
END_TEST

START_TEST(a_second_writer_waits_and_is_refused)
{
	struct target *second;

	begin(_i);
	fill(10);
	write_file();
	ck_ok(file_open());
	world.options.wait_ms = 20;
	ck_assert_int_eq(file_target_new(&second, world.path, &world.options,
					 &err), ERROR_LOCKED);
	ck_assert_ptr_null(second);
	ck_assert(err.retryable);
	file_close();
	ck_ok(file_target_new(&second, world.path, &world.options, &err));
	target_free(second);
}
END_TEST

/* What a command does between scan and commit is noticed, and stays. */
static void expect_changed_by(const char *command, int kind)
{
	struct merge_finish_options finish = { 0 };

	begin(kind);
	fill(500);
	write_file();
	draw_changes();
	ck_ok(file_open());
	ck_ok(file_scan(NULL));
	ck_ok(file_store_all());
	ck_assert_int_eq(system(command), 0);
	remember();
	ck_assert_int_eq(world.target->ops->merge_finish(world.handle,
				 &world.fragments, &finish, &world.outcome,
				 &err), ERROR_METADATA_CHANGED);
	ck_assert(err.retryable);
	world.handle = NULL;
	file_close();
	expect_untouched();
}

START_TEST(a_file_that_another_program_wrote_to_stays)
{
	/* another file under the name, as an editor leaves it */
	expect_changed_by("cp t.* new && mv new t.*", _i);
}
END_TEST

START_TEST(a_file_that_is_cut_while_it_is_merged_into_is_no_inner_error)
{
	expect_changed_by("for f in t.*; do : >$f; done", _i);
}
END_TEST

START_TEST(a_csv_file_with_other_columns_is_not_scanned_again)
{
	begin(0);
	fill(10);
	write_file();
	ck_ok(file_open());
	ck_ok(file_scan(NULL));
	ck_assert_int_eq(system("for f in t.*; do echo a,b,c,d,e,f,g,h,i,j,k,l,"
				"m,n,o,p,q,r,s,t,u,v,w,x,y,z >$f; done"), 0);
	ck_assert_int_eq(file_scan(NULL), ERROR_METADATA_CHANGED);
	file_close();
}
END_TEST

START_TEST(an_interrupt_leaves_the_file)
{
	begin(_i);
	fill(500);
	write_file();
	remember();
	draw_changes();
	ck_ok(file_open());
	ck_ok(file_scan(NULL));
	ck_ok(file_store_all());
	interrupt_request(15);
	{
		struct merge_finish_options finish = { 0 };

		ck_assert_int_eq(world.target->ops->merge_finish(
			world.handle, &world.fragments, &finish,
			&world.outcome, &err), ERROR_INTERRUPTED);
	}
	interrupt_reset();
	world.handle = NULL;
	file_close();
	expect_untouched();
}
END_TEST

START_TEST(what_cannot_be_a_target_is_refused)
{
	static const struct {
		const char *path, *bytes;
		int code;
	} cases[] = {
		{ "none.csv", NULL, ERROR_UNKNOWN_TABLE },
		{ "x.jsonl", "{}\n", ERROR_NOT_SUPPORTED },
		{ "x.csv.gz", "\x1f\x8b\x08", ERROR_NOT_SUPPORTED },
		{ "packed.csv", "\x1f\x8b\x08", ERROR_NOT_SUPPORTED },
		{ "wide.csv", "\xff\xfe" "a\0", ERROR_NOT_SUPPORTED },
		{ "empty.csv", "", ERROR_BAD_CSV },
		{ "twice.csv", "a,A\n", ERROR_DUPLICATE_HEADER },
		{ "x.parquet", "PAR1PAR1", ERROR_CORRUPT },
		{ "short.parquet", "PA", ERROR_CORRUPT },
	};
	struct target *target;

	file_world_init(cases[_i].path);
	if (cases[_i].bytes)
		scratch_file(cases[_i].path, cases[_i].bytes,
			     strlen(cases[_i].bytes));
	ck_assert_int_eq(file_target_new(&target, cases[_i].path,
					 &world.options, &err),
			 cases[_i].code);
	ck_assert_ptr_null(target);
	ck_assert(err.text[0]);
}
END_TEST

static void teardown(void)
{
	text_release(&before);
	file_world_release();
}

int main(void)
{
	Suite *suite = suite_create("file_target");
	TCase *tc = tcase_create("file_target");

	/* many files are synced: not to a disk */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_file_is_what_its_changes_make_of_it, 0, 24);
	tcase_add_loop_test(tc, a_dry_run_writes_and_leaves_nothing, 0, 2);
	tcase_add_loop_test(tc, each_failing_write_leaves_the_file_as_it_was,
			    0, 4);
	tcase_add_loop_test(tc,
		each_failed_allocation_leaves_the_file_as_it_was, 0, 2);
	tcase_add_loop_test(tc, a_row_that_changes_twice_is_refused, 0, 8);
	tcase_add_loop_test(tc, changes_past_the_memory_are_refused, 0, 2);
	tcase_add_loop_test(tc, a_second_writer_waits_and_is_refused, 0, 2);
	tcase_add_loop_test(tc, a_file_that_another_program_wrote_to_stays, 0,
			    2);
	tcase_add_loop_test(tc,
		a_file_that_is_cut_while_it_is_merged_into_is_no_inner_error,
		0, 2);
	tcase_add_test(tc,
		a_csv_file_with_other_columns_is_not_scanned_again);
	tcase_add_loop_test(tc, an_interrupt_leaves_the_file, 0, 2);
	tcase_add_loop_test(tc, what_cannot_be_a_target_is_refused, 0, 9);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
