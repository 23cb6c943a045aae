#!/bin/sh
test_description='a batch larger than --memory, and what the run takes of it'
. "$(dirname "$0")/test-lib.sh"

# in make soak 10 million rows, 5 GB, and 512 MiB
: "${BUDGET_ROWS:=120000}"
: "${BUDGET_MIB:=16}"
# beside the budget, with two threads: 64 in make soak
: "${BUDGET_ROOM_MIB:=96}"

# FIRST COUNT VERSION: rows of about 510 bytes; the sums go to standard error
cat >rows.pl <<\EOT
my ($first, $count, $version) = @ARGV;
my $words = "lorem ipsum dolor sit amet consectetur adipiscing elit " x 5;
my ($ids, $cents, $letters) = (0, 0, 0);
print "id,amount,rate,day,seen,flag,name,place,note,memo\n";
for my $i (0 .. $count - 1) {
	# 104729 is a prime that divides no count here: each id once
	my $id = $first + $i * 104729 % $count;
	my $h = ($id * 2654435761 + $version * 40503) % 4294967296;
	my $money = $h % 1000000;
	my $note = substr($words, $h % 55, 195) . ", " . $h * 7919;
	my $memo = substr($words, $h % 53, 180) . " \"\"" . ($h ^ $id);
	printf "%d,%d.%02d,%d.5,20%02d-%02d-%02d,2024-05-%02d %02d:00:00," .
		"%s,name %x,place %d,\"%s\",\"%s\"\n", $id, $money / 100,
		$money % 100, $h % 1000, $h % 24, $h % 12 + 1, $h % 28 + 1,
		$h % 28 + 1, $h % 24, $h % 2 ? "true" : "false", $h,
		$h % 5000, $note, $memo;
	$ids += $id;
	$cents += $money;
	$letters += length($note) + length($memo) - 1;
}
print STDERR "$count,$ids,$cents,$letters\n";
EOT
COLUMNS='id BIGINT NOT NULL, amount DECIMAL(18,2), rate DOUBLE, day DATE,
	seen TIMESTAMP, flag BOOLEAN, name VARCHAR, place VARCHAR,
	note VARCHAR, memo VARCHAR'
UPSERT='MERGE INTO t USING s ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *'
OLD=$((BUDGET_ROWS * 2 / 5))	# rows of the table; half of them are updated

# within_budget: the run whose summary is in json
within_budget () {
	peak=$(test_member peak_memory_bytes json) &&
	limit=$(((BUDGET_MIB + BUDGET_ROOM_MIB) << 20)) &&
	echo "peak $peak, limit $limit" &&
	{ is_sanitized || test "$peak" -le "$limit"; }
}

# table_is TABLE: what the generator summed up
table_is () {
	rowmerge sql -e "SELECT count(*), sum(id), CAST(sum(amount) * 100 AS
		BIGINT), sum(length(note) + length(memo)) FROM $1" >got &&
	sed 1d got >sums && test_cmp wanted sums
}

test_expect_success "a batch of $BUDGET_ROWS rows, and a table" - <<\EOT
	new=$((BUDGET_ROWS * 4 / 5 + 1)) &&
	perl rows.pl 1 $BUDGET_ROWS 2 >s.csv 2>batch &&
	perl rows.pl $((BUDGET_ROWS + 1)) $((OLD / 2)) 1 >rest.csv 2>rest &&
	perl rows.pl $new $((OLD / 2)) 1 >old.csv 2>/dev/null &&
	awk -F, -v OFS=, "{ for (i = 1; i <= 4; i++) s[i] += \$i }
		END { printf \"%.0f,%.0f,%.0f,%.0f\n\", s[1], s[2], s[3], s[4] }" \
		batch rest >wanted &&
	rowmerge create -q --columns "$COLUMNS" --primary-key id origin &&
	rowmerge load --json --memory ${BUDGET_MIB}M --threads 2 origin \
		old.csv rest.csv >json &&
	rm old.csv rest.csv && within_budget &&
	test_member_is rows.inserted $((OLD / 2 * 2)) json
EOT

# merged OPTION...: into a table of its own
merged () {
	rm -rf t && cp -r origin t && rowmerge alter -q t relocate &&
	rowmerge merge --json --memory ${BUDGET_MIB}M --threads 2 "$@" -e "$UPSERT" \
		>json && within_budget && table_is t && rm -rf t &&
	test_member_is rows.updated $((OLD / 2)) json &&
	test_member_is rows.inserted $((BUDGET_ROWS - OLD / 2)) json
}

test_expect_success 'merge-on-read' 'merged'
test_expect_success 'copy-on-write' 'merged --mode copy-on-write'
test_expect_success 'the highest row of each key' '
	merged --keep-latest-by seen,amount'
test_expect_success 'the last row of each key' 'merged --keep-last --key id'
test_done
