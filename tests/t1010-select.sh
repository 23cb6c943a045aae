#!/bin/sh
test_description='SELECT: columns, WHERE, UNION ALL, WITH, VALUES, LIMIT'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'columns by name, star, alias and expression' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, name VARCHAR, n INTEGER);
		INSERT INTO t VALUES (1, 'Ann', 10), (2, 'Bob', NULL),
			(3, 'Cy', 30)" &&
	test_select "SELECT * FROM t" id,name,n 1,Ann,10 2,Bob, 3,Cy,30 &&
	test_select "SELECT n, ID AS key, x.name FROM t AS x WHERE id = 3" \
		n,key,name 30,3,Cy &&
	test_select "SELECT x.*, id * 2 FROM t x WHERE name LIKE 'B%'" \
		id,name,n,_col3 2,Bob,,4 &&
	test_select "SELECT 1 + 2 AS three" three 3
EOT

test_expect_success 'WHERE keeps what is true, not NULL' - <<\EOT
	test_select "SELECT id FROM t WHERE n > 5" id 1 3 &&
	test_select "SELECT id FROM t WHERE NOT n > 20" id 1 &&
	test_select "SELECT id FROM t WHERE n IS NULL OR n = 30" id 2 3 &&
	test_select "SELECT id FROM t WHERE n NOT IN (10, NULL)" id &&
	test_select "SELECT id FROM t WHERE n IS DISTINCT FROM 10" id 2 3 &&
	test_select \
		"SELECT id FROM t WHERE id BETWEEN 2 AND 3 AND name <> 'Cy'" \
		id 2
EOT

test_expect_success 'a query as a source, nested' - <<\EOT
	test_select "SELECT y.twice FROM (SELECT id * 2 AS twice FROM
		(SELECT id FROM t WHERE id > 1) a) y WHERE y.twice < 6" twice 4
EOT

test_expect_success 'VALUES as a statement and as a source' - <<\EOT
	test_select "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) v(i, s)" \
		i,s 1,a 2, &&
	test_select "SELECT * FROM (VALUES (1), (2.5)) v(i)" i 1.0 2.5 &&
	test_refused 2 ARITY rowmerge sql \
		-e "SELECT * FROM (VALUES (1), (2, 3)) v(i)" &&
	test_refused 2 TYPE_MISMATCH rowmerge sql \
		-e "SELECT * FROM (VALUES (1), ('x')) v(i)"
EOT

test_expect_success \
	'UNION ALL keeps copies, widens types, takes first names' - <<\EOT
	test_select "SELECT id AS i FROM t WHERE id < 3 UNION ALL
		SELECT 2 UNION ALL SELECT 9000000000" i 1 2 2 9000000000 &&
	test_select "SELECT DATE '2024-01-01' AS d UNION ALL
		SELECT NULL" d 2024-01-01 "" &&
	test_refused 2 ARITY rowmerge sql -e "SELECT 1 UNION ALL SELECT 1, 2" &&
	test_refused 2 TYPE_MISMATCH rowmerge sql \
		-e "SELECT 1 UNION ALL SELECT TRUE"
EOT

test_expect_success 'WITH names queries, each may use those before it' - <<\EOT
	test_select "WITH a AS (SELECT id, n FROM t WHERE id <> 2),
		b(x) AS (SELECT n FROM a)
		SELECT x + 1 AS x FROM b" x 11 31 &&
	test_select "WITH t AS (SELECT 5 AS five) SELECT * FROM t" five 5 &&
	test_refused 2 UNKNOWN_TABLE rowmerge sql \
		-e "WITH a AS (SELECT * FROM b),
			b AS (SELECT 1) SELECT * FROM a"
EOT

test_expect_success 'LIMIT and OFFSET' - <<\EOT
	test_select "SELECT id FROM t LIMIT 2" id 1 2 &&
	test_select "SELECT id FROM t OFFSET 1 LIMIT 1" id 2 &&
	test_select "SELECT id FROM t LIMIT 1 OFFSET 1" id 2 &&
	test_select "SELECT id FROM t LIMIT 0" id &&
	test_select "SELECT id FROM t OFFSET 5" id
EOT

test_expect_success 'rows as JSON Lines' - <<\EOT
	rowmerge sql --format jsonl -e "SELECT id, name, n, 1.50 AS d,
		TRUE AS b FROM t WHERE id < 3" >out &&
	cat >wanted <<-\EOF &&
	{"id":1,"name":"Ann","n":10,"d":1.50,"b":true}
	{"id":2,"name":"Bob","n":null,"d":1.50,"b":true}
	EOF
	test_cmp wanted out
EOT

test_expect_success 'several queries print one after the other' - <<\EOT
	rowmerge sql -e "SELECT 1 AS a; SELECT 2 AS b;" >out &&
	test_write_lines a 1 b 2 >wanted && test_cmp wanted out
EOT

test_expect_success 'expressions follow Trino' - <<\EOT
	test_select "SELECT 7 / 2 AS a, -7 / 2 AS b, 7 % -3 AS c, 7.0 / 2 AS d,
		1e0 / 3 AS e, '10' || 'x' AS f" a,b,c,d,e,f \
		3,-3,1,3.5,0.3333333333333333,10x &&
	test_select \
		"SELECT CASE WHEN n > 10 THEN 'big' WHEN n IS NULL THEN 'none'
		ELSE 'small' END AS size FROM t" size small none big &&
	test_select "SELECT COALESCE(n, 0) AS a, NULLIF(id, 2) AS b,
		IF(n = 10, 'y') AS c FROM t" a,b,c 10,1,y 0,, 30,3, &&
	test_select "SELECT TRUE OR NULL AS a, FALSE AND NULL AS b,
		NOT NULL AS c, NULL = NULL AS d" a,b,c,d true,false,, &&
	test_select "SELECT TRY_CAST('x' AS INTEGER) AS a,
		CAST(' 2024' AS VARCHAR) AS b" a,b ", 2024"
EOT

test_done
