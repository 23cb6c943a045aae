#!/bin/sh
test_description='table-sane passes a table and sees what is wrong with one'
. "$(dirname "$0")/test-lib.sh"
SANE=$TEST_DIRECTORY/table-sane

# make_table DIR VERSION MODE: a table with loads, an update, deletes
make_table () {
	mkdir -p "$1" &&
	test_write_lines id,v 1,one 2,two 3,three 4,four 5,five 6,six \
		>"$1/first.csv" &&
	test_write_lines id,v 7,seven 8,eight >"$1/second.csv" &&
	test_write_lines id,v 2,TWO 9,nine >"$1/s.csv" &&
	rowmerge -C "$1" sql -q -e "CREATE TABLE t (id BIGINT, v VARCHAR)
		WITH (format_version = $2, \"write.merge.mode\" = '$3')" &&
	rowmerge -C "$1" load -q t "$1/first.csv" &&
	rowmerge -C "$1" load -q t "$1/second.csv" &&
	rowmerge -C "$1" merge -q --bind s="$1/s.csv" --mode "$3" -e "
		MERGE INTO t USING s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET v = s.v
		WHEN NOT MATCHED THEN INSERT *" &&
	rowmerge -C "$1" merge -q --mode "$3" -e "DELETE FROM t WHERE id = 5"
}

for version in 2 3
do
	for mode in merge-on-read copy-on-write
	do
		test_expect_success "format $version, $mode is sound" '
			make_table "ok-$version-$mode" $version $mode &&
			"$SANE" --orphans "ok-$version-$mode/t"
		'
	done
done

# damaged NAME VERSION SCRIPT PATTERN: a copy of a table after SCRIPT has
# changed it, run in its metadata/, must be refused by PATTERN
damaged () {
	test_expect_success "it sees $1" '
		rm -rf bad && mkdir bad &&
		make_table bad '"$2"' merge-on-read &&
		(cd bad/t/metadata && '"$3"') &&
		test_must_fail "$SANE" --orphans bad/t >said &&
		test_grep "'"$4"'" said
	'
}
damaged 'a hint that is too old' 2 'printf 2 >version-hint.text' \
	'the newest is 5'
damaged 'a hint with a line end' 2 'echo 5 >version-hint.text' 'bare number'
damaged 'a lost data file' 2 'rm $(ls ../data/*.parquet | head -n 1)' missing
damaged 'a longer data file' 3 \
	'for f in ../data/*.parquet; do echo >>$f; done' 'says'
damaged 'a lost manifest' 2 'rm $(ls *-m*.avro | head -n 1)' missing
damaged 'a file of nobody' 3 'cp version-hint.text ../data/x.parquet' \
	'nothing refers'
damaged 'a wrong total' 2 \
	'sed -i "s/\"total-records\": *\"[0-9]*\"/\"total-records\":\"77\"/g" v5*' \
	'total-records is 77'
damaged 'another current snapshot' 2 \
	'sed -i "s/\"current-snapshot-id\": *\([0-9]\)/&1/" v5*' \
	'current snapshot'
damaged 'a gap' 2 'rm v3.metadata.json' 'gap'
damaged 'overlapping row ids' 3 \
	'sed -i "s/\"first-row-id\": *[0-9]*/\"first-row-id\":0/g" v5*' 'overlap'
damaged 'a flipped bit of a deletion vector' 3 \
	'f=$(ls ../data/*.puffin | head -n 1) &&
	printf "\377" | dd of=$f bs=1 seek=30 conv=notrunc 2>/dev/null' \
	'checksum of a deletion vector'
test_done
