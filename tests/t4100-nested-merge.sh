#!/bin/sh
test_description='MERGE writes ROW, ARRAY and MAP columns, whole and by field'
. "$(dirname "$0")/test-lib.sh"

# the rows as JSON Lines, so that quoting does not hide them
rows_are () {
	rowmerge cat --format jsonl "$1" >rows.out || return 1
	shift
	test_write_lines "$@" | sort >rows.wanted
	sort rows.out >rows.sorted
	test_cmp rows.wanted rows.sorted
}

test_expect_success 'a table with nested columns, and its first rows' - <<\EOT
	test_sql "CREATE TABLE shop (id BIGINT NOT NULL,
		addr ROW(street VARCHAR, zip INTEGER NOT NULL,
			geo STRUCT<lat: DOUBLE, lon: DOUBLE>),
		tags ARRAY(VARCHAR), stock MAP(VARCHAR, INTEGER),
		PRIMARY KEY (id))" &&
	rowmerge merge -q -e "INSERT INTO shop VALUES
		(1, ROW('High St', 5, NULL), ARRAY['x'],
		 MAP(ARRAY['apple'], ARRAY[1])),
		(2, NULL, ARRAY[], MAP()),
		(3, ROW(NULL, 7, ROW(1, -2.5)), ARRAY['a', NULL, ''], NULL)" &&
	rows_are shop \
'{"id":1,"addr":{"street":"High St","zip":5,"geo":null},"tags":["x"],"stock":{"apple":1}}' \
'{"id":2,"addr":null,"tags":[],"stock":{}}' \
'{"id":3,"addr":{"street":null,"zip":7,"geo":{"lat":1.0,"lon":-2.5}},"tags":["a",null,""],"stock":null}' &&
	test_table_sane shop
EOT

test_expect_success 'fields are set beside the others' - <<\EOT
	test_write_lines id,street,tag,n 1,"Low St",y,4 3,,z,0 8,New,, >in.csv &&
	rowmerge merge -q --bind s=in.csv -e "MERGE INTO shop t USING s
		ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET addr.street = s.street,
			addr.geo.lat = COALESCE(addr.geo.lat, 0) + 1,
			tags = t.tags || s.tag,
			stock = MAP(ARRAY['apple', 'pear'],
				ARRAY[element_at(stock, 'apple'), s.n])
		WHEN NOT MATCHED THEN INSERT (id, addr, tags)
			VALUES (s.id, ROW(s.street, 99, NULL), ARRAY[s.tag])" &&
	rows_are shop \
'{"id":1,"addr":{"street":"Low St","zip":5,"geo":{"lat":1.0,"lon":null}},"tags":["x","y"],"stock":{"apple":1,"pear":4}}' \
'{"id":2,"addr":null,"tags":[],"stock":{}}' \
'{"id":3,"addr":{"street":null,"zip":7,"geo":{"lat":2.0,"lon":-2.5}},"tags":["a",null,"","z"],"stock":{"apple":null,"pear":0}}' \
'{"id":8,"addr":{"street":"New","zip":99,"geo":null},"tags":[null],"stock":null}' &&
	test_table_sane shop
EOT

test_expect_success 'a NULL row becomes a row when a field is set' - <<\EOT
	test_refused 3 NOT_NULL rowmerge merge -e \
		"UPDATE shop SET addr.street = 'q' WHERE id = 2" &&
	test_grep "addr.zip" err &&
	rowmerge merge -q -e "UPDATE shop SET addr.zip = 1 WHERE id = 2" &&
	test_select "SELECT addr.street IS NULL AS s, addr.zip AS z,
		addr.geo IS NULL AS g FROM shop WHERE id = 2" s,z,g true,1,true
EOT

test_expect_success 'what is NOT NULL inside is never lost' - <<\EOT
	test_files shop >before &&
	test_refused 3 NOT_NULL rowmerge merge -e \
		"UPDATE shop SET addr.zip = NULLIF(id, 8)" &&
	test_refused 3 NOT_NULL rowmerge merge -e \
		"UPDATE shop SET addr = ROW('a', NULL, NULL)" &&
	test_refused 3 NOT_NULL rowmerge merge -e \
		"INSERT INTO shop SELECT 9, ROW('a', NULLIF(1, 1), NULL), NULL,
		NULL" &&
	test_refused 2 DUPLICATE_ASSIGNMENT rowmerge merge -e \
		"UPDATE shop SET addr.zip = 1, addr = NULL" &&
	test_refused 2 UNKNOWN_COLUMN rowmerge merge -e \
		"UPDATE shop SET addr.zap = 1" &&
	test_grep "did you mean zip" err &&
	test_refused 2 TYPE_MISMATCH rowmerge merge -e \
		"UPDATE shop SET addr = '{}'" &&
	test_files shop >after && test_cmp before after
EOT

test_expect_success 'JSON text of a CSV column becomes the value' - <<\EOT
	cat >in.csv <<-\EOF &&
	id,addr,tags,stock
	1,"{""street"":""json"",""zip"":9}","[""p"",""q""]","{""a"":1,""b"":null}"
	8,,,
	EOF
	rowmerge merge -q --bind s=in.csv -e "MERGE INTO shop t USING s
		ON t.id = s.id WHEN MATCHED AND t.addr IS DISTINCT FROM s.addr
		THEN UPDATE SET addr = s.addr, tags = s.tags, stock = s.stock
		WHEN NOT MATCHED BY SOURCE THEN DELETE" &&
	rows_are shop \
'{"id":1,"addr":{"street":"json","zip":9,"geo":null},"tags":["p","q"],"stock":{"a":1,"b":null}}' \
'{"id":8,"addr":null,"tags":null,"stock":null}' &&
	test_table_sane shop
EOT

test_expect_success 'nested keys match as = does: not with a NULL inside' - <<\EOT
	test_sql "CREATE TABLE k (r ROW(a INTEGER, b VARCHAR), l ARRAY(INTEGER),
		n INTEGER);
		INSERT INTO k VALUES ((1, 'x'), ARRAY[1, 2], 0),
			((1, NULL), ARRAY[1, NULL], 0), (NULL, NULL, 0)" &&
	rowmerge merge -q -e "MERGE INTO k USING (VALUES
		(ROW(1, 'x'), ARRAY[1]), (ROW(1, NULL), ARRAY[2])) s(r, l)
		ON k.r = s.r WHEN MATCHED THEN UPDATE SET n = k.n + 1" &&
	test_select "SELECT n FROM k WHERE r = (1, 'x')" n 1 &&
	test_select "SELECT n FROM k WHERE n > 0" n 1 &&
	rowmerge merge -q -e "MERGE INTO k USING (VALUES
		(ROW(1, NULL), ARRAY[1, NULL]), (NULL, NULL)) s(r, l)
		ON k.r IS NOT DISTINCT FROM s.r AND
		   k.l IS NOT DISTINCT FROM s.l
		WHEN MATCHED THEN UPDATE SET n = k.n + 10" &&
	test_select "SELECT n FROM k WHERE n >= 10 AND r.b IS NULL" n 10 10 &&
	test_refused 3 MERGE_TARGET_ROW_MULTIPLE_MATCHES rowmerge merge -e "
		MERGE INTO k USING (VALUES ROW(ARRAY[1, 2], 1), (ARRAY[1, 2], 2))
		s(l, m) ON k.l = s.l WHEN MATCHED THEN DELETE" &&
	test_table_sane k
EOT

test_expect_success 'rows of values are keys of several columns' - <<\EOT
	test_sql "CREATE TABLE p (a INTEGER, b VARCHAR, n INTEGER);
		INSERT INTO p VALUES (1, 'x', 0), (1, 'y', 0), (2, NULL, 0)" &&
	test_write_lines a,b,n 1,y,5 2,,6 >in.csv &&
	rowmerge merge -q --bind s=in.csv -e "MERGE INTO p USING s
		ON (p.a, p.b) = (s.a, s.b) WHEN MATCHED THEN UPDATE SET n = s.n
		WHEN NOT MATCHED THEN INSERT *" &&
	test_rows_are p a,b,n 1,x,0 1,y,5 2,,0 2,,6
EOT

test_expect_success 'an error names the row, the table stays' - <<\EOT
	test_files p >before &&
	test_refused 3 BAD_ARGUMENT rowmerge merge -e \
		"UPDATE p SET n = ARRAY[1, 2][a + 1]" &&
	test_grep "subscript 3 of an ARRAY with 2 elements" err &&
	test_refused 3 BAD_ARGUMENT rowmerge merge -e \
		"UPDATE p SET n = MAP(ARRAY[1], ARRAY[2])[a]" &&
	test_refused 3 CAST rowmerge merge -e \
		"UPDATE p SET n = CAST(ARRAY[b] AS ARRAY(INTEGER))[1]" &&
	test_files p >after && test_cmp before after
EOT

for mode in merge-on-read copy-on-write
do
test_expect_success "a field that partitions is set, $mode" - <<EOT
	rm -rf part &&
	test_sql "CREATE TABLE part (id INTEGER, r ROW(a INTEGER, b VARCHAR NOT
		NULL), l ARRAY(ROW(x INTEGER, y VARCHAR)), n INTEGER)
		PARTITIONED BY (r.a) WRITE ORDERED BY id DESC" &&
	rowmerge merge -q -e "INSERT INTO part VALUES
		(1, (1, 'x'), ARRAY[(1, 'p'), (2, NULL)], 0),
		(2, (2, 'y'), NULL, 0), (3, NULL, ARRAY[], 0)" &&
	rowmerge merge -q --mode $mode -e "UPDATE part SET r.a = r.a + 1,
		l = l || (9, 'q') WHERE id = 1" &&
	rowmerge merge -q --mode $mode -e "UPDATE part SET n = n + 1" &&
	rows_are part \
'{"id":1,"r":{"a":2,"b":"x"},"l":[{"x":1,"y":"p"},{"x":2,"y":null},{"x":9,"y":"q"}],"n":1}' \
'{"id":2,"r":{"a":2,"b":"y"},"l":null,"n":1}' \
'{"id":3,"r":null,"l":[],"n":1}' &&
	rowmerge merge -q --mode $mode -e "DELETE FROM part
		WHERE r.a = 2 AND contains(l, (9, 'q'))" &&
	test_select "SELECT id FROM part WHERE n = 1 AND r.a = 2" id 2 &&
	test_table_sane part
EOT
done

test_expect_success 'CREATE TABLE AS takes nested columns with names' - <<\EOT
	test_sql "CREATE TABLE c AS SELECT id, addr.zip AS zip,
		CAST(ROW(id, tags) AS ROW(i BIGINT, t ARRAY(VARCHAR))) AS r
		FROM shop" &&
	rows_are c '{"id":1,"zip":9,"r":{"i":1,"t":["p","q"]}}' \
		'{"id":8,"zip":null,"r":{"i":8,"t":null}}' &&
	test_refused 2 SYNTAX rowmerge sql -e \
		"CREATE TABLE d AS SELECT ROW(1) AS r" &&
	test_refused 2 UNKNOWN_TABLE rowmerge show d &&
	test_table_sane c
EOT
test_done
