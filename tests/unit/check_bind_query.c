#include "unit/plan_cases.h"

static const struct plan_case trees[] = {
	{ "SELECT * FROM t", "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "TABLE t", "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT v, k + 1, k AS key, k other, t.v FROM t",
	  "project[v VARCHAR, _col1 INTEGER, key INTEGER, other INTEGER, "
	  "v VARCHAR]{#1 (+ #0 1) #0 #0 #1} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT x.*, 1 AS one FROM t AS x",
	  "project[k INTEGER, v VARCHAR, big BIGINT, one INTEGER]"
	  "{#0 #1 #2 1} < scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT k FROM t WHERE v = 'a' LIMIT 3",
	  "limit[k INTEGER]{3 0} < project[k INTEGER]{#0} < "
	  "filter[k INTEGER, v VARCHAR, big BIGINT]{(= #1 'a')} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT * FROM t WHERE TRUE OFFSET 2 ROWS",
	  "limit[k INTEGER, v VARCHAR, big BIGINT]{-1 2} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT 1 AS a, 'x', NULL",
	  "values[a INTEGER, _col1 VARCHAR, _col2 UNKNOWN]"
	  "{1 'x' NULL:UNKNOWN}" },
	{ "SELECT 1 AS a WHERE 1 > 2",
	  "project[a INTEGER]{1} < filter[_col0 BOOLEAN]{false} < "
	  "values[_col0 BOOLEAN]{NULL:BOOLEAN}" },
	{ "VALUES (1, 'a'), (NULL, 'b'), (2147483648, NULL)",
	  "values[_col0 BIGINT, _col1 VARCHAR]{1 'a' NULL:BIGINT 'b' "
	  "2147483648 NULL:VARCHAR}" },
	{ "VALUES 1, 2", "values[_col0 INTEGER]{1 2}" },
	{ "SELECT y FROM (VALUES (1, 2)) AS q(x, y)",
	  "project[y INTEGER]{#1} < project[x INTEGER, y INTEGER]{#0 #1} < "
	  "values[_col0 INTEGER, _col1 INTEGER]{1 2}" },
	{ "SELECT k FROM t UNION ALL SELECT k FROM u UNION ALL SELECT 1",
	  "union[k DECIMAL(11,1)] < "
	  "project[k DECIMAL(11,1)]{(cast #0 DECIMAL(11,1))} < "
	  "project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT] + "
	  "project[k DECIMAL(11,1)]{(cast #0 DECIMAL(11,1))} < "
	  "project[k DECIMAL(5,1)]{#0} < "
	  "scan[k DECIMAL(5,1), v VARCHAR, w BOOLEAN] + "
	  "project[_col0 DECIMAL(11,1)]{(cast #0 DECIMAL(11,1))} < "
	  "values[_col0 INTEGER]{1}" },
	{ "SELECT NULL AS n UNION ALL SELECT v FROM t",
	  "union[n VARCHAR] < project[n VARCHAR]{(cast #0 VARCHAR)} < "
	  "values[n UNKNOWN]{NULL:UNKNOWN} + project[v VARCHAR]{#1} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "(SELECT k FROM t LIMIT 1) UNION ALL (SELECT k FROM t) LIMIT 5",
	  "limit[k INTEGER]{5 0} < union[k INTEGER] < "
	  "limit[k INTEGER]{1 0} < project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT] + project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "(SELECT k FROM t LIMIT 3) LIMIT 1",
	  "limit[k INTEGER]{1 0} < limit[k INTEGER]{3 0} < "
	  "project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "WITH c(a) AS (SELECT k FROM t), d AS (SELECT a FROM c) "
	  "SELECT a FROM d",
	  "project[a INTEGER]{#0} < project[a INTEGER]{#0} < "
	  "project[a INTEGER]{#0} < project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	/* the inner t is the CTE, what it reads is the table */
	{ "WITH t AS (SELECT big FROM t) SELECT * FROM t",
	  "project[big BIGINT]{#2} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	/* untyped columns */
	{ "SELECT a, b FROM raw WHERE b > 1",
	  "project[a VARCHAR, b BIGINT]{#0 #1} < "
	  "filter[a VARCHAR, b BIGINT, c VARCHAR]{(> #1 1)} < "
	  "scan[a VARCHAR, b BIGINT, c VARCHAR]" },
	{ "SELECT * FROM raw WHERE a = b AND b = DATE '2024-01-01'",
	  "filter[a DATE, b DATE, c VARCHAR]"
	  "{(and (= #0 #1) (= #1 DATE '2024-01-01'))} < "
	  "scan[a DATE, b DATE, c VARCHAR]" },
	{ "SELECT b FROM raw WHERE abs(a - b) > 0 AND a < DOUBLE '1.5'",
	  "project[b DOUBLE]{#1} < filter[a DOUBLE, b DOUBLE, c VARCHAR]"
	  "{(and (> (abs (- #0 #1)) DOUBLE '0.0') (< #0 DOUBLE '1.5'))} < "
	  "scan[a DOUBLE, b DOUBLE, c VARCHAR]" },
	{ "SELECT upper(a) x, sqrt(b) y FROM raw",
	  "project[x VARCHAR, y DOUBLE]{(upper #0) (sqrt #1)} < "
	  "scan[a VARCHAR, b DOUBLE, c VARCHAR]" },
	{ "SELECT CAST(a AS INTEGER) x FROM raw",
	  "project[x INTEGER]{(cast #0 INTEGER)} < "
	  "scan[a VARCHAR, b VARCHAR, c VARCHAR]" },
	{ "SELECT a FROM raw UNION ALL SELECT k FROM t",
	  "union[a INTEGER] < project[a INTEGER]{#0} < "
	  "scan[a INTEGER, b VARCHAR, c VARCHAR] + "
	  "project[k INTEGER]{#0} < "
	  "scan[k INTEGER, v VARCHAR, big BIGINT]" },
	{ "SELECT COALESCE(a, b) x FROM raw WHERE b IN (1.5, 2)",
	  "project[x DECIMAL(38,1)]{(coalesce #0 #1)} < "
	  "filter[a DECIMAL(38,1), b DECIMAL(38,1), c VARCHAR]"
	  "{(in #1 DECIMAL '1.5' DECIMAL '2.0')} < "
	  "scan[a DECIMAL(38,1), b DECIMAL(38,1), c VARCHAR]" },
};

static const struct refused_case refused[] = {
	{ "SELECT", ERROR_SYNTAX, 7 },
	{ "SELECT * FROM", ERROR_SYNTAX, 14 },
	{ "SELECT *", ERROR_SYNTAX, 8 },
	{ "SELECT k FROM t WHERE", ERROR_SYNTAX, 22 },
	{ "SELECT k k k FROM t", ERROR_SYNTAX, 12 },
	{ "SELECT k FROM t LIMIT k", ERROR_SYNTAX, 23 },
	{ "SELECT k FROM t LIMIT -1", ERROR_SYNTAX, 23 },
	{ "SELECT k FROM t LIMIT NULL", ERROR_TYPE_MISMATCH, 23 },
	{ "SELECT k FROM t LIMIT 1 LIMIT 2", ERROR_SYNTAX, 25 },
	{ "VALUES (1", ERROR_SYNTAX, 10 },
	{ "VALUES (DEFAULT)", ERROR_SYNTAX, 9 },
	{ "WITH a AS (SELECT 1 x), A AS (SELECT 1 x) SELECT * FROM a",
	  ERROR_SYNTAX, 25 },
	{ "WITH a AS SELECT 1 SELECT 2", ERROR_SYNTAX, 11 },
	{ "WITH a AS (SELECT 1)", ERROR_SYNTAX, 21 },
	{ "SELECT q.k FROM t", ERROR_UNKNOWN_COLUMN, 8 },
	{ "SELECT q.* FROM t", ERROR_UNKNOWN_COLUMN, 8 },
	{ "SELECT t.k FROM t AS x", ERROR_UNKNOWN_COLUMN, 8 },
	{ "SELECT k FROM t WHERE kk = 1", ERROR_UNKNOWN_COLUMN, 23 },
	{ "WITH a AS (SELECT nope FROM t) SELECT 1",
	  ERROR_UNKNOWN_COLUMN, 19 },
	{ "SELECT a FROM (SELECT k AS a, v AS a FROM t) q",
	  ERROR_AMBIGUOUS_COLUMN, 8 },
	{ "SELECT * FROM missing", ERROR_UNKNOWN_TABLE, 15 },
	{ "VALUES (1, 2), (3)", ERROR_ARITY, 16 },
	{ "SELECT k FROM t UNION ALL SELECT k, v FROM t", ERROR_ARITY, 27 },
	{ "SELECT * FROM t AS q(a)", ERROR_ARITY, 21 },
	{ "VALUES (1), ('a')", ERROR_TYPE_MISMATCH, 14 },
	{ "SELECT k FROM t UNION ALL SELECT v FROM t", ERROR_TYPE_MISMATCH,
	  27 },
	{ "SELECT k FROM t WHERE k", ERROR_TYPE_MISMATCH, 23 },
	{ "SELECT a * b FROM raw", ERROR_TYPE_MISMATCH, 10 },
	{ "WITH RECURSIVE a AS (SELECT 1) SELECT 1", ERROR_UNSUPPORTED, 1 },
	{ "SELECT k FROM UNNEST(ARRAY[1]) t(k)", ERROR_UNSUPPORTED, 15 },
	{ "EXPLAIN SELECT 1", ERROR_UNSUPPORTED, 1 },
	{ "TRUNCATE TABLE t", ERROR_UNSUPPORTED, 1 },
	{ "SELCT 1", ERROR_SYNTAX, 1 },
};

START_TEST(a_cte_that_is_named_twice_is_read_once)
{
	const struct query_node *query;

	ck_bound(&world, "WITH c AS (SELECT a FROM raw) SELECT * FROM c WHERE "
		 "a = 1 UNION ALL SELECT * FROM c");
	ck_assert_uint_eq(world.statement->relation_count, 1);
	ck_assert_uint_eq(world.resolved, 1);
	query = world.statement->query;
	ck_assert_int_eq(query->inputs[1]->kind, QUERY_SHARED);
	ck_assert_ptr_eq(query->inputs[0]->inputs[0], query->inputs[1]);
}
END_TEST

START_TEST(ctes_that_multiply_stay_small)
{
	struct text text = TEXT_INIT;

	text_add_str(&text, "WITH c0 AS (SELECT 1 x)");
	for (int i = 1; i < 60; i++)
		text_addf(&text, ", c%d AS (SELECT * FROM c%d UNION ALL "
			  "SELECT * FROM c%d)", i, i - 1, i - 1);
	text_add_str(&text, " SELECT * FROM c59");
	ck_assert_int_eq(world_bind(&world, text.data), 0);
	text_release(&text);
}
END_TEST

START_TEST(a_long_chain_of_ctes_is_refused_not_a_crash)
{
	struct text text = TEXT_INIT;

	text_add_str(&text, "WITH c0 AS (SELECT 1 x)");
	for (int i = 1; i < 900; i++)
		text_addf(&text, ", c%d AS (SELECT * FROM c%d)", i, i - 1);
	text_add_str(&text, " SELECT * FROM c899");
	ck_assert_int_eq(world_bind(&world, text.data), ERROR_UNSUPPORTED);
	text_release(&text);
}
END_TEST

START_TEST(deeply_nested_queries_are_refused_not_a_crash)
{
	static const char *const starts[] = {
		"SELECT * FROM (", "(", "WITH a AS (",
		"SELECT 1 UNION ALL (",
	};

	for (size_t i = 0; i < ARRAY_COUNT(starts); i++) {
		struct text text = TEXT_INIT;

		for (int n = 0; n < 20000; n++)
			text_add_str(&text, starts[i]);
		ck_assert_int_eq(world_bind(&world, text.data),
				 ERROR_SYNTAX);
		text_release(&text);
	}
}
END_TEST

START_TEST(limits_may_be_parameters)
{
	static const struct sql_parameter parameters[] = {
		{ "n", "12" }, { "m", "1.5" },
	};
	struct text text = TEXT_INIT;

	world.options.parameters = parameters;
	world.options.parameter_count = 2;
	ck_bound(&world, "SELECT * FROM t LIMIT :n");
	ck_assert_uint_eq(world.statement->query->limit, 12);
	ck_refused(&world, "SELECT * FROM t LIMIT :m", ERROR_CAST, 1, 23);
	ck_bound(&world, "SELECT :m AS p, :n + k AS s FROM t");
	world_dump_query(world.statement->query, &text);
	ck_assert_ptr_eq(strstr(text.data, "project[p VARCHAR, s INTEGER]"
				"{'1.5' (+ 12 #0)}"), text.data);
	text_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_query");
	TCase *tc = tcase_create("bind_query");

	plan_cases_set();
	plan_cases_add(tc);
	tcase_add_test(tc, a_cte_that_is_named_twice_is_read_once);
	tcase_add_test(tc, ctes_that_multiply_stay_small);
	tcase_add_test(tc, a_long_chain_of_ctes_is_refused_not_a_crash);
	tcase_add_test(tc, deeply_nested_queries_are_refused_not_a_crash);
	tcase_add_test(tc, limits_may_be_parameters);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
