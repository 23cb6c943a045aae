/* check_parquet_nested.c - nested columns written and read back */
#include <stdio.h>
#include "unit/check_main.h"
#include "parquet/parquet.h"

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

int main(void)
{
	Suite *suite = suite_create("parquet_nested");
	TCase *tc = tcase_create("parquet_nested");

	arena_init(&types, 0);
	tcase_add_loop_test(tc, any_nested_value_comes_back_by_any_step, 0,
			    200);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
