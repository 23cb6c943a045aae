#!/bin/sh
test_description='CREATE TABLE AS: a query makes columns and rows'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'from a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER NOT NULL, price DECIMAL(8,2));
		INSERT INTO t VALUES (1, 1.5), (2, 2.25), (3, NULL);
		CREATE TABLE u AS SELECT id, price * 2 AS double_price, 'x' AS x
			FROM t WHERE id <> 2" &&
	test_rows_are u id,double_price,x 1,3.00,x 3,,x &&
	rowmerge show u >out &&
	test_grep "id INTEGER$" out &&
	test_grep "x VARCHAR" out &&
	test_table_sane u
EOT

test_expect_success 'from a file, whose untyped columns are text' - <<\EOT
	test_write_lines id,zip 1,00501 2,90210 >in.csv &&
	test_sql "CREATE TABLE f AS SELECT CAST(id AS BIGINT) AS id, zip
		FROM 'in.csv'" &&
	test_rows_are f id,zip 1,00501 2,90210
EOT

test_expect_success 'with properties, format version and VALUES' - <<\EOT
	test_sql "CREATE TABLE v WITH (format_version = 3) AS
		SELECT * FROM (VALUES (1, 'a'), (2, 'b')) x(id, name)" &&
	test_rows_are v id,name 1,a 2,b &&
	rowmerge show --json v >json && test_member_is format_version 3 json
EOT

test_expect_success 'it is one commit: the table appears with its rows' - <<\EOT
	rowmerge show --json v >json && test_member_is version 1 json &&
	test_member_is rows 2 json &&
	rowmerge log v >out && test $(wc -l <out) = 1 &&
	test_grep " create 2 inserted (2 rows)" out &&
	test_table_sane v u f
EOT

test_expect_success 'a query without rows makes an empty table' - <<\EOT
	rowmerge sql --json -e "CREATE TABLE none WITH (\"owner\" = 'me') AS
		SELECT id, price FROM t WHERE FALSE" >json &&
	test_member_is version '{"after":1,"before":0}' json &&
	test_rows_are none id,price && test_table_sane none &&
	rowmerge show none >out && test_grep "owner = me" out &&
	test_sql "INSERT INTO none SELECT * FROM t" && test_table_sane none
EOT

test_expect_success 'rows can be merged into it as into any other' - <<\EOT
	test_sql "CREATE TABLE m AS SELECT * FROM t;
		UPDATE m SET price = 0 WHERE id = 2;
		DELETE FROM m WHERE id = 1" &&
	test_rows_are m id,price 2,0.00 3, && test_table_sane m &&
	rowmerge cat --at 1 m >out && test $(wc -l <out) = 4
EOT

test_expect_success 'at once: one of them makes the table' - <<\EOT
	for i in 1 2 3 4
	do
		{ rowmerge sql -q \
			-e "CREATE TABLE race AS SELECT $i AS i" 2>err.$i
		echo $? >made.$i; } &
	done && wait &&
	test $(cat made.* | grep -c "^0$") = 1 &&
	test $(cat made.* | grep -c "^2$") = 3 &&
	rowmerge show --json race >json && test_member_is rows 1 json &&
	test_table_sane race
EOT

test_expect_success '--dry-run does not make or drop tables' - <<\EOT
	test_refused 2 USAGE rowmerge sql --dry-run \
		-e "CREATE TABLE y AS SELECT 1" &&
	test_refused 2 USAGE rowmerge sql --dry-run \
		-e "CREATE TABLE y (a DATE)" &&
	test ! -e y &&
	test_refused 2 USAGE rowmerge sql --dry-run -e "DROP TABLE m" &&
	test_refused 2 USAGE rowmerge sql --dry-run \
		-e "DELETE FROM m; DELETE FROM m" &&
	test_rows_are m id,price 2,0.00 3,
EOT

test_expect_success \
	'IF NOT EXISTS runs no query on a table that is there' - <<\EOT
	test_files u >before &&
	test_sql "CREATE TABLE IF NOT EXISTS u AS SELECT 1 / 0 AS x" &&
	test_files u >after && test_cmp before after
EOT

test_expect_success 'a query that fails leaves no table' - <<\EOT
	test_refused 3 DIVISION_BY_ZERO rowmerge sql \
		-e "CREATE TABLE bad AS SELECT 1 / (id - 2) AS x FROM t" &&
	test ! -e bad &&
	test_write_lines id 1 x >bad.csv &&
	test_refused 3 CAST rowmerge sql \
		-e "CREATE TABLE worse AS SELECT CAST(id AS INTEGER) AS i
			FROM 'bad.csv'" &&
	test ! -e worse
EOT

test_expect_success 'OR REPLACE that fails leaves the table as it was' - <<\EOT
	test_files t >before &&
	test_refused 3 DIVISION_BY_ZERO rowmerge sql \
		-e "CREATE OR REPLACE TABLE t AS
			SELECT 1 / (id - 2) AS x FROM t" &&
	test_files t >after && test_cmp before after &&
	test_table_sane t
EOT

test_expect_success 'OR REPLACE may read the table that it replaces' - <<\EOT
	test_sql "CREATE OR REPLACE TABLE t AS
		SELECT id + 10 AS id, price FROM t WHERE price IS NOT NULL" &&
	test_rows_are t id,price 11,1.50 12,2.25 &&
	rowmerge show --json t >json && test_member_is version 3 json &&
	rowmerge cat --at 2 t >out && test $(wc -l <out) = 4 &&
	test_table_sane t
EOT

test_expect_success 'OR REPLACE takes an order and a partitioning away' - <<\EOT
	for layout in "WRITE ORDERED BY (id)" "" "PARTITIONED BY (id)" \
		"PARTITIONED BY (id) WRITE ORDERED BY (id DESC)" ""
	do
		test_sql "CREATE OR REPLACE TABLE o $layout AS SELECT 1 AS id" &&
		test_rows_are o id 1 && test_table_sane o || return 1
	done
EOT

test_expect_success 'a column without a name, and one twice' - <<\EOT
	test_sql "CREATE TABLE d AS SELECT 1, 2 AS b" &&
	test_rows_are d _col0,b 1,2 &&
	test_refused 2 COLUMN_EXISTS rowmerge sql \
		-e "CREATE TABLE e AS SELECT 1 AS a, 2 AS A" &&
	test ! -e e &&
	test_refused 2 TYPE_MISMATCH rowmerge sql \
		-e "CREATE TABLE e AS SELECT NULL AS a" &&
	test ! -e e
EOT
test_done
