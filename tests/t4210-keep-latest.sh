#!/bin/sh
test_description='one row per key from the source'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)'

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, seq INTEGER,
			at TIMESTAMP);
		INSERT INTO t (id, n) VALUES (1, 1), (2, 2)"
}

rows_are () {
	rowmerge cat --columns id,n t >out && head -n 1 out >got &&
	tail -n +2 out | sort >>got && test_write_lines id,n "$@" >wanted &&
	test_cmp wanted got
}

test_expect_success 'the highest value wins, whatever the order' - <<\EOT
	test_write_lines id,n,seq 1,10,1 1,30,3 1,20,2 3,5,10 3,6,9 >s.csv &&
	for threads in 1 4
	do
		new_table &&
		rowmerge merge --json --threads $threads \
			--keep-latest-by seq -e "$UPSERT" >json &&
		rows_are 1,30 2,2 3,5 &&
		test_member_is rows.superseded 3 json &&
		test_member_is rows.no_action 0 json &&
		test_member_is rows.read 5 json || return 1
	done
EOT

test_expect_success 'without it the batch is refused' - <<\EOT
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		-e "$UPSERT"
EOT

test_expect_success 'a tie of rows that differ names both lines' - <<\EOT
	new_table && test_files t >before &&
	test_write_lines id,n,seq 1,10,5 2,7,1 1,11,5 1,9,4 >s.csv &&
	for threads in 1 3
	do
		test_refused 3 DUPLICATE_KEY rowmerge merge \
			--threads $threads --keep-latest-by seq \
			-e "$UPSERT" &&
		test_grep "s.csv:2 and .*s.csv:4 have one key, id = 1" err &&
		test_grep "tie in seq = 5, but differ in n" err &&
		test_grep "^hint: " err || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'a tie below the highest is no matter, nor equal rows' - <<\EOT
	test_write_lines id,n,seq 1,10,5 1,11,5 1,12,6 2,7,1 2,7,1 >s.csv &&
	rowmerge merge -q --keep-latest-by seq -e "$UPSERT" &&
	rows_are 1,12 2,7
EOT

test_expect_success 'a second column decides ties of the first' - <<\EOT
	new_table &&
	test_write_lines id,n,at,seq \
		"1,10,2024-01-01 00:00:00,2" "1,11,2024-01-01 00:00:00,3" \
		"1,12,2023-12-31 00:00:00,9" >s.csv &&
	rowmerge merge -q --keep-latest-by "at, seq" -e "$UPSERT" &&
	rows_are 1,11 2,2
EOT

test_expect_success 'NULL is lower than any value' - <<\EOT
	new_table && test_write_lines id,n,seq 1,10, 1,11,-5 2,9, >s.csv &&
	rowmerge merge -q --keep-latest-by seq -e "$UPSERT" &&
	rows_are 1,11 2,9
EOT

test_expect_success 'rows with NULL in the key are all kept' - <<\EOT
	new_table && test_write_lines id,n,seq ,10,1 ,11,2 1,5,1 >s.csv &&
	rowmerge merge -q --keep-latest-by seq -e "$UPSERT" &&
	rows_are ,10 ,11 1,5 2,2
EOT

test_expect_success 'but where ON takes NULL for a value' - <<\EOT
	new_table &&
	rowmerge merge -q --keep-latest-by seq -e "MERGE INTO t USING s
		ON t.id IS NOT DISTINCT FROM s.id
		WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)" &&
	rows_are ,11 1,1 2,2
EOT

test_expect_success '--keep-last takes the last of the input' - <<\EOT
	new_table && test_write_lines id,n 1,10 3,1 1,11 3,2 1,12 >s.csv &&
	rowmerge merge -q --keep-last -e "$UPSERT" && rows_are 1,12 2,2 3,2
EOT

test_expect_success '--keep-last over several files, in their order' - <<\EOT
	new_table && mkdir -p in && test_write_lines id,n 1,99 2,98 >in/1.csv &&
	test_write_lines n,id 7,1 >in/2.csv &&
	for threads in 1 4
	do
		rowmerge merge -q --keep-last --threads $threads \
			--bind "s=in/*.csv" -e "$UPSERT" &&
		rows_are 1,7 2,98 || return 1
	done
EOT

test_expect_success 'what has no order has no last row' - <<\EOT
	test_refused 2 USAGE rowmerge merge --keep-last -e "
		MERGE INTO t USING (SELECT id, n FROM t) s ON t.id = s.id
		WHEN MATCHED THEN DELETE"
EOT

test_expect_success '--key other than the columns of ON' - <<\EOT
	new_table &&
	test_write_lines id,n,seq,doc 1,10,1,a 1,20,2,a 2,30,1,b 3,40,1,b \
		>s.csv &&
	rowmerge merge -q --keep-latest-by seq,n --key doc -e "$UPSERT" &&
	rows_are 1,20 2,2 3,40
EOT

test_expect_success 'INSERT needs --key' - <<\EOT
	new_table && test_write_lines id,n,seq 5,1,1 5,2,2 6,1,1 >s.csv &&
	test_refused 2 USAGE rowmerge merge --keep-latest-by seq \
		-e "INSERT INTO t (id, n, seq) SELECT id, n, seq FROM s" &&
	test_grep "^hint: .*--key" err &&
	rowmerge merge -q --keep-latest-by seq --key id \
		-e "INSERT INTO t (id, n, seq) SELECT id, n, seq FROM s" &&
	rows_are 1,1 2,2 5,2 6,1
EOT

test_expect_success 'a computed key of ON' - <<\EOT
	test_sql "CREATE TABLE names (name VARCHAR, n INTEGER)" &&
	test_write_lines name,n Ann,1 ANN,3 ann,2 Bob,1 >s.csv &&
	rowmerge merge -q --keep-latest-by n -e "
		MERGE INTO names t USING s ON t.name = lower(s.name)
		WHEN NOT MATCHED THEN INSERT VALUES (lower(s.name), s.n)" &&
	test_rows_are names name,n ann,3 bob,1
EOT

test_expect_success 'a column that nothing types is refused' - <<\EOT
	new_table && test_write_lines id,n,nr 1,9,9 1,10,10 >s.csv &&
	test_refused 2 TYPE_MISMATCH rowmerge merge --keep-latest-by nr \
		-e "$UPSERT" &&
	test_grep "nothing says the type" err &&
	rowmerge merge -q --keep-latest-by nr -e "MERGE INTO t USING
		(SELECT id, n, CAST(nr AS BIGINT) AS nr FROM s) s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n" &&
	rows_are 1,10 2,2
EOT

test_expect_success 'wrong use' - <<\EOT
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --keep-latest-by x \
		-e "$UPSERT" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --keep-last --key x \
		-e "$UPSERT" &&
	test_refused 2 USAGE rowmerge merge --key id -e "$UPSERT" &&
	test_refused 2 USAGE rowmerge merge --keep-last --keep-latest-by n \
		-e "$UPSERT" &&
	test_refused 2 USAGE rowmerge merge --keep-latest-by , -e "$UPSERT"
EOT

test_expect_success 'the same rows for any threads and memory' - <<\EOT
	perl -e 'print "id,n,seq,doc\n"; srand 7; my %m;
		for (1 .. 60000) {
			my $k = int rand 9000;
			print "$k,$_,", $_ * 7 % 60013, ",d", $k % 4000, "\n";
		}' >s.csv &&
	for key in "" "--key doc"
	do
		rm -f first &&
		for how in "--threads 1" "--threads 4" \
			"--threads 1 --memory 1M" "--threads 3 --memory 1M"
		do
			new_table &&
			rowmerge merge --json $how --keep-latest-by seq $key \
				-e "$UPSERT" >json &&
			test_member rows json >counts &&
			rowmerge cat --columns id,n t | sort >>counts &&
			{ test -f first || cp counts first; } &&
			test_cmp first counts || return 1
		done
	done
EOT

test_expect_success 'a sequential merger gives what --keep-last gives' - <<\EOT
	new_table &&
	perl -F, -lane 'next if $. == 1; $v{$F[0]} = $F[1];
		END { $v{1} //= 1; $v{2} //= 2;
			print "$_,$v{$_}" for sort keys %v }' s.csv |
		sort >wanted &&
	rowmerge merge -q --keep-last --threads 3 --memory 2M -e "$UPSERT" &&
	rowmerge cat --columns id,n t | tail -n +2 | sort >got &&
	test_cmp wanted got
EOT

test_expect_success 'nor does what only passes such text on' - <<\EOT
	test_sql "CREATE TABLE last (id INTEGER, n INTEGER)" &&
	test_write_lines id,n,seq 1,9,9 1,10,10 >s.csv &&
	test_write_lines id 1 >x.csv &&
	for query in \
		"SELECT s.* FROM s JOIN x ON s.id = x.id" \
		"SELECT s.* FROM x LEFT JOIN s ON s.id = x.id" \
		"SELECT * FROM s WHERE id IN (SELECT id FROM x)" \
		"SELECT id, n, seq FROM s GROUP BY id, n, seq" \
		"SELECT id, n, max(seq) AS seq FROM s GROUP BY id, n" \
		"SELECT DISTINCT * FROM s" \
		"SELECT * FROM s ORDER BY n LIMIT 5" \
		"SELECT * FROM s UNION SELECT * FROM s" \
		"SELECT * FROM s EXCEPT SELECT 1, 2, '3'" \
		"WITH w AS (SELECT * FROM s) SELECT * FROM w" \
		"SELECT id, n, coalesce(seq, '0') AS seq FROM s" \
		"SELECT id, n, CASE WHEN n > 0 THEN seq END AS seq FROM s" \
		"SELECT id, n, trim(seq) AS seq FROM s" \
		"SELECT id, n, (SELECT max(seq) FROM s) AS seq FROM s" \
		"SELECT id, n, lag(seq) OVER (ORDER BY n) AS seq FROM s"
	do
		test_refused 2 TYPE_MISMATCH rowmerge merge \
			--keep-latest-by seq -e "MERGE INTO last t
				USING ($query) q ON t.id = q.id
				WHEN NOT MATCHED THEN INSERT (id, n)
					VALUES (q.id, q.n)" &&
		test_grep "nothing says the type" err || return 1
	done &&
	rowmerge merge -q --keep-latest-by seq -e "MERGE INTO last t
		USING (SELECT s.id, s.n, CAST(s.seq AS INTEGER) AS seq
			FROM s JOIN x ON s.id = x.id) q ON t.id = q.id
		WHEN NOT MATCHED THEN INSERT (id, n) VALUES (q.id, q.n)" &&
	rowmerge merge -q --keep-latest-by seq -e "MERGE INTO last t
		USING (SELECT s.* FROM read_csv('s.csv',
				types => 'seq VARCHAR') s
			JOIN x ON s.id = x.id) q ON t.id = q.id
		WHEN MATCHED THEN UPDATE SET n = -q.n" &&
	test_select "SELECT * FROM last" id,n 1,-9
EOT

test_done
