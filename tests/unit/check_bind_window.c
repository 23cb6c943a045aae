#include "unit/check_main.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "t", "k INTEGER, v VARCHAR, big BIGINT", NULL },
	{ "u", "k DECIMAL(5,1), v VARCHAR, w BOOLEAN", NULL },
	{ "raw", NULL, "a,b,c" },
	{ NULL, NULL, NULL },
};
static struct world world;

static void setup(void)
{
	world_init(&world, tables);
}

static void teardown(void)
{
	world_forget(&world);
}

static const struct {
	const char *text;
	const char *tree;
} trees[] = {
	{ "SELECT k, row_number() OVER (PARTITION BY v ORDER BY big "
	  "DESC) AS n FROM t",
	  "project[k INTEGER, n BIGINT]{#0 #3} < window[k INTEGER, v "
	  "VARCHAR, big BIGINT, _window BIGINT]{row_number() range "
	  "first..row by #1 order #2 desc} < scan[k INTEGER, v "
	  "VARCHAR, big BIGINT]" },
	{ "SELECT sum(k) OVER w, lag(v, 2) IGNORE NULLS OVER (w ORDER "
	  "BY k) FROM t WINDOW w AS (PARTITION BY big)",
	  "project[_col0 BIGINT, _col1 VARCHAR]{#3 #4} < window[k "
	  "INTEGER, v VARCHAR, big BIGINT, _window BIGINT, _window "
	  "VARCHAR]{lag(#1 2) ignore nulls range first..row by #2 "
	  "order #0} < window[k INTEGER, v VARCHAR, big BIGINT, "
	  "_window BIGINT]{sum(#0) range first..row by #2 order } < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT k FROM t QUALIFY rank() OVER (ORDER BY big ROWS "
	  "BETWEEN 1 PRECEDING AND CURRENT ROW) = 1",
	  "project[k INTEGER]{#0} < filter[k INTEGER, v VARCHAR, big "
	  "BIGINT, _window BIGINT]{(= #3 1)} < window[k INTEGER, v "
	  "VARCHAR, big BIGINT, _window BIGINT]{rank() rows "
	  "before1..row by  order #2} < scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]" },
	{ "SELECT v, rank() OVER (ORDER BY sum(big)) FROM t GROUP BY v",
	  "project[v VARCHAR, _col1 BIGINT]{#0 #2} < window[v VARCHAR, "
	  "sum BIGINT, _window BIGINT]{rank() range first..row by  "
	  "order #1} < aggregate[v VARCHAR, sum BIGINT]{by #1 sum(#2)} "
	  "< scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT max(k) OVER (ORDER BY k RANGE BETWEEN 2 PRECEDING "
	  "AND UNBOUNDED FOLLOWING) FROM t",
	  "project[_col0 INTEGER]{#3} < window[k INTEGER, v VARCHAR, "
	  "big BIGINT, _window INTEGER]{max(#0) range before2..last by "
	  " order #0} < scan[k INTEGER, v VARCHAR, big BIGINT]" },
};

START_TEST(a_query_becomes_this_plan)
{
	struct text text = TEXT_INIT;

	ck_bound(&world, trees[_i].text);
	world_dump_query(world.statement->query, &text);
	ck_assert_msg(!strcmp(text.data, trees[_i].tree), "%s:\n%s\nnot\n%s",
		      trees[_i].text, text.data, trees[_i].tree);
	text_release(&text);
}
END_TEST

static const struct {
	const char *text;
	int code;
	uint64_t column;
} refused[] = {
	{ "SELECT rank() FROM t",
	  ERROR_SYNTAX, 8 },
	{ "SELECT k FROM t WHERE rank() OVER () = 1",
	  ERROR_SYNTAX, 23 },
	{ "SELECT sum(rank() OVER ()) FROM t",
	  ERROR_SYNTAX, 12 },
	{ "SELECT rank() OVER (ORDER BY rank() OVER ()) FROM t",
	  ERROR_SYNTAX, 30 },
	{ "SELECT lag(k) OVER () FROM t",
	  ERROR_SYNTAX, 8 },
	{ "SELECT sum(k) OVER w FROM t",
	  ERROR_UNKNOWN_COLUMN, 20 },
	{ "SELECT abs(k) OVER () FROM t",
	  ERROR_UNSUPPORTED, 8 },
	{ "SELECT ntile() OVER () FROM t",
	  ERROR_ARITY, 8 },
	{ "SELECT k FROM t QUALIFY k = 1",
	  ERROR_SYNTAX, 27 },
	{ "SELECT sum(k) OVER (ORDER BY k ROWS -1 PRECEDING) FROM t",
	  ERROR_SYNTAX, 37 },
	{ "SELECT sum(k) OVER (ROWS UNBOUNDED FOLLOWING) FROM t",
	  ERROR_SYNTAX, 21 },
};

START_TEST(misuse_is_refused_with_its_kind_and_place)
{
	ck_refused(&world, refused[_i].text, refused[_i].code, 1,
		   refused[_i].column);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	int rc = ERROR_NO_MEMORY;

	for (long n = 0; rc == ERROR_NO_MEMORY; n++) {
		mem_fail_at(n);
		rc = world_bind(&world, trees[_i].text);
		mem_fail_at(-1);
		ck_assert_msg(rc == 0 || rc == ERROR_NO_MEMORY, "%s: %s",
			      trees[_i].text, error_name(rc));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_window");
	TCase *tc = tcase_create("bind_window");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_query_becomes_this_plan, 0,
			    (int)ARRAY_COUNT(trees));
	tcase_add_loop_test(tc, misuse_is_refused_with_its_kind_and_place, 0,
			    (int)ARRAY_COUNT(refused));
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0,
			    (int)ARRAY_COUNT(trees));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
