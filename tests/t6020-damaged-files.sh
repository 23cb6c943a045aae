#!/bin/sh
test_description='a damaged file is named, status 1, and nothing is written'
. "$(dirname "$0")/test-lib.sh"
MERGE="MERGE INTO d USING (VALUES (1, 9), (7, 7)) s(id, n) ON d.id = s.id
	WHEN MATCHED THEN UPDATE SET n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n, NULL)"

# made VERSION: table t with data and delete files, and no folding
made () {
	rm -rf t &&
	test_sql "CREATE TABLE t (id INTEGER, n INTEGER, name VARCHAR)
		WITH (format_version = $1, \"rowmerge.fold\" = 'off')" &&
	{ echo id,n,name &&
	seq 1 3000 | sed "s/\(.*\)/\1,5,name \1/"; } >in.csv &&
	rowmerge load -q t in.csv &&
	test_sql "DELETE FROM t WHERE id < 5"
}

# damaged FILE-PATTERN HOW: reading and merging fail, name it, change nothing.
# d is t at its own place, with that file damaged.
damaged () {
	rm -rf keep && cp -rp d keep &&
	file=$(ls -t $1 | head -n 1) &&
	eval "$2" &&
	test_files d >before &&
	for command in cat merge
	do
		case $command in
		cat) rowmerge cat d >out 2>err; status=$? ;;
		merge) rowmerge merge -e "$MERGE" >out 2>err; status=$? ;;
		esac
		test $status = 1 && test_grep "\[CORRUPT\]\|\[IO\]" err &&
		test_grep "${file##*/}" err || {
			echo "$command of $file after $2: status $status"
			return 1
		}
	done &&
	test_files d >after && test_cmp before after &&
	rm -rf d && mv keep d
}

cut='truncate -s $(($(wc -c <"$file") * 2 / 3)) "$file"'
empty=': >"$file"'
garble='printf "%064d" 0 | dd of="$file" bs=1 seek=8 conv=notrunc 2>/dev/null'
tail='size=$(wc -c <"$file") && printf "%016d" 0 |
	dd of="$file" bs=1 seek=$((size - 16)) conv=notrunc 2>/dev/null'
gone='rm "$file"'

for version in 2 3
do
	test_expect_success "a table of format $version" "
		made $version && rm -rf d && mv t d.t && mv d.t t &&
		test_sql \"CREATE OR REPLACE TABLE d (id INTEGER, n INTEGER,
			name VARCHAR) WITH (\\\"rowmerge.fold\\\" = 'off',
			format_version = $version)\" &&
		rowmerge load -q d in.csv &&
		test_sql 'DELETE FROM d WHERE id < 5'
	"
	for file in 'd/metadata/v*.metadata.json' 'd/metadata/snap-*.avro' \
		'd/metadata/*-m*.avro' 'd/data/*0[0-9].parquet' 'd/data/*deletes*'
	do
		test_expect_success "format $version, $file" '
			damaged "$file" "$cut" && damaged "$file" "$empty" &&
			damaged "$file" "$garble" && damaged "$file" "$tail"
		'
	done
	for file in 'd/metadata/snap-*.avro' 'd/metadata/*-m*.avro' \
		'd/data/*0[0-9].parquet' 'd/data/*deletes*'
	do
		test_expect_success "format $version, $file is not there" '
			damaged "$file" "$gone"
		'
	done
done

test_expect_success 'the table still works' - <<\EOT
	rowmerge merge -q -e "$MERGE" && test_table_sane d &&
	test_select "SELECT id, n FROM d WHERE id IN (1, 6, 7)" id,n 6,5 7,7 1,9
EOT
test_done
