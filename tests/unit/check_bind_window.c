#include "unit/plan_cases.h"

static const struct plan_case trees[] = {
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

static const struct refused_case refused[] = {
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

int main(void)
{
	Suite *suite = suite_create("bind_window");
	TCase *tc = tcase_create("bind_window");

	plan_cases_set();
	plan_cases_add(tc);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
