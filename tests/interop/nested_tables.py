#!/usr/bin/env python3
"""Tables of nested columns that evolve at depth; every reader must agree.

    nested_tables.py [SEED [ROWS]]

For both format versions a table is filled from JSON Lines, its fields are
added, dropped, renamed, moved and widened, more rows come, some are updated
and deleted. After each step DuckDB and PyIceberg must give the rows of
`rowmerge cat`.

One difference of theirs is taken out: PyIceberg gives [] for a list that is
NULL once it has to convert the column.
"""
import csv
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

from pyiceberg.table import StaticTable

from duckdb_session import open_session

HERE = os.path.dirname(os.path.abspath(__file__))
ROWMERGE = os.environ.get(
    "ROWMERGE", os.path.join(HERE, "../../build/rowmerge"))

CREATE = """CREATE TABLE t (id BIGINT,
    a ROW(x INTEGER, s VARCHAR, z ROW(d DOUBLE, k INTEGER)),
    l ARRAY(INTEGER), m MAP(VARCHAR, INTEGER),
    al ARRAY(ROW(p INTEGER, q VARCHAR)), ml MAP(VARCHAR, ARRAY(INTEGER)),
    ll ARRAY(ARRAY(VARCHAR))) %s"""
# what is done to the table, and what makes of an old row a new one
STEPS = [
    ("ALTER TABLE t ADD COLUMN a.w BIGINT",
     lambda row: row["a"] and row["a"].update(w=None)),
    ("ALTER TABLE t DROP COLUMN a.x",
     lambda row: row["a"] and row["a"].pop("x")),
    ("ALTER TABLE t RENAME COLUMN al.element.q TO quux",
     lambda row: [e.update(quux=e.pop("q")) for e in row["al"] or () if e]),
    ("ALTER TABLE t ALTER COLUMN l.element SET DATA TYPE BIGINT", None),
    ("ALTER TABLE t ALTER COLUMN al.element.p SET DATA TYPE BIGINT", None),
    ("ALTER TABLE t ADD COLUMN al.element.r ROW(u INTEGER)",
     lambda row: [e.update(r=None) for e in row["al"] or () if e]),
    ("ALTER TABLE t DROP COLUMN a.z.d",
     lambda row: row["a"] and row["a"]["z"] and row["a"]["z"].pop("d")),
    ("ALTER TABLE t ADD COLUMN b ARRAY(ROW(v DOUBLE))",
     lambda row: row.update(b=None)),
]


class Draw:
    """Random values; the fields of structs are those of the table now."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.evolved = 0

    def maybe(self, make):
        return make() if self.rng.random() > 0.2 else None

    def some(self, make, most=5):
        return [self.maybe(make) for _ in range(self.rng.randrange(most))]

    def number(self):
        return self.rng.randrange(-1000, 1000)

    def text(self):
        return "caf\u00e9 %d" % self.rng.randrange(40)

    def keys(self):
        return self.rng.sample(["", "a", "b", "\u00e9", "long key"],
                               self.rng.randrange(4))

    def element(self):
        return {"p": self.maybe(self.number), "q": self.maybe(self.text)}

    def inner(self):
        return {"d": self.maybe(self.number) and self.number() / 4,
                "k": self.maybe(self.number)}

    def struct(self):
        return {"x": self.maybe(self.number), "s": self.maybe(self.text),
                "z": self.maybe(self.inner)}

    def row(self, number):
        row = {
            "id": number,
            "a": self.maybe(self.struct),
            "l": self.maybe(lambda: self.some(self.number)),
            "m": self.maybe(lambda: {k: self.maybe(self.number)
                                     for k in self.keys()}),
            "al": self.maybe(lambda: self.some(self.element)),
            "ml": self.maybe(lambda: {
                k: self.maybe(lambda: self.some(self.number))
                for k in self.keys()}),
            "ll": self.maybe(lambda: self.some(
                lambda: self.some(self.text, 3))),
        }
        for _, change in STEPS[:self.evolved]:
            if change:
                change(row)
        if "b" in row:
            row["b"] = self.maybe(lambda: self.some(
                lambda: {"v": self.number() / 8}))
        return row


def plain(value):
    """Of any reader, without types of its own; maps as dictionaries."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list) and value and \
            all(isinstance(v, tuple) for v in value):
        return {k: plain(v) for k, v in value}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def without_empty(value):
    """Lists and maps that are NULL or empty alike, for PyIceberg."""
    if isinstance(value, dict):
        return {k: without_empty(v) for k, v in value.items()} or None
    if isinstance(value, list):
        return [without_empty(v) for v in value] or None
    return value


class Table:
    def __init__(self, seed, rows, version):
        self.directory = tempfile.mkdtemp(prefix="rowmerge-nested-")
        self.draw = Draw(seed)
        self.count = rows
        self.version = version
        self.rows = {}
        self.passed = self.failed = 0
        self.session = open_session()

    def rowmerge(self, *args):
        return subprocess.run([ROWMERGE, "-C", self.directory, *args],
                              check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True).stdout

    def load(self):
        first = len(self.rows)
        path = os.path.join(self.directory, "new.jsonl")
        with open(path, "w", encoding="utf-8") as out:
            for number in range(first, first + self.count):
                self.rows[number] = self.draw.row(number)
                out.write(json.dumps(self.rows[number]) + "\n")
        self.rowmerge("load", "--format", "jsonl", "t", path)

    def ours(self):
        lines = self.rowmerge("cat", "t").splitlines()
        names = next(csv.reader(lines[:1]))
        return [{n: json.loads(v) if v and (n == "id" or v[0] in "[{")
                 else None for n, v in zip(names, record)}
                for record in csv.reader(lines[1:])]

    def duckdb(self):
        found = self.session.execute("SELECT * FROM iceberg_scan('%s')" %
                                     os.path.join(self.directory, "t"))
        names = [d[0] for d in found.description]
        return [dict(zip(names, map(plain, row)))
                for row in found.fetchall()]

    def pyiceberg(self):
        return plain(self.newest().scan().to_arrow().to_pylist())

    def same(self, what, rows, alike):
        found = {row["id"]: row for row in rows}
        bad = [(n, row, found.get(n)) for n, row in self.rows.items()
               if alike(plain(row)) != alike(found.get(n))]
        if len(rows) == len(self.rows) and not bad:
            self.passed += 1
            return
        self.failed += 1
        print("not ok: format %d, %s: %d rows of %d, %s" % (
            self.version, what, len(rows), len(self.rows),
            str(bad[:1])[:600]))

    def compare(self, what):
        self.same(what + ": rowmerge", self.ours(), lambda v: v)
        self.same(what + ": DuckDB", self.duckdb(), lambda v: v)
        self.same(what + ": PyIceberg", self.pyiceberg(), without_empty)

    def newest(self):
        return StaticTable.from_metadata(max(glob.glob(os.path.join(
            self.directory, "t/metadata/v*.metadata.json")),
            key=lambda p: int(os.path.basename(p)[1:].split(".")[0])))

    def check(self, what, condition):
        self.passed += bool(condition)
        self.failed += not condition
        if not condition:
            print("not ok: format %d, metrics: %s" % (self.version, what))

    def check_metrics(self):
        """Of the first file: counts of all leaves, bounds of rows' leaves,
        as the table's properties say."""
        table = self.newest()
        metrics = table.inspect.files().to_pylist()[0]
        ids = {name: table.schema().find_field(name).field_id
               for name in ("a.s", "a.z.d", "a.z.k", "l.element", "m.key")}
        values, nulls, lower, upper = (dict(metrics[k]) for k in (
            "value_counts", "null_value_counts", "lower_bounds",
            "upper_bounds"))
        rows = self.rows.values()
        texts = [r["a"]["s"] for r in rows if r["a"] and
                 r["a"]["s"] is not None]
        self.check("values of a.s", values[ids["a.s"]] == len(self.rows))
        self.check("nulls of a.s",
                   nulls[ids["a.s"]] == len(self.rows) - len(texts))
        self.check("bounds of a.s",
                   lower[ids["a.s"]] <= min(texts).encode() and
                   upper[ids["a.s"]] >= max(texts).encode())
        self.check("a.z.d has counts alone", ids["a.z.d"] in values and
                   ids["a.z.d"] not in lower)
        self.check("a.z.k has nothing", ids["a.z.k"] not in values)
        self.check("values of l.element", values[ids["l.element"]] ==
                   sum(len(r["l"] or ()) or 1 for r in rows))
        self.check("nulls of l.element", nulls[ids["l.element"]] ==
                   sum((r["l"] or [None]).count(None) or not r["l"]
                       for r in rows))
        self.check("values of m.key", values[ids["m.key"]] ==
                   sum(len(r["m"] or ()) or 1 for r in rows))
        self.check("lists have no bounds", ids["l.element"] not in lower and
                   ids["m.key"] not in upper)

    def run(self):
        path = os.path.join(self.directory, "create.sql")
        with open(path, "w", encoding="utf-8") as out:
            out.write(CREATE % ("""WITH (format_version = %d,
                "write.metadata.metrics.column.a.z.d" = 'counts',
                "write.metadata.metrics.column.a.z.k" = 'none')"""
                                % self.version))
        self.rowmerge("sql", path)
        self.load()
        self.compare("created")
        self.check_metrics()
        for number, (sql, change) in enumerate(STEPS):
            self.rowmerge("sql", "-e", sql)
            self.draw.evolved = number + 1
            for row in self.rows.values():
                if change:
                    change(row)
            if number % 3 == 1:
                self.load()
            self.compare(sql)
        self.load()
        self.rowmerge("sql", "-e", "UPDATE t SET l = ARRAY[id, NULL], "
                      "m = NULL WHERE id % 7 = 0")
        self.rowmerge("sql", "-e", "DELETE FROM t WHERE id % 11 = 3")
        self.rows = {n: r for n, r in self.rows.items() if n % 11 != 3}
        for number, row in self.rows.items():
            if number % 7 == 0:
                row.update(l=[number, None], m=None)
        self.compare("updated")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 700
    passed = failed = 0
    for version in (2, 3):
        table = Table(seed, rows, version)
        table.run()
        passed += table.passed
        failed += table.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
