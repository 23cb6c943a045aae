/*
 * GROUP BY, DISTINCT, EXCEPT and INTERSECT against loops over rows of
 * numbers.
 */
#include "unit/query_world.h"

static struct world_table table, other;

static void setup(void)
{
	world_setup();
	memset(&other, 0, sizeof(other));
}

static void teardown(void)
{
	mem_fail_at(-1);
	world_table_release(&table);
	world_table_release(&other);
	expr_teardown();
}

static void make(struct world_table *to, size_t rows, unsigned kind,
		 uint64_t groups)
{
	const unsigned kinds[] = { kind, 0, 0 };
	const uint64_t range[] = { groups, 3, 20 };

	world_fill(to, rows, kinds, range, 3, true);
}

static void set_call(struct aggregate_call *call, const char *name,
		     struct expr *arg)
{
	struct type wanted[2];
	struct type arg_type = arg ? arg->type : type_of(TYPE_BIGINT);

	ck_ok(aggregate_find(&call->function, name, &arg_type, arg != NULL,
			     wanted, &call->type, &err));
	ck_assert_ptr_nonnull(call->function);
	call->arg_count = arg != NULL;
	call->args = arena_zalloc_array(&arena, 1, sizeof(*call->args));
	call->args[0] = arg;
}

/* groups of c0 and c1: count(*), max(c2), count(c2) FILTER (c2 < 7),
 * min(c2); then, if special, count(DISTINCT c2) and any_value(c2 ORDER BY c2
 * DESC). */
static struct query_node *group(size_t group_count, bool special)
{
	struct query_aggregate *aggregate =
		arena_zalloc(&arena, sizeof(*aggregate));
	struct aggregate_call *calls =
		arena_zalloc_array(&arena, 6, sizeof(*calls));
	size_t count = special ? 6 : 4, n = 0;
	struct query_node *node;
	struct type types[8];

	aggregate->group_count = group_count;
	aggregate->groups = arena_zalloc_array(&arena, 3,
					       sizeof(*aggregate->groups));
	aggregate->calls = calls;
	aggregate->call_count = count;
	for (; n < group_count; n++) {
		aggregate->groups[n] = column_of(&table, n);
		types[n] = aggregate->groups[n]->type;
	}
	set_call(&calls[0], "count", NULL);
	set_call(&calls[1], "max", column_of(&table, 2));
	set_call(&calls[2], "count", column_of(&table, 2));
	calls[2].filter = call2("<", col(2, "BIGINT"), lit("BIGINT:7"));
	set_call(&calls[3], "min", column_of(&table, 2));
	set_call(&calls[4], "count", column_of(&table, 2));
	calls[4].distinct = true;
	set_call(&calls[5], "any_value", column_of(&table, 2));
	calls[5].order_count = 1;
	calls[5].order = arena_zalloc_array(&arena, 1,
					    sizeof(*calls[5].order));
	calls[5].order[0].expr = column_of(&table, 2);
	calls[5].order[0].descending = true;
	for (size_t i = 0; i < count; i++)
		types[n++] = calls[i].type;
	node = node_of(QUERY_AGGREGATE, world_schema(types, n),
		       scan_of(&table), NULL);
	node->aggregate = aggregate;
	return node;
}

/* One row of the result of rows first .. end - 1, which are of a group. */
static void model_group(const struct world_row *rows, size_t count,
			size_t group_count, struct world_row *out)
{
	int64_t *v = out->v + group_count;
	bool seen[64] = { false };

	for (size_t i = 0; i < group_count; i++)
		out->v[i] = rows[0].v[i];
	v[0] = (int64_t)count;
	v[1] = v[3] = v[5] = WORLD_NULL;
	for (size_t i = 0; i < count; i++) {
		int64_t x = rows[i].v[2];

		if (x == WORLD_NULL)
			continue;
		v[1] = v[1] == WORLD_NULL || x > v[1] ? x : v[1];
		v[3] = v[3] == WORLD_NULL || x < v[3] ? x : v[3];
		v[2] += x < 7;
		v[4] += !seen[x + 20];
		seen[x + 20] = true;
	}
	v[5] = v[1];
}

static void model(size_t group_count, struct world_rows *out)
{
	struct world_rows all = { .columns = group_count };
	size_t end;

	for (size_t i = 0; i < table.data.count; i++)
		*rows_add(&all) = table.data.rows[i];
	rows_sort(&all);
	memset(out, 0, sizeof(*out));
	for (size_t at = 0; at < all.count; at = end) {
		for (end = at + 1; end < all.count; end++)
			if (compare_rows(&all.rows[at], &all.rows[end]))
				break;
		model_group(&all.rows[at], end - at, group_count,
			    rows_add(out));
	}
	if (!all.count && !group_count)
		model_group(NULL, 0, 0, rows_add(out));
	rows_release(&all);
}

static void check_set(struct query_node *node, struct world_rows *expected,
		      bool lines)
{
	struct world_rows got, first = { 0 };

	expected->columns = node->schema->column_count;
	for (size_t threads = 1; threads <= 4; threads++) {
		options.thread_count = threads;
		/* the same order for any number of threads */
		ck_ok(world_query(node, 1, NULL, &got));
		if (threads == 1)
			first = got;
		else if (!options.memory_bytes)
			rows_same(&got, &first);
		if (threads > 1)
			rows_release(&got);
		ck_ok(world_query(node, threads, NULL, &got));
		rows_same_set(&got, expected);
		for (size_t i = 0; lines && i < got.count; i++)
			ck_assert_uint_eq(got.rows[i].line,
					  expected->rows[i].line);
		rows_release(&got);
	}
	rows_release(&first);
}

static void check_group(size_t group_count, bool special)
{
	struct query_node *node = group(group_count, special);
	struct world_rows expected;

	model(group_count, &expected);
	check_set(node, &expected, false);
	rows_release(&expected);
	schema_release(node->schema);
}

START_TEST(groups_of_keys_of_each_type_are_counted)
{
	make(&table, 5000, (unsigned)_i, 300);
	check_group(1, false);
	check_group(2, false);
	check_group(2, true);
}
END_TEST

START_TEST(without_keys_there_is_one_row)
{
	make(&table, _i ? 3000 : 0, 0, 300);
	check_group(0, false);
	check_group(0, true);
	check_group(1, false);
	check_group(1, true);
}
END_TEST

START_TEST(one_group_of_numbers_keeps_no_rows)
{
	struct query_node *node;

	make(&table, 10, 0, 3);
	for (size_t i = 0; i < 4; i++) {
		node = group(i / 2, i % 2);
		ck_assert_int_eq(query_keeps_rows(node), i != 0);
		schema_release(node->schema);
	}
}
END_TEST

START_TEST(groups_that_do_not_fit_are_counted)
{
	make(&table, 30000, _i ? 2 : 0, 700);
	for (size_t i = 0; i < table.data.count; i++)
		if (i % 2)
			table.data.rows[i].v[0] = (int64_t)draw(8000);
	options.memory_bytes = 1;
	check_group(2, false);
	check_group(1, true);
}
END_TEST

/* Rows of a table, each once, with the least line; of the other: sides. */
static void model_sets(enum query_kind kind, struct world_rows *out)
{
	struct world_rows all = { .columns = 3 };
	size_t end;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < table.data.count; i++)
		*rows_add(&all) = table.data.rows[i];
	for (size_t i = 0; i < other.data.count; i++) {
		*rows_add(&all) = other.data.rows[i];
		all.rows[all.count - 1].line += 1000000;
	}
	rows_sort(&all);
	for (size_t at = 0; at < all.count; at = end) {
		uint64_t first = UINT64_MAX;
		bool second = false;

		for (end = at; end < all.count; end++) {
			if (compare_rows(&all.rows[at], &all.rows[end]))
				break;
			second |= all.rows[end].line > 1000000;
			if (all.rows[end].line < first)
				first = all.rows[end].line;
		}
		if (first > 1000000 || (kind == QUERY_EXCEPT && second) ||
		    (kind == QUERY_INTERSECT && !second))
			continue;
		all.rows[at].line = first;
		*rows_add(out) = all.rows[at];
	}
	rows_release(&all);
}

static void check_sets(enum query_kind kind)
{
	struct world_rows expected;

	if (kind == QUERY_DISTINCT)
		other.data.count = 0;
	model_sets(kind, &expected);
	check_set(node_of(kind, &table.schema, scan_of(&table),
			  kind == QUERY_DISTINCT ? NULL : scan_of(&other)),
		  &expected, true);
	rows_release(&expected);
}

START_TEST(set_operations_give_each_row_once_with_its_first_place)
{
	make(&table, 4000, (unsigned)_i, 40);
	make(&other, 2000, (unsigned)_i, 40);
	check_sets(QUERY_EXCEPT);
	check_sets(QUERY_INTERSECT);
	check_sets(QUERY_DISTINCT);
}
END_TEST

START_TEST(set_operations_do_not_need_memory)
{
	make(&table, 20000, _i ? 2 : 0, 800);
	make(&other, 10000, _i ? 2 : 0, 800);
	options.memory_bytes = 1;
	check_sets(QUERY_EXCEPT);
	check_sets(QUERY_INTERSECT);
	check_sets(QUERY_DISTINCT);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct query_node *node;

	make(&table, _i & 1 ? 6000 : 600, 2, 900);
	options.memory_bytes = _i & 1 ? 1 : 0;
	node = group(2, _i & 2);
	world_fail_each(node, 1000000);
	if (_i & 1)
		world_fail_disk(node);
	schema_release(node->schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aggregate_source");
	TCase *tc = tcase_create("aggregate_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, groups_of_keys_of_each_type_are_counted, 0, 5);
	tcase_add_loop_test(tc, without_keys_there_is_one_row, 0, 2);
	tcase_add_test(tc, one_group_of_numbers_keeps_no_rows);
	tcase_add_loop_test(tc, groups_that_do_not_fit_are_counted, 0, 2);
	tcase_add_loop_test(tc,
		set_operations_give_each_row_once_with_its_first_place, 0, 5);
	tcase_add_loop_test(tc, set_operations_do_not_need_memory, 0, 2);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 4);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
