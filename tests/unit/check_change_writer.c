/* check_change_writer.c - pages of changes into files, read back */
#include <errno.h>
#include <inttypes.h>
#include "unit/write_world.h"
#include "table/write/write_state.h"

static void make_metadata(const struct schema *schema,
			  const struct key_value *properties, size_t count)
{
	struct table_metadata_options options = { 0 };
	char location[300];

	snprintf(location, sizeof(location), "file://%s/t", scratch_path);
	options.format_version = 2;
	options.location = location;
	options.schema = schema;
	options.properties = properties;
	options.property_count = count;
	ck_ok(table_metadata_new(&metadata, &options, &err));
}

static void make_context(bool is_blind, size_t threads)
{
	struct write_options options = { 0 };

	options.directory = "t";
	options.metadata = metadata;
	ck_ok(uuid_random(&options.uuid, &err));
	options.is_blind = is_blind;
	options.thread_count = threads;
	ck_ok(write_context_new(&context, &options, &err));
}

#define MOST_ROWS 4096
static int8_t operations[MOST_ROWS];
static int32_t cases[MOST_ROWS];
static uint64_t row_ids[MOST_ROWS];
static uint8_t from_update[MOST_ROWS];

static struct change_page insert_page(const struct vector *const *columns,
				      size_t column_count, size_t row_count,
				      uint64_t unit)
{
	struct change_page page = { 0 };

	for (size_t i = 0; i < MOST_ROWS; i++) {
		operations[i] = OPERATION_INSERT;
		row_ids[i] = ROW_ID_NONE;
	}
	page.row_count = row_count;
	page.columns = columns;
	page.column_count = column_count;
	page.operation = operations;
	page.case_number = cases;
	page.row_id = row_ids;
	page.insert_from_update = from_update;
	page.unit = unit;
	return page;
}

static struct parquet_reader *open_file(size_t i, struct fragment *out,
					struct arena *arena)
{
	struct parquet_reader *reader;
	struct input_file *file;
	char *path;

	ck_ok(fragment_parse(fragments.items[i], arena, out, &err));
	ck_ok(path_from_uri(arena, out->file.path, &path, &err));
	ck_ok(input_file_open(&file, path, &err));
	ck_assert_uint_eq(input_file_size(file),
			  (uint64_t)out->file.file_size);
	ck_ok(parquet_reader_open(&reader, file, &err));
	ck_assert_uint_eq(parquet_row_count(reader),
			  (uint64_t)out->file.record_count);
	ck_assert_uint_eq(parquet_row_group_count(reader),
			  out->file.split_count);
	return reader;
}

/* Every type that a column may have. */
static const struct {
	const char *name;
	const char *parquet_name;
	struct type type;
} columns_of_all_types[] = {
	{ "id", "id", { .id = TYPE_BIGINT } },
	{ "a b", "a_x20b", { .id = TYPE_BOOLEAN } },
	{ "1st", "_1st", { .id = TYPE_INTEGER } },
	{ "r", "r", { .id = TYPE_REAL } },
	{ "d", "d", { .id = TYPE_DOUBLE } },
	{ "m9", "m9", { .id = TYPE_DECIMAL, .precision = 9, .scale = 2 } },
	{ "m18", "m18", { .id = TYPE_DECIMAL, .precision = 18, .scale = 2 } },
	{ "m38", "m38", { .id = TYPE_DECIMAL, .precision = 38, .scale = 5 } },
	{ "\xc3\xa9", "_xE9", { .id = TYPE_DATE } },
	{ "\xf0\x9f\x98\x80", "_xD83D_xDE00", { .id = TYPE_TIME } },
	{ "ts", "ts", { .id = TYPE_TIMESTAMP } },
	{ "tz", "tz", { .id = TYPE_TIMESTAMP_TZ } },
	{ "s", "s", { .id = TYPE_VARCHAR } },
	{ "b", "b", { .id = TYPE_VARBINARY } },
	{ "f", "f", { .id = TYPE_FIXED, .length = 3 } },
	{ "u", "u", { .id = TYPE_UUID } },
};
#define TYPE_COUNT ARRAY_COUNT(columns_of_all_types)

/* A value of a type that depends on i alone. */
static struct literal value_of(const struct type *type, size_t i,
			       char buffer[64])
{
	struct literal out = literal_null(*type);
	int64_t n = (int64_t)(i * 2654435761u % 100000) - 50000;

	out.is_null = false;
	switch (type->id) {
	case TYPE_BOOLEAN: out.value.boolean = i & 1; break;
	case TYPE_INTEGER:
	case TYPE_DATE: out.value.int32 = (int32_t)n; break;
	case TYPE_REAL: out.value.real = (float)n / 8; break;
	case TYPE_DOUBLE: out.value.real64 = (double)n / 16; break;
	case TYPE_DECIMAL: out.value.decimal = n; break;
	case TYPE_TIME: out.value.int64 = n + 50000; break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		out.value.bytes = byte_view(buffer, (size_t)snprintf(
			buffer, 64, "a long value before its number %zu", i));
		break;
	case TYPE_FIXED:
		snprintf(buffer, 64, "%03zu", i % 1000);
		out.value.bytes = byte_view(buffer, 3);
		break;
	case TYPE_UUID:
		memset(out.value.uuid.bytes, 0, 16);
		memcpy(out.value.uuid.bytes + 8, &i, 8);
		break;
	default: out.value.int64 = n; break;
	}
	return out;
}

static bool is_null_at(size_t column, size_t row)
{
	return column > 0 && (row + column) % 5 == 0;
}

static void schema_of_all_types(struct schema *schema)
{
	schema_init(schema);
	for (size_t c = 0; c < TYPE_COUNT; c++) {
		struct column_def def = { 0 };

		def.name = (char *)columns_of_all_types[c].name;
		def.type = columns_of_all_types[c].type;
		def.required = def.is_identifier = c == 0;
		ck_ok(schema_add(schema, &def, &err));
	}
}

static void check_column(const struct parquet_reader *reader, size_t column,
			 size_t rows)
{
	const struct type *type = &columns_of_all_types[column].type;
	const struct parquet_leaf *leaf = parquet_leaf(reader, column);
	struct chunk_reader *chunk;
	struct vector values;
	char buffer[64];

	ck_assert_str_eq(leaf->path, columns_of_all_types[column].parquet_name);
	ck_assert_int_eq(leaf->field_id, (int32_t)column + 1);
	ck_assert_int_eq(leaf->required, column == 0);
	ck_assert_int_eq(parquet_has_bloom_filter(reader, 0, column),
			 column == 0);
	vector_init(&values, *type);
	ck_ok(chunk_reader_open(&chunk, reader, 0, column, type, &err));
	ck_ok(chunk_reader_read(chunk, 0, rows, &values, &err));
	for (size_t i = 0; i < rows; i++) {
		struct literal expected = value_of(type, i, buffer), got;

		ck_assert_int_eq(vector_is_null(&values, i),
				 is_null_at(column, i));
		if (is_null_at(column, i))
			continue;
		got = vector_get(&values, i);
		ck_assert_int_eq(literal_compare(&got, &expected), 0);
	}
	vector_release(&values);
	chunk_reader_free(chunk);
}

/* The manifest's bounds hold every value, and count the nulls. */
static void check_metrics(const struct data_file *file, size_t column,
			  size_t rows)
{
	const struct type *type = &columns_of_all_types[column].type;
	const struct column_metrics *m =
		data_file_metrics(file, (int32_t)column + 1);
	struct literal lower, upper;
	size_t nulls = 0;
	char buffer[64];

	ck_assert_ptr_nonnull(m);
	ck_ok(single_value_decode(type, m->lower, &lower, &err));
	ck_ok(single_value_decode(type, m->upper, &upper, &err));
	for (size_t i = 0; i < rows; i++) {
		struct literal value = value_of(type, i, buffer);

		nulls += is_null_at(column, i);
		if (is_null_at(column, i))
			continue;
		ck_assert_int_le(literal_compare(&lower, &value), 0);
		ck_assert_int_ge(literal_compare(&upper, &value), 0);
	}
	if (type->id == TYPE_VARCHAR || type->id == TYPE_VARBINARY) {
		ck_assert_uint_eq(m->lower.length, 16);
		ck_assert_uint_eq(m->upper.length, 16);
	}
	ck_assert_int_eq(m->value_count, (int64_t)rows);
	ck_assert_int_eq(m->null_count, (int64_t)nulls);
	ck_assert_int_eq(m->nan_count,
			 type->id == TYPE_REAL || type->id == TYPE_DOUBLE
				 ? 0 : -1);
	ck_assert_int_gt(m->column_size, 0);
}

START_TEST(every_type_is_written_with_true_bounds)
{
	static char bytes[TYPE_COUNT][MOST_ROWS][64];
	const struct vector *columns[TYPE_COUNT];
	struct vector vectors[TYPE_COUNT];
	const size_t rows = 3000;
	struct change_writer *writer;
	struct parquet_reader *reader;
	struct change_page page;
	struct fragment fragment;
	struct schema schema;
	struct arena arena;
	char **paths;
	size_t count;

	schema_of_all_types(&schema);
	make_metadata(&schema, NULL, 0);
	make_context(true, 1);
	for (size_t c = 0; c < TYPE_COUNT; c++) {
		vector_init(&vectors[c], columns_of_all_types[c].type);
		columns[c] = &vectors[c];
		for (size_t i = 0; i < rows; i++) {
			struct literal value = value_of(
				&vectors[c].type, i, bytes[c][i]);

			if (is_null_at(c, i))
				value = literal_null(vectors[c].type);
			ck_ok(vector_append(&vectors[c], &value, &err));
		}
	}
	ck_ok(change_writer_new(&writer, context, &err));
	page = insert_page(columns, TYPE_COUNT, rows, 0);
	ck_ok(change_writer_store(writer, &page, &err));
	ck_ok(change_writer_finish(writer, &fragments, &err));
	change_writer_free(writer);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert_uint_eq(fragments.count, 1);
	arena_init(&arena, 0);
	reader = open_file(0, &fragment, &arena);
	ck_assert_uint_eq(parquet_leaf_count(reader), TYPE_COUNT);
	for (size_t c = 0; c < TYPE_COUNT; c++) {
		check_column(reader, c, rows);
		check_metrics(&fragment.file, c, rows);
		vector_release(&vectors[c]);
	}
	ck_assert_ptr_nonnull(strstr(parquet_key_value(reader,
						       "iceberg.schema"),
				     "\"a b\""));
	ck_assert_uint_eq(write_context_bytes(context),
			  (uint64_t)fragment.file.file_size);
	ck_ok(write_context_unsynced(context, &arena, &paths, &count, &err));
	/* the file, data/, and the table, which data/ is new in */
	ck_assert_uint_eq(count, 3);
	ck_assert_ptr_nonnull(strstr(paths[0], "/data/"));
	ck_ok(files_sync(paths, count, NULL, NULL, &err));
	write_context_synced(context);
	ck_ok(write_context_unsynced(context, &arena, &paths, &count, &err));
	ck_assert_uint_eq(count, 0);
	parquet_reader_free(reader);
	arena_release(&arena);
	schema_release(&schema);
}
END_TEST

static void schema_of_one(struct schema *schema)
{
	schema_init(schema);
	ck_ok(schema_add_column(schema, "n", type_of(TYPE_BIGINT), &err));
}

/* Units of rows whose values ascend over all units. */
#define UNIT_ROWS 70000
#define UNIT_COUNT 9

struct load {
	struct change_writer *writers[3];
	size_t count;
};

static int load_units(void *argument, size_t worker, struct error *own)
{
	struct load *load = argument;
	struct vector values;
	const struct vector *columns[1] = { &values };
	int rc = 0;

	vector_init(&values, type_of(TYPE_BIGINT));
	rc = vector_reserve(&values, 1000, own);
	for (size_t unit = worker; !rc && unit < UNIT_COUNT;
	     unit += load->count)
		for (size_t at = 0; !rc && at < UNIT_ROWS; at += 1000) {
			struct change_page page = { 0 };

			values.count = 1000;
			for (size_t i = 0; i < 1000; i++)
				vector_i64(&values)[i] = (int64_t)(
					unit * UNIT_ROWS + at + i);
			page.row_count = 1000;
			page.columns = columns;
			page.column_count = 1;
			page.operation = operations;
			page.case_number = cases;
			page.row_id = row_ids;
			page.insert_from_update = from_update;
			page.unit = unit;
			rc = change_writer_store(load->writers[worker],
						 &page, own);
		}
	vector_release(&values);
	if (!rc)
		rc = change_writer_finish(load->writers[worker], &fragments,
					  own);
	return rc;
}

static void expect_ascending(const struct parquet_reader *reader,
			     int64_t *next)
{
	const struct type type = type_of(TYPE_BIGINT);
	struct vector values;

	vector_init(&values, type);
	for (size_t g = 0; g < parquet_row_group_count(reader); g++) {
		size_t rows = (size_t)parquet_row_group_rows(reader, g);
		struct chunk_reader *chunk;

		ck_assert_uint_le(rows, 131072);
		ck_ok(chunk_reader_open(&chunk, reader, g, 0, &type, &err));
		for (size_t at = 0; at < rows; at += 1000) {
			ck_ok(chunk_reader_read(chunk, at, 1000, &values,
						&err));
			for (size_t i = 0; i < 1000; i++)
				ck_assert_int_eq(vector_i64(&values)[i],
						 (*next)++);
		}
		chunk_reader_free(chunk);
	}
	vector_release(&values);
}

START_TEST(a_load_keeps_the_order_of_its_input)
{
	struct key_value small[] = {
		{ (char *)"write.target-file-size-bytes", (char *)"600000" },
		{ (char *)"write.parquet.compression-codec",
		  (char *)"none" },
		{ (char *)"rowmerge.parquet.encoding",
		  (char *)"compatible" },
	};
	struct load load = { .count = 3 };
	struct schema schema;
	struct arena arena;
	int64_t next = 0;

	insert_page(NULL, 0, 0, 0);
	schema_of_one(&schema);
	make_metadata(&schema, small, _i ? 3 : 0);
	make_context(true, 3);
	for (size_t i = 0; i < 3; i++)
		ck_ok(change_writer_new(&load.writers[i], context, &err));
	ck_ok(thread_run(3, load_units, &load, &err));
	for (size_t i = 0; i < 3; i++)
		change_writer_free(load.writers[i]);
	ck_ok(write_context_finish(context, &fragments, &err));
	if (_i)
		ck_assert_uint_gt(fragments.count, 3);
	else
		ck_assert_uint_eq(fragments.count, 1);
	arena_init(&arena, 0);
	for (size_t i = 0; i < fragments.count; i++) {
		struct fragment fragment;
		struct parquet_reader *reader = open_file(i, &fragment,
							  &arena);

		expect_ascending(reader, &next);
		parquet_reader_free(reader);
	}
	ck_assert_int_eq(next, UNIT_ROWS * UNIT_COUNT);
	arena_release(&arena);
	schema_release(&schema);
}
END_TEST

/* Store one row {n} through one writer and finish. */
static void write_row(int64_t n)
{
	struct vector values;
	const struct vector *columns[1] = { &values };
	struct change_writer *writer;
	struct change_page page;

	vector_init(&values, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&values, 1, &err));
	values.count = 1;
	vector_i64(&values)[0] = n;
	ck_ok(change_writer_new(&writer, context, &err));
	page = insert_page(columns, 1, 1, 0);
	ck_ok(change_writer_store(writer, &page, &err));
	ck_ok(change_writer_finish(writer, &fragments, &err));
	change_writer_free(writer);
	vector_release(&values);
}

static bool data_is_empty(void)
{
	return system("test -z \"$(ls t/data 2>/dev/null)\"") == 0;
}

START_TEST(files_go_unless_they_are_kept)
{
	struct schema schema;

	schema_of_one(&schema);
	make_metadata(&schema, NULL, 0);
	make_context(false, 1);
	write_row(1);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert(!data_is_empty());
	if (_i)
		write_context_keep(context);
	write_context_free(context);
	context = NULL;
	ck_assert_int_eq(data_is_empty(), !_i);
	schema_release(&schema);
}
END_TEST

START_TEST(writers_of_a_small_statement_share_a_row_group)
{
	struct parquet_reader *reader;
	struct fragment fragment;
	struct schema schema;
	struct arena arena;

	schema_of_one(&schema);
	make_metadata(&schema, NULL, 0);
	make_context(false, 2);
	write_row(1);
	write_row(2);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert_uint_eq(fragments.count, 1);
	arena_init(&arena, 0);
	reader = open_file(0, &fragment, &arena);
	ck_assert_uint_eq(parquet_row_group_count(reader), 1);
	ck_assert_uint_eq(parquet_row_count(reader), 2);
	parquet_reader_free(reader);
	arena_release(&arena);
	schema_release(&schema);
}
END_TEST

static const struct {
	const char *key;
	const char *value;
	bool counts;
	bool bounds;
} modes[] = {
	{ "write.metadata.metrics.default", "none", false, false },
	{ "write.metadata.metrics.default", "counts", true, false },
	{ "write.metadata.metrics.default", "full", true, true },
	{ "write.metadata.metrics.column.n", "none", false, false },
	{ "write.metadata.metrics.column.m", "none", true, true },
	{ "write.metadata.metrics.default", "nonsense", true, true },
};

START_TEST(metrics_follow_the_properties)
{
	struct key_value property = { (char *)modes[_i].key,
				      (char *)modes[_i].value };
	const struct column_metrics *m;
	struct fragment fragment;
	struct schema schema;
	struct arena arena;

	schema_of_one(&schema);
	make_metadata(&schema, &property, 1);
	make_context(false, 1);
	write_row(7);
	ck_ok(write_context_finish(context, &fragments, &err));
	arena_init(&arena, 0);
	ck_ok(fragment_parse(fragments.items[0], &arena, &fragment, &err));
	m = data_file_metrics(&fragment.file, 1);
	ck_assert_int_eq(m->value_count, modes[_i].counts ? 1 : -1);
	ck_assert_int_eq(m->lower.data != NULL, modes[_i].bounds);
	arena_release(&arena);
	schema_release(&schema);
}
END_TEST

START_TEST(sizes_that_no_page_can_have_are_cut)
{
	static char huge[] = "4611686018427387904";
	struct key_value sizes[] = {
		{ (char *)"write.parquet.page-row-limit", huge },
		{ (char *)"write.parquet.page-size-bytes", huge },
		{ (char *)"write.parquet.dict-size-bytes", huge },
		{ (char *)"write.parquet.row-group-size-bytes", huge },
		{ (char *)"write.target-file-size-bytes", huge },
	};
	struct load load = { .count = 1 };
	struct fragment fragment;
	struct schema schema;
	struct arena arena;

	insert_page(NULL, 0, 0, 0);
	schema_of_one(&schema);
	make_metadata(&schema, sizes, ARRAY_COUNT(sizes));
	make_context(true, 1);
	ck_ok(change_writer_new(&load.writers[0], context, &err));
	ck_ok(thread_run(1, load_units, &load, &err));
	change_writer_free(load.writers[0]);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert_uint_eq(fragments.count, 1);
	arena_init(&arena, 0);
	parquet_reader_free(open_file(0, &fragment, &arena));
	arena_release(&arena);
	schema_release(&schema);
}
END_TEST

START_TEST(columns_whose_safe_names_are_one_stay_apart)
{
	static const char *const names[] = { "a b", "a_x20b", "a_x20b_",
					     "\xc3\xa9", "_xE9" };
	const struct vector *columns[ARRAY_COUNT(names)];
	struct vector values[ARRAY_COUNT(names)];
	struct parquet_reader *reader;
	struct change_writer *writer;
	struct fragment fragment;
	struct change_page page;
	struct schema schema;
	struct arena arena;

	schema_init(&schema);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		ck_ok(schema_add_column(&schema, names[i],
					type_of(TYPE_BIGINT), &err));
		vector_init(&values[i], type_of(TYPE_BIGINT));
		ck_ok(vector_reserve(&values[i], 1, &err));
		vector_i64(&values[i])[0] = (int64_t)i;
		values[i].count = 1;
		columns[i] = &values[i];
	}
	make_metadata(&schema, NULL, 0);
	make_context(true, 1);
	page = insert_page(columns, ARRAY_COUNT(names), 1, 0);
	ck_ok(change_writer_new(&writer, context, &err));
	ck_ok(change_writer_store(writer, &page, &err));
	ck_ok(change_writer_finish(writer, &fragments, &err));
	change_writer_free(writer);
	ck_ok(write_context_finish(context, &fragments, &err));
	arena_init(&arena, 0);
	reader = open_file(0, &fragment, &arena);
	ck_assert_uint_eq(parquet_leaf_count(reader), ARRAY_COUNT(names));
	for (int32_t i = 0; i < (int32_t)ARRAY_COUNT(names); i++)
		ck_assert_int_eq(parquet_find_field_id(reader, i + 1), i);
	parquet_reader_free(reader);
	arena_release(&arena);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		vector_release(&values[i]);
	schema_release(&schema);
}
END_TEST

START_TEST(an_unknown_codec_is_refused)
{
	struct key_value property = {
		(char *)"write.parquet.compression-codec", (char *)"lzo"
	};
	struct vector values;
	const struct vector *columns[1] = { &values };
	struct change_writer *writer;
	struct change_page page;
	struct schema schema;

	schema_of_one(&schema);
	make_metadata(&schema, &property, 1);
	make_context(false, 1);
	vector_init(&values, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&values, 1, &err));
	values.count = 1;
	ck_ok(change_writer_new(&writer, context, &err));
	page = insert_page(columns, 1, 1, 0);
	ck_assert_int_eq(change_writer_store(writer, &page, &err),
			 ERROR_UNSUPPORTED);
	change_writer_free(writer);
	vector_release(&values);
	schema_release(&schema);
}
END_TEST

/* Another process took the directory away, and a third made it again. */
START_TEST(a_directory_that_comes_and_goes_is_no_failure)
{
	struct output_file *file;
	struct schema schema;
	char *uri;

	schema_of_one(&schema);
	make_metadata(&schema, NULL, 0);
	make_context(true, 1);
	for (size_t i = 0; i < 2; i++) {
		io_fail_at(0, ENOENT);
		ck_ok(write_context_create(context, "a=1/b=2", ".parquet",
					   &file, &uri, &err));
		ck_assert_int_gt(io_operation_count(), 1);
		output_file_free(file);
		mem_free(uri);
		/* any other failure is told at once */
		io_fail_at(0, EACCES);
		ck_assert_int_eq(write_context_create(context, "a=1/b=2",
						      ".parquet", &file, &uri,
						      &err), ERROR_IO);
		ck_assert_int_eq(err.errnum, EACCES);
		ck_assert_int_eq(io_operation_count(), 1);
	}
	io_fail_at(-1, 0);
	schema_release(&schema);
}
END_TEST

START_TEST(each_failed_allocation_of_a_context_leaves_none)
{
	struct write_options options = { 0 };
	struct schema schema;
	bool done = false;

	schema_of_one(&schema);
	make_metadata(&schema, NULL, 0);
	options.directory = "t";
	options.metadata = metadata;
	for (long n = 0; !done; n = next_fault(n)) {
		mem_fail_at(n);
		if (write_context_new(&context, &options, &err)) {
			ck_assert_int_eq(err.code, ERROR_NO_MEMORY);
			ck_assert_ptr_null(context);
		}
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		write_context_free(context);
		context = NULL;
	}
	schema_release(&schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("change_writer");
	TCase *tc = tcase_create("change_writer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, every_type_is_written_with_true_bounds);
	tcase_add_loop_test(tc, a_load_keeps_the_order_of_its_input, 0, 2);
	tcase_add_loop_test(tc, files_go_unless_they_are_kept, 0, 2);
	tcase_add_test(tc, writers_of_a_small_statement_share_a_row_group);
	tcase_add_loop_test(tc, metrics_follow_the_properties, 0,
			    (int)ARRAY_COUNT(modes));
	tcase_add_test(tc, sizes_that_no_page_can_have_are_cut);
	tcase_add_test(tc, columns_whose_safe_names_are_one_stay_apart);
	tcase_add_test(tc, an_unknown_codec_is_refused);
	tcase_add_test(tc, a_directory_that_comes_and_goes_is_no_failure);
	tcase_add_test(tc, each_failed_allocation_of_a_context_leaves_none);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
