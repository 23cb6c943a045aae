#!/bin/sh
test_description='what can fail is asked only where what guards it holds'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two tables with zeros and with text that is no number' '
	rowmerge sql -e "CREATE TABLE t (k INTEGER, x INTEGER, v VARCHAR);
		INSERT INTO t VALUES (1, 0, '"'a'"'), (2, 1, '"'7'"'),
			(3, NULL, NULL), (4, 2, '"'9'"');
		CREATE TABLE u (k INTEGER, y INTEGER, w VARCHAR);
		INSERT INTO u VALUES (2, 0, '"'a'"'), (2, 1, '"'b'"'),
			(3, NULL, NULL), (4, 0, '"'x'"'), (9, 2, '"'q'"')"
'
test_expect_success 'FILTER guards the arguments and their order' '
	test_query_is "SELECT sum(10 / y) FILTER (WHERE y <> 0) AS s,
		count(DISTINCT 10 / y) FILTER (WHERE y <> 0) AS c,
		string_agg(w, '"'+'"' ORDER BY 10 / y)
		FILTER (WHERE y <> 0) AS a FROM u" s,c,a 15,2,q+b &&
	test_query_is "SELECT k, sum(10 / y) FILTER (WHERE y <> 0)
		OVER (PARTITION BY k ORDER BY y) AS s FROM u ORDER BY k, s" \
		k,s 2,10 2, 3, 4, 9,5 &&
	test_expect_code 3 rowmerge sql -e "SELECT sum(10 / y)
		FILTER (WHERE y >= 0) FROM u" 2>err &&
	test_grep DIVISION_BY_ZERO err
'
test_expect_success 'ON guards the keys and conditions of an outer join' '
	test_query_is "SELECT t.k, u.w FROM t LEFT JOIN u ON t.x <> 0 AND
		4 / t.x = u.y * 2 ORDER BY t.k" k,w 1, 2,q 3, 4,b &&
	test_query_is "SELECT t.k, u.w FROM t RIGHT JOIN u ON t.k = u.k AND
		u.y <> 0 AND 10 / u.y > t.x ORDER BY u.w" k,w ,a 2,b ,q ,x , &&
	test_query_is "SELECT t.k, u.w FROM t FULL JOIN u ON u.y <> 0 AND
		t.x <> 0 AND 10 / u.y = 10 / t.x ORDER BY t.k, u.w" \
		k,w 1, 2,b 3, 4,q ,a ,x , &&
	test_query_is "SELECT t.k, u.w FROM t LEFT JOIN u ON t.k = u.k AND
		t.x IN (SELECT y FROM u) AND t.x <> 0 AND 10 / t.x > u.y
		ORDER BY t.k, u.w" k,w 1, 2,a 2,b 3, 4,x
'
test_expect_success 'a join and a subquery guard what stands behind them' '
	test_query_is "SELECT t.k, u.w FROM t JOIN u ON t.k = u.k AND
		CAST(t.v AS INTEGER) > 5 ORDER BY u.w" k,w 2,a 2,b 4,x &&
	test_query_is "SELECT t.k, u.w FROM t, u WHERE t.k = u.k AND
		CAST(t.v AS INTEGER) > 5 ORDER BY u.w" k,w 2,a 2,b 4,x &&
	test_query_is "SELECT k FROM t WHERE k IN (SELECT k FROM u) AND
		CAST(v AS INTEGER) > 5 ORDER BY k" k 2 4 &&
	test_expect_code 3 rowmerge sql -e "SELECT k FROM t WHERE
		CAST(v AS INTEGER) > 5 AND k IN (SELECT k FROM u)" 2>err &&
	test_grep CAST err
'
test_expect_success 'conditions of a subquery guard those behind them' '
	test_query_is "SELECT k, (SELECT count(*) FROM u WHERE u.k = t.k AND
		t.x <> 0 AND 10 / t.x > u.y) AS c FROM t ORDER BY k" \
		k,c 1,0 2,2 3,0 4,1 &&
	test_query_is "SELECT k, EXISTS (SELECT 1 FROM u WHERE t.x <> 0 AND
		4 / t.x = u.y) AS e FROM t ORDER BY k" \
		k,e 1,false 2,false 3,false 4,true &&
	test_query_is "SELECT k, (SELECT count(*) FROM u WHERE t.x <> 0 AND
		4 / t.x = u.y) AS c FROM t ORDER BY k" k,c 1,0 2,0 3,0 4,1 &&
	test_query_is "SELECT k, (SELECT sum(10 / coalesce(u.y, 0)) FROM u
		WHERE u.k > t.k + 4) AS s FROM t ORDER BY k" \
		k,s 1,5 2,5 3,5 4,5 &&
	test_query_is "SELECT k, (SELECT sum(10 / coalesce(u.y, 0)) FROM u
		WHERE u.k > t.k + 5) AS s FROM t ORDER BY k" k,s 1,5 2,5 3,5 4,
'
test_expect_success 'WHERE guards the subqueries of UPDATE and DELETE' '
	rowmerge sql -q -e "CREATE TABLE c (k INTEGER, x INTEGER, r INTEGER);
		INSERT INTO c VALUES (1, 0, 0), (2, 1, 0), (4, 2, 0);
		UPDATE c SET r = (SELECT 10 / c.x) WHERE x <> 0;
		UPDATE c SET r = r + (SELECT max(10 / c.x + y) FROM u
			WHERE u.k = c.k) WHERE x <> 0" &&
	test_query_is "SELECT * FROM c ORDER BY k" k,x,r 1,0,0 2,1,21 4,2,10 &&
	rowmerge sql -q -e "UPDATE c SET r = (SELECT y FROM u
		WHERE u.k = c.k) WHERE k <> 2" &&
	test_query_is "SELECT * FROM c ORDER BY k" k,x,r 1,0, 2,1,21 4,2,0 &&
	test_expect_code 3 rowmerge sql -q -e "UPDATE c SET r =
		(SELECT y FROM u WHERE u.k = c.k) WHERE k > 1" 2>err &&
	test_grep SUBQUERY_MULTIPLE_ROWS err &&
	rowmerge sql -q -e "DELETE FROM c WHERE k <> 2 AND
		(SELECT y FROM u WHERE u.k = c.k) = 0" &&
	test_query_is "SELECT * FROM c ORDER BY k" k,x,r 1,0, 2,1,21 &&
	printf "k,x,r\n1,0,0\n2,1,0\n4,2,0\n" >c.csv &&
	rowmerge sql -q --types "k INTEGER, x INTEGER, r INTEGER" -e "
		UPDATE '"'c.csv'"' SET r = (SELECT 10 / x) WHERE x <> 0" &&
	test_write_lines k,x,r 1,0,0 2,1,10 4,2,5 >wanted &&
	test_cmp wanted c.csv
'
test_done
