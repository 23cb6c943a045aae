#!/bin/sh
test_description='where a table name is looked for'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'the current directory is the warehouse' - <<\EOT
	test_sql "CREATE TABLE here (id INTEGER); INSERT INTO here VALUES (1)" \
		&&
	test -d here/metadata &&
	test_rows_are here id 1
EOT

test_expect_success \
	'-C, in both spellings, and below a directory to be made' - <<\EOT
	mkdir w &&
	rowmerge -C w sql -q -e "CREATE TABLE t (id INTEGER)" &&
	test -d w/t/metadata &&
	rowmerge -Cw show t >out &&
	rowmerge -C "$PWD/w" show t >full &&
	test_cmp out full &&
	test_refused 2 UNKNOWN_TABLE rowmerge show t
EOT

test_expect_success 'ROWMERGE_WAREHOUSE, and -C over it' - <<\EOT
	ROWMERGE_WAREHOUSE=w rowmerge show t >out &&
	test_cmp full out &&
	ROWMERGE_WAREHOUSE=nosuch rowmerge -C w show t >out &&
	test_cmp full out &&
	ROWMERGE_WAREHOUSE= rowmerge show here >out &&
	test_grep "^table here" out
EOT

test_expect_success 'a.b is b in folder a' - <<\EOT
	mkdir -p w/sales &&
	rowmerge -C w sql -q -e "CREATE TABLE sales.orders (id INTEGER);
		INSERT INTO sales.orders VALUES (5)" &&
	test -d w/sales/orders/metadata &&
	rowmerge -C w cat sales.orders >out &&
	test_write_lines id 5 >wanted && test_cmp wanted out &&
	rowmerge -C w sql -e 'SELECT o.id FROM "sales"."orders" o' >out &&
	test_cmp wanted out &&
	rowmerge -C w/sales cat orders >out && test_cmp wanted out
EOT

test_expect_success 'folders of a dotted name are made' - <<\EOT
	rowmerge -C w sql -q -e "CREATE TABLE new.deep.t (id INTEGER)" &&
	test -d w/new/deep/t/metadata
EOT

test_expect_success \
	'exact case first, else the only match without case' - <<\EOT
	test_sql "CREATE TABLE \"Mixed\" (id INTEGER)" &&
	rowmerge show mixed >out &&
	rowmerge show MIXED >out &&
	cp -r Mixed MIXED &&
	rowmerge show Mixed >out &&
	test_refused 2 USAGE rowmerge show mixed &&
	test_grep "Mixed" err && test_grep "MIXED" err
EOT

test_expect_success 'CREATE meets a table that differs in case only' - <<\EOT
	test_refused 2 TABLE_EXISTS rowmerge sql \
		-e "CREATE TABLE HERE (id INTEGER)" &&
	test ! -e HERE
EOT

test_expect_success 'odd names go nowhere' - <<\EOT
	ls -A >../before &&
	for name in ../up a/b .hidden _x "" . .. a..b /tmp/x
	do
		test_refused 2 USAGE rowmerge create --columns "id INTEGER" \
			-- "$name" || return 1
	done &&
	ls -A >../after && test_cmp ../before ../after && test ! -e ../up
EOT

test_expect_success \
	'a file stands in for a table as a source, after tables' - <<\EOT
	test_write_lines id 7 >here.csv &&
	test_select "SELECT * FROM here" id 1 &&
	test_write_lines id 8 >other.csv &&
	test_select "SELECT * FROM other" id 8 &&
	printf "id\tb\n9\tx\n" >tabs.tsv &&
	test_select "SELECT b, id FROM tabs" b,id x,9 &&
	printf "id\n10\n" | gzip >packed.csv.gz &&
	test_select "SELECT * FROM packed" id 10 &&
	printf "id\n11\n" | zstd -q >packed2.csv.zst &&
	test_select "SELECT * FROM packed2" id 11 &&
	test_refused 2 UNKNOWN_TABLE rowmerge -C nosuch sql \
		-e "SELECT * FROM other"
EOT

test_expect_success '--bind comes before a table, in any case' - <<\EOT
	test_write_lines id 12 >bound.csv &&
	rowmerge sql --bind HERE=bound.csv -e "SELECT * FROM here" >out &&
	test_write_lines id 12 >wanted && test_cmp wanted out
EOT

test_expect_success 'paths are relative to the current directory' - <<\EOT
	rowmerge -C w sql --bind s=bound.csv -e "SELECT * FROM s" >out &&
	test_cmp wanted out &&
	rowmerge -C w sql -e "SELECT * FROM 'bound.csv'" >out &&
	test_cmp wanted out &&
	rowmerge -C w load -q t bound.csv &&
	rowmerge -C w cat t >out && test_cmp wanted out
EOT

test_expect_success 'an unknown name says where it was looked for' - <<\EOT
	test_refused 2 UNKNOWN_TABLE rowmerge -C w sql \
		-e "SELECT * FROM gone" &&
	test_grep "^hint: .*gone" err && test_grep "w" err &&
	test_refused 2 UNKNOWN_TABLE rowmerge merge -e "DELETE FROM other" &&
	test_refused 2 UNKNOWN_TABLE rowmerge cat bound
EOT

test_expect_success 'a folder without metadata is no table' - <<\EOT
	mkdir empty &&
	test_refused 2 UNKNOWN_TABLE rowmerge cat empty &&
	test_refused 2 UNKNOWN_TABLE rowmerge -C nosuch cat t
EOT
test_done
