/* check_change_set.c - what fragments add and remove, and the sums */
#include <stdio.h>
#include "unit/check_main.h"
#include "table/commit/commit_state.h"

static struct error err;
static struct arena arena;
static struct fragments fragments, optional;
static struct change_set set;

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
	change_set_release(&set);
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

static bool is_of(const struct added_file *added, const char *path)
{
	return strstr(added->fragment, path) != NULL;
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

static size_t find(const char *path,
		   enum file_content content, enum file_format format,
		   int64_t offset)
{
	struct data_file file = file_of(path, content, format, offset);

	return change_set_find(&set, &file);
}

START_TEST(fragments_are_sorted_out_by_kind_and_optional_ones_first)
{
	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"own\"}");
	add(&fragments, "{\"kind\":\"add-deletes\",\"path\":\"d\","
			"\"about\":\"own\"}");
	add(&fragments, "{\"kind\":\"remove-data\",\"path\":\"x\"}");
	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"y\"}");
	add(&optional, "{\"kind\":\"add-data\",\"path\":\"folded\"}");
	ck_ok(change_set_read(&set, &fragments, &optional, &arena, &err));
	ck_assert_uint_eq(set.added_count, 3);
	ck_assert(is_of(&set.added[0], "\"folded\""));
	ck_assert(is_of(&set.added[1], "\"own\""));
	ck_assert(!set.added[1].is_deletes);
	ck_assert(is_of(&set.added[2], "\"d\""));
	ck_assert(set.added[2].is_deletes);
	ck_assert_str_eq(set.added[2].about, "own");
	ck_assert_uint_eq(set.added_deletes_count, 1);
	ck_assert_uint_eq(set.removed_count, 2);
	ck_assert_uint_eq(set.removed_data_count, 1);
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(set.added_count, 2);
}
END_TEST

START_TEST(what_places_an_added_file_is_kept_and_the_rest_is_not)
{
	const struct added_file *added;

	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"p\",\"spec\":3,"
			"\"metrics\":[{\"id\":1,\"size\":9}],\"partition\":["
			"{\"type\":\"string\",\"value\":\"6f6e65\"},"
			"{\"type\":\"int\"}]}");
	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"q\",\"spec\":4,"
			"\"partition\":[{\"type\":\"string\","
			"\"value\":\"74776f\"}]}");
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	added = set.added;
	ck_assert_ptr_eq(added[0].fragment, fragments.items[0]);
	ck_assert_int_eq(added[0].spec_id, 3);
	ck_assert_uint_eq(added[0].partition_count, 2);
	/* not overwritten by the next fragment */
	ck_assert_mem_eq(added[0].partition[0].value.bytes.data, "one", 3);
	ck_assert(added[0].partition[1].is_null);
	ck_assert_mem_eq(added[1].partition[0].value.bytes.data, "two", 3);
	ck_assert_ptr_null(added[1].about);
}
END_TEST

START_TEST(removed_files_are_found_and_others_are_not)
{
	char json[80];

	for (int i = 0; i < 200; i++) {
		snprintf(json, sizeof(json), "{\"kind\":\"remove-data\","
			 "\"path\":\"data/%d\"}", i);
		add(&fragments, json);
	}
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	for (int i = 0; i < 400; i++) {
		snprintf(json, sizeof(json), "data/%d", i);
		ck_assert_uint_eq(find(json, CONTENT_DATA,
				       FORMAT_PARQUET, -1),
				  i < 200 ? (size_t)i : SIZE_MAX);
	}
	ck_assert_uint_eq(find("data/1", CONTENT_POSITION_DELETES,
			       FORMAT_PARQUET, -1), SIZE_MAX);
}
END_TEST

START_TEST(vectors_of_one_file_are_told_apart_by_offset)
{
	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"p\","
			"\"offset\":4}");
	add(&fragments, "{\"kind\":\"remove-deletes\",\"path\":\"p\","
			"\"offset\":50}");
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(find("p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 50), 1);
	ck_assert_uint_eq(find("p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 4), 0);
	ck_assert_uint_eq(find("p", CONTENT_POSITION_DELETES,
			       FORMAT_PUFFIN, 90), SIZE_MAX);
}
END_TEST

START_TEST(nothing_removed_is_found_nowhere)
{
	add(&fragments, "{\"kind\":\"add-data\",\"path\":\"p\"}");
	ck_ok(change_set_read(&set, &fragments, NULL, &arena, &err));
	ck_assert_uint_eq(find("p", CONTENT_DATA, FORMAT_PARQUET, -1),
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
	tcase_add_test(tc,
		what_places_an_added_file_is_kept_and_the_rest_is_not);
	tcase_add_test(tc, removed_files_are_found_and_others_are_not);
	tcase_add_test(tc, vectors_of_one_file_are_told_apart_by_offset);
	tcase_add_test(tc, nothing_removed_is_found_nowhere);
	tcase_add_test(tc, totals_count_each_kind_of_file);
	tcase_add_test(tc,
		damaged_fragments_and_failed_allocations_are_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
