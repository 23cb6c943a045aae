#!/bin/sh
test_description='an update that changes no value writes nothing'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n, name = s.name
	WHEN NOT MATCHED THEN INSERT (id, n, name) VALUES (s.id, s.n, s.name)'

test_expect_success 'the same batch twice is one version' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n DECIMAL(8,2), name VARCHAR,
		f DOUBLE)" &&
	test_write_lines id,n,name 1,1.5,a 2,,b 3,3.00, '4,4,""' >s.csv &&
	rowmerge merge -q -e "$UPSERT" &&
	test_files t >before &&
	for mode in merge-on-read copy-on-write
	do
		rowmerge merge --json --mode $mode -e "$UPSERT" >json &&
		test_member_is rows.unchanged 4 json &&
		test_member_is rows.updated 0 json &&
		test_member_is version '{"after":2,"before":2}' json &&
		test_member_is files.added 0 json || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'ten runs do not make the table grow' - <<\EOT
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		rowmerge merge -q -e "$UPSERT" || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'only rows that differ are written and counted' - <<\EOT
	test_write_lines id,n,name 1,1.50,a 2,2,b 3,3,x '4,4,""' >s.csv &&
	rowmerge merge --json -e "$UPSERT" >json &&
	test_member_is rows.updated 2 json &&
	test_member_is rows.unchanged 2 json &&
	test_rows_are t id,n,name,f 1,1.50,a, 2,2.00,b, 3,3.00,x, '4,4.00,"",'
EOT

test_expect_success 'NULL and "" differ, NULL and NULL do not' - <<\EOT
	test_write_lines id,n,name 1,1.5,a 2,2,b 3,3,x 4,4, >s.csv &&
	rowmerge merge --json -e "$UPSERT" >json &&
	test_member_is rows.updated 1 json &&
	rowmerge merge --json -e "$UPSERT" >json &&
	test_member_is rows.updated 0 json &&
	test_select "SELECT id FROM t WHERE name IS NULL" id 4
EOT

test_expect_success 'NaN is not changed by NaN' - <<\EOT
	test_sql "UPDATE t SET f = nan()" &&
	rowmerge sql --json -e "UPDATE t SET f = nan()" >json &&
	test_member_is rows.unchanged 4 json &&
	test_member_is rows.updated 0 json
EOT

test_expect_success 'UPDATE and SET c = c count as unchanged' - <<\EOT
	rowmerge sql --json -e "UPDATE t SET n = n, name = name" >json &&
	test_member_is rows.unchanged 4 json &&
	rowmerge sql --json -e "UPDATE t SET n = 1.5 WHERE id < 3" >json &&
	test_member_is rows.unchanged 1 json &&
	test_member_is rows.updated 1 json
EOT

test_expect_success 'a delete that finds no row makes no version' - <<\EOT
	test_files t >before &&
	rowmerge sql --json -e "DELETE FROM t WHERE id = 99" >json &&
	test_member_is rows.deleted 0 json &&
	rowmerge sql --json -e "INSERT INTO t SELECT id, n, name, f FROM t
		WHERE id > 99" >json &&
	test_member_is rows.inserted 0 json &&
	test_files t >after && test_cmp before after
EOT
test_done
