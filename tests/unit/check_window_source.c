/*
 * Window functions against loops that look at all rows of a partition for
 * each row.
 */
#include "unit/query_world.h"

static struct world_table table;
static bool descending, nulls_first;

static void setup(void)
{
	world_setup();
	descending = nulls_first = false;
}

static void teardown(void)
{
	mem_fail_at(-1);
	world_table_release(&table);
	expr_teardown();
}

/* c0: partition, c1: order, c2: value, c3: number of the row */
static void make(size_t rows, unsigned kind, uint64_t partitions)
{
	const unsigned kinds[] = { 2, kind, 0, 0 };
	const uint64_t range[] = { partitions, 30, 20, 0 };

	world_fill(&table, rows, kinds, range, 4, true);
}

static void set_call(struct window_call *call, enum window_function function,
		     const char *aggregate)
{
	struct aggregate_call *what = &call->aggregate;
	struct type arg = type_of(TYPE_BIGINT), wanted[2];

	memset(call, 0, sizeof(*call));
	call->function = function;
	what->args = arena_zalloc_array(&arena, 3, sizeof(*what->args));
	what->args[0] = column_of(&table, 2);
	what->args[1] = lit("BIGINT:2");
	what->args[2] = lit("BIGINT:-5");
	what->type = type_of(TYPE_BIGINT);
	call->start = FRAME_UNBOUNDED_PRECEDING;
	call->end = FRAME_CURRENT_ROW;
	call->unit = FRAME_RANGE;
	switch (function) {
	case WINDOW_LAG:
	case WINDOW_LEAD:
		what->arg_count = 3;
		break;
	case WINDOW_NTH_VALUE:
		what->arg_count = 2;
		break;
	case WINDOW_NTILE:
		what->arg_count = 1;
		what->args[0] = lit("BIGINT:3");
		break;
	case WINDOW_FIRST_VALUE:
	case WINDOW_LAST_VALUE:
	case WINDOW_AGGREGATE:
		what->arg_count = 1;
		break;
	default:
		break;
	}
	if (function != WINDOW_AGGREGATE)
		return;
	ck_ok(aggregate_find(&what->function, aggregate, &arg, 1, wanted,
			     &what->type, &err));
}

static struct query_node *window(struct window_call *calls, size_t count)
{
	struct query_window *what = arena_zalloc(&arena, sizeof(*what));
	struct type types[WORLD_COLUMNS];
	struct query_node *node;

	for (size_t i = 0; i < 4; i++)
		types[i] = table.schema.columns[i].type;
	for (size_t i = 0; i < count; i++)
		types[4 + i] = calls[i].aggregate.type;
	what->partition_count = 1;
	what->partition = arena_zalloc_array(&arena, 1,
					     sizeof(*what->partition));
	what->partition[0] = column_of(&table, 0);
	what->order_count = 1;
	what->order = arena_zalloc_array(&arena, 1, sizeof(*what->order));
	what->order[0].expr = column_of(&table, 1);
	what->order[0].descending = descending;
	what->order[0].nulls_first = nulls_first;
	what->calls = calls;
	what->call_count = count;
	node = node_of(QUERY_WINDOW, world_schema(types, 4 + count),
		       scan_of(&table), NULL);
	node->window = what;
	return node;
}

static int order_of(int64_t a, int64_t b)
{
	if (a == b)
		return 0;
	if (a == WORLD_NULL || b == WORLD_NULL)
		return (a == WORLD_NULL) == nulls_first ? -1 : 1;
	return (a < b ? -1 : 1) * (descending ? -1 : 1);
}

static int compare_by_model(const void *a, const void *b)
{
	const struct world_row *x = a, *y = b;

	if (x->v[0] != y->v[0])
		return x->v[0] < y->v[0] ? -1 : 1;
	if (order_of(x->v[1], y->v[1]))
		return order_of(x->v[1], y->v[1]);
	return x->v[3] < y->v[3] ? -1 : x->v[3] > y->v[3];
}

/* Number of peer groups between the first row and row i. */
static int64_t group_of(const struct world_row *rows, size_t i)
{
	int64_t n = 0;

	for (size_t k = 1; k <= i; k++)
		n += rows[k].v[1] != rows[k - 1].v[1];
	return n;
}

/* Is row k on the inner side of an end of the frame of row i? */
static bool is_inside(const struct world_row *rows, size_t i, size_t k,
		      const struct window_call *call, bool is_end)
{
	enum frame_bound bound = is_end ? call->end : call->start;
	const struct expr *offset = is_end ? call->end_offset
					   : call->start_offset;
	int64_t n = offset ? offset->literal.value.int64 : 0, distance;
	int64_t a = rows[i].v[1], b = rows[k].v[1];

	if (bound == FRAME_UNBOUNDED_PRECEDING ||
	    bound == FRAME_UNBOUNDED_FOLLOWING)
		return true;
	if (bound == FRAME_CURRENT_ROW)
		n = 0;
	if (bound == FRAME_PRECEDING)
		n = -n;
	if (call->unit == FRAME_ROWS)
		distance = (int64_t)k - (int64_t)i;
	else if (call->unit == FRAME_GROUPS)
		distance = group_of(rows, k) - group_of(rows, i);
	else if (a == WORLD_NULL || b == WORLD_NULL ||
		 bound == FRAME_CURRENT_ROW) {
		int order = order_of(b, a);

		return is_end ? order <= 0 : order >= 0;
	} else {
		distance = descending ? a - b : b - a;
	}
	return is_end ? distance <= n : distance >= n;
}

static int64_t model_frame(const struct world_row *rows, size_t count,
			   size_t i, const struct window_call *call)
{
	int64_t values[4000], sum = 0, some = 0, n = 0, least = WORLD_NULL;
	const char *name = call->function == WINDOW_AGGREGATE
		? aggregate_name(call->aggregate.function) : "";

	for (size_t k = 0; k < count; k++) {
		int64_t x = rows[k].v[2];

		if (!is_inside(rows, i, k, call, false) ||
		    !is_inside(rows, i, k, call, true))
			continue;
		if (x != WORLD_NULL) {
			sum += x;
			some++;
			least = least == WORLD_NULL || x < least ? x : least;
		}
		if (x != WORLD_NULL || !call->ignore_nulls)
			values[n++] = x;
	}
	if (call->function == WINDOW_FIRST_VALUE)
		return n ? values[0] : WORLD_NULL;
	if (call->function == WINDOW_LAST_VALUE)
		return n ? values[n - 1] : WORLD_NULL;
	if (call->function == WINDOW_NTH_VALUE)
		return n > 1 ? values[1] : WORLD_NULL;
	if (strcmp(name, "count") == 0)
		return some;
	if (strcmp(name, "min") == 0)
		return least;
	return some ? sum : WORLD_NULL;
}

/* LAG and LEAD by 2, else -5. */
static int64_t model_shift(const struct world_row *rows, size_t count,
			   size_t i, const struct window_call *call)
{
	int64_t step = call->function == WINDOW_LAG ? -1 : 1, n = 0;

	for (int64_t k = (int64_t)i + step; k >= 0 && k < (int64_t)count;
	     k += step) {
		n += rows[k].v[2] != WORLD_NULL || !call->ignore_nulls;
		if (n == 2)
			return rows[k].v[2];
	}
	return -5;
}

static int64_t model_call(const struct world_row *rows, size_t count, size_t i,
			  const struct window_call *call)
{
	size_t rank = i, end = i, large = count % 3, small = count / 3;

	while (rank && rows[rank - 1].v[1] == rows[i].v[1])
		rank--;
	while (end < count && rows[end].v[1] == rows[i].v[1])
		end++;
	switch (call->function) {
	case WINDOW_ROW_NUMBER:
		return (int64_t)i + 1;
	case WINDOW_RANK:
		return (int64_t)rank + 1;
	case WINDOW_DENSE_RANK:
		return group_of(rows, i) + 1;
	case WINDOW_PERCENT_RANK:
		return count > 1 ? (int64_t)(2.0 * (double)rank /
					     (double)(count - 1)) : 0;
	case WINDOW_CUME_DIST:
		return (int64_t)(2.0 * (double)end / (double)count);
	case WINDOW_NTILE:
		return i < large * (small + 1) ? (int64_t)(i / (small + 1)) + 1
			: (int64_t)(large + (i - large * (small + 1)) /
					    (small ? small : 1)) + 1;
	case WINDOW_LAG:
	case WINDOW_LEAD:
		return model_shift(rows, count, i, call);
	default:
		return model_frame(rows, count, i, call);
	}
}

static void model(const struct window_call *calls, size_t call_count,
		  struct world_rows *out)
{
	struct world_rows sorted = { .columns = 4 };
	size_t end;

	memset(out, 0, sizeof(*out));
	out->columns = 4 + call_count;
	for (size_t i = 0; i < table.data.count; i++)
		*rows_add(&sorted) = table.data.rows[i];
	if (sorted.count)
		qsort(sorted.rows, sorted.count, sizeof(*sorted.rows),
		      compare_by_model);
	for (size_t at = 0; at < sorted.count; at = end) {
		for (end = at; end < sorted.count &&
			       sorted.rows[end].v[0] == sorted.rows[at].v[0];)
			end++;
		for (size_t i = at; i < end; i++) {
			struct world_row *row = rows_add(out);

			*row = sorted.rows[i];
			for (size_t c = 0; c < call_count; c++)
				row->v[4 + c] = model_call(&sorted.rows[at],
							   end - at, i - at,
							   &calls[c]);
		}
	}
	rows_release(&sorted);
}

static void check(struct window_call *calls, size_t count)
{
	struct query_node *node = window(calls, count);
	struct world_rows got, expected;

	model(calls, count, &expected);
	for (size_t threads = 1; threads <= 4; threads += 3) {
		options.thread_count = threads;
		ck_ok(world_query(node, threads, NULL, &got));
		rows_same(&got, &expected);
		for (size_t i = 0; i < got.count; i++)
			ck_assert_uint_eq(got.rows[i].line,
					  expected.rows[i].line);
		rows_release(&got);
	}
	rows_release(&expected);
	schema_release(node->schema);
}

static void check_ranks(void)
{
	struct window_call calls[8];

	for (int i = WINDOW_ROW_NUMBER; i <= WINDOW_LEAD; i++) {
		set_call(&calls[i], (enum window_function)i, NULL);
		if (i == WINDOW_PERCENT_RANK || i == WINDOW_CUME_DIST)
			calls[i].aggregate.type = type_of(TYPE_DOUBLE);
	}
	check(calls, WINDOW_LEAD + 1);
	/* these do not look behind the row */
	check(calls, WINDOW_DENSE_RANK + 1);
	check(&calls[WINDOW_LAG], 1);
	calls[WINDOW_LAG].ignore_nulls = true;
	calls[WINDOW_LEAD].ignore_nulls = true;
	check(&calls[WINDOW_LAG], 2);
}

static void check_frames(void)
{
	static const struct {
		enum window_function function;
		const char *name;
	} functions[] = {
		{ WINDOW_FIRST_VALUE, NULL }, { WINDOW_LAST_VALUE, NULL },
		{ WINDOW_NTH_VALUE, NULL }, { WINDOW_AGGREGATE, "sum" },
		{ WINDOW_AGGREGATE, "count" }, { WINDOW_AGGREGATE, "min" },
	};
	struct window_call calls[6];

	for (int start = 0; start < 5; start++)
		for (int end = start; end < 5; end++)
			for (int unit = 0; unit < 3; unit++) {
				for (size_t i = 0; i < 6; i++) {
					struct window_call *c = &calls[i];

					set_call(c, functions[i].function,
						 functions[i].name);
					c->unit = (enum frame_unit)unit;
					c->start = (enum frame_bound)start;
					c->end = (enum frame_bound)end;
					c->start_offset = lit("BIGINT:3");
					c->end_offset = lit("BIGINT:2");
					c->ignore_nulls = i < 3 && draw(2);
				}
				if (start != FRAME_UNBOUNDED_FOLLOWING &&
				    end != FRAME_UNBOUNDED_PRECEDING)
					check(calls, 6);
			}
}

START_TEST(functions_of_the_place_of_a_row)
{
	descending = _i & 1;
	nulls_first = _i & 2;
	make(700, (unsigned)_i % 5, 9);
	check_ranks();
	world_table_release(&table);
	make(0, 0, 9);
	check_ranks();
}
END_TEST

START_TEST(functions_of_all_frames)
{
	descending = _i & 1;
	nulls_first = _i & 2;
	make(300, _i % 2 ? 0 : 1, 9);
	check_frames();
}
END_TEST

START_TEST(partitions_that_do_not_fit_in_memory)
{
	options.memory_bytes = 1;
	make(1500, 0, 2);
	check_ranks();
	world_table_release(&table);
	make(250, 0, 2);
	check_frames();
}
END_TEST

START_TEST(a_bad_argument_is_refused)
{
	struct query_node *node;
	struct window_call call;
	struct world_rows got;

	make(10, 0, 2);
	set_call(&call, _i ? WINDOW_LAG : WINDOW_NTILE, NULL);
	call.aggregate.args[_i ? 1 : 0] = lit("BIGINT:-1");
	node = window(&call, 1);
	ck_assert_int_eq(world_query(node, 1, NULL, &got),
			 ERROR_BAD_ARGUMENT);
	rows_release(&got);
	schema_release(node->schema);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct window_call calls[3];
	struct query_node *node;

	make(_i ? 3000 : 300, 0, 9);
	set_call(&calls[0], WINDOW_ROW_NUMBER, NULL);
	set_call(&calls[1], WINDOW_LEAD, NULL);
	set_call(&calls[2], WINDOW_AGGREGATE, "sum");
	options.memory_bytes = _i ? 1 : 0;
	node = window(calls, 3);
	world_fail_each(node, 1000000);
	if (_i)
		world_fail_disk(node);
	schema_release(node->schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("window_source");
	TCase *tc = tcase_create("window_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, functions_of_the_place_of_a_row, 0, 5);
	tcase_add_loop_test(tc, functions_of_all_frames, 0, 4);
	tcase_add_test(tc, partitions_that_do_not_fit_in_memory);
	tcase_add_loop_test(tc, a_bad_argument_is_refused, 0, 2);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
