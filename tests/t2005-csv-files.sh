#!/bin/sh
test_description='several files, globs, packed files and standard input'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)'

new_table () {
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, n INTEGER)" &&
	rowmerge show --json t >json &&
	before=$(test_member version json)
}

# one_commit LINE...: the table has gone one version further
one_commit () {
	test_rows_are t id,n "$@" &&
	rowmerge show --json t >json &&
	test_member_is version $((before + 1)) json
}

test_expect_success 'a glob is one batch and one commit' - <<\EOT
	mkdir in &&
	test_write_lines id,n 1,1 2,2 >in/a.csv &&
	test_write_lines n,id 30,3 >in/b.csv &&
	new_table && rowmerge merge -q --bind "s=in/*.csv" -e "$UPSERT" &&
	one_commit 1,1 2,2 3,30 &&
	new_table &&
	rowmerge merge -q \
		-e "$(echo "$UPSERT" | sed "s/s ON/'in\/*.csv' s ON/")" &&
	one_commit 1,1 2,2 3,30
EOT

test_expect_success 'load takes files and globs, also as one commit' - <<\EOT
	new_table && rowmerge load -q t in/a.csv in/b.csv &&
	one_commit 1,1 2,2 3,30 &&
	new_table && rowmerge load -q t "in/*.csv" && one_commit 1,1 2,2 3,30
EOT

test_expect_success 'a key in two files is the same key in one batch' - <<\EOT
	new_table && test_sql "INSERT INTO t VALUES (1, 0)" &&
	test_write_lines id,n 7,7 1,5 >in/c.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES \
		rowmerge merge --bind "s=in/*.csv" -e "$UPSERT" &&
	test_grep "in/a.csv" err && test_grep "in/c.csv" err &&
	test_rows_are t id,n 1,0 && rm in/c.csv
EOT

test_expect_success 'an error names the file and its own line' - <<\EOT
	test_files t >before &&
	test_write_lines id,n 8,8 9,x >in/c.csv &&
	test_refused 3 CAST rowmerge load t in/a.csv in/b.csv in/c.csv &&
	test_grep "^rowmerge: in/c.csv:3" err &&
	test_write_lines id 8 >in/c.csv &&
	test_expect_code 2 rowmerge merge --bind "s=in/*.csv" -e "$UPSERT" \
		2>err &&
	test_grep "in/c.csv" err && test_grep " n" err &&
	test_files t >after && test_cmp before after && rm in/c.csv
EOT

test_expect_success 'no file for a glob, and a folder' - <<\EOT
	test_expect_code 1 rowmerge load t "nosuch/*.csv" 2>err &&
	test_grep "nosuch" err &&
	test_must_fail rowmerge load t in 2>err &&
	test_files t >after && test_cmp before after
EOT

test_expect_success \
	'gzip and zstd, by name or not, and several members' - <<\EOT
	for command in "gzip" "gzip -1" "zstd -q" "zstd -q --ultra -20"
	do
		test_write_lines id,n 1,1 | $command >p.bin &&
		test_write_lines 2,2 3,30 | $command >>p.bin &&
		new_table && rowmerge load -q t p.bin &&
		one_commit 1,1 2,2 3,30 &&
		new_table && rowmerge load -q t <p.bin &&
		one_commit 1,1 2,2 3,30 || return 1
	done
EOT

test_expect_success 'a packed stream cut short or followed by rubbish' - <<\EOT
	new_table && test_files t >before &&
	seq 1 5000 | sed "s/$/,1/; 1i id,n" >big.csv &&
	for command in "gzip" "zstd -q"
	do
		$command <big.csv >p.bin &&
		size=$(wc -c <p.bin) &&
		for keep in 5 $((size / 2)) $((size - 1))
		do
			head -c $keep p.bin >cut.bin &&
			test_must_fail rowmerge load t cut.bin 2>err &&
			test_grep "cut.bin" err || return 1
		done &&
		{ cat p.bin; echo rubbish; } >cut.bin &&
		test_must_fail rowmerge load t cut.bin 2>err &&
		test_grep "^rowmerge: .cut.bin.: " err || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'standard input, as a pipe and as a file' - <<\EOT
	new_table && cat in/a.csv | rowmerge load -q t && one_commit 1,1 2,2 &&
	new_table && rowmerge load -q t - <in/a.csv && one_commit 1,1 2,2 &&
	new_table && rowmerge merge -q --bind s=- -e "$UPSERT" <in/a.csv &&
	one_commit 1,1 2,2 &&
	{ echo id,n && echo 1,x; } >bad.csv &&
	test_refused 3 CAST rowmerge merge --bind s=- -e "$UPSERT" <bad.csv &&
	test_grep "^rowmerge: standard input:2" err
EOT

test_expect_success 'standard input is read by one thing alone, and once' - <<\EOT
	test_write_lines id,n 5,5 >one.csv && new_table &&
	test_refused 2 USAGE rowmerge merge --bind s=- \
		-e "MERGE INTO t USING (SELECT a.* FROM s a, s b) s
			ON t.id = s.id WHEN MATCHED THEN DELETE" <one.csv &&
	test_grep "standard input is read once, and s has it" err &&
	test_refused 2 USAGE rowmerge merge --bind s=- - <one.csv &&
	test_grep "standard input is read once, and --bind has it" err &&
	echo "INSERT INTO t SELECT * FROM '-'" >self.sql &&
	test_refused 2 USAGE rowmerge merge - <self.sql &&
	test_grep "standard input is read once, and the spec has it" err &&
	test_refused 2 USAGE rowmerge load t - - <one.csv &&
	test_refused 2 USAGE rowmerge sql --bind s=- \
		-e "$UPSERT; $UPSERT" <one.csv &&
	test_grep "standard input is read once" err &&
	one_commit 5,5 && new_table &&
	rowmerge merge -q --bind s=- -e "MERGE INTO t USING (WITH q AS
		(SELECT * FROM s) SELECT a.* FROM q a, q b) s ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT *" <one.csv && one_commit 5,5
EOT

test_expect_success 'standard input and its file are one file of an input' - <<\EOT
	test_write_lines id,n 5,5 >one.csv && new_table &&
	for names in "- /dev/stdin" "one.csv -" "- one.csv"
	do
		test_refused 2 USAGE rowmerge load t $names <one.csv &&
		test_grep "are the same file, given twice" err || return 1
	done &&
	cat one.csv | test_refused 2 USAGE rowmerge load t - /dev/stdin &&
	test_grep "are the same file, given twice" err &&
	rowmerge load -q t one.csv - <in/a.csv && one_commit 1,1 2,2 5,5
EOT

test_expect_success 'a pipe is read by one thing alone, whatever its name' - <<\EOT
	test_write_lines id,n 5,5 >one.csv && new_table &&
	echo "MERGE INTO t USING (SELECT * FROM s UNION ALL SELECT * FROM r) s
		ON t.id = s.id WHEN NOT MATCHED THEN INSERT *" >both.sql &&
	for names in "- /dev/stdin" "/dev/stdin -" "/dev/stdin /dev/fd/0"
	do
		cat one.csv | test_refused 2 USAGE rowmerge merge \
			--bind s=${names% *} --bind r=${names#* } both.sql &&
		test_grep "is read once, and s has it" err || return 1
	done &&
	cat one.csv | test_refused 2 USAGE rowmerge sql --bind s=/dev/fd/7 \
		-e "INSERT INTO t SELECT a.* FROM s a, s b" 7<&0 &&
	test_grep "./dev/fd/7. is read once, and s has it" err &&
	cat both.sql | test_refused 2 USAGE rowmerge merge \
		--bind s=one.csv --bind r=/dev/stdin - &&
	test_grep "is read once, and the spec has it" err &&
	rowmerge merge -q --bind s=/dev/stdin --bind r=one.csv both.sql \
		<in/a.csv && one_commit 1,1 2,2 5,5
EOT

test_expect_success 'a fifo' - <<\EOT
	mkfifo pipe && { cat in/a.csv >pipe & } &&
	new_table && rowmerge load -q t pipe && one_commit 1,1 2,2 && wait
EOT

test_expect_success 'a name that holds glob characters' - <<\EOT
	cp in/a.csv "odd [1].csv" &&
	new_table && rowmerge load -q t "odd [1].csv" && one_commit 1,1 2,2
EOT
test_expect_success 'files of another kind are told by their first bytes' - <<\EOT
	test_sql "CREATE TABLE kinds (id INTEGER); INSERT INTO kinds VALUES (1)" &&
	rowmerge cat --format parquet kinds >kinds.csv &&
	test_refused 3 BAD_CSV rowmerge load kinds kinds.csv &&
	test_grep "Parquet file, not CSV" err &&
	test_grep "[-]-format parquet" err &&
	printf "PK\003\004\024" >kinds.csv &&
	test_refused 3 BAD_CSV rowmerge load kinds kinds.csv &&
	test_grep "ZIP archive or a workbook" err
EOT

test_expect_success 'a file that is written to while it is read' - <<\EOT
	test_sql "CREATE TABLE grown (id INTEGER, n INTEGER)" &&
	perl -e 'print "id,n\n"; print "$_,1\n" for 1 .. 400000' >grows.csv &&
	mkfifo late && cat >spec.sql <<-\SQL &&
	INSERT INTO grown (id, n) SELECT a.id, a.n FROM a JOIN b ON a.id = b.id
	SQL
	{ (echo 400001,5 >>grows.csv; echo id; echo 1) >late & } &&
	test_refused 1 IO rowmerge merge --bind a=grows.csv --bind b=late \
		spec.sql && wait &&
	test_grep "grows.csv' was written to while it was read" err &&
	test_select "SELECT * FROM grown" id,n
EOT

test_expect_success 'load leaves out no column of a later file' - <<\EOT
	test_sql "CREATE TABLE fees (id INTEGER, n INTEGER, fee INTEGER)" &&
	mkdir -p in && rm -f in/* && test_write_lines id,n 1,2 >in/1.csv &&
	test_write_lines fee,n,ID 9,3,2 >in/2.csv &&
	test_refused 2 UNKNOWN_COLUMN rowmerge load fees "in/*.csv" &&
	test_grep "2.csv:1: the file has a column 'fee' that 'in/1.csv' lacks" \
		err &&
	test_select "SELECT * FROM fees" id,n,fee &&
	rowmerge merge -q --bind "s=in/*.csv" -e "INSERT INTO fees (id, n)
		SELECT id, n FROM s" &&
	test_select "SELECT * FROM fees" id,n,fee 1,2, 2,3, &&
	for i in 1 2
	do
		rowmerge sql --format parquet \
			-e "SELECT * FROM 'in/$i.csv'" >in/$i.parquet ||
			return 1
	done &&
	test_refused 2 UNKNOWN_COLUMN rowmerge load fees "in/*.parquet" &&
	test_grep "a column 'fee' that 'in/1.parquet' lacks" err &&
	test_write_lines N,iD 3,2 >in/2.csv &&
	rowmerge load -q fees "in/*.csv"
EOT

test_expect_success 'a file that is given twice is refused' - <<\EOT
	rm -rf once t && mkdir once && test_write_lines id,n 1,1 >once/a.csv &&
	test_write_lines id,n 2,2 >once/b.csv &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	for twice in "once/a.csv once/a.csv" "once/a.csv ./once/a.csv" \
		"once/b.csv once/a.csv $PWD/once/b.csv" "once/*.csv once/b.csv"
	do
		test_refused 2 USAGE rowmerge load t $twice || return 1
	done &&
	test_refused 2 USAGE rowmerge load t "once/*.csv" once/b.csv &&
	test_grep "'once/b.csv' is given twice" err &&
	test_refused 2 USAGE rowmerge load t - - </dev/null &&
	ln -s a.csv once/latest.csv &&
	test_refused 2 USAGE rowmerge load t "once/*.csv" &&
	test_grep "once/a.csv' and 'once/latest.csv' are the same" err &&
	test_grep "^hint: .*glob" err &&
	for source in s "'once/*.csv'" "read_csv('once/*.csv')"
	do
		test_refused 2 USAGE rowmerge merge --bind "s=once/*.csv" \
			-e "INSERT INTO t SELECT id, n FROM $source" ||
			return 1
	done &&
	rm once/latest.csv && cp once/a.csv once/c.csv &&
	rowmerge load -q t "once/*.csv" &&
	test_rows_are t id,n 1,1 1,1 2,2 &&
	test_refused 1 IO rowmerge load t once/none.csv once/none.csv
EOT

test_expect_success 'one file in two inputs is no such file' - <<\EOT
	rowmerge merge -q --bind x=once/a.csv --bind y=once/a.csv -e "
		INSERT INTO t SELECT x.id + 10, y.n FROM x JOIN y
			ON x.id = y.id" &&
	test_rows_are t id,n 1,1 1,1 11,1 2,2
EOT

test_done
