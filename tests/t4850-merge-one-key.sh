#!/bin/sh
test_description='a key that very many rows of both sides have'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'tables of one key' '
	{ echo k,v && yes 7 | head -n 300000 | awk "{ print \$1 \",\" NR }"
	} >same.csv &&
	rowmerge create -q --columns "k BIGINT, v BIGINT" t &&
	rowmerge load -q t same.csv
'
test_expect_success 'an ambiguous match is refused without counting the product' '
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES timeout 60 \
		rowmerge merge --bind s=same.csv -e "MERGE INTO t USING s
			ON t.k = s.k WHEN MATCHED THEN DELETE" &&
	test_grep "at least .* target rows are changed" err &&
	test_grep "k = 7: same.csv:2 .* and same.csv:3 " err
'
test_expect_success 'so in several passes' '
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES timeout 60 \
		rowmerge merge --memory 1M --bind s=same.csv -e "MERGE INTO t
			USING s ON t.k = s.k WHEN MATCHED THEN DELETE"
'
test_expect_success 'one key on both sides with a value apart is joined' '
	rowmerge merge --json --bind s=same.csv -e "MERGE INTO t USING s
		ON t.k = s.k AND t.v = s.v WHEN MATCHED AND t.v > 10
		THEN DELETE" >json &&
	test_member_is rows.deleted 299990 json &&
	test_rows_are t k,v 7,1 7,10 7,2 7,3 7,4 7,5 7,6 7,7 7,8 7,9
'
test_done
