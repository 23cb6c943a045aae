#!/bin/sh
test_description='joins, groups, set operations and subqueries'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two tables' '
	rowmerge sql -e "CREATE TABLE t (k INTEGER, v VARCHAR, n BIGINT);
		INSERT INTO t VALUES (1, '"'a'"', 10), (2, '"'b'"', 20),
			(3, '"'c'"', NULL), (NULL, '"'d'"', 40);
		CREATE TABLE u (k INTEGER, w VARCHAR, m BIGINT);
		INSERT INTO u VALUES (1, '"'x'"', 1), (1, '"'y'"', 2),
			(3, '"'z'"', NULL), (5, '"'q'"', 9),
			(NULL, '"'n'"', 7)"
'
test_expect_success 'rows are counted where no column of them is read' '
	test_query_is "SELECT count(*) AS c, sum(DISTINCT m) AS d FROM u" c,d 5,19 &&
	test_query_is "SELECT count(*) AS c, string_agg(w, '"','"' ORDER BY w DESC)
		AS s FROM u WHERE k < 5" c,s "3,\"z,y,x\"" &&
	test_query_is "SELECT count(*) AS c FROM (SELECT * FROM u ORDER BY m) q" c 5 &&
	test_query_is "SELECT count(*) AS c FROM t LEFT JOIN u ON false" c 4
'
test_expect_success 'joins' '
	test_query_is "SELECT t.k, w FROM t JOIN u ON t.k = u.k ORDER BY w" \
		k,w 1,x 1,y 3,z &&
	test_query_is "SELECT k, v, w FROM t LEFT JOIN u USING (k) ORDER BY v, w" \
		k,v,w 1,a,x 1,a,y 2,b, 3,c,z ,d, &&
	test_query_is "SELECT * FROM t FULL JOIN u USING (k) ORDER BY v, w" \
		k,v,n,w,m 1,a,10,x,1 1,a,10,y,2 2,b,20,, 3,c,,z, ,d,40,, \
		,,,n,7 5,,,q,9 &&
	test_query_is "SELECT count(*) AS c FROM t CROSS JOIN u, t x" c 80 &&
	test_query_is "SELECT t.k FROM t NATURAL JOIN u ORDER BY 1" k 1 1 3
'
test_expect_success 'groups' '
	test_query_is "SELECT k, count(*) AS c, sum(m) AS s FROM u GROUP BY k
		HAVING count(*) > 0 ORDER BY c DESC, k" \
		k,c,s 1,2,3 3,1, 5,1,9 ,1,7 &&
	test_query_is "SELECT count(*) AS c, max(n) AS x FROM t WHERE FALSE" \
		c,x 0, &&
	test_query_is "SELECT DISTINCT k FROM u ORDER BY k DESC NULLS FIRST" \
		k "" 5 3 1 &&
	test_query_is "SELECT string_agg(w, '"'-'"' ORDER BY w DESC) AS s FROM u" \
		s z-y-x-q-n
'
test_expect_success 'a group of zeros has no sign, whichever came first' '
	test_query_is "SELECT d, r, count(*) AS c FROM (VALUES
		(CAST('"'-0.0'"' AS DOUBLE), CAST(0 AS REAL)),
		(CAST('"'0.0'"' AS DOUBLE), CAST('"'-0.0'"' AS REAL)),
		(CAST('"'-1.5'"' AS DOUBLE), CAST('"'-0.0'"' AS REAL))) q (d, r)
		GROUP BY d, r ORDER BY d" d,r,c -1.5,0.0,1 0.0,0.0,2 &&
	test_query_is "SELECT DISTINCT d FROM (VALUES
		(CAST('"'-0.0'"' AS DOUBLE))) q (d)" d 0.0
'
test_expect_success 'DISTINCT with an order, of columns without a type' '
	printf "w,n\nb,2\na,10\nb,10\n" >untyped.csv &&
	test_query_is "SELECT listagg(DISTINCT w, '"'+'"') WITHIN GROUP
		(ORDER BY w) AS s, array_agg(DISTINCT n ORDER BY n) AS t
		FROM '"'untyped.csv'"' WHERE n > 1" s,t "a+b,\"[2,10]\"" &&
	test_expect_code 2 rowmerge sql -e "SELECT string_agg(DISTINCT w, '"'+'"'
		ORDER BY n) FROM '"'untyped.csv'"'" 2>err &&
	test_grep "ORDER BY can only name the argument" err
'
test_expect_success 'sets of groups' '
	test_query_is "SELECT k, w, count(*) AS c, grouping(k, w) AS g FROM u
		WHERE k < 5 GROUP BY ROLLUP (k, w) ORDER BY k, w, g" k,w,c,g \
		1,x,1,0 1,y,1,0 1,,2,1 3,z,1,0 3,,1,1 ,,3,3 &&
	test_query_is "SELECT k, m > 1 AS b, sum(m) AS s FROM u WHERE k < 5
		GROUP BY CUBE (k, m > 1) HAVING count(m) > 0 ORDER BY 1, 2, 3" \
		k,b,s 1,false,1 1,true,2 1,,3 ,false,1 ,true,2 ,,3 &&
	test_query_is "SELECT k, count(*) AS c, rank() OVER (PARTITION BY grouping(k)
		ORDER BY count(*) DESC) AS r FROM u
		GROUP BY GROUPING SETS ((k), (k, k), ()) ORDER BY k, r" k,c,r \
		1,2,1 1,2,1 3,1,3 3,1,3 5,1,3 5,1,3 ,5,1 ,1,3 ,1,3 &&
	test_query_is "SELECT k, (SELECT string_agg(w, '"'+'"' ORDER BY w) FROM
		(SELECT w FROM u WHERE u.k = t.k GROUP BY GROUPING SETS ((w), ()))
		q) AS s FROM t ORDER BY k" k,s 1,x+y 2, 3,z , &&
	test_query_is "SELECT count(*) AS c, max(k) AS m FROM t WHERE k > 9
		GROUP BY GROUPING SETS ((k), (), (v))" c,m 0,
'
test_expect_success 'set operations' '
	test_query_is "SELECT k FROM t UNION SELECT k FROM u EXCEPT SELECT 5
		ORDER BY 1" k 1 2 3 "" &&
	test_query_is "SELECT 1 AS a UNION ALL SELECT 2 INTERSECT SELECT 3" a 1 &&
	test_query_is "WITH c AS (SELECT k FROM u) SELECT count(*) AS n FROM c a
		JOIN c b ON a.k = b.k" n 6 &&
	test_query_is "SELECT k FROM u EXCEPT ALL SELECT k FROM t ORDER BY 1" \
		k 1 5 &&
	test_query_is "SELECT * FROM (VALUES (1), (1), (NULL), (NULL), (2)) v (x)
		INTERSECT ALL SELECT * FROM (VALUES (NULL), (1), (1), (1))
		w (x) EXCEPT ALL SELECT 1 ORDER BY 1" x 1 ""
'
test_expect_success 'subqueries' '
	test_query_is "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u
		WHERE u.k = t.k) ORDER BY k" k 1 3 &&
	test_query_is "SELECT k FROM t WHERE k NOT IN (SELECT k FROM u)" k &&
	test_query_is "SELECT k, k IN (SELECT k FROM u) AS i, (SELECT count(*)
		FROM u WHERE u.k = t.k) AS c FROM t ORDER BY k" \
		k,i,c 1,true,2 2,,0 3,true,1 ,,0 &&
	test_query_is "SELECT k, (SELECT count(*) FROM u WHERE u.m < t.n) AS c
		FROM t ORDER BY k" k,c 1,4 2,4 3,0 ,4 &&
	test_query_is "SELECT k, n > ALL (SELECT m FROM u WHERE u.k = t.k) AS c
		FROM t ORDER BY k" k,c 1,true 2,true 3, ,true &&
	test_expect_code 3 rowmerge sql -e "SELECT (SELECT w FROM u
		WHERE u.k = t.k) FROM t" 2>err &&
	test_grep SUBQUERY_MULTIPLE_ROWS err
'
test_expect_success 'subqueries in ON of outer joins read either side or both' '
	test_query_is "SELECT t.k, w FROM t LEFT JOIN u ON t.k = u.k AND
		EXISTS (SELECT 1 FROM u x WHERE x.m > u.m AND x.k = t.k)
		ORDER BY v, w" k,w 1,x 2, 3, , &&
	test_query_is "SELECT t.k, w FROM t RIGHT JOIN u ON t.k = u.k AND
		t.n IN (SELECT max(n) - 10 FROM t) ORDER BY w" \
		k,w ,n ,q ,x ,y ,z &&
	test_query_is "SELECT t.k AS a, u.k AS b FROM t FULL JOIN u ON u.m <
		(SELECT min(x.n) FROM t x WHERE x.k > t.k AND x.k > u.k)
		ORDER BY 1, 2" a,b 1,1 1,1 2, 3, ,3 ,5 , , &&
	test_query_is "SELECT k, (SELECT count(x.k) FROM u LEFT JOIN t x ON
		x.k = (SELECT max(y.k) FROM u y WHERE y.k <= t.k AND
		y.m <= u.m)) AS c FROM t ORDER BY k" k,c 1,4 2,4 3,4 ,0
'
test_expect_success 'a column without fields does not hide a table around' '
	test_query_is "SELECT v, (SELECT count(*) FROM (SELECT v AS t, k FROM t) x
		WHERE x.k = t.k) AS c FROM t ORDER BY v" v,c a,1 b,1 c,1 d,0 &&
	test_expect_code 2 rowmerge sql -e "SELECT v.k FROM t" 2>err &&
	test_grep "VARCHAR is not a ROW, it has no field k" err
'
test_expect_success 'frames by the distance of numbers, dates and times' '
	test_query_is "SELECT k, sum(k) OVER (ORDER BY k RANGE 1.5 PRECEDING) AS s
		FROM t ORDER BY k" k,s 1,1 2,3 3,5 , &&
	test_query_is "SELECT d, count(*) OVER (ORDER BY d DESC RANGE BETWEEN
		INTERVAL '"'1'"' DAY PRECEDING AND INTERVAL '"'2'"' DAY
		FOLLOWING) AS c FROM (SELECT DATE '"'2024-02-28'"' + k * INTERVAL
		'"'1'"' DAY AS d FROM t) q ORDER BY d" d,c 2024-02-29,2 \
		2024-03-01,3 2024-03-02,3 ,1 &&
	test_query_is "SELECT count(*) OVER (ORDER BY d RANGE INTERVAL '"'90'"'
		MINUTE PRECEDING) AS c FROM (SELECT TIMESTAMP
		'"'2024-02-28 23:00:00'"' + k * INTERVAL '"'1'"' HOUR AS d
		FROM t WHERE k > 0) q ORDER BY d" c 1 2 2 &&
	test_query_is "SELECT count(*) OVER (ORDER BY x RANGE BETWEEN 50 PRECEDING
		AND 0.5 FOLLOWING) AS c FROM (VALUES (1.25), (1.75), (1.8)) v (x)
		ORDER BY 1" c 2 3 3 &&
	for distance in "1" "INTERVAL '"'1'"' HOUR" "INTERVAL '"'1'"' MONTH" \
		"INTERVAL '"'-1'"' DAY"
	do
		test_expect_code 2 rowmerge sql -e "SELECT count(*) OVER
			(ORDER BY d RANGE $distance PRECEDING)
			FROM (SELECT DATE '"'2024-02-28'"' AS d) q" 2>err &&
		test_grep "^rowmerge: -e:2:.*distance" err || return 1
	done
'
test_expect_success 'misuse is refused with its place' '
	for query in "SELECT k, sum(n) FROM t" \
		"SELECT k FROM t WHERE sum(n) > 1" \
		"SELECT sum(sum(n)) FROM t" \
		"SELECT k FROM t WHERE rank() OVER () = 1"
	do
		test_expect_code 2 rowmerge sql -e "$query" 2>err &&
		test_grep "^rowmerge: -e:1:.*SYNTAX" err || return 1
	done
'
test_expect_success 'changes by subqueries see the table as it was' '
	rowmerge sql -e "UPDATE t SET n = (SELECT sum(m) FROM u
		WHERE u.k = t.k) WHERE k IS NOT NULL" &&
	rowmerge cat t >out && sort out >sorted &&
	test_write_lines ,d,40 1,a,3 2,b, 3,c, k,v,n >wanted &&
	test_cmp wanted sorted &&
	rowmerge sql -e "UPDATE t SET n = (SELECT sum(x.k) FROM t x) + k" &&
	rowmerge sql -e "DELETE FROM t WHERE k IN (SELECT k FROM u
		WHERE k > 2)" &&
	rowmerge sql -e "DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u
		WHERE u.k = t.k)" &&
	rowmerge cat t >out && test_write_lines k,v,n 1,a,7 >wanted &&
	test_cmp wanted out
'
test_done
