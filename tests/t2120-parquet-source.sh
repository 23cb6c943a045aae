#!/bin/sh
test_description='Parquet files as a source'
. "$(dirname "$0")/test-lib.sh"
DATA=$TEST_DIRECTORY/data/parquet
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)'

cat >ids.awk <<\EOT
BEGIN {
	print "id,n"
	for (i = 0; i < 20000; i++)
		print i ",text " i
}
EOT

# parquet_of NAME QUERY: NAME.parquet has the rows
parquet_of () {
	rowmerge sql --format parquet -e "$2" >$1.parquet
}

new_table () {
	test_sql "CREATE OR REPLACE TABLE t (id BIGINT, n VARCHAR)"
}

test_expect_success 'MERGE from a file, by name, by path and by function' - <<\EOT
	new_table &&
	parquet_of s "SELECT * FROM (VALUES (CAST(1 AS BIGINT), 'a'),
		(2, NULL)) AS v (id, n)" &&
	rowmerge merge -q -e "$UPSERT" && test_rows_are t id,n 1,a 2, &&
	new_table && rowmerge load -q t s.parquet &&
	test_rows_are t id,n 1,a 2, &&
	test_select "SELECT n FROM 's.parquet' WHERE id = 1" n a &&
	test_select "SELECT id FROM read_parquet('s.parquet') WHERE n IS NULL" \
		id 2
EOT

test_expect_success 'standard input, packed files and another name' - <<\EOT
	new_table &&
	rowmerge load -q --format parquet t <s.parquet &&
	gzip -c s.parquet >u.parquet.gz && rowmerge load -q t u.parquet.gz &&
	zstd -q s.parquet -o w.parquet.zst && rowmerge load -q t w.parquet.zst &&
	cp s.parquet other && rowmerge load -q --format parquet t other &&
	cat s.parquet | rowmerge sql -q --bind s=- \
		-e "INSERT INTO t SELECT * FROM read_parquet('s')" &&
	test_rows_are t id,n 1,a 1,a 1,a 1,a 1,a 2, 2, 2, 2, 2,
EOT

test_expect_success 'files of a glob: columns by name, one commit' - <<\EOT
	new_table && mkdir in && (cd in &&
	parquet_of a "SELECT * FROM (VALUES (CAST(1 AS BIGINT), 'a')) AS v (id, n)" &&
	parquet_of b "SELECT * FROM (VALUES ('b', CAST(2 AS BIGINT), 0))
		AS v (N, ID, x)") &&
	rowmerge merge -q --bind "s=in/*.parquet" -e "$UPSERT" &&
	test_rows_are t id,n 1,a 2,b &&
	(cd in && parquet_of c "SELECT CAST(3 AS BIGINT) AS id") &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge \
		--bind "s=in/*.parquet" -e "$UPSERT" &&
	test_grep "in/c.parquet" err && test_grep "column .n." err &&
	test_write_lines id,n 1,a >in/d.csv &&
	test_refused 2 UNSUPPORTED rowmerge merge --bind "s=in/*" -e "$UPSERT"
EOT

test_expect_success 'a type that differs between files' - <<\EOT
	rm in/* && (cd in &&
	parquet_of a "SELECT CAST(1 AS BIGINT) AS id" &&
	parquet_of b "SELECT CAST(2 AS INTEGER) AS id") &&
	test_select "SELECT id FROM 'in/*.parquet'" id 1 2 &&
	(cd in && parquet_of b "SELECT 'x' AS id") &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT id FROM 'in/*.parquet'" &&
	test_grep "in/b.parquet" err
EOT

test_expect_success 'row groups that cannot match are not read' - <<\EOT
	test_sql "CREATE TABLE big (id BIGINT, n VARCHAR)
		WITH (\"write.parquet.row-group-size-bytes\" = '4096')" &&
	awk -f ids.awk >big.csv && rowmerge load -q big big.csv &&
	file=$(find big/data -name "*.parquet" | head -n 1) &&
	rowmerge sql -e "SELECT id FROM '$file' WHERE id BETWEEN 19000 AND 19002" \
		>got &&
	test_write_lines id 19000 19001 19002 >wanted && test_cmp wanted got
EOT

test_expect_success 'files of other writers' - <<\EOT
	rowmerge sql -e "SELECT id, bool_col, double_col, timestamp_col
		FROM '$DATA/alltypes_plain.snappy.parquet'" >got &&
	test_write_lines id,bool_col,double_col,timestamp_col \
		"6,true,0.0,2009-04-01 00:00:00+00:00" \
		"7,false,10.1,2009-04-01 00:01:00+00:00" >wanted &&
	test_cmp wanted got &&
	rowmerge sql -e "SELECT * FROM '$DATA/lz4_raw_compressed.parquet'" \
		>got && test $(wc -l <got) -gt 1 &&
	rowmerge sql -e "SELECT * FROM '$DATA/datapage_v2.snappy.parquet'" \
		>got && test_grep "\[" got &&
	rowmerge sql -e "SELECT * FROM '$DATA/nullable.impala.parquet'" >got &&
	test $(wc -l <got) = 8
EOT

test_expect_success 'a file that is written to while it is read' - <<\EOT
	test_sql "CREATE TABLE grown (id INTEGER, n INTEGER)" &&
	perl -e 'print "id,n\n"; print "$_,1\n" for 1 .. 400000' >grows.csv &&
	rowmerge load -q grown grows.csv &&
	rowmerge cat grown --format parquet >whole.parquet &&
	rowmerge sql -q -e "DELETE FROM grown" && mkfifo late &&
	cat >spec.sql <<-\SQL &&
	INSERT INTO grown (id, n) SELECT a.id, a.n FROM a JOIN b ON a.id = b.id
	SQL
	for change in "cat grown.csv >>grows.parquet" \
		"cat whole.parquet >grows.parquet" ": >grows.parquet" \
		"touch grows.parquet"
	do
		cp whole.parquet grows.parquet && echo >grown.csv &&
		touch -d 2020-01-01 grows.parquet &&
		{ (eval "$change"; echo id; echo 1) >late & } &&
		test_refused 1 IO rowmerge merge --bind a=grows.parquet \
			--bind b=late spec.sql && wait &&
		test_grep "grows.parquet' was written to while" err ||
		return 1
	done &&
	cp whole.parquet grows.parquet &&
	{ (cp whole.parquet new.parquet && mv new.parquet grows.parquet &&
		echo id && echo 1) >late & } &&
	rowmerge merge -q --bind a=grows.parquet --bind b=late spec.sql &&
	test_select "SELECT * FROM grown" id,n 1,1
EOT

test_expect_success 'damaged files, and files that are none' - <<\EOT
	head -c 100 s.parquet >cut.parquet &&
	test_refused 1 CORRUPT rowmerge load t cut.parquet &&
	test_grep cut.parquet err &&
	: >empty.parquet &&
	test_refused 1 CORRUPT rowmerge load t empty.parquet &&
	test_refused 1 IO rowmerge load t none.parquet &&
	test_refused 2 UNSUPPORTED rowmerge load --types "id BIGINT" t \
		s.parquet &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT * FROM read_parquet('s.parquet', delimiter => ';')" &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT * FROM read_parquet('s.parquet', skip_lines => 1)"
EOT

test_done
