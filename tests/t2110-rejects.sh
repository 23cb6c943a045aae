#!/bin/sh
test_description='rows that cannot be read are set aside, whole and with reasons'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET v = s.v
	WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)'

new_table () {
	test_sql "CREATE OR REPLACE TABLE t (id INTEGER, v VARCHAR)" &&
	rm -f bad bad.*
}

# set_aside OPTIONS: merges s.csv with rejects, status 4
set_aside () {
	new_table &&
	test_expect_code 4 rowmerge merge --json --bind s=s.csv \
		--rejects bad "$@" -e "$UPSERT" >json 2>err
}

# reasons CODE@LINE...: what the second file says
reasons_are () {
	test_write_lines "$@" >wanted &&
	sed "s/.*\"line\": \([0-9]*\),.*\"code\": \"\([A-Z_]*\)\".*/\2@\1/" \
		bad.reasons.jsonl >got &&
	test_cmp wanted got
}

test_expect_success 'a value that does not convert' - <<\EOT
	test_write_lines id,v 1,a 2x,b 3,c >s.csv && set_aside &&
	test_rows_are t id,v 1,a 3,c &&
	test_write_lines id,v 2x,b >wanted && test_cmp wanted bad &&
	reasons_are CAST@3 &&
	test_grep "\"file\": \"s.csv\"" bad.reasons.jsonl &&
	test_grep "\"column\": \"id\"" bad.reasons.jsonl &&
	test_grep "\"offset\": 5, \"length\": 5" bad.reasons.jsonl &&
	test_grep "1 of 3 rows was rejected" err &&
	test_member_is rows.rejected 1 json &&
	test_member_is rows.read 3 json && test_member_is rows.inserted 2 json
EOT

test_expect_success 'rows of another length, and their neighbours' - <<\EOT
	test_write_lines id,v 1,a 2 3,c,d "" 4,d , >s.csv && set_aside &&
	test_rows_are t id,v , 1,a 4,d &&
	test_write_lines id,v 2 3,c,d >wanted && test_cmp wanted bad &&
	reasons_are RAGGED_ROW@3 RAGGED_ROW@4
EOT

test_expect_success 'wrong quotes: the line that is wrong ends the record' - <<\EOT
	test_write_lines id,v 1,a '2,x"y' 3,c '4,"p' '5,q" r' 6,f \
		'7,"two' 'lines"' >s.csv && set_aside &&
	printf "id,v\n1,a\n3,c\n6,f\n7,\"two\nlines\"\n" >wanted &&
	rowmerge cat t --where "id < 7" >got &&
	test_write_lines id,v 1,a 3,c 6,f >wanted && test_cmp wanted got &&
	test_write_lines id,v '2,x"y' '4,"p' '5,q" r' >wanted &&
	test_cmp wanted bad && reasons_are BAD_CSV@3 BAD_CSV@6
EOT

test_expect_success 'a quote left open takes all that follows' - <<\EOT
	test_write_lines id,v 1,a '2,"b' 3,c 4,d >s.csv && set_aside &&
	test_rows_are t id,v 1,a &&
	test_write_lines id,v '2,"b' 3,c 4,d >wanted && test_cmp wanted bad &&
	reasons_are BAD_CSV@3
EOT

test_expect_success 'line ends, a mark and a missing last line end are kept' - <<\EOT
	printf "\357\273\277id,v\r\n1,a\r\nx,b\r\n2,c\r\ny,d" >s.csv &&
	set_aside && test_rows_are t id,v 1,a 2,c &&
	printf "\357\273\277id,v\r\nx,b\r\ny,d" >wanted && test_cmp wanted bad
EOT

test_expect_success 'bytes that are not UTF-8, and only in columns in use' - <<\EOT
	printf "id,v,w\n1,a\377,x\n2,b,\377\n3,c,\n" >s.csv && set_aside &&
	test_rows_are t id,v 2,b 3,c && reasons_are BAD_ENCODING@2 &&
	printf "id,v,w\n1,a\377,x\n" >wanted && test_cmp wanted bad
EOT

test_expect_success 'in another encoding they are kept in it' - <<\EOT
	printf "id,v\n1,caf\351\nx,th\351\n" >s.csv &&
	set_aside --encoding latin1 &&
	printf "id,v\n1,caf\303\251\n" >wanted && rowmerge cat t >got &&
	test_cmp wanted got &&
	printf "id,v\nx,th\351\n" >wanted && test_cmp wanted bad &&
	printf "id,v\n1,a\n2,b\nx,c\n" | iconv -f UTF-8 -t UTF-16 >s.csv &&
	set_aside --encoding utf-16 && test_rows_are t id,v 1,a 2,b &&
	iconv -f UTF-16 -t UTF-8 bad >got &&
	test_write_lines id,v x,c >wanted && test_cmp wanted got
EOT

test_expect_success 'a byte that the encoding lacks is BAD_ENCODING' - <<\EOT
	printf "id,v\n1,a\n2,b\201\n" >s.csv &&
	set_aside --encoding windows-1252 && reasons_are BAD_ENCODING@3 &&
	test_grep "byte 0x81" bad.reasons.jsonl &&
	printf "id,v\n2,b\201\n" >wanted && test_cmp wanted bad
EOT

test_expect_success 'JSON Lines' - <<\EOT
	new_table &&
	test_write_lines "{\"id\":1,\"v\":\"a\"}" "{\"id\":\"x\"}" "{id:2}" \
		"[]" "" "{\"id\":4}" >s.jsonl &&
	test_expect_code 4 rowmerge load -q --rejects bad t s.jsonl &&
	test_rows_are t id,v 1,a 4, &&
	test_write_lines "{\"id\":\"x\"}" "{id:2}" "[]" >wanted &&
	test_cmp wanted bad && reasons_are CAST@2 CAST@3 CAST@4
EOT

test_expect_success 'several files, each with its head' - <<\EOT
	new_table && mkdir in &&
	test_write_lines id,v x,1 1,a >in/a.csv &&
	test_write_lines id,v y,2 >in/b.csv &&
	test_write_lines v,id c,3 d,z >in/c.csv &&
	test_expect_code 4 rowmerge load -q --rejects bad t "in/*.csv" &&
	test_rows_are t id,v 1,a 3,c &&
	test_write_lines id,v x,1 y,2 v,id d,z >wanted && test_cmp wanted bad &&
	reasons_are CAST@2 CAST@2 CAST@3
EOT

cat >rows.awk <<\EOT
BEGIN {
	print "id,v"
	for (i = 0; i < 400000; i++) {
		id = i % 1000 == 7 ? "x" i : i
		v = "some text to fill " i
		if (i % 5000 == 11)
			v = "\"" i "\nb\""
		else if (i % 7001 == 3)
			v = "a,b"
		print id "," v
	}
}
EOT

test_expect_success 'the same by any number of threads' - <<\EOT
	awk -f rows.awk >s.csv &&
	set_aside --threads 1 && rm -rf one && mkdir one && mv bad* one &&
	set_aside --threads 4 && test_cmp one/bad bad &&
	test_cmp one/bad.reasons.jsonl bad.reasons.jsonl &&
	test $(wc -l <bad.reasons.jsonl) -gt 400
EOT

cat >lines.pl <<\EOT
for my $i (1 .. 150000) {
	my $v = $i % 900 == 5 ? "\"caf\\u00e9 $i\"" : "\"text $i\"";
	print $i % 1000 == 7 ? "{\"id\":\"x$i\",\"v\":$v}" :
		$i % 3001 == 11 ? "{\"id\":$i,\"v\":$v" :
		"{\"id\":$i,\"v\":$v}", $i % 2 ? "\n" : "\r\n";
}
EOT

test_expect_success 'JSON Lines, and several packed files, too' - <<\EOT
	perl lines.pl >s.jsonl && rm -rf many && mkdir many &&
	for part in 1 2 3
	do
		awk -f rows.awk | sed -n "1p; ${part}00000,+60000p" |
			gzip -1 >many/$part.csv.gz || return 1
	done &&
	for input in s.jsonl "many/*.csv.gz"
	do
		for threads in 1 2 5
		do
			new_table && mkdir -p by$threads &&
			test_expect_code 4 rowmerge load -q --threads $threads \
				--rejects bad t "$input" &&
			mv bad bad.reasons.jsonl by$threads || return 1
		done &&
		test $(wc -l <by1/bad.reasons.jsonl) -gt 150 &&
		diff -r by1 by2 && diff -r by1 by5 || return 1
	done
EOT

test_expect_success '--max-rejects: refused, and the files stay' - <<\EOT
	new_table && test_write_lines id,v a, b, 1,x c, d, >s.csv &&
	rowmerge log t >before &&
	test_expect_code 3 rowmerge merge --bind s=s.csv --rejects bad \
		--max-rejects 2 -e "$UPSERT" 2>err &&
	test_grep "REJECT_LIMIT" err && rowmerge log t >after &&
	test_cmp before after &&
	test_write_lines id,v a, b, c, >wanted && test_cmp wanted bad &&
	reasons_are CAST@2 CAST@3 CAST@5 &&
	set_aside --max-rejects 4 && test_rows_are t id,v 1,x
EOT

test_expect_success 'a BY SOURCE clause needs all rows' - <<\EOT
	new_table && test_sql "INSERT INTO t VALUES (1, '0'), (2, '0')" &&
	test_write_lines id,v 1,x 2y,z >s.csv &&
	DELETE="$UPSERT WHEN NOT MATCHED BY SOURCE THEN DELETE" &&
	test_expect_code 5 rowmerge merge --bind s=s.csv --rejects bad \
		-e "$DELETE" 2>err &&
	test_grep GUARD_REJECTS err && test_grep "s.csv:3" err &&
	test ! -e bad && test_rows_are t id,v 1,0 2,0 &&
	test_expect_code 5 rowmerge merge --bind s=s.csv --rejects bad \
		-e "$UPSERT WHEN NOT MATCHED BY SOURCE AND EXISTS
		(SELECT 1 FROM t x WHERE x.id <> t.id) THEN DELETE" 2>err &&
	test_grep GUARD_REJECTS err && test_rows_are t id,v 1,0 2,0 &&
	test_expect_code 4 rowmerge merge -q --bind s=s.csv --rejects bad \
		--rejects-are-absent -e "$DELETE" &&
	test_rows_are t id,v 1,x && reasons_are CAST@3
EOT

test_expect_success 'a file read twice gives its rows once' - <<\EOT
	new_table && test_write_lines id,v 1,a x,b 2,c >s.csv &&
	test_expect_code 4 rowmerge merge --json --bind s=s.csv --bind u=s.csv \
		--rejects bad -e "MERGE INTO t USING (SELECT id, v FROM s
		UNION ALL SELECT id + 10, v FROM u) q ON t.id = q.id
		WHEN NOT MATCHED THEN INSERT (id, v) VALUES (id, v)" >json &&
	test_rows_are t id,v 1,a 11,a 12,c 2,c && reasons_are CAST@3 &&
	test_member_is rows.rejected 1 json
EOT

test_expect_success 'no rejects: status 0, both files are there' - <<\EOT
	new_table && test_write_lines id,v 1,a >s.csv && echo old >bad &&
	rowmerge merge -q --bind s=s.csv --rejects bad -e "$UPSERT" &&
	test_write_lines id,v >wanted && test_cmp wanted bad &&
	test ! -s bad.reasons.jsonl
EOT

test_expect_success 'other failures leave no files' - <<\EOT
	new_table && test_write_lines id,v 1,a x,b 1,c >s.csv &&
	test_expect_code 3 rowmerge merge --bind s=s.csv --rejects bad \
		-e "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED
		THEN INSERT (id, v) VALUES (s.id / 0, s.v)" 2>err &&
	test_grep DIVISION_BY_ZERO err && test ! -e bad &&
	ls >files && ! grep tmp files
EOT

test_expect_success 'the options alone, and files that are none' - <<\EOT
	test_refused 2 USAGE rowmerge load --max-rejects 3 t s.csv &&
	test_refused 2 USAGE rowmerge load --rejects-are-absent t s.csv &&
	test_refused 2 USAGE rowmerge load --rejects /dev/null t s.csv &&
	test_refused 2 USAGE rowmerge load --rejects s.csv t s.csv &&
	test_refused 1 IO rowmerge load --rejects none/bad t s.csv
EOT

test_expect_success 'nested values around rows that are set aside' - <<\EOT
	cat >deep.awk <<-\END &&
	function quoted(text) {
		gsub(/"/, "\"\"", text)
		return "\"" text "\""
	}
	BEGIN {
		if (form == "csv")
			print "id,r,l,m,v"
		for (i = 1; i <= 5000; i++) {
			good = i % 7 != 3 && i % 11 != 4 && i % 13 != 6 &&
				i % 17 != 9 && i % 19 != 8
			r = i % 5 ? "{\"a\":" i "}" : "null"
			if (i % 7 == 3)
				r = "{\"a\":x}"
			else if (i % 11 == 4)
				r = "{\"b\":1}"
			m = i % 19 == 8 ? "{\"k\":1,\"k\":2}" : "{\"k\":" i "}"
			l = i % 13 == 6 ? "[1," : "[" i ",null]"
			v = i % 17 == 9 ? "x" : i
			if (form == "csv")
				print i "," quoted(r) "," quoted(l) "," \
					quoted(m) "," v
			else if (form == "jsonl")
				printf "{\"id\":%d,\"r\":%s,%s,\"v\":\"%s\"}\n",
					i, r, "\"l\":" l ",\"m\":" m, v
			else if (good)
				print i "," (i % 5 ? i : "") "," i "," i "," i
		}
	}
	END
	awk -v form=wanted -f deep.awk >wanted &&
	for form in csv jsonl
	do
		awk -v form=$form -f deep.awk >deep.$form &&
		for threads in 1 3
		do
			test_sql "CREATE OR REPLACE TABLE deep (id INTEGER,
				r ROW(a INTEGER), l ARRAY(INTEGER),
				m MAP(VARCHAR, INTEGER), v INTEGER)" &&
			rm -f bad bad.* &&
			test_expect_code 4 rowmerge merge -q --rejects bad \
				--threads $threads --bind s=deep.$form \
				-e "MERGE INTO deep t USING s ON t.id = s.id
				WHEN NOT MATCHED THEN INSERT *" &&
			rowmerge sql -e "SELECT id, r.a, l[1], m['k'], v
				FROM deep ORDER BY id" | sed 1d >got &&
			test_cmp wanted got || return 1
		done
	done
EOT

test_expect_success 'a dry run writes them, a run that fails does not' - <<\EOT
	test_write_lines id,v x,a 1,b >s.csv && set_aside &&
	test_write_lines id,v y,a z,b 1,c >s.csv &&
	test_expect_code 4 rowmerge merge -q --dry-run --bind s=s.csv \
		--rejects bad -e "$UPSERT" &&
	test_write_lines id,v y,a z,b >kept && test_cmp kept bad &&
	reasons_are CAST@2 CAST@3 && test_rows_are t id,v 1,b &&
	test_write_lines id,v w,a 1,b 1,c >s.csv &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge \
		--bind s=s.csv --rejects bad -e "$UPSERT" &&
	test_cmp kept bad && reasons_are CAST@2 CAST@3 &&
	test_refused 3 REJECT_LIMIT rowmerge merge --bind s=s.csv \
		--rejects bad --max-rejects 0 -e "$UPSERT" &&
	test_write_lines id,v w,a >kept && test_cmp kept bad &&
	reasons_are CAST@2 && test_rows_are t id,v 1,b
EOT

# hints CODE RECORD...: a second line is refused, and --rejects is named
hints () {
	code=$1 &&
	shift &&
	test_write_lines "$@" >$file &&
	test_refused 3 $code rowmerge load t $file &&
	test_grep "^hint: .*--rejects FILE sets rows aside" err &&
	rm $file
}

test_expect_success 'without it the refusal names it' - <<\EOT
	new_table && file=h.csv &&
	hints CAST id,v x,a && hints RAGGED_ROW id,v 1,a,b &&
	hints BAD_CSV id,v '1,"b' &&
	hints BAD_ENCODING id,v "$(printf "1,\377")" &&
	test_grep "^hint: say which encoding .*; --rejects" err &&
	file=h.jsonl &&
	hints CAST '{"id":1}' '{"id":"x"}' && hints CAST '{"id":' &&
	hints BAD_ENCODING '{"id":1}' "$(printf "{\"v\":\"\377\"}")" &&
	test_write_lines id,v x,a >s.csv &&
	test_refused 3 CAST rowmerge merge --bind s=s.csv -e "$UPSERT" &&
	test_grep "^hint: --rejects FILE" err
EOT

test_expect_success 'but not where it is no help' - <<\EOT
	test_write_lines id,v x,a >s.csv &&
	test_refused 3 CAST rowmerge sql -e "INSERT INTO t
		SELECT CAST(v AS INTEGER), v FROM 's.csv'" &&
	test_no_grep rejects err &&
	printf "i\377,v\n1,a\n" >h.csv &&
	test_refused 3 BAD_ENCODING rowmerge load t h.csv &&
	test_no_grep rejects err &&
	test_refused 3 CAST rowmerge explain --rows --bind s=s.csv \
		-e "$UPSERT" && test_no_grep rejects err &&
	test_refused 3 REJECT_LIMIT rowmerge merge --bind s=s.csv \
		--rejects bad --max-rejects 0 -e "$UPSERT" &&
	test_no_grep "rejects FILE" err
EOT

test_done
