/*
 * ORDER BY against a model that sorts rows of numbers; also rows that are
 * shared by several readers.
 */
#include "unit/query_world.h"

static struct world_table table;
static const struct sort_key *model_keys;
static size_t model_key_count;

static void setup(void)
{
	world_setup();
}

static void teardown(void)
{
	mem_fail_at(-1);
	world_table_release(&table);
	expr_teardown();
}

static void make_table(size_t rows, unsigned a, unsigned b)
{
	const unsigned kinds[] = { a, b, 0 };
	const uint64_t range[] = { 40, 300, 0 };

	world_fill(&table, rows, kinds, range, 3, true);
}

static struct query_node *sorted(bool down_a, bool first_a, bool down_b,
				 bool first_b)
{
	struct query_node *node = node_of(QUERY_SORT, &table.schema,
					  scan_of(&table), NULL);

	node->sort_count = 2;
	node->sort = arena_zalloc_array(&arena, 2, sizeof(*node->sort));
	node->sort[0] = (struct sort_key){ column_of(&table, 0), down_a,
					   first_a };
	node->sort[1] = (struct sort_key){ column_of(&table, 1), down_b,
					   first_b };
	return node;
}

static int compare_by_model(const void *a, const void *b)
{
	const struct world_row *x = a, *y = b;

	for (size_t k = 0; k < model_key_count; k++) {
		int64_t p = x->v[k], q = y->v[k];
		int order;

		if (p == q)
			continue;
		if (p == WORLD_NULL || q == WORLD_NULL)
			return (p == WORLD_NULL) == model_keys[k].nulls_first
				       ? -1 : 1;
		order = p < q ? -1 : 1;
		return model_keys[k].descending ? -order : order;
	}
	/* the number of the row */
	return x->v[2] < y->v[2] ? -1 : x->v[2] > y->v[2];
}

static void model(const struct query_node *node, struct world_rows *out)
{
	uint64_t n = 0;
	struct world_rows all = { .columns = 3 };

	memset(out, 0, sizeof(*out));
	out->columns = 3;
	for (size_t i = 0; i < table.data.count; i++)
		*rows_add(&all) = table.data.rows[i];
	model_keys = node->sort;
	model_key_count = node->sort_count;
	if (all.count)
		qsort(all.rows, all.count, sizeof(*all.rows),
		      compare_by_model);
	for (size_t i = 0; i < all.count; i++)
		if (i >= node->offset && n++ < node->limit)
			*rows_add(out) = all.rows[i];
	rows_release(&all);
}

static void check(struct query_node *node)
{
	struct world_rows got, expected;

	model(node, &expected);
	for (size_t threads = 1; threads <= 4; threads++) {
		options.thread_count = threads;
		ck_ok(world_query(node, threads, NULL, &got));
		rows_same(&got, &expected);
		for (size_t i = 0; i < got.count; i++)
			ck_assert_uint_eq(got.rows[i].line,
					  expected.rows[i].line);
		rows_release(&got);
	}
	rows_release(&expected);
}

START_TEST(rows_come_in_the_order_of_all_kinds_of_keys)
{
	make_table(2000, (unsigned)_i % 5, (unsigned)_i / 5);
	for (int flags = 0; flags < 16; flags++)
		check(sorted(flags & 1, flags & 2, flags & 4, flags & 8));
}
END_TEST

START_TEST(rows_that_do_not_fit_in_memory_come_in_order)
{
	options.memory_bytes = 1;
	make_table(30000, 2, 4);
	check(sorted(false, true, true, false));
}
END_TEST

START_TEST(more_runs_than_are_merged_at_once_come_in_order)
{
	options.memory_bytes = 1;
	make_table(100000, 2, 4);
	check(sorted(true, true, true, true));
}
END_TEST

START_TEST(a_limit_gives_the_first_rows_behind_its_offset)
{
	static const uint64_t cases[][2] = {
		{ 0, 0 }, { 1, 0 }, { 10, 5 }, { 5000, 100 }, { 10, 49999 },
		{ UINT64_MAX, 49990 }, { UINT64_MAX - 1, 3 }, { 7, 60000 },
		{ 0, 17 },
	};
	struct query_node *node;

	make_table(50000, 0, 2);
	node = sorted(false, false, true, true);
	node->limit = cases[_i][0];
	node->offset = cases[_i][1];
	check(node);
	options.memory_bytes = 1;
	check(node);
}
END_TEST

START_TEST(only_wanted_columns_are_given)
{
	const bool wanted[] = { false, false, true };
	struct query_node *node;
	struct world_rows got, expected;

	make_table(1000, 2, 0);
	node = sorted(false, false, false, false);
	model(node, &expected);
	ck_ok(world_query(node, 1, wanted, &got));
	ck_assert_uint_eq(got.count, 1000);
	for (size_t i = 0; i < got.count; i++) {
		ck_assert_int_eq(got.rows[i].v[0], -77777);
		ck_assert_int_eq(got.rows[i].v[2], expected.rows[i].v[2]);
	}
	rows_release(&got);
	rows_release(&expected);
}
END_TEST

START_TEST(zeros_are_equal_and_nan_is_the_greatest)
{
	static const char *const values[] = {
		"DOUBLE:NaN", "DOUBLE:-0.0", "DOUBLE:0", "DOUBLE",
		"DOUBLE:-1e300", "DOUBLE:1e300", "DOUBLE:-0.0",
	};
	static const int order[] = { 4, 1, 2, 6, 5, 0, 3 };
	struct type types[] = { type_of(TYPE_DOUBLE), type_of(TYPE_BIGINT) };
	struct schema *schema = world_schema(types, 2);
	struct query_node *node = node_of(QUERY_VALUES, schema, NULL, NULL);
	struct query_node *sort = node_of(QUERY_SORT, schema, node, NULL);
	struct world_rows got;

	make_table(1, 0, 0);
	node->row_count = ARRAY_COUNT(values);
	node->exprs = arena_zalloc_array(&arena, 14, sizeof(*node->exprs));
	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		char number[32];

		snprintf(number, sizeof(number), "BIGINT:%zu", i);
		node->exprs[2 * i] = lit(values[i]);
		node->exprs[2 * i + 1] = lit(number);
	}
	sort->sort_count = 1;
	sort->sort = arena_zalloc_array(&arena, 1, sizeof(*sort->sort));
	sort->sort[0].expr = expr_column(&arena, 0, types[0]);
	ck_ok(world_query(sort, 1, NULL, &got));
	ck_assert_uint_eq(got.count, ARRAY_COUNT(values));
	for (size_t i = 0; i < got.count; i++)
		ck_assert_int_eq(got.rows[i].v[1], order[i]);
	rows_release(&got);
	schema_release(schema);
}
END_TEST

/* The same rows twice, by two readers of one shared query. */
START_TEST(a_shared_query_gives_all_its_rows_to_each_reader)
{
	struct query_node *shared, *both;
	struct world_rows got, expected = { .columns = 3 };

	make_table(5000, 2, 4);
	shared = node_of(QUERY_SHARED, &table.schema, scan_of(&table), NULL);
	both = node_of(QUERY_UNION_ALL, &table.schema, shared, shared);
	for (size_t i = 0; i < 2 * table.data.count; i++)
		*rows_add(&expected) = table.data.rows[i % table.data.count];
	options.memory_bytes = _i ? 1 : 0;
	ck_ok(world_query(both, 1, NULL, &got));
	rows_same(&got, &expected);
	for (size_t i = 0; i < got.count; i++)
		ck_assert_uint_eq(got.rows[i].line, expected.rows[i].line);
	rows_release(&got);
	options.thread_count = 4;
	ck_ok(world_query(both, 4, NULL, &got));
	rows_same_set(&got, &expected);
	rows_release(&got);
	rows_release(&expected);
}
END_TEST

START_TEST(a_shared_query_that_fails_fails_for_all)
{
	struct query_node *shared, *both;

	make_table(5000, 2, 4);
	options.memory_bytes = 1;
	shared = node_of(QUERY_SHARED, &table.schema, scan_of(&table), NULL);
	both = node_of(QUERY_UNION_ALL, &table.schema, shared, shared);
	world_fail_disk(both);
	world_fail_each(both, 20000);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct query_node *node;

	make_table(_i ? 3000 : 600, 2, 0);
	options.memory_bytes = _i ? 1 : 0;
	node = sorted(false, false, false, false);
	if (!_i)
		node->limit = 5;
	world_fail_each(node, 20000);
	if (_i)
		world_fail_disk(node);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sort_source");
	TCase *tc = tcase_create("sort_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, rows_come_in_the_order_of_all_kinds_of_keys, 0,
			    25);
	tcase_add_test(tc, rows_that_do_not_fit_in_memory_come_in_order);
	tcase_add_test(tc, more_runs_than_are_merged_at_once_come_in_order);
	tcase_add_loop_test(tc, a_limit_gives_the_first_rows_behind_its_offset,
			    0, 9);
	tcase_add_test(tc, only_wanted_columns_are_given);
	tcase_add_test(tc, zeros_are_equal_and_nan_is_the_greatest);
	tcase_add_loop_test(tc,
			    a_shared_query_gives_all_its_rows_to_each_reader,
			    0, 2);
	tcase_add_test(tc, a_shared_query_that_fails_fails_for_all);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
