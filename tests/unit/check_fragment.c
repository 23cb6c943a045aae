/* check_fragment.c - fragments there and back */
#include "unit/check_main.h"
#include "table/write/write.h"

static struct error err;
static struct arena arena;

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
}

static void teardown(void)
{
	mem_fail_at(-1);
	arena_release(&arena);
}

static int64_t splits[] = { 4, 1000, 123456789012 };
static struct column_metrics metrics[] = {
	{ 1, 100, 10, 0, -1, { (const uint8_t *)"\1\0\0\0\0\0\0\0", 8 },
	  { (const uint8_t *)"\377\0\0\0\0\0\0\0", 8 } },
	{ 7, 5, 10, 10, -1, { NULL, 0 }, { NULL, 0 } },
	{ 9, 5, 10, 0, 3, { (const uint8_t *)"", 0 },
	  { (const uint8_t *)"z", 1 } },
};

static struct fragment full(struct literal *partition)
{
	struct fragment out = { .kind = FRAGMENT_ADD_DATA };
	struct data_file *file = &out.file;

	partition[0] = literal_null(type_decimal(9, 2));
	partition[0].is_null = false;
	partition[0].value.decimal = -12345;
	partition[1] = literal_null(type_of(TYPE_VARCHAR));
	file->format = FORMAT_PARQUET;
	file->spec_id = 3;
	file->path = (char *)"file:///t/data/\"a\\b\n.parquet";
	file->partition = partition;
	file->partition_count = 2;
	file->record_count = 10;
	file->file_size = INT64_MAX;
	file->metrics = metrics;
	file->metrics_count = ARRAY_COUNT(metrics);
	file->split_offsets = splits;
	file->split_count = ARRAY_COUNT(splits);
	file->sort_order_id = 0;
	file->first_row_id = -1;
	file->content_offset = file->content_size = -1;
	return out;
}

static void expect_view(struct byte_view got, struct byte_view expected)
{
	ck_assert_int_eq(got.data == NULL, expected.data == NULL);
	ck_assert(byte_view_equal(got, expected));
}

START_TEST(a_data_file_comes_back_as_it_was)
{
	struct literal partition[2];
	struct fragment in = full(partition), out;
	char *json;

	ck_ok(fragment_format(&in, &json, &err));
	ck_ok(fragment_parse(json, &arena, &out, &err));
	mem_free(json);
	ck_assert_int_eq(out.kind, FRAGMENT_ADD_DATA);
	ck_assert_int_eq(out.file.content, CONTENT_DATA);
	ck_assert_int_eq(out.file.format, FORMAT_PARQUET);
	ck_assert_int_eq(out.file.spec_id, 3);
	ck_assert_str_eq(out.file.path, in.file.path);
	ck_assert_int_eq(out.file.record_count, 10);
	ck_assert_int_eq(out.file.file_size, INT64_MAX);
	ck_assert_int_eq(out.file.sort_order_id, 0);
	ck_assert_int_eq(out.file.first_row_id, -1);
	ck_assert_int_eq(out.file.content_offset, -1);
	ck_assert_ptr_null(out.file.referenced_data_file);
	ck_assert_uint_eq(out.file.partition_count, 2);
	ck_assert(type_equal(&out.file.partition[0].type,
			     &partition[0].type));
	ck_assert(!out.file.partition[0].is_null);
	ck_assert_int_eq((int64_t)out.file.partition[0].value.decimal,
			 -12345);
	ck_assert(out.file.partition[1].is_null);
	ck_assert_int_eq(out.file.partition[1].type.id, TYPE_VARCHAR);
	ck_assert_uint_eq(out.file.split_count, 3);
	ck_assert_mem_eq(out.file.split_offsets, splits, sizeof(splits));
	ck_assert_uint_eq(out.file.metrics_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct column_metrics *m = &out.file.metrics[i];

		ck_assert_int_eq(m->field_id, metrics[i].field_id);
		ck_assert_int_eq(m->column_size, metrics[i].column_size);
		ck_assert_int_eq(m->value_count, metrics[i].value_count);
		ck_assert_int_eq(m->null_count, metrics[i].null_count);
		ck_assert_int_eq(m->nan_count, metrics[i].nan_count);
		expect_view(m->lower, metrics[i].lower);
		expect_view(m->upper, metrics[i].upper);
	}
}
END_TEST

START_TEST(a_deletion_vector_keeps_its_place)
{
	struct fragment in = { .kind = FRAGMENT_ADD_DELETES }, out;
	char *json;

	in.file.content = CONTENT_POSITION_DELETES;
	in.file.format = FORMAT_PUFFIN;
	in.file.path = (char *)"a.puffin";
	in.file.referenced_data_file = (char *)"b.parquet";
	in.file.content_offset = 4;
	in.file.content_size = 50;
	in.file.sort_order_id = -1;
	ck_ok(fragment_format(&in, &json, &err));
	ck_ok(fragment_parse(json, &arena, &out, &err));
	mem_free(json);
	ck_assert_int_eq(out.kind, FRAGMENT_ADD_DELETES);
	ck_assert_int_eq(out.file.content, CONTENT_POSITION_DELETES);
	ck_assert_int_eq(out.file.format, FORMAT_PUFFIN);
	ck_assert_str_eq(out.file.referenced_data_file, "b.parquet");
	ck_assert_int_eq(out.file.content_offset, 4);
	ck_assert_int_eq(out.file.content_size, 50);
	ck_assert_int_eq(out.file.sort_order_id, -1);
}
END_TEST

START_TEST(a_removal_needs_its_path_alone)
{
	struct fragment in = { .kind = FRAGMENT_REMOVE_DELETES }, out;
	char *json;

	in.file.path = (char *)"a";
	in.file.content_offset = 0;
	ck_ok(fragment_format(&in, &json, &err));
	ck_assert_str_eq(json, "{\"kind\":\"remove-deletes\",\"path\":\"a\","
			       "\"offset\":0}");
	ck_ok(fragment_parse(json, &arena, &out, &err));
	mem_free(json);
	ck_assert_int_eq(out.kind, FRAGMENT_REMOVE_DELETES);
	ck_assert_int_eq(out.file.content, CONTENT_POSITION_DELETES);
	ck_assert_int_eq(out.file.content_offset, 0);
}
END_TEST

START_TEST(unknown_members_are_skipped)
{
	struct fragment out;

	ck_ok(fragment_parse("{\"kind\":\"remove-data\",\"new\":[{}],"
			     "\"path\":\"p\"}", &arena, &out, &err));
	ck_assert_str_eq(out.file.path, "p");
}
END_TEST

static const char *const damaged[] = {
	"", "{", "[]", "{}", "{\"kind\":\"remove-data\"}",
	"{\"kind\":\"other\",\"path\":\"p\"}",
	"{\"path\":\"p\",\"format\":\"csv\"}",
	"{\"path\":\"p\",\"rows\":1.5}",
	"{\"path\":\"p\",\"metrics\":[{\"id\":1,\"lower\":\"0\"}]}",
	"{\"path\":\"p\",\"metrics\":[{\"id\":1,\"lower\":\"xx\"}]}",
	"{\"path\":\"p\",\"partition\":[{\"type\":\"junk\"}]}",
	"{\"path\":\"p\",\"partition\":[{\"type\":\"long\","
	"\"value\":\"0102\"}]}",
	"{\"path\":\"p\"} x",
};

START_TEST(damaged_fragments_are_refused)
{
	struct fragment out;

	ck_assert_int_eq(fragment_parse(damaged[_i], &arena, &out, &err),
			 ERROR_CORRUPT);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct literal partition[2];
	struct fragment in = full(partition), out;
	char *json, *good;
	bool done = false;

	ck_ok(fragment_format(&in, &good, &err));
	for (long n = 0; !done; n++) {
		mem_fail_at(n);
		if (fragment_format(&in, &json, &err)) {
			ck_assert_int_eq(err.code, ERROR_NO_MEMORY);
			ck_assert_ptr_null(json);
		}
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		mem_free(json);
	}
	done = false;
	for (long n = 0; !done; n++) {
		arena_release(&arena);
		arena_init(&arena, 64);
		mem_fail_at(n);
		if (fragment_parse(good, &arena, &out, &err))
			ck_assert_int_eq(err.code, ERROR_NO_MEMORY);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
	}
	mem_free(good);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fragment");
	TCase *tc = tcase_create("fragment");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_data_file_comes_back_as_it_was);
	tcase_add_test(tc, a_deletion_vector_keeps_its_place);
	tcase_add_test(tc, a_removal_needs_its_path_alone);
	tcase_add_test(tc, unknown_members_are_skipped);
	tcase_add_loop_test(tc, damaged_fragments_are_refused, 0,
			    (int)ARRAY_COUNT(damaged));
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
