/* check_parquet_foreign.c - files of other writers (tests/data/parquet) */
#include <stdio.h>
#include "unit/check_main.h"
#include "parquet/parquet.h"

static struct error err;
static struct parquet_reader *reader;
static struct vector got;

static int open_sample(const char *name)
{
	struct input_file *file;
	char path[256];
	int rc;

	snprintf(path, sizeof(path), "tests/data/parquet/%s", name);
	ck_ok(input_file_open(&file, path, &err));
	rc = parquet_reader_open(&reader, file, &err);
	if (rc)
		input_file_close(file);
	return rc;
}

/* All of a column's first row group into got. */
static int read_leaf(size_t leaf, const struct type *type)
{
	struct chunk_reader *chunk;
	struct vector part;
	uint64_t rows = parquet_row_group_rows(reader, 0);
	int rc;

	vector_init(&part, *type);
	vector_set_type(&got, *type);
	rc = chunk_reader_open(&chunk, reader, 0, leaf, type, &err);
	for (uint64_t at = 0; at < rows && !rc; at += 100) {
		size_t n = rows - at < 100 ? (size_t)(rows - at) : 100;

		rc = chunk_reader_read(chunk, at, n, &part, &err);
		for (size_t i = 0; i < n && !rc; i++) {
			struct literal v = vector_get(&part, i);

			v.is_null = vector_is_null(&part, i);
			if (type_is_bytes(type))
				v.value.bytes.data = NULL;
			ck_ok(vector_append(&got, &v, &err));
		}
	}
	chunk_reader_free(chunk);
	vector_release(&part);
	return rc;
}

static void read_column(const char *file, const char *path)
{
	long leaf;

	ck_ok(open_sample(file));
	leaf = parquet_find_path(reader, path);
	ck_assert_int_ge(leaf, 0);
	ck_assert(parquet_leaf(reader, (size_t)leaf)->readable);
	ck_ok(read_leaf((size_t)leaf,
			&parquet_leaf(reader, (size_t)leaf)->type));
}

static void done(void)
{
	parquet_reader_free(reader);
	reader = NULL;
	vector_release(&got);
}

static int128_t sum_of(const struct vector *v)
{
	int128_t sum = 0;

	for (size_t i = 0; i < v->count; i++) {
		struct literal value = vector_get(v, i);

		if (vector_is_null(v, i))
			continue;
		sum += v->type.id == TYPE_DECIMAL ? value.value.decimal
		       : v->type.id == TYPE_BOOLEAN
			       ? (int128_t)value.value.boolean
		       : v->type.id == TYPE_INTEGER
			       ? (int128_t)value.value.int32
			       : (int128_t)value.value.int64;
	}
	return sum;
}

START_TEST(numbers_and_nulls_are_what_pyarrow_says)
{
	static const struct {
		const char *file;
		const char *path;
		size_t rows;
		size_t nulls;
		int64_t sum;
	} facts[] = {
		{ "rle_boolean_encoding.parquet", "datatype_boolean", 68, 6,
		  36 },
		{ "int32_with_null_pages.parquet", "int32_field", 1000, 275,
		  -12383254597 },
		{ "datapage_v2.snappy.parquet", "b", 5, 0, 15 },
		{ "datapage_v2.snappy.parquet", "d", 5, 0, 4 },
		{ "alltypes_plain.snappy.parquet", "id", 2, 0, 13 },
		{ "concatenated_gzip_members.parquet", "long_col", 513, 0,
		  513 * 514 / 2 },
		{ "page_v2_empty_compressed.parquet", "integer_column", 10,
		  10, 0 },
		{ "nation.dict-malformed.parquet", "nation_key", 25, 0, 300 },
		{ "hadoop_lz4_compressed.parquet", "c0", 4, 0, 6374419202 },
		{ "non_hadoop_lz4_compressed.parquet", "c0", 4, 0,
		  6374419202 },
		{ "lz4_raw_compressed.parquet", "c0", 4, 0, 6374419202 },
		{ "dict-page-offset-zero.parquet", "l_partkey", 39, 0,
		  39 * 1552 },
		/* decimals of scale 2, 1.00 to 24.00, in three forms */
		{ "int32_decimal.parquet", "value", 24, 0, 30000 },
		{ "byte_array_decimal.parquet", "value", 24, 0, 30000 },
		{ "fixed_length_decimal_legacy.parquet", "value", 24, 0,
		  30000 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(facts); i++) {
		read_column(facts[i].file, facts[i].path);
		ck_assert_uint_eq(got.count, facts[i].rows);
		ck_assert_uint_eq(vector_null_count(&got), facts[i].nulls);
		ck_assert_msg(sum_of(&got) == facts[i].sum, "sum of %s",
			      facts[i].file);
		done();
	}
}
END_TEST

START_TEST(int96_of_spark_keeps_microseconds_and_far_years)
{
	static const int64_t us[] = { 1704141296123456, 1704070800000000,
				      253402225200000000, 1735599600000000, 0,
				      9089380393200000000 };

	read_column("int96_from_spark.parquet", "a");
	ck_assert_int_eq(got.type.id, TYPE_TIMESTAMP_TZ);
	ck_assert_uint_eq(got.count, 6);
	for (size_t i = 0; i < 6; i++) {
		ck_assert_int_eq(vector_is_null(&got, i), i == 4);
		if (i != 4)
			ck_assert_int_eq(vector_i64(&got)[i], us[i]);
	}
	done();
}
END_TEST

START_TEST(half_floats_become_reals)
{
	read_column("float16_zeros_and_nans.parquet", "x");
	ck_assert_uint_eq(got.count, 3);
	ck_assert(vector_is_null(&got, 0));
	ck_assert(vector_f32(&got)[1] == 0);
	ck_assert(vector_f32(&got)[2] != vector_f32(&got)[2]);
	done();
}
END_TEST

START_TEST(split_streams_give_the_random_numbers_of_numpy)
{
	read_column("byte_stream_split.zstd.parquet", "f64");
	ck_assert_uint_eq(got.count, 300);
	ck_assert(vector_f64(&got)[0] == -1.3065268517353166);
	ck_assert(vector_f64(&got)[299] == -0.17858909208732915);
	done();
}
END_TEST

START_TEST(delta_lengths_give_the_texts)
{
	struct type type = type_of(TYPE_VARCHAR);
	struct chunk_reader *chunk;
	char want[64];

	ck_ok(open_sample("delta_length_byte_array.parquet"));
	vector_set_type(&got, type);
	ck_ok(chunk_reader_open(&chunk, reader, 0, 0, &type, &err));
	ck_ok(chunk_reader_read(chunk, 0, 1000, &got, &err));
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(want, sizeof(want), "apple_banana_mango%u", i * i);
		ck_assert_uint_eq(vector_bytes(&got)[i].length, strlen(want));
		ck_assert_mem_eq(vector_bytes(&got)[i].data, want,
				 strlen(want));
	}
	vector_reset(&got);
	chunk_reader_free(chunk);
	done();
}
END_TEST

START_TEST(null_pages_have_no_bounds_and_others_hold_their_values)
{
	struct parquet_page_index *index;
	struct parquet_bounds bounds;
	struct arena arena = { 0 };
	struct type type = type_of(TYPE_INTEGER);
	size_t null_pages = 0;

	read_column("int32_with_null_pages.parquet", "int32_field");
	parquet_chunk_bounds(reader, 0, 0, &type, &bounds);
	ck_assert_int_eq(bounds.min.value.int32, -2136906554);
	ck_assert_int_eq(bounds.max.value.int32, 2145722375);
	ck_ok(parquet_page_index(reader, 0, 0, &type, &arena, &index, &err));
	ck_assert_ptr_nonnull(index);
	for (size_t p = 0; p < index->page_count; p++) {
		const struct parquet_bounds *b = &index->bounds[p];

		null_pages += b->null_count == b->value_count;
		for (size_t i = index->first_row[p];
		     i < index->first_row[p + 1]; i++) {
			if (vector_is_null(&got, i))
				continue;
			ck_assert(b->has_min && b->has_max);
			ck_assert_int_le(b->min.value.int32,
					 vector_i32(&got)[i]);
			ck_assert_int_ge(b->max.value.int32,
					 vector_i32(&got)[i]);
		}
	}
	ck_assert_uint_gt(null_pages, 0);
	arena_release(&arena);
	done();
}
END_TEST

START_TEST(nan_bounds_are_not_believed)
{
	struct parquet_bounds bounds;
	struct type type = type_of(TYPE_DOUBLE);

	ck_ok(open_sample("nan_in_stats.parquet"));
	parquet_chunk_bounds(reader, 0, 0, &type, &bounds);
	ck_assert(!bounds.has_min && !bounds.has_max);
	ck_assert(bounds.may_have_nan);
	done();
}
END_TEST

START_TEST(bloom_filters_of_parquet_mr_know_their_words)
{
	static const char *const in[] = { "Hello", "This is", "a", "test",
					  "How", "dog" };
	struct literal value = literal_null(type_of(TYPE_VARCHAR));
	struct parquet_bloom_filter *filter;

	ck_ok(open_sample("data_index_bloom_encoding_with_length.parquet"));
	ck_assert(parquet_has_bloom_filter(reader, 0, 0));
	ck_ok(parquet_bloom_filter_load(reader, 0, 0, &filter, &err));
	ck_assert_ptr_nonnull(filter);
	value.is_null = false;
	for (size_t i = 0; i < ARRAY_COUNT(in); i++) {
		value.value.bytes = byte_view(in[i], strlen(in[i]));
		ck_assert(parquet_bloom_filter_may_contain(filter, &value));
	}
	value.value.bytes = byte_view("Hello!", 6);
	ck_assert(!parquet_bloom_filter_may_contain(filter, &value));
	parquet_bloom_filter_free(filter);
	done();
}
END_TEST

START_TEST(damaged_and_encrypted_files_are_refused)
{
	static const struct {
		const char *file;
		int code;
	} bad[] = {
		{ "bad-ARROW-GH-47662.parquet", ERROR_CORRUPT },
		{ "bad-ARROW-RS-GH-6229-DICTHEADER.parquet", ERROR_CORRUPT },
		{ "bad-PARQUET-1481.parquet", ERROR_CORRUPT },
		{ "rle-dict-uncompressed-corrupt-checksum.parquet",
		  ERROR_CORRUPT },
		{ "encrypt_columns_and_footer.parquet.encrypted",
		  ERROR_UNSUPPORTED },
	};

	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		int rc = open_sample(bad[i].file);

		for (size_t c = 0; !rc && c < parquet_leaf_count(reader); c++)
			rc = read_leaf(c, &parquet_leaf(reader, c)->type);
		ck_assert_msg(rc == bad[i].code, "%s: %s", bad[i].file,
			      error_name(rc));
		ck_assert_ptr_nonnull(strstr(err.text, bad[i].file));
		done();
	}
}
END_TEST

START_TEST(a_nested_leaf_is_not_read_as_a_flat_column)
{
	struct type type = type_of(TYPE_INTEGER);
	struct chunk_reader *chunk;
	long leaf;

	ck_ok(open_sample("datapage_v2.snappy.parquet"));
	leaf = parquet_find_path(reader, "e.list.element");
	ck_assert_int_ge(leaf, 0);
	ck_assert(!parquet_leaf(reader, (size_t)leaf)->is_flat);
	ck_assert_int_eq(chunk_reader_open(&chunk, reader, 0, (size_t)leaf,
					   &type, &err), ERROR_UNSUPPORTED);
	ck_assert_ptr_null(chunk);
	done();
}
END_TEST

/* Rows of a column of the first row group as JSON, a line each. */
static void check_json(const struct parquet_node *node, const char *want)
{
	struct nested_source source;
	struct nested_reader *nested;
	struct arena arena = { 0 };
	struct text text = TEXT_INIT;

	ck_assert(node->readable);
	vector_init(&got, node->type);
	ck_ok(nested_source_of_node(&source, node, &arena, &err));
	ck_ok(nested_reader_open(&nested, reader, 0, &source, &err));
	ck_ok(nested_reader_read(nested, 0,
				 (size_t)parquet_row_group_rows(reader, 0),
				 &got, &err));
	for (size_t i = 0; i < got.count; i++) {
		if (vector_is_null(&got, i))
			text_add_str(&text, "NULL");
		else
			nested_format_json(&node->type, vector_bytes(&got)[i],
					   &text);
		text_add_char(&text, '\n');
	}
	ck_assert_str_eq(text.data, want);
	nested_reader_free(nested);
	text_release(&text);
	arena_release(&arena);
	vector_release(&got);
	vector_init(&got, type_of(TYPE_UNKNOWN));
}

static const struct parquet_node *column_node(const char *name)
{
	const struct parquet_node *root = parquet_root(reader);

	for (size_t i = 0; i < root->child_count; i++)
		if (!strcmp(root->children[i].name, name))
			return &root->children[i];
	ck_abort_msg("no column %s", name);
	return NULL;
}

static const struct nested_case {
	const char *file;
	const char *column;
	const char *json;
} nested_cases[] = {
	{ "nested_lists.snappy.parquet", "a",
	  "[[[\"a\",\"b\"],[\"c\"]],[null,[\"d\"]]]\n"
	  "[[[\"a\",\"b\"],[\"c\",\"d\"]],[null,[\"e\"]]]\n"
	  "[[[\"a\",\"b\"],[\"c\",\"d\"],[\"e\"]],[null,[\"f\"]]]\n" },
	{ "nested_maps.snappy.parquet", "a",
	  "{\"a\":{\"1\":true,\"2\":false}}\n{\"b\":{\"1\":true}}\n"
	  "{\"c\":null}\n{\"d\":{}}\n{\"e\":{\"1\":true}}\n"
	  "{\"f\":{\"3\":true,\"4\":false,\"5\":true}}\n" },
	{ "list_columns.parquet", "int64_list",
	  "[1,2,3]\n[null,1]\n[4]\n" },
	{ "list_columns.parquet", "utf8_list",
	  "[\"abc\",\"efg\",\"hij\"]\nNULL\n"
	  "[\"efg\",null,\"hij\",\"xyz\"]\n" },
	{ "null_list.parquet", "emptylist", "[]\n" },
	{ "old_list_structure.parquet", "a", "[[1,2],[3,4]]\n" },
	{ "repeated_primitive_no_list.parquet", "group_of_lists",
	  "{\"Int32_list_in_group\":[0,1,2,3],\"String_list_in_group\":"
	  "[\"foo\",\"zero\",\"one\",\"two\"]}\n"
	  "{\"Int32_list_in_group\":[],\"String_list_in_group\":"
	  "[\"three\"]}\n"
	  "{\"Int32_list_in_group\":[4],\"String_list_in_group\":"
	  "[\"four\"]}\n"
	  "{\"Int32_list_in_group\":[5,6,7,8],\"String_list_in_group\":"
	  "[\"five\",\"six\",\"seven\",\"eight\"]}\n" },
	{ "repeated_primitive_no_list.parquet", "Int32_list",
	  "[0,1,2,3]\n[]\n[4]\n[5,6,7,8]\n" },
	{ "map_no_value.parquet", "my_map_no_v",
	  "[1,2,3]\n[4,5,6]\n[7,8,9]\n" },
	{ "map_no_value.parquet", "my_map",
	  "{\"1\":null,\"2\":null,\"3\":null}\n"
	  "{\"4\":null,\"5\":null,\"6\":null}\n"
	  "{\"7\":null,\"8\":null,\"9\":null}\n" },
	{ "incorrect_map_schema.parquet", "my_map",
	  "{\"parent\":\"another\",\"name\":\"report\"}\n" },
	{ "nonnullable.impala.parquet", "nested_Struct",
	  "{\"a\":-1,\"B\":[-1],\"c\":{\"D\":[[{\"e\":-1,\"f\":"
	  "\"nonnullable\"}]]},\"G\":{}}\n" },
	{ "nonnullable.impala.parquet", "int_map_array",
	  "[{},{\"k1\":1},{},{}]\n" },
	{ "nullable.impala.parquet", "int_array_Array",
	  "[[1,2],[3,4]]\n[[null,1,2,null],[3,null,4],[],null]\n[null]\n"
	  "[]\nNULL\nNULL\n[null,[5,6]]\n" },
	{ "nullable.impala.parquet", "int_Map_Array",
	  "[{\"k1\":1}]\n[{\"k3\":null,\"k1\":1},null,{}]\n"
	  "[null,null]\n[]\nNULL\nNULL\nNULL\n" },
	{ "datapage_v2.snappy.parquet", "e",
	  "[1,2,3]\nNULL\nNULL\n[1,2,3]\n[1,2]\n" },
};

START_TEST(lists_and_maps_of_any_spelling_are_what_pyarrow_says)
{
	const struct nested_case *c = &nested_cases[_i];

	ck_ok(open_sample(c->file));
	check_json(column_node(c->column), c->json);
	done();
}
END_TEST

/* That file says it has 0 rows; its row group has six. */
START_TEST(a_repeated_group_without_annotation_is_a_list)
{
	static const char path[] =
		"tests/data/parquet/repeated_no_annotation.parquet";
	static const uint8_t zero_rows[] = { 0x16, 0x00, 0x19, 0x1c };
	uint8_t bytes[1000];
	size_t length, at = 0;
	struct input_file *file;
	FILE *in = fopen(path, "rb");

	ck_assert_ptr_nonnull(in);
	length = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	while (at + 4 < length && memcmp(bytes + at, zero_rows, 4))
		at++;
	ck_assert_uint_lt(at + 4, length);
	bytes[at + 1] = 12;
	ck_ok(input_file_memory(&file, path, bytes, length, &err));
	ck_ok(parquet_reader_open(&reader, file, &err));
	check_json(column_node("phoneNumbers"),
		   "NULL\nNULL\n{\"phone\":[]}\n"
		   "{\"phone\":[{\"number\":5555555555,\"kind\":null}]}\n"
		   "{\"phone\":[{\"number\":1111111111,\"kind\":\"home\"}]}"
		   "\n{\"phone\":[{\"number\":1111111111,\"kind\":\"home\"},"
		   "{\"number\":2222222222,\"kind\":null},"
		   "{\"number\":3333333333,\"kind\":\"mobile\"}]}\n");
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_foreign");
	TCase *tc = tcase_create("parquet_foreign");

	tcase_add_test(tc, numbers_and_nulls_are_what_pyarrow_says);
	tcase_add_test(tc, int96_of_spark_keeps_microseconds_and_far_years);
	tcase_add_test(tc, half_floats_become_reals);
	tcase_add_test(tc, split_streams_give_the_random_numbers_of_numpy);
	tcase_add_test(tc, delta_lengths_give_the_texts);
	tcase_add_test(tc,
		       null_pages_have_no_bounds_and_others_hold_their_values);
	tcase_add_test(tc, nan_bounds_are_not_believed);
	tcase_add_test(tc, bloom_filters_of_parquet_mr_know_their_words);
	tcase_add_test(tc, damaged_and_encrypted_files_are_refused);
	tcase_add_test(tc, a_nested_leaf_is_not_read_as_a_flat_column);
	tcase_add_loop_test(
		tc, lists_and_maps_of_any_spelling_are_what_pyarrow_says, 0,
		ARRAY_COUNT(nested_cases));
	tcase_add_test(tc, a_repeated_group_without_annotation_is_a_list);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
