#!/bin/sh
test_description='the MERGE of the Merger pattern: batches of devices'
. "$(dirname "$0")/test-lib.sh"
MERGE=$TEST_DIRECTORY/data/seed/devices-merge.sql

new_table () {
	rm -rf devices_output &&
	test_sql "CREATE TABLE devices_output (type VARCHAR, version VARCHAR,
		full_name VARCHAR)"
}

# batch LINE...: merge these events
batch () {
	test_write_lines type,version,full_name,is_deleted "$@" \
		>devices_input.csv &&
	rowmerge merge --json "$MERGE" >json 2>err
}

test_expect_success 'the first batch inserts two' - <<\EOT
	new_table &&
	batch "mobile,1.0,Phone A,false" "tablet,2.0,Tablet B,false" &&
	test_member_is rows.inserted 2 json &&
	test_rows_are devices_output type,version,full_name \
		"mobile,1.0,Phone A" "tablet,2.0,Tablet B"
EOT

test_expect_success 'the second updates, deletes and inserts' - <<\EOT
	batch "mobile,1.0,Phone A v2,false" "tablet,2.0,Tablet B,true" \
		"laptop,3.0,Laptop C,false" &&
	test_member_is rows.inserted 1 json &&
	test_member_is rows.updated 1 json &&
	test_member_is rows.deleted 1 json &&
	test_rows_are devices_output type,version,full_name \
		"laptop,3.0,Laptop C" "mobile,1.0,Phone A v2"
EOT

test_expect_success 'the second batch again changes nothing' - <<\EOT
	rowmerge show --json devices_output >before &&
	batch "mobile,1.0,Phone A v2,false" "tablet,2.0,Tablet B,true" \
		"laptop,3.0,Laptop C,false" &&
	test_member_is rows.unchanged 2 json &&
	test_member_is rows.no_action 1 json &&
	test_member_is version.after $(test_member version before) json
EOT

test_expect_success \
	'a first run with deleted records does not insert them' - <<\EOT
	new_table &&
	batch "A,1,X,true" "B,1,Y,false" &&
	test_rows_are devices_output type,version,full_name B,1,Y &&
	test_member_is rows.no_action 1 json
EOT

test_expect_success 'half of the key does not match' - <<\EOT
	batch "B,2,Other,true" "B,1.0,Another,false" &&
	test_rows_are devices_output type,version,full_name B,1,Y \
		B,1.0,Another
EOT

test_expect_success 'a flag that is NULL takes no clause' - <<\EOT
	batch "B,1,Z," "C,1,New," &&
	test_member_is rows.no_action 2 json &&
	test_rows_are devices_output type,version,full_name B,1,Y \
		B,1.0,Another
EOT

test_expect_success \
	'a key twice in a batch is refused, nothing changes' - <<\EOT
	test_files devices_output >before &&
	test_expect_code 3 batch "B,1,a,false" "B,1,b,false" &&
	test_member_is error.code MERGE_TARGET_ROW_MULTIPLE_MATCHES json &&
	test_expect_code 3 batch "B,1,a,false" "B,1,b,true" &&
	test_files devices_output >after && test_cmp before after
EOT

test_expect_success 'runs of 07:00 to 10:00 one after the other' - <<\EOT
	new_table &&
	batch A,1,A,false &&
	batch A,1,A-updated,false B,1,B,false &&
	batch B,1,B,true C,1,C,false &&
	batch M,1,M,false N,1,N,false O,1,O,false &&
	test_rows_are devices_output type,version,full_name A,1,A-updated \
		C,1,C M,1,M N,1,N O,1,O &&
	for version in 2 3 4 5
	do
		rowmerge cat --at $version --columns full_name devices_output \
			>rows &&
		sed 1d rows | sort | paste -s -d " " || return 1
	done >history &&
	test_write_lines "A" "A-updated B" "A-updated C" "A-updated C M N O" \
		>wanted &&
	test_cmp wanted history &&
	test_table_sane devices_output
EOT
test_done
