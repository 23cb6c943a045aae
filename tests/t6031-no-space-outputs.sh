#!/bin/sh
test_description='a disk that is full under spills, feeds, rejects and file targets'
. "$(dirname "$0")/test-lib.sh"

test_small_disk 2m || test_done

# full COMMAND...: NO_SPACE, the table and the disk as they were
full () {
	ls -A small >small.before &&
	test_refused 1 NO_SPACE "$@" &&
	ls -A small >small.after && test_cmp small.before small.after &&
	test_files t >after && test_cmp before after &&
	test -z "$(ls -A | grep rowmerge-)"
}

test_expect_success 'a table of 60,000 rows that is sorted' - <<\EOT
	seq 1 200000 | awk "BEGIN { print \"id,n,s\" }
		{ print \$1 \",\" \$1 * 7919 % 99991 \",text\" \$1 }" >many.csv &&
	head -n 60001 many.csv >rows.csv &&
	sed "s/,\\([0-9]*\\),/,x\\1,/" rows.csv >bad.csv &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, s VARCHAR)
			WRITE ORDERED BY (n)" &&
	rowmerge load -q t rows.csv && test_files t >before
EOT

test_expect_success 'rows on their way into a sorted table' - <<\EOT
	test_fill 4096 &&
	full env TMPDIR="$PWD/small" rowmerge load --memory 1M t many.csv &&
	test_grep "temporary file in .*small" err &&
	test_grep "^hint: let TMPDIR name" err
EOT

test_expect_success 'the source of a merge and its log of updates' - <<\EOT
	for mode in merge-on-read copy-on-write
	do
		full env TMPDIR="$PWD/small" rowmerge merge --memory 1M \
			--mode $mode -e "MERGE INTO t USING 'rows.csv' s
			ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.id" &&
		full env TMPDIR="$PWD/small" rowmerge merge --memory 1M \
			--mode $mode -e "UPDATE t SET s = s || 'x',
			n = (SELECT max(n) FROM t u WHERE u.id = t.id)" ||
		return 1
	done
EOT

test_expect_success 'what a query cannot hold' - <<\EOT
	for query in "SELECT * FROM t ORDER BY s" \
		"SELECT s, count(*) FROM t GROUP BY s" \
		"SELECT DISTINCT s, n FROM t" \
		"SELECT a.s, b.n FROM t a JOIN t b ON a.s = b.s" \
		"SELECT row_number() OVER (PARTITION BY n % 7 ORDER BY s)
			FROM t" \
		"SELECT s FROM t EXCEPT SELECT 'x' || s FROM t"
	do
		full env TMPDIR="$PWD/small" rowmerge sql --memory 1M \
			-e "$query" || return 1
	done
EOT

test_expect_success 'rejects, while they are kept and when they are written' - <<\EOT
	full env TMPDIR="$PWD/small" rowmerge load --rejects out.csv t bad.csv &&
	test ! -e out.csv && test ! -e out.csv.reasons.jsonl &&
	for free in 0 4096 100000
	do
		test_fill $free &&
		full rowmerge load --rejects small/out.csv t bad.csv || return 1
	done
EOT

test_expect_success 'a feed of changes' - <<\EOT
	for format in csv jsonl parquet
	do
		for free in 0 4096 100000
		do
			test_fill $free &&
			full rowmerge merge --changes small/out.$format \
				-e "UPDATE t SET n = id" || return 1
		done
	done
EOT

test_expect_success 'files that are merged into' - <<\EOT
	rm small/filler && cp rows.csv small/f.csv &&
	rowmerge cat --format parquet t >small/f.parquet &&
	cksum small/f.* >sums &&
	for file in small/f.csv small/f.parquet
	do
		for free in 0 4096 100000
		do
			test_fill $free &&
			full rowmerge merge -e "UPDATE '$file' SET n = 5" &&
			full rowmerge merge -e "DELETE FROM '$file'
				WHERE id > 59000" || return 1
		done
	done &&
	rm small/filler && cksum small/f.* | test_cmp sums -
EOT

test_expect_success 'with room again all of it works' - <<\EOT
	rm -f small/filler small/f.parquet &&
	rowmerge merge -q --changes small/out.csv -e "UPDATE t SET n = id
		WHERE id < 100" &&
	rowmerge merge -q -e "DELETE FROM 'small/f.csv' WHERE id > 10" &&
	test "$(wc -l <small/f.csv)" = 11 && test_table_sane t
EOT

test_expect_success 'standard output' - <<\EOT
	if test -w /dev/full
	then
		for command in "cat t" "cat --format parquet t" "log t" \
			"show t" "sql -e VALUES(1)"
		do
			rowmerge $command >/dev/full 2>err
			test $? = 1 && test_grep "NO_SPACE" err || return 1
		done
	fi
EOT
test_done
