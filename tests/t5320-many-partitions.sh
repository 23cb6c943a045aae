#!/bin/sh
test_description='thousands of partitions in bounded memory, a file each'
. "$(dirname "$0")/test-lib.sh"

# PARTITIONS: 100000 in the long form
: "${PARTITIONS:=20000}"
rows=$((PARTITIONS * 3))
# what is kept of each file until the commit has its path some times
limit=$((100000000 + PARTITIONS * (350 + 8 * ${#PWD})))
# whose freed memory is kept for a while
is_sanitized && limit=1000000000

test_expect_success 'a load into all of them' - <<\EOT
	seq 0 $((rows - 1)) | awk "BEGIN { print \"id,text\" } {
		print \$1 \",text \" \$1 % 1000 }" >in.csv &&
	test_sql "CREATE TABLE t (id BIGINT, text VARCHAR)
		PARTITIONED BY (truncate(3, id))" &&
	rowmerge load --json --memory 64M t in.csv >json 2>err &&
	test_grep "rows go to $PARTITIONS partitions" err &&
	test $(find t/data -type f | wc -l) = $PARTITIONS &&
	peak=$(test_member peak_memory_bytes json) &&
	test $peak -lt $limit
EOT

test_expect_success 'all rows are there' - <<\EOT
	rowmerge cat t >out && sort in.csv >wanted && sort out >got &&
	test_cmp wanted got
EOT

test_expect_success 'one of them is found' - <<\EOT
	rowmerge cat --where "id = 4711" t >out &&
	test_write_lines id,text "4711,text 711" >wanted && test_cmp wanted out
EOT

test_expect_success 'a merge into few of them adds few files' - <<\EOT
	test_write_lines id,text 1,new 2,new 9000,new $rows,new >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING 's.csv' s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET text = s.text
		WHEN NOT MATCHED THEN INSERT (id, text)
		VALUES (s.id, s.text)" &&
	rowmerge cat --where "text = 'new'" t | sort -n >got &&
	test_write_lines id,text 1,new 2,new 9000,new $rows,new | sort -n \
		>wanted && test_cmp wanted got &&
	test $(find t/data -type f | wc -l) -le $((PARTITIONS + 8))
EOT

test_done
