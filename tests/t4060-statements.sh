#!/bin/sh
test_description='specs of several statements, --dry-run, explain'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'each statement is its own commit' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	cat >spec.sql <<-\EOF &&
	INSERT INTO t VALUES (1, 1), (2, 2);
	UPDATE t SET n = n * 10 WHERE id = 1;
	DELETE FROM t WHERE id = 2;
	MERGE INTO t USING (VALUES (3, 3)) s(id, n) ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n);
	EOF
	rowmerge merge spec.sql 2>err &&
	test $(grep -c "^rowmerge: t: " err) = 4 &&
	test_rows_are t id,n 1,10 3,3 &&
	rowmerge log --json t >log && rowmerge log t >out &&
	awk "{ print \$4 }" out >operations &&
	test_write_lines merge delete update insert create >wanted &&
	test_cmp wanted operations && test_table_sane t
EOT

test_expect_success 'a statement sees what the one before it did' - <<\EOT
	test_sql "CREATE TABLE u (id INTEGER); INSERT INTO u VALUES (1);
		INSERT INTO u SELECT id + 1 FROM u;
		INSERT INTO u SELECT id + 2 FROM u" &&
	test_rows_are u id 1 2 3 4
EOT

test_expect_success 'the first failure stops, what came before stays' - <<\EOT
	test_refused 3 DIVISION_BY_ZERO rowmerge merge -e "
		DELETE FROM t WHERE id = 3; UPDATE t SET n = 1 / (n - 10);
		DELETE FROM t" &&
	test_rows_are t id,n 1,10 &&
	test_refused 2 UNKNOWN_TABLE rowmerge merge -e "
		UPDATE t SET n = 11; DELETE FROM nosuch; DELETE FROM t" &&
	test_rows_are t id,n 1,11 && test_table_sane t
EOT

test_expect_success '--dry-run: the same summary, no version' - <<\EOT
	test_files t >before &&
	SQL="MERGE INTO t USING (VALUES (1, 12), (5, 5)) s(id, n) ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" &&
	rowmerge merge --json --dry-run -e "$SQL" >dry &&
	test_files t >after && test_cmp before after &&
	test_member_is rows.inserted 1 dry &&
	test_member_is rows.updated 1 dry &&
	test_member_is version '{"after":7,"before":7}' dry &&
	rowmerge merge --json -e "$SQL" >wet &&
	test_member rows dry >dry.rows && test_member rows wet >wet.rows &&
	test_cmp dry.rows wet.rows &&
	test_member_is version '{"after":8,"before":7}' wet
EOT

test_expect_success '--dry-run finds what the run would refuse' - <<\EOT
	test_files t >before &&
	test_refused 3 DIVISION_BY_ZERO rowmerge merge --dry-run \
		-e "UPDATE t SET n = 1 / (id - 5)" &&
	test_write_lines id,n 1,x >in.csv &&
	test_refused 3 CAST rowmerge load --dry-run t in.csv &&
	test_write_lines id,n 9,9 >in.csv &&
	rowmerge load -q --dry-run t in.csv &&
	rowmerge sql -q --dry-run -e "DELETE FROM t" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'explain says keys, pruning and clauses' - <<\EOT
	test_write_lines id,n 1,1 >s.csv &&
	rowmerge explain -e "MERGE INTO t USING s ON t.id = s.id AND t.n > 5
		AND s.n < 9 WHEN MATCHED AND t.n < s.n THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" >out 2>err &&
	test_grep "target: t" out && test_grep "key: .*id = .*id" out &&
	test_grep "case 0: WHEN MATCHED and .*UPDATE n" out &&
	test_grep "case 1: WHEN NOT MATCHED.*INSERT" out &&
	rowmerge explain -e "MERGE INTO t USING s ON t.id > s.id
		WHEN MATCHED THEN DELETE" >out &&
	grep -i "nested\|every pair" out &&
	test_files t >after && test_cmp before after
EOT

test_expect_success \
	'explain of the other statements, and of a wrong one' - <<\EOT
	rowmerge explain -e "DELETE FROM t WHERE id = 5; UPDATE t SET n = 1;
		INSERT INTO t VALUES (1, 1)" >out &&
	test $(grep -c "^target: t" out) = 3 &&
	test_refused 2 UNKNOWN_COLUMN rowmerge explain \
		-e "UPDATE t SET nosuch = 1" &&
	test_refused 2 UNSUPPORTED rowmerge explain -e "SELECT 1"
EOT

test_expect_success 'explain --rows=N stops after N lines' - <<\EOT
	rowmerge explain --rows=3 -e "UPDATE t SET n = n + 1" >out &&
	test $(wc -l <out) = 3 &&
	test_files t >after && test_cmp before after
EOT
test_done
