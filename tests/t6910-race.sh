#!/bin/sh
test_description='statements of several processes at once lose nothing'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'four writers and a reader' '
	"$TEST_DIRECTORY/race/race_merge" --workers 4 --steps 8
'
test_done
