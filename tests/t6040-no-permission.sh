#!/bin/sh
test_description='files that may not be read or written: status 1, no change'
. "$(dirname "$0")/test-lib.sh"

# A user who may not do everything: nobody, where root runs the tests.
if test "$(id -u)" = 0
then
	chmod 755 "$TRASH_DIRECTORY" "$TRASH_DIRECTORY/work" &&
	rm "$TRASH_DIRECTORY/bin/rowmerge" &&
	cp "$ROWMERGE" "$TRASH_DIRECTORY/bin/rowmerge" &&
	chown 65534:65534 "$TRASH_DIRECTORY/work" || exit 1
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
	as_user=
fi

# deny STATUS NAME COMMAND...: refused, and the table stays
deny () {
	status=$1 name=$2 &&
	shift 2 &&
	test_refused $status $name $as_user "$@" &&
	test_files t >after && test_cmp before after
}

test_expect_success 'a table of that user' - <<\EOT
	$as_user rowmerge sql -q -e "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 1), (2, 2)" &&
	$as_user rowmerge sql -q -e "DELETE FROM t WHERE id = 1" &&
	test_write_lines id,n 3,3 >in.csv && chmod 644 in.csv &&
	test_files t >before
EOT

test_expect_success 'an input that may not be read' - <<\EOT
	cp in.csv secret.csv && chmod 000 secret.csv &&
	deny 1 IO rowmerge load t secret.csv && test_grep "secret.csv" err &&
	deny 1 IO rowmerge merge --bind s=secret.csv -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN DELETE" &&
	cp in.csv spec.sql && chmod 000 spec.sql &&
	deny 1 IO rowmerge merge spec.sql && test_grep "spec.sql" err
EOT

test_expect_success 'a table that may only be read is read' - <<\EOT
	chmod -R a-w t &&
	$as_user rowmerge cat t >out && test_write_lines id,n 2,2 >wanted &&
	test_cmp wanted out &&
	$as_user rowmerge log t >out && $as_user rowmerge show t >out &&
	$as_user rowmerge sql -e "SELECT n FROM t" >out
EOT

test_expect_success 'and not written to' - <<\EOT
	deny 1 IO rowmerge load t in.csv &&
	deny 1 IO rowmerge sql -e "DELETE FROM t" &&
	deny 1 IO rowmerge sql -e "ALTER TABLE t SET PROPERTIES \"a\" = 'b'" &&
	deny 1 IO rowmerge sql -e "CREATE OR REPLACE TABLE t (x DATE)" &&
	chmod -R u+w t
EOT

test_expect_success 'metadata/ or data/ alone may not be written' - <<\EOT
	chmod a-w t/data && deny 1 IO rowmerge load t in.csv &&
	chmod u+w t/data &&
	chmod a-w t/metadata && deny 1 IO rowmerge load t in.csv &&
	chmod u+w t/metadata && test_table_sane t
EOT

test_expect_success 'files of a table that may not be read' - <<\EOT
	for file in t/data/*deletes* "$(ls t/data/*1.parquet | head -n 1)" \
		"$(ls t/metadata/*-m*.avro | head -n 1)" \
			t/metadata/v3.metadata.json
	do
		chmod 000 "$file" &&
		test_refused 1 IO $as_user rowmerge sql -e "DELETE FROM t" &&
		test_grep "${file##*/}" err && chmod 644 "$file" &&
		test_files t >after && test_cmp before after || return 1
	done
EOT

test_expect_success 'a place where no rejects, feeds and spills may be' - <<\EOT
	mkdir closed && chmod 555 closed &&
	test_write_lines id,n 5,x 6,6 >bad.csv && chmod 644 bad.csv &&
	seq 1 50000 | awk "BEGIN { print \"id,n\" } { print \$1 \",\" \$1 }" \
		>many.csv && chmod 644 many.csv &&
	deny 1 IO rowmerge load --rejects closed/r.csv t bad.csv &&
	test_grep "closed" err &&
	for suffix in csv jsonl parquet
	do
		deny 1 IO rowmerge merge --changes closed/c.$suffix \
			-e "DELETE FROM t" && test_grep "closed" err ||
		return 1
	done &&
	deny 1 IO env TMPDIR="$PWD/closed" rowmerge sql --memory 1M \
		-e "SELECT * FROM 'many.csv' ORDER BY n" &&
	test_grep "^hint: let TMPDIR name" err &&
	test -z "$(ls -A closed)"
EOT

test_expect_success 'a file that may not be written to, or not replaced' - <<\EOT
	mkdir files && test_write_lines id,n 1,1 >files/f.csv &&
	chmod 444 files/f.csv && chmod 777 files && cp files/f.csv kept &&
	deny 1 IO rowmerge merge -e "UPDATE 'files/f.csv' SET n = 5" &&
	test_cmp kept files/f.csv &&
	chmod 666 files/f.csv && chmod 555 files &&
	deny 1 IO rowmerge merge -e "UPDATE 'files/f.csv' SET n = 5" &&
	test_grep "files/" err && test_cmp kept files/f.csv &&
	test "$(ls -A files)" = f.csv
EOT

test_expect_success 'a warehouse where no table may be made' - <<\EOT
	mkdir locked && chmod 555 locked &&
	deny 1 IO rowmerge -C locked create --columns "id INTEGER" x &&
	test ! -e locked/x &&
	deny 2 UNKNOWN_TABLE rowmerge -C locked cat x &&
	chmod 000 locked && deny 1 IO rowmerge -C locked cat x ||
	deny 2 UNKNOWN_TABLE rowmerge -C locked cat x
EOT

test_expect_success 'a table that may not be dropped' - <<\EOT
	mkdir keep && mv t keep/ && cp -rp keep/t t &&
	chmod 555 keep keep/t keep/t/metadata keep/t/data &&
	deny 1 IO rowmerge -C keep sql -e "DROP TABLE t" &&
	$as_user rowmerge -C keep cat t >out && test_cmp wanted out &&
	chmod -R u+w keep
EOT

test_expect_success 'the table still works' - <<\EOT
	rm -r t && mv keep/t t && $as_user rowmerge load -q t in.csv &&
	test_rows_are t id,n 2,2 3,3 && test_table_sane t
EOT
test_done
