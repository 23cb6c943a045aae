#!/bin/sh
test_description='rows of a table whose partitions and order change'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'files stay as they are when the spec changes' - <<\EOT
	test_sql "CREATE TABLE sample (id BIGINT, category VARCHAR)
			PARTITIONED BY (category);
		INSERT INTO sample VALUES (1, 'a'), (2, 'b')" &&
	find sample/data -type f | sort | xargs cksum >before &&
	test_sql "ALTER TABLE sample ADD PARTITION FIELD bucket(8, id),
		DROP PARTITION FIELD category" &&
	find sample/data -type f | sort | xargs cksum >after &&
	test_cmp before after &&
	test_sql "INSERT INTO sample VALUES (3, 'c')" &&
	test_rows_are sample id,category 1,a 2,b 3,c &&
	test_table_sane sample
EOT

test_expect_success 'CREATE TABLE AS writes into partitions' - <<\EOT
	test_sql "CREATE TABLE made WITH (partitioning = ARRAY['category'],
			sorted_by = ARRAY['id DESC NULLS FIRST']) AS
		SELECT * FROM sample" &&
	rowmerge show --json --files made >json &&
	test_member_is version 1 json && test_member_is rows 3 json &&
	test_member_is partitions.2.values '{"category":"c"}' json &&
	test_member_is partitions.2.sort-order-ids "[1]" json &&
	test_rows_are made id,category 1,a 2,b 3,c && test_table_sane made
EOT

test_expect_success 'each layout there has been is written by' - <<\EOT
	test_sql "CREATE TABLE p (id BIGINT, day DATE) PARTITIONED BY (day);
		ALTER TABLE p REPLACE PARTITION FIELD day WITH month(day);
		INSERT INTO p VALUES (1, DATE '2024-02-29');
		ALTER TABLE p SET PARTITIONED BY (bucket(4, id));
		INSERT INTO p VALUES (2, DATE '1969-12-31');
		ALTER TABLE p RESET PARTITIONED BY;
		INSERT INTO p VALUES (3, NULL)" &&
	rowmerge show --json --files p >json &&
	test_member_is partitions.0.spec-id 1 json &&
	test_member_is partitions.1.spec-id 2 json &&
	test_member_is partitions.2.values "{}" json &&
	test_rows_are p id,day 1,2024-02-29 2,1969-12-31 3, &&
	test_table_sane p
EOT

test_expect_success 'show marks what is current' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT, category VARCHAR, ts TIMESTAMP)
			PARTITIONED BY (category);
		INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', NULL),
			(3, 'b', NULL), (4, NULL, NULL);
		ALTER TABLE t REPLACE PARTITION FIELD category WITH month(ts),
			WRITE ORDERED BY id DESC NULLS LAST;
		INSERT INTO t VALUES (5, 'a', TIMESTAMP '1969-12-31 23:59:59'),
			(6, 'c', TIMESTAMP '2024-02-29 00:00:00'), (7, 'c', NULL);
		ALTER TABLE t SET PARTITIONED BY (hour(ts)), WRITE UNORDERED" &&
	rowmerge show t >out &&
	sed -n "/^columns/,/^properties/p" out >got &&
	cat >wanted <<-\EOF &&
	columns
	  1  id BIGINT
	  2  category VARCHAR
	  3  ts TIMESTAMP
	partition specs
	  0  category = category
	  1  ts_month = month(ts)
	  2  ts_hour = hour(ts)  (current)
	sort orders
	  0  unsorted  (current)
	  1  id DESC NULLS LAST
	properties
	EOF
	test_cmp wanted got
EOT

test_expect_success '--files counts the files of each partition' - <<\EOT
	test_sql "INSERT INTO t VALUES (8, 'd',
		TIMESTAMP '2024-02-29 13:00:00'); DELETE FROM t WHERE id = 3" &&
	rowmerge show --files t >out &&
	sed -n "/^files by/,\$p" out | sed "s/[0-9]* bytes/N bytes/" >got &&
	cat >wanted <<-\EOF &&
	files by partition
	  spec 0  category=NULL: 1 rows in 1 files, 0 delete files, N bytes, sort order 0
	  spec 0  category='a': 1 rows in 1 files, 0 delete files, N bytes, sort order 0
	  spec 0  category='b': 1 rows in 1 files, 1 delete files, N bytes, sort order 0
	  spec 1  ts_month=NULL: 1 rows in 1 files, 0 delete files, N bytes, sort order 1
	  spec 1  ts_month=1969-12: 1 rows in 1 files, 0 delete files, N bytes, sort order 1
	  spec 1  ts_month=2024-02: 1 rows in 1 files, 0 delete files, N bytes, sort order 1
	  spec 2  ts_hour=2024-02-29-13: 1 rows in 1 files, 0 delete files, N bytes, sort order 0
	EOF
	test_cmp wanted got
EOT

test_expect_success '--json has the same' - <<\EOT
	rowmerge show --json t >json &&
	test_member_is partition_specs.2.spec-id 2 json &&
	test_member_is partition_specs.0.fields.0.name category json &&
	test_member_is sort_orders.1.fields.0.direction desc json &&
	rowmerge show --json --files t >json &&
	test_member partitions.2 json >got && sed "s/\"bytes\":[0-9]*/B/" got >out &&
	test_write_lines "{B,\"delete_files\":1,\"files\":1,\"rows\":1,\"sort-order-ids\":[0],\"spec-id\":0,\"values\":{\"category\":\"b\"}}" >wanted &&
	test_cmp wanted out &&
	test_member_is partitions.3.values '{"ts_month":null}' json &&
	test_member_is partitions.4.values '{"ts_month":-1}' json
EOT

test_done
