#!/bin/sh
test_description='every function does what its examples in the manual say'
. "$(dirname "$0")/test-lib.sh"
PAGE=$TEST_DIRECTORY/../man/rowmerge-sql.5
SRC=$TEST_DIRECTORY/../src/expr

# the indented lines of FUNCTIONS, as SQL
awk '
/^\.Sh / { inside = $2 == "FUNCTIONS" }
inside && /^\t/ { gsub(/\\e/, "\\"); sub(/^\t/, ""); print }
' "$PAGE" >examples

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
	sed -n "s/^	{ \"\([a-z][a-z0-9_]*\)\",.*/\1/p" \
		"$SRC/function_table.c" "$SRC/function_more.c" | sort -u |
		grep -v -x -e like -e negate -e row -e array -e map >names &&
	test $(wc -l <names) -gt 120 &&
	while read -r name
	do
		grep -q -i -w -e "$name" examples ||
			{ echo "no example of $name" && return 1; }
	done <names
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
