#!/bin/sh
test_description='a clause asks subqueries for the rows that reach it'
. "$(dirname "$0")/test-lib.sh"

# test_merge LINE...: what the target holds after the MERGE of stdin
test_merge () {
	rowmerge sql -q -e "CREATE OR REPLACE TABLE t AS SELECT * FROM first" &&
	rowmerge merge -q --bind s=s.csv - &&
	rowmerge sql -e "SELECT * FROM t ORDER BY id" >out &&
	test_write_lines id,v "$@" >wanted && test_cmp wanted out
}

# test_merge_fails NAME PLACE: the MERGE of stdin does, and changes nothing
test_merge_fails () {
	rowmerge sql -q -e "CREATE OR REPLACE TABLE t AS SELECT * FROM first" &&
	test_expect_code 3 rowmerge merge --bind s=s.csv - 2>err &&
	test_grep "$1" err && test_grep "^rowmerge: stdin:$2: " err &&
	rowmerge sql -e "SELECT * FROM t ORDER BY id" >out &&
	rowmerge sql -e "SELECT * FROM first ORDER BY id" >wanted &&
	test_cmp wanted out
}

test_expect_success 'a source whose key 2 has two rows, and a zero' '
	rowmerge sql -q -e "CREATE TABLE first (id INTEGER, v INTEGER);
		INSERT INTO first VALUES (1, 10), (2, 20), (3, 30);
		CREATE TABLE u (k INTEGER, y INTEGER);
		INSERT INTO u VALUES (1, 5), (2, 6), (2, 7), (4, 0), (5, 2)" &&
	test_write_lines id,v 1,1 2,2 4,4 5,5 >s.csv
'
test_expect_success 'SET and VALUES ask for the rows of their clause' '
	test_merge 1,5 2,20 3,30 4,0 5,2 <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s.id = 2 THEN DO NOTHING
	WHEN MATCHED THEN UPDATE SET v =
		(SELECT y FROM u WHERE u.k = s.id)
	WHEN NOT MATCHED THEN INSERT VALUES (s.id,
		(SELECT y FROM u WHERE u.k = s.id))
	EOF
	test_merge 1,3 2,20 3,30 5,4 <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN NOT MATCHED AND s.v > 4 THEN INSERT VALUES (s.id,
		(SELECT 8 / y FROM u WHERE u.k = s.id))
	WHEN MATCHED AND t.v < 20 THEN UPDATE SET v =
		(SELECT 3 * y / u.y FROM u WHERE u.k = t.id)
	EOF
	test_merge_fails SUBQUERY_MULTIPLE_ROWS 3:1 <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET v =
		(SELECT y FROM u WHERE u.k = s.id)
	EOF
	test_merge_fails DIVISION_BY_ZERO 3:11 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id
	WHEN NOT MATCHED THEN INSERT VALUES (s.id,
		(SELECT 8 / y FROM u WHERE u.k = s.id))
	EOF
'
test_expect_success 'a condition asks for the rows that no clause took' '
	test_merge 1,-1 3,30 <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s.id = 2 THEN DELETE
	WHEN MATCHED AND (SELECT y FROM u WHERE u.k = t.id) = 5
		THEN UPDATE SET v = -1
	EOF
	test_merge_fails SUBQUERY_MULTIPLE_ROWS 2:18 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND (SELECT y FROM u WHERE u.k = t.id) = 5
		THEN UPDATE SET v = -1
	WHEN MATCHED AND s.id = 2 THEN DELETE
	EOF
'
test_expect_success 'so do those of rows that only the target has' '
	test_merge 1,10 2,-2 3,-30 <<-\EOF &&
	MERGE INTO t USING (SELECT * FROM s WHERE id = 1) s ON t.id = s.id
	WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN UPDATE SET v = -2
	WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v =
		coalesce((SELECT y FROM u WHERE u.k = t.id), -30)
	EOF
	test_merge_fails SUBQUERY_MULTIPLE_ROWS 3:1 <<-\EOF
	MERGE INTO t USING (SELECT * FROM s WHERE id = 1) s ON t.id = s.id
	WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v =
		(SELECT y FROM u WHERE u.k = t.id)
	EOF
'
test_expect_success 'UPDATE and DELETE ask for rows of the table' '
	rowmerge sql -q -e "CREATE OR REPLACE TABLE t AS SELECT * FROM first;
		UPDATE t SET v = (SELECT 10 / sum(y) FROM u WHERE u.k = t.id);
		DELETE FROM t WHERE v = (SELECT 40 / max(y) - 6 FROM u
			WHERE u.k = t.id)" &&
	test_query_is "SELECT * FROM t ORDER BY id" id,v 2,0 3, &&
	rowmerge sql -q -e "UPDATE t SET id = id + 2" &&
	test_expect_code 3 rowmerge sql -e "UPDATE t SET v =
(SELECT 10 / sum(y) FROM u WHERE u.k = t.id)" 2>err &&
	test_grep "^rowmerge: -e:2:12: .*DIVISION_BY_ZERO" err &&
	test_query_is "SELECT * FROM t ORDER BY id" id,v 4,0 5,
'
test_done
