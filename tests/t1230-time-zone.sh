#!/bin/sh
test_description='--time-zone: where times become instants and back'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'an input without offsets is of the zone' '
	rowmerge create --columns "id INTEGER, at TIMESTAMP WITH TIME ZONE" t &&
	cat >in.csv <<-\END &&
	id,at
	1,2024-07-01 12:00
	2,2024-01-01 12:00
	3,2024-01-01 12:00:00Z
	4,2024-10-27 02:30:00
	5,2024-03-31 02:30:00
	END
	rowmerge load -q --time-zone Europe/Berlin t in.csv &&
	echo "{\"id\": 6, \"at\": \"2024-07-01 12:00\"}" >in.jsonl &&
	rowmerge load -q --time-zone=Europe/Berlin t in.jsonl &&
	printf "id;at\n7;1.7.2024 12.00\n" >in2.csv &&
	rowmerge load -q --time-zone Europe/Berlin --delimiter ";" \
		--timestamp-format "%d.%m.%Y %H.%M" t in2.csv &&
	rowmerge cat t | sort >actual &&
	cat >expect <<-\END &&
	1,2024-07-01 10:00:00+00:00
	2,2024-01-01 11:00:00+00:00
	3,2024-01-01 12:00:00+00:00
	4,2024-10-27 00:30:00+00:00
	5,2024-03-31 01:30:00+00:00
	6,2024-07-01 10:00:00+00:00
	7,2024-07-01 10:00:00+00:00
	id,at
	END
	test_cmp expect actual
'

test_expect_success 'without the option it is UTC, whatever TZ says' '
	rowmerge create --columns "id INTEGER, at TIMESTAMP WITH TIME ZONE" u &&
	TZ=Asia/Tokyo rowmerge load -q u in.csv &&
	TZ=Asia/Tokyo rowmerge cat --where "id = 1 AND hour(at) = 12" u \
		>actual &&
	printf "id,at\n1,2024-07-01 12:00:00+00:00\n" >expect &&
	test_cmp expect actual
'

test_expect_success 'nested values of an input are of the zone too' '
	rowmerge create --columns "r ROW(at TIMESTAMP WITH TIME ZONE)" n &&
	echo "{\"r\": {\"at\": \"2024-07-01 12:00\"}}" >n.jsonl &&
	rowmerge load -q --time-zone Europe/Berlin n n.jsonl &&
	printf "r\n\"{\"\"at\"\":\"\"2024-01-01 12:00\"\"}\"\n" >n.csv &&
	rowmerge load -q --time-zone Europe/Berlin n n.csv &&
	rowmerge cat --format jsonl n | sort >actual &&
	cat >expect <<-\END &&
	{"r":{"at":"2024-01-01 11:00:00+00:00"}}
	{"r":{"at":"2024-07-01 10:00:00+00:00"}}
	END
	test_cmp expect actual
'

# what PostgreSQL 15 gives with SET TIME ZONE, but for the form of the text
test_expect_success 'expressions look at instants in the zone' '
	rowmerge sql --time-zone Asia/Tokyo -e "SELECT hour(at) AS h,
		CAST(at AS DATE) AS d, CAST(at AS TIMESTAMP) AS l,
		date_trunc('\''day'\'', at) AS t, CAST(at AS VARCHAR) AS v
		FROM t WHERE id = 3" >actual &&
	cat >expect <<-\END &&
	h,d,l,t,v
	21,2024-01-01,2024-01-01 21:00:00,2023-12-31 15:00:00+00:00,2024-01-01 21:00:00.000000 Asia/Tokyo
	END
	test_cmp expect actual &&
	rowmerge sql --time-zone America/New_York -e "SELECT
		CAST('\''2024-07-01 12:00'\'' AS TIMESTAMP WITH TIME ZONE) AS a,
		CAST(TIMESTAMP '\''2024-01-01 12:00'\''
			AS TIMESTAMP WITH TIME ZONE) AS b,
		TIMESTAMP WITH TIME ZONE '\''2024-01-01 12:00'\'' AS c,
		TIMESTAMP WITH TIME ZONE '\''2024-01-01 12:00+01:00'\'' AS d,
		hour(TIMESTAMP '\''2024-01-01 12:00:00 UTC'\''
			AT TIME ZONE '\''Asia/Tokyo'\'') AS e" >actual &&
	cat >expect <<-\END &&
	a,b,c,d,e
	2024-07-01 16:00:00+00:00,2024-01-01 17:00:00+00:00,2024-01-01 17:00:00+00:00,2024-01-01 11:00:00+00:00,21
	END
	test_cmp expect actual
'

test_expect_success 'a merge compares, sets and defaults in the zone' '
	cat >m.csv <<-\END &&
	id,day
	1,2024-07-01
	9,2024-07-02
	END
	rowmerge create --format-version 3 --columns "id INTEGER,
		at TIMESTAMP WITH TIME ZONE
		DEFAULT TIMESTAMP WITH TIME ZONE '\''2024-02-01 00:00'\''" \
		--time-zone Europe/Berlin m &&
	rowmerge sql -q -e "INSERT INTO m VALUES
		(1, TIMESTAMP '\''2024-06-30 23:00:00 UTC'\''), (2, DEFAULT)" &&
	rowmerge merge -q --time-zone Europe/Berlin --bind s=m.csv \
		-D since="2024-07-01 00:00" -e "MERGE INTO m t
		USING (SELECT CAST(id AS INTEGER) AS id,
			CAST(day AS DATE) AS day FROM s) s
		ON t.id = s.id AND t.at >= :since
		WHEN MATCHED AND CAST(t.at AS DATE) = s.day
		THEN UPDATE SET at = CAST(s.day AS TIMESTAMP)
		WHEN NOT MATCHED THEN INSERT (id, at)
			VALUES (s.id, CAST(s.day AS TIMESTAMP))" &&
	rowmerge cat m | sort >actual &&
	cat >expect <<-\END &&
	1,2024-06-30 22:00:00+00:00
	2,2024-01-31 23:00:00+00:00
	9,2024-07-01 22:00:00+00:00
	id,at
	END
	test_cmp expect actual
'

test_expect_success 'a zone that nobody knows is wrong use' '
	test_expect_code 2 rowmerge sql --time-zone Mars/Olympus \
		-e "SELECT 1 AS a" 2>err &&
	grep "knows no .Mars/Olympus" err &&
	test_expect_code 2 rowmerge cat --time-zone ../../etc/passwd t 2>err &&
	grep "USAGE" err
'

test_done
