#!/bin/sh
test_description='ROW, ARRAY and MAP: JSON text in CSV, values in JSON Lines'
. "$(dirname "$0")/test-lib.sh"

COLUMNS='id BIGINT, a ROW(x INTEGER, y VARCHAR), l ARRAY(DOUBLE),
	m MAP(VARCHAR, DECIMAL(10,2)), n ARRAY(ROW(k MAP(INTEGER, DATE), q BOOLEAN))'

test_expect_success 'rows of JSON Lines come back as they were' - <<\EOT
	cat >in.jsonl <<-\EOF &&
	{"id":1,"a":{"x":1,"y":"ä\"\n,"},"l":[1.0,null,"NaN"],"m":{"b":1.50,"a":null},"n":[{"k":{"7":"2024-01-31"},"q":true},null]}
	{"id":2,"a":null,"l":null,"m":null,"n":null}
	{"id":3,"a":{"x":null,"y":""},"l":[],"m":{},"n":[{"k":null,"q":null}]}
	EOF
	rowmerge create -q --columns "$COLUMNS" t &&
	rowmerge load -q t in.jsonl &&
	rowmerge cat t --format jsonl >out.jsonl && test_cmp in.jsonl out.jsonl
EOT

test_expect_success 'rows of CSV come back as they were' - <<\EOT
	cat >in.csv <<-\EOF &&
	id,a,l,m,n
	1,"{""x"":1,""y"":""ä\""\n,""}","[1.0,null,""NaN""]","{""b"":1.50,""a"":null}","[{""k"":{""7"":""2024-01-31""},""q"":true},null]"
	2,,,,
	3,"{""x"":null,""y"":""""}",[],{},"[{""k"":null,""q"":null}]"
	EOF
	rowmerge cat t >out.csv && test_cmp in.csv out.csv &&
	rowmerge create -q --columns "$COLUMNS" u &&
	rowmerge load -q u in.csv &&
	rowmerge cat u --format jsonl >u.jsonl && test_cmp in.jsonl u.jsonl
EOT

test_expect_success 'a MERGE of what is there changes nothing' - <<\EOT
	merge="MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET *
		WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge log t >before &&
	rowmerge merge -q --bind s=in.csv -e "$merge" &&
	rowmerge merge -q --bind s=in.jsonl -e "$merge" &&
	rowmerge log t >after && test_cmp before after
EOT

test_expect_success 'one leaf, an order of keys, a sign of zero is a change' - <<\EOT
	sed -n "s/\"x\":1/\"x\":2/p" in.jsonl >changed.jsonl &&
	rowmerge merge --json --bind s=changed.jsonl -e "$merge" >summary &&
	test_member_is rows.updated 1 summary &&
	echo "{\"id\":3,\"l\":[0.0],\"m\":{\"p\":1,\"q\":2}}" >zero.jsonl &&
	rowmerge merge -q --bind s=zero.jsonl -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET l = s.l, m = s.m" &&
	echo "{\"id\":3,\"l\":[-0.0],\"m\":{\"q\":2,\"p\":1}}" >zero.jsonl &&
	rowmerge merge --json --bind s=zero.jsonl -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET l = s.l" >summary &&
	test_member_is rows.updated 1 summary &&
	rowmerge merge --json --bind s=zero.jsonl -e "MERGE INTO t USING s
		ON t.id = s.id WHEN MATCHED THEN UPDATE SET m = s.m" >summary &&
	test_member_is rows.updated 1 summary &&
	rowmerge cat t --columns l,m --where "id = 3" --format jsonl >out &&
	echo "{\"l\":[-0.0],\"m\":{\"q\":2.00,\"p\":1.00}}" >expected &&
	test_cmp expected out
EOT

test_expect_success 'nested columns join rows, in memory and from disk' - <<\EOT
	awk "BEGIN { print \"id,k\"; for (i = 0; i < 30000; i++)
		printf \"%d,\\\"{\\\"\\\"a\\\"\\\":%d,\\\"\\\"b\\\"\\\":[\\\"\\\"t%d\\\"\\\"]}\\\"\n\", i, i % 7, i
		}" >keys.csv &&
	rowmerge create -q --columns "id INTEGER, k ROW(a INTEGER, b ARRAY(VARCHAR))" j &&
	rowmerge load -q j keys.csv &&
	rowmerge merge --json --bind s=keys.csv -e "MERGE INTO j USING s
		ON j.k = s.k WHEN MATCHED THEN UPDATE SET id = s.id + 1" >summary &&
	test_member_is rows.updated 30000 summary &&
	rowmerge merge --json --memory 1M --bind s=keys.csv -e "MERGE INTO j
		USING s ON j.k = s.k AND j.id = s.id + 1
		WHEN MATCHED THEN DELETE" >summary &&
	test_member_is rows.deleted 30000 summary
EOT

test_expect_success 'text that is no value is refused with line and column' - <<\EOT
	rowmerge log t >before &&
	test_write_lines id,l "1,[1]" "2,\"[1,\"\"x\"\"]\"" >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_grep "bad.csv:3: column l of type ARRAY(DOUBLE): element 2: 'x'" err &&
	test_write_lines id,a "1,\"{\"\"z\"\":1}\"" >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_grep "bad.csv:2: .* has no field 'z'" err &&
	test_write_lines id,m "1,\"{\"\"k\"\":1,\"\"k\"\":1}\"" >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_grep "bad.csv:2: .* a map has the key k twice" err &&
	test_write_lines id,m "1,\"{\"\"k\"\":0.001}\"" >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_write_lines id,l "1,[1" >bad.csv &&
	test_refused 3 CAST rowmerge load t bad.csv &&
	test_grep "malformed JSON" err &&
	test_write_lines "{\"id\":1,\"a\":{\"x\":1,\"X\":1}}" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:1: column a: an object has the member 'X' twice" err &&
	rowmerge log t >after && test_cmp before after
EOT

test_done
