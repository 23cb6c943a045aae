#!/bin/sh
test_description='sums of floating point are exact in any order of rows'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a sum that loses its small parts on the way' - <<\EOT
	rowmerge sql -e "SELECT sum(x) AS s, avg(x) AS a FROM
		(VALUES 1e16, 1e0, 1e0, -1e16) v(x)" >got &&
	test_write_lines s,a 2.0,0.5 >want && test_cmp want got &&
	rowmerge sql -e "SELECT sum(x) AS s FROM
		(VALUES 1e300, 1e-300, -1e300) v(x)" >got &&
	test_write_lines s 1.0E-300 >want && test_cmp want got &&
	rowmerge sql -e "SELECT sum(x) AS s FROM (VALUES 1e308, 1e308, -1e308)
		v(x)" >got &&
	test_write_lines s 1.0E308 >want && test_cmp want got
EOT

test_expect_success 'a table whose values do not add up by themselves' - <<\EOT
	perl -e 'my $n = 7; print "id,k,x\n";
		for my $i (1 .. 40000) {
			$n = ($n * 16807) % 2147483647;
			printf "%d,%d,%.17g\n", $i, $n % 9001,
				($n - 1073741824) / (10 ** ($i % 9));
		}' >x.csv &&
	test_sql "CREATE TABLE x (id INTEGER, k INTEGER, x DOUBLE);
		CREATE TABLE g (k INTEGER, g INTEGER)" &&
	rowmerge load -q x x.csv &&
	perl -e 'print "k,g\n"; print "$_,", $_ % 7, "\n" for 0 .. 9000' \
		>g.csv && rowmerge load -q g g.csv
EOT

# alike QUERY: the same bytes whatever the threads and the memory
alike () {
	rowmerge sql --threads 1 -e "$1" >first || return 1
	for how in "--threads 4" "--threads 1 --memory 256K" \
		"--threads 4 --memory 256K" "--threads 3 --memory 1M"
	do
		rowmerge sql $how -e "$1" >other && test_cmp first other ||
			return 1
	done
}

test_expect_success 'groups, few and many' - <<\EOT
	alike "SELECT sum(x), avg(x), sum(CAST(x AS REAL)) FROM x" &&
	alike "SELECT k % 5 AS m, sum(x), avg(x) FROM x GROUP BY k % 5
		ORDER BY m" &&
	alike "SELECT k, sum(x), avg(x) FROM x GROUP BY k ORDER BY k"
EOT

test_expect_success 'rows that a join or a set brings in another order' - <<\EOT
	alike "SELECT g.g, sum(x.x), avg(x.x) FROM x JOIN g ON x.k = g.k
		GROUP BY g.g ORDER BY g" &&
	alike "SELECT g.g, sum(x.x) FROM g JOIN x ON x.k = g.k
		GROUP BY g.g ORDER BY g" &&
	alike "SELECT sum(x) FROM (SELECT DISTINCT x FROM x) d" &&
	alike "SELECT sum(x) FROM (SELECT x FROM x UNION
		SELECT x * 3 FROM x) u"
EOT

test_expect_success 'windows' - <<\EOT
	alike "SELECT id, sum(x) OVER (PARTITION BY k ORDER BY id
			ROWS BETWEEN 3 PRECEDING AND CURRENT ROW),
		avg(x) OVER (PARTITION BY k) FROM x ORDER BY id"
EOT

test_expect_success 'a merge that ran finds nothing to change again' - <<\EOT
	test_sql "CREATE TABLE sums (g INTEGER, s DOUBLE, a DOUBLE)" &&
	SPEC="MERGE INTO sums t USING (SELECT g.g, sum(x.x) AS s,
			avg(x.x) AS a FROM x JOIN g ON x.k = g.k
			GROUP BY g.g) n ON t.g = n.g
		WHEN MATCHED THEN UPDATE SET s = n.s, a = n.a
		WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge merge -q --threads 1 -e "$SPEC" &&
	for how in "--threads 4" "--memory 256K" "--threads 4 --memory 1M"
	do
		rowmerge merge --json $how -e "$SPEC" >json &&
		test_member_is rows.unchanged 7 json || return 1
	done
EOT
test_done
