#!/bin/sh
test_description='CREATE TABLE, as a statement and as a command'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'columns have types, ids and NOT NULL' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR(20),
		price DECIMAL(10, 2), seen TIMESTAMP WITH TIME ZONE)" &&
	rowmerge show t >out &&
	sed -n "/^columns/,/^partition/p" out >columns &&
	cat >wanted <<-\EOF &&
	columns
	  1  id BIGINT NOT NULL
	  2  name VARCHAR
	  3  price DECIMAL(10,2)
	  4  seen TIMESTAMP WITH TIME ZONE
	partition specs
	EOF
	test_cmp wanted columns &&
	test_table_sane t
EOT

test_expect_success 'every type, and its Iceberg name' - <<\EOT
	test_sql "CREATE TABLE types (a BOOLEAN, b INTEGER, c INT, d BIGINT,
		e REAL, f DOUBLE, g DECIMAL, h DECIMAL(38,10), i DATE, j TIME,
		k TIMESTAMP, l TIMESTAMP WITH TIME ZONE, m VARCHAR, n VARBINARY,
		o UUID, p DOUBLE PRECISION, q TIMESTAMP(6))" &&
	rowmerge show --json types >json &&
	grep -o "\"type\":\"[^\"]*\"" json | sed 1d | cut -d\" -f4 >out &&
	test_write_lines boolean int int long float double "decimal(38, 0)" \
		"decimal(38, 10)" date time timestamp timestamptz string \
		binary uuid double timestamp >wanted &&
	sed "s/, */, /" out >spaced && test_cmp wanted spaced
EOT

test_expect_success 'version 2 is the default, version 3 on demand' - <<\EOT
	rowmerge show --json t >json && test_member_is format_version 2 json &&
	test_sql "CREATE TABLE t3 (id INTEGER) WITH (format_version = 3)" &&
	rowmerge show --json t3 >json && test_member_is format_version 3 json &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "CREATE TABLE t4 (id INTEGER) WITH (format_version = 4)" &&
	test ! -e t4
EOT

test_expect_success 'a primary key makes its columns NOT NULL' - <<\EOT
	test_sql "CREATE TABLE p (a INTEGER, b VARCHAR, c DATE,
		PRIMARY KEY (b, a))" &&
	rowmerge show p >out &&
	test_grep "a INTEGER NOT NULL PRIMARY KEY" out &&
	test_grep "b VARCHAR NOT NULL PRIMARY KEY" out &&
	test_grep "c DATE$" out &&
	test_sql "CREATE TABLE p2 (a INTEGER PRIMARY KEY, b VARCHAR)" &&
	rowmerge show p2 >out &&
	test_grep "a INTEGER NOT NULL PRIMARY KEY" out &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql \
		-e "CREATE TABLE p3 (a INTEGER, PRIMARY KEY (x))" &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "CREATE TABLE p3 (a DOUBLE PRIMARY KEY)" &&
	test ! -e p3
EOT

test_expect_success 'properties are kept, unknown ones of ours refused' - <<\EOT
	test_sql "CREATE TABLE q (id INTEGER) WITH (\"owner\" = 'it''s me',
		\"write.merge.mode\" = 'copy-on-write')" &&
	rowmerge show --json q >json &&
	test_grep "\"owner\": \"it's me\"" json &&
	test_grep "\"write.merge.mode\": \"copy-on-write\"" json &&
	for property in "\"rowmerge.nosuch\" = '1'" \
		"\"write.merge.mode\" = 'x'" \
		"\"schema.name-mapping.default\" = '[1]'" \
		"\"rowmerge.fold\" = 'maybe'"
	do
		test_refused 3 BAD_ARGUMENT rowmerge sql \
			-e "CREATE TABLE q2 (id INTEGER) WITH ($property)" &&
		test ! -e q2 || return 1
	done
EOT

test_expect_success 'IF NOT EXISTS leaves a table alone' - <<\EOT
	test_files t >before &&
	test_refused 2 TABLE_EXISTS rowmerge sql -e "CREATE TABLE t (x DATE)" &&
	test_sql "CREATE TABLE IF NOT EXISTS t (x DATE)" &&
	test_files t >after && test_cmp before after &&
	test_sql "CREATE TABLE IF NOT EXISTS t5 (x DATE)" && test -d t5
EOT

test_expect_success 'OR REPLACE is the next version of the same table' - <<\EOT
	test_sql "CREATE TABLE r (id INTEGER, a VARCHAR);
		INSERT INTO r VALUES (1, 'x')" &&
	rowmerge show --json r >json && uuid=$(test_member uuid json) &&
	test_sql "CREATE OR REPLACE TABLE r (b DATE, id BIGINT)" &&
	rowmerge show --json r >json &&
	test_member_is uuid "$uuid" json &&
	test_member_is version 3 json && test_member_is rows 0 json &&
	test_rows_are r b,id &&
	rowmerge cat --at 2 r >out &&
	test_write_lines id,a 1,x >wanted && test_cmp wanted out &&
	test_table_sane r
EOT

test_expect_success 'the command does the same' - <<\EOT
	rowmerge create --columns "id BIGINT, name VARCHAR DEFAULT 'new'" \
		--primary-key id --property owner=me --format-version 3 c \
		>out 2>err &&
	test_cmp /dev/null out &&
	rowmerge show c >out &&
	test_grep "Iceberg format 3" out &&
	test_grep "id BIGINT NOT NULL PRIMARY KEY" out &&
	test_grep "name VARCHAR DEFAULT 'new'" out &&
	test_grep "owner = me" out &&
	test_refused 2 TABLE_EXISTS rowmerge create --columns "x DATE" c &&
	rowmerge create -q --if-not-exists --columns "x DATE" c &&
	test_refused 2 SYNTAX rowmerge create --columns "id" c2 &&
	test_refused 2 SYNTAX rowmerge create --columns "id INTEGER) DROP" c2 &&
	test_refused 2 UNKNOWN_COLUMN rowmerge create --columns "id INTEGER" \
		--primary-key x c2 &&
	test_refused 2 USAGE rowmerge create --columns "id INTEGER" \
		--primary-key " " c2 &&
	test ! -e c2 &&
	rowmerge create -q --columns "\"a,\"\"b\" INTEGER, c INTEGER" \
		--primary-key "C, \"a,\"\"B\"" c3 &&
	test_write_lines "\"a,\"\"b\",c" 1,2 | rowmerge load -q c3 &&
	rowmerge cat c3 --columns " \"A,\"\"b\" , c,c" >out &&
	test_write_lines "\"a,\"\"b\",c,c" 1,2,2 >wanted &&
	test_cmp wanted out &&
	test_refused 2 USAGE rowmerge cat c3 --columns "" &&
	rowmerge show c3 >out && test_grep "PRIMARY KEY" out
EOT

test_expect_success 'column names: quoted, dotted, reserved, not ASCII' - <<\EOT
	test_sql "CREATE TABLE n (\"a b\" INTEGER, \"c.d\" INTEGER,
		\"order\" INTEGER, \"größe\" INTEGER, \"q\"\"q\" INTEGER);
		INSERT INTO n (\"A B\", \"c.d\", \"ORDER\", \"größe\",
			\"q\"\"q\")
			VALUES (1, 2, 3, 4, 5)" &&
	test_rows_are n 'a b,c.d,order,größe,"q""q"' 1,2,3,4,5 &&
	test_refused 2 COLUMN_EXISTS rowmerge sql \
		-e "CREATE TABLE n2 (a INTEGER, \"A\" DATE)" &&
	test_refused 2 SYNTAX rowmerge sql -e "CREATE TABLE n2 ()" &&
	test ! -e n2
EOT

test_expect_success 'a folder in the way that is no table' - <<\EOT
	mkdir busy && echo mine >busy/file &&
	{ rowmerge sql -e "CREATE TABLE busy (id INTEGER)" 2>err; :; } &&
	echo mine >wanted && test_cmp wanted busy/file &&
	echo x >plain &&
	test_must_fail rowmerge sql -e "CREATE TABLE plain (id INTEGER)" &&
	echo x >wanted && test_cmp wanted plain
EOT
test_expect_success 'a name with a dot is not that of a field' - <<\EOT
	test_refused 2 COLUMN_EXISTS rowmerge sql -e "CREATE TABLE dots (
		\"a.b\" INTEGER, a ROW(b INTEGER))" &&
	test_refused 2 UNKNOWN_TABLE rowmerge cat dots
EOT

test_done
