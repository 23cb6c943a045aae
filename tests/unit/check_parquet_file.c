/* check_parquet_file.c - files written and read back, whole and in part */
#include <math.h>
#include <stdio.h>
#include "unit/check_main.h"
#include "unit/parquet_write.h"
#include "parquet/parquet.h"
#include "parquet/parquet_file.h"

#define MAX_COLUMNS 8

static struct error err;

/* A file in memory and what went into it. */
struct sample {
	struct schema schema;
	struct parquet_options options;
	struct vector values[MAX_COLUMNS];	/* all rows */
	struct arena heap;
	struct output_file *file;
	struct parquet_writer *writer;
	struct parquet_reader *reader;
};

static uint64_t mix(uint64_t x)
{
	return hash_word(x + UINT64_C(0x9e3779b97f4a7c15));
}

static void sample_init(struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	schema_init(&sample->schema);
	parquet_options_init(&sample->options);
}

static void sample_column(struct sample *sample, struct type type,
			  bool required)
{
	struct column_def def;
	char name[16];
	size_t i = sample->schema.column_count;

	memset(&def, 0, sizeof(def));
	snprintf(name, sizeof(name), "c%zu", i);
	def.name = name;
	def.type = type;
	def.required = required;
	def.field_id = (int32_t)i + 10;
	ck_ok(schema_add(&sample->schema, &def, &err));
	vector_init(&sample->values[i], type);
}

static void sample_put(struct sample *sample, size_t column,
		       struct literal value)
{
	ck_ok(vector_append(&sample->values[column], &value, &err));
}

static struct literal bigint(int64_t v)
{
	struct literal value = literal_null(type_of(TYPE_BIGINT));

	value.is_null = false;
	value.value.int64 = v;
	return value;
}

static struct literal real64(double v)
{
	struct literal value = literal_null(type_of(TYPE_DOUBLE));

	value.is_null = false;
	value.value.real64 = v;
	return value;
}

static struct literal text(struct sample *sample, const char *fmt, uint64_t n)
{
	struct literal value = literal_null(type_of(TYPE_VARCHAR));
	char *copy = arena_printf(&sample->heap, fmt, (unsigned)n);

	value.is_null = false;
	value.value.bytes = byte_view(copy, strlen(copy));
	return value;
}

/* Add rows first .. end - 1 by batches to the encoder. */
static void encode_rows(struct sample *sample, struct parquet_encoder *encoder,
			size_t first, size_t end)
{
	const struct vector *columns[MAX_COLUMNS];
	uint32_t *rows = mem_alloc_array(end + 1, sizeof(*rows));

	for (size_t i = 0; i < sample->schema.column_count; i++)
		columns[i] = &sample->values[i];
	for (size_t i = first; i < end; i++)
		rows[i - first] = (uint32_t)i;
	for (size_t at = 0; at < end - first; at += 1000) {
		struct selection part = { rows + at, end - first - at };

		if (part.count > 1000)
			part.count = 1000;
		ck_ok(parquet_encoder_add(encoder, columns, &part, &err));
	}
	mem_free(rows);
}

static void sample_write(struct sample *sample, size_t group_rows)
{
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
	for (size_t at = 0; at < rows; at += group_rows) {
		size_t end = rows - at < group_rows ? rows : at + group_rows;

		encode_rows(sample, encoder, at, end);
		ck_ok(parquet_encoder_finish(encoder, &group, &err));
		ck_ok(parquet_writer_append(sample->writer, group, &err));
	}
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
	for (size_t i = 0; i < sample->schema.column_count; i++)
		vector_release(&sample->values[i]);
	schema_release(&sample->schema);
	arena_release(&sample->heap);
}

static bool same(const struct vector *a, size_t i, const struct vector *b,
		 size_t j)
{
	struct literal left, right;

	if (vector_is_null(a, i) || vector_is_null(b, j))
		return vector_is_null(a, i) == vector_is_null(b, j);
	left = vector_get(a, i);
	right = vector_get(b, j);
	return literal_compare(&left, &right) == 0;
}

/* Ids, few and many texts, doubles; nulls in clusters and scattered. */
static void make_sample(struct sample *sample, size_t rows)
{
	sample_init(sample);
	sample_column(sample, type_of(TYPE_BIGINT), true);
	sample_column(sample, type_of(TYPE_VARCHAR), false);
	sample_column(sample, type_of(TYPE_VARCHAR), false);
	sample_column(sample, type_of(TYPE_DOUBLE), false);
	for (size_t i = 0; i < rows; i++) {
		bool hole = i % 9000 < 3000;

		sample_put(sample, 0, bigint((int64_t)(i * 8 + mix(i) % 8)));
		sample_put(sample, 1, text(sample, "status %u", mix(i) % 5));
		sample_put(sample, 2,
			   hole ? literal_null(type_of(TYPE_VARCHAR))
				: text(sample, "caf\xc3\xa9 number %u", mix(i)));
		sample_put(sample, 3,
			   mix(i) % 3 ? real64((double)(mix(i) % 100000) / 7)
				      : literal_null(type_of(TYPE_DOUBLE)));
	}
}

/* A column of the first row group, and an empty vector for its rows. */
static struct chunk_reader *open_column(const struct sample *sample,
					size_t column, struct vector *got)
{
	struct chunk_reader *chunk;

	vector_init(got, sample->values[column].type);
	ck_ok(chunk_reader_open(&chunk, sample->reader, 0, column, &got->type,
				&err));
	return chunk;
}

static void read_column(const struct sample *sample, size_t column,
			size_t group_rows, size_t step)
{
	const struct vector *want = &sample->values[column];
	struct vector got;

	vector_init(&got, want->type);
	for (size_t g = 0; g * group_rows < want->count; g++) {
		size_t rows = parquet_row_group_rows(sample->reader, g);
		struct chunk_reader *chunk;

		ck_ok(chunk_reader_open(&chunk, sample->reader, g, column,
					&want->type, &err));
		for (size_t at = 0; at < rows; at += step) {
			size_t n = rows - at < step ? rows - at : step;

			ck_ok(chunk_reader_read(chunk, at, n, &got, &err));
			ck_assert_uint_eq(got.count, n);
			for (size_t i = 0; i < n; i++)
				ck_assert_msg(same(&got, i, want,
						   g * group_rows + at + i),
					      "column %zu row %zu", column,
					      at + i);
		}
		chunk_reader_free(chunk);
	}
	vector_release(&got);
}

START_TEST(rows_come_back_by_any_step_from_groups_of_any_size)
{
	static const size_t groups[] = { 1000000, 25000, 4096 };
	struct sample sample;

	for (size_t g = 0; g < ARRAY_COUNT(groups); g++) {
		make_sample(&sample, 50001);
		sample_write(&sample, groups[g]);
		ck_assert_uint_eq(parquet_row_count(sample.reader), 50001);
		for (size_t i = 0; i < 4; i++) {
			read_column(&sample, i, groups[g], 4096);
			read_column(&sample, i, groups[g], 777);
			read_column(&sample, i, groups[g], 30000);
		}
		sample_release(&sample);
	}
}
END_TEST

START_TEST(whole_batches_are_slices_of_one_block)
{
	struct chunk_reader *chunk;
	struct vector a, b;
	struct sample sample;

	make_sample(&sample, 20480);
	sample_write(&sample, 20480);
	vector_init(&a, type_of(TYPE_BIGINT));
	vector_init(&b, type_of(TYPE_BIGINT));
	ck_ok(chunk_reader_open(&chunk, sample.reader, 0, 0, &a.type, &err));
	ck_ok(chunk_reader_read(chunk, 0, 4096, &a, &err));
	ck_assert_ptr_null(a.validity);
	/* the same memory again: no more than a batch is touched */
	ck_ok(chunk_reader_read(chunk, 4096, 4096, &b, &err));
	ck_assert_ptr_eq(vector_i64(&a), vector_i64(&b));
	ck_ok(chunk_reader_read(chunk, 4096 + 64, 4032, &a, &err));
	ck_assert_ptr_eq(vector_i64(&a), vector_i64(&b) + 64);
	ck_assert_uint_eq(chunk_reader_pages_read(chunk), 1);
	chunk_reader_free(chunk);
	vector_release(&a);
	vector_release(&b);
	sample_release(&sample);
}
END_TEST

START_TEST(a_complete_dictionary_has_every_value_of_the_chunk)
{
	static const bool complete[] = { false, true, false };
	struct chunk_reader *chunk;
	struct sample sample;

	make_sample(&sample, 30000);
	sample_write(&sample, 10000);
	for (size_t g = 0; g < 3; g++)
		for (size_t c = 0; c < 3; c++) {
			const struct vector *want = &sample.values[c];
			struct vector got, row;
			bool is_complete;

			vector_init(&got, want->type);
			vector_init(&row, want->type);
			ck_ok(chunk_reader_open(&chunk, sample.reader, g, c,
						&want->type, &err));
			ck_ok(chunk_reader_dictionary(chunk, &got,
						      &is_complete, &err));
			ck_assert_int_eq(is_complete, complete[c]);
			ck_assert_int_eq(parquet_has_dictionary(sample.reader,
								g, c),
					 complete[c]);
			for (size_t i = 0; is_complete && i < 10000; i++) {
				size_t k = 0;

				while (k < got.count &&
				       !same(&got, k, want, g * 10000 + i))
					k++;
				ck_assert_uint_lt(k, got.count);
			}
			/* and the rows can be read as ever */
			ck_ok(chunk_reader_read(chunk, 77, 1, &row, &err));
			ck_assert(same(&row, 0, want, g * 10000 + 77));
			chunk_reader_free(chunk);
			vector_release(&got);
			vector_release(&row);
		}
	sample_release(&sample);
}
END_TEST

START_TEST(single_rows_touch_their_pages_only)
{
	static const uint32_t rows[] = { 5, 6, 30000, 100000, 100001 };
	struct chunk_reader *chunk;
	struct sample sample;

	make_sample(&sample, 120000);
	sample_write(&sample, 120000);
	for (size_t c = 0; c < 4; c++) {
		const struct vector *want = &sample.values[c];
		struct vector got;

		chunk = open_column(&sample, c, &got);
		ck_ok(chunk_reader_gather(chunk, 1000, rows, 5, &got, &err));
		ck_assert_uint_eq(got.count, 5);
		for (size_t i = 0; i < 5; i++)
			ck_assert(same(&got, i, want, 1000 + rows[i]));
		ck_assert_uint_eq(chunk_reader_pages_read(chunk), 3);
		/* and back again */
		ck_ok(chunk_reader_read(chunk, 7, 1, &got, &err));
		ck_assert(same(&got, 0, want, 7));
		ck_assert_int_eq(chunk_reader_read(chunk, 119999, 2, &got,
						   &err), ERROR_INTERNAL);
		chunk_reader_free(chunk);
		vector_release(&got);
	}
	sample_release(&sample);
}
END_TEST

/* Rows of the chunk in any order of blocks, by read and by gather. */
START_TEST(a_page_of_several_blocks_is_read_there_and_back)
{
	static const uint32_t rows[] = { 0, 4095, 4096, 8191, 8192, 20479 };
	static const size_t starts[] = { 16384, 0, 8192, 4095, 12288, 4000,
					 20479, 1 };
	struct chunk_reader *chunk;
	struct sample sample;

	make_sample(&sample, 20480);
	sample_write(&sample, 20480);
	for (size_t c = 0; c < 4; c++) {
		const struct vector *want = &sample.values[c];
		struct vector got;

		chunk = open_column(&sample, c, &got);
		for (size_t k = 0; k < ARRAY_COUNT(starts); k++) {
			size_t n = 20480 - starts[k];

			n = n < 4096 ? n : 4096;
			ck_ok(chunk_reader_read(chunk, starts[k], n, &got,
						&err));
			for (size_t i = 0; i < n; i++)
				ck_assert(same(&got, i, want, starts[k] + i));
			ck_ok(chunk_reader_gather(chunk, 0, rows,
						  ARRAY_COUNT(rows), &got,
						  &err));
			for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
				ck_assert(same(&got, i, want, rows[i]));
		}
		ck_assert_uint_eq(chunk_reader_pages_read(chunk), 1);
		chunk_reader_free(chunk);
		vector_release(&got);
	}
	sample_release(&sample);
}
END_TEST

/* What is decoded of a page when the index turns up is no part of another. */
START_TEST(an_index_of_other_pages_is_refused)
{
	enum { ROWS = 409600, PAGE_ROWS = 40960, BATCH = 4096 };
	const struct column_chunk *chunk;
	struct chunk_reader *reader;
	struct sample sample;
	struct vector got;
	uint8_t *index;

	sample_init(&sample);
	sample.options.page_row_limit = PAGE_ROWS;
	sample.options.page_byte_limit = 16 << 20;
	sample.options.codec = CODEC_NONE;
	sample_column(&sample, type_of(TYPE_DOUBLE), true);
	for (size_t i = 0; i < ROWS; i++)
		sample_put(&sample, 0, real64((double)mix(i) / 7));
	sample_write(&sample, ROWS);
	chunk = &sample.reader->metadata.groups[0].columns[0];
	ck_assert_int_eq(column_chunk_start(chunk), 4);
	ck_assert_int_ge(chunk->offset_index_length, 10);
	index = (uint8_t *)output_file_memory_bytes(sample.file).data +
		chunk->offset_index_offset;
	/* one page, at byte 4, of 1000 bytes, from row 0 on */
	memcpy(index, "\x19\x1c\x16\x08\x15\xd0\x0f\x16\0\0\0", 11);

	vector_init(&got, type_of(TYPE_DOUBLE));
	ck_ok(chunk_reader_open(&reader, sample.reader, 0, 0, &got.type,
				&err));
	ck_ok(chunk_reader_read(reader, 0, BATCH, &got, &err));
	ck_assert(same(&got, 5, &sample.values[0], 5));
	ck_assert_int_eq(chunk_reader_read(reader, ROWS - BATCH, BATCH, &got,
					   &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "not what its index says"));
	chunk_reader_free(reader);
	vector_release(&got);
	sample_release(&sample);
}
END_TEST

START_TEST(bounds_of_chunk_and_pages_hold_every_value)
{
	struct parquet_page_index *index;
	struct parquet_bounds bounds;
	struct sample sample;
	struct arena arena = { 0 };

	make_sample(&sample, 70000);
	sample_write(&sample, 70000);
	for (size_t c = 0; c < 4; c++) {
		const struct vector *want = &sample.values[c];

		parquet_chunk_bounds(sample.reader, 0, c, &want->type,
				     &bounds);
		ck_assert(bounds.has_min && bounds.has_max);
		ck_assert_int_eq(bounds.null_count,
				 (int64_t)vector_null_count(want));
		ck_ok(parquet_page_index(sample.reader, 0, c, &want->type,
					 &arena, &index, &err));
		ck_assert_ptr_nonnull(index);
		ck_assert_ptr_nonnull(index->bounds);
		ck_assert_uint_eq(index->page_count, 4);
		ck_assert_uint_eq(index->first_row[4], 70000);
		for (size_t p = 0; p < 4; p++)
			for (size_t i = index->first_row[p];
			     i < index->first_row[p + 1]; i++) {
				struct literal v = vector_get(want, i);

				if (vector_is_null(want, i))
					continue;
				ck_assert(literal_compare(
						  &index->bounds[p].min,
						  &v) <= 0);
				ck_assert(literal_compare(
						  &index->bounds[p].max,
						  &v) >= 0);
				ck_assert(literal_compare(&bounds.min, &v) <=
					  0);
				ck_assert(literal_compare(&bounds.max, &v) >=
					  0);
			}
	}
	arena_release(&arena);
	sample_release(&sample);
}
END_TEST

START_TEST(totals_are_exact_and_long_bounds_are_cut_in_the_file)
{
	const struct parquet_column_totals *totals;
	struct parquet_bounds bounds;
	struct sample sample;
	size_t groups;

	sample_init(&sample);
	sample_column(&sample, type_of(TYPE_VARCHAR), false);
	sample_column(&sample, type_of(TYPE_DOUBLE), false);
	for (size_t i = 0; i < 300; i++) {
		sample_put(&sample, 0, text(&sample, "%0400u", i));
		sample_put(&sample, 1, i % 3 ? real64(NAN) : real64(-0.0));
	}
	sample_put(&sample, 0, literal_null(type_of(TYPE_VARCHAR)));
	sample_put(&sample, 1, literal_null(type_of(TYPE_DOUBLE)));
	sample_write(&sample, 100);
	totals = parquet_writer_totals(sample.writer);
	ck_assert_int_eq(totals[0].field_id, 10);
	ck_assert_int_eq(totals[0].value_count, 301);
	ck_assert_int_eq(totals[0].null_count, 1);
	ck_assert_int_eq(totals[1].nan_count, 200);
	ck_assert_uint_eq(totals[0].max.value.bytes.length, 400);
	ck_assert_mem_eq(totals[0].max.value.bytes.data + 396, "0299", 4);
	ck_assert_ptr_nonnull(parquet_writer_split_offsets(sample.writer,
							   &groups));
	ck_assert_uint_eq(groups, 4);
	parquet_chunk_bounds(sample.reader, 2, 0, &sample.values[0].type,
			     &bounds);
	ck_assert_uint_le(bounds.max.value.bytes.length, 256);
	ck_assert_int_gt(literal_compare(&bounds.max, &totals[0].max), 0);
	parquet_chunk_bounds(sample.reader, 0, 1, &sample.values[1].type,
			     &bounds);
	ck_assert(bounds.may_have_nan && bounds.has_max);
	ck_assert(!signbit(bounds.max.value.real64));
	ck_assert(signbit(bounds.min.value.real64));
	sample_release(&sample);
}
END_TEST

START_TEST(a_bloom_filter_knows_every_value_and_few_others)
{
	static const bool wanted[] = { true, false, true, true };
	struct parquet_bloom_filter *filter;
	struct sample sample;
	size_t wrong = 0;

	make_sample(&sample, 30000);
	sample.options.bloom_columns = wanted;
	sample_write(&sample, 30000);
	ck_assert(!parquet_has_bloom_filter(sample.reader, 0, 1));
	for (size_t c = 0; c < 4; c += 2) {
		const struct vector *values = &sample.values[c];

		ck_assert(parquet_has_bloom_filter(sample.reader, 0, c));
		ck_ok(parquet_bloom_filter_load(sample.reader, 0, c, &filter,
						&err));
		for (size_t i = 0; i < values->count; i++) {
			struct literal v = vector_get(values, i);

			ck_assert(vector_is_null(values, i) ||
				  parquet_bloom_filter_may_contain(filter,
								   &v));
		}
		for (int64_t i = 0; c == 0 && i < 10000; i++) {
			struct literal v = bigint(-1 - i);

			wrong += parquet_bloom_filter_may_contain(filter, &v);
		}
		parquet_bloom_filter_free(filter);
	}
	ck_assert_uint_lt(wrong, 300);
	sample_release(&sample);
}
END_TEST

START_TEST(integers_and_floats_widen_to_the_table_type)
{
	struct type wide = type_of(TYPE_DOUBLE), text_type =
							 type_of(TYPE_VARCHAR);
	struct literal value = literal_null(type_of(TYPE_INTEGER));
	struct chunk_reader *chunk;
	struct sample sample;
	struct vector got;

	sample_init(&sample);
	sample_column(&sample, type_of(TYPE_INTEGER), true);
	sample_column(&sample, type_of(TYPE_REAL), true);
	value.is_null = false;
	value.value.int32 = -5;
	sample_put(&sample, 0, value);
	value.type = type_of(TYPE_REAL);
	value.value.real = 0.5f;
	sample_put(&sample, 1, value);
	sample_write(&sample, 1);
	vector_init(&got, type_of(TYPE_BIGINT));
	ck_ok(chunk_reader_open(&chunk, sample.reader, 0, 0, &got.type, &err));
	ck_ok(chunk_reader_read(chunk, 0, 1, &got, &err));
	ck_assert_int_eq(vector_i64(&got)[0], -5);
	chunk_reader_free(chunk);
	ck_ok(chunk_reader_open(&chunk, sample.reader, 0, 1, &wide, &err));
	ck_ok(chunk_reader_read(chunk, 0, 1, &got, &err));
	ck_assert(vector_f64(&got)[0] == 0.5);
	chunk_reader_free(chunk);
	ck_assert_int_eq(chunk_reader_open(&chunk, sample.reader, 0, 1,
					   &text_type, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_null(chunk);
	vector_release(&got);
	sample_release(&sample);
}
END_TEST

START_TEST(a_null_in_a_required_column_is_refused_by_name)
{
	const struct vector *columns[1];
	struct selection all = selection_all(1);
	struct parquet_encoder *encoder;
	struct sample sample;

	sample_init(&sample);
	sample_column(&sample, type_of(TYPE_BIGINT), true);
	sample_put(&sample, 0, literal_null(type_of(TYPE_BIGINT)));
	columns[0] = &sample.values[0];
	ck_ok(parquet_encoder_new(&encoder, &sample.schema, &sample.options,
				  &err));
	ck_assert_int_eq(parquet_encoder_add(encoder, columns, &all, &err),
			 ERROR_NOT_NULL);
	ck_assert_str_eq(err.field, "c0");
	parquet_encoder_free(encoder);
	sample_release(&sample);
}
END_TEST

/* Everything a reader does, results ignored. */
static int read_all(const void *data, size_t length, size_t columns)
{
	struct parquet_reader *reader;
	struct input_file *file;
	int rc;

	if (input_file_memory(&file, "sample", data, length, &err))
		return err.code;
	rc = parquet_reader_open(&reader, file, &err);
	if (rc) {
		input_file_close(file);
		return rc;
	}
	for (size_t c = 0; c < columns && !rc; c++) {
		const struct type *type = &parquet_leaf(reader, c)->type;
		struct chunk_reader *chunk;
		struct vector got;

		vector_init(&got, *type);
		rc = chunk_reader_open(&chunk, reader, 0, c, type, &err);
		for (size_t at = 0; at < 600 && !rc; at += 200)
			rc = chunk_reader_read(chunk, at, 200, &got, &err);
		chunk_reader_free(chunk);
		vector_release(&got);
	}
	parquet_reader_free(reader);
	return rc;
}

START_TEST(every_cut_and_every_changed_byte_is_found_or_harmless)
{
	struct byte_view bytes;
	struct sample sample;
	size_t found = 0;
	uint8_t *copy;

	make_sample(&sample, 600);
	sample_write(&sample, 600);
	bytes = output_file_memory_bytes(sample.file);
	ck_assert_int_eq(read_all(bytes.data, bytes.length, 4), 0);
	for (size_t cut = 0; cut < bytes.length; cut += 7)
		ck_assert_int_eq(read_all(bytes.data, cut, 4), ERROR_CORRUPT);
	copy = mem_alloc(bytes.length);
	memcpy(copy, bytes.data, bytes.length);
	for (size_t i = 4; i < bytes.length; i++) {
		copy[i] ^= (uint8_t)(1 + mix(i) % 255);
		found += read_all(copy, bytes.length, 4) != 0;
		copy[i] = bytes.data[i];
	}
	/* pages are under a checksum; most of the rest is structure */
	ck_assert_uint_gt(found, bytes.length / 2);
	mem_free(copy);
	sample_release(&sample);
}
END_TEST

static int write_and_read(struct sample *sample)
{
	const struct vector *columns[MAX_COLUMNS];
	const struct parquet_writing what = {
		&sample->schema, &sample->options, columns,
		sample->values[0].count, 0,
	};
	struct output_file *file = NULL;
	int rc;

	for (size_t i = 0; i < sample->schema.column_count; i++)
		columns[i] = &sample->values[i];
	rc = output_file_memory(&file, "m", &err);
	if (!rc)
		rc = parquet_write(&what, file, NULL, &err);
	if (!rc)
		rc = read_all(output_file_memory_bytes(file).data,
			      output_file_memory_bytes(file).length,
			      sample->schema.column_count);
	output_file_free(file);
	return rc;
}

START_TEST(each_failed_allocation_is_reported_and_leaks_nothing)
{
	static const bool bloom[] = { true, true, true, true };
	struct sample sample;
	int rc = ERROR_NO_MEMORY;

	make_sample(&sample, 600);
	sample.options.bloom_columns = bloom;
	ck_assert_int_eq(write_and_read(&sample), 0);
	for (long nth = 0; rc == ERROR_NO_MEMORY; nth = next_fault(nth)) {
		mem_fail_at(nth);
		rc = write_and_read(&sample);
		mem_fail_at(-1);
		ck_assert_int_lt(nth, 100000);
	}
	ck_assert_int_eq(rc, 0);
	sample_release(&sample);
}
END_TEST

START_TEST(what_is_no_parquet_file_is_called_so)
{
	static const char *const bad[] = { "", "PAR1PAR1", "PAR1\1\0\0\0PAR1",
					   "PAR1\0\0\0\0PARE",
					   "id,name\n1,one\n2,two\n" };
	static const size_t lengths[] = { 0, 8, 12, 12, 20 };
	static const int codes[] = { ERROR_CORRUPT, ERROR_CORRUPT,
				     ERROR_CORRUPT, ERROR_UNSUPPORTED,
				     ERROR_CORRUPT };

	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		ck_assert_int_eq(read_all(bad[i], lengths[i], 0), codes[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "sample"));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_file");
	TCase *tc = tcase_create("parquet_file");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc,
		       rows_come_back_by_any_step_from_groups_of_any_size);
	tcase_add_test(tc, whole_batches_are_slices_of_one_block);
	tcase_add_test(tc, a_page_of_several_blocks_is_read_there_and_back);
	tcase_add_test(tc, an_index_of_other_pages_is_refused);
	tcase_add_test(tc,
		       a_complete_dictionary_has_every_value_of_the_chunk);
	tcase_add_test(tc, single_rows_touch_their_pages_only);
	tcase_add_test(tc, bounds_of_chunk_and_pages_hold_every_value);
	tcase_add_test(tc,
		       totals_are_exact_and_long_bounds_are_cut_in_the_file);
	tcase_add_test(tc, a_bloom_filter_knows_every_value_and_few_others);
	tcase_add_test(tc, integers_and_floats_widen_to_the_table_type);
	tcase_add_test(tc, a_null_in_a_required_column_is_refused_by_name);
	tcase_add_test(tc,
		       every_cut_and_every_changed_byte_is_found_or_harmless);
	tcase_add_test(tc,
		       each_failed_allocation_is_reported_and_leaks_nothing);
	tcase_add_test(tc, what_is_no_parquet_file_is_called_so);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
