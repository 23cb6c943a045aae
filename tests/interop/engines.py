"""DuckDB and PyIceberg as readers of a table directory.

A value comes out as the text that rowmerge prints for it, floats as numbers,
so that rows of all readers can be compared.
"""
import datetime
import struct
import uuid

from pyiceberg.table import StaticTable

from duckdb_session import open_session

EPOCH = datetime.datetime(1970, 1, 1)


def float_value(value, kind):
    """Floats by value; a NaN equals a NaN."""
    value = float(value)
    if value != value:
        return "NaN"
    if kind == "REAL" and abs(value) != float("inf"):
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return value + 0.0


def moment(value):
    text = value.strftime("%H:%M:%S")
    if value.microsecond:
        text += (".%06d" % value.microsecond).rstrip("0")
    return text


def text_of(kind, value):
    """kind is the SQL type's name without precision."""
    if value is None:
        return None
    if kind in ("REAL", "DOUBLE"):
        return float_value(value, kind)
    if kind == "BOOLEAN":
        return "true" if value else "false"
    if kind == "DECIMAL":
        return "{:f}".format(value)
    if kind == "TIME":
        return moment(value)
    if kind.startswith("TIMESTAMP"):
        if isinstance(value, int):      # microseconds
            value = EPOCH + datetime.timedelta(microseconds=value)
        if value.tzinfo:
            value = value.astimezone(datetime.timezone.utc)
        text = "%04d-%02d-%02d %s" % (value.year, value.month, value.day,
                                      moment(value))
        return text + ("+00:00" if kind != "TIMESTAMP" else "")
    if kind == "VARBINARY":
        return bytes(value).hex()
    if kind == "UUID":
        return str(value if isinstance(value, uuid.UUID)
                   else uuid.UUID(bytes=bytes(value)))
    return str(value)


class DuckDB:
    """iceberg_scan() of DuckDB; the extensions are files of their packages."""

    name = "DuckDB"

    def __init__(self):
        self.session = open_session()

    def rows(self, directory, fields, snapshot=None):
        columns = ["epoch_us(%s)" % f.quoted
                   if f.type.kind == "TIMESTAMP WITH TIME ZONE" else f.quoted
                   for f in fields]
        option = ", snapshot_from_id=%d" % snapshot if snapshot else ""
        found = self.session.execute(
            "SELECT %s FROM iceberg_scan('%s'%s)" %
            (", ".join(columns), directory, option)).fetchall()
        return [tuple(text_of(f.type.kind, v) for f, v in zip(fields, row))
                for row in found]

    def count(self, directory, field=None, value=None):
        where = ""
        if field:
            where = " WHERE %s = CAST('%s' AS %s)" % (
                field.quoted, str(value).replace("'", "''"), field.type.pg)
            if field.type.kind == "VARBINARY":
                where = " WHERE %s = from_hex('%s')" % (field.quoted, value)
        return self.session.execute(
            "SELECT count(*) FROM iceberg_scan('%s')%s" %
            (directory, where)).fetchone()[0]


class PyIceberg:
    """StaticTable of PyIceberg."""

    name = "PyIceberg"

    def open(self, directory):
        return StaticTable.from_metadata(directory)

    def rows(self, directory, fields, snapshot=None):
        table = self.open(directory)
        if not table.metadata.snapshots:
            return []
        arrow = table.scan(snapshot_id=snapshot).to_arrow()
        columns = [[text_of(f.type.kind, v)
                    for v in arrow.column(f.name).to_pylist()]
                   for f in fields]
        return list(zip(*columns))

    def count(self, directory, field=None, value=None):
        table = self.open(directory)
        if not table.metadata.snapshots:
            return 0
        if not field:
            return table.scan().count()
        if field.type.kind in ("INTEGER", "BIGINT"):
            value = int(value)
        elif field.type.kind in ("REAL", "DOUBLE"):
            value = float(value)
        elif field.type.kind == "BOOLEAN":
            value = value == "true"
        elif field.type.kind == "VARBINARY":
            value = bytes.fromhex(value)
        elif field.type.kind.startswith("TIMESTAMP"):
            value = value.replace(" ", "T")
        from pyiceberg.expressions import EqualTo
        return table.scan(row_filter=EqualTo(field.name, value)).count()
