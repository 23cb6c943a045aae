#!/bin/sh
test_description='CSV text becomes a value exactly, or is refused'
. "$(dirname "$0")/test-lib.sh"

# reads TYPE TEXT VALUE: that text in a column of that type prints as VALUE
reads () {
	rm -rf r &&
	test_sql "CREATE TABLE r (v $1, k INTEGER)" &&
	test_write_lines v,k "$2,1" >in.csv &&
	rowmerge load -q r in.csv &&
	test_write_lines v,k "$3,1" >wanted &&
	rowmerge cat r >out && test_cmp wanted out
}

# refuses TYPE TEXT NAME...: it is an error that names all there is to know
refuses () {
	type=$1 &&
	shift &&
	rm -rf r &&
	test_sql "CREATE TABLE r (k INTEGER, v $type)" &&
	for text
	do
		test_write_lines k,v 1, "2,$text" 3, >in.csv &&
		test_expect_code 3 rowmerge load r in.csv 2>err &&
		test_grep "\[CAST\]\$\|\[OVERFLOW\]\$" err &&
		test_grep "^rowmerge: in.csv:3" err && test_grep " v" err &&
		plain=$(echo "$text" | tr -d \") &&
		grep -F -e "$plain" err && test_rows_are r k,v || return 1
	done
}

test_expect_success 'whole numbers' '
	reads INTEGER 0007 7 && reads INTEGER -0 0 && reads INTEGER +5 5 &&
	reads BIGINT 9223372036854775807 9223372036854775807 &&
	refuses INTEGER 1.5 x 2147483648 -2147483649 "1 000" "\" 1\"" 1e400 0x10 &&
	refuses BIGINT 9223372036854775808 12a
'

test_expect_success 'a number with an exponent is exact or refused' '
	reads DOUBLE 1e3 1000.0 && reads "DECIMAL(10,2)" 1.5e2 150.00 &&
	refuses "DECIMAL(10,2)" 1e-3 1e30
'

test_expect_success 'decimals keep every digit' '
	reads "DECIMAL(6,2)" 15.2 15.20 && reads "DECIMAL(6,2)" 7 7.00 &&
	reads "DECIMAL(6,2)" .5 0.50 && reads "DECIMAL(6,2)" 1.500 1.50 &&
	reads "DECIMAL(38,0)" 12345678901234567890123456789012345678 \
		12345678901234567890123456789012345678 &&
	refuses "DECIMAL(6,2)" 1.005 12345.6 "\"8641,50\"" "\"1,000\"" 1_000 NaN
'

test_expect_success 'the locale changes nothing' '
	LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Asia/Seoul &&
	export LC_ALL LC_NUMERIC TZ &&
	refuses "DECIMAL(6,2)" "\"8,50\"" && reads DOUBLE 8.5 8.5 &&
	reads TIMESTAMP "2024-01-01 00:00:00" "2024-01-01 00:00:00" &&
	reads "TIMESTAMP WITH TIME ZONE" "2024-01-01 00:00:00+00:00" \
		"2024-01-01 00:00:00+00:00" &&
	LC_ALL=C TZ=UTC && unset LC_NUMERIC
'

test_expect_success 'booleans' '
	for text in true TRUE True t T 1 yes YES
	do
		reads BOOLEAN $text true || return 1
	done &&
	for text in false FALSE f F 0 no No
	do
		reads BOOLEAN $text false || return 1
	done &&
	refuses BOOLEAN maybe 2 y tru "\" true\""
'

test_expect_success 'dates' '
	refuses DATE 2024-02-30 2023-02-29 31.01.2024 01/02/2024 2024-1-1x open \
		2024-13-01 &&
	reads DATE 2024-02-29 2024-02-29
'

test_expect_success 'timestamps without a zone stay as written' '
	reads TIMESTAMP 2024-01-02T03:04:05 "2024-01-02 03:04:05" &&
	reads TIMESTAMP "2024-01-02 03:04:05.120" "2024-01-02 03:04:05.12" &&
	refuses TIMESTAMP "2024-01-02 03:04:05+01:00" 2024-01-02T03:04:05Z \
		"2024-01-02 25:00:00" "2024-01-02 03:04:05.1234567"
'

test_expect_success 'timestamps with an offset become UTC' '
	reads "TIMESTAMP WITH TIME ZONE" 2024-01-02T03:04:05+09:00 \
		"2024-01-01 18:04:05+00:00" &&
	reads "TIMESTAMP WITH TIME ZONE" "2024-01-02 03:04:05-00:30" \
		"2024-01-02 03:34:05+00:00" &&
	reads "TIMESTAMP WITH TIME ZONE" 2024-01-02T03:04:05Z \
		"2024-01-02 03:04:05+00:00" &&
	reads "TIMESTAMP WITH TIME ZONE" "2024-01-02 03:04:05" \
		"2024-01-02 03:04:05+00:00"
'

test_expect_success 'times, bytes, UUIDs' '
	reads VARBINARY 00FF 00ff && refuses VARBINARY 0 0g &&
	reads UUID 123E4567-E89B-12D3-A456-426614174000 \
		123e4567-e89b-12d3-a456-426614174000 &&
	refuses UUID 123e4567 zzze4567-e89b-12d3-a456-426614174000 &&
	refuses TIME 24:00:01 noon
'

test_expect_success 'text keeps its zeros, blanks and digits' '
	reads VARCHAR 04017 04017 && reads VARCHAR 1e3 1e3 &&
	reads VARCHAR " x " " x " && reads VARCHAR 15.20 15.20
'
test_done
