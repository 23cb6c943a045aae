#ifndef TESTS_UNIT_PLAN_CASES_H
#define TESTS_UNIT_PLAN_CASES_H
#include "unit/check_main.h"
#include "unit/sql_world.h"

/*
 * Tables of queries: which plan each becomes, how each wrong one is refused.
 * A test sets plan_cases and calls plan_cases_add().
 */
struct plan_case {
	const char *text;
	const char *tree;
};
static struct {
	const struct plan_case *trees;
	size_t tree_count;
	const struct refused_case *refused;
	size_t refused_count;
} plan_cases;

static const struct world_table plan_tables[] = {
	{ "t", "k INTEGER, v VARCHAR, big BIGINT", NULL },
	{ "u", "k DECIMAL(5,1), v VARCHAR, w BOOLEAN", NULL },
	{ "raw", NULL, "a,b,c" },
	{ NULL, NULL, NULL },
};
static struct world world;

static void plan_setup(void)
{
	world_init(&world, plan_tables);
}

static void plan_teardown(void)
{
	world_forget(&world);
}

START_TEST(a_query_becomes_this_plan)
{
	const struct plan_case *plan = &plan_cases.trees[_i];
	struct text text = TEXT_INIT;

	ck_bound(&world, plan->text);
	ck_assert_int_eq(world.statement->kind, SQL_QUERY);
	world_dump_query(world.statement->query, &text);
	ck_assert_msg(!strcmp(text.data, plan->tree), "%s:\n%s\nnot\n%s",
		      plan->text, text.data, plan->tree);
	text_release(&text);
}
END_TEST

START_TEST(misuse_is_refused_with_its_kind_and_place)
{
	const struct refused_case *refused = &plan_cases.refused[_i];

	ck_refused(&world, refused->text, refused->code, 1, refused->column);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	const char *text = plan_cases.trees[_i].text;
	int rc = ERROR_NO_MEMORY;

	for (long n = 0; rc == ERROR_NO_MEMORY; n++) {
		mem_fail_at(n);
		rc = world_bind(&world, text);
		mem_fail_at(-1);
		ck_assert_msg(rc == 0 || rc == ERROR_NO_MEMORY, "%s: %s",
			      text, error_name(rc));
	}
}
END_TEST

static inline void plan_cases_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, plan_setup, plan_teardown);
	tcase_add_loop_test(tc, a_query_becomes_this_plan, 0,
			    (int)plan_cases.tree_count);
	tcase_add_loop_test(tc, misuse_is_refused_with_its_kind_and_place, 0,
			    (int)plan_cases.refused_count);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0,
			    (int)plan_cases.tree_count);
}

/* Set plan_cases from the arrays trees and refused of the test. */
#define plan_cases_set() \
	do { \
		plan_cases.trees = trees; \
		plan_cases.tree_count = ARRAY_COUNT(trees); \
		plan_cases.refused = refused; \
		plan_cases.refused_count = ARRAY_COUNT(refused); \
	} while (0)
#endif
