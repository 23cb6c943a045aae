#!/bin/sh
test_description='what a run writes is nothing that it needs'
. "$(dirname "$0")/test-lib.sh"
SPEC="MERGE INTO 't.csv' t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)"

new_files () {
	rm -rf * .??* && test_write_lines id,n 1,1 2,2 >t.csv &&
	test_write_lines id,n 2,20 3,30 >s.csv && echo "$SPEC" >spec.csv
}
# refused_all MESSAGE COMMAND...: and no file changes or appears
refused_all () {
	test_message=$1 && shift && test_files . | grep -v "/err$" >before
	test_refused 2 USAGE "$@" && test_grep "$test_message" err &&
	test_files . | grep -v -e "/err$" -e "/before$" -e "/after$" >after &&
	grep -v "/before$" before >wanted.files && test_cmp wanted.files after
	test_got=$?
	rm -f wanted.files before after
	return $test_got
}

test_expect_success 'no output is a file that the run reads or merges into' - <<\EOT
	new_files && ln s.csv hard.csv && ln -s . soft && mkdir d &&
	for file in t.csv ./t.csv d/../t.csv "$PWD/t.csv" soft/t.csv
	do
		refused_all "would overwrite the target" rowmerge merge \
			--bind s=s.csv --changes $file -e "$SPEC" &&
		refused_all "would overwrite the target" rowmerge merge \
			--bind s=s.csv --rejects $file -e "$SPEC" || return 1
	done &&
	for file in s.csv hard.csv "$PWD/s.csv"
	do
		refused_all "would overwrite the input" rowmerge merge \
			--bind s=s.csv --changes $file -e "$SPEC" &&
		refused_all "would overwrite the input" rowmerge merge \
			--bind s=s.csv --rejects $file -e "$SPEC" &&
		refused_all "would overwrite the input" rowmerge merge \
			--bind "s=[s].csv" --rejects $file -e "$SPEC" ||
			return 1
	done &&
	refused_all "would overwrite the spec" rowmerge merge \
		--bind s=s.csv --changes spec.csv spec.csv &&
	refused_all "would overwrite the spec" rowmerge merge \
		--bind s=s.csv --rejects spec.csv spec.csv
EOT

test_expect_success 'nor what standard input is' - <<\EOT
	new_files &&
	refused_all "would overwrite the input" rowmerge merge \
		--bind s=- --rejects s.csv -e "$SPEC" <s.csv &&
	refused_all "would overwrite the input" rowmerge merge \
		--bind s=- --changes s.csv -e "$SPEC" <s.csv &&
	refused_all "would overwrite the spec" rowmerge merge \
		--bind s=s.csv --changes spec.csv - <spec.csv
EOT

test_expect_success 'nor Parquet, JSON Lines or an input of load' - <<\EOT
	new_files && test_sql "CREATE TABLE w (id INTEGER, n INTEGER)" &&
	rowmerge sql --format parquet -e "SELECT * FROM 's.csv'" >s.parquet &&
	test_write_lines '{"id":1,"n":2}' >s.jsonl &&
	for s in s.parquet s.jsonl
	do
		refused_all "would overwrite the input" rowmerge merge \
			--bind s=$s --changes $s -e "$SPEC" &&
		refused_all "would overwrite the input" rowmerge merge \
			--bind s=$s --rejects $s -e "$SPEC" || return 1
	done &&
	refused_all "would overwrite the input" rowmerge load \
		--rejects s.csv w s.csv &&
	cp s.jsonl s.reasons.jsonl &&
	refused_all "would overwrite the input" rowmerge load --rejects s \
		w s.reasons.jsonl
EOT

test_expect_success 'nor two outputs one file' - <<\EOT
	new_files && mkdir d && ln -s . here &&
	refused_all "would overwrite what" rowmerge merge --bind s=s.csv \
		--changes x.csv --rejects x.csv -e "$SPEC" &&
	refused_all "would overwrite what" rowmerge merge --bind s=s.csv \
		--changes x.csv --rejects here/d/../x.csv -e "$SPEC" &&
	refused_all "would overwrite what" rowmerge merge --bind s=s.csv \
		--changes x.reasons.jsonl --rejects x -e "$SPEC" &&
	rowmerge merge -q --bind s=s.csv --changes x.csv --rejects d/x.csv \
		-e "$SPEC" && test_grep update_after x.csv &&
	test_write_lines id,n >wanted && test_cmp wanted d/x.csv
EOT

test_expect_success 'an output that cannot be is refused before the run' - <<\EOT
	new_files && mkdir d.csv && mkfifo f.csv &&
	for file in d.csv f.csv d.csv/ ""
	do
		refused_all "takes" rowmerge merge --bind s=s.csv \
			--changes "$file" -e "$SPEC" &&
		refused_all "takes" rowmerge merge --bind s=s.csv \
			--rejects "$file" -e "$SPEC" || return 1
	done &&
	touch to.csv && ln -s to.csv link.csv && ln -s nowhere gone.csv &&
	ln -s /proc/self/fd/1 out.csv &&
	for file in link.csv gone.csv out.csv
	do
		refused_all "symbolic link" rowmerge merge --bind s=s.csv \
			--changes "$file" -e "$SPEC" &&
		refused_all "symbolic link" rowmerge merge --bind s=s.csv \
			--rejects "$file" -e "$SPEC" &&
		test -L "$file" || return 1
	done &&
	cp t.csv before.csv &&
	test_refused 1 IO rowmerge merge --bind s=s.csv \
		--changes none/x.csv -e "$SPEC" && test_cmp before.csv t.csv
EOT

test_expect_success 'a file that nothing reads' - <<\EOT
	new_files && cp s.csv z.csv &&
	refused_all "no statement has that name" rowmerge merge \
		--bind s=s.csv --bind ss=z.csv -e "$SPEC" &&
	refused_all "no statement has that name" rowmerge merge \
		--bind s=s.csv --bind u=z.csv -e "$SPEC" &&
	rowmerge merge -q --bind S=s.csv -D low=3 -e "$SPEC"
EOT

test_expect_success 'a number has no sign and no blank' - <<\EOT
	new_files &&
	for n in " -1" -1 +1 " 1" "1 " "" x 99999999999999999999
	do
		refused_all "takes a number or a share, N or P%" rowmerge merge --max-deletes="$n" \
			-e "DELETE FROM 't.csv'" &&
		refused_all "takes a number" rowmerge merge --bind s=s.csv \
			--rejects r --max-rejects="$n" -e "$SPEC" || return 1
	done
EOT

test_done
