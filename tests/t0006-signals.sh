#!/bin/sh
test_description='a signal ends a run as it should, and the table is as before'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)'

test_expect_success 'a table with rows' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	seq 1 100000 | sed "s/$/,1/; 1i id,n" >many.csv &&
	rowmerge load -q t many.csv &&
	rowmerge log t >log.before &&
	test_files t >before
EOT

test_expect_success \
	'a reader that goes away ends it quietly, by SIGPIPE' - <<\EOT
	{ rowmerge cat t 2>err; echo $? >status; } | head -n 1 >first &&
	echo id,n >wanted && test_cmp wanted first &&
	echo 141 >wanted && test_cmp wanted status &&
	test_cmp /dev/null err
EOT

# interrupt SIGNAL DISPOSITION: send it to a merge that waits for its input; its
# status goes to $status
interrupt () {
	rm -f pipe &&
	mkfifo pipe &&
	{ perl -e "\$SIG{$1} = '$2'; exec @ARGV" rowmerge merge -q --bind s=- \
		-e "$UPSERT" <pipe 2>err & } &&
	pid=$! &&
	exec 8>pipe &&
	test_write_lines id,n 1,1 >&8 &&
	sleep 0.3 &&
	kill -$1 $pid &&
	sleep 0.1 &&
	exec 8>&- &&
	{ wait $pid; status=$?; }
}

# ended STATUS: quietly, and the table is as before
ended () {
	test $status = $1 &&
	test_cmp /dev/null err &&
	rowmerge log t >log.after && test_cmp log.before log.after &&
	test_files t >after && test_cmp before after &&
	test_table_sane t
}

test_expect_success 'SIGTERM while it reads: 143' '
	interrupt TERM DEFAULT && ended 143
'
test_expect_success 'SIGHUP: 129' 'interrupt HUP DEFAULT && ended 129'
test_expect_success 'SIGINT: 130' 'interrupt INT DEFAULT && ended 130'

test_expect_success 'a signal that is ignored, as by nohup, stays so' '
	interrupt HUP IGNORE && ended 0 && interrupt INT IGNORE && ended 0
'

test_expect_success \
	'SIGKILL at many moments: old or new, nothing between' - <<\EOT
	seq 1 50000 | sed "s/$/,2/; 1i id,n" >up.csv &&
	for after in 0.005 0.01 0.02 0.03 0.04 0.06 0.08 0.1
	do
		timeout -s KILL $after rowmerge merge -q --bind s=up.csv \
			-e "$UPSERT"
		rowmerge sql -e "SELECT id, n FROM t" >rows.csv &&
		sum=$(awk -F, "NR > 1 { n++; s += \$2 }
			END { print n \",\" s }" rows.csv) || return 1
		test $sum = 100000,150000 && break
		test $sum = 100000,100000 || return 1
	done &&
	rowmerge merge -q --bind s=up.csv -e "$UPSERT" &&
	rowmerge cat t >rows.csv &&
	sum=$(awk -F, "NR > 1 { n++; s += \$2 } END { print n \",\" s }" \
		rows.csv) &&
	test $sum = 100000,150000
EOT
test_done
