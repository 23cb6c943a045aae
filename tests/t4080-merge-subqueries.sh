#!/bin/sh
test_description='subqueries in ON, WHEN and SET see the table as it was'
. "$(dirname "$0")/test-lib.sh"

# test_merge LINE...: what the target holds after the MERGE of stdin
test_merge () {
	rowmerge sql -q -e "CREATE OR REPLACE TABLE t AS SELECT * FROM first" &&
	rowmerge merge -q --bind s=s.csv - &&
	rowmerge sql -e "SELECT * FROM t ORDER BY id, v" >out &&
	test_write_lines id,grp,v "$@" >wanted && test_cmp wanted out
}

test_expect_success 'a target and a source' '
	rowmerge sql -q -e "CREATE TABLE first (id INTEGER, grp INTEGER,
		v INTEGER);
		INSERT INTO first VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30),
			(NULL, 2, 40)" &&
	test_write_lines id,grp,v 1,1,100 3,2,300 5,2,500 >s.csv
'
test_expect_success 'ON reads the target alone in a subquery' '
	test_merge 1,1,10 2,1,20 3,2,300 5,2,500 ,2,40 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id AND t.v >
		(SELECT avg(x.v) FROM t x WHERE x.grp <> t.grp)
	WHEN MATCHED THEN UPDATE SET v = s.v
	WHEN NOT MATCHED AND s.id > 1 THEN INSERT VALUES (s.id, s.grp, s.v)
	EOF
'
test_expect_success 'ON compares with a subquery over the target' '
	test_merge 1,1,10 2,1,100 3,2,30 ,2,40 <<-\EOF
	MERGE INTO t USING s ON s.id + 1 =
		(SELECT max(x.id) FROM t x WHERE x.grp = t.grp AND x.v = t.v)
	WHEN MATCHED THEN UPDATE SET v = s.v
	EOF
'
test_expect_success 'ON reads both sides in a subquery' '
	test_merge 1,1,100 2,1,20 3,2,30 3,2,300 5,2,500 ,2,40 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id AND EXISTS
		(SELECT 1 FROM t x WHERE x.grp = t.grp AND x.id > s.id)
	WHEN MATCHED THEN UPDATE SET v = s.v
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.grp, s.v)
	EOF
'
test_expect_success 'rows without a match of such an ON are BY SOURCE' '
	test_merge 1,1,100 2,1,-20 3,2,-30 3,2,300 5,2,500 ,2,-40 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id AND s.v NOT IN
		(SELECT x.v * 10 FROM t x WHERE x.id > 1 AND x.grp >= t.grp
			AND x.v * 10 >= s.v AND x.id IS NOT NULL
			AND t.id <> 1)
	WHEN MATCHED THEN UPDATE SET v = s.v
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.grp, s.v)
	WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -t.v
	EOF
'
test_expect_success 'a row matched by two source rows is refused' '
	test_must_fail rowmerge merge --bind s=s.csv -e "
		MERGE INTO t USING s ON s.v > (SELECT max(x.v) FROM t x
			WHERE x.id <> t.id AND x.id <> s.id)
		WHEN MATCHED THEN DELETE" 2>err &&
	test_grep MERGE_TARGET_ROW_MULTIPLE_MATCHES err
'
test_expect_success 'one clause does not see what another did' '
	test_merge 1,1,60 2,1,60 3,2,60 5,2,4 ,2,60 <<-\EOF
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET v =
		(SELECT sum(x.v) FROM t x WHERE x.id IS NOT NULL)
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.grp,
		(SELECT count(*) FROM t))
	WHEN NOT MATCHED BY SOURCE AND t.v = ANY (SELECT x.v FROM t x)
	THEN UPDATE SET v = (SELECT max(x.v) + 30 FROM t x WHERE x.id = 3)
	EOF
'
test_expect_success 'a target that is a file is read as itself' '
	test_write_lines id,v 1,10 2,20 3,30 >t.csv && cp t.csv first.csv &&
	for target in "'"'t.csv'"'" "bound"
	do
		bind=$(test $target != bound || echo --bind bound=t.csv) &&
		cp first.csv t.csv &&
		rowmerge merge -q --bind s=s.csv $bind -e "
		MERGE INTO $target t USING s ON t.id = s.id AND t.v IN
			(SELECT x.v / 10 FROM s x WHERE x.id = t.id)
		WHEN MATCHED AND EXISTS (SELECT 1 FROM $target x
			WHERE x.id <> t.id) THEN UPDATE SET v = s.v
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)" &&
		test_write_lines id,v 1,100 2,20 3,300 5,500 >wanted &&
		test_cmp wanted t.csv || return 1
	done &&
	rowmerge merge -q -e "DELETE FROM '"'t.csv'"' t WHERE id >
		(SELECT min(y.id) FROM '"'t.csv'"' y WHERE y.id <> t.id)" &&
	test_write_lines id,v 1,100 >wanted && test_cmp wanted t.csv
'
test_done
