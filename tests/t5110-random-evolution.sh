#!/bin/sh
test_description='tables that evolve at random agree with a model'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'columns, partitions and order change between merges' '
	"$TEST_DIRECTORY/evolution/run" --count 15 --steps 12
'
test_done
