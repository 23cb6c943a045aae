#!/bin/sh
test_description='what a change of columns never does: the four guarantees

Every value differs from every other, and each old file has columns that a
reader by name or by position would take for others: so each of these fails
when columns are not followed by their ids.'
. "$(dirname "$0")/test-lib.sh"

# alter TABLE CHANGES: one version; no data file is touched by it.
alter () {
	test_files "$1/data" >data.before &&
	rowmerge sql --json -e "ALTER TABLE $1 $2" >json &&
	test_files "$1/data" >data.after &&
	test_cmp data.before data.after &&
	test -s data.before
}

# make TABLE MODE VERSION: rows of two files, one row deleted, one updated.
make () {
	test_sql "CREATE TABLE $1 (id BIGINT NOT NULL, a INTEGER, b VARCHAR,
			c INTEGER, s ROW(x INTEGER, y INTEGER, z INTEGER),
			l ARRAY(ROW(p INTEGER, q INTEGER)),
			m MAP(ROW(g INTEGER, h INTEGER),
				ROW(v INTEGER, w INTEGER)))
		WITH (format_version = $3, \"rowmerge.fold\" = 'off',
			\"write.update.mode\" = '$2',
			\"write.delete.mode\" = '$2',
			\"write.merge.mode\" = '$2');
		INSERT INTO $1 VALUES
			(1, 10, 'b1', 12, ROW(13, 14, 15), ARRAY[ROW(16, 17)],
			MAP(ARRAY[ROW(18, 19)], ARRAY[ROW(100, 101)])),
			(9, 90, 'b9', 92, NULL, NULL, NULL);
		INSERT INTO $1 VALUES
			(2, 20, 'b2', 22, ROW(23, 24, 25), ARRAY[ROW(26, 27)],
			MAP(ARRAY[ROW(28, 29)], ARRAY[ROW(200, 201)]));
		UPDATE $1 SET c = 21 WHERE id = 2;
		DELETE FROM $1 WHERE id = 9"
}

# select TABLE EXPRESSIONS LINE...: rows by id, without a header.
select_is () {
	select_table=$1
	rowmerge sql -e "SELECT $2 FROM $1" >out || return 1
	shift 2
	tail -n +2 out | sort >rows &&
	test_write_lines "$@" >wanted && test_cmp wanted rows
}

DEEP="id, s.x, s.y, s.z, l[1].p, l[1].q"

for version in 2 3
do
for mode in merge-on-read copy-on-write
do
t="t$version-$mode"
t=$(echo "$t" | tr - _)

test_expect_success "1: an added column reads no old value ($t)" '
	make $t $mode $version &&
	alter $t "ADD COLUMN n INTEGER FIRST, ADD COLUMN o INTEGER AFTER a,
		ADD COLUMN s.n INTEGER FIRST,
		ADD COLUMN l.element.n INTEGER FIRST,
		ADD COLUMN m.value.n INTEGER FIRST" &&
	test_member_is version "{\"after\":6}" json &&
	select_is $t "id, n, o, s.n, l[1].n" 1,,,, 2,,,, &&
	select_is $t "id, a, b, c" 1,10,b1,12 2,20,b2,21 &&
	select_is $t "$DEEP" 1,13,14,15,16,17 2,23,24,25,26,27 &&
	select_is $t "id, element_at(m, ROW(18, 19)).n, element_at(m, ROW(18, 19)).v" 1,,100 2,,
'

test_expect_success "2: a dropped column changes no other ($t)" '
	alter $t "DROP COLUMN a, DROP COLUMN s.x, DROP COLUMN l.element.p,
		DROP COLUMN m.value.v" &&
	select_is $t "id, b, c, s.y, s.z, l[1].q" \
		1,b1,12,14,15,17 2,b2,21,24,25,27 &&
	select_is $t "id, element_at(m, ROW(28, 29)).w" 1, 2,201
'

test_expect_success "1: a name that is used again reads NULL ($t)" '
	alter $t "ADD COLUMN a INTEGER AFTER id, ADD COLUMN s.x INTEGER FIRST,
		ADD COLUMN l.element.p INTEGER FIRST,
		ADD COLUMN m.value.v INTEGER FIRST" &&
	select_is $t "id, a, s.x, l[1].p" 1,,, 2,,, &&
	select_is $t "id, element_at(m, ROW(28, 29)).v, element_at(m, ROW(28, 29)).w" 1,, 2,,201 &&
	select_is $t "id, b, c, s.y, s.z, l[1].q" \
		1,b1,12,14,15,17 2,b2,21,24,25,27
'

test_expect_success "1: nor when it goes and comes in one statement ($t)" '
	alter $t "DROP COLUMN b, ADD COLUMN b VARCHAR AFTER a" &&
	select_is $t "id, a, b, c" 1,,,12 2,,,21
'

test_expect_success "3: a wider column changes no other and no value ($t)" '
	alter $t "ALTER COLUMN c TYPE BIGINT, ALTER COLUMN s.y TYPE BIGINT,
		ALTER COLUMN l.element.q TYPE BIGINT,
		ALTER COLUMN m.key.g TYPE BIGINT,
		ALTER COLUMN m.value.w TYPE BIGINT" &&
	select_is $t "id, c, s.y, s.z, l[1].q" 1,12,14,15,17 2,21,24,25,27 &&
	select_is $t "id, element_at(m, ROW(18, 19)).w" 1,101 2, &&
	test_sql "INSERT INTO $t (id, c, s, l) VALUES (3, 3000000000,
		ROW(NULL, NULL, 3000000001, NULL),
		ARRAY[ROW(NULL, NULL, 3000000002)])" &&
	select_is $t "id, c, s.y, l[1].q" 1,12,14,17 2,21,24,27 \
		3,3000000000,3000000001,3000000002
'

test_expect_success "4: another order changes no value ($t)" '
	alter $t "ALTER COLUMN c FIRST, ALTER COLUMN id AFTER s,
		ALTER COLUMN s.z FIRST, ALTER COLUMN m.key.h FIRST,
		ALTER COLUMN m.value.w FIRST" &&
	select_is $t "id, c, s.y, s.z" 1,12,14,15 2,21,24,25 \
		3,3000000000,3000000001, &&
	select_is $t "id, element_at(m, ROW(19, 18)).w" 1,101 2, 3, &&
	rowmerge sql -e "SELECT c, id FROM $t WHERE id = 1" >out &&
	test_grep "^12,1\$" out
'

test_expect_success "names that are exchanged keep their values ($t)" '
	alter $t "RENAME COLUMN s.y TO tmp, RENAME COLUMN s.z TO y,
		RENAME COLUMN s.tmp TO z, RENAME COLUMN c TO tmp,
		RENAME COLUMN id TO c, RENAME COLUMN tmp TO id,
		RENAME COLUMN m.key.g TO tmp, RENAME COLUMN m.key.h TO g,
		RENAME COLUMN m.key.tmp TO h" &&
	select_is $t "c, id, s.y, s.z" 1,12,15,14 2,21,25,24 \
		3,3000000000,,3000000001
'

test_expect_success "old files are changed by what columns are now ($t)" '
	test_sql "MERGE INTO $t USING (VALUES (1, 5), (4, 6)) s (k, v)
		ON $t.c = s.k WHEN MATCHED THEN UPDATE SET id = s.v, a = s.v
		WHEN NOT MATCHED THEN INSERT (c, id) VALUES (k, v)" &&
	select_is $t "c, id, a, s.y, s.z, l[1].q" 1,5,5,15,14,17 \
		2,21,,25,24,27 3,3000000000,,,3000000001,3000000002 4,6,,,, &&
	test_table_sane $t
'

test_expect_success "each version has the columns it had ($t)" '
	rowmerge cat --at 5 --columns id,a,b,c $t >out &&
	tail -n +2 out | sort >rows &&
	test_write_lines 1,10,b1,12 2,20,b2,21 >wanted &&
	test_cmp wanted rows &&
	rowmerge cat --at 6 --columns n,id,a,o,b,c $t >out &&
	tail -n +2 out | sort >rows &&
	test_write_lines ,1,10,,b1,12 ,2,20,,b2,21 >wanted &&
	test_cmp wanted rows
'
done
done

test_expect_success 'a default is for the rows that were there, for good' - <<\EOT
	make d merge-on-read 3 &&
	alter d "ADD COLUMN n INTEGER NOT NULL DEFAULT 7 FIRST,
		ADD COLUMN s.n INTEGER DEFAULT 8 FIRST" &&
	alter d "ALTER COLUMN n SET DEFAULT 70, ALTER COLUMN n TYPE BIGINT" &&
	test_sql "INSERT INTO d (id) VALUES (3)" &&
	select_is d "id, n, s.n, s.x" 1,7,8,13 2,7,8,23 3,70,, &&
	alter d "ALTER COLUMN n DROP DEFAULT, ALTER COLUMN n DROP NOT NULL" &&
	test_sql "INSERT INTO d (id) VALUES (4)" &&
	select_is d "id, n" 1,7 2,7 3,70 4, &&
	test_table_sane d
EOT

test_expect_success 'NOT NULL looks at the values, at any depth' - <<\EOT
	make n merge-on-read 2 &&
	for column in id b c s s.x l l.element l.element.p m m.value m.value.v
	do
		alter n "ALTER COLUMN $column SET NOT NULL" || return 1
	done &&
	make o merge-on-read 2 &&
	test_sql "INSERT INTO o VALUES (3, NULL, 'b3', 32, NULL, NULL, NULL),
		(4, 40, 'b4', 42, ROW(NULL, 1, 2),
			ARRAY[NULL, ROW(5, NULL), ROW(NULL, 6)],
			MAP(ARRAY[ROW(1, 2), ROW(3, 4)], ARRAY[NULL, ROW(7, 8)]))" &&
	for column in a s s.x l l.element l.element.p l.element.q m m.value
	do
		test_refused 2 INCOMPATIBLE_CHANGE rowmerge sql \
			-e "ALTER TABLE o ALTER COLUMN $column SET NOT NULL" ||
			return 1
	done &&
	for column in b s.y s.z m.value.v
	do
		alter o "ALTER COLUMN $column SET NOT NULL" || return 1
	done &&
	test_sql "INSERT INTO o (id, b) VALUES (5, 'b5')" &&
	test_refused 3 NOT_NULL rowmerge sql \
		-e "INSERT INTO o (id) VALUES (6)" &&
	test_table_sane o
EOT

test_expect_success 'files are skipped by bounds and partitions of old types' - <<\EOT
	test_sql "CREATE TABLE p (k INTEGER, r REAL, n DECIMAL(5,2), v VARCHAR)
			PARTITIONED BY (k) WITH (\"rowmerge.fold\" = 'off');
		INSERT INTO p VALUES (-1, -1.5, -1.50, 'x'), (5, 2.5, 2.50, 'y');
		ALTER TABLE p RENAME COLUMN k TO key,
			ADD PARTITION FIELD bucket(4, n),
			ADD PARTITION FIELD truncate(10, key)" &&
	test_sql "INSERT INTO p VALUES (-1, -9.5, -9.50, 'z')" &&
	alter p "ALTER COLUMN key TYPE BIGINT, ALTER COLUMN r TYPE DOUBLE,
		ALTER COLUMN n TYPE DECIMAL(38,2)" &&
	test_sql "INSERT INTO p VALUES (3000000000, 1.0E300,
		CAST('123456789012345678901234567890.12' AS DECIMAL(38,2)), 'w'),
		(5, 0.0, 2.50, 'v')" &&
	for where in "key = -1:x z" "key = 5:v y" "key = 3000000000:w" \
		"key > 2147483647:w" "key < 0:x z" "r = 2.5:y" "r < -1:x z" \
		"r > 1.0E299:w" "n = 2.50:v y" "n = 123456789012345678901234567890.12:w" \
		"n < 0:x z" "n IN (-9.50, 2.50) AND key = -1:z" \
		"key IN (5, 7) AND n = 2.50:v y"
	do
		rowmerge sql -e "SELECT v FROM p WHERE ${where%%:*}" >out &&
		echo "${where#*:}" | tr " " "\n" >wanted &&
		tail -n +2 out | sort >rows && test_cmp wanted rows ||
			return 1
	done &&
	test_table_sane p
EOT

test_expect_success 'a ROW that evolved is written anew in its old file' - <<\EOT
	for mode in merge-on-read copy-on-write
	do
		test_sql "CREATE OR REPLACE TABLE r (id BIGINT, s ROW(\"a b\" INTEGER,
				c INTEGER, d REAL), n INTEGER)
				WITH (\"write.update.mode\" = '$mode');
			INSERT INTO r VALUES (1, ROW(11, 12, 1.5), 13),
				(2, ROW(21, 22, 2.5), 23);
			UPDATE r SET s.c = 99 WHERE id = 1;
			ALTER TABLE r DROP COLUMN s.c, ADD COLUMN s.c INTEGER FIRST,
				RENAME COLUMN s.\"a b\" TO \"d e\",
				ALTER COLUMN s.d TYPE DOUBLE, ALTER COLUMN s.d FIRST;
			UPDATE r SET s.\"d e\" = 77 WHERE id = 2" &&
		rowmerge cat --format jsonl r >out && sort out >rows &&
		test_write_lines \
			'{"id":1,"s":{"d":1.5,"c":null,"d e":11},"n":13}' \
			'{"id":2,"s":{"d":2.5,"c":null,"d e":77},"n":23}' >wanted &&
		test_cmp wanted rows && test_table_sane r || return 1
	done
EOT

test_expect_success 'rows are deleted in files placed by narrower types' - <<\EOT
	for version in 2 3
	do
		test_sql "CREATE OR REPLACE TABLE w (id BIGINT, n DECIMAL(5,2),
				r REAL, i INTEGER) PARTITIONED BY (n, r, i)
				WITH (format_version = $version);
			INSERT INTO w VALUES (1, 1.00, 1.5, 7), (2, 1.00, 1.5, 7);
			ALTER TABLE w ALTER COLUMN n TYPE DECIMAL(38,2),
				ALTER COLUMN r TYPE DOUBLE, ALTER COLUMN i TYPE BIGINT;
			DELETE FROM w WHERE id = 2 AND n = 1 AND r = 1.5 AND i = 7" &&
		test_rows_are w "id,n,r,i" 1,1.00,1.5,7 &&
		test_table_sane w || return 1
	done
EOT
test_done
