#!/bin/sh
test_description='versions: log, show, cat --at and the files behind them'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'every commit is one version, newest first' - <<\EOT
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER);
		INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
		UPDATE t SET n = 20 WHERE id = 2" &&
	sleep 0.01 && test_sql "DELETE FROM t WHERE id = 3" &&
	rowmerge log t >out &&
	sed "s/  2[-0-9]* [^ ]*  / /" out >lines &&
	test_write_lines "4 delete 1 deleted (2 rows)" \
		"3 update 1 updated (3 rows)" "2 insert 3 inserted (3 rows)" \
		"1 create (0 rows)" >wanted &&
	test_cmp wanted lines && test_table_sane t
EOT

test_expect_success 'log --json and --limit' - <<\EOT
	rowmerge log --json t | tr -d "\n" >json && echo >>json &&
	test_member_is 0.version 4 json && test_member_is 0.parent 3 json &&
	test_member_is 0.operation delete json &&
	test_member_is 0.deleted 1 json && test_member_is 0.rows 2 json &&
	test_member_is 3.version 1 json && test_member_is 3.parent null json &&
	test_member_is 3.snapshot null json &&
	rowmerge log --limit 2 t >out && test $(wc -l <out) = 2 &&
	rowmerge log --limit 0 t >out && test_cmp /dev/null out
EOT

test_expect_success 'each version is still there, with its rows' - <<\EOT
	for version in 1:id,n 2:id,n:1,1:2,2:3,3 3:id,n:1,1:2,20:3,3 \
		4:id,n:1,1:2,20
	do
		rowmerge cat --at ${version%%:*} t >out && sort out >got &&
		echo "${version#*:}" | tr : "\n" | sort >wanted &&
		test_cmp wanted got || return 1
	done &&
	rowmerge show --at 2 --json t >json && test_member_is rows 3 json &&
	test_member_is version 2 json && test_member_is delete_files 0 json
EOT

test_expect_success 'a point in time, in UTC' - <<\EOT
	rowmerge log --json t | tr -d "\n" >json && echo >>json &&
	time=$(test_member 1.time json) &&
	rowmerge cat --at "$time" t >out && sort out >got &&
	test_write_lines 1,1 2,20 3,3 id,n >wanted && test_cmp wanted got &&
	TZ=America/New_York rowmerge cat --at "2999-01-01" t >out &&
	test $(wc -l <out) = 3 &&
	test_refused 2 UNKNOWN_VERSION rowmerge cat --at "2000-01-01 00:00:00" t
EOT

test_expect_success 'the hint is only a hint' - <<\EOT
	rowmerge cat t >wanted &&
	for hint in 1 2 99 x "" 
	do
		printf "$hint" >t/metadata/version-hint.text &&
		rowmerge cat t >out && test_cmp wanted out || return 1
	done &&
	rm t/metadata/version-hint.text &&
	rowmerge cat t >out && test_cmp wanted out &&
	test_sql "INSERT INTO t VALUES (9, 9)" &&
	test "$(cat t/metadata/version-hint.text)" = 5 && test_table_sane t
EOT

test_expect_success 'show --json is what the table is' - <<\EOT
	rowmerge show --json t >json && test_member_is version 5 json &&
	test_member_is rows 3 json && test_member_is format_version 2 json &&
	test_member_is schema.fields.1.name n json &&
	test_member_is partition_spec.fields "[]" json &&
	test_member_is location "file://$(pwd -P)/t" json &&
	test $(test_member bytes json) -gt 0 &&
	test_grep "\"write.merge.mode\": \"merge-on-read\"" json
EOT

test_expect_success 'cat: columns, where, limit, formats' - <<\EOT
	rowmerge cat --columns " N , id" --where "n > 1 AND id < 9" t >out &&
	test_write_lines n,id 20,2 >wanted && test_cmp wanted out &&
	rowmerge cat --limit 1 t >out && test $(wc -l <out) = 2 &&
	rowmerge cat --limit 0 t >out && echo id,n >wanted &&
	test_cmp wanted out &&
	rowmerge cat --format jsonl --where "id = 2" t >out &&
	echo '{"id":2,"n":20}' >wanted && test_cmp wanted out &&
	rowmerge cat --at 2 --where "n = 2" t >out &&
	test_write_lines id,n 2,2 >wanted && test_cmp wanted out
EOT

test_expect_success 'cat: what is wrong with its options' - <<\EOT
	test_refused 2 UNKNOWN_COLUMN rowmerge cat --columns id,x t &&
	test_refused 2 UNKNOWN_COLUMN rowmerge cat --where "x = 1" t &&
	test_grep "^rowmerge: --where:1:1" err &&
	test_refused 2 SYNTAX rowmerge cat --where "n >" t &&
	test_refused 2 SYNTAX rowmerge cat --where "n > 1; DROP TABLE t" t &&
	test_refused 2 TYPE_MISMATCH rowmerge cat --where "n" t &&
	test_refused 2 TYPE_MISMATCH rowmerge cat --where "n = 'x'" t &&
	test_refused 3 DIVISION_BY_ZERO rowmerge cat --where \
		"1 / (id - 2) > 0" t
EOT

test_expect_success 'pruning finds all rows in many files' - <<\EOT
	test_sql "CREATE TABLE m (id INTEGER, s VARCHAR)" &&
	for i in 1 2 3 4 5 6 7 8
	do
		{ echo id,s && seq $((i * 100)) $((i * 100 + 150)) |
			sed "s/\(.*\)/\1,v\1/"; } >in.csv &&
		rowmerge load -q m in.csv || return 1
	done &&
	for where in "id = 250" "id BETWEEN 395 AND 405" "s = 'v700'" \
		"id > 940" \
		"id IN (100, 950, 951)" "s LIKE 'v81%'" "id <> 100"
	do
		rowmerge cat --where "$where" m >pruned &&
		rowmerge cat --where "($where) AND length(s) * 0 = 0" m >all &&
		rowmerge sql -e "SELECT * FROM m WHERE $where" >query &&
		test_cmp all pruned && test_cmp all query || return 1
	done
EOT
test_done
