"""A DuckDB that has the iceberg extension from its package."""
import glob
import importlib
import os

import duckdb


def open_session():
    session = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for name in ("avro", "iceberg"):
        package = importlib.import_module("duckdb_extension_" + name)
        files = glob.glob(os.path.join(package.__path__[0], "extensions", "*",
                                       name + ".duckdb_extension"))
        session.execute("LOAD '%s'" % files[0])
    return session
