#!/bin/sh
test_description='the examples of the manual do what they show'
. "$(dirname "$0")/test-lib.sh"
MAN=$TEST_DIRECTORY/../man
SOURCE=$TEST_DIRECTORY/../src

run_examples () {
	rm -rf examples work.$1 &&
	mkdir examples work.$1 &&
	awk -v out=examples -f "$TEST_DIRECTORY/man-examples.awk" \
		"$MAN/$1" &&
	count=$(cat examples/count) &&
	test "$count" -gt 0 &&
	i=1 &&
	while test $i -le $count
	do
		(cd work.$1 && sh -e ../examples/$i.sh) >examples/$i.got || {
			echo "failed:" && cat examples/$i.sh
			return 1
		}
		test_cmp examples/$i.expect examples/$i.got || {
			cat examples/$i.sh
			return 1
		}
		i=$((i + 1))
	done
}

for page in "$MAN"/*.[15]
do
	page=$(basename "$page")
	test_expect_success "examples of $page" 'run_examples $page'
done

test_expect_success 'every command has a page, and its options are in it' '
	rowmerge --help >help &&
	sed -n "s/^  \([a-z][a-z]*\) .*/\1/p" help >commands &&
	test $(wc -l <commands) -ge 8 &&
	while read command
	do
		test -f "$MAN/rowmerge-$command.1" ||
			{ echo "no page for $command" && return 1; }
		rowmerge $command --help >options &&
		cat "$MAN/rowmerge-$command.1" "$MAN/rowmerge.1" \
			"$MAN/rowmerge-merge.1" >pages &&
		for option in $(sed -n "s/.*--\([a-z-]*\).*/\1/p" options)
		do
			grep -q -e "Fl -$option" pages ||
				{ echo "$command: --$option" && return 1; }
		done
	done <commands
'

test_expect_success 'the name of each error that a run can end with is said' '
	sed -n "s/^	{ \(ERROR_[A-Z_]*\), \"\([A-Z_]*\)\".*/\1 \2/p" \
		"$SOURCE/util/error.c" | grep -v "NONE\|INTERRUPTED" >names &&
	test $(wc -l <names) -ge 40 &&
	while read code name
	do
		! grep -rqw --include="*.c" --exclude=error.c $code "$SOURCE" ||
			grep -qw $name "$MAN/rowmerge.1" ||
			{ echo "$name" && return 1; }
	done <names
'

test_expect_success 'the reserved words are those of the parser' '
	sed -n "/reserved_words\[\] = {/,/^}/p" "$SOURCE/sql/parser.c" |
		grep -o "\"[A-Z_]*\"" | tr -d \" >words &&
	test $(wc -l <words) -ge 70 &&
	sed -n "/^\.Bd -ragged/,/^\.Ed/p" "$MAN/rowmerge-sql.5" |
		grep -v "^\." | grep -o "[A-Z_]*" >said &&
	test_cmp words said
'
test_done
