/* Building, comparing and copying trees. */
#include "unit/expr_build.h"

static struct expr *sample(void)
{
	return BOOL_NODE(EXPR_AND, col(0, "BOOLEAN"),
			 call2("<", call2("+", col(1, "INTEGER"),
					  lit("INTEGER:2")),
			       col(3, "INTEGER")));
}

START_TEST(and_joins_conjunctions_flat_and_leaves_out_nothing)
{
	struct expr *a = col(0, "BOOLEAN"), *b = col(1, "BOOLEAN");
	struct expr *c = col(2, "BOOLEAN"), *both;

	ck_assert_ptr_null(expr_and(&arena, NULL, NULL));
	ck_assert_ptr_eq(expr_and(&arena, a, NULL), a);
	ck_assert_ptr_eq(expr_and(&arena, NULL, b), b);
	both = expr_and(&arena, expr_and(&arena, a, b), c);
	ck_assert_int_eq(both->kind, EXPR_AND);
	ck_assert_uint_eq(both->arg_count, 3);
	ck_assert_ptr_eq(both->args[0], a);
	ck_assert_ptr_eq(both->args[2], c);
}
END_TEST

START_TEST(the_columns_that_are_read_are_marked)
{
	bool used[5] = { false };

	expr_mark_columns(sample(), used);
	expr_mark_columns(NULL, used);
	ck_assert(used[0] && used[1] && !used[2] && used[3] && !used[4]);
	ck_assert(!expr_is_constant(sample()));
	ck_assert(expr_is_constant(call2("+", lit("INTEGER:1"),
					 lit("INTEGER:2"))));
}
END_TEST

START_TEST(true_false_and_null_literals_are_told_apart)
{
	ck_assert(expr_is_true(NULL));
	ck_assert(expr_is_true(lit("BOOLEAN:true")));
	ck_assert(!expr_is_true(lit("BOOLEAN:false")));
	ck_assert(!expr_is_true(lit("BOOLEAN")));
	ck_assert(!expr_is_true(lit("INTEGER:1")));
	ck_assert(expr_is_false_or_null(lit("BOOLEAN:false")));
	ck_assert(expr_is_false_or_null(lit("BOOLEAN")));
	ck_assert(expr_is_false_or_null(lit("UNKNOWN")));
	ck_assert(!expr_is_false_or_null(lit("BOOLEAN:true")));
	ck_assert(!expr_is_false_or_null(lit("INTEGER:0")));
	ck_assert(!expr_is_false_or_null(NULL));
}
END_TEST

START_TEST(equal_trees_are_equal_and_others_are_not)
{
	struct expr *a = sample(), *b = sample();

	ck_assert(expr_equal(a, b));
	b->args[0]->column = 2;
	ck_assert(!expr_equal(a, b));
	ck_assert(!expr_equal(a, NULL));
	ck_assert(expr_equal(lit("DOUBLE:NaN"), lit("DOUBLE:NaN")));
	ck_assert(!expr_equal(lit("DOUBLE:0.0"), lit("DOUBLE:-0.0")));
	ck_assert(!expr_equal(lit("INTEGER:1"), lit("BIGINT:1")));
	ck_assert(!expr_equal(lit("INTEGER:1"), lit("INTEGER")));
	ck_assert(!expr_equal(lit("VARCHAR:a"), lit("VARCHAR:b")));
	ck_assert(!expr_equal(call2("=", col(0, "INTEGER"), lit("INTEGER:1")),
			      call2("<>", col(0, "INTEGER"),
				    lit("INTEGER:1"))));
	ck_assert(!expr_equal(BOOL_NODE(EXPR_NOT, col(0, "BOOLEAN")),
			      BOOL_NODE(EXPR_IS_NULL, col(0, "BOOLEAN"))));
}
END_TEST

START_TEST(remap_copies_deeply)
{
	static const size_t map[] = { 7, 5, 0, 6 };
	struct expr *a = sample(), *b = expr_remap(&arena, a, map);
	bool used[8] = { false };

	ck_assert(expr_equal(a, sample()));
	expr_mark_columns(b, used);
	ck_assert(used[7] && used[5] && used[6] && !used[0] && !used[1]);
	ck_assert_ptr_ne(a->args[0], b->args[0]);
}
END_TEST

START_TEST(each_failed_allocation_gives_null)
{
	struct expr *a = sample(), *copy = NULL;
	static const size_t map[] = { 0, 1, 2, 3 };
	struct arena small;
	long n;

	for (n = 0; !copy; n++) {
		memset(&small, 0, sizeof(small));
		arena_init(&small, 16);
		mem_fail_at(n);
		copy = expr_remap(&small, a, map);
		mem_fail_at(-1);
		if (copy)
			ck_assert(expr_equal(a, copy));
		arena_release(&small);
	}
	ck_assert_int_gt(n, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr_node");
	TCase *tc = tcase_create("expr_node");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc,
		       and_joins_conjunctions_flat_and_leaves_out_nothing);
	tcase_add_test(tc, the_columns_that_are_read_are_marked);
	tcase_add_test(tc, true_false_and_null_literals_are_told_apart);
	tcase_add_test(tc, equal_trees_are_equal_and_others_are_not);
	tcase_add_test(tc, remap_copies_deeply);
	tcase_add_test(tc, each_failed_allocation_gives_null);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
