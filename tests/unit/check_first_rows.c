/*
 * The first row of each partition: what passes row_number() = 1, against a
 * loop over all rows.
 */
#include "unit/query_world.h"
#include "query/row_sorter.h"

static struct world_table table;
static bool descending;
static unsigned value_kind;

static void setup(void)
{
	world_setup();
	descending = false;
	value_kind = 0;
}

static void teardown(void)
{
	mem_fail_at(-1);
	world_table_release(&table);
	expr_teardown();
}

/* c0: partition, c1: order, c2: value, c3: number of the row */
static void make(size_t rows, unsigned kind, uint64_t partitions,
		 uint64_t orders)
{
	const unsigned kinds[] = { kind, kind, value_kind, 0 };
	const uint64_t range[] = { partitions, orders, 20, 0 };

	world_fill(&table, rows, kinds, range, 4, true);
}

/* SELECT .. WHERE number <operator> limit; projected: by way of a subquery
 * that gives the columns in another order. */
static struct query_node *numbered(const char *operator, const char *limit,
				   bool projected)
{
	struct query_window *what = arena_zalloc(&arena, sizeof(*what));
	struct type types[5];
	struct query_node *node, *filter;
	size_t number = projected ? 0 : 4;

	for (size_t i = 0; i < 4; i++)
		types[i] = table.schema.columns[i].type;
	types[4] = type_of(TYPE_BIGINT);
	what->partition_count = what->order_count = what->call_count = 1;
	what->partition = arena_zalloc_array(&arena, 1,
					     sizeof(*what->partition));
	what->partition[0] = column_of(&table, 0);
	what->order = arena_zalloc_array(&arena, 1, sizeof(*what->order));
	what->order[0].expr = column_of(&table, 1);
	what->order[0].descending = descending;
	what->calls = arena_zalloc_array(&arena, 1, sizeof(*what->calls));
	what->calls[0].function = WINDOW_ROW_NUMBER;
	what->calls[0].aggregate.type = types[4];
	node = node_of(QUERY_WINDOW, world_schema(types, 5),
		       scan_of(&table), NULL);
	node->window = what;
	if (projected) {
		struct type turned[5] = { types[4], types[0], types[1],
					  types[2], types[3] };
		struct query_node *project = node_of(
			QUERY_PROJECT, world_schema(turned, 5), node, NULL);

		project->exprs = arena_zalloc_array(&arena, 5,
						    sizeof(*project->exprs));
		for (size_t i = 0; i < 5; i++)
			project->exprs[i] = expr_column(&arena, (i + 4) % 5,
							turned[i]);
		node = project;
	}
	filter = node_of(QUERY_FILTER, node->schema, node, NULL);
	filter->condition = call2(operator,
				  expr_column(&arena, number, types[4]),
				  lit(limit));
	return filter;
}

static void release(struct query_node *node)
{
	while (node->kind != QUERY_SCAN) {
		struct query_node *below = node->inputs[0];

		if (below->schema != node->schema)
			schema_release(node->schema);
		node = below;
	}
}

/* NULL comes last. */
static bool is_before(int64_t a, int64_t b)
{
	if (a == b || a == WORLD_NULL || b == WORLD_NULL)
		return a != b && b == WORLD_NULL;
	return descending ? a > b : a < b;
}

static void model(struct world_rows *out)
{
	const struct world_rows *all = &table.data;

	memset(out, 0, sizeof(*out));
	out->columns = 4;
	for (size_t i = 0; i < all->count; i++) {
		const struct world_row *row = &all->rows[i];
		size_t k = 0;

		while (k < out->count && out->rows[k].v[0] != row->v[0])
			k++;
		if (k == out->count)
			*rows_add(out) = *row;
		else if (is_before(row->v[1], out->rows[k].v[1]))
			out->rows[k] = *row;
	}
}

/* The rows of the table and their number 1, wherever that stands. */
static void check(const char *operator, const char *limit, bool projected)
{
	struct query_node *node = numbered(operator, limit, projected);
	struct world_rows got, expected;

	model(&expected);
	for (size_t threads = 1; threads <= 4; threads += 3) {
		options.thread_count = threads;
		ck_ok(world_query(node, threads, NULL, &got));
		for (size_t i = 0; i < got.count; i++) {
			int64_t *v = got.rows[i].v;

			ck_assert_int_eq(v[projected ? 0 : 4], 1);
			if (projected)
				memmove(v, v + 1, 4 * sizeof(*v));
		}
		got.columns = 4;
		rows_same_set(&got, &expected);
		rows_release(&got);
	}
	rows_release(&expected);
	release(node);
}

static void check_all(void)
{
	check("=", "BIGINT:1", false);
	check("<=", "BIGINT:1", true);
	check("<", "BIGINT:2", false);
}

START_TEST(of_partitions_of_every_type)
{
	descending = _i & 1;
	make(3000, (unsigned)_i % 5, 1 + (uint64_t)_i * 60, 30);
	check_all();
}
END_TEST

START_TEST(that_are_replaced_again_and_again)
{
	/* each row comes before all that were there; text gets longer and
	 * shorter, NULL and not */
	value_kind = (unsigned)_i;
	make(60000, 0, 3, 0);
	descending = true;
	check("=", "BIGINT:1", false);
}
END_TEST

/* Two writers add the batches of the table in turn. */
static int add_in_turn(struct sorter_writer **writers, struct batch *batch)
{
	const struct world_rows *all = &table.data;
	int rc = 0;

	for (size_t at = 0; !rc && at < all->count; at += batch->row_count) {
		struct sorter_rows rows = { 0 };
		const struct vector *columns[4];

		batch_reset(batch);
		while (!rc && at + batch->row_count < all->count &&
		       batch->row_count < WORLD_BATCH) {
			const struct world_row *row =
				&all->rows[at + batch->row_count++];

			for (size_t c = 0; !rc && c < 4; c++)
				rc = put_value(&batch->columns[c], row->v[c],
					       &batch->heap, &err);
		}
		for (size_t c = 0; c < 4; c++)
			columns[c] = &batch->columns[c];
		rows.columns = rows.keys = columns;
		rows.batch = batch;
		rows.rows = selection_all(batch->row_count);
		rows.unit = at;
		if (!rc)
			rc = sorter_add(writers[at / WORLD_BATCH % 2], &rows,
					&err);
	}
	return rc;
}

static int read_sorted(struct row_sorter *sorter, struct world_rows *got)
{
	struct sorter_reader *reader;
	struct batch *batch;
	int rc = sorter_reader_new(&reader, sorter, &err);

	while (!rc && !(rc = sorter_next(reader, &batch, &err)) && batch)
		for (size_t i = 0; i < batch->row_count; i++) {
			struct world_row *row = rows_add(got);

			for (size_t c = 0; c < 4; c++)
				row->v[c] = take_value(&batch->columns[c], i);
		}
	sorter_reader_free(reader);
	return rc;
}

/* The first rows by c0, c1 of two writers. */
static int first_of_two(struct world_rows *got)
{
	struct type types[4];
	struct sort_column keys[2] = { 0 };
	struct sorter_options want = {
		.types = types, .column_count = 4, .keys = keys,
		.key_count = 2, .partition_count = 1,
		.first_rows = UINT64_MAX, .first_of_partition = true,
		.writer_count = 2,
	};
	struct sorter_writer *writers[2] = { NULL, NULL };
	struct row_sorter *sorter;
	struct batch batch;
	int rc;

	memset(got, 0, sizeof(*got));
	got->columns = 4;
	for (size_t c = 0; c < 4; c++)
		types[c] = table.schema.columns[c].type;
	keys[0].type = types[0];
	keys[1].type = types[1];
	rc = batch_init_types(&batch, types, 4, &err);
	if (rc)
		return rc;
	rc = row_sorter_new(&sorter, &want, &err);
	for (size_t w = 0; !rc && w < 2; w++)
		rc = sorter_writer_new(&writers[w], sorter, &err);
	if (!rc)
		rc = add_in_turn(writers, &batch);
	for (size_t w = 0; !rc && w < 2; w++)
		rc = sorter_writer_finish(writers[w], &err);
	sorter_writer_free(writers[0]);
	sorter_writer_free(writers[1]);
	if (!rc)
		rc = read_sorted(sorter, got);
	row_sorter_free(sorter);
	batch_release(&batch);
	return rc;
}

START_TEST(of_two_writers_come_in_order_once)
{
	struct world_rows got, expected;

	value_kind = 2;
	make(4000, (unsigned)_i, 900, 40);
	model(&expected);
	ck_ok(first_of_two(&got));
	for (size_t i = 1; i < got.count; i++)
		ck_assert(is_before(got.rows[i - 1].v[0], got.rows[i].v[0]));
	for (size_t i = 0; i < expected.count; i++)
		expected.rows[i].line = 0;
	rows_same_set(&got, &expected);
	rows_release(&got);
	rows_release(&expected);
}
END_TEST

START_TEST(of_two_writers_need_memory)
{
	struct world_rows got;
	int rc;

	value_kind = 2;
	make(300, 2, 60, 40);
	for (long nth = 0; ; nth++) {
		mem_fail_at(nth);
		rc = first_of_two(&got);
		mem_fail_at(-1);
		rows_release(&got);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		error_init(&err);
	}
}
END_TEST

START_TEST(that_do_not_fit_in_memory)
{
	options.memory_bytes = 1;
	make(8000, _i ? 2 : 0, 2500, 3000);
	check_all();
}
END_TEST

START_TEST(of_no_rows)
{
	make(0, 0, 9, 9);
	check_all();
}
END_TEST

START_TEST(second_rows_are_there_if_they_may_pass)
{
	struct query_node *node;
	struct world_rows got;

	make(1000, 0, 5, 50);
	node = numbered("<=", "BIGINT:2", false);
	ck_ok(world_query(node, 1, NULL, &got));
	ck_assert_uint_ge(got.count, 10);
	rows_release(&got);
	release(node);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct query_node *node;

	make(_i ? 3000 : 300, 0, 500, 90);
	options.memory_bytes = _i ? 1 : 0;
	node = numbered("=", "BIGINT:1", false);
	world_fail_each(node, 1000000);
	if (_i)
		world_fail_disk(node);
	release(node);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("first_rows");
	TCase *tc = tcase_create("first_rows");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, of_partitions_of_every_type, 0, 10);
	tcase_add_loop_test(tc, that_are_replaced_again_and_again, 0, 5);
	tcase_add_loop_test(tc, of_two_writers_come_in_order_once, 0, 5);
	tcase_add_test(tc, of_two_writers_need_memory);
	tcase_add_loop_test(tc, that_do_not_fit_in_memory, 0, 2);
	tcase_add_test(tc, of_no_rows);
	tcase_add_test(tc, second_rows_are_there_if_they_may_pass);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
