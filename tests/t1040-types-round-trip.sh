#!/bin/sh
test_description='values of every type come out of a table as they went in'
. "$(dirname "$0")/test-lib.sh"

# round_trip TYPE VALUE...: through load and cat, as a literal cast from text,
# with a NULL among them, in both formats
round_trip () {
	type=$1 &&
	shift &&
	test_write_lines "k,v" >in.csv &&
	i=0 &&
	for value
	do
		i=$((i + 1)) &&
		test_write_lines "$i,$value" >>in.csv || return 1
	done &&
	echo "$((i + 1))," >>in.csv &&
	for version in 2 3
	do
		rm -rf r &&
		test_sql "CREATE TABLE r (k INTEGER, v $type)
			WITH (format_version = $version)" &&
		rowmerge load -q r in.csv &&
		rowmerge cat r >out.csv &&
		test_cmp in.csv out.csv || return 1
	done &&
	test_sql "CREATE TABLE copy AS SELECT * FROM r;
		UPDATE copy SET v = NULL WHERE k = 1;
		MERGE INTO copy USING r ON copy.k = r.k
			WHEN MATCHED THEN UPDATE SET v = r.v" &&
	test_rows copy >out.csv && sort in.csv >sorted &&
	sort out.csv >out.sorted && test_cmp sorted out.sorted &&
	rm -rf copy
}

test_expect_success 'BOOLEAN' 'round_trip BOOLEAN true false'
test_expect_success 'INTEGER' 'round_trip INTEGER 0 -1 2147483647 -2147483648'
test_expect_success 'BIGINT' '
	round_trip BIGINT 0 9223372036854775807 -9223372036854775808'
test_expect_success 'DECIMAL, small and with 38 digits' '
	round_trip "DECIMAL(9,2)" 0.00 -0.01 9999999.99 -9999999.99 15.20 &&
	round_trip "DECIMAL(18,18)" 0.000000000000000001 \
		-0.999999999999999999 &&
	round_trip DECIMAL 99999999999999999999999999999999999999 \
		-99999999999999999999999999999999999999 0 &&
	round_trip "DECIMAL(38,38)" 0.00000000000000000000000000000000000001 \
		-0.99999999999999999999999999999999999999 &&
	round_trip "DECIMAL(38,10)" 9999999999999999999999999999.9999999999 \
		-1.0000000000'
test_expect_success 'DOUBLE' '
	round_trip DOUBLE 0.0 -0.0 0.1 1.7976931348623157E308 5.0E-324 \
		NaN Infinity -Infinity 1.0E22 123456.789'
test_expect_success 'REAL' '
	round_trip REAL 0.0 0.1 3.4028235E38 1.0E-45 NaN Infinity -Infinity \
		1.6777216E7'
test_expect_success 'DATE, from year 1 to 9999' '
	round_trip DATE 1970-01-01 0001-01-01 9999-12-31 2024-02-29 \
		1582-10-10 1969-12-31'
test_expect_success 'TIME' '
	round_trip TIME 00:00:00 23:59:59.999999 12:30:00.5'
test_expect_success 'TIMESTAMP, a fraction only if it is not zero' '
	round_trip TIMESTAMP "1970-01-01 00:00:00" \
		"2024-02-29 23:59:59.999999" "0001-01-01 00:00:00" \
		"9999-12-31 23:59:59.999999" "1969-12-31 23:59:59.000001"'
test_expect_success 'TIMESTAMP WITH TIME ZONE, in UTC' '
	round_trip "TIMESTAMP WITH TIME ZONE" "2024-03-31 01:30:00+00:00" \
		"1969-12-31 23:59:59.999999+00:00" "0001-01-01 00:00:00+00:00" \
		"9999-12-31 23:59:59.999999+00:00"'
test_expect_success 'VARBINARY' '
	round_trip VARBINARY 00ff10 "\"\"" deadbeef 00'
test_expect_success 'UUID' '
	round_trip UUID 00000000-0000-0000-0000-000000000000 \
		ffffffff-ffff-ffff-ffff-ffffffffffff \
		123e4567-e89b-12d3-a456-426614174000'

test_expect_success 'VARCHAR: empty, blanks, quotes, delimiters, emoji' - <<\EOT
	round_trip VARCHAR '""' ' a ' '"a,b"' '"say ""hi"""' 'größe' '🙂' \
		'NULL' 'null' '"
two lines"' "it's" '\N' '0017'
EOT

test_expect_success 'VARCHAR: a megabyte, and many short ones' - <<\EOT
	{ echo k,v && printf 1, && head -c 1000000 /dev/zero | tr "\0" x &&
		echo; } >in.csv &&
	test_sql "CREATE TABLE big (k INTEGER, v VARCHAR)" &&
	rowmerge load -q big in.csv &&
	rowmerge cat big >out.csv && test_cmp in.csv out.csv
EOT

test_expect_success 'all types side by side, as JSON Lines' - <<\EOT
	test_sql "CREATE TABLE a AS SELECT TRUE AS b, 1 AS i,
		9223372036854775807 AS l, 1.50 AS d, 0.1e0 AS f,
		DATE '2024-02-29' AS dt, TIMESTAMP '2024-02-29 01:02:03' AS ts,
		TIMESTAMP '2024-02-29 01:02:03+01:00' AS tz, 'a\"b' AS s,
		X'00ff' AS x" &&
	rowmerge cat --format jsonl a >out &&
	test_member_is b true out && test_member_is l 9223372036854775807 out &&
	test_grep '"d":1.50' out && test_grep '"f":0.1' out &&
	test_member_is dt 2024-02-29 out &&
	test_member_is ts "2024-02-29 01:02:03" out &&
	test_member_is tz "2024-02-29 00:02:03+00:00" out &&
	test_member_is s 'a"b' out && test_member_is x 00ff out
EOT
test_done
