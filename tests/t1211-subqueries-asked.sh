#!/bin/sh
test_description='an error of a subquery counts only where its value is asked'
. "$(dirname "$0")/test-lib.sh"

# test_refused NAME PLACE QUERY: it fails with that error, told there
test_refused () {
	test_expect_code 3 rowmerge sql -e "$3" 2>err &&
	test_grep "$1" err && test_grep "^rowmerge: -e:$2: " err
}

test_expect_success 'keys with two rows, zeros and text that is no number' '
	rowmerge sql -q -e "CREATE TABLE t (k INTEGER, x INTEGER, v INTEGER);
		INSERT INTO t VALUES (1, 0, 10), (2, 1, 20), (3, NULL, 30),
			(4, 2, 40);
		CREATE TABLE u (k INTEGER, y INTEGER, w VARCHAR);
		INSERT INTO u VALUES (2, 0, '"'a'"'), (2, 1, '"'b'"'),
			(3, NULL, NULL), (4, 0, '"'7'"'), (9, 2, '"'q'"')"
'
test_expect_success 'a second row is an error where the value is asked' '
	test_refused SUBQUERY_MULTIPLE_ROWS 1:11 \
		"SELECT k, (SELECT y FROM u WHERE u.k = t.k) FROM t" &&
	test_grep "^SELECT k, (SELECT" err && test_grep "^          ^$" err &&
	test_refused SUBQUERY_MULTIPLE_ROWS 2:3 "SELECT k, CASE WHEN k < 3 THEN
 +(SELECT y FROM u WHERE u.k = t.k) END FROM t" &&
	test_refused SUBQUERY_MULTIPLE_ROWS 1:32 \
		"SELECT k FROM t WHERE k = 1 OR (SELECT y FROM u) = 1" &&
	test_refused SUBQUERY_MULTIPLE_ROWS 1:8 \
		"SELECT (SELECT y FROM u WHERE u.y > t.x) FROM t"
'
test_expect_success 'CASE, COALESCE, AND, OR and IF guard it' '
	test_query_is "SELECT k, CASE WHEN k <> 2 THEN (SELECT y FROM u
		WHERE u.k = t.k) END AS a FROM t ORDER BY k" k,a 1, 2, 3, 4,0 &&
	test_query_is "SELECT k, if(k = 4, (SELECT y FROM u WHERE u.k = t.k),
		-k) AS a FROM t ORDER BY k" k,a 1,-1 2,-2 3,-3 4,0 &&
	test_query_is "SELECT k, coalesce(x, (SELECT y FROM u)) AS a FROM t
		WHERE x IS NOT NULL ORDER BY k" k,a 1,0 2,1 4,2 &&
	test_query_is "SELECT k FROM t WHERE k = 1 OR k <> 2 AND
		(SELECT y FROM u WHERE u.k = t.k) = 0 ORDER BY k" k 1 4 &&
	test_query_is "SELECT k, k = 9 AND (SELECT y FROM u) = 1 AS a FROM t
		ORDER BY k" k,a 1,false 2,false 3,false 4,false &&
	test_query_is "SELECT k, CASE WHEN k > 2 THEN (SELECT y FROM u
		WHERE u.y > t.x) END AS a FROM t ORDER BY k" k,a 1, 2, 3, 4,
'
test_expect_success 'what a subquery selects is computed where it is asked' '
	test_query_is "SELECT k, (SELECT CAST(w AS INTEGER) FROM u
		WHERE u.k = t.k + 0 AND y = 0) AS a FROM t WHERE k > 2
		ORDER BY k" k,a 3, 4,7 &&
	test_query_is "SELECT k, CASE WHEN x <> 0 THEN (SELECT 10 / t.x) END
		AS a FROM t ORDER BY k" k,a 1, 2,10 3, 4,5 &&
	test_query_is "SELECT k, CASE WHEN k < 4 THEN (SELECT 10 / sum(y)
		FROM u WHERE u.k = t.k) END AS a FROM t ORDER BY k" \
		k,a 1, 2,10 3, 4, &&
	test_query_is "SELECT k, (SELECT coalesce(10 / sum(y), t.v) FROM u
		WHERE u.k = t.k) AS a FROM t WHERE k <> 4 ORDER BY k" \
		k,a 1,10 2,10 3,30 &&
	test_query_is "SELECT k, CASE WHEN x > 0 THEN (SELECT y + 6 / t.x
		FROM u WHERE u.k = 2 * t.k) END AS a FROM t ORDER BY k" \
		k,a 1, 2,6 3, 4, &&
	test_query_is "SELECT k, try((SELECT CAST(w AS INTEGER) FROM u
		WHERE u.k = t.k AND y = 0)) AS a FROM t ORDER BY k" \
		k,a 1, 2, 3, 4,7 &&
	test_refused DIVISION_BY_ZERO 1:22 "SELECT k, (SELECT 10 / sum(y)
		FROM u WHERE u.k = t.k) FROM t" &&
	test_refused CAST 1:19 "SELECT k, (SELECT CAST(w AS INTEGER) FROM u
		WHERE u.k = t.k AND y = 0) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:22 "SELECT k, (SELECT 10 / t.x) FROM t"
'
test_expect_success 'a subquery inside a subquery is asked by it' '
	test_query_is "SELECT k, (SELECT max(CASE WHEN u.k <> 2 THEN
		(SELECT x.y FROM u x WHERE x.k = u.k) END) FROM u
		WHERE u.k >= t.k) AS a FROM t ORDER BY k" k,a 1,2 2,2 3,2 4,2 &&
	test_query_is "SELECT k, CASE WHEN k <> 2 THEN (SELECT
		(SELECT x.y FROM u x WHERE x.k = t.k) FROM t y
		WHERE y.k = t.k) END AS a FROM t ORDER BY k" k,a 1, 2, 3, 4,0 &&
	test_refused SUBQUERY_MULTIPLE_ROWS 1:19 "SELECT k, (SELECT (SELECT x.y
		FROM u x WHERE x.k = t.k) FROM t y WHERE y.k = t.k) FROM t"
'
test_expect_success 'a value of the query around is NULL without a row' '
	test_query_is "SELECT k, (SELECT t.v FROM u WHERE u.k = t.k AND y = 0)
		AS a, (SELECT t.v FROM u HAVING max(u.k) - 5 = t.k) AS b,
		(SELECT t.v FROM u WHERE u.y + u.k > 10 * t.k) AS c,
		(SELECT (SELECT t.v FROM u WHERE u.k = x.k AND y = 0) FROM t x
		WHERE x.k = t.k) AS d, (SELECT t.v FROM u WHERE k > 9) AS e
		FROM t ORDER BY k" k,a,b,c,d,e \
		1,,,10,, 2,20,,,20, 3,,,,, 4,40,40,,40,
'
test_expect_success 'what fails inside a subquery waits until it is asked' '
	test_query_is "SELECT k, CASE WHEN k = 9 THEN (SELECT max(10 / y)
		FROM u) END AS a FROM t ORDER BY k" k,a 1, 2, 3, 4, &&
	test_query_is "SELECT k, k > 9 AND EXISTS (SELECT 1 FROM u
		WHERE CAST(w AS INTEGER) = t.k) AS a FROM t ORDER BY k" \
		k,a 1,false 2,false 3,false 4,false &&
	test_query_is "SELECT k, k > 9 AND k IN (SELECT 10 / y FROM u) AS a,
		k > 9 AND (k, x) IN (SELECT 10 / y, 1 FROM u) AS b,
		k > 9 AND k < ANY (SELECT 10 / y FROM u) AS c FROM t
		WHERE k < 3 ORDER BY k" k,a,b,c \
		1,false,false,false 2,false,false,false &&
	test_query_is "SELECT k FROM t WHERE k > 9 AND k IN (SELECT 10 / y
		FROM u)" k &&
	test_query_is "SELECT k, CASE WHEN k > 9 THEN (SELECT max(y) FROM u
		WHERE (SELECT x.y FROM u x) = 1) END AS a FROM t ORDER BY k" \
		k,a 1, 2, 3, 4, &&
	test_refused DIVISION_BY_ZERO 2:17 "SELECT k, CASE WHEN k = 4 THEN
	(SELECT max(10 / y) FROM u) END FROM t" &&
	test_refused CAST 2:10 "SELECT k, k > 3 AND EXISTS (SELECT 1 FROM u
	  WHERE CAST(w AS INTEGER) = t.k) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:37 \
		"SELECT k, k > 3 AND k IN (SELECT 10 / y FROM u) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:42 \
		"SELECT k, k > 3 AND (k, x) IN (SELECT 10 / y, 1 FROM u) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:40 \
		"SELECT k, k > 3 AND k < ANY (SELECT 10 / y FROM u) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:49 \
		"SELECT k FROM t WHERE k > 3 AND k IN (SELECT 10 / y FROM u)" &&
	test_refused SUBQUERY_MULTIPLE_ROWS 2:14 "SELECT k, (SELECT max(y)
FROM u WHERE (SELECT x.y FROM u x) = 1) FROM t"
'
test_expect_success 'a value that a file has does not wait' '
	test_write_lines k,y 1,2 2,x >bad.csv &&
	for query in "SELECT k, CASE WHEN k > 9 THEN
			(SELECT max(10 / y) FROM s) END FROM t" \
		"SELECT k, k > 9 AND k IN (SELECT 10 / y FROM s) FROM t" \
		"SELECT k FROM t WHERE k > 9 AND k IN (SELECT y FROM s)" \
		"UPDATE t SET v = 1 WHERE k > 9 AND
			(SELECT max(10 / y) FROM s) > 1"
	do
		test_expect_code 3 rowmerge sql --types "k INTEGER, y INTEGER" \
			--bind s=bad.csv -e "$query" 2>err &&
		test_grep "^rowmerge: bad.csv:3: .*CAST" err || return 1
	done
'
test_expect_success 'so does what a row looks up' '
	test_query_is "SELECT k, CASE WHEN x <> 0 THEN 10 / x IN
		(SELECT y * 10 FROM u) END AS a, CASE WHEN x <> 0 THEN
		(10 / x, k) IN (SELECT y * 10, k FROM u) END AS b,
		CASE WHEN x <> 0 THEN (SELECT max(y) FROM u
		WHERE u.k = 4 / t.x) END AS c, CASE WHEN x <> 0 THEN EXISTS
		(SELECT y FROM u WHERE u.k = 4 / t.x) END AS d
		FROM t WHERE k <> 3 ORDER BY k" k,a,b,c,d \
		1,,,, 2,true,true,0,true 4,,false,1,true &&
	test_refused DIVISION_BY_ZERO 1:14 \
		"SELECT k, 10 / x IN (SELECT y FROM u) FROM t" &&
	test_refused DIVISION_BY_ZERO 1:15 \
		"SELECT k, (10 / x, k) IN (SELECT y, k FROM u) FROM t" &&
	test_refused DIVISION_BY_ZERO 2:9 "SELECT k, (SELECT max(y) FROM u
WHERE 4 / t.x = u.k) FROM t" &&
	test_refused DIVISION_BY_ZERO 2:9 "SELECT k, EXISTS (SELECT y FROM u
WHERE 4 / t.x = u.k) FROM t"
'
test_expect_success 'rows of several parts of a join from disk are counted' '
	awk "BEGIN { print \"k\"; for (i = 1; i <= 30000; i++) print i }" \
		>b.csv &&
	for memory in 64K 64M
	do
		rowmerge sql --memory $memory --bind b=b.csv -e "SELECT k,
			CASE WHEN k > 1 THEN (SELECT b.k FROM b WHERE
			abs(b.k % 29999 - t.k) = 0) END AS a FROM t
			ORDER BY k" >out &&
		test_write_lines k,a 1, 2,2 3,3 4,4 >wanted &&
		test_cmp wanted out &&
		test_expect_code 3 rowmerge sql --memory $memory \
			--bind b=b.csv -e "SELECT k, (SELECT b.k FROM b WHERE
			abs(b.k % 29999 - t.k) = 0) AS a FROM t" 2>err &&
		test_grep SUBQUERY_MULTIPLE_ROWS err || return 1
	done
'
test_done
