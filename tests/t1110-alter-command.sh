#!/bin/sh
test_description='the command alter: the same as ALTER TABLE'
. "$(dirname "$0")/test-lib.sh"

# alike CHANGE ARG...: a statement's change and the command's do the same.
alike () {
	rm -rf one two &&
	for alike_table in one two
	do
		test_sql "CREATE TABLE $alike_table (id BIGINT NOT NULL,
			a INTEGER, b VARCHAR DEFAULT 'x', day DATE)
			PARTITIONED BY (day) WRITE ORDERED BY b" || return 1
	done &&
	rowmerge sql -q -e "ALTER TABLE one $1" &&
	shift &&
	rowmerge alter -q two "$@" &&
	for alike_table in one two
	do
		rowmerge show $alike_table |
			sed "s/^table $alike_table/table/;/^uuid/d;/^loc/d" \
				>$alike_table.show || return 1
	done &&
	test_cmp one.show two.show &&
	test_grep "^table, version 2" two.show
}

test_expect_success 'each subcommand is its change of ALTER TABLE' - <<\EOT
	alike "ADD COLUMN c DECIMAL(8,2) AFTER id" \
		add-column c "DECIMAL(8,2)" after id &&
	alike "ADD COLUMN \"c d\" DATE FIRST" add-column "\"c d\" DATE FIRST" &&
	alike "DROP COLUMN a" drop-column a &&
	alike "RENAME COLUMN a TO z" rename-column a z &&
	alike "ALTER COLUMN a TYPE BIGINT" type a bigint &&
	alike "ALTER COLUMN day FIRST" move day first &&
	alike "ALTER COLUMN day AFTER id" move day after id &&
	alike "ALTER COLUMN a SET NOT NULL" set-not-null a &&
	alike "ALTER COLUMN id DROP NOT NULL" drop-not-null id &&
	alike "ALTER COLUMN b SET DEFAULT 'y'" default b "'y'" &&
	alike "ALTER COLUMN b DROP DEFAULT" drop-default b &&
	alike "ALTER COLUMN b DROP DEFAULT" default b NULL &&
	alike "ALTER COLUMN a COMMENT 'it''s'" comment a "it's" &&
	alike "SET PARTITIONED BY (bucket(8, id), a)" \
		partition-by "bucket(8, id)" a &&
	alike "RESET PARTITIONED BY" unpartitioned &&
	alike "ADD PARTITION FIELD bucket(8, id) AS i" \
		add-partition "bucket(8, id)" as i &&
	alike "DROP PARTITION FIELD day" drop-partition day &&
	alike "REPLACE PARTITION FIELD day WITH month(day) AS m" \
		replace-partition day "month(day)" AS m &&
	alike "WRITE ORDERED BY id DESC NULLS LAST, bucket(4, a)" \
		sort-by "id DESC NULLS LAST" "bucket(4, a)" &&
	alike "WRITE UNORDERED" unsorted &&
	alike "SET IDENTIFIER FIELDS id" primary-key id &&
	alike "SET PROPERTIES \"a b\" = 'c=d', x = '1'" set "a b=c=d" x=1 &&
	alike "SET PROPERTIES \"write.merge.mode\" = DEFAULT" \
		unset write.merge.mode &&
	alike "SET PROPERTIES format_version = 3" upgrade
EOT

test_expect_success 'several changes are one version' - <<\EOT
	alike "ADD COLUMN c INTEGER, DROP COLUMN a, b, WRITE UNORDERED" \
		add-column c INTEGER , drop-column a b , unsorted &&
	alike "SET IDENTIFIER FIELDS id, DROP PRIMARY KEY,
			ALTER COLUMN a FIRST" \
		primary-key id , drop-primary-key , move a first &&
	rowmerge alter --json two drop-column a >json &&
	test_member_is version '{"after":3}' json
EOT

test_expect_success 'no change is no version' - <<\EOT
	rowmerge alter two unset nosuch 2>err &&
	rowmerge show --json two >json && test_member_is version 3 json
EOT

test_expect_success 'wrong use is refused and changes nothing' - <<\EOT
	test_files two >before &&
	test_refused 2 USAGE rowmerge alter two &&
	test_refused 2 USAGE rowmerge alter two frob &&
	test_grep "alter --help" err &&
	test_refused 2 USAGE rowmerge alter two drop-column &&
	test_grep "usage: rowmerge alter TABLE drop-column NAME" err &&
	test_refused 2 USAGE rowmerge alter two rename-column a &&
	test_refused 2 USAGE rowmerge alter two unsorted x &&
	test_refused 2 USAGE rowmerge alter two unsorted , &&
	test_refused 2 USAGE rowmerge alter two , unsorted &&
	test_refused 2 USAGE rowmerge alter two set owner &&
	test_refused 2 USAGE rowmerge alter two set =me &&
	test_refused 2 USAGE rowmerge alter two drop-not-null \
		"b DROP NOT NULL, DROP b --" &&
	test_refused 2 USAGE rowmerge alter two add-column \
		"c DATE, DROP COLUMN b" &&
	test_refused 2 SYNTAX rowmerge alter two add-column c &&
	test_grep "read as: ADD COLUMN c" err &&
	test_refused 2 SYNTAX rowmerge alter two sort-by "b SIDEWAYS" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge alter two drop-column nosuch &&
	test_refused 2 UNKNOWN_TABLE rowmerge alter nosuch unsorted &&
	test_refused 3 BAD_ARGUMENT rowmerge alter two set rowmerge.fold=maybe &&
	test_files two >after && test_cmp before after
EOT

test_expect_success 'relocate makes a copied table one of its own' - <<\EOT
	test_sql "CREATE TABLE first (id BIGINT); INSERT INTO first VALUES (1)" &&
	cp -r first copy &&
	test_must_fail rowmerge sql -e "INSERT INTO copy VALUES (2)" 2>err &&
	rowmerge alter copy relocate 2>err &&
	test_grep "copy: relocate, version 3" err &&
	test_sql "INSERT INTO copy VALUES (2)" &&
	test_rows_are copy id 1 2 && test_rows_are first id 1 &&
	test_refused 2 USAGE rowmerge alter copy relocate , unsorted &&
	test_table_sane first &&
	"$TEST_DIRECTORY/table-sane" copy
EOT

test_expect_success 'help lists the changes' - <<\EOT
	rowmerge alter --help >out &&
	test_grep "^  add-column " out && test_grep "^  upgrade" out &&
	rowmerge --help >out && test_grep "^  alter " out
EOT

test_expect_success 'create takes the layout as options' - <<\EOT
	rowmerge create -q --columns "id BIGINT, ts TIMESTAMP" \
		--partition-by "bucket(8, id), day(ts) AS d" \
		--sort-by "ts DESC NULLS LAST, id" --primary-key id made &&
	rowmerge show made >out &&
	test_grep "0  id_bucket_8 = bucket(8, id), d = day(ts)  (current)" out &&
	test_grep "1  ts DESC NULLS LAST, id ASC NULLS FIRST  (current)" out &&
	test_grep "id BIGINT NOT NULL PRIMARY KEY" out &&
	test_refused 2 UNKNOWN_COLUMN rowmerge create --columns "id BIGINT" \
		--partition-by x made2 &&
	test_refused 2 SYNTAX rowmerge create --columns "id BIGINT" \
		--sort-by "id DESC x" made2 &&
	test_refused 2 SYNTAX rowmerge create --columns "id BIGINT" \
		--partition-by "" made2 &&
	test ! -e made2
EOT
test_done
