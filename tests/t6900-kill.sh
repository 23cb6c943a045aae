#!/bin/sh
test_description='a run that is killed leaves the old version or the new one'
. "$(dirname "$0")/test-lib.sh"

test_expect_success '48 signals at any moment' '
	"$TEST_DIRECTORY/kill/kill_merge" --count 48
'
test_done
