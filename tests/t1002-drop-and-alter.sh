#!/bin/sh
test_description='DROP TABLE and ALTER TABLE SET PROPERTIES'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'DROP removes the directory and nothing else' - <<\EOT
	test_sql "CREATE TABLE a (id INTEGER); CREATE TABLE b (id INTEGER);
		INSERT INTO a VALUES (1)" &&
	rowmerge sql -e "DROP TABLE a" >out 2>err &&
	test ! -e a && test -d b &&
	test_grep "a: drop table" err
EOT

test_expect_success 'DROP of what is not there' - <<\EOT
	test_refused 2 UNKNOWN_TABLE rowmerge sql -e "DROP TABLE a" &&
	test_sql "DROP TABLE IF EXISTS a" &&
	mkdir folder && echo mine >folder/file &&
	test_refused 2 UNKNOWN_TABLE rowmerge sql -e "DROP TABLE folder" &&
	test -f folder/file
EOT

test_expect_success 'create, drop and create again in one script' - <<\EOT
	test_sql "CREATE TABLE a (id INTEGER); INSERT INTO a VALUES (1);
		DROP TABLE a; CREATE TABLE a (id DATE)" &&
	test_rows_are a id
EOT

test_expect_success 'SET PROPERTIES is a version without new rows' - <<\EOT
	test_sql "INSERT INTO b VALUES (1), (2)" &&
	rowmerge sql -e "ALTER TABLE b SET PROPERTIES \"owner\" = 'x',
		\"rowmerge.fold\" = 'off'" 2>err &&
	test_grep "b: alter table, version 3" err &&
	rowmerge show --json b >json &&
	test_grep "\"owner\": \"x\"" json &&
	test_grep "\"rowmerge.fold\": \"off\"" json &&
	test_rows_are b id 1 2 &&
	test_table_sane b
EOT

test_expect_success 'DEFAULT takes a property away' - <<\EOT
	test_sql "ALTER TABLE b SET PROPERTIES \"owner\" = DEFAULT" &&
	rowmerge show --json b >json &&
	test_no_grep owner json
EOT

test_expect_success 'bad values and unknown names of ours are refused' - <<\EOT
	test_files b >before &&
	for property in "\"rowmerge.nosuch\" = '1'" \
		"\"write.merge.mode\" = 'sometimes'" \
		"\"write.target-file-size-bytes\" = 'big'" \
		"\"write.parquet.compression-codec\" = 'zip'" \
		"\"rowmerge.isolation\" = 'none'" \
		"\"schema.name-mapping.default\" = 'id'" \
		"\"schema.name-mapping.default\" = '[{\"names\":1}]'" \
		"\"rowmerge.parquet.encoding\" = 'odd'"
	do
		test_refused 3 BAD_ARGUMENT rowmerge sql \
			-e "ALTER TABLE b SET PROPERTIES $property" ||
			return 1
	done &&
	test_refused 2 UNKNOWN_TABLE rowmerge sql \
		-e "ALTER TABLE nosuch SET PROPERTIES \"a\" = 'b'" &&
	test_files b >after && test_cmp before after
EOT

test_expect_success 'the merge mode that is set is used' - <<\EOT
	test_sql "ALTER TABLE b SET PROPERTIES \"write.update.mode\" =
		'copy-on-write'" &&
	rowmerge sql --json -e "UPDATE b SET id = 5 WHERE id = 1" >json &&
	test_member_is files.removed 1 json &&
	rowmerge show --json b >json && test_member_is delete_files 0 json &&
	test_rows_are b id 2 5
EOT
test_done
