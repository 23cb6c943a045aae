#!/bin/sh
test_description='rows are sorted within each file'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a batch in no order' - <<\EOT
	seq 1 3000 | awk "{
		id = \$1 * 7919 % 3001
		print id \",\" (id % 10 ? \"c\" id % 10 : \"\") \",\" \
			(id % 7 ? id % 13 \".5\" : \"\") }" >rows &&
	{ echo id,category,f && cat rows; } >in.csv
EOT

test_expect_success 'by id, then by category downwards' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT, category VARCHAR, f DOUBLE)
		WRITE ORDERED BY (id ASC NULLS LAST, category DESC NULLS FIRST)" &&
	rowmerge load -q t in.csv && rowmerge cat t >out &&
	cut -d, -f1 out | tail -n +2 >ids && sort -n ids >wanted &&
	test_cmp wanted ids && sort -n rows >all && tail -n +2 out | sort -n >got &&
	test_cmp all got &&
	rowmerge show --files t >files && test_grep "sort order 1" files
EOT

test_expect_success 'nulls first, values downwards' - <<\EOT
	test_sql "CREATE TABLE d (id BIGINT, category VARCHAR, f DOUBLE)
		WRITE ORDERED BY (category DESC NULLS FIRST, id)" &&
	rowmerge load -q d in.csv && rowmerge cat d >out &&
	tail -n +2 out | cut -d, -f2 | uniq >got &&
	test_write_lines "" c9 c8 c7 c6 c5 c4 c3 c2 c1 >wanted &&
	test_cmp wanted got &&
	tail -n +2 out | awk -F, "\$2 == last && \$1 < id { exit 1 }
		{ last = \$2; id = \$1 }"
EOT

test_expect_success 'NaN, zeros and infinities in the order of the spec' - <<\EOT
	test_sql "CREATE TABLE n (f DOUBLE) WRITE ORDERED BY (f NULLS LAST)" &&
	test_write_lines f NaN 0.0 -Infinity "" 1.5 -0.0 Infinity -1.5 >n.csv &&
	rowmerge load -q n n.csv && rowmerge cat n >out &&
	test_write_lines f -Infinity -1.5 -0.0 0.0 1.5 Infinity NaN "" >wanted &&
	test_cmp wanted out
EOT

test_expect_success 'by transforms' - <<\EOT
	test_sql "CREATE TABLE b (id BIGINT, category VARCHAR, f DOUBLE)
		WRITE ORDERED BY (truncate(100, id) DESC, category, id)" &&
	rowmerge load -q b in.csv && rowmerge cat b | tail -n +2 >out &&
	awk -F, "{ print int(\$1 / 100) }" out | uniq >got &&
	sort -rn got | uniq >wanted && test_cmp wanted got
EOT

for mode in merge-on-read copy-on-write
do
	test_expect_success "a merge keeps files sorted, $mode" - <<-EOT
		seq 5 10 6000 | awk "{ print \\\$1 \",n\" \\\$1 \",1\" }" >m &&
		{ echo id,category,f && cat m; } >m.csv &&
		rowmerge merge -q --mode $mode -e "MERGE INTO t USING 'm.csv' s
			ON t.id = s.id
			WHEN MATCHED THEN UPDATE SET category = s.category
			WHEN NOT MATCHED THEN INSERT (id, category, f)
			VALUES (s.id, s.category, s.f)" &&
		rowmerge show --files t >files &&
		test_no_grep "sort order 0" files && test_table_sane t
	EOT
done

test_expect_success 'left unsorted when told to' - <<\EOT
	test_sql "CREATE TABLE u (id BIGINT, category VARCHAR, f DOUBLE)
		WRITE ORDERED BY (id)" &&
	rowmerge load -q --unsorted u in.csv && rowmerge cat u >out &&
	test_cmp in.csv out && rowmerge show --files u >files &&
	test_grep "sort order 0" files &&
	test_sql "ALTER TABLE u SET PROPERTIES
		\"rowmerge.write.sort\" = 'never'" &&
	test_sql "INSERT INTO u VALUES (2, 'x', 1), (1, 'y', 2)" &&
	rowmerge show --files u >files && test_no_grep "sort order 1" files
EOT

test_expect_success 'sorted within each partition' - <<\EOT
	test_sql "CREATE TABLE p (id BIGINT, category VARCHAR, f DOUBLE)
		PARTITIONED BY (category) WRITE ORDERED BY (id DESC)" &&
	rowmerge load -q p in.csv &&
	for c in 1 5 9
	do
		rowmerge cat --where "category = 'c$c'" p >out &&
		tail -n +2 out | cut -d, -f1 >got && sort -rn got >wanted &&
		test_cmp wanted got || return 1
	done &&
	rowmerge show --files p >files && test_no_grep "sort order 0" files &&
	test_table_sane p
EOT

test_expect_success 'more rows than the memory holds' - <<\EOT
	seq 1 400000 | awk "BEGIN { print \"id,text\" } {
		print \$1 * 7919 % 400009 \",some text of the row \" \$1 }" \
		>big.csv &&
	test_sql "CREATE TABLE big (id BIGINT, text VARCHAR)
		WRITE ORDERED BY (text DESC, id)" &&
	rowmerge load -q --memory 1M big big.csv &&
	rowmerge cat big >out && test $(wc -l <out) = 400001 &&
	tail -n +2 big.csv | LC_ALL=C sort >wanted &&
	tail -n +2 out | LC_ALL=C sort >got && test_cmp wanted got &&
	rowmerge show --files big >files && test_grep "sort order 1" files &&
	tail -n +2 out | cut -d, -f2 >got && LC_ALL=C sort -r got >wanted &&
	test_cmp wanted got
EOT

test_done
