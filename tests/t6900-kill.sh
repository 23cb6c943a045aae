#!/bin/sh
test_description='a merge that is killed leaves the old version or the new one'
. "$(dirname "$0")/test-lib.sh"

test_expect_success '40 signals at any moment of a merge' '
	"$TEST_DIRECTORY/kill/kill_merge" --count 40
'
test_done
