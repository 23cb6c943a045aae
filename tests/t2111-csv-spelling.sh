#!/bin/sh
test_description='encodings, numbers, days, names and types as the user says'
. "$(dirname "$0")/test-lib.sh"

# reads COLUMNS OPTIONS LINE...: in.csv, read so into a table of the columns
reads () {
	rm -rf t && rowmerge create -q --columns "$1" t &&
	eval "rowmerge load -q $2 t in.csv" && shift 2 &&
	rowmerge cat t | sed 1d | sort >got && printf "%s\n" "$@" >wanted &&
	test_cmp wanted got
}

# refuses CODE COLUMNS OPTIONS: and says where
refuses () {
	rm -rf t && rowmerge create -q --columns "$2" t &&
	test_expect_code 3 eval "rowmerge load $3 t in.csv" 2>err &&
	test_grep "\[$1\]" err
}

test_expect_success '--encoding: Latin-1, Windows, UTF-16 by its mark' - <<\EOT
	printf "v\ncaf\351\n" >in.csv &&
	reads "v VARCHAR" "--encoding latin1" "$(printf "caf\303\251")" &&
	refuses BAD_ENCODING "v VARCHAR" "" && test_grep "byte 0xE9" err &&
	test_grep "[-]-encoding" err && test_grep "in.csv:2" err &&
	printf "v\n5 \200\n" >in.csv &&
	reads "v VARCHAR" "--encoding windows-1252" \
		"$(printf "5 \342\202\254")" &&
	printf "v\n\303\251\n" | iconv -f UTF-8 -t UTF-16LE >u &&
	{ printf "\377\376" && cat u; } >in.csv &&
	reads "v VARCHAR" "--encoding utf-16" "$(printf "\303\251")" &&
	refuses BAD_ENCODING "v VARCHAR" "" &&
	cp u in.csv && reads "v VARCHAR" "--encoding UTF-16LE" \
		"$(printf "\303\251")" &&
	refuses BAD_ENCODING "v VARCHAR" "--encoding utf-16" &&
	printf "v\nx\n" >in.csv && reads "v VARCHAR" "--encoding utf8" x &&
	test_refused 2 USAGE rowmerge load --encoding none t in.csv &&
	test_refused 2 USAGE rowmerge load --encoding latin1//IGNORE t in.csv
EOT

test_expect_success '--decimal and --thousands' - <<\EOT
	test_write_lines "a;b;c" "1.234.567,50;-12,5;1.000" "0,1;7;5" >in.csv &&
	reads "a DECIMAL(12,2), b DOUBLE, c BIGINT" \
		"--delimiter ';' --decimal , --thousands ." \
		"0.10,7.0,5" "1234567.50,-12.5,1000" &&
	test_write_lines a "\"1,234\"" >in.csv &&
	refuses CAST "a BIGINT" "" && test_grep "[-]-decimal ," err &&
	test_grep "value .1,234. of column a" err &&
	reads "a BIGINT" "--thousands ," 1234 &&
	for wrong in 12,34 1,2345 1234,567 ,123 1,234,56
	do
		test_write_lines a "\"$wrong\"" >in.csv &&
		refuses CAST "a BIGINT" "--thousands ," || return 1
	done &&
	test_write_lines a 1.5 >in.csv &&
	refuses CAST "a DOUBLE" "--decimal ," &&
	printf "a\n1\302\240000\n" >in.csv &&
	reads "a BIGINT" "--thousands \"$(printf "\302\240")\"" 1000 &&
	test_refused 2 USAGE rowmerge load --decimal 5 t in.csv &&
	test_refused 2 USAGE rowmerge load --decimal . --thousands . t in.csv
EOT

test_expect_success 'the locale changes nothing' - <<\EOT
	test_write_lines a "\"8641,50\"" >in.csv &&
	LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 refuses CAST "a DECIMAL(9,2)" ""
EOT

test_expect_success '--date-format and --timestamp-format' - <<\EOT
	test_write_lines d,ts "01/02/2024,29-Feb-2024 1:05:06 PM" \
		"3/12/1969,01-jan-1970 12:00:00 am" , >in.csv &&
	reads "d DATE, ts TIMESTAMP" "--date-format %d/%m/%Y \
		--timestamp-format '%d-%b-%Y %I:%M:%S %p'" , \
		"1969-12-03,1970-01-01 00:00:00" \
		"2024-02-01,2024-02-29 13:05:06" &&
	test_write_lines d 31/02/2024 >in.csv &&
	refuses CAST "d DATE" "--date-format %d/%m/%Y" &&
	test_grep "31/02/2024" err &&
	refuses CAST "d DATE" "" && test_grep "[-]-date-format" err &&
	test_write_lines d,ts "240131,20240131T010203.5+0130" >in.csv &&
	reads "d DATE, ts TIMESTAMP WITH TIME ZONE" "--date-format %y%m%d \
		--timestamp-format %Y%m%dT%H%M%S.%f%z" \
		"2024-01-31,2024-01-30 23:32:03.5+00:00" &&
	test_refused 2 USAGE rowmerge load --date-format %Q t in.csv &&
	test_refused 2 USAGE rowmerge load --date-format %H t in.csv
EOT

test_expect_success '--null may be repeated, and is text in quotes' - <<\EOT
	test_write_lines a,b NA,x 1,NULL "2,\"NA\"" >in.csv &&
	reads "a BIGINT, b VARCHAR" "--null NA --null NULL" ,x 1, 2,NA
EOT

test_expect_success '--columns names those of a file without a header' - <<\EOT
	test_write_lines 1,a 2,b >in.csv &&
	reads "id BIGINT, v VARCHAR" "--no-header --columns 'id, v'" 1,a 2,b &&
	test_refused 2 ARITY rowmerge load --no-header --columns id t in.csv &&
	test_refused 3 DUPLICATE_HEADER rowmerge load --no-header \
		--columns "id, ID" t in.csv &&
	test_write_lines x,b >in.csv &&
	refuses CAST "id BIGINT, v VARCHAR" "--no-header --columns 'id, v'" &&
	test_grep "column id" err
EOT

test_expect_success '--types and columns => give types' - <<\EOT
	test_write_lines id,v,w 1,007,5 >in.csv &&
	rowmerge sql --types "v BIGINT" \
		-e "SELECT v + 1 AS n FROM 'in.csv'" >got &&
	test_write_lines n 8 >wanted && test_cmp wanted got &&
	rowmerge sql -e "SELECT w + v AS n FROM read_csv('in.csv',
		columns => 'w INTEGER, v DECIMAL(5,2)')" >got &&
	test_write_lines n 12.00 >wanted && test_cmp wanted got &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql --types "none BIGINT" \
		-e "SELECT v FROM 'in.csv'" && test_grep "id, v, w" err &&
	test_must_fail rowmerge sql --types "v NOTYPE(" \
		-e "SELECT v FROM 'in.csv'" 2>err && test_grep NOTYPE err
EOT

test_expect_success 'all of them as arguments of read_csv()' - <<\EOT
	printf "x\n1|1.000,5|31.12.2024|\351|-\n" >in.csv &&
	rowmerge sql -e "SELECT * FROM read_csv('in.csv', delimiter => '|',
		header => false, skip_lines => 1, encoding => 'latin1',
		decimal => ',', thousands => '.', date_format => '%d.%m.%Y',
		null => '-',
		columns => 'a BIGINT, b DECIMAL(9,1), c DATE, d, e')" >got &&
	printf "a,b,c,d,e\n1,1000.5,2024-12-31,\303\251,\n" >wanted &&
	test_cmp wanted got &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT * FROM read_csv('in.csv', none => 1)"
EOT

test_done
