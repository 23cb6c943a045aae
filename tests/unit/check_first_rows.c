/*
 * The first row of each partition: what passes row_number() = 1, against a
 * loop over all rows.
 */
#include "unit/query_world.h"

static struct world_table table;
static bool descending;

static void setup(void)
{
	world_setup();
	descending = false;
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
	const unsigned kinds[] = { kind, kind, 0, 0 };
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
	/* each row comes before all that were there */
	make(60000, 0, 3, 0);
	descending = true;
	check("=", "BIGINT:1", false);
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
	tcase_add_test(tc, that_are_replaced_again_and_again);
	tcase_add_loop_test(tc, that_do_not_fit_in_memory, 0, 2);
	tcase_add_test(tc, of_no_rows);
	tcase_add_test(tc, second_rows_are_there_if_they_may_pass);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
