/* check_target_evolve.c - columns that come with the rows of a statement */
#include "unit/target_world.h"

#define NOW_US INT64_C(1700000002000000)

static struct target_world world;
static struct table *table;
static struct table_change change;
static int64_t version;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	table = NULL;
	memset(&change, 0, sizeof(change));
	change.kind = TABLE_ADD_COLUMN;
	change.column.name = (char *)"a";
	change.column.type = type_of(TYPE_BIGINT);
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	table_free(table);
	scratch_remove();
}

static const struct table_metadata *reopen(int64_t wanted)
{
	table_free(table);
	table = NULL;
	ck_ok(table_open(&table, "t", wanted, &err));
	return table_metadata_of(table);
}

/* An INSERT that adds column "a". */
static struct target *begin(bool is_blind, struct merge_handle **handle)
{
	struct iceberg_target_options own = { .wait_ms = 1000,
					      .retry_limit = 3 };
	struct merge_begin_options options = { 0 };
	const struct schema *before;
	struct target *target;
	struct table *base;

	ck_ok(table_open(&base, "t", 0, &err));
	ck_ok(iceberg_target_new(&target, base, &own, &err));
	before = target->ops->schema(target);
	ck_ok(target_evolve(target, &change, 1, &err));
	ck_assert_uint_eq(before->column_count, 3);
	ck_assert_uint_eq(target->ops->schema(target)->column_count, 4);
	options.statement = STATEMENT_INSERT;
	options.paradigm = DELETE_ROW_AND_INSERT_ROW;
	options.reads_target = !is_blind;
	options.thread_count = 1;
	options.now_us = NOW_US;
	ck_ok(target_merge_begin(target, &options, handle, &err));
	return target;
}

/* Rows (id, id, NULL, 10 * id) from .. from + count - 1; the target goes. */
static int finish(struct target *target, struct merge_handle *handle,
		  int64_t from, size_t count, struct merge_outcome *outcome)
{
	const struct vector *pointers[4];
	struct merge_finish_options finish = { .rows_inserted = count };
	struct fragments fragments = { 0 };
	struct vector columns[4];
	struct merge_sink *sink;
	struct change_page page = { 0 };
	int8_t operation[64];
	int32_t case_number[64] = { 0 };
	uint64_t row_id[64];
	int rc;

	for (size_t c = 0; c < 4; c++) {
		struct type type = c == 2 ? type_of(TYPE_VARCHAR)
					  : type_of(TYPE_BIGINT);

		vector_init(&columns[c], type);
		pointers[c] = &columns[c];
		for (size_t i = 0; i < count; i++) {
			struct literal value = literal_null(type);

			value.is_null = c == 2;
			value.value.int64 = (from + (int64_t)i) *
					    (c == 3 ? 10 : 1);
			ck_ok(vector_append(&columns[c], &value, &err));
		}
	}
	memset(operation, OPERATION_INSERT, sizeof(operation));
	for (size_t i = 0; i < 64; i++)
		row_id[i] = ROW_ID_NONE;
	page.row_count = count;
	page.columns = pointers;
	page.column_count = 4;
	page.operation = operation;
	page.case_number = case_number;
	page.row_id = row_id;
	ck_ok(target->ops->sink_new(handle, &sink, &err));
	if (count)
		ck_ok(target->ops->sink_store(sink, &page, &err));
	ck_ok(target->ops->sink_finish(sink, &fragments, &err));
	target->ops->sink_free(sink);
	rc = target->ops->merge_finish(handle, &fragments, &finish, outcome,
				       &err);
	fragments_release(&fragments);
	for (size_t c = 0; c < 4; c++)
		vector_release(&columns[c]);
	target_free(target);
	return rc;
}

static void insert_old(int64_t from, int64_t count, bool is_blind)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = is_blind };
	struct row_change changes[64];
	struct merge_outcome outcome;

	for (int64_t i = 0; i < count; i++)
		changes[i] = (struct row_change){ .id = from + i,
			.op = OPERATION_INSERT, .value = from + i };
	ck_ok(world_change(&world, changes, (size_t)count, &options,
			   &outcome));
}

/* Every row below old has no "a", the others 10 * id. */
static void check_rows(int64_t old, int64_t count)
{
	struct batch_source *source;
	struct batch_stream *stream;
	struct batch *batch;
	int64_t seen = 0;

	reopen(0);
	ck_ok(table_source_new(&source, table, NULL, NULL, 0, &err));
	ck_ok(source->stream_new(source, &stream, &err));
	for (;;) {
		ck_ok(stream->next(stream, &batch, &err));
		if (!batch)
			break;
		for (size_t i = 0; i < batch->row_count; i++, seen++) {
			int64_t id = vector_i64(&batch->columns[0])[i];

			ck_assert_int_eq(id < old,
					 vector_is_null(&batch->columns[3],
							i));
			if (id >= old)
				ck_assert_int_eq(
					vector_i64(&batch->columns[3])[i],
					10 * id);
		}
	}
	stream->free(stream);
	source->free(source);
	ck_assert_int_eq(seen, count);
}

START_TEST(columns_and_rows_are_one_version)
{
	const struct table_metadata *m;
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert_old(0, 20, true);
	target = begin(_i, &handle);
	ck_ok(finish(target, handle, 100, 20, &outcome));
	ck_assert_int_eq(outcome.version_before, 2);
	ck_assert_int_eq(outcome.version_after, 3);
	check_rows(100, 40);
	m = reopen(0);
	ck_assert_int_eq(table_catalog(table)->version, 3);
	ck_assert_int_eq(m->current_schema_id, 1);
	ck_assert_int_eq(metadata_current_snapshot(m)->schema_id, 1);
	ck_assert_int_eq(m->last_column_id, 4);
	m = reopen(2);
	ck_assert_uint_eq(table_schema(table)->column_count, 3);
}
END_TEST

START_TEST(without_rows_the_columns_are_a_version)
{
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2, NULL, 0);
	insert_old(0, 20, true);
	target = begin(false, &handle);
	ck_ok(finish(target, handle, 0, 0, &outcome));
	ck_assert_int_eq(outcome.version_after, 3);
	check_rows(100, 20);
	ck_assert_int_eq(table_catalog(table)->version, 3);
}
END_TEST

START_TEST(an_aborted_statement_adds_no_column)
{
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2, NULL, 0);
	target = begin(false, &handle);
	target->ops->merge_abort(handle);
	target_free(target);
	reopen(0);
	ck_assert_uint_eq(table_schema(table)->column_count, 3);
	ck_assert_int_eq(table_catalog(table)->version, 1);
}
END_TEST

START_TEST(rows_of_others_do_not_stop_a_blind_insert_with_columns)
{
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2, NULL, 0);
	target = begin(true, &handle);
	insert_old(0, 20, true);
	ck_ok(finish(target, handle, 100, 20, &outcome));
	ck_assert_int_eq(outcome.version_after, 3);
	check_rows(100, 40);
}
END_TEST

START_TEST(columns_of_others_do)
{
	struct table_change other = change;
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2, NULL, 0);
	target = begin(true, &handle);
	other.column.name = (char *)(_i ? "b" : "a");
	ck_ok(table_alter("t", &other, 1, NOW_US, &version, &err));
	ck_assert_int_eq(finish(target, handle, 100, 20, &outcome),
			 ERROR_METADATA_CHANGED);
	reopen(0);
	ck_assert_uint_eq(table_schema(table)->column_count, 4);
	ck_assert_int_eq(table_catalog(table)->version, 2);
}
END_TEST

/* The schema is the one that was read, the next id is not: files written with
 * the old one must not become those of a new column. */
START_TEST(columns_of_others_that_came_and_went_do_too)
{
	static const char *const name[] = { "b" };
	struct table_change other = change;
	struct merge_outcome outcome;
	struct merge_handle *handle;
	struct target *target;

	world_create(&world, "t", 2, NULL, 0);
	target = begin(true, &handle);
	other.column.name = (char *)"b";
	ck_ok(table_alter("t", &other, 1, NOW_US, &version, &err));
	other.kind = TABLE_DROP_COLUMN;
	other.path.parts = name;
	other.path.count = 1;
	ck_ok(table_alter("t", &other, 1, NOW_US, &version, &err));
	ck_assert_int_eq(finish(target, handle, 100, 20, &outcome),
			 ERROR_METADATA_CHANGED);
	reopen(0);
	ck_assert_uint_eq(table_schema(table)->column_count, 3);
}
END_TEST

START_TEST(a_change_that_cannot_be_is_refused_at_once)
{
	const struct schema *schema;
	struct target *target;
	struct table *base;

	world_create(&world, "t", 2, NULL, 0);
	ck_ok(table_open(&base, "t", 0, &err));
	ck_ok(iceberg_target_new(&target, base, NULL, &err));
	change.column.name = (char *)"V";
	ck_assert_int_eq(target_evolve(target, &change, 1, &err),
			 ERROR_COLUMN_EXISTS);
	schema = target->ops->schema(target);
	ck_assert_uint_eq(schema->column_count, 3);
	for (int i = 0; i < 3; i++) {
		char name[] = { (char)('p' + i), '\0' };

		change.column.name = name;
		ck_ok(target_evolve(target, &change, 1, &err));
	}
	ck_assert_uint_eq(schema->column_count, 3);
	ck_assert_uint_eq(target->ops->schema(target)->column_count, 6);
	target_free(target);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_target)
{
	struct target *target;
	struct table *base;
	int rc = ERROR_NO_MEMORY;

	world_create(&world, "t", 2, NULL, 0);
	for (long n = 0; rc; n++) {
		ck_ok(table_open(&base, "t", 0, &err));
		ck_ok(iceberg_target_new(&target, base, NULL, &err));
		mem_fail_at(n);
		rc = target_evolve(target, &change, 1, &err);
		mem_fail_at(-1);
		ck_assert(!rc || rc == ERROR_NO_MEMORY);
		target_free(target);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_evolve");
	TCase *tc = tcase_create("target_evolve");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, columns_and_rows_are_one_version, 0, 2);
	tcase_add_test(tc, without_rows_the_columns_are_a_version);
	tcase_add_test(tc, an_aborted_statement_adds_no_column);
	tcase_add_test(tc,
		rows_of_others_do_not_stop_a_blind_insert_with_columns);
	tcase_add_loop_test(tc, columns_of_others_do, 0, 2);
	tcase_add_test(tc, columns_of_others_that_came_and_went_do_too);
	tcase_add_test(tc, a_change_that_cannot_be_is_refused_at_once);
	tcase_add_test(tc, each_failed_allocation_leaves_the_target);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
