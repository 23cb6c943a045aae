#!/bin/sh
test_description='options: what is taken, and wrong use is status 2'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'the version is one line on stdout' '
	rowmerge --version >out 2>err &&
	test_grep "^rowmerge [0-9]" out &&
	test $(wc -l <out) = 1 &&
	test_cmp /dev/null err
'

test_expect_success 'help goes to stdout, with status 0' '
	rowmerge --help >out 2>err &&
	test_grep "^usage: rowmerge" out &&
	test_cmp /dev/null err &&
	rowmerge -h >short && test_cmp out short
'

test_expect_success 'every command has help, with and without a table' '
	for command in merge sql create alter load cat log show explain
	do
		test_grep "^  $command " out &&
		rowmerge $command --help >help 2>err &&
		test_grep "^usage: rowmerge .*$command" help &&
		test_cmp /dev/null err &&
		rowmerge $command -h nosuch >short &&
		test_cmp help short || return 1
	done
'

test_expect_success 'no command, and an unknown one' '
	test_refused 2 USAGE rowmerge &&
	test_refused 2 USAGE rowmerge frobnicate &&
	test_grep "frobnicate" err &&
	test_grep "^hint: " err &&
	test_refused 2 USAGE rowmerge --frobnicate log t
'

test_expect_success 'a table for the options' '
	test_sql "CREATE TABLE t (id INTEGER)" &&
	test_files t >before
'

test_expect_success 'an unknown option names itself' '
	test_refused 2 USAGE rowmerge cat --frobnicate t &&
	test_grep "frobnicate" err &&
	test_refused 2 USAGE rowmerge cat -Z t
'

test_expect_success 'an option of another command is refused' '
	test_refused 2 USAGE rowmerge log --bind s=x.csv t &&
	test_refused 2 USAGE rowmerge cat --dry-run t &&
	test_refused 2 USAGE rowmerge load --bind s=x.csv t &&
	test_refused 2 USAGE rowmerge load --rejects r --rejects-are-absent t &&
	for option in --dry-run --wait=1 --retries=1
	do
		test_refused 2 USAGE rowmerge explain $option \
			-e "DELETE FROM t" || return 1
	done &&
	test_refused 2 USAGE rowmerge show -e "SELECT 1" t
'

test_expect_success 'a missing or surplus value or argument' '
	test_refused 2 USAGE rowmerge cat --limit &&
	test_refused 2 USAGE rowmerge cat &&
	test_refused 2 USAGE rowmerge cat t u &&
	test_refused 2 USAGE rowmerge log t t &&
	test_refused 2 USAGE rowmerge cat --json=yes t &&
	test_refused 2 USAGE rowmerge merge a.sql b.sql
'

test_expect_success 'numbers and words are checked' '
	test_refused 2 USAGE rowmerge cat --limit x t &&
	test_refused 2 USAGE rowmerge cat --limit -1 t &&
	test_refused 2 USAGE rowmerge cat --limit "" t &&
	test_refused 2 USAGE rowmerge cat --threads 0 t &&
	test_refused 2 USAGE rowmerge cat --memory much t &&
	test_refused 2 USAGE rowmerge cat --memory -1M t &&
	test_refused 2 USAGE rowmerge cat --memory 1Q t &&
	test_refused 2 USAGE rowmerge cat --progress maybe t &&
	test_refused 2 USAGE rowmerge cat --log-format xml t &&
	test_refused 2 USAGE rowmerge cat --format yaml t &&
	test_refused 2 USAGE rowmerge merge --mode both -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge --duplicate-match x -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge --bind s -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge --bind =s.csv -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge -D x -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge --retries x -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge merge --wait soon -e "DELETE FROM t" &&
	test_refused 2 USAGE rowmerge load --delimiter ab t &&
	test_refused 2 USAGE rowmerge load --delimiter "" t &&
	test_refused 2 USAGE rowmerge load --quote ab t &&
	test_refused 2 USAGE rowmerge load --skip-lines many t &&
	test_refused 2 USAGE rowmerge create --columns "a INTEGER" --format-version 4 u &&
	test_refused 2 USAGE rowmerge create u
'

test_expect_success 'sizes are taken with a unit' '
	for size in 100000 512K 64M 1G 2g 64MB
	do
		rowmerge cat --memory $size t >out || return 1
	done
'

test_expect_success 'statements come from one place' '
	echo "DELETE FROM t" >spec.sql &&
	test_refused 2 USAGE rowmerge merge &&
	test_refused 2 USAGE rowmerge merge -e "DELETE FROM t" spec.sql &&
	test_refused 2 USAGE rowmerge sql &&
	test_refused 2 USAGE rowmerge sql -e "SELECT 1" -e "SELECT 2" &&
	test_refused 1 IO rowmerge merge nosuch.sql &&
	test_grep "nosuch.sql" err
'

test_expect_success 'spec from a file, from standard input, after --' '
	echo "SELECT 1 AS one" >-odd.sql &&
	test_write_lines one 1 >wanted &&
	rowmerge sql -- -odd.sql >out && test_cmp wanted out &&
	rowmerge sql - <-odd.sql >out && test_cmp wanted out &&
	rowmerge sql ./-odd.sql >out && test_cmp wanted out
'

test_expect_success 'options may follow arguments' '
	rowmerge log t --limit 1 >out && test $(wc -l <out) = 1
'

test_expect_success 'merge takes no other statements' '
	test_refused 2 USAGE rowmerge merge -e "SELECT 1" &&
	test_refused 2 USAGE rowmerge merge -e "DELETE FROM t; DROP TABLE t" &&
	test_refused 2 USAGE rowmerge merge --dry-run \
		-e "DELETE FROM t; DELETE FROM t" &&
	test_refused 2 SYNTAX rowmerge merge -e "" &&
	test_refused 2 SYNTAX rowmerge merge -e "-- nothing"
'

test_expect_success 'none of it touched the table' '
	test_files t >after && test_cmp before after && test ! -e u
'
test_done
