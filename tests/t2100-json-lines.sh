#!/bin/sh
test_description='JSON Lines as input and as output'
. "$(dirname "$0")/test-lib.sh"

COLUMNS='id BIGINT, name VARCHAR, price DECIMAL(38,2), day DATE, f DOUBLE,
	b BOOLEAN'

test_expect_success 'members are columns in any order and case' - <<\EOT
	rowmerge create -q --columns "$COLUMNS" t &&
	cat >in.jsonl <<-\EOF &&
	{"id":9007199254740993,"name":"a\u00e4","price":123456789012345678901234567890123456.78,"day":"1969-12-31","f":"NaN","b":true}

	{"B":false, "F":-0.0, "id":2, "NAME":"", "price":1e1}
	{"id":3,"name":null}
	EOF
	rowmerge load -q t in.jsonl &&
	test_rows_are t id,name,price,day,f,b \
		'2,"",10.00,,-0.0,false' 3,,,,, \
		9007199254740993,aä,123456789012345678901234567890123456.78,1969-12-31,NaN,true
EOT

test_expect_success 'what is printed as JSON Lines is read back' - <<\EOT
	rowmerge cat t --format jsonl >out.jsonl &&
	rowmerge create -q --columns "$COLUMNS" again &&
	rowmerge load -q again out.jsonl &&
	rowmerge cat again --format jsonl >again.jsonl &&
	sort out.jsonl >out && sort again.jsonl >again.sorted &&
	test_cmp out again.sorted
EOT

test_expect_success 'a NUL in text and in the key of a MAP is read back' - <<\EOT
	test_sql "CREATE TABLE nul (s VARCHAR, m MAP(VARCHAR, VARCHAR))" &&
	printf "%s\n" "{\"s\":\"a\\u0000b\",\"m\":{\"\\u0000\":\"\\u0000\",\"\":\"x\"}}" \
		>nul.jsonl &&
	rowmerge load -q nul nul.jsonl &&
	rowmerge cat nul --format jsonl >out && test_cmp nul.jsonl out &&
	rowmerge cat nul >nul.csv &&
	test_sql "DELETE FROM nul" && rowmerge load -q nul nul.csv &&
	rowmerge cat nul --format jsonl >out && test_cmp nul.jsonl out &&
	echo "{\"s\\u0000\":1}" >bad.jsonl &&
	test_refused 3 CAST rowmerge load nul bad.jsonl &&
	test_grep "bad.jsonl:1: malformed JSON: .u0000 in a name, at byte 5" err
EOT

test_expect_success 'a MERGE from .ndjson, packed, standard input, a glob' - <<\EOT
	test_sql "CREATE TABLE m (id INTEGER, v VARCHAR)" &&
	echo "{\"id\":1,\"v\":\"a\"}" >one.ndjson &&
	echo "{\"v\":\"b\",\"id\":2}" >two.ndjson &&
	merge="MERGE INTO m USING s ON m.id = s.id
		WHEN MATCHED THEN UPDATE SET *
		WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge merge -q --bind "s=*.ndjson" -e "$merge" &&
	test_rows_are m id,v 1,a 2,b &&
	sed "s/\"a\"/\"c\"/" one.ndjson | gzip >one.jsonl.gz &&
	rowmerge merge -q --bind s=one.jsonl.gz -e "$merge" &&
	test_rows_are m id,v 1,c 2,b &&
	rowmerge merge -q --bind s=- --format jsonl -e "$merge" <two.ndjson &&
	test_refused 3 BAD_CSV rowmerge merge --bind s=- -e "$merge" \
		<two.ndjson &&
	test_grep "hint: .*--format jsonl" err &&
	(printf "\357\273\277\n  " && cat two.ndjson) >marked &&
	test_refused 3 BAD_CSV rowmerge merge --bind s=marked --no-header \
		-e "$merge" &&
	test_grep "hint: .*--format jsonl" err &&
	test_write_lines "a,b\"" >no.csv &&
	test_refused 3 BAD_CSV rowmerge merge --bind s=no.csv -e "$merge" &&
	test_no_grep jsonl err &&
	rowmerge sql -q -e "INSERT INTO m SELECT id, v FROM
		read_jsonl('one.ndjson')" &&
	test_rows_are m id,v 1,a 1,c 2,b &&
	test_select "SELECT v FROM 'two.ndjson'" v b &&
	test_select "SELECT v FROM two" v b
EOT

test_expect_success 'a number whose fraction is zeros is a whole one' - <<\EOT
	test_sql "CREATE TABLE whole (id BIGINT, i INTEGER,
		r ROW(n INTEGER), v VARCHAR)" &&
	test_write_lines "{\"id\":80.0,\"i\":8.00,\"v\":1.0}" \
		"{\"id\":-0.0,\"r\":{\"n\":3.0},\"i\":null}" >whole.jsonl &&
	rowmerge load -q whole whole.jsonl &&
	test_rows_are whole id,i,r,v "0,,\"{\"\"n\"\":3}\"," 80,8,,1.0 &&
	for value in 80.5 "\"80.0\"" 2147483648.0
	do
		echo "{\"i\":$value}" >bad.jsonl &&
		test_refused 3 CAST rowmerge load whole bad.jsonl || return 1
	done &&
	test_grep "bad.jsonl:1: column i: .2147483648.0. does not" err &&
	test_write_lines id 80.0 >bad.csv &&
	test_refused 3 CAST rowmerge load whole bad.csv
EOT

test_expect_success 'rows that are wrong are refused with file, line and column' - <<\EOT
	rowmerge log t >before &&
	test_write_lines "{\"id\":1}" "{\"id\":1.5}" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:2: column id: '1.5' does not convert to BIGINT" err &&
	test_write_lines "{\"id\":1}" "" "{\"id\":1,\"ID\":1}" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:3: the member 'id' is there twice" err &&
	test_write_lines "{\"id\":1}" "{\"id\":1" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:2: malformed JSON" err &&
	test_write_lines "{\"id\":1}" "[1]" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	printf "{\"id\":1}\n{\"name\":\"\344\"}\n" >bad.jsonl &&
	test_refused 3 BAD_ENCODING rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:2" err &&
	: >bad.jsonl &&
	test_refused 3 BAD_CSV rowmerge load t bad.jsonl &&
	test_grep "the file is empty" err &&
	test_grep "hint: .*leave the run out when the file is empty" err &&
	test_write_lines "{}" "" "{}" >bad.jsonl &&
	test_refused 3 BAD_CSV rowmerge load t bad.jsonl &&
	test_grep "bad.jsonl:1: no line of the file has a member" err &&
	test_write_lines "{\"id\":1}" "{\"id\":9223372036854775808}" >bad.jsonl &&
	test_refused 3 CAST rowmerge load t bad.jsonl &&
	rowmerge log t >after && test_cmp before after
EOT

test_expect_success 'a member that first comes late is refused, not left out' - <<\EOT
	awk "BEGIN { for (i = 1; i <= 200000; i++)
		print \"{\\\"id\\\":\" i \",\\\"name\\\":\\\"some text\\\"}\" }" \
		>late.jsonl &&
	echo "{\"id\":0,\"price\":1}" >>late.jsonl &&
	test_refused 3 CAST rowmerge load t late.jsonl &&
	test_grep "late.jsonl:200001: the member 'price' is in no record" err
EOT

test_expect_success 'a column that the table lacks, and one that a spec needs' - <<\EOT
	echo "{\"id\":1,\"w\":2}" >more.jsonl &&
	test_refused 2 UNKNOWN_COLUMN rowmerge load m more.jsonl &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=more.jsonl \
		-e "MERGE INTO m USING s ON m.id = s.id
			WHEN MATCHED THEN UPDATE SET v = s.v" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind v=more.jsonl \
		-e "MERGE INTO m USING v ON m.id = v.id
			WHEN MATCHED THEN UPDATE SET v = v.v" &&
	test_grep "the source v (more.jsonl) has no column v" err &&
	rowmerge merge -q --bind s=more.jsonl -e "MERGE INTO m USING s
		ON m.id = s.id AND m.v = 'a'
		WHEN MATCHED THEN UPDATE SET v = s.w" &&
	test_rows_are m id,v 1,2 1,c 2,b
EOT

DELETES='MERGE INTO n USING s ON n.id = s.id
	WHEN MATCHED AND s.deleted = true THEN DELETE
	WHEN MATCHED THEN UPDATE SET v = s.v
	WHEN NOT MATCHED AND s.deleted IS NOT TRUE THEN
		INSERT (id, v) VALUES (s.id, s.v)'

test_expect_success 'a night without deletes: a declared column is NULL' - <<\EOT
	test_sql "CREATE TABLE n (id BIGINT, v VARCHAR)" &&
	test_write_lines "{\"id\":1,\"v\":\"a\"}" "{\"id\":2,\"v\":\"b\"}" \
		>night.jsonl &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=night.jsonl \
		-e "$DELETES" &&
	test_grep "hint: .*id, v; .*--types .deleted TYPE." err &&
	rowmerge merge --bind s=night.jsonl --types "deleted BOOLEAN" \
		-e "$DELETES" 2>err &&
	test_grep "warning: no record at the start of night.jsonl has deleted" \
		err && test_rows_are n id,v 1,a 2,b &&
	rowmerge merge -q --bind s=- --format jsonl --columns "id, v, deleted" \
		-e "$DELETES" <night.jsonl 2>err && test ! -s err &&
	sed "1s/}/,\"deleted\":true}/" night.jsonl >more.jsonl &&
	rowmerge merge --bind s=more.jsonl --types "deleted BOOLEAN" \
		-e "$DELETES" 2>err && test_no_grep "no record" err &&
	test_rows_are n id,v 2,b &&
	test_select "SELECT id, deleted, r FROM read_jsonl('night.jsonl',
		columns => 'id BIGINT, deleted BOOLEAN, r ROW(x DATE)')" \
		id,deleted,r 1,, 2,,
EOT

test_expect_success 'a declared column: files read again, and what has none' - <<\EOT
	cat night.jsonl night.jsonl >twice.jsonl &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		--bind s=twice.jsonl --types "deleted BOOLEAN" -e "$DELETES" &&
	test_grep "twice.jsonl:2.*twice.jsonl:4" err &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=night.jsonl \
		--types deleted -e "$DELETES" &&
	test_grep "hint: .*needs a type" err &&
	echo id,v >night.csv &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge --bind s=night.csv \
		--types "deleted BOOLEAN" -e "$DELETES" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge load n night.jsonl \
		--types "w BIGINT" &&
	rowmerge create --like night.jsonl --dry-run --types "deleted BOOLEAN" \
		like >ddl && test_grep "v VARCHAR," ddl &&
	test_grep "deleted BOOLEAN$" ddl
EOT

test_expect_success 'options of CSV, and formats that are not read' - <<\EOT
	test_refused 2 UNSUPPORTED rowmerge sql \
		-e "SELECT * FROM read_jsonl('in.jsonl', delimiter => ';')" &&
	cp in.jsonl in.json &&
	test_refused 2 UNSUPPORTED rowmerge load t in.json &&
	test_write_lines nothing "{\"v\":1}" >skip.jsonl &&
	test_select "SELECT v FROM read_jsonl('skip.jsonl', skip_lines => 1)" \
		v 1
EOT

test_done
