#!/bin/sh
test_description='long frames that move, rows kept by their number'
. "$(dirname "$0")/test-lib.sh"

# p 0: 30000 rows; then 2000 partitions of 5 rows; v = o, half of it as double
test_expect_success 'rows' '
	awk "BEGIN { print \"p,o,v,d\"
		for (i = 1; i <= 40000; i++) {
			p = i <= 30000 ? 0 : int((i - 30001) / 5) + 1
			print p \",\" i \",\" i \",\" i / 2 } }" >s.csv
'

# a frame of w rows before the row in a partition that begins at b
test_expect_success 'sums over ten thousand rows before each' - <<\EOT
	rowmerge sql --types "p INTEGER, o INTEGER, v BIGINT, d DOUBLE" -e "
		SELECT o, sum(v) OVER w AS s, count(*) OVER w AS n,
			min(v) OVER w AS least, CAST(2 * sum(d) OVER w AS BIGINT) AS half,
			max_by(o, d) OVER w AS last
		FROM 's.csv' WINDOW w AS (PARTITION BY p ORDER BY o
			ROWS BETWEEN 9999 PRECEDING AND CURRENT ROW)
		ORDER BY o" >got &&
	awk "BEGIN { print \"o,s,n,least,half,last\"
		for (i = 1; i <= 40000; i++) {
			b = i <= 30000 ? 1 : i - (i - 30001) % 5
			a = i - 9999 > b ? i - 9999 : b
			n = i - a + 1; s = (a + i) * n / 2
			printf \"%d,%d,%d,%d,%d,%d\n\", i, s, n, a, s, i
		} }" >wanted &&
	test_cmp wanted got
EOT

test_expect_success 'and over all that follow, with little memory' - <<\EOT
	rowmerge sql --memory 256K --types "p INTEGER, o INTEGER, v BIGINT,
		d DOUBLE" -e "
		SELECT o, sum(v) OVER w AS s, max(v) OVER w AS most
		FROM 's.csv' WINDOW w AS (PARTITION BY p ORDER BY o
			ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
		ORDER BY o" >got &&
	awk "BEGIN { print \"o,s,most\"
		for (i = 1; i <= 40000; i++) {
			e = i <= 30000 ? 30000 : i + 4 - (i - 30001) % 5
			if (i == e) print i \",,\"
			else printf \"%d,%d,%d\n\", i,
				(i + 1 + e) * (e - i) / 2, e
		} }" >wanted &&
	test_cmp wanted got
EOT

# latest OPTION...: the last row of each partition, by its order
latest () {
	rowmerge sql "$@" --types "p INTEGER, o INTEGER, v BIGINT, d DOUBLE" \
		-e "SELECT p, o, v FROM 's.csv' QUALIFY row_number() OVER
		(PARTITION BY p ORDER BY o DESC) = 1" >got &&
	awk "BEGIN { print \"p,o,v\"; print \"0,30000,30000\"
		for (p = 1; p <= 2000; p++)
			print p \",\" 30000 + 5 * p \",\" 30000 + 5 * p }" \
		>wanted &&
	test_cmp wanted got
}
test_expect_success 'the latest row of a key, in order, with any memory' '
	latest --threads 1 && latest --threads 3 &&
	latest --threads 1 --memory 64K && latest --threads 3 --memory 64K
'
test_expect_success 'a limit of the number in a subquery' - <<\EOT
	rowmerge sql -e "SELECT n, k FROM (SELECT p AS k, row_number()
		OVER (PARTITION BY p ORDER BY o) AS n FROM 's.csv') x
		WHERE n < 2 AND k IN ('0', '7')" >got &&
	test_write_lines n,k 1,0 1,7 >wanted && test_cmp wanted got
EOT
test_done
