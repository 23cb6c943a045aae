/* check_change_set.c - what fragments add and remove, and the sums */
#include <stdio.h>
#include "unit/check_main.h"
#include "table/commit/commit_state.h"

static struct error err;
static struct arena arena;
static struct fragments fragments, optional;

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	memset(&fragments, 0, sizeof(fragments));
	memset(&optional, 0, sizeof(optional));
}

static void teardown(void)
{
	mem_fail_at(-1);
	fragments_release(&fragments);
	fragments_release(&optional);
	arena_release(&arena);
}

static void add(struct fragments *out, const char *json)
{
	char *copy = mem_strdup(json);

	ck_assert_ptr_nonnull(copy);
	ck_ok(fragments_add(out, copy, &err));
}

static struct data_file file_of(const char *path, enum file_content content,
				enum file_format format, int64_t offset)
{
	struct data_file file = { 0 };

	file.path = (char *)path;
	file.content = content;
	file.format = format;
	file.content_offset = offset;
	return file;
}

static size_t find(const struct change_set *set, const char *path,
		   enum file_content content, enum file_format format,
		   int64_t offset)
{
	struct data_file file = file_of(path, content, format, offset);

	return change_set_find(set, &file);
}

START_TEST(fragments_are_sorted_out_by_kind_and_optional_ones_first)
{
	struct change_set set;

	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"own\"}");
	add(&fragments, "{\"kind\":\"add-deletes\",\"path\":\"d\"}");
	add(&fragments, "{\"kind\":\"remove-data\",\"path\":\"x\"}");
	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"y\"}");
	add(&optional, "{\"kind\":\"add-data\",\"path\":\"folded\"}");
	ck_ok(change_set_read(&set, &fragments, &optional, &arena, &err));
	ck_assert_uint_eq(set.added_count, 2);
	ck_assert_str_eq(set.added[0].path, "folded");
	ck_assert_str_eq(set.added[1].path, "own");
	ck_assert_uint_eq(set.added_deletes_count, 1);
	ck_assert_uint_eq(set.removed_count, 2);
	ck_assert_uint_eq(set.removed_data_count, 1);
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(set.added_count, 1);
}
END_TEST

START_TEST(removed_files_are_found_and_others_are_not)
{
	struct change_set set;
	char json[80];

	for (int i = 0; i < 200; i++) {
		snprintf(json, sizeof(json), "{\"kind\":\"remove-data\","
			 "\"path\":\"data/%d\"}", i);
		add(&fragments, json);
	}
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	for (int i = 0; i < 400; i++) {
		snprintf(json, sizeof(json), "data/%d", i);
		ck_assert_uint_eq(find(&set, json, CONTENT_DATA,
				       FORMAT_PARQUET, -1),
				  i < 200 ? (size_t)i : SIZE_MAX);
	}
	ck_assert_uint_eq(find(&set, "data/1", CONTENT_POSITION_DELETES,
			       FORMAT_PARQUET, -1), SIZE_MAX);
}
END_TEST

START_TEST(vectors_of_one_file_are_told_apart_by_offset)
{
	struct change_set set;

	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"p\","
			"\"offset\":4}");
	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"p\","
			"\"offset\":50}");
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(find(&set, "p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 50), 1);
	ck_assert_uint_eq(find(&set, "p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 4), 0);
	ck_assert_uint_eq(find(&set, "p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 90), SIZE_MAX);
}
END_TEST

START_TEST(nothing_removed_is_found_nowhere)
{
	struct change_set set;

	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"p\"}");
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(find(&set, "p", CONTENT_DATA, FORMAT_PARQUET, -1),
			  SIZE_MAX);
}
END_TEST

START_TEST(totals_count_each_kind_of_file)
{
	struct file_totals totals = { 0 };
	struct data_file data = file_of("a", CONTENT_DATA, FORMAT_PARQUET,
					-1);
	struct data_file positions = file_of("b", CONTENT_POSITION_DELETES,
					     FORMAT_PARQUET, -1);
	struct data_file vector = file_of("c", CONTENT_POSITION_DELETES,
					  FORMAT_PUFFIN, 4);
	struct data_file equality = file_of("d", CONTENT_EQUALITY_DELETES,
					    FORMAT_PARQUET, -1);

	data.record_count = 100;
	data.file_size = 1000;
	positions.record_count = 7;
	positions.file_size = 70;
	vector.record_count = 3;
	vector.file_size = 5000;
	vector.content_size = 30;
	equality.record_count = 2;
	equality.file_size = 20;
	file_totals_add(&totals, &data);
	file_totals_add(&totals, &positions);
	file_totals_add(&totals, &vector);
	file_totals_add(&totals, &equality);
	ck_assert_int_eq(totals.data_files, 1);
	ck_assert_int_eq(totals.records, 100);
	ck_assert_int_eq(totals.delete_files, 3);
	ck_assert_int_eq(totals.position_delete_files, 1);
	ck_assert_int_eq(totals.vectors, 1);
	ck_assert_int_eq(totals.equality_delete_files, 1);
	ck_assert_int_eq(totals.position_deletes, 10);
	ck_assert_int_eq(totals.equality_deletes, 2);
	/* a vector is as large as itself, not as its file */
	ck_assert_int_eq(totals.bytes, 1000 + 70 + 30 + 20);
}
END_TEST

START_TEST(damaged_fragments_and_failed_allocations_are_reported)
{
	struct change_set set;
	bool done = false;

	add(&fragments, "{\"kind\":\"remove-data\",\"path\":\"x\"}");
	for (long n = 0; !done; n = next_fault(n)) {
		arena_release(&arena);
		arena_init(&arena, 64);
		mem_fail_at(n);
		if (change_set_read(&set, &fragments, NULL, &arena, &err))
			ck_assert_int_eq(err.code, ERROR_NO_MEMORY);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
	}
	add(&fragments, "{");
	ck_assert_int_eq(change_set_read(&set, &fragments, NULL, &arena,
					 &err), ERROR_CORRUPT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("change_set");
	TCase *tc = tcase_create("change_set");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc,
		fragments_are_sorted_out_by_kind_and_optional_ones_first);
	tcase_add_test(tc, removed_files_are_found_and_others_are_not);
	tcase_add_test(tc, vectors_of_one_file_are_told_apart_by_offset);
	tcase_add_test(tc, nothing_removed_is_found_nowhere);
	tcase_add_test(tc, totals_count_each_kind_of_file);
	tcase_add_test(tc,
		damaged_fragments_and_failed_allocations_are_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
