#!/bin/sh
test_description='properties that shape data files, and files of both formats'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'rows of all kinds' - <<\EOT
	{ echo id,text,d,f,b && seq 1 6000 | awk "{
		d = \$1 % 1000 \".\" (\$1 % 90 + 10)
		f = int(\$1 / 7) \".5E\" \$1 % 20
		print \$1 \",text \" \$1 % 300 \",\" d \",\" f \",\" \
			(\$1 % 3 ? \"true\" : \"\") }"; } >in.csv
EOT

# shaped PROPERTY...: a table with these properties gives all rows back
shaped () {
	rm -rf t &&
	rowmerge create -q --columns "id INTEGER, text VARCHAR,
		d DECIMAL(10,2), f DOUBLE, b BOOLEAN" "$@" t &&
	rowmerge load -q t in.csv &&
	rowmerge cat t >out &&
	test_sql "CREATE OR REPLACE TABLE back (id INTEGER, text VARCHAR,
		d DECIMAL(10,2), f DOUBLE, b BOOLEAN)" &&
	rowmerge load -q back out && rowmerge cat back >again &&
	test_cmp out again && test $(wc -l <out) = 6001 &&
	cut -d, -f 1-3 in.csv >wanted && cut -d, -f 1-3 out >got &&
	test_cmp wanted got && test_table_sane t
}

for codec in zstd snappy gzip uncompressed
do
	test_expect_success "compression $codec" "
		shaped --property write.parquet.compression-codec=$codec &&
		ls -l t/data >size.$codec
	"
done

test_expect_success 'encodings that every reader knows' '
	shaped --property rowmerge.parquet.encoding=compatible &&
	shaped --property rowmerge.parquet.encoding=auto
'

test_expect_success 'small pages, row groups and files' - <<\EOT
	shaped --property write.parquet.page-size-bytes=1024 \
		--property write.parquet.row-group-size-bytes=8192 \
		--property write.target-file-size-bytes=10000 &&
	rowmerge show --json t >json && test $(test_member files json) -gt 1 &&
	rowmerge cat --where "id = 5432" t >out && test $(wc -l <out) = 2
EOT

test_expect_success 'a Bloom filter finds what is there' - <<\EOT
	shaped --property write.parquet.bloom-filter-enabled.column.text=true &&
	rowmerge cat --where "text = 'text 17'" t >out &&
	test $(wc -l <out) = 21 &&
	rowmerge cat --where "text = 'text 1700'" t >out &&
	test $(wc -l <out) = 1
EOT

test_expect_success \
	'format 2: one position-delete file per touched data file' - <<\EOT
	shaped --property rowmerge.fold=off &&
	test_sql "DELETE FROM t WHERE id % 10 = 0" &&
	ls t/data >files && test $(grep -c "deletes.parquet" files) = 1 &&
	test_sql "DELETE FROM t WHERE id % 10 = 1" &&
	rowmerge show --json t >json && test_member_is delete_files 1 json &&
	test_member_is rows 4800 json && test_member_is files 1 json &&
	test_table_sane t
EOT

test_expect_success \
	'format 3: one deletion vector, that replaces the one before' - <<\EOT
	shaped --format-version 3 --property rowmerge.fold=off &&
	test_sql "DELETE FROM t WHERE id % 10 = 0" &&
	test_sql "DELETE FROM t WHERE id % 10 = 1" &&
	ls t/data >files && test $(grep -c "puffin" files) = 2 &&
	rowmerge show --json t >json && test_member_is delete_files 1 json &&
	test_member_is rows 4800 json &&
	rowmerge cat --at 3 t >out && test $(wc -l <out) = 5401 &&
	test_table_sane t
EOT

test_expect_success 'copy-on-write leaves no delete file' - <<\EOT
	shaped --property write.delete.mode=copy-on-write \
		--property write.update.mode=copy-on-write &&
	test_sql "DELETE FROM t WHERE id > 10;
		UPDATE t SET d = d + 1 WHERE id < 3" &&
	rowmerge show --json t >json && test_member_is delete_files 0 json &&
	test_member_is rows 10 json && test_member_is files 1 json &&
	test_table_sane t
EOT

test_expect_success \
	'a column whose values are all NULL, and one never written' - <<\EOT
	test_sql "CREATE TABLE n (a INTEGER, b VARCHAR, c DOUBLE)" &&
	{ echo a,b && seq 1 1000 | sed "s/\$/,/"; } >n.csv &&
	rowmerge load -q n n.csv &&
	test_select "SELECT a FROM n WHERE b IS NOT NULL OR c IS NOT NULL" a &&
	rowmerge cat --where "b IS NULL AND a = 1000" n >out &&
	test_write_lines a,b,c 1000,, >wanted && test_cmp wanted out
EOT

test_expect_success \
	'very long values, empty values, many distinct ones' - <<\EOT
	test_sql "CREATE TABLE l (k INTEGER, v VARCHAR)" &&
	perl -e 'print "k,v\n"; for (1 .. 300) { print "$_,", $_ % 3 ? "v" x
		($_ * 100) . $_ : "\"\"", "\n" }' >l.csv &&
	rowmerge load -q l l.csv && rowmerge cat l >out && test_cmp l.csv out &&
	test_table_sane l
EOT
test_done
