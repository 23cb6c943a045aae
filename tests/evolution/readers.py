"""All rows of a table by DuckDB and PyIceberg, as Python objects by name."""
import os
import sys

from pyiceberg.table import StaticTable

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../interop"))
from duckdb_session import open_session     # noqa: E402


class DuckDB:
    name = "DuckDB"
    is_lossy = False

    def __init__(self):
        self.session = open_session()

    def all_rows(self, directory):
        found = self.session.execute(
            "SELECT * FROM iceberg_scan('%s')" % directory)
        names = [c[0] for c in found.description]
        return names, [dict(zip(names, row)) for row in found.fetchall()]


class PyIceberg:
    name = "PyIceberg"
    # Where the inside of a list or map has changed since the file was written
    # it comes out empty instead of NULL. In a MAP, and in an ARRAY of ARRAY or
    # MAP, it casts to the new type, which goes by names: fields of a ROW are
    # NULL whose names the file spells otherwise. DuckDB and PyArrow see them.
    is_lossy = True

    def all_rows(self, directory):
        table = StaticTable.from_metadata(directory)
        names = [f.name for f in table.schema().fields]
        if not table.metadata.snapshots:
            return names, []
        return names, table.scan().to_arrow().to_pylist()
