"""Tables for random queries: columns of all kinds, NULLs, repeated values.

A kind is int, dec, dbl, text, date, ts or bool. Doubles are multiples of a
quarter, so that sums of them are exact in any order.
"""
import datetime
import decimal

KINDS = ["int", "dec", "dbl", "text", "date", "ts", "bool"]
NUMBERS = ["int", "dec", "dbl"]
TYPES = {"dec": "DECIMAL(9,2)", "dbl": "DOUBLE", "text": "VARCHAR",
         "date": "DATE", "ts": "TIMESTAMP", "bool": "BOOLEAN"}
COLUMNS = {
    "a": {"k": "int", "g": "int", "n": "int", "s": "text", "p": "dec",
          "d": "date", "f": "bool"},
    "b": {"k": "int", "g": "int", "n": "int", "s": "text", "x": "dbl",
          "ts": "ts"},
    "c": {"k": "int", "m": "int", "t": "text", "p": "dec", "d": "date"},
}
BIGINTS = ("n", "m")
TEXTS = ["", "a", "b", "ab", "it's", "z", "\u00e4", " a", "A",
         "longer than twelve bytes", "longer than twelve letters"]
DAY = datetime.date(2024, 1, 30)
MOMENT = datetime.datetime(2024, 2, 28, 23, 59, 58)


def draw_value(rng, kind, column=""):
    """A value that is not NULL."""
    if kind == "int":
        if column == "k":
            return rng.randrange(8)
        if column == "g":
            return rng.randrange(3)
        return rng.choice([-5, 0, 1, 2, 3, 7, 10, 100])
    if kind == "dec":
        return decimal.Decimal(rng.choice(
            [-150, -5, 0, 1, 100, 125, 250, 300, 99999])).scaleb(-2)
    if kind == "dbl":
        return rng.choice([-2.5, -1.0, 0.0, 0.25, 1.0, 3.0, 1e6])
    if kind == "text":
        return rng.choice(TEXTS)
    if kind == "date":
        return DAY + datetime.timedelta(days=rng.choice(
            [0, 1, 2, 2, 3, 31, 366, -400, -20000]))
    if kind == "ts":
        return MOMENT + datetime.timedelta(
            seconds=rng.choice([0, 1, 2, 3, 86400, -90000, -2 * 10**9]),
            microseconds=rng.choice([0, 0, 500000, 1]))
    return rng.random() < 0.5


def literal(kind, value):
    if value is None:
        return "CAST(NULL AS %s)" % TYPES.get(kind, "INTEGER")
    if kind == "text":
        return "'%s'" % value.replace("'", "''")
    if kind == "date":
        return "DATE '%s'" % value
    if kind == "ts":
        return "TIMESTAMP '%s'" % value
    if kind == "bool":
        return "TRUE" if value else "FALSE"
    if kind == "dbl":
        return "CAST(%s AS DOUBLE)" % value
    return str(value) if value >= 0 else "(%s)" % value


class Tables:
    """a, b and c with a few rows, or with thousands of them."""

    def __init__(self, rng, is_big):
        self.rng = rng
        counts = [3000, 6000] if is_big else [0, 1, 3, 8, 8, 20, 40]
        self.rows = {}
        for name, columns in COLUMNS.items():
            self.rows[name] = [
                [self.cell(kind, column, is_big)
                 for column, kind in columns.items()]
                for _ in range(rng.choice(counts))]

    def cell(self, kind, column, is_big):
        rng = self.rng
        if rng.random() < 0.15:
            return None
        if is_big and column in ("k", "n", "m"):
            return rng.randrange(2000)      # few pairs of a join
        return draw_value(rng, kind, column)

    def ddl(self):
        for name, columns in COLUMNS.items():
            yield "CREATE TABLE %s (%s)" % (name, ", ".join(
                "%s %s" % (column, TYPES.get(
                    kind, "BIGINT" if column in BIGINTS else "INTEGER"))
                for column, kind in columns.items()))

    def inserts(self):
        for name, columns in COLUMNS.items():
            rows = self.rows[name]
            for at in range(0, len(rows), 1000):
                yield "INSERT INTO %s VALUES %s" % (name, ", ".join(
                    "(%s)" % ", ".join(
                        literal(kind, value)
                        for kind, value in zip(columns.values(), row))
                    for row in rows[at:at + 1000]))
