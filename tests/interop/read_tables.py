#!/usr/bin/env python3
"""Tables of all column types, changed step by step; every reader must agree.

    read_tables.py [--seed N] [--rows R]

For format versions 2 and 3 and both write modes a table is created, loaded,
merged into three times, updated, deleted from, copied by CREATE TABLE AS and
emptied. After each step DuckDB and PyIceberg must give the rows of `rowmerge
cat`, the count, and the right number of rows for single values, which they
find by our column bounds. At the end both read older snapshots.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
import engines          # noqa: E402
import rows as records  # noqa: E402
import tables           # noqa: E402
import values           # noqa: E402
from tables import Field        # noqa: E402

FIELDS = [Field("id", values.BIGINT)] + \
    [Field("c_" + kind.kind.split()[0].lower() +
           ("tz" if "ZONE" in kind.kind else ""), kind)
     for kind in values.PLAIN] + \
    [Field("c_decimal%d" % kind.precision, kind)
     for kind in values.DECIMALS] + \
    [Field("sp ace, \u00fc\u4e2d", values.VARCHAR),
     Field("Select", values.INTEGER), Field("1st-9", values.DOUBLE)]
NO_EQUALITY = ("REAL", "DOUBLE")


class Scenario:
    """One table under one format version and write mode."""

    def __init__(self, options, readers, format_version, mode):
        self.options = options
        self.readers = readers
        self.mode = mode
        self.format_version = format_version
        self.rng = random.Random(options.seed * 10 + format_version)
        self.passed = self.failed = 0
        self.directory = tempfile.mkdtemp(prefix="rowmerge-interop-")
        self.properties = tables.random_properties(self.rng)
        for kind in ("merge", "update", "delete"):
            self.properties["write.%s.mode" % kind] = mode
        self.next_id = 0
        self.snapshots = {}

    def rowmerge(self, *args):
        done = subprocess.run(
            [self.options.rowmerge, "-C", self.directory] + list(args),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise RuntimeError("rowmerge %s: status %d: %s" %
                               (" ".join(args), done.returncode,
                                done.stderr.decode()))
        return done.stdout

    def check(self, what, condition, detail=""):
        if condition:
            self.passed += 1
            return
        self.failed += 1
        print("not ok: format %d, %s, seed %d: %s %s" %
              (self.format_version, self.mode, self.options.seed, what,
               detail))

    # our side

    def row(self, key):
        row = [key]
        for f in FIELDS[1:]:
            value = None
            if self.rng.random() > 0.12:
                value = values.random_value(f.type, self.rng)
                if f.type.kind in NO_EQUALITY and self.rng.random() < 0.04:
                    value = self.rng.choice([float("nan"), float("inf"),
                                             float("-inf"), 1e-40, 3e38])
            row.append(value)
        return row

    def new_rows(self, count):
        self.next_id += count
        return [self.row(k) for k in range(self.next_id - count,
                                           self.next_id)]

    def file(self, name, rows, extra=None):
        fields = FIELDS + ([Field("op", values.VARCHAR)] if extra else [])
        if extra:
            rows = [row + [op] for row, op in zip(rows, extra)]
        path = os.path.join(self.directory, name + ".csv")
        with open(path, "wb") as out:
            text = tables.csv_text(fields, rows, "ours")
            out.write(text.replace(b",nan", b",NaN").replace(b",-inf",
                      b",-Infinity").replace(b",inf", b",Infinity"))
        return path

    def our_rows(self, table):
        found = records.split_records(self.rowmerge("cat", table))[1:]
        out = []
        for record in found:
            fields = records.parse_record(record)
            out.append(tuple(
                engines.float_value(v, f.type.kind)
                if v is not None and f.type.kind in NO_EQUALITY else v
                for f, v in zip(FIELDS, fields)))
        return out

    # the steps

    def create(self, table):
        self.rowmerge("sql", "-q", "-e", "CREATE TABLE %s (%s) WITH "
                      "(format_version = %d, %s)" %
                      (table, ", ".join("%s %s" % (f.quoted, f.type.ours)
                                        for f in FIELDS),
                       self.format_version, ", ".join(
                           "\"%s\" = '%s'" % item
                           for item in sorted(self.properties.items()))))

    def merge(self, number):
        """Updates, deletes and inserts, an eighth of the table each."""
        eighth = max(2, self.options.rows // 8)
        keys = self.rng.sample(range(self.next_id),
                               min(self.next_id, 2 * eighth))
        rows = [self.row(k) for k in keys] + self.new_rows(eighth)
        ops = [self.rng.choice("UD") for _ in keys] + ["I"] * eighth
        path = self.file("merge%d" % number, rows, ops)
        sets = ", ".join("%s = s.%s" % (f.quoted, f.quoted)
                         for f in FIELDS[1:])
        self.rowmerge("merge", "-q", "--bind", "s=" + path, "-e",
                      "MERGE INTO t USING s ON t.id = s.id "
                      "WHEN MATCHED AND s.op = 'D' THEN DELETE "
                      "WHEN MATCHED THEN UPDATE SET %s "
                      "WHEN NOT MATCHED THEN INSERT *" % sets)

    def steps(self):
        rows = self.options.rows
        self.create("t")
        yield "create", "t"
        for part in range(2):
            self.rowmerge("load", "-q", "t", self.file(
                "load%d" % part, self.new_rows(rows // 2)))
        yield "load", "t"
        for number in range(3):
            self.merge(number)
            yield "merge %d" % number, "t"
        self.rowmerge("merge", "-q", "-e", "UPDATE t SET c_varchar = "
                      "'\u2603 ' || c_varchar, \"Select\" = NULL "
                      "WHERE id % 7 = 3")
        yield "update", "t"
        self.rowmerge("merge", "-q", "-e", "DELETE FROM t WHERE id % 5 = 1")
        yield "delete", "t"
        self.rowmerge("merge", "-q", "--mode", "merge-on-read", "-e",
                      "DELETE FROM t WHERE id % 50 = 2")
        self.rowmerge("merge", "-q", "-e", "UPDATE t SET \"1st-9\" = 0.5, "
                      "c_date = NULL WHERE id % 40 = 4")
        yield "update beside deletes", "t"
        self.rowmerge("sql", "-q", "-e", "CREATE TABLE copy WITH "
                      "(format_version = %d) AS SELECT * FROM t WHERE "
                      "c_boolean" % self.format_version)
        yield "create table as", "copy"
        self.rowmerge("sql", "-q", "-e", "DELETE FROM copy")
        yield "empty", "copy"

    # comparison

    def compare_reader(self, reader, what, table, wanted):
        path = os.path.join(self.directory, table)
        got = Counter(reader.rows(path, FIELDS))
        self.check("%s: rows of %s" % (what, reader.name), got == wanted,
                   "missing %r surplus %r" %
                   (list((wanted - got).items())[:2],
                    list((got - wanted).items())[:2]))
        count = reader.count(path)
        self.check("%s: count of %s" % (what, reader.name),
                   count == sum(wanted.values()), count)
        if not wanted:
            return
        for place, f in enumerate(FIELDS):
            if f.type.kind in NO_EQUALITY:
                continue
            value = self.rng.choice(list(wanted))[place]
            if value is None:
                continue
            count = reader.count(path, f, value)
            found = sum(n for row, n in wanted.items()
                        if row[place] == value)
            self.check("%s: %s = %r in %s" % (what, f.name, value,
                                              reader.name),
                       count == found, "%d, wanted %d" % (count, found))

    def compare(self, what, table):
        wanted = Counter(self.our_rows(table))
        for reader in self.readers:
            try:
                self.compare_reader(reader, what, table, wanted)
            except Exception as wrong:      # whatever a reader raises
                self.check("%s: %s" % (what, reader.name), False,
                           "%s: %s" % (type(wrong).__name__, wrong))
        log = json.loads(self.rowmerge("log", "--json", table))
        if table == "t" and log[0]["snapshot"]:
            self.snapshots[log[0]["snapshot"]] = wanted
        sane = subprocess.run(
            [os.path.join(os.path.dirname(HERE), "table-sane"), "--orphans",
             os.path.join(self.directory, table)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.check("%s: table-sane" % what, sane.returncode == 0, sane.stdout)

    def compare_history(self):
        for snapshot, wanted in self.snapshots.items():
            for reader in self.readers:
                got = Counter(reader.rows(os.path.join(self.directory, "t"),
                                          FIELDS, snapshot))
                self.check("snapshot %d by %s" % (snapshot, reader.name),
                           got == wanted)

    def run(self):
        try:
            for what, table in self.steps():
                self.compare(what, table)
            self.compare_history()
        except Exception as wrong:
            self.check("step", False, "%s: %s" % (type(wrong).__name__,
                                                  wrong))
        if self.failed:
            print("properties %s\nkept %s" % (self.properties,
                                             self.directory))
        else:
            shutil.rmtree(self.directory)
        return self.passed, self.failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(
        os.environ.get("INTEROP_SEED", time.time())))
    parser.add_argument("--rows", type=int, default=600)
    options = parser.parse_args()
    options.rowmerge = os.environ["ROWMERGE"]
    print("seed %d" % options.seed, flush=True)
    readers = [engines.DuckDB(), engines.PyIceberg()]
    passed = failed = 0
    for format_version in (2, 3):
        for mode in ("merge-on-read", "copy-on-write"):
            good, bad = Scenario(options, readers, format_version,
                                 mode).run()
            passed, failed = passed + good, failed + bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
