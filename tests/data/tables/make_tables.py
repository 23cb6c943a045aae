#!/usr/bin/env python3
"""Copy small public Iceberg tables and write down their rows.

usage: make_tables.py DUCKDB_ICEBERG_CHECKOUT ICEBIRD_CHECKOUT

Each table is copied as it is, but for Hadoop's checksum files; where its
newest metadata has a name that only an option would open, it becomes
v1.metadata.json. expected.csv has the rows as DuckDB's iceberg extension
reads them, in the text form of the manual, sorted bytewise, so that it says
nothing that our own code has said (PyIceberg and pyarrow for version 1). bare_vector has
none: both refuse it. Needs: pip install duckdb duckdb-extension-avro
duckdb-extension-iceberg numpy pytz pyiceberg pyarrow.
"""
import datetime
import decimal
import glob
import os
import re
import shutil
import sys

import duckdb
import numpy

D = "data/persistent/"
I = "test/files/hyperparam-iceberg/"
TABLES = {
    # name: (checkout, path, what it shows)
    "rename_column": (1, I + "spark/rename_column"),
    "java_bunnies": (1, I + "java/bunnies"),
    "athena_example": (1, I + "athena/example"),
    "v1_merch": (0, D + "iceberg_v1_repro/repro/merch_v1"),
    "v1_legacy": (0, D + "iceberg_v1_deprecated/default/legacy_v1"),
    "defaults": (0, D + "add_columns_with_defaults/default.db/"
                 "add_columns_with_defaults"),
    "equality_cross_partition": (
        0, D + "equality_delete_cross_partition/warehouse/ns/t"),
    "equality_partitioned": (
        0, D + "equality_deletes/warehouse/mydb/mytable_partitioned"),
    "equality_plain": (0, D + "equality_deletes/warehouse/mydb/mytable"),
    "hive_partitioned": (0, D + "hive_partitioned_table"),
    "null_stats": (0, D + "null_stats/default/test_nulls"),
    "is_null": (0, D + "is_null_is_not_null"),
    "case_names": (0, D + "case_sensitive_names/default.db/"
                   "case_sensitive_names"),
    "bare_vector": (0, D + "legacy_bare_deletion_vector/warehouse/default/"
                    "legacy_bare_deletion_vector"),
    "partition_timestamptz": (0, D + "partition_timestamptz/default.db/"
                              "partition_timestamptz"),
    "partition_decimal": (0, D + "partition_decimal_smallint"),
    "partition_binary": (0, D + "partition_binary"),
    "partition_bool": (0, D + "partition_bool"),
}


def text_of(value, column_type):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if column_type == "FLOAT":
        return str(numpy.float32(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.datetime):
        if value.tzinfo:
            value = value.astimezone(datetime.timezone.utc)
        text = value.replace(tzinfo=None).isoformat(" ")
        if "." in text:
            text = text.rstrip("0")
        return text + ("+00:00" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        text = value.isoformat()
        return text.rstrip("0") if "." in text else text
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value)


def connect():
    con = duckdb.connect()
    for name in ("avro", "iceberg"):
        module = __import__("duckdb_extension_" + name)
        root = os.path.dirname(module.__file__)
        path, = glob.glob(root + "/**/*.duckdb_extension", recursive=True)
        con.execute("load '%s'" % path)
    con.execute("set TimeZone = 'UTC'")
    con.execute("set unsafe_enable_version_guessing = true")
    return con


def newest(directory):
    names = [os.path.basename(n) for n in
             glob.glob(directory + "/metadata/*.metadata.json")]
    plain = [n for n in names if n[1:].split(".")[0].isdigit() and
             n[0] == "v"]
    if "vfinal.metadata.json" in names:
        return "vfinal.metadata.json"
    if plain:
        return max(plain, key=lambda n: int(n[1:].split(".")[0]))
    return max(names)


def by_pyiceberg(path):
    """For version 1, which DuckDB does not read. Manifests within the
    metadata nobody reads: all files of that table are live."""
    from pyiceberg.table import StaticTable
    if "legacy" in path:
        import pyarrow.dataset
        arrow = pyarrow.dataset.dataset(
            glob.glob(path + "/**/*.parquet", recursive=True)).to_table()
        return arrow.column_names, [
            ",".join(text_of(v, "") for v in row.values())
            for row in arrow.to_pylist()]
    table = StaticTable.from_metadata(
        os.path.abspath(path + "/metadata/" + newest(path)))
    arrow = table.scan().to_arrow()
    rows = [",".join(text_of(v, "") for v in row.values())
            for row in arrow.to_pylist()]
    return arrow.column_names, rows


def main():
    sys.argv[1:] = map(os.path.abspath, sys.argv[1:])
    here = os.path.dirname(os.path.abspath(__file__))
    for name, (checkout, path) in TABLES.items():
        source = os.path.join(sys.argv[1 + checkout], path)
        target = os.path.join(here, name)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target,
                        ignore=shutil.ignore_patterns("*.crc"))
        final = target + "/metadata/vfinal.metadata.json"
        if os.path.exists(final):
            for old in glob.glob(target + "/metadata/0*.metadata.json"):
                os.unlink(old)
            # and a snapshot id that is no 64-bit number becomes one
            text = open(final).read()
            with open(target + "/metadata/v1.metadata.json", "w") as out:
                out.write(re.sub(r"(?<!-)9876543210123456789",
                                 "987654321012345678", text))
            os.unlink(final)
        version = newest(source)[:-len(".metadata.json")]
        con = connect()
        # paths are relative in one checkout, remote in the other
        os.chdir(sys.argv[1 + checkout])
        try:
            rel = con.sql("select * from iceberg_scan('%s', "
                          "allow_moved_paths = %s, version = '%s', "
                          "version_name_format = '%%s%%s.metadata.json')"
                          % (path, bool(checkout), version))
            # DuckDB numbers names that differ in case only
            columns = [re.sub("_1$", "", c) for c in rel.columns]
            rows = [",".join(text_of(v, str(t))
                             for v, t in zip(row, rel.types))
                    for row in rel.fetchall()]
            if name == "equality_cross_partition":
                # the extension's own test; releases up to 1.5 delete more
                rows.insert(1, "1,100,p1-k100")
        except duckdb.Error as error:
            if not name.startswith("v1_"):
                print(name, error)
                continue
            columns, rows = by_pyiceberg(path)
        rows.sort(key=lambda r: r.encode())
        with open(target + "/expected.csv", "w") as out:
            out.write(",".join(columns) + "\n")
            out.writelines(r + "\n" for r in rows)
        print(name, len(rows))


main()
