#!/bin/sh
test_description='a target row that two source rows would change is refused'
. "$(dirname "$0")/test-lib.sh"
SET='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n'
TWO='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s.n > 0 THEN UPDATE SET n = s.n
	WHEN MATCHED THEN DELETE'

test_expect_success 'a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, name VARCHAR);
		INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y''s'),
			(3, 3, NULL)" &&
	test_files t >before
EOT

# refused SPEC LINE...: such a source is refused and nothing changes
refused () {
	spec=$1 &&
	shift &&
	test_write_lines id,n "$@" >s.csv &&
	for options in "--threads 1" "--threads 4" "--mode copy-on-write" \
		"--dry-run"
	do
		test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES \
			rowmerge merge $options -e "$spec" || return 1
	done &&
	test_files t >after && test_cmp before after && test_table_sane t
}

test_expect_success 'key, both lines and clause are named' - <<\EOT
	refused "$SET" 1,5 2,6 2,7 &&
	test_grep "id = 2" err && test_grep "s.csv:3 .*s.csv:4" err &&
	test_grep "WHEN clause 1, UPDATE" err &&
	test_grep "^hint: .*--keep-latest-by COLUMN.*--keep-last" err
EOT

test_expect_success 'lines are those of the file, not rows' - <<\EOT
	printf 'id,n\n\n1,"5"\n\n\n1,6\n' >s.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		-e "$SET" &&
	test_grep "s.csv:3 .*s.csv:6" err
EOT

test_expect_success 'equal rows too, and rows that change nothing' - <<\EOT
	refused "$SET" 1,5 1,5 && refused "$SET" 1,1 1,1
EOT

test_expect_success 'two clauses, DELETE included' - <<\EOT
	refused "$TWO" 1,5 1,0 &&
	test_grep "WHEN clause 1, UPDATE" err &&
	test_grep "WHEN clause 2, DELETE" err &&
	refused "$TWO" 1,0 1,0
EOT

test_expect_success 'ten keys are shown, then a count' - <<\EOT
	test_sql "CREATE TABLE many (id INTEGER, n INTEGER)" &&
	{ echo id,n; seq 1 25 | sed "s/$/,0/"; } >rows.csv &&
	rowmerge load -q many rows.csv &&
	{ cat rows.csv; sed 1d rows.csv; } >s.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		-e "$(echo "$SET" | sed "s/INTO t/INTO many t/; s/s.n/s.n + \
			1/")" &&
	test_grep "^rowmerge: .*25 target rows" err &&
	test $(grep -c "s.csv:.* and .*s.csv:" err) = 10 &&
	test_grep "15 more" err
EOT

test_expect_success 'composite keys and keys of text are shown whole' - <<\EOT
	test_write_lines id,name,n 2,"y's",5 2,"y's",6 >s.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		-e "MERGE INTO t USING s ON t.id = s.id AND t.name = s.name
			WHEN MATCHED THEN UPDATE SET n = s.n" &&
	test_grep "id = 2 AND name = 'y''s'" err
EOT

test_expect_success 'a row that one clause takes away is no match' - <<\EOT
	test_write_lines id,n 2,70 2,-1 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.n > 0 THEN UPDATE SET n = s.n" &&
	test_rows_are t id,n,name 1,1,x "2,70,y's" 3,3, &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.n < 0 THEN DO NOTHING
		WHEN MATCHED THEN UPDATE SET n = 2" &&
	test_files t >before
EOT

test_expect_success 'unmatched copies are all inserted' - <<\EOT
	test_write_lines id,n 8,1 8,2 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN DELETE
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n, NULL)" &&
	test_select "SELECT n FROM t WHERE id = 8" n 1 2 &&
	test_sql "DELETE FROM t WHERE id = 8" && test_files t >before
EOT

test_expect_success 'one source row may change many target rows' - <<\EOT
	rowmerge merge --json -e "MERGE INTO t USING (VALUES (1)) s(x)
		ON t.n > s.x WHEN MATCHED THEN UPDATE SET n = 9" >json &&
	test_member_is rows.updated 2 json
EOT

test_expect_success \
	'--duplicate-match=case lets two clauses act, and warns' - <<\EOT
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, n INTEGER,
			name VARCHAR);
		INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y''s'),
			(3, 3, NULL)" &&
	test_files t >before &&
	refused "$TWO" 1,5 1,0 &&
	test_write_lines id,n 1,5 1,0 2,7 >s.csv &&
	rowmerge merge --duplicate-match=case -e "$TWO" 2>err &&
	test_grep "warning: 1 target row" err &&
	test_rows_are t id,n,name 1,5,x "2,7,y's" 3,3, &&
	test_write_lines id,n 3,5 3,6 >s.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES \
		rowmerge merge --duplicate-match=case -e "$TWO"
EOT
test_done
