# test-lib.sh - the frame of the shell tests; each sources it first.
#
# A test file sets test_description, sources this file, makes assertions with
# test_expect_success and ends with test_done. It prints TAP. Each runs in a
# folder of its own that is removed when all its assertions hold; with
# -i it stops at the first that does not, with -v it shows the commands'
# output, with -d it keeps the folder.
#
# ROWMERGE is the program under test (default: build/rowmerge).

TEST_DIRECTORY=$(cd "$(dirname "$0")" && pwd)
: "${ROWMERGE:=$TEST_DIRECTORY/../build/rowmerge}"
case $ROWMERGE in
/*) ;;
*) ROWMERGE=$PWD/$ROWMERGE ;;
esac
export ROWMERGE
unset ROWMERGE_WAREHOUSE CDPATH NO_COLOR
LC_ALL=C
TZ=UTC
export LC_ALL TZ

test_count=0
test_failed=0
test_verbose=
test_immediate=
test_debug=
for test_argument
do
	case $test_argument in
	-v) test_verbose=t ;;
	-i) test_immediate=t ;;
	-d) test_debug=t ;;
	esac
done
test_name=$(basename "$0" .sh)
TRASH_DIRECTORY=$(mktemp -d "${TMPDIR:-/tmp}/rowmerge-$test_name.XXXXXX") ||
	exit 1
cd "$TRASH_DIRECTORY" || exit 1
mkdir bin && ln -s "$ROWMERGE" bin/rowmerge || exit 1
PATH=$TRASH_DIRECTORY/bin:$PATH
mkdir work && cd work || exit 1
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'test_cleanup' EXIT

test_cleanup () {
	cd /
	if test -z "$test_debug" && test "$test_failed" = 0
	then
		chmod -R u+w "$TRASH_DIRECTORY" 2>/dev/null
		rm -rf "$TRASH_DIRECTORY"
	fi
}

# A function, so that a script may end itself by return.
test_eval () {
	eval "$test_script"
}

# test_expect_success DESCRIPTION SCRIPT: the script's last status decides. It
# is read from standard input where SCRIPT is -, for one with SQL literals:
#	test_expect_success 'a row is found' - <<\EOT
#		rowmerge cat t --where "name = 'Ann'" >out && ...
#	EOT
test_expect_success () {
	test_count=$((test_count + 1))
	test_script=$2
	if test "$test_script" = -
	then
		test_script=$(cat)
	fi
	if test -n "$test_verbose"
	then
		test_eval
	else
		test_eval >"$TRASH_DIRECTORY/output" 2>&1
	fi
	if test $? = 0
	then
		echo "ok $test_count - $1"
		return
	fi
	echo "not ok $test_count - $1"
	test_failed=$((test_failed + 1))
	# where prove shows it
	printf '%s\n' "$test_script" | sed 's/^/#	/' >&2
	if test -z "$test_verbose"
	then
		sed 's/^/# /' "$TRASH_DIRECTORY/output" | tail -n 20 >&2
	fi
	if test -n "$test_immediate"
	then
		echo "# kept $TRASH_DIRECTORY"
		exit 1
	fi
}

test_done () {
	echo "1..$test_count"
	test "$test_failed" = 0 || {
		echo "# $test_failed of $test_count failed in" \
			"$TRASH_DIRECTORY"
		exit 1
	}
	exit 0
}

# test_expect_code STATUS COMMAND...: it ends with just that status.
test_expect_code () {
	test_wanted=$1
	shift
	"$@"
	test_got=$?
	test "$test_got" = "$test_wanted" && return 0
	echo "status $test_got, wanted $test_wanted: $*" >&2
	return 1
}

test_must_fail () {
	"$@"
	test_got=$?
	test "$test_got" -gt 0 && test "$test_got" -lt 128 && return 0
	echo "status $test_got, wanted a plain failure: $*" >&2
	return 1
}

# test_refused STATUS NAME COMMAND...: it fails with that status and says so with
# that error name on stderr, which is kept in err.
test_refused () {
	test_status=$1
	test_error=$2
	shift 2
	test_expect_code "$test_status" "$@" 2>err || {
		cat err >&2
		return 1
	}
	test_grep "^rowmerge: " err &&
	test_grep "\[$test_error\]\$" err
}

test_cmp () {
	diff -u "$1" "$2"
}

# test_grep PATTERN FILE, and the negative form.
test_grep () {
	grep -- "$1" "$2" && return 0
	echo "no '$1' in $2:" >&2
	cat "$2" >&2
	return 1
}

test_no_grep () {
	if grep -- "$1" "$2"
	then
		echo "unwanted '$1' in $2" >&2
		return 1
	fi
}

test_write_lines () {
	printf '%s\n' "$@"
}

# is_sanitized: is the program built with sanitizers, which take memory of
# their own?
is_sanitized () {
	grep -q __asan_init "$ROWMERGE"
}

# test_sql SQL: statements that must succeed, and say nothing.
test_sql () {
	rowmerge sql -q -e "$1"
}

# test_select SQL LINE...: a query prints the header and rows LINE, in order.
test_select () {
	test_query=$1
	shift
	rowmerge sql -e "$test_query" >test_select.csv &&
	test_write_lines "$@" >test_select.wanted &&
	test_cmp test_select.wanted test_select.csv
}

# test_files DIRECTORY: what is in it and below, with checksums: a failed run
# leaves no file behind and changes none. Lock, pins and commit log are not
# looked at: a version says how far the log counts.
test_files () {
	find "$1" -name .rowmerge -prune -o -type f -exec cksum {} + |
		sort -k 3
}

# test_member PATH FILE: a member such as rows.inserted of the JSON object on
# the only line of FILE; objects and lists as compact JSON.
test_member () {
	perl -MJSON::PP -e '
		my ($path, $file) = @ARGV;
		open my $in, "<", $file or die;
		my @lines = <$in>;
		@lines == 1 or die "not one line";
		my $at = JSON::PP->new->utf8->decode($lines[0]);
		$at = ref $at eq "ARRAY" ? $at->[$_] : exists $at->{$_} ?
			$at->{$_} : die "no $_\n" for split /\./, $path;
		print defined $at ? ref $at ? JSON::PP->new->allow_nonref->
			canonical->encode($at) : $at : "null", "\n";
	' "$1" "$2"
}

# test_member_is PATH VALUE FILE
test_member_is () {
	test_value=$(test_member "$1" "$3") || return 1
	test "$test_value" = "$2" && return 0
	echo "$1 is $test_value, wanted $2" >&2
	return 1
}

# test_table NAME COLUMNS ROW...: a table with rows, given as CSV records.
test_table () {
	test_table_name=$1
	test_table_columns=$2
	shift 2
	rowmerge sql -q -e \
		"CREATE TABLE $test_table_name ($test_table_columns)" ||
		return 1
	test $# = 0 && return 0
	rowmerge show --json "$test_table_name" >table.json &&
	"$TEST_DIRECTORY/table-header" table.json >rows.csv &&
	test_write_lines "$@" >>rows.csv &&
	rowmerge load -q "$test_table_name" rows.csv
}

# test_rows TABLE: its rows, sorted, with the header first.
test_rows () {
	rowmerge cat "$1" >test_rows.csv &&
	head -n 1 test_rows.csv &&
	tail -n +2 test_rows.csv | sort
}

# test_rows_are TABLE LINE...: header and sorted rows.
test_rows_are () {
	test_rows "$1" >test_rows.got || return 1
	shift
	test_write_lines "$@" >test_rows.wanted &&
	test_cmp test_rows.wanted test_rows.got
}

# test_query_is QUERY LINE...: what it prints, header first.
test_query_is () {
	rowmerge sql -e "$1" >out && shift &&
	test_write_lines "$@" >wanted && test_cmp wanted out
}

# test_small_disk SIZE: mount one as small; false where that cannot be done.
test_small_disk () {
	mkdir small
	if mount -t tmpfs -o "size=$1" rowmerge-test small 2>/dev/null
	then
		trap 'cd /; umount "$TRASH_DIRECTORY/work/small"; test_cleanup' EXIT
		return 0
	fi
	echo "# no tmpfs can be mounted here: the full disk is left out"
	return 1
}

# test_fill BYTES: leave that much free on it.
test_fill () {
	rm -f small/filler &&
	dd if=/dev/zero of=small/filler bs=64k 2>/dev/null
	test_free=$1 &&
	test "$test_free" = 0 || truncate -s "-$test_free" small/filler
}

# test_table_sane TABLE...: invariants of a table directory (see table-sane).
test_table_sane () {
	for test_sane
	do
		"$TEST_DIRECTORY/table-sane" --orphans "$test_sane" || return 1
	done
}
