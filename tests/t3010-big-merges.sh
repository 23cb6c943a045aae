#!/bin/sh
test_description='many rows: row groups, files, threads, little memory'
. "$(dirname "$0")/test-lib.sh"
ROWS=60000
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s.n < 0 THEN DELETE
	WHEN MATCHED THEN UPDATE SET n = s.n, name = s.name
	WHEN NOT MATCHED AND s.n >= 0
		THEN INSERT VALUES (s.id, s.n, s.name, NULL)'

# rows and batch.csv; what awk says they make is wanted.csv
test_expect_success 'rows, a batch, and the result by awk' - <<\EOT
	seq 1 $ROWS | awk "{ print \$1 * 7 \",\" \$1 * 7919 % 99991 \",name \" \
		\$1 * \$1 % 99991 \",\" \$1 }" >rows &&
	{ echo id,n,name,extra && cat rows; } >rows.csv &&
	seq 1 3 $((ROWS * 2)) | awk \
		"{ print \$1 * 7 \",\" (\$1 % 5 ? \$1 % 1000 : -1) \
		\",new \" \$1 % 89 }" >batch &&
	{ echo id,n,name && cat batch; } >s.csv &&
	awk -F, "NR == FNR { row[\$1] = \$0; n[\$1] = \$2; next }
		!(\$1 in row) { print; next }
		n[\$1] >= 0 { print row[\$1] \",\" \$4 }
		{ delete row[\$1] }
		END { for (id in row) if (n[id] >= 0) print row[id] \",\" }" \
		batch rows | sort >wanted
EOT

# same OPTION...: a merge with these options gives the wanted rows
same () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, name VARCHAR,
		extra INTEGER) WITH ($layout)" &&
	rowmerge load -q t rows.csv &&
	rowmerge merge --json "$@" -e "$UPSERT" >json &&
	rowmerge cat t >got.csv &&
	sed 1d got.csv | sort >got && test_cmp wanted got &&
	test_table_sane t
}

layout="\"write.parquet.row-group-size-bytes\" = '65536'"
for mode in merge-on-read copy-on-write
do
	test_expect_success "$mode: several row groups, one and four threads" "
		same --mode $mode --threads 1 && same --mode $mode --threads 4
	"
	test_expect_success "$mode: little memory spills, and gives the same" "
		same --mode $mode --memory 64K --threads 2
	"
done

layout="\"write.target-file-size-bytes\" = '20000', format_version = 3,
	\"write.parquet.row-group-size-bytes\" = '65536'"
test_expect_success 'several files, format 3' '
	same --threads 2 &&
	rowmerge show --json t >json && test $(test_member files json) -gt 2
'

test_expect_success 'a narrow batch opens only the files of its keys' - <<\EOT
	test_sql "CREATE TABLE p (id INTEGER, n INTEGER);
		INSERT INTO p VALUES (1, 1), (9, 9);
		INSERT INTO p VALUES (11, 1), (19, 9)" &&
	rowmerge merge --json -e "MERGE INTO p USING (VALUES (19, 3)) s(id, n)
		ON p.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n" >json &&
	test_member_is rows.updated 1 json &&
	test_member_is files.scanned 1 json &&
	test_member_is files.pruned 1 json
EOT

test_expect_success 'spill files are gone, also after a failure' - <<\EOT
	mkdir spill &&
	{ echo id,n,name && cat batch && echo 7,x,; } >bad.csv &&
	{ echo id,n,name && cat batch; } >good.csv &&
	TMPDIR=$PWD/spill && export TMPDIR &&
	rowmerge merge -q --memory 64K --bind s=good.csv -e "$UPSERT" &&
	test_refused 3 CAST rowmerge merge --memory 64K --bind s=bad.csv \
		-e "$UPSERT" &&
	test_grep "bad.csv:$(wc -l <bad.csv)" err &&
	unset TMPDIR && ls -A spill >left && test_cmp /dev/null left
EOT
test_done
