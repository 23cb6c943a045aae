#!/bin/sh
test_description='CSV columns that the target lacks take the type of their use'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR, d DATE);
		INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', NULL)"
EOT

test_expect_success 'a flag compared with true is BOOLEAN' - <<\EOT
	test_write_lines id,gone 1,TRUE 2,no >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.gone = true THEN DELETE" &&
	test_rows_are t id,name,d 2,b,
EOT

test_expect_success 'an alias that a column is assigned to types it' - <<\EOT
	test_write_lines key,text,day 2,0017,2024-02-29 3,c, >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.key
		WHEN MATCHED THEN UPDATE SET name = s.text, d = s.day
		WHEN NOT MATCHED THEN INSERT VALUES (s.key, s.text, s.day)" &&
	test_rows_are t id,name,d 2,0017,2024-02-29 3,c,
EOT

test_expect_success 'the type is the target column even under an alias' - <<\EOT
	test_write_lines id,d 2,2024-03-01 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t
		USING (SELECT id AS key, d AS day FROM s) x ON t.id = x.key
		WHEN MATCHED THEN UPDATE SET d = x.day" &&
	test_select "SELECT d FROM t WHERE id = 2" d 2024-03-01
EOT

test_expect_success 'no use at all: text' - <<\EOT
	test_write_lines code 007 >c.csv &&
	test_select "SELECT code, code || 'x' AS x FROM c" code,x 007,007x
EOT

test_expect_success 'two types for one column' - <<\EOT
	test_write_lines id,x 2,1 >s.csv &&
	test_files t >before &&
	test_refused 2 TYPE_MISMATCH rowmerge merge -e "MERGE INTO t USING s
		ON t.id = s.x WHEN MATCHED AND s.x = true THEN DELETE" &&
	test_grep "x" err && test_files t >after && test_cmp before after
EOT

test_expect_success 'a value that does not convert to it' - <<\EOT
	test_write_lines id,gone 2,true 3,maybe >s.csv &&
	test_refused 3 CAST rowmerge merge -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED AND s.gone = true THEN DELETE" &&
	test_grep "s.csv:3" err && test_grep gone err && test_grep maybe err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'bad values in columns that the spec does not use' - <<\EOT
	test_write_lines id,name,d,junk 2,x,not-a-date,junk >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = s.name" &&
	test_select "SELECT name FROM t WHERE id = 2" name x
EOT

# ordered_as_text COLUMNS QUERY: its warning; COLUMNS '': none
ordered_as_text () {
	rowmerge sql -e "$2" >rows 2>err || return 1
	if test -z "$1"
	then
		! test -s err
	else
		test_write_lines "rowmerge: warning: $1 ordered as text, where \
9 is higher than 10: give $3 one with --types or CAST (VARCHAR if text is \
right)" >wanted && test_cmp wanted err
	fi
}

test_expect_success 'what is ordered as text for want of a type is said' - <<\EOT
	test_write_lines k,x,y a,9.2,10 b,100,20 >n.csv &&
	test_write_lines '{"k":"a","x":9.2,"y":10}' >n.jsonl &&
	both="x and y have no type and are" && x="x has no type and is" &&
	for from in "FROM 'n.csv'" "FROM 'n.jsonl'"
	do
		for item in "x < y" "x <= y" "x > y" "x >= y" \
			"greatest(x, y)" "least(x, y)" "max(x), min(y)" \
			"k FROM (SELECT k, x AS a, y $from) WHERE a < y --" \
			"x < (SELECT max(y) $from)" "x < ANY (SELECT y $from)"
		do
			ordered_as_text "$both" "SELECT $item $from" each ||
			return 1
		done &&
		for item in "x BETWEEN x AND x" "max_by(k, x)" \
			"row_number() OVER (ORDER BY x DESC)" "max(x) OVER ()" \
			"array_agg(k ORDER BY x)"
		do
			ordered_as_text "$x" "SELECT $item $from" it || return 1
		done &&
		ordered_as_text "$x" "SELECT k, x $from ORDER BY x LIMIT 1" \
			it &&
		ordered_as_text "$x" "SELECT k, x $from ORDER BY 2 OFFSET 1" \
			it &&
		ordered_as_text "$x" "SELECT k $from ORDER BY x LIMIT 1" it &&
		ordered_as_text "k and y have no type and are" "SELECT k $from
			UNION SELECT y $from ORDER BY 1 LIMIT 1" each ||
		return 1
	done
EOT

test_expect_success 'what has a type or no order is not' - <<\EOT
	for item in "x = y" "x <> y" "x IN (y)" "x > '5'" "x > 5.0" \
		"CAST(x AS DOUBLE) > CAST(y AS DOUBLE)" "max(x + 0.5)" \
		"x > y AND x > 1.5 AND y > 1.5" "greatest(x, y) > 1.5" \
		"x = ANY (SELECT y FROM 'n.csv')" "count(x)"
	do
		ordered_as_text "" "SELECT $item FROM 'n.csv'" || return 1
	done &&
	for order in x 2 "1, x" "x DESC" "x || y"
	do
		ordered_as_text "" "SELECT k, y FROM 'n.csv' ORDER BY $order" ||
		return 1
	done &&
	ordered_as_text "" "SELECT k FROM 'n.csv'
		UNION SELECT y FROM 'n.csv' ORDER BY 1" &&
	ordered_as_text "" "SELECT k FROM read_csv('n.csv',
		types => 'x VARCHAR, y VARCHAR') WHERE x > y" &&
	rowmerge sql --types 'x DOUBLE, y DOUBLE' \
		-e "SELECT k FROM 'n.csv' WHERE x > y" >rows 2>err &&
	! test -s err && test_write_lines k b >wanted &&
	test_cmp wanted rows
EOT

test_expect_success 'the warning of a MERGE is in its summary, once' - <<\EOT
	test_write_lines k,v a,1 b,2 >t.csv &&
	rowmerge merge --dry-run --json -e "MERGE INTO 't.csv' t USING 'n.csv' s
		ON t.k = s.k WHEN MATCHED AND s.x > s.y AND s.y < s.x
		THEN DELETE" >json 2>err &&
	test_grep '"warnings": .*"x and y have no type [^"]*"]' json &&
	test_sql "CREATE TABLE xy (k VARCHAR, x DOUBLE, y DOUBLE)" &&
	rowmerge merge -q --json -e "MERGE INTO xy t USING 'n.csv' s
		ON t.k = s.k WHEN NOT MATCHED AND s.x > s.y THEN INSERT *" \
		>json && test_grep '"warnings": \[\]' json &&
	test_select "SELECT k FROM xy" k b
EOT

test_expect_success 'a long list of such columns is cut' - <<\EOT
	test_write_lines a,b,c,d,e,f 1,2,3,4,5,6 >m.csv &&
	ordered_as_text "a, b, c, d and 2 more have no type and are" \
		"SELECT greatest(a, b, c, d, e, f) FROM 'm.csv'" each
EOT

test_expect_success 'greatest and least have the type asked of them' - <<\EOT
	test_sql "CREATE TABLE inv (amount DECIMAL(10,2), low DECIMAL(10,2))" &&
	rowmerge merge -e "INSERT INTO inv (amount, low) SELECT
		greatest(x, y), least(x, y) FROM 'n.csv'" 2>err &&
	! grep warning err &&
	test_select "SELECT amount, low FROM inv" amount,low 10.00,9.20 \
		100.00,20.00
EOT

test_expect_success 'tonight: the same type as yesterday' - <<\EOT
	test_write_lines id,name 5,123 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT (id, name)
			VALUES (s.id, s.name)" &&
	test_write_lines id,name 5,abc >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = s.name" &&
	test_select "SELECT name FROM t WHERE id = 5" name abc
EOT

test_expect_success 'a type that comes from the table is told' - <<\EOT
	test_sql "CREATE TABLE told (id INTEGER, gone VARCHAR)" &&
	test_write_lines id,gone 1,true >told.csv &&
	for clause in "s.gone = true" "true <> s.gone" "s.gone IS TRUE"
	do
		test_refused 2 TYPE_MISMATCH rowmerge merge --bind s=told.csv \
			-e "MERGE INTO told t USING s ON t.id = s.id
			WHEN MATCHED AND $clause THEN DELETE" &&
		test_grep "^hint: gone is VARCHAR as in the table" err ||
			return 1
	done &&
	for clause in "t.gone = true" "s.id = true"
	do
		test_refused 2 TYPE_MISMATCH rowmerge merge --bind s=told.csv \
			--types "id BIGINT" \
			-e "MERGE INTO told t USING s ON t.id = s.id
			WHEN MATCHED AND $clause THEN DELETE" &&
		test_no_grep "as in the table" err || return 1
	done
EOT

test_done
