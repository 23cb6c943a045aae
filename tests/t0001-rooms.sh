#!/bin/sh
test_description='rooms include only what src/ROOMS lets them'
. "$(dirname "$0")/test-lib.sh"
SRC=$TEST_DIRECTORY/../src

# room of a path below src/: the longest room name that is its folder
cat >room_of.awk <<'EOA'
BEGIN {
	while ((getline line < rooms) > 0) {
		if (line ~ /^#/ || line !~ /:/)
			continue
		name = line; sub(/:.*/, "", name)
		list = line; sub(/^[^:]*: */, "", list)
		known[name] = 1
		may[name] = " " list " util "
	}
}
{
	# FILE:#include "PATH"
	file = $0; sub(/:.*/, "", file)
	path = $0; sub(/^[^"]*"/, "", path); sub(/".*/, "", path)
	from = file; sub(/\/[^\/]*$/, "", from)
	to = path; sub(/\/[^\/]*$/, "", to)
	if (!(from in known)) { print file ": not in a room"; next }
	if (!(to in known)) { print file ": includes " path ", no room"; next }
	if (from == to)
		next
	if (index(may[from], " " to " ") == 0)
		print file ": may not include " path
	base = to; sub(/.*\//, "", base)
	if (to != "util" && path != to "/" base ".h" && \
	    path !~ ("^" to "/") )
		print file ": odd include " path
	if (to != "util" && path != to "/" base ".h")
		print file ": includes " path ", not the door of " to
}
EOA

test_expect_success 'every include goes through a door that may be used' '
	(cd "$SRC" && grep -r --include="*.[ch]" "^#include \"" . |
		sed "s|^\./||") >includes &&
	awk -v rooms="$SRC/ROOMS" -f room_of.awk includes >wrong &&
	test_cmp /dev/null wrong
'

test_expect_success 'no two files have one basename' '
	find "$SRC" -name "*.[ch]" | sed "s|.*/||" | sort | uniq -d >twice &&
	test_cmp /dev/null twice
'

test_expect_success 'rooms form no cycle' '
	sed -n "s/^\([a-z\/]*\):\(.*\)/\1 \2/p" "$SRC/ROOMS" |
	while read room list
	do
		for other in $list
		do
			echo "$room $other"
		done
	done >edges &&
	tsort edges >order 2>cycles &&
	test_cmp /dev/null cycles
'

test_expect_success 'no file is longer than 800 lines, no header than 300' '
	find "$SRC" -name "*.c" -exec wc -l {} + |
		awk "\$2 != \"total\" && \$1 > 800" >long &&
	find "$SRC" -name "*.h" -exec wc -l {} + |
		awk "\$2 != \"total\" && \$1 > 300" >>long &&
	test_cmp /dev/null long
'
test_done
