#!/bin/sh
test_description='copy-on-write encodes updated columns and copies the others'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'rows' - <<\EOT
	{ echo id,name,score,day,note && seq 1 40000 | awk "{
		print \$1 \",name \" \$1 % 700 \",\" int(\$1 / 3) \".25,\" \
			\"2024-01-\" sprintf(\"%02d\", \$1 % 28 + 1) \
			\",\" (\$1 % 5 ? \"n\" \$1 : \"\") }"; } >in.csv
EOT

# made VERSION: table t in several row groups, and what it holds as `rows`
made () {
	rm -rf t before after &&
	rowmerge create -q --format-version $1 --columns "id INTEGER,
		name VARCHAR, score DOUBLE, day DATE, note VARCHAR" \
		--property write.parquet.row-group-size-bytes=300000 \
		--property rowmerge.fold=off \
		--property write.parquet.bloom-filter-enabled.column.name=true t &&
	rowmerge load -q t in.csv &&
	rowmerge cat t >rows && ls t/data >files
}

# changed SQL: run it copy-on-write; chunks of the old and the new file
changed () {
	"$TEST_DIRECTORY/parquet-chunks" $(newest) >before &&
	ls t/data >files &&
	rowmerge merge --json --mode copy-on-write -e "$1" >json &&
	"$TEST_DIRECTORY/parquet-chunks" $(newest) >after &&
	test_table_sane t
}

# The data file that `files` does not have, or the only one.
newest () {
	ls t/data | grep -v deletes >now
	{ grep -vxFf files now || cat now; } | sed 's,^,t/data/,'
}

# kept FIELD.. : their chunks are in the new file as in the old one
kept () {
	for field
	do
		grep "^$field " before >a && grep "^$field " after >b &&
		test_cmp a b || return 1
	done
}

# fresh FIELD GROUP: this chunk is another one
fresh () {
	grep "^$1 $2 " before >a && grep "^$1 $2 " after >b && ! cmp -s a b
}

for version in 2 3
do
	test_expect_success "format $version: one column, one row group" "
		made $version &&
		test \$(\"\$TEST_DIRECTORY/parquet-chunks\" \$(newest) |
			grep -c '^1 ') -gt 2 &&
		changed \"UPDATE t SET score = -1 WHERE id = 7\" &&
		kept 1 2 4 5 && fresh 3 0 &&
		grep -v '^3 0 ' before >a && grep -v '^3 0 ' after |
			grep -v '^2147' >b && test_cmp a b &&
		test_member_is rows.updated 1 json &&
		test \$(test_member bytes.copied json) -gt \
			\$(test_member bytes.reencoded json) &&
		sed 's/^7,name 7,2.25/7,name 7,-1.0/' rows >wanted &&
		rowmerge cat t >out && test_cmp wanted out
	"

	test_expect_success "format $version: a text in all row groups" "
		made $version &&
		changed \"UPDATE t SET note = NULL WHERE id % 10 = 3\" &&
		kept 1 2 3 4 && fresh 5 0 && fresh 5 1 &&
		awk -F, '\$1 % 10 == 3 { \$5 = \"\" } { print }' OFS=, rows \
			>wanted &&
		rowmerge cat t >out && test_cmp wanted out &&
		rowmerge cat --where \"note IS NULL\" t >out &&
		test \$(wc -l <out) = 12001
	"

	test_expect_success "format $version: a value that is the old one" "
		made $version &&
		changed \"UPDATE t SET score = score + id % 2, name = name,
			day = DATE '2024-01-08' WHERE id = 7\" &&
		kept 1 2 4 5 && fresh 3 0
	"

	test_expect_success "format $version: earlier deletes stay" "
		made $version &&
		rowmerge merge -q --mode merge-on-read -e \
			\"DELETE FROM t WHERE id % 100 = 1\" &&
		changed \"UPDATE t SET score = 0 WHERE id BETWEEN 50 AND 60\" &&
		kept 1 2 4 5 && fresh 3 0 &&
		awk -F, '\$1 >= 50 && \$1 <= 60 { \$3 = \"0.0\" }
			\$1 % 100 != 1 || NR == 1 { print }' OFS=, rows >wanted &&
		rowmerge cat t >out && test_cmp wanted out &&
		rowmerge merge -q --mode copy-on-write -e \
			\"DELETE FROM t WHERE id = 51\" &&
		rowmerge cat t | sort >out &&
		grep -v '^51,' wanted | sort >a &&
		test_cmp a out && test_table_sane t
	"

	test_expect_success "format $version: few deletes of the statement" "
		made $version &&
		test_write_lines id,what 3,d 5,u 30000,d 39999,u 50000,i >s.csv &&
		rowmerge merge --json --mode copy-on-write -e \"MERGE INTO t USING 's.csv' s ON t.id = s.id
			WHEN MATCHED AND s.what = 'd' THEN DELETE
			WHEN MATCHED THEN UPDATE SET name = s.what
			WHEN NOT MATCHED THEN INSERT (id, name)
				VALUES (s.id, s.what)\" >json &&
		test_member_is rows.deleted 2 json &&
		test \$(test_member bytes.copied json) -gt 10000 &&
		ls t/data | grep deletes &&
		{ sed 's/^5,name 5/5,u/; s/^39999,name 99/39999,u/; /^3,/d
			/^30000,/d' rows && echo 50000,i,,,; } >wanted &&
		rowmerge cat t | sort >out && sort wanted >a &&
		test_cmp a out && test_table_sane t
	"

	test_expect_success "format $version: many deletes rewrite the file" "
		made $version &&
		rowmerge merge --json --mode copy-on-write -e \"MERGE INTO t
			USING (SELECT 1 AS one) s ON FALSE
			WHEN NOT MATCHED BY SOURCE AND id % 2 = 0 THEN DELETE
			WHEN NOT MATCHED BY SOURCE AND id = 5
				THEN UPDATE SET score = 5\" >json &&
		test_member_is bytes.copied 0 json &&
		test \$(test_member bytes.reencoded json) -gt 0 &&
		awk -F, '\$1 == 5 { \$3 = \"5.0\" }
			\$1 % 2 || NR == 1 { print }' OFS=, rows | sort >wanted &&
		rowmerge cat t | sort >out && test_cmp wanted out &&
		test_table_sane t
	"

	test_expect_success "format $version: widened, new and dropped columns" "
		made $version &&
		test_sql \"ALTER TABLE t ALTER COLUMN id SET DATA TYPE BIGINT\" &&
		test_sql \"ALTER TABLE t ADD COLUMN extra BIGINT\" &&
		test_sql \"ALTER TABLE t DROP COLUMN day\" &&
		test_sql \"ALTER TABLE t RENAME COLUMN note TO remark\" &&
		changed \"UPDATE t SET score = 1 WHERE id < 4\" &&
		kept 1 2 5 && fresh 3 0 && test_must_fail grep '^4 ' after &&
		test_must_fail grep '^6 ' after && grep '^1 0 type=1' after &&
		changed \"UPDATE t SET extra = 9000000000 + id WHERE id < 3\" &&
		kept 1 2 3 5 && grep '^6 0 type=2' after &&
		changed \"UPDATE t SET id = 5000000000 WHERE id = 40000\" &&
		kept 2 3 5 6 && grep '^1 0 type=2' after &&
		rowmerge cat --where \"id < 4 OR id > 39998\" t >out &&
		test_write_lines id,name,score,remark,extra \
			'1,name 1,1.0,n1,9000000001' \
			'2,name 2,1.0,n2,9000000002' '3,name 3,1.0,n3,' \
			'39999,name 99,13333.25,n39999,' \
			'5000000000,name 100,13333.25,,' >wanted &&
		test_cmp wanted out
	"

	test_expect_success "format $version: all columns where the table says so" "
		made $version &&
		test_sql \"ALTER TABLE t SET PROPERTIES
			\\\"rowmerge.write.update.columns\\\" = 'all'\" &&
		rowmerge merge --json --mode copy-on-write -e \
			\"UPDATE t SET score = -1 WHERE id = 7\" >json &&
		test_member_is bytes.copied 0 json &&
		sed 's/^7,name 7,2.25/7,name 7,-1.0/' rows | sort >wanted &&
		rowmerge cat t | sort >out && test_cmp wanted out &&
		test_table_sane t
	"
done

test_expect_success 'partition and sort order stay as far as they hold' - <<\EOT
	seq 1 3000 | awk 'BEGIN { print "id,p,v,w" } {
		print $1 ",r" $1 % 3 "," $1 * 2 "," $1 * 3 }' >p.csv &&
	rm -rf t && test_sql "CREATE TABLE t (id BIGINT, p VARCHAR, v BIGINT,
		w BIGINT) PARTITIONED BY (p) WRITE ORDERED BY (v)
		WITH (\"rowmerge.fold\" = 'off')" &&
	rowmerge load -q t p.csv &&
	for sql in "w = 0 WHERE id = 3" "v = 1 WHERE id = 4"
	do
		rowmerge merge --json --mode copy-on-write \
			-e "UPDATE t SET $sql" >json &&
		test $(test_member bytes.copied json) -gt 0 || return 1
	done &&
	rowmerge merge --json --mode copy-on-write \
		-e "UPDATE t SET p = 'r9' WHERE id = 5" >json &&
	test_member_is bytes.copied 0 json && test_table_sane t &&
	rowmerge show --files t | sed -n "s/, 0 delete.*, sort/, sort/
		s/^  spec 0  //p" >out &&
	test_write_lines "p='r0': 1000 rows in 1 files, sort order 1" \
		"p='r1': 1000 rows in 1 files, sort order 0" \
		"p='r2': 999 rows in 1 files, sort order 1" \
		"p='r9': 1 rows in 1 files, sort order 1" >wanted &&
	test_cmp wanted out &&
	rowmerge cat --where "id IN (3, 4, 5)" t | sort >out &&
	test_write_lines 3,r0,6,0 4,r1,1,12 5,r9,10,15 id,p,v,w >wanted &&
	test_cmp wanted out
EOT

test_expect_success 'explain -v says what an update costs at most' - <<\EOT
	made 2 &&
	rowmerge explain -v --mode copy-on-write -e \
		"UPDATE t SET score = 0 WHERE id > 3" >out &&
	test_grep "^cost: .* about [0-9]* bytes are encoded again" out &&
	rowmerge explain --mode copy-on-write -e \
		"UPDATE t SET score = 0 WHERE id > 3" >out &&
	test_must_fail grep "^cost" out &&
	rowmerge explain -v --mode merge-on-read -e \
		"UPDATE t SET score = 0 WHERE id > 3" >out &&
	test_must_fail grep "^cost" out
EOT

test_expect_success 'a nested column is copied, and written anew' - <<\EOT
	rm -rf t && rowmerge create -q --columns "id BIGINT, v BIGINT,
		a ROW(x BIGINT, y VARCHAR), l ARRAY(INTEGER),
		m MAP(VARCHAR, DOUBLE)" --property rowmerge.fold=off t &&
	test_sql "INSERT INTO t VALUES
		(1, 1, ROW(1, 'a'), ARRAY[1, 2], MAP(ARRAY['k'], ARRAY[1.5])),
		(2, 2, NULL, ARRAY[], NULL), (3, 3, ROW(NULL, 'c'), NULL, NULL)" &&
	ls t/data >files &&
	changed "UPDATE t SET v = v + 1" &&
	grep -v "^2 " before >a && grep -v "^2 " after >b && test_cmp a b &&
	changed "UPDATE t SET l = ARRAY[7, 8, 9], a = ROW(5, 'z')
		WHERE id = 2" &&
	kept 1 2 && rowmerge cat --format jsonl t >out &&
	test_write_lines \
		'{"id":1,"v":2,"a":{"x":1,"y":"a"},"l":[1,2],"m":{"k":1.5}}' \
		'{"id":2,"v":3,"a":{"x":5,"y":"z"},"l":[7,8,9],"m":null}' \
		'{"id":3,"v":4,"a":{"x":null,"y":"c"},"l":null,"m":null}' \
		>wanted && test_cmp wanted out
EOT

test_expect_success 'updates past the memory budget give the same rows' - <<\EOT
	made 2 && rowmerge merge -q --memory 1M --mode copy-on-write -e "
		UPDATE t SET note = 'a long new note ' || name || name || name,
		name = name || ' and more and more and more and more'" &&
	rowmerge cat t >out && made 2 && rowmerge merge -q \
		--mode merge-on-read -e "
		UPDATE t SET note = 'a long new note ' || name || name || name,
		name = name || ' and more and more and more and more'" &&
	rowmerge cat t | sort >wanted && sort out >a && test_cmp wanted a
EOT

test_expect_success 'one row that two clauses update gets both images' - <<\EOT
	rm -rf t && test_sql "CREATE TABLE t (id BIGINT, v BIGINT)" &&
	test_sql "INSERT INTO t VALUES (1, 1), (2, 2)" &&
	test_write_lines k,v 1,10 1,20 >s.csv &&
	rowmerge merge -q --mode copy-on-write --duplicate-match=case -e "
		MERGE INTO t USING 's.csv' s ON t.id = s.k
		WHEN MATCHED AND s.v = 10 THEN UPDATE SET v = s.v
		WHEN MATCHED THEN UPDATE SET v = s.v" 2>/dev/null &&
	rowmerge cat t | sort >out &&
	test_write_lines 1,10 1,20 2,2 id,v >wanted && test_cmp wanted out
EOT

for mode in copy-on-write merge-on-read
do
	test_expect_success "columns called as those of row lineage, $mode" - \
		<<-EOT
		rm -rf t && test_sql "CREATE TABLE t (\"_row_id\" BIGINT,
			id BIGINT, \"_last_updated_sequence_number\" BIGINT)
			WITH (format_version = 3)" &&
		test_sql "INSERT INTO t VALUES (100, 1, 7), (200, 2, 8)" &&
		rowmerge merge -q --mode $mode -e "UPDATE t SET id = 20
			WHERE id = 2" &&
		rowmerge merge -q --mode $mode -e "UPDATE t SET
			\"_row_id\" = 5 WHERE id = 20" &&
		rowmerge cat t | sort >out &&
		test_write_lines 100,1,7 5,20,8 \
			_row_id,id,_last_updated_sequence_number >wanted &&
		test_cmp wanted out && test_table_sane t
	EOT
done

test_expect_success 'a damaged chunk is not copied on' - <<\EOT
	rm -rf t && seq 1 5000 | awk "BEGIN { print \"v,note\" } {
		print \$1 \",note \" \$1 * 7919 % 5003 }" >in.csv &&
	test_sql "CREATE TABLE t (v BIGINT, note VARCHAR)" &&
	rowmerge load -q t in.csv && file=$(ls t/data/*.parquet) &&
	cp $file whole && rowmerge cat t >wanted &&
	middle=$(($(wc -c <whole) * 2 / 3)) &&
	printf "\\377\\0\\377\\0" | dd of=$file bs=1 seek=$middle \
		conv=notrunc 2>/dev/null &&
	test_files t >before &&
	test_refused 1 CORRUPT rowmerge merge --mode copy-on-write -e "
		UPDATE t SET v = v + 1" &&
	test_grep "column note of row group 0" err && test_grep "$(basename $file)" err &&
	test_files t >after && test_cmp before after &&
	cp whole $file && rowmerge cat t >out && test_cmp wanted out
EOT

test_done
