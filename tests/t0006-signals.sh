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

# Ready for a signal: all files of a load are there, and it waits for the lock.
wait_for_files () {
	tries=0 &&
	until test $(find parts/data -type f | wc -l) -ge 1200
	do
		tries=$((tries + 1)) && test $tries -lt 600 || return 1
		sleep 0.1
	done
}

# load_locked COMMAND...: COMMAND runs the load while another process holds the
# lock of the table. The status goes to $status.
load_locked () {
	rm -rf parts && mkfifo held release &&
	test_sql "CREATE TABLE parts (id INTEGER)
		PARTITIONED BY (truncate(3, id))" &&
	mkdir -p parts/metadata/.rowmerge &&
	{ flock parts/metadata/.rowmerge/lock sh -c \
		"echo >held && read x <release" & } &&
	read x <held &&
	{ "$@" & } &&
	pid=$! &&
	wait_for_files
}

unlock () {
	echo >release && rm held release
}

test_expect_success 'a signal when many files were written: they go' - <<\EOT
	seq 0 3599 | sed "1i id" >ids.csv &&
	load_locked perl -e "\$SIG{INT} = q(DEFAULT); exec @ARGV" \
		rowmerge load -q --wait 60 parts ids.csv &&
	kill -INT $pid &&
	{ wait $pid; status=$?; } &&
	unlock &&
	test $status = 130 &&
	test $(find parts -type f -name "*.parquet" | wc -l) = 0 &&
	test_table_sane parts
EOT

# Standard error is a full pipe that nobody reads: the removal, which says that
# it begins, does not begin.
test_expect_success 'a second signal ends it at once' - <<\EOT
	cat >full.pl <<-\EOF &&
	use Fcntl;
	$SIG{INT} = "DEFAULT";
	$^F = 20;
	pipe(R, W);
	fcntl(W, F_SETFL, O_NONBLOCK);
	1 while syswrite(W, "x" x 4096);
	1 while syswrite(W, "x");
	fcntl(W, F_SETFL, 0);
	open(STDERR, ">&W");
	exec @ARGV;
	EOF
	load_locked perl full.pl rowmerge load --wait 60 parts ids.csv &&
	kill -INT $pid &&
	sleep 0.5 &&
	kill -INT $pid &&
	{ wait $pid; status=$?; } &&
	unlock &&
	test $status = 130 &&
	test $(find parts/data -name "*-0-*.parquet" | wc -l) = 1200 &&
	"$TEST_DIRECTORY/table-sane" parts &&
	rowmerge cat parts >out && echo id >wanted && test_cmp wanted out &&
	rowmerge load -q parts ids.csv &&
	rowmerge cat parts >out && test $(wc -l <out) = 3601
EOT
test_done
