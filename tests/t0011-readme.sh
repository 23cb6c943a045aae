#!/bin/sh
test_description='the commands of the README do what they show'
. "$(dirname "$0")/test-lib.sh"
README=$TEST_DIRECTORY/../README

test_expect_success 'the example under Use, with what it prints' '
	{
		printf ".Sh EXAMPLES\n.Bd\n" &&
		sed -n "/^Use\$/,/^CSV has/s/^	//p" "$README"
	} >use &&
	mkdir examples &&
	awk -v out=examples -f "$TEST_DIRECTORY/man-examples.awk" use &&
	count=$(cat examples/count) &&
	test "$count" -ge 7 &&
	i=1 &&
	while test $i -le $count
	do
		sh -e examples/$i.sh >got && test_cmp examples/$i.expect got ||
			{ cat examples/$i.sh && return 1; }
		i=$((i + 1))
	done
'

test_expect_success 'the log and an earlier version, as it says below' '
	rowmerge log items >log &&
	test_grep "^3 .*merge 1 inserted 1 updated 1 deleted" log &&
	rowmerge cat --at 2 items >before &&
	test_write_lines id,price 1,1.50 2,20.00 >wanted &&
	test_cmp wanted before
'

test_expect_success 'every make target it names is there' '
	grep -o "^	make [a-z][a-z-]*\|\`make [a-z][a-z-]*" "$README" |
		sed "s/.*make //" | sort -u >targets &&
	test $(wc -l <targets) -ge 8 &&
	while read target
	do
		case $target in
		unit-) target="unit-.(1)" ;;
		esac
		grep -q "^$target:" "$TEST_DIRECTORY/../Makefile" \
			"$TEST_DIRECTORY/tests.mk" ||
			{ echo "no target $target" && return 1; }
	done <targets
'

test_expect_success 'a shell test runs alone, as it says' '
	find "$TEST_DIRECTORY" -name "t[0-9]*.sh" ! -perm -100 >stuck &&
	test_cmp /dev/null stuck
'

test_expect_success 'every file it names is there' '
	grep -o "[a-z]*/[A-Za-z0-9_./-]*" "$README" | grep -E \
		"^(tests|src|bench)/[A-Za-z]" | sed "s/[.,]*\$//" |
		grep -v "RESULTS.md\|SOAK.md" | sort -u >names &&
	test $(wc -l <names) -ge 4 &&
	while read name
	do
		test -e "$TEST_DIRECTORY/../$name" ||
			{ echo "no $name" && return 1; }
	done <names
'

test_expect_success 'its rooms are the folders of src/' '
	sed -n "/^The rooms of/,/^A statement/s/^	\([a-z][a-z]*\)	.*/\1/p" \
		"$README" | sort >told &&
	(cd "$TEST_DIRECTORY/../src" && ls -d */ | sed "s|/||" | sort) \
		>there &&
	test_cmp there told
'
test_done
