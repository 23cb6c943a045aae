#!/bin/sh
test_description='change events as the source'
. "$(dirname "$0")/test-lib.sh"
APPLY="MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED AND s._op = 'd' THEN DELETE
	WHEN MATCHED THEN UPDATE SET name = s.name, n = s.n
	WHEN NOT MATCHED AND s._op <> 'd' THEN
		INSERT VALUES (s.id, s.name, s.n)"

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id BIGINT, name VARCHAR, n INTEGER);
		INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)"
}
apply () {
	rowmerge merge --json --format debezium --bind s=events.jsonl "$@" \
		-e "$APPLY" >json
}

cat >events.jsonl <<\EOT
{"before":null,"after":{"id":4,"name":"d","n":4},"source":{"table":"x"},"op":"c","ts_ms":1}
{"before":{"id":1,"name":"a","n":1},"after":{"id":1,"name":"a2","n":10},"op":"u","ts_ms":2}
{"before":{"id":2,"name":"b","n":2},"after":null,"op":"d","ts_ms":3}
null
{"before":{"id":1,"name":"a2","n":10},"after":{"id":1,"name":"say \"a3\"","n":null},"op":"u","ts_ms":4}
{"before":null,"after":{"id":5,"name":"e","n":5},"op":"c","ts_ms":5}

{"before":{"id":5,"name":"e","n":5},"after":null,"op":"d","ts_ms":6}
{"before":null,"after":{"id":3,"name":"c","n":33},"op":"r"}
EOT

test_expect_success 'the last event of a key counts' - <<\EOT
	for threads in 1 4
	do
		new_table && apply --threads $threads &&
		test_rows_are t id,name,n "1,\"say \"\"a3\"\"\"," 3,c,33 4,d,4 &&
		test_member_is rows.read 7 json &&
		test_member_is rows.superseded 2 json &&
		test_member_is rows.no_action 1 json &&
		test_member_is warnings "[]" json || return 1
	done
EOT

test_expect_success 'events within schema and payload' - <<\EOT
	perl -ne 'chomp; next if !/\S/;
		print "{\"schema\":{\"type\":\"struct\"},\"payload\":$_}\n"' \
		events.jsonl >wrapped && mv wrapped events.jsonl &&
	new_table && apply &&
	test_rows_are t id,name,n "1,\"say \"\"a3\"\"\"," 3,c,33 4,d,4
EOT

test_expect_success 'from standard input, _ts_ms decides' - <<\EOT
	new_table &&
	rowmerge merge -q --format debezium --bind s=- \
		--keep-latest-by at -e "MERGE INTO t USING
		(SELECT id, name, n, _op, _ts_ms AS at FROM s) s
		ON t.id = s.id WHEN MATCHED AND s._op = 'd' THEN DELETE
		WHEN MATCHED THEN UPDATE SET n = s.n" <events.jsonl &&
	test_rows_are t id,name,n 1,a, 3,c,33
EOT

test_expect_success 'what is no change of a row is refused' - <<\EOT
	new_table && test_files t >before &&
	for line in '{"op":"t","before":null,"after":null}' '{"id":1}' \
		'{"op":"d","before":null,"after":null}' '[1]' '{"op":"u"' \
		'{"op":"u","before":null,"after":null}' \
		'{"op":"m","message":{}}'
	do
		printf '%s\n%s\n' \
			'{"after":{"id":1,"name":"x","n":1},"op":"u"}' \
			"$line" >events.jsonl &&
		test_refused 3 CAST rowmerge merge --format debezium \
			--bind s=events.jsonl -e "$APPLY" &&
		test_grep "events.jsonl:2" err || return 1
	done &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'only where a spec is merged' - <<\EOT
	test_refused 2 USAGE rowmerge cat --format debezium t
EOT

test_expect_success 'what is no JSON Lines by its name is refused' - <<\EOT
	new_table && test_write_lines id,name,n,_op 1,a,1,u >events.csv &&
	echo '{"after":{"id":3,"name":"c","n":33},"op":"r"}' >events.jsonl &&
	cp events.jsonl hidden.csv &&
	test_refused 2 USAGE rowmerge merge --format debezium \
		--bind s=events.csv -e "$APPLY" &&
	test_grep "'events.csv' is none by its name" err &&
	test_grep "^hint: .*read_jsonl('events.csv')" err &&
	rowmerge cat t --format parquet >names.parquet &&
	test_refused 2 USAGE rowmerge merge --format debezium -e "
		MERGE INTO t USING (SELECT e.* FROM 'events.jsonl' e
			JOIN 'names.parquet' p ON e.id = p.id) s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET n = s.n" &&
	test_grep "^hint: .*read_parquet('names.parquet')" err &&
	rowmerge merge -q --format debezium -e "
		MERGE INTO t USING (SELECT e.* FROM read_jsonl('hidden.csv') e
			LEFT JOIN read_csv('events.csv') p ON e.id = p.id) s
		ON t.id = s.id
		WHEN MATCHED AND s._op = 'r' THEN UPDATE SET n = s.n" &&
	test_rows_are t id,name,n 1,a,1 2,b,2 3,c,33
EOT

test_expect_success 'an event about no row is set aside wherever it is' - <<\EOT
	for before in 1 2000
	do
		new_table && : >few.jsonl &&
		seq 10 $((before + 9)) | awk '{ print "{\"before\":null," \
			"\"after\":{\"id\":" $1 ",\"name\":\"x\",\"n\":1}," \
			"\"op\":\"c\",\"ts_ms\":1}" }' >few.jsonl &&
		echo '{"before":null,"after":null,"op":"z","ts_ms":2}' \
			>>few.jsonl &&
		test_refused 3 CAST rowmerge merge --format debezium \
			--bind s=few.jsonl -e "$APPLY" &&
		test_expect_code 4 rowmerge merge -q --format debezium \
			--rejects bad.jsonl --bind s=few.jsonl -e "$APPLY" &&
		tail -n 1 few.jsonl >wanted && test_cmp wanted bad.jsonl &&
		rowmerge show --json t >json &&
		test_member_is rows $((before + 3)) json || return 1
	done
EOT

test_done
