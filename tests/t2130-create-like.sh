#!/bin/sh
test_description='create --like: a table for a file, by all its values'
. "$(dirname "$0")/test-lib.sh"

# inferred OPTIONS FILE COLUMN...: the columns of the statement
inferred () {
	rm -rf t && eval "rowmerge create -q --like $1 t" >ddl &&
	shift && printf "    %s\n" "$@" >wanted &&
	sed -e 1d -e '/^)/,$d' -e 's/,$//' ddl >got && test_cmp wanted got
}

# type_is VALUE... TYPE: of a column with these values and a NULL
type_is () {
	{ echo "n,v" && echo "0," && printf "0,%s\n" "$@" ; } >one.csv &&
	shift $(($# - 1)) &&
	sed '$d' one.csv >in.csv &&
	inferred in.csv "n BIGINT" "v $1"
}

test_expect_success 'numbers' - <<\EOT
	type_is 1 -2 0 9223372036854775807 BIGINT &&
	type_is 1 9223372036854775808 "DECIMAL(38,0)" &&
	type_is 1.5 2 -0.25 "DECIMAL(18,2)" &&
	type_is 123456789012345678.9 "DECIMAL(38,1)" &&
	type_is 1.5e3 2 NaN -Infinity DOUBLE && type_is 1e-7 DOUBLE &&
	type_is 1e-7 1234567890123456 VARCHAR &&
	type_is 123456789012345678901234567890123456789 VARCHAR
EOT

test_expect_success 'what looks like numbers and is text' - <<\EOT
	type_is 007 VARCHAR && type_is 1 2 03 VARCHAR && type_is +1 VARCHAR &&
	type_is 12E4 VARCHAR && type_is .5 VARCHAR && type_is 5. VARCHAR &&
	type_is "1 " VARCHAR && type_is 0x1F VARCHAR && type_is -- VARCHAR &&
	type_is "\"1,5\"" VARCHAR
EOT

test_expect_success 'booleans, days and times' - <<\EOT
	type_is true False BOOLEAN && type_is true 1 VARCHAR &&
	type_is yes no VARCHAR && type_is t f VARCHAR &&
	type_is 2024-02-29 1969-12-31 DATE && type_is 2023-02-29 VARCHAR &&
	type_is 2024-01-01 "2024-01-01 10:00:00" TIMESTAMP &&
	type_is 2024-01-01T10:00:00Z "2024-01-01 10:00:00+02:00" \
		"TIMESTAMP WITH TIME ZONE" &&
	type_is 2024-01-01T10:00:00Z "2024-01-01 10:00:00" VARCHAR &&
	type_is 10:00:00 23:59:59.5 TIME && type_is 2024-01-01 1 VARCHAR
EOT

test_expect_success 'no value at all, and the empty text' - <<\EOT
	type_is "" VARCHAR && type_is "\"\"" 1 VARCHAR &&
	test_write_lines a,b >in.csv && inferred in.csv "a VARCHAR" "b VARCHAR"
EOT

test_expect_success 'the last line counts, by any number of threads' - <<\EOT
	{ echo v && seq 1 200000 && echo x; } >in.csv &&
	inferred "in.csv --threads 4" "v VARCHAR" &&
	sed -i "\$d" in.csv && inferred "in.csv --threads 4" "v BIGINT"
EOT

test_expect_success 'options of the input' - <<\EOT
	test_write_lines "1.000,5;31.12.2024;NA;x" "2,25;01.01.2024;3;y" \
		>in.csv &&
	inferred "in.csv --delimiter ';' --decimal , --thousands . --no-header \
		--date-format %d.%m.%Y --null NA --columns 'p, d, n, s'" \
		"p DECIMAL(18,2)" "d DATE" "n BIGINT" "s VARCHAR" &&
	test_write_lines id,v 1,2 >in.csv &&
	inferred "in.csv --types 'v VARCHAR, id INTEGER'" "id INTEGER" \
		"v VARCHAR" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge create --like in.csv \
		--types "w DATE" u
EOT

test_expect_success 'names that need quotes, keys, layout' - <<\EOT
	test_write_lines "order,a b,\"q\"\"q\",X" 1,2,3,2024-01-01 >in.csv &&
	rm -rf t &&
	rowmerge create -q --like in.csv --primary-key order --format-version 3 \
		--partition-by "day(X)" t >ddl &&
	rm -rf t && rowmerge sql -q ddl && rowmerge load -q t in.csv &&
	rowmerge cat t >got && test_cmp in.csv got
EOT

test_expect_success 'JSON Lines: nested types, members that come late' - <<\EOT
	test_write_lines \
		"{\"id\":1,\"o\":{\"x\":1,\"y\":[\"a\"]},\"s\":\"5\"}" \
		"{\"id\":2,\"o\":{\"z\":true},\"l\":[{\"k\":1.5},null]}" \
		"{\"id\":3,\"m\":[1,\"x\"],\"d\":\"2024-01-01\",\"e\":{}}" \
		>in.jsonl &&
	inferred in.jsonl "id BIGINT" \
		"o ROW(x BIGINT, y ARRAY(VARCHAR), z BOOLEAN)" "s VARCHAR" \
		"l ARRAY(ROW(k DECIMAL(18,1)))" "m ARRAY(VARCHAR)" "d DATE" \
		"e VARCHAR" &&
	rowmerge load -q t in.jsonl && test_rows_are t "id,o,s,l,m,d,e" \
		"1,\"{\"\"x\"\":1,\"\"y\"\":[\"\"a\"\"],\"\"z\"\":null}\",5,,,," \
		"2,\"{\"\"x\"\":null,\"\"y\"\":null,\"\"z\"\":true}\",,\"[{\"\"k\"\":1.5},null]\",,," \
		"3,,,,\"[\"\"1\"\",\"\"x\"\"]\",2024-01-01,{}"
EOT

test_expect_success 'Parquet has its types' - <<\EOT
	rowmerge sql --format parquet -e "SELECT CAST(1 AS INTEGER) AS i,
		CAST(2.5 AS DECIMAL(9,2)) AS p, ARRAY[1] AS l" >in.parquet &&
	inferred in.parquet "i INTEGER" "p DECIMAL(9,2)" "l ARRAY(INTEGER)"
EOT

test_expect_success '--dry-run, standard input, and failures' - <<\EOT
	test_write_lines id 1 >in.csv && rm -rf t &&
	rowmerge create --like in.csv --dry-run t >got &&
	test_grep "id BIGINT" got && test ! -e t &&
	rowmerge create -q --like - t <in.csv >ddl &&
	test_grep "id BIGINT" ddl &&
	test_write_lines id,v 1 >bad.csv &&
	test_refused 3 RAGGED_ROW rowmerge create --like bad.csv u &&
	test ! -e u && test_refused 2 USAGE rowmerge create --dry-run \
		--columns "id BIGINT" u
EOT

test_expect_success '--json has the statement, with and without a table' - <<\EOT
	test_write_lines id,v 1,a >in.csv && rm -rf t &&
	printf "CREATE TABLE t (\n    id BIGINT,\n    v VARCHAR\n);\n" >wanted &&
	rowmerge create -q --like in.csv --dry-run t >got &&
	test_cmp wanted got &&
	for options in "--log-format json" -q ""
	do
		rowmerge create --like in.csv --dry-run --json $options t \
			>out 2>err && test_cmp /dev/null err &&
		test_member sql out >got && test_cmp wanted got &&
		test_member_is dry_run true out &&
		test_member_is table t out &&
		test_member_is statement "create table" out &&
		test_member_is version.after null out && test ! -e t || return 1
	done &&
	rowmerge create --like in.csv --json t >out 2>err &&
	test_cmp /dev/null err && test_member sql out >got &&
	test_cmp wanted got && test_member_is dry_run false out &&
	test_member_is version.after 1 out &&
	rowmerge create --like in.csv --json --if-not-exists t >out &&
	test_member sql out >got && test_cmp wanted got &&
	test_member_is version.after null out
EOT

test_expect_success 'a statement that cannot be printed was run' - <<\EOT
	test_write_lines id 1 >in.csv && rm -rf t &&
	for json in "" --json
	do
		test_expect_code 1 rowmerge create -q --like in.csv --dry-run \
			$json t >/dev/full 2>err && test_no_grep "^hint" err &&
		test ! -e t &&
		test_expect_code 1 rowmerge create -q --like in.csv $json t \
			>/dev/full 2>err && test_grep "^hint: the" err &&
		rowmerge cat t >/dev/null && rm -rf t || return 1
	done
EOT

test_expect_success 'more columns than a statement can name' - <<\EOT
	seq 1 10001 | tr "\n" "," | sed "s/,$//" >wide.csv &&
	test_refused 2 UNSUPPORTED rowmerge create --like wide.csv w &&
	test_grep "wide.csv has 10001 columns; a table can have 10000" err &&
	test ! -e w &&
	{
		printf "{\"a\":1" && seq 1 10001 | sed "s/.*/,\"c&\":&/" &&
		echo "}"
	} | tr -d "\n" >wide.jsonl &&
	test_refused 2 UNSUPPORTED rowmerge sql -e "SELECT a FROM 'wide.jsonl'" &&
	test_grep "more than 10000 members" err
EOT
test_done
