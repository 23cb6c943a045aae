"""Expressions on ROW, ARRAY and MAP: rowmerge and DuckDB over random rows.

Only what both define alike is asked, or written so that it is: DuckDB's
own rules differ from Trino's, which rowmerge follows, in these ways:
- = of nested values: DuckDB takes NULLs inside as equal, Trino as unknown;
  so comparisons are made of values without NULL inside.
- a subscript out of range is NULL, in Trino an error; so is a missing key.
- list_contains is false where Trino's contains is NULL.
- list_concat takes NULL for an empty list; NULL makes all NULL in Trino.
- TRY_CAST makes a bad element NULL, in Trino the whole value.
- a NULL inside has a place in the order, in Trino it is an error.

ROWMERGE is the program, INTEROP_SEED repeats a run. The last line says
"N passed, N failed".
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import duckdb

ROWMERGE = os.environ["ROWMERGE"]
COLUMNS = ("i INTEGER, s VARCHAR, r ROW(a INTEGER, b VARCHAR, "
           "q ROW(z INTEGER)), l ARRAY(INTEGER), k ARRAY(VARCHAR), "
           "m MAP(VARCHAR, INTEGER)")
DUCK_COLUMNS = ("i INTEGER, s VARCHAR, r STRUCT(a INTEGER, b VARCHAR, "
                "q STRUCT(z INTEGER)), l INTEGER[], k VARCHAR[], "
                "m MAP(VARCHAR, INTEGER)")

# (rowmerge, DuckDB or None for the same, may there be NULLs inside?)
EXPRESSIONS = [
    ("r.a", None, True),
    ("r.q.z", None, True),
    ("(r.q).z + i", None, True),
    ("r.b || s", None, True),
    ("r IS NULL", None, True),
    ("CAST(ROW(i, s, l) AS ROW(x BIGINT, y VARCHAR, w ARRAY(DOUBLE)))",
     "{'x': i::BIGINT, 'y': s, 'w': l::DOUBLE[]}", True),
    ("CAST(r AS ROW(x BIGINT, y VARCHAR, w ROW(z VARCHAR)))",
     "CASE WHEN r IS NOT NULL THEN {'x': r.a::BIGINT, 'y': r.b, 'w': "
     "CASE WHEN r.q IS NOT NULL THEN {'z': r.q.z::VARCHAR} END} END", True),
    ("ARRAY[i, r.a, 5]", None, True),
    ("ARRAY[l, ARRAY[i]]", None, True),
    ("MAP(ARRAY['x', 'y'], ARRAY[i, r.a])", None, True),
    ("CASE WHEN i BETWEEN 1 AND cardinality(l) THEN l[i] END",
     "CASE WHEN i BETWEEN 1 AND len(l) THEN l[i] END", True),
    ("CASE WHEN i <> 0 THEN element_at(l, i) END",
     "CASE WHEN i <> 0 THEN l[i] END", True),
    ("element_at(k, -1)", "k[-1]", True),
    ("element_at(m, s)", "m[s]", True),
    ("CASE WHEN contains(map_keys(m), s) THEN m[s] END",
     "CASE WHEN list_contains(map_keys(m), s) THEN m[s] END", True),
    ("cardinality(l)", "len(l)", True),
    ("cardinality(m)", None, True),
    ("contains(l, i)",
     "CASE WHEN i IS NOT NULL THEN list_contains(l, i) END", False),
    ("contains(k, s)",
     "CASE WHEN s IS NOT NULL THEN list_contains(k, s) END", False),
    ("array_position(l, i)", "CASE WHEN l IS NOT NULL AND i IS NOT NULL "
     "THEN COALESCE(list_position(l, i), 0) END", True),
    ("slice(l, 2, 2)", "l[2:3]", True),
    ("slice(k, -2, 2)", "CASE WHEN len(k) = 1 THEN [] ELSE k[-2:] END",
     True),
    ("l || ARRAY[i]", "CASE WHEN l IS NOT NULL THEN list_concat(l, [i]) END",
     True),
    ("l || i", "CASE WHEN l IS NOT NULL AND i IS NOT NULL THEN "
     "list_append(l, i) END", True),
    ("s || k", "CASE WHEN k IS NOT NULL AND s IS NOT NULL THEN "
     "list_prepend(s, k) END", True),
    ("map_keys(m)", None, True),
    ("map_values(m)", None, True),
    ("map_entries(m)", None, True),
    ("CAST(l AS ARRAY(VARCHAR))", "l::VARCHAR[]", True),
    ("CAST(m AS MAP(VARCHAR, DOUBLE))", "m::MAP(VARCHAR, DOUBLE)", True),
    ("COALESCE(l, ARRAY[i])", None, True),
    ("CASE WHEN i > 0 THEN l WHEN i = 0 THEN ARRAY[] END", None, True),
    ("CASE WHEN i > 2 THEN r END", None, True),
    ("NULLIF(l, ARRAY[COALESCE(i, 0)])", None, False),
    ("l = ARRAY[1, 2]", None, False),
    ("l <> ARRAY[COALESCE(i, 0)]", None, False),
    ("l IN (ARRAY[1], ARRAY[COALESCE(i, 0)])", None, False),
    ("k = ARRAY[COALESCE(s, '')]", None, False),
    ("l < ARRAY[1, 2]", None, False),
    ("l >= ARRAY[COALESCE(i, 0)]", None, False),
    ("k < ARRAY['b', '']", None, False),
    ("r = r", None, False),
    ("r = CAST(ROW(1, 'a', ROW(2)) AS ROW(a INT, b VARCHAR, q ROW(z INT)))",
     "r = {'a': 1, 'b': 'a', 'q': {'z': 2}}", False),
    ("r < CAST(ROW(1, 'b', ROW(2)) AS ROW(a INT, b VARCHAR, q ROW(z INT)))",
     "r < {'a': 1, 'b': 'b', 'q': {'z': 2}}", False),
    ("l IS DISTINCT FROM ARRAY[1, NULL]", None, True),
    ("k IS NOT DISTINCT FROM ARRAY[s]", None, True),
    ("r IS DISTINCT FROM r", None, True),
    ("m IS NOT DISTINCT FROM MAP(ARRAY['a'], ARRAY[1])", None, True),
]


def maybe(value, nulls):
    return None if nulls and random.random() < 0.2 else value


def draw_text():
    return random.choice(["", "a", "b", "ab", "longer than twelve bytes",
                          "é", "b\"q'"])


def draw_row(number, nulls):
    """A top-level value may always be NULL."""
    def integer(may_be_null):
        return maybe(random.randrange(-2, 4), may_be_null)

    keys = random.sample(["", "a", "b", "ab", "é"], random.randrange(4))
    return {
        "id": number,
        "i": integer(True),
        "s": maybe(draw_text(), True),
        "r": maybe({"a": integer(nulls), "b": maybe(draw_text(), nulls),
                    "q": maybe({"z": integer(nulls)}, nulls)}, True),
        "l": maybe([integer(nulls) for _ in range(random.randrange(5))],
                   True),
        "k": maybe([maybe(draw_text(), nulls)
                    for _ in range(random.randrange(4))], True),
        "m": maybe({key: integer(nulls) for key in keys}, True),
    }


def rowmerge(directory, *args):
    return subprocess.run([ROWMERGE, "-C", directory, *args], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def comparable(value):
    """Of either side: an ordered form without types of its own."""
    if isinstance(value, dict):
        return {str(k): comparable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [comparable(v) for v in value]
    return value


class World:
    def __init__(self, directory, nulls):
        self.directory = directory
        self.name = "n" if nulls else "f"
        rows = [draw_row(number, nulls) for number in range(300)]
        path = os.path.join(directory, self.name + ".jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        rowmerge(directory, "sql", "-q", "-e",
                 "CREATE TABLE %s (id INTEGER, %s)" % (self.name, COLUMNS))
        rowmerge(directory, "load", "-q", self.name, path)
        self.duck = duckdb.connect()
        self.duck.execute("CREATE TABLE %s (id INTEGER, %s)" %
                          (self.name, DUCK_COLUMNS))
        for row in rows:
            entries = row["m"]
            if entries is not None:
                row["m"] = {"key": list(entries),
                            "value": list(entries.values())}
            self.duck.execute(
                "INSERT INTO %s VALUES (?, ?, ?, ?, ?, ?, ?)" % self.name,
                list(row.values()))

    def ours(self, expression):
        text = rowmerge(self.directory, "sql", "--format", "jsonl", "-e",
                        "SELECT id, %s AS x FROM %s" %
                        (expression, self.name))
        rows = [json.loads(line) for line in text.splitlines()]
        return {row["id"]: comparable(row["x"]) for row in rows}

    def theirs(self, expression):
        rows = self.duck.execute("SELECT id, %s AS x FROM %s" %
                                 (expression, self.name)).fetchall()
        return {number: comparable(value) for number, value in rows}


def main():
    seed = int(os.environ.get("INTEROP_SEED") or random.randrange(1 << 32))
    random.seed(seed)
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        worlds = {nulls: World(directory, nulls) for nulls in (False, True)}
        for expression, other, nulls in EXPRESSIONS:
            for world in [worlds[False]] + ([worlds[True]] if nulls else []):
                ours = world.ours(expression)
                theirs = world.theirs(other or expression)
                wrong = [n for n in theirs if n not in ours or
                         ours[n] != theirs[n] or
                         isinstance(ours[n], bool) !=
                         isinstance(theirs[n], bool)]
                if not wrong and len(ours) == len(theirs) == 300:
                    continue
                failed += 1
                print("%s: row %d: %r, DuckDB %r" %
                      (expression, wrong[0], ours.get(wrong[0]),
                       theirs[wrong[0]]))
    print("INTEROP_SEED=%d" % seed)
    print("%d passed, %d failed" % (len(EXPRESSIONS) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
