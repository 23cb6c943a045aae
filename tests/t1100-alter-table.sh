#!/bin/sh
test_description='ALTER TABLE: columns, partitions, order, key and properties'
. "$(dirname "$0")/test-lib.sh"

# spec_is TABLE VERSION JSON: all partition specs in the metadata file.
spec_is () {
	test_member_is partition-specs "$3" "$1/metadata/v$2.metadata.json"
}

order_is () {
	test_member_is sort-orders "$3" "$1/metadata/v$2.metadata.json"
}

# columns_are TABLE LINE...: the columns as show has them.
columns_are () {
	rowmerge show "$1" | sed -n "/^columns/,/^partition specs/p" |
		sed "1d;\$d;s/^  //" >columns
	shift
	test_write_lines "$@" >wanted && test_cmp wanted columns
}

versions_of () {
	rowmerge log "$1" | wc -l | tr -d ' '
}

BUCKET='{"field-id":1001,"name":"id_bucket_8","source-id":1,"transform":"bucket[8]"}'
CATEGORY='{"field-id":1000,"name":"category","source-id":2,"transform":"identity"}'

test_expect_success 'the example of the evolution page: one field for another' - <<\EOT
	test_sql "CREATE TABLE sample (id BIGINT, category VARCHAR,
			ts TIMESTAMP) PARTITIONED BY (category)" &&
	spec_is sample 1 "[{\"fields\":[$CATEGORY],\"spec-id\":0}]" &&
	test_sql "ALTER TABLE sample ADD PARTITION FIELD bucket(8, id),
		DROP PARTITION FIELD category" &&
	test "$(versions_of sample)" = 2 &&
	spec_is sample 2 "[{\"fields\":[$CATEGORY],\"spec-id\":0},{\"fields\":[$BUCKET],\"spec-id\":1}]" &&
	test_member_is default-spec-id 1 sample/metadata/v2.metadata.json &&
	test_member_is last-partition-id 1001 sample/metadata/v2.metadata.json &&
	test_table_sane sample
EOT

test_expect_success 'the example of the evolution page: a new sort order' - <<\EOT
	test_sql "ALTER TABLE sample WRITE ORDERED BY id ASC NULLS LAST,
		category DESC NULLS FIRST" &&
	order_is sample 3 '[{"fields":[],"order-id":0},{"fields":[{"direction":"asc","null-order":"nulls-last","source-id":1,"transform":"identity"},{"direction":"desc","null-order":"nulls-first","source-id":2,"transform":"identity"}],"order-id":1}]' &&
	test_member_is default-sort-order-id 1 \
		sample/metadata/v3.metadata.json &&
	test_sql "ALTER TABLE sample WRITE UNORDERED" &&
	test_member_is default-sort-order-id 0 \
		sample/metadata/v4.metadata.json &&
	test_sql "ALTER TABLE sample WRITE LOCALLY ORDERED BY (id NULLS LAST,
		category DESC NULLS FIRST)" &&
	test_member_is default-sort-order-id 1 \
		sample/metadata/v5.metadata.json
EOT

test_expect_success 'CREATE TABLE gives every transform its field' - <<\EOT
	test_sql "CREATE TABLE terms (id BIGINT, s VARCHAR, d DATE,
			ts TIMESTAMP, u TIMESTAMP, w TIMESTAMP, x INTEGER)
		PARTITIONED BY (bucket(16, id), truncate(4, s), year(d),
			months(ts), days(u), hour(w), void(s), identity(x),
			id AS own)
		WRITE ORDERED BY (s DESC, bucket(4, id) ASC NULLS LAST)" &&
	test_member partition-specs.0.fields terms/metadata/v1.metadata.json |
		grep -o "\"name\":\"[^\"]*\"\|\"transform\":\"[^\"]*\"" |
		cut -d\" -f4 | paste - - >got &&
	test_write_lines "id_bucket_16 bucket[16]" "s_trunc_4 truncate[4]" \
		"d_year year" "ts_month month" "u_day day" "w_hour hour" \
		"s_null void" "x identity" "own identity" |
		tr " " "\t" >wanted &&
	test_cmp wanted got &&
	test_member_is default-spec-id 0 terms/metadata/v1.metadata.json &&
	rowmerge show terms >out &&
	test_grep "1  s DESC NULLS LAST, bucket(4, id) ASC NULLS LAST  (cur" out
EOT

test_expect_success 'the same in Trino words' - <<\EOT
	test_sql "CREATE TABLE trino (id BIGINT, category VARCHAR)
		WITH (format_version = 3, partitioning =
			ARRAY['bucket(id, 8)', 'category'], sorted_by =
			ARRAY['id DESC NULLS FIRST'])" &&
	rowmerge show --json trino >json &&
	test_member_is version 1 json &&
	test_member_is sort_order.fields.0.null-order nulls-first json &&
	test_member_is partition_spec.fields.0.transform "bucket[8]" json &&
	test_sql "ALTER TABLE trino SET PROPERTIES partitioning = ARRAY[],
		sorted_by = ARRAY['category']" &&
	rowmerge show --json trino >json &&
	test_member_is version 2 json &&
	test_member_is partition_spec.fields "[]" json &&
	test_member_is sort_order.fields.0.source-id 2 json &&
	test_table_sane trino
EOT

test_expect_success 'a term that does not fit is shown' - <<\EOT
	test_refused 2 UNKNOWN_COLUMN rowmerge sql -e "CREATE TABLE bad (
			id BIGINT) PARTITIONED BY (id, day(nosuch))" &&
	test_grep "^rowmerge: -e:2:35: " err &&
	test_refused 2 TYPE_MISMATCH rowmerge sql -e "CREATE TABLE bad (
			id DOUBLE) WRITE ORDERED BY id, bucket(4, id)" &&
	test_grep "^rowmerge: -e:2:36: " err &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql -e "CREATE TABLE bad (
			id BIGINT) WITH (partitioning = ARRAY['id', 'x'])" &&
	test_grep "^rowmerge: -e:2:48: " err &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql -e "ALTER TABLE trino
		WRITE ORDERED BY id, nosuch" &&
	test_grep "^rowmerge: -e:2:24: " err &&
	test_refused 2 UNKNOWN_COLUMN rowmerge create --columns "id BIGINT" \
		--sort-by "id, nosuch" bad &&
	test_no_grep ":1:" err && test ! -e bad
EOT

test_expect_success 'OR REPLACE takes a layout too' - <<\EOT
	test_sql "CREATE OR REPLACE TABLE trino (a DATE, b INTEGER)
		PARTITIONED BY (day(a)) WRITE ORDERED BY b" &&
	rowmerge show trino >out &&
	test_grep "2  a_day = day(a)  (current)" out &&
	test_grep "b ASC NULLS FIRST  (current)" out &&
	test_table_sane trino
EOT

test_expect_success 'columns are added, renamed, moved and dropped at once' - <<\EOT
	test_sql "CREATE TABLE c (id BIGINT NOT NULL, a INTEGER, b VARCHAR);
		INSERT INTO c VALUES (1, 10, 'x');
		ALTER TABLE c ADD COLUMN price DECIMAL(8,2) COMMENT 'in euro'
				AFTER id, note VARCHAR,
			DROP COLUMN b, RENAME COLUMN a TO \"A b\",
			ALTER COLUMN \"A b\" TYPE BIGINT,
			ALTER COLUMN note FIRST" &&
	columns_are c "5  note VARCHAR" "1  id BIGINT NOT NULL" \
		"4  price DECIMAL(8,2) COMMENT \"in euro\"" "2  A b BIGINT" &&
	test "$(versions_of c)" = 3 &&
	test_rows_are c "note,id,price,A b" ,1,,10 &&
	test_sql "ALTER TABLE c ADD COLUMN b VARCHAR" &&
	test_rows_are c "note,id,price,A b,b" ,1,,10, &&
	rowmerge cat --at 2 c >out && test_write_lines id,a,b 1,10,x >wanted &&
	test_cmp wanted out && test_table_sane c
EOT

test_expect_success 'NOT NULL, defaults, comments and the key' - <<\EOT
	test_sql "ALTER TABLE c ALTER COLUMN id DROP NOT NULL;
		ALTER TABLE c ALTER COLUMN id SET NOT NULL,
			SET IDENTIFIER FIELDS id;
		ALTER TABLE c ALTER COLUMN b SET DEFAULT 'it''s',
			ALTER COLUMN note COMMENT 'free';
		COMMENT ON COLUMN c.price IS NULL;
		COMMENT ON TABLE c IS 'all of it';
		INSERT INTO c (id) VALUES (2)" &&
	columns_are c "5  note VARCHAR COMMENT \"free\"" \
		"1  id BIGINT NOT NULL PRIMARY KEY" "4  price DECIMAL(8,2)" \
		"2  A b BIGINT" "6  b VARCHAR DEFAULT 'it''s'" &&
	rowmerge show c >out && test_grep "comment = all of it" out &&
	test_rows_are c "note,id,price,A b,b" ,1,,10, ",2,,,it's" &&
	test_sql "ALTER TABLE c DROP IDENTIFIER FIELDS id, ALTER b DROP DEFAULT;
		INSERT INTO c (id) VALUES (3)" &&
	columns_are c "5  note VARCHAR COMMENT \"free\"" \
		"1  id BIGINT NOT NULL" "4  price DECIMAL(8,2)" \
		"2  A b BIGINT" "6  b VARCHAR" &&
	test_rows_are c "note,id,price,A b,b" ,1,,10, ",2,,,it's" ,3,,, &&
	test_table_sane c
EOT

test_expect_success 'format_version = 3 upgrades, then a DEFAULT can be added' - <<\EOT
	test_refused 2 INCOMPATIBLE_CHANGE rowmerge sql \
		-e "ALTER TABLE c ADD COLUMN n INTEGER NOT NULL DEFAULT 7" &&
	test_sql "ALTER TABLE c SET PROPERTIES format_version = 3;
		ALTER TABLE c ADD COLUMN n INTEGER NOT NULL DEFAULT 7" &&
	rowmerge show --json c >json && test_member_is format_version 3 json &&
	test_rows_are c "note,id,price,A b,b,n" ,1,,10,,7 ",2,,,it's,7" \
		,3,,,,7 && test_table_sane c
EOT

test_expect_success 'IF EXISTS and IF NOT EXISTS are no error and no version' - <<\EOT
	count=$(versions_of c) &&
	test_sql "ALTER TABLE IF EXISTS nosuch DROP COLUMN a;
		ALTER TABLE c DROP COLUMN IF EXISTS nosuch;
		ALTER TABLE c ADD COLUMN IF NOT EXISTS b DATE;
		ALTER TABLE c RENAME COLUMN IF EXISTS nosuch TO x;
		ALTER TABLE c DROP PARTITION FIELD IF EXISTS nosuch" &&
	test "$(versions_of c)" = $count
EOT

test_expect_success 'who changes nothing is told so' - <<\EOT
	count=$(versions_of c) &&
	rowmerge sql -e "ALTER TABLE c DROP COLUMN IF EXISTS nosuch" 2>err &&
	echo "rowmerge: c: nothing to change" >wanted &&
	test_cmp wanted err &&
	rowmerge alter c set write.merge.mode=copy-on-write 2>err &&
	test_grep "c: alter table, version $((count + 1))" err &&
	rowmerge alter c set write.merge.mode=copy-on-write 2>err &&
	test_cmp wanted err &&
	rowmerge alter --json c set write.merge.mode=copy-on-write >json &&
	echo "{\"table\": \"c\", \"statement\": \"nothing to change\",\
 \"version\": {\"after\": null}}" >wanted && test_cmp wanted json
EOT

test_expect_success 'properties of commits are shown with -v only' - <<\EOT
	rowmerge show c >out && test_no_grep "rowmerge[.]commit" out &&
	test_grep "write.merge.mode = copy-on-write" out &&
	rowmerge show -v c >out && test_grep "rowmerge[.]commit = {" out &&
	test_grep "rowmerge[.]commit-log = " out
EOT

test_expect_success 'a list with one bad change changes nothing' - <<\EOT
	test_files c >before &&
	for change in "DROP COLUMN nosuch" "ADD COLUMN b DATE" \
		"ALTER COLUMN id TYPE INTEGER" "ALTER COLUMN id AFTER nosuch" \
		"RENAME COLUMN b TO id" "ADD PARTITION FIELD nosuch" \
		"DROP PARTITION FIELD id" "WRITE ORDERED BY nosuch" \
		"SET IDENTIFIER FIELDS nosuch" "ALTER COLUMN n SET DEFAULT 'x'" \
		"ADD PARTITION FIELD day(b)" \
		"SET PROPERTIES format_version = 2, \"rowmerge.nosuch\" = '1'"
	do
		test_must_fail rowmerge sql \
			-e "ALTER TABLE c ADD COLUMN fine DATE, $change" 2>err &&
		test_grep "^rowmerge: " err || return 1
	done &&
	test_refused 2 UNKNOWN_TABLE rowmerge sql \
		-e "ALTER TABLE nosuch ADD COLUMN a DATE" &&
	test_refused 2 SYNTAX rowmerge sql \
		-e "ALTER TABLE c ADD COLUMN a DATE, DROP" &&
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "ALTER TABLE c RENAME TO d" &&
	test_files c >after && test_cmp before after
EOT

test_expect_success 'a partition column cannot be dropped, its field can' - <<\EOT
	test_sql "CREATE TABLE p (id BIGINT, day DATE) PARTITIONED BY (day)" &&
	test_refused 2 INCOMPATIBLE_CHANGE rowmerge sql \
		-e "ALTER TABLE p DROP COLUMN day" &&
	test_sql "ALTER TABLE p REPLACE PARTITION FIELD day WITH month(day)" &&
	rowmerge show p >out &&
	test_grep "1  day_month = month(day)  (current)" out &&
	test_sql "ALTER TABLE p SET PARTITIONED BY (bucket(4, id))" &&
	test_sql "ALTER TABLE p RESET PARTITIONED BY, DROP COLUMN day" &&
	rowmerge show --json p >json &&
	test_member_is partition_spec.fields "[]" json &&
	test_member_is version 4 json && test_table_sane p
EOT
test_done
