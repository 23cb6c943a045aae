#!/bin/sh
test_description='a wrong spec is shown where it is wrong, and nothing runs'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a table and a source' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, name VARCHAR);
		INSERT INTO t VALUES (1, 1, 'x')" &&
	test_write_lines id,n 1,2 >s.csv &&
	test_files t >before
EOT

# error_at FILE:LINE:COLUMN NAME: the spec in bad.sql fails there, with a caret
error_at () {
	test_refused 2 "$2" rowmerge merge bad.sql &&
	test_grep "^rowmerge: bad.sql:$1: " err &&
	line=${1%:*} column=${1#*:} &&
	sed -n "${line}p" bad.sql >line.wanted &&
	sed -n 2p err >line.shown && test_cmp line.wanted line.shown &&
	sed -n 3p err | tr "\t" " " >caret &&
	test $(awk "{ print index(\$0, \"^\") }" caret) = $column &&
	test_files t >after && test_cmp before after
}

test_expect_success 'syntax: the word that is wrong' - <<\EOT
	cat >bad.sql <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n,
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n, 'x')
	EOF
	error_at 3:1 SYNTAX
EOT

test_expect_success 'a reserved word behind a dot' - <<\EOT
	for spec in "SELECT 1 AS a FROM s.order" "SELECT s.end FROM s" \
		"UPDATE t SET n = 1 WHERE t.when" "DELETE FROM t WHERE id = t.Order" \
		"UPDATE t SET t.table = 1" "SELECT (ROW(1)).case"
	do
		echo "$spec" >bad.sql && test_refused 2 SYNTAX rowmerge sql bad.sql &&
		test_grep "syntax error at [a-zO]*: expected a " err &&
		test_grep "^hint: a reserved word needs double quotes" err ||
			return 1
	done &&
	test_write_lines "MERGE INTO t USING s ON t.id = s.order" \
		"WHEN MATCHED THEN DELETE" >bad.sql &&
	error_at 1:34 SYNTAX && test_grep "at order: expected" err &&
	test_grep "^hint: a reserved word needs double quotes" err &&
	test_sql "CREATE TABLE o (\"order\" INTEGER);
		DELETE FROM o WHERE o.\"order\" = 1"
EOT

test_expect_success 'a column that is not there, behind a tab' - <<\EOT
	printf "MERGE INTO t USING s ON t.id = s.id\nWHEN MATCHED THEN\n" \
		>bad.sql &&
	printf "\tUPDATE SET n = s.amount\n" >>bad.sql &&
	error_at 3:17 UNKNOWN_COLUMN
EOT

test_expect_success \
	'columns count bytes after letters that are not ASCII' - <<\EOT
	echo "UPDATE t SET name = 'äö', nosuch = 1" >bad.sql &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge bad.sql &&
	test_grep "^rowmerge: bad.sql:1:29: " err
EOT

test_expect_success 'an ambiguous name, a type, the number of values' - <<\EOT
	echo "MERGE INTO t USING s ON id = s.id WHEN MATCHED THEN DELETE" \
		>bad.sql &&
	error_at 1:25 AMBIGUOUS_COLUMN &&
	echo "UPDATE t SET name = 5" >bad.sql &&
	test_refused 2 TYPE_MISMATCH rowmerge merge bad.sql &&
	test_grep "^rowmerge: bad.sql:1:" err &&
	test_write_lines "INSERT INTO t (id, n)" "VALUES (1, 2, 3)" >bad.sql &&
	test_refused 2 ARITY rowmerge merge bad.sql &&
	test_grep "^rowmerge: bad.sql:[12]:" err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'an unknown table and an unknown function' - <<\EOT
	echo "MERGE INTO nosuch USING s ON TRUE WHEN MATCHED THEN DELETE" \
		>bad.sql &&
	error_at 1:12 UNKNOWN_TABLE &&
	echo "UPDATE t SET n = frobnicate(n)" >bad.sql &&
	test_expect_code 2 rowmerge merge bad.sql 2>err &&
	test_grep "bad.sql:1:18: .*frobnicate" err
EOT

test_expect_success 'the place is also in the JSON' - <<\EOT
	test_write_lines "UPDATE t" "SET nosuch = 1" >bad.sql &&
	test_expect_code 2 rowmerge merge --json bad.sql >json 2>err &&
	test_member_is error.file bad.sql json &&
	test_member_is error.line 2 json &&
	test_member_is error.column nosuch json &&
	echo "UPDATE t SET = 1" >bad.sql &&
	test_expect_code 2 rowmerge merge --json bad.sql >json 2>err &&
	test_member_is error.column 14 json
EOT

test_expect_success \
	'what fails only at run time is shown where it stands' - <<\EOT
	test_write_lines "UPDATE t SET" "	n = 1 / (n - 1)" >bad.sql &&
	test_refused 3 DIVISION_BY_ZERO rowmerge merge bad.sql &&
	test_grep "^rowmerge: bad.sql:2:8: " err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success \
	'a slip in the last statement: the first did not run' - <<\EOT
	test_write_lines "DELETE FROM t;" "UPDATE t SET n = 5;" \
		"UPDATE t SET n == 6;" >bad.sql &&
	error_at 3:17 SYNTAX
EOT

test_expect_success 'an error in a clause that no row reaches' - <<\EOT
	cat >bad.sql <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND FALSE THEN UPDATE SET n = 'x'
	EOF
	test_refused 2 TYPE_MISMATCH rowmerge merge bad.sql &&
	echo "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN DELETE WHEN MATCHED AND s.x = 1 THEN DELETE" \
		>bad.sql &&
	test_expect_code 2 rowmerge merge bad.sql 2>err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'the source is not read when the spec is wrong' - <<\EOT
	test_write_lines id,n 1,2 broken >s.csv &&
	echo "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE
		SET n = nosuch" >bad.sql &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge bad.sql
EOT

test_expect_success \
	'text around statements: comments, quotes, semicolons' - <<\EOT
	cat >good.sql <<-\EOF &&
	-- a comment with ; and 'quote
	/* and /* one over
	lines; */
	SELECT 'a;b' AS "x;y", 'it''s' AS z; ;
	SELECT /* in between */ 2 AS two -- at the end
	EOF
	rowmerge sql good.sql >out &&
	test_write_lines "x;y,z" "a;b,it's" two 2 >wanted &&
	test_cmp wanted out &&
	test_refused 2 SYNTAX rowmerge sql -e "SELECT 1 /* open" &&
	test_refused 2 SYNTAX rowmerge sql -e "SELECT 1 SELECT 2" &&
	test_refused 2 SYNTAX rowmerge sql -e "SELECT \"open"
EOT

test_expect_success 'hostile specs: deep, long, binary' - <<\EOT
	perl -e 'print "SELECT ", "(" x 100000, "1", ")" x 100000' >bad.sql &&
	test_expect_code 2 rowmerge sql bad.sql 2>err &&
	perl -e 'print "SELECT ", "NOT " x 100000, "TRUE"' >bad.sql &&
	test_expect_code 2 rowmerge sql bad.sql 2>err &&
	perl -e 'print "SELECT ", "- " x 100000, "1"' >bad.sql &&
	test_expect_code 2 rowmerge sql bad.sql 2>err &&
	printf "SELECT 1\\0 AS x" >bad.sql &&
	test_expect_code 2 rowmerge sql bad.sql 2>err &&
	head -c 5000 /dev/urandom >bad.sql &&
	test_expect_code 2 rowmerge sql bad.sql 2>err &&
	perl -e 'print "SELECT 1", "+1" x 20000, " AS x"' >long.sql &&
	{ rowmerge sql long.sql >out 2>err; test $? -le 2; }
EOT
test_done
