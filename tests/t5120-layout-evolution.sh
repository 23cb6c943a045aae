#!/bin/sh
test_description='files of each layout are planned by a filter of their own

Files that must not be opened are taken away meanwhile.'
. "$(dirname "$0")/test-lib.sh"

# without PATTERN COMMAND...: it runs while data files like that are not there.
without () {
	mkdir -p away && find logs/data -path "*$1*/*.parquet" |
		while read -r without_path
		do
			mv "$without_path" "$(echo "$without_path" |
				tr / %)" || return 1
		done &&
	test -n "$(ls | grep "^logs%")" || return 1
	shift
	"$@"
	without_status=$?
	for without_path in logs%*
	do
		mv "$without_path" "$(echo "$without_path" | tr % /)"
	done
	return $without_status
}

# levels WHERE LEVEL...: the rows of a condition.
levels () {
	rowmerge sql -e "SELECT level FROM logs WHERE $1" >out || return 1
	shift
	tail -n +2 out | sort >rows &&
	printf "${1+%s\n}" "$@" >wanted && test_cmp wanted rows
}

test_expect_success '2008 is placed by month, 2009 by day' - <<\EOT
	test_sql "CREATE TABLE logs (ts TIMESTAMP, level VARCHAR)
			PARTITIONED BY (month(ts)) WITH (\"rowmerge.fold\" = 'off');
		INSERT INTO logs VALUES (TIMESTAMP '2008-11-03 10:00:00', 'a'),
			(TIMESTAMP '2008-12-01 00:00:00', 'b'),
			(TIMESTAMP '2008-12-31 23:59:59.999999', 'c')" &&
	levels "ts >= TIMESTAMP '2008-12-15 00:00:00'" c &&
	test_files logs/data >before &&
	test_sql "ALTER TABLE logs REPLACE PARTITION FIELD month(ts) WITH day(ts)" &&
	test_files logs/data >after && test_cmp before after &&
	test_sql "INSERT INTO logs VALUES (TIMESTAMP '2009-01-01 00:00:00', 'd'),
			(TIMESTAMP '2009-01-02 05:00:00', 'e'),
			(TIMESTAMP '2009-01-02 23:59:59', 'f'),
			(TIMESTAMP '2009-01-03 07:00:00', 'g'), (NULL, 'n')" &&
	find logs/data -name "*.parquet" | sed "s|/[^/]*\$||" | sort >dirs &&
	test_write_lines logs/data/ts_day=2009-01-01 logs/data/ts_day=2009-01-02 \
		logs/data/ts_day=2009-01-03 logs/data/ts_day=null \
		logs/data/ts_month=2008-11 logs/data/ts_month=2008-12 >wanted &&
	test_cmp wanted dirs
EOT

test_expect_success 'the same query opens the files of its days and months' - <<\EOT
	NEW_YEAR="ts >= TIMESTAMP '2008-12-15 00:00:00' AND
		ts < TIMESTAMP '2009-01-02 00:00:00'" &&
	levels "$NEW_YEAR" c d &&
	without 2008-11 levels "$NEW_YEAR" c d &&
	without 2009-01-03 levels "$NEW_YEAR" c d &&
	without null levels "$NEW_YEAR" c d &&
	without 2008 levels "ts = TIMESTAMP '2009-01-02 05:00:00'" e &&
	without 2009-01-01 levels "ts = TIMESTAMP '2009-01-02 05:00:00'" e &&
	without 2009 levels "ts < TIMESTAMP '2008-12-01 00:00:00'" a &&
	without 20 levels "ts IS NULL" n &&
	! without 2008-12 levels "$NEW_YEAR" c d &&
	levels "$NEW_YEAR" c d
EOT

test_expect_success 'a MERGE deletes in files of every layout, writes in the newest' - <<\EOT
	test_sql "ALTER TABLE logs REPLACE PARTITION FIELD day(ts) WITH hour(ts),
		ADD PARTITION FIELD bucket(8, level), WRITE ORDERED BY level DESC" &&
	cat >merge.sql <<-\SQL &&
	MERGE INTO logs t USING (VALUES
		(TIMESTAMP '2008-12-31 23:59:59.999999', 'c2'),
		(TIMESTAMP '2009-01-02 05:00:00', 'e2'),
		(TIMESTAMP '2009-01-02 06:00:00', 'x'),
		(TIMESTAMP '2009-01-03 07:00:00', NULL)) s (ts, level)
	ON t.ts = s.ts
	WHEN MATCHED AND s.level IS NULL THEN DELETE
	WHEN MATCHED THEN UPDATE SET level = s.level
	WHEN NOT MATCHED THEN INSERT VALUES (s.ts, s.level)
	SQL
	without 2008-11 rowmerge merge -q merge.sql &&
	levels TRUE a b c2 d e2 f n x &&
	find logs/data -path "*hour*" -name "*.parquet" | grep -v delete >new &&
	test $(wc -l <new) = 3 &&
	rowmerge show --json logs >json &&
	test_member_is partition_spec.spec-id 2 json &&
	test_member_is sort_order.order-id 1 json &&
	test_table_sane logs
EOT

test_expect_success 'what dropped columns placed is found by the others' - <<\EOT
	test_refused 2 INCOMPATIBLE_CHANGE rowmerge sql \
		-e "ALTER TABLE logs DROP COLUMN ts" &&
	test_sql "ALTER TABLE logs RESET PARTITIONED BY, DROP COLUMN ts,
		ADD COLUMN ts TIMESTAMP" &&
	levels "level < 'c'" a b && levels "ts IS NULL" a b c2 d e2 f n x &&
	levels "ts > TIMESTAMP '2000-01-01 00:00:00'" &&
	test_sql "DELETE FROM logs WHERE level = 'a'; UPDATE logs
		SET ts = TIMESTAMP '2010-01-01 00:00:00' WHERE level = 'b'" &&
	levels "ts IS NOT NULL" b && levels TRUE b c2 d e2 f n x &&
	test_table_sane logs
EOT

test_expect_success 'a table of format version 1 is upgraded, then it evolves' - <<\EOT
	test_sql "CREATE TABLE old (id INTEGER, b VARCHAR)
		PARTITIONED BY (bucket(4, id))" &&
	sed "s/\"format-version\":2/\"format-version\":1/
		s/\"last-sequence-number\":0,//" old/metadata/v1.metadata.json >v1 &&
	cp v1 old/metadata/v1.metadata.json &&
	test_refused 2 UNSUPPORTED rowmerge alter old add-column c DATE &&
	test_grep "upgrade" err &&
	test_sql "ALTER TABLE old SET PROPERTIES format_version = 2,
		DROP COLUMN b, ADD COLUMN b INTEGER;
		INSERT INTO old VALUES (1, 2)" &&
	test_rows_are old id,b 1,2 && test_table_sane old
EOT
test_done
