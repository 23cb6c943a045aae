#include "unit/plan_cases.h"

static const struct plan_case trees[] = {
	{ "SELECT t.k FROM t JOIN u ON t.k = u.k AND t.big > 1 AND u.w "
	  "AND t.big < u.k",
	  "project[k INTEGER]{#0} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN]{inner (cast "
	  "#0 DECIMAL(11,1))=(cast #0 DECIMAL(11,1)) if (< (cast #2 "
	  "DECIMAL(20,1)) (cast #3 DECIMAL(20,1)))} < (filter[k "
	  "INTEGER, v VARCHAR, big BIGINT]{(> #2 1)} < scan[k INTEGER, "
	  "v VARCHAR, big BIGINT]) + (filter[k DECIMAL(5,1), v "
	  "VARCHAR, w BOOLEAN]{#2} < scan[k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN])" },
	{ "SELECT * FROM t LEFT JOIN u ON t.v = u.v AND t.big > 1 AND "
	  "u.w",
	  "join[k INTEGER, v VARCHAR, big BIGINT, k DECIMAL(5,1), v "
	  "VARCHAR, w BOOLEAN]{left #1=#1 if (> #2 1)} < (scan[k "
	  "INTEGER, v VARCHAR, big BIGINT]) + (filter[k DECIMAL(5,1), "
	  "v VARCHAR, w BOOLEAN]{#2} < scan[k DECIMAL(5,1), v VARCHAR, "
	  "w BOOLEAN])" },
	{ "SELECT * FROM t FULL JOIN u USING (v)",
	  "project[v VARCHAR, k INTEGER, big BIGINT, k DECIMAL(5,1), w "
	  "BOOLEAN]{#6 #0 #2 #3 #5} < project[k INTEGER, v VARCHAR, "
	  "big BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN, v "
	  "VARCHAR]{#0 #1 #2 #3 #4 #5 (coalesce #1 #4)} < join[k "
	  "INTEGER, v VARCHAR, big BIGINT, k DECIMAL(5,1), v VARCHAR, "
	  "w BOOLEAN]{full #1=#1} < (scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]) + (scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT k FROM t RIGHT JOIN u USING (k)",
	  "project[k DECIMAL(11,1)]{#6} < project[k INTEGER, v "
	  "VARCHAR, big BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN, "
	  "k DECIMAL(11,1)]{#0 #1 #2 #3 #4 #5 (cast #3 DECIMAL(11,1))} "
	  "< join[k INTEGER, v VARCHAR, big BIGINT, k DECIMAL(5,1), v "
	  "VARCHAR, w BOOLEAN]{right (cast #0 DECIMAL(11,1))=(cast #0 "
	  "DECIMAL(11,1))} < (scan[k INTEGER, v VARCHAR, big BIGINT]) "
	  "+ (scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT big, w FROM t, u",
	  "project[big BIGINT, w BOOLEAN]{#2 #5} < join[k INTEGER, v "
	  "VARCHAR, big BIGINT, k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN]{inner} < (scan[k INTEGER, v VARCHAR, big BIGINT]) "
	  "+ (scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])" },
	{ "SELECT v FROM t x NATURAL JOIN t y",
	  "project[v VARCHAR]{#1} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT, k INTEGER, v VARCHAR, big BIGINT]{inner #0=#0 #1=#1 "
	  "#2=#2} < (scan[k INTEGER, v VARCHAR, big BIGINT]) + (scan[k "
	  "INTEGER, v VARCHAR, big BIGINT])" },
	{ "SELECT b FROM raw JOIN t ON a = k",
	  "project[b VARCHAR]{#1} < join[a INTEGER, b VARCHAR, c "
	  "VARCHAR, k INTEGER, v VARCHAR, big BIGINT]{inner #0=#0} < "
	  "(scan[a INTEGER, b VARCHAR, c VARCHAR]) + (scan[k INTEGER, "
	  "v VARCHAR, big BIGINT])" },
	{ "SELECT x.k FROM t x JOIN t y JOIN t z ON y.k = z.k ON x.k "
	  "IS NOT DISTINCT FROM y.k",
	  "project[k INTEGER]{#0} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT, k INTEGER, v VARCHAR, big BIGINT, k INTEGER, v "
	  "VARCHAR, big BIGINT]{inner #0==#0} < (scan[k INTEGER, v "
	  "VARCHAR, big BIGINT]) + (join[k INTEGER, v VARCHAR, big "
	  "BIGINT, k INTEGER, v VARCHAR, big BIGINT]{inner #0=#0} < "
	  "(scan[k INTEGER, v VARCHAR, big BIGINT]) + (scan[k INTEGER, "
	  "v VARCHAR, big BIGINT]))" },
	{ "SELECT t.k FROM t LEFT JOIN u ON t.v = u.v AND EXISTS "
	  "(SELECT 1 FROM raw WHERE a = t.k AND b = u.v)",
	  "project[k INTEGER]{#0} < project[k INTEGER, v VARCHAR, "
	  "big BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN]{#0 #1 "
	  "#2 #8 #9 #10} < join[k INTEGER, v VARCHAR, big BIGINT, "
	  "_number BIGINT, k INTEGER, v VARCHAR, big BIGINT, _number "
	  "BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _mark "
	  "BOOLEAN]{left #3=#3} < (shared[k INTEGER, v VARCHAR, big "
	  "BIGINT, _number BIGINT] < window[k INTEGER, v VARCHAR, "
	  "big BIGINT, _number BIGINT]{row_number() range first..row "
	  "by  order } < scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(filter[k INTEGER, v VARCHAR, big BIGINT, _number BIGINT, "
	  "k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _mark BOOLEAN]{#7} "
	  "< join[k INTEGER, v VARCHAR, big BIGINT, _number BIGINT, "
	  "k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _mark BOOLEAN]{mark "
	  "#0=#1 #5=#2} < (join[k INTEGER, v VARCHAR, big BIGINT, "
	  "_number BIGINT, k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN]{inner #1=#1} < (shared[k INTEGER, v VARCHAR, big "
	  "BIGINT, _number BIGINT] < window[k INTEGER, v VARCHAR, "
	  "big BIGINT, _number BIGINT]{row_number() range first..row "
	  "by  order } < scan[k INTEGER, v VARCHAR, big BIGINT]) + "
	  "(scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN])) + "
	  "(project[_col0 INTEGER, _col1 INTEGER, _col2 VARCHAR]{#0 "
	  "#1 #2} < project[_col0 INTEGER, _col1 INTEGER, _col2 "
	  "VARCHAR]{1 #0 #1} < scan[a INTEGER, b VARCHAR, c "
	  "VARCHAR]))" },
	{ "SELECT t.k FROM t LEFT JOIN u ON t.v = u.v AND u.w IN "
	  "(SELECT v IS NULL FROM t)",
	  "project[k INTEGER]{#0} < join[k INTEGER, v VARCHAR, big "
	  "BIGINT, k DECIMAL(5,1), v VARCHAR, w BOOLEAN, _mark "
	  "BOOLEAN]{left #1=#1} < (scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]) + (filter[k DECIMAL(5,1), v VARCHAR, w BOOLEAN, "
	  "_mark BOOLEAN]{#3} < join[k DECIMAL(5,1), v VARCHAR, w "
	  "BOOLEAN, _mark BOOLEAN]{mark null-aware #2=#0} < (scan[k "
	  "DECIMAL(5,1), v VARCHAR, w BOOLEAN]) + (project[_col0 "
	  "BOOLEAN]{(isnull #1)} < scan[k INTEGER, v VARCHAR, big "
	  "BIGINT]))" },
};

static const struct refused_case refused[] = {
	{ "SELECT k FROM t, u",
	  ERROR_AMBIGUOUS_COLUMN, 8 },
	{ "SELECT t.k FROM t JOIN u",
	  ERROR_SYNTAX, 25 },
	{ "SELECT 1 FROM t JOIN u USING (big)",
	  ERROR_UNKNOWN_COLUMN, 31 },
	{ "SELECT 1 FROM t JOIN u ON t.v = u.k",
	  ERROR_TYPE_MISMATCH, 31 },
	{ "SELECT 1 FROM t JOIN u ON count(*) > 1",
	  ERROR_SYNTAX, 27 },
};

int main(void)
{
	Suite *suite = suite_create("bind_join");
	TCase *tc = tcase_create("bind_join");

	plan_cases_set();
	plan_cases_add(tc);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
