#!/bin/sh
test_description='MERGE INTO a Parquet file'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a file' - <<\EOT
	test_sql "CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR,
			d DECIMAL(10, 2), l ARRAY(INTEGER));
		INSERT INTO t VALUES (1, 'a', 1.5, ARRAY[1, 2]),
			(2, 'b', 2.5, NULL), (3, 'c', 3.5, ARRAY[])" &&
	rowmerge cat --format parquet t >p.parquet
EOT

test_expect_success 'a merge, and what a second run finds of it' - <<\EOT
	test_write_lines id,name,d 1,zz,9.99 2,,0 7,new,7 >s.csv &&
	SPEC="MERGE INTO 'p.parquet' t USING s ON t.id = s.id
		WHEN MATCHED AND s.name IS NULL THEN DELETE
		WHEN MATCHED THEN UPDATE SET name = s.name, d = s.d
		WHEN NOT MATCHED AND s.name IS NOT NULL THEN
			INSERT (id, name, d) VALUES (s.id, s.name, s.d)" &&
	rowmerge merge --json -e "$SPEC" >json &&
	test_member_is rows.inserted 1 json &&
	test_member_is rows.updated 1 json &&
	test_member_is rows.deleted 1 json &&
	cksum p.parquet >before && ls -li --full-time p.parquet >>before &&
	rowmerge merge --json -e "$SPEC" >json &&
	test_member_is rows.unchanged 2 json &&
	test_member_is rows.no_action 1 json &&
	cksum p.parquet >after && ls -li --full-time p.parquet >>after &&
	test_cmp before after
EOT

test_expect_success 'values, nested ones too, are found again' - <<\EOT
	rowmerge merge --dry-run --json -e "DELETE FROM 'p.parquet' WHERE
		(id = 1 AND name = 'zz' AND d = 9.99 AND l = ARRAY[1, 2]) OR
		(id = 3 AND name = 'c' AND d = 3.5 AND l = ARRAY[]) OR
		(id = 7 AND name = 'new' AND d = 7 AND l IS NULL)" >json &&
	test_member_is rows.deleted 3 json &&
	rowmerge merge --dry-run --json -e "DELETE FROM 'p.parquet'" >json &&
	test_member_is rows.deleted 3 json
EOT

test_expect_success 'NOT NULL of the file holds' - <<\EOT
	cksum p.parquet >before &&
	test_refused 3 NOT_NULL rowmerge merge \
		-e "INSERT INTO 'p.parquet' (name) VALUES ('x')" &&
	cksum p.parquet >after && test_cmp before after
EOT

test_expect_success 'mode kept, symbolic link followed, no other file left' - <<\EOT
	mkdir real && cp p.parquet real/r.parquet && chmod 604 real/r.parquet &&
	ln -s real/r.parquet link.parquet &&
	rowmerge merge -q -e "DELETE FROM 'link.parquet' WHERE id = 7" &&
	test -L link.parquet && test "$(stat -c %a real/r.parquet)" = 604 &&
	test "$(ls -A real)" = r.parquet &&
	rowmerge sql -e "SELECT id FROM 'link.parquet' ORDER BY id" >got &&
	test_write_lines id 1 3 >wanted && test_cmp wanted got
EOT

test_expect_success 'many row groups, any threads' - <<\EOT
	perl -e 'print "id,name,d\n"; print "$_,n$_,$_.25\n" for 1 .. 300000' \
		>big.csv &&
	test_sql "CREATE TABLE b (id BIGINT, name VARCHAR, d DOUBLE)" &&
	rowmerge load -q b big.csv && rowmerge cat --format parquet b >b0 &&
	perl -e 'print "id,name,d\n";
		print $_ * 7, ",", $_ % 3 ? "new$_" : "", ",$_\n"
			for 1 .. 60000' >s.csv &&
	for threads in 1 4
	do
		cp b0 p.parquet &&
		rowmerge merge --json --threads $threads -e "$SPEC" >json &&
		test_member_is rows.updated 28572 json &&
		test_member_is rows.deleted 14285 json &&
		test_member_is rows.inserted 11428 json &&
		rowmerge merge --json --dry-run \
			-e "DELETE FROM 'p.parquet'" >json &&
		test_member_is rows.deleted 297143 json &&
		rowmerge merge --json --dry-run -e "DELETE FROM 'p.parquet'
			WHERE name LIKE 'new%'" >json &&
		test_member_is rows.deleted 40000 json || return 1
	done
EOT

test_expect_success 'damaged and foreign files are refused and stay' - <<\EOT
	echo PAR1 >x.parquet &&
	test_refused 1 CORRUPT rowmerge merge -e "DELETE FROM 'x.parquet'" &&
	head -c 1000 b0 >x.parquet && cp x.parquet before &&
	test_refused 1 CORRUPT rowmerge merge -e "DELETE FROM 'x.parquet'" &&
	cmp before x.parquet
EOT

test_done
