#!/usr/bin/env python3
"""Partitioned and sorted tables, read by others with and without a filter.

Values that are odd in paths, dates before 1970, NULL, rows that an update
moved, files of two specs: DuckDB and PyIceberg must find by each filter the
rows that rowmerge finds. ROWMERGE is the program.
"""
import glob
import os
import subprocess
import sys
import tempfile

from pyiceberg.table import StaticTable

from duckdb_session import open_session

ROWS = """id,cat,d,ts,m,f
1,a/b,1969-12-31,1969-12-31 23:59:59.999999,-1.50,1.5
2,two words,2020-02-29,2020-02-29 12:00:00,0.00,-0.0
3,100%,,,,
4,ü?#,0001-01-01,1900-01-01 00:00:00,99.99,NaN
5,"",9999-12-31,2262-01-01 00:00:00,14.20,0.0
"""
CREATE = """CREATE TABLE t (id BIGINT, cat VARCHAR, d DATE, ts TIMESTAMP,
    m DECIMAL(9,2), f DOUBLE)
    PARTITIONED BY (cat, month(d), hour(ts), truncate(50, m))
    WRITE ORDERED BY (f DESC, id) WITH (format_version = %d)"""
STEPS = [
    "UPDATE t SET cat = 'moved/x' WHERE id = 3",
    "DELETE FROM t WHERE id = 2",
    "ALTER TABLE t ADD PARTITION FIELD bucket(4, id), "
    "DROP PARTITION FIELD cat",
    None,
    "UPDATE t SET m = 1.25 WHERE id IN (1, 11, 14)",
    "UPDATE t SET d = DATE '1969-11-30' WHERE id = 15",
]
# as SQL, and as PyIceberg has it
FILTERS = [
    ("cat = 'moved/x'", "cat == 'moved/x'"),
    ("cat = 'a/b'", "cat == 'a/b'"),
    ("cat = ''", "cat == ''"),
    ("cat = '100%'", "cat == '100%'"),
    ("m = 1.25", "m == 1.25"),
    ("d < DATE '1970-01-01'", "d < '1970-01-01'"),
    ("d IS NULL", "d is null"),
    ("id = 14", "id == 14"),
    ("ts >= TIMESTAMP '2020-02-29 00:00:00'",
     "ts >= '2020-02-29T00:00:00'"),
]


class World:
    def __init__(self):
        self.program = os.environ["ROWMERGE"]
        self.connection = open_session()
        self.passed = self.failed = 0

    def rowmerge(self, *args):
        return subprocess.run([self.program, *args], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def ours(self, where):
        out = self.rowmerge("cat", "--columns", "id", *where, "t")
        return sorted(int(line) for line in out.split()[1:])

    def check(self, what, expected, got):
        if expected == got:
            self.passed += 1
            return
        self.failed += 1
        print("%s: %s, rowmerge has %s" % (what, got, expected))

    def compare(self):
        path = max(glob.glob(os.getcwd() + "/t/metadata/v*.metadata.json"),
                   key=lambda p: int(p.split("/v")[-1].split(".")[0]))
        table = StaticTable.from_metadata(path)
        for sql, pythonic in [(None, None)] + FILTERS:
            expected = self.ours(["--where", sql] if sql else [])
            rows = self.connection.execute(
                "SELECT id FROM iceberg_scan('%s')%s ORDER BY 1" %
                (path, " WHERE " + sql if sql else "")).fetchall()
            self.check("DuckDB, %s" % sql, expected, [r[0] for r in rows])
            scan = table.scan(row_filter=pythonic) if sql else table.scan()
            self.check("PyIceberg, %s" % sql, expected, sorted(
                scan.to_arrow().column("id").to_pylist()))

    def run(self, format_version, mode):
        with tempfile.TemporaryDirectory(prefix="rowmerge-interop-") as path:
            os.chdir(path)
            with open("in.csv", "w", encoding="utf-8") as file:
                file.write(ROWS)
            with open("more.csv", "w", encoding="utf-8") as file:
                file.write("".join(line if line.startswith("id") else
                                   "1" + line
                                   for line in ROWS.splitlines(True)))
            self.rowmerge("sql", "-q", "-e", CREATE % format_version)
            self.rowmerge("load", "-q", "t", "in.csv")
            self.compare()
            for step in STEPS:
                if step is None:
                    self.rowmerge("load", "-q", "t", "more.csv")
                else:
                    self.rowmerge("sql", "-q", "--mode", mode,
                                  "-e", step)
                self.compare()
            os.chdir("/")


def main():
    world = World()
    for format_version in (2, 3):
        for mode in ("merge-on-read", "copy-on-write"):
            world.run(format_version, mode)
    print("partitioned tables: %d passed, %d failed" %
          (world.passed, world.failed))
    return 1 if world.failed or not world.passed else 0


sys.exit(main())
