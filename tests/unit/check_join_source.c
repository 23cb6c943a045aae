/*
 * All kinds of joins against nested loops over rows of numbers.
 */
#include "unit/query_world.h"
#include "util/error_list.h"

static struct world_table left, right;

static void setup(void)
{
	world_setup();
}

static void teardown(void)
{
	mem_fail_at(-1);
	world_table_release(&left);
	world_table_release(&right);
	expr_teardown();
}

/* What a test joins by. */
struct shape {
	enum join_kind kind;
	size_t keys;		/* columns 0 .. keys - 1 of both */
	bool residual;		/* left c2 < right c2 */
	bool null_aware;
	bool computed;		/* keys are c + 0 */
	bool null_safe;		/* the first key */
};

static void make_tables(size_t left_rows, size_t right_rows, unsigned kind,
			uint64_t range)
{
	const unsigned kinds[] = { kind, 0, 0 };
	const uint64_t ranges[] = { range, 3, 50 };

	world_fill(&left, left_rows, kinds, ranges, 3, true);
	world_fill(&right, right_rows, kinds, ranges, 3, true);
}

static struct expr *key_of(const struct world_table *table, size_t k,
			   bool computed)
{
	struct expr *expr = column_of(table, k);

	return computed ? BOOL_NODE(EXPR_COALESCE, expr, expr) : expr;
}

static struct query_node *join_of(const struct shape *shape)
{
	struct query_join *join = arena_zalloc(&arena, sizeof(*join));
	struct type types[7];
	struct query_node *node;
	size_t count = shape->kind == JOIN_SINGLE ? 7 : 6;

	for (size_t i = 0; i < 3; i++) {
		types[i] = left.schema.columns[i].type;
		types[3 + i] = right.schema.columns[i].type;
	}
	types[6] = type_of(TYPE_INTEGER);
	if (shape->kind == JOIN_SEMI || shape->kind == JOIN_ANTI)
		count = 3;
	if (shape->kind == JOIN_MARK) {
		count = 4;
		types[3] = type_of(TYPE_BOOLEAN);
	}
	node = node_of(QUERY_JOIN, world_schema(types, count), scan_of(&left),
		       scan_of(&right));
	node->join = join;
	join->kind = shape->kind;
	join->null_aware = shape->null_aware;
	join->key_count = shape->keys;
	join->keys = arena_zalloc_array(&arena, shape->keys + 1,
					sizeof(*join->keys));
	/* IN compares the last key, column 0; column 1 correlates */
	for (size_t k = 0; k < shape->keys; k++) {
		size_t column = shape->null_aware ? shape->keys - 1 - k : k;

		join->keys[k].left = key_of(&left, column, shape->computed);
		join->keys[k].right = key_of(&right, column, shape->computed);
		if (shape->computed) {
			join->keys[k].left->type =
				left.schema.columns[column].type;
			join->keys[k].right->type =
				right.schema.columns[column].type;
		}
		join->keys[k].null_safe = shape->null_safe && k == 0;
	}
	if (shape->residual)
		join->residual = call2("<", col(2, "BIGINT"),
				       col(5, "BIGINT"));
	return node;
}

static int and3(int a, int b)
{
	return a < b ? a : b;	/* 0 false, 1 unknown, 2 true */
}

static int equal3(int64_t a, int64_t b, bool null_safe)
{
	if (null_safe)
		return a == b ? 2 : 0;
	if (a == WORLD_NULL || b == WORLD_NULL)
		return 1;
	return a == b ? 2 : 0;
}

/* Is it a match? */
static int match3(const struct shape *shape, const struct world_row *l,
		  const struct world_row *r)
{
	int rest = 2, in = 2;

	for (size_t k = 0; k < shape->keys; k++) {
		int e = equal3(l->v[k], r->v[k], shape->null_safe && k == 0);

		if (shape->null_aware && k == 0)
			in = e;
		else
			rest = and3(rest, e);
	}
	if (shape->residual) {
		if (l->v[2] == WORLD_NULL || r->v[2] == WORLD_NULL)
			rest = and3(rest, 1);
		else if (l->v[2] >= r->v[2])
			rest = 0;
	}
	return rest < 2 ? 0 : in;	/* no row of the subquery, or IN's */
}

static void put_row(struct world_rows *out, const struct world_row *l,
		    const struct world_row *r)
{
	struct world_row *row = rows_add(out);

	for (size_t i = 0; i < 3; i++) {
		row->v[i] = l ? l->v[i] : WORLD_NULL;
		row->v[3 + i] = r ? r->v[i] : WORLD_NULL;
	}
}

static void model(const struct shape *shape, struct world_rows *out)
{
	bool *matched = calloc(right.data.count + 1, 1);
	enum join_kind kind = shape->kind;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < left.data.count; i++) {
		const struct world_row *l = &left.data.rows[i];
		const struct world_row *single = NULL;
		size_t matches = 0;
		int best = 0;

		for (size_t k = 0; k < right.data.count; k++) {
			const struct world_row *r = &right.data.rows[k];
			int m = match3(shape, l, r);

			best = m > best ? m : best;
			if (m < 2)
				continue;
			matched[k] = true;
			matches++;
			single = r;
			if (kind <= JOIN_FULL)
				put_row(out, l, r);
		}
		if ((!matches && (kind == JOIN_LEFT || kind == JOIN_FULL ||
				  kind == JOIN_ANTI)) ||
		    (matches && kind == JOIN_SEMI))
			put_row(out, l, NULL);
		if (kind == JOIN_SINGLE) {
			put_row(out, l, matches == 1 ? single : NULL);
			out->rows[out->count - 1].v[6] =
				!matches ? WORLD_NULL : matches > 1 ?
				SINGLE_SEVERAL : SINGLE_ONE;
		}
		if (kind == JOIN_MARK) {
			put_row(out, l, NULL);
			out->rows[out->count - 1].v[3] =
				best == 1 ? WORLD_NULL : best == 2;
		}
	}
	for (size_t k = 0; k < right.data.count; k++)
		if (!matched[k] && (kind == JOIN_RIGHT || kind == JOIN_FULL))
			put_row(out, NULL, &right.data.rows[k]);
	free(matched);
}

static void check(const struct shape *shape, size_t memory)
{
	struct query_node *node = join_of(shape);
	struct world_rows got, expected, first = { 0 };

	model(shape, &expected);
	options.memory_bytes = memory;
	expected.columns = node->schema->column_count;
	for (size_t threads = 1; threads <= 4; threads++) {
		int rc;

		options.thread_count = threads;
		rc = world_query(node, threads, NULL, &got);
		ck_assert_msg(rc == 0, "%s", err.text);
		rows_same_set(&got, &expected);
		rows_release(&got);
	}
	/* by one stream the order is the same for any number of threads */
	for (size_t threads = 1; !memory && threads <= 4; threads++) {
		options.thread_count = threads;
		ck_ok(world_query(node, 1, NULL, &got));
		if (threads == 1)
			first = got;
		else
			rows_same(&got, &first);
		if (threads > 1)
			rows_release(&got);
	}
	rows_release(&first);
	rows_release(&expected);
	schema_release(node->schema);
}

static void check_kinds(struct shape shape, size_t memory)
{
	for (int kind = JOIN_INNER; kind <= JOIN_SINGLE; kind++) {
		shape.kind = (enum join_kind)kind;
		shape.null_aware = false;
		check(&shape, memory);
		if (kind != JOIN_MARK || !shape.keys || shape.null_safe)
			continue;
		shape.null_aware = true;
		check(&shape, memory);
	}
}

START_TEST(all_kinds_join_by_one_key_of_each_type)
{
	make_tables(700, 300, (unsigned)_i, 400);
	check_kinds((struct shape){ .keys = 1 }, 0);
	check_kinds((struct shape){ .keys = 1, .residual = true }, 0);
	check_kinds((struct shape){ .keys = 1, .computed = true }, 0);
	check_kinds((struct shape){ .keys = 1, .null_safe = true }, 0);
}
END_TEST

START_TEST(all_kinds_join_by_two_keys)
{
	make_tables(700, 300, _i ? 2 : 0, 60);
	check_kinds((struct shape){ .keys = 2 }, 0);
	check_kinds((struct shape){ .keys = 2, .residual = true }, 0);
}
END_TEST

START_TEST(all_kinds_join_without_keys)
{
	make_tables(110, 90, 0, 60);
	check_kinds((struct shape){ .residual = true }, 0);
	check_kinds((struct shape){ .keys = 0 }, 0);
}
END_TEST

START_TEST(an_input_without_rows_joins)
{
	make_tables(_i & 1 ? 0 : 100, _i & 2 ? 0 : 100, 0, 60);
	check_kinds((struct shape){ .keys = 1 }, 0);
	check_kinds((struct shape){ .keys = 2, .residual = true }, 0);
	check_kinds((struct shape){ .residual = true }, 0);
	check_kinds((struct shape){ .keys = 1 }, 1);
}
END_TEST

START_TEST(keys_without_a_second_match_stand_for_values)
{
	make_tables(500, 0, 0, 60);
	/* all different, so that SINGLE gives rows */
	for (size_t i = 0; i < 300; i++) {
		struct world_row *row = rows_add(&right.data);

		row->v[0] = (int64_t)i - 100;
		row->v[2] = (int64_t)draw(50);
		row->line = i + 2;
	}
	check(&(struct shape){ .kind = JOIN_SINGLE, .keys = 1 }, 0);
	check(&(struct shape){ .kind = JOIN_SINGLE, .keys = 1 }, 1);
	check(&(struct shape){ .kind = JOIN_SINGLE, .keys = 1,
			       .residual = true }, 1);
}
END_TEST

START_TEST(all_kinds_join_from_disk)
{
	make_tables(1500, 1000, _i ? 2 : 0, 1500);
	check_kinds((struct shape){ .keys = 1 }, 1);
	check_kinds((struct shape){ .keys = 2 }, 15000);
	check_kinds((struct shape){ .keys = 1, .residual = true,
				    .computed = true }, 1);
}
END_TEST

START_TEST(a_key_that_does_not_fit_is_joined_part_by_part)
{
	make_tables(60, 3000, 2, 2);
	check_kinds((struct shape){ .keys = 1, .residual = true }, 1);
}
END_TEST

START_TEST(joins_without_keys_go_part_by_part)
{
	make_tables(60, 3000, 0, 60);
	check_kinds((struct shape){ .residual = true }, 1);
}
END_TEST

/* The right input divides by zero. */
static struct query_node *failing_join(enum join_kind kind, bool waits)
{
	struct shape shape = { .kind = kind, .keys = 1 };
	struct query_node *node = join_of(&shape), *filter;

	filter = node_of(QUERY_FILTER, node->inputs[1]->schema,
			 node->inputs[1], NULL);
	filter->condition = call2("=", call2("/", col(2, "BIGINT"),
					     lit("BIGINT:0")),
				  lit("BIGINT:1"));
	node->inputs[1] = filter;
	node->join->waits = waits;
	return node;
}

START_TEST(a_right_input_that_fails_is_told_to_who_asks)
{
	struct error_list errors;
	struct query_node *node;
	struct world_rows got;

	error_list_init(&errors);
	make_tables(_i & 1 ? 0 : 3000, 2000, 0, 60);
	options.memory_bytes = _i & 2 ? 1 : 0;
	node = failing_join(JOIN_SINGLE, true);
	ck_assert_int_eq(world_query(node, 2, NULL, &got),
			 ERROR_DIVISION_BY_ZERO);
	options.context.errors = &errors;
	ck_ok(world_query(node, 2, NULL, &got));
	ck_assert_uint_eq(got.count, left.data.count);
	for (size_t i = 0; i < got.count; i++) {
		ck_assert_int_eq(got.rows[i].v[6], SINGLE_FAILED);
		ck_assert_int_eq(got.rows[i].v[3], WORLD_NULL);
	}
	rows_release(&got);
	ck_assert_int_eq(error_list_get(&errors, 0, &err),
			 ERROR_DIVISION_BY_ZERO);
	schema_release(node->schema);
	node = failing_join(JOIN_SINGLE, false);
	ck_assert_int_eq(world_query(node, 2, NULL, &got),
			 ERROR_DIVISION_BY_ZERO);
	schema_release(node->schema);
	node = failing_join(JOIN_SEMI, false);
	ck_assert_int_eq(world_query(node, 2, NULL, &got), _i & 1 ? 0 :
			 ERROR_DIVISION_BY_ZERO);
	if (_i & 1)
		rows_release(&got);
	schema_release(node->schema);
	options.context.errors = NULL;
	error_list_release(&errors);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct shape shape = { .kind = _i & 1 ? JOIN_FULL : JOIN_MARK,
			       .keys = 2, .residual = true,
			       .null_aware = !(_i & 1) };
	struct query_node *node;

	make_tables(300, 300, 2, 60);
	options.memory_bytes = _i & 2 ? 1 : 0;
	node = join_of(&shape);
	world_fail_each(node, 1000000);
	if (_i & 2)
		world_fail_disk(node);
	schema_release(node->schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("join_source");
	TCase *tc = tcase_create("join_source");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, all_kinds_join_by_one_key_of_each_type, 0, 5);
	tcase_add_loop_test(tc, all_kinds_join_by_two_keys, 0, 2);
	tcase_add_test(tc, all_kinds_join_without_keys);
	tcase_add_loop_test(tc, an_input_without_rows_joins, 0, 4);
	tcase_add_test(tc, keys_without_a_second_match_stand_for_values);
	tcase_add_loop_test(tc, all_kinds_join_from_disk, 0, 2);
	tcase_add_test(tc, a_key_that_does_not_fit_is_joined_part_by_part);
	tcase_add_test(tc, joins_without_keys_go_part_by_part);
	tcase_add_loop_test(tc, a_right_input_that_fails_is_told_to_who_asks,
			    0, 4);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 4);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
