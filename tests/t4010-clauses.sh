#!/bin/sh
test_description='WHEN clauses: kinds, order, conditions, what each may see'
. "$(dirname "$0")/test-lib.sh"

new_tables () {
	rm -rf t s &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, note VARCHAR);
		INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, NULL, 'c');
		CREATE TABLE s (id INTEGER, n INTEGER);
		INSERT INTO s VALUES (1, 11), (2, 0), (4, 40), (5, NULL)"
}

# merge CLAUSES LINE...: after these clauses t has these rows
merged () {
	new_tables &&
	rowmerge merge --json -e "MERGE INTO t USING s ON t.id = s.id $1" \
		>json 2>err &&
	shift &&
	test_rows_are t id,n,note "$@"
}

# refused STATUS NAME CLAUSES
refused () {
	new_tables && test_files t >before &&
	test_refused $1 $2 rowmerge merge \
		-e "MERGE INTO t USING s ON t.id = s.id $3" &&
	test_files t >after && test_cmp before after
}

test_expect_success 'UPDATE, DELETE and INSERT alone' - <<\EOT
	merged "WHEN MATCHED THEN UPDATE SET n = s.n" 1,11,a 2,0,b 3,,c &&
	merged "WHEN MATCHED THEN DELETE" 3,,c &&
	test_member_is rows.deleted 2 json &&
	test_member_is rows.no_action 2 json &&
	merged "WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n, 'new')" \
		1,10,a 2,20,b 3,,c 4,40,new 5,,new
EOT

test_expect_success \
	'the first true clause acts, a NULL condition does not' - <<\EOT
	merged "WHEN MATCHED AND s.n = 0 THEN DELETE
		WHEN MATCHED AND t.n > 5 THEN UPDATE SET note = 'first'
		WHEN MATCHED THEN UPDATE SET note = 'second'
		WHEN NOT MATCHED AND s.n > 1 THEN INSERT (id) VALUES (s.id)" \
		1,10,first 3,,c 4,,
EOT

test_expect_success 'a clause behind an unconditional one never acts' - <<\EOT
	merged "WHEN MATCHED THEN UPDATE SET n = 1 WHEN MATCHED THEN DELETE" \
		1,1,a 2,1,b 3,,c &&
	merged "WHEN MATCHED AND FALSE THEN DELETE
		WHEN MATCHED AND TRUE THEN UPDATE SET n = 2" 1,2,a 2,2,b 3,,c
EOT

test_expect_success 'DO NOTHING takes a row away from later clauses' - <<\EOT
	merged "WHEN MATCHED AND s.n = 0 THEN DO NOTHING
		WHEN MATCHED THEN DELETE
		WHEN NOT MATCHED AND s.id = 5 THEN DO NOTHING
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n, NULL)" \
		2,20,b 3,,c 4,40,
EOT

test_expect_success 'NOT MATCHED BY SOURCE, alone and with the others' - <<\EOT
	merged "WHEN NOT MATCHED BY SOURCE THEN DELETE" 1,10,a 2,20,b &&
	merged "WHEN MATCHED AND s.n = 0 THEN DELETE
		WHEN NOT MATCHED BY TARGET AND s.n IS NOT NULL
			THEN INSERT (n, id) VALUES (s.n, s.id)
		WHEN NOT MATCHED BY SOURCE AND t.n IS NULL
			THEN UPDATE SET n = -1, note = t.note || '!'" \
		1,10,a 3,-1,c! 4,40,
EOT

test_expect_success 'SET * and INSERT * pair columns by name' - <<\EOT
	new_tables &&
	test_sql "CREATE TABLE wide (NOTE VARCHAR, extra DATE, N INTEGER,
		id INTEGER); INSERT INTO wide VALUES ('x', NULL, 7, 1),
		('y', NULL, 8, 9)" &&
	rowmerge merge -q -e "MERGE INTO t USING wide w ON t.id = w.id
		WHEN MATCHED THEN UPDATE SET *
		WHEN NOT MATCHED THEN INSERT *" &&
	test_rows_are t id,n,note 1,7,x 2,20,b 3,,c 9,8,y &&
	refused 2 UNKNOWN_COLUMN "WHEN MATCHED THEN UPDATE SET *" &&
	refused 2 UNKNOWN_COLUMN "WHEN NOT MATCHED THEN INSERT *"
EOT

test_expect_success 'SET uses values from before, also swapped' - <<\EOT
	test_sql "CREATE TABLE p (id INTEGER, a INTEGER, b INTEGER);
		INSERT INTO p VALUES (1, 10, 20)" &&
	rowmerge merge -q -e "MERGE INTO p USING (VALUES (1)) s(id)
		ON p.id = s.id WHEN MATCHED THEN UPDATE SET a = b, b = a + b,
		id = p.id + 5" &&
	test_rows_are p id,a,b 6,20,30
EOT

test_expect_success 'a bare name in SET c = is the old value of c only' - <<\EOT
	merged "WHEN MATCHED THEN UPDATE SET n = n + s.n" 1,21,a 2,20,b 3,,c &&
	refused 2 AMBIGUOUS_COLUMN \
		"WHEN MATCHED THEN UPDATE SET note = CAST(n AS VARCHAR)" &&
	refused 2 AMBIGUOUS_COLUMN "WHEN MATCHED AND n > 1 THEN DELETE"
EOT

test_expect_success 'who is in scope' - <<\EOT
	merged "WHEN NOT MATCHED THEN INSERT VALUES (id, n, 'x')" 1,10,a \
		2,20,b \
		3,,c 4,40,x 5,,x &&
	refused 2 UNKNOWN_COLUMN \
		"WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)" &&
	refused 2 UNKNOWN_COLUMN \
		"WHEN NOT MATCHED BY SOURCE AND s.n = 1 THEN DELETE"
EOT

test_expect_success 'what a clause may not do' - <<\EOT
	refused 2 SYNTAX "WHEN NOT MATCHED THEN UPDATE SET n = 1" &&
	refused 2 SYNTAX "WHEN NOT MATCHED THEN DELETE" &&
	refused 2 SYNTAX "WHEN MATCHED THEN INSERT (id) VALUES (1)" &&
	refused 2 SYNTAX \
		"WHEN NOT MATCHED BY SOURCE THEN INSERT (id) VALUES (1)" &&
	refused 2 SYNTAX "" &&
	refused 2 UNKNOWN_COLUMN "WHEN MATCHED THEN UPDATE SET x = 1" &&
	refused 2 UNKNOWN_COLUMN "WHEN NOT MATCHED THEN INSERT (x) VALUES (1)" \
		&&
	refused 2 DUPLICATE_ASSIGNMENT \
		"WHEN MATCHED THEN UPDATE SET n = 1, N = 2" &&
	refused 2 DUPLICATE_ASSIGNMENT \
		"WHEN NOT MATCHED THEN INSERT (id, ID) VALUES (1, 2)" &&
	refused 2 ARITY "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (1)" &&
	refused 2 ARITY "WHEN NOT MATCHED THEN INSERT VALUES (1)" &&
	refused 2 TYPE_MISMATCH "WHEN MATCHED THEN UPDATE SET note = 1" &&
	refused 2 TYPE_MISMATCH "WHEN MATCHED AND s.n THEN DELETE"
EOT

test_expect_success 'values are computed only for rows that reach them' - <<\EOT
	merged "WHEN MATCHED AND s.n = 0 THEN DELETE
		WHEN MATCHED AND 100 / s.n > 5 THEN UPDATE SET n = 100 / s.n" \
		1,9,a 3,,c &&
	refused 3 DIVISION_BY_ZERO "WHEN MATCHED AND 100 / s.n > 5 THEN DELETE"
EOT

test_expect_success 'assignment narrows, rounds half up, and overflows' - <<\EOT
	merged "WHEN MATCHED AND t.id = 1 THEN UPDATE SET n = 2.5
		WHEN MATCHED THEN UPDATE SET n = -1.5e0" 1,3,a 2,-2,b 3,,c &&
	refused 3 OVERFLOW "WHEN MATCHED THEN UPDATE SET n = 2147483648"
EOT
test_done
