#!/bin/sh
test_description='random queries give the rows of DuckDB'
# it comes from PyPI: tests/interop/with-engines fetches it, once
if ! test -e "$(dirname "$0")/.engines/venv/complete"
then
	echo "1..0 # SKIP no DuckDB; tests/interop/with-engines installs it"
	exit 0
fi
. "$(dirname "$0")/test-lib.sh"
queries () {
	"$TEST_DIRECTORY/interop/with-engines" \
		"$TEST_DIRECTORY/oracle/queries" "$@"
}

test_expect_success '200 queries' '
	queries --seed 1 --count 200
'
test_expect_success 'queries of bigger tables, little memory' '
	queries --seed 1 --count 20 --big --memory 256K --threads 4
'
test_expect_success '80 statements with subqueries' '
	queries --merges --seed 1 --count 80
'
# a rowmerge whose queries lose their last row: it must be seen
cat >loses-a-row <<'EOS'
#!/bin/sh
"$REAL_ROWMERGE" "$@" >rows.$$ || exit
sed '$d' rows.$$
rm rows.$$
EOS
chmod +x loses-a-row
test_expect_success 'a lost row would be noticed' '
	REAL_ROWMERGE=$ROWMERGE && export REAL_ROWMERGE &&
	test_must_fail env ROWMERGE="$PWD/loses-a-row" \
		"$TEST_DIRECTORY/interop/with-engines" \
		"$TEST_DIRECTORY/oracle/queries" --seed 1 --count 20 >said &&
	test_grep "differs" said
'
test_done
