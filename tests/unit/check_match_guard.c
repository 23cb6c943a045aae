/*
 * A target row may be changed once: what is refused, in both modes, and which
 * collisions are kept for the message, whatever order they come in.
 */
#include <stdio.h>
#include "unit/check_main.h"
#include "merge/match_guard.h"

static struct error err;
static struct match_guard *guard;
static struct match_collision hit;
static struct collision_list list;

static void setup(void)
{
	error_init(&err);
	memset(&list, 0, sizeof(list));
	ck_ok(match_guard_new(&guard, 70, false, &err));
}

static void setup_by_case(void)
{
	error_init(&err);
	memset(&list, 0, sizeof(list));
	ck_ok(match_guard_new(&guard, 70, true, &err));
}

static void teardown(void)
{
	collision_list_release(&list);
	match_guard_free(guard);
}

START_TEST(each_row_may_be_changed_once)
{
	ck_assert(match_guard_mark(guard, 0, 1, 0, &hit));
	ck_assert(match_guard_mark(guard, 5, 1, 0, &hit));
	ck_assert(match_guard_mark(guard, 6, 2, 1, &hit));
}
END_TEST

START_TEST(a_second_change_is_refused_and_names_both)
{
	ck_assert(match_guard_mark(guard, 5, 10, 1, &hit));
	ck_assert(!match_guard_mark(guard, 5, 11, 2, &hit));
	ck_assert_uint_eq(hit.row_id, 5);
	ck_assert_uint_eq(hit.first_source, 10);
	ck_assert_uint_eq(hit.first_clause, 1);
	ck_assert_uint_eq(hit.second_source, 11);
	ck_assert_uint_eq(hit.second_clause, 2);
	ck_assert(!match_guard_mark(guard, 5, 12, 3, &hit));
	ck_assert_uint_eq(hit.second_source, 12);
	ck_assert(match_guard_mark(guard, 6, 12, 3, &hit));
}
END_TEST

START_TEST(by_case_only_the_same_clause_twice_is_refused)
{
	ck_assert(match_guard_mark(guard, 5, 10, 69, &hit));
	ck_assert(match_guard_mark(guard, 5, 11, 0, &hit));
	ck_assert(match_guard_mark(guard, 5, 12, 1, &hit));
	ck_assert(!match_guard_mark(guard, 5, 13, 69, &hit));
	ck_assert_uint_eq(hit.first_source, 10);
	ck_assert_uint_eq(hit.second_source, 13);
	ck_assert_uint_eq(match_guard_shared_rows(guard), 1);
	ck_assert(match_guard_mark(guard, 6, 13, 69, &hit));
	ck_assert_uint_eq(match_guard_shared_rows(guard), 1);
}
END_TEST

static void add(uint64_t row_id, uint64_t first, uint64_t second)
{
	struct match_collision c = { .row_id = row_id };
	char text[32];

	c.first_source = (uint32_t)first;
	c.second_source = (uint32_t)second;
	c.first_place = (struct row_place){ "f", true, first, 0 };
	c.second_place = (struct row_place){ "f", true, second, 0 };
	snprintf(text, sizeof(text), "row %d", (int)row_id);
	collision_list_add(&list, &c, mem_strdup(text));
}

START_TEST(the_first_two_source_rows_are_kept_in_any_order)
{
	/* lines 3, 5, 9 and 7 change row 1; the first joined is 9 or 3 */
	static const uint64_t orders[][3][2] = {
		{ { 9, 5 }, { 9, 3 }, { 9, 7 } },
		{ { 3, 9 }, { 3, 7 }, { 3, 5 } },
		{ { 7, 9 }, { 7, 5 }, { 7, 3 } },
		{ { 5, 3 }, { 5, 7 }, { 5, 9 } },
	};

	for (size_t i = 0; i < 3; i++)
		add(1, orders[_i][i][0], orders[_i][i][1]);
	collision_list_close(&list);
	ck_assert_uint_eq(list.total, 1);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_uint_eq(list.items[0].first_place.line, 3);
	ck_assert_uint_eq(list.items[0].second_place.line, 5);
	ck_assert_uint_eq(list.items[0].first_source, 3);
	ck_assert_str_eq(list.keys[0], "row 1");
}
END_TEST

START_TEST(the_first_collisions_are_kept_and_all_are_counted)
{
	struct collision_list all = { 0 };

	for (uint64_t i = 0; i < 30; i++) {
		uint64_t row = i * 7 % 30;	/* every number once */

		add(row, 1000, row + 1);
	}
	collision_list_move(&all, &list);
	ck_assert_uint_eq(list.total, 0);
	add(100, 1000, 4);
	collision_list_move(&all, &list);
	ck_assert_uint_eq(all.total, 31);
	ck_assert_uint_eq(all.count, MATCH_COLLISION_SHOWN);
	for (size_t i = 0; i < all.count; i++)
		ck_assert_uint_eq(all.items[i].first_place.line,
				  i < 4 ? i + 1 : i);
	ck_assert_str_eq(all.keys[0], "row 0");
	ck_assert_str_eq(all.keys[4], "row 100");
	collision_list_release(&all);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_no_guard)
{
	struct match_guard *other;

	mem_fail_at(_i);
	ck_assert_int_eq(match_guard_new(&other, 3, true, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_ptr_null(other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("match_guard");
	TCase *tc = tcase_create("match_guard");
	TCase *by_case = tcase_create("by_case");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_row_may_be_changed_once);
	tcase_add_test(tc, a_second_change_is_refused_and_names_both);
	tcase_add_loop_test(tc,
		the_first_two_source_rows_are_kept_in_any_order, 0, 4);
	tcase_add_test(tc, the_first_collisions_are_kept_and_all_are_counted);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_no_guard, 0, 3);
	tcase_add_checked_fixture(by_case, setup_by_case, teardown);
	tcase_add_test(by_case, by_case_only_the_same_clause_twice_is_refused);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, by_case);
	return check_main(suite);
}
