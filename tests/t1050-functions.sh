#!/bin/sh
test_description='every function does what its examples in the manual say'
. "$(dirname "$0")/test-lib.sh"
PAGE=$TEST_DIRECTORY/../man/rowmerge-functions.5
SRC=$TEST_DIRECTORY/../src/expr

# the indented lines of FUNCTIONS, as SQL
awk '
/^\.Sh / { inside = $2 == "FUNCTIONS" }
inside && /^\t/ { gsub(/\\e/, "\\"); sub(/^\t/, ""); print }
' "$PAGE" >examples

# name and flags of each function of the program: functions of a row,
# aggregates, and those of a window alone
{
	cat "$SRC"/function_*.c | tr "\n\t" "  " |
		grep -o "{ \"[a-z][a-z0-9_]*\",[^}]*}" |
		sed "s/{ \"\([a-z0-9_]*\)\", [^,]*, *[0-9]*, *[A-Z0-9_]*, */\1 /
			s/,.*//" |
		grep -v -w -e like -e negate -e row -e array -e map
	sed -n "s/^	{ \"\([a-z_]*\)\", [0-9].*/\1 SAFE/p" \
		"$SRC/aggregate.c"
	sed -n "s/^	{ \"\([a-z_]*\)\", WINDOW.*/\1 SAFE/p" \
		"$SRC/../sql/bind_window.c"
	for name in coalesce nullif if extract
	do
		echo "$name SAFE"
	done
} | sort -u >functions

test_expect_success 'all examples are true' '
	test $(wc -l <examples) -gt 150 &&
	while read -r example
	do
		rowmerge sql -e "SELECT $example AS c" >got 2>&1 &&
		test "$(cat got)" = "c
true" || {
			echo "$example" && cat got && return 1
		}
	done <examples
'

test_expect_success 'they are true of rows of a table as well' '
	test_sql "CREATE TABLE one (a INTEGER); INSERT INTO one VALUES (1)" &&
	while read -r example
	do
		rowmerge sql -e "SELECT a FROM one WHERE $example" >got 2>&1 &&
		test "$(cat got)" = "a
1" || {
			echo "$example" && cat got && return 1
		}
	done <examples
'

test_expect_success 'there is an example of every function' '
	cut -d " " -f 1 functions | sort -u >names &&
	test $(wc -l <names) -gt 160 &&
	for name in upper count row_number
	do
		grep -q -x $name names || return 1
	done &&
	while read -r name
	do
		grep -q -i -w -e "$name" examples ||
			{ echo "no example of $name" && return 1; }
	done <names
'

# the lines that say what a function takes and gives: not indented by a tab
awk '
/^\.Sh / { inside = $2 == "FUNCTIONS" }
!inside || /^\./ { next }
/^\t/ { next }
/^    / { line = line " " $0; next }
{ if (line != "") print line; line = $0 }
END { print line }
' "$PAGE" >signatures

test_expect_success 'each has arguments and a result' '
	while read -r name
	do
		case $name in extract|position) continue ;; esac
		grep -i -w -e "$name" signatures >found &&
		grep -q -E "[A-Z][A-Z]|[ )][NTDXAMF]($|;)" found ||
			{ echo "no signature of $name" && return 1; }
	done <names
'

test_expect_success 'what can fail names its errors' '
	ERRORS="BAD_ARGUMENT|OVERFLOW|DIVISION_BY_ZERO|CAST" &&
	grep -v -e SAFE -e "^regexp_" functions | cut -d " " -f 1 |
		grep -v -x -e last_day_of_month -e trunc -e truncate >failing &&
	test $(wc -l <failing) -gt 25 &&
	while read -r name
	do
		grep -i -w -e "$name" signatures >found &&
		grep -q -E "$ERRORS" found ||
			{ echo "no error of $name" && return 1; }
	done <failing &&
	grep "^Regular expressions" "$PAGE" >found &&
	test_grep BAD_ARGUMENT found
'

test_expect_success 'an error of a function has its place and its status' '
	test_expect_code 3 rowmerge sql -e \
		"SELECT 1,
		 regexp_like(CAST(1 AS VARCHAR), '\''('\'')" 2>err &&
	test_grep ":2:4: .*not valid at byte 1" err &&
	test_grep BAD_ARGUMENT err &&
	test_expect_code 3 rowmerge sql -e \
		"SELECT regexp_like(repeat('\''a'\'', 40) || '\''b'\'',
			'\''^(a|aa|a{1,9})+$'\'')" 2>err &&
	test_grep "too many steps" err
'
test_done
