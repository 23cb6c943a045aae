"""Random tables, their first rows, and batches of rows to merge into them."""
import random

import layouts
import values
from values import BOOLEAN, INTEGER, VARCHAR

NAMES = ["a", "b", "c", "d", "amount", "Name", "note", "ts", "sp ace", "order",
         "\uc774\ub984", "x1", "select", "flag"]


# Layouts that make many pages, row groups and files of a small table.
PROPERTIES = {
    "write.parquet.row-group-size-bytes": ["1000", "10000"],
    "write.parquet.page-size-bytes": ["100", "2000"],
    "write.parquet.page-row-limit": ["3", "7", "50"],
    "write.parquet.dict-size-bytes": ["20", "1000"],
    "write.target-file-size-bytes": ["2000", "20000"],
    "write.parquet.compression-codec": ["uncompressed", "snappy", "gzip",
                                        "zstd"],
    "write.parquet.bloom-filter-enabled.column.id": ["true"],
    "write.metadata.metrics.default": ["none", "counts", "truncate(2)",
                                       "full"],
    "rowmerge.parquet.encoding": ["compatible", "auto"],
    "rowmerge.fold": ["off", "auto"],
    "commit.manifest.min-count-to-merge": ["2", "3"],
}


def random_properties(rng):
    """Some of them, mostly."""
    share = rng.choice([0, 0.2, 0.6])
    return {key: rng.choice(choices)
            for key, choices in sorted(PROPERTIES.items())
            if rng.random() < share}


class Field:
    """A column of a table or of a source."""

    def __init__(self, name, kind, not_null=False, default=None):
        self.name = name
        self.type = kind
        self.not_null = not_null
        self.default = default

    @property
    def quoted(self):
        return '"%s"' % self.name


def quoted_list(fields, prefix=""):
    return ", ".join(prefix + f.quoted for f in fields)


class Table:
    """The target: keys first, then other columns."""

    def __init__(self, rng, row_limit, plain_only):
        self.rng = rng
        self.name = "target"
        self.key_range = max(4, int(row_limit * rng.choice([0.6, 1.2, 3])))
        keys = [Field("id", values.BIGINT if plain_only
                      else rng.choice(values.KEYS))]
        if not plain_only and rng.random() < 0.3:
            keys.append(Field("k2", rng.choice([INTEGER, VARCHAR, BOOLEAN])))
        names = list(NAMES)
        rng.shuffle(names)
        kinds = values.PLAIN + values.DECIMALS * 2 + [INTEGER, VARCHAR] * 3
        if plain_only:
            kinds = [values.INTEGER, values.BIGINT, VARCHAR, values.DATE,
                     BOOLEAN, values.DECIMALS[2]]
        self.keys = keys
        self.fields = keys + [self.random_field(name, rng.choice(kinds))
                              for name in names[:rng.randint(2, 7)]]
        self.format_version = rng.choice([2, 3])
        self.properties = {
            "write.%s.mode" % kind: rng.choice(["merge-on-read",
                                                "copy-on-write"])
            for kind in ("merge", "update", "delete")}
        if not plain_only:
            self.properties.update(random_properties(rng))
        self.window = (0, self.key_range)
        # draws nothing from rng: seeds mean the tables that they meant
        self.layout_rng = random.Random(rng.getstate()[1][0])
        self.layout = layouts.clauses(self.fields, self.layout_rng)

    def random_field(self, name, kind):
        rng = self.rng
        default = None
        if rng.random() < 0.2 and kind.kind not in ("REAL", "DOUBLE"):
            default = values.random_value(kind, rng)
        return Field(name, kind, rng.random() < 0.12, default)

    def ddl(self, dialect):
        columns = []
        for f in self.fields:
            text = "%s %s" % (f.quoted, f.type.name(dialect))
            if f.not_null:
                text += " NOT NULL"
            if f.default is not None:
                text += " DEFAULT " + values.literal(f.type, f.default,
                                                     dialect)
            columns.append(text)
        if dialect == "pg":
            columns.append("_rid BIGSERIAL")
        sql = "CREATE TABLE %s (%s)" % (self.name, ", ".join(columns))
        if dialect == "ours":
            sql += self.layout + " WITH (format_version = %d, %s)" % (
                self.format_version, ", ".join(
                    "\"%s\" = '%s'" % item
                    for item in sorted(self.properties.items())))
        return sql

    def choose_window(self):
        """Keys of the next batch lie anywhere, or close together: then files
        and pages can be skipped."""
        self.window = (0, self.key_range)
        if self.rng.random() < 0.4:
            width = max(2, self.key_range // self.rng.choice([4, 20]))
            self.window = (self.rng.randrange(self.key_range), width)

    def key_value(self, kind):
        """A key, NULL now and then."""
        if self.rng.random() < 0.02:
            return None
        if kind == BOOLEAN:
            return self.rng.random() < 0.5
        start, width = self.window
        return values.numbered(kind, start + self.rng.randrange(width))

    def second_key(self, kind):
        if self.rng.random() < 0.05:
            return None
        if kind == BOOLEAN:
            return self.rng.random() < 0.5
        return values.numbered(kind, self.rng.randrange(3))

    def cell(self, field):
        if field.name == "id":
            return self.key_value(field.type)
        if field.name == "k2":
            return self.second_key(field.type)
        if not field.not_null and self.rng.random() < 0.15:
            return None
        return values.random_value(field.type, self.rng)

    def row(self, fields):
        return [self.cell(f) for f in fields]

    def batch(self, fields, count, unique_keys):
        """Rows; with unique_keys no two have the same key columns."""
        seen, rows = set(), []
        places = [i for i, f in enumerate(fields)
                  if f.name in ("id", "k2")]
        for _ in range(count):
            row = self.row(fields)
            key = tuple(row[i] for i in places)
            if unique_keys and places and None not in key:
                if key in seen:
                    continue
                seen.add(key)
            rows.append(row)
        return rows


def csv_text(fields, rows, dialect):
    """Records with a header, as bytes."""
    lines = [",".join(values.csv_field(f.name) for f in fields)]
    for row in rows:
        line = ",".join(values.csv_value(f.type, v, dialect)
                        for f, v in zip(fields, row))
        # a one-column record that is NULL would be an empty line
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()
