#!/bin/sh
test_description=':NAME is a literal that --param gives'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a parameter takes the type of its use' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, d DATE, name VARCHAR,
		price DECIMAL(8,2));
		INSERT INTO t VALUES (1, DATE '2024-01-31', 'Ann', 1.5),
			(2, DATE '2024-02-01', 'Bob', 2.5)" &&
	rowmerge sql -D day=2024-02-01 \
		-e "SELECT id FROM t WHERE d = :day" >out &&
	test_write_lines id 2 >wanted && test_cmp wanted out &&
	rowmerge sql --param p=1.50 \
		-e "SELECT id FROM t WHERE price = :p" >out &&
	test_write_lines id 1 >wanted && test_cmp wanted out
EOT

test_expect_success 'it is never pasted text' - <<\EOT
	rowmerge sql -D "who=' OR TRUE --" \
		-e "SELECT id FROM t WHERE name = :who" \
		>out &&
	echo id >wanted && test_cmp wanted out &&
	test_refused 3 CAST rowmerge sql -D "i=1 OR 1=1" \
		-e "SELECT id FROM t WHERE id = :i"
EOT

test_expect_success 'in a MERGE: a value, a condition, a whole literal' - <<\EOT
	test_write_lines id,name 1,Anna 3,Cy >in.csv &&
	cat >up.sql <<-\EOF &&
	MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND t.d < :until
		THEN UPDATE SET name = s.name, price = :price
	WHEN NOT MATCHED
		THEN INSERT (id, name, price) VALUES (s.id, s.name, :price)
	EOF
	rowmerge merge -q -D until=2024-02-01 -D price=9 --bind s=in.csv \
		up.sql &&
	test_rows_are t id,d,name,price 1,2024-01-31,Anna,9.00 \
		2,2024-02-01,Bob,2.50 3,,Cy,9.00
EOT

test_expect_success 'the last of two values counts, names have no case' - <<\EOT
	rowmerge sql -D x=1 -D X=2 -e "SELECT id FROM t WHERE id = :x" >out &&
	test_write_lines id 2 >wanted && test_cmp wanted out
EOT

test_expect_success 'an unset one is an error and nothing ran' - <<\EOT
	test_files t >before &&
	test_refused 2 UNSET_PARAMETER rowmerge merge --bind s=in.csv \
		-D until=2024-02-01 up.sql &&
	test_grep "price" err && test_grep "^hint: .*--param" err &&
	test_grep "up.sql:3:" err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'a value that does not convert names the parameter' - <<\EOT
	test_refused 3 CAST rowmerge merge --bind s=in.csv -D until=soon \
		-D price=1 up.sql &&
	test_grep "soon" err && test_grep "until" err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'in cat --where' - <<\EOT
	rowmerge cat --where "name = :n" -D n=Bob --columns id t >out &&
	test_write_lines id 2 >wanted && test_cmp wanted out
EOT
test_expect_success 'a name is bound once' - <<\EOT
	test_refused 2 USAGE rowmerge sql --bind s=x.csv --bind S=y.csv \
		-e "SELECT 1" && test_grep "gives S twice" err
EOT

test_done
