#!/bin/sh
test_description='where a table may be, and what goes with it'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'no table is made within another' '
	test_table a "k INTEGER" 1 &&
	for name in a.b a.data a.metadata a.data.x
	do
		test_refused 2 TABLE_EXISTS rowmerge create \
			--columns "k INTEGER" $name || return 1
	done &&
	test_refused 2 TABLE_EXISTS rowmerge -C a create \
		--columns "k INTEGER" b &&
	test_refused 2 TABLE_EXISTS rowmerge sql -e \
		"CREATE TABLE a.c AS SELECT * FROM a" &&
	test ! -d a/b && test ! -d a/c &&
	test_table_sane a
'
test_expect_success 'no table is made of a namespace' '
	test_sql "CREATE TABLE n.s.t (k INTEGER);
		INSERT INTO n.s.t VALUES (1)" &&
	test_refused 2 TABLE_EXISTS rowmerge create --columns "k INTEGER" n &&
	test_refused 2 TABLE_EXISTS rowmerge create --columns "k INTEGER" \
		n.s &&
	test_rows_are n.s.t k 1
'
test_expect_success 'DROP TABLE leaves what is not the table' '
	test_table d "k INTEGER" 1 &&
	mkdir keep && echo x >keep/file &&
	echo note >d/notes.txt && ln -s ../keep d/link &&
	ln -s ../../keep d/data/link &&
	test_sql "DROP TABLE d" &&
	test "$(cat d/notes.txt)" = note && test -L d/link &&
	test -f keep/file && test ! -e d/data && test ! -e d/metadata
'
test_expect_success 'DROP TABLE by a link takes table and link' '
	test_table real "k INTEGER" 1 && ln -s real alias &&
	test_sql "DROP TABLE alias" &&
	test ! -e real && test ! -L alias
'
test_expect_success 'a table that may not be read is not called missing' '
	test_table secret "k INTEGER" 1 &&
	if test "$(id -u)" = 0
	then
		as="setpriv --reuid=65534 --regid=65534 --clear-groups"
		command -v setpriv || return 0
		cp "$ROWMERGE" ../rowmerge-copy && chmod 755 .. . \
			../rowmerge-copy
	else
		as= && cp "$ROWMERGE" ../rowmerge-copy
	fi &&
	chmod 0 secret &&
	{ $as ../rowmerge-copy cat secret 2>err; test $? = 1; } &&
	test_grep "Permission denied.*\[IO\]" err &&
	chmod 755 secret
'
test_expect_success 'messages never go into files of the table' '
	awk "BEGIN { print \"k\"; for (i = 0; i < 300000; i++) print i }" \
		>in.csv &&
	test_table t "k BIGINT" &&
	rowmerge load --progress always t in.csv <&- >&- 2>&- &&
	rowmerge merge -v --progress always --bind s=in.csv -e "MERGE INTO t
		USING s ON t.k = s.k WHEN MATCHED AND t.k < 9 THEN DELETE" \
		<&- >&- 2>&- &&
	rowmerge cat t >out && lines=$(wc -l <out) &&
	test "$lines" = 299992 &&
	test ! -s t/metadata/.rowmerge/lock &&
	test_table_sane t
'
test_expect_success 'a summary that cannot be printed says that all is done' '
	test_expect_code 1 rowmerge merge --json -e \
		"DELETE FROM t WHERE k = 100" >/dev/full 2>err &&
	test_grep "hint: the statement took effect: t is at version 4" err
'
test_done
