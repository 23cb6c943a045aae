#!/bin/sh
test_description='CSV columns that the target lacks take the type of their use'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR, d DATE);
		INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', NULL)"
EOT

test_expect_success 'a flag compared with true is BOOLEAN' - <<\EOT
	test_write_lines id,gone 1,TRUE 2,no >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.gone = true THEN DELETE" &&
	test_rows_are t id,name,d 2,b,
EOT

test_expect_success 'an alias that a column is assigned to types it' - <<\EOT
	test_write_lines key,text,day 2,0017,2024-02-29 3,c, >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.key
		WHEN MATCHED THEN UPDATE SET name = s.text, d = s.day
		WHEN NOT MATCHED THEN INSERT VALUES (s.key, s.text, s.day)" &&
	test_rows_are t id,name,d 2,0017,2024-02-29 3,c,
EOT

test_expect_success 'the type is the target column even under an alias' - <<\EOT
	test_write_lines id,d 2,2024-03-01 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t
		USING (SELECT id AS key, d AS day FROM s) x ON t.id = x.key
		WHEN MATCHED THEN UPDATE SET d = x.day" &&
	test_select "SELECT d FROM t WHERE id = 2" d 2024-03-01
EOT

test_expect_success 'no use at all: text' - <<\EOT
	test_write_lines code 007 >c.csv &&
	test_select "SELECT code, code || 'x' AS x FROM c" code,x 007,007x
EOT

test_expect_success 'two types for one column' - <<\EOT
	test_write_lines id,x 2,1 >s.csv &&
	test_files t >before &&
	test_refused 2 TYPE_MISMATCH rowmerge merge -e "MERGE INTO t USING s
		ON t.id = s.x WHEN MATCHED AND s.x = true THEN DELETE" &&
	test_grep "x" err && test_files t >after && test_cmp before after
EOT

test_expect_success 'a value that does not convert to it' - <<\EOT
	test_write_lines id,gone 2,true 3,maybe >s.csv &&
	test_refused 3 CAST rowmerge merge -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED AND s.gone = true THEN DELETE" &&
	test_grep "s.csv:3" err && test_grep gone err && test_grep maybe err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'bad values in columns that the spec does not use' - <<\EOT
	test_write_lines id,name,d,junk 2,x,not-a-date,junk >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = s.name" &&
	test_select "SELECT name FROM t WHERE id = 2" name x
EOT

test_expect_success 'tonight: the same type as yesterday' - <<\EOT
	test_write_lines id,name 5,123 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT (id, name)
			VALUES (s.id, s.name)" &&
	test_write_lines id,name 5,abc >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = s.name" &&
	test_select "SELECT name FROM t WHERE id = 5" name abc
EOT

test_expect_success 'a type that comes from the table is told' - <<\EOT
	test_sql "CREATE TABLE told (id INTEGER, gone VARCHAR)" &&
	test_write_lines id,gone 1,true >told.csv &&
	for clause in "s.gone = true" "true <> s.gone" "s.gone IS TRUE"
	do
		test_refused 2 TYPE_MISMATCH rowmerge merge --bind s=told.csv \
			-e "MERGE INTO told t USING s ON t.id = s.id
			WHEN MATCHED AND $clause THEN DELETE" &&
		test_grep "^hint: gone is VARCHAR as in the table" err ||
			return 1
	done &&
	for clause in "t.gone = true" "s.id = true"
	do
		test_refused 2 TYPE_MISMATCH rowmerge merge --bind s=told.csv \
			--types "id BIGINT" \
			-e "MERGE INTO told t USING s ON t.id = s.id
			WHEN MATCHED AND $clause THEN DELETE" &&
		test_no_grep "as in the table" err || return 1
	done
EOT

test_done
