#!/bin/sh
test_description='CSV columns are found by name; headers that are wrong'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)'

test_expect_success 'a table' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER,
		note VARCHAR DEFAULT 'd');
		INSERT INTO t VALUES (1, 1, 'x')"
EOT

test_expect_success 'any order, any case, more columns than needed' - <<\EOT
	test_write_lines N,extra,ID 5,x,1 6,,2 >in.csv &&
	rowmerge merge -q --bind s=in.csv -e "$UPSERT" &&
	test_rows_are t id,n,note 1,5,x 2,6,d
EOT

test_expect_success \
	'load: what the file lacks gets its default or NULL' - <<\EOT
	test_write_lines id 3 >in.csv && rowmerge load -q t in.csv &&
	test_rows_are t id,n,note 1,5,x 2,6,d 3,,d &&
	test_files t >before
EOT

test_expect_success 'load: what the table lacks is refused' - <<\EOT
	test_write_lines id,surprise 4,1 >in.csv &&
	test_refused 2 UNKNOWN_COLUMN rowmerge load t in.csv &&
	test_grep surprise err && test_grep "^hint: " err
EOT

test_expect_success 'a header twice, also in other case' - <<\EOT
	for header in id,n,id id,n,ID 'id,n,"Id"'
	do
		test_write_lines "$header" 4,1,4 >in.csv &&
		test_refused 3 DUPLICATE_HEADER rowmerge merge --bind s=in.csv \
			-e "$UPSERT" &&
		test_grep "in.csv" err && test_grep "columns 1 and 3" err &&
		test_refused 3 DUPLICATE_HEADER rowmerge load t in.csv ||
			return 1
	done
EOT

test_expect_success 'a column that the spec needs and the file lacks' - <<\EOT
	test_write_lines id,m 1,1 >in.csv &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=in.csv \
		-e "$UPSERT" &&
	test_grep "(in.csv) has no column n" err &&
	test_grep "^hint: .*id, m" err &&
	printf "id;n\n1;1\n" >in.csv &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=- -e "$UPSERT" \
		<in.csv &&
	test_grep "(standard input) has no column id" err &&
	test_grep "^hint: the only column is id;n" err
EOT

test_expect_success 'a sep= line is not skipped in silence' - <<\EOT
	test_write_lines sep=, id,n 1,9 >in.csv &&
	test_must_fail rowmerge merge --bind s=in.csv -e "$UPSERT" 2>err &&
	test_grep "^hint: line 1 .*sep= .*--skip-lines" err &&
	test_files t >after && test_cmp before after &&
	rowmerge merge -q --skip-lines 1 --bind s=in.csv -e "$UPSERT" &&
	test_select "SELECT n FROM t WHERE id = 1" n 9
EOT

test_expect_success 'an unnamed column' - <<\EOT
	test_files t >before &&
	test_write_lines id,,n 1,2,3 >in.csv &&
	if rowmerge merge -q --bind s=in.csv -e "$UPSERT" 2>err
	then
		test_select "SELECT n FROM t WHERE id = 1" n 3
	else
		test_grep "in.csv:1" err && test_files t >after &&
		test_cmp before after
	fi
EOT

test_expect_success 'a delimiter at the end of every line is accepted' - <<\EOT
	test_write_lines id,n, 1,17, 2,18, >in.csv &&
	rowmerge merge -q --bind s=in.csv -e "$UPSERT" &&
	test_rows_are t id,n,note 1,17,x 2,18,d 3,,d
EOT

test_expect_success \
	'names of a file: blanks, dots, digits, quotes, not ASCII' - <<\EOT
	test_write_lines 'key,unit price,2024,rate.eur,"a""b",größe' \
		1,2,3,4,5,6 >odd.csv &&
	test_select 'SELECT "unit price" AS a, "2024" AS b, "rate.eur" AS c,
		"a""b" AS d, "größe" AS e FROM '"'odd.csv'" a,b,c,d,e 2,3,4,5,6
EOT

test_expect_success 'a header only: success and no change' - <<\EOT
	test_files t >before &&
	for format in 'id,n' 'id,n\n' 'id,n\r\n' '\357\273\277id,n' 'id,n\n\n\n'
	do
		printf "$format" >in.csv &&
		rowmerge merge --json --bind s=in.csv -e "$UPSERT" >json &&
		test_member_is rows.read 0 json &&
		test_member_is version.after $(test_member version.before \
			json) \
			json &&
		rowmerge load -q t in.csv || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'zero bytes, blank lines, a BOM alone: an error' - <<\EOT
	for format in '' '\n' '\r\n\n' '\357\273\277'
	do
		printf "$format" >in.csv &&
		test_expect_code 3 rowmerge merge --bind s=in.csv -e "$UPSERT" \
			2>err &&
		test_grep "in.csv" err &&
		test_expect_code 3 rowmerge load t in.csv 2>err &&
		test_expect_code 3 rowmerge load t <in.csv 2>err || return 1
	done &&
	test_files t >after && test_cmp before after
EOT
test_expect_success 'a header in one piece: the hint names the delimiter' - <<\EOT
	test_sql "CREATE TABLE marks (id INTEGER, v VARCHAR)" &&
	for mark in ";" "|" "\\t"
	do
		printf "id${mark}v\n1${mark}a\n" >marks.csv &&
		test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=marks.csv \
			-e "MERGE INTO marks USING s ON marks.id = s.id
			WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)" &&
		grep -F -e "--delimiter '$mark'" err &&
		test_refused 2 UNKNOWN_COLUMN rowmerge load marks marks.csv &&
		grep -F -e "--delimiter '$mark'" err || return 1
	done
EOT

test_done
