#!/usr/bin/env python3
"""Deletes in several data files of thousands of rows; every reader agrees.

DuckDB applies a deletion vector to the wrong data file when one Puffin file
holds several, but only in tables that are not tiny.
"""
import os
import subprocess
import tempfile

import engines

HERE = os.path.dirname(os.path.abspath(__file__))
ROWMERGE = os.environ.get(
    "ROWMERGE", os.path.join(HERE, "../../build/rowmerge"))
ROWS = 6000
STEPS = ["UPDATE t SET v = v + 1 WHERE id % 7 = 0",
         "DELETE FROM t WHERE id % 11 = 3",
         "UPDATE t SET v = v + 1 WHERE id % 13 = 5",
         "DELETE FROM t WHERE id % 5 = 1"]


def model(steps):
    """id: v of the rows that are there after so many steps."""
    rows = {i: 1 for i in range(1, ROWS + 1)}
    for step, (every, rest) in enumerate(((7, 0), (11, 3), (13, 5), (5, 1))):
        if step >= steps:
            break
        for i in [i for i in rows if i % every == rest]:
            if STEPS[step].startswith("DELETE"):
                del rows[i]
            else:
                rows[i] += 1
    return rows


def run(directory, *args, text=None):
    subprocess.run([ROWMERGE, "-C", directory] + list(args), check=True,
                   input=text, text=True)


def found_by(reader, path):
    if isinstance(reader, engines.DuckDB):
        return dict(reader.session.execute(
            "SELECT id, v FROM iceberg_scan('%s')" % path).fetchall())
    arrow = reader.open(path).scan().to_arrow()
    return dict(zip(arrow.column("id").to_pylist(),
                    arrow.column("v").to_pylist()))


def main():
    readers = [engines.DuckDB(), engines.PyIceberg()]
    passed = failed = 0
    for version in (2, 3):
        with tempfile.TemporaryDirectory() as directory:
            run(directory, "sql", "-q", "-e", "CREATE TABLE t (id BIGINT, "
                "v BIGINT) WITH (format_version = %d, "
                "\"rowmerge.fold\" = 'off')" % version)
            run(directory, "load", "-q", "t", "-", text="id,v\n" + "".join(
                "%d,1\n" % i for i in range(1, ROWS + 1)))
            for number, step in enumerate(STEPS, 1):
                run(directory, "sql", "-q", "-e", step)
                for reader in readers:
                    if found_by(reader, directory + "/t") == model(number):
                        passed += 1
                        continue
                    failed += 1
                    print("version %d, after '%s': %s has other rows" %
                          (version, step, reader.name))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
