#!/bin/sh
test_description='fields of CSV: quotes, NULL, too few, too many, bad bytes'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a table with a row' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR, n INTEGER);
		INSERT INTO t VALUES (0, 'old', 0)" &&
	test_files t >before
EOT

# refused NAME PATTERN LINE...: such a file is refused, whoever reads it
refused () {
	name=$1 pattern=$2 &&
	shift 2 &&
	test_write_lines "$@" >in.csv &&
	for options in "--threads 1" "--threads 4"
	do
		test_refused 3 $name rowmerge load $options t in.csv &&
		test_grep "$pattern" err || return 1
	done &&
	test_refused 3 $name rowmerge load t <in.csv &&
	test_files t >after && test_cmp before after
}

test_expect_success \
	'too few and too many fields: file, line, both counts' - <<\EOT
	refused RAGGED_ROW "^rowmerge: in.csv:3.* 2 .*3\|in.csv:3.*3.* 2 " \
		id,name,n 1,a,1 2,b &&
	refused RAGGED_ROW "^rowmerge: in.csv:2.* 4 .*3\|in.csv:2.*3.* 4 " \
		id,name,n 1,a,1,x 2,b,2 &&
	refused RAGGED_ROW "in.csv:4" id,name,n '1,"a' 'b",1' 2,b
EOT

test_expect_success \
	'an empty last field only where the header has it too' - <<\EOT
	refused RAGGED_ROW "in.csv:2" id,name,n 1,a,1, &&
	refused RAGGED_ROW "in.csv:3" id,name,n, 1,a,1, 2,b,2 &&
	refused RAGGED_ROW "in.csv:2" id,name,n, 1,a,1,x
EOT

test_expect_success 'a quote left open names the line where it opened' - <<\EOT
	refused BAD_CSV "^rowmerge: in.csv:3" id,name,n 1,a,1 '2,"b,2' 3,c,3 &&
	refused BAD_CSV "^rowmerge: in.csv:1" 'id,"name,n' 1,a,1
EOT

test_expect_success 'stray quotes are data or refused with the line' - <<\EOT
	for line in '1,5" pipe,1' '1,a"b"c,1' '1,"a"b,1' '1,"a" ,1'
	do
		test_sql "CREATE OR REPLACE TABLE q (id INTEGER, name VARCHAR,
			n INTEGER)" &&
		test_write_lines id,name,n "$line" 2,b,2 >in.csv &&
		if rowmerge load -q q in.csv 2>err
		then
			rowmerge cat q >out && test $(wc -l <out) = 3 &&
			test_grep "^2,b,2$" out
		else
			test_grep "in.csv:2: field 2: .*BAD_CSV" err
		fi || return 1
	done
EOT

test_expect_success \
	'bytes that are not UTF-8: line, column, byte and a hint' - <<\EOT
	printf 'id,name,n\n1,a,1\n2,na\357ve,2\n' >latin.csv &&
	test_refused 3 BAD_ENCODING rowmerge load t latin.csv &&
	test_grep "^rowmerge: latin.csv:3" err && test_grep name err &&
	test_grep "0xEF" err && test_grep "^hint: " err &&
	for bytes in '\300\200' '\355\240\200' '\364\220\200\200' '\200' \
		'\342\202'
	do
		printf "id,name,n\n1,x${bytes}y,1\n" >latin.csv &&
		test_refused 3 BAD_ENCODING rowmerge load t latin.csv ||
		return 1
	done &&
	printf 'id,na\351me,n\n1,a,1\n' >latin.csv &&
	test_refused 3 BAD_ENCODING rowmerge load t latin.csv &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'UTF-16 is not read as something else' - <<\EOT
	printf '\377\376i\0d\0\n\0001\0\n\0' >utf16.csv &&
	test_must_fail rowmerge load t utf16.csv 2>err &&
	test_grep "utf16.csv" err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'a bare empty field is NULL, "" is empty text' - <<\EOT
	test_write_lines id,name,n '1,"",1' '2,,2' '3,"NULL",' '4,NULL,4' \
		>in.csv &&
	test_sql "CREATE TABLE e (id INTEGER, name VARCHAR, n INTEGER)" &&
	rowmerge load -q e in.csv &&
	test_select "SELECT id FROM e WHERE name = ''" id 1 &&
	test_select "SELECT id FROM e WHERE name IS NULL" id 2 &&
	test_select "SELECT id FROM e WHERE name = 'NULL'" id 3 4 &&
	rowmerge cat e >out && 
	test_write_lines id,name,n '1,"",1' 2,,2 3,NULL, 4,NULL,4 >wanted &&
	test_cmp wanted out
EOT

test_expect_success '"" in a number column is no number' - <<\EOT
	refused CAST "in.csv:2.*n" id,name,n '1,a,""'
EOT
test_done
