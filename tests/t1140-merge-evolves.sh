#!/bin/sh
test_description='MERGE and INSERT WITH SCHEMA EVOLUTION bring columns along'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a star adds what the batch has more, as one version' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR,
			kept VARCHAR DEFAULT 'd', PRIMARY KEY (id));
		INSERT INTO t (id, name) VALUES (1, 'one'), (2, 'two')" &&
	test_write_lines id,Name,note 2,zwei,n2 3,drei, >in.csv &&
	rowmerge merge --json --bind s=in.csv -e "MERGE WITH SCHEMA EVOLUTION
		INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET *
		WHEN NOT MATCHED THEN INSERT *" >json &&
	test_member_is version '{"after":3,"before":2}' json &&
	test_member_is added_columns '["note"]' json &&
	test_rows_are t id,name,kept,note 1,one,d, 2,zwei,d,n2 3,drei,d, &&
	rowmerge show t >out && test_grep "4  note VARCHAR$" out &&
	rowmerge cat --at 2 t >out && test_write_lines id,name,kept \
		1,one,d 2,two,d >wanted && test_cmp wanted out &&
	test_table_sane t
EOT

test_expect_success 'types are those of the query; names pick columns' - <<\EOT
	test_write_lines id,day,price,other 1,2024-02-29,1.50,x >in.csv &&
	test_sql "MERGE WITH SCHEMA EVOLUTION INTO t x USING (
			SELECT CAST(id AS BIGINT) AS id,
				CAST(day AS DATE) AS day,
				CAST(price AS DECIMAL(8,2)) AS price, other
			FROM 'in.csv') s ON x.id = s.id
		WHEN MATCHED THEN UPDATE SET x.day = s.day, price = s.price * 2
		WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)" &&
	rowmerge show t >out &&
	test_grep "5  day DATE" out && test_grep "6  price DECIMAL(8,2)" out &&
	test_no_grep other out &&
	test_rows_are t id,name,kept,note,day,price 1,one,d,,2024-02-29,3.00 \
		2,zwei,d,n2,, 3,drei,d,,,
EOT

test_expect_success 'without the words the same is cut or refused' - <<\EOT
	test_write_lines id,name,kept,note,day,price,more \
		9,neun,k,n,2024-01-01,1,m >in.csv &&
	test_sql "MERGE INTO t USING 'in.csv' s ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge show t >out && test_no_grep more out &&
	test_refused 2 UNKNOWN_COLUMN rowmerge sql -e "MERGE INTO t
		USING 'in.csv' s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET more = s.more"
EOT

test_expect_success 'a run that fails adds nothing' - <<\EOT
	test_files t >before &&
	test_write_lines id,extra 1,a 1,b >in.csv &&
	test_expect_code 3 rowmerge sql -e "MERGE WITH SCHEMA EVOLUTION INTO t
		USING 'in.csv' s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET *" 2>err &&
	rowmerge sql -q --dry-run -e "MERGE WITH SCHEMA EVOLUTION INTO t
		USING (SELECT 5 AS id, 'x' AS extra) s ON t.id = s.id
		WHEN NOT MATCHED THEN INSERT *" &&
	test_files t >after && test_cmp before after
EOT

test_expect_success 'INSERT adds what its query has more' - <<\EOT
	test_sql "CREATE TABLE i (id BIGINT);
		INSERT WITH SCHEMA EVOLUTION INTO i
			SELECT 1, CAST('2024-02-29' AS DATE) AS day;
		INSERT WITH SCHEMA EVOLUTION INTO i (day, id, n)
			VALUES (DATE '1969-12-31', 2, 2.5)" &&
	test_rows_are i id,day,n 1,2024-02-29, 2,1969-12-31,2.5 &&
	rowmerge show --json i >json && test_member_is version 3 json &&
	test_table_sane i
EOT

test_expect_success 'fields of a ROW are paired by name and added' - <<\EOT
	test_sql "CREATE TABLE n (id BIGINT, pos ROW(lat BIGINT, lon BIGINT));
		INSERT INTO n VALUES (1, ROW(1, 2)), (2, NULL);
		CREATE TABLE more (id BIGINT,
			pos ROW(lon BIGINT, alt INTEGER, lat BIGINT));
		INSERT INTO more VALUES (1, ROW(20, 5, 10)), (2, ROW(40, 7, 4)),
			(3, NULL);
		MERGE WITH SCHEMA EVOLUTION INTO n USING more s ON n.id = s.id
			WHEN MATCHED THEN UPDATE SET *
			WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge sql -e "SELECT id, pos.lat, pos.lon, pos.alt, pos IS NULL AS n
		FROM n" >out && tail -n +2 out | sort >got &&
	test_write_lines 1,10,20,5,false 2,4,40,7,false 3,,,,true >wanted &&
	test_cmp wanted got &&
	test_sql "CREATE TABLE less (id BIGINT, pos ROW(lat BIGINT));
		INSERT INTO less VALUES (1, ROW(100)), (4, ROW(400));
		MERGE WITH SCHEMA EVOLUTION INTO n USING less s ON n.id = s.id
			WHEN MATCHED THEN UPDATE SET *
			WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge sql -e "SELECT id, pos.lat, pos.lon, pos.alt FROM n
		WHERE id IN (1, 4)" >out && tail -n +2 out | sort >got &&
	test_write_lines 1,100,20,5 4,400,, >wanted && test_cmp wanted got
EOT

test_expect_success 'the summary names what was added, or would be' - <<\EOT
	test_sql "CREATE TABLE told (id BIGINT, pos ROW(lat BIGINT))" &&
	printf '{"id":1,"a":true,"b":1.5,"c":[1],"d":{"k":1}}\n' >in.jsonl &&
	merge="MERGE WITH SCHEMA EVOLUTION INTO told USING (
			SELECT *, ROW(1 AS lon) AS pos, DATE '2024-02-29' AS e
			FROM 'in.jsonl') s ON told.id = s.id
		WHEN MATCHED THEN UPDATE SET *" &&
	line="  added columns: a VARCHAR, b VARCHAR, c VARCHAR, d VARCHAR," &&
	line="$line pos.lon INTEGER, e DATE" &&
	test_expect_code 10 rowmerge merge --dry-run --exit-code \
		-e "$merge" 2>err && test_grep "^$line\$" err &&
	rowmerge merge -q -e "$merge" 2>err && test ! -s err &&
	rowmerge merge -e "$merge" 2>err && test_no_grep added err &&
	rowmerge merge --json -e "$merge" >json &&
	test_no_grep added_columns json &&
	rowmerge sql --json -e "INSERT WITH SCHEMA EVOLUTION INTO told
		(id, pos, f) SELECT 1, ROW(2 AS lat, 3 AS alt), 'x'" >json &&
	test_member_is added_columns '["pos.alt","f"]' json
EOT

# merge_again N: until no other run was first
merge_again () {
	test_status=75
	while test $test_status = 75
	do
		rowmerge sql -q -e "MERGE WITH SCHEMA EVOLUTION INTO r
			USING 'in.$1.csv' s ON r.id = s.id
			WHEN NOT MATCHED THEN INSERT *" 2>err.$1
		test_status=$?
	done
	test $test_status = 0 || echo $1 >>failed
}

test_expect_success 'of runs that add the same column one is first' - <<\EOT
	test_sql "CREATE TABLE r (id BIGINT)" &&
	for i in 1 2 3 4 5
	do
		test_write_lines id,a $i,x$i >in.$i.csv && merge_again $i &
	done
	wait &&
	test ! -e failed &&
	test_rows_are r id,a 1,x1 2,x2 3,x3 4,x4 5,x5 &&
	test_table_sane r
EOT
test_expect_success 'what cannot be the type of a column is no new one' - <<\EOT
	test_sql "CREATE TABLE odd (id INTEGER, r ROW(a INTEGER))" &&
	test_files odd >before &&
	for column in "ARRAY[] AS q,no type" "ROW(NULL AS a) AS k,no type" \
		"ROW(1 AS a; 2) AS r,column r has no name" \
		"ROW(1; 2) AS k,column k has no name" \
		"ROW(1 AS a; 2 AS b; 3 AS B) AS k,two fields B"
	do
		value=$(echo "${column%,*}" | tr ";" ,) &&
		test_must_fail rowmerge merge -e "
			MERGE WITH SCHEMA EVOLUTION INTO odd
			USING (SELECT 1 AS id, $value) s ON odd.id = s.id
			WHEN MATCHED THEN UPDATE SET *" 2>err &&
		test_grep "^rowmerge: -e:2:4: .*${column##*,}" err || return 1
	done &&
	test_files odd >after && test_cmp before after
EOT

test_done
