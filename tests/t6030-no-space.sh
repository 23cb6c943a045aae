#!/bin/sh
test_description='a disk that is full: status 1, the table as before'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)'

test_expect_success 'rows and a batch' - <<\EOT
	seq 1 20000 | awk "{ print \$1 \",\" \$1 * 7919 % 99991 }" >rows &&
	{ echo id,n && cat rows; } >rows.csv &&
	{ echo id,n && seq 1 2 40000 |
		awk "{ print \$1 \",\" \$1 * 104729 % 99991 }"; } >s.csv
EOT

# unchanged: the table is as it was, and nothing is left behind
unchanged () {
	test_files t >after && test_cmp before after &&
	rowmerge cat t >out && cmp base out
}

test_expect_success 'files may not grow as far as they must' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	rowmerge load -q t rows.csv && rowmerge cat t >base &&
	test_files t >before &&
	for mode in merge-on-read copy-on-write
	do
		for blocks in 0 1 2 3 5 8 10
		do
			test_expect_code 1 sh -c "ulimit -f $blocks &&
				exec rowmerge merge -q --mode $mode --bind s=s.csv \
				-e \"\$1\"" x "$UPSERT" 2>err &&
			unchanged || return 1
		done
	done &&
	test_table_sane t &&
	rm -rf c && test_expect_code 1 sh -c "ulimit -f 0 &&
		exec rowmerge create --columns \"id INTEGER\" c" 2>err &&
	test_refused 2 UNKNOWN_TABLE rowmerge cat c &&
	rowmerge create -q --columns "id INTEGER" c
EOT

test_expect_success 'spilling on a full disk' - <<\EOT
	mkdir spill &&
	test_expect_code 1 sh -c "TMPDIR=$PWD/spill && export TMPDIR &&
		ulimit -f 8 &&
		exec rowmerge merge -q --memory 64K --bind s=s.csv \
		-e \"\$1\"" x "$UPSERT" 2>err &&
	test_grep spill err && unchanged && ls -A spill >left &&
	test_cmp /dev/null left
EOT

test_small_disk 4m || test_done

test_expect_success 'a merge on a disk with less and less left' - <<\EOT
	cp s.csv small/ && cd small &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	rowmerge load -q t ../rows.csv && rowmerge cat t >../base &&
	cd .. && test_files small/t >before &&
	failed=0 &&
	for free in 0 4096 8192 16384 32768 65536 98304 131072 196608
	do
		test_fill $free &&
		rowmerge -C small merge -q --bind s=s.csv -e "$UPSERT" 2>err
		status=$? &&
		rm small/filler &&
		test $status = 0 && break
		test $status = 1 && test_grep "\[NO_SPACE\]$" err &&
		failed=$((failed + 1)) &&
		test_files small/t >after && test_cmp before after &&
		rowmerge -C small cat t >out && cmp base out || return 1
	done &&
	test $failed -gt 2 &&
	rowmerge -C small merge -q --bind s=s.csv -e "$UPSERT" &&
	test_table_sane small/t
EOT

test_expect_success 'a load and a CREATE TABLE on a full disk' - <<\EOT
	test_files small/t >before && test_fill 4096 &&
	test_refused 1 NO_SPACE rowmerge -C small load t rows.csv &&
	test_fill 0 &&
	test_refused 1 NO_SPACE rowmerge -C small create --columns "a DATE" c &&
	test_refused 2 UNKNOWN_TABLE rowmerge -C small cat c &&
	rm small/filler && test_files small/t >after && test_cmp before after &&
	rowmerge -C small create -q --columns "a DATE" c
EOT
test_done
