"""SQL types, values to fill tables with, and their text in both programs.

Values are Python objects: bool, int, float, Decimal, str, date, datetime,
time, bytes; None is NULL. Domains are small, so that keys meet and groups of
equal values form; a few extreme values are mixed in.
"""
import datetime
import decimal as numbers
import struct
from decimal import Decimal

numbers.getcontext().prec = 60
EPOCH = datetime.datetime(2020, 1, 1)

TEXTS = ["", " ", "a", "b", "A", "ab", "Abc", "x y", " pad ", "a,b", 'say "a"',
         "it's", "line\nbreak", "\ud55c\uae00", "\u2603", "\U0001f600", "NULL",
         "null", "0", "12", "-7", "%", "a_b", "tab\there", "\\", "z" * 40]
INTEGERS = [0, 1, -1, 2, 3, 5, 7, 10, 41, 100, -100, 999]
INTEGER_LIMITS = [2**31 - 1, -2**31]
BIGINT_LIMITS = [2**63 - 1, -2**63, 2**31, 10**15]
FLOATS = [0.0, 1.0, -1.5, 0.1, 2.5, 3.25, 1e10, -7.75, 1e-5, 123456.789]


class Type:
    """One SQL type; kind is its name without precision."""

    def __init__(self, kind, ours=None, pg=None, precision=0, scale=0):
        self.kind = kind
        self.ours = ours or kind
        self.pg = pg or self.ours
        self.precision = precision
        self.scale = scale

    def name(self, dialect):
        return self.ours if dialect == "ours" else self.pg

    def __eq__(self, other):
        return self.ours == other.ours

    def __hash__(self):
        return hash(self.ours)

    def __repr__(self):
        return self.ours


BOOLEAN = Type("BOOLEAN")
INTEGER = Type("INTEGER")
BIGINT = Type("BIGINT")
REAL = Type("REAL")
DOUBLE = Type("DOUBLE", pg="DOUBLE PRECISION")
VARCHAR = Type("VARCHAR")
DATE = Type("DATE")
TIME = Type("TIME")
TIMESTAMP = Type("TIMESTAMP")
TIMESTAMPTZ = Type("TIMESTAMP WITH TIME ZONE")
VARBINARY = Type("VARBINARY", pg="BYTEA")
UUID = Type("UUID")


def decimal(precision, scale):
    return Type("DECIMAL", "DECIMAL(%d,%d)" % (precision, scale),
                "NUMERIC(%d,%d)" % (precision, scale), precision, scale)


DECIMALS = [decimal(5, 2), decimal(9, 0), decimal(12, 4), decimal(18, 3),
            decimal(38, 10)]
PLAIN = [BOOLEAN, INTEGER, BIGINT, REAL, DOUBLE, VARCHAR, DATE, TIME,
         TIMESTAMP, TIMESTAMPTZ, VARBINARY, UUID]
KEYS = [BIGINT, BIGINT, INTEGER, VARCHAR, DATE, DECIMALS[2], TIMESTAMP, UUID,
        VARBINARY]
NUMBERS = ("INTEGER", "BIGINT", "REAL", "DOUBLE", "DECIMAL")


def single(value):
    """The value as a 4 byte float holds it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def numbered(kind, n):
    """A value of a key type for every n >= 0, all different."""
    if kind.kind in ("INTEGER", "BIGINT"):
        return n - 3
    if kind.kind == "VARCHAR":
        return "k%d" % n if n % 5 else "\ud0a4 %d" % n
    if kind.kind == "DATE":
        return EPOCH.date() + datetime.timedelta(days=n - 10)
    if kind.kind == "TIMESTAMP":
        return EPOCH + datetime.timedelta(seconds=n * 3600,
                                          microseconds=n % 3)
    if kind.kind == "DECIMAL":
        return Decimal(n * 25 - 100).scaleb(-2).quantize(
            Decimal(1).scaleb(-kind.scale))
    if kind.kind == "UUID":
        return "%08x-0000-4000-8000-%012x" % (n * 2654435761 % 2**32, n)
    if kind.kind == "VARBINARY":
        return n.to_bytes(2, "big")
    raise ValueError(kind)


def random_decimal(kind, rng):
    digits = min(kind.precision, 6)
    unscaled = rng.choice([0, 1, -1, 50, 10 ** (digits - 1),
                           rng.randrange(-10 ** digits + 1, 10 ** digits)])
    if rng.random() < 0.02:
        unscaled = 10 ** kind.precision - 1
    return Decimal(unscaled).scaleb(-kind.scale)


def random_value(kind, rng):
    """A value that is not NULL."""
    if kind.kind == "BOOLEAN":
        return rng.random() < 0.5
    if kind.kind in ("INTEGER", "BIGINT"):
        if rng.random() < 0.02:
            return rng.choice(INTEGER_LIMITS if kind.kind == "INTEGER"
                              else BIGINT_LIMITS)
        return rng.choice(INTEGERS)
    if kind.kind == "REAL":
        return single(rng.choice(FLOATS))
    if kind.kind == "DOUBLE":
        return rng.choice(FLOATS)
    if kind.kind == "DECIMAL":
        return random_decimal(kind, rng)
    if kind.kind == "VARCHAR":
        return rng.choice(TEXTS)
    if kind.kind == "DATE":
        return EPOCH.date() + datetime.timedelta(days=rng.choice(
            [0, 1, 2, 31, 59, 365, -1, -20000, rng.randrange(-400, 400)]))
    if kind.kind == "TIME":
        return rng.choice([datetime.time(0, 0), datetime.time(23, 59, 59),
                           datetime.time(12, 30, 0, 500000),
                           datetime.time(1, 2, 3, 4)])
    if kind.kind.startswith("TIMESTAMP"):
        return EPOCH + datetime.timedelta(
            seconds=rng.choice([0, 1, 3600, 86399, -1, -10**9, 10**8]),
            microseconds=rng.choice([0, 0, 1, 500000, 123456]))
    if kind.kind == "VARBINARY":
        return rng.choice([b"", b"\0", b"a", b"ab", b"\xff\x00", b"\x80" * 9])
    if kind.kind == "UUID":
        return numbered(kind, rng.randrange(12))
    raise ValueError(kind)


def decimal_text(value):
    return "{:f}".format(value)


def moment_text(value):
    text = value.strftime("%H:%M:%S")
    if value.microsecond:
        text += (".%06d" % value.microsecond).rstrip("0")
    return text


def value_text(kind, value):
    """The value as rowmerge reads and writes it, unquoted."""
    if kind.kind == "BOOLEAN":
        return "true" if value else "false"
    if kind.kind in ("REAL", "DOUBLE"):
        return repr(value)
    if kind.kind == "DECIMAL":
        return decimal_text(value)
    if kind.kind == "DATE":
        return value.isoformat()
    if kind.kind == "TIME":
        return moment_text(value)
    if kind.kind == "TIMESTAMP":
        return value.date().isoformat() + " " + moment_text(value)
    if kind.kind == "TIMESTAMP WITH TIME ZONE":
        return value.date().isoformat() + " " + moment_text(value) + "+00:00"
    if kind.kind == "VARBINARY":
        return value.hex()
    return str(value)


def csv_field(text):
    if text is None:
        return ""
    if text == "" or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_value(kind, value, dialect):
    if value is None:
        return ""
    text = value_text(kind, value)
    if kind.kind == "VARBINARY" and dialect == "pg":
        text = "\\x" + text
    elif kind.kind == "VARCHAR" and text == "\\.":
        return '"\\."'
    return csv_field(text)


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def literal(kind, value, dialect):
    """A value with its type, as an SQL expression."""
    name = kind.name(dialect)
    if value is None:
        return "CAST(NULL AS %s)" % name
    text = value_text(kind, value)
    if kind.kind == "BOOLEAN":
        return text.upper()
    if kind.kind == "INTEGER" and -2**31 < value:
        return text if value >= 0 else "(%s)" % text
    if kind.kind == "DECIMAL" and kind.scale and len(text) < 18:
        return text if value >= 0 else "(%s)" % text
    if kind.kind in NUMBERS:
        return "CAST(%s AS %s)" % (text, name)
    if kind.kind == "VARCHAR":
        return quote(text)
    if kind.kind in ("DATE", "TIME", "TIMESTAMP"):
        return "%s %s" % (kind.kind, quote(text))
    if kind.kind == "TIMESTAMP WITH TIME ZONE":
        return "%s %s" % ("TIMESTAMPTZ" if dialect == "pg" else "TIMESTAMP",
                          quote(text))
    if kind.kind == "VARBINARY":
        return "'\\x%s'::BYTEA" % text if dialect == "pg" else "X'%s'" % text
    return "CAST(%s AS %s)" % (quote(text), name)


def pg_text(kind, column):
    """An expression for the text that rowmerge prints for a column."""
    if kind.kind == "BOOLEAN":
        return "CAST(%s AS VARCHAR)" % column
    if kind.kind == "VARBINARY":
        return "encode(%s, 'hex')" % column
    if kind.kind == "TIMESTAMP WITH TIME ZONE":
        return "(CAST(%s AT TIME ZONE 'UTC' AS VARCHAR) || '+00:00')" % column
    return column


def comparable(kind, text):
    """A field's text by value: spellings of one float are one value."""
    if text is None:
        return None
    if kind.kind == "REAL":
        return single(float(text)) + 0.0
    if kind.kind == "DOUBLE":
        return float(text) + 0.0
    if kind.kind == "DECIMAL":
        return (Decimal(text), len(text.partition(".")[2]))
    return text
