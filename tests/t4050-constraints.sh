#!/bin/sh
test_description='NOT NULL, PRIMARY KEY and DEFAULT in a merge'
. "$(dirname "$0")/test-lib.sh"
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET name = s.name
	WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)'

for version in 2 3
do
	test_expect_success "a table with all three, format $version" - <<-EOT
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR NOT NULL,
		kind VARCHAR DEFAULT 'plain', n INTEGER NOT NULL DEFAULT 7,
		PRIMARY KEY (id)) WITH (format_version = $version);
		INSERT INTO t (id, name) VALUES (1, 'a')" &&
	test_rows_are t id,name,kind,n 1,a,plain,7 &&
	test_files t >before
	EOT

	test_expect_success \
		"NULL into NOT NULL is refused with its line" - <<-\EOT
	test_write_lines id,name 1,b 2, >s.csv &&
	test_refused 3 NOT_NULL rowmerge merge -e "$UPSERT" &&
	test_grep "s.csv:3" err && test_grep name err &&
	test_write_lines id,name 1, >s.csv &&
	test_refused 3 NOT_NULL rowmerge merge -e "$UPSERT" &&
	test_write_lines id,name ,x >s.csv &&
	test_refused 3 NOT_NULL rowmerge merge -e "$UPSERT" &&
	test_refused 3 NOT_NULL rowmerge load t s.csv &&
	test_refused 3 NOT_NULL rowmerge sql -e "UPDATE t SET n = NULL" &&
	test_refused 3 NOT_NULL rowmerge sql \
		-e "INSERT INTO t (id) VALUES (5)" &&
	test_files t >after && test_cmp before after
	EOT

	test_expect_success "a batch without such a column may update" - <<-\EOT
	test_write_lines id,kind 1,odd >s.csv &&
	rowmerge merge -q -e "MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET kind = s.kind" &&
	test_rows_are t id,name,kind,n 1,a,odd,7
	EOT

	test_expect_success \
		"a default where no value is given, or DEFAULT" - <<-\EOT
	test_write_lines id,name 2,b >s.csv &&
	rowmerge merge -q -e "$UPSERT" &&
	test_sql "INSERT INTO t VALUES (3, 'c', DEFAULT, DEFAULT);
		INSERT INTO t (id, name, kind) VALUES (4, 'd', NULL);
		UPDATE t SET kind = DEFAULT WHERE id = 1" &&
	test_write_lines id,name 5,e >s.csv && rowmerge load -q t s.csv &&
	test_rows_are t id,name,kind,n 1,a,plain,7 2,b,plain,7 3,c,plain,7 \
		4,d,,7 5,e,plain,7 &&
	test_refused 3 NOT_NULL rowmerge sql \
		-e "INSERT INTO t VALUES (6, 'f', NULL, NULL)"
	EOT

	test_expect_success "one statement inserts no key twice" - <<-\EOT
	test_files t >before &&
	test_write_lines id,name 7,x 8,y 7,z >s.csv &&
	test_refused 3 DUPLICATE_KEY rowmerge merge -e "$UPSERT" &&
	test_grep "id = 7" err && test_grep "s.csv:2 .*s.csv:4" err &&
	test_grep "^hint: .*--keep-latest-by COLUMN.*--keep-last.*--key" err &&
	test_refused 3 DUPLICATE_KEY rowmerge load t s.csv &&
	test_grep "id = 7 twice: s.csv:2 and s.csv:4" err &&
	test_grep "^hint: make the source unique on the primary key$" err &&
	test_refused 3 DUPLICATE_KEY rowmerge load t <s.csv &&
	test_grep "id = 7 twice" err &&
	test_grep "^hint: .*kept in a file" err &&
	test_refused 3 DUPLICATE_KEY rowmerge sql \
		-e "INSERT INTO t (id, name) VALUES (7, 'a'), (7, 'b')" &&
	test_files t >after && test_cmp before after && test_table_sane t
	EOT

	test_expect_success "stored rows are not checked by a load" - <<-\EOT
	test_write_lines id,name 5,again >s.csv && rowmerge load -q t s.csv &&
	test_select "SELECT name FROM t WHERE id = 5" name e again
	EOT

	test_expect_success "nor by INSERT, UPDATE or another key" - <<-\EOT
	test_sql "CREATE OR REPLACE TABLE w (id INTEGER NOT NULL,
		n INTEGER NOT NULL, PRIMARY KEY (id))
		WITH (format_version = $version);
		INSERT INTO w VALUES (1, 1), (2, 1)" &&
	test_sql "INSERT INTO w VALUES (1, 2)" &&
	test_sql "UPDATE w SET id = 7 WHERE n = 1" &&
	test_sql "ALTER TABLE w ADD PRIMARY KEY (n)" &&
	test_rows_are w id,n 1,2 7,1 7,1
	EOT
done

test_expect_success 'a primary key of two columns' - <<-\EOT
	test_sql "CREATE TABLE p (a VARCHAR, b DATE, n INTEGER,
		PRIMARY KEY (a, b))" &&
	test_sql "INSERT INTO p VALUES ('x', DATE '2024-01-01', 1),
		('x', DATE '2024-01-02', 2), ('y', DATE '2024-01-01', 3)" &&
	test_refused 3 DUPLICATE_KEY rowmerge sql -e "INSERT INTO p VALUES
		('z', DATE '2024-01-01', 1), ('z', DATE '2024-01-01', 2)" &&
	test_grep "a = 'z' AND b = DATE '2024-01-01' twice: source row 1" err &&
	test_write_lines a,b,n z,2024-01-01,1 y,2024-01-02,2 z,2024-01-01,3 \
		>s.csv &&
	test_refused 3 DUPLICATE_KEY rowmerge load p s.csv &&
	test_grep "a = 'z' AND b = DATE '2024-01-01' twice: s.csv:2" err &&
	gzip <s.csv >s.bin && mkdir -p two && cp s.csv two/1.csv &&
	test_refused 3 DUPLICATE_KEY rowmerge load p s.bin &&
	test_grep "s.bin:2 and s.bin:4" err &&
	test_write_lines n,a,b 1,q,2024-01-01 5,z,2024-01-01 >two/2.csv &&
	test_refused 3 DUPLICATE_KEY rowmerge load p "two/*.csv" &&
	test_rows_are p a,b,n x,2024-01-01,1 x,2024-01-02,2 y,2024-01-01,3
EOT

test_expect_success 'many keys, one of them twice, far apart' - <<-\EOT
	test_sql "CREATE TABLE many (id BIGINT PRIMARY KEY)" &&
	{ echo id && seq 1 200000 && echo 17; } >s.csv &&
	for threads in 1 4
	do
		test_refused 3 DUPLICATE_KEY rowmerge load --threads $threads \
			many s.csv && test_grep "17" err || return 1
	done &&
	test_rows_are many id && test_table_sane many
EOT
test_done
