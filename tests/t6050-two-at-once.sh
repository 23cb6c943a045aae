#!/bin/sh
test_description='two writers at once: nothing is lost, readers do not wait'
. "$(dirname "$0")/test-lib.sh"

# write N SQL: in the background; its status goes to status.N
write () {
	{
		rowmerge merge -q -e "$2" 2>err.$1
		echo $? >status.$1
	} &
}

test_expect_success 'eight inserts at once all arrive' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	for i in 1 2 3 4 5 6 7 8
	do
		write $i "INSERT INTO t VALUES ($i, $i), ($i, 0)"
	done && wait &&
	test "$(cat status.* | sort -u)" = 0 &&
	rowmerge show --json t >json && test_member_is rows 16 json &&
	test_member_is version 9 json && test_table_sane t
EOT

test_expect_success 'two merges of other keys: both, or one says 75' - <<\EOT
	for round in 1 2 3
	do
		rm -rf t &&
		test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
			INSERT INTO t SELECT x, 0
				FROM (VALUES (1), (2), (3)) v(x)" &&
		for i in 1 2
		do
			write $i "MERGE INTO t
				USING (VALUES ($i), ($i + 10)) s(id)
				ON t.id = s.id
				WHEN MATCHED THEN UPDATE SET n = $i
				WHEN NOT MATCHED THEN INSERT VALUES (s.id, $i)"
		done && wait &&
		{ echo id,n && for i in 1 2
		do
			if test $(cat status.$i) = 0
			then
				test_write_lines $i,$i 1$i,$i
			else
				test $(cat status.$i) = 75 &&
				grep "\[CONCURRENT_[A-Z_]*\]$" err.$i >&2 &&
				echo $i,0
			fi || return 1
		done | sort && echo 3,0; } >wanted &&
		test_rows t >got && sort wanted >sorted &&
		sort got >got.sorted &&
		test_cmp sorted got.sorted && test_table_sane t || return 1
	done
EOT

test_expect_success 'counting up: no increment that succeeded is lost' - <<\EOT
	rm -rf t status.* &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 0)" &&
	for i in 1 2 3 4 5 6
	do
		write $i "UPDATE t SET n = n + 1"
	done && wait &&
	done=$(cat status.* | grep -c "^0$") && test $done -ge 1 &&
	test "$(cat status.* | sort -u | grep -v "^0$\|^75$")" = "" &&
	test_rows_are t id,n 1,$done && test_table_sane t
EOT

test_expect_success 'CREATE TABLE twice at once: one table' - <<\EOT
	for i in 1 2 3 4
	do
		{ rowmerge create -q --columns "id INTEGER" c 2>err.$i
		echo $? >made.$i; } &
	done && wait &&
	test $(cat made.* | grep -c "^0$") = 1 &&
	test $(cat made.* | grep -c "^2$") = 3 &&
	grep "\[TABLE_EXISTS\]" err.1 err.2 && test_table_sane c
EOT

test_expect_success 'a reader reads while there are writers' - <<\EOT
	for i in 1 2 3 4
	do
		write $i "INSERT INTO t VALUES (2, $i)"
	done &&
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		rowmerge cat t >out && rowmerge log t >log || return 1
	done && wait
EOT

test_expect_success \
	'the lock is held: status 75 after --wait, no change' - <<\EOT
	test_files t >before && mkfifo hold &&
	{ flock t/metadata/.rowmerge/lock cat hold & } &&
	exec 7>hold &&
	while flock -n t/metadata/.rowmerge/lock true
	do
		sleep 0.01
	done &&
	test_refused 75 LOCKED rowmerge merge --wait 0 \
		-e "INSERT INTO t VALUES (3, 3)" &&
	test_expect_code 75 rowmerge merge --json --wait 0 \
		-e "DELETE FROM t" >json 2>err &&
	test_member_is error.retryable true json &&
	rowmerge cat t >out && rowmerge log t >out &&
	test_files t >after && test_cmp before after && test_table_sane t
EOT

test_expect_success 'who waits gets it' - <<\EOT
	{ rowmerge merge -q --wait 30 \
		-e "INSERT INTO t VALUES (3, 3)" 7>&- & } &&
	sleep 0.3 &&
	exec 7>&- && wait &&
	test_select "SELECT n FROM t WHERE id = 3" n 3 && test_table_sane t
EOT
test_done
