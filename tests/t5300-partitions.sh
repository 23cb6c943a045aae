#!/bin/sh
test_description='rows lie in the files of their partitions'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a value that has no partition is named' - <<\EOT
	test_sql "CREATE TABLE low (i INTEGER)
		PARTITIONED BY (truncate(10, i) AS p)" &&
	test_refused 3 OVERFLOW rowmerge sql -e "INSERT INTO low
		VALUES (5), (NULL), (-2147483648)" &&
	test_grep "partition field p: truncate.10. of -2147483648 leaves" err
EOT

test_expect_success 'values that are odd in a path' - <<\EOT
	cat >odd.csv <<-\END &&
	id,cat
	1,a/b
	2,two words
	3,100%
	4,a=b&c?d#e
	5,größe
	6,
	7,""
	8,../../etc
	9,.hidden
	10,null
	11,"quote "" here"
	12,日本語
	END
	i=0 && long= &&
	while test $i -lt 40
	do
		long="${long}0123456789" && i=$((i + 1))
	done &&
	printf "13,%s\n" "$long" >>odd.csv
EOT

for version in 2 3
do
	test_expect_success "format $version: each value has a partition" "
		rm -rf t &&
		test_sql \"CREATE TABLE t (id BIGINT, cat VARCHAR)
			PARTITIONED BY (cat) WITH (format_version = $version)\" &&
		rowmerge load -q t odd.csv && rowmerge cat t >out &&
		sort odd.csv >wanted && sort out >got &&
		test_cmp wanted got &&
		find t/data -type f >files && test \$(wc -l <files) = 13 &&
		test -z \"\$(LC_ALL=C grep '[^A-Za-z0-9_.=/-]' files)\" &&
		test \$(find t/data -mindepth 2 -type f | wc -l) = 13 &&
		test_table_sane t
	"

	test_expect_success "format $version: a value finds its file" - <<-\EOT
		rowmerge cat --where "cat IS NULL" t >out &&
		test_write_lines id,cat "6," >wanted && test_cmp wanted out &&
		rowmerge cat --where "cat = ''" t >out &&
		test_write_lines id,cat "7,\"\"" >wanted && test_cmp wanted out
	EOT

	test_expect_success "format $version: an update moves a row" - <<-\EOT
		test_sql "UPDATE t SET cat = 'moved' WHERE id IN (1, 6, 13)" &&
		rowmerge cat --where "cat = 'moved'" t >out &&
		test_write_lines id,cat 1,moved 6,moved 13,moved >wanted &&
		sort -n out >got && test_cmp wanted got &&
		rowmerge show --files t >files &&
		test_grep "cat='moved': 3 rows in 1 files" files &&
		test_table_sane t
	EOT

	test_expect_success "format $version: copy-on-write moves it back" - \
		<<-\EOT
		printf "id,cat\n1,a/b\n6,\n13,%s\n" "$long" >back.csv &&
		rowmerge merge -q --mode copy-on-write -e "MERGE INTO t
			USING 'back.csv' s ON t.id = s.id
			WHEN MATCHED THEN UPDATE SET cat = s.cat" &&
		rowmerge cat t | sort >got && sort odd.csv >wanted &&
		test_cmp wanted got &&
		rowmerge show --files t >files &&
		! grep "moved" files && test_table_sane t
	EOT
done

test_expect_success 'times before 1970, whatever unit' - <<\EOT
	test_sql "CREATE TABLE times (id BIGINT, d DATE, ts TIMESTAMP)
		PARTITIONED BY (year(d), month(ts))" &&
	test_write_lines id,d,ts \
		"1,1969-12-31,1969-12-31 23:59:59.999999" \
		"2,1970-01-01,1970-01-01 00:00:00" \
		"3,0001-01-01,0001-01-01 00:00:00" \
		"4,9999-12-31,9999-12-31 23:59:59" \
		"5,1969-01-01,1969-11-30 00:00:00" "6,," >times.csv &&
	rowmerge load -q times times.csv && rowmerge cat times >out &&
	sort times.csv >wanted && sort out >got && test_cmp wanted got &&
	ls -d times/data/*/* | sort >dirs &&
	test_write_lines times/data/d_year=0001/ts_month=0001-01 \
		times/data/d_year=1969/ts_month=1969-11 \
		times/data/d_year=1969/ts_month=1969-12 \
		times/data/d_year=1970/ts_month=1970-01 \
		times/data/d_year=9999/ts_month=9999-12 \
		times/data/d_year=null/ts_month=null >wanted &&
	test_cmp wanted dirs &&
	rowmerge cat --where "ts < TIMESTAMP '1970-01-01 00:00:00'" times \
		>out &&
	cut -d, -f1 out | sort >got && test_write_lines 1 3 5 id >wanted &&
	test_cmp wanted got
EOT

test_expect_success 'hours and days' - <<\EOT
	test_sql "CREATE TABLE hours (id BIGINT, ts TIMESTAMP WITH TIME ZONE)
		PARTITIONED BY (hour(ts))" &&
	test_write_lines id,ts "1,1969-12-31 23:30:00+00:00" \
		"2,2017-11-16 14:31:08-08:00" >hours.csv &&
	rowmerge load -q hours hours.csv &&
	ls hours/data >dirs &&
	test_write_lines ts_hour=1969-12-31-23 ts_hour=2017-11-16-22 >wanted &&
	test_cmp wanted dirs
EOT

# The hashes of the Iceberg spec (Appendix B), modulo 1000.
test_expect_success 'buckets are those of every engine' - <<\EOT
	test_sql "CREATE TABLE b (i BIGINT, s VARCHAR, d DATE, m DECIMAL(9,2))
		PARTITIONED BY (bucket(1000, i), bucket(1000, s),
		bucket(1000, d), bucket(1000, m))" &&
	test_write_lines i,s,d,m 34,iceberg,2017-11-16,14.20 >b.csv &&
	rowmerge load -q b b.csv && (cd b/data && ls -d */*/*/*) >dirs &&
	echo i_bucket_1000=379/s_bucket_1000=89/d_bucket_1000=226/m_bucket_1000=59 \
		>wanted && test_cmp wanted dirs
EOT

test_expect_success 'a source inside a struct' - <<\EOT
	test_sql "CREATE TABLE n (id BIGINT, p ROW(region VARCHAR, k BIGINT))
		PARTITIONED BY (p.region)" &&
	test_sql "INSERT INTO n VALUES (1, ROW('eu', 5)), (2, ROW('us', 6)),
		(3, NULL), (4, ROW(NULL, 7)), (5, ROW('eu', NULL))" &&
	find n/data -type f >files && test $(wc -l <files) = 3 &&
	test_sql "UPDATE n SET p = ROW('us', 1) WHERE id = 1" &&
	test_sql "SELECT id, p.region FROM n" | sort >out &&
	test_write_lines 1,us 2,us 3, 4, 5,eu id,region >wanted &&
	test_cmp wanted out &&
	rowmerge merge -q --mode copy-on-write \
		-e "UPDATE n SET p = ROW('eu', 1) WHERE id = 2" &&
	rowmerge show --files n >files &&
	test_grep "p.region='us': 1 rows" files
EOT

test_expect_success 'files of several specs in one table' - <<\EOT
	test_sql "CREATE TABLE m (id BIGINT, cat VARCHAR)
		WITH (\"rowmerge.fold\" = 'off')" &&
	test_sql "INSERT INTO m VALUES (1, 'a'), (2, 'b'), (3, 'a')" &&
	test_sql "ALTER TABLE m ADD PARTITION FIELD cat" &&
	test_sql "INSERT INTO m VALUES (4, 'a'), (5, 'b'), (6, 'c')" &&
	test_sql "ALTER TABLE m ADD PARTITION FIELD bucket(8, id),
		DROP PARTITION FIELD cat" &&
	test_sql "INSERT INTO m VALUES (7, 'a'), (8, 'b'), (9, 'c')" &&
	test_write_lines id,cat 1,x 5, 8,x 10,n >s.csv &&
	rowmerge merge -q -e "MERGE INTO m USING 's.csv' s ON m.id = s.id
		WHEN MATCHED AND s.cat IS NULL THEN DELETE
		WHEN MATCHED THEN UPDATE SET cat = s.cat
		WHEN NOT MATCHED THEN INSERT (id, cat) VALUES (s.id, s.cat)" &&
	rowmerge cat m | sort -n >got &&
	test_write_lines id,cat 1,x 2,b 3,a 4,a 6,c 7,a 8,x 9,c 10,n \
		>wanted && test_cmp wanted got &&
	rowmerge show --files m >files &&
	test_grep "spec 0: 2 rows in 1 files, 1 delete files" files &&
	test_grep "spec 1.*cat='a': 1 rows in 1 files, 0 delete files" files &&
	! grep "spec 1.*cat='b'" files &&
	test_table_sane m
EOT

for version in 2 3
do
	test_expect_success "format $version: deletes in a partition of NaN" "
		rm -rf n &&
		test_sql \"CREATE TABLE n (id BIGINT, x DOUBLE)
			PARTITIONED BY (x) WITH (format_version = $version,
				\\\"rowmerge.fold\\\" = 'off')\" &&
		{ echo id,x && seq 1 999 | awk '{ print \$1 \",\" \
			(\$1 % 3 ? \$1 % 3 == 1 ? \"NaN\" : \"-0.0\" : \"0.0\")
			}'; } >n.csv &&
		rowmerge load -q n n.csv && test \$(ls n/data | wc -l) = 3 &&
		for id in 4 7 8 9
		do
			test_sql \"DELETE FROM n WHERE id = \$id\" || return 1
		done &&
		sed '/^[4789],/d' n.csv >wanted &&
		rowmerge cat n | sort -n >out && sort -n wanted >sorted &&
		test_cmp sorted out && test_table_sane n
	"
done

test_expect_success 'small files of a partition are folded' - <<\EOT
	test_sql "CREATE TABLE f (id BIGINT, cat VARCHAR)
		PARTITIONED BY (cat)" &&
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		test_write_lines id,cat $i,a $((i + 100)),b >s.csv &&
		rowmerge merge -q -e "MERGE INTO f USING 's.csv' s
			ON f.id = s.id WHEN NOT MATCHED THEN INSERT (id, cat)
			VALUES (s.id, s.cat)" || return 1
	done &&
	rowmerge cat f >out && test $(wc -l <out) = 21 &&
	rowmerge show --json f >json && test $(test_member files json) -le 12 &&
	test_table_sane f
EOT

test_expect_success 'thousands of tiny partitions are warned of' - <<\EOT
	test_sql "CREATE TABLE w (id BIGINT) PARTITIONED BY (id)" &&
	{ echo id && seq 1 1100; } >w.csv &&
	rowmerge load w w.csv 2>err &&
	test_grep "rows go to 1100 partitions" err &&
	test_grep "bucket(N, column)" err &&
	rowmerge load w odd.csv 2>err; ! grep "partitions" err
EOT

test_expect_success 'names and values longer than those of a file may be' - <<\EOT
	name=$(printf "\303\251%.0s" $(seq 100)) &&
	test_sql "CREATE TABLE long (\"$name\" VARCHAR, id BIGINT)
		PARTITIONED BY (\"$name\")" &&
	test_sql "INSERT INTO long VALUES ('$name', 1), ('/', 2), (NULL, 3)" &&
	rowmerge cat --columns id long | sort >got &&
	test_write_lines 1 2 3 id >wanted && test_cmp wanted got &&
	columns=$(seq -f "c%g" -s ", " 1 40) &&
	test_sql "CREATE TABLE many ($(seq -f "c%g VARCHAR" -s ", " 1 40))
		PARTITIONED BY ($columns)" &&
	test_sql "INSERT INTO many SELECT $(for i in $(seq 1 39)
		do echo "'$name',"; done) 'x'" &&
	rowmerge cat --columns c40 many >got &&
	test_write_lines c40 x >wanted && test_cmp wanted got &&
	test_table_sane long && test_table_sane many
EOT

test_expect_success 'fields of one type, names that are spelt the same' - <<\EOT
	test_sql "CREATE TABLE twice (\"a b\" DECIMAL(9,2), a_x20b DECIMAL(9,2),
		u UUID, v UUID)
		PARTITIONED BY (void(\"a b\"), \"a b\", a_x20b, u, v)" &&
	test_sql "INSERT INTO twice VALUES (1, 2, NULL,
		UUID '00000000-0000-4000-8000-000000000001')" &&
	cat twice/metadata/*-m0.avro >avro &&
	for name in decimal_9_2\",\"size uuid_fixed\",\"size \
		a_x20b\",\"type\":\\[
	do
		test $(grep -a -o "\"name\":\"$name" avro |
			wc -l) = 1 || return 1
	done &&
	rowmerge cat twice --where "a_x20b = 2" >out &&
	test_grep "^1.00,2.00,,0000" out && test_table_sane twice
EOT

test_done
