/* check_parquet_nested.c - nested columns written and read back */
#include <stdio.h>
#include "unit/check_main.h"
#include "parquet/parquet.h"

static struct error err;
static struct arena types;	/* of type trees, names and values */
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = hash_word(seed + UINT64_C(0x9e3779b97f4a7c15));
	return below ? seed % below : 0;
}

static struct column_def field_of(const char *name, struct type type,
				  bool required)
{
	static int32_t next_id = 100;
	struct column_def def;

	memset(&def, 0, sizeof(def));
	def.name = arena_strdup(&types, name);
	def.type = type;
	def.required = required;
	def.field_id = next_id++;
	return def;
}

static struct type nested_type(enum type_id id, const struct column_def *defs,
			       size_t count)
{
	struct type type = type_of(id);

	type.fields = arena_copy(&types, defs, count * sizeof(*defs));
	type.field_count = count;
	return type;
}

static struct type draw_type(unsigned depth)
{
	static const enum type_id leaves[] = {
		TYPE_INTEGER, TYPE_BIGINT, TYPE_VARCHAR, TYPE_BOOLEAN,
		TYPE_DOUBLE, TYPE_UUID, TYPE_DATE, TYPE_VARBINARY,
	};
	struct column_def defs[3];
	size_t count = 1 + draw(3);
	char name[8];

	if (depth == 0 || draw(4) == 0)
		return draw(6) ? type_of(leaves[draw(ARRAY_COUNT(leaves))])
			       : type_decimal(draw(2) ? 12 : 30, 2);
	switch (draw(3)) {
	case 0:
		defs[0] = field_of("element", draw_type(depth - 1), !draw(3));
		return nested_type(TYPE_ARRAY, defs, 1);
	case 1:
		defs[0] = field_of("key", type_of(draw(2) ? TYPE_VARCHAR
							  : TYPE_INTEGER),
				   true);
		defs[1] = field_of("value", draw_type(depth - 1), !draw(3));
		return nested_type(TYPE_MAP, defs, 2);
	default:
		for (size_t i = 0; i < count; i++) {
			snprintf(name, sizeof(name), "f%zu", i);
			defs[i] = field_of(name, draw_type(depth - 1),
					   !draw(3));
		}
		return nested_type(TYPE_ROW, defs, count);
	}
}

static void draw_leaf(struct vector *out, size_t i)
{
	switch (out->type.id) {
	case TYPE_BOOLEAN: vector_bool(out)[i] = draw(2); break;
	case TYPE_INTEGER:
	case TYPE_DATE: vector_i32(out)[i] = (int32_t)draw(1000) - 500; break;
	case TYPE_DOUBLE: vector_f64(out)[i] = (double)draw(9) - 4; break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY: {
		char *text = arena_printf(&types, "%.*s%u", (int)draw(12),
					  "abcdefghijklm", (unsigned)draw(50));
		vector_bytes(out)[i] = byte_view(text, strlen(text));
		break;
	}
	case TYPE_UUID:
		memset(vector_uuid(out)[i].bytes, (int)draw(256), 16);
		break;
	default:
		if (type_is_long_decimal(&out->type))
			vector_i128(out)[i] = (int128_t)draw(1000) - 500;
		else
			vector_i64(out)[i] = (int64_t)draw(100000) - 50000;
	}
}

static void draw_validity(uint64_t *bits, size_t count, bool required)
{
	uint64_t share = required ? 1 : 1 + draw(4);

	for (size_t i = 0; i < count; i++)
		bits_put(bits, i, required || draw(share * 2) != 0);
}

static void draw_vector(struct vector *out, const struct column_def *def,
			size_t count);

static void draw_row(struct vector *out, const struct type *type,
		     const uint64_t *validity, size_t count)
{
	struct vector fields[3];
	const struct vector *views[3];

	for (size_t i = 0; i < type->field_count; i++) {
		draw_vector(&fields[i], &type->fields[i], count);
		views[i] = &fields[i];
	}
	ck_ok(nested_pack_rows(out, views, validity, count, &types, &err));
	for (size_t i = 0; i < type->field_count; i++)
		vector_release(&fields[i]);
}

/* Keys of a list that differ. */
static void draw_keys(struct vector *keys, const struct column_def *def,
		      const uint32_t *offsets, size_t count)
{
	draw_vector(keys, def, offsets[count]);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++) {
			uint32_t n = k - offsets[i];

			if (def->type.id == TYPE_INTEGER)
				vector_i32(keys)[k] = (int32_t)(n * 7 + i);
			else
				vector_bytes(keys)[k].data =
					(const uint8_t *)arena_printf(
						&types, "%08u", n),
				vector_bytes(keys)[k].length = 8;
		}
}

static void draw_list(struct vector *out, const struct type *type,
		      const uint64_t *validity, size_t count)
{
	uint32_t *offsets = mem_zalloc_array(count + 1, sizeof(*offsets));
	uint64_t longest = 1 + draw(6);
	struct vector parts[2];

	for (size_t i = 0; i < count; i++)
		offsets[i + 1] = offsets[i] +
				 (bits_get(validity, i)
					  ? (uint32_t)draw(draw(50) ? longest
								    : 40)
					  : 0);
	if (type->id == TYPE_MAP) {
		draw_keys(&parts[0], &type->fields[0], offsets, count);
		draw_vector(&parts[1], &type->fields[1], offsets[count]);
		ck_ok(nested_pack_maps(out, &parts[0], &parts[1], offsets,
				       validity, count, &types, &err));
		vector_release(&parts[1]);
	} else {
		draw_vector(&parts[0], &type->fields[0], offsets[count]);
		ck_ok(nested_pack_lists(out, &parts[0], offsets, validity,
					count, &types, &err));
	}
	vector_release(&parts[0]);
	mem_free(offsets);
}

static void draw_vector(struct vector *out, const struct column_def *def,
			size_t count)
{
	uint64_t *validity = mem_zalloc_array(BITMAP_WORDS(count) + 1, 8);

	vector_init(out, def->type);
	draw_validity(validity, count, def->required);
	if (def->type.id == TYPE_ROW) {
		draw_row(out, &def->type, validity, count);
	} else if (type_is_nested(&def->type)) {
		draw_list(out, &def->type, validity, count);
	} else {
		ck_ok(vector_reserve(out, count + 1, &err));
		ck_ok(vector_own_validity(out, &err));
		out->count = count;
		for (size_t i = 0; i < count; i++) {
			bits_put(out->validity, i, bits_get(validity, i));
			if (bits_get(validity, i))
				draw_leaf(out, i);
		}
	}
	mem_free(validity);
}

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
	if (type_is_nested(&want->type))
		ck_assert(nested_identical(&want->type, vector_bytes(want)[i],
					   vector_bytes(got)[k]));
	else
		ck_assert_int_eq(literal_compare(&(struct literal){ 0 },
						 &(struct literal){ 0 }), 0);
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
