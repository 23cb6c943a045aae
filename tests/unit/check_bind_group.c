#include "unit/plan_cases.h"

static const struct plan_case trees[] = {
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
	{ "SELECT v, count(*), grouping(v) FROM t GROUP BY ROLLUP (v)",
	  "project[v VARCHAR, _col1 BIGINT, _col2 BIGINT]{#0 #1 #2} "
	  "< union[v VARCHAR, count BIGINT, _col2 BIGINT] < "
	  "project[v VARCHAR, count BIGINT, _col2 BIGINT]{#0 #1 0} < "
	  "aggregate[v VARCHAR, count BIGINT]{by #1 count()} < "
	  "shared[k INTEGER, v VARCHAR, big BIGINT] < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT] + project[_col0 VARCHAR, "
	  "count BIGINT, _col2 BIGINT]{NULL:VARCHAR #0 1} < "
	  "aggregate[count BIGINT]{by  count()} < shared[k INTEGER, "
	  "v VARCHAR, big BIGINT] < scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]" },
	{ "SELECT k FROM t GROUP BY k, GROUPING SETS ((v), (k), v, ())",
	  "project[k INTEGER]{#0} < union[k INTEGER, v VARCHAR] < "
	  "project[k INTEGER, v VARCHAR]{#0 #1} < aggregate[k "
	  "INTEGER, v VARCHAR]{by #0 #1} < shared[k INTEGER, v "
	  "VARCHAR, big BIGINT] < scan[k INTEGER, v VARCHAR, big "
	  "BIGINT] + project[k INTEGER, _col1 VARCHAR]{#0 "
	  "NULL:VARCHAR} < aggregate[k INTEGER]{by #0} < shared[k "
	  "INTEGER, v VARCHAR, big BIGINT] < scan[k INTEGER, v "
	  "VARCHAR, big BIGINT] + project[k INTEGER, v VARCHAR]{#0 "
	  "#1} < aggregate[k INTEGER, v VARCHAR]{by #0 #1} < "
	  "shared[k INTEGER, v VARCHAR, big BIGINT] < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT] + project[k INTEGER, "
	  "_col1 VARCHAR]{#0 NULL:VARCHAR} < aggregate[k INTEGER]{by "
	  "#0} < shared[k INTEGER, v VARCHAR, big BIGINT] < scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT k FROM t EXCEPT ALL SELECT k FROM t",
	  "project[k INTEGER]{#0} < except[k INTEGER, _number "
	  "BIGINT] < (window[k INTEGER, _number BIGINT]{row_number() "
	  "range first..row by #0 order } < project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]) + (window[k "
	  "INTEGER, _number BIGINT]{row_number() range first..row by "
	  "#0 order } < project[k INTEGER]{#0} < scan[k INTEGER, v "
	  "VARCHAR, big BIGINT])" },
};

static const struct refused_case refused[] = {
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
	{ "SELECT k FROM t GROUP BY DISTINCT ROLLUP (k)",
	  ERROR_UNSUPPORTED, 26 },
	{ "SELECT k FROM t GROUP BY CUBE (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
	  "1)",
	  ERROR_UNSUPPORTED, 26 },
	{ "SELECT k FROM t GROUP BY CUBE (1, 1, 1, 1, 1, 1), "
	  "CUBE (1, 1, 1, 1, 1, 1), ROLLUP (1)",
	  ERROR_UNSUPPORTED, 86 },
	{ "SELECT k FROM t GROUP BY ROLLUP (k), v HAVING grouping(big) = 0",
	  ERROR_SYNTAX, 47 },
	{ "SELECT k FROM t WHERE grouping(k) = 0 GROUP BY k",
	  ERROR_SYNTAX, 23 },
	{ "SELECT grouping(k) FROM t",
	  ERROR_SYNTAX, 8 },
	{ "SELECT grouping(k), k FROM t GROUP BY 1",
	  ERROR_SYNTAX, 39 },
	{ "SELECT k FROM t GROUP BY GROUPING SETS ((k), (v)",
	  ERROR_SYNTAX, 49 },
	{ "SELECT median(k) FROM t",
	  ERROR_UNSUPPORTED, 8 },
};

int main(void)
{
	Suite *suite = suite_create("bind_group");
	TCase *tc = tcase_create("bind_group");

	plan_cases_set();
	plan_cases_add(tc);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
