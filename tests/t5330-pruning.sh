#!/bin/sh
test_description='only files that can hold a wanted row are opened'
. "$(dirname "$0")/test-lib.sh"

# explain_files STATEMENT LINE...: what explain says of files
explain_files () {
	rowmerge explain -e "$1" >plan && shift &&
	grep -e "^files" -e "^  spec" plan >got &&
	test_write_lines "$@" >wanted && test_cmp wanted got
}

# The example of the seed: 2008 by month, then 2009 by day.
test_expect_success 'a table by month, then by day' - <<\EOT
	seq 0 730 | awk "BEGIN { print \"id,ts\" } {
		print \$1 \",\" strftime(\"%Y-%m-%d\", 1199145600 + 86400 * \$1,
		1) \" 12:00:00\" }" >all.csv &&
	awk -F, "NR == 1 || \$2 < \"2009\"" all.csv >2008.csv &&
	awk -F, "NR == 1 || \$2 >= \"2009\"" all.csv >2009.csv &&
	test_sql "CREATE TABLE logs (id BIGINT, ts TIMESTAMP)
		PARTITIONED BY (month(ts)) WITH (\"rowmerge.fold\" = 'off')" &&
	rowmerge load -q logs 2008.csv &&
	find logs/data -type f | xargs cksum | sort >before &&
	test_sql "ALTER TABLE logs
		REPLACE PARTITION FIELD month(ts) WITH day(ts)" &&
	rowmerge load -q logs 2009.csv &&
	find logs/data -type f | xargs cksum | sort >after &&
	test -z "$(comm -23 before after)" &&
	test $(wc -l <before) = 12 && test $(wc -l <after) = 377
EOT

test_expect_success 'the same query reads months of one, days of the other' - \
	<<\EOT
	explain_files "DELETE FROM logs WHERE ts >= TIMESTAMP '2008-12-14 00:00:00'
		AND ts < TIMESTAMP '2009-01-14 00:00:00'" \
		"files: 14 of 377 to read" \
		"  spec 0 (ts_month): 1 of 12 files to read, 11 ruled out by partition of ts" \
		"  spec 1 (ts_day): 13 of 365 files to read, 352 ruled out by partition of ts" &&
	rowmerge cat --where "ts >= TIMESTAMP '2008-12-14 00:00:00'
		AND ts < TIMESTAMP '2009-01-14 00:00:00'" logs >out &&
	awk -F, "NR == 1 || (\$2 >= \"2008-12-14\" && \$2 < \"2009-01-14\")" \
		all.csv >wanted &&
	sort wanted >a && sort out >b && test_cmp a b
EOT

test_expect_success 'from days to hours' - <<\EOT
	test_sql "ALTER TABLE logs
		REPLACE PARTITION FIELD day(ts) WITH hour(ts)" &&
	seq 0 47 | awk "BEGIN { print \"id,ts\" } {
		printf \"%d,2010-01-%02d %02d:30:00\\n\", 1000 + \$1,
			1 + int(\$1 / 24), \$1 % 24 }" >2010.csv &&
	rowmerge load -q logs 2010.csv &&
	explain_files "DELETE FROM logs WHERE
		ts = TIMESTAMP '2010-01-02 05:30:00'" \
		"files: 1 of 425 to read" \
		"  spec 0 (ts_month): 0 of 12 files to read, 12 ruled out by partition of ts" \
		"  spec 1 (ts_day): 0 of 365 files to read, 365 ruled out by partition of ts" \
		"  spec 2 (ts_hour): 1 of 48 files to read, 47 ruled out by partition of ts"
EOT

test_expect_success 'a batch of the newest rows opens the newest files' - <<\EOT
	test_write_lines id,ts "1047,2010-01-02 23:30:00" \
		"5000,2010-01-02 23:45:00" >new.csv &&
	cat >merge.sql <<-\END &&
	MERGE INTO logs USING 'new.csv' s ON logs.id = s.id AND logs.ts = s.ts
	WHEN MATCHED THEN UPDATE SET id = s.id + 1
	WHEN NOT MATCHED THEN INSERT (id, ts) VALUES (s.id, s.ts)
	END
	rowmerge explain merge.sql >plan &&
	test_grep "files: 1 of 425 to read" plan &&
	rowmerge merge --json merge.sql >json &&
	test_grep "\"scanned\": 1, \"pruned\": 424" json
EOT

test_expect_success 'buckets are ruled out by the values of the batch' - <<\EOT
	test_sql "CREATE TABLE bu (id BIGINT, v BIGINT)
		PARTITIONED BY (bucket(8, id))" &&
	{ echo id,v && seq 0 999 | sed "s/.*/&,&/"; } >b.csv &&
	rowmerge load -q bu b.csv &&
	explain_files "DELETE FROM bu WHERE id = 34" \
		"files: 1 of 8 to read" \
		"  spec 0 (id_bucket_8): 1 of 8 files to read, 7 ruled out by partition of id" &&
	explain_files "DELETE FROM bu WHERE id = 5000" \
		"files: 0 of 8 to read" \
		"  spec 0 (id_bucket_8): 0 of 8 files to read, 7 ruled out by partition of id, 1 ruled out by bounds of id"
EOT

test_expect_success 'keys far apart do not open what is between' - <<\EOT
	test_write_lines id,ts "3,2008-01-04 12:00:00" \
		"500,2009-05-15 12:00:00" "700,2009-12-01 12:00:00" >far.csv &&
	sed s/new.csv/far.csv/ merge.sql >far.sql &&
	rowmerge explain far.sql >plan &&
	test_grep "(ts_month): 1 of 12 files to read" plan &&
	test_grep "(ts_day): 2 of 365 files to read" plan
EOT

test_expect_success 'text by its beginning, and NULL' - <<\EOT
	test_sql "CREATE TABLE s (t VARCHAR) PARTITIONED BY (truncate(2, t))" &&
	test_write_lines t apple apricot banana blue "" >s.csv &&
	rowmerge load -q s s.csv &&
	explain_files "DELETE FROM s WHERE t = 'apple'" \
		"files: 1 of 4 to read" \
		"  spec 0 (t_trunc_2): 1 of 4 files to read, 3 ruled out by partition of t" &&
	explain_files "DELETE FROM s WHERE t IS NULL" \
		"files: 1 of 4 to read" \
		"  spec 0 (t_trunc_2): 1 of 4 files to read, 3 ruled out by partition of t" &&
	explain_files "DELETE FROM s WHERE t >= 'b'" \
		"files: 2 of 4 to read" \
		"  spec 0 (t_trunc_2): 2 of 4 files to read, 2 ruled out by partition of t"
EOT

test_expect_success 'manifests of other days are not opened' - <<\EOT
	test_sql "CREATE TABLE md (id BIGINT, day DATE) PARTITIONED BY (day)" &&
	seq 0 399 | awk "BEGIN { print \"id,day\" } {
		print \$1 \",\" strftime(\"%Y-%m-%d\", 86400 * \$1, 1) }" >md.csv &&
	rowmerge load -q md md.csv &&
	test $(ls md/metadata/*-m*.avro | wc -l) = 4 &&
	test_write_lines id,day 399,1971-02-04 400,1971-02-04 >s.csv &&
	cat >md.sql <<-\END &&
	MERGE INTO md USING 's.csv' s ON md.id = s.id AND md.day = s.day
	WHEN MATCHED THEN UPDATE SET id = s.id
	WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)
	END
	rowmerge explain md.sql >plan &&
	test_grep "^manifests: 1 of 4 to read" plan &&
	test_grep "^files: 1 of 400 to read" plan &&
	for old in md/metadata/*-m0.avro
	do
		cp $old old.avro && echo damaged >$old || return 1
	done &&
	rowmerge merge --json md.sql >json &&
	test_grep "\"scanned\": 1, \"pruned\": 399" json &&
	rowmerge cat --where "day >= DATE '1971-02-01'" md >out &&
	test $(wc -l <out) = 6 &&
	test_expect_code 1 rowmerge cat md >out 2>err &&
	test_grep "m0.avro" err &&
	cp old.avro $old && rowmerge cat md >out && test $(wc -l <out) = 402
EOT

test_expect_success 'row groups, pages and Bloom filters' - <<\EOT
	test_sql "CREATE TABLE g (id BIGINT, k VARCHAR)
		WITH (\"write.parquet.bloom-filter-enabled.column.k\" = 'true')" &&
	seq 1 300000 | awk "BEGIN { print \"id,k\" } {
		print \$1 \",key \" \$1 * 7919 % 300007 * 2 }" >g.csv &&
	rowmerge load -q g g.csv &&
	rowmerge explain -e "DELETE FROM g WHERE id = 200000" >plan &&
	test_grep "row groups: 1 to read, 2 ruled out by statistics" plan &&
	test_grep "pages: [0-9]* ruled out" plan &&
	rowmerge explain -e "DELETE FROM g WHERE k = 'key 77777'" >plan &&
	test_grep "row groups: 0 to read, 3 by Bloom filters" plan
EOT

test_expect_success 'dictionaries, where there is no Bloom filter' - <<\EOT
	test_sql "CREATE TABLE y (id BIGINT, k VARCHAR, x DOUBLE, n INTEGER,
			d DECIMAL(9,2), t TIMESTAMP)" &&
	seq 1 300000 | awk "BEGIN { print \"id,k,x,n,d,t\" } {
		print \$1 \",\" (\$1 % 7 ? \"key \" \$1 % 50 * 2 : \"\") \",\" \
			(\$1 % 3 ? \$1 % 3 == 1 ? \"-0.0\" : \"NaN\" : 2.5) \
			\",\" \$1 % 40 * 2 \",\" \$1 % 9 * 3 \".25,\" \
			\"2024-01-0\" \$1 % 4 * 2 + 1 \" 00:00:00\" }" >y.csv &&
	rowmerge load -q --threads 1 y y.csv &&
	for type in "n INTEGER" "n BIGINT, ALTER COLUMN d TYPE DECIMAL(30,2)"
	do
		test "${type#* }" = INTEGER ||
			test_sql "ALTER TABLE y ALTER COLUMN ${type%% *} TYPE ${type#* }" ||
			return 1
		for none in "k = 'key 77'" "k IN ('key 1', 'key 97')" \
			"x = 1.5e0" "n = 7" "n IN (9, 11)" "d = 3.50" \
			"t = TIMESTAMP '2024-01-04 00:00:00'"
		do
			rowmerge explain -e "DELETE FROM y WHERE $none" >plan &&
			test_grep "row groups: 0 to read, 3 by dictionaries" \
				plan || return 1
		done &&
		for some in "k = 'key 2'" "k IN ('key 1', 'key 4')" \
			"x = 0e0" "x IN (0e0, 7e0)" "x = CAST('-0.0' AS DOUBLE)" \
			"n = 8" "n IN (7, 8)" "d = 3.25" "k = 'key 77' OR k IS NULL" \
			"t = TIMESTAMP '2024-01-03 00:00:00'"
		do
			rowmerge cat --columns id --where "$some" y >got &&
			rowmerge cat --columns id --where \
				"CASE WHEN $some THEN true END" y >wanted &&
			test $(wc -l <got) -gt 1000 && test_cmp wanted got ||
			return 1
		done || return 1
	done
EOT

test_done
