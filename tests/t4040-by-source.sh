#!/bin/sh
test_description='NOT MATCHED BY SOURCE, and the guard of an empty source'
. "$(dirname "$0")/test-lib.sh"
SYNC='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)
	WHEN NOT MATCHED BY SOURCE THEN DELETE'

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 1), (2, 2), (NULL, 3)"
}

test_expect_success 'the table becomes the source' - <<\EOT
	for mode in merge-on-read copy-on-write
	do
		new_table && test_write_lines id,n 2,20 4,40 >s.csv &&
		rowmerge merge --json --mode $mode -e "$SYNC" >json &&
		test_member_is rows.deleted 2 json &&
		test_rows_are t id,n 2,20 4,40 && test_table_sane t ||
			return 1
	done
EOT

test_expect_success \
	'an empty source is refused with the number of rows' - <<\EOT
	new_table && test_files t >before && echo id,n >s.csv &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$SYNC" &&
	test_grep "all 3 rows (100 %)" err && test_grep "say --allow-empty-source" err &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge --dry-run -e "$SYNC" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'a source whose rows are all filtered out is empty' - <<\EOT
	test_write_lines id,n 1,1 >s.csv &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge \
		-e "MERGE INTO t USING (SELECT * FROM s WHERE n > 5) s
		ON t.id = s.id
		WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = 0" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success '--allow-empty-source lets it' - <<\EOT
	echo id,n >s.csv &&
	rowmerge merge --json --allow-empty-source -e "$SYNC" >json &&
	test_member_is rows.deleted 3 json &&
	test_rows_are t id,n && rowmerge cat --at 2 t >out &&
	test $(wc -l <out) = 4
EOT

test_expect_success \
	'an empty source without such a clause is no matter' - <<\EOT
	new_table &&
	rowmerge merge --json -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN DELETE" >json &&
	test_member_is version '{"after":2,"before":2}' json
EOT

test_expect_success 'and an empty target is no matter either' - <<\EOT
	test_sql "CREATE TABLE e (id INTEGER, n INTEGER)" &&
	rowmerge merge -q -e "$(echo "$SYNC" | sed "s/INTO t/INTO e t/")" &&
	test_rows_are e id,n
EOT

test_expect_success 'a match that no clause took is still a match' - <<\EOT
	new_table && test_write_lines id,n 1,0 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED AND s.n > 5 THEN DELETE
		WHEN NOT MATCHED BY SOURCE AND t.n > 2 THEN DELETE
		WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = -t.n" &&
	test_rows_are t id,n 1,1 2,-2
EOT

test_expect_success 'target-only parts of ON decide what is matched' - <<\EOT
	new_table && test_write_lines id,n 1,0 2,0 >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id AND t.n > 1
		WHEN MATCHED THEN UPDATE SET n = 22
		WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = 0" &&
	test_rows_are t id,n ,0 1,0 2,22
EOT
test_done
