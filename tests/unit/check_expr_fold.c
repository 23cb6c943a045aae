/* What folds, what must not, and what a folded comparison looks like. */
#include "unit/expr_build.h"

static struct expr *folded(struct expr *expr)
{
	ck_ok(expr_fold(&expr, &arena, &err));
	return expr;
}

static void check_literal(struct expr *expr, const char *text)
{
	expr = folded(expr);
	ck_assert_int_eq(expr->kind, EXPR_LITERAL);
	ck_assert_str_eq(shown(&expr->literal), text);
	ck_assert(type_equal(&expr->type, &expr->literal.type));
}

START_TEST(constants_become_literals_of_the_same_type)
{
	struct expr *sum = call2("+", lit("INTEGER:1"),
				 lit("DECIMAL(3,1):2.5"));

	check_literal(sum, "3.5");
	ck_assert_int_eq(folded(sum)->type.precision, 12);
	check_literal(call2("||", lit("VARCHAR:a"), lit("VARCHAR:b")), "ab");
	check_literal(cast_as(EXPR_TRY_CAST, lit("VARCHAR:x"), "DATE"),
		      "NULL");
	check_literal(call2("=", lit("INTEGER:1"), lit("INTEGER:2")),
		      "false");
}
END_TEST

START_TEST(a_constant_that_fails_stays_and_fails_when_reached)
{
	struct expr *bad = call2("/", lit("INTEGER:1"), lit("INTEGER:0"));

	ck_assert_int_eq(folded(bad)->kind, EXPR_CALL);
	ck_assert_str_eq(evaluated(folded(bad)), "!DIVISION_BY_ZERO");
}
END_TEST

START_TEST(what_needs_the_zone_is_left_without_one)
{
	struct expr *cast = cast_as(EXPR_CAST, lit("DATE:2024-01-01"),
				    "TIMESTAMP_TZ");

	ck_assert_int_eq(folded(cast)->kind, EXPR_CAST);
	ck_ok(expr_fold_context(&cast, &utc, &arena, &err));
	ck_assert_int_eq(cast->kind, EXPR_LITERAL);
}
END_TEST

START_TEST(conditions_lose_what_decides_nothing)
{
	struct expr *flag = col(0, "BOOLEAN"), *yes = lit("BOOLEAN:true");
	struct expr *no = lit("BOOLEAN:false");
	struct expr *risky = call2("=", call2("/", lit("INTEGER:1"),
					      col(1, "INTEGER")),
				   lit("INTEGER:1"));

	ck_assert_ptr_eq(folded(BOOL_NODE(EXPR_AND, yes, flag)), flag);
	ck_assert_ptr_eq(folded(BOOL_NODE(EXPR_OR, flag, no)), flag);
	check_literal(BOOL_NODE(EXPR_AND, flag, no), "false");
	check_literal(BOOL_NODE(EXPR_AND, no, risky), "false");
	check_literal(BOOL_NODE(EXPR_OR, flag, yes, risky), "true");
	check_literal(BOOL_NODE(EXPR_AND, yes, yes), "true");
	/* The division may still fail before the FALSE is seen. */
	ck_assert_int_eq(folded(BOOL_NODE(EXPR_AND, risky, no))->kind,
			 EXPR_AND);
	check_literal(call2("=", col(1, "INTEGER"), lit("INTEGER")), "NULL");
	ck_assert(expr_is_false_or_null(folded(call2("<", col(1, "INTEGER"),
						     lit("INTEGER")))));
}
END_TEST

START_TEST(case_and_coalesce_lose_branches_out_of_reach)
{
	struct type type = type_of(TYPE_INTEGER);
	struct expr *a = col(0, "INTEGER"), *b = lit("INTEGER:2");
	struct expr *flag = col(1, "BOOLEAN"), *node;

	ck_assert_ptr_eq(folded(NODE(EXPR_CASE, type, lit("BOOLEAN:false"), b,
				     a)), a);
	ck_assert_ptr_eq(folded(NODE(EXPR_CASE, type, lit("BOOLEAN:true"), a,
				     flag, b)), a);
	check_literal(NODE(EXPR_CASE, type, lit("BOOLEAN"), a), "NULL");
	node = folded(NODE(EXPR_CASE, type, flag, a, lit("BOOLEAN:true"), b,
			   flag, a));
	ck_assert_uint_eq(node->arg_count, 3);
	ck_assert_ptr_eq(node->args[2], b);
	ck_assert_ptr_eq(folded(NODE(EXPR_COALESCE, type, lit("INTEGER"), a)),
			 a);
	node = folded(NODE(EXPR_COALESCE, type, a, b, a));
	ck_assert_uint_eq(node->arg_count, 2);
	check_literal(NODE(EXPR_COALESCE, type, lit("INTEGER"), b, a), "2");
}
END_TEST

/* CAST(column) op literal: the literal's new text, or NULL if it stays. */
static void check_unwrapped(const char *column, const char *literal,
			    const char *want)
{
	struct expr *expr = folded(call2("=", col(0, column), lit(literal)));

	if (!want) {
		ck_assert_int_eq(expr->args[0]->kind, EXPR_CAST);
		return;
	}
	ck_assert_int_eq(expr->args[0]->kind, EXPR_COLUMN);
	ck_assert_int_eq(expr->args[1]->kind, EXPR_LITERAL);
	ck_assert(type_equal(&expr->args[0]->type, &expr->args[1]->type));
	ck_assert_str_eq(shown(&expr->args[1]->literal), want);
}

START_TEST(a_cast_of_a_column_is_moved_to_the_literal_where_exact)
{
	check_unwrapped("INTEGER", "BIGINT:5", "5");
	check_unwrapped("INTEGER", "BIGINT:3000000000", NULL);
	check_unwrapped("DECIMAL(9,2)", "INTEGER:5", "5.00");
	check_unwrapped("DECIMAL(9,2)", "DECIMAL(3,3):0.500", "0.50");
	check_unwrapped("DECIMAL(9,2)", "DECIMAL(3,3):0.505", NULL);
	check_unwrapped("DECIMAL(4,2)", "INTEGER:500", NULL);
	check_unwrapped("INTEGER", "DECIMAL(2,1):5.0", "5");
	check_unwrapped("INTEGER", "DECIMAL(2,1):5.5", NULL);
	check_unwrapped("INTEGER", "DOUBLE:5.0", "5");
	check_unwrapped("INTEGER", "DOUBLE:NaN", NULL);
	check_unwrapped("BIGINT", "DOUBLE:5.0", NULL);
	check_unwrapped("REAL", "DOUBLE:0.5", "0.5");
	check_unwrapped("REAL", "DOUBLE:0.1", NULL);
	check_unwrapped("DATE", "TIMESTAMP:2024-02-29 00:00:00",
			"2024-02-29");
	check_unwrapped("DATE", "TIMESTAMP:2024-02-29 00:00:01", NULL);
}
END_TEST

START_TEST(the_bound_tree_is_not_changed)
{
	struct expr *flag = col(0, "BOOLEAN");
	struct expr *sum = call2("=", lit("INTEGER:1"), lit("INTEGER:1"));
	struct expr *and = BOOL_NODE(EXPR_AND, sum, flag,
				     BOOL_NODE(EXPR_NOT, flag));
	struct expr *fold = folded(and);

	ck_assert_uint_eq(fold->arg_count, 2);
	ck_assert_uint_eq(and->arg_count, 3);
	ck_assert_ptr_eq(and->args[0], sum);
	ck_assert_int_eq(sum->kind, EXPR_CALL);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct expr *expr = BOOL_NODE(EXPR_AND, col(0, "BOOLEAN"),
		call2("=", col(1, "DECIMAL(9,2)"),
		      call2("+", lit("INTEGER:1"), lit("INTEGER:2"))));
	struct arena small;
	int rc = ERROR_NO_MEMORY;
	long n;

	for (n = 0; rc == ERROR_NO_MEMORY; n = next_fault(n)) {
		struct expr *copy = expr;

		memset(&small, 0, sizeof(small));
		arena_init(&small, 16);
		mem_fail_at(n);
		rc = expr_fold(&copy, &small, &err);
		mem_fail_at(-1);
		if (rc)
			ck_assert_ptr_eq(copy, expr);
		arena_release(&small);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_gt(n, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr_fold");
	TCase *tc = tcase_create("expr_fold");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, constants_become_literals_of_the_same_type);
	tcase_add_test(tc,
		       a_constant_that_fails_stays_and_fails_when_reached);
	tcase_add_test(tc, what_needs_the_zone_is_left_without_one);
	tcase_add_test(tc, conditions_lose_what_decides_nothing);
	tcase_add_test(tc, case_and_coalesce_lose_branches_out_of_reach);
	tcase_add_test(tc,
		       a_cast_of_a_column_is_moved_to_the_literal_where_exact);
	tcase_add_test(tc, the_bound_tree_is_not_changed);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
