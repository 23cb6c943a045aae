#!/bin/sh
test_description='--json: one object a statement on stdout'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'create' - <<\EOT
	rowmerge sql --json -e "CREATE TABLE t (id INTEGER, n INTEGER)" \
		>out 2>err &&
	test_member_is table t out &&
	test_member_is version.after 1 out &&
	rowmerge create --json --columns "id INTEGER" u >out &&
	test_member_is table u out &&
	test_member_is version.after 1 out
EOT

test_expect_success 'what IF EXISTS lets pass has its object, too' - <<\EOT
	for sql in "CREATE TABLE IF NOT EXISTS u (id INTEGER)" \
		"DROP TABLE IF EXISTS no" "ALTER TABLE IF EXISTS no DROP a"
	do
		rowmerge sql --json -e "$sql" >out 2>err &&
		test_cmp /dev/null err &&
		test_member_is version.after null out || return 1
	done &&
	test_member_is table no out &&
	test_member_is statement "alter table" out &&
	rowmerge create --json --if-not-exists --columns "id INTEGER" u >out &&
	test_member_is statement "create table" out &&
	test_member_is version.after null out &&
	rowmerge create -v --if-not-exists --columns "id INTEGER" u 2>err &&
	test_grep "table u exists already" err
EOT

test_expect_success 'load' - <<\EOT
	test_write_lines id,n 1,10 2,20 3,30 4,40 >in.csv &&
	rowmerge load --json t in.csv >out 2>err &&
	test_cmp /dev/null err &&
	test_member_is table t out &&
	test_member_is statement insert out &&
	test_member_is version '{"after":2,"before":1}' out &&
	test_member_is rows.read 4 out &&
	test_member_is rows.inserted 4 out &&
	test_member_is files.added 1 out &&
	test_sql "ALTER TABLE t SET PROPERTIES \"rowmerge.fold\" = 'off'"
EOT

test_expect_success 'merge: rows, clauses, files, times' - <<\EOT
	test_write_lines id,n 1,11 2,20 3,0 5,50 6,0 >up.csv &&
	rowmerge merge --json --bind s=up.csv -e "MERGE INTO t USING s
		ON t.id = s.id
		WHEN MATCHED AND s.n = 0 THEN DELETE
		WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED AND s.n > 0 THEN INSERT VALUES (s.id, s.n)" \
		>out 2>err &&
	test_cmp /dev/null err &&
	test_member_is table t out &&
	test_member_is statement merge out &&
	test_member_is version '{"after":4,"before":3}' out &&
	test_member rows out >rows &&
	cat >wanted <<-\EOF &&
	{"deleted":1,"inserted":1,"no_action":1,"read":5,"rejected":0,"superseded":0,"unchanged":1,"updated":1}
	EOF
	test_cmp wanted rows &&
	test_member_is clauses.0 '{"case":0,"kind":"delete","rows":1}' out &&
	test_member_is clauses.1.kind update out &&
	test_member_is clauses.2 '{"case":2,"kind":"insert","rows":1}' out &&
	test_member_is files.scanned 1 out &&
	test_member_is files.removed 0 out &&
	test_member_is attempts 1 out &&
	test_member_is resolved '[]' out &&
	test_member_is warnings '[]' out &&
	for step in total source scan join write commit
	do
		test_member seconds.$step out || return 1
	done &&
	test $(test_member bytes.read out) -gt 0 &&
	test $(test_member bytes.written out) -gt 0 &&
	test $(test_member peak_memory_bytes out) -gt 0
EOT

test_expect_success 'update, delete and insert print the same object' - <<\EOT
	rowmerge sql --json -e "UPDATE t SET n = n + 1 WHERE id <= 2" >out &&
	test_member_is statement update out &&
	test_member_is rows.updated 2 out &&
	rowmerge sql --json -e "DELETE FROM t WHERE id = 1" >out &&
	test_member_is statement delete out &&
	test_member_is rows.deleted 1 out &&
	rowmerge sql --json -e "INSERT INTO t VALUES (7, 7), (8, 8)" >out &&
	test_member_is statement insert out &&
	test_member_is rows.inserted 2 out &&
	test_member_is version '{"after":7,"before":6}' out
EOT

test_expect_success 'nothing changed: before and after are equal' - <<\EOT
	rowmerge sql --json -e "DELETE FROM t WHERE id = 999" >out &&
	test_member_is version '{"after":7,"before":7}' out &&
	rowmerge sql --json -e "UPDATE t SET n = n" >out &&
	test_member_is version '{"after":7,"before":7}' out &&
	test_member_is rows.updated 0 out &&
	test_member_is rows.unchanged 5 out
EOT

test_expect_success 'several statements print one object a line' - <<\EOT
	rowmerge merge --json -e "DELETE FROM t WHERE id = 7;
		DELETE FROM t WHERE id = 8; DELETE FROM t WHERE id = 9" >out &&
	test $(wc -l <out) = 3 &&
	sed -n 2p out >second && test_member_is version.after 9 second &&
	sed -n 3p out >third && test_member_is version.after 9 third
EOT

test_expect_success \
	'what ran before a failure is printed, then the error' - <<\EOT
	test_expect_code 3 rowmerge merge --json -e "
		DELETE FROM t WHERE id = 5; UPDATE t SET n = 1 / 0;
		DELETE FROM t" >out 2>err &&
	test $(wc -l <out) = 2 &&
	sed -n 1p out >first && test_member_is rows.deleted 1 first &&
	sed -n 2p out >second &&
	test_member_is error.code DIVISION_BY_ZERO second &&
	rowmerge show --json t >out && test_member_is version 10 out &&
	test_member_is rows 2 out
EOT

test_expect_success 'warnings are in the object' - <<\EOT
	test_write_lines id,n ,1 2,5 >null.csv &&
	rowmerge merge --json --bind s=null.csv -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n" >out &&
	test_member warnings.0 out >warning &&
	test_grep "IS NOT DISTINCT FROM" warning
EOT

test_expect_success 'names with quotes and line ends stay valid JSON' - <<\EOT
	test_sql 'CREATE TABLE odd ("a""b
	c" INTEGER)' &&
	rowmerge show --json odd >out &&
	test_member schema.fields.0.name out >name &&
	printf 'a"b\n\tc\n' >wanted &&
	test_cmp wanted name
EOT
test_done
