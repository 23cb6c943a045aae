"""Columns by identity, their types and values.

A column is an object; its name, place and type may change, the object stays.
A value of a ROW is a dict by column objects, so that a model of rows never
needs to know a name. Values: int, float (exact in 32 bits), Decimal, str,
bool, date, datetime; ARRAY a list, MAP a list of pairs.
"""
import datetime
import json
from decimal import Decimal

WIDER = {"INTEGER": "BIGINT", "REAL": "DOUBLE"}
SCALARS = ("INTEGER", "BIGINT", "REAL", "DOUBLE", "DECIMAL", "VARCHAR",
           "DATE", "TIMESTAMP", "BOOLEAN")
TEXTS = ("", "a", "b", "ab", "ä/ö", "50%", "x y", "it's", "\u65e5\u672c",
         "null", "longer than sixteen characters", "a\\b")


class Column:
    def __init__(self, name, kind, children=(), precision=0):
        self.name = self.first_name = name
        self.kind = kind
        self.children = list(children)
        self.precision = precision      # of DECIMAL(precision, 2)
        self.required = False
        self.initial = None             # what older rows have
        self.default = None             # what new rows get

    def sql_type(self):
        if self.kind == "DECIMAL":
            return "DECIMAL(%d,2)" % self.precision
        if self.kind == "ROW":
            return "ROW(%s)" % ", ".join(
                "%s %s" % (quote(c.name), c.sql_type())
                for c in self.children)
        if self.kind == "ARRAY":
            return "ARRAY(%s)" % self.children[0].sql_type()
        if self.kind == "MAP":
            return "MAP(%s, %s)" % tuple(c.sql_type() for c in self.children)
        return self.kind

    def is_scalar(self):
        return self.kind in SCALARS

    def copy(self):
        """A picture of the column as it is now; identity is kept apart."""
        now = Column(self.name, self.kind, [c.copy() for c in self.children],
                     self.precision)
        now.required, now.initial = self.required, self.initial
        now.default, now.origin = self.default, origin(self)
        return now


def origin(column):
    return getattr(column, "origin", column)


def quote(name):
    return '"%s"' % name.replace('"', '""')


def draw_column(rng, name, depth=0):
    kinds = list(SCALARS)
    if depth < 3:
        kinds += ["ROW", "ROW", "ARRAY", "MAP"]
    kind = rng.choice(kinds)
    if kind == "DECIMAL":
        return Column(name, kind, precision=rng.choice((5, 9, 12, 18, 25)))
    if kind == "ROW":
        return Column(name, kind, draw_fields(rng, depth))
    if kind == "ARRAY":
        return Column(name, kind, [draw_column(rng, "element", depth + 1)])
    if kind == "MAP":
        key = draw_key(rng)
        return Column(name, kind, [key,
                                   draw_column(rng, "value", depth + 1)])
    return Column(name, kind)


def draw_fields(rng, depth):
    names = rng.sample(("x", "y", "z", "Wide Name"), rng.randint(1, 3))
    return [draw_column(rng, name, depth + 1) for name in names]


def draw_key(rng):
    if rng.random() < 0.3:
        key = Column("key", "ROW", [Column("p", "INTEGER"),
                                    Column("q", "VARCHAR")])
    else:
        key = Column("key", rng.choice(("INTEGER", "VARCHAR", "DATE")))
    key.required = True
    return key


def draw_scalar(rng, column):
    kind = column.kind
    if kind == "INTEGER":
        # truncate() of the very least ones would leave their type
        return rng.choice((0, 1, -1, 7, 2147483647, -2147483600,
                           rng.randint(-50, 50)))
    if kind == "BIGINT":
        return rng.choice((0, -1, 1 << 40, -(1 << 62),
                           rng.randint(-50, 50)))
    if kind in ("REAL", "DOUBLE"):
        return rng.randint(-400, 400) / 4.0
    if kind == "DECIMAL":
        limit = 10 ** min(column.precision, 25) - 1
        return Decimal(rng.choice((0, 20 - limit, limit,
                                   rng.randint(-9999, 9999)))).scaleb(-2)
    if kind == "VARCHAR":
        return rng.choice(TEXTS)
    if kind == "DATE":
        return datetime.date(1970, 1, 1) + datetime.timedelta(
            days=rng.choice((0, -1, -40000, 20000, rng.randint(-60, 60))))
    if kind == "TIMESTAMP":
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(
            microseconds=rng.choice((0, -1, 3600000000,
                                     rng.randint(-10 ** 16, 10 ** 16),
                                     rng.randint(-10 ** 12, 10 ** 12))))
    return rng.random() < 0.5


def draw_value(rng, column, nulls=0.15):
    if not column.required and rng.random() < nulls:
        return None
    if column.kind == "ROW":
        return {origin(c): draw_value(rng, c) for c in column.children}
    if column.kind == "ARRAY":
        return [draw_value(rng, column.children[0])
                for _ in range(rng.randint(0, 3))]
    if column.kind == "MAP":
        keys = []
        for _ in range(rng.randint(0, 3)):
            key = draw_value(rng, column.children[0], nulls=0)
            if key not in keys:
                keys.append(key)
        return [(key, draw_value(rng, column.children[1])) for key in keys]
    return draw_scalar(rng, column)


def text_of(value):
    """A scalar as text that the SQL and the CSV reader take."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return "{:f}".format(value)
    if isinstance(value, datetime.datetime):
        text = value.strftime("%H:%M:%S") + ".%06d" % value.microsecond
        return "%04d-%02d-%02d %s" % (value.year, value.month, value.day,
                                      text)
    if isinstance(value, datetime.date):
        return "%04d-%02d-%02d" % (value.year, value.month, value.day)
    return str(value)


def sql_bare(value, column):
    if value is None:
        return "NULL"
    if column.kind == "ROW":
        return "ROW(%s)" % ", ".join(
            sql_value(value_of(value, c), c) for c in column.children)
    if column.kind == "ARRAY":
        return "ARRAY[%s]" % ", ".join(
            sql_value(v, column.children[0]) for v in value)
    if column.kind == "MAP":
        return "MAP(ARRAY[%s], ARRAY[%s])" % (
            ", ".join(sql_value(k, column.children[0]) for k, _ in value),
            ", ".join(sql_value(v, column.children[1]) for _, v in value))
    return "'%s'" % text_of(value).replace("'", "''")


def sql_value(value, column):
    """As an expression of the column's type."""
    if column.kind == "VARCHAR" and value is not None:
        return sql_bare(value, column)
    return "CAST(%s AS %s)" % (sql_bare(value, column), column.sql_type())


def json_text(value, column):
    """As JSON that the program reads; keys of a MAP must be scalars."""
    if value is None:
        return "null"
    if column.kind == "ROW":
        return "{%s}" % ", ".join(
            "%s: %s" % (json.dumps(c.name), json_text(value_of(value, c), c))
            for c in column.children)
    if column.kind == "ARRAY":
        return "[%s]" % ", ".join(json_text(v, column.children[0])
                                  for v in value)
    if column.kind == "MAP":
        return "{%s}" % ", ".join(
            "%s: %s" % (json.dumps(text_of(k)),
                        json_text(v, column.children[1])) for k, v in value)
    if column.kind in ("VARCHAR", "DATE", "TIMESTAMP"):
        return json.dumps(text_of(value), ensure_ascii=False)
    return text_of(value)


def has_json(column):
    if column.kind == "MAP" and not column.children[0].is_scalar():
        return False
    return all(has_json(c) for c in column.children)


def value_of(row, column):
    """The value of a column in a ROW or a row of the table, where it may be
    missing: then it came later."""
    return row.get(origin(column), column.initial)


def plain(value, column):
    """As a reader that knows names sees it; comparable by ==."""
    if value is None:
        return None
    if column.kind == "ROW":
        return {c.name: plain(value_of(value, c), c)
                for c in column.children}
    if column.kind == "ARRAY":
        return [plain(v, column.children[0]) for v in value]
    if column.kind == "MAP":
        return sorted(([plain(k, column.children[0]),
                        plain(v, column.children[1])] for k, v in value),
                      key=repr)
    if column.kind in ("REAL", "DOUBLE"):
        return float(value) + 0.0
    if column.kind == "DECIMAL":
        return "{:.2f}".format(value)
    if column.kind in ("DATE", "TIMESTAMP"):
        return text_of(value)
    return value


def read_back(value, column):
    """plain() of a value as another program gives it: JSON of rowmerge, or
    Python objects of DuckDB or PyIceberg."""
    if value is None:
        return None
    if column.kind == "ROW":
        return {c.name: read_back(value[c.name], c)
                for c in column.children}
    if column.kind == "ARRAY":
        return [read_back(v, column.children[0]) for v in value]
    if column.kind == "MAP":
        pairs = value.items() if isinstance(value, dict) else value
        if column.children[0].kind == "ROW" and isinstance(value, dict) and \
                list(value) == ["key", "value"]:
            pairs = zip(value["key"], value["value"])   # DuckDB's
        return sorted(([read_key(k, column.children[0]),
                        read_back(v, column.children[1])]
                       for k, v in pairs), key=repr)
    return read_scalar(value, column)


def read_key(value, column):
    """A map's key; in JSON it is text."""
    if column.kind == "ROW":
        if isinstance(value, str):
            value = json.loads(value)
        return read_back(value, column)
    return read_scalar(value, column)


def read_scalar(value, column):
    if column.kind in ("INTEGER", "BIGINT"):
        return int(value)
    if column.kind in ("REAL", "DOUBLE"):
        return float(value) + 0.0
    if column.kind == "DECIMAL":
        return "{:.2f}".format(Decimal(str(value)))
    if column.kind == "DATE":
        return text_of(value)
    if column.kind == "TIMESTAMP":
        if isinstance(value, datetime.datetime):
            return text_of(value)
        head, _, fraction = str(value).partition(".")
        return head.replace("T", " ") + "." + (fraction + "000000")[:6]
    if column.kind == "BOOLEAN":
        return value if isinstance(value, bool) else value == "true"
    return value
