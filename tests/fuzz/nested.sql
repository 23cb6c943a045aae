CREATE TABLE n (id BIGINT, r ROW(a INTEGER NOT NULL, "B c" VARCHAR COMMENT 'x'), s STRUCT<x: INT, y:ARRAY<STRING>>, l INTEGER ARRAY, k VARCHAR[][], m MAP(VARCHAR, MAP<INT, DATE>))
UPDATE a SET r.a = r.a + 1, r.q.z = l[1], m = MAP(ARRAY['k'], ARRAY[ROW(2)]) WHERE r.b = 'x' AND (a, b) IN ((1, 'x'), (2, NULL))
UPDATE a SET r = ROW(1, :p, NULL), l = l || 3 || ARRAY[4], m['x'] = 1
MERGE INTO a t USING 's.csv' s ON (t.a, t.r) = (s.a, s.r) WHEN MATCHED THEN UPDATE SET t.r.b = s.b, l = ARRAY[s.k, t.r.q.z] WHEN NOT MATCHED THEN INSERT (a, r) VALUES (s.a, (s.k, s.b, ROW(1)))
INSERT INTO a (a, r, l, m) SELECT k, ROW(k, b, ROW(NULL)), slice(l, -2, 1), MAP() FROM a WHERE contains(l, a) OR m IS NULL
SELECT (ROW(1 AS a, ARRAY[1.5, NULL] AS b)).b[1], ROW(1, 2)[2], CAST((1, '2') AS ROW(x DOUBLE, y DATE)).y, element_at(MAP(ARRAY[1], ARRAY[2]), 3)
SELECT TRY_CAST(ARRAY[ROW('1', MAP())] AS ARRAY(ROW(a INTEGER, b MAP(VARCHAR, INTEGER)))), CASE WHEN r IS DISTINCT FROM r THEN l ELSE ARRAY[] END, map_entries(m)[1].value.n FROM a
SELECT ARRAY[ARRAY[ARRAY[ARRAY[1]]]][1][1][1][1], l < ARRAY[1], r = ROW(1, 'x', ROW(2)), NULLIF(l, ARRAY[a]), COALESCE(r, r).q.z FROM a UNION ALL SELECT NULL, NULL, NULL, NULL, 1
