#!/bin/sh
test_description='guards, warnings, and the status of a dry run'
. "$(dirname "$0")/test-lib.sh"
SYNC='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)
	WHEN NOT MATCHED BY SOURCE THEN DELETE'

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)"
}

# warned COUNT LINE... : a merge of source LINEs says COUNT warnings, in err
# and in the object that it prints alike
warned () {
	count=$1 &&
	shift &&
	test_write_lines "$@" >s.csv &&
	rowmerge merge --json -e "$spec" >json 2>err &&
	test "$(grep -c "warning: " err)" = "$count" &&
	test_member warnings json >list &&
	perl -MJSON::PP -ne 'print scalar @{decode_json($_)}' list >size &&
	test "$(cat size)" = "$count"
}

test_expect_success '--exit-code tells whether a dry run found changes' - <<\EOT
	new_table && test_files t >before && test_write_lines id,n 1,5 >s.csv &&
	test_expect_code 10 rowmerge merge -q --dry-run --exit-code \
		-e "$SYNC" &&
	test_write_lines id,n 1,1 2,2 3,3 4,4 >s.csv &&
	rowmerge merge -q --dry-run --exit-code -e "$SYNC" &&
	test_expect_code 10 rowmerge sql -q --dry-run --exit-code \
		-e "DELETE FROM t WHERE id = 1" &&
	rowmerge sql -q --dry-run --exit-code -e "DELETE FROM t WHERE id = 9" &&
	test_files t >after && test_cmp before after &&
	test_refused 2 USAGE rowmerge merge --exit-code -e "$SYNC"
EOT

test_expect_success 'a new column alone is a difference' - <<\EOT
	test_write_lines id,n,w >s.csv &&
	test_expect_code 10 rowmerge merge -q --dry-run --exit-code -e "
		MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET *" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success '--max-deletes in rows' - <<\EOT
	test_write_lines id,n 1,9 2,9 7,7 >s.csv &&
	test_refused 5 GUARD_DELETES rowmerge merge --max-deletes 1 \
		-e "$SYNC" &&
	test_grep "2 of the 4 rows of t would be deleted" err &&
	test_grep "allows 1" err && test_grep "^hint: .*--max-deletes" err &&
	test_refused 5 GUARD_DELETES rowmerge merge --max-deletes 0 \
		--mode copy-on-write --dry-run -e "$SYNC" &&
	test_refused 5 GUARD_DELETES rowmerge sql --max-deletes 0 \
		-e "DELETE FROM t WHERE id = 1" &&
	test_files t >after && test_cmp before after && test_table_sane t &&
	rowmerge merge -q --max-deletes 2 -e "$SYNC" &&
	test_rows_are t id,n 1,9 2,9 7,7
EOT

test_expect_success '--max-deletes as a share of the rows there are' - <<\EOT
	new_table && rowmerge sql -q -e "DELETE FROM t WHERE id = 4" &&
	test_write_lines id,n 1,1 2,2 >s.csv &&
	test_refused 5 GUARD_DELETES rowmerge merge --max-deletes 33.3% \
		-e "$SYNC" &&
	test_grep "1 of the 3 rows" err && test_grep "33.33 %" err &&
	rowmerge merge -q --max-deletes 33.3334% -e "$SYNC" &&
	test_rows_are t id,n 1,1 2,2 &&
	for wrong in -1 x 5x % 101% -1% 1.23456%
	do
		test_refused 2 USAGE rowmerge merge --max-deletes $wrong \
			-e "$SYNC" || return 1
	done
EOT

test_expect_success 'an update is no delete' - <<\EOT
	new_table && test_write_lines id,n 1,9 2,9 3,9 4,9 >s.csv &&
	rowmerge merge -q --max-deletes 0 -e "$SYNC" &&
	rowmerge merge -q --max-deletes 0 --mode copy-on-write -e "
		MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET n = 0"
EOT

test_expect_success 'an empty source says what it would delete' - <<\EOT
	new_table && echo id,n >s.csv &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$SYNC" &&
	test_grep "source has 0 rows.*all 4 rows (100 %)" err &&
	test_grep "^hint: .*--allow-empty-source" err &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN NOT MATCHED BY SOURCE THEN DO NOTHING" &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN NOT MATCHED BY SOURCE THEN DO NOTHING
		WHEN NOT MATCHED BY SOURCE THEN DELETE" 2>err ||
	test_grep GUARD err
EOT

test_expect_success 'a source of which no key is there is as empty' - <<\EOT
	new_table && test_write_lines id,n ,1 ,2 >s.csv &&
	on="MERGE INTO t USING s ON" &&
	by="WHEN NOT MATCHED BY SOURCE" &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$SYNC" &&
	test_grep "each has NULL in a key.*all 4 rows (100 %)" err &&
	test_grep "^hint: .*broken.*--allow-empty-source" err &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge --memory 64K -e "
		$on t.id = s.id AND t.n = s.n $by THEN DELETE" &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$on t.id = s.id
		$by AND t.n < (SELECT max(x.n) FROM t x) THEN DELETE" &&
	test_grep "each has NULL in a key" err &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$on t.id = s.id
		AND EXISTS (SELECT 1 FROM t x WHERE x.id = t.id AND x.n < s.n)
		$by THEN DELETE" &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$on t.id = s.id + 1
		WHEN MATCHED THEN UPDATE SET
			n = (SELECT min(x.n) FROM t x WHERE x.id = t.n)
		$by THEN DELETE" &&
	rowmerge merge -q --dry-run -e "
		$on t.id = coalesce(s.id + s.n, s.n)
		WHEN MATCHED THEN UPDATE SET
			n = (SELECT min(x.n) FROM t x WHERE x.id = t.n)
		$by THEN DELETE" &&
	test_write_lines id,n ,1 1,2 >s.csv &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "
		$on t.id = s.id AND s.n = 1 $by THEN DELETE" &&
	for kept in "t.id = s.id" "t.id = s.id AND s.n = 2" "FALSE" \
		"t.id = s.id AND s.n = 7" "t.id IS NOT DISTINCT FROM s.id"
	do
		rowmerge merge -q --dry-run -e "$on $kept
			$by THEN DELETE" || return 1
	done &&
	rowmerge merge -q --dry-run -e "$on t.id = s.id
		$by AND t.n < (SELECT max(x.n) FROM t x) THEN DELETE" &&
	test_write_lines id,n ,1 ,2 >s.csv &&
	rowmerge merge -q --dry-run --allow-empty-source -e "$SYNC" &&
	rowmerge merge -q -e "$on t.id = s.id $by THEN DO NOTHING"
EOT

test_expect_success 'guards see a BY SOURCE clause with subqueries' - <<\EOT
	new_table &&
	for test in "t.n < (SELECT max(x.n) FROM t x)" \
		"EXISTS (SELECT 1 FROM t x WHERE x.id > t.id)"
	do
		spec="MERGE INTO t USING s ON t.id = s.id
			WHEN NOT MATCHED BY SOURCE AND $test THEN DELETE" &&
		echo id,n >s.csv &&
		test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$spec" &&
		rowmerge merge -q --dry-run --allow-empty-source -e "$spec" &&
		test_write_lines id,n 9,9 >s.csv &&
		test_refused 5 GUARD_DELETES rowmerge merge --max-deletes 2 \
			-e "$spec" &&
		rowmerge merge -q --dry-run --max-deletes 3 -e "$spec" ||
		return 1
	done &&
	rowmerge merge -q -e "$spec" &&
	test_rows_are t id,n 4,4
EOT

test_expect_success 'a delete flag that NOT MATCHED does not test' - <<\EOT
	new_table &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.op = 'D' THEN DELETE
		WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" &&
	warned 1 id,n,op 1,1,U &&
	test_grep "tests op and WHEN NOT MATCHED does not" err &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.op = 'D' THEN DELETE
		WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED AND s.op <> 'D' THEN
			INSERT VALUES (s.id, s.n)" &&
	warned 0 id,n,op 1,1,U
EOT

test_expect_success 'a text that is stored is no flag, a BOOLEAN is' - <<\EOT
	test_sql "CREATE TABLE places (id INTEGER, town VARCHAR, gone BOOLEAN);
		CREATE TABLE b (id INTEGER, town VARCHAR, gone BOOLEAN);
		INSERT INTO b VALUES (1, 'Berkeley', false)" &&
	rowmerge merge -e "MERGE INTO places t USING b s ON t.id = s.id
		WHEN MATCHED AND s.town = 'Berkeley' THEN DELETE
		WHEN NOT MATCHED THEN INSERT *" 2>err &&
	test_no_grep warning err &&
	rowmerge merge -e "MERGE INTO places t USING b s ON t.id = s.id
		WHEN MATCHED AND s.gone THEN DELETE
		WHEN NOT MATCHED THEN INSERT *" 2>err &&
	test_grep "tests gone and WHEN NOT MATCHED does not" err
EOT

test_expect_success 'what is compared with the target is no flag' - <<\EOT
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.n < t.n AND s.id > 0 THEN DELETE
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" &&
	warned 0 id,n 8,8
EOT

test_expect_success 'rows whose flag is NULL and that no clause took' - <<\EOT
	new_table &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.gone = true THEN DELETE
		WHEN MATCHED AND s.gone = false THEN UPDATE SET n = s.n
		WHEN NOT MATCHED AND s.gone = false THEN
			INSERT VALUES (s.id, s.n)" &&
	warned 1 id,n,gone 1,7, 2,8, 9,9, 3,3,true 8,8,true &&
	test_grep "3 source rows had NULL in gone" err &&
	test_rows_are t id,n 1,1 2,2 4,4 &&
	warned 0 id,n,gone 1,7,true 8,8,true
EOT

test_expect_success 'a source past --memory warns of the same rows' - <<\EOT
	new_table &&
	perl -e 'print "id,n,gone\n"; print "$_,7,\n" for 1 .. 30000' >s.csv &&
	rowmerge merge --memory 1M -e "$spec" 2>err &&
	test_grep "30000 source rows had NULL in gone" err
EOT

test_expect_success 'an UPDATE of the key' - <<\EOT
	new_table &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET id = s.new" &&
	warned 1 id,new 1,11 && test_grep "sets id, which ON equates" err &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET *" &&
	warned 0 id,n 2,22 &&
	spec="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET id = t.id, n = s.n" &&
	warned 0 id,n 2,23
EOT

test_expect_success 'an UPDATE of the primary key' - <<\EOT
	test_sql "CREATE TABLE p (id INTEGER, n INTEGER, PRIMARY KEY (id));
		INSERT INTO p VALUES (1, 1)" &&
	rowmerge sql -e "UPDATE p SET id = id + 1" 2>err &&
	test_grep "sets id, which is of the PRIMARY KEY" err
EOT

test_expect_success '--exit-code comes before the status of rejects' - <<\EOT
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, n INTEGER)" &&
	test_write_lines id,n 1,1 x,2 >s.csv &&
	UPSERT="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" &&
	test_expect_code 10 rowmerge merge -q --dry-run --exit-code \
		--rejects bad -e "$UPSERT" &&
	test_expect_code 4 rowmerge merge -q --rejects bad -e "$UPSERT" &&
	test_expect_code 4 rowmerge merge -q --dry-run --exit-code \
		--rejects bad -e "$UPSERT"
EOT

test_done
