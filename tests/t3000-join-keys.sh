#!/bin/sh
test_description='ON: keys of every type, NULL, other conditions, none'
. "$(dirname "$0")/test-lib.sh"

# matches TYPE TARGET SOURCE COUNT: how many pairs of these values match
matches () {
	rm -rf t s &&
	test_sql "CREATE TABLE t (k $1, hit BOOLEAN);
		INSERT INTO t SELECT x, FALSE FROM (VALUES $2) v(x);
		CREATE TABLE s (k $1); INSERT INTO s VALUES $3" &&
	rowmerge merge --json -e "MERGE INTO t USING s ON t.k = s.k
		WHEN MATCHED THEN UPDATE SET hit = TRUE" >json 2>err &&
	test_member_is rows.updated $4 json
}

test_expect_success 'numbers' - <<\EOT
	matches INTEGER "(1), (-2), (NULL)" "(-2), (NULL), (3)" 1 &&
	matches BIGINT "(9223372036854775807), (1)" "(9223372036854775807)" 1 &&
	matches "DECIMAL(38,2)" "(1.50), (12345678901234567890.25)" \
		"(12345678901234567890.25), (1.5)" 2 &&
	matches DOUBLE "(0e0), (1.5e0), (nan())" "(-0e0), (nan())" 1 &&
	matches REAL "(REAL '1.5'), (REAL '0')" "(REAL '-0'), (REAL '2')" 1
EOT

test_expect_success 'text, bytes, booleans' - <<\EOT
	matches VARCHAR "('a'), (''), ('A'), ('a ')" "(''), ('a')" 2 &&
	matches VARCHAR \
		"('a long text, longer than any inline form, 1'), ('b')" \
		"('a long text, longer than any inline form, 1')" 1 &&
	matches VARBINARY "(X'00ff'), (X'')" "(X'00ff'), (X'00')" 1 &&
	matches BOOLEAN "(TRUE), (NULL)" "(TRUE), (NULL)" 1
EOT

test_expect_success 'dates, times, instants, UUIDs' - <<\EOT
	matches DATE "(DATE '2024-02-29'), (NULL)" "(DATE '2024-02-29')" 1 &&
	matches TIME "(TIME '01:02:03')" "(TIME '01:02:03.000000')" 1 &&
	matches "TIMESTAMP WITH TIME ZONE" \
		"(TIMESTAMP '2024-01-01 01:00:00+01:00')" \
		"(TIMESTAMP '2024-01-01 00:00:00+00:00')" 1 &&
	matches UUID "(UUID '123e4567-e89b-12d3-a456-426614174000')" \
		"(UUID '123E4567-E89B-12D3-A456-426614174000')" 1
EOT

test_expect_success 'keys of two types meet in the wider one' - <<\EOT
	test_sql "CREATE TABLE a (k INTEGER, hit BOOLEAN);
		INSERT INTO a (k) VALUES (1), (2)" &&
	rowmerge merge --json -e "MERGE INTO a USING (VALUES (1.0), (2.5)) s(k)
		ON a.k = s.k WHEN MATCHED THEN DELETE" >json &&
	test_member_is rows.deleted 1 json &&
	test_refused 2 TYPE_MISMATCH rowmerge merge -e "MERGE INTO a
		USING (VALUES ('1')) s(k) ON a.k = s.k WHEN MATCHED THEN DELETE"
EOT

test_expect_success \
	'NULL matches nothing, IS NOT DISTINCT FROM matches it' - <<\EOT
	test_sql "CREATE TABLE n (k VARCHAR, i INTEGER, v INTEGER);
		INSERT INTO n VALUES (NULL, 1, 0), ('x', NULL, 0),
			(NULL, NULL, 0)" &&
	test_write_lines k,i,v ,1,1 x,,2 ,,3 >keys.csv &&
	rowmerge merge --json \
		-e "MERGE INTO n USING keys s ON n.k = s.k AND n.i = s.i
		WHEN MATCHED THEN UPDATE SET v = s.v" >json 2>err &&
	test_member_is rows.updated 0 json && test_grep "3 source rows" err &&
	rowmerge merge --json -e "MERGE INTO n USING keys s
		ON n.k IS NOT DISTINCT FROM s.k AND n.i IS NOT DISTINCT FROM s.i
		WHEN MATCHED THEN UPDATE SET v = s.v" >json 2>err &&
	test_cmp /dev/null err && test_member_is rows.updated 3 json &&
	test_rows_are n k,i,v ,,3 ,1,1 x,,2
EOT

new_table () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 5), (2, 15), (3, 25)" &&
	test_write_lines id,lo,hi 1,0,9 2,10,19 7,50,60 >bands.csv
}

test_expect_success \
	'no key at all: ranges, and everything with everything' - <<\EOT
	new_table &&
	rowmerge merge -q -e "MERGE INTO t USING bands b
		ON t.n >= b.lo AND t.n <= b.hi
		WHEN MATCHED THEN UPDATE SET n = b.hi
		WHEN NOT MATCHED THEN INSERT VALUES (b.id, b.lo)" &&
	test_rows_are t id,n 1,9 2,19 3,25 7,50 &&
	new_table &&
	rowmerge merge --json -e "MERGE INTO t USING (VALUES (1)) s(x) ON TRUE
		WHEN MATCHED THEN UPDATE SET n = 0" >json &&
	test_member_is rows.updated 3 json &&
	rowmerge merge --json -e "MERGE INTO t USING bands s ON FALSE
		WHEN MATCHED THEN DELETE
		WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.lo)" >json &&
	test_member_is rows.inserted 3 json
EOT

test_expect_success 'a key and a rest: source-only, target-only, both' - <<\EOT
	new_table &&
	rowmerge merge --json -e "MERGE INTO t USING bands b
		ON t.id = b.id AND b.lo > 5 AND t.n < 20 AND t.n <= b.hi
		WHEN MATCHED THEN UPDATE SET n = -1
		WHEN NOT MATCHED THEN INSERT VALUES (b.id, NULL)" >json &&
	test_member_is rows.updated 1 json &&
	test_member_is rows.inserted 2 json &&
	test_rows_are t id,n 1, 1,5 2,-1 3,25 7,
EOT

test_expect_success 'a computed key on either side' - <<\EOT
	new_table &&
	rowmerge merge --json -e "MERGE INTO t USING bands b
		ON t.id + 5 = b.id - 1 WHEN MATCHED THEN DELETE" >json &&
	test_member_is rows.deleted 1 json &&
	rowmerge merge --json -e "MERGE INTO t USING bands b
		ON (t.id * 2 + 3) = (b.id) WHEN MATCHED THEN DELETE" >json &&
	test_member_is rows.deleted 1 json && test_rows_are t id,n 3,25
EOT
test_done
