#!/bin/sh
test_description='random statements give the rows and counts of PostgreSQL'
. "$(dirname "$0")/test-lib.sh"
ORACLE=$TEST_DIRECTORY/oracle/run

test_expect_success '200 statements, always the same' '
	"$ORACLE" --seed 1 --count 200
'
test_expect_success '40 statements, others every time' '
	"$ORACLE" --count 40
'
# a rowmerge whose cat loses a row: the comparison must see it
cat >loses-a-row <<'EOS'
#!/bin/sh
case " $* " in
*" cat "*)
	"$REAL_ROWMERGE" "$@" >rows.$$ || exit
	sed '2d' rows.$$
	rm rows.$$ ;;
*)
	exec "$REAL_ROWMERGE" "$@" ;;
esac
EOS
chmod +x loses-a-row
test_expect_success 'a lost row would be noticed' '
	REAL_ROWMERGE=$ROWMERGE ROWMERGE=$PWD/loses-a-row \
		test_must_fail "$ORACLE" --seed 1 --count 16 >said &&
	test_grep "rows missing" said &&
	sed -n "s/^kept: //p" said | xargs rm -rf
'
test_done
