#!/bin/sh
test_description='data on stdout, all else on stderr, as much as asked for'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a summary is one line on stderr' - <<\EOT
	rowmerge sql -e "CREATE TABLE t (id INTEGER, n INTEGER)" >out 2>err &&
	test_cmp /dev/null out &&
	test_grep "^rowmerge: t: create table, version 1$" err &&
	rowmerge sql -e "INSERT INTO t VALUES (1, 1), (2, 2)" >out 2>err &&
	test_cmp /dev/null out &&
	test_grep "t: 2 inserted, 0 updated, 0 deleted; version 1 -> 2" err &&
	test $(wc -l <err) = 1
EOT

test_expect_success 'a statement without effect says so' - <<\EOT
	rowmerge sql -e "UPDATE t SET n = n WHERE id = 1" 2>err &&
	test_grep "1 unchanged; nothing changed, version 2 stays" err &&
	rowmerge merge --dry-run -e "DELETE FROM t" 2>err &&
	test_grep "2 deleted; dry run, version 2 stays" err
EOT

test_expect_success '-q: nothing on success, errors stay' - <<\EOT
	rowmerge sql -q -e "UPDATE t SET n = 5 WHERE id = 1" >out 2>&1 &&
	test_cmp /dev/null out &&
	test_write_lines id,n ,1 >null.csv &&
	rowmerge merge -q --bind s=null.csv -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN DELETE" >out 2>&1 &&
	test_cmp /dev/null out &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql -q -e "SELECT x FROM t"
EOT

test_expect_success 'a warning goes to stderr, the status is 0' - <<\EOT
	rowmerge merge --bind s=null.csv -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN DELETE" >out 2>err &&
	test_cmp /dev/null out &&
	test_grep "^rowmerge: warning: 1 source row.*NULL" err
EOT

test_expect_success '-v says more, also what each clause did' - <<\EOT
	rowmerge merge -v \
		-e "MERGE INTO t USING (VALUES (1, 9), (3, 3)) s(id, n)
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)" >out 2>err &&
	test_cmp /dev/null out &&
	test_grep "case 0, update: 1 rows" err &&
	test_grep "case 1, insert: 1 rows" err &&
	test_grep "files: .* scanned, .* pruned" err
EOT

test_expect_success '--json and rows are all there is on stdout' - <<\EOT
	rowmerge merge --json -e "DELETE FROM t WHERE id = 3" >out 2>err &&
	test $(wc -l <out) = 1 &&
	test_cmp /dev/null err &&
	rowmerge cat -v t >out 2>err &&
	test_write_lines id,n 1,9 2,2 >wanted &&
	sort out >sorted && sort wanted >wanted.sorted &&
	test_cmp wanted.sorted sorted
EOT

test_expect_success '--log-format json writes objects on stderr' - <<\EOT
	rowmerge merge --log-format json --bind s=null.csv -e "MERGE INTO t
		USING s ON t.id = s.id WHEN MATCHED THEN DELETE" 2>err &&
	grep warning err >line && test_member_is level warning line &&
	test_expect_code 2 rowmerge cat --log-format json nosuch 2>err &&
	grep error err >line && test_member_is level error line &&
	test_member message line && test_member hint line &&
	test_member_is code UNKNOWN_TABLE line &&
	test_member_is retryable false line
EOT

test_expect_success '--log-format json tells wrong options too' - <<\EOT
	test_expect_code 2 rowmerge cat --log-format json --nosuch t 2>line &&
	test_member_is level error line && test_member_is code USAGE line &&
	test_expect_code 2 rowmerge cat --log-format json 2>line &&
	test_member_is code USAGE line
EOT

test_expect_success 'progress: never, always, and auto on a pipe' - <<\EOT
	rowmerge cat --progress never t >out 2>err && test_cmp /dev/null err &&
	rowmerge cat --progress auto t >out 2>err && test_cmp /dev/null err &&
	seq 1 200000 | sed "s/$/,1/; 1i id,n" >many.csv &&
	rowmerge load --progress always t many.csv >out 2>err &&
	test_cmp /dev/null out &&
	test_grep " of \| rows\| bytes" err &&
	rowmerge sql -q --progress always \
		-e "DELETE FROM t WHERE id > 2" 2>err &&
	test_cmp /dev/null err
EOT

test_expect_success 'no escape sequences where stderr is no terminal' - <<\EOT
	rowmerge load --progress always t many.csv 2>err &&
	! grep "$(printf "\033")" err
EOT

test_expect_success 'a full device for the output is status 1' - <<\EOT
	test_expect_code 1 rowmerge cat t >/dev/full 2>err &&
	test_grep "NO_SPACE\|standard output" err &&
	test_expect_code 1 rowmerge show --json t >/dev/full 2>err
EOT
test_done
