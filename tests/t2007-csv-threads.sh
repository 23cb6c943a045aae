#!/bin/sh
test_description='the work is split over threads, the result is the same'
. "$(dirname "$0")/test-lib.sh"

# A file of several chunks with line breaks, quotes and CR inside fields.
test_expect_success 'a file that is hard to split' - <<\EOT
	perl -e '
		print "id,text,n\n";
		for my $i (1 .. 60000) {
			my $text = $i % 7 == 0 ? "\"a,\"\"$i\"\"\n,x\r\n\"" :
				$i % 11 == 0 ? "\"" . "\n,1,2\n" x ($i % 40) . "\"" :
				$i % 13 == 0 ? "" : $i % 17 == 0 ? "\"\"" : "text $i";
			print "$i,$text,", $i % 1000, $i % 5 ? "\n" : "\r\n";
		}' >in.csv &&
	test $(wc -c <in.csv) -gt 1000000
EOT

test_expect_success \
	'one, two, four and seven threads load the same rows' - <<\EOT
	for threads in 1 2 4 7
	do
		rm -rf t && test_sql "CREATE TABLE t (id INTEGER, text VARCHAR,
			n INTEGER)" &&
		rowmerge load -q --threads $threads t in.csv &&
		rowmerge sql \
			-e "SELECT id, length(text) AS l, text IS NULL AS e, n
			FROM t" >out.$threads && sed 1d out.$threads |
			sort -n >sorted.$threads &&
		test_cmp sorted.1 sorted.$threads || return 1
	done &&
	test $(wc -l <sorted.1) = 60000
EOT

test_expect_success 'and in the order of the file' - <<\EOT
	rowmerge cat --columns id --threads 4 t >ids &&
	{ echo id && seq 1 60000; } >wanted && test_cmp wanted ids &&
	rowmerge cat --threads 1 t >one && rowmerge cat --threads 4 t >four &&
	cmp one four
EOT

test_expect_success 'what cat prints loads again, byte for byte' - <<\EOT
	test_sql "CREATE TABLE back (id INTEGER, text VARCHAR, n INTEGER)" &&
	rowmerge load -q back one && rowmerge cat back >again && cmp one again
EOT

# The first error of the file is told, whatever thread finds one first.
test_expect_success 'the same first error with any number of threads' - <<\EOT
	perl -pe 's/(\d+)(\r?)$/x$2/ if /^50001,/ || /^30000,/ || /^59999,/' \
		in.csv >bad.csv &&
	line=$(grep -n "^30000," bad.csv | head -n 1 | cut -d: -f 1) &&
	test_files t >before &&
	for threads in 1 2 4 7
	do
		test_refused 3 CAST rowmerge load --threads $threads t bad.csv \
			&&
		test_grep "^rowmerge: bad.csv:" err && cp err err.$threads &&
		test_cmp err.1 err.$threads || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'an open quote far away, a short row, a bad byte' - <<\EOT
	for kind in quote short byte
	do
		case $kind in
		quote) { cat in.csv && echo '60001,"x,1'; } ;;
		short) perl -pe 's/^40004,text 40004,/40004,text 40004/' \
			in.csv ;;
		byte) perl -pe 's/,text 40004,/,te\xfft 40004,/' in.csv ;;
		esac >bad.csv &&
		line=$(grep -a -n "^40004,\|^60001," bad.csv | tail -n 1 |
			cut -d: -f 1) &&
		for threads in 1 4
		do
			test_expect_code 3 rowmerge load --threads $threads t \
				bad.csv 2>err &&
			test_grep "^rowmerge: bad.csv:$line: " err || return 1
		done
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'packed and through a pipe it is the same' - <<\EOT
	for command in "gzip -1" "zstd -q" cat
	do
		rm -rf t && test_sql "CREATE TABLE t (id INTEGER, text VARCHAR,
			n INTEGER)" &&
		$command <in.csv | rowmerge load -q --threads 4 t &&
		rowmerge cat t >out && cmp one out || return 1
	done
EOT
test_done
