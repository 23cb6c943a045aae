#!/bin/sh
test_description='a table directory that was copied or moved'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a copy is read where it stands, with its history' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 1), (2, 2);
		DELETE FROM t WHERE id = 1" &&
	rowmerge cat t >wanted &&
	mkdir other && cp -r t other/copy &&
	rowmerge -C other cat copy >out && test_cmp wanted out &&
	rowmerge -C other cat --at 2 copy >out && test $(wc -l <out) = 3 &&
	rowmerge -C other log copy >out && test $(wc -l <out) = 3
EOT

test_expect_success 'and does not look at the old place any more' - <<\EOT
	mv t gone &&
	rowmerge -C other cat copy >out && test_cmp wanted out &&
	rowmerge cat gone >out && test_cmp wanted out
EOT

test_expect_success 'it is not written to' - <<\EOT
	test_files other/copy >before &&
	for sql in "INSERT INTO copy VALUES (3, 3)" "DELETE FROM copy" \
		"UPDATE copy SET n = 5" \
			"ALTER TABLE copy SET PROPERTIES \"a\" = 'b'" \
		"CREATE OR REPLACE TABLE copy (x DATE)"
	do
		test_refused 2 MOVED_TABLE rowmerge -C other sql -e "$sql" ||
			return 1
	done &&
	test_grep "^hint: " err &&
	test_write_lines id,n 3,3 >in.csv &&
	test_refused 2 MOVED_TABLE rowmerge -C other load copy in.csv &&
	test_files other/copy >after && test_cmp before after
EOT

test_expect_success 'a moved table may be a source' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	test_sql "INSERT INTO t SELECT * FROM 'other/copy'" &&
	rowmerge cat t >out && test_cmp wanted out
EOT

test_expect_success 'moved back, it is as before' - <<\EOT
	rm -r t && mv gone t && test_sql "INSERT INTO t VALUES (3, 3)" &&
	test_rows_are t id,n 2,2 3,3 && test_table_sane t
EOT

test_expect_success 'through a symbolic link it is the same table' - <<\EOT
	ln -s t link &&
	rowmerge cat link >out && test $(wc -l <out) = 3 &&
	test_sql "INSERT INTO link VALUES (4, 4)" &&
	test_rows_are t id,n 2,2 3,3 4,4 && test_table_sane t
EOT

for version in 2 3
do
	test_expect_success "summaries fit delete files that grow, v$version" - \
		<<-EOT
		test_sql "CREATE TABLE grow (id INTEGER)
			WITH (format_version = $version);
			INSERT INTO grow VALUES (1), (2), (3);
			DELETE FROM grow WHERE id = 1;
			DELETE FROM grow WHERE id = 2" &&
		test_table_sane grow && mv grow a-name-that-is-longer &&
		rowmerge alter -q a-name-that-is-longer relocate &&
		"\$TEST_DIRECTORY/table-sane" a-name-that-is-longer &&
		test_rows_are a-name-that-is-longer id 3 &&
		rm -r a-name-that-is-longer
	EOT
done

test_done
