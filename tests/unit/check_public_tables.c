/* check_public_tables.c - tables of other writers (tests/data/tables) */
#include "unit/check_main.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "table/table.h"

static struct error err;

static const char *const names[] = {
	"rename_column", "java_bunnies", "athena_example", "v1_merch",
	"v1_legacy", "defaults", "equality_plain", "equality_partitioned",
	"equality_cross_partition", "hive_partitioned", "null_stats",
	"is_null", "case_names", "partition_timestamptz",
	"partition_decimal", "partition_binary", "partition_bool",
};

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
}

static void teardown(void)
{
	mem_fail_at(-1);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
	char **items;
	size_t count;
	size_t capacity;
};

static void add_line(struct lines *lines, char *line)
{
	ck_assert(mem_grow((void **)&lines->items, &lines->capacity,
			   lines->count, sizeof(char *)));
	lines->items[lines->count++] = line;
}

static void release_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		mem_free(lines->items[i]);
	mem_free(lines->items);
}

static char *row_line(const struct batch *batch, size_t row)
{
	struct text line = TEXT_INIT;

	for (size_t c = 0; c < batch->column_count; c++) {
		text_add_str(&line, c ? "," : "");
		if (vector_is_null(&batch->columns[c], row))
			text_add_str(&line, "NULL");
		else
			ck_assert(format_value(&batch->columns[c], row,
					       &line));
	}
	return text_detach(&line);
}

/* All rows of a table as sorted lines, with the header first. */
static int read_table(struct table *table, struct lines *lines)
{
	const struct schema *schema = table_schema(table);
	struct batch_stream *stream;
	struct batch_source *source;
	struct batch *batch;
	struct text header = TEXT_INIT;
	int rc;

	for (size_t c = 0; c < schema->column_count; c++)
		text_addf(&header, "%s%s", c ? "," : "",
			  schema->columns[c].name);
	add_line(lines, text_detach(&header));
	rc = table_source_new(&source, table, NULL, NULL, 0, &err);
	if (rc)
		return rc;
	ck_ok(source->stream_new(source, &stream, &err));
	for (;;) {
		rc = batch_stream_next(stream, &batch, &err);
		if (rc || !batch)
			break;
		for (size_t i = 0; i < batch->row_count; i++)
			add_line(lines, row_line(batch, i));
	}
	batch_stream_free(stream);
	batch_source_free(source);
	qsort(lines->items + 1, lines->count - 1, sizeof(char *),
	      compare_lines);
	return rc;
}

static void read_expected(const char *name, struct lines *lines)
{
	struct text bytes = TEXT_INIT;
	char path[200];

	snprintf(path, sizeof(path), "tests/data/tables/%s/expected.csv",
		 name);
	ck_ok(input_file_read_all(path, 1 << 20, &bytes, &err));
	for (char *line = strtok(bytes.data, "\n"); line;
	     line = strtok(NULL, "\n"))
		add_line(lines, mem_strdup(line));
	text_release(&bytes);
}

static void expect_rows(struct table *table, const char *name)
{
	struct lines ours = { NULL, 0, 0 }, expected = { NULL, 0, 0 };

	ck_ok(read_table(table, &ours));
	read_expected(name, &expected);
	for (size_t i = 0; i < ours.count && i < expected.count; i++)
		ck_assert_str_eq(ours.items[i], expected.items[i]);
	ck_assert_uint_eq(ours.count, expected.count);
	release_lines(&ours);
	release_lines(&expected);
}

START_TEST(a_table_of_another_writer_has_the_rows_that_others_see)
{
	struct table *table;
	char path[200];

	snprintf(path, sizeof(path), "tests/data/tables/%s", names[_i]);
	ck_ok(table_open(&table, path, 0, &err));
	ck_assert(table_catalog(table)->is_moved);
	expect_rows(table, names[_i]);
	table_free(table);
}
END_TEST

START_TEST(its_history_is_told_without_a_log)
{
	struct table_version *versions;
	struct table *table;
	struct arena arena;
	size_t count;

	arena_init(&arena, 0);
	ck_ok(table_open(&table, "tests/data/tables/rename_column", 0, &err));
	ck_ok(table_history(table, &arena, &versions, &count, &err));
	ck_assert_uint_gt(count, 1);
	for (size_t i = 0; i < count; i++) {
		ck_assert(!versions[i].is_ours);
		ck_assert_int_eq(versions[i].version,
				 table_catalog(table)->version - (int64_t)i);
		ck_assert_ptr_nonnull(versions[i].operation);
	}
	ck_assert_int_eq(versions[0].total_rows, 4);
	table_free(table);
	arena_release(&arena);
}
END_TEST

START_TEST(a_vector_without_puffin_is_refused)
{
	struct lines lines = { NULL, 0, 0 };
	struct table *table;

	ck_ok(table_open(&table, "tests/data/tables/bare_vector", 0, &err));
	ck_assert_int_eq(read_table(table, &lines), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, ".puffin"));
	release_lines(&lines);
	table_free(table);
}
END_TEST

/* Does anything of the newest metadata still say the old place? */
static void expect_no_path(const struct table *table, const char *old)
{
	const struct catalog_table *catalog = table_catalog(table);
	struct text bytes = TEXT_INIT;

	ck_ok(input_file_read_all(catalog->metadata_path, 1 << 24, &bytes,
				  &err));
	ck_assert_ptr_null(strstr(bytes.data, old));
	text_release(&bytes);
}

static void run(const char *format, const char *a, const char *b)
{
	char command[600];

	snprintf(command, sizeof(command), format, a, b);
	ck_assert_int_eq(system(command), 0);
}

static void make_directory(char path[64])
{
	strcpy(path, "/tmp/rowmerge-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
}

/* Why a table that is of no other catalog cannot be relocated. */
static int not_relocatable(const char *name)
{
	if (text_starts_with(name, "v1_"))
		return ERROR_UNSUPPORTED;
	/* the files of its first snapshot were left out of tests/data */
	return strcmp(name, "equality_plain") ? 0 : ERROR_IO;
}

/* Twice, so that what we have written ourselves is moved too. */
START_TEST(a_relocated_copy_has_the_same_rows_and_is_written)
{
	char key[] = "comment", value[] = "x", scratch[64], path[100];
	char old[400] = "";
	struct key_value property = { key, value };
	struct table *table;
	int64_t version = 0;
	bool is_foreign;

	make_directory(scratch);
	run("cp -r tests/data/tables/%s %s/0", names[_i], scratch);
	for (int step = 0; step < 3; step++) {
		int rc;

		snprintf(path, sizeof(path), "%s/%d", scratch, step);
		ck_ok(table_open(&table, path, 0, &err));
		ck_assert(table_catalog(table)->is_moved);
		is_foreign = table_catalog(table)->is_foreign;
		snprintf(old, sizeof(old), "%s",
			 table_catalog(table)->metadata->location);
		table_free(table);
		rc = table_relocate(path, 1800000000000000, &version, &err);
		if (is_foreign || not_relocatable(names[_i])) {
			ck_assert_int_eq(rc, is_foreign ? ERROR_FOREIGN_CATALOG
					 : not_relocatable(names[_i]));
			break;
		}
		ck_ok(rc);
		ck_ok(table_open(&table, path, 0, &err));
		ck_assert(!table_catalog(table)->is_moved);
		ck_assert_int_eq(table_catalog(table)->version, version);
		expect_no_path(table, old);
		expect_rows(table, names[_i]);
		table_free(table);
		ck_ok(table_set_properties(path, &property, 1,
					   1800000001000000, &version, &err));
		snprintf(old, sizeof(old), "%s/%d", scratch, step + 1);
		run("mv %s %s", path, old);
	}
	run("rm -rf %s%s", scratch, "");
}
END_TEST

START_TEST(where_nothing_has_moved_nothing_is_made)
{
	struct table_create_options options = { 0 };
	char scratch[64], path[80];
	struct schema schema;
	int64_t version;

	make_directory(scratch);
	snprintf(path, sizeof(path), "%s/t", scratch);
	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "a", type_of(TYPE_BIGINT), &err));
	options.schema = &schema;
	ck_ok(table_create(path, &options, &version, &err));
	version = 0;
	ck_ok(table_relocate(path, 1800000000000000, &version, &err));
	ck_assert_int_eq(version, 1);
	schema_release(&schema);
	run("rm -rf %s%s", scratch, "");
}
END_TEST

START_TEST(a_relocation_that_fails_leaves_the_copy_as_it_was)
{
	char scratch[64], path[80], before[200], after[200];
	const char *const name = "equality_cross_partition";
	long failures = 0;
	int64_t version;
	int rc;

	make_directory(scratch);
	snprintf(path, sizeof(path), "%s/t", scratch);
	snprintf(before, sizeof(before), "ls %s/t/* > %s/before", scratch,
		 scratch);
	snprintf(after, sizeof(after), "ls %s/t/* > %s/after && cmp %s/before "
		 "%s/after", scratch, scratch, scratch, scratch);
	run("cp -r tests/data/tables/%s %s/t", name, scratch);
	ck_assert_int_eq(system(before), 0);
	for (long n = 0; ; n++) {
		io_fail_at(n, ENOSPC);
		rc = table_relocate(path, 1800000000000000, &version, &err);
		io_fail_at(-1, 0);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_SPACE);
		ck_assert_int_eq(system(after), 0);
		failures++;
	}
	ck_assert_int_gt(failures, 5);
	for (long n = 0; ; n++) {
		run("rm -rf %s/t && cp -r tests/data/tables/rename_column "
		    "%s/t", scratch, scratch);
		mem_fail_at(n);
		rc = table_relocate(path, 1800000000000000, &version, &err);
		mem_fail_at(-1);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	}
	run("rm -rf %s%s", scratch, "");
}
END_TEST

START_TEST(a_copy_is_not_written_before_it_is_relocated)
{
	char key[] = "comment", value[] = "x";
	struct key_value property = { key, value };
	int64_t version;

	ck_assert_int_eq(table_set_properties(
				 "tests/data/tables/rename_column", &property,
				 1, 0, &version, &err), ERROR_MOVED_TABLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("public_tables");
	TCase *tc = tcase_create("public_tables");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
		a_table_of_another_writer_has_the_rows_that_others_see, 0,
		(int)ARRAY_COUNT(names));
	tcase_add_test(tc, its_history_is_told_without_a_log);
	tcase_add_test(tc, a_vector_without_puffin_is_refused);
	tcase_add_test(tc, a_copy_is_not_written_before_it_is_relocated);
	tcase_add_loop_test(tc,
		a_relocated_copy_has_the_same_rows_and_is_written, 0,
		(int)ARRAY_COUNT(names));
	tcase_add_test(tc, where_nothing_has_moved_nothing_is_made);
	tcase_add_test(tc, a_relocation_that_fails_leaves_the_copy_as_it_was);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
