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
	{ "SELECT v, count(*), sum(k) + 1 AS s FROM t GROUP BY v "
	  "HAVING count(*) > 1 ORDER BY s DESC NULLS FIRST",
	  "sort[v VARCHAR, _col1 BIGINT, s BIGINT]{#2 desc nulls "
	  "first} < project[v VARCHAR, _col1 BIGINT, s BIGINT]{#0 #1 "
	  "(+ #2 1)} < filter[v VARCHAR, count BIGINT, sum BIGINT]{(> "
	  "#1 1)} < aggregate[v VARCHAR, count BIGINT, sum BIGINT]{by "
	  "#1 count() sum(#0)} < scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT k + 1 AS x, max(v) FROM t GROUP BY x",
	  "project[x INTEGER, _col1 VARCHAR]{#0 #1} < aggregate[_group "
	  "INTEGER, max VARCHAR]{by (+ #0 1) max(#1)} < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT big, count(DISTINCT k) FILTER (WHERE v = 'a') FROM t "
	  "GROUP BY 1",
	  "project[big BIGINT, _col1 BIGINT]{#0 #1} < aggregate[big "
	  "BIGINT, count BIGINT]{by #2 count(distinct #0) filter (= #1 "
	  "'a')} < scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT listagg(v, ',') WITHIN GROUP (ORDER BY k DESC) AS l "
	  "FROM t",
	  "project[l VARCHAR]{#0} < aggregate[listagg VARCHAR]{by  "
	  "listagg(#1 ',' order #0 desc)} < scan[k INTEGER, v VARCHAR, "
	  "big BIGINT]" },
	{ "SELECT DISTINCT v FROM t ORDER BY v LIMIT 2",
	  "sort[v VARCHAR]{#0}{2 0} < distinct[v VARCHAR] < project[v "
	  "VARCHAR]{#1} < scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT v FROM t ORDER BY k",
	  "project[v VARCHAR]{#0} < sort[v VARCHAR, _col1 INTEGER]{#1} "
	  "< project[v VARCHAR, _col1 INTEGER]{#1 #0} < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT k FROM t UNION SELECT k FROM t INTERSECT SELECT k "
	  "FROM t",
	  "distinct[k INTEGER] < union[k INTEGER] < project[k "
	  "INTEGER]{#0} < scan[k INTEGER, v VARCHAR, big BIGINT] + "
	  "intersect[k INTEGER] < (project[k INTEGER]{#0} < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]) + (project[k INTEGER]{#0} "
	  "< scan[k INTEGER, v VARCHAR, big BIGINT])" },
	{ "SELECT k FROM t EXCEPT SELECT k FROM t ORDER BY 1",
	  "sort[k INTEGER]{#0} < except[k INTEGER] < (project[k "
	  "INTEGER]{#0} < scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(project[k INTEGER]{#0} < scan[k INTEGER, v VARCHAR, big "
	  "BIGINT])" },
	{ "SELECT 1 AS one FROM t GROUP BY ()",
	  "project[one INTEGER]{1} < aggregate[]{by } < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]" },
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
	{ "SELECT k, sum(big) FROM t",
	  ERROR_SYNTAX, 8 },
	{ "SELECT v FROM t GROUP BY k",
	  ERROR_SYNTAX, 8 },
	{ "SELECT k FROM t WHERE sum(k) > 1",
	  ERROR_SYNTAX, 23 },
	{ "SELECT sum(max(k)) FROM t",
	  ERROR_SYNTAX, 12 },
	{ "SELECT k FROM t GROUP BY sum(k)",
	  ERROR_SYNTAX, 26 },
	{ "SELECT k FROM t GROUP BY 2",
	  ERROR_SYNTAX, 26 },
	{ "SELECT DISTINCT k FROM t ORDER BY v",
	  ERROR_SYNTAX, 35 },
	{ "SELECT sum(v) FROM t",
	  ERROR_TYPE_MISMATCH, 8 },
	{ "SELECT abs(DISTINCT k) FROM t",
	  ERROR_SYNTAX, 12 },
	{ "SELECT k FROM t GROUP BY ROLLUP (k)",
	  ERROR_UNSUPPORTED, 26 },
	{ "SELECT median(k) FROM t",
	  ERROR_UNSUPPORTED, 8 },
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
	Suite *suite = suite_create("bind_group");
	TCase *tc = tcase_create("bind_group");

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
