#!/bin/sh
test_description='options of a CSV input, on the command line and in read_csv()'
. "$(dirname "$0")/test-lib.sh"

# loaded OPTIONS LINE...: in.csv, read so, gives these rows
loaded () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR)" &&
	eval "rowmerge load -q $1 t in.csv" &&
	shift &&
	test_rows_are t id,name "$@"
}

test_expect_success '--delimiter' - <<\EOT
	test_write_lines "id;name" "1;a,b" '2;"c;d"' >in.csv &&
	loaded "--delimiter ';'" '1,"a,b"' "2,c;d" &&
	printf "id\tname\n1\ta b\n" >in.csv &&
	loaded "--delimiter '\\t'" "1,a b" &&
	test_write_lines "id|name" "1|x" >in.csv && loaded "--delimiter '|'" 1,x
EOT

test_expect_success 'a .tsv file is delimited by tabs, by its name' - <<\EOT
	printf "name\tid\na,b\t1\n" >in.tsv &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	rowmerge load -q t in.tsv && test_rows_are t id,name '1,"a,b"' &&
	test_select "SELECT name FROM 'in.tsv'" name '"a,b"'
EOT

test_expect_success '--quote, another one and none' - <<\EOT
	test_write_lines id,name "1,'a,b'" "2,'it''s'" '3,"' >in.csv &&
	loaded "--quote \"'\"" '1,"a,b"' "2,it's" '3,""""' &&
	test_write_lines id,name '1,"a"' '2,"' "3," >in.csv &&
	loaded "--quote ''" '1,"""a"""' '2,""""' 3,
EOT

test_expect_success '--no-header: columns are column1, column2' - <<\EOT
	test_write_lines 1,a 2,b >in.csv &&
	rm -rf t &&
	test_sql "CREATE TABLE t (column1 INTEGER, column2 VARCHAR)" &&
	rowmerge load -q --no-header t in.csv &&
	test_rows_are t column1,column2 1,a 2,b &&
	rowmerge sql --no-header -e "SELECT column2 FROM 'in.csv'" >out &&
	test_write_lines column2 a b >wanted && test_cmp wanted out
EOT

test_expect_success '--null: the bare text only' - <<\EOT
	test_write_lines id,name 1,NA '2,"NA"' 3, '4,""' NA,x >in.csv &&
	loaded "--null NA" ,x 1, 2,NA 3, '4,""'
EOT

test_expect_success '--skip-lines before the header' - <<\EOT
	test_write_lines "a report, of today" '"' id,name 1,x >in.csv &&
	loaded "--skip-lines 2" 1,x &&
	test_write_lines id,name 1,x y >in.csv &&
	test_expect_code 3 rowmerge load t in.csv 2>err &&
	test_grep "in.csv:3" err &&
	test_write_lines skipped id,name 1,x y >in.csv &&
	test_expect_code 3 rowmerge load --skip-lines 1 t in.csv 2>err &&
	test_grep "in.csv:4" err &&
	test_expect_code 3 rowmerge load --skip-lines 99 t in.csv 2>err
EOT

test_expect_success 'read_csv() takes the same, over the command line' - <<\EOT
	test_write_lines "skip" "1|NA" "2|'a|b'" >in.csv &&
	rowmerge sql --delimiter ";" -e "SELECT column1 AS a, column2 AS b
		FROM read_csv('in.csv', delimiter => '|', header => false,
		null => 'NA', quote => '''', skip_lines => '1')" >out &&
	test_write_lines a,b 1, "2,a|b" >wanted && test_cmp wanted out &&
	test_sql "MERGE INTO t USING read_csv('in.csv', delimiter => '|',
		header => false, skip_lines => '1', quote => '''') s
		ON t.id = s.column1 WHEN NOT MATCHED
		THEN INSERT VALUES (s.column1, s.column2)" &&
	test_select "SELECT name FROM t WHERE id = 2" name "a|b"
EOT

test_expect_success \
	'read_csv() with a glob, with --bind, and as a source of types' - <<\EOT
	mkdir -p many && test_write_lines "id;name" "5;e" >many/1.csv &&
	test_write_lines "name;id" "f;6" >many/2.csv &&
	test_sql "INSERT INTO t SELECT id, name FROM
		read_csv('many/*.csv', delimiter => ';')" &&
	test_select "SELECT name FROM t WHERE id IN (5, 6)" name e f
EOT

test_expect_success 'read_csv(): what is wrong with its options' - <<\EOT
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT * FROM read_csv('in.csv', colour => 'x')" &&
	test_refused 3 BAD_ARGUMENT rowmerge sql \
		-e "SELECT * FROM read_csv('in.csv', delimiter => 'ab')" &&
	test_refused 3 BAD_ARGUMENT rowmerge sql \
		-e "SELECT * FROM read_csv('in.csv', header => 'maybe')" &&
	test_refused 3 BAD_ARGUMENT rowmerge sql \
		-e "SELECT * FROM read_csv('in.csv', skip_lines => 'x')" &&
	test_refused 1 IO rowmerge sql \
		-e "SELECT * FROM read_csv('gone.csv')" &&
	test_refused 2 UNSUPPORTED rowmerge sql -e "SELECT * FROM read_xml('a')"
EOT

test_expect_success 'delimiter and quote that cannot be told apart' - <<\EOT
	test_expect_code 2 rowmerge load --delimiter "'" --quote "'" t in.csv \
		2>err
EOT
test_done
