#!/bin/sh
test_description='a query of many groups keeps to its memory'
. "$(dirname "$0")/test-lib.sh"
# the long run in tests/soak has 20 million groups and 512 MB
: "${GROUPS_MADE:=1000000}"
: "${MEMORY_MB:=32}"
GROUPED="SELECT k, count(*) AS c, sum(CAST(v AS BIGINT)) AS v
	FROM s GROUP BY k"

# rows.csv: two rows of every tenth group, the second of them far behind
test_expect_success 'rows, and what they sum up to' - <<\EOT
	awk -v n=$GROUPS_MADE "BEGIN { print \"k,v\"
		for (i = 0; i < n; i++) {
			k = (i * 7919) % n
			printf \"%d,%d\n\", k * 7, i % 1000 }
		for (i = 0; i < n; i += 10) print i * 7 \",1\" }" >s.csv &&
	awk -F, "NR > 1 { k += \$1; v += \$2 }
		END { printf \"%.0f,%.0f\n\", k, v }" s.csv >sums
EOT

# merged OPTION...: one row a group, and the sums of the rows
merged () {
	rm -rf t && test_sql "CREATE TABLE t (k BIGINT, c BIGINT, v BIGINT)" &&
	rowmerge merge --json "$@" -e "MERGE INTO t USING ($GROUPED) g
		ON t.k = g.k WHEN MATCHED THEN UPDATE SET c = t.c + g.c
		WHEN NOT MATCHED THEN INSERT *" >json &&
	test_member_is rows.inserted $GROUPS_MADE json &&
	rowmerge sql -e "SELECT sum(k * c) AS k, sum(v) AS v FROM t" >got &&
	sed 1d got >got.sums && test_cmp sums got.sums &&
	rowmerge sql -e "SELECT c, count(*) AS n FROM t GROUP BY c
		ORDER BY c" >got &&
	{ echo c,n && echo 1,$((GROUPS_MADE - (GROUPS_MADE + 9) / 10)) &&
	  echo 2,$(((GROUPS_MADE + 9) / 10)); } >wanted &&
	test_cmp wanted got
}

for threads in 1 2
do
	test_expect_success "$threads threads: groups past the memory" "
		merged --memory ${MEMORY_MB}M --threads $threads
	"
	test_expect_success "$threads threads: the peak is near the budget" "
		is_sanitized ||
		test \$(test_member peak_memory_bytes json) -le \
			$(((MEMORY_MB + 64) * 1048576))
	"
done

test_expect_success 'the directory of temporary files is the one asked for' '
	test_must_fail env TMPDIR="$PWD/nowhere" rowmerge merge --memory 1M \
		-e "MERGE INTO t USING ($GROUPED) g ON t.k = g.k
		WHEN NOT MATCHED THEN INSERT *" 2>err &&
	test_grep nowhere err &&
	test_must_fail env TMPDIR="$PWD/nowhere" rowmerge explain --memory 1M \
		-e "MERGE INTO t USING ($GROUPED) g ON t.k = g.k
		WHEN NOT MATCHED THEN INSERT *" 2>err &&
	test_grep nowhere err
'
test_done
