"""All rows of a table by DuckDB and PyIceberg, as Python objects by name."""
import glob
import importlib
import os

import duckdb
from pyiceberg.table import StaticTable


class DuckDB:
    name = "DuckDB"
    is_lossy = False

    def __init__(self):
        self.session = duckdb.connect(
            config={"allow_unsigned_extensions": "true"})
        for name in ("avro", "iceberg"):
            package = importlib.import_module("duckdb_extension_" + name)
            files = glob.glob(os.path.join(
                package.__path__[0], "extensions", "*",
                name + ".duckdb_extension"))
            self.session.execute("LOAD '%s'" % files[0])

    def all_rows(self, directory):
        found = self.session.execute(
            "SELECT * FROM iceberg_scan('%s')" % directory)
        names = [c[0] for c in found.description]
        return names, [dict(zip(names, row)) for row in found.fetchall()]


class PyIceberg:
    name = "PyIceberg"
    # Where the inside of a list or map has changed since the file was written
    # it comes out empty instead of NULL, and fields of a ROW in a MAP are NULL
    # whose names the file spells otherwise; DuckDB and PyArrow see them.
    is_lossy = True

    def all_rows(self, directory):
        table = StaticTable.from_metadata(directory)
        names = [f.name for f in table.schema().fields]
        if not table.metadata.snapshots:
            return names, []
        return names, table.scan().to_arrow().to_pylist()
