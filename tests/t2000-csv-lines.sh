#!/bin/sh
test_description='lines of CSV: ends, blanks, the last one, the first bytes'
. "$(dirname "$0")/test-lib.sh"

# loaded FORMAT LINE...: a file of these bytes (printf) loads as these rows
loaded () {
	printf "$1" >in.csv &&
	shift &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	rowmerge load -q t in.csv &&
	test_rows_are t id,name "$@" &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	rowmerge load -q --threads 1 t in.csv &&
	test_rows_are t id,name "$@"
}

# refused NAME FORMAT PATTERN: a file of these bytes is refused
refused () {
	printf "$2" >in.csv &&
	test_files t >before &&
	test_refused 3 "$1" rowmerge load t in.csv &&
	test_grep "$3" err &&
	test_refused 3 "$1" rowmerge load --threads 1 t in.csv &&
	test_files t >after && test_cmp before after
}

test_expect_success 'LF, CR LF and a mix' '
	loaded "id,name\n1,a\n2,b\n" 1,a 2,b &&
	loaded "id,name\r\n1,a\r\n2,b\r\n" 1,a 2,b &&
	loaded "id,name\n1,a\r\n2,b\n3,c\r\n" 1,a 2,b 3,c &&
	loaded "id,name\r\n1,a\n2,\"b\"\r\n" 1,a 2,b
'

test_expect_success 'the last line may lack its end' '
	loaded "id,name\n1,a\n2,b" 1,a 2,b &&
	loaded "id,name\r\n1,a" 1,a &&
	loaded "id,name\n1,a\n2," 1,a 2, &&
	loaded "id,name\n1,a\n2,\"b\"" 1,a 2,b
'

test_expect_success 'empty lines are skipped' '
	loaded "id,name\n\n1,a\n\r\n\n2,b\n\n\n" 1,a 2,b &&
	loaded "\n\nid,name\n1,a\n" 1,a
'

test_expect_success 'but in a file of one column they are rows' '
	test_sql "CREATE TABLE one (v VARCHAR)" &&
	printf "v\na\n\nb\n\"\"\n" >one.csv &&
	rowmerge load -q one one.csv &&
	rowmerge cat one >out &&
	test_write_lines v a "" b "\"\"" >wanted && test_cmp wanted out
'

test_expect_success 'a byte order mark is no part of the first name' '
	loaded "\357\273\277id,name\n1,a\n" 1,a &&
	loaded "\357\273\277\"id\",name\r\n1,a\r\n" 1,a
'

test_expect_success 'lone CR and line breaks inside quotes are data' - <<\EOT
	printf 'id,name\r\n1,"a\rb"\r\n2,"c\r\nd\n\ne"\r\n' >in.csv &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	rowmerge load -q t in.csv &&
	rowmerge cat t >out &&
	printf 'id,name\n1,"a\rb"\n2,"c\r\nd\n\ne"\n' >wanted &&
	test_cmp wanted out &&
	test_select "SELECT id, length(name) AS n FROM t" id,n 1,3 2,7
EOT

test_expect_success 'blanks are data, quoted or not' '
	loaded "id,name\n1, a \n2,\" b \"\n3,\t\n" "1, a " "2, b " "3,	"
'

test_expect_success 'a row of blanks only is not an empty line' '
	refused RAGGED_ROW "id,name\n1,a\n   \n" "in.csv:3"
'

test_expect_success 'a NUL byte is kept or refused, never cut' - <<\EOT
	printf 'id,name\n1,a\0b\n2,c\n' >in.csv &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	if rowmerge load -q t in.csv 2>err
	then
		test_select "SELECT length(name) AS n FROM t WHERE id = 1" n 3
	else
		test_grep "in.csv:2" err && test_rows_are t id,name
	fi
EOT

test_expect_success 'a very long line, and very many columns' - <<\EOT
	perl -e 'print "id,name\n1,", "x" x 3000000, "\n2,y\n"' >in.csv &&
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, name VARCHAR)" &&
	rowmerge load -q t in.csv &&
	test_select "SELECT id, length(name) AS n FROM t" id,n 1,3000000 2,1 &&
	perl -e 'print join(",", map { "c$_" } 1 .. 2000), "\n",
		join(",", 1 .. 2000), "\n"' >wide.csv &&
	test_select "SELECT c1, c1999, c2000 FROM 'wide.csv'" \
		c1,c1999,c2000 1,1999,2000
EOT

test_expect_success 'lines that look like comments are data' '
	loaded "id,name\n1,#a\n" 1,#a &&
	refused RAGGED_ROW "id,name\n# comment\n1,a\n" "in.csv:2"
'
test_done
