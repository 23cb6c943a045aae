/*
 * parquet_dump.c - print what our reader sees in a Parquet file, raw
 *
 *	parquet_dump [-b ROWS] FILE	values, a line per row and column
 *	parquet_dump -w ROWS FILE	write a file of every type, for readers
 *	parquet_dump -n SEED FILE	write one of nested columns, drawn
 *
 * Why:    other readers are the oracle: a script prints the same from them
 *         and compares. So values are raw and unambiguous: integers in
 *         decimal, floats as their bits, bytes in hexadecimal.
 * Limits: columns we cannot read are named on standard error and left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "parquet/parquet.h"

static struct error err;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", what, error_name(err.code), err.text);
	exit(1);
}

#define ck_ok(call) \
	do { \
		if (call) \
			die(#call); \
	} while (0)
#include "unit/nested_draw.h"

static void print_decimal(int128_t value)
{
	char digits[48], *at = digits + sizeof(digits) - 1;
	uint128_t left = value < 0 ? -(uint128_t)value : (uint128_t)value;

	*at = '\0';
	do {
		*--at = (char)('0' + (int)(left % 10));
		left /= 10;
	} while (left);
	printf("%s%s", value < 0 ? "-" : "", at);
}

static void print_bytes(const uint8_t *data, size_t length)
{
	putchar('x');
	for (size_t i = 0; i < length; i++)
		printf("%02x", data[i]);
}

static void print_literal(struct literal value);

/* {name:value,..} [value,..] <key:value,..> */
static void print_nested(const struct type *type, struct byte_view packed)
{
	const char *around = type->id == TYPE_ROW     ? "{}"
			     : type->id == TYPE_ARRAY ? "[]"
						      : "<>";
	size_t count = type->id == TYPE_ROW ? type->field_count
					    : nested_count(type, packed);

	putchar(around[0]);
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar(',');
		if (type->id == TYPE_ROW)
			printf("%s:", type->fields[i].name);
		if (type->id == TYPE_MAP) {
			print_literal(nested_key(type, packed, i));
			putchar(':');
		}
		print_literal(nested_field(type, packed, i));
	}
	putchar(around[1]);
}

static void print_literal(struct literal value)
{
	uint32_t bits;
	uint64_t wide;

	if (value.is_null) {
		printf("NULL");
		return;
	}
	switch (value.type.id) {
	case TYPE_BOOLEAN: printf("%d", value.value.boolean); break;
	case TYPE_INTEGER:
	case TYPE_DATE: printf("%" PRId32, value.value.int32); break;
	case TYPE_REAL:
		memcpy(&bits, &value.value.real, 4);
		printf("f%08" PRIx32, bits);
		break;
	case TYPE_DOUBLE:
		memcpy(&wide, &value.value.real64, 8);
		printf("d%016" PRIx64, wide);
		break;
	case TYPE_DECIMAL: print_decimal(value.value.decimal); break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		print_bytes(value.value.bytes.data, value.value.bytes.length);
		break;
	case TYPE_UUID: print_bytes(value.value.uuid.bytes, 16); break;
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP: print_nested(&value.type, value.value.bytes); break;
	case TYPE_UNKNOWN: printf("UNKNOWN"); break;
	default: printf("%" PRId64, value.value.int64);
	}
}

static void print_value(const struct vector *vector, size_t i)
{
	struct literal value = literal_null(vector->type);

	if (!vector_is_null(vector, i))
		value = vector_get(vector, i);
	print_literal(value);
}

static void dump_chunk(const struct parquet_reader *reader, size_t group,
		       size_t leaf, size_t step)
{
	const struct parquet_leaf *column = parquet_leaf(reader, leaf);
	uint64_t rows = parquet_row_group_rows(reader, group);
	uint64_t first = parquet_row_group_first(reader, group);
	struct chunk_reader *chunk;
	struct vector vector;

	vector_init(&vector, column->type);
	if (chunk_reader_open(&chunk, reader, group, leaf, &column->type,
			      &err))
		die("open chunk");
	for (uint64_t at = 0; at < rows; at += step) {
		size_t n = rows - at < step ? (size_t)(rows - at) : step;

		if (chunk_reader_read(chunk, at, n, &vector, &err))
			die("read");
		for (size_t i = 0; i < n; i++) {
			printf("%s %" PRIu64 " ", column->path, first + at + i);
			print_value(&vector, i);
			putchar('\n');
		}
	}
	chunk_reader_free(chunk);
	vector_release(&vector);
}

static void dump_nested(const struct parquet_reader *reader, size_t group,
			const struct parquet_node *node, size_t step)
{
	uint64_t rows = parquet_row_group_rows(reader, group);
	uint64_t first = parquet_row_group_first(reader, group);
	struct nested_source source;
	struct nested_reader *nested;
	struct arena arena = { 0 };
	struct vector vector;

	ck_ok(nested_source_of_node(&source, node, &arena, &err));
	ck_ok(nested_reader_open(&nested, reader, group, &source, &err));
	vector_init(&vector, node->type);
	for (uint64_t at = 0; at < rows; at += step) {
		size_t n = rows - at < step ? (size_t)(rows - at) : step;

		ck_ok(nested_reader_read(nested, at, n, &vector, &err));
		for (size_t i = 0; i < n; i++) {
			printf("%s %" PRIu64 " ", node->name, first + at + i);
			print_value(&vector, i);
			putchar('\n');
		}
	}
	nested_reader_free(nested);
	vector_release(&vector);
	arena_release(&arena);
}

static void dump(const char *path, size_t step)
{
	const struct parquet_node *root;
	struct parquet_reader *reader;
	struct input_file *file;

	if (input_file_open(&file, path, &err) ||
	    parquet_reader_open(&reader, file, &err))
		die("open");
	root = parquet_root(reader);
	for (size_t i = 0; i < root->child_count; i++) {
		const struct parquet_node *node = &root->children[i];

		if (!node->readable) {
			fprintf(stderr, "not readable: %s\n", node->name);
			continue;
		}
		for (size_t g = 0; g < parquet_row_group_count(reader); g++)
			if (type_is_nested(&node->type))
				dump_nested(reader, g, node, step);
			else
				dump_chunk(reader, g, node->first_leaf, step);
	}
	parquet_reader_free(reader);
}

static uint64_t mix(uint64_t x)
{
	return hash_word(x + UINT64_C(0x9e3779b97f4a7c15));
}

static struct literal make_value(struct type type, size_t column, uint64_t row,
				 struct arena *heap)
{
	struct literal v = literal_null(type);
	uint64_t r = mix(row * 31 + column);
	bool few = column & 1;		/* repeat: a dictionary pays */
	char *text;

	if (few)
		r = mix(r % 50);
	v.is_null = false;
	switch (type.id) {
	case TYPE_BOOLEAN: v.value.boolean = r & 1; break;
	case TYPE_INTEGER: v.value.int32 = (int32_t)r; break;
	case TYPE_DATE: v.value.int32 = (int32_t)(r % 40000) - 10000; break;
	case TYPE_REAL: v.value.real = (float)(int64_t)r / 3e10f; break;
	case TYPE_DOUBLE: v.value.real64 = (double)(int64_t)r / 3e10; break;
	case TYPE_DECIMAL:
		v.value.decimal = (int64_t)r;
		if (type.precision > 18)
			v.value.decimal *= (int64_t)(mix(r) >> 8);
		v.value.decimal %= decimal_power10(type.precision);
		break;
	case TYPE_TIME: v.value.int64 = (int64_t)(r % 86400000000); break;
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		v.value.int64 = (int64_t)(r % (1ull << 52)) - (1ll << 51);
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		text = arena_printf(heap, "%.*s\xc3\xa9%" PRIu64, (int)(r % 90),
				    "the quick brown fox jumps over the lazy "
				    "dog and then some more of such words, "
				    "many more", r);
		v.value.bytes = byte_view(text, r % 7 ? strlen(text) : 0);
		break;
	case TYPE_FIXED:
	case TYPE_UUID:
		text = arena_alloc(heap, 32);
		for (size_t i = 0; i < 4; i++)
			memcpy(text + 8 * i, &(uint64_t){ mix(r + i) }, 8);
		v.value.bytes = byte_view(text, type.length);
		if (type.id == TYPE_UUID)
			memcpy(v.value.uuid.bytes, text, 16);
		break;
	default: v.value.int64 = (int64_t)(row * 5 + r % 5); break;
	}
	return v;
}

static void make_schema(struct schema *schema)
{
	struct type fixed = type_of(TYPE_FIXED);
	struct type types[] = {
		type_of(TYPE_BOOLEAN), type_of(TYPE_INTEGER),
		type_of(TYPE_BIGINT), type_of(TYPE_REAL), type_of(TYPE_DOUBLE),
		type_decimal(7, 2), type_decimal(18, 3), type_decimal(38, 5),
		type_decimal(25, 0), type_of(TYPE_DATE), type_of(TYPE_TIME),
		type_of(TYPE_TIMESTAMP), type_of(TYPE_TIMESTAMP_TZ),
		type_of(TYPE_VARCHAR), type_of(TYPE_VARBINARY),
		type_of(TYPE_UUID), fixed,
	};

	types[16].length = 5;
	schema_init(schema);
	for (size_t i = 0; i < 3 * ARRAY_COUNT(types); i++) {
		struct column_def def;
		char name[32];

		memset(&def, 0, sizeof(def));
		snprintf(name, sizeof(name), "c%zu", i);
		def.name = name;
		def.type = types[i / 3];
		def.field_id = (int32_t)i + 1;
		def.required = i % 3 == 0;
		if (schema_add(schema, &def, &err))
			die("schema");
	}
}

static void fill(struct vector *vectors, const struct schema *schema,
		 uint64_t first, size_t n, struct arena *heap)
{
	for (size_t c = 0; c < schema->column_count; c++) {
		struct type type = schema->columns[c].type;

		vector_reset(&vectors[c]);
		for (size_t i = 0; i < n; i++) {
			struct literal v = make_value(type, c, first + i, heap);

			/* some, in clusters, or none are null */
			if (c % 3 == 2 &&
			    (mix((first + i) * 77 + c) % 5 == 0 ||
			     (first + i) % 100000 < 30000))
				v = literal_null(type);
			if (vector_append(&vectors[c], &v, &err))
				die("append");
		}
	}
}

static void write_file(const char *path, uint64_t rows)
{
	struct parquet_options options;
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	struct encoded_row_group *group;
	struct output_file *file;
	struct schema schema;
	struct vector vectors[64];
	const struct vector *columns[64];
	struct arena heap = { 0 };
	bool bloom[64];

	make_schema(&schema);
	parquet_options_init(&options);
	for (size_t i = 0; i < schema.column_count; i++) {
		vector_init(&vectors[i], schema.columns[i].type);
		columns[i] = &vectors[i];
		bloom[i] = i % 3 == 1;
	}
	options.bloom_columns = bloom;
	options.iceberg_schema = "{}";
	if (output_file_create(&file, path, &err) ||
	    parquet_encoder_new(&encoder, &schema, &options, &err) ||
	    parquet_writer_new(&writer, file, &schema, &options, &err))
		die("create");
	for (uint64_t at = 0; at < rows;) {
		size_t n = rows - at < 4096 ? (size_t)(rows - at) : 4096;
		struct selection all = selection_all(n);

		arena_reset(&heap);
		fill(vectors, &schema, at, n, &heap);
		if (parquet_encoder_add(encoder, columns, &all, &err))
			die("add");
		at += n;
		if (parquet_encoder_rows(encoder) < 100000 && at < rows)
			continue;
		if (parquet_encoder_finish(encoder, &group, &err) ||
		    parquet_writer_append(writer, group, &err))
			die("append");
	}
	if (parquet_writer_finish(writer, &err) ||
	    output_file_close(file, false, &err))
		die("finish");
	parquet_writer_free(writer);
	parquet_encoder_free(encoder);
	output_file_free(file);
	for (size_t i = 0; i < schema.column_count; i++)
		vector_release(&vectors[i]);
	arena_release(&heap);
	schema_release(&schema);
}

#define NESTED_COLUMNS 6

/* Columns of any nested type, pages of any size. */
static void write_nested(const char *path, uint64_t from_seed)
{
	struct parquet_options options;
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	struct encoded_row_group *group;
	struct output_file *file;
	struct schema schema;
	struct vector vectors[NESTED_COLUMNS];
	const struct vector *columns[NESTED_COLUMNS];

	seed = from_seed;
	schema_init(&schema);
	parquet_options_init(&options);
	options.page_row_limit = 1 + draw(4000);
	options.dictionary_byte_limit = draw(2) * 10000;
	options.codec = draw(2) ? CODEC_ZSTD : CODEC_NONE;
	for (size_t i = 0; i < NESTED_COLUMNS; i++) {
		char name[16];
		struct column_def def;

		snprintf(name, sizeof(name), "n%zu", i);
		do
			def = field_of(name, draw_type(1 + draw(4)), !draw(4));
		while (!type_is_nested(&def.type));
		ck_ok(schema_add(&schema, &def, &err));
		columns[i] = &vectors[i];
	}
	ck_ok(output_file_create(&file, path, &err));
	ck_ok(parquet_encoder_new(&encoder, &schema, &options, &err));
	ck_ok(parquet_writer_new(&writer, file, &schema, &options, &err));
	for (size_t g = draw(3); g < 3; g++) {
		struct selection all = selection_all(1 + draw(5000));

		for (size_t i = 0; i < NESTED_COLUMNS; i++)
			draw_vector(&vectors[i], &schema.columns[i],
				    all.count);
		ck_ok(parquet_encoder_add(encoder, columns, &all, &err));
		ck_ok(parquet_encoder_finish(encoder, &group, &err));
		ck_ok(parquet_writer_append(writer, group, &err));
		for (size_t i = 0; i < NESTED_COLUMNS; i++)
			vector_release(&vectors[i]);
	}
	ck_ok(parquet_writer_finish(writer, &err));
	ck_ok(output_file_close(file, false, &err));
	parquet_writer_free(writer);
	parquet_encoder_free(encoder);
	output_file_free(file);
	schema_release(&schema);
	arena_release(&types);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "-w") == 0)
		write_file(argv[3], strtoull(argv[2], NULL, 10));
	else if (argc == 4 && strcmp(argv[1], "-n") == 0)
		write_nested(argv[3], strtoull(argv[2], NULL, 10));
	else if (argc == 4 && strcmp(argv[1], "-b") == 0)
		dump(argv[3], strtoul(argv[2], NULL, 10));
	else if (argc == 2)
		dump(argv[1], 4096);
	else
		return 2;
	return 0;
}
