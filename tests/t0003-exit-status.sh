#!/bin/sh
test_description='each failure has its status, its name and its place'
. "$(dirname "$0")/test-lib.sh"

# refused STATUS NAME SQL: as text and as JSON, and the table stays as it is
refused () {
	test_files t >before &&
	test_refused "$1" "$2" rowmerge sql -e "$3" &&
	test_expect_code "$1" rowmerge sql --json -e "$3" >json 2>/dev/null &&
	test_member_is error.code "$2" json &&
	test_files t >after &&
	test_cmp before after
}

test_expect_success 'a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER NOT NULL, n INTEGER, d DATE,
		name VARCHAR, PRIMARY KEY (id));
		INSERT INTO t VALUES (1, 10, DATE '2024-02-29', 'Ann'),
			(2, 20, NULL, 'Bob')"
EOT

test_expect_success 'status 2: the statement is wrong' - <<\EOT
	refused 2 SYNTAX "SELEC 1" &&
	refused 2 SYNTAX "SELECT 1 +" &&
	refused 2 SYNTAX "SELECT 'open" &&
	refused 2 UNKNOWN_TABLE "DELETE FROM nosuch" &&
	refused 2 UNKNOWN_TABLE "SELECT * FROM nosuch" &&
	refused 2 TABLE_EXISTS "CREATE TABLE t (id INTEGER)" &&
	refused 2 UNKNOWN_COLUMN "UPDATE t SET nosuch = 1" &&
	refused 2 UNKNOWN_COLUMN "SELECT nosuch FROM t" &&
	refused 2 COLUMN_EXISTS "CREATE TABLE u (a INTEGER, A INTEGER)" &&
	refused 2 UNSET_PARAMETER "DELETE FROM t WHERE id = :gone" &&
	refused 2 AMBIGUOUS_COLUMN "MERGE INTO t USING t s ON t.id = s.id
		WHEN MATCHED AND n > 1 THEN DELETE" &&
	refused 2 DUPLICATE_ASSIGNMENT "UPDATE t SET n = 1, N = 2" &&
	refused 2 ARITY "INSERT INTO t VALUES (1)" &&
	refused 2 ARITY "INSERT INTO t (id, n) VALUES (1, 2, 3)" &&
	refused 2 TYPE_MISMATCH "UPDATE t SET n = TRUE" &&
	refused 2 TYPE_MISMATCH "SELECT 1 + 'x'" &&
	test ! -e u
EOT

test_expect_success 'status 2: a version that is not there' - <<\EOT
	test_refused 2 UNKNOWN_VERSION rowmerge cat --at 99 t &&
	test_refused 2 UNKNOWN_VERSION rowmerge cat --at 0 t &&
	test_refused 2 UNKNOWN_VERSION rowmerge show --at 99 t &&
	test_refused 2 UNKNOWN_VERSION rowmerge cat --at 1999-12-31 t &&
	test_refused 2 USAGE rowmerge cat --at yesterday t
EOT

test_expect_success 'status 3: the data is refused' - <<\EOT
	refused 3 CAST "UPDATE t SET n = CAST(name AS INTEGER)" &&
	refused 3 OVERFLOW "UPDATE t SET n = n + 2147483647" &&
	refused 3 OVERFLOW "UPDATE t SET n = 3000000000 WHERE id = 1" &&
	refused 3 DIVISION_BY_ZERO "UPDATE t SET n = 1 / (id - 2)" &&
	refused 3 NOT_NULL "UPDATE t SET id = NULL" &&
	refused 3 NOT_NULL "INSERT INTO t (n) VALUES (1)" &&
	refused 3 DUPLICATE_KEY "INSERT INTO t (id) VALUES (7), (8), (7)" &&
	refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES "MERGE INTO t
		USING (VALUES (1, 5), (1, 6)) s(id, n) ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET n = s.n" &&
	refused 3 BAD_ARGUMENT "UPDATE t SET d = date_trunc(lower(name), d)"
EOT

test_expect_success 'status 3: the input is refused' - <<\EOT
	test_files t >before &&
	test_write_lines id,n 7,x >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_write_lines id,n 7 >bad.csv &&
	test_refused 3 RAGGED_ROW rowmerge load t bad.csv &&
	test_write_lines id,name '7,"open' >bad.csv &&
	test_refused 3 BAD_CSV rowmerge load t bad.csv &&
	printf 'id,name\n7,\351t\351\n' >bad.csv &&
	test_refused 3 BAD_ENCODING rowmerge load t bad.csv &&
	test_write_lines id,ID 7,7 >bad.csv &&
	test_refused 3 DUPLICATE_HEADER rowmerge load t bad.csv &&
	test_files t >after &&
	test_cmp before after
EOT

test_expect_success 'status 1: an input that is not there' - <<\EOT
	test_files t >before &&
	test_refused 1 IO rowmerge load t nosuch.csv &&
	test_grep "nosuch.csv" err &&
	test_files t >after &&
	test_cmp before after
EOT

test_expect_success 'status 5: an empty source and a BY SOURCE delete' - <<\EOT
	echo id,n >empty.csv &&
	refused 5 GUARD_EMPTY_SOURCE "MERGE INTO t USING 'empty.csv' s
		ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE"
EOT

test_expect_success 'a failure as JSON has message, hint and place' - <<\EOT
	test_write_lines id,n 7,1 8,x >bad.csv &&
	test_expect_code 3 rowmerge load --json t bad.csv >json 2>err &&
	test_member_is error.code CAST json &&
	test_member_is error.file bad.csv json &&
	test_member_is error.line 3 json &&
	test_member_is error.column n json &&
	test_member_is error.retryable false json &&
	test_member error.message json >message &&
	test_grep "x" message
EOT

test_expect_success 'and a hint where there is something to do' - <<\EOT
	test_expect_code 2 rowmerge cat --json nosuch >json 2>err &&
	test_member_is error.code UNKNOWN_TABLE json &&
	test_member error.hint json
EOT

test_expect_success 'wrong use is JSON too' - <<\EOT
	test_expect_code 2 rowmerge cat --json --frobnicate t >json &&
	test_member_is error.code USAGE json
EOT
test_done
