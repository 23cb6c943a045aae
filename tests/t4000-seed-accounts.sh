#!/bin/sh
test_description='the statements of "Supporting MERGE", as they stand there'
. "$(dirname "$0")/test-lib.sh"
SEED=$TEST_DIRECTORY/data/seed

# new_tables OPTIONS: both tables with their rows
new_tables () {
	rm -rf accounts monthly_accounts_update &&
	rowmerge sql -q "$SEED/accounts-create.sql" &&
	rowmerge sql -q "$SEED/accounts-insert.sql"
}

# case_rows SPEC [OPTION...]: the case rows that explain shows, sorted
case_rows () {
	rowmerge explain --rows "$@" >pages &&
	sed -n 's/^{"page":"merge".*"case_row":\(\[[^]]*\]\).*/\1/p' pages |
		sort
}

test_expect_success 'the tables are made and filled' - <<\EOT
	new_tables &&
	test_rows_are accounts customer,purchases,address "Ann,100,Oakland" \
		"Bob,40,Palo Alto" "Eve,7,Fremont" "Joe Shmoe,25,San Jose" &&
	rowmerge show accounts >out && test_grep "purchases DECIMAL(38,0)" out
EOT

test_expect_success 'the CASE gives exactly the rows of the document' - <<\EOT
	case_rows "$SEED/accounts-merge.sql" >rows &&
	cat >wanted <<-\EOF &&
	["Bob",100,"Los Altos",true,3,2]
	["Joe Shmoe",125,"San Jose",true,3,1]
	["Zed",12,"Fremont",false,1,3]
	[null,null,null,true,2,0]
	EOF
	test_cmp wanted rows
EOT

test_expect_success \
	'without the INSERT clause a row is taken by no case' - <<\EOT
	sed "/WHEN NOT MATCHED/,\$d" "$SEED/accounts-merge.sql" >three.sql &&
	case_rows three.sql >rows &&
	cat >wanted <<-\EOF &&
	["Bob",100,"Los Altos",true,3,2]
	["Joe Shmoe",125,"San Jose",true,3,1]
	[null,null,null,false,-1,-1]
	[null,null,null,true,2,0]
	EOF
	test_cmp wanted rows
EOT

test_expect_success 'the merge page has row ids where rows matched' - <<\EOT
	rowmerge explain --rows "$SEED/accounts-merge.sql" >pages &&
	grep "\"page\":\"merge\"" pages >merge &&
	test $(wc -l <merge) = 4 &&
	grep Zed merge >zed && test_grep "\"row_id\":null" zed &&
	grep -v Zed merge >others && test_no_grep "\"row_id\":null" others &&
	test_no_grep "\"is_distinct\":0" merge
EOT

# change_rows: operation, case number and flag of each change row, sorted
change_rows () {
	sed -n 's/^{"page":"change","row":\[\([^,]*\),.*"operation":\([-0-9]*\),"case_number":\([-0-9]*\),.*"insert_from_update":\([01]\)}/\1 \2 \3 \4/p' \
		pages | sort
}

test_expect_success 'the change page: updates as pairs, none with -1' - <<\EOT
	rowmerge explain --rows three.sql >pages &&
	change_rows >changes &&
	awk "{ print \$(NF - 2), \$(NF - 1), \$NF }" changes | sort >numbers &&
	test_write_lines "1 1 1" "1 2 1" "2 0 0" "2 1 0" "2 2 0" >wanted &&
	test_cmp wanted numbers &&
	test_no_grep "\"operation\":-1" pages
EOT

test_expect_success 'copy-on-write keeps an update as operation 3' - <<\EOT
	rowmerge explain --mode copy-on-write --rows \
		"$SEED/accounts-merge.sql" \
		>pages &&
	change_rows >changes &&
	awk "{ print \$(NF - 2), \$(NF - 1), \$NF }" changes | sort >numbers &&
	test_write_lines "1 3 0" "2 0 0" "3 1 0" "3 2 0" >wanted &&
	test_cmp wanted numbers
EOT

test_expect_success 'explain changed nothing' - <<\EOT
	rowmerge show --json accounts >json && test_member_is version 2 json &&
	test_table_sane accounts
EOT

for mode in merge-on-read copy-on-write
do
	for version in 2 3
	do
		test_expect_success "the merge, $mode, format $version" '
			rm -rf accounts monthly_accounts_update &&
			sed "s/VARCHAR);/VARCHAR) WITH (format_version = $version);/" \
				"$SEED/accounts-create.sql" >create.sql &&
			rowmerge sql -q create.sql &&
			rowmerge sql -q "$SEED/accounts-insert.sql" &&
			rowmerge merge --mode $mode --json \
				"$SEED/accounts-merge.sql" >json &&
			test_member_is rows.inserted 1 json &&
			test_member_is rows.updated 2 json &&
			test_member_is rows.deleted 1 json &&
			test_rows_are accounts customer,purchases,address \
				"Bob,100,Los Altos" Eve,7,Fremont \
				"Joe Shmoe,125,San Jose" Zed,12,Fremont &&
			test_table_sane accounts monthly_accounts_update
		'
	done
done

test_expect_success 'the source may be a file of that name' - <<\EOT
	new_tables &&
	rowmerge cat monthly_accounts_update >monthly.csv &&
	rm -r monthly_accounts_update &&
	mv monthly.csv monthly_accounts_update.csv &&
	rowmerge merge -q "$SEED/accounts-merge.sql" &&
	test_rows_are accounts customer,purchases,address \
		"Bob,100,Los Altos" Eve,7,Fremont \
		"Joe Shmoe,125,San Jose" Zed,12,Fremont
EOT
test_done
