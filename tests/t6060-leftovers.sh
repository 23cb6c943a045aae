#!/bin/sh
test_description='what a killed run leaves is told apart and in nobodys way'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)'
HEX='[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*'

# moment N: seconds until the Nth kill, close together at first, later
# far enough apart for a busy machine
moment () {
	echo "$1" | awk '{ print $1 * $1 / 1000 }'
}

test_expect_success 'a table, and runs killed while they write' - <<\EOT
	seq 1 100000 | awk "{ print \$1 \",\" \$1 * 7919 % 99991 }" >rows &&
	{ echo id,n && cat rows; } >rows.csv &&
	{ echo id,n &&
	seq 50000 200000 | awk "{ print \$1 \",\" \$1 % 7 }"; } >s.csv &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER)" &&
	rowmerge load -q t rows.csv && rowmerge cat t >base &&
	ls t/data t/metadata >before &&
	tries=0 &&
	while ls t/data t/metadata >after && cmp -s before after &&
		test $tries -lt 90
	do
		tries=$((tries + 1))
		timeout -s KILL $(moment $tries) rowmerge merge -q \
			--bind s=s.csv -e "$UPSERT" || :
	done &&
	test $tries -lt 90
EOT

test_expect_success 'its names carry the identifier of the run' - <<\EOT
	sort before >b && sort after >a && comm -13 b a >new &&
	grep -v "^v[0-9]*\.metadata.json$" new >names &&
	while read name
	do
		echo "$name" | grep "$HEX" >/dev/null || return 1
	done <names
EOT

test_expect_success 'a reader and a check do not stumble over it' - <<\EOT
	"$TEST_DIRECTORY/table-sane" t &&
	rowmerge cat t >out && rowmerge log t >log &&
	rowmerge show --json t >json
EOT

test_expect_success 'the next run succeeds, and its result is right' - <<\EOT
	rowmerge merge -q --bind s=s.csv -e "$UPSERT" &&
	rowmerge cat t >out && sed 1d out | sort >got &&
	awk -F, "NR == FNR { n[\$1] = \$2; next } FNR > 1 { n[\$1] = \$2 }
		END { for (id in n) print id \",\" n[id] }" rows s.csv |
		sort >wanted &&
	test_cmp wanted got && "$TEST_DIRECTORY/table-sane" t
EOT

test_expect_success 'files of others in the folders are left alone' - <<\EOT
	echo mine >t/data/mine.txt && echo mine >t/metadata/note &&
	test_sql "DELETE FROM t WHERE id > 10" &&
	test -f t/data/mine.txt && test -f t/metadata/note &&
	rowmerge show --json t >json && test_member_is rows 10 json
EOT

test_expect_success 'a creation cut short is no table and no obstacle' - <<\EOT
	mkdir -p half/metadata/.rowmerge half/data &&
	: >half/metadata/.rowmerge/lock &&
	: >half/metadata/.tmp-0fc7cc93-53ab-410b-b9df-340223bac881.metadata.json &&
	test_refused 2 UNKNOWN_TABLE rowmerge cat half &&
	test_sql "CREATE TABLE half (id INTEGER); INSERT INTO half VALUES (1)" \
		&&
	test_rows_are half id 1
EOT

test_expect_success \
	'CREATE TABLE AS killed: no table, or one with its rows' - <<\EOT
	tries=0 && made= &&
	while test -z "$made" && test $tries -lt 90
	do
		tries=$((tries + 2))
		timeout -s KILL $(moment $tries) rowmerge sql -q \
			-e "CREATE TABLE c AS SELECT * FROM 's.csv'" 2>err
		if rowmerge show --json c >json 2>err
		then
			made=yes && test_member_is rows 150001 json || return 1
		else
			test_grep "\[UNKNOWN_TABLE\]$" err || return 1
		fi
	done &&
	test -n "$made" &&
	rm -f c/metadata/v1.metadata.json c/metadata/version-hint.text &&
	test_sql "CREATE TABLE c AS SELECT * FROM 's.csv'" &&
	rowmerge show --json c >json && test_member_is rows 150001 json &&
	"$TEST_DIRECTORY/table-sane" c
EOT
test_done
