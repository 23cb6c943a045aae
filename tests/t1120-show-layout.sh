#!/bin/sh
test_description='show: columns with ids, specs, sort orders, files by partition'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'all specs and orders are there, the current ones marked' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT, category VARCHAR, ts TIMESTAMP)
			PARTITIONED BY (category);
		ALTER TABLE t REPLACE PARTITION FIELD category WITH month(ts),
			WRITE ORDERED BY id DESC NULLS LAST;
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

test_expect_success '--json has the same, --files adds the files' - <<\EOT
	rowmerge show --json t >json &&
	test_member_is partition_specs.2.spec-id 2 json &&
	test_member_is partition_specs.0.fields.0.name category json &&
	test_member_is sort_orders.1.fields.0.direction desc json &&
	! test_member partitions json 2>/dev/null &&
	rowmerge show --json --files t >json &&
	test_member_is partitions "[]" json &&
	test_sql "ALTER TABLE t RESET PARTITIONED BY;
		INSERT INTO t (id) VALUES (1), (2); DELETE FROM t WHERE id = 1" &&
	rowmerge show --json --files t >json &&
	test_member partitions json >got &&
	sed "s/\"bytes\":[0-9]*,//" got >out &&
	test_write_lines "[{\"delete_files\":1,\"files\":1,\"rows\":1,\"sort-order-ids\":[0],\"spec-id\":3,\"values\":{}}]" >wanted &&
	test_cmp wanted out
EOT

test_expect_success 'what has been dropped or renamed is still named' - <<\EOT
	test_sql "ALTER TABLE t DROP COLUMN category,
		RENAME COLUMN ts TO seen" &&
	rowmerge show t >out &&
	test_grep "0  category = category (dropped)" out &&
	test_grep "2  ts_hour = hour(seen)$" out
EOT

test_expect_success 'an older version has the layout it had' - <<\EOT
	rowmerge show --at 1 t >out &&
	test_grep "0  category = category  (current)" out &&
	test_no_grep "ts_month" out &&
	rowmerge show --at 1 --files t >out &&
	test_grep "^files by partition" out &&
	test_no_grep "^  spec " out
EOT
test_done
