/* check_partition_target.c - statements into partitioned tables */
#include "unit/target_draw.h"

/* Specs over id (1), v (2), s (3). */
static const struct {
	size_t count;
	struct partition_field fields[3];
} specs[] = {
	{ 1, { { 1, 1000, (char *)"id_bucket",
		 { TRANSFORM_BUCKET, 4, (char *)"bucket[4]" } } } },
	{ 1, { { 2, 1000, (char *)"v_trunc",
		 { TRANSFORM_TRUNCATE, 200000, (char *)"truncate[200000]" } } } },
	{ 2, { { 3, 1000, (char *)"s_trunc",
		 { TRANSFORM_TRUNCATE, 2, (char *)"truncate[2]" } },
	       { 1, 1001, (char *)"id_bucket",
		 { TRANSFORM_BUCKET, 2, (char *)"bucket[2]" } } } },
	{ 2, { { 1, 1000, (char *)"gone",
		 { TRANSFORM_VOID, 0, (char *)"void" } },
	       { 2, 1001, (char *)"v_bucket",
		 { TRANSFORM_BUCKET, 30, (char *)"bucket[30]" } } } },
	{ 1, { { 1, 1000, (char *)"gone",
		 { TRANSFORM_VOID, 0, (char *)"void" } } } },
};
static struct partition_spec spec;

static void use_spec(size_t i)
{
	spec.spec_id = 0;
	spec.fields = (struct partition_field *)specs[i].fields;
	spec.field_count = specs[i].count;
	world_spec = &spec;
}

static void check_value(const struct partition_field *field,
			const struct literal *stored,
			const struct target_batch *batch, size_t row)
{
	const struct vector *column =
		&batch->batch.columns[field->source_id - 1];
	struct literal value = literal_null(column->type), result;
	struct arena arena;

	arena_init(&arena, 0);
	if (!vector_is_null(column, row))
		value = vector_get(column, row);
	ck_ok(transform_apply(&field->transform, &value, &arena, &result,
			      &err));
	ck_assert_int_eq(result.is_null, stored->is_null);
	if (!result.is_null)
		ck_assert_int_eq(literal_compare(&result, stored), 0);
	arena_release(&arena);
}

static void check_file(struct snapshot_files *files, size_t index)
{
	static const size_t columns[] = { 0, 1, 2 };
	const struct data_file *file = &files->files[index].entry->file;
	struct target_scan_request request = { columns, 3, NULL, 0 };
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;

	ck_assert_uint_eq(file->partition_count, spec.field_count);
	ck_ok(table_scan_new(&scan, files, &request, false, index, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++)
			for (size_t f = 0; f < spec.field_count; f++)
				check_value(&spec.fields[f],
					    &file->partition[f], batch, i);
	}
	table_stream_free(stream);
	table_scan_free(scan);
}

/* Every live row lies in a file of its own partition, and deletes carry the
 * partition of the file they are about. Returns the number of files. */
static size_t check_partitions(void)
{
	struct snapshot_files *files;
	struct table *table;
	size_t count;

	ck_ok(table_open(&table, "t", 0, &err));
	ck_ok(table_files(table, &files, &err));
	count = files->file_count;
	for (size_t i = 0; i < count; i++) {
		const struct snapshot_file *file = &files->files[i];

		check_file(files, i);
		for (size_t d = 0; d < file->delete_count; d++) {
			const struct data_file *deletes =
				&file->deletes[d]->file;

			ck_assert_int_eq(deletes->spec_id,
					 file->entry->file.spec_id);
			for (size_t f = 0; f < spec.field_count; f++) {
				const struct literal *a =
					&deletes->partition[f];
				const struct literal *b =
					&file->entry->file.partition[f];

				ck_assert_int_eq(a->is_null, b->is_null);
				if (!a->is_null)
					ck_assert_int_eq(
						literal_compare(a, b), 0);
			}
		}
	}
	table_free(table);
	return count;
}

static void run_random(size_t spec_index, int format_version, bool cow,
		       const struct key_value *more)
{
	struct key_value properties[4];
	size_t count = 0;

	if (cow) {
		memcpy(properties, copy_on_write, sizeof(copy_on_write));
		count = 2;
	} else {
		properties[count++] = (struct key_value){
			(char *)"write.merge.mode", (char *)"merge-on-read" };
	}
	if (more)
		properties[count++] = *more;
	use_spec(spec_index);
	world_create(&world, "t", format_version, properties, count);
	insert_range(0, 3000, true);
	check_partitions();
	for (int step = 0; step < 5; step++) {
		change_any(step % 4 ? 6000 : 18000);
		check_partitions();
	}
}

#define RANDOM_RUNS (4 * ARRAY_COUNT(specs))
START_TEST(rows_lie_in_files_of_their_partition)
{
	run_random((size_t)_i / 4, _i & 1 ? 3 : 2, _i & 2, NULL);
}
END_TEST

START_TEST(a_partition_of_few_rows_makes_one_file)
{
	use_spec(0);
	world_create(&world, "t", 2, NULL, 0);
	insert_range(0, 5000, false);
	ck_assert_uint_eq(check_partitions(), 4);
	world_check(&world);
}
END_TEST

START_TEST(an_aborted_statement_leaves_no_directory)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = true };
	struct fragments fragments = { 0 };
	struct statement_run run;
	struct merge_sink *sink;

	use_spec(2);
	world_create(&world, "t", 2, NULL, 0);
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(run.target->ops->sink_new(run.handle, &sink, &err));
	for (size_t i = 0; i < TARGET_PAGE; i++) {
		changes[i].id = (int64_t)i;
		changes[i].op = OPERATION_INSERT;
		changes[i].row_id = ROW_ID_NONE;
		changes[i].value = 7;
	}
	ck_ok(store_rows(&run, sink, changes, TARGET_PAGE));
	ck_ok(run.target->ops->sink_finish(sink, &fragments, &err));
	run.target->ops->sink_free(sink);
	fragments_release(&fragments);
	statement_abort(&run);
	ck_assert_int_eq(system("test -z \"$(find t/data -mindepth 1)\""), 0);
}
END_TEST

/* Orders over id (1), v (2), s (3); s follows v but for its text. */
static const struct {
	size_t count;
	struct sort_field fields[3];
} orders[] = {
	{ 1, { { 1, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, false,
		 true } } },
	{ 2, { { 2, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, true,
		 false },
	       { 1, { TRANSFORM_BUCKET, 7, (char *)"bucket[7]" }, false,
		 true } } },
	{ 3, { { 3, { TRANSFORM_TRUNCATE, 2, (char *)"truncate[2]" }, false,
		 false },
	       { 3, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, true,
		 true },
	       { 1, { TRANSFORM_IDENTITY, 0, (char *)"identity" }, true,
		 true } } },
};
static struct sort_order order;

static void use_order(size_t i)
{
	order.order_id = 1;
	order.fields = (struct sort_field *)orders[i].fields;
	order.field_count = orders[i].count;
	world_order = &order;
}

/* <0, 0, >0 by one field. */
static int compare_field(const struct sort_field *field,
			 const struct literal *a, const struct literal *b,
			 struct arena *arena)
{
	struct literal x, y;
	int result;

	ck_ok(transform_apply(&field->transform, a, arena, &x, &err));
	ck_ok(transform_apply(&field->transform, b, arena, &y, &err));
	if (x.is_null || y.is_null)
		return (int)(y.is_null - x.is_null) *
		       (field->nulls_first ? 1 : -1);
	result = literal_compare(&x, &y);
	return field->descending ? -result : result;
}

/* A row's values, which outlive its batch. */
static void keep_row(const struct target_batch *batch, size_t row,
		     struct literal out[3], struct arena *arena)
{
	for (int c = 0; c < 3; c++) {
		const struct vector *column = &batch->batch.columns[c];
		struct literal value = literal_null(column->type);

		if (!vector_is_null(column, row))
			value = vector_get(column, row);
		ck_ok(literal_copy(&out[c], &value, arena, &err));
	}
}

static void check_file_order(struct snapshot_files *files, size_t index)
{
	static const size_t columns[] = { 0, 1, 2 };
	struct target_scan_request request = { columns, 3, NULL, 0 };
	struct literal last[3], now[3];
	struct table_stream *stream;
	struct target_batch *batch;
	struct table_scan *scan;
	bool has_last = false;
	struct arena arena;

	arena_init(&arena, 0);
	ck_assert_int_eq(files->files[index].entry->file.sort_order_id, 1);
	ck_ok(table_scan_new(&scan, files, &request, false, index, &err));
	ck_ok(table_stream_new(&stream, scan, &err));
	for (;;) {
		ck_ok(table_stream_next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->batch.row_count; i++) {
			int result = 0;

			keep_row(batch, i, now, &arena);
			for (size_t f = 0; !result && has_last &&
					   f < order.field_count; f++) {
				int32_t id = order.fields[f].source_id;

				result = compare_field(&order.fields[f],
						       &last[id - 1],
						       &now[id - 1], &arena);
			}
			ck_assert_int_le(result, 0);
			memcpy(last, now, sizeof(now));
			has_last = true;
		}
	}
	table_stream_free(stream);
	table_scan_free(scan);
	arena_release(&arena);
}

static size_t check_order(void)
{
	struct snapshot_files *files;
	struct table *table;
	size_t count;

	ck_ok(table_open(&table, "t", 0, &err));
	ck_ok(table_files(table, &files, &err));
	count = files->file_count;
	for (size_t i = 0; i < count; i++)
		check_file_order(files, i);
	table_free(table);
	return count;
}

#define ORDER_RUNS (4 * ARRAY_COUNT(orders))
START_TEST(rows_are_sorted_within_each_file)
{
	struct change_options options = { .statement = STATEMENT_MERGE };

	use_order((size_t)_i / 4);
	if (_i & 1)
		use_spec(0);
	world_create(&world, "t", _i & 2 ? 3 : 2, copy_on_write,
		     _i % 3 ? 2 : 0);
	insert_range(0, 3000, true);
	check_order();
	for (int step = 0; step < 4; step++) {
		static const uint32_t shares[] = { 5, 30, 400, 990 };
		size_t n = draw_changes(6000, shares[step], true, true);

		change(n, &options);
		world_check(&world);
		check_order();
	}
}
END_TEST

START_TEST(partitions_beyond_the_limit_are_sorted_into_files)
{
	struct key_value few = { (char *)"rowmerge.write.max-open-partitions",
				 (char *)"3" };

	run_random(3, _i & 1 ? 3 : 2, _i & 2, &few);
	use_spec(3);
	ck_assert_uint_ge(check_partitions(), 31);
}
END_TEST

START_TEST(a_table_that_is_never_sorted_says_so)
{
	struct key_value never = { (char *)"rowmerge.write.sort",
				   (char *)"never" };
	struct snapshot_files *files;
	struct table *table;

	use_order(1);
	world_create(&world, "t", 2, &never, 1);
	insert_range(0, 1000, true);
	ck_ok(table_open(&table, "t", 0, &err));
	ck_ok(table_files(table, &files, &err));
	ck_assert_uint_eq(files->file_count, 1);
	ck_assert_int_eq(files->files[0].entry->file.sort_order_id, 0);
	table_free(table);
	world_check(&world);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("partition_target");
	TCase *tc = tcase_create("partition_target");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, rows_lie_in_files_of_their_partition, 0,
			    RANDOM_RUNS);
	tcase_add_test(tc, a_partition_of_few_rows_makes_one_file);
	tcase_add_loop_test(tc, rows_are_sorted_within_each_file, 0,
			    ORDER_RUNS);
	tcase_add_loop_test(tc,
		partitions_beyond_the_limit_are_sorted_into_files, 0, 4);
	tcase_add_test(tc, a_table_that_is_never_sorted_says_so);
	tcase_add_test(tc, an_aborted_statement_leaves_no_directory);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
