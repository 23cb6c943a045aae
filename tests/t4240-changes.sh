#!/bin/sh
test_description='the changed rows of a run as a feed'
. "$(dirname "$0")/test-lib.sh"
SPEC="MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s.n < 0 THEN DELETE
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)
	WHEN NOT MATCHED BY SOURCE AND t.id = 9 THEN DELETE"

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, name VARCHAR,
			l ARRAY(INTEGER));
		INSERT INTO t VALUES (1, 1, 'a', ARRAY[1]), (2, 2, 'b', NULL),
			(3, 3, NULL, ARRAY[]), (9, 9, 'i', NULL)" &&
	test_write_lines id,n 1,10 2,-1 3,3 4,4 >s.csv
}

cat >wanted.csv <<\EOT
_change,_version,id,n,name,l
delete,3,2,2,b,
delete,3,9,9,i,
insert,3,4,4,,
update_after,3,1,10,a,[1]
update_before,3,1,1,a,[1]
EOT

test_expect_success 'CSV: what was and what is' - <<\EOT
	for how in "--threads 1" "--threads 4" "--mode copy-on-write" \
		"--memory 1M"
	do
		new_table && rm -f out.csv &&
		rowmerge merge -q $how --changes out.csv -e "$SPEC" &&
		head -n 1 out.csv >got && tail -n +2 out.csv | sort >>got &&
		test_cmp wanted.csv got && test_table_sane t || return 1
	done &&
	test "$(ls -A | grep -c rowmerge-)" = 0 &&
	grep -A 1 update_before out.csv | grep update_after
EOT

test_expect_success 'JSON Lines and Parquet' - <<\EOT
	new_table && rowmerge merge -q --changes out.jsonl -e "$SPEC" &&
	test_grep '^{"_change": *"update_after", *"_version": *3, *"id": *1, *"n": *10' \
		out.jsonl && test "$(wc -l <out.jsonl)" = 5 &&
	new_table && rowmerge merge -q --changes out.parquet -e "$SPEC" &&
	rowmerge merge --json --dry-run -e "DELETE FROM 'out.parquet' WHERE
		_version = 3 AND (
		(_change = 'delete' AND id = 2 AND n = 2 AND name = 'b') OR
		(_change = 'delete' AND id = 9) OR
		(_change = 'insert' AND id = 4 AND name IS NULL) OR
		(_change = 'update_before' AND n = 1 AND l = ARRAY[1]) OR
		(_change = 'update_after' AND n = 10 AND l = ARRAY[1]))" \
		>json && test_member_is rows.deleted 5 json &&
	rowmerge merge --json --dry-run -e "DELETE FROM 'out.parquet'" \
		>json && test_member_is rows.deleted 5 json
EOT

test_expect_success 'UPDATE, DELETE and INSERT' - <<\EOT
	new_table &&
	rowmerge merge -q --changes out.csv -e "UPDATE t SET n = 5, name = name
		WHERE id < 3" &&
	tail -n +2 out.csv | sort | cut -d, -f 1-5 >got &&
	test_write_lines update_after,3,1,5,a update_after,3,2,5,b \
		update_before,3,1,1,a update_before,3,2,2,b >wanted &&
	test_cmp wanted got &&
	rowmerge merge -q --changes out.csv -e "DELETE FROM t WHERE id > 2" &&
	tail -n +2 out.csv | sort >got &&
	test_write_lines "delete,4,3,3,,[]" delete,4,9,9,i, >wanted &&
	test_cmp wanted got &&
	rowmerge merge -q --changes out.csv \
		-e "INSERT INTO t (id, name) VALUES (7, 'x,y')" &&
	tail -n +2 out.csv >got && echo 'insert,5,7,,"x,y",' >wanted &&
	test_cmp wanted got
EOT

test_expect_success 'no change: a feed without rows' - <<\EOT
	rowmerge merge -q --changes out.csv -e "DELETE FROM t WHERE id = 99" &&
	head -n 1 wanted.csv >wanted && test_cmp wanted out.csv &&
	rowmerge merge -q --changes out.parquet -e "DELETE FROM t WHERE id = 99" &&
	rowmerge merge --json --dry-run -e "DELETE FROM 'out.parquet'" >json &&
	test_member_is rows.deleted 0 json
EOT

test_expect_success 'a failed or dry run leaves no feed' - <<\EOT
	new_table && rm -f out.csv && echo 5,x >>s.csv &&
	test_refused 3 CAST rowmerge merge --changes out.csv -e "$SPEC" &&
	new_table &&
	test_refused 5 GUARD_DELETES rowmerge merge --changes out.csv \
		--max-deletes 1 -e "$SPEC" &&
	rowmerge merge -q --dry-run --changes out.csv -e "$SPEC" &&
	! test -e out.csv && test "$(ls -A | grep -c rowmerge-)" = 0 &&
	echo old >out.csv &&
	test_refused 5 GUARD_DELETES rowmerge merge --changes out.csv \
		--max-deletes 1 -e "$SPEC" && echo old >wanted &&
	test_cmp wanted out.csv
EOT

test_expect_success 'no place for the feed: nothing is committed' - <<\EOT
	new_table && test_files t >before &&
	test_refused 1 IO rowmerge merge --changes none/out.csv -e "$SPEC" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'wrong use' - <<\EOT
	test_refused 2 USAGE rowmerge merge --changes out.txt -e "$SPEC" &&
	test_refused 2 USAGE rowmerge merge --changes out.csv \
		-e "DELETE FROM t; DELETE FROM t" &&
	test_sql "CREATE TABLE own (_version INTEGER)" &&
	test_refused 2 COLUMN_EXISTS rowmerge merge --changes out.csv \
		-e "DELETE FROM own"
EOT

test_expect_success 'of a file as the target, without versions' - <<\EOT
	test_write_lines id,n 1,1 2,2 >c.csv &&
	rowmerge merge -q --changes out.csv -e "UPDATE 'c.csv' SET n = '5'
		WHERE id = '2'" &&
	test_write_lines _change,_version,id,n update_before,,2,2 \
		update_after,,2,5 >wanted && test_cmp wanted out.csv
EOT

test_expect_success 'the version is that of the commit after a race' - <<\EOT
	test_sql "CREATE TABLE r (id INTEGER, n INTEGER)" &&
	for suffix in csv jsonl parquet
	do
		for i in 1 2 3 4 5 6
		do
			rowmerge merge --json --retries 50 \
				--changes race$i.$suffix \
				-e "INSERT INTO r VALUES ($i, $i)" >race$i.json &
		done
		wait
		for i in 1 2 3 4 5 6
		do
			version=$(test_member version.after race$i.json) &&
			case $suffix in
			csv)
				test_write_lines _change,_version,id,n \
					insert,$version,$i,$i >wanted &&
				test_cmp wanted race$i.csv ;;
			jsonl)
				test_grep "\"_version\": *$version," \
					race$i.jsonl ;;
			parquet)
				rowmerge merge --json --dry-run -e "DELETE
					FROM 'race$i.parquet' WHERE
					_version = $version" >json &&
				test_member_is rows.deleted 1 json ;;
			esac || return 1
		done
	done &&
	test "$(ls -A | grep -c rowmerge-)" = 0
EOT

test_expect_success 'a feed that is a directory is refused before the run' - <<\EOT
	new_table && mkdir d.csv && test_files t >before &&
	test_refused 2 USAGE rowmerge merge --changes d.csv -e "$SPEC" &&
	test_files t >after && test_cmp before after &&
	test -z "$(ls -A d.csv)"
EOT

test_expect_success 'files as targets: the feed has what the summary counts' - <<\EOT
	new_table && rowmerge cat t >f.csv && rowmerge cat t --format parquet \
		>f.parquet &&
	for file in f.csv f.parquet
	do
		rowmerge merge --json --types "id INTEGER, n INTEGER" \
			--changes out.csv -e "MERGE INTO '$file' t${SPEC#MERGE INTO t}" \
			>json &&
		test_member_is rows.inserted 1 json &&
		test_member_is rows.updated 1 json &&
		test_member_is rows.deleted 2 json &&
		sed -n 1p out.csv >got && sed 1d out.csv | sort >>got &&
		cut -d, -f1,3,4 wanted.csv >want && cut -d, -f1,3,4 got >cols &&
		test_cmp want cols || return 1
	done
EOT

test_expect_success 'what killed runs left beside the feed goes' - <<\EOT
	new_table && mkdir feeds && : >feeds/.f.csv.rowmerge-1-0.tmp &&
	: >feeds/.bad.rowmerge-1-0.tmp &&
	: >feeds/.bad.reasons.jsonl.rowmerge-1-1.tmp &&
	echo kept >feeds/.f.csv.rowmerge-1-0.csv &&
	: >feeds/.other.csv.rowmerge-1-0.tmp &&
	rowmerge merge -q --changes feeds/f.csv --rejects feeds/bad \
		-e "$SPEC" &&
	ls -A feeds >left && test_write_lines .f.csv.rowmerge-1-0.csv \
		.other.csv.rowmerge-1-0.tmp bad bad.reasons.jsonl f.csv >want &&
	test_cmp want left
EOT
test_done
