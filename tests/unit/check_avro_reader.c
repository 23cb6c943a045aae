#include "unit/check_main.h"
#include "avro/avro.h"

/* {"a": long 1, "m": array of {key int, value bytes}} */
#define SCHEMA "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":" \
	"\"a\",\"type\":\"long\",\"field-id\":1},{\"name\":\"m\",\"type\":" \
	"[\"null\",{\"type\":\"array\",\"items\":{\"type\":\"record\"," \
	"\"name\":\"k2_v3\",\"fields\":[{\"name\":\"key\",\"type\":\"int\"," \
	"\"field-id\":2},{\"name\":\"value\",\"type\":\"bytes\"," \
	"\"field-id\":3}]},\"logicalType\":\"map\"}],\"field-id\":4}]}"

static struct error err;
static struct arena arena;
static struct text file_bytes;
static struct avro_reader *reader;
static struct avro_schema_memo *memo;	/* NULL: none */

static void set_up(void)
{
	memo = NULL;
	arena_init(&arena, 0);
	text_init(&file_bytes);
	error_init(&err);
	reader = NULL;
}

static void tear_down(void)
{
	mem_fail_at(-1);
	avro_reader_free(reader);
	arena_release(&arena);
	text_release(&file_bytes);
}

static int write_records(size_t count)
{
	struct avro_writer writer;
	int rc;

	rc = avro_writer_init(&writer, &file_bytes, SCHEMA, &err);
	if (!rc)
		rc = avro_writer_meta(&writer, "hello", "world", &err);
	for (size_t i = 0; i < count && !rc; i++) {
		avro_put_long(&writer.block, (int64_t)i - 5);
		avro_put_branch(&writer.block, i % 2);
		if (i % 2) {
			avro_put_long(&writer.block, 2);
			avro_put_long(&writer.block, (int64_t)i);
			avro_put_string(&writer.block, "first");
			avro_put_long(&writer.block, -7);
			avro_put_bytes(&writer.block, NULL, 0);
			avro_put_long(&writer.block, 0);
		}
		rc = avro_writer_end_record(&writer, &err);
	}
	if (!rc)
		rc = avro_writer_finish(&writer, &err);
	avro_writer_release(&writer);
	return rc;
}

static int open_bytes(const void *data, size_t length)
{
	struct input_file *file;
	int rc;

	rc = input_file_memory(&file, "m.avro", data, length, &err);
	if (rc)
		return rc;
	rc = avro_reader_open(&reader, file, memo, &arena, &err);
	input_file_close(file);
	return rc;
}

static const struct avro_want wants[] = {
	{ 4, "m", -1 },
	{ 1, "a", -1 },
	{ 99, "absent", -1 },
};

/* Decode all and check; the number of records, or -1 if it is malformed. */
static long read_all(bool check)
{
	struct avro_plan plan;
	struct cursor cursor;
	size_t count, total = 0;

	if (avro_plan_make(&plan, avro_reader_schema(reader), wants, 3, &arena,
			   &err))
		return -1;
	for (;;) {
		if (avro_reader_next(reader, &cursor, &count, &err))
			return -1;
		if (!count)
			return (long)total;
		for (size_t i = 0; i < count; i++, total++) {
			struct avro_value values[3], value;
			struct avro_items items;
			int32_t key;

			if (!avro_decode(&plan, &cursor, values))
				return -1;
			if (!check)
				continue;
			ck_assert(values[1].value.integer ==
				  (int64_t)total - 5);
			ck_assert_ptr_null(values[2].type);
			ck_assert_int_eq(values[0].type != NULL, total % 2);
			if (!values[0].type)
				continue;
			ck_assert_uint_eq(avro_items_count(&values[0]), 2);
			avro_items_init(&items, &values[0]);
			ck_assert_int_eq(avro_items_next_pair(&items, &key,
							      &value), 1);
			ck_assert_int_eq(key, (int)total);
			ck_assert(byte_view_equal(value.value.bytes,
						  byte_view("first", 5)));
			ck_assert_int_eq(avro_items_next_pair(&items, &key,
							      &value), 1);
			ck_assert_int_eq(key, -7);
			ck_assert_int_eq(avro_items_next_pair(&items, &key,
							      &value), 0);
		}
		if (cursor_left(&cursor))
			return -1;
	}
}

START_TEST(a_schema_met_again_in_the_arena_is_the_one_parsed_before)
{
	static const char other[] = "Obj\1\2\26avro.schema\14\"long\"\0"
				    "0123456789abcdef";
	static const char bad[] = "Obj\1\2\26avro.schema\14\"lung\"\0"
				  "0123456789abcdef";
	struct avro_schema_memo known = { { NULL, 0 }, NULL };
	const struct avro_schema *first, *second;

	ck_ok(write_records(20));
	memo = &known;
	for (int i = 0; i < 2; i++) {
		ck_ok(open_bytes(file_bytes.data, file_bytes.length));
		ck_assert_int_eq(read_all(true), 20);
		ck_assert_ptr_eq(avro_reader_schema(reader), known.schema);
		ck_assert(i == 0 || known.schema == first);
		first = known.schema;
		avro_reader_free(reader);
		reader = NULL;
	}
	ck_ok(open_bytes(other, sizeof(other) - 1));
	second = avro_reader_schema(reader);
	ck_assert_ptr_ne(second, first);
	ck_assert_int_eq(second->kind, AVRO_LONG);
	ck_assert_ptr_eq(known.schema, second);
	avro_reader_free(reader);
	reader = NULL;
	ck_assert_int_eq(open_bytes(bad, sizeof(bad) - 1), ERROR_CORRUPT);
	ck_assert_ptr_eq(known.schema, second);
	ck_ok(open_bytes(file_bytes.data, file_bytes.length));
	ck_assert_int_eq(read_all(true), 20);
}
END_TEST

static bool meta_is(const char *key, const char *value)
{
	return byte_view_equal(avro_reader_meta(reader, key),
			       byte_view(value, strlen(value)));
}

START_TEST(small_files_are_plain_and_big_ones_deflated)
{
	static const size_t counts[] = { 0, 1, 100, 9000 };

	ck_ok(write_records(counts[_i]));
	ck_ok(open_bytes(file_bytes.data, file_bytes.length));
	ck_assert(meta_is("avro.codec", _i < 3 ? "null" : "deflate"));
	ck_assert(meta_is("hello", "world"));
	ck_assert_ptr_null(avro_reader_meta(reader, "nothing").data);
	ck_assert_int_eq(read_all(true), (long)counts[_i]);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_refused_or_short_of_a_block)
{
	ck_ok(write_records(3));
	for (size_t length = 0; length < file_bytes.length; length++) {
		long count = -1;

		if (!open_bytes(file_bytes.data, length))
			count = read_all(false);
		ck_assert_int_le(count, 0);
		avro_reader_free(reader);
		reader = NULL;
	}
}
END_TEST

START_TEST(a_changed_byte_never_reads_out_of_bounds)
{
	uint8_t *copy;

	ck_ok(write_records(4));
	copy = mem_alloc(file_bytes.length);
	for (size_t i = 0; i < file_bytes.length; i++) {
		memcpy(copy, file_bytes.data, file_bytes.length);
		copy[i] ^= (uint8_t)(1 << (i % 8));
		if (!open_bytes(copy, file_bytes.length))
			read_all(false);
		avro_reader_free(reader);
		reader = NULL;
	}
	mem_free(copy);
}
END_TEST

START_TEST(a_differing_sync_marker_is_corrupt)
{
	ck_ok(write_records(3));
	file_bytes.data[file_bytes.length - 1] ^= 1;
	ck_ok(open_bytes(file_bytes.data, file_bytes.length));
	ck_assert_int_eq(read_all(false), -1);
	ck_assert_int_eq(err.code, ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "m.avro"));
}
END_TEST

START_TEST(an_unknown_codec_is_named)
{
	char *at;

	ck_ok(write_records(1));
	at = memmem(file_bytes.data, file_bytes.length, "\x08null", 5);
	ck_assert_ptr_nonnull(memmem(file_bytes.data, file_bytes.length,
				     "avro.codec\x08null", 15));
	at = memmem(file_bytes.data, file_bytes.length, "avro.codec", 10);
	memcpy(at + 11, "lzma", 4);
	ck_assert_int_eq(open_bytes(file_bytes.data, file_bytes.length),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "lzma"));
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	int rc;

	ck_ok(write_records(9000));
	mem_fail_at(_i);
	rc = open_bytes(file_bytes.data, file_bytes.length);
	if (!rc)
		rc = read_all(false) < 0 ? err.code : 0;
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
}
END_TEST

START_TEST(each_failed_allocation_in_writing_is_reported)
{
	int rc;

	mem_fail_at(_i);
	rc = write_records(9000);
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("avro_reader");
	TCase *tc = tcase_create("avro_reader");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc,
		a_schema_met_again_in_the_arena_is_the_one_parsed_before);
	tcase_add_loop_test(tc, small_files_are_plain_and_big_ones_deflated, 0,
			    4);
	tcase_add_test(tc, a_file_cut_anywhere_is_refused_or_short_of_a_block);
	tcase_add_test(tc, a_changed_byte_never_reads_out_of_bounds);
	tcase_add_test(tc, a_differing_sync_marker_is_corrupt);
	tcase_add_test(tc, an_unknown_codec_is_named);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 24);
	tcase_add_loop_test(tc, each_failed_allocation_in_writing_is_reported,
			    0, 40);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
