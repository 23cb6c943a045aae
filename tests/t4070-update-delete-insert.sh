#!/bin/sh
test_description='UPDATE, DELETE and INSERT run through the merge engine'
. "$(dirname "$0")/test-lib.sh"

for mode in merge-on-read copy-on-write
do
	test_expect_success "$mode: a table" - <<-EOT
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR, n DECIMAL(8,2))
		WITH (\"write.update.mode\" = '$mode',
		\"write.delete.mode\" = '$mode');
		INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', NULL), (3, 'c', 3)"
	EOT

	test_expect_success "$mode: UPDATE with and without WHERE" - <<-\EOT
	rowmerge sql --json \
		-e "UPDATE t SET n = n * 2, name = name || CAST(id AS VARCHAR)
		WHERE n > 1" >json &&
	test_member_is rows.updated 2 json &&
	test_rows_are t id,name,n 1,a1,3.00 2,b, 3,c3,6.00 &&
	test_sql "UPDATE t x SET n = x.n + 1" &&
	test_rows_are t id,name,n 1,a1,4.00 2,b, 3,c3,7.00
	EOT

	test_expect_success "$mode: DELETE with and without WHERE" - <<-\EOT
	rowmerge sql --json -e "DELETE FROM t WHERE n IS NULL OR name = 'c3'" \
		>json &&
	test_member_is rows.deleted 2 json &&
	test_rows_are t id,name,n 1,a1,4.00 &&
	test_sql "DELETE FROM t" && test_rows_are t id,name,n &&
	rowmerge show --json t >json && test_member_is rows 0 json &&
	test_table_sane t
	EOT
done

test_expect_success 'WHERE that is NULL keeps the row' - <<-\EOT
	test_sql "INSERT INTO t VALUES (1, 'a', 1), (2, NULL, NULL)" &&
	test_sql "DELETE FROM t WHERE name <> 'zzz'" &&
	test_rows_are t id,name,n 2,,
EOT

test_expect_success \
	'INSERT: columns by place or by name, the rest is NULL' - <<-\EOT
	test_sql "DELETE FROM t; INSERT INTO t (n, id) VALUES (1, 2), (NULL, 3);
		INSERT INTO t SELECT id + 10, 'copy', n FROM t" &&
	test_rows_are t id,name,n 12,copy,1.00 13,copy, 2,,1.00 3,,
EOT

test_expect_success 'INSERT from a file and a query' - <<-\EOT
	test_write_lines id,name,n 5,e,5 6,f,6 >in.csv &&
	test_sql "INSERT INTO t SELECT * FROM 'in.csv' WHERE n > 5;
		INSERT INTO t (id) SELECT id FROM \"in\" UNION ALL SELECT 7" &&
	test_select "SELECT name, n FROM t WHERE id = 6 AND n = 6" name,n \
		f,6.00 &&
	test_select "SELECT id FROM t WHERE id = 7" id 7
EOT

test_expect_success 'the source is the target itself' - <<-\EOT
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, next INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 2, 10), (2, 3, 20), (3, 1, 30)" &&
	test_sql "MERGE INTO t USING t s ON t.id = s.next
		WHEN MATCHED THEN UPDATE SET n = s.n" &&
	test_rows_are t id,next,n 1,2,30 2,3,10 3,1,20 &&
	test_sql "MERGE INTO t USING (SELECT id + 100 AS id, n FROM t) s
		ON t.id = s.id WHEN MATCHED THEN DELETE
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, NULL, s.n)" &&
	test_rows_are t id,next,n 1,2,30 101,,30 102,,10 103,,20 2,3,10 3,1,20 \
		&&
	test_sql "INSERT INTO t SELECT * FROM t" &&
	rowmerge show --json t >json && test_member_is rows 12 json &&
	test_table_sane t
EOT

test_expect_success 'conditions that are always false or true' - <<-\EOT
	rowmerge sql --json -e "DELETE FROM t WHERE FALSE" >json &&
	test_member_is rows.deleted 0 json &&
	rowmerge sql --json -e "DELETE FROM t WHERE 1 = 1" >json &&
	test_member_is rows.deleted 12 json && test_rows_are t id,next,n
EOT
test_done
