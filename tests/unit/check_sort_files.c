/* check_sort_files.c - rows through sort buffers, on disk and back */
#include "unit/write_world.h"
#include "table/write/write_state.h"

/* k VARCHAR, f DOUBLE, n BIGINT; by k downwards, nulls last, then by f. */
static void make_metadata(bool partitioned, size_t open_limit)
{
	static struct sort_field order_fields[] = {
		{ 1, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, true,
		  false },
		{ 2, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, false,
		  true },
	};
	static struct partition_field spec_fields[] = {
		{ 3, 1000, (char *)"n_bucket",
		  { TRANSFORM_BUCKET, 5, (char *)"bucket[5]" } },
	};
	struct sort_order order = { 1, order_fields, 2 };
	struct partition_spec spec = { 0, spec_fields, 1 };
	struct key_value property = {
		(char *)"rowmerge.write.max-open-partitions", (char *)"2" };
	struct table_metadata_options options = { 0 };
	struct schema schema;
	char location[300];

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "k", type_of(TYPE_VARCHAR), &err));
	ck_ok(schema_add_column(&schema, "f", type_of(TYPE_DOUBLE), &err));
	ck_ok(schema_add_column(&schema, "n", type_of(TYPE_BIGINT), &err));
	snprintf(location, sizeof(location), "file://%s/t", scratch_path);
	options.format_version = 2;
	options.location = location;
	options.schema = &schema;
	options.spec = partitioned ? &spec : NULL;
	options.sort_order = open_limit ? NULL : &order;
	options.properties = &property;
	options.property_count = open_limit ? 1 : 0;
	ck_ok(table_metadata_new(&metadata, &options, &err));
	schema_release(&schema);
}

static int make_context(size_t threads)
{
	struct write_options options = { 0 };

	options.directory = ".";
	options.metadata = metadata;
	ck_ok(uuid_random(&options.uuid, &err));
	options.is_blind = true;
	options.thread_count = threads;
	options.memory_bytes = 1;	/* the least that a buffer has */
	return write_context_new(&context, &options, &err);
}

#define PAGE_ROWS 1000
struct page_data {
	struct vector columns[3];
	const struct vector *pointers[3];
	char text[PAGE_ROWS][40];
	int8_t operations[PAGE_ROWS];
	int32_t cases[PAGE_ROWS];
	uint64_t row_ids[PAGE_ROWS];
	uint8_t from_update[PAGE_ROWS];
};

static const double odd_values[] = { -INFINITY, -1.5, -0.0, 0.0, 2.25,
				     INFINITY, NAN };

static int fill_page(struct page_data *data, uint64_t first, size_t count,
		     struct change_page *page, struct error *own)
{
	static const enum type_id types[] = { TYPE_VARCHAR, TYPE_DOUBLE,
					      TYPE_BIGINT };
	int rc = 0;

	memset(page, 0, sizeof(*page));
	for (int c = 0; c < 3; c++) {
		vector_init(&data->columns[c], type_of(types[c]));
		data->pointers[c] = &data->columns[c];
	}
	for (int c = 0; !rc && c < 3; c++) {
		rc = vector_reserve(&data->columns[c], PAGE_ROWS, own);
		data->columns[c].count = rc ? 0 : count;
	}
	for (size_t i = 0; !rc && i < count; i++) {
		uint64_t n = first + i, mixed = hash_word(n + 1);
		/* a zero byte within, and beginnings of each other */
		int length = snprintf(data->text[i], 40, "key%c%llu",
				      mixed % 3 ? 'x' : '\0',
				      (unsigned long long)(mixed % 5000));

		vector_bytes(&data->columns[0])[i] =
			byte_view(data->text[i], (size_t)length);
		vector_f64(&data->columns[1])[i] =
			odd_values[(mixed >> 20) % ARRAY_COUNT(odd_values)];
		vector_i64(&data->columns[2])[i] = (int64_t)n;
		if ((mixed >> 30) % 11 == 0)
			rc = vector_set_null(&data->columns[0], i, own);
		if (!rc && (mixed >> 40) % 13 == 0)
			rc = vector_set_null(&data->columns[1], i, own);
		data->operations[i] = OPERATION_INSERT;
		data->row_ids[i] = ROW_ID_NONE;
	}
	page->row_count = count;
	page->columns = data->pointers;
	page->column_count = 3;
	page->operation = data->operations;
	page->case_number = data->cases;
	page->row_id = data->row_ids;
	page->insert_from_update = data->from_update;
	return rc;
}

static void page_release(struct page_data *data)
{
	for (int c = 0; c < 3; c++)
		vector_release(&data->columns[c]);
}

/* Rows first .. first + count - 1 through a writer of their own. */
static int write_rows(uint64_t first, uint64_t count, struct error *own)
{
	struct page_data *data = calloc(1, sizeof(*data));
	struct change_writer *writer;
	struct fragments none = { 0 };
	int rc = change_writer_new(&writer, context, own);

	for (uint64_t at = 0; !rc && at < count; at += PAGE_ROWS) {
		struct change_page page;
		size_t n = count - at < PAGE_ROWS ? (size_t)(count - at)
						  : PAGE_ROWS;

		rc = fill_page(data, first + at, n, &page, own);
		if (!rc)
			rc = change_writer_store(writer, &page, own);
		page_release(data);
	}
	if (!rc)
		rc = change_writer_finish(writer, &none, own);
	change_writer_free(writer);
	free(data);
	return rc;
}

static struct parquet_reader *open_file(size_t i, struct fragment *out,
					struct arena *arena)
{
	struct parquet_reader *reader;
	struct input_file *file;
	char *path;

	ck_ok(fragment_parse(fragments.items[i], arena, out, &err));
	/* the table is here, whatever its location says */
	path = strstr(out->file.path, "/t/data/");
	ck_assert_ptr_nonnull(path);
	ck_ok(input_file_open(&file, path + 3, &err));
	ck_ok(parquet_reader_open(&reader, file, &err));
	return reader;
}

/* <0, 0, >0 of two values of f by their bits' order; nulls first. */
static int compare_f(const struct vector *f, size_t a, size_t b)
{
	int64_t x, y;

	if (vector_is_null(f, a) || vector_is_null(f, b))
		return vector_is_null(f, b) - vector_is_null(f, a);
	memcpy(&x, &vector_f64(f)[a], 8);
	memcpy(&y, &vector_f64(f)[b], 8);
	x ^= (x >> 63) & INT64_MAX;
	y ^= (y >> 63) & INT64_MAX;
	return (x > y) - (x < y);
}

static int compare_rows(const struct vector *columns, size_t a, size_t b)
{
	const struct vector *k = &columns[0];
	int order;

	if (vector_is_null(k, a) || vector_is_null(k, b))
		order = vector_is_null(k, a) - vector_is_null(k, b);
	else
		order = -vector_compare_values(k, a, k, b);
	return order ? order : compare_f(&columns[1], a, b);
}

/* Every row of a file, in order; marks the n it has. */
static void check_file(size_t index, bool is_sorted, uint64_t *seen)
{
	static const enum type_id types[] = { TYPE_VARCHAR, TYPE_DOUBLE,
					      TYPE_BIGINT };
	struct parquet_reader *reader;
	struct chunk_reader *chunks[3];
	struct fragment fragment;
	struct vector columns[3];
	struct arena arena;

	arena_init(&arena, 0);
	reader = open_file(index, &fragment, &arena);
	ck_assert_int_eq(fragment.file.sort_order_id, is_sorted ? 1 : 0);
	for (size_t g = 0; g < parquet_row_group_count(reader); g++) {
		size_t rows = (size_t)parquet_row_group_rows(reader, g);

		for (size_t c = 0; c < 3; c++) {
			struct type type = type_of(types[c]);

			vector_init(&columns[c], type);
			ck_ok(chunk_reader_open(&chunks[c], reader, g, c,
						&type, &err));
			ck_ok(chunk_reader_read(chunks[c], 0, rows,
						&columns[c], &err));
		}
		for (size_t i = 0; i < rows; i++) {
			uint64_t n = (uint64_t)vector_i64(&columns[2])[i];

			ck_assert(!bits_get(seen, n));
			bits_set(seen, n);
			if (i && is_sorted)
				ck_assert_int_le(compare_rows(columns, i - 1,
							      i), 0);
		}
		for (size_t c = 0; c < 3; c++) {
			vector_release(&columns[c]);
			chunk_reader_free(chunks[c]);
		}
	}
	parquet_reader_free(reader);
	arena_release(&arena);
}

static void check_files(bool is_sorted, uint64_t rows)
{
	uint64_t *seen = calloc(BITMAP_WORDS(rows), sizeof(*seen));

	for (size_t i = 0; i < fragments.count; i++)
		check_file(i, is_sorted, seen);
	ck_assert_uint_eq(bits_count(seen, rows), rows);
	free(seen);
}

#define MANY_ROWS 240000

static int write_some(void *argument, size_t worker, struct error *own)
{
	(void)argument;
	return write_rows(worker * (MANY_ROWS / 2), MANY_ROWS / 2, own);
}

/* _i & 1: in partitions; _i & 2: on two threads. */
START_TEST(rows_of_many_runs_come_out_in_order)
{
	size_t runs = 0;

	make_metadata(_i & 1, 0);
	ck_ok(make_context(_i & 2 ? 2 : 1));
	if (_i & 2) {
		ck_ok(thread_run(2, write_some, NULL, &err));
	} else {
		ck_ok(write_rows(0, MANY_ROWS / 2, &err));
		ck_ok(write_rows(MANY_ROWS / 2, MANY_ROWS / 2, &err));
	}
	for (struct sort_buffer *b = context->sorted; b; b = b->next)
		runs += b->run_count;
	ck_assert_uint_ge(runs, 4);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert_ptr_null(context->sorted);
	check_files(true, MANY_ROWS);
}
END_TEST

START_TEST(partitions_without_an_open_file_have_one_file_each)
{
	make_metadata(true, 2);
	ck_ok(make_context(1));
	ck_ok(write_rows(0, MANY_ROWS, &err));
	ck_assert_ptr_nonnull(context->sorted);
	ck_ok(write_context_finish(context, &fragments, &err));
	ck_assert_uint_eq(fragments.count, 5);
	check_files(false, MANY_ROWS);
}
END_TEST

/* From the making of the context to its end, at every allocation. */
START_TEST(each_failed_allocation_is_reported_and_leaves_no_file)
{
	int rc = ERROR_NO_MEMORY;

	make_metadata(true, _i ? 2 : 0);
	for (long nth = 0; rc; nth += 1 + nth / 40) {
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		mem_fail_at(nth);
		rc = make_context(1);
		if (!rc)
			rc = write_rows(0, 300, &err);
		if (!rc)
			rc = write_context_finish(context, &fragments, &err);
		mem_fail_at(-1);
		if (!rc)
			break;
		write_context_free(context);
		context = NULL;
		fragments_release(&fragments);
		ck_assert_int_eq(system("test ! -d data || test -z "
					"\"$(find data -type f)\""), 0);
	}
	check_files(!_i, 300);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sort_files");
	TCase *tc = tcase_create("sort_files");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, rows_of_many_runs_come_out_in_order, 0, 4);
	tcase_add_test(tc,
		       partitions_without_an_open_file_have_one_file_each);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_no_file, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
