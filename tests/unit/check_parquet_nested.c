/* check_parquet_nested.c - nested columns written and read back */
#include <stdio.h>
#include "unit/check_main.h"
#include "unit/parquet_write.h"
#include "parquet/parquet.h"
#include "parquet/nested_keys.h"
#include "parquet/parquet_encoder.h"

static struct error err;

#include "unit/nested_draw.h"

/* A file in memory of one nested column and a flat one. */
struct sample {
	struct schema schema;
	struct parquet_options options;
	struct vector values[2];
	struct output_file *file;
	struct parquet_writer *writer;
	struct parquet_reader *reader;
};

static void sample_draw(struct sample *sample, struct type type,
			bool required, size_t rows)
{
	struct column_def def = field_of("c", type, required);
	struct column_def flat = field_of("n", type_of(TYPE_BIGINT), false);

	memset(sample, 0, sizeof(*sample));
	schema_init(&sample->schema);
	ck_ok(schema_add(&sample->schema, &def, &err));
	ck_ok(schema_add(&sample->schema, &flat, &err));
	parquet_options_init(&sample->options);
	draw_vector(&sample->values[0], &def, rows);
	draw_vector(&sample->values[1], &flat, rows);
}

static void sample_write(struct sample *sample)
{
	const struct vector *columns[] = { &sample->values[0],
					   &sample->values[1] };
	struct parquet_encoder *encoder;
	struct encoded_row_group *group;
	size_t rows = sample->values[0].count;
	struct byte_view bytes;
	struct input_file *file;

	ck_ok(output_file_memory(&sample->file, "sample", &err));
	ck_ok(parquet_encoder_new(&encoder, &sample->schema, &sample->options,
				  &err));
	ck_ok(parquet_writer_new(&sample->writer, sample->file,
				 &sample->schema, &sample->options, &err));
	for (size_t at = 0; at < rows;) {
		uint32_t picks[5000];
		struct selection part = { picks, 1 + draw(5000) };

		if (part.count > rows - at)
			part.count = rows - at;
		for (size_t i = 0; i < part.count; i++)
			picks[i] = (uint32_t)(at + i);
		ck_ok(parquet_encoder_add(encoder, columns, &part, &err));
		at += part.count;
	}
	ck_ok(parquet_encoder_finish(encoder, &group, &err));
	if (group)
		ck_ok(parquet_writer_append(sample->writer, group, &err));
	ck_ok(parquet_writer_finish(sample->writer, &err));
	parquet_encoder_free(encoder);
	bytes = output_file_memory_bytes(sample->file);
	ck_ok(input_file_memory(&file, "sample", bytes.data, bytes.length,
				&err));
	ck_ok(parquet_reader_open(&sample->reader, file, &err));
}

static void sample_release(struct sample *sample)
{
	parquet_reader_free(sample->reader);
	parquet_writer_free(sample->writer);
	output_file_free(sample->file);
	vector_release(&sample->values[0]);
	vector_release(&sample->values[1]);
	schema_release(&sample->schema);
}

static void same_value(const struct vector *want, size_t i,
		       const struct vector *got, size_t k)
{
	ck_assert_int_eq(vector_is_null(want, i), vector_is_null(got, k));
	if (vector_is_null(want, i))
		return;
	ck_assert(nested_identical(&want->type, vector_bytes(want)[i],
				   vector_bytes(got)[k]));
}

static void open_nested(struct sample *sample, struct nested_source *source,
			struct nested_reader **nested)
{
	const struct parquet_node *node =
		&parquet_root(sample->reader)->children[0];

	ck_assert(node->readable);
	ck_ok(nested_source_of_node(source, node, &types, &err));
	ck_assert(type_equal(&source->type, &sample->values[0].type));
	ck_ok(nested_reader_open(nested, sample->reader, 0, source, &err));
}

/* Spans, jumps forth and back, and picks. */
static void check_reads(struct sample *sample)
{
	const struct vector *want = &sample->values[0];
	struct nested_source source;
	struct nested_reader *nested;
	size_t rows = want->count;
	struct vector got;

	open_nested(sample, &source, &nested);
	vector_init(&got, source.type);
	for (size_t at = 0, step = 1 + draw(4096); at < rows; at += step) {
		size_t n = rows - at < step ? rows - at : step;

		ck_ok(nested_reader_read(nested, at, n, &got, &err));
		ck_assert_uint_eq(got.count, n);
		for (size_t i = 0; i < n; i++)
			same_value(want, at + i, &got, i);
	}
	for (size_t round = 0; round < 20; round++) {
		size_t at = draw(rows), n = draw(rows - at < 50 ? rows - at
								: 50);
		uint32_t picks[50];
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			if (draw(3))
				picks[count++] = (uint32_t)i;
		ck_ok(nested_reader_gather(nested, at, picks, count, &got,
					   &err));
		ck_assert_uint_eq(got.count, count);
		for (size_t i = 0; i < count; i++)
			same_value(want, at + picks[i], &got, i);
	}
	vector_release(&got);
	nested_reader_free(nested);
}

START_TEST(any_nested_value_comes_back_by_any_step)
{
	struct sample sample;
	struct type type;

	seed = (uint64_t)_i * 977 + 5;
	do
		type = draw_type(1 + draw(4));
	while (!type_is_nested(&type));
	sample_draw(&sample, type, !draw(4), 1 + draw(draw(3) ? 300 : 9000));
	if (draw(2))
		sample.options.page_row_limit = 1 + draw(300);
	if (draw(3) == 0)
		sample.options.page_byte_limit = 100 + draw(1000);
	if (draw(3) == 0)
		sample.options.dictionary_byte_limit = draw(2) * 500;
	if (draw(2))
		sample.options.codec = CODEC_NONE;
	sample_write(&sample);
	check_reads(&sample);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

/* l ARRAY(ROW(x INTEGER, y INTEGER)), all of it optional: max_def is 4. */
static void pairs_schema(struct schema *schema)
{
	struct column_def defs[2] = {
		field_of("x", type_of(TYPE_INTEGER), false),
		field_of("y", type_of(TYPE_INTEGER), false),
	};
	struct column_def element = field_of(
		"element", nested_type(TYPE_ROW, defs, 2), false);
	struct column_def list = field_of(
		"l", nested_type(TYPE_ARRAY, &element, 1), false);

	schema_init(schema);
	ck_ok(schema_add(schema, &list, &err));
}

/* Levels as digits, repetition then definition: "04 14 00". */
static void add_levels(struct chunk_writer *writer, const char *levels)
{
	uint8_t rep[16], def[16];
	uint32_t value[16];
	struct level_entries entries = { rep, def, value, 0 };
	struct vector numbers;

	vector_init(&numbers, type_of(TYPE_INTEGER));
	ck_ok(vector_reserve(&numbers, 16, &err));
	numbers.count = 16;
	for (const char *at = levels; *at; at += 2 + (at[2] == ' ')) {
		rep[entries.count] = (uint8_t)(at[0] - '0');
		def[entries.count] = (uint8_t)(at[1] - '0');
		value[entries.count] = (uint32_t)entries.count;
		vector_i32(&numbers)[entries.count] = (int32_t)entries.count;
		entries.count++;
	}
	ck_ok(chunk_writer_add_entries(writer, &numbers, &entries, &err));
	vector_release(&numbers);
}

/* A file whose leaves have these levels, and what reading it says. */
static int read_levels(const char *x, const char *y, size_t rows,
		       struct text *json)
{
	struct encoded_row_group *group = mem_zalloc(sizeof(*group));
	const char *const levels[] = { x, y };
	struct sample sample = { .values = { { .count = rows } } };
	struct codec_context *context;
	struct nested_source source;
	struct nested_reader *nested;
	struct chunk_writer writer;
	struct write_schema shape;
	struct input_file *file;
	struct byte_view bytes;
	struct vector got;
	int rc;

	pairs_schema(&sample.schema);
	parquet_options_init(&sample.options);
	ck_ok(codec_context_new(&context, &err));
	ck_ok(write_schema_make(&shape, &sample.schema, &types, &err));
	group->chunks = mem_zalloc_array(2, sizeof(*group->chunks));
	group->column_count = 2;
	group->row_count = rows;
	for (size_t i = 0; i < 2; i++) {
		ck_ok(chunk_writer_init(&writer, &shape.leaves[i], false,
					&sample.options, context, &err));
		add_levels(&writer, levels[i]);
		ck_ok(chunk_writer_finish(&writer, &group->chunks[i], &err));
		chunk_writer_release(&writer);
	}
	ck_ok(output_file_memory(&sample.file, "sample", &err));
	ck_ok(parquet_writer_new(&sample.writer, sample.file, &sample.schema,
				 &sample.options, &err));
	ck_ok(parquet_writer_append(sample.writer, group, &err));
	ck_ok(parquet_writer_finish(sample.writer, &err));
	bytes = output_file_memory_bytes(sample.file);
	ck_ok(input_file_memory(&file, "sample", bytes.data, bytes.length,
				&err));
	ck_ok(parquet_reader_open(&sample.reader, file, &err));
	ck_ok(nested_source_of_node(&source,
				    &parquet_root(sample.reader)->children[0],
				    &types, &err));
	ck_ok(nested_reader_open(&nested, sample.reader, 0, &source, &err));
	vector_init(&got, source.type);
	rc = nested_reader_read(nested, 0, rows, &got, &err);
	for (size_t i = 0; !rc && i < rows; i++) {
		if (vector_is_null(&got, i))
			text_add_str(json, "NULL");
		else
			nested_format_json(&got.type, vector_bytes(&got)[i],
					   json);
		text_add_char(json, ' ');
	}
	vector_release(&got);
	nested_reader_free(nested);
	codec_context_free(context);
	sample.values[0].count = 0;
	sample_release(&sample);
	return rc;
}

START_TEST(levels_mean_what_the_format_says)
{
	struct text json = TEXT_INIT;

	ck_ok(read_levels("04 13 00 01 02 12", "03 14 00 01 02 12", 4,
			  &json));
	ck_assert_str_eq(json.data,
			 "[{\"x\":0,\"y\":null},{\"x\":null,\"y\":1}] NULL [] "
			 "[null,null] ");
	text_release(&json);
}
END_TEST

static const struct bad_levels {
	const char *x;
	const char *y;
	size_t rows;
	const char *text;
} bad_levels[] = {
	{ "04 14", "04 04", 1, "" },
	{ "04 14 04", "04 04 14", 2, "neighbours" },
	{ "04 14", "04 12", 1, "neighbours" },
	{ "04 00", "04 01", 2, "neighbours" },
	{ "04 02", "04 01", 2, "neighbours" },
	{ "14 04", "14 04", 1, "within a row" },
	{ "01 14", "01 14", 1, "contradict" },
	{ "00 12", "00 12", 1, "contradict" },
	{ "04 11", "04 11", 1, "contradict" },
	{ "04 05", "04 04", 2, "a level of 5" },
	{ "04 07", "04 04", 2, "a level of 7" },
	{ "04 14", "04 14", 2, "before the last row" },
	{ "04", "04 04", 2, "before the last row" },
};

START_TEST(levels_that_cannot_be_are_corrupt)
{
	const struct bad_levels *bad = &bad_levels[_i];
	struct text json = TEXT_INIT;
	int rc = read_levels(bad->x, bad->y, bad->rows, &json);

	ck_assert_msg(rc == ERROR_CORRUPT, "%s", json.data);
	ck_assert_msg(strstr(err.text, bad->text), "%s", err.text);
	ck_assert_ptr_nonnull(strstr(err.text, "sample"));
	text_release(&json);
}
END_TEST

START_TEST(of_a_key_that_is_there_twice_the_last_value_counts)
{
	static const int32_t keys[] = { 5, 6, 5, 5, 5, 7, 6, 5 };
	uint32_t offsets[] = { 0, 4, 4, 6, 8 };
	static const int32_t left[] = { 6, 5, 5, 7, 6, 5 };
	static const int64_t values[] = { 1, 3, 4, 5, 6, 7 };
	struct vector parts[2];

	vector_init(&parts[0], type_of(TYPE_INTEGER));
	vector_init(&parts[1], type_of(TYPE_BIGINT));
	for (int i = 0; i < 2; i++) {
		ck_ok(vector_reserve(&parts[i], 8, &err));
		parts[i].count = 8;
	}
	memcpy(parts[0].data, keys, sizeof(keys));
	for (int i = 0; i < 8; i++)
		vector_i64(&parts[1])[i] = i;
	ck_ok(nested_keys_leave_last(parts, offsets, 4, &err));
	ck_assert_uint_eq(parts[0].count, 6);
	ck_assert_int_eq(memcmp(parts[0].data, left, sizeof(left)), 0);
	ck_assert_int_eq(memcmp(parts[1].data, values, sizeof(values)), 0);
	ck_assert_uint_eq(offsets[1], 2);
	ck_assert_uint_eq(offsets[2], 2);
	ck_assert_uint_eq(offsets[4], 6);
	ck_ok(vector_set_null(&parts[0], 1, &err));
	ck_assert_int_eq(nested_keys_leave_last(parts, offsets, 4, &err),
			 ERROR_CORRUPT);
	vector_release(&parts[0]);
	vector_release(&parts[1]);
}
END_TEST

static struct type lists_in_lists(unsigned depth)
{
	struct type type = type_of(TYPE_INTEGER);

	for (unsigned i = 0; i < depth; i++) {
		struct column_def element = field_of("element", type, false);

		type = nested_type(TYPE_ARRAY, &element, 1);
	}
	return type;
}

START_TEST(lists_of_any_depth_come_back)
{
	struct parquet_encoder *encoder;
	struct sample sample;

	for (unsigned depth = 1; depth < TYPE_NESTING_LIMIT; depth += 10) {
		seed = depth;
		sample_draw(&sample, lists_in_lists(depth), false, 40);
		sample_write(&sample);
		check_reads(&sample);
		sample_release(&sample);
	}
	sample_draw(&sample, type_of(TYPE_INTEGER), false, 0);
	sample.schema.columns[0].type = lists_in_lists(TYPE_NESTING_LIMIT + 1);
	ck_assert_int_eq(parquet_encoder_new(&encoder, &sample.schema,
					     &sample.options, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_null(encoder);
	sample.schema.columns[0].type = type_of(TYPE_INTEGER);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

static struct type text_list(void)
{
	struct column_def element = field_of("element", type_of(TYPE_VARCHAR),
					     false);
	struct column_def fields[2] = {
		field_of("n", type_of(TYPE_BIGINT), true),
		field_of("t", nested_type(TYPE_ARRAY, &element, 1), false),
	};

	return nested_type(TYPE_ROW, fields, 2);
}

START_TEST(a_few_rows_touch_their_pages_only)
{
	struct nested_source source;
	struct nested_reader *nested;
	const uint32_t picks[] = { 3, 8 };
	struct sample sample;
	struct vector got;
	uint64_t whole;

	seed = 42;
	sample_draw(&sample, text_list(), false, 20000);
	sample.options.page_row_limit = 500;
	sample.options.dictionary_byte_limit = 0;
	sample_write(&sample);
	open_nested(&sample, &source, &nested);
	vector_init(&got, source.type);
	ck_ok(nested_reader_read(nested, 0, 20000, &got, &err));
	whole = nested_reader_pages_read(nested);
	ck_assert_uint_gt(whole, 80);
	nested_reader_free(nested);
	ck_ok(nested_reader_open(&nested, sample.reader, 0, &source, &err));
	ck_ok(nested_reader_gather(nested, 12345, picks, 2, &got, &err));
	for (size_t i = 0; i < 2; i++)
		same_value(&sample.values[0], 12345 + picks[i], &got, i);
	ck_assert_uint_le(nested_reader_pages_read(nested), 4);
	vector_release(&got);
	nested_reader_free(nested);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

START_TEST(totals_are_of_leaves_and_only_those_of_rows_have_bounds)
{
	const struct parquet_column_totals *totals;
	const struct vector *want;
	struct sample sample;
	size_t rows;

	seed = 7;
	sample_draw(&sample, text_list(), false, 3000);
	sample_write(&sample);
	totals = parquet_writer_totals(sample.writer);
	want = &sample.values[0];
	rows = want->count;
	ck_assert_int_eq(totals[0].field_id, want->type.fields[0].field_id);
	ck_assert_int_eq(totals[0].value_count, (int64_t)rows);
	ck_assert_int_eq(totals[0].null_count,
			 (int64_t)vector_null_count(want));
	ck_assert(totals[0].has_bounds);
	ck_assert_int_lt(totals[0].min.value.int64, -45000);
	ck_assert_int_gt(totals[0].max.value.int64, 45000);
	ck_assert_int_gt(totals[1].value_count, (int64_t)rows);
	ck_assert(!totals[1].has_bounds);
	ck_assert_uint_eq(totals[1].column, 0);
	ck_assert_uint_eq(totals[2].column, 1);
	ck_assert(totals[2].has_bounds);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

START_TEST(a_null_in_a_required_field_is_refused_by_name)
{
	struct column_def fields[2] = {
		field_of("must", type_of(TYPE_BIGINT), false),
		field_of("may", type_of(TYPE_BIGINT), false),
	};
	const struct vector *columns[2];
	struct parquet_encoder *encoder;
	struct selection all = selection_all(100);
	struct sample sample;

	seed = 3;
	sample_draw(&sample, nested_type(TYPE_ROW, fields, 2), true, 100);
	sample.schema.columns[0].type.fields[0].required = true;
	columns[0] = &sample.values[0];
	columns[1] = &sample.values[1];
	ck_ok(parquet_encoder_new(&encoder, &sample.schema, &sample.options,
				  &err));
	ck_assert_int_eq(parquet_encoder_add(encoder, columns, &all, &err),
			 ERROR_NOT_NULL);
	ck_assert_ptr_nonnull(strstr(err.text, "must"));
	parquet_encoder_free(encoder);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

/* Everything a reader does with the nested column, results ignored. */
static int read_bytes(struct byte_view bytes, size_t rows)
{
	struct parquet_reader *reader;
	struct nested_source source;
	struct nested_reader *nested = NULL;
	struct arena arena = { 0 };
	struct input_file *file;
	struct vector got;
	int rc;

	rc = input_file_memory(&file, "sample", bytes.data, bytes.length,
			       &err);
	if (rc)
		return rc;
	rc = parquet_reader_open(&reader, file, &err);
	if (rc) {
		input_file_close(file);
		return rc;
	}
	rc = nested_source_of_node(&source,
				   &parquet_root(reader)->children[0], &arena,
				   &err);
	vector_init(&got, rc ? type_of(TYPE_UNKNOWN) : source.type);
	if (!rc)
		rc = nested_reader_open(&nested, reader, 0, &source, &err);
	for (size_t at = 0; !rc && at < rows; at += 100)
		rc = nested_reader_read(nested, at, 100, &got, &err);
	if (!rc)
		rc = nested_reader_read(nested, 50, 30, &got, &err);
	nested_reader_free(nested);
	vector_release(&got);
	arena_release(&arena);
	parquet_reader_free(reader);
	return rc;
}

static int write_and_read(struct sample *sample)
{
	const struct vector *columns[] = { &sample->values[0],
					   &sample->values[1] };
	const struct parquet_writing what = {
		&sample->schema, &sample->options, columns,
		sample->values[0].count, 0,
	};
	struct output_file *file = NULL;
	int rc;

	rc = output_file_memory(&file, "m", &err);
	if (!rc)
		rc = parquet_write(&what, file, NULL, &err);
	if (!rc)
		rc = read_bytes(output_file_memory_bytes(file),
				what.row_count);
	output_file_free(file);
	return rc;
}

static void draw_any(struct sample *sample, uint64_t from_seed, size_t rows)
{
	struct type type;

	seed = from_seed;
	do
		type = draw_type(3);
	while (!type_is_nested(&type));
	sample_draw(sample, type, false, rows);
	sample->options.page_row_limit = 150;
}

START_TEST(each_failed_allocation_is_reported_and_leaks_nothing)
{
	struct sample sample;
	int rc = ERROR_NO_MEMORY;

	draw_any(&sample, (uint64_t)_i + 1, 300);
	ck_assert_int_eq(write_and_read(&sample), 0);
	for (long nth = 0; rc == ERROR_NO_MEMORY; nth = next_fault(nth)) {
		mem_fail_at(nth);
		rc = write_and_read(&sample);
		mem_fail_at(-1);
		ck_assert_int_lt(nth, 100000);
	}
	ck_assert_int_eq(rc, 0);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

START_TEST(every_cut_and_every_changed_byte_is_found_or_harmless)
{
	struct byte_view bytes, changed;
	struct sample sample;
	size_t found = 0;
	uint8_t *copy;

	draw_any(&sample, (uint64_t)_i + 10, 300);
	sample_write(&sample);
	bytes = output_file_memory_bytes(sample.file);
	for (size_t cut = 0; cut < bytes.length; cut += 37)
		ck_assert_int_eq(read_bytes(byte_view(bytes.data, cut), 300),
				 ERROR_CORRUPT);
	copy = mem_alloc(bytes.length);
	memcpy(copy, bytes.data, bytes.length);
	changed = byte_view(copy, bytes.length);
	for (size_t i = 4; i < bytes.length; i += 1 + draw(3)) {
		copy[i] ^= (uint8_t)(1 + draw(255));
		found += read_bytes(changed, 300) != 0;
		copy[i] = bytes.data[i];
	}
	ck_assert_uint_gt(found, 0);
	mem_free(copy);
	sample_release(&sample);
	arena_reset(&types);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_nested");
	TCase *tc = tcase_create("parquet_nested");

	arena_init(&types, 0);
	tcase_add_loop_test(tc, any_nested_value_comes_back_by_any_step, 0,
			    200);
	tcase_add_test(tc, levels_mean_what_the_format_says);
	tcase_add_loop_test(tc, levels_that_cannot_be_are_corrupt, 0,
			    ARRAY_COUNT(bad_levels));
	tcase_add_test(tc, of_a_key_that_is_there_twice_the_last_value_counts);
	tcase_add_test(tc, lists_of_any_depth_come_back);
	tcase_add_test(tc, a_few_rows_touch_their_pages_only);
	tcase_add_test(tc,
		       totals_are_of_leaves_and_only_those_of_rows_have_bounds);
	tcase_add_test(tc, a_null_in_a_required_field_is_refused_by_name);
	tcase_add_loop_test(
		tc, each_failed_allocation_is_reported_and_leaks_nothing, 0,
		3);
	tcase_add_loop_test(
		tc, every_cut_and_every_changed_byte_is_found_or_harmless, 0,
		3);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
