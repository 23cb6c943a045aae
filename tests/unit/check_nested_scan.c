/* check_nested_scan.c - nested columns of files that are older than a table */
#include "unit/table_world.h"

static struct world world;
static struct table *table;
static struct snapshot_files *plain, *files;
static struct schema wanted;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	table = NULL;
	plain = files = NULL;
	world_make(&world, "t", 2, false);
	schema_init(&wanted);
}

static void teardown(void)
{
	snapshot_files_free(files);
	schema_release(&wanted);
	table_free(table);
	world_release(&world);
	scratch_remove();
}

static struct column_def field(int32_t id, const char *name, struct type type)
{
	struct column_def def = { .type = type, .field_id = id };

	def.name = arena_strdup(&world.arena, name);
	return def;
}

static struct type nested(enum type_id id, const struct column_def *defs,
			  size_t count)
{
	struct type type = type_of(id);

	type.fields = arena_copy(&world.arena, defs, count * sizeof(*defs));
	type.field_count = count;
	return type;
}

static const struct type integer = { .id = TYPE_INTEGER };
static const struct type bigint = { .id = TYPE_BIGINT };
static const struct type varchar = { .id = TYPE_VARCHAR };

#define INT_NULL INT32_MIN

static struct vector ints(const int32_t *values, size_t count)
{
	struct vector out;

	vector_init(&out, integer);
	ck_ok(vector_reserve(&out, count + 1, &err));
	out.count = count;
	for (size_t i = 0; i < count; i++) {
		vector_i32(&out)[i] = values[i];
		if (values[i] == INT_NULL)
			ck_ok(vector_set_null(&out, i, &err));
	}
	return out;
}

static struct vector texts(const char *const *values, size_t count)
{
	struct vector out;

	vector_init(&out, varchar);
	ck_ok(vector_reserve(&out, count + 1, &err));
	out.count = count;
	for (size_t i = 0; i < count; i++) {
		if (values[i])
			vector_bytes(&out)[i] = byte_view(values[i],
							  strlen(values[i]));
		else
			ck_ok(vector_set_null(&out, i, &err));
	}
	return out;
}

#define OLD_ROWS 4

/* a: {x 900, yold 11, w 10, n {u0 901} 12} 2 */
static struct vector old_rows(struct column_def *def)
{
	static const int32_t x[] = { 1, 0, 2, INT_NULL };
	static const int32_t w[] = { 11, 0, INT_NULL, -4 };
	static const int32_t u[] = { 5, 0, 0, INT_NULL };
	static const char *const y[] = { "one", NULL, "", NULL };
	uint64_t n_valid = 1 | 8, a_valid = 1 | 4 | 8;
	struct column_def defs[4] = { field(901, "u0", integer) };
	struct vector parts[4] = { ints(x, OLD_ROWS), texts(y, OLD_ROWS),
				   ints(w, OLD_ROWS) };
	const struct vector *views[] = { &parts[0], &parts[1], &parts[2],
					 &parts[3] };
	struct vector inner = ints(u, OLD_ROWS), out;
	const struct vector *inners[] = { &inner };

	defs[3] = field(12, "n", nested(TYPE_ROW, defs, 1));
	defs[0] = field(900, "x", integer);
	defs[1] = field(11, "yold", varchar);
	defs[2] = field(10, "w", integer);
	*def = field(2, "a", nested(TYPE_ROW, defs, 4));
	vector_init(&parts[3], defs[3].type);
	ck_ok(nested_pack_rows(&parts[3], inners, &n_valid, OLD_ROWS,
			       &world.arena, &err));
	vector_init(&out, def->type);
	ck_ok(nested_pack_rows(&out, views, &a_valid, OLD_ROWS, &world.arena,
			       &err));
	for (size_t i = 0; i < 4; i++)
		vector_release(&parts[i]);
	vector_release(&inner);
	return out;
}

/* l: [integer 20] 3 */
static struct vector old_list(struct column_def *def)
{
	static const int32_t values[] = { 1, INT_NULL, 7 };
	static const uint32_t offsets[] = { 0, 2, 2, 2, 3 };
	struct column_def element = field(20, "element", integer);
	struct vector elements = ints(values, 3), out;
	uint64_t valid = 1 | 4 | 8;

	*def = field(3, "l", nested(TYPE_ARRAY, &element, 1));
	vector_init(&out, def->type);
	ck_ok(nested_pack_lists(&out, &elements, offsets, &valid, OLD_ROWS,
				&world.arena, &err));
	vector_release(&elements);
	return out;
}

/* m: <varchar 40: {v 42, z 902} 41> 5 */
static struct vector old_map(struct column_def *def)
{
	static const int32_t v[] = { 5, 0, INT_NULL }, z[] = { 1, 1, 1 };
	static const char *const k[] = { "k", "z", "k" };
	static const uint32_t offsets[] = { 0, 2, 2, 2, 3 };
	struct column_def defs[2] = { field(42, "v", integer),
				      field(902, "z", integer) };
	struct vector keys = texts(k, 3), values, out;
	struct vector parts[2] = { ints(v, 3), ints(z, 3) };
	const struct vector *views[] = { &parts[0], &parts[1] };
	uint64_t valid = 1 | 4 | 8, value_valid = 1 | 4;

	defs[1] = field(41, "value", nested(TYPE_ROW, defs, 2));
	defs[0] = field(40, "key", varchar);
	defs[0].required = true;
	*def = field(5, "m", nested(TYPE_MAP, defs, 2));
	vector_init(&values, defs[1].type);
	ck_ok(nested_pack_rows(&values, views, &value_valid, 3, &world.arena,
			       &err));
	vector_init(&out, def->type);
	ck_ok(nested_pack_maps(&out, &keys, &values, offsets, &valid,
			       OLD_ROWS, &world.arena, &err));
	vector_release(&keys);
	vector_release(&values);
	vector_release(&parts[0]);
	vector_release(&parts[1]);
	return out;
}

/* No field has an id, as in files that were only added to the table. */
static void forget_ids(struct column_def *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fields[i].field_id = 0;
		forget_ids(fields[i].type.fields, fields[i].type.field_count);
	}
}

static void old_file(bool with_ids, size_t repeats)
{
	struct vector columns[3], many[3];
	struct column_def defs[3];
	struct manifest_entry *entry;
	struct schema schema;
	char *local, *uri = world_path(&world, ".parquet", &local);
	uint32_t *rows = malloc(repeats * OLD_ROWS * sizeof(*rows));

	columns[0] = old_rows(&defs[0]);
	columns[1] = old_list(&defs[1]);
	columns[2] = old_map(&defs[2]);
	schema_init(&schema);
	for (size_t i = 0; i < repeats * OLD_ROWS; i++)
		rows[i] = (uint32_t)(i % OLD_ROWS);
	for (int i = 0; i < 3; i++) {
		ck_ok(schema_add(&schema, &defs[i], &err));
		vector_init(&many[i], defs[i].type);
		ck_ok(vector_gather(&many[i], &columns[i], rows,
				    repeats * OLD_ROWS, NULL, &err));
	}
	if (!with_ids)
		forget_ids(schema.columns, 3);
	entry = world_entry(&world, uri);
	world_parquet(&world, local, &schema, many, entry);
	for (int i = 0; i < 3; i++) {
		vector_release(&columns[i]);
		vector_release(&many[i]);
	}
	schema_release(&schema);
	free(rows);
}

static void want(struct column_def def)
{
	ck_ok(schema_add(&wanted, &def, &err));
}

static void open_files(void)
{
	world_commit(&world);
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_ok(table_files(table, &plain, &err));
	ck_ok(snapshot_files_load(&files, plain->metadata, plain->snapshot,
				  &wanted, &plain->resolver, &err));
}

/* Columns of a row as JSON, one after the other. */
static void add_row(const struct vector *vectors, size_t count, size_t row,
		    struct text *out)
{
	for (size_t c = 0; c < count; c++) {
		if (c)
			text_add_char(out, ' ');
		if (vector_is_null(&vectors[c], row))
			text_add_str(out, "NULL");
		else
			nested_format_json(&vectors[c].type,
					   vector_bytes(&vectors[c])[row],
					   out);
	}
	text_add_char(out, '\n');
}

/* All rows; late: fetched from the batch, every other row only. */
static int read_all(bool late, struct text *out)
{
	static const size_t columns[] = { 0, 1, 2, 3, 4, 5 };
	size_t count = wanted.column_count;
	struct target_scan_request request = { columns, late ? 0 : count,
					       NULL, 0 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;
	uint32_t rows[BATCH_ROW_COUNT];
	int rc;

	ck_ok(table_scan_new(&scan, files, &request, false, SIZE_MAX, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	while (!(rc = table_stream_next(stream, &batch, &err)) && batch) {
		struct selection some = { rows, 0 };
		struct vector got[6];

		for (size_t i = 0; i < batch->batch.row_count; i += 2)
			rows[some.count++] = (uint32_t)i;
		for (size_t c = 0; late && c < count; c++) {
			vector_init(&got[c], wanted.columns[c].type);
			ck_ok(table_stream_fetch(stream, c, &some, &got[c],
						 &err));
			ck_assert_uint_eq(got[c].count, some.count);
		}
		for (size_t i = 0; i < (late ? some.count
					     : batch->batch.row_count); i++)
			add_row(late ? got : batch->batch.columns, count, i,
				out);
		for (size_t c = 0; late && c < count; c++)
			vector_release(&got[c]);
	}
	table_stream_free(stream);
	table_scan_free(scan);
	return rc;
}

static void expect(bool late, const char *lines)
{
	struct text got = TEXT_INIT;

	ck_ok(read_all(late, &got));
	ck_assert_str_eq(got.data ? got.data : "", lines);
	text_release(&got);
}

static struct column_def new_row(void)
{
	struct column_def u = field(13, "u", integer);
	struct column_def g = field(14, "g", integer);
	struct column_def defs[5] = {
		field(10, "w", bigint),
		field(12, "n", nested(TYPE_ROW, &u, 1)),
		field(11, "y", varchar),
		field(15, "gone", nested(TYPE_ROW, &g, 1)),
		field(16, "added", integer),
	};
	struct literal *seven = arena_alloc(&world.arena, sizeof(*seven));

	*seven = literal_null(integer);
	seven->is_null = false;
	seven->value.int32 = 7;
	defs[4].initial_default = seven;
	return field(2, "renamed", nested(TYPE_ROW, defs, 5));
}

static struct column_def new_list(void)
{
	struct column_def element = field(20, "element", bigint);

	return field(3, "l", nested(TYPE_ARRAY, &element, 1));
}

static struct column_def new_map(void)
{
	struct column_def inner[2] = { field(43, "more", bigint),
				       field(42, "v", bigint) };
	struct column_def defs[2] = {
		field(40, "key", varchar),
		field(41, "value", nested(TYPE_ROW, inner, 2)),
	};

	defs[0].required = true;
	return field(5, "m", nested(TYPE_MAP, defs, 2));
}

#define ROW_0 "{\"w\":11,\"n\":{\"u\":null},\"y\":\"one\",\"gone\":null," \
	"\"added\":7} [1,null] {\"k\":{\"more\":null,\"v\":5},\"z\":null}\n"
#define ROW_1 "NULL NULL NULL\n"
#define ROW_2 "{\"w\":null,\"n\":null,\"y\":\"\",\"gone\":null,\"added\":7}" \
	" [] {}\n"
#define ROW_3 "{\"w\":-4,\"n\":{\"u\":null},\"y\":null,\"gone\":null," \
	"\"added\":7} [7] {\"k\":{\"more\":null,\"v\":null}}\n"

START_TEST(fields_are_found_by_id_at_every_level)
{
	old_file(true, 1);
	want(new_row());
	want(new_list());
	want(new_map());
	open_files();
	expect(false, ROW_0 ROW_1 ROW_2 ROW_3);
	expect(true, ROW_0 ROW_2);
}
END_TEST

START_TEST(a_column_whose_leaves_are_all_gone_keeps_its_shape)
{
	struct column_def e = field(21, "other", integer);
	struct column_def gone = field(17, "q", integer);

	old_file(true, 1);
	/* no wanted field of a is in the file, nor is column 60 */
	want(field(2, "a", nested(TYPE_ROW, &gone, 1)));
	want(field(60, "b", nested(TYPE_ROW, &e, 1)));
	open_files();
	expect(false, "{\"q\":null} NULL\nNULL NULL\n{\"q\":null} NULL\n"
	       "{\"q\":null} NULL\n");
}
END_TEST

START_TEST(only_rows_that_are_left_are_put_together)
{
	const char *paths[2];
	const int64_t positions[] = { 0, 5 };
	struct text got = TEXT_INIT;
	const char *at;
	size_t lines = 0;

	old_file(true, 3000);
	paths[0] = paths[1] = world.entries[0].file.path;
	world_positions(&world, paths, positions, 2);
	want(new_row());
	want(new_list());
	want(new_map());
	open_files();
	ck_ok(read_all(false, &got));
	ck_assert_int_eq(strncmp(got.data, ROW_1 ROW_2 ROW_3 ROW_0 ROW_2,
				 strlen(ROW_1 ROW_2 ROW_3 ROW_0 ROW_2)), 0);
	for (at = got.data; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 12000 - 2);
	text_reset(&got);
	ck_ok(read_all(true, &got));
	ck_assert_int_eq(strncmp(got.data, ROW_1 ROW_3 ROW_2,
				 strlen(ROW_1 ROW_3 ROW_2)), 0);
	text_release(&got);
}
END_TEST

START_TEST(a_required_field_without_a_value_is_corrupt)
{
	struct column_def must = field(17, "must", integer);
	struct text got = TEXT_INIT;

	must.required = true;
	old_file(true, 1);
	want(field(2, "a", nested(TYPE_ROW, &must, 1)));
	open_files();
	ck_assert_int_eq(read_all(false, &got), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "'must'"));
	text_release(&got);
}
END_TEST

START_TEST(another_kind_than_the_file_has_is_refused_by_name)
{
	struct column_def element = field(20, "element", bigint);
	struct text got = TEXT_INIT;

	old_file(true, 1);
	want(field(2, "a", nested(TYPE_ARRAY, &element, 1)));
	open_files();
	ck_assert_int_eq(read_all(false, &got), ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "'a'"));
	text_release(&got);
}
END_TEST

static void open_mapped(const char *mapping)
{
	static char key[] = "schema.name-mapping.default";
	struct table_metadata *metadata;
	struct key_value property = { key, NULL };

	world_commit(&world);
	ck_ok(table_open(&table, world.directory, 0, &err));
	ck_ok(table_files(table, &plain, &err));
	ck_ok(table_metadata_copy(&metadata, plain->metadata, &err));
	property.value = arena_strdup(&world.arena, mapping);
	metadata->properties = &property;
	metadata->property_count = 1;
	ck_ok(snapshot_files_load(&files, metadata, plain->snapshot, &wanted,
				  &plain->resolver, &err));
	expect(false, ROW_0 ROW_1 ROW_2 ROW_3);
	snapshot_files_free(files);
	files = NULL;
	table_metadata_free(metadata);
}

START_TEST(without_ids_the_mapping_names_fields_at_every_level)
{
	old_file(false, 1);
	want(new_row());
	want(new_list());
	want(new_map());
	open_mapped("[{\"field-id\":2,\"names\":[\"q\",\"a\"],\"fields\":["
		    "{\"field-id\":11,\"names\":[\"yold\",\"y\"]},"
		    "{\"field-id\":10,\"names\":[\"w\"]},"
		    "{\"field-id\":12,\"names\":[\"n\"]}]},"
		    "{\"field-id\":3,\"names\":[\"l\"],\"fields\":["
		    "{\"field-id\":20,\"names\":[\"element\"]}]},"
		    "{\"field-id\":5,\"names\":[\"m\"],\"fields\":["
		    "{\"field-id\":40,\"names\":[\"key\"]},"
		    "{\"field-id\":41,\"names\":[\"value\"],\"fields\":["
		    "{\"field-id\":42,\"names\":[\"v\"]}]}]}]");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nested_scan");
	TCase *tc = tcase_create("nested_scan");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, fields_are_found_by_id_at_every_level);
	tcase_add_test(tc, a_column_whose_leaves_are_all_gone_keeps_its_shape);
	tcase_add_test(tc, only_rows_that_are_left_are_put_together);
	tcase_add_test(tc, a_required_field_without_a_value_is_corrupt);
	tcase_add_test(tc, another_kind_than_the_file_has_is_refused_by_name);
	tcase_add_test(tc,
		       without_ids_the_mapping_names_fields_at_every_level);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
