#!/bin/sh
test_description='MERGE INTO a CSV file'
. "$(dirname "$0")/test-lib.sh"
UPSERT="MERGE INTO 'c.csv' t USING s ON t.id = s.id
	WHEN MATCHED AND s.gone = true THEN DELETE
	WHEN MATCHED THEN UPDATE SET name = s.name, n = s.n
	WHEN NOT MATCHED AND s.gone = false THEN
		INSERT (n, name, id) VALUES (s.n, s.name, s.id)"

# file TEXT and source: by printf
file () {
	printf "$1" >c.csv
}
source () {
	test_write_lines id,name,n,gone "$@" >s.csv
}
# file_is TEXT
file_is () {
	printf "$1" >wanted && test_cmp wanted c.csv
}

test_expect_success 'rows are replaced, left out and added' - <<\EOT
	file 'id,name,n\n1,Ann,10\n2,Bob,20\n3,Cy,30\n' &&
	source 1,Ann,11,false 3,,0,true 4,Dee,4,false 5,,5,true &&
	rowmerge merge --json -e "$UPSERT" >json &&
	file_is 'id,name,n\n1,Ann,11\n2,Bob,20\n4,Dee,4\n' &&
	test_member_is rows.inserted 1 json &&
	test_member_is rows.updated 1 json &&
	test_member_is rows.deleted 1 json &&
	test_member_is version '{"after":null,"before":null}' json &&
	test "$(ls -A | grep -c rowmerge-)" = 0
EOT

test_expect_success 'a run without a change leaves the file alone' - <<\EOT
	ls -li --full-time c.csv >before && source 1,Ann,11,false &&
	rowmerge merge -e "$UPSERT" 2>err && ls -li --full-time c.csv >after &&
	test_cmp before after && test_grep "the file stays" err &&
	source 1,Ann,12,false &&
	test_expect_code 10 rowmerge merge --dry-run --exit-code \
		-e "$UPSERT" 2>err &&
	ls -li --full-time c.csv >after && test_cmp before after &&
	test "$(ls -A | grep -c rowmerge-)" = 0
EOT

test_expect_success 'what does not change stays byte for byte' - <<\EOT
	file '\357\273\277"id",name,n\r\n\r\n01,"A ""x""",1.50\r\n2,"b\nb",\r\n\n"3",c,"7"' &&
	source '"3",C,8,false' 9,z,9,false &&
	rowmerge merge -q -e "$UPSERT" &&
	file_is '\357\273\277"id",name,n\r\n\r\n01,"A ""x""",1.50\r\n2,"b\nb",\r\n\n"3",C,"8"\r\n9,z,9\r\n'
EOT

test_expect_success 'quotes where they are needed, or where all have them' - <<\EOT
	file 'id,name,n\n1,a,1\n' &&
	source '1,"x,y",1,false' '2,"say ""a""",,false' '3,"",,false' &&
	rowmerge merge -q -e "$UPSERT" &&
	file_is 'id,name,n\n1,"x,y",1\n2,"say ""a""",\n3,"",\n' &&
	file '"id","name","n"\n"1","a","1"\n' && source 1,b,2,false 2,c,,false &&
	rowmerge merge -q -e "$UPSERT" &&
	file_is '"id","name","n"\n"1","b","2"\n"2","c",\n'
EOT

test_expect_success 'a delimiter at every line end' - <<\EOT
	file 'id,name,n,\n1,a,1,\n' && source 1,b,2,false 2,c,3,false &&
	rowmerge merge -q -e "$UPSERT" &&
	file_is 'id,name,n,\n1,b,2,\n2,c,3,\n'
EOT

test_expect_success 'other delimiters, NULL and .tsv' - <<\EOT
	printf 'id|name|n\n1|a|NA\n' >c.csv && printf 'id|n|name|gone\n1|NA|"NA"|false\n2|NA|b|false\n' >s.csv &&
	rowmerge merge -q --delimiter "|" --null NA -e "$UPSERT" &&
	file_is 'id|name|n\n1|"NA"|NA\n2|b|NA\n' &&
	printf 'id\tn\n1\t1\n' >c.tsv && printf 'id\tn\n1\t2\n2\t3\n' >s.tsv &&
	rm s.csv &&
	rowmerge merge -q -e "MERGE INTO 'c.tsv' t USING 's.tsv' s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET *
		WHEN NOT MATCHED THEN INSERT *" &&
	printf 'id\tn\n1\t2\n2\t3\n' >wanted && test_cmp wanted c.tsv
EOT

test_expect_success 'no header, and lines before it' - <<\EOT
	file '1,a\n2,b\n' &&
	rowmerge merge -q --no-header -e "DELETE FROM 'c.csv'
		WHERE column2 = 'a'" && file_is '2,b\n' &&
	file 'made by "x\n\nid,name\n1,a\n2,b\n' &&
	rowmerge merge -q --skip-lines 2 -e "UPDATE 'c.csv' SET name = 'z'
		WHERE id = 2" &&
	file_is 'made by "x\n\nid,name\n1,a\n2,z\n'
EOT

test_expect_success 'a header alone, with and without its line end' - <<\EOT
	source 1,a,1,false &&
	for head in 'id,name,n\n' 'id,name,n' '"id","name","n"\r\n'
	do
		file "$head" && rowmerge merge -q -e "$UPSERT" &&
		rowmerge sql -e "SELECT * FROM 'c.csv'" >got &&
		test_write_lines id,name,n 1,a,1 >wanted &&
		test_cmp wanted got || return 1
	done &&
	file '' && test_refused 3 BAD_CSV rowmerge merge -e "$UPSERT" &&
	test ! -s c.csv
EOT

test_expect_success 'a type of the user comes before that of the statement' - <<\EOT
	file 'id,n\n1,1.5\n2,7\n' &&
	test_refused 3 CAST rowmerge merge -e "UPDATE 'c.csv' SET n = 5
		WHERE id = 2" && file_is 'id,n\n1,1.5\n2,7\n' &&
	rowmerge merge -q --types "n DECIMAL(9,2)" \
		-e "UPDATE 'c.csv' SET n = 5 WHERE id = 2" &&
	file_is 'id,n\n1,1.5\n2,5.00\n'
EOT

test_expect_success 'UPDATE, DELETE and INSERT' - <<\EOT
	file 'id,n\n1,1\n2,2' &&
	rowmerge merge -q -e "INSERT INTO 'c.csv' VALUES (3, 30), (4, NULL);
		UPDATE 'c.csv' SET n = 5 WHERE id = 2;
		DELETE FROM 'c.csv' WHERE id = 1" &&
	file_is 'id,n\n2,5\n3,30\n4,\n' &&
	rowmerge merge -q -e "DELETE FROM 'c.csv'" && file_is 'id,n\n' &&
	rowmerge merge -q -e "INSERT INTO 'c.csv' (n) VALUES (1)" &&
	file_is 'id,n\n,1\n'
EOT

test_expect_success 'the guard of empty sources counts rows, not bytes' - <<\EOT
	SYNC="MERGE INTO 'f.csv' t USING 'nil.csv' s ON t.id = s.id
		WHEN NOT MATCHED BY SOURCE THEN DELETE" &&
	test_write_lines id,note >nil.csv &&
	test_write_lines id,note "1,\"a" "b\"" "" 2,b >f.csv &&
	test_refused 5 GUARD_EMPTY_SOURCE rowmerge merge -e "$SYNC" &&
	test_grep "all 2 rows (100 %) of f.csv" err &&
	test_write_lines id,note >f.csv &&
	rowmerge merge -q -e "$SYNC" &&
	rowmerge merge -q --max-deletes 0% -e "$SYNC" &&
	test_write_lines id,note >want && test_cmp want f.csv &&
	test_write_lines id,note 1,2,3 >f.csv &&
	test_refused 3 RAGGED_ROW rowmerge merge -e "$SYNC"
EOT

test_expect_success 'one column, empty lines are rows of it' - <<\EOT
	file 'a\nx\n\ny\n' &&
	rowmerge merge -q -e "UPDATE 'c.csv' SET a = 'w' WHERE a IS NULL" &&
	file_is 'a\nx\nw\ny\n'
EOT

test_expect_success 'columns are of the type that the statement needs' - <<\EOT
	file 'id,n,d\n01,9,2024-01-31\n1,10,2024-02-01\n' &&
	rowmerge merge -q -e "DELETE FROM 'c.csv' WHERE n < 10" &&
	file_is 'id,n,d\n1,10,2024-02-01\n' &&
	rowmerge merge -q -e "DELETE FROM 'c.csv' WHERE d > DATE '2025-01-01'" &&
	file_is 'id,n,d\n1,10,2024-02-01\n' &&
	file 'id,n\n1,x\n' && cp c.csv before &&
	test_refused 3 CAST rowmerge merge -e "DELETE FROM 'c.csv'
		WHERE n < 10" && test_grep "c.csv:2" err &&
	test_cmp before c.csv
EOT

test_expect_success 'mode kept, symbolic link followed, same directory' - <<\EOT
	mkdir -p real && printf 'id,n\n1,1\n' >real/r.csv &&
	chmod 640 real/r.csv && ln -sf real/r.csv link.csv &&
	rowmerge merge -q -e "INSERT INTO 'link.csv' VALUES (2, 2)" &&
	test -L link.csv && test "$(stat -c %a real/r.csv)" = 640 &&
	test "$(wc -l <real/r.csv)" = 3 && test "$(ls -A real)" = r.csv
EOT

test_expect_success 'a hard link keeps the old rows, with a warning' - <<\EOT
	file 'id,n\n1,1\n' && ln c.csv second.csv &&
	rowmerge merge --json -e "DELETE FROM 'c.csv' WHERE n = 9" >json \
		2>err && test_member_is warnings "[]" json &&
	rowmerge merge --json -e "INSERT INTO 'c.csv' VALUES (2, 2)" >json \
		2>err && file_is 'id,n\n1,1\n2,2\n' &&
	test_grep "warning: 'c.csv' has 1 other name (hard links)" err &&
	test_grep "other name" json &&
	test_write_lines id,n 1,1 >want && test_cmp want second.csv &&
	rowmerge merge -e "INSERT INTO 'c.csv' VALUES (3, 3)" 2>err &&
	test_no_grep warning err && rm second.csv
EOT

test_expect_success '--bind may name a target' - <<\EOT
	file 'id,n\n1,1\n' &&
	rowmerge merge -q --bind "t=c.csv" -e "UPDATE t SET n = 2" &&
	file_is 'id,n\n1,2\n'
EOT

test_expect_success 'the file is source and target' - <<\EOT
	file 'id,n\n1,1\n2,2\n' &&
	rowmerge merge -q -e "MERGE INTO 'c.csv' t USING 'c.csv' s
		ON t.id = s.n WHEN MATCHED AND s.n = '2' THEN DELETE" &&
	file_is 'id,n\n1,1\n'
EOT

test_expect_success 'two source rows for a row are refused' - <<\EOT
	file 'id,name,n\n1,a,1\n' && cp c.csv before &&
	source 1,b,2,false 1,c,3,false &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		-e "$UPSERT" &&
	test_cmp before c.csv &&
	rowmerge merge -q --keep-last -e "$UPSERT" &&
	file_is 'id,name,n\n1,c,3\n'
EOT

test_expect_success 'guards count the rows of the file' - <<\EOT
	file 'id,n\n1,1\n2,2\n3,3\n4,4\n' && cp c.csv before &&
	test_refused 5 GUARD_DELETES rowmerge merge --max-deletes 20% \
		-e "DELETE FROM 'c.csv' WHERE id = 1" &&
	test_grep "1 of the 4 rows" err && test_cmp before c.csv
EOT

test_expect_success 'what cannot be merged into' - <<\EOT
	echo "{}" >x.jsonl && printf 'a\n1\n' | gzip >x.csv.gz &&
	cp x.csv.gz packed.csv && mkdir -p dir.csv &&
	for target in x.jsonl x.csv.gz packed.csv dir.csv
	do
		test_refused 2 NOT_SUPPORTED rowmerge merge \
			-e "DELETE FROM '$target'" || return 1
	done &&
	test_refused 2 UNKNOWN_TABLE rowmerge merge \
		-e "DELETE FROM 'none.csv'" &&
	test_refused 2 NOT_SUPPORTED rowmerge merge --mode merge-on-read \
		-e "DELETE FROM 'c.csv'" &&
	test_refused 2 UNKNOWN_TABLE rowmerge merge -e "DELETE FROM c" &&
	test_grep "write its path in quotes" err
EOT

test_expect_success 'a table of a newer format is no target' - <<\EOT
	test_sql "CREATE TABLE v4 (id INTEGER)" &&
	sed -i "s/\"format-version\" *: *2/\"format-version\":4/" \
		v4/metadata/v1.metadata.json &&
	test_refused 2 NOT_SUPPORTED rowmerge merge -e "DELETE FROM v4"
EOT

test_expect_success 'damaged files are refused and stay' - <<\EOT
	for text in 'id,n\n1\n' 'id,n\n1,"2\n' 'id,id\n1,2\n' \
		'id,n\n1,2\r3\n' 'id,n\n1,2"3\n'
	do
		file "$text" && cp c.csv before &&
		test_must_fail rowmerge merge \
			-e "UPDATE 'c.csv' SET n = 5" 2>err &&
		test_cmp before c.csv || return 1
	done
EOT

test_expect_success 'a second writer waits, then says so' - <<\EOT
	file 'id,n\n1,1\n' &&
	perl -e 'use Fcntl ":flock"; open my $f, "+<", "c.csv" or die;
		flock $f, LOCK_EX; open my $o, ">", "held"; close $o;
		sleep 30' &
	holder=$! &&
	while ! test -f held; do sleep 0.1; done &&
	{ test_refused 75 LOCKED rowmerge merge --wait 0 \
		-e "DELETE FROM 'c.csv'"; status=$?; kill $holder; } &&
	wait $holder; test $status = 0 && file_is 'id,n\n1,1\n' &&
	rowmerge merge -q -e "DELETE FROM 'c.csv'"
EOT

test_expect_success 'eight writers at once lose nothing' - <<\EOT
	file 'id,n\n' &&
	for i in 1 2 3 4 5 6 7 8
	do
		rowmerge merge -q -e "INSERT INTO 'c.csv' VALUES ($i, $i)" &
	done && wait && test "$(wc -l <c.csv)" = 9 &&
	test "$(sort -u c.csv | wc -l)" = 9
EOT

test_expect_success 'one column and a delimiter behind it: empty lines are no rows' - <<\EOT
	file 'id,\n1,\n\n2,\n' &&
	test_sql "DELETE FROM 'c.csv' WHERE id = '2'" &&
	file_is 'id,\n1,\n\n' &&
	test_sql "UPDATE 'c.csv' SET id = '3'" && file_is 'id,\n3,\n\n'
EOT

test_expect_success 'what a killed run has left is removed' - <<\EOT
	file 'id,n\n1,1\n' && : >.c.csv.rowmerge-1 && : >.c.csv.rowmerge-99999 &&
	: >.c.csv.rowmerge-1x && : >.c.csv.rowmerge- && : >.d.csv.rowmerge-1 &&
	test_sql "UPDATE 'c.csv' SET n = '2'" && file_is 'id,n\n1,2\n' &&
	test_write_lines .c.csv.rowmerge- .c.csv.rowmerge-1x \
		.d.csv.rowmerge-1 >wanted &&
	ls -A | grep rowmerge- | LC_ALL=C sort >got && test_cmp wanted got &&
	rm -f .?.csv.rowmerge-*
EOT

test_expect_success 'a failed write leaves the file and no other' - <<\EOT
	perl -e 'print "id,n\n"; print "$_,", "x" x 100, "\n" for 1 .. 5000' \
		>c.csv && cp c.csv before &&
	(ulimit -f 100; test_must_fail rowmerge merge \
		-e "UPDATE 'c.csv' SET n = 'y' WHERE id = 7" 2>err) &&
	test_cmp before c.csv && test "$(ls -A | grep -c rowmerge-)" = 0
EOT

test_expect_success 'two types of a column: the hint gives it the wider' - <<\EOT
	file 'id,n\n1,1.5\n' &&
	two="MERGE INTO 'c.csv' t USING (VALUES ('1', 1.5, 12.5)) s (id, a, b)
		ON t.id = s.id WHEN MATCHED AND s.a > 3 THEN UPDATE SET n = s.a
		WHEN MATCHED THEN UPDATE SET n = s.b" &&
	test_refused 2 TYPE_MISMATCH rowmerge merge -e "$two" &&
	test_grep "column n of c.csv is used as DECIMAL(3,1)" err &&
	test_grep "give it one, --types 'n DECIMAL(3,1)'" err &&
	rowmerge merge -q --types 'n DECIMAL(3,1)' -e "$two" &&
	file_is 'id,n\n1,12.5\n'
EOT

test_expect_success 'many rows, any threads: as a table has them' - <<\EOT
	perl -e 'print "id,name,n\n"; print "$_,\"n\n$_\",", $_ % 7, "\n"
		for 1 .. 30000' >big.csv &&
	perl -e 'print "id,name,n,gone\n";
		print $_ * 3, ",x$_,$_,", $_ % 5 ? "false" : "true", "\n"
			for 1 .. 15000' >s.csv &&
	test_sql "CREATE TABLE t (id VARCHAR, name VARCHAR, n VARCHAR)" &&
	rowmerge load -q t big.csv &&
	rowmerge merge --json -e "$(echo "$UPSERT" | sed "s/'c.csv'/t/")" \
		>json && test_member rows json >counts &&
	rowmerge sql -e "SELECT * FROM t ORDER BY id, name" >wanted &&
	for threads in 1 4
	do
		cp big.csv c.csv &&
		rowmerge merge --json --threads $threads -e "$UPSERT" >json &&
		test_member rows json >got && test_cmp counts got &&
		{ test -f first || cp c.csv first; } && test_cmp first c.csv &&
		rowmerge sql -q -e "CREATE OR REPLACE TABLE u (id VARCHAR,
			name VARCHAR, n VARCHAR)" &&
		rowmerge load -q u c.csv &&
		rowmerge sql -e "SELECT * FROM u ORDER BY id, name" >got &&
		test_cmp wanted got || return 1
	done
EOT

test_done
