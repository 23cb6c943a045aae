#include "unit/plan_cases.h"

static const struct plan_case trees[] = {
	{ "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.v = "
	  "t.v AND u.w)",
	  "project[k INTEGER]{#0} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT]{semi #1=#1} < (scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]) + (project[_col0 INTEGER, _col1 VARCHAR]{#0 #1} < "
	  "project[_col0 INTEGER, _col1 VARCHAR]{1 #1} < filter[k "
	  "DECIMAL(5,1), v VARCHAR, w BOOLEAN]{#2} < scan[k "
	  "DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u)",
	  "project[k INTEGER]{#0} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT]{anti} < (scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(limit[_col0 INTEGER]{1 0} < project[_col0 INTEGER]{1} < "
	  "scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT k FROM t WHERE v NOT IN (SELECT v FROM u)",
	  "project[k INTEGER]{#0} < filter[k INTEGER, v VARCHAR, big "
	  "BIGINT, _mark BOOLEAN]{(not #3)} < join[k INTEGER, v "
	  "VARCHAR, big BIGINT, _mark BOOLEAN]{mark null-aware #1=#0} "
	  "< (scan[k INTEGER, v VARCHAR, big BIGINT]) + (project[v "
	  "VARCHAR]{#1} < scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT (SELECT count(*) FROM u WHERE u.v = t.v) AS c FROM t",
	  "project[c BIGINT]{(single #5 #3 0)} < join[k INTEGER, v "
	  "VARCHAR, big BIGINT, _col0 BIGINT, _col1 VARCHAR, _mark "
	  "INTEGER]{single #1=#1} < (scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]) + (project[_col0 BIGINT, _col1 VARCHAR]{#0 #1} < "
	  "project[_col0 BIGINT, _col1 VARCHAR]{#0 #1} < project[count "
	  "BIGINT, _key VARCHAR]{#1 #0} < aggregate[_key VARCHAR, count "
	  "BIGINT]{by #1 count()} < scan[k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN])" },
	{ "SELECT (SELECT v FROM u WHERE u.v > t.v) AS c FROM t",
	  "project[c VARCHAR]{(single #4 #3)} < join[k INTEGER, v "
	  "VARCHAR, big BIGINT, v VARCHAR, _mark INTEGER]{single if (> "
	  "#3 #1)} < (scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(project[v VARCHAR]{#0} < project[v VARCHAR]{#1} < scan[k "
	  "DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT (SELECT max(k) FROM u WHERE u.k > t.big) AS c FROM t",
	  "project[c DECIMAL(5,1)]{#3} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT, _col0 DECIMAL(5,1), _col0 BIGINT, _mark "
	  "INTEGER]{single #2==#1} < (shared[k INTEGER, v VARCHAR, big "
	  "BIGINT] < scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(project[_col0 DECIMAL(5,1), _col0 BIGINT]{#0 #1} < "
	  "project[max DECIMAL(5,1), _col0 BIGINT]{#1 #0} < "
	  "aggregate[_col0 BIGINT, max DECIMAL(5,1)]{by #3 max(#0) "
	  "filter #4} < project[k DECIMAL(5,1), v VARCHAR, w BOOLEAN, "
	  "_col0 BIGINT, _mark BOOLEAN]{#1 #2 #3 #0 #5} < join[_col0 "
	  "BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _col0 BIGINT, "
	  "_mark BOOLEAN]{left #0==#3} < (shared[_col0 BIGINT] < "
	  "distinct[_col0 BIGINT] < project[_col0 BIGINT]{#2} < "
	  "shared[k INTEGER, v VARCHAR, big BIGINT] < scan[k INTEGER, v "
	  "VARCHAR, big BIGINT]) + (project[k DECIMAL(5,1), v VARCHAR, "
	  "w BOOLEAN, _col0 BIGINT, _mark BOOLEAN]{#0 #1 #2 #3 true} < "
	  "join[k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _col0 "
	  "BIGINT]{inner if (> (cast #0 DECIMAL(20,1)) (cast #3 "
	  "DECIMAL(20,1)))} < (scan[k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN]) + (shared[_col0 BIGINT] < distinct[_col0 BIGINT] < "
	  "project[_col0 BIGINT]{#2} < shared[k INTEGER, v VARCHAR, big "
	  "BIGINT] < scan[k INTEGER, v VARCHAR, big BIGINT])))" },
	{ "SELECT v FROM t WHERE v IN (SELECT v FROM u WHERE u.k = "
	  "t.big)",
	  "project[v VARCHAR]{#1} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT]{semi (cast #2 DECIMAL(20,1))=#1 #1=#0} < (scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]) + (project[v VARCHAR, "
	  "_col1 DECIMAL(20,1)]{#0 #1} < project[v VARCHAR, _col1 "
	  "DECIMAL(20,1)]{#1 (cast #0 DECIMAL(20,1))} < scan[k "
	  "DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT big < ANY (SELECT big FROM t) AS c FROM t",
	  "project[c BOOLEAN]{(case (= #5 0) false (< #2 #4) true (or "
	  "(< #6 #5) (isnull #2)) NULL:BOOLEAN false)} < join[k "
	  "INTEGER, v VARCHAR, big BIGINT, min BIGINT, max BIGINT, "
	  "count BIGINT, count BIGINT, bool_and BOOLEAN, _mark "
	  "INTEGER]{single} < (scan[k INTEGER, v VARCHAR, big BIGINT]) "
	  "+ (aggregate[min BIGINT, max BIGINT, count BIGINT, count "
	  "BIGINT, bool_and BOOLEAN]{by  min(#0) max(#0) count() "
	  "count(#0) bool_and((= #0 #0))} < project[big BIGINT]{#2} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT])" },
};

static const struct refused_case refused[] = {
	{ "SELECT (SELECT k, v FROM t)",
	  ERROR_ARITY, 9 },
	{ "SELECT k IN (SELECT v FROM t) FROM t",
	  ERROR_TYPE_MISMATCH, 8 },
	{ "SELECT (SELECT 1 FROM t WHERE nope = 1)",
	  ERROR_UNKNOWN_COLUMN, 31 },
	{ "SELECT v FROM t GROUP BY v HAVING EXISTS (SELECT 1 FROM u "
	  "WHERE u.k = t.k)",
	  ERROR_SYNTAX, 71 },
	{ "SELECT k FROM t LIMIT (SELECT 1)",
	  ERROR_SYNTAX, 23 },
	{ "SELECT (k, v) IN (SELECT 1) FROM t",
	  ERROR_ARITY, 19 },
};

int main(void)
{
	Suite *suite = suite_create("bind_subquery");
	TCase *tc = tcase_create("bind_subquery");

	plan_cases_set();
	plan_cases_add(tc);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
